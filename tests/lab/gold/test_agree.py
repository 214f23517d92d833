"""How well an instrument agrees with people: the figures of real labels, and what each number is over."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.gold import agree, draw
from fairtrec.lab.gold.instruments import classify_documents
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import texts
from fairtrec_made.grepbiasir import LABELS, texts_of

THREE = ["bm25.run", "neural.run", "fair.run"]
WORDS = {"terms": "gender-en", "docs": "collection.tsv"}


@pytest.fixture
def labeled(copied):
    """The labels of the example, of which those without a group are known to be of none."""
    text = (copied / "labels.tsv").read_text("utf-8")
    (copied / "gold.tsv").write_text(text.replace("\t?", "\t-"), "utf-8")
    return "gold.tsv"


def kind(found, name):
    return next(each for each in found.kinds if each.name == name)


def rounded(*values):
    return [round(value, 4) for value in values]


def test_the_words_of_the_paper_beside_the_marks_of_people(shared, tmp_path):
    """Grep-BiasIR: 702 texts that its authors marked, and the word list of Rekabsaz et al. 2021."""
    texts, marks = texts_of(shared / "data" / "grepbiasir")
    terms = shared / "data" / "cpjku" / "resources" / "wordlist_gender_representative.txt"
    gold = {docno: LABELS[mark] for docno, mark in marks.items()}
    found = agree(gold, terms=terms, docs=texts)
    assert found.documents == 702
    assert int((found.gold == found.instrument).sum()) == 598
    assert rounded(found.agreement, *found.kappa, found.alpha) == [0.8519, 0.7829, 0.7451, 0.8206, 0.7824]
    confusion = {each.name: list(each.found.values()) for each in found.kinds}
    assert confusion == {"f": [189, 7, 25, 11], "m": [8, 187, 26, 11], "-": [7, 5, 218, 3], "several": [0, 0, 1, 4]}
    assert rounded(*kind(found, "f").recall, *kind(found, "f").precision) == [
        *[0.8147, 0.7597, 0.8594],
        *[0.9265, 0.8822, 0.9549],
    ]
    assert rounded(*kind(found, "-").recall, kind(found, "-").share_gold, kind(found, "-").share_instrument) == [
        *[0.9356, 0.8965, 0.9606],
        *[0.3319, 0.3846],
    ]


def test_the_bundled_words_beside_the_bundled_labels(labeled):
    found = agree(labeled, **WORDS)
    assert rounded(*found.kappa, found.alpha) == [0.9388, 0.8720, 1, 0.9392]
    misses = found.gold != found.instrument
    assert misses.sum() == 3
    assert {found.names[at] for at in found.gold[misses]} == {"several"}
    assert kind(found, "f").recall == pytest.approx((1, 0.8064, 1), abs=1e-4)
    assert "gold.tsv does not record how its documents were drawn" in str(found)


def test_kinds_are_the_groups_of_most_weight():
    nothing = np.nan
    table = [[0.6, 0.4], [0.2, 0.3], [1, 1], [0.5, 0], [0, 0], [0, 1], [1 / 3, 1 / 3], [nothing, nothing]]
    assert classify_documents(np.array(table)).tolist() == [0, 2, 3, 3, 2, 1, 3, 4]


LABELED = {"a": "f", "b": "m", "c": ["f", "m"], "d": {"f": 0.4, "-": 0.6}, "e": "?", "g": "-"}


def test_labels_are_compared_with_labels_and_what_is_unknown_is_a_miss():
    found = agree(LABELED, labels={"a": "f", "b": {"f": 0.9, "m": 0.1}, "c": "f", "g": "?"})
    assert found.names == ("f", "m", "-", "several", "?")
    pairs = [(found.names[one], found.names[other]) for one, other in zip(found.gold, found.instrument, strict=True)]
    assert sorted(pairs) == [("-", "?"), ("-", "?"), ("f", "f"), ("m", "f"), ("several", "f")]
    assert (found.untold, found.documents, found.agreement) == (1, 5, 0.2)
    assert texts(found.notes)[0] == "1 document is left out: people could not decide the group"
    assert kind(found, "f").precision[0] == pytest.approx(1 / 3)
    assert kind(found, "-").found == {"f": 0, "m": 0, "-": 0, "several": 0, "?": 2}
    assert [each.name for each in found.kinds] == ["f", "m", "-", "several"]


def test_a_document_without_a_text_or_counts_is_a_miss_and_one_without_terms_is_of_none():
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"a": "she", "b": "nobody"}}
    found = agree({"a": "f", "b": "f", "c": "f"}, missing="worst", **given)
    assert found.kinds[0].found == {"f": 1, "m": 0, "-": 1, "?": 1}
    counts = pd.DataFrame({"docno": ["a", "b"], "tokens": [1, 1], "f": [1, 0], "m": [0, 0]})
    assert agree({"a": "f", "b": "f", "c": "f"}, counts=counts, missing="worst").kinds[0].found == found.kinds[0].found
    assert kind(found, "f").recall[0] == pytest.approx(1 / 3)


def test_a_label_that_was_drawn_stands_for_those_that_were_not():
    """Of a drawn with 1/2 and b with 1/4, the one counts twice and the other four times."""
    gold = pd.DataFrame({"docno": ["a", "b", "c"], "group": ["f", "f", "m"], "probability": [0.5, 0.25, 1.0]})
    found = agree(gold, labels={"a": "f", "b": "m", "c": "m"})
    assert found.by == "draw"
    assert found.agreement == pytest.approx((2 + 1) / 7)
    assert kind(found, "f").recall[0] == pytest.approx(2 / 6)
    assert kind(found, "m").precision[0] == pytest.approx(1 / 5)
    assert (kind(found, "m").share_gold, kind(found, "m").share_instrument) == pytest.approx((1 / 7, 5 / 7))
    assert "estimated from 3 documents for all that could be drawn" in str(found)
    assert not texts(found.notes)
    same, chance = 3 / 7, (6 / 7) * (2 / 7) + (1 / 7) * (5 / 7)
    assert found.kappa[0] == pytest.approx((same - chance) / (1 - chance))


def test_all_that_was_drawn_for_certain_has_a_kappa_without_an_interval(labeled):
    drawn = draw(THREE, 100, gold=labeled)
    found = agree(drawn.to_frame(), **WORDS)
    assert found.kappa == pytest.approx((found.kappa[0],) * 3)
    assert found.kappa[0] == pytest.approx(agree(labeled, **WORDS).kappa[0])


def test_with_runs_a_document_counts_as_they_expose_it():
    """Rank 1 counts 1, rank 2 counts 1 / log2(3), rank 3 counts 1/2; the mean over two runs."""
    gold, labels = {"a": "f", "b": "m", "c": "f", "x": "f"}, {"a": "f", "b": "f", "c": "m", "x": "f"}
    runs = {"one": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "two": {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}}
    found = agree(gold, runs, labels=labels)
    second = 1 / math.log2(3)
    a, b, c = (1 + second + 1) / 2, (second + 1) / 2, 0.25
    assert found.agreement == pytest.approx(a / (a + b + c))
    assert (found.documents, found.unseen, found.runs, found.by) == (3, 1, 2, "exposure")
    assert "1 labeled document is left out: not ranked by any run" in texts(found.notes)
    assert agree(gold, runs, labels=labels, depth=1).documents == 2


def test_drawn_queries_are_compared_query_by_query():
    gold = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "group": ["f", "m", ""], "probability": 0.5})
    runs = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0, "c": 0.5}}
    found = agree(gold, {"one": runs}, labels={"a": "f", "b": "f", "z": "m"})
    assert found.documents == 3
    assert found.agreement == pytest.approx(2 / (2 + 1 / math.log2(3)))
    by_query = pd.DataFrame({"qid": ["1", "2", "1"], "docno": ["a", "a", "b"], "group": ["f", "m", "f"]})
    filled = gold.assign(group=["f", "m", "f"])
    assert texts(found.notes)[-1].startswith("documents of one query are treated as independent")
    assert agree(filled, labels=by_query).agreement == pytest.approx(1 / 3)
    assert agree(gold.assign(group=["f", "f", "m"])[["qid", "docno", "group"]], labels=by_query).agreement == 1
    with pytest.raises(InputError, match="these labels are per query, gold is not; draw queries: unit=query"):
        agree({"a": "f", "b": "m"}, labels=by_query)


@st.composite
def labelings(draw):
    names = [f"d{i}" for i in range(draw(st.integers(2, 12)))]
    groups = st.sampled_from(["f", "m", "-"])
    first = {"x": "f", "y": "m", **{name: draw(groups) for name in names}}
    return first, {"x": "f", "y": "m", **{name: draw(groups) for name in names}}


@given(labelings())
def test_two_annotators_agree_as_well_the_one_way_as_the_other(both):
    first, second = both
    one, other = agree(first, labels=second), agree(second, labels=first)
    assert one.kappa == pytest.approx(other.kappa, nan_ok=True)
    assert one.alpha == pytest.approx(other.alpha, nan_ok=True)
    for each, back in zip(one.kinds, other.kinds, strict=True):
        assert each.recall == pytest.approx(back.precision, nan_ok=True)
        assert each.share_gold == pytest.approx(back.share_instrument, nan_ok=True)


@given(labelings())
def test_who_agrees_with_himself_agrees_wholly(both):
    found = agree(both[0], labels=both[0])
    assert (found.agreement, found.kappa[0], found.alpha) == pytest.approx((1, 1, 1))


@given(labelings(), st.randoms())
def test_neither_the_order_of_lines_and_runs_nor_each_run_twice_changes_a_number(both, dice):
    gold, labels = both
    runs = [{"1": {docno: dice.random() for docno in dice.sample([*gold], 3)}} for _ in range(2)]
    one = agree(gold, dict(enumerate(runs)), labels=labels)
    shuffled = {docno: gold[docno] for docno in dice.sample([*gold], len(gold))}
    other = agree(shuffled, dict(enumerate([*runs[::-1], *runs])), labels=labels)
    assert one.agreement == pytest.approx(other.agreement)
    assert one.kappa == pytest.approx(other.kappa, nan_ok=True)
    assert one.alpha == pytest.approx(other.alpha, nan_ok=True)


def test_what_does_not_fit_is_refused(labeled):
    with pytest.raises(UsageError, match="nothing to compare gold labels with; add labels=FILE"):
        agree(labeled)
    with pytest.raises(UsageError, match=r"the confidence is 1\.5"):
        agree(labeled, confidence=1.5, **WORDS)
    with pytest.raises(UsageError, match="there is no option quries; did you mean queries"):
        agree(labeled, quries="x", **WORDS)
    with pytest.raises(InputError, match="the gold labels have the group f, the instrument buddhist, christian"):
        agree(labeled, terms="religion-en", docs="collection.tsv")
    with pytest.raises(InputError, match="no document is left to compare, as no run ranks one that is labeled"):
        agree(labeled, {"1": {"other": 1.0}}, **WORDS)
    with pytest.raises(InputError, match="no document is left to compare; label some"):
        agree({"p001": "?"}, **WORDS)


def test_each_format_says_the_same(labeled, tmp_path):
    found = agree(labeled, **WORDS)
    for form in ("json", "csv", "html", "md"):
        found.write(tmp_path / f"new.{form}")
    told = json.loads((tmp_path / "new.json").read_text("utf-8"))
    assert told["kappa_low"] == found.kappa[1]
    assert list(told["groups"][0]) == [
        *["group", "labeled", "found", "recall", "recall_low", "recall_high", "precision", "precision_low"],
        *["precision_high", "share_gold", "share_instrument", "recall_doubtful", "precision_doubtful"],
    ]
    frame = found.to_frame()
    assert frame["group"].tolist() == ["f", "m", "-", "several"]
    assert frame["found several"].tolist() == [each["found"]["several"] for each in told["groups"]]
    assert found.flat()["kappa_low"] == found.kappa[1]
    assert found.flat()["of_f_recall"] == 1
    assert "several" in (tmp_path / "new.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("documents", "wrong", "kappa", "recall"), [(60, 10, False, False), (60, 9, True, False), (18, 0, True, True)]
)
def test_what_few_documents_decide_is_marked(documents, wrong, kappa, recall):
    names = [f"d{i}" for i in range(documents)]
    gold = {name: "fm"[at % 2] for at, name in enumerate(names)}
    found = agree(gold, labels={name: gold[name] if at >= wrong else "mf"[at % 2] for at, name in enumerate(names)})
    assert found.kappa_doubtful is kappa
    assert found.kinds[0].recall_doubtful is recall
    text = str(found)
    assert ("] ?, alpha" in text) is kappa
    assert ("?: fewer than 10 documents\n" in text) is recall


def test_many_documents_are_compared_at_once():
    """Forty thousand, as a program's labels are; the benchmark holds the time."""
    names = [f"d{i}" for i in range(3000)]
    gold = dict(zip(names, "fm-" * 1000, strict=True))
    assert agree(gold, labels=dict(zip(names, "fmf" * 1000, strict=True))).agreement == pytest.approx(2 / 3)


