"""compare with several baselines, and with all: against scipy and statsmodels; one table of letters; and laws."""

import json
import shlex
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import fairtrec
from fairtrec.commands.compare.paper import letters
from fairtrec.support.errors import UsageError
from fairtrec_made import EXAMPLE, texts, unwrapped
from fairtrec_made.command_trials import gather_trials

QRELS = EXAMPLE / "qrels.txt"
RUNS = [EXAMPLE / f"{name}.run" for name in ("bm25", "neural", "fair")]
METHODS = {"holm": "holm", "bh": "fdr_bh", "bonferroni": "bonferroni"}


@pytest.fixture(scope="module")
def made():
    """Six runs of twenty queries, of which two runs lack one each."""
    random = np.random.default_rng(5)
    docs = [f"d{at}" for at in range(8)]
    qrels = {f"q{at:02}": {doc: int(random.integers(0, 3)) for doc in docs} for at in range(20)}
    runs = {
        f"r{run}": {qid: dict(zip(docs, random.random(8).tolist(), strict=True)) for qid in qrels} for run in range(6)
    }
    del runs["r1"]["q03"], runs["r4"]["q11"]
    return fairtrec.evaluate("nDCG@5 P@3 RR", runs, qrels=qrels)


@pytest.mark.parametrize("correction", METHODS)
def test_all_pairs_are_those_of_scipy_and_statsmodels(made, correction):
    view = fairtrec.compare(made, "all", correction=correction)
    assert len(view.rows) == 15 * 3
    of = {
        scores.run: {
            m: dict(zip(scores.qids, row, strict=True)) for m, row in zip(scores.measures, scores.values, strict=True)
        }
        for scores in made.scores
    }
    expected = []
    for row in view.rows:
        (measure,) = [each for each in made.scores[0].measures if str(each) == row.measure]
        mine, theirs = of[row.run][measure], of[row.against][measure]
        shared = sorted(mine.keys() & theirs.keys())
        one, other = ([values[qid] for qid in shared] for values in (mine, theirs))
        expected.append(stats.ttest_rel(one, other).pvalue)
        assert row.difference == pytest.approx(np.mean(one) - np.mean(other), abs=1e-12)
        assert row.queries == len(shared)
    assert [row.p for row in view.rows] == pytest.approx(expected, abs=1e-9)
    assert [row.p_corrected for row in view.rows] == pytest.approx(
        multipletests(expected, method=METHODS[correction])[1], abs=1e-9
    )
    assert {(row.run, row.against) for row in view.rows} == {
        (b, a) for a, b in combinations([s.run for s in made.scores], 2)
    }
    assert view.family.endswith("over 45 comparisons: 15 pairs of 6 runs x 3 measures")
    assert view.signature["baseline"] == "all"
    assert "the runs have different queries; only queries that both runs have are compared" in texts(view.notes)


def test_two_baselines_are_these_and_no_pair_stands_twice(made):
    view = fairtrec.compare(made, ["r2", "r0"], slices={"few": ["q00", "q01", "q02", "q04"]})
    pairs = [(row.run, row.against) for row in view.rows if row.measure == "P@3" and row.slice == "all"]
    assert pairs == [
        *((run, "r2") for run in ("r0", "r1", "r3", "r4", "r5")),
        *((run, "r0") for run in ("r1", "r3", "r4", "r5")),
    ]
    assert "9 pairs of 6 runs x 3 measures x 2 slices" in view.family
    assert view.signature["baseline"] == "r2,r0"
    alone = fairtrec.compare(made, "r2", correction="none")
    both = fairtrec.compare(made, ["r2", "r0"], correction="none")
    of_first = [row for row in both.rows if row.against == "r2"]
    assert [(row.run, row.measure, row.p, row.low, row.cliff) for row in of_first] == [
        (row.run, row.measure, row.p, row.low, row.cliff) for row in alone.rows
    ]


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"test": "randomization", "resamples": 200},
        {"correction": "tukey", "resamples": 200},
        {"interval": "bca", "resamples": 200},
    ],
)
def test_a_pair_the_other_way_round_has_the_other_sign(made, how):
    names = [scores.run for scores in made.scores]
    there = {(row.run, row.against, row.measure): row for row in fairtrec.compare(made, names, **how).rows}
    back = {(row.run, row.against, row.measure): row for row in fairtrec.compare(made, names[::-1], **how).rows}
    for (run, against, measure), row in there.items():
        other = back[against, run, measure]
        assert other.difference == pytest.approx(-row.difference, abs=1e-12)
        assert (other.p, other.p_corrected) == pytest.approx(
            (row.p, row.p_corrected), abs=0.02 if how.get("test") else 1e-9
        )
        assert (other.wins, other.losses) == (row.losses, row.wins)


def test_tukey_is_one_family_whatever_the_baselines(made):
    how = {"correction": "tukey", "resamples": 300}
    one = {(row.run, row.measure): row.p_corrected for row in fairtrec.compare(made, "r0", **how).rows}
    every = fairtrec.compare(made, "all", **how)
    assert {(row.run, row.measure): row.p_corrected for row in every.rows if row.against == "r0"} == one
    assert every.family.startswith("randomized Tukey HSD over all pairs of 6 runs, for each measure")


def test_all_of_two_runs_is_the_table_against_the_first(copied, fairtrec_command):
    asked = ("compare", "qrels.txt", "bm25.run", "fair.run", "-m", "nDCG@10")
    one, every = fairtrec_command(*asked), fairtrec_command(*asked, "--baseline", "all")
    same = unwrapped(every.out).replace("baseline:all", "baseline:bm25.run").replace("1 pairs of 2 runs", "1 run")
    assert same == unwrapped(one.out)


