"""The table of inputs: it names what there is, and a new kind of input is one file and a few lines."""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from textwrap import dedent

import pytest

import fairtrec
from fairtrec.data.parameters import list_required_inputs
from fairtrec.evaluation.given.source import SOURCE_NAMES, SourceKeywords, Sources
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.needs import EXTRAS, NEEDS, OF_EXTRAS
from fairtrec_made import REPOSITORY
from fairtrec_made.one_process import printed

TRACK = {"sequences", "authors"}  # computed beside the other inputs
NOT_ASKED_FOR = {"lines", "judged_lines", "takes_part", "known"}  # parts of inputs


def test_the_table_names_what_is_computed():
    computed = {
        name
        for name, value in vars(Inputs).items()
        if isinstance(value, property | cached_property) and not name.startswith("_")
    }
    handed_on = {"counts", "queries"}  # set when inputs are made
    assert (computed | handed_on) - NOT_ASKED_FOR == NEEDS.keys() - OF_EXTRAS - TRACK
    assert {"positions", "background_positions", "counterfactual"} == OF_EXTRAS


def test_whatever_our_measures_ask_for_stands_in_it():
    kinds = [registry.find(name) for name in BUILT_IN]
    asked = {need for kind in kinds for need in (*kind().needs, *list_required_inputs(kind.note)) if need != "values"}
    assert asked <= NEEDS.keys()


def test_what_can_be_made_follows_from_what_is_given():
    always = {"lengths", "queries", "sample_of", "docnos", "collection_size"}
    grouped = {"ranked", "counts", "tokens", "groups", "order", "target", "membership"}
    assert Sources().inputs == always
    assert Sources(qrels={}).inputs == always | {"relevance", "judged_relevance", "greatest_grade"}
    assert Sources(terms={}, docs={}).inputs == always | grouped | {"log_counts"}
    assert Sources(labels={}, qrels={}).inputs == (
        always
        | grouped
        | {"collection", "group_sizes", "relevance", "judged_relevance", "greatest_grade", "judged_membership"}
    )
    assert Sources(counts="t", background="collection", positions={}).inputs == (
        always | grouped | {"collection", "group_sizes", "background", "positions"}
    )
    assert Sources(positions={}, background={}).inputs == always | {"positions", "background_positions"}


def test_keywords_and_fields_are_the_same():
    of_evaluate = {"qrels", "gold"}  # alone, and not of a session
    assert {*of_evaluate, *SourceKeywords.__annotations__} == {*SOURCE_NAMES}
    assert EXTRAS.keys() < {*SOURCE_NAMES}
    with pytest.raises(TypeError):
        Sources("qrels.txt")  # one that is made by place could be another


PRICES = '''
    """Prices of documents, which may be given beside the runs."""

    import numpy as np

    from fairtrec.data import MISSING
    from fairtrec.support.files import opening


    def read(thing):
        """Read ``docno<TAB>price`` lines, or take ``{docno: price}``."""
        if isinstance(thing, dict):
            return {docno.encode(): price for docno, price in thing.items()}
        return {docno: float(price) for docno, price in (line.split(b"\\t") for _, line in opening.lines(thing))}


    def prices(inputs):
        """Look up what the ranked documents cost [query, rank]; nan where nobody knows."""
        lines = inputs.run.top(inputs.qids, inputs.depth)
        table = inputs.context.extras["prices"]
        known = [[np.nan if at == MISSING else table.get(inputs.run.docnos[at], np.nan) for at in row] for row in lines]
        return np.array(known).reshape(lines.shape)
    '''

ADDED = {  # to which files, behind which lines, what is added
    "measures/catalogue/needs.py": [
        (
            "EXTRAS = {",
            '    "prices": Extra("prices", "FILE", "What documents cost.", "prices"),',
        ),
        (
            "_ROWS = (",
            '    Need("prices", "Floats [query, rank]", "what documents cost", made_of="prices", of="ranks",',
        ),
        ("", '         missing="prices", give="--prices FILE"),'),
    ],
    "evaluation/given/source.py": [
        ("class SourceKeywords(TypedDict, total=False):", "    prices: FilePath | Mapping[str, float] | None"),
        ("class Sources:", "    prices: FilePath | Mapping[str, float] | None = None"),
    ],
}

