"""Gold labels against the same rule as the instrument: no tau, its membership, votes of people; and impossible draws."""

import numpy as np
import pytest

import fairtrec
from fairtrec.support.errors import InputError

TERMS = {"f": ["she", "woman"], "m": ["he", "man"]}
DOCS = {"a": "she and he", "b": "she woman", "c": "he", "d": "a stone", "e": "she he man", "g": "woman"}
RUN = {"q": {"a": 6, "b": 5, "c": 4}, "r": {"d": 6, "e": 5, "g": 4}, "s": {"g": 3, "b": 2, "a": 1}}
GOLD = {"a": ["f", "m"], "b": "f", "c": "m", "d": "-", "e": "m", "g": "f"}
WORDS = {"terms": TERMS, "docs": DOCS}


def corrected(measures, gold, **given):
    """The corrected means of the one run."""
    return fairtrec.evaluate(measures, RUN, **{**WORDS, **given}, gold=gold).scores[0].settle("gold")


def write(tmp_path, rows, head):
    """Write a sheet."""
    path = tmp_path / "sheet.tsv"
    path.write_text("\n".join("\t".join(map(str, row)) for row in [head.split(), *rows]) + "\n")
    return path


def test_the_corrected_value_is_the_same_for_every_tau():
    several = corrected("FaiRR@3 FaiRR(tau=0)@3 FaiRR(tau=3)@3", GOLD)
    assert len({each.corrected for each in several}) == 1
    means = fairtrec.evaluate("FaiRR(tau=0)@3", RUN, **WORDS).scores[0].means
    assert [each.without_tau for each in several] == [pytest.approx(means[0]), None, pytest.approx(means[0])]


@pytest.mark.parametrize("rule", ["share", "majority", "any"])
def test_all_labeled_is_the_evaluation_by_gold_with_the_same_membership(rule):
    measures = "Exposure(group='f',of='all')@3" + " RBDF@3" * (rule != "share")  # which takes whole labels
    found = corrected(measures, GOLD, membership=rule)
    labels = fairtrec.evaluate(measures, RUN, labels=GOLD, membership=rule).scores[0].means
    assert [each.corrected for each in found] == pytest.approx(labels.tolist(), abs=1e-12)
    assert all(each.low == each.high for each in found)


def test_all_labeled_is_the_evaluation_by_gold_without_tau():
    (found,) = corrected("FaiRR@3", GOLD)
    labels = fairtrec.evaluate("FaiRR(tau=0)@3", RUN, labels=GOLD).scores[0].means[0]
    assert found.corrected == pytest.approx(labels, abs=1e-12)


def test_split_votes_are_no_balanced_texts():
    # each of two documents is f to two of three people and m to one: to all of them one-sided
    votes = {d: {"f": 2 / 3, "m": 1 / 3} for d in "ab"}
    (found,) = (
        fairtrec.evaluate("FaiRR(tau=0)@2", {"q": {"a": 2, "b": 1}}, **WORDS, gold=votes).scores[0].settle("gold")
    )
    assert found.corrected == pytest.approx(0.0, abs=1e-12)
    result = fairtrec.evaluate("FaiRR(tau=0)@2", {"q": {"a": 2, "b": 1}}, **WORDS, gold=votes)
    assert "2 of 2 gold documents are split votes" in [str(note) for note in result.scores[0].notes]


def test_sums_that_are_linear_keep_their_values():
    votes = {**GOLD, "a": {"f": 0.75, "m": 0.25}}
    (found,) = corrected("Exposure(group='f',of='all')@3", votes)
    labels = fairtrec.evaluate("Exposure(group='f',of='all')@3", RUN, labels=votes).scores[0].means[0]
    assert found.corrected == pytest.approx(labels, abs=1e-12)


def test_weights_of_a_half_are_two_annotators(tmp_path):
    rest = [(d, g) for d, g in GOLD.items() if d != "a"]
    by_weight = [("a", "f", 0.5), ("a", "m", 0.5), *((d, g, 1) for d, g in rest)]
    by_people = [("a", "f", "x"), ("a", "m", "y"), *((d, g, who) for d, g in rest for who in "xy")]
    measures = "FaiRR(tau=0)@3 RBDF@3 Exposure(group='f',of='all')@3"
    one = corrected(measures, write(tmp_path, by_weight, "docno group weight"))
    other = corrected(measures, write(tmp_path, by_people, "docno group annotator"))
    assert [each[:3] for each in one] == [pytest.approx(each[:3]) for each in other]


