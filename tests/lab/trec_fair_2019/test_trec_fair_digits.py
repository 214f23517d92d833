"""Whose digits are right where our values and those of wptrec, the program of TREC Fair Ranking 2022, are apart?

Its discounts have 32 bits. Here everything is worked out once more with 40 decimal places. ``WPTREC`` names a checkout of
wptrec, which is not part of the repository and needs xarray.
"""

import os
import random
import sys
from decimal import Decimal, getcontext

import pytest

import fairtrec

GROUPS = ["?", "NB", "female", "male"]  # the first is the group of pages of unknown group, as wptrec wants it
WORLD = {"NB": "0.01", "female": "0.495", "male": "0.495"}
RANKS, RANKINGS, QUERIES = 20, 5, 12
HALF = Decimal("0.5")


@pytest.fixture(scope="module", autouse=True)
def _forty_places():
    before = getcontext().prec
    getcontext().prec = 40
    yield
    getcontext().prec = before


@pytest.fixture(scope="module")
def made():
    """Make pages of four groups, judgments with grades, and rankings in which one group has most of the exposure."""
    draw = random.Random(20220101)
    pages = {page: draw.choice(["?", "male", "male", "female", "NB"]) for page in range(400)}
    of_group = {group: [page for page, its in pages.items() if its == group] for group in GROUPS}
    qrels, rankings = {}, {}
    for query in range(QUERIES):
        qrels[query] = {page: draw.randint(1, 6) for page in draw.sample([*pages], draw.choice([3, 40, 150]))}
        most = of_group[GROUPS[query % len(GROUPS)]]
        rankings[query] = [draw.sample(most if query % 3 else [*pages], RANKS) for _ in range(RANKINGS)]
    return pages, qrels, rankings


def weight(rank):
    return Decimal(2).ln() / Decimal(max(rank, 2)).ln()


def shares(amounts):
    total = sum(amounts.values())
    return {group: amount / total for group, amount in amounts.items()}


def mixed(documents):
    """What is unknown keeps the share that documents give it; the rest is half theirs, half the world's."""
    known = 1 - documents["?"]
    return {g: q if g == "?" else HALF * q + HALF * known * Decimal(WORLD[g]) for g, q in documents.items()}


def mean_weight(first, last):
    return sum(map(weight, range(first, last + 1))) / (last + 1 - first)


def target(pages, grades, ideal, mean_weight=mean_weight):
    """Weigh relevant pages alike, or by what each grade gets where higher grades come first."""
    held = dict.fromkeys(GROUPS, Decimal(0))
    begun = 0
    for grade in sorted({*grades.values()}, reverse=True):
        here = [page for page, its in grades.items() if its == grade]
        mean = mean_weight(begun + 1, begun + len(here)) if ideal else 1
        begun += len(here)
        for page in here:
            held[pages[page]] += mean
    return mixed(shares(held))


def exact(pages, grades, rankings):
    """Give EE-L, EE-D and EE-R of all rankings of a query, and AWRF of the first, by the definitions."""
    given = dict.fromkeys(GROUPS, Decimal(0))
    for ranking in rankings:
        for rank, page in enumerate(ranking, 1):
            if page in grades:
                given[pages[page]] += weight(rank) / RANKINGS
    available = sum(map(weight, range(1, RANKS + 1)))
    wanted = {group: share * available for group, share in target(pages, grades, True).items()}
    loss = sum((given[group] - wanted[group]) ** 2 for group in GROUPS)
    disparity = sum(given[group] ** 2 for group in GROUPS)
    relevance = sum(given[group] * wanted[group] for group in GROUPS)
    seen = dict.fromkeys(GROUPS, Decimal(0))
    for rank, page in enumerate(rankings[0], 1):
        seen[pages[page]] += weight(rank)
    p, q = shares(seen), target(pages, grades, False)
    jsd = HALF * sum(part[g] * (2 * part[g] / (p[g] + q[g])).ln() for part in (p, q) for g in GROUPS if part[g])
    return {"EEL": loss, "EED": disparity, "EER": relevance, "AWRF": 1 - jsd}


@pytest.fixture(scope="module")
def wanted(made):
    pages, qrels, rankings = made
    return {query: exact(pages, qrels[query], rankings[query]) for query in qrels}


