"""What is given is read as it is meant, by whichever way it comes in: doors times cases.

A door writes one thing so that fairtrec reads it. A case is written once, as rows, and walks through every door that can
say it. A new door is a row of ``LABEL_DOORS``, ``RUN_DOORS`` or ``QREL_DOORS``, and a new case a row of ``LABEL_CASES``,
``RUN_CASES`` or ``QREL_CASES``.
"""

import csv
import gzip
import json
import math
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import fairtrec
from fairtrec.support.errors import InputError, UsageError

ALL, NAN = None, float("nan")


def write(path, text):
    path.write_text(text, "utf-8")
    return path


def write_table(path, names, rows, separator, quoting=csv.QUOTE_MINIMAL):
    """Write a table below a line of names."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\n")
        writer.writerows([names, *(["" if cell is None else cell for cell in row] for row in rows)])
    return path


def write_objects(names, rows):
    """Write rows as objects of JSON; what is missing is null, and NaN is NaN."""
    return [json.dumps(dict(zip(names, row, strict=True))) for row in rows]


def make_arrow(names, rows):
    return pa.table({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def write_parquet(path, names, rows):
    parquet.write_table(make_arrow(names, rows), path)
    return path


def make_frame(names, rows):
    return pd.DataFrame(dict(zip(names, zip(*rows, strict=True), strict=True)))


def nest(rows):
    """Make ``{qid: {docno: number}}`` of rows of qid, docno, number."""
    return {qid: {docno: number for _, docno, number in own} for qid, own in groupby(rows, itemgetter(0))}


# -- labels -----------------------------------------------------------------------------------------------------------

LABEL_NAMES = ("docno", "group")
LABEL_DOORS = {  # how rows of docno and label are written
    "tsv": lambda at, rows: write(at / "l.tsv", "".join(f"{docno}\t{'' if x is None else x}\n" for docno, x in rows)),
    "tsv below names": lambda at, rows: write_table(at / "l.tsv", ("DOCNO", "Group"), rows, "\t"),
    "csv": lambda at, rows: write_table(at / "l.csv", ("Document", "GROUP"), rows, ","),
    "csv of quoted cells": lambda at, rows: write_table(at / "l.csv", LABEL_NAMES, rows, ",", csv.QUOTE_ALL),
    "tsv of quoted cells": lambda at, rows: write_table(at / "l.tsv", LABEL_NAMES, rows, "\t", csv.QUOTE_ALL),
    "semicolons": lambda at, rows: write_table(at / "l.csv", ("doc-id", "gender"), rows, ";"),
    "other order": lambda at, rows: write_table(at / "l.csv", ("group", "item id"), [r[::-1] for r in rows], ","),
    "a field": lambda at, rows: f"{write_table(at / 'l.csv', ('id', 'Kind'), rows, ',')}:Kind",
    "json lines": lambda at, rows: write(at / "l.jsonl", "\n".join(write_objects(LABEL_NAMES, rows))),
    "a field of json lines": lambda at, rows: f"{write(at / 'l.jsonl', chr(10).join(write_objects(('id', 'k'), rows)))}:k",
    "json array": lambda at, rows: write(at / "l.json", f"[{', '.join(write_objects(('Doc-ID', 'label'), rows))}]"),
    "json object": lambda at, rows: write(at / "l.json", json.dumps(dict(rows), indent=1)),
    "parquet": lambda at, rows: write_parquet(at / "l.parquet", ("DocNo", "gender"), rows),
    "arrow": lambda _, rows: make_arrow(LABEL_NAMES, rows),
    "pandas": lambda _, rows: make_frame(("Doc_ID", "gender"), rows),
    "dict": lambda _, rows: dict(rows),
    "series": lambda _, rows: pd.Series(dict(rows), dtype=object),
}  # fmt: skip
TEXTS = {name for name in LABEL_DOORS if "json" not in name} - {
    "parquet", "arrow", "pandas", "dict", "series",
}  # fmt: skip
COLUMNS = {"parquet", "arrow", "pandas"}  # each of one type
OBJECTS = {*LABEL_DOORS} - TEXTS - COLUMNS
RUN = {"1": {"a": 3.0, "b": 2.0}, "2": {"c": 3.0, "a": 2.0}}


class LabelCase(NamedTuple):
    """Labels of a, b and c, the AWRF@2 of ``RUN`` by them, the groups, and the doors that can say it."""

    labels: tuple[Any, Any, Any]
    value: float
    groups: str
    doors: Any = ALL


LABEL_CASES = {
    "plain": LabelCase(("f", "m", "m"), 1.0, "f 1, m 2"),
    "missing": LabelCase(("f", None, "m"), 0.8444, "f 1, m 1"),
    "blank": LabelCase(("f", "", "m"), 0.8444, "f 1, m 1"),
    "not a number": LabelCase(("f", NAN, "m"), 0.8444, "f 1, m 1", OBJECTS),
    "pandas.NA": LabelCase(("f", pd.NA, "m"), 0.8444, "f 1, m 1", {"pandas", "dict", "series"}),
    "no time": LabelCase(("f", pd.NaT, "m"), 0.8444, "f 1, m 1", {"pandas", "dict", "series"}),
    "no group in a list": LabelCase(("f", [], "m"), 0.8444, "f 1, m 1", OBJECTS),
    "lists": LabelCase((["f"], ["m"], ["m", None]), 1.0, "f 1, m 2", OBJECTS),
    "whole numbers": LabelCase((1, 2, 2), 1.0, "1 1, 2 2"),
    "numbers with a point": LabelCase((1.0, 2.0, 2.0), 1.0, "1 1, 2 2", OBJECTS | COLUMNS),
    "numbers beside missing ones": LabelCase((1.0, None, 2.0), 0.8444, "1 1, 2 1", OBJECTS | COLUMNS),
    "fractions": LabelCase((0.5, 0.25, 0.25), 1.0, "0.25 2, 0.5 1"),
    "truths": LabelCase((True, False, False), 1.0, "false 2, true 1", OBJECTS | COLUMNS),
    "a word for missing": LabelCase(("f", "nan", "m"), 0.8091, "f 1, m 1, nan 1"),
    "another word for missing": LabelCase(("f", "N/A", "m"), 0.8091, "N/A 1, f 1, m 1"),
}  # fmt: skip
WALKS = [
    pytest.param(case, door, id=f"{name} through {door}")
    for name, case in LABEL_CASES.items()
    for door in LABEL_DOORS
    if case.doors is ALL or door in case.doors
]


@pytest.mark.parametrize(("case", "door"), WALKS)
def test_labels(tmp_path, case, door):
    labels = LABEL_DOORS[door](tmp_path, list(zip("abc", case.labels, strict=True)))
    result = fairtrec.evaluate("AWRF@2", RUN, labels=labels)
    assert round(float(result.scores[0].means[0]), 4) == case.value
    assert result.signature["members"] == case.groups


@pytest.mark.parametrize("door", LABEL_DOORS)
@pytest.mark.parametrize("word", ["nan", "NaN", "None", "null", "NA", "N/A", "Unknown"])
def test_a_group_by_a_word_for_missing_is_noted(tmp_path, door, word):
    result = fairtrec.evaluate("AWRF@2", RUN, labels=LABEL_DOORS[door](tmp_path, [("a", "f"), ("b", word), ("c", "m")]))
    note = f"a group is called {word} (1 document); if it means missing, leave it out: groups=f,m"
    assert note in map(str, result.notes)


@pytest.mark.parametrize("door", sorted({*LABEL_DOORS} - {"dict", "series", "json object"}))
def test_a_label_that_is_repeated_counts_once(tmp_path, door):
    labels = LABEL_DOORS[door](tmp_path, [("a", "f"), ("b", "m"), ("a", "f"), ("c", "m")])
    result = fairtrec.evaluate("AWRF@2", RUN, labels=labels)
    assert result.means["run"]["AWRF@2"] == 1
    assert any(str(note).startswith("1 label is repeated with the same weight") for note in result.notes)


@pytest.mark.parametrize("door", LABEL_DOORS)
def test_an_id_may_have_a_blank(tmp_path, door):
    labels = LABEL_DOORS[door](tmp_path, [("a 1", "f"), ("b", "m")])
    assert fairtrec.evaluate("AWRF@2", {"1": {"a 1": 2.0, "b": 1.0}}, labels=labels).signature["members"] == "f 1, m 1"


@pytest.mark.parametrize("door", LABEL_DOORS)
def test_a_missing_docno_is_refused(tmp_path, door):
    labels = LABEL_DOORS[door](tmp_path, [("a", "f"), ("", "m")])
    with pytest.raises(InputError):
        fairtrec.evaluate("AWRF@2", RUN, labels=labels)


STANCES = [("1", "a", "FIRST"), ("1", "b", "SECOND"), ("2", "c", "FIRST"), ("2", "a", "NO")]
STANCE_DOORS = {  # labels per query
    "tsv": lambda at, rows: write(at / "l", "".join(f"{q}\t{d}\t{g}\n" for q, d, g in rows)),
    "tsv of weights": lambda at, rows: write(at / "l", "".join(f"{q}\t{d}\t{g}\t1\n" for q, d, g in rows)),
    "names": lambda at, rows: write_table(at / "l", ("Group", "topic", "Doc-ID"), [(g, q, d) for q, d, g in rows], ","),
    "names of qrels": lambda at, rows: write_table(
        at / "l", ("qid", "iteration", "docno", "group"), [(q, 0, d, g) for q, d, g in rows], "\t"
    ),
    "qrels form": lambda at, rows: write(at / "l", "".join(f"{q} 0 {d} {g}\n" for q, d, g in rows)),
    "qrels form with tabs": lambda at, rows: write(at / "l", "".join(f"{q}\tQ0\t{d}\t{g}\n" for q, d, g in rows)),
    "qrels form with comments": lambda at, rows: write(
        at / "l", "".join(f"# {g}\n{q}  0  {d}  {g}\n" for q, d, g in rows)
    ),
    "json lines": lambda at, rows: write(at / "l", "\n".join(write_objects(("qid", "docno", "group"), rows))),
    "pandas": lambda _, rows: make_frame(("query_id", "docno", "group"), rows),
}  # fmt: skip


@pytest.mark.parametrize("door", STANCE_DOORS)
def test_labels_per_query(tmp_path, door):
    result = fairtrec.evaluate("AWRF@2", RUN, labels=STANCE_DOORS[door](tmp_path, STANCES))
    assert round(result.means["run"]["AWRF@2"], 4) == 0.8091
    assert result.signature["members"] == "FIRST 2, NO 1, SECOND 1"


# -- runs and qrels ---------------------------------------------------------------------------------------------------

TRIPLE = ("qid", "docno", "score")
RUN_DOORS = {  # how rows of qid, docno and score are written, the best first
    "trec": lambda at, rows: write(at / "r.run", "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows)),
    "trec with comments": lambda at, rows: write(
        at / "r.run", "".join(f"#{q} Q0 {d} 1 9 t\n{q} Q0 {d} 1 {s} t\n#\n" for q, d, s in rows)
    ),
    "trec below names": lambda at, rows: write(
        at / "r.run", "topic q0 docid rank score runid\n" + "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows)
    ),
    "tsv": lambda at, rows: write_table(at / "r.tsv", ("query-id", "Corpus-ID", "SCORE"), rows, "\t"),
    "csv": lambda at, rows: write_table(at / "r.csv", ("Topic", "Document", "sim"), rows, ","),
    "semicolons": lambda at, rows: write_table(at / "r.csv", TRIPLE, rows, ";", csv.QUOTE_ALL),
    "other order": lambda at, rows: write_table(at / "r.csv", TRIPLE[::-1], [row[::-1] for row in rows], ","),
    "json lines": lambda at, rows: write(at / "r.jsonl", "\n".join(write_objects(("Q-ID", "PID", "score"), rows))),
    "json array": lambda at, rows: write(at / "r.json", f"[{', '.join(write_objects(TRIPLE, rows))}]"),
    "json object": lambda at, rows: write(at / "r.json", json.dumps(nest(rows))),
    "json lists": lambda at, rows: write(at / "r.json", json.dumps({q: [*docs] for q, docs in nest(rows).items()})),
    "parquet": lambda at, rows: write_parquet(at / "r.parquet", ("QID", "DocNo", "Score"), rows),
    "pandas": lambda _, rows: make_frame(("query_id", "docno", "score"), rows),
    "arrow": lambda _, rows: make_arrow(("topic", "doc_id", "score"), rows),
    "dict": lambda _, rows: nest(rows),
    "lists": lambda _, rows: {q: [*docs] for q, docs in nest(rows).items()},
}  # fmt: skip
QREL_DOORS = {  # how rows of qid, docno and grade are written
    "trec": lambda at, rows: write(at / "q", "".join(f"{q} 0 {d} {g}\n" for q, d, g in rows)),
    "trec with comments": lambda at, rows: write(at / "q", "".join(f"#{q} 0 {d} 9\n{q} 0 {d} {g}\n" for q, d, g in rows)),
    "trec below names": lambda at, rows: write(
        at / "q", "topic iter docno rel\n" + "".join(f"{q} 0 {d} {g}\n" for q, d, g in rows)
    ),
    "tsv": lambda at, rows: write_table(at / "q", ("query-id", "corpus-id", "Score"), rows, "\t"),
    "csv": lambda at, rows: write_table(at / "q", ("Query", "Item", "Rating"), rows, ","),
    "semicolons": lambda at, rows: write_table(at / "q", ("docno", "qid", "rel"), [(d, q, g) for q, d, g in rows], ";"),
    "json lines": lambda at, rows: write(at / "q", "\n".join(write_objects(("qid", "DocNo", "grade"), rows))),
    "json array": lambda at, rows: write(at / "q", f"[{', '.join(write_objects(('qid', 'docno', 'rel'), rows))}]"),
    "json object": lambda at, rows: write(at / "q", json.dumps(nest(rows))),
    "parquet": lambda at, rows: write_parquet(at / "q.parquet", ("Query_ID", "docno", "relevance"), rows),
    "pandas": lambda _, rows: make_frame(("qid", "docno", "label"), rows),
    "dict": lambda _, rows: nest(rows),
}  # fmt: skip
HASHED = {name for name in RUN_DOORS if not name.startswith("trec")}


class RunCase(NamedTuple):
    """Rows of a run and of qrels, the nDCG@2 of each query, and the doors of runs that can say it."""

    run: list[tuple[str, str, float]]
    qrels: list[tuple[str, str, int]]
    values: dict[str, float]
    doors: Any = ALL


JUDGED = [("1", "a", 1), ("1", "b", 0), ("2", "c", 1), ("2", "a", 0)]
RUN_CASES = {
    "plain": RunCase([("1", "a", 3.0), ("1", "b", 2.0), ("2", "c", 3.0)], JUDGED, {"1": 1, "2": 1}),
    "second": RunCase([("1", "b", 3.0), ("1", "a", 2.0), ("2", "c", 3.0)], JUDGED, {"1": 1 / math.log2(3), "2": 1}),
    "docnos with #": RunCase([("1", "#b", 3.0), ("1", "a", 2.0)], [("1", "#b", 1), ("1", "a", 0)], {"1": 1}),
    "qids with #": RunCase([("#1", "a", 3.0), ("2", "c", 2.0)], [("2", "c", 1), ("1", "a", 0)], {"2": 1}, HASHED),
}
RUN_WALKS = [
    pytest.param(case, door, id=f"{name} through {door}")
    for name, case in RUN_CASES.items()
    for door in RUN_DOORS
    if case.doors is ALL or door in case.doors
]


def values_of(scores):
    return dict(zip(scores.qids, scores.values[0].tolist(), strict=True))


@pytest.mark.parametrize(("case", "door"), RUN_WALKS)
def test_runs(tmp_path, case, door):
    result = fairtrec.evaluate("nDCG@2", RUN_DOORS[door](tmp_path, case.run), qrels=nest(case.qrels))
    assert values_of(result.scores[0]) == pytest.approx(case.values)


@pytest.mark.parametrize("door", QREL_DOORS)
@pytest.mark.parametrize("case", RUN_CASES.values(), ids=[*RUN_CASES])
def test_qrels(tmp_path, case, door):
    rows = [row for row in case.qrels if not row[0].startswith("#")]
    result = fairtrec.evaluate("nDCG@2", nest(case.run), qrels=QREL_DOORS[door](tmp_path, rows))
    assert values_of(result.scores[0]) == pytest.approx(case.values)


REPEATING = [name for name in QREL_DOORS if name not in ("json object", "dict")]  # of which no key stands twice


@pytest.mark.parametrize("door", REPEATING)
def test_a_judgment_that_is_repeated_counts_once(tmp_path, door):
    case = RUN_CASES["second"]
    result = fairtrec.evaluate("nDCG@2 NumRel", nest(case.run), qrels=QREL_DOORS[door](tmp_path, [*JUDGED, JUDGED[0]]))
    assert values_of(result.scores[0]) == pytest.approx(case.values)
    assert result.scores[0].values[1].tolist() == [1, 1]
    assert any(str(note).startswith("1 judgment is repeated with the same grade") for note in result.notes)


@pytest.mark.parametrize("door", REPEATING)
def test_two_grades_of_a_document_are_refused(tmp_path, door):
    with pytest.raises(InputError, match="document a is judged twice for query 1; keep one grade"):
        fairtrec.evaluate("nDCG@2", RUN, qrels=QREL_DOORS[door](tmp_path, [*JUDGED, ("1", "a", 0)]))


ITERATION_DOORS = {  # how rows of qid, iteration, docno and grade are written
    "trec": lambda at, rows: write(at / "q", "".join(f"{q} {i} {d} {g}\n" for q, i, d, g in rows)),
    "names": lambda at, rows: write_table(at / "q", ("qid", "iter", "docno", "rel"), rows, ","),
    "pandas": lambda _, rows: make_frame(("qid", "iteration", "docno", "label"), rows),
}


@pytest.mark.parametrize("door", ITERATION_DOORS)
def test_the_highest_of_the_grades_of_several_iterations_counts(tmp_path, door):
    rows = [("1", "0", "a", 1), ("1", "1", "a", 2), ("1", "0", "b", 1), ("1", "1", "b", 1)]
    qrels = ITERATION_DOORS[door](tmp_path, rows)
    run = {"1": {"b": 2.0, "a": 1.0}}
    note = "1 document has several grades for a query, by column 2 of the qrels; the highest counts"
    result = fairtrec.evaluate("nDCG@2", run, qrels=qrels)
    assert result.means["run"]["nDCG@2"] == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))
    assert note in map(str, result.notes)
    assert note not in map(str, fairtrec.evaluate("nDCG@2 StRecall@2", run, qrels=qrels).notes)


@pytest.mark.parametrize("door", QREL_DOORS)
def test_what_the_note_on_judged_documents_counts(tmp_path, door):
    below = QREL_DOORS[door](tmp_path, [("1", "a", -2), ("1", "b", 1), ("2", "a", -1), ("2", "c", -1)])
    result = fairtrec.evaluate("P@2 Judged@2", RUN, qrels=below)
    assert result.means["run"]["Judged@2"] == 1
    note = "P@2: of 4 documents in the measured ranks, 1 has a grade of 0 or more, 3 a grade below 0"
    assert note in map(str, result.scores[0].notes)
    session = fairtrec.evaluator("P@2", below).scores(RUN)
    assert note in map(str, session.notes)


def test_ids_of_which_none_is_judged_are_named():
    run = {"1": {"d7-1": 2.0, "d9-4": 1.0}}
    said = [str(note) for note in fairtrec.evaluate("nDCG@2", run, qrels={"1": {"d9": 1}}).scores[0].notes]
    assert 'nDCG@2: none of 2 documents is judged; the run has d9-4, the qrels d9: cut "-4"?' in said
    said = [str(note) for note in fairtrec.evaluate("nDCG@2", run, qrels={"1": {"x": 1}}).scores[0].notes]
    assert "nDCG@2: none of 2 documents is judged; the run has d7-1, the qrels x" in said


@pytest.mark.parametrize("measures", ["RR", "AP NumRet", "nDCG", "nDCG@2"])
@pytest.mark.parametrize(
    ("ours", "theirs", "hint"),
    [
        ("10", "0010", ": zeros to 4 digits?"),
        ("DOC", "doc", ": in lower case?"),
        ("e\u0301", "\xe9", ": the same letters in another Unicode form; write both in NFC"),
        ("a", "b", ""),
    ],
)
def test_a_run_of_which_no_document_is_judged(measures, ours, theirs, hint):
    """Also if no measure has a cutoff: a mean of 0 by ids that are written otherwise is not silent."""
    scores = fairtrec.evaluate(measures, {"1": {ours: 2.0, "x": 1.0}}, qrels={"1": {theirs: 1}}).scores[0]
    assert scores.values[0].tolist() == [0]
    said = f"none of 2 documents is judged; the run has {ours}, the qrels {theirs}{hint}"
    assert any(str(note).endswith(said) for note in scores.notes)


def test_a_run_without_relevant_documents_is_judged():
    for run, qrels in (({"a": 2.0}, {"a": 0}), ({"a": 2.0}, {"a": 0, "b": 1}), ({"a": 2.0}, {"a": -1})):
        scores = fairtrec.evaluate("RR", {"1": run}, qrels={"1": qrels}).scores[0]
        assert (scores.values.tolist(), scores.notes) == ([[0]], ())


def test_queries_that_are_written_otherwise(tmp_path):
    run, qrels = {"105741": {"a": 1.0}}, {"105741.1": {"a": 1}}
    says = r'no query in common; the run has 105741, the qrels 105741.1: add ".1"\?'
    for complete in (False, True):
        with pytest.raises(InputError, match=says):
            fairtrec.evaluate("nDCG@5", run, qrels=qrels, complete=complete)
    with pytest.raises(InputError, match="no query in common; check that they are of the same collection"):
        fairtrec.evaluate("nDCG@5", {"a": {"a": 1.0}}, qrels={"b": {"a": 1}})


OWN = [("q1", "q1", 9.0), ("q1", "d1", 8.0), ("q2", "d1", 9.0), ("q2", "q2", 8.0)]
OWN_QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1}}
OWN_NOTE = "own id: the first document of 1 of 2 rankings is the query itself (first: q1); only=others leaves it out"


@pytest.mark.parametrize("door", RUN_DOORS)
def test_the_own_id_of_a_query_is_noted_and_left_out(tmp_path, door):
    run = RUN_DOORS[door](tmp_path, OWN)
    result = fairtrec.evaluate("nDCG@2", run, qrels=OWN_QRELS)
    assert values_of(result.scores[0]) == {"q1": 1 / math.log2(3), "q2": 1}
    assert OWN_NOTE in map(str, result.scores[0].notes)
    result = fairtrec.evaluate("nDCG@2 NumRet", run, qrels=OWN_QRELS, only="others")
    assert result.scores[0].values.tolist() == [[1, 1], [1, 1]]
    assert OWN_NOTE not in map(str, result.scores[0].notes)
    assert result.signature["only"] == "others"


def test_the_own_id_of_a_query_in_a_session():
    session = fairtrec.evaluator("nDCG@2", OWN_QRELS)
    assert OWN_NOTE in map(str, session.scores(nest(OWN)).notes)
    tied = {"q1": {"q1": 1.0, "r": 1.0}, "q2": {"d1": 1.0}}  # of equal scores the falling docno is first
    assert not any(str(note).startswith("own id") for note in session.scores(tied).notes)


def test_few_own_ids_are_not_noted():
    run = {f"q{n}": {f"q{n}" if n == 1 else "d": 1.0} for n in range(1, 12)}
    qrels = {qid: {"d": 1} for qid in run}
    assert not any(
        str(note).startswith("own id") for note in fairtrec.evaluate("nDCG", run, qrels=qrels).scores[0].notes
    )
    run.pop("q11")
    assert any(str(note).startswith("own id") for note in fairtrec.evaluate("nDCG", run, qrels=qrels).scores[0].notes)


def test_others_go_with_judged_ones_and_need_no_qrels():
    run = {"q1": {"q1": 4.0, "x": 3.0, "d1": 2.0}}
    values = {
        only: fairtrec.evaluate("NumRet", run, qrels=OWN_QRELS, only=only).scores[0].values.tolist()
        for only in ("others", "judged", "others,judged", "others,relevant")
    }
    assert values == {"others": [[2]], "judged": [[1]], "others,judged": [[1]], "others,relevant": [[1]]}
    labels = {"d1": "f", "x": "m"}
    assert fairtrec.evaluate("AWRF@2", run, labels=labels, only="others").signature["only"] == "others"
    with pytest.raises(UsageError, match="only=others,judged needs qrels; pass QRELS, or leave it out"):
        fairtrec.evaluate("AWRF@2", run, labels=labels, only="others,judged")


@given(
    st.dictionaries(st.sampled_from("123"), st.dictionaries(st.sampled_from("abc123"), st.floats(-9, 9), min_size=1))
)
def test_others_are_the_run_without_own_ids(run):
    """--only others on a run without own ids changes nothing, and is the run without them."""
    run = run or {"1": {"a": 1.0}}
    qrels = {qid: {"a": 1, "b": 0, "1": 1} for qid in run}
    rest = {qid: {docno: score for docno, score in docs.items() if docno != qid} for qid, docs in run.items()}
    for given_run in (run, rest):
        others = fairtrec.evaluate("nDCG@2 RR", given_run, qrels=qrels, only="others").scores[0]
        assert others.values.tolist() == fairtrec.evaluate("nDCG@2 RR", rest, qrels=qrels).scores[0].values.tolist()


@pytest.mark.parametrize("door", [name for name in RUN_DOORS if name not in ("pandas", "arrow", "dict", "lists")])
def test_validate_reads_what_eval_reads(tmp_path, door):
    run = RUN_DOORS[door](tmp_path, RUN_CASES["plain"].run)
    (checked,) = fairtrec.validate(run)
    assert (checked.queries, checked.documents) == (2, 3)


def test_validate_reports_comments_of_qrels(tmp_path, fairtrec_command):
    run = write(tmp_path / "r.run", "1 Q0 a 1 2 t\n")
    qrels = write(tmp_path / "q.qrels", "1 0 a 1\n# by hand\n#1 0 b 1\n")
    done = fairtrec_command("validate", str(run), "--qrels", str(qrels))
    assert "# q.qrels: 2 lines are comments\n" in done.err
    assert "line 3 is a comment in the form of a judgment; ids that begin with # need a table or JSON\n" in done.err
    plain = write(tmp_path / "p.qrels", "1 0 a 1\n# by hand\n")
    assert "form of a judgment" not in fairtrec_command("validate", str(run), "--qrels", str(plain)).err


def test_labels_that_no_measure_uses_are_not_signed(tmp_path, fairtrec_command):
    labels = {"a": "f", "b": "m", "c": "f"}
    signature = fairtrec.evaluate("nDCG@2", RUN, qrels=nest(JUDGED), labels=labels).signature
    assert not any(signature.get(name) for name in ("labels", "members", "target"))
    for measure, background in (("AWRF@2", None), ("nDCG(group=f)@2", None), ("NFaiRR@2", "collection")):
        used = fairtrec.evaluate(measure, RUN, qrels=nest(JUDGED), labels=labels, background=background)
        assert used.signature["labels"]
    run, qrels = write(tmp_path / "r.run", "1 Q0 a 1 2 t\n"), write(tmp_path / "q", "1 0 a 1\n")
    file = write(tmp_path / "l", "a\tf\nb\tm\n")
    done = fairtrec_command(
        "eval", str(qrels), str(run), "-m", "nDCG@2", "--labels", str(file), "--groups", "f,m", "-v"
    )
    assert "# --labels, --groups have no effect on nDCG@2\n" in done.err
    assert "members" not in done.err


def answer(qid, docs):
    """Write an answer that cites all its references."""
    cited = [{"text": "x", "citations": [*range(len(docs))]}]
    return json.dumps({"topic_id": qid, "run_id": "r", "references": [*docs], "answer": cited})


EMPTY_DOORS = {  # those that can say that a query has no document
    "json object": lambda at, run: write(at / "r.json", json.dumps(run)),
    "json lists": lambda at, run: write(at / "r.json", json.dumps({qid: [*docs] for qid, docs in run.items()})),
    "dict": lambda _, run: run,
    "lists": lambda _, run: {qid: [*docs] for qid, docs in run.items()},
    "array": lambda _, run: fairtrec.Run.from_arrays(
        [*run], ["a", "b", "c"], np.array([[docs.get(d, -np.inf) for d in "abc"] for docs in run.values()])
    ),
    "answers": lambda at, run: f"{write(at / 'r.jsonl', chr(10).join(answer(q, d) for q, d in run.items()))}:cited",
    "references": lambda at, run: f"{write(at / 'r.jsonl', chr(10).join(answer(q, d) for q, d in run.items()))}:retrieved",
}  # fmt: skip


@pytest.mark.parametrize("door", EMPTY_DOORS)
def test_an_empty_ranking_counts(tmp_path, door):
    result = fairtrec.evaluate("nDCG@2 AWRF@2", EMPTY_DOORS[door](tmp_path, {"1": {}, "2": {"c": 2.0, "a": 1.0}}),
                               qrels=nest(JUDGED), labels={"a": "f", "c": "m"})  # fmt: skip
    (scores,) = result.scores
    assert scores.qids == ("1", "2")
    assert scores.values[0].tolist() == [0, 1]
    assert np.isnan(scores.values[1]).tolist() == [True, False]
    assert "1 of 2 queries has no document (1); it counts as an empty ranking" in map(str, scores.notes)


@pytest.mark.parametrize("door", EMPTY_DOORS)
def test_all_rankings_may_be_empty(tmp_path, door):
    result = fairtrec.evaluate("nDCG@2", EMPTY_DOORS[door](tmp_path, {"1": {}, "2": {}}), qrels=nest(JUDGED))
    assert result.scores[0].values.tolist() == [[0, 0]]


def test_one_query_that_is_empty():
    result = fairtrec.evaluate("nDCG@2", {"1": {}}, qrels=nest(JUDGED))
    assert "1 of 1 query has no document (1); it counts as an empty ranking" in map(str, result.scores[0].notes)


@pytest.mark.parametrize("text", ["{}", "[]", "{ }\n"])
def test_a_run_that_names_no_query(tmp_path, text):
    run = write(tmp_path / "r.json", text)
    with pytest.raises(InputError, match="names no query; complete= counts the queries of the qrels as empty rankings"):
        fairtrec.evaluate("nDCG@2", run, qrels=nest(JUDGED))
    assert fairtrec.evaluate("nDCG@2", run, qrels=nest(JUDGED), complete=True).scores[0].values.tolist() == [[0, 0]]


@given(st.dictionaries(st.sampled_from("12345"), st.dictionaries(st.sampled_from("abc"), st.floats(-9, 9))))
def test_an_empty_ranking_is_what_complete_counts(run):
    """A run with {} for a query is the run without it, and -c over the same queries."""
    qrels = {qid: {"a": 1, "b": 0} for qid in {"1", *run}}
    every = {qid: run.get(qid, {}) for qid in qrels}
    some = {qid: docs for qid, docs in every.items() if docs} or every
    ours = fairtrec.evaluate("nDCG@2 RR NumRet", every, qrels=qrels).scores[0]
    theirs = fairtrec.evaluate("nDCG@2 RR NumRet", some, qrels=qrels, complete=True).scores[0]
    assert ours.qids == theirs.qids
    assert ours.values.tolist() == theirs.values.tolist()


# -- tables of text ---------------------------------------------------------------------------------------------------

MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
EXAMPLE_DOCS = {"a": "he he she", "b": "she she", "c": "he he"}


class TableCase(NamedTuple):
    """A table of text: its lines, their names, and how it is given; ``comments`` may stand between the lines."""

    entries: tuple[str, ...]
    names: str
    keyword: str
    measures: str
    comments: bool = False


GROUPED = {"labels": {"a": "f", "b": "m", "c": "m"}}
TABLES = {
    "labels": TableCase(("a\tf", "b\tm", "c\tm"), "docno\tgroup", "labels", "AWRF@2"),
    "labels of weights": TableCase(("a\tf\t1", "b\tm\t.5", "c\tm\t1"), "docno\tgroup\tweight", "labels", "AWRF@2"),
    "terms": TableCase(("she\tf", "he\tm"), "term\tgroup", "terms", "AWRF@2"),
    "terms between commas": TableCase(("she,f", "he,m"), "word,label", "terms", "AWRF@2"),
    "texts": TableCase(tuple(f"{d}\t{t}" for d, t in EXAMPLE_DOCS.items()), "docno\ttext", "docs", "AWRF@2"),
    "queries": TableCase(("1\twhat", "2\twho"), "qid\ttext", "queries", "AWRF@2"),
    "counts between commas": TableCase(("a,3,1,2", "b,2,2,0", "c,2,0,2"), "docno,tokens,f,m", "counts", "AWRF@2"),
    "counts between semicolons": TableCase(("3;1;a;2", "2;2;b;0", "2;0;c;2"), "tokens;f;docno;m", "counts", "AWRF@2"),
    "counts": TableCase(("a\t3\t1\t2", "b\t2\t2\t0", "c\t2\t0\t2"), "docno\ttokens\tf\tm", "counts", "AWRF@2"),
    "frequencies": TableCase(("1\t5", "2\t1"), "qid\tfrequency", "pool", "Exposure@2"),
    "discount": TableCase(("1\t1", "2\t.5"), "rank\tweight", "discount", "AWRF(discount=given)@2"),
    "qrels": TableCase(("1 0 a 1", "1 0 b 0", "2 0 c 1"), "qid iteration docno relevance", "qrels", "nDCG@2", True),
}
WITHOUT_NAMES = {"counts", "counts between commas", "counts between semicolons"}  # those that have no headerless form
BESIDE = {"terms": {"docs": EXAMPLE_DOCS}, "docs": {"terms": {"f": ["she"], "m": ["he"]}}}


def evaluate(case, path):
    keywords = {case.keyword: path} | BESIDE.get(case.keyword, {})
    grouped = {} if case.keyword in ("labels", "terms", "docs", "counts", "qrels") else GROUPED
    result = fairtrec.evaluate(case.measures, RUN, **keywords, **grouped)
    return result.scores[0].values.tolist(), result.signature.get("members")


def is_bare(text, case):
    """Tell lines of TREC, between which comments may stand; below names an id may begin with #."""
    return case.comments and text.startswith(case.entries)


