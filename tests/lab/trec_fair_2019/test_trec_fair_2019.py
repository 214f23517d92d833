"""TREC 2019 Fair Ranking: the formulas, the readers of the track's files, the validator, the command."""

import gzip
import itertools
import json
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.cli import command
from fairtrec.formats import trec_fair, trec_fair_files
from fairtrec.formats.trec_fair import Sequences
from fairtrec.formats.trec_fair_files import Authors, Truth
from fairtrec.lab.trec_fair_2019.evaluate import SequenceWork
from fairtrec.measures.trec_fair_2019 import TREC19Share, TREC19Unfairness, TREC19Utility
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files import submissions

# The example: two sequences, three authors (one in A, one in B, one without a label), d3 not annotated.
SEQUENCES = "0.0,1\n0.1,2\n0.2,1\n1.0,2\n"
TRUTH = """\
{"qid": 1, "documents": [{"doc_id": "d1", "relevance": 1}, {"doc_id": "d2", "relevance": 0}, {"doc_id": "d3", "relevance": 1}]}
{"qid": 2, "documents": [{"doc_id": "d2", "relevance": 1}, {"doc_id": "d4", "relevance": 0}]}
"""
GROUPS = "d1,A\nd2,B,\nd4,A,B\n"
RUN = """\
{"q_num": "0.0", "qid": 1, "ranking": ["d3", "d1", "d2"]}
{"q_num": "0.1", "qid": 2, "ranking": ["d4", "d2"]}
{"q_num": "0.2", "qid": 1, "ranking": ["d1", "d2", "d3"]}
{"q_num": "1.0", "qid": 2, "ranking": ["d2", "d4"]}
"""


class Files:
    """The example's files in a folder; any of them can be replaced."""

    def __init__(self, folder):
        self.folder = folder
        self.seq = self.write("seq.csv", SEQUENCES)
        self.truth = self.write("truth.jsonl", TRUTH)
        self.groups = self.write("level.csv", GROUPS)
        self.run = self.write("a.jsonl", RUN)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def placed(self):
        truth = trec_fair_files.truth(self.truth)
        return trec_fair.place_run(trec_fair.rankings(self.run), trec_fair_files.requests(self.seq, truth), truth)

    def authors(self):
        return trec_fair_files.authors(self.groups, trec_fair_files.truth(self.truth))

    def validate(self, *arguments):
        options = ["--track", "trec-fair-2019", "--sequences", str(self.seq), "--truth", str(self.truth)]
        return CliRunner().invoke(command, ["validate", *options, *map(str, arguments)])

    def call(self, *arguments):
        options = ["--sequences", str(self.seq), "--truth", str(self.truth), *map(str, arguments)]
        return CliRunner().invoke(command, ["trec-fair-2019", *options])


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def close(values, expected):
    assert np.asarray(values) == pytest.approx(expected, abs=1e-12, nan_ok=True)


# --- the example, worked out by hand: p = .7 where relevant, gamma = .5 -------------------------------------------------


def test_utility_of_the_example(files):
    # 0.0  d3 d1 d2: .7 + .5*.3*.7          = .7 + .105  = .805
    # 0.1  d4 d2:    0  + .5*1*.7                        = .35
    # 0.2  d1 d2 d3: .7 + 0 + .25*.3*1*.7   = .7 + .0525 = .7525
    # 1.0  d2 d4:                                          .7
    close(TREC19Utility()(files.placed()), [(0.805 + 0.35 + 0.7525) / 3, 0.7])
    # macro: query 1 of sequence 0 has two repetitions, query 2 one
    close(TREC19Utility(amortization="macro")(files.placed()), [((0.805 + 0.7525) / 2 + 0.35) / 2, 0.7])


def test_the_parameters_of_the_reader(files):
    # stop .5, 1.0: d2 d4 gives .5; 0.0: .5 + .5*.5*.5 = .625; 0.1: .5*.5 = .25; 0.2: .5 + .25*.5*.5 = .5625
    close(TREC19Utility(stop=0.5)(files.placed()), [(0.625 + 0.25 + 0.5625) / 3, 0.5])
    # gamma 1, 0.0: .7 + .3*.7 = .91; 0.1: .7; 0.2: .7 + .3*.7 = .91
    close(TREC19Utility(gamma=1.0)(files.placed()), [(0.91 + 0.7 + 0.91) / 3, 0.7])
    # unfairness, gamma 1, track: d1 in 0.0 has reach 1, in 0.2 too; d2 in 0.1 too: exposure = relevance
    close(TREC19Unfairness(gamma=1.0)(files.placed(), files.authors()), [0, 0])
    # unfairness, stop 1, paper: 0.0: d3 stops everybody; 0.1: d4 1, d2 .5; 0.2: d1 1, then everybody has stopped
    #   A = 1 + 1, B = 1 + .5; r: A 1 + 1, B 1. Sequence 1: d2 1: B; d4 0; r: B.
    close(
        TREC19Unfairness(stop=1.0, variant="paper")(files.placed(), files.authors()),
        [sqrt(2) * abs(2 / 3.5 - 2 / 3), 0],
    )


