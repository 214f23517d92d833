"""Checking runs: every finding with its line, the repair of what is certain, and the table of codes."""

import gzip
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fairtrec
from fairtrec.commands.validate.checks import Known
from fairtrec.commands.validate.findings import CODES, place_of, table
from fairtrec.commands.validate.run_check import examine, write
from fairtrec.data.spellings import guess
from fairtrec.formats import memory
from fairtrec.formats import run as run_format
from fairtrec.support.errors import InputError
from fairtrec_made import REPOSITORY, THOROUGH

GOOD = b"q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\nq1 Q0 d3 3 1 t\nq2 Q0 d1 1 2.5 t\n"
QUICK = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def lines(*rows):
    return "".join(f"{row}\n" for row in rows).encode()


CASES = {  # what stands in the file, and each finding: its line (None: of the file) and code
    "clean": (GOOD, []),
    "tabs": (GOOD.replace(b" ", b"\t"), []),
    "empty": (b"", [(None, "E102")]),
    "nothing but blank lines": (b"\n\n", [(None, "E102"), (1, "E202"), (2, "E202")]),
    "not UTF-8": (GOOD + b"q2 Q0 d\xe9 2 1 t\n", [(5, "E103")]),
    "NUL": (GOOD + b"q2 Q0 d\0 2 1 t\n", [(5, "E104")]),
    "NUL makes no duplicate": (GOOD + b"q2 Q0 d1\0 2 1 t\n", [(5, "E104")]),
    "an endless line": (GOOD + b"x" * (1 << 20) + b"y\nq2 Q0 d2 2 high t\n", [(5, "E105"), (6, "E301")]),
    "a byte-order mark": (b"\xef\xbb\xbf" + GOOD, [(1, "W111")]),
    "CR LF": (GOOD.replace(b"\n", b"\r\n"), [(1, "W112")]),
    "CR LF in the middle": (GOOD.replace(b"2 t\n", b"2 t\r\n"), [(2, "W112")]),
    "CR alone": (GOOD.replace(b"\n", b"\r"), [(1, "E201"), (1, "W113")]),
    "no line end at the end": (GOOD.rstrip(), [(4, "W113")]),
    "a last line cut off": (GOOD[:-5], [(4, "E201"), (4, "W113")]),
    "a no-break space": (GOOD.replace(b"d3", "d\u00a03".encode()), [(3, "W114")]),
    "too few, too many": (lines("q1 Q0 d1 1 3", "q1 Q0 d2 2 2 t", "q1 Q0 d3 3 1 my t"), [(1, "E201"), (3, "E201")]),
    "a broken line hides no other": (lines("x", "q1 Q0 d1 1 a t", "q1 Q0 d1 2 1 t", ""), [(1, "E201"), (2, "E301"), (3, "E402"), (4, "E202")]),
    "comments": (b"# my run\n\n" + GOOD, [(1, "E203"), (2, "E202")]),
    "a comment among entries": (GOOD + b"# done\n", [(5, "E203")]),
    "a comment like an entry": (GOOD + b"#q2 Q0 d9 1 1 t\n", [(5, "E203"), (5, "W213")]),
    "a wide docno": (GOOD + b"q2 Q0 " + b"d" * 1025 + b" 2 1 t\n", [(5, "E204")]),
    "a wide tag": (GOOD + b"q2 Q0 d2 2 1 " + b"t" * 1025 + b"\n", [(5, "E204")]),
    "column 2": (GOOD.replace(b"Q0 d2", b"0 d2"), [(2, "W211")]),
    "two blanks": (GOOD.replace(b"Q0 d2", b"Q0  d2"), [(2, "W212")]),
    "blanks and tabs": (GOOD.replace(b"Q0 d2", b"Q0\td2"), [(2, "W212")]),
    "scores": (lines(*(f"q1 Q0 d{i} {i} {score} t" for i, score in enumerate(["nan", "inf", "1e400", "0x10", "1_0", "1,5", "x"], 1))),
               [(1, "E302"), (2, "E303"), (3, "E303"), (4, "E301"), (5, "E301"), (6, "E301"), (7, "E301")]),
    "duplicates": (GOOD + lines("q1 Q0 d1 4 3 t", "q1 Q0 d2 5 0.5 t"), [(5, "E401"), (5, "W501"), (6, "E402")]),
    "blocks": (lines("a Q0 d1 1 3 t", "b Q0 d1 1 3 t", "a Q0 d2 2 2 t", "b Q0 d2 2 2 t"), [(3, "W501"), (4, "W501")]),
    "ranks from 0": (lines("a Q0 d1 0 3 t", "a Q0 d2 1 2 t", "b Q0 d1 1 3 t"), [(1, "W602")]),
    "a rank left out": (lines("a Q0 d1 1 3 t", "a Q0 d2 3 2 t", "a Q0 d3 5 1 t"), [(2, "W603")]),
    "a rank twice": (lines("a Q0 d1 1 3 t", "a Q0 d2 1 2 t", "a Q0 d3 2 1 t"), [(2, "W604")]),
    "a rank that is none": (lines("a Q0 d1 1 3 t", "a Q0 d2 2. 2 t", "a Q0 d3 3 1 t"), [(2, "W605")]),
    "a rank of a broken line is not missed": (lines("a Q0 d1 1 3 t", "a Q0 d2 2 2", "a Q0 d3 3 1 t"), [(2, "E201")]),
    "a rank of a duplicate is not missed": (lines("a Q0 d1 1 3 t", "a Q0 d1 2 3 t", "a Q0 d3 3 1 t"), [(2, "E401")]),
    "ranks against scores": (lines("a Q0 d1 1 2 t", "a Q0 d2 2 3 t", "a Q0 d3 3 1 t"), [(2, "W601")]),
    "ranks against scores throughout": (lines("a Q0 d1 1 1 t", "a Q0 d2 2 2 t", "a Q0 d3 3 3 t"), [(1, "E606")]),
    "lines in another order than ranks": (lines("a Q0 d2 2 1 t", "a Q0 d1 1 2 t"), []),
    "ties": (lines("a Q0 d1 1 3 t", "a Q0 d2 2 2 t", "a Q0 d3 3 2 t"), [(2, "W611")]),
    "a tie across rank 10": (lines(*(f"a Q0 d{i} {i} {20 - i - (i == 10)} t" for i in range(1, 12))), [(10, "W611"), (10, "W612")]),
    "a tie below rank 10": (lines(*(f"a Q0 d{i} {i} {20 - i - (i == 11)} t" for i in range(1, 13))), [(11, "W611")]),
    "a tie above rank 10": (lines(*(f"a Q0 d{i} {i} {20 - i - (i == 9)} t" for i in range(1, 12))), [(9, "W611")]),
    "tags": (lines("a Q0 d1 1 3 t", "a Q0 d2 2 2 u", "a Q0 d3 3 1 u"), [(2, "W711")]),
}  # fmt: skip