DRESSES = {  # ways to write the same table
    "BOM": lambda text, _: MARK + text,
    "CR LF": lambda text, _: text.replace("\n", "\r\n"),
    "blank lines": lambda text, _: "\n\n" + text.replace("\n", "\n\n \n"),
    "no final line end": lambda text, _: text.rstrip("\n"),
    "a comment above": lambda text, _: "# made today\n" + text,
    "comments": lambda text, case: text.replace("\n", "\n# made today\n") if is_bare(text, case) else text,
}


@pytest.mark.parametrize("name", [*TABLES])
@pytest.mark.parametrize("dress", DRESSES)
def test_what_changes_no_value(tmp_path, name, dress):
    case = TABLES[name]
    named = [case.names, case.names.upper().replace("QID", "Q-ID"), case.names.replace("docno", '"Doc ID"')]
    forms = [[line, *case.entries] for line in (named[:2] if name == "qrels" else named)]
    forms += [] if name in WITHOUT_NAMES else [list(case.entries)]
    if case.keyword == "counts":
        forms = [forms[0]]  # the names of groups have their case
    plain = evaluate(case, write(tmp_path / "plain", "".join(f"{line}\n" for line in forms[-1])))
    for form in forms:
        text = "".join(f"{line}\n" for line in form)
        assert evaluate(case, write(tmp_path / "dressed", DRESSES[dress](text, case))) == plain


