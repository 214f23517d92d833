"""Targets: files of shares and counts, mixtures, what an ideal ranking gives, and documents without a label."""

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.formulas import ranks
from fairtrec.support.errors import UsageError
from fairtrec_made import texts

RUN = {"q1": {"d1": 5.0, "d2": 4.0, "d3": 3.0, "d9": 2.0}}
QRELS = {"q1": {"d1": 1, "d2": 2, "d3": 2, "d9": 1, "d5": 0}}
LABELS = {"d1": "a", "d2": "b", "d3": "a", "d5": "b"}  # and nobody knows d9
# KL@1 of a ranking that has d1, of a, on top is -ln of a's share in the target: the target can be read off it


def share(target, *, rank_one="d1", labels=LABELS, **given) -> float:
    run = {"q1": {rank_one: 1.0}}
    found = fairtrec.evaluate("KL@1", run, qrels=QRELS, labels=labels, target=target, **given)
    return math.exp(-found.means["run"]["KL@1"])


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "world.tsv").write_text("group\tcount\na\t3\nb\t1\n")
    (tmp_path / "shares.tsv").write_text("a\t.333333\nb\t.666666\n")
    (tmp_path / "queries.tsv").write_text("qid\tgroup\tshare\nq1\ta\t1\n")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("target", "of_a"),
    [
        ("world.tsv", 3 / 4),
        ("shares.tsv", 0.333333 / 0.999999),
        ("queries.tsv", 1),
        ("qrels", 2 / 3),  # d1, d3 of a; d2 of b
        ("relevance", 3 / 5),  # 1 + 2; 2
        ("0.5*qrels+0.5*world.tsv", 0.5 * 2 / 3 + 0.5 * 3 / 4),
        (" .25*qrels + 0.75*a=0.2,b=0.8", 0.25 * 2 / 3 + 0.75 * 0.2),
        ("0.5*qrels+0.25*even+0.25*queries.tsv", 0.5 * 2 / 3 + 0.25 * 0.5 + 0.25),
        ("0.5*queries.tsv+0.5*world.tsv", 0.5 + 0.5 * 3 / 4),
        ("0.5*qrels+0.5*relevance", 0.5 * 2 / 3 + 0.5 * 3 / 5),
        ("1*even", 1 / 2),
        # grade 2 has the first two ranks, which weigh 1 each; grade 1 the next two, 1/log2(3) and 1/2
        ("ideal", (1 + (1 / math.log2(3) + 0.5) / 2) / (2 + (1 / math.log2(3) + 0.5) / 2)),
    ],
)
def test_shares_of_a_target(target, of_a):
    assert share(target) == pytest.approx(of_a, rel=1e-12)


@pytest.mark.parametrize(
    ("target", "of_a", "of_unlabeled"),
    [
        ("qrels", 2 / 4, 1 / 4),  # d1, d3; d9
        ("0.5*qrels+0.5*even", 0.5 * 2 / 4 + 0.5 * 3 / 4 * 0.5, 1 / 4),
        ("even", 1 / 2, 0),
        ("a=0.2,b=0.8", 0.2, 0),
    ],
)
def test_unlabeled_documents_as_a_group_keep_the_share_that_documents_give_them(target, of_a, of_unlabeled):
    assert share(target, missing="group") == pytest.approx(of_a, rel=1e-12)
    assert share(target, missing="group", rank_one="d9") == pytest.approx(of_unlabeled, abs=1e-12)
    assert share(target, missing="group", labels={**LABELS, "d9": "?"}) == pytest.approx(of_a, rel=1e-12)


def test_unlabeled_documents_belong_evenly_to_all():
    assert share("qrels", missing="even") == pytest.approx(2.5 / 4, rel=1e-12)
    # d1 a, d2 b, d3 a, d9 half of both, against even: the shares at 4 are 2.5/4
    found = fairtrec.evaluate("KL@4", RUN, labels=LABELS, missing="even").means["run"]["KL@4"]
    assert found == pytest.approx(2.5 / 4 * math.log(2.5 / 2) + 1.5 / 4 * math.log(1.5 / 2), rel=1e-12)


def test_the_unknown_part_of_counts_belongs_where_unlabeled_documents_do(tmp_path):
    path = tmp_path / "counts.tsv"
    path.write_text("docno\tgroup\tcount\nd1\ta\t3\nd1\t?\t1\nd2\tb\t4\nd3\t?\t2\n")
    given = {"labels": str(path), "target": "qrels"}
    # relevant are d1 (3/4 a), d2 (b), d3 (unknown), d9 (in no row): a .75, b 1, ? 2.25
    found = fairtrec.evaluate("AWRF@4", RUN, qrels=QRELS, missing="group", **given)
    weights = [1, 1, 1 / math.log2(3), 0.5]
    held = np.array([0.75 * weights[0], weights[1], 0.25 * weights[0] + weights[2] + weights[3]]) / sum(weights)
    wanted = np.array([0.75, 1, 2.25]) / 4
    middle = (held + wanted) / 2
    divergence = (held * np.log2(held / middle) + wanted * np.log2(wanted / middle)).sum() / 2
    assert found.means["run"]["AWRF@4"] == pytest.approx(1 - divergence)
    # evenly: b .125 + 1 + .5 + .5
    assert share("qrels", missing="even", labels=str(path), rank_one="d2") == pytest.approx(2.125 / 4)