def test_unfairness_of_the_example_as_the_track_computed_it(files):
    # exposure times p; d3 has no line: it takes a rank and stops nobody
    # 0.0  d3 -; d1 .5*1*.7 = .35: A; d2 0        0.1  d4 0; d2 .5*.7 = .35: B and ""
    # 0.2  d1 .7: A; d2 0; d3 -                    e: A 1.05, B .35, "" .35 of 1.75 -> .6 .2 .2
    # r: d1 .7 twice: A 1.4; d2 .7 once: B .7, "" .7, of 2.8 -> .5 .25 .25
    # unfairness = sqrt(.1^2 + .05^2 + .05^2); in sequence 1 d2 alone is exposed and relevant: 0
    placed, authors = files.placed(), files.authors()
    assert authors.groups == ("", "A", "B")
    close(TREC19Unfairness()(placed, authors), [sqrt(0.01 + 0.0025 + 0.0025), 0.0])
    close(TREC19Share(group="A")(placed, authors), [0.6, 0.0])
    close(TREC19Share(group="")(placed, authors), [0.2, 0.5])
    close(TREC19Share(group="A", of="relevance")(placed, authors), [0.5, 0.0])
    close(TREC19Share(group="B", of="relevance")(placed, authors), [0.25, 0.5])
    # macro: within query 1 only A is exposed and relevant; within query 2 only d2: 0 and 0
    close(TREC19Unfairness(amortization="macro")(placed, authors), [0.0, 0.0])


def test_unfairness_of_the_example_as_the_paper_prints_it(files):
    # exposure without p; d3 stops the reader; the author without a label is left out
    # 0.0  d1 .5*.3 = .15: A; d2 .25*.3*.3 = .0225: B
    # 0.1  d4 1: A and B; d2 .5: B
    # 0.2  d1 1: A; d2 .5*.3 = .15: B            e: A .15+1+1 = 2.15, B .0225+1+.5+.15 = 1.6725, together 3.8225
    # r: A .7+.7 = 1.4, B .7                      R: 2/3, 1/3; with two groups unfairness = sqrt(2) |E_A - R_A|
    # 1.0  d2 1: B; d4 .5*.3 = .15: A and B      e: A .15, B 1.15; r: B .7
    placed, authors = files.placed(), files.authors()
    close(TREC19Unfairness(variant="paper")(placed, authors), [sqrt(2) * (2 / 3 - 2.15 / 3.8225), sqrt(2) * 0.15 / 1.3])
    close(TREC19Share(variant="paper", group="B")(placed, authors), [1.6725 / 3.8225, 1.15 / 1.3])
    # macro, query 1 of sequence 0: A .15+1, B .0225+.15, R: A 1. Query 2: A 1, B 1.5, R: B 1.
    macro = TREC19Unfairness(variant="paper", amortization="macro")
    first, second = sqrt(2) * 0.1725 / 1.3225, sqrt(2) * 1 / 2.5
    close(macro(placed, authors), [(first + second) / 2, sqrt(2) * 0.15 / 1.3])
    share = TREC19Share(variant="paper", amortization="macro", group="A")
    close(share(placed, authors), [(1.15 / 1.3225 + 0.4) / 2, 0.15 / 1.3])


def test_relevance_is_that_of_what_was_ranked_or_of_the_truth():
    # one request, d0 and d1 relevant, of A and B; only d0 was ranked
    truth = Truth("t", ("q",), np.array([0, 2]), np.array([0, 1]), np.array([1.0, 1.0]), ("d0", "d1"))
    placed = Sequences(("0",), np.array([0]), np.array([0]), np.array([0, 1]), np.array([0]), truth)
    authors = Authors("g", ("A", "B"), np.array([True, True]), np.eye(2, dtype=np.int64))
    close(TREC19Unfairness()(placed, authors), [0.0])  # E: 1, 0; R: 1, 0
    close(TREC19Unfairness(variant="paper")(placed, authors), [sqrt(0.5)])  # E: 1, 0; R: 1/2, 1/2


def test_a_line_without_labels_has_no_author_but_stops_the_reader(files):
    files.groups = files.write("level.csv", GROUPS + "d3\n")
    # 0.0: d3 stops .7 of the readers now, so d1 gets .5*.3*.7 = .105; e: A .805, B .35, "" .35, together 1.505
    share = TREC19Share(group="A")(files.placed(), files.authors())
    close(share, [0.805 / 1.505, 0.0])


def test_undefined_where_nothing_relevant_has_an_author(files):
    files.groups = files.write("level.csv", "d4,A,B\n")
    placed, authors = files.placed(), files.authors()
    close(TREC19Unfairness()(placed, authors), [np.nan, np.nan])
    close(TREC19Share(group="A", variant="paper")(placed, authors), [np.nan, np.nan])
    assert str(TREC19Unfairness().note(placed, authors)) == "the authors are known at 20.0% of the ranks"
    said = str(TREC19Unfairness(amortization="macro").note(placed, authors))
    assert said.endswith("; 3 of 3 queries have no relevant document with known authors: left out")
    assert "left out" not in str(TREC19Unfairness(amortization="macro").note(placed, files_authors(files)))


def files_authors(files):
    files.groups = files.write("level.csv", GROUPS)
    return files.authors()


