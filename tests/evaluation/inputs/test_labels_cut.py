"""Labels of a whole collection are cut to the documents that something names, and nothing that is printed tells."""

import io
import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fairtrec
from fairtrec.data import Docnos
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.groups import choose_groups
from fairtrec.formats import label_table, labels
from fairtrec.formats.label_rules import LabelRules
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files import opening
from fairtrec_made import texts

RUN = "".join(f"{q} Q0 d{(3 * q + rank) % 12} {rank} {-rank} t\n" for q in (1, 2, 3) for rank in range(1, 7))
QRELS = "".join(f"{q} 0 d{d} 1\n" for q in (1, 2, 3) for d in (q, q + 5, 13))
MEASURES = "AWRF@5 NDKL@5 EEL(discount=log2)@5"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my.run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(**keywords):
    """Give all that a result says: values, remarks, signature, and groups with their sizes; or what is wrong."""
    try:
        result = fairtrec.evaluate(MEASURES, "my.run", qrels="qrels", **keywords)
    except (InputError, UsageError) as fault:
        return str(fault)
    (scores,) = result.scores
    values = np.where(np.isnan(scores.values), -1, scores.values).round(12).tolist()
    groups = {name: {key: round(share, 12) for key, share in about.items()} for name, about in result.groups.items()}
    return values, scores.notes, texts(result.notes), str(result.signature), groups


def held(monkeypatch, few):
    monkeypatch.setattr(label_table, "HELD", few)
    return monkeypatch


GROUPS = ["a", "b", "c", "?", "-"]
one = st.lists(st.sampled_from(GROUPS), min_size=16, max_size=16)
several = st.lists(
    st.dictionaries(st.sampled_from(["a", "b", "c", "?"]), st.integers(1, 4), max_size=3), min_size=16, max_size=16
)
CHOSEN = st.fixed_dictionaries(
    {},
    optional={
        "membership": st.sampled_from(["share", "any", "majority"]),
        "missing": st.sampled_from(["group", "even"]),
        "target": st.sampled_from(["qrels", "collection", "0.5*collection+0.5*qrels"]),
        "groups": st.sampled_from(["a,b", "a,b,-", "c,a,b"]),
    },
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(one, CHOSEN)
def test_a_group_of_each_document(folder, monkeypatch, groups, choices):
    (folder / "l.tsv").write_text("".join(f"d{d}\t{group}\n" for d, group in enumerate(groups)))
    whole = shown(labels="l.tsv", **choices)
    with monkeypatch.context() as patch:
        held(patch, 3)
        assert shown(labels="l.tsv", **choices) == whole


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(several, st.booleans(), CHOSEN)
def test_counts_and_lists_of_groups(folder, monkeypatch, groups, counted, choices):
    rows = [each if counted else [name for name in each if name != "?"] for each in groups]
    lines = [json.dumps({"docno": f"d{d}", "x": row}) + "\n" for d, row in enumerate(rows)]
    (folder / "l.jsonl").write_text("".join(lines))
    whole = shown(labels="l.jsonl:x", **choices)
    with monkeypatch.context() as patch:
        held(patch, 3)
        assert shown(labels="l.jsonl:x", **choices) == whole


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(one, one, st.randoms(use_true_random=False), CHOSEN)
def test_labels_of_a_document_that_stand_apart(folder, monkeypatch, first, second, random, choices):
    """They are read once more, and all are held; of several faults any may be told."""
    lines = [f"d{d}\t{group}\n" for some in (first, second[:8]) for d, group in enumerate(some)]
    random.shuffle(lines)
    (folder / "l.tsv").write_text("".join(lines))
    whole = shown(labels="l.tsv", **choices)
    with monkeypatch.context() as patch:
        held(patch, 3)
        cut = shown(labels="l.tsv", **choices)
    assert cut == whole or (isinstance(cut, str) and isinstance(whole, str))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False), CHOSEN)
