"""A measure that is undefined in some queries: runs are ranked over the queries in which all have a value.

``--sort`` does it for one measure, ``--queries defined`` for the whole table. Every format counts the queries behind a
mean if these are not all.
"""

import csv
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.evaluation import leaderboard
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import unwrapped
from fairtrec_made.measures import Higher

NAN = float("nan")
# AWRF@2 is undefined for a ranking without a document of a group. f m: both groups, f f: one, - -: none.
RUNS = {
    "one": {"q1": "f m", "q2": "f f", "q3": "f m", "q4": "- -"},
    "two": {"q1": "f f", "q2": "f m", "q3": "- -", "q4": "f m"},
    "six": {"q1": "f f", "q2": "f f", "q3": "f m", "q4": "f m"},
}
NOTHING = dict.fromkeys(RUNS["one"], "- -")


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """Runs of four queries and two documents, with labels: each run has a value in other queries."""
    monkeypatch.chdir(tmp_path)
    labels = dict[str, str]()
    for name, rankings in {**RUNS, "none": NOTHING}.items():
        lines = []
        for qid, groups in rankings.items():
            for rank, group in enumerate(groups.split(), start=1):
                docno = f"{name}-{qid}-{rank}"
                labels[docno] = group
                lines.append(f"{qid} Q0 {docno} {rank} {9 - rank} {name}\n")
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "labels.tsv").write_text("".join(f"{docno}\t{group}\n" for docno, group in labels.items()))
    return tmp_path


THREE = "one.run", "two.run", "six.run"
ASKED = "--labels", "labels.tsv", "-m", "AWRF@2 MaxShare@2"


def means_of(command, *words):
    """The mean of AWRF@2 of each run, and over how many queries it is, of TSV."""
    done = command("eval", "none", *words, *ASKED, "-f", "tsv")
    assert done.code == 0, done.err
    rows = csv.DictReader(io.StringIO(done.out), delimiter="\t")
    return {row["run"]: (row["AWRF@2"], row.get("AWRF@2.defined")) for row in rows}


def test_ranks_go_over_the_queries_in_which_all_runs_have_a_value(desk, fairtrec_command):
    """Both groups have 1, only f has 1 - JSD((1, 0), (1/2, 1/2)) = 1 - 0.31128 bits; q1 and q2 are in all three."""
    done = fairtrec_command("eval", "none", *THREE, *ASKED, "--sort", "AWRF@2", "-f", "md")
    rows = [[cell.strip() for cell in line.split("|")[1:5]] for line in done.out.splitlines() if line.startswith("| ")]
    assert rows[2:] == [
        ["1", "one", "4", "**0.8444** (2)"],
        ["1", "two", "4", "**0.8444** (2)"],
        ["3", "six", "4", "*0.6887* (2)"],
    ]
    assert "rank: by AWRF@2, highest first, over the 2 queries in which all ranked runs have a value" in done.out
    assert "sort:AWRF@2/2" in done.out


def test_without_sort_means_are_those_of_each_run_and_the_reason_for_no_mark_is_true(desk, fairtrec_command):
    done = fairtrec_command("eval", "none", *THREE, *ASKED, "-f", "md")
    assert [text in done.out for text in ("(3)", "(4)", "sort:")] == [True, False, False]
    assert "no mark: the means are over different queries" in done.out
    assert "fewer queries than another run's" not in done.out


def test_a_run_without_any_value_is_last_and_the_reason_is_said(desk, fairtrec_command):
    done = fairtrec_command("eval", "none", "none.run", *THREE, *ASKED, "--sort", "AWRF@2", "-f", "md")
    rows = [line.split("|")[1:3] for line in done.out.splitlines() if line.startswith("| ")][2:]
    assert [(rank.strip(), run.strip()) for rank, run in rows][-1] == ("-", "none")
    assert [rank.strip() for rank, _ in rows[:-1]] == ["1", "1", "3"]
    assert "no rank: none, because AWRF@2 is undefined in all queries" in done.out


def test_fewer_than_two_such_queries_are_refused_with_a_way_out(desk, fairtrec_command):
    (desk / "less.run").write_text((desk / "one.run").read_text().replace("one-q1", "new-q1"))
    labels = desk / "labels.tsv"
    labels.write_text(labels.read_text() + "new-q1-1\t-\nnew-q1-2\t-\n")
    done = fairtrec_command("eval", "none", *THREE, "less.run", *ASKED, "--sort", "AWRF@2")
    assert done.code == 2
    few = "only 1 query of 4 has a value for all 4 runs (less.run has 2)"
    way_out = "leave out runs with few values, or add --undefined worst or 0"
    assert done.complaints == [f"cannot rank by AWRF@2: {few}; {way_out}"]
    done = fairtrec_command("eval", "none", *THREE, "less.run", *ASKED, "--sort", "AWRF@2", "--undefined", "worst")
    assert done.code == 0


