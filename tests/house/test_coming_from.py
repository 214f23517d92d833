"""The page for those who come from another program: each block runs, and holds our number to theirs.

The blocks of docs/ir-measures.md run in tests/ir_measures and tests/test_pyterrier.py.
"""

import importlib
import re

import pytest

from fairtrec_made import REPOSITORY, pages

PAGE = (REPOSITORY / "docs" / "coming-from.md").read_text("utf-8")
BRIDGES = (REPOSITORY / "docs" / "ir-measures.md").read_text("utf-8")
FIRST, *OTHERS = pages.programs(PAGE)
OF = {re.search(r"^(?:import|from) (?!math|numpy|pandas)(\w+)", block, re.MULTILINE)[1]: block for block in OTHERS}


def test_the_values_in_the_table_are_those_of_the_ranking():
    names = {}
    exec(compile(FIRST, "coming-from.md", "exec"), names)
    shown = {name: f"{value:.4f}".lstrip("0").removesuffix(".0000") for name, value in names["ours"].items()}
    for name, value in shown.items():
        (row,) = [line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line][:1]
        assert value in row, (name, value)


def test_each_package_has_a_block():
    assert all(f"\n## {name}\n" in BRIDGES for name in ("ir_measures", "PyTerrier"))
    assert "](ir-measures.md)" in PAGE
    assert {*OF} == {"pytrec_eval", "ranx", "fairlearn", "aif360", "FairRankTune", "lenskit"}
    assert all("assert " in block for block in OTHERS)


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
        exec(compile(block, "coming-from.md", "exec"), names)