def test_what_is_said_where_documents_without_a_label_are_a_group():
    result = fairtrec.evaluate("KL@4", RUN, labels=LABELS, missing="group")
    assert texts(result.notes)[0] == "groups: ? (no label), a 2, b 2; target 0, 0.5, 0.5"
    assert result.signature["missing"] == "group"
    assert not any(
        "less than 1 %" in note for note in texts(result.notes)
    )  # ? is no label that somebody gave by a slip
    assert result.signature["members"] == "? (no label), a 2, b 2"
    assert result.groups["?"] == {"target": 0.0}
    assert [str(remark) for remark in result.scores[0].notes if "infinite" not in str(remark)] == [
        "of 4 documents in the measured ranks, 3 have a label; the others are of the group ?"
    ]


def test_documents_of_even_membership_are_known_no_better_and_counted_in_no_group():
    result = fairtrec.evaluate("KL@4", RUN, labels={**LABELS, "d9": "?"}, missing="even")
    assert texts(result.notes)[0] == "groups: a 2, b 2; target 0.5 each"
    assert "of 4 documents in the measured ranks, 3 have a label; the others belong evenly to all" in str(result)


def test_of_crossed_attributes_a_document_is_known_if_it_is_by_each():
    other = {"d1": "x", "d2": "y", "d9": "x"}
    given = {"labels": fairtrec.attributes(one=LABELS, two=other), "missing": "group"}
    (scores,) = fairtrec.evaluate("KL(by=one*two)@4", RUN, **given).scores
    assert str(scores.notes[-1]).startswith("of 4 documents in the measured ranks, 2 have a label; the others are of")


@pytest.mark.usefixtures("files")
def test_a_word_means_what_it_says_where_a_file_is_called_so(tmp_path):
    for word in ("qrels", "even"):
        (tmp_path / word).write_text("a\t1\n")
    assert share("qrels") == pytest.approx(2 / 3)
    assert share("0.5*even+0.5*world.tsv") == pytest.approx(0.5 * 1 / 2 + 0.5 * 3 / 4)


@pytest.mark.usefixtures("files")
def test_the_files_of_a_mixture_are_named_and_hashed():
    result = fairtrec.evaluate("KL@2", RUN, qrels=QRELS, labels=LABELS, target="0.5*./world.tsv+0.5*shares.tsv")
    assert {str(part) for part in result.files} == {"target 1", "target 2"}
    digests = {str(part): file.sha256[:8] for part, file in result.files.items()}
    assert result.signature["target"] == f"0.5*world.tsv@{digests['target 1']}+0.5*shares.tsv@{digests['target 2']}"


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"target": "0.5*qrels+0.4*even"}, "the factors of the target .* sum to 0.9"),
        ({"target": "1.5*qrels+-0.5*even"}, "sum to 1.5"),
        ({"target": "0.5*qrels+0.5*fair"}, "the target 'fair' is not known"),
        ({"target": "0.5*background+0.5*even"}, "the target background needs a background set"),
        ({"missing": "group", "bounds": "labels"}, "leave out one of the two"),
    ],
)
def test_what_does_not_fit_is_refused(given, what):
    with pytest.raises(UsageError, match=what):
        fairtrec.evaluate("KL@2", RUN, qrels=QRELS, labels=LABELS, **given)


def test_documents_without_a_text_have_no_group_to_be_put_into():
    with pytest.raises(UsageError, match="missing=group is for documents without a label"):
        fairtrec.evaluate("KL@2", RUN, terms={"f": ["she"], "m": ["he"]}, docs={"d1": "she"}, missing="group")


def test_measures_of_counts_take_unlabeled_documents_for_a_group():
    given = {"labels": LABELS, "background": RUN}
    filled = fairtrec.evaluate("FaiRR@4", RUN, missing="group", **given).means
    assert filled == fairtrec.evaluate("FaiRR@4", RUN, labels={**LABELS, "d9": "c"}, background=RUN).means
    with pytest.raises(UsageError, match="whole labels"):
        fairtrec.evaluate("FaiRR@4", RUN, missing="even", **given)


grades = st.lists(st.integers(0, 3), min_size=1, max_size=8)


@given(grades)
def test_documents_share_the_ranks_of_their_grade(of_documents):
    """As the mean over all orders that put higher grades first, which are tried one by one."""
    weights = [1 / math.log2(max(rank, 2)) for rank in range(1, 9)]
    relevant = [i for i, grade in enumerate(of_documents) if grade][:5]
    total, orders = dict.fromkeys(relevant, 0.0), 0
    for order in permutations(relevant):
        if all(of_documents[a] >= of_documents[b] for a, b in pairwise(order)):
            orders += 1
            for rank, document in enumerate(order):
                total[document] += weights[rank]
    row = [float(of_documents[i]) if i in total else np.nan for i in range(len(of_documents))]
    found = ranks.share_weights(np.array([row]), np.array(weights[: len(row)]))[0]
    for document, weight in enumerate(found):
        assert weight == pytest.approx(total[document] / orders if document in total else 0)
