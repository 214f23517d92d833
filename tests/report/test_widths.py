"""Tables keep to the window: of 80, 100 and 140 columns, with 3 and 23 runs, and say what they leave out.

The files of tests/report/widths and tests/commands/NAME/widths hold what each command draws; of many runs the first rows
of each table stand there.
FAIRTREC_UPDATE=1 writes them anew: read the difference.
"""

import os
import re
from pathlib import Path

import pytest

import fairtrec
from fairtrec.report.run_names import shorten_names
from fairtrec.report.writers import RESULTS
from fairtrec_made import EXAMPLE, REPOSITORY
from fairtrec_made.command_trials import EXAMPLE_QRELS as QRELS
from fairtrec_made.command_trials import WORDS, find_tests, gather_trials
from fairtrec_made.widths import FEW, MANY, WIDTHS, draw_table, find_tables, write_runs

ROWS = 3  # of each table of many runs that stand in a file
LINES = 16  # of what is no table
TABLES = gather_trials("TABLES", {"eval": lambda _, result: (RESULTS, result)})
LINE_WRITERS = gather_trials("LINES")


@pytest.fixture(scope="module", params=[FEW, MANY])
def runs(request, tmp_path_factory):
    return write_runs(request.param, tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def result(runs):
    return fairtrec.evaluate("nDCG@10 P@5 NFaiRR@10 ARaB(mag=tf)@10 TExFAIR@10", runs, qrels=QRELS, **WORDS)


def few_rows(text):
    """Leave out rows of long tables."""
    lines, since = [], None
    for line in text.splitlines():
        since = 0 if "───" in line else None if not line or since is None else since + 1
        if since is None or since <= ROWS:
            lines.append(line.rstrip())
        elif since == ROWS + 1:
            lines.append("  ...")
    return "\n".join(lines)


@pytest.mark.long
@pytest.mark.parametrize("name", TABLES)
def test_tables_keep_to_the_window(name, runs, result, monkeypatch):
    kind, answer = TABLES[name](runs, result)
    text = ""
    for width in WIDTHS:
        printed = draw_table(kind, answer, monkeypatch, width)
        assert find_tables(printed)
        for lines in find_tables(printed):
            assert max(map(len, lines)) <= width
        text += f"=== {width} columns\n{few_rows(tables_alone(printed))}\n"
    golden("TABLES", name, len(runs), text)


def golden(kind, name, many, text):
    """Compare with a file, or write it."""
    folder = find_tests(kind, name) or REPOSITORY / "tests" / "report"
    place = folder / "widths" / f"{name}-{many}.txt"
    if os.environ.get("FAIRTREC_UPDATE"):
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, "utf-8")
    assert text == place.read_text("utf-8")


@pytest.mark.parametrize("name", LINE_WRITERS)
def test_lines_are_broken_between_words_where_the_window_ends(name, runs, monkeypatch):
    kind, answer, beside = LINE_WRITERS[name]({Path(file).stem: file for file in runs})
    text = ""
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        printed = kind("text", answer, window=True, **beside)
        lines = [line for line in printed.splitlines() if not line.startswith("# ")]
        assert max(map(len, lines)) <= width
        shown = "\n".join([*lines[:LINES], "..."] if len(lines) > LINES else lines)
        text += f"=== {width} columns\n{shown}\n"
    words = kind("text", answer, **beside).split()
    assert {word for word in printed.split() if "…" not in word} <= {*words}  # and nothing else, and
    assert words[-12:] == printed.split()[-12:]
    golden("LINES", name, len(runs), text)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("words", gather_trials("LOOKED_UP"))
def test_what_is_looked_up_keeps_to_the_window(words, width, fairtrec_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = fairtrec_command(*words.split()).out.splitlines()
    whole = ("://", str(REPOSITORY))  # addresses and paths are never cut
    assert [line for line in lines if len(line) > width and not any(each in line for each in whole)] == []


def tables_alone(text):
    """Leave out what stands behind the last table, but for what has no room in it."""
    last = text.rindex("───")
    end = text.index("\n\n", last) if "\n\n" in text[last:] else len(text)
    left = re.search(r"^columns that do not fit the window: .*$", text, re.MULTILINE)
    return text[:end] + (f"\n\n{left[0]}" if left else "")


def test_a_dumb_terminal_has_a_width_too(monkeypatch, fairtrec_command):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "60")
    done = fairtrec_command("eval", QRELS, EXAMPLE / "bm25.run", "-m", "nDCG@10 nDCG@5 P@5 P@10 RR P@3", "-f", "table")
    assert max(len(line) for lines in find_tables(done.out) for line in lines) <= 60


def test_long_names_are_told_apart():
    names = [f"{'x' * 70}{sign}{'x' * 70}" for sign in "123"] + ["short"]
    short = shorten_names(names, 24)
    assert len({*short}) == 4
    assert all(len(name) <= 24 for name in short)
    assert short[3] == "short"
