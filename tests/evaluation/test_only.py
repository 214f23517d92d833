"""``--only judged|relevant``: rankings keep these documents alone and close up, before any measure sees them."""

import json
import math
import random

import pytest

import fairtrec
from fairtrec.support.errors import UsageError
from fairtrec_made import EXAMPLE
from fairtrec_made.command_trials import gather_trials

QRELS = str(EXAMPLE / "qrels.txt")
RUNS = {name: str(EXAMPLE / f"{name}.run") for name in ("bm25", "neural", "fair")}
STANCES = str(EXAMPLE / "stances.tsv")


@pytest.mark.parametrize(
    ("choice", "values", "counts"),
    [
        ({"only": "judged"}, (0.7775, 0.6891, 0.6421), (11, 10, 10)),
        ({"only": "relevant"}, (0.4486, 0.6139, 0.6518), (10, 10, 10)),
        ({"only": "relevant", "relevance_level": 2}, (0.3867, 0.5742, 0.5954), (9, 9, 9)),
    ],
)
def test_duo_of_the_example_is_what_another_program_found(choice, values, counts):
    result = fairtrec.evaluate("DUO", RUNS, qrels=QRELS, stances=STANCES, **choice)
    assert [round(result.means[name]["DUO"], 4) for name in RUNS] == list(values)
    assert [sum(not math.isnan(value) for value in scores.values[0]) for scores in result.scores] == list(counts)
    assert result.signature["only"] == choice["only"]


DOCNOS = [f"d{at}" for at in range(12)]
LABELS = {docno: "fm"[at % 3 == 0] for at, docno in enumerate(DOCNOS)}
PLACES = {docno: math.sin(at) for at, docno in enumerate(DOCNOS)}
COUNTED = ("nDCG@3", "P@2", "RR", "AP", "AWRF@4", "NDKL@3", "Skew(group='f')@5", "DUO", "Judged@3")


def drawn(draw):
    """Rankings of six queries, some judgments of which are below 0, and the documents in their order."""
    run = {f"q{at}": {d: draw.random() for d in draw.sample(DOCNOS, draw.randint(1, 12))} for at in range(6)}
    qrels = {qid: {d: draw.randint(-1, 2) for d in draw.sample(DOCNOS, 5)} for qid in list(run)[:-1]}
    return run, qrels


def filtered(run, qrels, least, depth=None):
    """The same by hand: each ranking cut, then without what has no such grade."""
    cut = {qid: sorted(docs.items(), key=lambda each: -each[1])[:depth] for qid, docs in run.items()}
    return {qid: {d: s for d, s in docs if qrels.get(qid, {}).get(d, -9) >= least} for qid, docs in cut.items()}


def test_it_is_what_runs_without_these_documents_give():
    draw = random.Random(11)
    for _ in range(6):
        run, qrels = drawn(draw)
        for only, level, depth in (
            ("judged", None, None),
            ("relevant", None, 4),
            ("relevant", 2, None),
            ("judged", 2, 5),
        ):
            choices = {"relevance_level": level, "labels": LABELS, "stances": PLACES}
            least = 0 if only == "judged" else level or 1
            byhand = {qid: docs for qid, docs in filtered(run, qrels, least, depth).items() if docs}
            found = fairtrec.evaluate(COUNTED, run, qrels=qrels, only=only, depth=depth, **choices).scores[0]
            if not byhand.keys() & qrels:
                continue
            wanted = fairtrec.evaluate(COUNTED, byhand, qrels=qrels, **choices).scores[0]
            at = {qid: found.qids.index(qid) for qid in wanted.qids}
            assert found.values[:, [at[qid] for qid in wanted.qids]] == pytest.approx(
                wanted.values, abs=1e-12, nan_ok=True
            )
            for qid in set(found.qids) - {*wanted.qids}:  # of which nothing is left: an empty ranking
                column = dict(zip(COUNTED, found.values[:, found.qids.index(qid)].tolist(), strict=True))
                assert math.isnan(column["DUO"])
                assert column["P@2"] == 0 or qid not in qrels


