"""fairtrec.evaluate: all kinds of input give the same numbers, and each choice does what it says, by hand."""

import hashlib
import re
from math import log2
from pathlib import Path
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.data import find_judged_lines
from fairtrec.evaluation.answers.result import Part
from fairtrec.evaluation.given import background as background_file
from fairtrec.measures.nfairr import FaiRR
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import texts

TERMS = {"f": ["she", "her"], "m": ["he", "him", "his"]}
TEXTS = {  # f and m: 1 1, 2 0, 0 1, 0 0, 1 3; omega 1, 0, 1 (tau), 1, .5
    "d1": "She said he would",
    "d2": "she and her",
    "d3": "He.",
    "d4": "a word",
    "d5": "he, him, his; she",
}
RUN = {"q1": {"d1": 2.0, "d2": 3.0, "d3": 1.0}, "q2": {"d5": 0.5, "d4": 0.25}, "q3": {"d1": 7.0}}
QRELS = {"q1": {"d1": 1, "d3": 2}, "q2": {"d4": 1, "d5": 0}, "q4": {"d1": 1}}
BACKGROUND = {"q1": {"d5": 9.0, "d1": 8.0}, "q2": {"d2": 3.0}, "q3": {"d4": 1.0, "d2": 0.5}}
MEASURES = "nDCG@10 RR FaiRR@10 NFaiRR@2 NSetFaiRR@2 ARaB@3 ARaB(mag=bool) TE@2 TED@10 RBDF TExFAIR@10"
SECOND, P3 = 1 / log2(3), 1.5 + 1 / log2(3)
TEXTUAL = {"terms": TERMS, "docs": TEXTS}


def counts_frame():
    return pd.DataFrame({"docno": ["d5", "d1", "d2", "d3", "d4"], "tokens": [4, 4, 3, 1, 2], "m": [3, 1, 0, 1, 0], "f": [1, 1, 2, 0, 0]})  # fmt: skip


def values(measures, run=RUN, qrels=None, **given):
    """Give the values per query of one run, or of one measure if it is one."""
    (result,) = fairtrec.evaluate(measures, run, qrels=qrels, **given).per_query.values()
    return next(iter(result.values())) if len(result) == 1 else result


def fairr(run=RUN, **given):
    return values("FaiRR@10", run, **{**TEXTUAL, **given})


# -- every kind of input ----------------------------------------------------------------------------------------------


class Doc(NamedTuple):
    doc_id: str
    title: str
    body: str

    def default_text(self):
        return f"{self.title} {self.body}"


class Dataset:
    """What an ir_datasets dataset looks like to a caller."""

    def has_docs(self):
        return True

    has_qrels = has_docs

    def docs_store(self):
        return self

    def get_many_iter(self, docnos):
        for docno in docnos:
            if docno in TEXTS:
                first, _, rest = TEXTS[docno].partition(" ")
                yield Doc(docno, first, rest)

    def qrels_iter(self):
        for qid, docs in QRELS.items():
            for docno, grade in docs.items():
                yield ir_measures.Qrel(qid, docno, grade)


def rows(table):
    return [(qid, docno, number) for qid, docs in table.items() for docno, number in docs.items()]


def files(folder):
    """Write everything to files; give the arguments that name them."""

    def write(name, text):
        (folder / name).write_text(text, "utf-8")
        return folder / name

    def run(name, table):
        return write(name, "".join(f"{qid} Q0 {docno} 0 {score} x\n" for qid, docno, score in rows(table)))

    return {
        "runs": run("my.run", RUN),
        "qrels": write("qrels.txt", "".join(f"{qid} 0 {docno} {grade}\n" for qid, docno, grade in rows(QRELS))),
        "terms": write("terms.csv", "".join(f"{term},{group}\n" for group, words in TERMS.items() for term in words)),
        "docs": write("docs.tsv", "".join(f"{docno}\t{text}\n" for docno, text in TEXTS.items())),
        "queries": write("queries.txt", "q1\nq2\nq3\n"),
        "background": run("background.run", BACKGROUND),
    }


