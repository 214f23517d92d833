"""Every command that reads runs or texts, at two sizes: whether CPU grows faster than its inputs, and peak memory.

A cost that grows faster, and more memory than 30 MiB and 4 times the inputs, fails unless docs/scale.md names the
command in its table of those. Peak memory is that beyond the same command on ten queries, which has imported what it
needs. Rankers, stances and the track of 2019 have benchmarks of their own.
"""

import shlex
import sys
from collections.abc import Callable, Iterator
from math import log2
from pathlib import Path

from benchmarks.scale import PAGE, SURE, judged, ranked, written
from benchmarks.timing import BIN, FOLDER, medians, report, run
from fairtrec_made.command_trials import gather_trials

SIZES = 10, 2_000, 4_000  # queries of two runs; the last is twice the one before
DEPTH = 20
GROWTH = 1.3  # the greatest exponent
SPARE, TIMES = 30, 4  # MiB beyond imports, and times the inputs
WORDS = (
    "she",
    "he",
    "nurse",
    "doctor",
    "went",
    "home",
    "early",
    "today",
    "and",
    "read",
    "a",
    "letter",
    "she",
    "garden",
)
Argument = str | Path


def find_docnos(queries: int) -> list[str]:
    """List the documents of both runs."""
    lines = (line for seed in (0, 1) for line in ranked(queries, DEPTH, seed).open())
    return sorted({line.split()[2] for line in lines}, key=int)


def counts(queries: int) -> Path:
    """Write counts of two groups."""

    def lines() -> Iterator[str]:
        yield "docno\ttokens\tf\tm\n"
        yield from (f"{d}\t60\t{int(d) % 3 % 2}\t{int(d) % 7 % 2}\n" for d in find_docnos(queries))

    return written(f"commands/{queries}.counts.tsv", lines)


def halves(queries: int) -> list[Argument]:
    """Write the counts as two tables that share no document."""
    _, *rows = counts(queries).read_text("utf-8").splitlines(keepends=True)
    names = (f"commands/{queries}.{half}.counts.tsv" for half in ("first", "second"))
    several = (rows[::2], rows[1::2])
    return [
        written(name, lambda half=half: ["docno\ttokens\tf\tm\n", *half])
        for name, half in zip(names, several, strict=True)
    ]


def pages(queries: int) -> Path:
    """Write the metadata of a page for each document."""
    fields = '"qual_cat": "Stub", "page_subcont_regions": ["Polynesia"], "source_subcont_regions": {"Polynesia": 3}'
    lines = (f'{{"page_id": {d}, "gender": ["{"fe" * (int(d) % 2)}male"], {fields}}}\n' for d in find_docnos(queries))
    return written(f"commands/{queries}.pages.jsonl", lambda: lines)


def texts(queries: int) -> Path:
    """Write a text of 15 words for each document."""

    def lines() -> Iterator[str]:
        for docno in find_docnos(queries):
            yield f"{docno}\t{' '.join(WORDS[int(docno) * step % len(WORDS)] for step in range(1, 16))}\n"

    return written(f"commands/{queries}.texts.tsv", lines)


def results(queries: int) -> Path:
    """Evaluate the runs with the values of all queries, as JSON."""
    path = FOLDER / "commands" / f"{queries}.json"
    if not path.exists():
        given = [judged(queries), *INPUTS["RUNS"](queries), "-m", "nDCG@10", "-q", "-f", "json", "-o", path]
        run([BIN / "fairtrec", "eval", *given])
    return path


def votes(queries: int) -> Path:
    """Write three votes on each query."""
    return written(
        f"commands/{queries}.votes.tsv",
        lambda: (f"{q}\tperson{who}\t{'fmn'[q * who % 3]}\n" for q in range(queries) for who in range(3)),
    )


def gold(queries: int) -> list[Argument]:
    """Write labels by people and by a classifier for each document."""
    docnos = find_docnos(queries)

    def labeled() -> Iterator[str]:
        yield "docno\tgroup\tprobability\n"
        yield from (f"{d}\t{'fm-'[int(d) % 3]}\t0.5\n" for d in docnos)

    people = written(f"commands/{queries}.gold.tsv", labeled)
    labels = (f"{d}\t{'fm-'[int(d) % 7 % 3]}\n" for d in docnos)
    return [people, "--labels", written(f"commands/{queries}.labels.tsv", lambda: labels)]


COMMANDS = gather_trials(
    "MEASURED",
    {
        "eval": "QRELS RUNS -m 'nDCG@10 NFaiRR@10' COUNTED -f tsv",
        "eval -q": "QRELS RUNS -m 'nDCG@10 NFaiRR@10' COUNTED -q -f json",
        "eval --bounds ties": "QRELS RUNS -m nDCG@10 --bounds ties -f tsv",
    },
)
INPUTS: dict[str, Callable[[int], list[Argument]]] = {
    "QRELS": lambda n: [judged(n)],
    "RUN": lambda n: [ranked(n, DEPTH)],
    "RUNS": lambda n: [ranked(n, DEPTH, seed) for seed in (0, 1)],
    "COUNTS": lambda n: [counts(n)],
    "COUNTED": lambda n: ["--counts", counts(n), "--background", ranked(n, DEPTH)],
    "HALVES": halves,
    "PAGES": lambda n: [pages(n)],
    "TEXTS": lambda n: [texts(n)],
    "RESULTS": lambda n: [results(n)],
    "VOTES": lambda n: [votes(n)],
    "GOLD": gold,
}


def fill(words: str, queries: int) -> list[Argument]:
    """Replace the inputs in the words of a command by files of so many queries, and OUT by a folder."""
    filled: list[Argument] = []
    for word in shlex.split(words):
        filled += INPUTS[word](queries) if word in INPUTS else [word.replace("OUT/", f"{FOLDER / 'commands'}/")]
    return filled


def find_named() -> str:
    """Give the table of docs/scale.md that names what grows faster than its inputs."""
    return PAGE.read_text("utf-8").partition("## What grows faster")[2]


def compare(name: str, sizes: tuple[int, ...] = SIZES) -> None:
    """Run a command at all sizes; report how its CPU grows, and its peak memory."""
    costs, read = [], 0
    for size in sizes:
        arguments = fill(COMMANDS[name], size)
        words = [word for word in name.split() if not word.startswith("-") and word not in ("ties", "bca")]
        read = sum(path.stat().st_size for path in arguments if isinstance(path, Path) and path.is_file())
        costs.append(medians(run([BIN / "fairtrec", *words, *arguments]) for _ in range(3 if size > sizes[0] else 1)))
    least, half, whole = costs
    is_named = f"`{name}`" in find_named()
    allowed = (SPARE + TIMES * read / 2**20) * (10 if is_named else 1)
    report(f"{name}: MiB beyond its imports", whole.peak - least.peak, round(allowed), whole)
    if whole.cpu - least.cpu > SURE[0]:
        exponent = log2((whole.cpu - least.cpu) / max(half.cpu - least.cpu, (whole.cpu - least.cpu) / 8))
        bound = 2.2 if is_named else GROWTH
        report(f"{name}: exponent of CPU", exponent, bound, f"{whole} of {half}")


def main() -> None:
    for name in COMMANDS:
        compare(name)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or COMMANDS:
        compare(chosen)
