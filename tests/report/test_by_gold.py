"""What reports say of corrected values: columns, names, remarks, in every format."""

import io
import json
from dataclasses import replace
from itertools import takewhile

import numpy as np
import pyarrow.parquet
import pytest

import fairtrec
from fairtrec.evaluation.answers.scores import FollowingText, ScoreColumn
from fairtrec.report.writers import RESULTS

DOCNOS = [f"d{at}" for at in range(12)]
MEASURES = "EER@3 AWRF@3 P@1"


@pytest.fixture
def given():
    """Three runs of 40 queries, an instrument and a sheet of drawn documents."""
    random = np.random.default_rng(2)
    runs = {
        name: {
            f"q{at:02}": {str(d): -float(i) for i, d in enumerate(random.permutation(DOCNOS)[:4])} for at in range(40)
        }
        for name in "abc"
    }
    words, gold = ({d: str(random.choice(["f", "m"])) for d in DOCNOS} for _ in range(2))
    qrels = {f"q{at:02}": {"d1": 1} for at in range(40)}
    return {"runs": runs, "qrels": qrels, "labels": words}, gold


@pytest.fixture
def result(given):
    data, gold = given
    pandas = pytest.importorskip("pandas")
    rows = [(d, gold[d], 0.5) for d in DOCNOS[:8]]
    return fairtrec.evaluate(MEASURES, **data, gold=pandas.DataFrame(rows, columns=["docno", "group", "probability"]))


@pytest.fixture
def written(tmp_path):
    """Write a result in a format, and give what is in the file."""

    def write(result, form, **view):
        result.write(tmp_path / "out", form, **view)
        return (tmp_path / "out").read_bytes()

    return write


class Medians(ScoreColumn):
    """A column that follows each mean and corrects none."""

    name = "medians"

    def follow(self, scores, total, places):
        return {} if total else {"median": [FollowingText(f"{0:.{places}f}")] * len(scores.measures)}


def test_the_mark_is_in_the_column_that_corrects_means(result, written):
    scores = tuple(replace(each, columns={**each.columns, "medians": Medians()}) for each in result.scores)
    rows = [line.split("|") for line in written(replace(result, scores=scores), "md").decode().splitlines()]
    head = next(row for row in rows if row[1:2] == [" run "])
    marked = {head[at].strip() for row in rows for at, cell in enumerate(row) if "**" in cell and len(row) == len(head)}
    assert "median" in [cell.strip() for cell in head]
    assert "corrected" in marked
    assert "median" not in marked


def test_a_column_stands_behind_each_measure_of_groups_and_goes_with_it(result, written):
    table = written(result, "md").decode()
    head = next(line for line in table.splitlines() if line.startswith("| run"))
    assert head == "| run | queries | EER@3 ↑ | corrected | AWRF@3 ↑ | corrected | P@1 ↑ |"
    found = result.scores[0].settle("gold")[0]
    row = next(line for line in table.splitlines() if line.startswith("| a "))
    assert f"{found.corrected:.4f}" in row.split("|")[4]
    assert f" \\[{found.low:.4f}, {found.high:.4f}] |" in row
    assert "| - |" in row
    by = written(result, "md", sort="AWRF@3").decode()
    assert "| AWRF@3 ↑ | corrected | EER@3 ↑ | corrected | P@1 ↑ |" in by


def test_runs_are_marked_and_sorted_by_corrected_means(given, written):
    data, _ = given
    words = data["labels"]
    turned = {d: {"f": "m", "m": "f"}[group] for d, group in words.items()}  # so that all is the other way round
    result = fairtrec.evaluate("Exposure(group='f',of='all')@3 AWRF@3", **data, gold=turned)
    measure = result.scores[0].measures[0]
    sizes = {scores.run: abs(scores.settle("gold")[0].corrected) for scores in result.scores}
    table = written(result, "md", sort=str(measure)).decode()
    ranked = [line.split("|")[2].strip() for line in table.splitlines() if line.startswith(("| 1 ", "| 2 ", "| 3 "))]
    assert ranked == sorted(sizes, key=sizes.get)
    first = next(line for line in table.splitlines() if line.startswith("| 1 "))
    assert "**" in first.split("|")[-4]  # the corrected one is best, not that of the instrument
    assert "corrected means mark and sort the runs" in table
    assert result.scores[0].order_values[0] == sizes["a"]


def test_slices_have_corrected_means_of_their_own(result, written):
    parts = written(result, "md", slices={"few": [f"q{at:02}" for at in range(10)]}).decode()
    found = [line for line in parts.splitlines() if "| a |" in line]
    assert len(found) == 2
    assert found[0].split("|")[5] != found[1].split("|")[5]


def test_parquet_has_the_columns_of_means(result, written):
    table = pyarrow.parquet.read_table(io.BytesIO(written(result, "parquet", per_query=True))).to_pylist()
    means = [row for row in table if row["qid"] is None]
    assert [row["corrected"] for row in means[:3]] == [result.scores[0].settle("gold")[0].corrected, None, None]
    assert means[0]["low"] < means[0]["corrected"] < means[0]["high"]
    assert {row["corrected"] for row in table if row["qid"] is not None} == {None}
    both = result.with_confidence(0.9)
    means = pyarrow.parquet.read_table(io.BytesIO(written(both, "parquet"))).to_pylist()
    assert means[0]["corrected"] is not None
    assert means[2]["corrected"] is None
    assert means[2]["low"] < means[2]["value"] < means[2]["high"]