@pytest.fixture
def expected():
    got = values(MEASURES, RUN, QRELS, background=BACKGROUND, queries=["q1", "q2", "q3"], **TEXTUAL)
    assert got["FaiRR@10"] == pytest.approx({"q1": SECOND + 0.5, "q2": 0.5 + SECOND, "q3": 1})
    # q1: (0 + .6309) / (1 + .5 * .6309); q2: the background's one document has omega 0; q3: 1 / (1 + 0)
    assert got["NFaiRR@2"] == pytest.approx({"q1": SECOND / (1 + 0.5 * SECOND), "q2": np.nan, "q3": 1}, nan_ok=True)
    assert got["NSetFaiRR@2"]["q1"] == pytest.approx(0.75 * (1 + SECOND) / (1 + 0.5 * SECOND))
    assert got["ARaB@3"]["q1"] == pytest.approx((-2 - 1 - 1 / 3) / 3)  # leans -2, 0, 1
    assert got["TE(group='f')@2"]["q1"] == pytest.approx(2 / 3 + SECOND / 4)
    assert got["RR"] == pytest.approx({"q1": 1 / 2, "q2": 1 / 2, "q3": np.nan}, nan_ok=True)
    return got


def test_paths(tmp_path, expected):
    given = files(tmp_path)
    run, qrels = given.pop("runs"), given.pop("qrels")
    assert same(values(MEASURES, run, qrels, **given), expected)
    as_text = {name: str(path) for name, path in given.items()}
    assert same(values(MEASURES, str(run), str(qrels), **as_text), expected)


def same(got, expected):
    """Compare values of measures, nan equal to nan."""
    assert got.keys() == expected.keys()
    for name, by_query in expected.items():
        assert got[name] == pytest.approx(by_query, nan_ok=True, abs=1e-15), name
    return True


@pytest.mark.parametrize("names", [("query_id", "doc_id", "score", "relevance"), ("qid", "docno", "score", "label")])
def test_frames(expected, names):
    qid, docno, score, relevance = names
    run = pd.DataFrame(rows(RUN), columns=[qid, docno, score])
    qrels = pd.DataFrame(rows(QRELS), columns=[qid, docno, relevance])
    background = pd.DataFrame(rows(BACKGROUND), columns=[qid, docno, score])
    docs = pd.DataFrame(TEXTS.items(), columns=[docno, "text"])
    given = {"terms": TERMS, "docs": docs, "background": background, "queries": pd.Series(["q1", "q2", "q3"])}
    assert same(values(MEASURES, run, qrels, **given), expected)


def test_tuples_of_ir_measures(expected):
    run = [ir_measures.ScoredDoc(*row) for row in rows(RUN)]
    qrels = [ir_measures.Qrel(*row) for row in rows(QRELS)]
    background = [ir_measures.ScoredDoc(*row) for row in rows(BACKGROUND)]
    given = {"background": background, "queries": ("q1", "q2", "q3"), **TEXTUAL}
    assert same(values(MEASURES, run, qrels, **given), expected)


def test_objects_like_those_of_ir_datasets(expected):
    given = {"terms": TERMS, "docs": Dataset(), "background": BACKGROUND, "queries": ["q1", "q2", "q3"]}
    assert same(values(MEASURES, RUN, Dataset(), **given), expected)


def test_counts_instead_of_texts(tmp_path, expected):
    counts_frame().to_csv(tmp_path / "counts.tsv", sep="\t", index=False)
    for counts in (counts_frame(), tmp_path / "counts.tsv"):
        given = {"counts": counts, "background": BACKGROUND, "queries": ["q1", "q2", "q3"]}
        assert same(values(MEASURES, RUN, QRELS, **given), expected)


def test_measures_are_names_objects_or_both():
    named = fairtrec.evaluate("FaiRR@3 RaB", RUN, **TEXTUAL).means
    assert fairtrec.evaluate(["FaiRR@3", "RaB"], RUN, **TEXTUAL).means == named
    assert fairtrec.evaluate([FaiRR(cutoff=3), "RaB"], RUN, **TEXTUAL).means == named
    assert fairtrec.evaluate(FaiRR(cutoff=3), RUN, **TEXTUAL).means["run"] == {"FaiRR@3": named["run"]["FaiRR@3"]}
    twice = fairtrec.evaluate("RaB RaB(mag=tc)@10", RUN, **TEXTUAL)
    assert [*twice.means["run"]] == ["RaB@10"]


def test_none_is_what_the_inputs_allow():
    def chosen(**given):
        return [*fairtrec.evaluate(None, RUN, qrels=given.pop("qrels", None), **given).means["run"]]

    assert chosen(qrels=QRELS) == ["nDCG@10", "RR@10"]
    assert chosen(**TEXTUAL) == ["ARaB@10", "TExFAIR@10"]
    assert chosen(**TEXTUAL, qrels=QRELS, background=BACKGROUND)[-1] == "NFaiRR@10"
    for measures in (None, "", [], " , "):
        with pytest.raises(UsageError, match=r"nothing to measure|no measure given"):
            fairtrec.evaluate(measures, RUN)