def test_queries_defined_are_those_of_a_file_of_them_for_every_measure(desk, fairtrec_command):
    (desk / "two.txt").write_text("q1\nq2\n")
    for form in ("csv", "json"):
        words = "eval", "none", *THREE, *ASKED, "-f", form
        done, named = (fairtrec_command(*words, "--queries", which) for which in ("defined", "two.txt"))
        assert (done.code, named.code) == (0, 0), done.err
        one, two = (json.loads(each.out)["runs"] if form == "json" else each.out for each in (done, named))
        assert one == two
    assert "queries:defined@" in fairtrec_command("eval", "none", *THREE, *ASKED, "--queries", "defined").err
    ranked = means_of(fairtrec_command, *THREE, "--sort", "AWRF@2")
    whole = means_of(fairtrec_command, *THREE, "--sort", "AWRF@2", "--queries", "defined")
    assert {run: mean for run, (mean, _) in ranked.items()} == {run: mean for run, (mean, _) in whole.items()}
    assert {many for _, many in ranked.values()} == {"2"}
    assert {many for _, many in whole.values()} == {None}


def test_queries_defined_pass_over_a_run_without_any_value(desk):
    found = fairtrec.evaluate("AWRF@2", ["none.run", *THREE], labels="labels.tsv", queries="defined")
    assert found.scores[1].qids == ("q1", "q2")


def test_queries_defined_are_refused_below_two_and_for_what_can_be_read_once(desk):
    two = {"a": {"q1": {"x": 1.0}, "q2": {"y": 1.0}}, "b": {"q1": {"y": 1.0}, "q2": {"x": 1.0}}}
    with pytest.raises(InputError, match=r"no query has a value of every measure for all runs; AWRF@2 has the fewest"):
        fairtrec.evaluate("AWRF@2", two, labels={"x": "f", "y": "-", "z": "m"}, queries="defined")
    with pytest.raises(UsageError, match="queries=defined reads runs twice; pass a file"):
        fairtrec.evaluate("AWRF@2", ["-"], labels="labels.tsv", queries="defined")
    one = {"a": {"q1": {"x": 1.0}}}
    assert fairtrec.evaluate("AWRF@2", one, labels={"x": "f", "z": "m"}, queries="defined").scores[0].qids == ("q1",)


def test_each_format_counts_the_queries_behind_a_mean(desk, fairtrec_command):
    words = "eval", "none", *THREE, *ASKED
    counts = {"one.run": 3, "two.run": 3, "six.run": 4}
    assert {run: int(many) for run, (_, many) in means_of(fairtrec_command, *THREE).items()} == counts
    lines = fairtrec_command(*words, "-f", "trec").out.splitlines()
    assert [line.split()[-1] for line in lines if line.startswith("AWRF@2.defined")] == ["3", "3", "4"]
    assert 'key: "one AWRF@2.defined"\n  value: "3"' in fairtrec_command(*words, "-f", "tira").out
    assert json.loads(fairtrec_command(*words, "-f", "flat").out)["one_AWRF_at_2_queries"] == 3
    fairtrec_command(*words, "-o", "found.parquet")
    rows = pq.read_table("found.parquet").to_pylist()
    assert {row["run"]: row["defined"] for row in rows if row["measure"] == "AWRF@2"} == counts
    for form in ("table", "md", "latex", "html"):
        shown = unwrapped(fairtrec_command(*words, "-f", form).out)
        assert [shown.count(f" ({many})") for many in (3, 4)] == [4, 0], form


def test_measures_of_trec_eval_are_printed_as_by_trec_eval(desk, fairtrec_command):
    (desk / "qrels").write_text("q1 0 one-q1-1 1\n")  # so that map has no value for the other queries
    words = "eval", "qrels", "one.run", "--labels", "labels.tsv", "-m"
    lines = fairtrec_command(*words, "map Groups@2", "-f", "trec").out.splitlines()
    assert [line.split()[0] for line in lines] == ["runid", "num_q", "map", "Groups@2"]
    head = fairtrec_command(*words, "map Groups@2", "-f", "csv").out.splitlines()[0]
    assert head == "run,tag,qid,queries,AP,AP.defined,Groups@2"


def test_values_of_queries_stay_where_runs_are_ranked_over_fewer(desk, fairtrec_command):
    words = "eval", "none", *THREE, *ASKED, "-q", "-f", "tsv"
    plain, ranked = (
        {(row["run"], row["qid"]): row["AWRF@2"] for row in csv.DictReader(io.StringIO(done.out), delimiter="\t")}
        for done in (fairtrec_command(*words), fairtrec_command(*words, "--sort", "AWRF@2"))
    )
    changed = {key for key in plain if plain[key] != ranked[key]}
    assert changed == {("one.run", "all"), ("two.run", "all"), ("six.run", "all")}


