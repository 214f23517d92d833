"""A session: runs one after the other, with the values of one evaluation, and nothing read twice."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation.answers.result import Part
from fairtrec.evaluation.inputs.documents import Documents
from fairtrec.support.errors import InputError
from fairtrec.support.files import opening
from fairtrec_made import texts

RUNS = ("bm25.run", "neural.run", "fair.run")
TEXTUAL = {"terms": "gender-en", "docs": "collection.tsv", "background": "background.run"}
OPTIONS = {
    "texts": {**TEXTUAL, "measures": "nDCG@10 NFaiRR@10 ARaB(mag=bool)@10 TExFAIR@10 AWRF@10"},
    "the background is a run": {**TEXTUAL, "background": "bm25.run", "measures": "RR NFaiRR@10"},
    "passed over": {**TEXTUAL, "missing": "skip", "depth": 8, "measures": "NFaiRR FaiRR@5"},
    "ties": {**TEXTUAL, "background": "neural.run", "bounds": "ties", "measures": "nDCG@5 NFaiRR@5"},
    "labels": {"labels": "labels.tsv", "background": "background.run", "target": "background", "measures": None},
    "queries": {**TEXTUAL, "queries": "example-fair", "complete": True, "measures": "P@5 FaiRR"},
    "stances": {"stances": "stances.tsv", "measures": "DUO@10 RR"},
    "shares of judged documents": {**TEXTUAL, "target": "relevance", "measures": "AWRF@10 AWRFxnDCG@10"},
    "rankings at random": {"labels": "labels.tsv", "samples": True, "measures": "EED@10 P@5"},
}


@pytest.fixture
def opened(monkeypatch, example):
    """Work in the example's folder, and count how often each file is opened."""
    monkeypatch.chdir(example)
    times = Counter()
    real = opening.open_input

    def counting(path, *buffer):
        times[str(path)] += 1
        return real(path, *buffer)

    monkeypatch.setattr(opening, "open_input", counting)
    return times


def session_of(measures, **options):
    return fairtrec.evaluator(measures, "qrels.txt", **options)


def _arrays(scores):
    held = [(name, *each) for name, column in scores.columns.items() for each in vars(column).items()]
    return {(name, field): array for name, field, array in held if isinstance(array, np.ndarray)}


def same(one, other):
    assert (one.run, one.tag, one.qids, one.notes) == (other.run, other.tag, other.qids, other.notes)
    assert one.measures == other.measures
    assert one.values.tobytes() == other.values.tobytes()
    assert [*one.columns] == [*other.columns]
    mine, theirs = _arrays(one), _arrays(other)
    assert {key: array.tobytes() for key, array in mine.items()} == {
        key: each.tobytes() for key, each in theirs.items()
    }


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_runs_get_the_values_of_one_evaluation_to_the_last_bit(opened, options):
    session = session_of(**options)
    for run in RUNS:
        alone = fairtrec.evaluate(runs=run, qrels="qrels.txt", **options)
        same(session.scores(run), alone.scores[0])
        again = session.evaluate([run])
        assert (again.signature, texts(again.notes), again.options) == (
            alone.signature,
            texts(alone.notes),
            alone.options,
        )
        assert again.digests == alone.digests
    together = fairtrec.evaluate(runs=list(RUNS), qrels="qrels.txt", **options)
    for mine, theirs in zip(session.evaluate(list(RUNS)).scores, together.scores, strict=True):
        same(mine, theirs)


def test_the_second_run_opens_no_file_but_its_own(opened, tmp_path):
    session = session_of(**OPTIONS["texts"])
    assert "qrels.txt" not in opened  # nothing large is read before a run comes
    session.scores("bm25.run")
    assert opened["qrels.txt"] == opened["background.run"] == opened["bm25.run"] == 1
    (tmp_path / "again.run").write_bytes(Path("bm25.run").read_bytes())
    opened.clear()
    first = session.scores("bm25.run")
    same(first, session.scores("bm25.run"))
    session.scores(str(tmp_path / "again.run"))
    assert opened == {"bm25.run": 2, str(tmp_path / "again.run"): 1}


def test_counts_are_looked_up_once(opened, tmp_path, monkeypatch):

    from fairtrec.counting.table import document_counts

    asked = []
    real = document_counts.read_counts

    def counts(table, wanted, *, collection):
        asked.append(wanted.names.tolist())
        return real(table, wanted, collection=collection)

    monkeypatch.setattr(document_counts, "read_counts", counts)
    table = tmp_path / "counts.tsv"
    table.write_text("docno tokens f m\n" + "".join(f"d{i} {50 + i} {i % 3} {i % 2}\n" for i in range(9)))
    session = fairtrec.evaluator("NFaiRR@3 ARaB@2", counts=str(table), background={"q": {"d0": 2.0, "d1": 1.0}})
    opened.clear()
    for ranking in (["d3", "d1"], ["d1", "d3"], ["d8", "d3", "a-docno-that-is-longer"], ["d4", "d8"]):
        run = {"q": {docno: -float(rank) for rank, docno in enumerate(ranking)}}
        if "a-docno-that-is-longer" in ranking:
            with pytest.raises(fairtrec.support.errors.InputError, match="a-docno-that-is-longer at rank 3 of query q"):
                session.scores(run)
        else:
            alone = fairtrec.evaluate(
                "NFaiRR@3 ARaB@2", run, counts=str(table), background={"q": {"d0": 2.0, "d1": 1.0}}
            )
            asked.pop()
            same(session.scores(run), alone.scores[0])
    assert asked == [[b"d0", b"d1", b"d3"], [b"d8", b"a-docno-that-is-longer"], [b"d4"]]