# -- per query and in the mean ----------------------------------------------------------------------------------------


def test_undefined_queries_are_left_out_of_the_mean_and_counted():
    (scores,) = fairtrec.evaluate("TED@10 FaiRR@10", {**RUN, "q9": {"d4": 1.0}}, **TEXTUAL).scores
    assert scores.qids == ("q1", "q2", "q3", "q9")
    assert np.isnan(scores.values[0, 3])
    assert scores.defined.tolist() == [3, 4]
    assert scores.means[0] == pytest.approx(scores.values[0, :3].mean())
    assert scores.means[1] == pytest.approx(scores.values[1].mean())
    (nowhere,) = fairtrec.evaluate("TED@10", {"q9": {"d4": 1.0}}, **TEXTUAL).scores
    assert nowhere.defined.tolist() == [0]
    assert np.isnan(nowhere.means[0])


def test_the_mean_of_what_is_infinite_is_infinite():
    from fairtrec.evaluation.answers.scores import Scores
    from fairtrec.measures.texfair import TED

    table = np.array([[np.inf, 1.0, np.nan], [-np.inf, 1.0, 2.0], [np.inf, -np.inf, 0.0]])
    scores = Scores("run", "tag", (TED(), TED(), TED()), ("a", "b", "c"), table)
    np.testing.assert_array_equal(scores.means, [np.inf, -np.inf, np.nan])
    assert scores.defined.tolist() == [2, 3, 3]


def test_queries():
    assert fairr(queries=["q2", "q1", "q8"]).keys() == {"q1", "q2"}
    assert fairr(queries=["q2", "q8"], complete=True) == {"q2": 0.5 + SECOND, "q8": 0}
    assert fairr(complete=True).keys() == {"q1", "q2", "q3"}
    assert fairr(complete=True, qrels=QRELS).keys() == {"q1", "q2", "q4"}  # all that are judged
    assert values("RR", RUN, QRELS) == {"q1": 0.5, "q2": 0.5}  # needs judgments, so the judged ones
    assert values("RR", RUN, QRELS, complete=True) == {"q1": 0.5, "q2": 0.5, "q4": 0}
    assert values("RR", RUN, QRELS, complete=True, queries=["q2", "q4", "q3"]) == {"q2": 0.5, "q4": 0}
    with pytest.raises(InputError, match="none of the wanted queries"):
        fairr(queries=["q8"])


def test_measures_that_need_judgments_beside_others_that_do_not():
    both = values("RR FaiRR@10", RUN, QRELS, **TEXTUAL)
    assert both["FaiRR@10"] == fairr()
    assert both["RR"] == pytest.approx({"q1": 0.5, "q2": 0.5, "q3": np.nan}, nan_ok=True)


def test_several_runs_with_queries_of_their_own():
    runs = {"a": {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}, "b": {"q3": {"d5": 1.0, "d1": 0.5}}}
    result = fairtrec.evaluate("FaiRR@10 ARaB@10", runs, **TEXTUAL)
    assert result.per_query["a"]["FaiRR@10"] == {"q1": 1, "q2": 0}
    assert result.per_query["b"]["FaiRR@10"] == {"q3": pytest.approx(0.5 + SECOND)}
    assert result.means["a"] == {"FaiRR@10": 0.5, "ARaB@10": -1}
    for name, run in runs.items():
        (alone,) = fairtrec.evaluate("FaiRR@10 ARaB@10", run, **TEXTUAL).means.values()
        assert alone == result.means[name]
    assert [*fairtrec.evaluate("FaiRR@10", [runs["a"], runs["b"]], **TEXTUAL).means] == ["run 1", "run 2"]
    with pytest.raises(UsageError, match="no run"):
        fairtrec.evaluate("FaiRR@10", [], **TEXTUAL)


# -- documents without counts -----------------------------------------------------------------------------------------

STRANGE = {"q": {"dx": 3.0, "d2": 2.0, "d1": 1.0}}


