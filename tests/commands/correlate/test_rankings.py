"""RBO: the paper's and other published values, the infinite sum written out, and laws."""

import csv
import itertools
import json
import math
import shutil
import tracemalloc
from dataclasses import replace

import click
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairtrec
from fairtrec.commands.correlate import ASSOCIATIONS, OVERLAPS, overlaps
from fairtrec.commands.correlate.overlaps import compare_runs
from fairtrec.data import MISSING, Docnos, Run
from fairtrec.formulas.overlap import FORMS, overlap, rbo
from fairtrec.support.errors import UsageError
from fairtrec_made.command_trials import evaluate_both

ROOT = "tests/cli/inputs"
rankings = st.lists(st.integers(0, 12), unique=True, max_size=10)
patience = st.sampled_from([0.05, 0.5, 0.9, 0.95])
DEEP = 1500  # 0.95 ** 1500 is 4e-34


def row(ranking, width=None):
    width = max(len(ranking), 1) if width is None else width
    return np.array([[*ranking, *[MISSING] * (width - len(ranking))]])


def one(first, second, p=0.9, form="ext"):
    return rbo(row(first), row(second), p, form)[0]


def common(first, second, depth):
    return len(set(first[:depth]) & set(second[:depth]))


def infinite(agreement, p):
    return (1 - p) * math.fsum(p ** (d - 1) * agreement(d) for d in range(1, DEEP))


def extended(first, second, p):
    """Eq. 32 as what it stands for: the agreement at each depth, as far as it is known and beyond."""
    short, long = sorted((first, second), key=len)
    s, n = len(short), len(long)
    if not s:
        return 0.0
    at_short, at_long = common(short, long, s), common(short, long, n)

    def agreement(d):
        if d <= s:
            return common(short, long, d) / d
        if d <= n:
            return (common(short, long, d) + at_short * (d - s) / s) / d
        return (at_long - at_short) / n + at_short / s

    return infinite(agreement, p)


def least(first, second, p):
    """What follows is in neither: the overlap stays."""
    return infinite(lambda d: common(first, second, d) / d, p)


def most(first, second, p):
    """Each goes on with what the other has and it has not, and then both with the same."""
    fresh = list(range(1000, 1000 + 20))
    one = [*first, *(d for d in second if d not in first), *fresh]
    two = [*second, *(d for d in first if d not in second), *fresh]
    assert one[-20:] == two[-20:]
    assert len(one) == len(two)
    return infinite(lambda d: common(one, two, d) / d if d < len(one) else 1.0, p)


def test_the_published_values():
    a, b = list("abcde"), list("bacfd")
    letters = {letter: i for i, letter in enumerate("abcdef")}
    first, second = [letters[x] for x in a], [letters[x] for x in b]
    assert one(first, second) == pytest.approx(0.750555, abs=1e-12)
    assert one(first, second, form="min") == pytest.approx(0.488146152442, abs=1e-12)
    # the overlap is 0, 2, 3, 3, 4: 0.1 * (0.9 * 2/2 + 0.81 * 3/3 + 0.729 * 3/4 + 0.6561 * 4/5)
    assert one(first, second, form="trunc") == pytest.approx(0.1 * (0.9 + 0.81 + 0.729 * 0.75 + 0.6561 * 0.8))


def test_a_swap_at_the_top_costs_a_tenth():
    # only depth 1 disagrees, whose weight is 1 - p
    assert one([1, 0, 2, 3, 4, 5, 6, 7, 8, 9], list(range(10))) == pytest.approx(0.9)


def test_identical_and_disjoint_rankings():
    assert one([3, 1, 2], [3, 1, 2]) == 1
    assert one([3, 1, 2], [4, 5, 6]) == 0
    assert one([3, 1, 2], [4, 5, 6], form="min") == 0
    assert one([3, 1, 2], [3, 1, 2], form="trunc") == pytest.approx(1 - 0.9**3)


def test_empty_rankings():
    assert one([], [1, 2]) == 0
    assert one([], [1, 2], form="min") == 0
    assert all(math.isnan(one([], [], form=form)) for form in FORMS)
    assert rbo(np.empty((2, 0), int), np.empty((2, 0), int)).shape == (2,)


