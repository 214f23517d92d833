"""``fairtrec counts make`` and ``fairtrec counts`` as they are typed."""

import json
import re
from pathlib import Path

import pytest

from fairtrec.cli import printing
from fairtrec.counting.table.files import Table

TEXTS = "a\tShe and he.\nb\tthe queen\nlong-docno-c\tking he her she\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a collection and a list of terms."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.tsv").write_text(TEXTS)
    (tmp_path / "terms.csv").write_text("she,f\nqueen,f\nhe,m\nking,m\n")
    return tmp_path


@pytest.mark.parametrize(
    ("size", "seconds", "said"),
    [(10**9, 4.0, " (250 MB/s)"), (10**9, 0.5, ""), (300, 4.0, ""), (0, 0.0, ""), (10**6, 1.0, " (1 MB/s)")],
)
def test_a_speed_is_said_where_it_means_something(size, seconds, said):
    assert printing.speed(size, seconds) == said


@pytest.fixture
def annotated(folder, fairtrec_command):
    assert fairtrec_command("counts", "make", "c.tsv", "--terms", "terms.csv", "-o", "t.arrow", "-j", 1).code == 0
    return folder


def test_a_message_names_the_file_of_the_user(folder, fairtrec_command):
    (folder / "c.jsonl").write_text('{"docno": "a\\tb", "text": "she"}\n')
    done = fairtrec_command("counts", "make", "c.jsonl", "--terms", "terms.csv", "-o", "t.tsv", "-j", 1)
    said = "t.tsv: the docno 'a\\tb' holds white space or a #, so TSV cannot hold it; write .arrow"
    assert (done.code, done.err.strip()) == (3, said)


def test_json_is_no_table_of_counts(folder, fairtrec_command):
    (folder / "c.json").write_text('{"docno": "a", "tokens": 3}\n')
    (folder / "r.run").write_text("q Q0 a 1 1 r\n")
    done = fairtrec_command("eval", "none", "r.run", "--counts", "c.json", "-m", "ARaB@1")
    assert done.code == 3
    assert done.err.startswith("c.json:1: this is JSON, not the header of a table of counts; write: docno tokens")


def test_annotate_prints_one_line(folder, fairtrec_command):
    done = fairtrec_command("counts", "make", "c.tsv", "--terms", "terms.csv", "-o", "t.tsv", "-j", 1)
    assert (done.code, done.out, done.complaints) == (0, "", [])
    assert done.err.startswith("# 3 documents, 0.0 MB of text in ")
    assert "; counter: " in done.err
    assert "MB/s" not in done.err
    assert done.err.endswith(", jobs: 1\n")
    rows = (folder / "t.tsv").read_text().splitlines()
    assert rows[2:] == ["docno\ttokens\tf\tm", "long-docno-c\t4\t1\t2", "a\t3\t1\t1", "b\t2\t1\t0"]


def test_annotate_takes_a_word_list_by_name(folder, fairtrec_command):
    done = fairtrec_command("counts", "make", "c.tsv", "--terms", "gender-en", "-o", "t.arrow", "-j", 1)
    assert done.code == 0
    meta = Table("t.arrow").meta
    assert meta.terms == "gender-en"
    assert len(meta.sha256) == 64


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["c.tsv", "--terms", "terms.csv", "-o", "t.csv"], 2, "t.csv ends in none of .arrow, .parquet, .tsv"),
        (["c.tsv", "--terms", "terms.csv", "-o", "no/t.arrow"], 2, "the folder of no/t.arrow is not there"),
        (["no.tsv", "--terms", "terms.csv", "-o", "t.arrow"], 3, "no.tsv: there is no such file; check the name"),
        (["-", "--terms", "terms.csv", "-o", "t.arrow"], 3, "-: a collection is read twice"),
        (["empty.tsv", "--terms", "terms.csv", "-o", "t.arrow"], 3, "empty.tsv: this file has no lines"),
        (["c.tsv", "--terms", "nope", "-o", "t.arrow"], 4, "there is no file nope"),
        (["c.tsv", "c.tsv", "--terms", "terms.csv", "-o", "t.arrow"], 3, "c.tsv:1: document a appears twice"),
    ],
)
def test_annotate_fails(arguments, code, message, folder, fairtrec_command):
    (folder / "empty.tsv").write_text("\n")
    done = fairtrec_command("counts", "make", *arguments, "-j", 1)
    assert done.code == code
    assert len(done.complaints) == 1
    assert done.complaints[0].startswith(message)


def test_annotate_passes_over_and_says_so(folder, fairtrec_command):
    (folder / "c.tsv").write_text(TEXTS + "no tab\n")
    given = ["counts", "make", "c.tsv", "--terms", "terms.csv", "-o", "t.arrow", "-j", 1]
    assert fairtrec_command(*given).complaints[0].startswith("c.tsv:4: this line has no tab after the docno")
    done = fairtrec_command(*given, "--keep-going", "--force")
    assert done.code == 0
    assert "; 1 lines passed over, see t.arrow.rejected.jsonl" in done.err
    assert json.loads((folder / "t.arrow.rejected.jsonl").read_text())["line"] == 4
    assert fairtrec_command(*given).complaints[0].startswith("t.arrow exists; add --force")


