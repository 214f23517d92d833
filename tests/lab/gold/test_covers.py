"""Corrected values cover the truth: on Grep-BiasIR, all of whose documents people marked, and drawn from end to end."""

import math
import re
from collections import Counter

import numpy as np
import pytest

import fairtrec
from fairtrec_made.grepbiasir import LABELS, queries_of, texts_of

K, B = 0.9, 0.4


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def bm25(texts, queries):
    """Rank texts for each query, as BM25 does."""
    terms = {docno: Counter(words(text)) for docno, text in texts.items()}
    lengths = {docno: sum(each.values()) for docno, each in terms.items()}
    mean, many = sum(lengths.values()) / len(texts), Counter(term for each in terms.values() for term in each)

    def score(docno, term):
        count = terms[docno][term]
        rarity = math.log(1 + (len(texts) - many[term] + 0.5) / (many[term] + 0.5))
        return rarity * count * (K + 1) / (count + K * (1 - B + B * lengths[docno] / mean))

    run = {}
    for qid, query in queries.items():
        scores = {docno: sum(score(docno, term) for term in words(query) if terms[docno][term]) for docno in texts}
        run[qid] = {docno: value for docno, value in scores.items() if value}
    return run


@pytest.fixture
def grep_biasir(shared):
    """The BM25 run of Grep-BiasIR, the labels of people, and the inputs of its words."""
    folder = shared / "data"
    texts, marks = texts_of(folder / "grepbiasir")
    gold = {docno: LABELS[mark] for docno, mark in marks.items()}
    terms = folder / "cpjku" / "resources" / "wordlist_gender_representative.txt"
    given = {"terms": terms, "docs": texts, "membership": "majority"}
    return bm25(texts, queries_of(folder / "grepbiasir")), gold, given


def test_the_value_by_words_and_by_people_is_that_of_the_pages(grep_biasir):
    """NFaiRR@10 of BM25: .743 by words, .556 without tau, .481 by people, .482 if they decide the ideal, too."""
    run, gold, words_of = grep_biasir
    given = {**words_of, "background": run}
    by_words = fairtrec.evaluate("NFaiRR@10", {"bm25": run}, **given, gold=gold).scores[0]
    (corrected,) = by_words.settle("gold")
    by_people = fairtrec.evaluate("NFaiRR(tau=0)@10", {"bm25": run}, labels=gold, background=run).scores[0]
    found = [by_words.means[0], corrected.without_tau, corrected.corrected, by_people.means[0]]
    assert found == pytest.approx([0.7427, 0.5557, 0.4808, 0.4821], abs=1e-4)


@pytest.mark.slow
def test_drawn_labels_find_what_all_people_say(grep_biasir):
    """Of 200 draws of 60 documents, 95 % intervals cover in 93 % at least, and spread as their width promises."""
    run, gold, words_of = grep_biasir
    given = {**words_of, "background": run}
    measures = "RBDF@10 FaiRR@10 NFaiRR(tau=0)@10"
    whole = fairtrec.evaluate(measures, {"bm25": run}, **given, gold=gold).scores[0]
    truths = [found.corrected for found in whole.settle("gold")]
    assert whole.means[0] == pytest.approx(0.4988, abs=1e-4)  # by words
    assert truths == pytest.approx([0.5360, 2.0935, 0.4808], abs=1e-4)  # by people, with the rule of the words
    covered, errors, widths = np.zeros(3), [], []
    for seed in range(200):
        sheet = fairtrec.gold.draw({"bm25": run}, 60, seed=seed, gold=gold).to_frame()
        found = fairtrec.evaluate(measures, {"bm25": run}, **given, gold=sheet).scores[0].settle("gold")
        covered += [each.low <= truth <= each.high for each, truth in zip(found, truths, strict=True)]
        errors.append([each.corrected - truth for each, truth in zip(found, truths, strict=True)])
        widths.append([(each.high - each.low) / 2 for each in found])
    assert (covered >= 0.93 * 200).all()
    spread, half = np.std(errors, axis=0), np.mean(widths, axis=0)
    assert (np.abs(np.mean(errors, axis=0)) < 3 * spread / math.sqrt(200)).all()
    assert ((half > 1.9 * spread) & (half < 2.8 * spread)).all()
    assert half[2] == pytest.approx(0.09, abs=0.005)  # as docs/gold.md has it


@pytest.mark.slow
@pytest.mark.parametrize("number", [30, 200])
def test_drawn_labels_find_the_pooled_values_of_all_people(grep_biasir, tmp_path, number):
    """Of 200 draws, intervals of AWRF and Exposure pooled over queries cover in 93.5 % at least."""
    run, gold, words_of = grep_biasir
    given = {**words_of, "pool": "even"}

    def pooled(people):
        scores = fairtrec.evaluate("AWRF@10 Exposure(group='f')@10", {"bm25": run}, **given, gold=people).scores[0]
        return [scores.columns["pooled"].correct(measure) for measure in scores.measures]

    truths, covered = [found.corrected for found in pooled(gold)], np.zeros(2)
    for seed in range(200):
        fairtrec.gold.draw({"bm25": run}, number, seed=seed, gold=gold).write(tmp_path / "sheet.tsv")
        found = pooled(tmp_path / "sheet.tsv")
        covered += [each.low <= truth <= each.high for each, truth in zip(found, truths, strict=True)]
    assert (covered >= 0.935 * 200).all()
