"""Gini and Retrievability: published scores, an independent program on a log of 10,000 queries, laws, refusals."""

import json
import math
import pickle
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.formulas.retrieved_documents import RetrievedDocuments, gini
from fairtrec.measures import Gini, Retrievability
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made.command_trials import gather_trials

RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "d": 1.0}, "q3": {"b": 1.0}}
LABELS = {"a": "f", "b": "m", "c": "f", "d": "-", "e": "f", "g": "m"}


def pooled(measures, run, **given):
    """Give the pooled value of each measure."""
    scores = fairtrec.evaluate(measures, run, **({"pool": "even"} | given)).scores[0]
    return scores.totals["pooled"]


def program_scores(rankings, cutoff, b, often):
    """Sum what each document gets, in a loop over documents."""
    found = Counter()
    for qid, ranking in rankings.items():
        best = sorted(ranking.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)[:cutoff]
        for rank, (docno, _) in enumerate(best, 1):
            found[docno] += often.get(qid, 1) / rank**b
    return {docno: got for docno, got in found.items() if got > 0}


def program_gini(amounts, size):
    """Take the mean absolute difference of all pairs by the sorted list of the whole collection, zeros included."""
    every = sorted([0.0] * (size - len(amounts)) + list(amounts))
    below, area = 0.0, 0.0
    for each in every:  # the area below the Lorenz curve, in steps
        area += below + each / 2
        below += each
    return 1 - 2 * area / (size * below)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Write a log of 10,000 queries, each with up to 30 of 4,000 documents, some of which are retrieved far more."""
    random = np.random.default_rng(42)
    popular = random.zipf(1.3, size=(10_000, 30)) % 4000
    rankings = {}
    for number, row in enumerate(popular):
        docnos = dict.fromkeys(f"doc-{each:04d}" for each in row[: random.integers(1, 31)])
        rankings[f"q{number}"] = {docno: float(random.integers(0, 40)) for docno in docnos}
    path = tmp_path_factory.mktemp("log") / "log.run"
    lines = (f"{qid} Q0 {d} 1 {score} bm25\n" for qid, ranking in rankings.items() for d, score in ranking.items())
    path.write_text("".join(lines))
    often = {qid: float(random.integers(0, 50)) for qid in rankings}
    (path.parent / "often.tsv").write_text("".join(f"{qid}\t{many:g}\n" for qid, many in often.items()))
    return path, rankings, often


@pytest.mark.parametrize("b", [0.0, 0.5, 1.3])
@pytest.mark.parametrize("weighed", [False, True])
def test_of_a_log_of_10000_queries_it_is_what_a_second_program_says(log, b, weighed):
    path, rankings, often = log
    pool = str(path.parent / "often.tsv") if weighed else "even"
    wanted = program_scores(rankings, 10, b, often if weighed else {})
    found = fairtrec.retrievability(path, cutoff=10, b=b, pool=pool)
    assert found.keys() == wanted.keys()
    assert list(found.values()) == pytest.approx([wanted[docno] for docno in found], rel=1e-12)
    for size in (None, 4000, 25_000):
        (value,) = pooled([Gini(cutoff=10, b=b)], str(path), pool=pool, collection_size=size)
        assert value == pytest.approx(program_gini(wanted.values(), size or len(wanted)), abs=1e-10)
    labels = {f"doc-{number:04d}": "fm-"[number % 3] for number in range(4000)}
    (of_f, of_m) = pooled([Retrievability(cutoff=10, b=b)], str(path), pool=pool, labels=labels)
    for group, value in {"f": of_f, "m": of_m}.items():
        inside = [docno for docno, name in labels.items() if name == group]
        assert value == pytest.approx(sum(wanted.get(each, 0) for each in inside) / len(inside), rel=1e-12)


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_the_coefficient_does_not_depend_on_the_unit(unit):
    assert gini(np.array([1.0, 3.0]) * unit) == pytest.approx(0.25)
    assert gini(np.array([3.0, 1.0, 2.0]) * unit, 6) == pytest.approx(11 / 18)


@given(st.lists(st.lists(st.sampled_from("abcd"), unique=True, max_size=4), min_size=1, max_size=5), st.integers(0, 5))
def test_documents_get_what_their_ranks_weigh_whether_rankings_are_of_one_length_or_not(rankings, cutoff):
    weights, often = 0.5 ** np.arange(4), np.arange(1.0, len(rankings) + 1)
    for several in (rankings, [ranking[: min(map(len, rankings))] for ranking in rankings]):
        docnos = np.array([docno.encode() for ranking in several for docno in ranking], "S1")
        shown = RetrievedDocuments.number(docnos, np.array(list(map(len, several))), weights).cut(weights[:cutoff])
        expected = Counter()
        for times, ranking in zip(often.tolist(), several, strict=True):
            expected.update({docno: times * weights[rank] for rank, docno in enumerate(ranking[:cutoff])})
        got = {name.decode(): each for name, each in zip(shown.names, shown.sum_weights(often), strict=False)}
        assert {docno: each for docno, each in got.items() if each} == expected


def test_it_takes_no_loop_over_documents(log):
    """Reading the run takes longer than computing the value."""
    random = np.random.default_rng(1)
    docnos = np.array([f"document-{each:07d}".encode() for each in random.integers(0, 100_000, 300_000)])
    before = time.process_time()
    shown = RetrievedDocuments.number(docnos, np.full(3000, 100), np.ones(100))
    assert gini(shown.sum_weights(np.ones(3000)), 10**9) > 0.99
    assert time.process_time() - before < 2


def test_published_scores_and_gini_of_wapo(shared):
    """The example of leifos/retrievability: BM25 over WaPo for 50 topics, c = 100, b = .5."""
    folder = shared / "data" / "retrievability"
    run, scores = folder / "wapo2018.bm25.baseline.res", folder / "wapo2018.bm25.baseline.c100.b0.5.ret"
    if not run.exists():
        pytest.skip(f"needs the folder data of leifos/retrievability in {folder}")
    published = dict(line.split() for line in scores.read_text().splitlines())
    found = fairtrec.retrievability(run, b=0.5, order="rank")
    assert found.keys() == published.keys()
    assert max(abs(found[docno] - float(published[docno])) for docno in published) <= 5e-5
    several = [("Gini(b=0.5)@100", 595_037, 0.9941), ("Gini(b=0.5)@100", None, 0.2914),
               ("Gini@100", 595_037, 0.9918), ("Gini@100", None, 0.0109)]  # fmt: skip
    for measure, size, figure in several:
        assert pooled(measure, str(run), order="rank", collection_size=size) == [pytest.approx(figure, abs=5e-5)]


def test_written_out():
    # a is shown twice, b twice, c once, d once: 1 1 2 2, so (-3 -1 + 2 + 6) / (4 * 6)
    assert pooled("Gini", RUN) == [pytest.approx(1 / 6)]
    # and of 6 documents 0 0 1 1 2 2: (-1 + 1 + 6 + 10) / (6 * 6)
    assert pooled("Gini", RUN, collection_size=6) == [pytest.approx(16 / 36)]
    # at rank 1 a twice and b once: (-1 + 2) / (2 * 3)
    assert pooled("Gini@1", RUN) == [pytest.approx(1 / 6)]
    # a 1 + 1, b 1/2 + 1, c 1/3, d 1/2; f: a, c and e, which nobody finds
    assert pooled("Retrievability(b=1)", RUN, labels=LABELS) == [pytest.approx((2 + 1 / 3) / 3), pytest.approx(1.5 / 2)]
    assert fairtrec.retrievability(RUN, b=1) == pytest.approx({"a": 2, "b": 1.5, "d": 0.5, "c": 1 / 3})
    assert list(fairtrec.retrievability(RUN)) == ["a", "b", "c", "d"]


def test_there_is_no_mean_and_no_value_of_a_query(tmp_path):
    result = fairtrec.evaluate("Gini AWRF@2", RUN, labels=LABELS, pool="even")
    assert [*result.means["run"]] == ["AWRF@2"]
    assert {*result.per_query["run"]} == {"AWRF@2"}
    assert np.isnan(result.scores[0].values[0]).all()
    assert not [note for note in result.scores[0].notes if note.kind.name == "undefined"]


def test_equal_documents_have_exactly_0():
    assert pooled(
        "Gini(b=0.7)@1", {f"q{at}": {f"d{at}": 1.0} for at in range(7)}, pool={f"q{at}": 0.1 for at in range(7)}
    ) == [0]
    assert gini(np.full(9, 0.1)) == 0


def test_nothing_ranked_is_undefined():
    for measure in ("Gini", "Retrievability(group=f)"):
        (value,) = pooled(measure, RUN, labels=LABELS, pool=dict.fromkeys(RUN, 0.0))
        assert math.isnan(value)
    qrels = {qid: {"z": 1} for qid in RUN}
    (value,) = pooled("Gini", RUN, qrels=qrels, only="judged", collection_size=9)
    assert math.isnan(value)
    assert fairtrec.retrievability(RUN, pool=dict.fromkeys(RUN, 0.0)) == {}


def test_undefined_queries_count_as_nothing():
    (value,) = pooled("Gini", RUN, undefined="0")
    assert value == pytest.approx(1 / 6)


def test_the_group_without_documents_is_undefined():
    few, none = pooled(
        "Retrievability@2", {"q": {"x": 1.0, "y": 2.0}}, labels={"x": {"f": 1, "m": 0}, "y": {"f": 0.5, "m": 0}}
    )
    assert few == 1
    assert math.isnan(none)


def test_documents_of_the_counts_that_nobody_ranks_count(tmp_path):
    counts = tmp_path / "counts.tsv"
    counts.write_text("docno\ttokens\tf\tm\na\t9\t2\t0\nb\t9\t0\t1\nc\t9\t1\t1\nd\t9\t0\t0\ne\t9\t3\t0\nz\t9\t0\t4\n")
    # f: a 2, c 1/2, e 0 of 1 + 1/2 + 1; m: b 2, c 1/2, z 0 of 1 + 1/2 + 1
    assert pooled("Retrievability", RUN, counts=str(counts)) == pytest.approx([1.0, 1.0])
    any_group = pooled("Retrievability", RUN, counts=str(counts), membership="any")
    assert any_group == pytest.approx([3 / 3, 3 / 3])


def test_labels_of_two_attributes():
    both = fairtrec.attributes(gender=LABELS, kind={docno: "kl"[docno > "b"] for docno in LABELS})
    found = fairtrec.evaluate("Retrievability@100", RUN, labels=both, pool="even").scores[0]
    values = dict(zip(map(str, found.measures), found.totals["pooled"], strict=True))
    assert values["Retrievability(by='gender',group='f')@100"] == pytest.approx(3 / 3)
    assert values["Retrievability(by='kind',group='l')@100"] == pytest.approx(2 / 4)
    crossed = pooled("Retrievability(by='gender*kind',group='f*k')", RUN, labels=both)
    assert crossed == [pytest.approx(2)]


def test_slices_are_pooled_by_themselves(tmp_path):
    (tmp_path / "slices").write_text("q1\tone\nq2\tone\nq3\ttwo\nq1\ttwo\n")
    result = fairtrec.evaluate("Gini(b=1)", RUN, pool={"q1": 2, "q2": 1, "q3": 5}, collection_size=9)
    result.write(tmp_path / "r.json", slices=str(tmp_path / "slices"))
    slices = json.loads((tmp_path / "r.json").read_text())["runs"][0]["slices"]
    for name, qids in {"one": ("q1", "q2"), "two": ("q1", "q3")}.items():
        part = {qid: RUN[qid] for qid in qids}
        often = {"q1": 2, "q2": 1, "q3": 5}
        assert slices[name]["pooled"]["Gini(b=1.0)@100"] == pooled("Gini(b=1)", part, pool=often, collection_size=9)[0]
    result.write(tmp_path / "r.trec", format="trec", slices=str(tmp_path / "slices"))
    lines = [line.split() for line in (tmp_path / "r.trec").read_text().splitlines()]
    assert [words[1] for words in lines if words[0].startswith("Gini")] == [
        "pooled",
        "pooled:slice:one",
        "pooled:slice:two",
    ]
    assert not any("difference" in line for line in (tmp_path / "r.trec").read_text().splitlines())


def test_several_rankings_of_a_query_are_parts_of_it(tmp_path):
    lines = ["q1 1 a 1 2 t", "q1 1 b 2 1 t", "q1 2 a 1 2 t", "q1 2 c 2 1 t", "q2 1 b 1 1 t"]
    (tmp_path / "samples.run").write_text("\n".join(lines) + "\n")
    # a 1, b 1/2 + 1, c 1/2: .5 1 1.5, so (-1 + 3) / (3 * 3)
    assert pooled("Gini", str(tmp_path / "samples.run"), samples=True) == [pytest.approx(2 * 1 / (3 * 3))]
    # with another order of the queries in the file
    (tmp_path / "turned.run").write_text("\n".join([lines[4], *lines[:4]]) + "\n")
    assert pooled("Gini", str(tmp_path / "turned.run"), samples=True) == [pytest.approx(2 / 9)]


def test_what_is_computed_in_another_process_is_the_same(log):
    path, *_ = log
    alone = pooled("Gini(b=0.5)@20", str(path), collection_size=5000)
    result = fairtrec.evaluate("Gini(b=0.5)@20", [str(path), str(path.parent / "log.run")], pool="even",
                               collection_size=5000, jobs=2)  # fmt: skip
    assert {scores.totals["pooled"][0] for scores in result.scores} == set(alone)
    column = fairtrec.evaluate("Gini", RUN, pool="even").scores[0].columns["pooled"]
    assert pickle.loads(pickle.dumps(column)).value(Gini()) == column.value(Gini())


rankings = st.dictionaries(
    st.sampled_from([f"q{at}" for at in range(6)]),
    st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-5, 5), min_size=1, max_size=8),
    min_size=1,
)


@given(rankings, st.floats(0, 3), st.integers(1, 9), st.integers(0, 50), st.randoms())
def test_laws(run, b, cutoff, more, random):
    measure = [Gini(b=b, cutoff=cutoff)]
    often = {qid: random.randint(1, 9) for qid in run}
    (value,) = pooled(measure, run, pool=often)
    wanted = program_scores(run, cutoff, b, often)
    assert value == pytest.approx(program_gini(wanted.values(), len(wanted)), abs=1e-12)
    assert 0 <= value <= 1 - 1 / len(wanted) + 1e-12
    (sevenfold,) = pooled(measure, run, pool={qid: 7 * many for qid, many in often.items()})
    assert sevenfold == pytest.approx(value, abs=1e-12)
    sizes = [len(wanted), len(wanted) + 1, len(wanted) + more]
    larger = [pooled(measure, run, pool=often, collection_size=size)[0] for size in sorted(sizes)]
    assert larger == sorted(larger)
    assert larger[0] == value
    twice = {**run, "again": run[min(run)]}
    doubled = pooled(measure, twice), pooled(measure, run, pool={qid: 1 + (qid == min(run)) for qid in run})
    assert doubled[0] == pytest.approx(doubled[1], abs=1e-12)


@given(rankings, st.floats(0, 3), st.integers(1, 9))
def test_the_sum_over_groups_is_what_all_documents_get(run, b, cutoff):
    labels = {docno: "fm"[at % 2] for at, docno in enumerate("abcdefgh")}
    values = pooled([Retrievability(b=b, cutoff=cutoff)], run, labels=labels)
    assert 4 * sum(values) == pytest.approx(sum(fairtrec.retrievability(run, cutoff, b).values()), rel=1e-9)
    scores = fairtrec.evaluate([Retrievability(b=b, cutoff=cutoff)], run, labels=labels, pool="even").scores[0]
    assert all(measure.better == "neither" for measure in scores.measures)


REFUSED = {
    "": "Gini@100 is over all queries; add --pool even, which eval, compare, check and plot have",
    "--pool even --collection-size 3": "--collection-size 3: 4 documents were retrieved; pass the number of documents",
    "--pool even --collection-size 0": "--collection-size is 0; it must be 1 or more",
    "--pool even --collection-size many": "'many' is not a valid integer",
    "--pool even --confidence 0.95": "--confidence is about means over queries, and Gini@100 has none",
    "--pool even --sort Gini": "--sort goes by means over queries, and Gini@100 has none",
    "--pool even --bounds ties": "Gini@100 has no bounds; leave out --bounds, or the measure",
    "--pool even -m Gini(b=-1)": "Gini: b is -1.0; the weight of a rank is rank^-b, so b is 0 or more",
    "--pool even -m Gini@0": "the cutoff is 0; ranks count from 1",
    "--pool even -f html": "--format html has no such lines",
    "--pool even -m AWRF -m Retrievability --labels labels --missing even": "--missing even adds others",
    "--pool even -m Retrievability --labels labels --gold labels": "is not corrected by gold labels",
    "--pool even -m Retrievability --labels query": "needs labels of documents, and these are per query; pass others",
    "--pool even -m Retrievability": "needs group labels or the counts of a whole collection; add --labels FILE or",
    "--pool even -m AWRF --labels labels --collection-size 9": "--collection-size has no effect on AWRF@10; leave it out",
    "--spread --pool even": "--spread prints best, median and worst",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    lines = (f"{qid} Q0 {d} 1 {score} t\n" for qid, ranking in RUN.items() for d, score in ranking.items())
    (tmp_path / "my.run").write_text("".join(lines))
    (tmp_path / "other.run").write_bytes((tmp_path / "my.run").read_bytes())
    (tmp_path / "labels").write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    (tmp_path / "query").write_text("q1\ta\tf\nq1\tb\tm\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("options", "what"), REFUSED.items())
def test_what_does_not_fit_is_refused(folder, options, what, fairtrec_command):
    measure = [] if " -m " in options else ["-m", "Gini"]
    ended = fairtrec_command("eval", "none", "my.run", *measure, *options.split())
    assert (ended.code, ended.out) == (2, ""), ended
    assert what in ended.complaints[-1], ended.complaints


@pytest.mark.parametrize(
    "command",
    ["compare none my.run other.run -m Gini", "check none my.run --require Gini<0.5", "explain none my.run -m Gini",
     *gather_trials("BY_MEANS")],
)  # fmt: skip
def test_commands_that_go_by_means_refuse_it(folder, command, fairtrec_command):
    ended = fairtrec_command(*command.split())
    assert (ended.code, ended.out) == (2, ""), ended
    assert (
        "Gini@100 is over all queries; add --pool even, which eval, compare, check and plot have"
        in ended.complaints[-1]
    ), ended.complaints


def test_what_goes_on_from_a_result_refuses_it():
    result = fairtrec.evaluate("Gini AWRF@2", {"one": RUN, "two": RUN}, labels=LABELS, pool="even")
    by_gini, _ = fairtrec.compare(result).rows  # which has no interval
    assert (by_gini.difference, by_gini.verdict) == (0, "not tested")
    with pytest.raises(UsageError, match="confidence= is about means over queries, and Gini@100 has none"):
        result.with_confidence()


def test_the_notes_say_what_the_collection_is_and_which_rankings_are_short():
    result = fairtrec.evaluate("Gini Gini@2 Retrievability@2", RUN, labels=LABELS, pool="even")
    said = [(note.kind.name, dict(note.numbers)) for note in result.scores[0].notes if note.kind.name != "known groups"]
    short = [("short rankings", {"short": many, "queries": 3}) for many in (3, 1, 1, 1)]
    assert said == [*short, *[("no collection size", {"documents": many}) for many in (4, 3)]]
    sized = fairtrec.evaluate("Gini@2", RUN, pool="even", collection_size=4)
    assert [note.kind.name for note in sized.scores[0].notes] == ["short rankings"]
    assert sized.signature["collection-size"] == "4"


def test_results_are_written_read_replayed_and_compared(folder, fairtrec_command):
    for name, size in (("a", "10"), ("b", "11")):
        ask = ("eval", "none", "my.run", "-m", "Gini", "--pool", "even", "--collection-size", size, "-f", "json")
        assert fairtrec_command(*ask, "-o", f"{name}.json").code == 0
    assert fairtrec_command("results", "replay", "a.json").code == 0
    differ = fairtrec_command("results", "diff", "a.json", "b.json")
    assert (differ.code, "Gini" in differ.out) == (1, True), differ
    assert fairtrec_command("results", "diff", "a.json", "a.json").code == 0


@pytest.mark.parametrize(
    ("given", "fault", "what"),
    [
        ({"cutoff": 0}, UsageError, "the cutoff is 0"),
        ({"b": -0.5}, UsageError, "b is -0.5"),
        ({"b": math.nan}, UsageError, "b is nan"),
        ({"pool": {"q1": 1}}, InputError, "query q2 has no frequency"),
        ({"pool": "nowhere.tsv"}, UsageError, "there is no file nowhere.tsv"),
    ],
)
def test_python_refuses_the_same(given, fault, what):
    with pytest.raises(fault, match=what):
        fairtrec.retrievability(RUN, **given)


@pytest.mark.parametrize("power", [-1070, -1, 1010])
def test_frequencies_of_any_size_give_the_same_inequality(power):
    often = {"q1": 4.0, "q2": 8.0, "q3": 1.0}
    scaled = {qid: many * 2.0**power for qid, many in often.items()}
    assert pooled([Gini(b=1, cutoff=3)], RUN, pool=scaled) == pooled([Gini(b=1, cutoff=3)], RUN, pool=often)
