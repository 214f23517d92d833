"""Change one input, in memory or in a file, and the signature changes with the value.

Of what is held in memory the order is no part of it; of a file its bytes are the input.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairtrec
from fairtrec_made import EXAMPLE

QIDS, DOCNOS, WORDS = ["1", "2"], ["a", "b", "c", "d"], ["she", "he", "it", "they"]
RUN = {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "2": {"d": 3.0, "b": 2.0, "a": 1.0}}
QRELS = {"1": {"a": 1, "b": 0}, "2": {"d": 2}}
LABELS = {"a": "f", "b": "m", "c": "f", "d": "m"}
TERMS = {"f": ["she"], "m": ["he"]}
DOCS = {"a": "she", "b": "he he", "c": "she he", "d": "it"}
shares = st.sampled_from([0.1, 0.25, 0.5, 0.75]).map(lambda share: {"f": share, "m": 1 - share})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


def of_documents(values, least=4):
    return st.dictionaries(st.sampled_from(DOCNOS), values, min_size=least, max_size=4)


def rankings():
    of_query = st.permutations(DOCNOS).flatmap(
        lambda docs: st.integers(1, 4).map(lambda many: {doc: 9.0 - rank for rank, doc in enumerate(docs[:many])})
    )
    return st.fixed_dictionaries(dict.fromkeys(QIDS, of_query))


def in_two_groups(labels):
    return len({*labels.values()} - {"-", "?"}) == 2


def frame(rows):
    return pd.DataFrame(
        {
            "docno": [*rows],
            "tokens": [9] * len(rows),
            "f": [r[0] for r in rows.values()],
            "m": [r[1] for r in rows.values()],
        }
    )


counts = of_documents(st.tuples(st.integers(0, 2), st.integers(0, 2)))
labels = of_documents(st.sampled_from(["f", "m", "-"])).filter(in_two_groups)
# a strategy of what is given for a part, and what goes with it
PARTS = {
    "qrels": (st.fixed_dictionaries({qid: of_documents(st.integers(0, 3), 1) for qid in QIDS}), "nDCG@3 GFR@3 ERR@2", {"labels": LABELS}),
    "terms": (st.fixed_dictionaries({g: st.lists(st.sampled_from(WORDS), min_size=1, unique=True) for g in "fm"}), "TExFAIR@3 TE@3", {"docs": DOCS}),
    "docs": (of_documents(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)), "TExFAIR@3 TE@3", {"terms": TERMS}),
    "docs of a frame": (of_documents(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)), "TExFAIR@3 TE@3", {"terms": TERMS}),
    "counts": (counts, "TExFAIR@3 TE@3", {}),
    "background": (rankings(), "NFaiRR@3", {"docs": DOCS, "terms": TERMS, "background_depth": 2}),
    "labels": (labels, "AWRF@3 Skew@3", {}),
    "labels with weights": (st.lists(shares, min_size=4, max_size=4).map(lambda of: dict(zip(DOCNOS, of, strict=True))), "AWRF@3", {}),
    "labels of a frame": (labels, "AWRF@3", {}),
    "stances": (of_documents(st.sampled_from([-0.5, 0.25, 1.0])), "DUO@3", {}),
    "discount": (st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=3, max_size=3), "AWRF(discount=given)@3", {"labels": LABELS}),
    "queries": (st.lists(st.sampled_from(QIDS), min_size=1, unique=True), "nDCG@3", {}),
    "target": (shares, "AWRF@3", {"labels": LABELS}),
    "prior": (shares, "AWRF@3", {"labels": {"a": "f", "b": "m"}, "bounds": "labels"}),
    "pool": (st.fixed_dictionaries({qid: st.integers(1, 3).map(float) for qid in QIDS}), "EED@3", {"labels": LABELS}),
    "gold": (labels, "AWRF@3 Exposure(group=f)@3", {"labels": LABELS}),
    "counterfactual": (rankings(), "CRBO", {}),
    "counterfactual by name": (rankings(), "CRBO", {}),
}  # fmt: skip


def evaluated(name, held):
    part, _, kind = name.partition(" ")
    _, measures, beside = PARTS[name]
    if part == "counts":
        held = frame(held)
    if kind == "of a frame":
        column = "text" if part == "docs" else "group"
        held = pd.DataFrame({"docno": [*held], column: [*held.values()]})
    held = {"run": held} if kind == "by name" else held
    return fairtrec.evaluate(measures, {"run": RUN}, **{"qrels": QRELS} | beside | {part: held})


def values_of(result):
    (scores,) = result.scores
    found = [scores.values, scores.means, *(each.values for each in scores.ends.values())]
    several = scores.settle("gold") if "gold" in scores.columns else ()
    found += [np.array([each.corrected for each in several if each is not None and not each.why])]
    if "pooled" in scores.columns:
        found.append(np.array([scores.columns["pooled"].value(each) for each in scores.measures]))
    return [np.round(each.astype(float), 12).tobytes() for each in found], scores.qids


def ranked(run):
    return "".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, of in run.items() for d, s in of.items())


def tabbed(rows, head=""):
    return head + "".join("\t".join(map(str, row)) + "\n" for row in rows)


# how what is drawn for a part is written into a file
WRITTEN = {
    "qrels": lambda held: "".join(f"{q} 0 {d} {g}\n" for q, of in held.items() for d, g in of.items()),
    "terms": lambda held: "".join(f"{word},{group}\n" for group, words in held.items() for word in words),
    "docs": lambda held: tabbed(held.items()),
    "counts": lambda held: tabbed(((d, 9, *each) for d, each in held.items()), "docno\ttokens\tf\tm\n"),
    "background": ranked,
    "labels": lambda held: tabbed(held.items()),
    "labels with weights": lambda held: tabbed((d, g, w) for d, of in held.items() for g, w in of.items()),
    "stances": lambda held: tabbed(held.items()),
    "discount": lambda held: tabbed(enumerate(held, 1)),
    "queries": lambda held: "".join(f"{qid}\n" for qid in held),
    "target": lambda held: tabbed(held.items()),
    "pool": lambda held: tabbed(held.items()),
    "gold": lambda held: tabbed(held.items(), "docno\tgroup\n"),
    "counterfactual": ranked,
}


ORDERED = ("discount", "target", "prior")  # weights of ranks; and what is told as it was written


@pytest.mark.parametrize("name", PARTS)
@given(st.data())
def test_one_input_changes_the_value_and_the_signature_together(name, data):
    strategy = PARTS[name][0]
    one, other = data.draw(strategy), data.draw(strategy)
    first, second = evaluated(name, one), evaluated(name, other)
    if values_of(first) != values_of(second):
        assert first.signature[name.split()[0]] != second.signature[name.split()[0]]
    assert first.signature == second.signature or one != other


@pytest.mark.parametrize("name", WRITTEN)
@settings(max_examples=10)
@given(st.data())
def test_one_file_changes_the_value_and_the_signature_together(folder, name, data):
    part, (strategy, measures, beside) = name.split()[0], PARTS[name]
    both = []
    for held in (data.draw(strategy), data.draw(strategy)):
        (folder / name).write_text(WRITTEN[name](held))
        both.append(fairtrec.evaluate(measures, {"run": RUN}, **{"qrels": QRELS} | beside | {part: str(folder / name)}))
        both[-1] = values_of(both[-1]), both[-1].signature, (folder / name).read_bytes()
    (first, one, text), (second, other, another) = both
    if first != second:
        assert one[part] != other[part]
    assert (one == other) == (text == another)


@pytest.mark.parametrize("name", [name for name in PARTS if name not in ORDERED])
@given(st.data())
def test_another_order_is_the_same_input(name, data):
    held = data.draw(PARTS[name][0])
    turned = held[::-1] if isinstance(held, list) else dict(reversed(held.items()))
    assert evaluated(name, held).signature == evaluated(name, turned).signature


def test_slices_are_told_apart():
    result = fairtrec.evaluate("P@2 RR", {"a": RUN, "b": RUN}, qrels=QRELS)
    told = [
        fairtrec.compare(result, slices=slices).signature["slices"]
        for slices in ({"x": ["1"]}, {"x": ["2"]}, {"y": ["1"]})
    ]
    assert len({*told}) == 3
    assert (
        fairtrec.compare(result, slices={"x": ["1", "2"]}).signature
        == fairtrec.compare(result, slices={"x": ["2", "1"]}).signature
    )


def test_what_can_be_read_but_once_is_hashed_and_counted():
    table = pa.table({"docno": [*DOCS], "text": [*DOCS.values()]})
    given = {"terms": TERMS, "qrels": QRELS}
    of_table, of_reader = (
        fairtrec.evaluate("TExFAIR@3", RUN, docs=docs, **given)
        for docs in (table, pa.RecordBatchReader.from_batches(table.schema, table.to_batches()))
    )
    assert of_table.signature == of_reader.signature
    assert of_table.means == of_reader.means
    assert of_table.signature["docs"].startswith("given@")


def test_a_session_hashes_texts_once(monkeypatch):
    from fairtrec.formats import memory

    asked = []
    monkeypatch.setattr(memory, "digest_texts", lambda pairs: asked.append(1) or str(len([*pairs])))
    session = fairtrec.evaluator("TExFAIR@3", QRELS, terms=TERMS, docs=DOCS)
    told = {session.evaluate(RUN).signature["docs"] for _ in range(3)}
    assert (told, len(asked)) == ({"given@4"}, 1)


def test_a_list_in_memory_may_be_that_of_counts_from_a_file(tmp_path):
    """Its digest is not asked to be that of a file of the same words."""
    (tmp_path / "terms.csv").write_text("she,f\nhe,m\n")
    fairtrec.make_counts(EXAMPLE / "collection.tsv", tmp_path / "terms.csv", tmp_path / "counts.arrow", jobs=1)
    found = fairtrec.evaluate("TExFAIR@3", EXAMPLE / "bm25.run", terms=TERMS, counts=tmp_path / "counts.arrow")
    assert found.signature["terms"].startswith("terms.csv@")
