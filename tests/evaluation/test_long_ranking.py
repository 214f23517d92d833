"""One long ranking among many short ones: no memory for the ranks that the others have not, and the same values."""

import tracemalloc
from dataclasses import astuple

import numpy as np
import pytest

import fairtrec
from fairtrec.data import Run
from fairtrec.data.ranking import depth
from fairtrec.evaluation import relevance as judge
from fairtrec.evaluation import score
from fairtrec.formulas.labelings import unlabeled
from fairtrec.support.errors import InputError

QRELS = {f"q{number}": {f"d{number}": 1, "d3": 2, "d40": 1} for number in range(30)} | {"z": {"d5": 1, "d900": 3}}
LABELS = {f"d{number}": "fm"[number % 7 // 4] for number in range(0, 1000, 3)}
MEASURES = "rND rKL NDKL@500 AWRF(discount=log2)@300 DP DTR DIR AP nDCG Rprec ERR@7 Skew(group=f)@100"


def run(long=1000):
    """Thirty short rankings of 3 to 32 documents with ties, and a long one."""
    short = {f"q{q}": {f"d{q * 5 + rank}": float((40 - rank) // 3) for rank in range(3 + q)} for q in range(30)}
    return short | {"z": {f"d{rank}": float(long - rank // 2) for rank in range(long)}}


@pytest.fixture
def parted(monkeypatch):
    """Take parts as if a small matrix were a large one."""
    monkeypatch.setattr(depth, "CELLS", 1000)
    monkeypatch.setattr(score, "CELLS", 1000)
    monkeypatch.setattr(unlabeled, "LARGE", 1000)


@pytest.mark.parametrize("given", [{"bounds": "ties", "measures": "NDKL@8 AP nDCG@9 ERR@3"}, {"labels": LABELS}, {}])
def test_the_same_as_in_one_matrix(given, request):
    options = {"measures": MEASURES, "labels": LABELS, **given}
    whole = fairtrec.evaluate(runs=run(), qrels=QRELS, **options).scores[0]
    request.getfixturevalue("parted")
    starts = np.array([0, 1, 2, 5002, 5003, 5004, 5004])
    few = Run("", "", tuple("abcdef"), starts, np.zeros(5004), np.zeros(5004))
    assert [part.tolist() for part in depth.deal_queries(few, "abcdefg", None)] == [[0, 1, 3, 4, 5, 6], [2]]
    assert [part.tolist() for part in depth.deal_queries(few, "abcdefg", 9)] == [[0, 1, 2, 3, 4, 5, 6]]
    parts = fairtrec.evaluate(runs=run(), qrels=QRELS, **options).scores[0]
    np.testing.assert_allclose(parts.values, whole.values, rtol=1e-12, atol=1e-15)
    assert list(map(str, parts.notes)) == list(map(str, whole.notes))
    if "ties" in whole.columns:
        for mine, theirs in zip(astuple(parts.columns["ties"]), astuple(whole.columns["ties"]), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-15)


def test_many_judgments_of_one_query_take_no_memory_for_the_others(monkeypatch):
    qrels = {**QRELS, "z": {f"d{number}": number % 4 - 1 for number in range(1000)}, "nowhere": {"d1": 1}}
    measures = "nDCG nDCG@5 AP R(rel=2)@9 RR Rprec Bpref infAP SetF IPrec@0.5 NumRel nDCG(gains={1:4})@7 Judged"
    whole = fairtrec.evaluate(measures, run(), qrels=qrels, complete=True).scores[0]
    for module, name in ((judge, "CELLS"), (depth, "CELLS"), (depth, "TIMES")):
        monkeypatch.setattr(module, name, 0)
    sizes, graded = [], judge.Graded
    monkeypatch.setattr(
        judge, "Graded", lambda index, falling, most: sizes.append(falling.size) or graded(index, falling, most)
    )
    parts = fairtrec.evaluate(measures, run(), qrels=qrels, complete=True).scores[0]
    assert parts.qids == whole.qids
    assert parts.values.tobytes() == whole.values.tobytes()
    assert max(sizes) == 1000 < whole.values.shape[1] * 1000


def test_few_queries_and_judgments_at_a_time_give_the_same_bytes(monkeypatch):
    qrels = {**QRELS, "z": {f"d{number}": number % 4 - 1 for number in range(1000)}, "nowhere": {"d1": 1}}
    measures = "nDCG nDCG@5 AP R(rel=2)@9 RR Rprec Bpref infAP SetF IPrec@0.5 NumRel nDCG(gains={1:4})@7 Judged ERR@9"
    whole = fairtrec.evaluate(measures, run(), qrels=qrels, complete=True).scores[0]
    made, index = [], judge.QrelsIndex
    monkeypatch.setattr(judge, "QrelsIndex", lambda *given: made.append(given[1]) or index(*given))
    monkeypatch.setattr(judge, "TOGETHER", 40)
    monkeypatch.setattr(judge, "QUERIES", 7)
    parts = fairtrec.evaluate(measures, run(), qrels=qrels, complete=True).scores[0]
    assert parts.qids == whole.qids
    assert parts.values.tobytes() == whole.values.tobytes()
    assert len(made) > 32 / 7
    assert max(map(len, made)) <= 7


def test_remarks_that_count_are_made_of_all_queries(request):
    soft = {docno: {"f": 0.25, "m": 0.75} if docno == "d12" else {group: 1.0} for docno, group in LABELS.items()}
    whole = fairtrec.evaluate("rND", run(), qrels="none", labels=soft).scores[0].notes
    assert str(whole[0]) == "rND: 2 of 499 memberships are soft; more than .5 counts as a member"
    request.getfixturevalue("parted")
    assert fairtrec.evaluate("rND", run(), qrels="none", labels=soft).scores[0].notes == whole


def test_stances_by_part(request):
    stances = {docno: float(number % 5) for number, docno in enumerate(LABELS)}
    options = {"measures": "DUO SignedDUO(step=2) RR", "stances": stances, "qrels": QRELS}
    whole = fairtrec.evaluate(runs=run(), **options).scores[0]
    request.getfixturevalue("parted")
    parts = fairtrec.evaluate(runs=run(), **options).scores[0]
    np.testing.assert_allclose(parts.values, whole.values, rtol=1e-12, atol=1e-15)
    assert list(map(str, parts.notes)) == list(map(str, whole.notes))
    with pytest.raises(InputError, match="the stances have none of its documents"):
        fairtrec.evaluate(runs=run(), **options | {"stances": {"x": 1.0, "y": 2.0}})


def test_bounds_by_part(request):
    texts = {f"d{number}": ("she", "he he", "")[number % 3] for number in range(0, 1000, 2)}
    several = [
        {"measures": "NDKL@60 EED MaxShare@60", "labels": LABELS, "bounds": "labels", "next_label": True},
        {"measures": "NFaiRR@500 FaiRR@9", "terms": {"f": ["she"], "m": ["he"]}, "docs": texts, "bounds": "texts"},
    ]
    several[1]["background"] = run()
    whole = [fairtrec.evaluate(runs=run(), **options).scores[0] for options in several]
    request.getfixturevalue("parted")
    parts = [fairtrec.evaluate(runs=run(), **options).scores[0] for options in several]
    for mine, theirs in zip(parts, whole, strict=True):
        assert list(map(str, mine.notes)) == list(map(str, theirs.notes))
        for name, found in vars(theirs.columns["unknown"]).items():
            same = np.testing.assert_array_equal if found.dtype == object else np.testing.assert_allclose
            same(getattr(mine.columns["unknown"], name), found, err_msg=name)
        assert (theirs.columns["unknown"].least < theirs.columns["unknown"].greatest).any(axis=1).all()


def test_labels_that_know_no_document_of_any_part_are_refused(parted):
    fairtrec.evaluate("rND", run(), qrels="none", labels={"d999": "f", "d998": "m"})  # of the long ranking alone
    with pytest.raises(InputError, match="the labels have none of its documents"):
        fairtrec.evaluate("rND", run(), qrels="none", labels={"x": "f", "y": "m"})


def test_memory_is_that_of_the_documents_not_of_a_matrix(tmp_path):
    many = 200_000
    with (tmp_path / "long.run").open("w") as file:
        for query in range(100):
            file.write(f"q{query} Q0 D{query} 1 1 r\n")
        file.writelines(f"z Q0 D{rank} {rank} {many - rank} r\n" for rank in range(many))
    qrels = {"z": {"D7": 1}, **{f"q{query}": {"D3": 1} for query in range(100)}}
    labels = {f"D{rank}": "fm"[rank % 2] for rank in range(0, 1000, 2)} | {"D1": "m"}
    for options in (
        {"measures": f"NDKL@{many}", "labels": labels},
        {"measures": "AP", "bounds": "ties"},
        {"measures": "EER", "labels": labels, "bounds": "labels"},
    ):
        tracemalloc.start()
        fairtrec.evaluate(runs=tmp_path / "long.run", qrels=qrels, **options)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 101 * many * 8 / 2  # half of one matrix [query, rank]
