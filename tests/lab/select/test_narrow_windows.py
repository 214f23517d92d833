"""Runs that are chosen have a line and a name of their own, however narrow the window is."""

import re
from pathlib import Path

import pytest

import fairtrec
from fairtrec.lab.select import SELECTIONS
from fairtrec_made.command_trials import EXAMPLE_QRELS, WORDS
from fairtrec_made.widths import FEW, MANY, WIDTHS, draw_table, find_tables, write_runs


@pytest.fixture(scope="module", params=[FEW, MANY])
def runs(request, tmp_path_factory):
    return write_runs(request.param, tmp_path_factory.mktemp("runs"))


@pytest.mark.parametrize("width", [60, *WIDTHS])
def test_each_run_that_is_chosen_has_a_line_and_a_name_of_its_own(runs, monkeypatch, width):
    answer = fairtrec.select(runs, qrels=EXAMPLE_QRELS, utility="nDCG@10", fairness="NFaiRR@10", **WORDS)
    printed = draw_table(SELECTIONS, answer, monkeypatch, width)
    head, _, *lines = [line for line in find_tables(printed)[0] if line.strip()]
    assert head.split()[:3] == ["beta", "chosen", "folds"]
    found = [cell for line in lines for cell in re.findall(r"(\S*[a-z…]\S*) +(\d)(?: |$)", line)]
    chosen = [(run, str(many)) for row in answer.rows for run, many in row.counts.items()]
    assert [many for _, many in found] == [many for _, many in chosen]
    assert sum(int(many) for _, many in found) == len(answer.rows) * len(answer.folds.names)
    short = {}
    for (name, _), (run, _) in zip(found, chosen, strict=True):
        assert short.setdefault(run, name) == name
        assert all(part in Path(run).stem for part in name.split("…"))
    assert len({*short.values()}) == len(short)
