"""Columns without room in the window are named, and stand in a wider window and in a file."""

import re

import pytest

import fairtrec
from fairtrec.commands.compare import COMPARISONS
from fairtrec_made import unwrapped
from fairtrec_made.command_trials import EXAMPLE_QRELS, WORDS
from fairtrec_made.widths import FEW, MANY, draw_table, find_tables, write_runs


@pytest.fixture(scope="module", params=[FEW, MANY])
def runs(request, tmp_path_factory):
    return write_runs(request.param, tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def result(runs):
    return fairtrec.evaluate("nDCG@10 P@5 NFaiRR@10 ARaB(mag=tf)@10 TExFAIR@10", runs, qrels=EXAMPLE_QRELS, **WORDS)


def heads(text):
    """The heads of the columns of all tables."""
    return {head for lines in find_tables(text) for head in re.split(r"  +", lines[0].strip())}


def test_what_has_no_room_is_named_and_stands_in_a_wider_window(runs, result, monkeypatch):
    compared = fairtrec.compare(result, result.scores[0].run)
    narrow, wide = (draw_table(COMPARISONS, compared, monkeypatch, width) for width in (80, 400))
    pattern = r"^columns that do not fit the window: (.*); -f tsv has all columns$"
    left = re.search(pattern, unwrapped(narrow), re.MULTILINE)
    assert heads(wide) - heads(narrow) == {*left[1].split(", ")}
    assert {"verdict", "difference"} <= heads(narrow)
    assert "columns that do not fit" not in wide


def test_a_file_has_every_column(result, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    compared = fairtrec.compare(result, result.scores[0].run)
    compared.write(tmp_path / "report", "table")
    assert "cliff" in (tmp_path / "report").read_text("utf-8")
    assert "columns that do not fit" not in (tmp_path / "report").read_text("utf-8").partition("\n↑")[0]