def test_a_document_without_counts_is_an_error():
    with pytest.raises(InputError, match=r"1 of 3 documents .*dx at rank 1 of query q; .*missing="):
        fairr(STRANGE)
    with pytest.raises(InputError, match=r"1 of 4 documents .* have no text or counts"):
        values("NFaiRR@10", {"q": {"d1": 1.0}}, background={"q": {"dx": 1.0, "d2": 1.0, "d3": 1.0}}, **TEXTUAL)
    assert fairr({"q": {"d1": 2.0, "dx": 1.0}}, depth=1) == {"q": 1}  # nobody looks there
    assert values("FaiRR@1", {"q": {"d1": 2.0, "dx": 1.0}}, **TEXTUAL) == {"q": 1}


def test_what_it_is_worth_otherwise():
    assert fairr(STRANGE, missing="neutral")["q"] == pytest.approx(1 + 0 + 0.5)
    assert fairr(STRANGE, missing="worst")["q"] == pytest.approx(0 + 0 + 0.5)
    assert fairr(STRANGE, missing="skip")["q"] == pytest.approx(0 + SECOND)  # the others move up
    # shares (0, 1) from (.8, .2): 1 - 1.6; d2 (1, 0): 1 - .4; d1 (.5, .5): 1 - .6
    by_hand = -0.6 + 0.6 * SECOND + 0.4 / 2
    assert fairr(STRANGE, missing="worst", target="f=0.8,m=0.2")["q"] == pytest.approx(by_hand)


def test_who_is_passed_over_makes_room_below_the_cutoff():
    assert values("FaiRR@2", STRANGE, missing="skip", **TEXTUAL)["q"] == pytest.approx(SECOND)
    # leans -2 and 0, and without skipping 0 and -2
    assert values("RaB@2", STRANGE, missing="skip", **TEXTUAL)["q"] == -1
    assert values("ARaB@2", STRANGE, missing="skip", **TEXTUAL)["q"] == -1.5
    assert values("ARaB@2", STRANGE, missing="neutral", **TEXTUAL)["q"] == -0.5
    assert values("ARaB@10", {"q": {"dx": 1.0}}, missing="skip", **TEXTUAL)["q"] == pytest.approx(np.nan, nan_ok=True)
    with pytest.raises(UsageError, match="ARaB@2 has no worst document"):
        values("ARaB@2", STRANGE, missing="worst", **TEXTUAL)


def test_in_the_background_too():
    def ideal(missing):
        background = {"q": {"dx": 3.0, "d2": 2.0, "d5": 1.0}}
        return values("IFaiRR@10", {"q": {"d1": 1.0}}, missing=missing, background=background, **TEXTUAL)["q"]

    assert ideal("neutral") == pytest.approx(1 + 0.5 * SECOND)
    assert ideal("worst") == ideal("neutral")  # what nobody knows makes the ideal no easier
    assert ideal("skip") == pytest.approx(0.5)
    only = values("IFaiRR@10", {"q": {"d1": 1.0}}, missing="skip", background={"q": {"dx": 1.0}}, **TEXTUAL)
    assert np.isnan(only["q"])


def test_how_many_there_were_is_said():
    result = fairtrec.evaluate("FaiRR@10", STRANGE, missing="neutral", **TEXTUAL)
    said = texts(result.scores[0].notes)
    assert any(each.startswith("1 of 3 documents in the measured ranks have no text or counts") for each in said)
    assert result.signature["missing"] == "neutral(1)"
    plain = fairtrec.evaluate("FaiRR@10", RUN, missing="neutral", **TEXTUAL)
    assert texts(plain.notes) == ("groups: f 2 terms, m 3 terms",)


def test_passing_over_leaves_the_utility_measures_alone():
    assert values("RR", STRANGE, {"q": {"d2": 1}}, missing="skip") == {"q": 0.5}
    both = values("RR FaiRR@10", STRANGE, {"q": {"d2": 1}}, missing="skip", **TEXTUAL)
    assert both["RR"] == {"q": 0.5}