def test_groups_of_a_document_that_stand_apart(folder, monkeypatch, random, choices):
    lines = [f"d{d}\t{group}\n" for d in range(16) for group in random.sample("abc", random.randint(1, 2))]
    random.shuffle(lines)
    (folder / "l.tsv").write_text("".join(lines))
    whole = shown(labels="l.tsv", **choices)
    with monkeypatch.context() as patch:
        held(patch, 3)
        assert shown(labels="l.tsv", **choices) == whole


def test_the_first_repeated_label_is_told_although_a_later_one_is_seen_before_it(folder, monkeypatch):
    lines = ["d1\ta\n", "d2\tb\n", "d3\ta\n", "d1\ta\n", "d4\tb\n", "d4\tb\n", "d5\ta\n", "d6\tb\n"]
    (folder / "l.tsv").write_text("".join(lines))
    whole = shown(labels="l.tsv")
    assert "2 labels are repeated with the same weight (first: line 4)" in whole[2]
    held(monkeypatch, 3)
    assert shown(labels="l.tsv") == whole


def test_labels_from_a_pipe_are_to_stand_together(folder, monkeypatch):
    held(monkeypatch, 3)
    text = "".join(f"d{d}\t{group}\n" for group in "ab" for d in range(30))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert "the labels of a document are not on adjacent lines; sort them by docno" in shown(labels="-")


def collection(documents):
    """Labels of a collection: a third each of two groups and of unknown group; one of none."""
    return "".join(f"d{d}\t{'fm?'[d % 3]}\n" for d in range(documents)) + "nobody\t-\n"


def taken(path, names, how=None, **keywords):
    wanted = Docnos.collect(np.array(names, "S8"))
    return labels.read(path, LabelRules(how, wanted=lambda: wanted, **keywords))


def test_only_documents_that_are_named_have_a_row(folder, monkeypatch):
    (folder / "l.tsv").write_text(collection(900))
    whole = labels.read(folder / "l.tsv")
    held(monkeypatch, 100)
    found = taken(folder / "l.tsv", [b"d3", b"d898", b"elsewhere"])
    assert sorted(found.rows.names.tolist()) == [b"d3", b"d898"]
    assert found.groups == whole.groups == ("f", "m")
    assert found.sizes.tolist() == whole.sizes.tolist() == [300, 300]
    assert found.amounts.tolist() == whole.amounts.tolist() == [300, 300]
    assert found.none_count == whole.none_count == 1
    assert found.none
    assert found.fill_unknown("group").sizes.tolist() == whole.fill_unknown("group").sizes.tolist() == [300, 300, 300]


def test_a_document_of_another_group_of_which_a_part_is_unknown_is_of_none_until_the_unknown_are_a_group(
    folder, monkeypatch
):
    rows = [*[{"a": 1}, {"b": 1}] * 6, *[{"c": 1, "?": 1}] * 8]
    lines = [json.dumps({"docno": f"d{d}", "x": row}) + "\n" for d, row in enumerate(rows)]
    (folder / "l.jsonl").write_text("".join(lines))
    for held_at_most, left in ((1 << 20, 0), (3, 7)):  # d12 to d19, of which d13 is judged
        held(monkeypatch, held_at_most)
        wanted = Docnos.collect(np.array(["d3", "d13"], "S8"))
        how = LabelRules("share", ("a", "b", "-"), lambda wanted=wanted: wanted)
        some = choose_groups(loading.labels("l.jsonl:x", None, how), "a,b,-")
        assert (some.beyond.none if some.beyond else 0) == left
        assert (some.none_count, some.fill_unknown("group").none_count, some.fill_unknown("group").sizes.tolist()) == (
            8,
            0,
            [8, 6, 6],
        )