def test_a_macro_mean_leaves_undefined_queries_out(files):
    files.groups = files.write("level.csv", "d1,A\nd3,B\n")  # query 2 has nobody
    # query 1, track: 0.0: d3 .7: B, d1 .5*.3*.7 = .105: A; 0.2: d1 .7: A, d3 .25*.3*.7 = .0525: B
    # e: A .805, B .7525 of 1.5575; R: 1/2, 1/2
    value = TREC19Unfairness(amortization="macro")(files.placed(), files.authors())
    close(value, [sqrt(2) * (0.805 / 1.5575 - 0.5), np.nan])


# --- closed forms --------------------------------------------------------------------------------------------------------


def all_orders(relevance, orders):
    """One query, asked once for each order."""
    size = len(relevance)
    truth = Truth("t", ("q",), np.array([0, size]), np.arange(size), np.array(relevance), tuple(map(str, range(size))))
    many = len(orders)
    zeros = np.zeros(many, dtype=np.int64)
    return Sequences(("0",), zeros, zeros, np.arange(many + 1) * size, np.array(orders).ravel(), truth)


def test_the_mean_over_all_orders_of_four_documents():
    orders = list(itertools.permutations(range(4)))
    # two of four are relevant; the six patterns of relevant ranks are equally likely:
    #   rank 1 relevant in 1/2; rank 2 with rank 1 in 1/6, without in 1/3; rank 3 with one before in 1/3, none in 1/6;
    #   rank 4 always with one before, in 1/2
    expected = 0.7 / 2 + 0.5 * (0.21 / 6 + 0.7 / 3) + 0.25 * (0.21 / 3 + 0.7 / 6) + 0.125 * 0.21 / 2
    close(TREC19Utility()(all_orders([1.0, 0.0, 1.0, 0.0], orders)), [expected])
    # track: every relevant document gets the same exposure, so a group's share is that of its relevant documents
    authors = Authors("g", ("A", "B"), np.ones(4, dtype=np.bool_), np.array([[1, 0], [2, 1], [1, 3], [0, 1]]))
    placed = all_orders([1.0, 0.0, 1.0, 0.0], orders)
    close(TREC19Share(group="A")(placed, authors), [2 / 5])
    close(TREC19Unfairness()(placed, authors), [0.0])


def test_the_mean_exposure_over_all_orders_in_the_paper():
    # one relevant document, of A, and three others, of B. A stands at each rank in 1/4 and has no relevant one above:
    #   e_A = (1 + .5 + .25 + .125) / 4; B at rank i has it above in (i - 1)/3: e_B = sum .5^(i-1) (1 - .7 (i-1)/3) / 4
    one_a = (1 + 0.5 + 0.25 + 0.125) / 4
    one_b = (1 + 0.5 * (1 - 0.7 / 3) + 0.25 * (1 - 1.4 / 3) + 0.125 * 0.3) / 4
    placed = all_orders([1.0, 0.0, 0.0, 0.0], list(itertools.permutations(range(4))))
    authors = Authors("g", ("A", "B"), np.ones(4, dtype=np.bool_), np.array([[1, 0], [0, 1], [0, 1], [0, 1]]))
    expected = sqrt(2) * (1 - one_a / (one_a + 3 * one_b))
    close(TREC19Unfairness(variant="paper")(placed, authors), [expected])
    # and 20,000 random orders come near it
    rng = np.random.default_rng(7)
    placed = all_orders([1.0, 0.0, 0.0, 0.0], rng.permuted(np.tile(np.arange(4), (20_000, 1)), axis=1))
    assert TREC19Unfairness(variant="paper")(placed, authors).item() == pytest.approx(expected, abs=0.01)


# --- a loop of the same formula as oracle --------------------------------------------------------------------------------


def loop(requests, relevance, labels, stop, gamma, variant):
    """Utility and exposure and relevance by group, over (qid, ranking) pairs, one document after the other."""
    utility, exposure, earned = [], {}, {}
    for qid, ranking in requests:
        reading, reading_for_authors, served = 1.0, 1.0, 0.0
        for rank, docid in enumerate(ranking):
            p = stop * relevance[qid][docid]
            served += gamma**rank * reading * p
            reading *= 1 - p
            listed = docid in labels
            for label in labels.get(docid, ()):
                if variant == "track" or label:
                    gain = p if variant == "track" else 1.0
                    exposure[label] = exposure.get(label, 0.0) + gamma**rank * reading_for_authors * gain
                    earned[label] = earned.get(label, 0.0) + p
            if listed or variant == "paper":
                reading_for_authors *= 1 - p
        utility.append(served)
    return utility, exposure, earned


def loop_unfairness(exposure, earned):
    together, owed = sum(exposure.values()), sum(earned.values())
    if not together > 0 or not owed > 0:
        return np.nan
    return sqrt(sum((exposure[g] / together - earned[g] / owed) ** 2 for g in exposure))


def mean_of(values):
    values = [value for value in values if value == value]
    return sum(values) / len(values) if values else np.nan


@st.composite
def tasks(draw):
    documents = [f"d{i}" for i in range(draw(st.integers(1, 6)))]
    subset = st.lists(st.sampled_from(documents), unique=True)
    grade = st.sampled_from([0.0, 0.25, 1.0])
    relevance = {str(q): {d: draw(grade) for d in draw(subset)} for q in range(draw(st.integers(1, 3)))}
    labels = {d: draw(st.lists(st.sampled_from(["", "A", "B", "C"]), max_size=3)) for d in draw(subset)}
    requests = [
        (seq, qid, draw(st.permutations(sorted(relevance[qid]))))
        for seq in range(draw(st.integers(1, 2)))
        for qid in draw(st.lists(st.sampled_from(sorted(relevance)), min_size=1, max_size=4))
    ]
    return relevance, labels, requests


