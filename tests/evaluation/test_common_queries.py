"""``--queries common``: the queries that every run has, so that means and marks are over the same ones."""

import json

import pytest

import fairtrec
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import unwrapped
from fairtrec_made.command_trials import gather_trials

ASKED = "-m", "nDCG@10 RR"


@pytest.fixture
def desk(copied):
    """Three runs of the example, of which one lacks two queries and another one."""
    every = sorted({line.split()[0] for line in (copied / "bm25.run").read_text().splitlines()})
    for name, lacks in (("neural", every[:2]), ("fair", every[2:3])):
        lines = (copied / f"{name}.run").read_text().splitlines()
        (copied / f"{name}.run").write_text("".join(f"{line}\n" for line in lines if line.split()[0] not in lacks))
    (copied / "nine.txt").write_text("".join(f"{qid}\n" for qid in every[3:]))
    return copied


RUNS = "bm25.run", "neural.run", "fair.run"


def test_values_are_those_of_a_file_of_these_queries_and_the_signature_has_their_digest(desk):
    result = fairtrec.evaluate("nDCG@10 RR", list(RUNS), qrels="qrels.txt", queries="common")
    named = fairtrec.evaluate("nDCG@10 RR", list(RUNS), qrels="qrels.txt", queries="nine.txt")
    assert result.per_query == named.per_query
    assert result.signature["queries"].startswith("common@")
    assert result.signature["queries"] != named.signature["queries"]
    two = fairtrec.evaluate("nDCG@10 RR", list(RUNS[::2]), qrels="qrels.txt", queries="common")
    assert len(two.scores[0].qids) == 11
    assert two.signature["queries"] != result.signature["queries"]


@pytest.mark.parametrize(
    ("command", "more"),
    gather_trials("COMMON_QUERIES", [("eval", (*ASKED, "--sort", "RR", "-f", "json"))]),
)
def test_every_command_goes_by_the_same_queries(desk, fairtrec_command, command, more):
    done = fairtrec_command(*command.split(), "qrels.txt", *RUNS, *more, "--queries", "common")
    named = fairtrec_command(*command.split(), "qrels.txt", *RUNS, *more, "--queries", "nine.txt")
    assert (done.code, named.code) == (0, 0), done.err
    assert "queries:common@" in done.out + done.err or '"queries": "common@' in done.out
    assert "the 12 queries" not in done.out + done.err
    one, two = (json.loads(each.out) for each in (done, named))
    for part in ("runs", "rows", "verdicts", "variants"):
        assert one.get(part) == two.get(part)


def test_the_baseline_of_check_counts_among_the_runs(desk, fairtrec_command):
    check = "check", "qrels.txt", "bm25.run", "--baseline", "neural.run", "--require", "RR >= baseline - 1"
    done = fairtrec_command(*check, "--queries", "common")
    assert (done.code, "compared over" in done.out + done.err) == (0, False)
    assert "compared over" in (other := fairtrec_command(*check)).out + other.err


def test_a_file_called_common_is_read_by_its_path_alone_and_is_no_input(desk, fairtrec_command):
    (desk / "common").write_text("1001\n")
    assert fairtrec_command("eval", "qrels.txt", *RUNS, *ASKED, "--queries", "./common").code in (0, 3)
    done = fairtrec_command("eval", "qrels.txt", *RUNS, *ASKED, "--queries", "common", "-f", "json")
    assert "queries" not in json.loads(done.out)["inputs"]
    (desk / "out.json").write_text(done.out)
    again = fairtrec_command("results", "replay", "out.json")
    assert again.code == 0, again.err


def test_what_has_no_common_queries_is_told_in_one_line(desk, fairtrec_command):
    (desk / "other.run").write_text("1 Q0 a 1 1 t\n")
    (desk / "else.run").write_text("2 Q0 a 1 1 t\n")
    (desk / "both.qrels").write_text("1 0 a 1\n2 0 a 1\n")
    done = fairtrec_command("eval", "both.qrels", "other.run", "else.run", "-m", "NumRet", "--queries", "common")
    assert (done.code, done.complaints) == (3, ["no query is common to all runs; leave out --queries common"])
    judged = {"1": {"d": 1}, "2": {"d": 1}}
    with pytest.raises(UsageError, match="can be read once"):
        fairtrec.evaluate("NumRet", ["-"], qrels=judged, queries="common")
    with pytest.raises(InputError, match="no query is common"):
        fairtrec.evaluate("NumRet", {"a": {"1": {"d": 1.0}}, "b": {"2": {"d": 1.0}}}, qrels=judged, queries="common")


def test_a_broken_run_takes_no_query_from_the_others(desk, fairtrec_command):
    (desk / "broken.run").write_text("1 Q0 a\n")
    (desk / "strange.run").write_text("x1 Q0 a 1 1 t\n")
    asked = "eval", "qrels.txt", *RUNS, "broken.run", "strange.run", *ASKED, "--queries", "common", "-f", "csv"
    done = fairtrec_command(*asked, "--keep-going")
    alone = fairtrec_command("eval", "qrels.txt", *RUNS, *ASKED, "--queries", "common", "-f", "csv")
    assert (done.code, done.out) == (3, alone.out)


def test_the_remark_about_other_queries_names_the_way_out(desk, fairtrec_command):
    done = fairtrec_command("eval", "qrels.txt", *RUNS, *ASKED, "-f", "table")
    assert "--queries common evaluates those that every run has" in unwrapped(done.out)
