"""Measures of ours in PyTerrier's experiments, without Java; the values are those of ``fairtrec.evaluate``."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG

import fairtrec
import fairtrec.ir_measures as fair
from fairtrec.ir_measures import provider
from fairtrec.support.errors import InputError
from fairtrec.support.files import opening
from fairtrec_made import REPOSITORY, pages

PAGE = pages.section((REPOSITORY / "docs" / "ir-measures.md").read_text("utf-8"), "PyTerrier")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TEXTUAL = {"terms": "gender-en", "docs": "collection.tsv", "background": "background.run"}
NAMES = ["bm25", "neural", "fair"]
ecosystem = pytest.mark.ecosystem
pytestmark = [
    pytest.mark.usefixtures("at_the_example"),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),  # PyTerrier's own, of a pandas newer than it
    pytest.mark.filterwarnings("ignore:There are shared pipeline components"),
]


@pytest.fixture
def pt():
    """PyTerrier, which must not have started Java when the test is done."""
    import pyterrier

    yield pyterrier
    assert not pyterrier.java.started()


@pytest.fixture
def world(pt):
    """The example as PyTerrier has it: topics, judgments, and a system for each run."""
    topics = pd.read_csv("queries.tsv", sep="\t", names=["qid", "query"], dtype=str)
    systems = [pt.Transformer.from_df(pt.io.read_results(f"{name}.run")) for name in NAMES]
    return topics, pt.io.read_qrels("qrels.txt"), systems


def values_of(table, measure, name):
    """One system's values of queries in what an experiment gives."""
    rows = table[(table["measure"] == str(measure)) & (table["name"] == name)]
    return dict(zip(rows["qid"], rows["value"], strict=True))


def nearly(found, wanted):
    """Of other matrices numpy adds up the rows in other orders."""
    assert found == pytest.approx(wanted, rel=1e-14, abs=1e-15)


def exactly(found, wanted):
    assert found.keys() == wanted.keys()
    assert np.array([*found.values()]).tobytes() == np.array([wanted[qid] for qid in found]).tobytes()


@pytest.fixture
def ours():
    """What fairtrec makes of the same runs."""
    runs = {name: f"{name}.run" for name in NAMES}
    return fairtrec.evaluate(
        "NFaiRR@10 TE(group=f)@10 TED@10 AWRFxnDCG@10", runs, qrels="qrels.txt", undefined="0", **TEXTUAL
    )


@ecosystem
@pytest.mark.parametrize("how", [{}, {"batch_size": 5}, {"plan": "tree", "verbose": False}, {"batch_size": 1}], ids=str)
def test_values_of_queries_are_those_of_evaluate_to_the_last_bit(pt, world, ours, how):
    gender = fair.given("gender", **TEXTUAL, undefined=0.0)
    asked = [nDCG @ 10, gender.NFaiRR @ 10, gender.TE(group="f") @ 10, gender.TED @ 10, gender.AWRFxnDCG @ 10]
    topics, qrels, systems = world
    options = {"names": NAMES, "validate": "error"} | how
    means, queries = pt.Experiment(systems, topics, qrels, asked, perquery="both", **options)
    for row, name in enumerate(NAMES):
        for measure in asked[1:]:
            same = nearly if "batch_size" in how else exactly
            same(values_of(queries, measure, name), ours.per_query[name][str(measure.core)])
            assert means[str(measure)][row] == pytest.approx(ours.means[name][str(measure.core)], rel=1e-14)
    theirs = pt.Experiment(systems, topics, qrels, [nDCG @ 10], names=NAMES)
    assert means["nDCG@10"].tolist() == theirs["nDCG@10"].tolist()


@ecosystem
def test_systems_are_compared_with_a_baseline(pt, world, ours):
    from scipy import stats

    gender = fair.given("gender", **TEXTUAL)
    topics, qrels, systems = world
    table = pt.Experiment(
        systems, topics, qrels, [gender.NFaiRR @ 10, nDCG @ 10], names=NAMES, baseline=0, correction="holm"
    )
    of_queries = {name: np.array([*ours.per_query[name]["NFaiRR@10"].values()]) for name in NAMES}
    chances = [stats.ttest_rel(of_queries[name], of_queries["bm25"]).pvalue for name in NAMES[1:]]
    column = str(gender.NFaiRR @ 10)
    assert table[f"{column} p-value"][1:].tolist() == pytest.approx(chances)
    first, second = sorted(chances)
    assert sorted(table[f"{column} p-value corrected"][1:]) == pytest.approx([2 * first, max(2 * first, second)])
    assert table[f"{column} +"][1] == (of_queries["neural"] > of_queries["bm25"]).sum()


