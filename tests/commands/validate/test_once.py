"""``validate`` says once what is wrong with many lines or many files, and ends with what is sound."""

import pytest

from fairtrec.cli import main

RUN = "".join(f"q1 Q0 d{i} {i} {40 - i} same\n" for i in range(1, 31))


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def of(*arguments):
        monkeypatch.setattr("sys.argv", ["fairtrec", "validate", *arguments])
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().out.splitlines()

    return of


def test_what_holds_of_several_files_is_said_once_with_their_names(tmp_path, printed):
    four = "".join(" ".join(line.split()[i] for i in (0, 2, 3, 4)) + "\n" for line in RUN.splitlines())
    files = {"a": RUN, "b": RUN.replace("d30 30 10", "d30 30 9"), "c": RUN, "four": four, "other": four}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    lines = printed(*files)
    assert sum("the tag is 'same'" in line for line in lines) == 2
    assert "W712 also in c: the tag is 'same', as that of a; use a different tag for each run" in lines
    (columns, again) = [line for line in lines if "looks like qid docno rank score" in line]
    assert columns.startswith("four:1: E201 this looks like qid docno rank score in each of 30 lines; ")
    assert again.startswith("E201 also in other: this looks like qid docno rank score in each of 30 lines; ")
    assert lines[-4:] == [
        "clean         1  a",
        "warnings      2  b, c",
        "repairable    0",
        "broken        2  four, other",
    ]
    (tmp_path / "four").write_text("q1 d1 x\n" * 30)
    assert sum("3 columns instead of six" in line for line in printed(*files, "--all")) == 30


def test_a_repaired_run_is_cut_at_the_depth(tmp_path, printed):
    (tmp_path / "a").write_text(RUN)
    (tmp_path / "b.jsonl").write_text(
        "".join(f'{{"qid": "q{q}", "docno": "d{i}", "score": {-i}}}\n' for q in (1, 2) for i in range(q + 2))
    )
    assert "out/a: E701 too-deep (1): cut at --due" in printed("a", "b.jsonl", "--due", "2", "--fix", "out")
    assert (tmp_path / "out" / "a").read_text() == "".join(RUN.splitlines(keepends=True)[:2])
    assert [line.split()[:4] for line in (tmp_path / "out" / "b.jsonl").read_text().splitlines()] == [
        [f"q{q}", "Q0", f"d{i}", str(i + 1)] for q in (1, 2) for i in range(2)
    ]