@pytest.mark.parametrize("name", [*TABLES])
def test_a_comment_below_the_names(tmp_path, name):
    """A line with # and other than the columns of the names is a comment, down to the first entry."""
    case = TABLES[name]
    plain = evaluate(case, write(tmp_path / "plain", "".join(f"{line}\n" for line in (case.names, *case.entries))))
    lines = (case.names, "# made today, or not, by some", "#", "", *case.entries)
    assert evaluate(case, write(tmp_path / "below", "".join(f"{line}\n" for line in lines))) == plain


@pytest.mark.parametrize("name", [*TABLES])
def test_lines_that_end_in_cr_are_refused(tmp_path, name):
    case = TABLES[name]
    path = write(tmp_path / "cr", "".join(f"{line}\r" for line in (case.names, *case.entries)))
    with pytest.raises(InputError, match="lines end in CR only; convert it"):
        evaluate(case, path)


@pytest.mark.parametrize("name", ["labels", "terms", "texts", "frequencies", "discount", "qrels"])
def test_semicolons_need_names(tmp_path, name):
    case = TABLES[name]
    lines = [line.replace("\t", ";").replace(" ", ";") for line in case.entries]
    with pytest.raises(InputError, match=r"plain:1: semicolons between cells|plain: semicolons between cells"):
        evaluate(case, write(tmp_path / "plain", "\n".join(lines)))


