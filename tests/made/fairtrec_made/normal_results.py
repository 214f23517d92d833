"""Results of runs whose values are drawn from a normal distribution."""

import numpy as np

from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.measures.catalogue import registry

QIDS = tuple(f"q{number:02}" for number in range(20))


def result(measures="nDCG@10 NFaiRR@10 ARaB@10 KL@10 TE(group=f)@10", runs=("base", "a", "b"), qids=QIDS, seed=0):
    parsed = tuple(registry.parse(measures))
    random = np.random.default_rng(seed)
    scores = [
        Scores(f"runs/{run}.run", run, parsed, qids, random.normal(0.5, 0.2, (len(parsed), len(qids)))) for run in runs
    ]
    return Result(tuple(scores), Signature({"fairtrec": "0"}), (), {})


def changed(of, run, values):
    """Replace the values of one run."""
    scores = list(of.scores)
    old = scores[run]
    scores[run] = Scores(old.run, old.tag, old.measures, old.qids, values)
    return Result(tuple(scores), of.signature, of.evaluation_notes, of.files)
