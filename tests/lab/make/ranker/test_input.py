"""What `fairtrec make ranker` learns from and what it refuses, without torch: triples, labels, their order."""

import sys

import numpy as np
import pytest

from fairtrec.data import GroupTerms
from fairtrec.formats import tsv
from fairtrec.lab.make.ranker.train import Batches, Triples, label_triples, split_triples
from fairtrec.support.errors import InputError

TERMS = GroupTerms("list", {"f": ("she", "young woman"), "m": ("he",)})


def test_a_pair_leans_where_query_and_text_together_are_not_neutral():
    rows = [
        ("who runs", "she and she", "nobody"),  # 2 f, 0 m: omega 0; no term: 1
        ("does she run", "a man, he said", "she runs"),  # 1 and 1: 1; 2 and 0: 0
        ("young woman", "a young woman", "he he she"),  # 2 and 0; 2 and 2: 1
    ]
    assert label_triples(rows, TERMS).leans.tolist() == [[True, False], [False, True], [True, False]]
    assert label_triples([("who", "she", "he")], TERMS).leans.tolist() == [[False, False]]  # at most tau terms: neutral
    assert label_triples([("who", "she", "x")], TERMS, tau=0).leans.tolist() == [[True, False]]


def test_pairs_with_relevant_texts_come_first():
    triples = Triples([("q1", "a", "b"), ("q2", "c", "d")], np.array([[True, False], [False, True]]))
    queries, texts, labels = triples.pairs(np.array([1, 0]))
    assert queries == ["q2", "q1", "q2", "q1"]
    assert texts == ["c", "a", "d", "b"]
    assert labels.tolist() == [0, 1, 1, 0]


def test_held_out_queries_are_whole_and_the_rest_is_balanced():
    random = np.random.default_rng(3)
    leans = np.repeat([[True, False], [False, True], [False, False]], [30, 20, 150], axis=0)  # a quarter leans
    triples = Triples([(f"q{number}", "a", "b") for number in random.integers(20, size=200)], leans)
    learnt, even, held = split_triples(triples, 0.25, seed=1)
    queries = [{triples.rows[row][0] for row in rows} for rows in (learnt, held)]
    assert not queries[0] & queries[1]
    assert len(queries[1]) == 5
    assert sorted([*learnt, *held]) == list(range(200))
    leaning = {row for row in learnt if row < 50}
    assert leaning < set(even) < set(learnt)
    assert len(set(even)) == len(even) == 2 * len(leaning)
    few = Triples(triples.rows, np.roll(~leans, 1, axis=1))  # all but a few lean: the rest is taken whole
    learnt, even, _ = split_triples(few, 0.25, seed=1)
    assert sorted(even) == sorted(learnt)


@pytest.mark.parametrize(
    ("queries", "leans", "complaint"),
    [
        (["q1", "q2"], [[False, False]] * 2, "all pairs are neutral"),
        (["q1", "q2"], [[True, True]] * 2, "no pair is neutral"),
        (["q1", "q1"], [[True, False]] * 2, "the triples have one query"),
    ],
)
def test_nothing_to_balance(queries, leans, complaint):
    with pytest.raises(InputError, match=complaint):
        split_triples(Triples([(query, "a", "b") for query in queries], np.array(leans)), 0.5, 0)


def test_each_epoch_takes_each_row_once_in_an_order_of_its_own():
    rows = np.arange(100, 124)
    batches = Batches(rows, 6, 0, 2)
    steps = np.array([batches[step] for step in range(12)]).reshape(3, 24)
    assert (np.sort(steps, axis=1) == rows).all()
    assert len({tuple(epoch) for epoch in steps}) == 3
    again = Batches(rows, 6, 0, 2)
    assert again[7].tolist() == batches[7].tolist()  # asked for out of turn
    assert Batches(rows, 6, 1, 2)[7].tolist() != batches[7].tolist()
    assert len({batches.seed(step) for step in range(100)} | {Batches(rows, 6, 0, 4).seed(0)}) == 101
    with pytest.raises(InputError, match="24 triples make fewer than two batches of 13"):
        Batches(rows, 13, 0, 2)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("q\ta\tb\nq\ta\n", ":2: this line has 2 columns; write it as: query<TAB>relevant<TAB>not relevant"),
        ("q\ta\tb\tc\n", ":1: this line has 4 columns; write it as: query<TAB>relevant<TAB>not relevant"),
        ("q\t \tb\n", ":1: a column of this line is empty; write it as: query<TAB>relevant<TAB>not relevant"),
        ("\n", ": this file has no triples; write it as: query<TAB>relevant<TAB>not relevant"),
    ],
)
def test_broken_triples(tmp_path, text, complaint):
    path = tmp_path / "triples.tsv"
    path.write_text(text)
    with pytest.raises(InputError) as fault:
        tsv.triples(path)
    assert str(fault.value) == f"{path}{complaint}"


@pytest.mark.parametrize(
    "arguments",
    [
        ["triples.tsv", "--model", "x", "--terms", "gender-en", "-o", "models"],
        ["--rank", "a.run", "--model", "x", "--docs", "docs.tsv", "--query-texts", "queries.tsv"],
    ],
)
def test_without_torch_a_line_says_what_to_install(arguments, fairtrec_command, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    done = fairtrec_command("make", "ranker", *arguments)
    assert done.code == 4
    assert done.complaints == ["torch or transformers is missing; run: pip install 'fairtrec[adv]'"]


@pytest.mark.parametrize("strengths", ["", "a", "0.1,-1", "0.1,,1", "nan", "inf"])
def test_lambdas_are_numbers_from_0(strengths, fairtrec_command):
    arguments = ["triples.tsv", "--model", "x", "--terms", "gender-en", "-o", "models", f"--lambda={strengths}"]
    done = fairtrec_command("make", "ranker", *arguments)
    assert done.code == 2
    assert f"{strengths} is not a list of numbers of 0 or more; write it like 0,0.1,0.3" in done.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["t.tsv", "--rank", "a.run"], "--rank trains nothing; leave out t.tsv, or --rank"),
        (["--rank", "a.run", "--lambda", "0"], "--lambda is for training, and --rank trains nothing; leave it out"),
        (["--rank", "a.run", "--docs", "d"], "--rank needs texts; add --query-texts FILE"),
        (["--rank", "a.run"], "--rank needs texts; add --docs FILE"),
        ([], "nothing to train on; pass TRIPLES, or rank a run with --rank RUN"),
        (["t.tsv", "-M", "3"], "--depth is for ranking; add --rank RUN; leave it out"),
        (["t.tsv", "-o", "models"], "training needs --terms; add it"),
        (["t.tsv", "--terms", "gender-en"], "training needs --output; add it"),
    ],
)
def test_training_and_ranking_have_options_of_their_own(arguments, complaint, fairtrec_command):
    done = fairtrec_command("make", "ranker", "--model", "x", *arguments)
    assert (done.code, done.complaints) == (2, [complaint])
