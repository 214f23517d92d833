"""Many cutoffs of one measure are computed together, and each has the bits that it has when it is asked for alone."""

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation import measure_values
from fairtrec.measures import BUILT_IN
from fairtrec.support.errors import UsageError
from fairtrec_made import EXAMPLE

CUTOFFS = 1, 2, 3, 5, 8, 13, 40
OPTIONS = {
    "": [""],
    "ARaB": ["mag='tf'", "mag='bool'"],
    "AWRF": ["unknown='group'", "unknown='even'", "discount='log2'"],
    "DP": ["protected='f'"],
    "RBDF": ["full_k=True"],
    "SetFaiRR": ["of='background',full_k=True"],
    "TExFAIR": ["rbdf=False", "full_k=True", "scaled=True"],
}


def given(kind, random):
    """Files of the example, or rankings of unlike lengths with ties, unknown documents and an undefined query."""
    if kind == "words":
        names = "background", "collection"
        background, docs = (EXAMPLE / f"{name}.{end}" for name, end in zip(names, ("run", "tsv"), strict=True))
        return (
            EXAMPLE / "neural.run",
            EXAMPLE / "qrels.txt",
            {"terms": "gender-en", "docs": docs, "background": background},
        )
    docnos = [f"d{number}" for number in range(60)]
    run = {f"q{q}": {d: float(random.integers(9)) for d in random.permutation(docnos)[: 1 + 5 * q]} for q in range(9)}
    qrels = {qid: {d: int(random.integers(3)) for d in random.permutation(docnos)[:20]} for qid in run}
    labels = {d: str(random.choice(["f", "m", "x"])) for d in random.permutation(docnos)[:50]}
    stances = {d: [float(random.normal())] for d in docnos}
    if kind == "attributes":
        ages = {d: str(random.choice(["old", "young"])) for d in random.permutation(docnos)[:55]}
        return run, qrels, {"labels": fairtrec.attributes(gender=labels, age=ages), "missing": "skip"}
    return run, qrels, {"labels": labels, "stances": stances, "missing": "skip"}


def find_measured(kind):
    """List the measures that the data have all inputs of, and that have a cutoff, each with a place for it."""
    run, qrels, beside = given(kind, np.random.default_rng(5))
    for name in BUILT_IN:
        for options in OPTIONS.get(name, OPTIONS[""]):
            try:
                fairtrec.evaluate(f"{name}({options})@1", run, qrels=qrels, **beside)
            except UsageError:
                continue
            yield f"{name}({options})@{{}}"


@pytest.mark.parametrize("kind", ["words", "labels", "attributes"])
def test_each_cutoff_has_its_bits_in_the_company_of_others(kind):
    run, qrels, beside = given(kind, np.random.default_rng(5))
    measured, seen = [*find_measured(kind)], 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure_values, "SEVERAL", 1000)
        spelled = " ".join(each.format(cutoff) for each in measured for cutoff in CUTOFFS)
        alone = [
            fairtrec.evaluate(" ".join(each.format(cutoff) for each in measured), run, qrels=qrels, **beside).scores[0]
            for cutoff in CUTOFFS
        ]
    together = fairtrec.evaluate(spelled, run, qrels=qrels, **beside).scores[0]
    for scores in alone:
        for measure, values in zip(scores.measures, scores.values, strict=True):
            at = together.measures.index(measure)
            assert together.values[at].tobytes() == values.tobytes(), measure
            seen += 1
    assert seen > 150


def test_what_cutoffs_share_is_computed_once(monkeypatch):
    from fairtrec.formulas import neutrality
    from fairtrec.measures import kl

    asked = []
    for module, name in ((neutrality, "omega"), (kl, "divergences")):
        function = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, function=function: asked.append(1) or function(*given))
    run, qrels, beside = given("words", None)
    fairtrec.evaluate(" ".join(f"NFaiRR@{k} NDKL@{k}" for k in range(1, 30)), run, qrels=qrels, **beside)
    assert len(asked) <= 3  # of the ranked documents, of the background, of what groups hold
