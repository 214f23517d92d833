"""Values that were other than those of the papers and of the published programs; each test bears its number."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

import fairtrec
from fairtrec.commands.measures import pages
from fairtrec.formulas import spread
from fairtrec.measures import AWRF, EED, EEL, EER, GFR, NDKL, AWRFxnDCG, FaiRR, SignedDUO
from fairtrec_made import REPOSITORY

DOCS = REPOSITORY / "docs"
A, B, UNKNOWN = [1.0, 0.0], [0.0, 1.0], [np.nan, np.nan]
EVEN = np.array([[0.5, 0.5]])


@pytest.mark.parametrize(("decay", "worth"), [("err", [1, 1 / 2, 1 / 3]), ("irbu", [0.99, 0.99**2, 0.99**3])])
def test_gfr_weighs_its_groups_by_where_readers_stop_alone(decay, worth):
    # max_grade 1, all relevant: stop at ranks 1, 2, 3 with 1/2, 1/4, 1/8; a b: JSD 0 at rank 2. At ranks 1 and 3 the
    # shares are 1 : 0 and 2/3 : 1/3; JSD(p, even) = H((p + 1/2) / 2) - (H(p) + 1) / 2, H in bits
    def entropy(*shares):
        return -sum(share * np.log2(share) for share in shares)

    first = 1 - (entropy(3 / 4, 1 / 4) - 1 / 2)
    third = 1 - (entropy(7 / 12, 5 / 12) - (entropy(2 / 3, 1 / 3) + 1) / 2)
    fairness = first / 2 + 1 / 4 + third / 8
    relevance = np.dot([1 / 2, 1 / 4, 1 / 8], worth)
    inputs = np.array([[A, B, A]]), np.ones((1, 3)), EVEN
    options = {"decay": decay, "max_grade": 1}
    assert GFR(**options, part="fairness")(*inputs).item() == pytest.approx(fairness)
    assert GFR(**options, part="relevance")(*inputs).item() == pytest.approx(relevance)
    assert GFR(**options)(*inputs).item() == pytest.approx((fairness + relevance) / 2)


def track_score(ranked, grades, judged, k):
    """Participant Instructions 2022, Eq. 2: AWRF and nDCG, both weighed by 1 / log2(max(rank, 2)); binary grades."""
    weights = 1 / np.log2(np.maximum(np.arange(1, k + 1), 2))
    share = weights[: len(ranked)] @ np.array(ranked)
    awrf = 1 - jensenshannon(share / share.sum(), EVEN[0], base=np.e) ** 2
    return awrf * (weights[: len(grades)] @ grades) / weights[: int(sum(judged))].sum()


@pytest.mark.parametrize("k", [3, 500])
def test_awrfxndcg_is_the_score_of_the_track(k):
    ranked, grades, judged = [B, A, A, B, A], [0.0, 1.0, 0.0, 1.0, 1.0], [1.0] * 4 + [0.0]
    inputs = {"relevance": np.array([grades]), "judged_relevance": np.array([judged])}
    got = AWRFxnDCG(cutoff=k, base="e")(np.array([ranked]), EVEN, **inputs).item()
    assert got == pytest.approx(track_score(ranked[:k], grades[:k], judged, k))


def test_one_discount_serves_both_factors():
    ranked, grades = np.array([[B, A, A]]), np.array([[0.0, 1.0, 1.0]])
    inputs = {"relevance": grades, "judged_relevance": grades}
    w = 1 / np.log2(np.arange(2, 5))  # ndcg = (w2 + w3) / (w1 + w2)
    fair = AWRF(discount="log2")(ranked, EVEN).item()
    got = AWRFxnDCG(discount="log2")(ranked, EVEN, **inputs).item()
    assert got == pytest.approx(fair * (w[1] + w[2]) / (w[0] + w[1]))


def test_expected_exposure_has_the_discount_of_the_track():
    # weights 1, 1, 1 / log2(3); a b a: s = 1 + w, 1; W = 2 + w, t = W / 2 each
    membership, w = np.array([[A, B, A]]), 1 / np.log2(3)
    options = {"cutoff": 3, "discount": "log2_clipped"}
    inputs = membership, np.array([0]), 1
    assert EED(**options)(*inputs).item() == pytest.approx((1 + w) ** 2 + 1)
    assert EER(**options)(*inputs, EVEN).item() == pytest.approx((2 + w) ** 2 / 2)
    assert EEL(**options)(*inputs, EVEN).item() == pytest.approx(2 * (w / 2) ** 2)


def test_ndkl_of_a_short_ranking_is_not_better_for_being_short():
    # one document of one group: dKL = ln 2 at its rank, which is all there is; ten of them have the same
    one, ten = np.array([[A]]), np.array([[A] * 10])
    assert NDKL()(one, EVEN, np.array([1])).item() == pytest.approx(np.log(2))
    assert NDKL()(ten, EVEN, np.array([10])).item() == pytest.approx(np.log(2))
    # a b: (ln 2 + 0) over 1 + 1 / log2(3), also where others make the matrix wider, and the first is unknown
    w = 1 / np.log2(3)
    wide = np.array([[A, B, UNKNOWN, UNKNOWN], [UNKNOWN, A, UNKNOWN, UNKNOWN]])
    assert NDKL()(wide, EVEN, np.array([2, 3])) == pytest.approx(
        [np.log(2) / (1 + w), np.log(2) * (w + 1 / 2) / (1 + w + 1 / 2)]
    )
    assert NDKL(cutoff=2)(ten, EVEN, np.array([10])).item() == pytest.approx(np.log(2))


def ndeval_ideal(judged, depth):
    """The greedy ideal of ndeval: at each rank the document that adds most, of several the one of the last docno."""
    left, seen, total = dict(judged), {}, 0.0
    for rank in range(1, min(depth, len(judged)) + 1):
        worth = {docno: sum(0.5 ** seen.get(group, 0) for group in groups) for docno, groups in left.items()}
        best = max(left, key=lambda docno: (worth[docno], docno))
        total += worth[best] / np.log2(1 + rank)
        for group in left.pop(best):
            seen[group] = seen.get(group, 0) + 1
    return total


@pytest.mark.parametrize("order", [list, reversed, lambda docnos: sorted(docnos, key=lambda d: d[-1] + d)])
def test_the_ideal_of_fair_does_not_depend_on_the_order_of_the_qrels(order):
    # x9 and the like have two groups each, so all add 2 at rank 1, and what is taken first decides what is left
    groups = {"x10": "ab", "x9": "cd", "x1": "ac", "x2": "ad", "y": "b", "a-very-long-docno": "bc"}
    qrels = {"q": dict.fromkeys(order(list(groups)), 1)}
    labels = {docno: dict.fromkeys(of, 1.0) for docno, of in groups.items()}
    result = fairtrec.evaluate("FAIR@4", {"q": {"y": 1.0}}, qrels=qrels, labels=labels)
    dkl = np.log(4)  # the shares are 0 1 0 0 against a quarter each
    assert result.means["run"]["FAIR@4"] == pytest.approx(1 / (1 + dkl) / ndeval_ideal(groups, 4), abs=1e-12)


@pytest.mark.parametrize("name", ["FaiRR", "NFaiRR"])
def test_the_page_says_what_omega_is(name):
    page = pages.page(name)
    assert "omega(d) = 1 - sum over groups a of |n_a(d) / n(d) - target(a)|, or 1 if n(d) <= tau" in page
    assert ".py" not in page
    # 3 f and 1 m against 0.6 and 0.4: 1 - (.15 + .15)
    counts, target = np.array([[3.0, 1.0]]), np.array([[0.6, 0.4]])
    assert FaiRR(cutoff=1)(np.array([[0]]), counts, target).item() == pytest.approx(0.7)


def test_pages_say_how_published_programs_differ():
    def says(name):
        return " ".join(pages.page(name).split())

    assert "From step=3 on the published program looks at k = step, 2 step, .. instead" in says("DUO")
    assert np.flatnonzero(spread.weights(12, 3)).tolist() == [1, 4, 7, 10]  # ours looks at k = 2, 5, 8, 11
    assert "A prefix without a majority counts 0 here" in says("SignedDUO")
    # 1 -1 -1 -1 .2 1: no majority in the first two, then one below 0
    ranked = np.array([[[1.0], [-1.0], [-1.0], [-1.0], [0.2], [1.0]]])
    assert SignedDUO()(ranked).item() == -SignedDUO()(-ranked).item() < 0
    assert "The only published program has another form" in says("rRD")
    assert "sum of grades, where the paper has their average" in says("FAIR")
    assert "the sum of the grades of each group" in " ".join((DOCS / "evaluation.md").read_text("utf-8").split())