@pytest.fixture(scope="module")
def ours(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("digits")
    pages, qrels, rankings = made
    (folder / "labels").write_text("".join(f"{page}\t{group}\n" for page, group in pages.items()))
    (folder / "world").write_text("".join(f"{group}\t{share}\n" for group, share in WORLD.items()))
    graded = [f"{query} 0 {page} {grade}\n" for query, pages in qrels.items() for page, grade in pages.items()]
    (folder / "graded").write_text("".join(graded))
    two = [
        f"{query}\t{number}\t{page}\n"
        for query, several in rankings.items()
        for number, ranking in enumerate(several)
        for page in ranking
    ]
    (folder / "task2").write_text("id\tseq_no\tpage_id\n" + "".join(two))
    one = [f"{query}\t{page}\n" for query, several in rankings.items() for page in several[0]]
    (folder / "task1").write_text("id\tpage_id\n" + "".join(one))
    options = "discount=log2_clipped,documents=relevant"
    given = {"labels": folder / "labels", "missing": "group"}
    found = {}
    for run, measures, target in (
        ("task2", [f"{name}({options})@{RANKS}" for name in ("EEL", "EED", "EER")], "ideal"),
        ("task1", [f"AWRF(base=e)@{RANKS}"], "qrels"),
    ):
        mixture = f"0.5*{target}+0.5*{folder / 'world'}"
        scores = fairtrec.evaluate(measures, folder / run, qrels=folder / "graded", target=mixture, **given).scores[0]
        for measure, values in zip(measures, scores.values, strict=True):
            for query, value in zip(scores.qids, values.tolist(), strict=True):
                found[int(query), measure.partition("(")[0]] = value
    return found


def test_values_are_right_to_twelve_digits(wanted, ours):
    assert len(ours) == 4 * QUERIES
    assert max(each["EEL"] for each in wanted.values()) > 25
    for (query, name), value in ours.items():
        right = wanted[query][name]
        assert abs(Decimal(value) - right) <= Decimal("1e-12") * max(right, 1), (query, name, value, right)


def theirs(made, double):
    """Give the values of wptrec, with discounts as they are or of 64 bits."""
    folder = os.environ.get("WPTREC")
    if not folder:
        pytest.skip("needs wptrec, the track's program of 2022; the variable WPTREC names a checkout of it")
    xarray = pytest.importorskip("xarray", reason="wptrec needs xarray, which is not here")
    import numpy as np
    import pandas as pd

    sys.path.insert(0, folder)
    try:
        from wptrec.dimension import FairDim
        from wptrec.metrics import awrf, common, eel
    finally:
        sys.path.remove(folder)
    if double:

        def discount(ranks):
            ranks = np.arange(1, ranks + 1) if isinstance(ranks, int) else np.asarray(ranks)
            return 1 / np.log2(np.maximum(ranks.astype(np.float64), 2))
    else:
        discount = common.discount
    pages, qrels, rankings = made
    frame = pd.DataFrame([[float(group == its) for group in GROUPS] for its in pages.values()], [*pages], GROUPS)
    frame.index.name, frame.name = "page_id", "gender"
    dimension = FairDim(frame, xarray.DataArray(frame, dims=["page", "gender"]), None, unk=True)
    relevant = pd.DataFrame([(q, page) for q, its in qrels.items() for page in its], columns=["topic_id", "page_id"])

    def targets(ideal):
        def mean(first, last):
            return Decimal(float(np.mean(discount(last)[first - 1 :])))

        shared = [target(pages, grades, ideal, mean) for grades in qrels.values()]
        rows = [[float(each[group]) for group in GROUPS] for each in shared]
        return xarray.DataArray(rows, {"topic_id": [*qrels], "gender": GROUPS}, ["topic_id", "gender"])

    found = {}
    with pytest.MonkeyPatch.context() as patch:
        for module in (awrf, eel):
            patch.setattr(module, "discount", discount)
        loss = eel.EELMetric(relevant.set_index("topic_id"), [dimension], targets(ideal=True))
        likeness = awrf.AWRFMetric(relevant.set_index("topic_id"), [dimension], targets(ideal=False))
        for query, several in rankings.items():
            rows = [(number, page) for number, ranking in enumerate(several) for page in ranking]
            sequence = pd.DataFrame(rows, columns=["seq_no", "page_id"])
            object.__setattr__(sequence, "name", query)
            for name, value in loss(sequence).items():
                found[query, name.replace("-", "")] = float(value)
            found[query, "AWRF"] = float(likeness.qr_awrf(np.array(several[0]), likeness.qtgts.loc[query]))
    return found


def test_wptrec_with_discounts_of_64_bits_has_our_values(made, ours):
    assert theirs(made, double=True) == pytest.approx(ours, rel=0, abs=1e-9)


def test_wptrec_as_it_is_has_the_four_digits_that_the_track_prints(made, ours):
    found = theirs(made, double=False)
    assert {key: f"{value:.4f}" for key, value in found.items()} == {key: f"{value:.4f}" for key, value in ours.items()}
    assert found == pytest.approx(ours, rel=5e-7)
    assert found != pytest.approx(ours, rel=1e-8)  # what its 32 bits cost
