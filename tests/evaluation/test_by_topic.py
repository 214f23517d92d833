"""eval --spread: best, median and worst of each query, against numpy, and what each participant is handed."""

import json
from math import isnan

import numpy as np
import pytest

import fairtrec
from fairtrec.commands.eval.topic_tables import OfOneRun, tables
from fairtrec.evaluation.leaderboard import spread

DOCS = [f"d{at}" for at in range(6)]


@pytest.fixture(scope="module")
def result():
    """Five runs of eight queries, of which one run lacks two."""
    random = np.random.default_rng(11)
    qrels = {f"q{at}": {doc: int(random.integers(0, 3)) for doc in DOCS} for at in range(8)}
    runs = {
        f"r{run}": {qid: dict(zip(DOCS, random.random(6).tolist(), strict=True)) for qid in qrels} for run in range(5)
    }
    del runs["r3"]["q1"], runs["r3"]["q5"]
    labels = {doc: "fm"[at % 2] for at, doc in enumerate(DOCS)}
    return fairtrec.evaluate("nDCG@3 KL@3 ABR@3 NumRet", runs, qrels=qrels, labels=labels)


def test_the_three_are_those_of_numpy(result):
    found = spread(result)
    for row, measure in enumerate(found.measures):
        for at, qid in enumerate(found.qids):
            values = [scores.values[row, scores.qids.index(qid)] for scores in result.scores if qid in scores.qids]
            values = np.array(
                [abs(value) if measure.better == "nearer 0" else value for value in values if not isnan(value)]
            )
            most, least = (np.max, np.min) if measure.better in ("higher", "neither") else (np.min, np.max)
            wanted = [most(values), np.median(values), least(values)] if len(values) else [np.nan] * 3
            np.testing.assert_array_equal(found.extremes[:, row, at], wanted)
            assert found.run_counts[row, at] == len(values)
    means = found.take(None, "")
    np.testing.assert_allclose(means, np.nanmean(found.extremes, axis=2))


def test_places_share_the_better(result):
    found = spread(result)
    column = found.qids.index("q0")
    values = found.values[:, 0, column]
    for run in range(5):
        better = sum(value > values[run] + 1e-9 for value in values)
        assert found.place(run, 0, column) == (better + 1, 5)
    assert found.place(3, 0, found.qids.index("q1")) is None
    assert found.place(0, 0, found.qids.index("q1"))[1] == 4


def test_slices_have_means_of_their_own(result):
    found = spread(result, {"two": ["q0", "q2"]}, summary_only=True)
    assert [name for name, _, _ in found.rows()] == ["all", "two"]
    wanted = np.nanmean(found.extremes[:, :, [found.qids.index("q0"), found.qids.index("q2")]], axis=2)
    np.testing.assert_allclose(found.take(None, "two"), wanted)
    with pytest.raises(fairtrec.UsageError, match="means all queries"):
        spread(result, {"all": ["q0"]})


def test_no_page_names_another_run(result):
    found = spread(result)
    for view in (found, OfOneRun(found, 2)):
        for form in ("html",):
            from fairtrec.commands.eval.topic_tables import html

            page = html(view, places=4)
            assert not [name for name in ("r0", "r1", "r3", "r4") if f">{name}<" in page or f" {name} " in page], form
    document = tables(OfOneRun(found, 2), places=4)
    heads = [column.head for column in document.tables[0].values]
    assert heads[:5] == ["nDCG@3 ↑: best", "median", "worst", "own", "place"]


def test_files_for_all_runs_are_written_to_a_folder(copied, fairtrec_command, tmp_path):
    asked = ("eval", "qrels.txt", "bm25.run", "neural.run", "fair.run", "-m", "nDCG@10 AP", "--spread")
    printed = fairtrec_command(*asked)
    assert printed.code == 0
    assert not [name for name in ("bm25", "neural", "fair.run") if name in printed.out]
    folder = tmp_path / "out"
    assert fairtrec_command(*asked, "-f", "tsv", "-o", f"{folder}/").code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["bm25.tsv", "fair.tsv", "neural.tsv", "spread.tsv"]
    head, *rows = [line.split("\t") for line in (folder / "neural.tsv").read_text().splitlines()]
    assert head == [
        "query",
        "runs",
        *(f"{m} {name}" for m in ("nDCG@10", "AP") for name in ("best", "median", "worst", "own", "place")),
    ]
    assert len(rows) == 13
    assert all(row[6].endswith(" of 3") for row in rows[:-1])
    again = fairtrec_command(*asked, "-f", "tsv", "-n", "-o", folder)
    assert (again.code, f"the folder {folder} is not empty; choose another, or add --force" in again.err) == (2, True)
    again = fairtrec_command(*asked, "-f", "tsv", "-n", "-o", folder, "--force")
    assert again.code == 0
    assert len((folder / "neural.tsv").read_text().splitlines()) == 2
    lines = [json.loads(line) for line in fairtrec_command(*asked, "-f", "jsonl").out.splitlines()]
    assert set(lines[0]) == {"qid", "measure", "best", "median", "worst", "runs"}
    assert lines[-1]["queries"] == 12


def test_a_broken_run_is_left_out_and_told(copied, fairtrec_command):
    (copied / "broken.run").write_text("101 Q0 p001 1 x t\n")
    asked = ("eval", "qrels.txt", "bm25.run", "broken.run", "fair.run", "-m", "AP", "--spread", "-f", "tsv")
    done = fairtrec_command(*asked, "--keep-going")
    assert (done.code, "broken.run:1" in done.err) == (3, True)
    assert done.out.splitlines()[1].split("\t")[1] == "2"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--sort", "AP"), "leave out --sort"),
        (("--confidence", "0.9"), "leave out --confidence"),
        (("--bounds", "ties"), "leave out --bounds"),
        (("-q",), "leave out --per-query"),
        (("-f", "trec"), "--spread has no format trec"),
        (("-f", "html", "--title", "x"), "leave out --title"),
    ],
)
def test_what_has_no_place_beside_it_is_refused(copied, fairtrec_command, more, says):
    done = fairtrec_command("eval", "no-qrels.txt", "no.run", "-m", "AP", "--spread", *more)
    assert (done.code, says in done.err) == (2, True), done.err


def test_two_runs_of_one_name_are_refused_and_so_is_a_folder_without_spread(copied, fairtrec_command, tmp_path):
    asked = ("eval", "qrels.txt", "spread=bm25.run", "fair.run", "-m", "AP")
    done = fairtrec_command(*asked, "--spread", "-f", "tsv", "-o", f"{tmp_path / 'o'}/")
    assert (done.code, "two files would be called spread.tsv" in done.err) == (2, True)
    done = fairtrec_command(*asked, "-o", tmp_path)
    assert (done.code, "is a folder; choose a file with -o" in done.err) == (2, True)


def test_the_means_of_the_paper_s_ten_runs(ten, fairtrec_command):
    """Worked out by another program."""
    runs, qrels, given = ten
    done = fairtrec_command(
        "eval", qrels, *runs, "-m", "nDCG@10 AP", "--spread", "-n", "--queries", given["queries"], "-f", "tsv"
    )
    assert done.out.splitlines()[-1].split("\t") == [
        "all",
        "30",
        "0.7651",
        "0.6283",
        "0.4182",
        "0.5001",
        "0.4019",
        "0.3248",
    ]