def test_the_top_of_a_ranking_extrapolates_to_1():
    # a ranking that stops early agrees everywhere as far as it goes, so Eq. 32 lets it go on so
    assert one([0, 1], [0, 1, 2, 3, 4]) == pytest.approx(1)
    assert one([0, 1], [0, 1, 2, 3, 4], form="min") < 1


@given(rankings, rankings, patience)
def test_each_form_is_the_infinite_sum(first, second, p):
    if not first and not second:
        return
    low, high = least(first, second, p), most(first, second, p)
    assert one(first, second, p) == pytest.approx(extended(first, second, p), abs=1e-12)
    assert one(first, second, p, "min") == pytest.approx(low, abs=1e-12)
    assert one(first, second, p, "min") + one(first, second, p, "res") == pytest.approx(high, abs=1e-12)
    deep = max(len(first), len(second))
    known = (1 - p) * sum(p ** (d - 1) * common(first, second, d) / d for d in range(1, deep + 1))
    assert one(first, second, p, "trunc") == pytest.approx(known, abs=1e-12)


@given(rankings, rankings, patience)
def test_the_laws_of_one_pair(first, second, p):
    if not first and not second:
        return
    values = {form: one(first, second, p, form) for form in FORMS}
    assert values == pytest.approx({form: one(second, first, p, form) for form in FORMS}, abs=1e-13)
    assert all(0 <= value <= 1 for value in values.values())
    assert values["trunc"] - 1e-12 <= values["min"] <= values["ext"] + 1e-12
    assert values["ext"] <= values["min"] + values["res"] + 1e-12


@given(st.integers(1, 9), st.data(), patience)
def test_a_document_more_in_common_never_lowers_it(length, data, p):
    first, second = (data.draw(st.permutations(range(13)))[:length] for _ in range(2))
    more = [*first, 99], [*second, 99]
    assert one(*more, p) >= one(first, second, p) - 1e-12
    assert one(*more, p, "min") >= one(first, second, p, "min") - 1e-12
    assert one(*more, p, "res") <= one(first, second, p, "res") + 1e-12


@given(st.lists(st.tuples(rankings, rankings), min_size=1, max_size=5), patience)
def test_queries_do_not_touch_each_other(pairs, p):
    first = np.concatenate([row(a, 10) for a, _ in pairs])
    second = np.concatenate([row(b, 12) for _, b in pairs])
    for form in FORMS:
        alone = [one(a, b, p, form) for a, b in pairs]
        assert rbo(first, second, p, form) == pytest.approx(alone, abs=1e-12, nan_ok=True)
    assert overlap(first, second)[0].tolist() == [common(*pairs[0], d) for d in range(1, 13)]


@pytest.mark.parametrize("p", [0, 1, -1, float("nan"), 1e-320])
def test_p_is_a_probability(p):
    with pytest.raises(UsageError, match="between 0 and 1"):
        rbo(row([1]), row([1]), p)


def test_there_are_four_forms():
    with pytest.raises(UsageError, match="take ext, min, res, trunc"):
        rbo(row([1]), row([1]), form="max")


def run_of(name, rankings):
    docnos = [docno for ranking in rankings.values() for docno in ranking]
    starts = np.cumsum([0, *map(len, rankings.values())])
    return Run(name, name, tuple(rankings), starts, np.array(docnos, dtype=np.bytes_), np.zeros(len(docnos)))


def test_runs_are_compared_where_both_have_the_query():
    a = run_of("a", {"q1": ["x", "y"], "q2": ["x"], "q3": ["z"]})
    b = run_of("b", {"q2": ["w", "x"], "q1": ["y", "x"]})
    (pair,) = compare_runs([a, b])
    assert (pair.first, pair.second, pair.qids, pair.left_out) == ("a", "b", ("q1", "q2"), 1)
    # q1: 0, 1, and 1 for ever: 0.9; q2 of one against two: X is 0, 1, and half of each depth from 2 on is agreed
    assert pair.values == pytest.approx([0.9, 0.1 * 0.9 / 2 + 0.81 / 2])
    (whole,) = compare_runs([a, b], complete=True)
    assert whole.qids == ("q1", "q2", "q3")
    assert whole.values[2] == 0


def test_documents_are_the_same_whatever_the_width_of_their_ids():
    a, b = run_of("a", {"q": ["x", "a-long-one"]}), run_of("b", {"q": ["x"]})
    assert Docnos.collect(a.docnos).names.dtype != b.docnos.dtype
    assert next(compare_runs([a, b])).mean == pytest.approx(1)