def arrays(relevance, labels, requests):
    docids = sorted({d for documents in relevance.values() for d in documents})
    qids, rows = sorted(relevance), [(q, d) for q in sorted(relevance) for d in sorted(relevance[q])]
    starts = np.cumsum([0, *(len(relevance[q]) for q in qids)])
    truth = Truth(
        "t",
        tuple(qids),
        starts,
        np.array([docids.index(d) for _, d in rows], dtype=np.int64),
        np.array([relevance[q][d] for q, d in rows], dtype=np.float64),
        tuple(docids),
    )
    entries = [rows.index((q, d)) for _, q, ranking in requests for d in ranking]
    placed = Sequences(
        tuple(sorted({str(seq) for seq, _, _ in requests})),
        np.array([seq for seq, _, _ in requests]),
        np.array([qids.index(q) for _, q, _ in requests]),
        np.cumsum([0, *(len(ranking) for _, _, ranking in requests)]),
        np.array(entries, dtype=np.int64),
        truth,
    )
    groups = ("", "A", "B", "C")
    counts = np.array([[labels.get(d, []).count(g) for g in groups] for d in docids], dtype=np.int64).reshape(-1, 4)
    return placed, Authors("g", groups, np.array([d in labels for d in docids], dtype=np.bool_), counts)


@given(tasks(), st.sampled_from([0.7, 1.0]), st.sampled_from([0.5, 1.0]), st.sampled_from(["track", "paper"]))
def test_arrays_and_loop_agree(task, stop, gamma, variant):
    relevance, labels, requests = task
    placed, authors = arrays(*task)
    micro_u, macro_u, micro, macro = [], [], [], []
    for seq in sorted({seq for seq, _, _ in requests}):
        own = [(qid, ranking) for other, qid, ranking in requests if other == seq]
        utility, *amounts = loop(own, relevance, labels, stop, gamma, variant)
        micro_u.append(mean_of(utility))
        micro.append(loop_unfairness(*amounts))
        alone = [
            loop([one for one in own if one[0] == qid], relevance, labels, stop, gamma, variant)
            for qid in dict.fromkeys(qid for qid, _ in own)
        ]
        macro_u.append(mean_of([mean_of(utility) for utility, *_ in alone]))
        macro.append(mean_of([loop_unfairness(*amounts) for _, *amounts in alone]))
    close(TREC19Utility(stop, gamma)(placed), micro_u)
    close(TREC19Utility(stop, gamma, "macro")(placed), macro_u)
    close(TREC19Unfairness(stop, gamma, "micro", variant)(placed, authors), micro)
    close(TREC19Unfairness(stop, gamma, "macro", variant)(placed, authors), macro)


@given(tasks(), st.sampled_from(["track", "paper"]), st.sampled_from(["micro", "macro"]))
def test_shares_sum_to_one_and_unfairness_is_bounded(task, variant, amortization):
    placed, authors = arrays(*task)
    value = TREC19Unfairness(variant=variant, amortization=amortization)(placed, authors)
    assert np.all((value >= 0) & (value <= sqrt(2) + 1e-12) | np.isnan(value))
    for of in ("exposure", "relevance"):
        own = TREC19Share(variant=variant, amortization=amortization, of=of).expand_groups(authors.groups)
        assert len(own) == (4 if variant == "track" else 3)
        close(sum(share(placed, authors) for share in own), np.where(np.isnan(value), np.nan, 1.0))
    utility = TREC19Utility()(placed)
    assert np.all((utility >= 0) & (utility <= 1))


def test_parameters_that_make_no_sense(files):
    for wrong in ({"stop": 0.0}, {"stop": 1.5}, {"gamma": 0.0}, {"gamma": float("nan")}):
        with pytest.raises(UsageError, match="are probabilities above 0, at most 1"):
            TREC19Utility(**wrong)
    assert TREC19Share(group="A").expand_groups(("A", "B")) == (TREC19Share(group="A"),)
    for group in ("Z", None):
        with pytest.raises(UsageError, match=r"there is no group .*; the groups are '', 'A', 'B'"):
            TREC19Share(group=group)(files.placed(), files.authors())


# --- files ---------------------------------------------------------------------------------------------------------------


def test_the_order_of_lines_changes_nothing(files):
    before = TREC19Unfairness(variant="paper")(files.placed(), files.authors())
    for name, text in (("a.jsonl", RUN), ("seq.csv", SEQUENCES), ("truth.jsonl", TRUTH), ("level.csv", GROUPS)):
        files.write(name, "".join(reversed(text.splitlines(keepends=True))))
    close(TREC19Unfairness(variant="paper")(files.placed(), files.authors()), before)
    close(TREC19Utility()(files.placed()), [1.9075 / 3, 0.7])