def test_documents_without_counts_are_no_errors_of_the_instrument(tmp_path, fairtrec_command):
    gold, counts = tmp_path / "gold.tsv", tmp_path / "counts.tsv"
    gold.write_text("docno\tgroup\na\tf\nz\tm\nb\tm\n")
    counts.write_text("docno\ttokens\tf\tm\na\t5\t1\t0\nb\t5\t0\t1\n")
    done = fairtrec_command("gold", "agree", gold, "--counts", counts)
    said = "1 of 3 documents are not in counts.tsv (first: z, line 3); --missing skip leaves them out"
    assert (done.code, said in done.err) == (3, True)
    skipped = agree(gold, counts=counts, missing="skip")
    assert (skipped.documents, skipped.agreement) == (2, 1.0)
    assert "1 of 3 labeled documents have no text or counts and are left out (missing=skip)" in map(str, skipped.notes)
    missed = agree(gold, counts=counts, missing="worst")
    assert (missed.documents, missed.agreement) == (3, pytest.approx(2 / 3))
    assert skipped.signature["missing"] == "skip"
    labels = tmp_path / "labels.tsv"
    labels.write_text("a\tf\nb\tm\n")
    by_labels = agree(gold, labels=labels)  # an instrument that says nothing misses
    assert by_labels.documents == 3
    told = "1 of 3 labeled documents have no label of the instrument and count as misses"
    assert told in map(str, by_labels.notes)
    refused = fairtrec_command("gold", "agree", gold, "--labels", labels, "--missing", "skip")
    assert (refused.code, "--missing is for words and counts" in refused.err) == (2, True)