def found(data, tmp_path, known=None, most=None):
    path = tmp_path / "a.run"
    path.write_bytes(data)
    return examine(path, known, most)


def places(checked):
    return [(finding.line, finding.code.name) for finding in sorted(checked.found.kept, key=place_of)]


@pytest.mark.parametrize(("data", "expected"), CASES.values(), ids=CASES)
def test_each_finding_has_its_line_and_code(data, expected, tmp_path):
    assert places(found(data, tmp_path)) == expected


def test_a_last_line_of_five_columns_and_a_blank_is_seen_by_the_fast_reader_too(tmp_path, monkeypatch):
    monkeypatch.setattr("fairtrec.commands.validate.entries.LARGE", 1)
    assert places(found(GOOD + b"q2 Q0 d2 2 1 ", tmp_path)) == [(5, "E201"), (5, "W113")]
    monkeypatch.setattr("fairtrec.support.files.opening.BLOCK", 16)
    with pytest.raises(InputError, match=":5: 5 columns instead of 6"):
        run_format.read(tmp_path / "a.run")


def test_every_code_of_a_trec_run_can_be_found(tmp_path):
    known = [
        Known(qids=("q1", "q3"), depth=2),
        Known(qids=("z",)),
        Known(qrels=memory.qrels({"q1": {"other": 1}})),
    ]
    seen = {name for data, expected in CASES.values() for _, name in expected}
    seen |= {name for each in known for _, name in places(found(GOOD, tmp_path, each))}
    assert set(CODES) - seen == {
        "E101",
        "E106",
        "E107",
        "E205",
        "E403",
        "E801",
        "W115",
        "W613",
        "W712",
        "W713",
    }  # which have tests of their own


def test_messages_say_what_is_meant(tmp_path):
    said = [
        finding.message for finding in sorted(found(GOOD + b"q1 Q0 d2 4 0.5 t\n", tmp_path).found.kept, key=place_of)
    ]
    assert said[0] == "document d2 appears again under query q1, with another score (first on line 2); keep one"
    assert said[1] == "query q1 continues here, after line 3; keep its lines together"
    columns = {
        b"q1 d1 1 3": "it looks like qid docno rank score",
        b"q1 d1 1 3 t": "is the second, Q0, missing?",
        b"q1 Q0 d1 1 3": "is the tag missing?",
        b"q1 Q0 d 1 1 3 tag": "is there a blank in a docno or in the tag?",
        b"q1,Q0,d1,1,3,t": "its columns are separated by commas",
        b"q1 Q0 d1 1 3 t\rq1 Q0 d2 2 2 t\r": "its lines end in CR only",
    }
    for line, guessed in columns.items():
        assert guessed in min(found(line + b"\n", tmp_path).found.kept, key=place_of).message