def test_the_background_is_looked_up_once(opened, monkeypatch):
    times, real = Counter(), Documents.find_lines
    session = session_of("NFaiRR@10 IFaiRR@10", **TEXTUAL)

    def find_lines(documents, run, *args):
        times.update([run.name] * (documents is session._looked_up))  # and not tied documents
        return real(documents, run, *args)

    monkeypatch.setattr(Documents, "find_lines", find_lines)
    for run in RUNS:
        session.scores(run)
    assert sum(times.values()) == len(RUNS) + 1, times


def test_a_background_that_comes_as_a_run_later_is_read_as_deep_as_runs_are(opened):
    session = session_of("RR NFaiRR@3", **{**TEXTUAL, "background_depth": 2})
    session.scores("bm25.run")
    opened.clear()
    alone = fairtrec.evaluate("RR NFaiRR@3", "background.run", qrels="qrels.txt", **{**TEXTUAL, "background_depth": 2})
    opened.clear()
    same(session.scores("background.run"), alone.scores[0])
    assert opened == {"background.run": 1}


def test_what_does_not_fit_together_is_refused_before_a_run_comes(opened):
    with pytest.raises(fairtrec.support.errors.UsageError, match="NFaiRR@10 needs a background set"):
        fairtrec.evaluator("NFaiRR@10", terms="gender-en", docs="collection.tsv")
    with pytest.raises(
        fairtrec.support.errors.UsageError, match="there is no option tokeniser; did you mean tokenizer"
    ):
        fairtrec.evaluator("RR", "qrels.txt", tokeniser="word")
    session = fairtrec.evaluator("RR", "qrels.txt")
    assert [str(measure) for measure in session.measures] == ["RR"]
    with pytest.raises(
        fairtrec.support.errors.UsageError, match="these are 2 runs, and scores takes one; call evaluate"
    ):
        session.scores(["bm25.run", "fair.run"])
    with pytest.raises(fairtrec.support.errors.UsageError, match="no run given"):
        session.evaluate([])
    broken = session.evaluate(["bm25.run", "qrels.txt"], keep_going=True)
    assert [name for name, _ in broken.failed] == ["qrels.txt"]
    assert np.isfinite(broken.scores[0].means).all()


def test_what_is_made_of_the_judgments_is_kept(opened, monkeypatch):
    from fairtrec.evaluation import relevance as evaluators

    made = []
    real = evaluators.RelevanceEvaluator
    monkeypatch.setattr(evaluators, "RelevanceEvaluator", lambda *given: made.append(given) or real(*given))
    session = session_of("RR nDCG@10")
    for run in RUNS:
        same(session.scores(run), session.scores(run))
    assert len(made) == 1
    several = session.evaluate(list(RUNS), jobs=2)  # which is sent to other processes
    for run, theirs in zip(RUNS, several.scores, strict=True):
        same(session.scores(run), theirs)


def test_the_digest_of_a_file_is_that_of_when_it_was_asked_for_first(opened, tmp_path):
    judged = tmp_path / "qrels.txt"
    judged.write_bytes(Path("qrels.txt").read_bytes())
    session = fairtrec.evaluator("RR", judged)
    before = session.evaluate("bm25.run")
    digest = before.digests[Part("qrels")]
    judged.write_text("101 0 d 1\n")
    after = session.evaluate("bm25.run")
    same(before.scores[0], after.scores[0])
    assert after.digests[Part("qrels")] == digest


@pytest.mark.parametrize(
    "several", [iter(["RR", "P@5"]), dict.fromkeys(["RR", "P@5"]).keys(), (each for each in ["RR", "P@5"])]
)
def test_measures_come_in_whatever_can_be_gone_through(opened, several):
    assert [str(measure) for measure in session_of(several).measures] == ["RR", "P@5"]


STRANGE = {"q": {"z": 3.0, "a": 2.0, "b": 1.0}}
KNOWN = {"q": {"a": 2.0, "z": 1.0}}
INSTRUMENTS = {
    "labels": ("AWRF@1 Exposure(group='f')@1", {"labels": {"a": "f", "b": "m"}}, "labels"),
    "stances": ("DUO@1", {"stances": {"a": 1.0, "b": -1.0}}, "stances"),
}


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_a_run_of_unknown_documents_is_undefined_in_a_session_and_does_not_end_it(instrument):
    measures, given, what = INSTRUMENTS[instrument]
    session = fairtrec.evaluator(measures, **given)
    before = session.scores(KNOWN).values
    found = session.scores(STRANGE)
    assert np.isnan(found.values).all()
    said = f"the {what} have none of the 1 documents in the measured ranks; check that they are of the same collection"
    assert [str(note) for note in found.notes] == [said]
    assert said in " ".join(str(found.result).split())
    assert session.scores(KNOWN).values.tobytes() == before.tobytes()
    with pytest.raises(InputError, match=f"run: the {what} have none of its documents in the measured ranks; check"):
        fairtrec.evaluate(measures, STRANGE, **given)