def test_grades_stand_beside_the_documents_that_were_not_passed_over():
    from fairtrec.data import Counts, Docnos
    from fairtrec.evaluation.given.qrels import QRELS
    from fairtrec.evaluation.inputs import loading
    from fairtrec.evaluation.inputs.documents import Documents, EvaluationContext, Needs, collect_documents
    from fairtrec.evaluation.inputs.measure_inputs import Inputs

    skip = fairtrec.Choices(missing="skip")
    run = loading.run({"q": {"dx": 3.0, "d2": 2.0, "d1": 1.0}, "r": {"d1": 1.0}}, "run", fairtrec.Choices(), None)
    qrels = loading.qrels({"q": {"dx": 3, "d1": 2}, "s": {"d2": 1}})
    parts = collect_documents([(run, ("q", "r"))], Needs(frozenset(FaiRR().needs), 10), EvaluationContext(), skip)
    docnos = Docnos.collect(*parts)
    known = docnos.names != b"dx"
    nothing = np.zeros(len(docnos), dtype=np.int64)
    table = Counts(("f", "m"), docnos, known, nothing, np.zeros((len(docnos), 2), dtype=np.int64))
    beside = {"opened": {"qrels": qrels}, "things": (QRELS,)}
    for depth, expected in ((None, [[np.nan, 2, np.nan], [np.nan] * 3]), (1, [[np.nan], [np.nan]])):
        inputs = Inputs(
            run,
            ("q", "r"),
            EvaluationContext(**beside, documents=Documents(table, skip)),
            depth,
        )
        assert (inputs.ranked != -1).sum(axis=1).tolist() == [2 if depth is None else 1, 1]
        np.testing.assert_array_equal(inputs.relevance, expected)
    for documents in (None, Documents(table, fairtrec.Choices(missing="neutral"))):
        inputs = Inputs(run, ("q", "r"), EvaluationContext(**beside, documents=documents), 2)
        np.testing.assert_array_equal(inputs.relevance, [[3, np.nan], [np.nan, np.nan]])
    nobody = Counts(("f", "m"), Docnos.collect(np.empty(0, "S1")), known[:0], nothing[:0], np.zeros((0, 2), np.int64))
    inputs = Inputs(run, ("q",), EvaluationContext(**beside, documents=Documents(nobody, skip)), None)
    np.testing.assert_array_equal(inputs.relevance, [[3, np.nan, 2]])  # nobody looks at these documents' counts


# -- targets ----------------------------------------------------------------------------------------------------------


def test_explicit_targets():
    # d2 (1, 0) from (.8, .2): 1 - .4; d1 (.5, .5): 1 - .6; d3 has one group term, so tau makes it neutral
    expected = 0.6 + 0.4 * SECOND + 0.5
    for target in ("f=0.8,m=0.2", "m=0.2, f=0.8", {"m": 0.2, "f": 0.8}):
        assert fairr(target=target)["q1"] == pytest.approx(expected)
    assert fairr(target="even") == fairr() == fairr(target={"f": 0.5, "m": 0.5})
    signature = fairtrec.evaluate("FaiRR", RUN, target={"f": 0.8, "m": 0.2}, **TEXTUAL).signature
    assert signature["target"] == "f=0.8,m=0.2"


def by_target(f):
    """FaiRR of q1 where the target is (f, 1 - f)."""
    return (1 - 2 * (1 - f)) + (1 - 2 * abs(0.5 - f)) * SECOND + 0.5


def test_the_shares_among_the_relevant_documents_of_each_query():
    got = fairr(target="qrels", qrels=QRELS)
    # q1: d1 (1, 1) and d3 (0, 1): one third; q2: d4 says nothing; q3 has no judgments
    assert got == pytest.approx({"q1": by_target(1 / 3), "q2": np.nan, "q3": np.nan}, nan_ok=True)
    assert fairr(target="qrels", qrels=QRELS, relevance_level=2)["q1"] == pytest.approx(by_target(0))
    ted = values("TED", RUN, {"q2": {"d5": 1}}, target="qrels", **TEXTUAL)
    assert ted == pytest.approx({"q1": np.nan, "q2": 0, "q3": np.nan}, nan_ok=True)


def test_relevant_for_several_subtopics_counts_once():
    qrels = [
        ir_measures.Qrel("q1", "d1", 1, "a"),
        ir_measures.Qrel("q1", "d3", 1, "a"),
        ir_measures.Qrel("q1", "d1", 1, "b"),
    ]
    assert fairr(target="qrels", qrels=qrels)["q1"] == pytest.approx(by_target(1 / 3))


def test_judged_documents_stand_once_at_their_highest_grade():
    from fairtrec.evaluation.inputs import loading

    lines = [("q1", "d1", 0), ("q2", "d1", 2), ("q1", "d3", 1), ("q1", "d1", 3), ("q1", "d1", 3), ("q9", "d1", 1)]
    qrels = loading.qrels([ir_measures.Qrel(*line, str(i)) for i, line in enumerate(lines)])
    rows = find_judged_lines(qrels, ("q1", "q2", "q0"))
    got = [[(qrels.docnos[i].decode(), int(qrels.grades[i])) for i in row if i >= 0] for row in rows.tolist()]
    assert got == [[("d3", 1), ("d1", 3)], [("d1", 2)], []]