@given(
    st.permutations(["docno", "group", "weight", "note"]), st.sampled_from("\t,;"), st.randoms(use_true_random=False)
)
def test_columns_in_any_order_and_case(tmp_path_factory, order, separator, dice):
    cells = {"docno": "abc", "group": "fmm", "weight": ["1", "0.5", "1"], "note": ["x", "y z", ""]}
    spelled = ["".join(dice.choice((letter.lower(), letter.upper())) for letter in name) for name in order]
    rows = [separator.join(cells[name][at] for name in order) for at in range(3)]
    text = "\n".join([separator.join(spelled), *rows])
    path = write(tmp_path_factory.mktemp("order") / "l", text)
    assert evaluate(TABLES["labels"], path) == evaluate(
        TABLES["labels"], {"a": {"f": 1}, "b": {"m": 0.5}, "c": {"m": 1}}
    )


def test_one_table_of_counts_through_every_separator(tmp_path):
    values = [evaluate(TABLES[name], write(tmp_path / "c", "\n".join((TABLES[name].names, *TABLES[name].entries))))
              for name in TABLES if TABLES[name].keyword == "counts"]  # fmt: skip
    assert len(values) == 3
    assert values == [values[0]] * 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("docno,tokens,f,m\na,3,1,2\n\nb,2,x,0\n", "c.csv:4: the f 'x' is not an integer; correct it"),
        ("docno,tokens,f,m\na,3,1\n", "c.csv:2: 3 columns instead of the 4 of the first line; write: docno tokens f m"),
        (
            "docno,tokens,f\na,3,1\n",
            "c.csv:1: the first line is not the header of a table of counts; write: docno tokens",
        ),
        ("docno,tokens,f,f\na,3,1,1\n", "c.csv:1: the first line is not the header of a table of counts; write: docno"),
    ],
)
def test_counts_between_commas_that_are_wrong(tmp_path, text, says):
    with pytest.raises(InputError) as fault:
        fairtrec.evaluate("AWRF@2", RUN, counts=write(tmp_path / "c.csv", text))
    assert says in str(fault.value)