def test_nothing_changes_where_all_is_judged_and_twice_is_once():
    draw = random.Random(3)
    run, _ = drawn(draw)
    every = {qid: dict.fromkeys(DOCNOS, 1) for qid in run}
    plain = fairtrec.evaluate(COUNTED, run, qrels=every, labels=LABELS, stances=PLACES)
    for only in ("judged", "relevant"):
        same = fairtrec.evaluate(COUNTED, run, qrels=every, labels=LABELS, stances=PLACES, only=only)
        assert same.scores[0].values.tolist() == pytest.approx(plain.scores[0].values, nan_ok=True)


def test_a_file_is_read_down_to_m_and_no_less(tmp_path):
    """A relevant document below the cutoff of the measure comes up; one below -M does not."""
    (tmp_path / "a.run").write_text("q Q0 x 1 5 r\nq Q0 y 2 4 r\nq Q0 a 3 3 r\nq Q0 z 4 2 r\nq Q0 b 5 1 r\n")
    qrels = {"q": {"a": 1, "b": 1, "x": -1}}

    def of(**choices):
        return fairtrec.evaluate("P@2", str(tmp_path / "a.run"), qrels=qrels, **choices).scores[0].values.item()

    assert of() == 0
    assert of(only="judged") == 1
    assert of(only="judged", depth=4) == 0.5
    assert of(only="judged", depth=2) == 0
    assert of(only="judged", bounds="ties") == 1
    assert of(only="relevant", relevance_level=2) == 0


def test_the_counterfactual_run_keeps_the_same_documents():
    run, other = {"q": {"a": 3, "x": 2, "b": 1}}, {"q": {"x": 4, "a": 3, "y": 2, "b": 1}}
    given = {"qrels": {"q": {"a": 1, "b": 0}}, "counterfactual": {"run": other}}
    assert fairtrec.evaluate("CRBO@2", {"run": run}, **given).scores[0].values.item() < 1
    assert fairtrec.evaluate("CRBO@2", {"run": run}, only="judged", **given).scores[0].values.item() == 1


def test_several_rankings_of_a_query_are_each_reduced(tmp_path):
    (tmp_path / "a.run").write_text("q 1 x 1 2 r\nq 1 a 2 1 r\nq 2 b 1 2 r\nq 2 a 2 1 r\n")
    found = fairtrec.evaluate(
        "P@1", str(tmp_path / "a.run"), qrels={"q": {"a": 1, "b": 0}}, samples=True, only="judged"
    )
    assert found.scores[0].values.item() == 0.5  # a of the first, b of the second


def test_what_does_not_go_together_is_refused_at_once():
    with pytest.raises(UsageError, match="only=judged needs qrels; pass QRELS"):
        fairtrec.evaluate("DUO", "none.run", stances=STANCES, only="judged")
    with pytest.raises(UsageError, match="only='some' is not known; choose one of judged, relevant"):
        fairtrec.evaluate("P@5", RUNS, qrels=QRELS, only="some")
    with pytest.raises(UsageError, match="leave out one of bounds=ties, depth= and only="):
        fairtrec.evaluate("P@5", RUNS, qrels=QRELS, only="judged", bounds="ties", depth=5)
    with pytest.raises(UsageError, match="leave out gold=, or only=judged"):
        fairtrec.evaluate(
            "AWRF@5", RUNS, qrels=QRELS, labels=str(EXAMPLE / "labels.tsv"), only="judged", gold={"d1": "f"}
        )


@pytest.mark.parametrize("name", gather_trials("JUDGED_HINTS", ["eval"]))
def test_j_of_trec_eval_is_only_judged(fairtrec_command, name):
    runs = QRELS, RUNS["bm25"]
    j, only = (fairtrec_command(*name.split(), *words, *runs) for words in (["-J"], ["--only", "judged"]))
    assert (j.code, j.out, j.err) == (only.code, only.out, only.err)


def test_check_goes_by_it(fairtrec_command):
    given = ("check", QRELS, RUNS["bm25"], "--stances", STANCES, "--require", "DUO >= 0.77")
    assert fairtrec_command(*given).code == 1
    assert fairtrec_command(*given, "--only", "judged").code == 0
    done = fairtrec_command("eval", QRELS, RUNS["bm25"], "-m", "P@5", "--only", "judged", "-f", "json")
    assert json.loads(done.out)["options"]["only"] == "judged"
