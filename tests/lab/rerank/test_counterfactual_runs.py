"""rerank --counterfactual: the counterfactual runs are those of the runs, whatever the rerankings are called."""

import pytest

import fairtrec

RUN = "q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 c 3 1 t\n"
OTHER = "q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 c 3 1 t\n"


@pytest.mark.parametrize("by", ["Random", "Random RandomSwap"])
def test_a_folder_of_counterfactual_runs_is_taken(by, fairtrec_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cf").mkdir()
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "cf" / "a.run").write_text(OTHER)
    asked = ("-m", "CRBO@3", "--counterfactual", "cf")
    done = fairtrec_command("rerank", "none", "a.run", "--by", by, *asked, "-f", "csv", "-o", "out/")
    assert (done.code, done.complaints) == (0, [])
    before = float(done.out.splitlines()[1].split(",")[4])
    (scores,) = fairtrec.evaluate("CRBO@3", "a.run", counterfactual="cf").scores
    assert before == pytest.approx(scores.means.item(), abs=1e-4)
    one = fairtrec_command("rerank", "none", "a.run", "--by", by, "-m", "CRBO@3", "--counterfactual", "cf/a.run",
                           "-f", "csv", "-o", "out/", "--force")  # fmt: skip
    assert one.out == done.out