def test_the_command_gives_the_same_numbers_in_every_format(fairtrec_command, example):
    paths = [example / f"{name}.run" for name in ("bm25", "neural", "fair")]
    tsv = fairtrec_command("correlate", "--rankings", *paths, "-f", "tsv", "--places", 17, "-q")
    rows = list(csv.DictReader(tsv.out.splitlines(), delimiter="\t"))
    document = json.loads(fairtrec_command("correlate", "--rankings", *paths, "-f", "json", "-q").out)
    assert len(document["pairs"]) == 3
    for pair in document["pairs"]:
        own = [line for line in rows if (line["run"], line["other"]) == (pair["run"], pair["other"])]
        assert {line["qid"]: float(line["rbo"]) for line in own} == {**pair["per_query"], "all": pair["mean"]}
        assert pair["mean"] == pytest.approx(np.mean(list(pair["per_query"].values())))
    matrix = fairtrec_command("correlate", "--rankings", *paths, "-f", "table").out
    assert [matrix.count(f"{pair['mean']:.4f}") for pair in document["pairs"]] == [2, 2, 2]


def test_wrong_usage(fairtrec_command, example, tmp_path):
    path = example / "bm25.run"
    assert fairtrec_command("correlate", "--rankings", path).complaints == [
        "RBO compares runs; pass at least two, or one and --baseline RUN"
    ]
    assert fairtrec_command("correlate", "--rankings", path, path, "-p", 1).code == 2
    other = tmp_path / "other.run"
    other.write_text("x Q0 d 1 1 t\n", "utf-8")
    outcome = fairtrec_command("correlate", "--rankings", path, other)
    assert outcome.code == 3
    assert "have no query in common" in outcome.err


def test_queries_left_out_are_counted(fairtrec_command, tmp_path):
    a, b = tmp_path / "a.run", tmp_path / "b.run"
    a.write_text("q1 Q0 d 1 1 t\nq2 Q0 d 1 1 t\n", "utf-8")
    b.write_text("q1 Q0 d 1 1 t\n", "utf-8")
    outcome = fairtrec_command("correlate", "--rankings", a, b, "-f", "tsv")
    assert outcome.out.endswith("\tall\t1.0000\n")
    assert "1 queries that" not in outcome.err
    assert "1 query that" in outcome.err
    assert fairtrec_command("correlate", "--rankings", a, b, "-c", "-f", "tsv").out.endswith("\tall\t0.5000\n")


def test_a_square_of_overlaps_comes_in_parts_of_the_window(copied, monkeypatch):
    from fairtrec.commands.correlate.overlaps import rbo

    monkeypatch.setenv("COLUMNS", "80")
    names = [f"a_rather_long_name_of_a_run_{number}.run" for number in range(14)]
    for name in names:
        shutil.copy("bm25.run", name)
    pairs = rbo(dict(zip(names, names, strict=True)), depth=3)
    drawn = OVERLAPS("table", pairs, places=4, per_query=False, terminal=True)
    assert max(map(len, click.unstyle(drawn).splitlines())) <= 80
    assert drawn.count("1.0000") == 14 * 13  # each is there, in one part or another


def test_a_baseline_of_overlaps_has_the_name_of_a_run(copied, fairtrec_command):
    done = fairtrec_command(
        "correlate", "--rankings", "bm25.run", "neural.run", "fair.run", "--baseline", "bm25", "-f", "csv"
    )
    assert done.code == 0
    assert [row.split(",")[:2] for row in done.out.splitlines()[1:]] == [
        ["neural.run", "bm25.run"],
        ["fair.run", "bm25.run"],
    ]
    assert (
        "there is no run or file xy"
        in fairtrec_command("correlate", "--rankings", "bm25.run", "neural.run", "--baseline", "xy").err
    )


def test_overlaps_of_queries_are_rows_of_a_frame(copied):
    found = fairtrec.rbo({"a": {"q": {"d": 2.0, "e": 1.0}}, "b": {"q": {"d": 1.0, "e": 2.0}}}, baseline=0)
    assert found.to_frame(per_query=True)["qid"].tolist() == ["q", "all"]
    assert found.flat() == {"a_rbo": found.pairs[0].mean}
    with pytest.raises(UsageError, match="leave out per_query"):
        fairtrec.compare(evaluate_both()).to_frame(per_query=True)


