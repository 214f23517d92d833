"""CRBO of a run and a counterfactual run is what `correlate --rankings` prints of the two, on real runs."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairtrec.cli import command
from fairtrec_made import EXAMPLE, REPOSITORY

SHARED = Path(os.environ.get("FAIRTREC_SHARED", REPOSITORY.parent / "shared"))
REAL = SHARED / "data" / "cpjku" / "runs" / "msmarco_passage"


def printed(*arguments):
    done = CliRunner().invoke(command, [*map(str, arguments)])
    assert done.exception is None, done.exception
    return [line for line in done.stdout.splitlines() if line.strip()]


@pytest.mark.parametrize("pair", [(EXAMPLE / "bm25.run", EXAMPLE / "neural.run"),
                                  (REAL / "BM25.run", REAL / "bert_L2.run"), (REAL / "tk.run", REAL / "RM3.run")],
                         ids=["example", "BM25", "RM3"])  # fmt: skip
def test_it_is_what_rbo_prints(pair):
    """Of every query, and in the mean."""
    if not pair[0].exists():
        pytest.skip("needs the runs of ../shared/data; set FAIRTREC_SHARED to where it is")
    run, other = pair
    ours = printed("eval", "none", run, "--counterfactual", other, "-m", "CRBO@10", "-q", "--places", 12)
    found = {line.split()[1]: line.split()[2] for line in ours if line.startswith("CRBO@10")}
    theirs = [
        line.split() for line in printed("correlate", "--rankings", run, other, "--depth", 10, "-q", "--places", 12)
    ]
    wanted = {cells[-2]: cells[-1] for cells in theirs if len(cells) == 4 and cells[-1][0].isdigit()}
    assert found == wanted
    assert len(found) > 10
