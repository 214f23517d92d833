"""Tables keep to the window: of 80, 100 and 140 columns, with 3 and 23 runs, and say what they leave out.

The files of tests/report/widths hold what each command draws; of many runs the first rows of each table stand there.
FAIRTREC_UPDATE=1 writes them anew: read the difference.
"""

import os
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

import fairtrec
from fairtrec.commands.ablate import ABLATIONS
from fairtrec.commands.check import VERDICTS
from fairtrec.commands.compare import COMPARISONS
from fairtrec.commands.explain import EXPLANATIONS
from fairtrec.commands.gold import AGREEMENTS
from fairtrec.commands.headroom import HEADROOMS
from fairtrec.commands.rbo import OVERLAPS
from fairtrec.commands.rerank import EFFECTS
from fairtrec.commands.rerank.reranked import Effects
from fairtrec.commands.results import DIFFERENCES
from fairtrec.commands.results.difference import between
from fairtrec.commands.results.results import parse
from fairtrec.commands.select import SELECTIONS
from fairtrec.commands.trec_fair_2019 import evaluate as trec_fair_2019
from fairtrec.gold import agree
from fairtrec.report.folding import MOST
from fairtrec.report.run_names import shorten_names
from fairtrec.report.writers import RESULTS
from fairtrec_made import EXAMPLE, REPOSITORY, unwrapped
from fairtrec_made.trials import FILES

WIDTHS = 80, 100, 140
FEW, MANY = 3, 23
ROWS = 3  # of each table of many runs that stand in a file
LINES = 16  # of what is no table
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
    return kind("table", answer, places=4, terminal=False, window=True, most=MOST, **more)


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


def of_sequences(runs):
    """Runs of the track of 2019, by the names of these runs and beside them."""
    folder = Path(runs[0]).parent
    for name in ("truth.jsonl", "sequences.csv", "authors.csv"):
        (folder / name).write_text(FILES[name])
    names = [folder / f"{Path(run).stem}.jsonl" for run in runs]
    for name in names:
        name.write_text(FILES["fair.jsonl"])
    return trec_fair_2019.evaluate(names, folder / "sequences.csv", folder / "truth.jsonl", [folder / "authors.csv"])


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
        return HEADROOMS, fairtrec.headroom(runs, QRELS, loss=0, **WORDS)
    if name == "rerank":
        reranking = fairtrec.rerank("DetCons@10", runs, QRELS, membership="majority", **WORDS)
        return EFFECTS, Effects("nDCG@10 NFaiRR@10 AWRF@10", {"qrels": QRELS, "membership": "majority", **WORDS}).of(
            reranking
        )
    if name == "trec-fair-2019":
        return RESULTS, of_sequences(runs)
    if name == "cutoffs":
        several = fairtrec.evaluate(
            [f"{name}@{k}" for name in ("nDCG", "NFaiRR") for k in range(1, 11)], runs, QRELS, **WORDS
        )
        return COMPARISONS, fairtrec.curves(several)
    if name == "correlate-queries":
        return COMPARISONS, fairtrec.correlate(fairtrec.evaluate("nDCG@10 NFaiRR@10", runs, QRELS, **WORDS))
    if name == "correlate-runs":
        return COMPARISONS, fairtrec.correlate(result, over="runs")
    if name == "gold-agree":
        texts = {name: WORDS[name] for name in ("terms", "docs")}
        return AGREEMENTS, agree(EXAMPLE / "labels.tsv", {Path(run).stem: run for run in runs}, **texts)
    return OVERLAPS, fairtrec.rbo(runs[:7], depth=3)


NAMES = ["eval", "trec-fair-2019", "compare", "cutoffs", "correlate-queries", "correlate-runs", "ablate", "select", "headroom", "rbo", "rerank", "gold-agree"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_tables_keep_to_the_window(name, runs, result, monkeypatch):
    kind, answer = answers(name, runs, result)
    text = ""
    for width in WIDTHS:
        printed = drawn(kind, answer, monkeypatch, width)
        assert tables_of(printed)
        for lines in tables_of(printed):
            assert max(map(len, lines)) <= width
        text += f"=== {width} columns\n{few_rows(tables_alone(printed))}\n"
    golden(f"{name}-{len(runs)}", text)


def golden(name, text):
    """Compare with a file, or write it."""
    place = REPOSITORY / "tests" / "report" / "widths" / f"{name}.txt"
    if os.environ.get("FAIRTREC_UPDATE"):
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, "utf-8")
    assert text == place.read_text("utf-8")