def test_info(annotated, fairtrec_command):
    done = fairtrec_command("counts", "info", "t.arrow")
    lines = dict(line.split("  ", 1) for line in done.out.splitlines() if "  " in line)
    said = {name: value.strip() for name, value in lines.items()}
    assert said["groups"] == "f, m"
    assert said["tokenizer"] == "strip"
    assert said["source"] == "c.tsv 55 bytes"
    assert said["documents"] == "3"
    assert said["terms of m"] == "3"
    assert said["omega, tau=0"] == "mean 0.555556"
    (annotated / "plain.tsv").write_text("docno tokens f m\na 1 2 3\n")
    assert "made            unknown" in fairtrec_command("counts", "info", "plain.tsv").out


def test_convert_merge_and_diff(annotated, fairtrec_command):
    for path in ("t.parquet", "t.tsv"):
        assert fairtrec_command("counts", "convert", "t.arrow", path).code == 0
    for path in ("t.parquet", "t.tsv", "t.arrow"):
        done = fairtrec_command("counts", "diff", path, "t.arrow")
        assert (done.code, done.out) == (0, "the tables hold the same\n")
    lines = (annotated / "t.tsv").read_text().splitlines(keepends=True)
    (annotated / "one.tsv").write_text("".join(lines[2:4]))
    (annotated / "two.tsv").write_text("".join([lines[2], *lines[4:]]))
    assert fairtrec_command("counts", "merge", "m.tsv", "two.tsv", "one.tsv").code == 0
    assert (annotated / "m.tsv").read_text().splitlines()[2:] == "".join(lines[2:]).splitlines()
    assert fairtrec_command("counts", "merge", "m.tsv", "two.tsv", "one.tsv").code == 2
    done = fairtrec_command("counts", "merge", "m.arrow", "t.tsv", "one.tsv")
    assert done.code == 3
    assert done.complaints[0].startswith("one.tsv: its tokenizer is None, that of t.tsv 'strip'")


def test_diff_tells_what_differs(annotated, fairtrec_command):
    (annotated / "other.tsv").write_text("docno tokens f m\na 3 1 2\nb 2 1 0\nx 1 0 0\n")
    done = fairtrec_command("counts", "diff", "t.arrow", "other.tsv")
    assert done.code == 1
    assert sorted(done.out.splitlines()) == [
        "a: 3 1 1 | 3 1 2",
        "long-docno-c: only in t.arrow",
        "x: only in other.tsv",
    ]
    (annotated / "other.tsv").write_text("docno tokens f n\na 3 1 2\n")
    assert fairtrec_command("counts", "diff", "t.arrow", "other.tsv").out == "groups: f, m | f, n\n"
    rows = "".join(f"n{i} 1 0 0\n" for i in range(20))
    (annotated / "other.tsv").write_text("docno tokens f m\n" + rows)
    assert fairtrec_command("counts", "diff", "t.arrow", "other.tsv").out.endswith("... and 13 more\n")


def test_eval_takes_all_three_formats(annotated, fairtrec_command):
    (annotated / "a.run").write_text("q Q0 a 1 3 x\nq Q0 long-docno-c 2 2 x\n")
    printed = set()
    for path in ("t.parquet", "t.tsv", "t.arrow"):
        if path != "t.arrow":
            fairtrec_command("counts", "convert", "t.arrow", path)
        given = ["--counts", path, "--background", "collection", "-m", "NFaiRR(tau=0)@2 ARaB@2"]
        done = fairtrec_command("eval", "none", "a.run", *given)
        assert done.code == 0
        printed.add(done.out)
    assert len(printed) == 1


def test_published_counts_can_be_told_how_they_were_made(copied, fairtrec_command):
    Path("terms").write_text("she,f\nhe,m\n")
    assert (
        fairtrec_command("counts", "make", "collection.tsv", "--terms", "terms", "-o", "made.tsv", "-j", "1").code == 0
    )
    rows = [line for line in Path("made.tsv").read_text().splitlines() if not line.startswith("#")]
    Path("found.tsv").write_text("\n".join(rows) + "\n")
    evaluated = ("eval", "none", "bm25.run", "-m", "TExFAIR@10", "-f", "json", "--terms", "terms", "--counts")
    assert "do not record how they were made" in fairtrec_command(*evaluated, "found.tsv").err
    stated = ("counts", "convert", "found.tsv")
    assert fairtrec_command(*stated, "t.arrow", "--terms", "terms", "--tokenizer", "strip").code == 0
    one, other = (fairtrec_command(*evaluated, name) for name in ("t.arrow", "made.tsv"))
    assert (one.code, json.loads(one.out)["runs"]) == (0, json.loads(other.out)["runs"])
    signatures = [re.sub(r"counts:\S+", "", json.loads(done.out)["signature"]) for done in (one, other)]
    assert signatures[0] == signatures[1]
    assert "terms:terms@" in signatures[0]
    Path("others").write_text("she,x\nhe,y\n")
    for given, code, what in (
        (["--terms", "terms"], 2, "--terms and --tokenizer go together"),
        (["--tokenizer", "space"], 2, "--terms and --tokenizer go together"),
        (["--case-sensitive"], 2, "--terms and --tokenizer go together"),
        (["--terms", "others", "--tokenizer", "strip"], 3, "found.tsv: its groups are f, m, those of others x, y; "),
    ):
        done = fairtrec_command(*stated, "u.arrow", *given)
        assert (done.code, what in done.err) == (code, True), done.err
    done = fairtrec_command("counts", "convert", "made.tsv", "u.arrow", "--terms", "terms", "--tokenizer", "word")
    assert (done.code, "this table says how it was made" in done.err) == (3, True)
