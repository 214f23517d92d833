"""Selection rates and impact ratios are those of fairlearn's MetricFrame: 200 drawn tables of applicants."""

import math

import numpy as np
import pytest

import fairtrec

SEXES, RACES = ("F", "M"), ("Asian", "Black", "Hispanic", "NHPI", "White")
CHANCES = 0.25, 0.2, 0.2, 0.02, 0.33  # of which one is small


def draw_table(seed):
    """Draw applicants of requisitions: run, sex and race by docno; of some, one or both are unknown."""
    random = np.random.default_rng(seed)
    run, sex, race = {}, {}, {}
    for query in range(random.integers(1, 9)):
        ranking = run[f"q{query}"] = {}
        for applicant in range(random.integers(2, 40)):
            docno = f"a{query}-{applicant}"
            ranking[docno] = float(random.integers(0, 1_000_000)) + applicant / 100
            sex |= {docno: random.choice(SEXES)} if random.random() < 0.95 else {}
            race |= {docno: random.choice(RACES, p=CHANCES)} if random.random() < 0.95 else {}
    first = [docno for ranking in run.values() for docno in ranking][:2]  # labels have two groups at least
    for at, docno in enumerate(first):
        sex[docno], race[docno] = SEXES[at], RACES[at]
    return run, sex, race


def list_selected(run, cutoff):
    """Whether each applicant is among the first of a query."""
    return {
        docno: rank <= cutoff
        for ranking in run.values()
        for rank, docno in enumerate(sorted(ranking, key=ranking.get, reverse=True), 1)
    }


@pytest.mark.ecosystem
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(200))
def test_rates_and_ratios_are_those_of_metric_frame(seed):
    metrics = pytest.importorskip("fairlearn.metrics", reason="fairlearn is not installed")
    run, sex, race = draw_table(seed)
    cutoff = 1 + seed % 5
    selected = list_selected(run, cutoff)
    labels = fairtrec.attributes(sex=sex, race=race)
    tried = 0
    for by, groups in {
        "sex": sex,
        "race": race,
        "sex*race": {docno: f"{sex[docno]}*{race[docno]}" for docno in sex if docno in race},
    }.items():
        known = [docno for docno in selected if docno in groups]
        if not known:
            continue
        chosen = np.array([selected[docno] for docno in known])
        frame = metrics.MetricFrame(
            metrics=metrics.selection_rate, y_true=chosen, y_pred=chosen, sensitive_features=[groups[d] for d in known]
        )
        rates = frame.by_group.to_dict()
        asked = f"Selected(by={by},group=each)@{cutoff} Impact(by={by},min_share=0,group=each)@{cutoff}"
        if len(rates) < 2:
            asked = asked.partition(" ")[0]
        else:
            asked += f" Impact(by={by},min_share=0)@{cutoff}"
        scores = fairtrec.evaluate(asked, run, labels=labels, pool="even").scores[0]
        greatest = max(rates.values())
        for measure, value in zip(scores.measures, scores.totals["pooled"], strict=True):
            name = measure.group
            if type(measure).__name__ == "Selected":
                wanted = rates.get(name, math.nan)
            elif not greatest:
                wanted = math.nan
            else:  # the least ratio, or that of a group to the greatest rate
                wanted = frame.ratio(method="between_groups") if not name else rates.get(name, math.nan) / greatest
            assert value == pytest.approx(wanted, abs=1e-12, rel=1e-12, nan_ok=True), (str(measure), rates)
            tried += 1
    assert tried
