"""A session in a training loop, of pytrec_eval in the same loop: dicts, and arrays of scores."""

import random
from collections.abc import Callable
from statistics import median

import numpy as np
import pytrec_eval

import fairtrec
from benchmarks.timing import ROUNDS, clocked, report

SIZES = {  # queries x ranks: calls, and the bound
    (1, 10): (300, 60.0),
    (10, 10): (100, 12.0),
    (43, 100): (40, 1.0),
    (1_000, 100): (3, 0.9),
}
OF_DICTS = 1.5  # of arrays of fewer scores than 1,000, of the same dict
ARRAYS = 0.2  # of pytrec_eval with its dict
Rankings = dict[str, dict[str, float]]


def made(queries: int, depth: int) -> tuple[Rankings, dict[str, dict[str, int]]]:
    """Make a run, and judgments of a fifth of it and of some other documents."""
    draw = random.Random(queries)
    run = {f"q{q}": {f"d{d}": draw.random() for d in draw.sample(range(1_000_000), depth)} for q in range(queries)}
    qrels = {qid: dict.fromkeys([*docs][::5], 1) | {f"x{n}": draw.randrange(3) for n in range(3)}
             for qid, docs in run.items()}  # fmt: skip
    return run, qrels


def in_turn(calls: int, *several: Callable[[], object]) -> list[list[float]]:
    """Call each several times in turn; give the milliseconds of CPU of each call, by round."""
    for each in several:
        each()
    rounds = [
        [clocked(lambda each=each: [each() for _ in range(calls)]).cpu for each in several] for _ in range(ROUNDS)
    ]  # type: ignore[misc]
    return [[1000 * cpu / calls for cpu in costs] for costs in rounds]


def main() -> None:
    for (queries, depth), (calls, bound) in SIZES.items():
        run, qrels = made(queries, depth)
        session = fairtrec.evaluator("nDCG@10 RR@10", qrels)
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recip_rank"})
        qids, names = [*run], np.array([[*docs] for docs in run.values()], dtype="S")
        texts, scores = names.astype("U").tolist(), np.array([[*docs.values()] for docs in run.values()])

        def of_their_arrays(theirs=theirs, qids=qids, names=texts, scores=scores):  # type: ignore[no-untyped-def]
            rows = zip(qids, names, scores.tolist(), strict=True)
            return theirs.evaluate({qid: dict(zip(docs, row, strict=True)) for qid, docs, row in rows})

        def of_arrays(session=session, qids=qids, names=names, scores=scores):  # type: ignore[no-untyped-def]
            return session.scores(fairtrec.Run.from_arrays(qids, names, scores)).means

        def of_dicts(session=session, run=run):  # type: ignore[no-untyped-def]
            return session.scores(run).means

        def of_named_dicts(session=session, run=run):  # type: ignore[no-untyped-def]
            return session.evaluate({"m": run}).means

        def of_their_dicts(theirs=theirs, run=run):  # type: ignore[no-untyped-def]
            return theirs.evaluate(run)

        size = f"{queries:,} x {depth}"
        compare(f"session on dicts, {size}: CPU, of pytrec_eval", bound, in_turn(calls, of_dicts, of_their_dicts))
        if queries * depth < 1_000:
            what = f"session on arrays, {size}: CPU, of dicts"
            compare(what, OF_DICTS, in_turn(calls, of_arrays, of_dicts))
            compare(f"evaluate of a named dict, {size}: CPU, of scores", 2, in_turn(calls, of_named_dicts, of_dicts))
        if queries == 1_000:
            what = f"session on arrays, {size}: CPU, of pytrec_eval and its dict"
            compare(what, ARRAYS, in_turn(calls, of_arrays, of_their_arrays))


def compare(what: str, bound: float, costs: list[list[float]]) -> None:
    """Report the median ratio of two calls."""
    ours, theirs = (median(each) for each in zip(*costs, strict=True))
    report(what, median(a / b for a, b in costs), bound, f"{ours:.3f} ms of {theirs:.3f} ms")


if __name__ == "__main__":
    main()
