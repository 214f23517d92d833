"""Folders of runs: files that hold no run are left out and named; broken runs are not."""

import gzip
import os

import pytest

from fairtrec.support.files import arguments
from fairtrec_made.command_trials import gather_trials

RUN = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"
README = """Runs of the track
We sent in two runs. The second one reranks 100 documents of the first, and its lines look so:

    q1 Q0 d1 1 2.5 t

| run | nDCG |
| bm25 | .5 |
"""


def kept(folder):
    said = {}
    found = arguments.paths([str(folder)], lambda place, files, _: said.__setitem__(place, files))
    return [path.rsplit("/", 1)[1] for path in found], [path.rsplit("/", 1)[1] for path in said.get(str(folder), [])]


def test_files_without_a_run_are_left_out_and_named(tmp_path):
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "README.md").write_text(README)
    (tmp_path / "SOURCE.txt").write_text("github.com/x/y, commit 12, Apache-2.0.\nFetched in 2023.\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (tmp_path / "z.md").write_text("# Runs\n\n## Baselines\n")
    assert kept(tmp_path) == (["a.run"], ["README.md", "SOURCE.txt", "picture.png", "z.md"])
    assert len(arguments.paths([str(tmp_path)])) == 5  # of who does not want to know


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\n \n", RUN.encode(), gzip.compress(RUN.encode(), mtime=0), gzip.compress(RUN.encode(), mtime=0)[:30], b"PAR1....", b"\n# made by me\n" + RUN.encode(),
        b"q1 Q0 d1 1 2.5\n", b"q1 d1 1 2.5\n", b"q1 d1 1\n", b"12 99\n", b"id page_id\n", b"id rep_number page_id\n",
        b'{"qid": "q1", "docno": "d1", "score": 2.5}\n', b'\xef\xbb\xbf{"q1": {"d1": 2.5}}', b"qid,docno,score\nq1,d1,2\n",
        b"query-id\tcorpus-id\tscore\nq1\td1\t2\n", b"loading the model\n" + RUN.encode(), b"q1 Q0 d1 - nan t\n",
        b"user_id item_id prediction\n1 2 .5\n",
    ],
)  # fmt: skip
def test_what_may_be_a_run_is_kept_even_if_it_is_broken(tmp_path, content):
    (tmp_path / "a.run").write_bytes(content)
    assert kept(tmp_path) == (["a.run"], [])


def test_a_folder_of_other_files_is_refused(tmp_path, fairtrec_command):
    (tmp_path / "README.md").write_text(README)
    done = fairtrec_command("eval", "none", str(tmp_path), "-m", "nDCG")
    assert done.code == 3
    assert done.err.splitlines() == [
        f"# left out of {tmp_path}, as no line is of a run: README.md",
        f"the folder {tmp_path} has no runs; pass another",
    ]


def test_a_folder_of_tables_has_the_runs_whose_columns_are_named(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "months").mkdir()
    for month in ("may", "june"):
        (tmp_path / "months" / f"{month}.csv").write_text("search;applicant;points\ns1;x;2\ns1;y;1\n")
    (tmp_path / "months" / "people.csv").write_text("applicant;sex\nx;f\ny;m\n")
    (tmp_path / "months" / "plain.csv").write_text("qid,docno,score\ns1,x,2\n")  # which lacks the columns
    given = ["-m", "AWRF@1", "--labels", "months/people.csv:sex", "--columns"]
    done = fairtrec_command("eval", "none", "months", *given, "qid=search,docno=applicant,score=points")
    assert done.err.startswith("# left out of months, as no line is of a run: people.csv, plain.csv\n")
    assert (done.code, done.out.count("AWRF@1 "), "may.csv" in done.out) == (0, 2, True)
    lines = "qid=search,docno=applicant,score=nosuch", "docno=applicant", "score=points,docno=applicant,qid=-"
    for columns, code in zip(lines, (3, 3, 0), strict=True):
        assert fairtrec_command("eval", "none", "months", *given, columns).code == code


def test_a_folder_of_tables_of_unknown_names_is_told_how_to_name_them(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "months").mkdir()
    (tmp_path / "months" / "may.csv").write_text("search,applicant,points\ns1,x,2\n")
    done = fairtrec_command("eval", "none", "months", "-m", "nDCG")
    way_out = (
        "or name columns of its tables with --columns qid=COLUMN,docno=COLUMN; may.csv has search, applicant, points"
    )
    assert (done.code, done.err.splitlines()[-1]) == (3, f"the folder months has no runs; pass another, {way_out}")


@pytest.mark.parametrize("command", gather_trials("FOLDERS_OF_RUNS", ["eval -m P@1 qrels"]))
def test_every_command_leaves_them_out(tmp_path, monkeypatch, fairtrec_command, command):
    import shlex

    monkeypatch.chdir(tmp_path)
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in "ab":
        (runs / f"{name}.run").write_text(RUN.replace(" t\n", f" {name}\n"))
    for number in range(5):
        (runs / f"NOTES{number}.txt").write_text(README)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    words = shlex.split(command)
    done = fairtrec_command(*words, "runs")
    assert done.code in (0, 1), done.err
    note = "# left out of runs, as no line is of a run: NOTES0.txt, NOTES1.txt, NOTES2.txt and 2 more"
    assert done.err.splitlines()[0] == note
    assert "NOTES" not in done.out


def test_of_a_file_in_a_folder_only_a_bounded_start_is_looked_at(tmp_path, monkeypatch):
    looked_at = []
    tell = arguments.is_run_line
    monkeypatch.setattr(arguments, "is_run_line", lambda cells: looked_at.append(sum(map(len, cells))) or tell(cells))
    (tmp_path / "long.txt").write_bytes(b"Dear\n" + b"no run at all " * 500_000 + b"\nwords\n" * 10_000)
    (tmp_path / "lines.txt").write_bytes(b"Dear reader of it all\n" * 20_000)
    (tmp_path / "a.run").write_text(RUN)
    assert kept(tmp_path)[1] == ["lines.txt", "long.txt"]
    assert sum(looked_at) < 2 * arguments.LOOKED_AT


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("runs", ["runs", "runs/*.run", "@list"])
def test_a_named_pipe_in_a_folder_or_behind_a_pattern_is_left_out_with_a_note(
    tmp_path, monkeypatch, fairtrec_command, runs
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.run").write_text(RUN)
    (tmp_path / "list").write_text("runs/*.run\n")
    os.mkfifo(tmp_path / "runs" / "x.run")
    done = fairtrec_command("validate", runs)
    assert "a.run: clean" in done.out
    assert done.err.splitlines()[0].endswith(
        "as a pipe or device is read only if you name it: " + ("x.run" if runs == "runs" else "runs/x.run")
    )
    (tmp_path / "runs" / "a.run").unlink()
    assert fairtrec_command("validate", runs).code == 3
    assert arguments.paths(["runs/x.run"]) == ["runs/x.run"]  # as process substitution needs it
