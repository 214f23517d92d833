"""A file that is named twice is not compared with itself; and remarks call runs as the table does."""

import json

import pytest

from fairtrec.cli import main

RUN = "".join(f"q{q} Q0 d{(i * 7 * q) % 10} {i} {-i} t\n" for q in (1, 3, 7) for i in range(10))


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    for name, text in {"a.run": RUN, "b.run": RUN.replace(" d7 ", " d77 ")}.items():
        (tmp_path / "runs" / name).write_text(text)
    (tmp_path / "labels").write_text("".join(f"d{i}\t{'fm'[i % 2]}\n" for i in range(8)))

    def of(*arguments):
        monkeypatch.setattr("sys.argv", ["fairtrec", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return of


def test_a_baseline_that_stands_in_the_folder_too_is_compared_with_the_others(printed, tmp_path):
    (tmp_path / "base.run").symlink_to("runs/a.run")
    code, out, err = printed("compare", "none", "base.run", "runs", "-m", "NDKL@10", "--labels", "labels", "-f", "csv")
    assert code == 0
    assert "runs/a.run is base.run again, and is left out" in err
    assert "runs/a.run" not in out
    assert "runs/b.run" in out


def test_check_leaves_the_baseline_out_of_a_folder_as_compare_does(printed):
    arguments = ["--labels", "labels", "--require", "NDKL@10 <= baseline", "-f", "json"]
    code, out, err = printed("check", "none", "runs", "--baseline", "runs/../runs/a.run", *arguments)
    assert code in (0, 1)
    assert "# runs/a.run is the baseline, and is left out" in err.splitlines()
    assert {each["run"] for each in json.loads(out)["verdicts"]} == {"runs/b.run"}


def test_check_refuses_a_run_that_is_its_own_baseline(printed):
    arguments = ["--labels", "labels", "--require", "NDKL@10 <= baseline"]
    code, _, err = printed("check", "none", "runs/a.run", "--baseline", "runs/../runs/a.run", *arguments)
    assert code == 2
    assert err.startswith("runs/a.run is the baseline itself")


def test_a_baseline_that_the_configuration_names_may_be_the_only_run(printed, tmp_path):
    """As in a commit that changes only the baseline: pre-commit passes no other run."""
    table = '[tool.fairtrec.check]\nrequire = ["NDKL@10 <= baseline", "NDKL@10 <= 0"]\nlabels = "labels"\n'
    (tmp_path / "pyproject.toml").write_text(f'{table}baseline = "runs/a.run"\noutput = "checked.txt"\n')
    for _ in range(2):  # the second replaces what the first wrote
        code, _, err = printed("check", "none", "runs/a.run", "--junit", "checked.xml")
        assert (code, err) == (0, "")
        said = (tmp_path / "checked.txt").read_text("utf-8").splitlines()
        assert said[0].startswith("no verdicts (")
        assert "# runs/a.run is the baseline; no other run is here to check" in said
        assert 'tests="0" failures="0" errors="0"' in (tmp_path / "checked.xml").read_text("utf-8")
    code, _, _ = printed("check", "none", "runs/a.run", "runs/b.run")
    assert code == 1
    code, _, err = printed("check", "none", "runs/a.run", "--baseline", "runs/a.run")
    assert (code, err) == (2, "runs/a.run is the baseline itself; pass another run\n")


def test_documents_without_a_label_are_called_so(printed):
    code, _, err = printed("eval", "none", "runs/a.run", "--labels", "labels", "-m", "TExFAIR@10")
    assert code == 3
    assert "have no label, such as d" in err
    assert "label them, or choose how they count with --missing neutral|skip|worst" in err
