"""Tables keep to the window: of 80, 100 and 140 columns, with 3 and 53 runs, and say what they leave out.

The files of tests/report/widths hold what each command draws; of many runs the first rows of each table stand there.
FAIRTREC_UPDATE=1 writes them anew: read the difference.
"""

import os
import random
import re

import pytest

import fairtrec
from fairtrec.report.folding import MOST
from fairtrec.report.terminal import _shortened
from fairtrec.report.writers import ABLATIONS, COMPARISONS, FRONTIERS, OVERLAPS, RESULTS, SELECTIONS
from fairtrec_made import EXAMPLE, REPOSITORY

WIDTHS = 80, 100, 140
FEW, MANY = 3, 53
ROWS = 3  # of each table of many runs that stand in a file
WORDS = {"terms": "gender-en", "docs": EXAMPLE / "collection.tsv", "background": EXAMPLE / "background.run"}
QRELS = EXAMPLE / "qrels.txt"


def called(number):
    """Names of very different lengths, some of which differ in their middle alone."""
    return (f"r{number}", f"monobert-large-{number}-reranked", f"{'a-system-' * 6}{number}{'-of-the-track' * 5}")[
        number % 3
    ]


@pytest.fixture(scope="module", params=[FEW, MANY])
def runs(request, tmp_path_factory):
    """Copies of the bundled runs whose documents stand in another order, the more the higher their number."""
    folder, drawn = tmp_path_factory.mktemp("runs"), random.Random(3)
    for number in range(request.param):
        source = (EXAMPLE / ("bm25.run", "neural.run", "fair.run")[number % 3]).read_text().splitlines()
        lines = []
        for place, line in enumerate(source):
            qid, q0, docno, rank, _, tag = line.split()
            lines.append(f"{qid} {q0} {docno} {rank} {-place - drawn.randrange(1 + number // 3)} {tag}\n")
        (folder / f"{called(number)}.run").write_text("".join(lines))
    return [str(folder / f"{called(number)}.run") for number in range(request.param)]


@pytest.fixture(scope="module")
def result(runs):
    return fairtrec.evaluate("nDCG@10 P@5 NFaiRR@10 ARaB(mag=tf)@10 TExFAIR@10", runs, QRELS, **WORDS)


def drawn(kind, answer, monkeypatch, width, **more):
    monkeypatch.setenv("COLUMNS", str(width))
    return kind["table"](answer, places=4, terminal=False, window=True, most=MOST, **more)


def tables_of(text):
    """The lines of the tables: those around a rule, to the next empty line."""
    return [part.split("\n") for part in re.split(r"\n\n", text) if "───" in part]


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


def answers(name, runs, result):
    """The table writer of a command, and what it draws."""
    if name == "eval":
        return RESULTS, result
    if name == "compare":
        return COMPARISONS, fairtrec.compare(result, result.scores[0].run)
    if name == "ablate":
        return ABLATIONS, fairtrec.ablate(runs, measure="NFaiRR@10", vary=["tau=0,1", "cutoff=5"], **WORDS)
    if name == "select":
        return SELECTIONS, fairtrec.select(runs, QRELS, utility="nDCG@10", fairness="NFaiRR@10", **WORDS)
    if name == "headroom":
        return FRONTIERS, fairtrec.headroom(runs, QRELS, loss=0, **WORDS)
    return OVERLAPS, fairtrec.rbo(runs[:7], depth=3)


@pytest.mark.parametrize("name", ["eval", "compare", "ablate", "select", "headroom", "rbo"])
def test_tables_keep_to_the_window(name, runs, result, monkeypatch):
    kind, answer = answers(name, runs, result)
    text = ""
    for width in WIDTHS:
        printed = drawn(kind, answer, monkeypatch, width)
        assert tables_of(printed)
        for lines in tables_of(printed):
            assert max(map(len, lines)) <= width
        text += f"=== {width} columns\n{few_rows(tables_alone(printed))}\n"
    place = REPOSITORY / "tests" / "report" / "widths" / f"{name}-{len(runs)}.txt"
    if os.environ.get("FAIRTREC_UPDATE"):
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, "utf-8")
    assert text == place.read_text("utf-8")


def tables_alone(text):
    """Leave out what stands behind the last table, but for what has no room in it."""
    last = text.rindex("───")
    end = text.index("\n\n", last) if "\n\n" in text[last:] else len(text)
    left = re.search(r"^left out for want of room: .*$", text, re.MULTILINE)
    return text[:end] + (f"\n\n{left[0]}" if left else "")


def heads(text):
    """The heads of the columns of all tables."""
    return {head for lines in tables_of(text) for head in re.split(r"  +", lines[0].strip())}


def test_what_has_no_room_is_named_and_stands_in_a_wider_window(runs, result, monkeypatch):
    compared = fairtrec.compare(result, result.scores[0].run)
    narrow, wide = (drawn(COMPARISONS, compared, monkeypatch, width) for width in (80, 400))
    left = re.search(r"^left out for want of room: (.*); -f tsv or a wider window has them$", narrow, re.MULTILINE)
    assert heads(wide) - heads(narrow) == {*left[1].split(", ")}
    assert {"verdict", "difference"} <= heads(narrow)
    assert "left out for want" not in wide


def test_a_file_has_every_column(result, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    compared = fairtrec.compare(result, result.scores[0].run)
    compared.write(tmp_path / "report", "table")
    assert "cliff" in (tmp_path / "report").read_text("utf-8")
    assert "left out" not in (tmp_path / "report").read_text("utf-8").partition("\n↑")[0]


def test_a_dumb_terminal_has_a_width_too(monkeypatch, fairtrec_command):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "60")
    done = fairtrec_command("eval", QRELS, EXAMPLE / "bm25.run", "-m", "nDCG@10 nDCG@5 P@5 P@10 RR P@3", "-f", "table")
    assert max(len(line) for lines in tables_of(done.out) for line in lines) <= 60


def test_long_names_are_told_apart():
    names = [f"{'x' * 70}{sign}{'x' * 70}" for sign in "123"] + ["short"]
    short = _shortened(names, 24)
    assert len({*short}) == 4
    assert all(len(name) <= 24 for name in short)
    assert short[3] == "short"
