"""Runs with names of very different lengths, and the tables of reports about them in a window of any width."""

import random
import re

from fairtrec_made import EXAMPLE

WIDTHS = 80, 100, 140
FEW, MANY = 3, 23


def name_run(number):
    """Names of very different lengths, some of which differ in their middle alone."""
    return (f"r{number}", f"monobert-large-{number}-reranked", f"{'a-system-' * 6}{number}{'-of-the-track' * 5}")[
        number % 3
    ]


def write_runs(many, folder):
    """Copy the bundled runs so many times, with documents in another order, the more the higher the number."""
    drawn = random.Random(3)
    for number in range(many):
        source = (EXAMPLE / ("bm25.run", "neural.run", "fair.run")[number % 3]).read_text().splitlines()
        lines = []
        for place, line in enumerate(source):
            qid, q0, docno, rank, _, tag = line.split()
            lines.append(f"{qid} {q0} {docno} {rank} {-place - drawn.randrange(1 + number // 3)} {tag}\n")
        (folder / f"{name_run(number)}.run").write_text("".join(lines))
    return [str(folder / f"{name_run(number)}.run") for number in range(many)]


def draw_table(kind, answer, monkeypatch, width):
    """Draw the table of an answer in a window of so many columns."""
    from fairtrec.report.note_selection import MOST

    monkeypatch.setenv("COLUMNS", str(width))
    return kind("table", answer, places=4, terminal=False, window=True, most=MOST)


def find_tables(text):
    """The lines of the tables: those around a rule, to the next empty line."""
    return [part.split("\n") for part in re.split(r"\n\n", text) if "───" in part]
