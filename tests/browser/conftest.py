"""The pages of eval that are looked at in a browser."""

import math
from functools import cache

import numpy as np
import pytest

from fairtrec_made import EXAMPLE
from fairtrec_made.measures import Higher, Lower, Nearer
from fairtrec_made.reports import result_of


@pytest.fixture(scope="session")
def page_of(request, tmp_path_factory):
    """Write the page of a name, once; those of real runs need the data beside the repository."""
    folder = tmp_path_factory.mktemp("pages")

    @cache
    def write(name):
        from fairtrec.report.writers import RESULTS

        result, measure = made_up(name) if name in MADE_UP else real(name, request.getfixturevalue("shared"))
        path = folder / f"{name}.html"
        path.write_text(RESULTS("html", result, sort=measure), "utf-8")
        return path

    return write


MADE_UP = "swapped", "crowd", "twins", "uneven"


def made_up(name):
    """Make runs whose dots lie close together, each with its means."""
    random = np.random.default_rng(7)
    if name == "uneven":  # one of them has no value for a query, so that its mean is not compared with the others
        import fairtrec

        runs = [EXAMPLE / f"{run}.run" for run in ("bm25", "neural", "fair")]
        result = fairtrec.evaluate("nDCG@10 AWRF@10", runs, qrels=EXAMPLE / "qrels.txt", labels=EXAMPLE / "labels.tsv")
        return result, result.scores[0].measures[0]
    if name == "swapped":  # names at the dots of their neighbors, and a difference of queries that begins with a sign
        names = ["bert_L2", "tk", "a name of 24 letters xxx", "wide: 検索モデル"]
        means = [[0.684, 0.031, -0.2], [0.681, 0.0305, 0.21], [0.683, 0.0302, 0.2], [0.61, 0.0297, -0.0442]]
    elif name == "crowd":
        names = [f"run{at}" for at in range(60)]
        means = (random.normal(0, 1, (60, 3)) ** 3).round(1).tolist()
    else:
        names = [f"run{at}" for at in range(12)]
        means = [[0.5, 0.5, 0.5]] * 5 + [[0.5, 0.501, -0.5]] * 3 + [[0.9, 0.1, 0.0]] * 2 + [[math.nan, 0.3, 0.1]] * 2
    values = [[[value, value + 0.0442] for value in run] for run in means]
    measures = Higher(), Lower(), Nearer()
    return result_of(values, measures, names=names, tags=names), measures[0]


def real(name, shared):
    """Evaluate real runs: the 43 that are in the format of TREC, or ten of other people's."""
    import fairtrec
    from fairtrec.measures.catalogue import registry

    data = shared / "data"
    if name == "ten":
        runs = sorted((data / "cpjku" / "runs" / "trecdl2019_passage").glob("*.run"))
        background = next(run for run in runs if run.name == "BM25.run")
    else:
        runs = [run for run in sorted((data / "rankllm-dl19").glob("*.run")) if len(_first(run).split()) == 6]
        background = next(run for run in runs if run.name.startswith("BM25__trec_results"))
        assert len(runs) == 43
    result = fairtrec.evaluate(
        "nDCG@10 RR(rel=2)@10 NFaiRR@10 TExFAIR@10 ARaB@10",
        runs,
        qrels=data / "qrels" / "qrels.dl19-passage.txt",
        counts=data / "dl19-dl20-counts" / "gender.strip.tsv",
        background=background,
        missing="neutral",
    )
    return result, registry.parse("nDCG@10")[0]


def _first(path):
    with path.open() as lines:
        return next(lines)