def test_json_has_null_where_nothing_is_corrected(result, written):
    means = json.loads(written(result, "json"))["runs"][0]["means"]
    assert set(means["EER@3"]) == {
        "value",
        "defined",
        "corrected",
        "low",
        "high",
        "gold",
        "differ",
        "doubtful",
        "mixed_ties",
        "expected",
    }
    assert means["AWRF@3"]["corrected"] is None
    assert "corrected" not in means["P@1"]


def test_a_page_has_the_corrected_mean_behind_the_mean(result, written):
    found = result.scores[0].settle("gold")[0]
    assert (
        f" corrected {found.corrected:.4f} [{found.low:.4f}, {found.high:.4f}]</td>" in written(result, "html").decode()
    )


def test_remarks_say_of_what_the_interval_is(result):
    assert (
        "[low, high]: 95% interval of the corrected value; it covers the draw of labels, for these queries only"
        in str(result)
    )
    both = str(result.with_confidence(0.9))
    assert "[low, high]: 90% interval of the corrected value; it covers the draw of labels and of queries" in both
    assert "[low, high]: 90% t interval of each mean over queries" in both
    alone = fairtrec.evaluate("EER@3", {"q": {"a": 1.0}}, labels={"a": "f", "b": "m"}, gold={"a": "m"})
    assert "interval of each mean" not in str(alone.with_confidence(0.9))


def test_an_instrument_that_is_no_help_is_told(given):
    data, _ = given
    pandas = pytest.importorskip("pandas")
    rows = [(d, "f", 0.5) for d in DOCNOS[:8]]  # of which the instrument says half the opposite
    sheet = pandas.DataFrame(rows, columns=["docno", "group", "probability"])
    words = {d: "fm"[at % 2] for at, d in enumerate(DOCNOS)}
    result = fairtrec.evaluate("Exposure(group='f',of='all')@3", **{**data, "labels": words}, gold=sheet)
    value, estimate = result.scores[0].columns["gold"].rows[0].take_drawn().gold_alone()
    assert value == pytest.approx(0.5)  # all are of f
    low, high = estimate.find_interval(value, 0.95)
    told = f"the instrument does not help: gold labels without it estimate 0.5000 [{low:.4f}, {high:.4f}]"
    assert told in str(result)
    right = fairtrec.evaluate("Exposure(group='f',of='all')@3", **data, gold=data["labels"])
    assert "no help" not in str(right)


def test_few_labeled_queries_and_few_that_differ_are_told(given):
    data, _ = given
    pandas = pytest.importorskip("pandas")
    words = data["labels"]

    def drawn(number, wrong):
        other = {qid: "f" if at < wrong else None for at, qid in enumerate(sorted(data["qrels"]))}
        rows = [
            (qid, d, other[qid] or words[d], 0.8)
            for qid in sorted(data["qrels"])[:number]
            for d in {d for run in data["runs"].values() for d in run[qid]}
        ]
        return pandas.DataFrame(rows, columns=["qid", "docno", "group", "probability"])

    labels = pandas.DataFrame(
        [(qid, d, words[d]) for qid in data["qrels"] for d in DOCNOS], columns=["qid", "docno", "group"]
    )
    few = str(fairtrec.evaluate("AWRF@3", **{**data, "labels": labels}, gold=drawn(20, 20)))
    assert "no interval: fewer than 30 labeled queries, or none has another value" in few
    rare = str(fairtrec.evaluate("AWRF@3", **{**data, "labels": labels}, gold=drawn(32, 5)))
    assert "?: fewer than 10 errors of labeled queries differ from the most frequent one, so the interval" in rare
    assert "] ?" in rare
    assert "gold labels for 32 of the 40 queries" in rare


@pytest.mark.parametrize("window", [60, 80, 100, 140])
@pytest.mark.parametrize("name", ["a", "a-rather-long-name-of-a-run-that-was-reranked"])
def test_tables_keep_to_the_window_and_say_whose_corrected_mean_it_is(given, window, name, monkeypatch):
    data, gold = given
    monkeypatch.setenv("COLUMNS", str(window))
    runs = {f"{name}-{end}": run for end, run in data["runs"].items()}
    measures = "NDKL@3 Exposure(of='all')@3 EER(discount='log2_clipped')@3"
    result = fairtrec.evaluate(measures, **{**data, "runs": runs}, gold=gold)
    drawn = RESULTS("table", result, window=True)
    tables = [*takewhile(lambda line: not line.startswith(("↑", "↓", "→")), drawn.splitlines())]
    heads = [line for line in tables if line.startswith("  run")]
    assert max(map(len, tables)) <= max(window, 80)
    for head in heads:
        assert head.split("queries")[1].split()[0] != "corrected"  # by itself, as if it were of nobody
    assert sum(head.count("corrected") for head in heads) == 4