@ecosystem
def test_what_stands_beside_the_runs_is_read_once_in_an_experiment(pt, world, monkeypatch):
    times = Counter()
    real = opening.open_input
    monkeypatch.setattr(opening, "open_input", lambda path, *buffer: times.update([str(path)]) or real(path, *buffer))
    gender = fair.given("gender", **TEXTUAL)
    topics, qrels, systems = world
    pt.Experiment(systems, topics, qrels, [gender.NFaiRR @ 10, nDCG @ 10], batch_size=4)
    assert times["background.run"] == 1
    assert len(provider._kept) == 1


@ecosystem
def test_saved_results_have_the_same_values(pt, world, tmp_path):
    gender = fair.given("gender", **TEXTUAL)
    topics, qrels, systems = world
    asked = [nDCG @ 10, gender.NFaiRR @ 10]
    first = pt.Experiment(systems, topics, qrels, asked, names=NAMES, save_dir=str(tmp_path))
    saved = {path.name for path in tmp_path.iterdir()}
    assert {f"{name}.res.gz" for name in NAMES} <= saved
    nothing = [pt.Transformer.from_df(pd.DataFrame(columns=["qid", "docno", "score", "rank"]))] * 3
    again = pt.Experiment(
        nothing, topics, qrels, asked, names=NAMES, save_dir=str(tmp_path), save_mode="reuse", validate="ignore"
    )
    pd.testing.assert_frame_equal(again, first, check_exact=True)


@ecosystem
def test_a_grid_is_searched(pt, world):
    gender = fair.given("gender", **TEXTUAL)
    topics, qrels, (bm25, neural, _) = world
    weighted = bm25 * 1.0
    asked = [nDCG @ 10, gender.NFaiRR @ 10]
    weights = [0.0, 0.05, 1.0]
    grid = pt.GridScan(weighted + neural, {weighted[1]: {"scalar": weights}}, topics, qrels, asked)
    for row, weight in enumerate(weights):
        mixed = (bm25 * weight + neural)(topics)
        means = fairtrec.evaluate("nDCG@10 NFaiRR@10", mixed, qrels="qrels.txt", **TEXTUAL).means["run"]
        assert grid[str(gender.NFaiRR @ 10)][row] == pytest.approx(means["NFaiRR@10"], rel=1e-14)
    with pytest.raises(KeyError, match="nDCG@10"):  # which takes no object, theirs or ours: the page says so
        pt.GridSearch(weighted + neural, {weighted[1]: {"scalar": weights}}, topics, qrels, nDCG @ 10)


@ecosystem
def test_an_undefined_value_makes_the_mean_nan_and_a_warning_says_what_to_do(pt, world):
    gender = fair.given("gender", **TEXTUAL)
    topics, qrels, (_, neural, _) = world
    with pytest.warns(UserWarning, match=r"TED\(given='gender'\)@10 is undefined for 1 of 12 queries.*undefined=0.0"):
        assert np.isnan(pt.Experiment([neural], topics, qrels, [gender.TED @ 10])[str(gender.TED @ 10)][0])
    settled = gender.TED(undefined="worst") @ 10
    mean = pt.Experiment([neural], topics, qrels, [settled])[str(settled)][0]
    assert mean == pytest.approx(
        fairtrec.evaluate("TED@10", "neural.run", undefined="worst", **TEXTUAL).means["neural.run"]["TED@10"]
    )


@ecosystem
def test_a_query_of_which_a_system_finds_nothing_is_an_empty_ranking(pt, world):
    gender = fair.given("gender", **TEXTUAL)
    topics, qrels, (bm25, _, _) = world
    some = bm25(topics)
    some = some[~some["qid"].isin(["103", "107"])]
    ours = fairtrec.evaluate("NFaiRR@10", some, qrels="qrels.txt", complete=True, **TEXTUAL).per_query["run"][
        "NFaiRR@10"
    ]
    for size in (None, 4):
        table = pt.Experiment(
            [pt.Transformer.from_df(some)],
            topics,
            qrels,
            [gender.NFaiRR @ 10],
            names=["some"],
            batch_size=size,
            perquery=True,
        )
        (nearly if size else exactly)(values_of(table, gender.NFaiRR @ 10, "some"), ours)
    assert ours["103"] == 0


