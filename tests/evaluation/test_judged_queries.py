"""--queries judged: the queries of the qrels, in every command that has both, and the note that asks for it."""

import json
import shlex

import pytest

import fairtrec
from fairtrec.support.errors import UsageError
from fairtrec_made.command_trials import gather_trials

RUN = {f"q{number}": {"a": 3.0, "b": 2.0, "c": 1.0} for number in range(9)}
QRELS = {"q1": {"a": 1}, "q2": {"c": 0}, "other": {"a": 1}}
LABELS = {"a": "f", "b": "m", "c": "f"}
TWO = "nDCG@2 AWRF@2"
INPUTS = "--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"


def test_they_are_those_with_a_line_whatever_its_grade():
    result = fairtrec.evaluate(TWO, RUN, qrels=QRELS, labels=LABELS, queries="judged")
    assert result.scores[0].qids == ("q1", "q2")
    assert result.signature["queries"] == "judged"
    listed = fairtrec.evaluate(TWO, RUN, qrels=QRELS, labels=LABELS, queries=["q1", "q2"])
    assert listed.scores[0].values.tobytes() == result.scores[0].values.tobytes()


def test_a_run_that_lacks_some_has_them_empty_with_complete():
    result = fairtrec.evaluate(TWO, RUN, qrels=QRELS, labels=LABELS, queries="judged", complete=True)
    assert result.scores[0].qids == ("other", "q1", "q2")


@pytest.mark.parametrize("qrels", [None, "none"])
def test_they_need_qrels(qrels):
    with pytest.raises(UsageError, match="queries=judged needs QRELS"):
        fairtrec.evaluate("AWRF@2", RUN, qrels=qrels, labels=LABELS, queries="judged")


def test_the_note_is_on_the_measures_that_cover_unjudged_queries():
    text = str(fairtrec.evaluate("nDCG@2 RR AWRF@2 NDKL@2", RUN, qrels=QRELS, labels=LABELS))
    said = "7 of 9 queries are not judged; queries=judged takes the same queries for all measures"
    assert f"AWRF@2, NDKL@2: {said}" in text
    assert "undefined: " not in text
    assert "not judged" not in str(fairtrec.evaluate("AWRF@2 NDKL@2", RUN, qrels=QRELS, labels=LABELS))
    assert "queries=judged" not in str(fairtrec.evaluate(TWO, RUN, qrels=QRELS, labels=LABELS, queries="judged"))


def test_other_undefined_queries_are_noted_as_before():
    qrels = {qid: {"a": 1} for qid in RUN}
    labels = {"a": "f", "b": "m", "c": "f", "d": "-"}
    run = RUN | {"q0": {"d": 1.0}}
    assert "undefined: AWRF@2 in 1 of 9 queries" in str(fairtrec.evaluate(TWO, run, qrels=qrels, labels=labels))


JUDGED = gather_trials("JUDGED_QUERIES", {"eval": "eval qrels.txt bm25.run -m 'nDCG@5 NFaiRR@5'"})
NEEDS = {"headroom": "nDCG@5 needs relevance judgments"}  # which it says first


@pytest.mark.parametrize("name", JUDGED)
def test_every_command_takes_the_word(name, copied, fairtrec_command):
    few = (copied / "qrels.txt").read_text().splitlines(keepends=True)
    first = {line.split()[0] for line in few[:1]} | {few[-1].split()[0]}
    (copied / "qrels.txt").write_text("".join(line for line in few if line.split()[0] in first))
    command = [*shlex.split(JUDGED[name]), *INPUTS, "--queries", "judged"]
    done = fairtrec_command(*command, "-f", "json")
    assert done.code == 0, done.err
    assert "queries:judged" in json.loads(done.out)["signature"]
    alone = fairtrec_command(*["none" if word == "qrels.txt" else word for word in command])
    assert alone.code == 2
    assert NEEDS.get(name, "--queries judged needs QRELS") in alone.err


def test_a_file_of_that_name_is_named_with_a_dot(copied, fairtrec_command):
    (copied / "judged").write_text((copied / "qrels.txt").read_text().split()[0] + "\n")
    done = fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "nDCG@5", "--queries", "./judged", "-f", "json")
    assert json.loads(done.out)["runs"][0]["queries"] == 1
    done = fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "nDCG@5", "--queries", "judged", "-f", "json")
    assert json.loads(done.out)["runs"][0]["queries"] > 1


def test_results_are_replayed_with_it(copied, fairtrec_command):
    asked = ("eval", "qrels.txt", "bm25.run", "-m", "nDCG@5 NFaiRR@5", *INPUTS, "--queries", "judged")
    assert fairtrec_command(*asked, "-q", "-f", "json", "-o", "a.json").code == 0
    assert fairtrec_command("results", "replay", "a.json", "--exact").code == 0


def test_no_run_is_marked_whose_means_are_over_different_queries():
    worse = {qid: {"b": 3.0, "x": 2.0} for qid in RUN}
    labels = LABELS | {"x": "m"}
    from fairtrec.report.cells import compare_means

    marked = [
        compare_means(
            fairtrec.evaluate(TWO, {"good": RUN, "bad": worse}, qrels=QRELS, labels=labels, queries=queries), 4
        ).dominated
        for queries in (None, "judged")
    ]
    assert [each.tolist() for each in marked] == [[False, False], [False, True]]