def test_documents_of_runs_judgments_background_and_gold_are_named(folder, monkeypatch):
    monkeypatch.setattr(label_table, "HELD", 10)
    (folder / "l.tsv").write_text("".join(f"d{d}\t{'fm'[d % 2]}\n" for d in range(200)))
    (folder / "b.run").write_text("1 Q0 d150 1 1 t\n")
    (folder / "gold.tsv").write_text("docno\tgroup\tprobability\nd151\tm\t1\nd4\tf\t1\n")
    seen = []
    real = loading.labels

    def watched(*given):
        seen.append(real(*given))
        return seen[-1]

    monkeypatch.setattr(loading, "labels", watched)
    shown(labels="l.tsv", background="b.run", gold="gold.tsv")
    ranked = {line.split()[2] for line in (RUN + QRELS + "1 Q0 d150 1\n").splitlines()} | {"d151"}
    assert {name.decode() for name in seen[0].rows.names.tolist()} == ranked


@pytest.mark.parametrize("keywords", [{"background": "collection"}, {"missing": "even"}])
def test_labels_stay_whole_where_the_whole_is_looked_at(folder, monkeypatch, keywords):
    (folder / "l.tsv").write_text(collection(900))
    whole = shown(labels="l.tsv", **keywords)
    held(monkeypatch, 100)
    assert shown(labels="l.tsv", **keywords) == whole


def test_documents_that_tau_takes_for_neutral_are_counted_among_those_that_are_named(folder, monkeypatch):
    (folder / "l.tsv").write_text(collection(900))
    (folder / "b.run").write_text(RUN)
    said = "labeled documents of a group{} count as neutral, because a label is one group term and tau=1"

    def remark():
        result = fairtrec.evaluate(
            "NFaiRR@5", "my.run", qrels="qrels", labels="l.tsv", background="b.run", missing="skip"
        )
        return next(note for note in texts(result.notes) if "neutral" in note)

    assert f" 600 {said.format('')}" in remark()
    held(monkeypatch, 100)
    assert f" 9 {said.format(' that are named')}" in remark()  # d0 to d11 and d13, less those of unknown group


def test_labels_of_other_documents_say_so(folder, monkeypatch):
    (folder / "l.tsv").write_text("".join(f"e{d}\t{'fm'[d % 2]}\n" for d in range(90)))
    whole = shown(labels="l.tsv")
    assert "the labels have none of its documents" in whole
    held(monkeypatch, 10)
    assert shown(labels="l.tsv") == whole


def test_runs_that_are_held_in_memory_name_documents_too(folder, monkeypatch):
    (folder / "l.tsv").write_text(collection(900))
    given = {"r": {"1": {"d3": 2.0, "d4": 1.0}}}
    whole = fairtrec.evaluate("AWRF@5", given, labels="l.tsv").means
    held(monkeypatch, 100)
    assert fairtrec.evaluate("AWRF@5", given, labels="l.tsv").means == whole


def test_labels_per_query_stay_whole(folder, monkeypatch):
    (folder / "l.tsv").write_text("".join(f"{q}\td{d}\t{'fm'[d % 2]}\n" for q in (1, 2, 9) for d in range(50)))
    whole = shown(labels="l.tsv")
    held(monkeypatch, 10)
    assert shown(labels="l.tsv") == whole


def test_a_pipe_is_not_read_twice(folder, monkeypatch):
    import io
    import sys

    (folder / "l.tsv").write_text(collection(900))
    whole = shown(labels="l.tsv")
    held(monkeypatch, 100)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    values = fairtrec.evaluate(MEASURES, "-", qrels="qrels", labels="l.tsv").scores[0].values
    assert values.round(12).tolist() == whole[0]


