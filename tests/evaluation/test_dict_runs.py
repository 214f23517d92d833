"""A session evaluates dicts and arrays as ``evaluate`` does, to the last bit."""

import random
from dataclasses import replace

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation.session import Evaluator

MEASURES = "nDCG@10 nDCG RR RR@3 RR(rel=2)@5 AP AP(rel=2)@20 P@5 P(rel=2)@10 R@10 Success@1"


def made(seed, queries=20, documents=30, *, tied=False):
    draw = random.Random(seed)
    number = (lambda: draw.randrange(4) / 4) if tied else (lambda: draw.uniform(-3, 3))
    run = {f"q{n}": {f"d{draw.randrange(200)}": number() for _ in range(draw.randrange(1, documents))}
           for n in range(queries)}  # fmt: skip
    qrels = {f"q{n}": {f"d{d}": draw.randrange(-1, 4) for d in draw.sample(range(200), draw.randrange(1, 60))}
             for n in range(3, queries + 5)}  # fmt: skip
    return run, qrels


def general(monkeypatch):
    monkeypatch.setattr(Evaluator, "_evaluate_plainly", lambda *_: None)


def take(result):
    return replace(result.scores[0], result=result)


def told(scores):
    result = scores.result
    return (scores.run, scores.tag, scores.qids, scores.values.tobytes(), scores.values.shape, scores.means.tobytes(),
            scores.notes, str(scores.signature), result.notes, result.options, result.groups, dict(result.files),
            str(result))  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("measures", [MEASURES, "nDCG@10", "nDCG@5 P@5"])
def test_a_dict_has_the_values_and_notes_of_any_run(seed, measures, monkeypatch):
    run, qrels = made(seed, tied=seed % 2)
    session = fairtrec.evaluator(measures, qrels, queries=[f"q{n}" for n in range(15)] if seed % 3 == 0 else None)
    found = told(session.scores(run))
    assert session._of_dicts is not None
    again = told(session.scores(run))
    general(monkeypatch)
    assert found == again == told(session.scores(run)) == told(fairtrec.evaluator(measures, qrels, queries=[
        f"q{n}" for n in range(15)] if seed % 3 == 0 else None).scores(run))  # fmt: skip


@pytest.mark.parametrize(
    "run",
    [
        {"q3": {"d1": 1, "d2": 2.0}},
        {"q3": {"d1": float("nan")}},
        {"q3": {"": 1.0}},
        {"q3": {"d\n": 1.0}},
        {"q3": {"é": 1.0, "d1": 2.0}},
        {"q3": ["d1", "d2"]},
        {"q3": {"d" * 2000: 1.0}},
        {"q3": {1: 1.0}},
        {"other": {"d1": 1.0}},
        {"q3": {}},
        {},
        {"q3": {"d1": np.float32(1.5)}},
        {"q3": {"d1": 1e308, "d2": 1e308}},
        {"one": {"q3": {"d1": 1.0}}},
    ],
)
def test_what_is_no_plain_dict_is_as_before(run, monkeypatch):
    qrels = made(1)[1]

    def outcome():
        try:
            return told(fairtrec.evaluator("nDCG@10 RR", qrels).scores(run))
        except fairtrec.FairtrecError as fault:
            return type(fault), str(fault)

    found = outcome()
    general(monkeypatch)
    assert found == outcome()


@pytest.mark.parametrize("more", [{"relevance_level": 2}, {"depth": 5}, {"complete": True}, {"bounds": "ties"},
                                  {"aggregate": "median"}, {"order": "file"}])  # fmt: skip
def test_options_play_the_part_that_they_play_for_any_run(more, monkeypatch):
    run, qrels = made(5, tied=True)
    found = told(fairtrec.evaluator("nDCG@10 RR P@5", qrels, **more).scores(run))
    general(monkeypatch)
    assert found == told(fairtrec.evaluator("nDCG@10 RR P@5", qrels, **more).scores(run))


def test_what_is_changed_in_one_result_is_in_no_other():
    run, qrels = made(2)
    session = fairtrec.evaluator("nDCG@10", qrels)
    session.scores(run).result.options["order"] = "changed"
    assert session.scores(run).result.options["order"] == "score"


def arrays_of(run):
    qids = list(run)
    docnos = sorted({docno for scores in run.values() for docno in scores})
    scores = np.array([[run[qid].get(docno, -np.inf) for docno in docnos] for qid in qids])
    return qids, docnos, scores


