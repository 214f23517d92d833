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
from fairtrec.evaluation.given import (
    GIVEN,
    SOURCE_NAMES,
    SourceKeywords,
    find_input,
    load_reference,
    take_references,
)
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.needs import NEEDS, OF_RUN
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
    of_things = {need for need in NEEDS for name in GIVEN if load_reference(name).find_input(need) is not None}
    assert not (computed | handed_on) & of_things
    assert (computed | handed_on | of_things) - NOT_ASKED_FOR == NEEDS.keys() - TRACK


def test_whatever_our_measures_ask_for_stands_in_it():
    kinds = [registry.find(name) for name in BUILT_IN]
    asked = {need for kind in kinds for need in (*kind().needs, *list_required_inputs(kind.note)) if need != "values"}
    assert asked <= NEEDS.keys()


def test_what_can_be_made_follows_from_what_is_given():
    always = {"lengths", "is_filled", "queries", "sample_of", "docnos", "collection_size", "scores", "run_scores"}
    grouped = {"ranked", "counts", "tokens", "groups", "order", "target", "membership"}
    assert take_references().inputs == always
    assert take_references(qrels={}).inputs == always | {"relevance", "judged_relevance", "greatest_grade"}
    assert take_references(terms={}, docs={}).inputs == always | grouped | {"log_counts"}
    assert take_references(labels={}, qrels={}).inputs == (
        always
        | grouped
        | {"collection", "group_sizes", "relevance", "judged_relevance", "greatest_grade", "judged_membership"}
    )
    assert take_references(counts="t", background="collection", stances={}).inputs == (
        always | grouped | {"collection", "group_sizes", "background", "stances"}
    )
    assert take_references(stances={}, background={}).inputs == always | {"stances", "background_stances"}


def test_each_thing_given_is_a_keyword_and_has_a_file():
    of_evaluate = {"qrels", "gold", "cluster"}  # alone, and not of a session
    assert {*of_evaluate, *SourceKeywords.__annotations__} == {*SOURCE_NAMES}
    assert [load_reference(name).name for name in GIVEN] == [*GIVEN]
    assert {need for need in NEEDS if find_input(need) is None} == OF_RUN


PRICES = '''
    """Prices of documents."""

    import numpy as np

    from fairtrec.data import MISSING
    from fairtrec.evaluation.given.reference import Reference
    from fairtrec.support.files import opening


    class PriceReference(Reference):
        def read(self, opened):
            """Read ``docno<TAB>price`` lines, or take ``{docno: price}``."""
            thing = opened.given.things[self.name]
            if isinstance(thing, dict):
                return {docno.encode(): price for docno, price in thing.items()}
            return {docno: float(price) for docno, price in (line.split(b"\\t") for _, line in opening.lines(thing))}


    PRICES = PriceReference("prices")


    def prices(inputs):
        """Look up what the ranked documents cost [query, rank]; nan where nobody knows."""
        lines = inputs.run.top(inputs.qids, inputs.depth)
        table = inputs.context.opened["prices"]
        known = [[np.nan if at == MISSING else table.get(inputs.run.docnos[at], np.nan) for at in row] for row in lines]
        return np.array(known).reshape(lines.shape)
    '''

ADDED = {  # to which files, behind which lines, what is added
    "measures/catalogue/needs.py": [
        ("_ROWS = (", '    Need("prices", "Floats [query, rank]", "what documents cost", "ranks extras"),'),
    ],
    "evaluation/given/__init__.py": [
        (
            '    """What is given beside the runs, as keywords of ``evaluate``."""',
            (
                '    prices: Annotated[FilePath | Mapping[str, float] | None, Given("FILE", "What documents cost.", '
                'inputs=(Input("prices", "prices", "--prices FILE"),))]'
            ),
        ),
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

        Unit: euros. Better: lower. Empty ranking: 0. Range: 0 or more. Undefined: never. Reference: this test.
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
    ((lines, files),) = re.findall(r"^\| a thing given beside the runs \|[^|]+\| (\d+): (.*)\|$", page, re.MULTILINE)
    assert {f"fairtrec/{name}" for name in ADDED} == set(re.findall(r"`(fairtrec/[^`]+)`", files))
    assert int(lines) == sum(map(len, ADDED.values()))


@pytest.mark.long
def test_a_thing_given_is_one_file_and_at_most_two_lines(tmp_path):
    assert with_prices(tmp_path) <= 2
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