def test_relevant_documents_without_counts():
    assert fairr(target="qrels", qrels={"q1": {"d1": 1, "dx": 0}})["q1"] == pytest.approx(by_target(0.5))
    qrels = {"q1": {"d1": 1, "dx": 1}}
    with pytest.raises(InputError, match=r"1 of 6 documents .* have no text or counts, such as dx"):
        fairr(target="qrels", qrels=qrels)
    for missing in ("neutral", "skip", "worst"):
        assert fairr(target="qrels", qrels=qrels, missing=missing)["q1"] == pytest.approx(by_target(0.5))


def test_the_shares_among_the_background_of_each_query():
    got = fairr(target="background", background=BACKGROUND)
    # q1: d5 (1, 3) and d1 (1, 1): one third; q2: d2 (2, 0): d5 (1, 3) is 1 - 1.5
    assert got["q1"] == pytest.approx(by_target(1 / 3))
    assert got["q2"] == pytest.approx(-0.5 + SECOND)
    shallow = fairr(target="background", background=BACKGROUND, background_depth=1)
    assert shallow["q1"] == pytest.approx(by_target(1 / 4))


def test_the_shares_in_the_collection(tmp_path):
    counts_frame().to_csv(tmp_path / "counts.tsv", sep="\t", index=False)
    for counts in (counts_frame(), tmp_path / "counts.tsv"):
        got = values("FaiRR@10", RUN, counts=counts, target="collection")
        assert got["q1"] == pytest.approx(by_target(4 / 9))


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("f=0.5,m=0.6", "sum to 1.1"),
        ("f=1.5,m=-0.5", "0 or more"),
        ("f=1", "has the groups f; write a share for each: f, m"),
        ("f=0.5,x=0.5", "write a share for each: f, m"),
        ("f=a,m=b", "cannot read the target"),
        ("f=0.5=3,m=0.5", "write a share for each: f, m"),
        ("f=nan,m=nan", "sum to"),
        ("collectoin", "even, background, collection, qrels"),
        ("background", "the target background needs a background set; add background=RUN"),
        ("collection", "needs the counts of a whole collection"),
        ("qrels", "needs relevance judgments"),
        ({"f": 0.5}, "write a share for each: f, m"),
    ],
)
def test_targets_that_make_no_sense(target, why):
    with pytest.raises(UsageError, match=why):
        fairr(target=target)


# -- backgrounds ------------------------------------------------------------------------------------------------------


def test_a_missing_background_is_wrong_usage():
    with pytest.raises(UsageError, match=r"NFaiRR@10 needs a background set; add background=RUN"):
        values("NFaiRR@10", **TEXTUAL)
    with pytest.raises(UsageError, match="TE@10 needs the counts of group terms; add terms="):
        values("TE@10")
    with pytest.raises(UsageError, match="needs the texts of documents"):
        values("ARaB(mag=tf_paper)", counts=counts_frame())


def test_the_depth_of_the_background():
    background = {"q1": {"d2": 3.0, "d5": 2.0, "d1": 1.0}}

    def ideal(depth):
        return values("IFaiRR@10", background=background, background_depth=depth, **TEXTUAL)["q1"]

    assert [ideal(1), ideal(2), ideal(3)] == pytest.approx([0, 0.5, 1 + 0.5 * SECOND])
    result = fairtrec.evaluate("IFaiRR", RUN, background=background, background_depth=2, **TEXTUAL)
    assert re.fullmatch(r"given@[0-9a-f]{8}/2", result.signature["background"])
    assert result.scores[0].defined.tolist() == [1]  # q2 and q3 have none


@pytest.mark.parametrize("many", [1, 100])  # pieces, from which threads look them up
@pytest.mark.parametrize("missing", ["neutral", "worst", "skip"])
def test_the_background_is_looked_up_some_queries_at_a_time(monkeypatch, missing, many):
    runs = {f"q{i}": {f"d{1 + (i + j) % (5 + i % 3)}": -float(j) for j in range(1 + i % 4)} for i in range(9)}
    behind = {qid: ranking for qid, ranking in runs.items() if qid != "q4"}
    whole = [repr(values("NFaiRR@2", runs, background=each, missing=missing, **TEXTUAL)) for each in (runs, behind)]
    monkeypatch.setattr(background_file, "PIECE", 5)
    monkeypatch.setattr(background_file, "MANY", many)
    parts = [repr(values("NFaiRR@2", runs, background=each, missing=missing, **TEXTUAL)) for each in (runs, behind)]
    assert parts == whole