@pytest.mark.parametrize("width", [60, *WIDTHS])
def test_each_run_that_is_chosen_has_a_line_and_a_name_of_its_own(runs, result, monkeypatch, width):
    kind, answer = answers("select", runs, result)
    printed = drawn(kind, answer, monkeypatch, width)
    head, _, *lines = [line for line in tables_of(printed)[0] if line.strip()]
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


def lines_of(name, files):
    """The writer of a command that writes lines, what it writes of, and what it is told beside."""
    runs = {Path(file).stem: file for file in files}
    if name == "check":
        result = fairtrec.evaluate("nDCG@10 ARaB(mag=tf)@10 NFaiRR@10", runs, QRELS, **WORDS)
        asked = ["nDCG@10 >= baseline - 0.01", "|ARaB(mag=tf)@10| <= 0.2", "NFaiRR@10 >= 0.5"]
        return VERDICTS, fairtrec.check(asked, result, baseline=result.scores[0].run), {"places": 4, "most": MOST}
    if name == "explain":
        detailed = {"query": "101"} if len(runs) == FEW else {}
        return EXPLANATIONS, fairtrec.explain("NFaiRR@10", runs, **WORDS, **detailed), {"places": 4}
    one, other = (
        parse(RESULTS("json", fairtrec.evaluate(measures, runs, QRELS, **WORDS), per_query=True).encode(), "it")
        for measures in ("nDCG@10 NFaiRR@10", "nDCG@5 NFaiRR@10")
    )
    moved = [replace(run, means={name: 0.9 * mean for name, mean in run.means.items()}) for run in other.runs]
    return DIFFERENCES, between(one, replace(other, runs=moved)), {"names": ("one.json", "other.json")}


@pytest.mark.parametrize("name", ["check", "explain", "diff"])
def test_lines_are_broken_between_words_where_the_window_ends(name, runs, monkeypatch):
    kind, answer, beside = lines_of(name, runs)
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
    golden(f"{name}-{len(runs)}", text)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "words",
    [
        "measures",
        "measures NFaiRR",
        "measures DetCons",
        "resources list",
        "resources show gender-en",
        "resources verify",
    ],
)
def test_what_is_looked_up_keeps_to_the_window(words, width, fairtrec_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = fairtrec_command(*words.split()).out.splitlines()
    whole = ("://", str(REPOSITORY))  # addresses and paths are never cut
    assert [line for line in lines if len(line) > width and not any(each in line for each in whole)] == []


def tables_alone(text):
    """Leave out what stands behind the last table, but for what has no room in it."""
    last = text.rindex("───")
    end = text.index("\n\n", last) if "\n\n" in text[last:] else len(text)
    left = re.search(r"^hidden columns \(window too narrow\): .*$", text, re.MULTILINE)
    return text[:end] + (f"\n\n{left[0]}" if left else "")


def heads(text):
    """The heads of the columns of all tables."""
    return {head for lines in tables_of(text) for head in re.split(r"  +", lines[0].strip())}


def test_what_has_no_room_is_named_and_stands_in_a_wider_window(runs, result, monkeypatch):
    compared = fairtrec.compare(result, result.scores[0].run)
    narrow, wide = (drawn(COMPARISONS, compared, monkeypatch, width) for width in (80, 400))
    pattern = r"^hidden columns \(window too narrow\): (.*); -f tsv has all$"
    left = re.search(pattern, unwrapped(narrow), re.MULTILINE)
    assert heads(wide) - heads(narrow) == {*left[1].split(", ")}
    assert {"verdict", "difference"} <= heads(narrow)
    assert "hidden columns" not in wide


def test_a_file_has_every_column(result, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    compared = fairtrec.compare(result, result.scores[0].run)
    compared.write(tmp_path / "report", "table")
    assert "cliff" in (tmp_path / "report").read_text("utf-8")
    assert "hidden columns" not in (tmp_path / "report").read_text("utf-8").partition("\n↑")[0]


def test_a_dumb_terminal_has_a_width_too(monkeypatch, fairtrec_command):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "60")
    done = fairtrec_command("eval", QRELS, EXAMPLE / "bm25.run", "-m", "nDCG@10 nDCG@5 P@5 P@10 RR P@3", "-f", "table")
    assert max(len(line) for lines in tables_of(done.out) for line in lines) <= 60


def test_long_names_are_told_apart():
    names = [f"{'x' * 70}{sign}{'x' * 70}" for sign in "123"] + ["short"]
    short = shorten_names(names, 24)
    assert len({*short}) == 4
    assert all(len(name) <= 24 for name in short)
    assert short[3] == "short"