def test_headers_of_a_discount_a_target_and_slices_are_noted(tmp_path, fairtrec_command):
    """Their names make a header though none is of an id; one note is for all files."""
    run, labels = write(tmp_path / "r", "1 Q0 a 1 2 t\n"), write(tmp_path / "l", "a\tf\nb\tm\n")
    discount = write(tmp_path / "d.tsv", "rank\tweight\n1\t1\n")
    target = write(tmp_path / "t.tsv", "group\tshare\nf\t.5\nm\t.5\n")
    slices = write(tmp_path / "s.tsv", "qid\tslice\n1\tx\n")
    given_files = ["--discount", str(discount), "--target", str(target), "--slice", str(slices)]
    done = fairtrec_command(
        "eval", "none", str(run), "--labels", str(labels), "-m", "AWRF(discount=given)@1", "-v", *given_files
    )
    assert "# headers: d.tsv:1 (rank, weight), t.tsv:1 (group, share), s.tsv:1 (qid, slice)\n" in done.err
    words = write(tmp_path / "w", "1\tuser\n")
    result = fairtrec.evaluate("AWRF@1", {"1": {"a": 1.0}}, labels=labels)
    from fairtrec.evaluation.slices import Slices

    noted = [str(note) for note in Slices.read(words).add_notes(result).notes]
    assert "read as an entry: w:1 (1, user); add a second known name if it is a header" in noted