def test_the_background_may_be_the_run_itself(tmp_path):
    long = {"q1": {f"d{1 + i % 5}" if i < 5 else f"n{i}": -float(i) for i in range(9)}, "q2": {"d2": 1.0}}
    given = {"terms": TERMS, "docs": {**TEXTS, **{f"n{i}": "her her" for i in range(9)}}}
    path, other = tmp_path / "a.run", tmp_path / "b.run"
    lines = "".join(f"{qid} Q0 {docno} 0 {score} x\n" for qid, docno, score in rows(long))
    path.write_text(lines)
    other.write_text(lines)
    for depth in (1, 4, 200):
        for choices in ({}, {"depth": 3}, {"missing": "skip"}):
            several = [
                values(
                    "NFaiRR@2 RaB@5 NumRet",
                    path,
                    {"q1": {"d1": 1}},
                    background=behind,
                    background_depth=depth,
                    **given,
                    **choices,
                )
                for behind in (path, str(path), other, long)
            ]
            assert all(same(each, several[0]) for each in several)
    assert values("IFaiRR@2", path, background=path, depth=1, **given)["q1"] == pytest.approx(1 + SECOND)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=20),
    st.integers(1, 12),
    st.integers(0, 2),
)
def test_the_best_of_the_whole_collection_is_found_by_brute_force(counts, k, tau):
    names = [f"d{i}" for i in range(len(counts))]
    frame = pd.DataFrame(counts, columns=["a", "b", "c"]).assign(docno=names, tokens=20)
    run = {"q": {"d0": 1.0}}
    shares = (0.5, 0.3, 0.2)
    omega = [
        1.0 if sum(row) <= tau else 1 - sum(abs(n / sum(row) - share) for n, share in zip(row, shares, strict=True))
        for row in counts
    ]
    best = sorted(omega, reverse=True)[:k]
    got = values(
        f"IFaiRR(tau={tau})@{k} SetFaiRR(tau={tau})@{k} SetFaiRR(tau={tau},of=collection,full_k=True)@{k}",
        *(run,), counts=frame, background="collection", target="a=.5,b=.3,c=.2",
    )  # fmt: skip
    ideal, of_background, of_collection = (each["q"] for each in got.values())
    assert ideal == pytest.approx(sum(each / log2(rank + 2) for rank, each in enumerate(best)), abs=1e-12)
    ranks = sum(1 / log2(rank + 2) for rank in range(min(k, len(counts))))
    assert of_background == pytest.approx(sum(omega) / len(omega) * ranks, abs=1e-12)
    every = sum(1 / log2(rank + 2) for rank in range(k))
    assert of_collection == pytest.approx(sum(omega) / len(omega) * every, abs=1e-12)


def check_the_collection(counts):
    for measures in ("NFaiRR@2", "NFaiRR@2 SetFaiRR(of=collection)@2"):
        got = fairtrec.evaluate(measures, RUN, counts=counts, background="collection")
        assert got.per_query["run"]["NFaiRR@2"]["q1"] == pytest.approx(SECOND / (1 + SECOND))
        assert got.signature["background"] == "collection"


def test_the_collection_of_a_counts_frame():
    check_the_collection(counts_frame())
    with pytest.raises(UsageError, match="needs the counts of the collection; add counts="):
        values("NFaiRR@2", background="collection", **TEXTUAL)


def test_the_collection_of_a_counts_file(tmp_path):
    counts_frame().to_csv(tmp_path / "counts.tsv", sep="\t", index=False)
    check_the_collection(tmp_path / "counts.tsv")


# -- other choices ----------------------------------------------------------------------------------------------------


def test_depth_cuts_the_ranking():
    assert fairr(depth=1) == {"q1": 0, "q2": 0.5, "q3": 1}
    assert fairr(depth=2)["q1"] == pytest.approx(SECOND)


def test_order(tmp_path):
    path = tmp_path / "odd.run"
    path.write_text("q1 Q0 d1 2 1.0 x\nq1 Q0 d2 3 3.0 x\nq1 Q0 d5 1 2.0 x\n")  # omega 1, 0, .5
    one = {order: values("FaiRR@1", path, order=order, **TEXTUAL)["q1"] for order in ("score", "rank", "file")}
    assert one == {"score": 0, "rank": 0.5, "file": 1}