def test_files_that_are_read_again_keep_the_means_of_runs_and_add_the_ranking(desk, fairtrec_command):
    words = "eval", "none", *THREE, *ASKED, "-f", "json"
    plain, ranked = (
        json.loads(done.out) for done in (fairtrec_command(*words), fairtrec_command(*words, "--sort", "AWRF@2"))
    )
    assert {run["run"]: run["means"] for run in ranked["runs"]} == {run["run"]: run["means"] for run in plain["runs"]}
    assert (ranked["signature"], "ranking" in plain) == (plain["signature"], False)
    assert (ranked["ranking"]["measure"], ranked["ranking"]["queries"]) == ("AWRF@2", 2)
    by_rank = means_of(fairtrec_command, *THREE, "--sort", "AWRF@2")
    assert {run: f"{mean:.4f}" for run, mean in ranked["ranking"]["means"].items()} == {
        run: mean for run, (mean, _) in by_rank.items()
    }


def test_intervals_and_bounds_are_of_the_means_that_are_shown(desk, fairtrec_command):
    two = (*ASKED, "--confidence", "0.9", "-f", "csv")
    ranked = fairtrec_command("eval", "none", *THREE, *two, "--sort", "AWRF@2").out
    defined = fairtrec_command("eval", "none", *THREE, *two, "--sort", "AWRF@2", "--queries", "defined").out
    one, other = (
        [(row["run"], row["AWRF@2"], row["AWRF@2.low"], row["AWRF@2.high"]) for row in csv.DictReader(io.StringIO(of))]
        for of in (ranked, defined)
    )
    assert one == other


def result_of(table):
    """A result of runs with these values of one measure [run, query]."""
    qids = tuple(f"q{at}" for at in range(table.shape[1]))
    scores = [Scores(f"r{at}", "t", (Higher(),), qids, row[None]) for at, row in enumerate(table)]
    return Result(tuple(scores), Signature({}), (), {})


cells = st.one_of(st.just(NAN), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
tables = st.tuples(st.integers(2, 5), st.integers(1, 6)).flatmap(
    lambda shape: st.lists(st.lists(cells, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0])
)


@given(tables)
def test_ranked_means_are_over_the_same_queries_or_the_order_is_refused(rows):
    table = np.array(rows)
    ranked = ~np.isnan(table).all(axis=1)
    shared = ~np.isnan(table[ranked]).any(axis=0)
    is_even = not ranked.any() or (shared == ~np.isnan(table[ranked]).all(axis=0)).all()
    if not is_even and shared.sum() < 2:
        with pytest.raises(UsageError, match="cannot rank by Higher@10"):
            leaderboard.rank_runs(result_of(table), Higher())
        return
    found = leaderboard.rank_runs(result_of(table), Higher())
    wanted = {f"r{at}": row[shared].mean() for at, row in enumerate(table) if ranked[at]}
    names = [scores.run for scores in found.scores]
    means = {scores.run: scores.means.item() for scores in found.scores if scores.run in wanted}
    assert means == {run: pytest.approx(mean) for run, mean in wanted.items()}
    assert [means[run] for run in names[: len(wanted)]] == sorted(means.values(), reverse=True)
    assert not np.isnan(leaderboard.comparable(found)[: len(wanted)]).any()
    count = leaderboard.count_shared(found, 0)
    assert count == (None if is_even else shared.sum())


def test_ranks_by_one_group_show_other_groups_over_the_same_queries(desk, fairtrec_command):
    """Exposure@2 of a group, without no-group documents, is undefined in `- -`, and is minus that of the other group."""
    words = ("eval", "none", *THREE, "--labels", "labels.tsv", "-m", "Exposure@2 MaxShare@2", "--sort")
    done = fairtrec_command(*words, "Exposure(group=f)@2", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    f, m = ([row[f"Exposure(group='{group}')@2"] for row in rows] for group in "fm")
    assert {row[f"Exposure(group='{group}')@2.defined"] for row in rows for group in "fm"} == {"2"}
    assert f == [value.removeprefix("-") if value.startswith("-") else f"-{value}" for value in m]


def test_the_legend_says_that_other_measures_are_over_other_queries(desk, fairtrec_command):
    told = "all ranked runs have a value; means of other measures are over all queries with a value; (n): a mean over n"
    words = ("eval", "none", *THREE, "--labels", "labels.tsv", "--sort", "AWRF@2", "-f", "md", "-m")
    assert told in fairtrec_command(*words, "AWRF@2 MaxShare@2").out
    assert "means of other measures" not in fairtrec_command(*words, "AWRF@2").out