TIMES = {  # columns of times, those of one that is in no calendar, and what is said of each
    "days": ([0, 1], "holds times instead of numbers; write numbers"),
    "beyond the calendar": ([10**17, 0], "holds times instead of numbers; write numbers"),
}


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("what", ["labels", "run", "qrels"])
def test_times_are_no_numbers(tmp_path, name, what):
    numbers, says = TIMES[name]
    times = pa.array(numbers, pa.timestamp("ms"))
    column = {"labels": "weight", "run": "score", "qrels": "rel"}[what]
    group = {"group": ["f", "m"]} if what == "labels" else {}
    table = pa.table({"qid": ["1", "1"], "docno": ["a", "b"], **group, column: times})
    parquet.write_table(table, tmp_path / "t.parquet")
    for thing in (table, tmp_path / "t.parquet"):
        given_things = {"labels": {"a": "f", "b": "m"}, "qrels": nest(JUDGED), "runs": RUN}
        given_things[{"run": "runs"}.get(what, what)] = thing
        is_named = name == "days" and thing is table and what != "labels"  # by its query and document
        with pytest.raises(InputError, match="of document a under query 1 of the" if is_named else says):
            fairtrec.evaluate("AWRF@2 nDCG@2", given_things.pop("runs"), **given_things)


def test_a_group_that_is_no_time_of_the_calendar(tmp_path):
    table = pa.table({"docno": ["a", "b"], "group": pa.array([10**17, 0], pa.timestamp("ms"))})
    parquet.write_table(table, tmp_path / "t.parquet")
    for thing in (table, tmp_path / "t.parquet"):
        with pytest.raises(InputError, match="holds a time outside of the years 1 to 9999; write it as text"):
            fairtrec.evaluate("AWRF@2", RUN, labels=thing)


