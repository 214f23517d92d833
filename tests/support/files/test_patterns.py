"""A pattern stands for all files that match, whatever they are called."""

import shutil

import pytest

from fairtrec.support.files import arguments


@pytest.fixture
def submissions(tmp_path, example, monkeypatch):
    """Two runs, and a broken file."""
    monkeypatch.chdir(tmp_path)
    for name in ("bm25", "fair"):
        shutil.copy(example / f"{name}.run", tmp_path)
    shutil.copy(example / "qrels.txt", tmp_path)
    (tmp_path / "wrong.run").write_text("no run\n")
    return tmp_path


def test_a_file_named_like_the_pattern_hides_no_other(submissions, fairtrec_command):
    shutil.copy(submissions / "bm25.run", submissions / "*.run")
    ended = fairtrec_command("validate", "*.run")
    assert ended.code == 3
    assert "wrong.run:1:" in ended.out
    assert all(f"\n{name}: " in ended.out for name in ("bm25.run", "fair.run", "wrong.run"))


@pytest.mark.parametrize("asked", [("eval", "-m", "P@1"), ("check", "--require", "P@1 >= 0")])
def test_runs_that_are_all_files_are_expanded_too(submissions, fairtrec_command, asked):
    """A gate looked at a planted file instead of all runs, because each argument was a file."""
    (submissions / "wrong.run").rename(submissions / "wrong.txt")
    (submissions / "list").write_text("fair.run\n")
    command, *options = asked
    shutil.copy(submissions / "fair.run", submissions / "fair.txt")
    for planted in ("*.run", "x=fair.txt", "@list"):
        shutil.copy(submissions / "bm25.run", submissions / planted)
    ended = fairtrec_command(command, "qrels.txt", "*.run", *options)
    assert ended.code == 0
    assert "fair" in ended.out  # by its short name
    for planted in ("x=fair.txt", "@list"):
        ended = fairtrec_command(command, "qrels.txt", planted, *options)
        assert (ended.code, ended.out) == (2, "")
        assert f"{planted} is a file, and also means " in ended.err


def test_a_file_whose_name_has_signs_of_a_pattern_is_found(submissions, fairtrec_command):
    shutil.copy(submissions / "bm25.run", submissions / "run[1].run")
    assert "run[1].run: 0 errors" in fairtrec_command("validate", "run[1].run").out


@pytest.mark.parametrize(
    ("planted", "argument"),
    [("x=bm25.run", "x=bm25.run"), ("@list", "@list"), ("x=-", "x=-")],
)
def test_a_file_whose_name_means_something_else_is_refused(submissions, fairtrec_command, planted, argument):
    (submissions / "list").write_text("bm25.run\n")
    shutil.copy(submissions / "wrong.run", submissions / planted)
    ended = fairtrec_command("validate", argument)
    assert (ended.code, ended.out) == (2, "")
    assert f"{planted} is a file, and also means " in ended.err
    assert f"type ./{planted} for the file" in ended.err
    ended = fairtrec_command("validate", f"./{planted}")
    assert ended.out.startswith(f"./{planted}:1: E")
    ended = fairtrec_command("check", "none", "fair.run", "--baseline", "x=bm25.run", "--require", "P@1 >= 0")
    assert ended.code == 2


def test_labels_whose_name_means_something_else_are_refused(submissions, fairtrec_command):
    for name in ("g.tsv", "sex=g.tsv", "h.tsv", "g.tsv*h.tsv", "t.jsonl", "t.jsonl:field", "sex=qrels"):
        (submissions / name).write_text("d1\tf\n")
    for labels in ("sex=g.tsv", "g.tsv*h.tsv", "t.jsonl:field", "sex=qrels"):
        ended = fairtrec_command("eval", "none", "bm25.run", "--labels", labels)
        assert (ended.code, f"{labels} is a file, and also means " in ended.err) == (2, True), ended.err
    assert arguments.attributes(["./sex=g.tsv"]) == {"": "./sex=g.tsv"}
