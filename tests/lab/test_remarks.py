"""Remarks call runs as the table does, and cutoffs of a figure are remarked on together."""

import pytest

RUN = "".join(f"q{q} Q0 d{(i * 7 * q) % 10} {i} {-i} t\n" for q in (1, 3, 7) for i in range(10))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    for name, text in {"a.run": RUN, "b.run": RUN.replace(" d7 ", " d77 ")}.items():
        (tmp_path / "runs" / name).write_text(text)
    (tmp_path / "labels").write_text("".join(f"d{i}\t{'fm'[i % 2]}\n" for i in range(8)))


@pytest.mark.usefixtures("folder")
def test_notes_in_several_rerankers_name_run_and_reranker(fairtrec_command):
    given = ["--labels", "labels", "--by", "DetCons@10 FairGreedy@10", "-m", "NDKL@10", "-o", "out/"]
    done = fairtrec_command("rerank", "none", "runs/a.run", "runs/b.run", *given)
    assert done.code == 0, done.err
    assert "(0 " not in done.out + done.err
    assert "a by DetCons@10" in done.out


@pytest.mark.usefixtures("folder")
def test_the_cutoffs_of_a_figure_are_remarked_on_together(fairtrec_command):
    pytest.importorskip("matplotlib")
    given = ["--labels", "labels", "-m", "NDKL", "--cutoffs", "1-10", "-o", "figure.svg"]
    done = fairtrec_command("plot", "cutoffs", "none", "runs/a.run", "runs/b.run", *given)
    assert done.code == 0, done.err
    assert len([line for line in done.err.splitlines() if line.startswith("#")]) <= 6