def test_files_may_be_compressed_and_hold_blank_lines_and_quotes(files):
    before = TREC19Unfairness()(files.placed(), files.authors())
    files.run = files.write("a.jsonl.gz", gzip.compress(RUN.replace("\n", "\n\n").encode()))
    files.groups = files.write(
        "level.csv.gz", gzip.compress(b'"d1","A, i.e. first"\nd2, B ,\r\n"d4","A, i.e. first",B\n')
    )
    assert files.authors().groups == ("", "A, i.e. first", "B")
    assert files.authors().name == "level"
    close(TREC19Unfairness()(files.placed(), files.authors()), before)


def test_sequences_are_ordered_as_query_ids_and_requests_by_number(files):
    files.seq = files.write("seq.csv", "10.2,2\n10.10,1\n9.0,2\n")
    requests = trec_fair_files.requests(files.seq, trec_fair_files.truth(files.truth))
    assert requests.names == ("10", "9")
    assert [requests.q_num(i) for i in range(3)] == ["10.2", "10.10", "9.0"]


def test_a_query_may_have_no_documents(files):
    files.truth = files.write("truth.jsonl", '{"qid": "1", "documents": []}\n{"qid": 2, "documents": []}\n')
    rows = [f'{{"q_num": "{line.split(",")[0]}", "qid": "{line[-1]}", "ranking": []}}' for line in SEQUENCES.split()]
    files.run = files.write("a.jsonl", "\n".join(rows))
    close(TREC19Utility()(files.placed()), [0.0, 0.0])
    with pytest.raises(InputError, match="none of these documents is in the ground truth"):
        files.authors()
    files.write("a.jsonl", RUN)
    with pytest.raises(InputError, match="has d3, d1, d2, which the ground truth has not"):
        files.placed()


FORM = r"; write each line as \{"
BAD_RUNS = {
    "{": r":1: this line is not JSON \(.*, column 2\)" + FORM,
    "[" * 100_000: r":1: this line is not JSON \(it is nested too deeply\)" + FORM,
    "7": ":1: 7 is not an object" + FORM,
    '"' + "x" * 90 + '"': r":1: 'x{36}\.\.\. is not an object",
    "{}": ":1: the object has no q_num and no qid and no ranking",
    '{"q_num": "0.0", "q_num": "0.1", "qid": 1, "ranking": []}': ":1: the key 'q_num' appears twice in one object; remove one of the two$",
    '{"q_num": 0.1, "qid": 1, "ranking": []}': ":1: the q_num 0.1 is not of the form seq.num, two whole numbers as text",
    '{"q_num": "0", "qid": 1, "ranking": []}': ":1: the q_num '0' is not of the form",
    '{"q_num": "0.1234567890123456789", "qid": 1, "ranking": []}': ":1: the q_num .* is not of the form",
    '{"q_num": "0.0", "qid": null, "ranking": []}': ":1: the qid None is not text",
    '{"q_num": "0.0", "qid": true, "ranking": []}': ":1: the qid True is not text",
    '{"q_num": "0.0", "qid": "", "ranking": []}': ":1: the qid '' is empty",
    '{"q_num": "0.0", "qid": "' + "7" * 1025 + '", "ranking": []}': ":1: the qid .* exceeds 1024 bytes",
    '{"q_num": "0.0", "qid": '
    + "7" * 5000
    + ', "ranking": []}': r":1: this line is not JSON \(a number has too many digits\)" + FORM,
    '{"q_num": "0.0", "qid": 1, "ranking": {}}': ":1: the ranking is not a list",
    '{"q_num": "0.0", "qid": 1, "ranking": ["d1", 7]}': ":1: the document id 7 is not text",
    '{"q_num": "0.0", "qid": 1, "ranking": [["d1"]]}': ":1: a document id is a list or an object, not text",
    '{"q_num": "0.0", "qid": 1, "ranking": ["\\u0000"]}': ":1: the document id .* holds a NUL or a newline",
    '{"q_num": "0.0", "qid": 1, "ranking": ["\\ud800"]}': ":1: an id holds half a character",
    "": ": this file has no lines; was it written to the end",
}


@pytest.mark.parametrize("text", BAD_RUNS, ids=lambda text: text[:40])
def test_a_bad_line_of_a_run(files, text):
    files.run = files.write("a.jsonl", text)
    with pytest.raises(InputError, match=r"a\.jsonl" + BAD_RUNS[text]):
        trec_fair.rankings(files.run)


ODD = [
    None,
    True,
    7,
    -1.5,
    float("nan"),
    10**30,
    "",
    "x",
    "0.0",
    [],
    [[]],
    [None],
    ["d1"],
    {},
    {"doc_id": "d1"},
    [{"doc_id": "d1"}],
]
WHOLE = {"q_num": "0.0", "qid": 1, "ranking": ["d1"], "documents": [{"doc_id": "d1", "relevance": 1}]}
SHAPES = [
    *ODD,
    *({**WHOLE, key: odd} for key in WHOLE for odd in ODD),
    *({**WHOLE, "documents": [{**WHOLE["documents"][0], key: odd}]} for key in ("doc_id", "relevance") for odd in ODD),
]


def test_json_of_any_shape_is_read_or_refused_by_its_line(tmp_path):
    path, refused = tmp_path / "any.jsonl", []
    for shape in SHAPES:
        path.write_text(json.dumps(shape))
        for read in (trec_fair_files.truth, trec_fair.rankings):
            try:
                read(path)
            except InputError as fault:
                refused.append(str(fault))
    assert len(refused) > len(SHAPES)
    assert all(fault.startswith(f"{path}:1: ") for fault in refused)