@ecosystem
def test_columns_of_the_results_are_validated_and_used(pt, world):
    topics, qrels, (_, neural, _) = world
    texts = dict(line.split("\t", 1) for line in Path("collection.tsv").read_text("utf-8").splitlines())
    measure = fair.TExFAIR(terms="gender-en", docs="run:text") @ 10
    fetched = neural >> pt.apply.text(lambda row: texts[row["docno"]])
    table = pt.Experiment([fetched], topics, qrels, [measure], names=["neural"], perquery=True, validate="error")
    ours = fairtrec.evaluate("TExFAIR@10", "neural.run", qrels="qrels.txt", terms="gender-en", docs="collection.tsv")
    exactly(values_of(table, measure, "neural"), ours.per_query["neural.run"]["TExFAIR@10"])
    with pytest.raises(ValueError, match=r"(?s)do not produce the required outputs.*'text'.*neural"):
        pt.Experiment([fetched, neural], topics, qrels, [measure], names=["fetched", "neural"], validate="error")
    with pytest.raises(InputError, match=r"the run has no column \w+ for the \w+; it has"):
        pt.Experiment([neural], topics, qrels, [measure], validate="ignore")


@ecosystem
def test_the_page_runs_as_it_stands(pt, example, tmp_path, monkeypatch):
    shutil.copytree(example, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")
    names = {}
    found = [pages.run_program(block, names, "ir-measures.md") for block in BLOCKS]
    printed = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert "".join(found) == "".join(printed)


def test_a_number_of_fairness_takes_two_lines_more():
    """Without these lines, and the measure in the list, the first block is what PyTerrier takes by itself."""
    more = [line for line in BLOCKS[0].splitlines() if "fair" in line and "pt.Experiment" not in line]
    assert more == [
        "import fairtrec.ir_measures as fair",
        'gender = fair.given("gender", terms="gender-en", docs="collection.tsv", background="background.run")',
    ]
    rest = [line for line in BLOCKS[0].splitlines() if line not in more]
    assert rest[-1].count("gender") == 1
    assert "[nDCG @ 10, gender.NFaiRR @ 10]" in rest[-1]
    assert not [line for line in rest[:-1] if "gender" in line or "fair" in line]


@pytest.fixture
def installed(tmp_path):
    """Run a program where the entry points of our pyproject.toml are those of an installed package."""
    points = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    folder = tmp_path / "fairtrec_bridge-0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: fairtrec-bridge\nVersion: 0\n")
    lines = [f"[{group}]\n{name} = {where}\n" for group, several in points.items() for name, where in several.items()]
    (folder / "entry_points.txt").write_text("".join(lines))
    path = os.pathsep.join([str(REPOSITORY), str(tmp_path)])

    def run(program):
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": path}
        )  # fmt: skip

    return run


@ecosystem
def test_pyterrier_finds_us_and_imports_nothing_before_it_is_used(installed):
    done = installed(
        "import sys, pyterrier as pt\n"
        "print([name for name in ('fairtrec.pyterrier', 'fairtrec.ir_measures', 'fairtrec.measure') if name in sys.modules])\n"
        "print(pt.fairness.AWRF @ 5, pt.fairness.parse('NFaiRR@3'), 'given' in dir(pt.fairness), pt.java.started())\n"
        "import ir_measures\n"
        "print(ir_measures.parse_measure('NDKL@7'))\n"
    )
    assert done.stdout.splitlines() == [
        "['fairtrec.pyterrier']",
        "AWRF@5 [NFaiRR@3] True False",
        "NDKL@7",
    ], done.stderr


@ecosystem
def test_pyterrier_comes_up_where_we_do_not(installed):
    done = installed(
        "import sys\n"
        "sys.modules['fairtrec.ir_measures'] = None\n"  # as where a dependency of ours is broken
        "import pyterrier as pt\n"
        "try:\n"
        "    pt.fairness.given\n"
        "except ImportError:\n"
        "    print('only then')\n"
    )
    assert done.stdout == "only then\n", done.stderr


def test_what_pyterrier_loads_gives_all_that_the_bridge_has():
    from fairtrec import pyterrier

    assert pyterrier.given is fair.given
    assert pyterrier.NFaiRR == fair.NFaiRR
    assert dir(pyterrier) == sorted(dir(fair))
    with pytest.raises(AttributeError):
        _ = pyterrier.__path__
    with pytest.raises(AttributeError):
        _ = pyterrier.NFair