COST = '''
    """A measure that asks for the new input."""

    from dataclasses import dataclass

    import numpy as np

    from fairtrec.measure import Measure


    @dataclass(frozen=True)
    class Cost(Measure):
        """What does the top of a ranking cost?

        Unit: euros. Better: lower. Empty ranking: 0. Range: 0 or more. Undefined: never. Source: this test.
        """

        cutoff: int = 10
        better = "lower"

        def __call__(self, prices):
            return np.nansum(prices[:, : self.cutoff], axis=1)
    '''


def with_prices(folder):
    """Copy the package, add a kind of input to the copy, and a measure of a plug-in; give the number of lines added."""
    package = folder / "fairtrec"
    shutil.copytree(Path(fairtrec.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(Path(fairtrec.__file__).parent.parent / "resources", folder / "resources")
    (package / "evaluation" / "given" / "prices.py").write_text(dedent(PRICES))
    added = 0
    for name, changes in ADDED.items():
        lines = (package / name).read_text().splitlines()
        at = 0
        for behind, line in changes:
            at = lines.index(behind) + 1 if behind else at
            lines.insert(at, line)
            at, added = at + 1, added + 1
        (package / name).write_text("\n".join(lines) + "\n")
    metadata = folder / "cost-1.0.dist-info"
    metadata.mkdir()
    (folder / "cost.py").write_text(dedent(COST))
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: cost\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[fairtrec.measures]\nCost = cost:Cost\n")
    (metadata / "RECORD").write_text("")
    return added


def test_the_page_of_the_architecture_says_where():
    page = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
    ((lines, files),) = re.findall(r"^\| an input of measures \|[^|]+\| (\d+): (.*)\|$", page, re.MULTILINE)
    assert {f"fairtrec/{name}" for name in ADDED} == set(re.findall(r"`(fairtrec/[^`]+)`", files))
    assert int(lines) == sum(map(len, ADDED.values()))


def test_a_kind_of_input_is_one_file_and_at_most_ten_lines(tmp_path):
    assert with_prices(tmp_path) <= 10
    (tmp_path / "my.run").write_text("q Q0 d1 1 2 t\nq Q0 d2 2 1 t\n")
    (tmp_path / "prices.tsv").write_text("d1\t2.5\nd2\t4\n")

    (tmp_path / "strange.tsv").write_text("x1\t2.5\n")
    evaluation = ["eval", "none", "my.run", "-m", "Cost@1"]
    lines = {
        "eval": [*evaluation, "--prices", "prices.tsv", "-f", "json", "-q", "-o", "results.json"],
        "refused": evaluation,
        "replay": ["results", "replay", "results.json"],
        "help": ["compare", "--help"],
        "page": ["measures", "Cost"],
        "strange": [*evaluation, "--prices", "strange.tsv"],
    }
    found = printed(lines, tmp_path, tmp_path, COLUMNS="100")
    assert found["eval"][0] == 0, found["eval"]
    document = json.loads((tmp_path / "results.json").read_text())
    assert document["runs"][0]["per_query"] == {"q": {"Cost@1": 2.5}}
    assert "prices:prices.tsv" in document["signature"]
    assert document["inputs"]["prices"]["path"] == document["options"]["prices"] == "prices.tsv"
    assert found["refused"] == [2, "", "Cost@1 needs prices; add --prices FILE\n"]
    assert found["replay"][0] == 0
    assert "--prices FILE" in found["help"][1]
    assert "  prices: --prices FILE" in found["page"][1]
    assert found["strange"][0] == 3
    assert "the prices have none of its documents" in found["strange"][2]

    program = "import fairtrec; print(fairtrec.evaluate('Cost', {'q': {'d': 1.0}}, prices={'d': 3.0}).means)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "{'run': {'Cost@10': 3.0}}\n", done.stderr
