"""Gold labels and word lists are told apart in signatures, wherever they are given."""

import fairtrec

LABELS = {"a": "f", "b": "m", "c": "f", "d": "m"}
TERMS = {"f": ["she"], "m": ["he"]}


def test_gold_labels_and_word_lists_are_told_apart_wherever_they_are_given():
    sheets = LABELS, LABELS | {"a": "m"}
    assert len({fairtrec.gold.agree(sheet, labels=LABELS).signature["gold"] for sheet in sheets}) == 2
    votes = {"x": {"1": "yes", "2": "yes"}}
    texts = {"1": "she said", "2": "he said"}
    told = [
        str(fairtrec.make_queryset(votes, keep="yes", terms=terms, query_texts=texts).signature)
        for terms in (TERMS, {"f": ["her"], "m": ["him"]})
    ]
    assert told[0] != told[1]