def test_headers_and_words_are_noted(tmp_path):
    docs = write(tmp_path / "topics.tsv", "docno\ttext\na\the\nb\tshe\nc\the\n")
    terms = write(tmp_path / "mine.csv", "term,group\nshe,f\nhe,m\n")
    result = fairtrec.evaluate("AWRF@2", RUN, docs=docs, terms=terms)
    assert "headers: mine.csv:1 (term, group), topics.tsv:1 (docno, text)" in map(str, result.notes)
    assert "groups: f 1 term, m 1 term" in map(str, result.notes)
    labels = write(tmp_path / "labels.tsv", "item\tu\na\tf\nb\tm\n")
    told = "read as an entry: labels.tsv:1 (item, u); add a second known name if it is a header"
    assert told in map(str, fairtrec.evaluate("AWRF@2", RUN, labels=labels).notes)


COLLECTIONS = {  # ways to write the texts of three documents, of which `counts make` reads lines
    "plain": lambda at, rows: write(at / "d", "".join(f"{d}\t{t}\n" for d, t in rows)),
    "names": lambda at, rows: write_table(at / "d", ("DOCNO", "Text"), rows, "\t"),
    "a comment and names": lambda at, rows: write(at / "d", "# c\n\nid\ttext\n" + "".join(f"{d}\t{t}\n" for d, t in rows)),
    "packed": lambda at, rows: pack(write_table(at / "d", ("doc-id", "contents"), rows, "\t")),
    "json lines": lambda at, rows: write(at / "d", "\n".join(write_objects(("Passage-ID", "text"), rows))),
}  # fmt: skip
TEXT_DOORS = COLLECTIONS | {
    "csv": lambda at, rows: write_table(at / "d", ("PID", "body"), rows, ","),
    "other order": lambda at, rows: write_table(at / "d", ("text", "url", "id"), [(t, "u", d) for d, t in rows], ";"),
    "json array": lambda at, rows: write(at / "d", f"[{', '.join(write_objects(('_id', 'text'), rows))}]"),
    "parquet": lambda at, rows: write_parquet(at / "d.parquet", ("DocNo", "text"), rows),
    "pandas": lambda _, rows: make_frame(("doc id", "text"), rows),
    "dict": lambda _, rows: dict(rows),
}  # fmt: skip