def test_what_is_wrong_is_said_with_its_line_whether_its_document_is_named_or_not(folder, monkeypatch):
    held(monkeypatch, 10)
    lines = [f"d{d}\t{'fm'[d % 2]}\t1\n" for d in range(100)]
    (folder / "l.tsv").write_text("".join([*lines[:70], "d999\tf\t2\n", *lines[70:]]))
    with pytest.raises(InputError, match=r"l\.tsv:71: the weight 2 of d999 is not between 0 and 1"):
        taken(folder / "l.tsv", [b"d3"])
    (folder / "l.tsv").write_text("".join([*lines, "d3\tm\t.5\n"]))
    with pytest.raises(InputError, match=r"l\.tsv:101: document d3 has the label m twice"):
        taken(folder / "l.tsv", [b"d3"])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([("d999", "f", 2.0)], "the weight 2 of d999 is not between 0 and 1; correct it"),
        ([("d999", "f", 1.0), ("d999", "f", 0.5)], "document d999 has the label f twice, with other weights; keep one"),
        ([("d999", "f", 1.0), ("d999", "-", 1.0)], "document d999 is of none of the groups (-), and of f; keep one"),
    ],
)
def test_what_is_wrong_behind_labels_that_were_cut_is_said_with_its_own_line(monkeypatch, wrong, said):
    held(monkeypatch, 10)
    wanted = Docnos.collect(np.array([f"d{d}" for d in range(0, 100, 3)], "S8"))
    found = label_table.LabelTable("l", how=LabelRules(wanted=lambda: wanted))
    entries = [(f"d{d}", "fm"[d % 2], 1.0) for d in range(95)]
    with pytest.raises(InputError) as fault:  # noqa: PT012 - it is said as soon as it is held
        for first in range(0, 95, 5):
            some = [*entries[first : first + 5], *(wrong if first == 70 else [])]
            names, groups, weights = zip(*some, strict=True)
            line = first + 1 + len(wrong) * (first > 70)
            found.add(np.array(names, "S8"), found.code_groups(list(groups)), np.array(weights), line)
        found.labels("l")
    assert str(fault.value).startswith(f"l:{75 + len(wrong)}: {said}")


def test_a_broken_run_says_what_is_wrong_with_it(folder, monkeypatch):
    (folder / "l.tsv").write_text(collection(900))
    (folder / "my.run").write_text(RUN + "1 Q0 d1\n")
    whole = shown(labels="l.tsv")
    assert "my.run:19" in whole
    held(monkeypatch, 100)
    assert shown(labels="l.tsv") == whole


def many_groups(folder):
    rows = [{"docno": f"d{d}", "x": [f"g{d % 60}", f"g{d * 7 % 60}"]} for d in range(300)]
    (folder / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize("groups", ["g1,g2,g3", "g1,g2,-"])
@pytest.mark.parametrize("membership", [None, "share", "any", "majority"])
def test_groups_that_are_not_asked_for_take_no_place(folder, monkeypatch, groups, membership):
    many_groups(folder)
    whole = shown(labels="l.jsonl:x", groups=groups, membership=membership)
    monkeypatch.setattr(label_table, "MOST_GROUPS", 9)
    monkeypatch.setattr(label_table, "MOST_CELLS", 300 * 9)
    assert shown(labels="l.jsonl:x", groups=groups, membership=membership) == whole
    held(monkeypatch, 100)
    assert shown(labels="l.jsonl:x", groups=groups, membership=membership) == whole


def test_what_does_not_fit_into_memory_tells_what_would(folder, monkeypatch):
    many_groups(folder)
    monkeypatch.setattr(label_table, "LARGE_TABLE", 100)
    monkeypatch.setattr(label_table, "MOST_CELLS", 500)
    monkeypatch.setattr(label_table, "MOST_GROUPS", 9)
    said = "60 groups of 13 documents do not fit into memory; choose those that you need with groups="
    assert said in shown(labels="l.jsonl:x")
    assert "l.jsonl:x has no group h; there are g1, 59 others" in shown(labels="l.jsonl:x", groups="g1,h")


def test_memory_does_not_grow_with_the_collection(folder, monkeypatch):
    held(monkeypatch, 1 << 10)
    monkeypatch.setattr(opening, "BLOCK", 1 << 14)  # of which a file has several
    peaks = []
    for documents in (5_000, 20_000):
        (folder / "l.tsv").write_text(collection(documents))
        tracemalloc.start()
        taken(folder / "l.tsv", [b"d3"])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]
