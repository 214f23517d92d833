"""The page for those who come from another program: each block runs, and holds our number to theirs.

The blocks of docs/ir-measures.md run in tests/ir_measures and tests/test_pyterrier.py.
"""

import importlib
import math
import re
from itertools import combinations
from random import Random

import ir_measures
import pytest

import fairtrec
from fairtrec_made import REPOSITORY, pages

PAGE = (REPOSITORY / "docs" / "coming-from.md").read_text("utf-8")
BRIDGES = (REPOSITORY / "docs" / "ir-measures.md").read_text("utf-8")
FIRST, *OTHERS = pages.programs(PAGE)
OF = {re.search(r"^(?:import|from) (?!math|numpy|pandas)(\w+)", block, re.MULTILINE)[1]: block for block in OTHERS}


def test_the_values_in_the_table_are_those_of_the_ranking():
    names = {}
    pages.run_program(FIRST, names, "coming-from.md")
    shown = {name: f"{value:.4f}".lstrip("0").removesuffix(".0000") for name, value in names["ours"].items()}
    for name, value in shown.items():
        (row,) = [line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line][:1]
        assert value in row, (name, value)


DOCUMENTS = [*"abcde", *"vwxyz"]
LABELS = {docno: "f" if docno < "m" else "m" for docno in DOCUMENTS}


def compare_exposure(rankings):
    """Give the mean of DP and the pooled DP of rankings."""
    run = {f"{qid}": {docno: -rank for rank, docno in enumerate(docnos)} for qid, docnos in enumerate(rankings)}
    (scores,) = fairtrec.evaluate("DP", run, labels=LABELS, pool="even").scores
    return scores.means.item(), scores.columns["pooled"].value(scores.measures[0])


def test_dp_of_a_fair_lottery_is_what_the_page_says():
    orders = []
    for ranks in combinations(range(10), 5):
        first, second = iter(DOCUMENTS[:5]), iter(DOCUMENTS[5:])
        orders.append([next(first if rank in ranks else second) for rank in range(10)])
    mean, pooled = compare_exposure(orders)
    (section,) = re.findall("### The four-fifths rule\n(.*?)\n#", PAGE, re.DOTALL)
    section = " ".join(section.split())
    assert f"all {len(orders)} ways to rank five documents of each of two groups, the mean is {mean:.4f}." in section
    assert f"same {len(orders)} rankings it is {pooled:.4f}." in section
    assert mean < 0.8 < 0.99 < pooled


def test_dp_of_a_thousand_queries_in_random_order():
    random = Random(0)
    mean, pooled = compare_exposure([random.sample(DOCUMENTS, 10) for _ in range(1000)])
    assert 0.75 < mean < 0.79
    assert 0.97 < pooled <= 1


def test_no_page_says_that_exposure_tests_the_four_fifths_rule():
    places = [*(REPOSITORY / "docs").rglob("*.md"), REPOSITORY / "README.md", *(REPOSITORY / "fairtrec").rglob("*.py")]
    found = 0
    for path in places:
        text = " ".join(path.read_text("utf-8").split()).lower()
        for said in re.finditer("four.fifths|80.?%.rule|dp >= 0.8", text):
            found += 1
            about = text[max(said.start() - 250, 0) : said.end() + 250]
            assert re.search("does not test|do not test|impact", about), f"{path}: {about}"
    assert found


def test_each_package_has_a_block():
    assert all(f"\n## {name}\n" in BRIDGES for name in ("ir_measures", "PyTerrier"))
    assert "](ir-measures.md)" in PAGE
    assert {*OF} == {"ir_measures", "pytrec_eval", "ranx", "fairlearn", "aif360", "FairRankTune", "lenskit"}
    assert all("assert " in block for block in OTHERS)


def find_option(reason):
    """Find the last cell of the row of a reason."""
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| {reason} |")]
    return row.rsplit(" | ", 1)[1]


TIED, JUDGED = {"1": {"b": 3.0, "a": 3.0, "1": 2.5, "c": 2.0}}, {"1": {"a": 3, "b": 0, "c": 2}, "2": {"a": 1}}


def evaluate_tied(measure, run=TIED, **choices):
    (value,) = fairtrec.evaluate(measure, run, qrels=JUDGED, **choices).means["run"].values()
    return value


def test_the_block_about_differences_is_so():
    names = {}
    for block in (FIRST, OF["ir_measures"]):
        pages.run_program(block, names, "coming-from.md")


def test_each_option_gives_the_number_of_the_other_program():
    own = {"1": {"b": 3.0, "a": 3.0, "c": 2.0}}  # what BEIR evaluates, which drops documents in this way
    assert "`--only others`" in find_option("A document has the id of its query")
    assert evaluate_tied("nDCG@3", only="others") == evaluate_tied("nDCG@3", own) != evaluate_tied("nDCG@3")
    assert "`--order file`" in find_option("Tied scores")
    first = {"1": {"a": 3.0, "b": 3.0}}
    assert (evaluate_tied("RR", first, order="file"), evaluate_tied("RR", first)) == (1, 1 / 2)
    gains = "nDCG(gains={1:1,2:1,3:1})"
    assert gains in find_option("Gains of nDCG")
    # a and c at ranks 1 and 3 of "a 1 c", each of gain 1: (1 + 1 / 2) / (1 + 1 / log2(3))
    assert math.isclose(evaluate_tied(f"{gains}@10", {"1": {"a": 3, "1": 2, "c": 1}}), 1.5 / (1 + 1 / math.log2(3)))
    assert "`-m RR@10`" in find_option("MRR and its cutoff")
    late = {"1": {f"d{rank}": -rank for rank in range(10)} | {"a": -11}}
    assert (evaluate_tied("RR@10", late), evaluate_tied("RR", late)) == (0, 1 / 11)


def test_the_numbers_of_a_run_that_lacks_judged_queries(shared):
    """By ir_measures itself; ranx 0.3.21 with make_comparable=True gave .4768930 for the same files."""
    run = shared / "data" / "cpjku" / "runs" / "trecdl2019_passage" / "bert_L2.run"
    qrels = shared / "data" / "qrels" / "qrels.dl19-passage.txt"
    (theirs,) = ir_measures.calc_aggregate(
        [ir_measures.nDCG @ 10], ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
    ).values()
    here, complete = (
        next(iter(fairtrec.evaluate("nDCG@10", run, qrels=qrels, complete=complete).means.values()))["nDCG@10"]
        for complete in (False, True)
    )
    assert (f"{here:.4f}", f"{complete:.4f}", f"{theirs:.4f}") == ("0.6835", "0.4769", "0.4769")
    assert ".4769" in PAGE
    assert ".6835" in PAGE


@pytest.mark.ecosystem
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package", OF)
def test_their_call_and_ours_give_the_same_number(package):
    try:
        importlib.import_module(package)
    except ImportError as fault:
        pytest.skip(f"{package} is not installed: {fault}")
    names = {}
    needed = [FIRST, *(["import numpy as np\nimport pandas as pd\n"] if package != "pytrec_eval" else [])]
    needed += [OF["fairlearn"].partition("frame =")[0].partition("\n\n")[2]] if package == "aif360" else []
    for block in [*needed, OF[package]]:
        pages.run_program(block, names, "coming-from.md")