def test_measures_that_are_no_sums_take_the_mean_over_annotators(tmp_path):
    by_people = [
        (d, g, who)
        for d in "abcdeg"
        for who, of in (("x", "fmffmm"), ("y", "mmffmf"))
        for g in [dict(zip("abcdeg", of, strict=True))[d]]
    ]
    (found,) = corrected("AWRF@3", write(tmp_path, by_people, "docno group annotator"))
    each = [
        fairtrec.evaluate("AWRF@3", RUN, labels=dict(zip("abcdeg", of, strict=True))).scores[0].means[0]
        for of in ("fmffmm", "mmffmf")
    ]
    assert found.corrected == pytest.approx(np.mean(each), abs=1e-12)


def test_a_note_counts_the_queries_that_no_annotator_labeled_whole(tmp_path):
    """x labels all but g, y all but b: q has x and y, or y only; r has y; s has nobody for all of b, g and a."""
    rows = [(d, "fm"[d in "ceg"], who) for d in "abcdeg" for who in "xy" if (d, who) not in (("g", "x"), ("b", "y"))]
    given = {**WORDS, "gold": write(tmp_path, rows, "docno group annotator")}
    said = (
        "in 1 of 3 labeled queries no annotator labeled every document; there, the vote of most weight for each document "
        "counts"
    )
    assert said in [str(note) for note in fairtrec.evaluate("AWRF@3", RUN, **given).scores[0].notes]
    deeper = fairtrec.evaluate("AWRF@3 KL@1", RUN, **given).scores[0].notes
    assert said in [str(note) for note in deeper]  # of any measure
    for measure, gold in (("AWRF@1", given["gold"]), ("RBDF@3", given["gold"]), ("AWRF@3", GOLD)):
        notes = fairtrec.evaluate(measure, RUN, **WORDS, gold=gold).scores[0].notes
        assert not any("annotator" in str(note) for note in notes)


def test_without_annotators_the_vote_of_most_weight_counts(tmp_path):
    votes = {**dict.fromkeys("bcdeg", "f"), "a": {"m": 0.6, "f": 0.4}}
    (found,) = corrected("AWRF@3", votes)
    hard = fairtrec.evaluate("AWRF@3", RUN, labels={**votes, "a": "m"}).scores[0].means[0]
    assert found.corrected == pytest.approx(hard, abs=1e-12)
    result = fairtrec.evaluate("AWRF@3", RUN, **WORDS, gold={**votes, "a": {"m": 0.5, "f": 0.5}})
    said = "1 of these have several votes of equal, greatest weight, which count equally"
    assert said in [str(note) for note in result.scores[0].notes]


def test_a_vote_of_nobody_can_tell_is_left_out():
    votes = {**GOLD, "a": {"f": 0.5, "?": 0.5}}
    assert corrected("RBDF@3", votes) == corrected("RBDF@3", {**GOLD, "a": {"f": 1.0}})


@pytest.mark.parametrize(
    ("rows", "head", "line", "said"),
    [
        ([("a", "f", 1, "x")], "docno group weight annotator", 2, "a has an annotator and a weight"),
        ([("a", "f", "x"), ("a", "f", "x")], "docno group annotator", 3, "x gave a the label f twice; keep one"),
        ([("a", "f", "x"), ("a", "m", "")], "docno group annotator", 3, "only some lines of a have an annotator"),
        ([("a", "f", "x"), ("a", "-", "x")], "docno group annotator", 3, "x gave a - and a group; keep one of them"),
    ],
)
def test_lines_of_annotators_are_refused(tmp_path, rows, head, line, said):
    with pytest.raises(InputError, match=said) as fault:
        corrected("RBDF@3", write(tmp_path, rows, head))
    assert fault.value.line == line


@pytest.mark.parametrize("chance", [1.0, 0.99])
def test_a_sample_that_was_not_drawn_is_refused(tmp_path, chance):
    rows = [(d, GOLD[d], chance) for d in "bg"]
    with pytest.raises(InputError, match="by these probabilities the drawn documents carry") as fault:
        corrected("Exposure(group='f',of='all')@3", write(tmp_path, rows, "docno group probability"))
    assert str(fault.value).endswith("only a drawn sample can correct values: fairtrec gold draw")


def test_a_query_without_a_value_by_words_has_one_by_people():
    # by words query s has no document of a group; by people all have one
    docs = {**DOCS, "g": "a stone", "b": "a stone", "a": "a stone"}
    given = {"terms": TERMS, "docs": docs}
    gold = {**dict.fromkeys("abcdeg", "f"), "c": "m"}
    result = fairtrec.evaluate("AWRF@3", RUN, **given, gold=gold).scores[0]
    assert np.isnan(result.values).sum() == 1
    (found,) = result.settle("gold")
    people = fairtrec.evaluate("AWRF@3", RUN, labels=gold).scores[0].means[0]
    assert found.corrected == pytest.approx(people, abs=1e-12)