def test_tokenizer_and_case():
    assert values("RaB", tokenizer="space", **TEXTUAL)["q2"] == (-1 + 0) / 2  # "he,", "him," and "his;" are no terms
    assert values("RaB", case_sensitive=True, **TEXTUAL)["q1"] == -1 / 3  # neither "She" nor "He" is: -2, 1 and 0


@pytest.mark.parametrize("name", ["depth", "background_depth", "relevance_level"])
@pytest.mark.parametrize("number", [0, -1])
def test_numbers_that_must_be_one_or_more(name, number):
    with pytest.raises(UsageError, match=f"^{name}= is {number}; it must be 1 or more"):
        fairr(**{name: number})


@pytest.mark.parametrize("choice", [{"missing": "ignore"}, {"order": "scores"}, {"score_dtype": "float16"}])
def test_words_that_are_no_choice(choice):
    with pytest.raises(UsageError):
        fairr(**choice)


def test_inputs_that_exclude_each_other():
    with pytest.raises(UsageError, match="both texts and counts"):
        fairr(counts=counts_frame())
    with pytest.raises(UsageError, match="no words to look for"):
        fairr(terms=None)
    with pytest.raises(InputError, match="the counts are of the groups f, m, the list groups has a, b"):
        values("FaiRR", counts=counts_frame(), terms={"a": ["x"], "b": ["y"]})


def test_digests_and_signature(tmp_path):
    given = files(tmp_path)
    run, qrels = given.pop("runs"), given.pop("qrels")
    result = fairtrec.evaluate("NFaiRR@10 RR", run, qrels=qrels, **given)
    expected = {Part(name): path for name, path in given.items()} | {Part("qrels"): qrels, Part("run", str(run)): run}
    assert {*result.digests} == {*expected}
    for part, path in expected.items():
        assert result.digests[part] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert fairtrec.evaluate("RR", RUN, qrels=QRELS).digests == {}
    queries, background = (result.digests[Part(name)][:8] for name in ("queries", "background"))
    for choice in (
        "order:score",
        "tau:1",
        "target:even",
        "tokenizer:strip",
        f"@{queries}",
        "missing:error",
        f"background.run@{background}/200",
    ):
        assert choice in str(result.signature)
    plain = fairtrec.evaluate("RR", RUN, qrels=QRELS).signature
    assert not any(word in plain for word in ("tau", "target", "groups", "background", "missing", "tokenizer"))


def test_an_option_that_there_is_not_is_wrong_usage():
    with pytest.raises(UsageError, match="there is no option tokeniser; did you mean tokenizer"):
        fairtrec.evaluate("P@1", RUN, qrels=QRELS, tokeniser="word", a=1, b=2, c=3, d=4)  # the first of several


TWO_QUERIES = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}


def test_unknown_documents_are_counted_in_runs_and_background_together():
    counts = pd.DataFrame({"docno": ["d1"], "tokens": [4], "f": [1], "m": [1]})
    background = {"q1": {f"d{number}": -1.0 * number for number in range(1, 6)}}
    with pytest.raises(fairtrec.InputError, match="4 of 5 documents"):
        fairtrec.evaluate("NFaiRR@10", {"q1": TWO_QUERIES["q1"]}, counts=counts, background=background)


def test_qrels_may_be_called_none_as_on_the_command_line():
    labels = {"d1": "a", "d2": "b"}
    assert fairtrec.evaluate("KL@1", TWO_QUERIES, qrels="none", labels=labels).means == fairtrec.evaluate(
        "KL@1", TWO_QUERIES, labels=labels
    ).means  # fmt: skip


def test_a_keyword_that_is_nearly_one_is_named():
    with pytest.raises(UsageError, match=r"no option label; did you mean labels\?"):
        fairtrec.evaluate("KL@1", TWO_QUERIES, label={"d1": "a"})
    with pytest.raises(fairtrec.InputError, match="check queries="):
        fairtrec.evaluate("KL@1", TWO_QUERIES, labels={"d1": "a", "d2": "b"}, queries=["q9"])


def test_judgments_that_are_labels_too_are_read_once(copied, monkeypatch):
    from fairtrec.formats import qrels

    read, seen = qrels.read, []
    monkeypatch.setattr(qrels, "read", lambda path: seen.append(path) or read(path))
    Path("topics").write_text("101 1 p001 1\n101 2 p002 1\n")
    fairtrec.evaluate("FAIR@10 nDCG@10", ["bm25.run"], qrels="topics", labels="qrels")
    assert seen == ["topics"]