@pytest.mark.parametrize("seed", range(4))
def test_arrays_have_the_values_of_the_dict(seed):
    run, qrels = made(seed, tied=seed % 2)
    qids, docnos, scores = arrays_of(run)
    session = fairtrec.evaluator(MEASURES, qrels)
    expected = session.scores(run)
    draw = np.random.default_rng(seed)
    order = np.argsort(draw.random(scores.shape), axis=1)
    forms = {
        "a list of docnos": (docnos, scores, None),
        "bytes": (np.array(docnos, dtype="S"), scores, None),
        "a docno for each score": (np.array(docnos)[order], np.take_along_axis(scores, order, axis=1), None),
        "indices": (docnos, np.take_along_axis(scores, order, axis=1), order),
    }
    for form, (names, values, indices) in forms.items():
        found = session.scores(fairtrec.Run.from_arrays(qids, names, values, indices=indices))
        assert (form, found.qids) == (form, expected.qids)
        assert (form, found.values.tobytes()) == (form, expected.values.tobytes())
        assert found.notes == expected.notes


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measures", [MEASURES, "nDCG@10 RR@10", "AP"])
def test_small_arrays_have_the_values_and_notes_of_any_run(seed, measures, monkeypatch):
    whole, qrels = made(seed, queries=8, tied=seed % 2)
    run = {qid: {f"d{n}": scores.get(f"d{n}", n / 4) for n in range(20)} for qid, scores in whole.items()}
    run["q5"] = {"q5": 9.0, **{f"x{n}": 1.0 for n in range(19)}}  # a query that is a document, and nothing judged
    names = np.array([[*scores] for scores in run.values()], dtype="S")
    values = np.array([[*scores.values()] for scores in run.values()])
    session = fairtrec.evaluator(measures, qrels)
    ranked = fairtrec.Run.from_arrays([*run], names, values, name="arrays")
    found = [told(session.scores(ranked)), told(take(session.evaluate({"m": ranked})))]
    monkeypatch.setattr("fairtrec.data.arrays.FEW", 0)
    again = fairtrec.Run.from_arrays([*run], names, values, name="arrays")
    assert (again.qids, again.starts.tolist()) == (ranked.qids, ranked.starts.tolist())
    assert (again.docnos.dtype, again.docnos.tobytes()) == (ranked.docnos.dtype, ranked.docnos.tobytes())
    assert again.scores.tobytes() == ranked.scores.tobytes()
    general(monkeypatch)
    assert found == [told(session.scores(again)), told(take(session.evaluate({"m": again})))]


@pytest.mark.parametrize("measures", ["nDCG@10 RR", "RR AP"])
def test_a_run_of_which_nothing_is_judged_has_the_note_of_any_run(measures, monkeypatch):
    run, qrels = {f"q{n}": {"x1": 2.0, "x2": 1.0} for n in range(9)}, made(1)[1]
    session = fairtrec.evaluator(measures, qrels)
    found = [told(session.scores(run)), told(take(session.evaluate({"m": run})))]
    assert "none of" in str(found[0][6])
    general(monkeypatch)
    assert found == [told(session.scores(run)), told(take(session.evaluate({"m": run})))]


def test_one_named_dict_is_evaluated_as_any_run(monkeypatch):
    run, qrels = made(4)
    session = fairtrec.evaluator(MEASURES, qrels)
    found = session.evaluate({"m": run})
    assert session._of_dicts is not None
    general(monkeypatch)
    general_result = session.evaluate({"m": run})
    assert str(found) == str(general_result)
    assert found.scores[0].values.tobytes() == general_result.scores[0].values.tobytes()
    assert found.means == general_result.means


@pytest.mark.parametrize("depth", [1, 5, 10, 500])
def test_a_depth_keeps_the_first_documents(depth):
    run, qrels = made(3, tied=True)
    found = fairtrec.Run.from_arrays(*arrays_of(run), depth=depth)
    session = fairtrec.evaluator("nDCG AP", qrels, depth=depth)
    assert session.scores(found).values.tobytes() == session.scores(run).values.tobytes()
    assert np.diff(found.starts).max() <= depth


class Tensor:
    """What a tensor of PyTorch does here: it must leave its graph and its device first."""

    def __init__(self, values, ready=()):
        self.values, self.ready = values, ready

    def detach(self):
        return Tensor(self.values, (*self.ready, "detach"))

    def cpu(self):
        return Tensor(self.values, (*self.ready, "cpu"))

    def __dlpack__(self, **more):
        assert self.ready == ("detach", "cpu")
        return self.values.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_a_tensor_is_taken():
    run = fairtrec.Run.from_arrays(["q"], ["a", "b"], Tensor(np.array([[1.0, 2.0]], dtype=np.float32)))
    assert run.docnos.tolist() == [b"b", b"a"]


@pytest.mark.parametrize(
    ("qids", "docnos", "scores", "more", "said"),
    [
        (["q"], ["a", "b"], [[1.0, np.nan]], {}, "a score is nan or inf"),
        (["q"], ["a", "b"], [[1.0, np.inf]], {}, "a score is nan or inf"),
        (["q"], ["a", "b"], [1.0, 2.0], {}, r"the scores have the shape \(2,\)"),
        (["q", "p"], ["a", "b"], [[1.0, 2.0]], {}, "of 2 queries"),
        (["q"], ["a"], [[1.0, 2.0]], {}, "a docno for each column"),
        (["q"], ["a", "a"], [[1.0, 2.0]], {}, "document a appears twice"),
        (["q", "q"], ["a", "b"], [[1.0, 2.0]] * 2, {}, "a query id appears twice"),
        (["q"], ["a", ""], [[1.0, 2.0]], {}, "a docno is empty"),
        (["q"], ["a", "b"], [[1.0, 2.0]], {"indices": [[0, 2]]}, "whole numbers from 0 to 1"),
        (["q"], ["a", "b"], [[1.0, 2.0]], {"indices": [[0.0, 1.0]]}, "whole numbers from 0 to 1"),
        (["q"], ["a", "b"], [[1.0, 2.0]], {"indices": [[1, 1]]}, "document b appears twice"),
        (["q"], ["a", "b"], [[1.0, 2.0], [1.0]], {}, "cannot take the scores as an array"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(qids, docnos, scores, more, said):
    with pytest.raises(fairtrec.InputError, match=said):
        fairtrec.Run.from_arrays(qids, docnos, scores, **more)