def pack(path):
    path.write_bytes(gzip.compress(path.read_bytes()))
    return path


@pytest.mark.parametrize("door", TEXT_DOORS)
def test_texts(tmp_path, door):
    docs = TEXT_DOORS[door](tmp_path, [*EXAMPLE_DOCS.items()])
    result = fairtrec.evaluate("AWRF@2", RUN, docs=docs, terms={"f": ["she"], "m": ["he"]})
    assert round(result.means["run"]["AWRF@2"], 4) == 0.9430


@pytest.mark.parametrize("door", COLLECTIONS)
def test_counts_of_texts(tmp_path, fairtrec_command, door):
    docs = COLLECTIONS[door](tmp_path, [*EXAMPLE_DOCS.items()])
    made = fairtrec_command("counts", "make", str(docs), "--terms", "gender-en", "-o", str(tmp_path / "c.tsv"))
    assert made.code == 0, made.err
    rows = [line.split() for line in (tmp_path / "c.tsv").read_text().splitlines() if line[0] != "#"]
    assert rows == [["docno", "tokens", "f", "m"], ["a", "3", "1", "2"], ["b", "2", "2", "0"], ["c", "2", "0", "2"]]


def test_counts_of_other_columns_are_refused(tmp_path, fairtrec_command):
    docs = write_table(tmp_path / "d", ("docno", "url", "text"), [("a", "u", "he")], "\t")
    made = fairtrec_command("counts", "make", str(docs), "--terms", "gender-en", "-o", str(tmp_path / "c.tsv"))
    assert made.code == 3
    assert "d:1: the columns are docno, url, text; write lines docno<TAB>text" in made.err


def test_judged_queries_that_a_run_lacks_are_noted(tmp_path, fairtrec_command):
    qrels = write(tmp_path / "q", "".join(f"{qid} 0 a 1\n" for qid in "123"))
    some = write(tmp_path / "some.run", "1 Q0 a 1 2 r\n2 Q0 a 1 2 r\n")
    every = write(tmp_path / "all.run", some.read_text() + "3 Q0 a 1 2 r\n")
    one = "2 of the 3 judged queries are in the run; -c counts the others as empty rankings"
    several = "judged queries, of 3: some 2, all 3; -c counts the others as empty rankings"
    for command, *runs in (("eval", some), ("check", some, "--require", "nDCG@2 >= 0.1"), ("compare", some, every)):
        measures = [] if command == "check" else ["-m", "nDCG@2"]
        done = fairtrec_command(command, str(qrels), *map(str, runs), *measures)
        shown = " ".join((done.out + done.err).split())
        assert (several if command == "compare" else one) in shown
    apart = write(tmp_path / "apart.run", "3 Q0 a 1 2 r\n")
    done = fairtrec_command("eval", str(qrels), str(some), str(apart), "-m", "nDCG@2")
    assert "judged queries, of 3: apart 1, some 2; -c counts the others as empty rankings\n" in done.err
    done = fairtrec_command("eval", "none", str(some), str(apart), "-m", "NumRet", "-f", "tsv")
    assert "--queries common" not in done.err
    for silent in (["-c"], ["--queries", str(write(tmp_path / "two", "1\n2\n"))]):
        done = fairtrec_command("eval", str(qrels), str(some), "-m", "nDCG@2", *silent)
        assert "judged queries" not in done.err


def test_what_doubts_a_comparison_is_noted_before_what_is_missing_and_what_counts_it(tmp_path, fairtrec_command):
    """DP of one group has no value for an empty ranking, so -c counts no query more; one of three queries differs."""
    qrels = write(tmp_path / "q", "".join(f"{qid} 0 a 1\n" for qid in "1234"))
    labels = write(tmp_path / "labels", "a\tf\nb\tm\n")
    one = write(tmp_path / "one.run", "".join(f"{qid} Q0 a 1 2 r\n{qid} Q0 b 2 1 r\n" for qid in "123"))
    other = write(tmp_path / "other.run", one.read_text().replace("3 Q0 b 2 1", "3 Q0 b 2 3"))
    done = fairtrec_command(
        "compare", str(qrels), str(one), str(other), "-m", "DP(protected=f)", "--labels", str(labels)
    )
    notes = " ".join(done.out.split()).partition(" ?: ")[2]
    doubt, lacking = (
        "only 1 query differs from",
        "judged queries, of 4: one 3, other 3; -c counts the others as empty rankings, ",
    )
    assert 0 < notes.find(doubt) < notes.find(lacking + "-c --undefined 0 also those without a value"), notes
    assert "--queries common" not in notes