DOCUMENT = '{"qid": 1, "documents": [{"doc_id": "d1", "relevance": %s}]}'
BAD_TRUTHS = {
    TRUTH + TRUTH: ":3: query 1 appears twice (first on line 1); keep one",
    '{"qid": 1, "documents": [{"doc_id": "d1", "relevance": 1}, {"doc_id": "d1", "relevance": 1}]}': ":1: d1 appears more than once; write each",
    DOCUMENT % '"1"': ":1: the relevance '1' of document d1 is not a number from 0 to 1; write each",
    DOCUMENT % "true": ":1: the relevance True of document d1",
    DOCUMENT % "NaN": ":1: the relevance nan of document d1",
    DOCUMENT % "2": ":1: the relevance 2 of document d1",
    DOCUMENT % ("9" * 400): ":1: the relevance 9999",
    '{"qid": 1, "documents": 7}': ":1: the value of documents is not a list",
    '{"qid": 1, "documents": [7]}': ":1: 7 is not an object",
    '{"qid": 1, "documents": [{"doc_id": ["d1"], "relevance": 1}]}': ":1: the doc_id ['d1'] is not text",
    "": ": this file has no lines",
}


@pytest.mark.parametrize("text", BAD_TRUTHS, ids=lambda text: text[:40])
def test_a_bad_ground_truth(files, text):
    files.truth = files.write("truth.jsonl", text)
    with pytest.raises(InputError) as caught:
        trec_fair_files.truth(files.truth)
    assert str(caught.value).startswith(f"{files.truth}{BAD_TRUTHS[text]}")


BAD_SEQUENCES = {
    "0.0,1\n0.0,2\n": ":2: q_num 0.0 appears twice (first on line 1); keep one",
    "0.0,1\n0.1,3\n": ":2: query '3' of q_num 0.1 is not in the ground truth ",
    "0.0\n": ":1: 1 column instead of two; write each line as seq.num,qid",
    "0.0,1,1\n": ":1: 3 columns instead of two",
    "q_num,qid\n": ":1: the q_num 'q_num' is not of the form seq.num",
}


@pytest.mark.parametrize("text", BAD_SEQUENCES, ids=lambda text: text[:40])
def test_bad_sequences(files, text):
    files.seq = files.write("seq.csv", text)
    with pytest.raises(InputError) as caught:
        trec_fair_files.requests(files.seq, trec_fair_files.truth(files.truth))
    assert str(caught.value).startswith(f"{files.seq}{BAD_SEQUENCES[text]}")


BAD_GROUPS = {
    "d1,A\nd1,B\n": ":2: document d1 appears twice (first on line 1); keep one line",
    "d1,A\n,B\n": ":2: the document id '' is empty",
    'd1,A\nd2,"B\n': ":2: this line is not CSV (unexpected end of data)",
    "d1," + "A" * 1025: ":1: a label of more than 1024 characters",
    "d1," + ",".join(map(str, range(1001))): ":1: more than 1000 different labels; use groups, not names",
    "d1\n": ": the file has no label",
    "x1,A\nx2,B\n": ": none of these documents is in the ground truth ",
}


@pytest.mark.parametrize("text", BAD_GROUPS, ids=lambda text: text[:40])
def test_bad_groups(files, text):
    files.groups = files.write("level.csv", text)
    with pytest.raises(InputError) as caught:
        files.authors()
    assert str(caught.value).startswith(f"{files.groups}{BAD_GROUPS[text]}")


def test_a_table_of_groups_that_does_not_fit(files, monkeypatch):
    monkeypatch.setattr("fairtrec.formats.trec_fair_files.MOST_CELLS", 10)
    with pytest.raises(InputError, match=r"level.csv: 3 labels for 4 documents do not fit into memory; merge groups"):
        files.authors()


# --- the validator -------------------------------------------------------------------------------------------------------

