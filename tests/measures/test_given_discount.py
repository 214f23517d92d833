"""Weights of ranks that a user gives: they count as those of a name do where they are the same, and bad ones are refused."""

import pickle

import numpy as np
import pytest

import fairtrec
from fairtrec.formulas import discount
from fairtrec.formulas.discount import GivenDiscount
from fairtrec.measures import AWRF, rND
from fairtrec.support.errors import InputError, UsageError

LOG2 = (1 / np.log2(np.arange(2, 14))).tolist()  # of the twelve ranks of the example
GROUPED = {"labels": "labels.tsv"}
SAME = [
    ("AWRF(discount={})@10", "log2"),
    ("AWRFxnDCG(discount={})@10", "log2"),
    ("Exposure(group='f',discount={})@10", "log2"),
    ("EED(discount={})@5", "log2"),
    ("EER(discount={})@5", "log2"),
    ("EEL(discount={})@5", "log2"),
    ("rND(discount={})", "log2_next"),
    ("rKL(discount={})@10", "log2_next"),
    ("rRD(discount={})@10", "log2_next"),
]


def evaluated(form, word, runs="neural.run", **more):
    given = {"discount": LOG2} if word == "given" else {}
    return fairtrec.evaluate(form.format(word), runs, qrels="qrels.txt", **GROUPED, **given, **more)


@pytest.mark.parametrize(("form", "word"), SAME)
def test_weights_of_a_name_give_its_values(form, word, copied):
    ours, theirs = (evaluated(form, each).scores[0] for each in ("given", word))
    assert ours.values == pytest.approx(theirs.values, abs=1e-12, nan_ok=True)
    assert np.isfinite(ours.values).any()


@pytest.mark.parametrize(("form", "word"), SAME)
@pytest.mark.parametrize("bounds", ["ties", "labels"])
def test_bounds_of_a_name_are_its_bounds(form, word, bounds, copied):
    ours, theirs = (evaluated(form, each, bounds=bounds).scores[0].ends for each in ("given", word))
    assert ours.keys() == theirs.keys()
    for end in ours:
        assert ours[end].values == pytest.approx(theirs[end].values, abs=1e-9, nan_ok=True)


def test_awrf_by_hand():
    """Weights 1 and 0 of two ranks: all exposure goes to the group of the first, 1/2 is due; JSD = 0.311278."""
    membership, target = np.array([[[1.0, 0.0], [0.0, 1.0]]]), np.array([[0.5, 0.5]])
    measure = AWRF(cutoff=2, discount=GivenDiscount((1.0, 0.0), "w"))
    assert measure(membership, target) == pytest.approx([1 - 0.3112781244591328], rel=1e-12)
    assert str(measure) == "AWRF(discount='given')@2"
    assert AWRF(cutoff=2, discount=GivenDiscount((1.0, 1.0), "w"))(membership, target) == pytest.approx([1])


def test_one_file_is_not_taken_for_another():
    membership = np.array([[[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]])
    first, last = (
        rND(protected="a", discount=GivenDiscount(weights, "w"))(membership, ["a", "b"]).item()
        for weights in ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0, 1.0, 1.0))
    )
    assert first == 1  # of rank 1 alone, at which the share is 1 and not 1/3: no order is farther from that
    assert 0 < last < 1


def test_the_word_keeps_its_weights_on_the_way_to_another_process():
    word = pickle.loads(pickle.dumps(GivenDiscount((1.0, 0.5), "w.tsv")))
    assert (word, word.weights, word.origin) == ("given", (1.0, 0.5), "w.tsv")
    assert discount.compute_weights(word, 1).tolist() == [1.0]
    with pytest.raises(InputError, match=r"w\.tsv ends at rank 2, and rank 3 is looked at"):
        discount.compute_weights(word, 3)
    with pytest.raises(UsageError, match="discount=given needs the weights of ranks; add discount=FILE"):
        discount.compute_weights("given", 3)


def test_a_file_is_read_and_stands_in_the_signature(copied, fairtrec_command):
    (copied / "w.tsv").write_text("rank\tweight\n" + "".join(f"{at}\t{w!r}\n" for at, w in enumerate(LOG2, 1)))
    ask = "eval", "none", "bm25.run", "neural.run", "--labels", "labels.tsv", "-j", "2"
    ours = fairtrec_command(*ask, "-m", "AWRF(discount=given)@10", "--discount", "w.tsv", "-q")
    theirs = fairtrec_command(*ask, "-m", "AWRF(discount=log2)@10", "-q")
    assert ours.out == theirs.out.replace("'log2'", "'given'")
    assert " | discount:w.tsv@" in ours.err
    idle = fairtrec_command(*ask, "-m", "AWRF@10", "--discount", "w.tsv")
    assert "--discount has no effect on AWRF@10" in idle.err
    assert "discount:w.tsv" not in idle.err


def test_weights_may_be_a_mapping_from_rank_1(copied):
    by_rank = fairtrec.evaluate("AWRF(discount=given)@2", "bm25.run", **GROUPED, discount={1: 1, 2: 0.5})
    plain = fairtrec.evaluate("AWRF(discount=given)@2", "bm25.run", **GROUPED, discount=[1, 0.5])
    assert np.array_equal(by_rank.scores[0].values, plain.scores[0].values, equal_nan=True)
    assert by_rank.signature["discount"] == plain.signature["discount"]


@pytest.mark.parametrize("thing", [{2: 1.0}, [0.0, 1.0], [1.0, -1.0], [1.0, np.inf], [], ["x"], [[1.0]], 3])
def test_what_is_no_discount_is_refused(thing, copied):
    with pytest.raises(InputError, match="discount"):
        fairtrec.evaluate("AWRF(discount=given)@1", "bm25.run", **GROUPED, discount=thing)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\t1\n3\t1\n", "w.tsv:2: rank 3 instead of 2; write all ranks, from 1"),
        ("1\t0\n", "w.tsv:1: the weight '0' is to be a number above 0, as that of the first rank; correct it"),
        ("1 1\n2 -1\n", "w.tsv:2: the weight '-1' is to be a number of 0 or more; correct it"),
        ("1 1\n2 nan\n", "w.tsv:2: the weight 'nan' is to be a number of 0 or more; correct it"),
        ("1 x\n", "w.tsv:1: the weight 'x' is to be a number above 0"),
        ("1\n", "w.tsv:1: 1 column instead of two; write: rank<TAB>weight"),
        ("\n", "w.tsv: this file has no weights; write lines: rank<TAB>weight"),
        ("1 1\n2 1\n", "w.tsv ends at rank 2; AWRF(discount='given')@10 looks at 10"),
    ],
)
def test_a_bad_file_is_named(text, said, copied, fairtrec_command):
    (copied / "w.tsv").write_text(text)
    ask = "eval", "none", "bm25.run", "--labels", "labels.tsv", "-m", "AWRF(discount=given)@10", "--discount", "w.tsv"
    done = fairtrec_command(*ask)
    assert (done.code, len(done.complaints)) == (3, 1)
    assert done.err.startswith(said)


def test_the_word_without_weights_is_refused(copied, fairtrec_command):
    done = fairtrec_command("eval", "none", "bm25.run", "--labels", "labels.tsv", "-m", "AWRF(discount=given)@10")
    assert (done.code, done.err) == (
        2,
        "AWRF(discount='given')@10 needs the weights of ranks; add --discount FILE\n",
    )