def test_letters_go_on_behind_z():
    assert letters(54)[24:28] == ["y", "z", "aa", "ab"]
    assert letters(54)[-1] == "bb"
    assert len(set(letters(702))) == 702


PAPER = """| a BM25 | 0.5338 |
| b RM3 | 0.5558 |
| c advbert\\_L2 | 0.6455 |
| d advbert\\_L4 | 0.6363 |
| e bert\\_L2 | **0.6835**ᵍʰ |
| f bert\\_L4 | 0.6722ᵍʰ |
| g conv\\_knrm | 0.5953 |
| h knrm | 0.5520 |
| i match\\_pyramid | 0.5779 |
| j tk | 0.6811ʰ |
"""


def test_the_letters_of_the_paper_s_ten_runs(ten, fairtrec_command):
    """Worked out by scipy and statsmodels."""
    runs, qrels, given = ten
    ordered = sorted(runs, key=lambda path: (path.stem not in ("BM25", "RM3"), path.stem))
    asked = ("compare", qrels, *ordered, "--queries", given["queries"])
    done = fairtrec_command(*asked, "-m", "nDCG@10", "--baseline", "all", "--paper", "-f", "md")
    assert PAPER in done.out
    assert "45 pairs of 10 runs x 1 measure" in done.out
    shown = {}
    for correction in ("holm", "bh"):
        rows = json.loads(
            fairtrec_command(
                *asked, "-m", "nDCG@10 AP P@10", "--baseline", "all", "--correction", correction, "-f", "json"
            ).out
        )["rows"]
        shown[correction] = sum(row["verdict"] in ("better", "worse") for row in rows), len(rows)
        assert {Path(row["against"]).stem for row in rows} == {path.stem for path in ordered[:-1]}
    assert shown == {"holm": (1, 135), "bh": (37, 135)}
    counts = []
    for baselines in (["BM25"], ["BM25", "RM3"]):
        several = [word for name in baselines for word in ("--baseline", name)]
        found = json.loads(fairtrec_command(*asked, "-m", "nDCG@10", *several, "-f", "json").out)
        counts.append(
            (
                len(found["rows"]),
                sum(row["verdict"] == "better" for row in found["rows"] if Path(row["against"]).stem == "BM25"),
            )
        )
    assert counts[0] == (9, 4)
    assert counts[1][0] == 17
    every = json.loads(fairtrec_command(*asked, "-m", "nDCG@10", "--baseline", "all", "-f", "json").out)["rows"]
    assert not [row for row in every if Path(row["against"]).stem == "BM25" and row["verdict"] == "better"]


def test_several_baselines_have_daggers(copied, fairtrec_command):
    asked = (
        "compare",
        "qrels.txt",
        "fair.run",
        "bm25.run",
        "neural.run",
        "-m",
        "NDKL@10",
        "--labels",
        "labels.tsv",
        "--missing",
        "neutral",
    )
    done = fairtrec_command(
        *asked,
        "--baseline",
        "bm25",
        "--baseline",
        "neural.run",
        "--paper",
        "-f",
        "md",
        "--correction",
        "none",
        "--confidence",
        "0.5",
    )
    assert "† significantly better than bm25, ‡ than neural.\n" in done.out
    assert "†‡" in done.out
    flat = json.loads(fairtrec_command(*asked, "--baseline", "all", "-f", "flat").out)
    assert {"neural_bm25_NDKL@10_p", "neural_fair_NDKL@10_p", "bm25_fair_NDKL@10_p"} <= {*flat} or len(flat) > 20


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("--baseline", "all", "--baseline", "bm25"), "--baseline all is every run in turn; leave out the other"),
        (("--baseline", "bm25", "--baseline", "bm25.run"), "bm25.run appears twice as a baseline; pass it once"),
        (("--baseline", "nix", "--baseline", "bm25"), "there is no"),
    ],
)
def test_what_does_not_fit_is_refused(copied, fairtrec_command, asked, says):
    done = fairtrec_command("compare", "qrels.txt", "bm25.run", "fair.run", "-m", "RR", *asked)
    assert (done.code in (2, 3), says in done.err) == (True, True), done.err


def test_other_commands_keep_one_baseline(copied, fairtrec_command):
    for line in gather_trials("ONE_BASELINE"):
        command, *more = shlex.split(line)
        done = fairtrec_command(
            command, "qrels.txt", "bm25.run", "fair.run", *more, "--baseline", "bm25.run", "--baseline", "fair.run"
        )
        assert (done.code, "--baseline is given twice" in done.err) == (2, True)


def test_an_empty_list_of_baselines_is_refused(made):
    with pytest.raises(UsageError, match="no baseline; pass one"):
        fairtrec.compare(made, [])


def test_a_narrow_window_has_one_sign_a_cell(copied, fairtrec_command, monkeypatch):
    asked = (
        "compare",
        "qrels.txt",
        "bm25.run",
        "neural.run",
        "fair.run",
        "-m",
        "NDKL@10",
        "--labels",
        "labels.tsv",
        "--missing",
        "neutral",
    )
    monkeypatch.setenv("COLUMNS", "38")
    narrow = fairtrec_command(
        *asked, "--baseline", "all", "--correction", "none", "--confidence", "0.9"
    ).out.splitlines()
    rows = [line.split() for line in narrow if line.startswith(("  a ", " a ", " b ", " c "))]
    assert all(set(row[2:]) <= {"+", "-", "."} for row in rows)
    assert len(rows) == 3