def test_the_baseline_has_a_name_too(copied, fairtrec_command):
    done = fairtrec_command(
        "correlate", "--rankings", "new=fair.run", "n=neural.run", "--baseline", "old=bm25.run", "-f", "csv"
    )
    rows = list(csv.DictReader(done.out.splitlines()))
    assert {row["run"] for row in rows} == {"new", "n"}
    assert {row["other"] for row in rows} == {"old"}


def test_what_evaluates_is_refused_beside_rankings(copied, fairtrec_command):
    asked = ("correlate", "--rankings", "bm25.run", "fair.run")
    for words, option in (
        (["-m", "RR"], "--measure"), (["--over", "runs"], "--over"), (["--values"], "--values"), (["-j", "2"], "--jobs"),
    ):  # fmt: skip
        done = fairtrec_command(*asked, *words)
        said = f"--rankings compares rankings, and evaluates no run; leave out {option}"
        assert (done.code, done.complaints) == (2, [said])


def test_each_format_of_correlations_is_one_of_rankings(copied, fairtrec_command):
    overlaps = fairtrec.rbo(["bm25.run", "fair.run"])
    for form in OVERLAPS.forms:
        overlaps.write("wanted", format=form)
        done = fairtrec_command("correlate", "--rankings", "bm25.run", "fair.run", "-f", form, "-o", "printed")
        assert done.code == 0
        assert (copied / "printed").read_bytes() == (copied / "wanted").read_bytes()
    assert {*OVERLAPS.forms} == {*ASSOCIATIONS.forms}


def compare_alone(first, second, p, form, complete):
    """Compare two runs by matrices of their documents, as the formula says."""
    table = Docnos.collect(first.docnos, second.docnos)
    every = tuple(dict.fromkeys((*first.qids, *second.qids)))
    qids = every if complete else tuple(qid for qid in every if qid in first.qids and qid in second.qids)
    numbers = [np.append(table.rows(run.docnos), MISSING)[run.top(qids, None)] for run in (first, second)]
    return first.name, second.name, qids, rbo(*numbers, p, form).tolist(), len(every) - len(qids)


@st.composite
def several_runs(draw):
    """Draw runs of other queries, some without documents; in some, ranks hold no document."""
    found = []
    for number in range(draw(st.integers(2, 5))):
        rankings = draw(st.dictionaries(st.sampled_from("abcd"), st.lists(st.integers(0, 8), unique=True, max_size=6)))
        run = run_of(f"r{number}", {qid: [f"d{d}" * (d + 1) for d in ranked] for qid, ranked in rankings.items()})
        if draw(st.booleans()):
            gaps = [[draw(st.integers(1, 3)) for _ in ranked] for ranked in rankings.values()]
            positions = [np.cumsum(each, dtype=np.int64) for each in gaps]
            last = np.array([each[-1] if len(each) else 0 for each in positions], dtype=np.int64)
            run = replace(run, positions=np.concatenate([np.empty(0, np.int64), *positions]), last_ranks=last)
        found.append(run)
    return found


@settings(deadline=None)
@given(
    several_runs(),
    st.integers(1, 12),
    st.integers(1, 60),
    patience,
    st.sampled_from(FORMS),
    st.booleans(),
    st.booleans(),
)
def test_many_runs_are_compared_as_two_are(runs, lines, cells, p, form, complete, with_first):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlaps, "LINES", lines)
        patch.setattr(overlaps, "CELLS", cells)
        found = list(compare_runs(runs, p, form, complete=complete, with_first=with_first))
    pairs = [(run, runs[0]) for run in runs[1:]] if with_first else itertools.combinations(runs, 2)
    alone = [compare_alone(*pair, p, form, complete) for pair in pairs]
    told = [(each.first, each.second, each.qids, each.values.tolist(), each.left_out) for each in found]
    assert repr(told) == repr(alone)  # nan, too


@pytest.mark.long
def test_runs_of_other_queries_take_no_memory_for_what_they_lack():
    runs = [run_of(f"r{n}", {f"q{q}": ["d"] for q in (0, *range(1 + n * 500, 501 + n * 500))}) for n in range(24)]
    tracemalloc.start()
    assert [each.mean for each in compare_runs(runs)] == [1.0] * 276
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 18 << 20  # 39 MiB where each pair has all 12,001 queries