LINE = RUN.splitlines(keepends=True)
FAULTY = {
    "missing document": (
        RUN.replace('"d1", "d2", "d3"', '"d1"'),
        [":3: the ranking of q_num 0.2 lacks d2, d3; rank each document of query 1 once"],
    ),
    "extra document": (
        RUN.replace('["d4", "d2"]', '["d4", "d3", "x", "d2"]'),
        [":2: the ranking of q_num 0.1 has d3, x, which the ground truth has not; rank each document of query 2 once"],
    ),
    "repeated document": (
        RUN.replace('["d4", "d2"]', '["d4", "d2", "d4"]'),
        [":2: the ranking of q_num 0.1 has d4 more than once; rank each document of query 2 once"],
    ),
    "one for another": (
        RUN.replace('["d4", "d2"]', '["d4", "d4"]'),
        [
            ":2: the ranking of q_num 0.1 lacks d2; rank each document of query 2 once",
            ":2: the ranking of q_num 0.1 has d4 more than once; rank each document of query 2 once",
        ],
    ),
    "unknown q_num": (
        RUN + LINE[0].replace("0.0", "2.0"),
        [":5: q_num 2.0 is not in the sequences {seq}; remove the line"],
    ),
    "repeated q_num": (RUN + LINE[1], [":5: q_num 0.1 appears twice (first on line 2); keep one ranking"]),
    "missing q_num": (
        LINE[3],
        [": no ranking for q_num 0.0, 0.1, 0.2; rank the documents of each request"],
    ),
    "all q_nums missing": (
        LINE[0].replace("0.0", "7.7"),
        [
            ":1: q_num 7.7 is not in the sequences {seq}; remove the line",
            ": no ranking for q_num 0.0, 0.1, 0.2 and 1 more; rank the documents of each request",
        ],
    ),
    "other qid": (
        RUN.replace('"0.1", "qid": 2', '"0.1", "qid": 1'),
        [":2: the qid of q_num 0.1 is 1, but the sequences have 2; correct one of them"],
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_the_faults_of_a_run(files, name):
    text, expected = FAULTY[name]
    files.run = files.write("a.jsonl", text)
    truth = trec_fair_files.truth(files.truth)
    requests = trec_fair_files.requests(files.seq, truth)
    found = [str(fault) for fault in trec_fair.faults(trec_fair.rankings(files.run), requests, truth)]
    assert found == [f"{files.run}{line}".replace("{seq}", str(files.seq)) for line in expected]
    with pytest.raises(InputError) as caught:
        files.placed()
    assert str(caught.value) == found[0]
    result = files.call("--labels", files.groups, files.run)
    assert isinstance(result.exception, InputError)
    assert result.exception.exit_code == 3


# --- the command ---------------------------------------------------------------------------------------------------------


def test_the_command_prints_means_and_sequences(files):
    other = files.write("h.csv", "d1,x\nd2,y\nd3,y\n")
    result = files.call("--labels", files.groups, "--labels", other, "-q", "-f", "trec", files.run)
    assert result.exception is None, result.output
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    table = {(name.strip(), qid): value.strip() for name, qid, value in lines}
    assert table["runid", "all"] == "a"
    assert table["num_q", "all"] == "2"
    assert table["TREC19Utility", "0"] == "0.6358"  # 1.9075 / 3
    assert table["TREC19Utility", "all"] == "0.6679"  # (1.9075/3 + .7) / 2
    assert table["TREC19Unfairness(labels='level')", "0"] == "0.1225"  # sqrt(.015)
    assert table["TREC19Unfairness(labels='level')", "1"] == "0.0000"
    assert ("TREC19Unfairness(labels='h')", "all") in table
    assert len(lines) == 2 + 3 * 3
    assert "labels='h'): the authors are known at 80.0% of the ranks" in result.stderr
    assert "variant:track | amortization:micro" in result.stderr


def test_every_option_of_the_command_changes_what_it_prints(files):
    def json_of(*options):
        result = files.call("--labels", files.groups, "-f", "json", *options, files.run)
        assert result.exception is None, result.output
        means = json.loads(result.stdout)["runs"][0]["means"]
        return {name: each["value"] for name, each in means.items()}

    paper = json_of("--variant", "paper")["TREC19Unfairness(variant='paper',labels='level')"]
    assert paper == pytest.approx((sqrt(2) * (2 / 3 - 2.15 / 3.8225) + sqrt(2) * 0.15 / 1.3) / 2)
    macro = json_of("--amortization", "macro")["TREC19Utility(amortization='macro')"]
    assert macro == pytest.approx((((0.805 + 0.7525) / 2 + 0.35) / 2 + 0.7) / 2)
    shares = json_of("--shares")
    assert shares["TREC19Share(labels='level',group='A')"] == pytest.approx(0.3)
    assert shares["TREC19Share(labels='level',group='B',of='relevance')"] == pytest.approx(0.375)
    assert len(shares) == 2 + 2 * 3
    assert len(json_of("--shares", "--variant", "paper")) == 2 + 2 * 2


def test_several_runs_and_an_output_file(files):
    second = files.write("b.jsonl", RUN.replace('"d4", "d2"', '"d2", "d4"'))
    out = files.folder / "out.tsv"
    result = files.call("--labels", files.groups, "-f", "tsv", "--places", 2, "-o", out, files.run, second)
    assert result.exception is None, result.output
    assert result.stdout == ""
    assert [row.split("\t")[1:5] for row in out.read_text().splitlines()] == [
        ["tag", "qid", "queries", "TREC19Utility"],
        ["a", "all", "2", "0.67"],
        ["b", "all", "2", "0.73"],  # 0.1 gives .7: (2.2575/3 + .7) / 2 = .72625
    ]


def test_validate(files):
    result = files.validate(files.run)
    assert result.exception is None
    bad = files.write("bad.jsonl", FAULTY["one for another"][0])
    unreadable = files.write("unreadable.jsonl", "{")
    result = files.validate(files.run, bad, unreadable)
    found = [line.split(": ")[0] for line in result.stdout.splitlines()]
    assert [place for place in found if place.rpartition(":")[2].isdigit()] == [
        f"{bad}:2",
        f"{bad}:2",
        f"{unreadable}:1",
    ]
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == "2 of 3 runs with errors; see above"


def test_validate_lists_so_many_faults_of_a_run(files):
    files.run = files.write("a.jsonl", RUN + "".join(LINE[0].replace("0.0", f"2.{number}") for number in range(30)))
    result = files.validate(files.run)
    assert result.stdout.splitlines()[20] == f"{files.run}: E801 10 more; --all shows them"
    assert str(result.exception) == "1 of 1 run with errors; see above"


def test_wrong_usage(files):
    result = files.call(files.run)
    assert isinstance(result.exception, UsageError)
    assert "add labels=FILE" in str(result.exception)
    (files.folder / "other").mkdir()
    same = files.write(Path("other") / "level.csv", GROUPS)
    result = files.call("--labels", files.groups, "--labels", same, files.run)
    assert str(result.exception).startswith("two group files are called level")


def test_sequences_are_called_so(tmp_path, fairtrec_command):
    files = {
        "seq.csv": "0.0,1\n0.1,1\n1.0,1\n",
        "truth": '{"qid": 1, "documents": [{"doc_id": "d1", "relevance": 1}, {"doc_id": "d2", "relevance": 0}]}\n',
        "groups.csv": "d1,A\nd2,B\n",
        "a.jsonl": "".join(f'{{"q_num": "{q}", "qid": 1, "ranking": ["d1", "d2"]}}\n' for q in ("0.0", "0.1", "1.0")),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    given = [f"--{name}={tmp_path / file}" for name, file in (("sequences", "seq.csv"), ("truth", "truth"), ("labels", "groups.csv"))]  # fmt: skip
    done = fairtrec_command("trec-fair-2019", tmp_path / "a.jsonl", *given, "-f", "md")
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].split("|")[2].strip() == "sequences"
    assert "queries" not in done.out.splitlines()[0]


def test_the_answer_can_be_drawn(files):
    pytest.importorskip("matplotlib", reason="matplotlib, which draws, is not installed: pip install 'fairtrec[plot]'")
    import fairtrec
    from fairtrec.lab.trec_fair_2019.evaluate import evaluate

    result = evaluate([files.run], files.seq, files.truth, [files.groups])
    titles = [axes.get_title() for axes in fairtrec.plot(result, "runs").axes]
    assert ["".join(title.split())[:6] for title in titles] == ["TREC19"] * 2


# --- several runs ---


@pytest.fixture
def batch(tmp_path):
    files = Files(tmp_path)
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "a.jsonl").write_text(RUN)
    (folder / "b.jsonl").write_text(RUN.replace('["d3", "d1", "d2"]', '["d2", "d1", "d3"]'))
    (folder / "broken.jsonl").write_text('{"q_num": "0.0"\n')
    asked = ["--sequences", files.seq, "--truth", files.truth, "--labels", files.groups]
    return folder, [str(each) for each in asked]


def test_one_broken_run_of_a_folder_is_told_and_the_others_are_evaluated(batch, fairtrec_command):
    folder, asked = batch
    whole = fairtrec_command("trec-fair-2019", *asked, folder, "-f", "tsv")
    assert (whole.code, "broken.jsonl:1" in whole.err, whole.out) == (3, True, "")
    done = fairtrec_command("trec-fair-2019", *asked, folder, "-f", "tsv", "--keep-going", "-j", "1")
    assert (done.code, "broken.jsonl:1" in done.err) == (3, True)
    assert [line.split("\t")[0].rpartition("/")[2] for line in done.out.splitlines()[1:]] == ["a.jsonl", "b.jsonl"]
    alone = fairtrec_command("trec-fair-2019", *asked, folder / "b.jsonl", "-f", "tsv")
    assert alone.out.splitlines()[1] == done.out.splitlines()[2]


def test_runs_have_names_and_an_order_and_two_processes_change_nothing(batch, fairtrec_command):
    folder, asked = batch
    runs = (f"one={folder / 'a.jsonl'}", f"two={folder / 'b.jsonl'}")
    plain = fairtrec_command("trec-fair-2019", *asked, *runs, "-f", "tsv").out.splitlines()
    assert [line.split("\t")[0] for line in plain[1:]] == ["one", "two"]
    assert fairtrec_command("trec-fair-2019", *asked, *runs, "-f", "tsv", "-j", "2").out.splitlines() == plain
    utilities = [float(line.split("\t")[4]) for line in plain[1:]]
    done = fairtrec_command("trec-fair-2019", *asked, *runs, "-f", "tsv", "--sort", "TREC19Utility")
    order = [line.split("\t")[0] for line in done.out.splitlines()[1:]]
    assert order == (["one", "two"] if utilities[0] >= utilities[1] else ["two", "one"])
    assert utilities[0] != utilities[1]
    wrong = fairtrec_command("trec-fair-2019", *asked, *runs, "--sort", "nDCG@10")
    assert (wrong.code, "--sort nDCG@10 is none of the measures; name one of TREC19Utility" in wrong.err) == (2, True)


def test_where_all_runs_are_broken_nothing_is_printed(batch, fairtrec_command):
    folder, asked = batch
    done = fairtrec_command("trec-fair-2019", *asked, folder / "broken.jsonl", "--keep-going")
    assert (done.code, done.out) == (3, "")


def test_links_are_refused(copied, monkeypatch):
    (copied / "eve.run").symlink_to("fair.run")
    monkeypatch.setenv(submissions.VARIABLE, "1")
    with pytest.raises(InputError, match="this is a link"):
        SequenceWork(None, [], {}, {}).evaluate(("eve", "eve.run"))