def test_what_is_cut_off_or_damaged_is_checked_as_far_as_it_goes(tmp_path):
    many = b"".join(b"q1 Q0 d%d %d %d t\n" % (i * 7919, i, -i) for i in range(1, 20_000))
    whole = gzip.compress(many.replace(b" -50 t", b" fifty t"))
    checked = found(whole[: len(whole) // 2], tmp_path)
    lines = {finding.code.name: finding.line for finding in sorted(checked.found.kept, key=place_of)}
    assert lines["E301"] == 50
    assert 1000 < lines["E101"] < 20_000
    assert any(
        "the compressed data is cut off" in finding.message for finding in sorted(checked.found.kept, key=place_of)
    )


def test_a_file_that_is_not_there_is_a_finding(tmp_path):
    checked = examine(tmp_path / "no.run")
    assert places(checked) == [(None, "E101")]
    assert min(checked.found.kept, key=place_of).message == "there is no such file; check the name"


def test_ids_that_do_not_fit_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("fairtrec.formats.columns.MOST_BYTES", 7)
    assert places(found(GOOD, tmp_path)) == [(None, "E106")]


def test_the_first_of_each_code_are_kept_and_all_are_counted(tmp_path):
    data = lines(*["q1 d1"] * 1000, *(f"q Q0 d{i} {i} x t" for i in range(1, 31)))
    checked = found(data, tmp_path, most=20)
    assert checked.found.many == {"E201": 1000, "E301": 30}
    assert checked.found.hidden == {"E201": 980, "E301": 10}
    assert len(checked.found.kept) == 40


def test_a_run_without_judged_documents_names_two_ids(tmp_path, fairtrec_command):
    (tmp_path / "q").write_text("1 0 d1 1\n1 0 d2 0\n1 0 d1 1\n# of today\n")
    (tmp_path / "r").write_text("".join(f"1 Q0 {d} {n} {9 - n} t\n" for n, d in enumerate(["x", "d1-0", "d2-1"], 1)))
    done = fairtrec_command("validate", tmp_path / "r", "--qrels", tmp_path / "q")
    assert done.out.splitlines()[0].endswith(
        'W505 none of 3 documents is judged; the run has d1-0, the qrels d1: cut "-0"?'
    )
    assert done.err.splitlines() == [
        "# q: 1 line is a comment",
        "# 1 judgment is repeated with the same grade (first: line 3)",
    ]
    (tmp_path / "q").write_text("1 0 d1-0 -1\n2 0 z 1\n")
    assert "W505" not in fairtrec_command("validate", tmp_path / "r", "--qrels", tmp_path / "q").out


@pytest.mark.parametrize("tag", ['"my fine run"', "my fine run", "'my  fine run'"])
def test_a_tag_with_blanks_is_joined(tmp_path, fairtrec_command, tag):
    run, fixed = tmp_path / "r.run", tmp_path / "x.run"
    run.write_text(f"# of today\n1 Q0 a 1 1.0 {tag}\n1 Q0 b 2 0.5 {tag}\n")
    said = "r.run:2: the tag " + '"' + tag.strip("\"'") + '" has blanks; fairtrec validate --fix joins them by _'
    with pytest.raises(InputError) as fault:
        run_format.read(run)
    assert str(fault.value).endswith(said)
    done = fairtrec_command("validate", run)
    assert "E205 the tag my_fine_run has blanks in 2 lines; join it by _" in done.out
    assert fairtrec_command("validate", run, "--fix", fixed).code == 0
    assert fixed.read_text() == "1 Q0 a 1 1.0 my_fine_run\n1 Q0 b 2 0.5 my_fine_run\n"


def test_other_lines_of_many_columns_are_not_joined(tmp_path):
    for text in (
        "1 Q0 a 1 1.0 my run\n1 Q0 b 2 0.5 his run\n",
        "1 Q0 a b 1 1.0 t\n",
        "1 Q0 a 1 1.0 t\n1 Q0 b 2 1 t u\n",
    ):
        checked = found(text.encode(), tmp_path)
        assert next(each.code.name for each in checked.found.kept if each.code.name[:2] == "E2") == "E201"
        with pytest.raises(InputError, match="7 columns instead of 6"):
            run_format.read(tmp_path / "a.run")


def test_rankings_that_begin_with_the_query_itself(tmp_path):
    own = "q1 Q0 d1 2 8 t\nq1 Q0 q1 1 9 t\nq2 Q0 d1 1 9 t\nq2 Q0 q2 2 9 t\nq3 Q0 q3 1 1 t\nq3 Q0 d1 2 2 t\n"
    checked = found(own.encode(), tmp_path)
    (each,) = [each for each in checked.found.kept if each.code.name == "W613"]
    what = "the first document of 2 of 3 rankings is the query itself (first: q1); eval --only others leaves it out"
    assert (each.line, each.message) == (2, what)
    assert not any(each.code.name == "W613" for each in found(GOOD, tmp_path).found.kept)


def test_wanted_queries(tmp_path):
    checked = found(GOOD, tmp_path, Known(qids=("q1", "q3", "q4")))
    assert [(f.line, f.code.name) for f in sorted(checked.found.kept, key=place_of)] == [(None, "W502"), (4, "W503")]
    assert min(checked.found.kept, key=place_of).message == "2 of 3 queries have no document: q3, q4"
    none = sorted(found(GOOD, tmp_path, Known(qids=("1", "2"))).found.kept, key=place_of)
    assert [finding.code.name for finding in none] == ["E504"]
    assert "without the prefix 'q', 2 of 2 would be known" in none[0].message


def test_queries_that_are_not_judged_are_no_fault_of_a_run(tmp_path, fairtrec_command):
    assert [f.code.name for f in found(GOOD, tmp_path, Known(qids=("q1",), judged=True)).found.kept] == []
    none = sorted(found(GOOD, tmp_path, Known(qids=("1", "2"), judged=True)).found.kept, key=place_of)
    assert [finding.code.name for finding in none] == ["E504"]
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text(f"q1 Q0 d1 1 2 {name}\nq2 Q0 d1 1 2 {name}\n{name} Q0 d1 1 2 {name}\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    runs = tmp_path / "a.run", tmp_path / "b.run"
    done = fairtrec_command("validate", *runs, "--qrels", tmp_path / "qrels.txt", "--fail-on", "warning")
    assert (done.code, done.err) == (0, "")
    assert f"{tmp_path}/a.run:2: W503 2 of 3 queries are not judged: q2, a\n" in done.out
    assert f"{tmp_path}/b.run:2: W503 2 of 3 queries are not judged: q2, b\n" in done.out
    assert done.out.count(": clean; ") == 2


def test_depth(tmp_path):
    assert places(found(GOOD, tmp_path, Known(depth=2))) == [(3, "E701"), (4, "W702")]
    tied = GOOD.replace(b" 1 t", b" 2 t")
    assert places(found(tied, tmp_path, Known(depth=2))) == [(2, "W611"), (2, "W612"), (3, "E701"), (4, "W702")]


@pytest.mark.parametrize(
    ("unknown", "known", "said"),
    [
        (["q1", "q2"], ["1", "2"], "without the prefix 'q'"),
        (["1", "2"], ["dl19-1", "dl19-2"], "with the prefix 'dl19-'"),
        (["dl19-1037798"], ["1037798"], "without the prefix 'dl19-'"),
        (["001", "010"], ["1", "10"], "without zeros in front"),
        (["1", "10"], ["001", "010"], "zeros to 3 digits"),
        (["7.txt"], ["7"], "without the suffix '.txt'"),
        (["a1"], ["b1"], "without the prefix 'a' and with the prefix 'b'"),
        (["ABC"], ["abc"], "in lower case"),
        (["x", "y"], ["z"], ""),
        ([], ["z"], ""),
    ],
)
def test_guesses_at_why_ids_are_unknown(unknown, known, said):
    hint = guess(unknown, set(known), known[0])
    assert hint == (f"; {said}, {len(unknown)} of {len(unknown)} would be known" if said else "")


# the command


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.run").write_bytes(GOOD)
    (tmp_path / "untidy.run").write_bytes(b"\xef\xbb\xbf" + GOOD.replace(b"d2 2 2", b"d2  7 9").replace(b"\n", b"\r\n"))
    (tmp_path / "bad.run").write_bytes(GOOD.replace(b"2.5", b"high"))
    return tmp_path


def test_exit_codes(desk, fairtrec_command):
    good = fairtrec_command("validate", "good.run")
    assert (good.code, good.out) == (0, "good.run: clean; 4 lines, 2 queries, 3 documents, 1 to 3 deep, median 2\n")
    assert fairtrec_command("validate", "untidy.run").code == 0
    assert fairtrec_command("validate", "untidy.run", "--fail-on", "warning").code == 3
    bad = fairtrec_command("validate", "bad.run", "good.run")
    assert bad.code == 3
    assert bad.complaints == ["1 of 2 runs with errors; see above"]
    assert "bad.run:4: E301 the score 'high' is not a number; write it as 0.5 or 5e-1\n" in bad.out
    assert fairtrec_command("validate").code == 2


@pytest.mark.parametrize("option", ["--docs", "--docnos"])
def test_unknown_documents(desk, fairtrec_command, option):
    (desk / "known").write_text("d1\tx\nd2\ty\n" if option == "--docs" else "d1\nd2\n", "utf-8")
    outcome = fairtrec_command("validate", "good.run", option, "known")
    assert outcome.code == 3
    assert "good.run:3: E403 document d3 is not in the collection\n" in outcome.out
    (desk / "known").write_text("".join(f"M{i}\tx\n" for i in range(9)), "utf-8")
    guessed = fairtrec_command("validate", "good.run", option, "known").out
    assert "without the prefix 'd' and with the prefix 'M', 4 of 4 would be known" in guessed


def test_documents_as_json_lines(desk, fairtrec_command):
    (desk / "docs").write_text("".join(f'{{"id": "d{i}", "text": ""}}\n' for i in range(9)), "utf-8")
    assert fairtrec_command("validate", "good.run", "--docs", "docs").code == 0
    for text, said in (('{"id": 1', "docs:1: this line is not JSON"), ("{}", "docs:1: this line has no docno")):
        (desk / "docs").write_text(text, "utf-8")
        bad = fairtrec_command("validate", "good.run", "--docs", "docs")
        assert (bad.code, bad.complaints[-1][: len(said)]) == (3, said)


def test_json(desk, fairtrec_command):
    document = json.loads(fairtrec_command("validate", "good.run", "bad.run", "-f", "json").out)
    assert [(run["run"], run["errors"], run["warnings"]) for run in document["runs"]] == [
        ("good.run", 0, 0),
        ("bad.run", 1, 1),  # with the tag of the other
    ]
    assert document["runs"][0]["depth"] == [1, 2.0, 3]
    same, finding = document["runs"][1]["findings"]
    assert (same["line"], same["code"]) == (None, "W712")
    assert (finding["line"], finding["code"], finding["name"], finding["severity"]) == (4, "E301", "score", "error")


def test_annotations_of_a_workflow(desk, fairtrec_command):
    (desk / "a,b.run").write_bytes(GOOD.replace(b"2.5", b"100%"))
    said = fairtrec_command("validate", "a,b.run", "-f", "github").out.splitlines()[0]
    assert said.startswith("::error file=a%2Cb.run,line=4,title=E301 score::the score '100%25' is not")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fix", "good.run"], "good.run is one of the files that are read"),
        (["--fix", "good.run", "--force"], "good.run is one of the files that are read"),
        (["--fix", "bad.run", "--force", "--queries", "bad.run"], "bad.run is one of the files that are read"),
        (["untidy.run", "--fix", "bad.run"], "bad.run is a file, and several runs need a folder"),
        (["./good.run", "--fix", "out"], "good.run and ./good.run would both be written to out/good.run"),
        (["--fix", "new.run.gz"], "a repaired run is written as plain text; leave out .gz"),
        (["--fix", "no/new.run"], "the folder of no/new.run is not there"),
        (["-", "--fix", "out"], "--fix reads a run twice"),
        (["--force"], "--force is for a folder of --fix"),
        (["--qrels", "a", "--queries", "b"], "--qrels and --queries do the same"),
        (["--docs", "a", "--docnos", "b"], "--docs and --docnos do the same"),
        (["--truth", "a"], "--truth does not go with --track trec"),
        (
            ["--track", "trec-fair-2019"],
            "--track trec-fair-2019 needs a file of sequences; add --sequences FILE",
        ),
        (["--track", "trec-fair-2019", "--sequences", "a", "--truth", "b", "--due", 3], "--due does not go with"),
        (["-", "--docnos", "bad.run"], "runs are read twice to check their documents"),
    ],
)
def test_wrong_usage(desk, fairtrec_command, arguments, said):
    before = sorted(desk.iterdir())
    outcome = fairtrec_command("validate", "good.run", *arguments)
    assert outcome.code == 2
    assert said in outcome.complaints[-1]
    assert sorted(desk.iterdir()) == before


def test_a_log_of_positions_is_checked_by_them(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text("view;offer;slot\nv1;x;1\nv1;y;2\nv2;x;1\nv2;z;4\n")
    given = ["log.csv", "--columns", "qid=view,docno=offer,rank=slot"]
    done = fairtrec_command("validate", *given)
    assert (done.code, done.out.startswith("log.csv:5: W603 rank 4 follows 1 in query v2")) == (0, True), done.out
    assert fairtrec_command("validate", *given, "--fix", "fixed.run").code == 0
    assert (tmp_path / "fixed.run").read_text().splitlines()[:2] == ["v1 Q0 x 1 -1.0 log.csv", "v1 Q0 y 2 -2.0 log.csv"]
    (tmp_path / "log.csv").write_text("view;offer;slot\nv1;x;1\nv1;y;two\n")
    done = fairtrec_command("validate", *given)
    assert (done.code, "log.csv:3: E101 the slot 'two' is not a finite number" in done.out) == (3, True), done.out


def test_runs_of_the_fair_ranking_track(desk, fairtrec_command):
    (desk / "truth").write_text(
        '{"qid": 1, "documents": [{"doc_id": "a", "relevance": 1}, {"doc_id": "b", "relevance": 0}]}\n'
    )
    (desk / "seq").write_text("0.0,1\n0.1,1\n")
    (desk / "x.jsonl").write_text('{"q_num": "0.0", "qid": 1, "ranking": ["a", "c"]}\n')
    (desk / "y.jsonl").write_text('{"q_num": "0.0"\n')
    track = ["--track", "trec-fair-2019", "--sequences", "seq", "--truth", "truth"]
    outcome = fairtrec_command("validate", "x.jsonl", "y.jsonl", *track)
    assert outcome.code == 3
    assert outcome.out.splitlines() == [
        "x.jsonl: E801 no ranking for q_num 0.1; rank the documents of each request",
        "x.jsonl:1: E801 the ranking of q_num 0.0 lacks b; rank each document of query 1 once",
        "x.jsonl:1: E801 the ranking of q_num 0.0 has c, which the ground truth has not; rank each document of query 1 once",
        "x.jsonl: 3 errors, 0 warnings; 1 line",
        y_line := outcome.out.splitlines()[4],
        "y.jsonl: 1 error, 0 warnings; 0 lines",
        "clean         0",
        "warnings      0",
        "repairable    0",
        "broken        2  x.jsonl, y.jsonl",
    ]
    assert y_line.startswith("y.jsonl:1: E801 this line is not JSON")


# the repair


def test_what_is_certain_is_repaired(desk, fairtrec_command):
    outcome = fairtrec_command("validate", "untidy.run", "--fix", "new.run", "--fail-on", "warning")
    assert outcome.code == 0
    assert (desk / "new.run").read_bytes() == lines(
        "q1 Q0 d2 1 9 t", "q1 Q0 d1 2 3 t", "q1 Q0 d3 3 1 t", "q2 Q0 d1 1 2.5 t"
    )
    assert "new.run: W112 line-ends (1): lines end in LF\n" in outcome.out
    assert "untidy.run:" not in outcome.out.replace("untidy.run: 0 errors", "")
    assert fairtrec_command("validate", "new.run", "--fail-on", "warning").code == 0


def test_what_is_not_certain_is_left_alone(desk, fairtrec_command):
    outcome = fairtrec_command("validate", "bad.run", "--fix", "new.run")
    assert outcome.code == 3
    assert "new.run: not written; what E301 found has no certain repair\n" in outcome.out
    assert not (desk / "new.run").exists()


def test_several_runs_go_to_a_folder(desk, fairtrec_command):
    (desk / "packed.run.gz").write_bytes(gzip.compress(GOOD))
    outcome = fairtrec_command("validate", "*.run", "packed.run.gz", "--fix", "out")
    assert outcome.code == 3  # of bad.run
    assert sorted(path.name for path in (desk / "out").iterdir()) == ["good.run", "packed.run", "untidy.run"]
    assert (desk / "out" / "packed.run").read_bytes() == GOOD
    assert fairtrec_command("validate", "good.run", "--fix", "out").code == 2
    assert fairtrec_command("validate", "good.run", "--fix", "out", "--force").code == 0


ENTRY = st.tuples(
    st.sampled_from(["q1", "q2", "ü"]),
    st.sampled_from(["d1", "d10", "d2", "D", "é", "a-docno-of-more-than-8-bytes"]),
    st.sampled_from(["0", "1", "2", "3", "x"]),
    st.sampled_from(["1", "1.0", "2", "-3e-2", "0", "-0.0", "1e308"]),
    st.sampled_from([" ", "\t", "  ", " \t"]),
)


@given(
    st.lists(ENTRY, min_size=1, max_size=14, unique_by=lambda entry: entry[:2]),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.booleans(),
    st.booleans(),
)
@QUICK
def test_a_repaired_run_has_no_such_findings_and_is_evaluated_alike(tmp_path, entries, end, marked, ended):
    text = end.join(gap.join((qid, "Q0", docno, rank, score, "t")) for qid, docno, rank, score, gap in entries)
    path, fixed = tmp_path / "a.run", tmp_path / "b.run"
    path.write_bytes(b"\xef\xbb\xbf" * marked + text.encode() + end.encode() * ended)
    checked = examine(path)
    write(checked, fixed)
    again = examine(fixed)
    assert not [name for name in again.found.many if CODES[name].repair]
    assert set(again.found.many) <= set(checked.found.many)
    before, after = run_format.read(path), run_format.read(fixed)
    for name in ("qids", "tag"):
        assert getattr(before, name) == getattr(after, name)
    for name in ("starts", "docnos", "scores"):
        assert getattr(before, name).tolist() == getattr(after, name).tolist()
    assert run_format.read(fixed, "rank").docnos.tolist() == after.docnos.tolist()


def test_the_values_of_eval_stay(fairtrec_command, example, tmp_path):
    rows = (example / "bm25.run").read_bytes().splitlines()
    path, fixed = tmp_path / "a.run", tmp_path / "b.run"
    path.write_bytes(b"\r\n".join(row.replace(b" Q0 ", b"\tQ0\t") for row in rows[::-1]))
    assert fairtrec_command("validate", path, "--fix", fixed).code == 0
    values = [
        re.sub(
            r".*\t(runid|num_q).*",
            "",
            fairtrec_command("eval", example / "qrels.txt", each, "-q", "-m", "nDCG@10 AP").out,
        )
        for each in (path, fixed)
    ]
    assert sorted(values[0].splitlines()) == sorted(values[1].splitlines())
    assert "nDCG@10" in values[0]


# the pages and the data beside the repository


def test_codes_keep_the_form_that_documents_promise(fairtrec_command):
    assert all(re.fullmatch(r"[EW][1-9]\d\d", name) for name in CODES)
    digits = [name[1:] for name in CODES]
    assert len(set(digits)) == len(digits)
    assert digits == sorted(digits, key=lambda each: each[0])
    assert len({code.title for code in CODES.values()}) == len(CODES)
    assert fairtrec_command("validate", "--codes").out == table()
    assert table() in (REPOSITORY / "docs" / "validate.md").read_text("utf-8")


@pytest.mark.long
def test_the_four_column_file_is_found(shared, fairtrec_command):
    folder = shared / "data" / "rankllm-dl19"
    runs = sorted(folder.glob("*.run"))
    assert len(runs) == 44
    runs = [run for at, run in enumerate(runs) if THOROUGH or at % 4 == 0 or run.name.startswith("REP_LLAMA__trec")]
    outcome = fairtrec_command("validate", *runs, "--qrels", folder.parent / "qrels" / "qrels.dl19-passage.txt")
    assert outcome.code == 3
    assert outcome.complaints == [f"1 of {len(runs)} runs with errors; see above"]
    errors = [line for line in outcome.out.splitlines() if " E201 " in line]
    assert len(errors) == 1
    said = (
        "REP_LLAMA__trec_results_dl19.9d3bb4.run:1: E201 this looks like qid docno rank score in each of 43,000 lines; "
    )
    assert said in errors[0]
    outcome = fairtrec_command("validate", *runs, "--run-format", "4-columns")
    assert outcome.code == 0


def test_a_pipe_or_a_device_is_not_replaced_by_a_file(desk, fairtrec_command):
    os.mkfifo(desk / "pipe")
    outcome = fairtrec_command("validate", "untidy.run", "--fix", "pipe", "--force")
    assert (outcome.code, outcome.complaints[-1][:26]) == (2, "pipe is not a regular file")
    assert (desk / "pipe").is_fifo()


def test_a_list_of_runs_is_not_replaced(desk, fairtrec_command):
    (desk / "list").write_text("untidy.run\n")
    outcome = fairtrec_command("validate", "@list", "--fix", "list", "--force")
    assert (outcome.code, (desk / "list").read_text()) == (2, "untidy.run\n")


def test_names_and_ids_steer_no_terminal_and_no_workflow(desk, fairtrec_command):
    name = "a\n::error::b\x1b[2J\u202e.run"
    (desk / name).write_bytes(GOOD + b"q2 Q0 d1\x1b[2J 2 1 t\n" * 2)
    for form in ("text", "github"):
        out = fairtrec_command("validate", name, "-f", form).out
        assert not re.search("[\x00-\x09\x0b-\x1f\u202e]|^::error::", out, re.MULTILINE), form
    assert json.loads(fairtrec_command("validate", name, "-f", "json").out)["runs"][0]["run"] == name


def test_json_of_a_name_that_is_no_unicode(desk, fairtrec_command):
    name = os.fsdecode(b"\xff.run")
    (desk / name).write_bytes(GOOD)
    out = fairtrec_command("validate", name, "-f", "json").out
    assert json.loads(out.encode())["runs"][0]["run"] == name


def test_each_return_to_a_query_names_the_line_where_it_was_left(tmp_path):
    checked = found(lines(*(f"{qid} Q0 d{n} {n} {9 - n} t" for n, qid in enumerate("abacbba"))), tmp_path)
    left = [(each.line, each.message.split()[1], each.message.split(" line ")[1][0]) for each in checked.found.kept
            if each.code.name == "W501"]  # fmt: skip
    assert left == [(3, "a", "1"), (5, "b", "2"), (7, "a", "3")]


def test_two_runs_of_one_file_name_are_both_named(copied, fairtrec_command):
    for folder in ("one", "two"):
        Path(folder).mkdir()
        shutil.copy("bm25.run", f"{folder}/bm25.run")
    shutil.copy("neural.run", "one/other.run")
    done = fairtrec_command("validate", "one/", "two/", "--fix", "out")
    assert done.code == 2
    assert done.err == "one/bm25.run and two/bm25.run would both be written to out/bm25.run; repair them one by one\n"


def test_a_name_with_a_slash_behind_is_that_of_a_folder(copied, fairtrec_command):
    done = fairtrec_command("validate", "bm25.run", "--fix", "out3/")
    assert done.code == 0, done.err
    assert Path("out3/bm25.run").is_file()
    Path("file").write_text("mine")
    done = fairtrec_command("validate", "bm25.run", "--fix", "file/")
    assert (done.code, Path("file").read_text()) == (2, "mine")
    assert fairtrec_command("validate", "bm25.run", "--fix", "plain.run").code == 0
    assert Path("plain.run").is_file()


def codes_of(validation):
    (checked,) = validation
    return {finding.code.name: finding.line for finding in checked.found.kept}


def test_runs_in_memory_are_checked_as_their_files_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = {"1": {"a": 1.0, "b": 1.0}, "2": {"c": 1.0}}
    qrels = {"1": {"a": 1}, "3": {"a": 1}}
    Path("s").write_text("1 Q0 b 1 1 s\n1 Q0 a 2 1 s\n2 Q0 c 1 1 s\n")
    assert codes_of(fairtrec.validate({"s": run}, qrels=qrels)) == codes_of(fairtrec.validate("s", qrels=qrels))
    assert codes_of(fairtrec.validate(run, qrels=qrels)) == {"W502": None, "W611": 1}
    arrays = fairtrec.Run.from_arrays(["1", "2"], ["a", "b"], np.array([[2.0, 1.0], [1.0, -np.inf]]))
    assert codes_of(fairtrec.validate({"s": arrays}, due=2)) == {"W702": 3}
    (checked,) = fairtrec.validate({"s": {"1": {"a": 1.0}, "2": {}}})
    assert str(checked.found.kept[0].message).startswith("1 of 2 queries has no document (2)")


def test_frames_are_checked_row_by_row():
    columns = {
        "qid": ["1", "1", "2", "1"],
        "docno": ["a", "a", "b", "c"],
        "score": [1.0, 1, 2, 3],
        "rank": [1, 2, 1, 3],
    }
    found = codes_of(fairtrec.validate({"s": pd.DataFrame(columns)}))
    assert found == {"E401": 2, "W501": 4, "W601": 4}
    named = fairtrec.validate({"s": pd.DataFrame(columns), "t": {"1": {"a": float("nan")}}, "u": "s.run"})
    assert named.paths == ("s", "t", "s.run")
    fault = [*named][1].found.kept[0]
    assert (fault.code.name, fault.line) == ("E101", None)
    assert fault.message == "the score of document a under query 1 of the run t is nan; leave it out or correct it"
    (broken,) = fairtrec.validate(3)
    assert broken.found.kept[0].message.startswith("cannot read 3 as run; pass a path")


def test_the_documents_of_a_run_in_memory_are_looked_up(copied):
    run = {"101": {"p002": 2.0, "nowhere": 1.0}}
    assert codes_of(fairtrec.validate({"s": run}, docs="collection.tsv")) == {"E403": 2}


def test_findings_come_one_run_after_the_other_and_are_rows(copied):
    (copied / "bad.run").write_text("q1 Q0 d1 1 nan t\n")
    validation = fairtrec.validate(["bad.run", "bm25.run"])
    assert [checked.path for checked in validation] == ["bad.run", "bm25.run"] == [each.path for each in validation]
    assert (validation.to_frame()["severity"] == "error").any()
    assert validation.flat()["bad_errors"] >= 1


def test_a_comment_whose_lines_end_in_cr_only_is_told(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(b"# made by us\rq1 Q0 d1 1 2 t\r")
    assert "E201" in examine(path).found.many


def test_a_query_that_would_become_a_comment_is_not_written(tmp_path, fairtrec_command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("qid,docno,score\n#1,d1,2\n2,d1,2\n")
    done = fairtrec_command("validate", "a.csv", "--fix", "b.run")
    assert (done.code, (tmp_path / "b.run").exists()) == (3, False)
    assert "a.csv: query #1 would be a comment in a TREC run; rename it" in done.err
