"""``fairtrec counts make`` from file to table, beside the published algorithm and ``wc -w``; look-ups in 8.84 M rows.

FAIRTREC_BENCH_MB says how large the collection is (600). Each command has a process of its own, start-up included; the
published algorithm is spared nine tenths of the collection. All figures are of one run, taken in turn.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median

import numpy as np

from benchmarks import counters
from benchmarks.timing import BIN, FOLDER, ROUNDS, Cost, clocked, medians, report, run
from fairtrec.formats import tsv
from fairtrec.support.compiled import extension

SIZE = int(os.environ.get("FAIRTREC_BENCH_MB", "600")) * 1_000_000
PART = 10  # the published algorithm gets one in so many lines
ROWS = 8_841_823
ANNOTATE = "import sys; {}from fairtrec import cli; cli.main()"
NUMPY = "import os; os.environ['FAIRTREC_PLAIN'] = '1'; "  # as where there is no compiler


def collection() -> tuple[Path, Path]:
    """Write the collection once, and its part."""
    whole, part = FOLDER / f"{SIZE}.tsv", FOLDER / f"{SIZE}.part.tsv"
    if not part.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        words = counters.vocabulary(tsv.terms(counters.LIST))
        with whole.open("wb") as file, part.open("wb") as some:
            for number, text in enumerate(counters.passages(words)):
                line = f"{number}\t{text}\n".encode()
                file.write(line)
                if number % PART == 0:
                    some.write(line)
                if number % 1000 == 0 and file.tell() > SIZE:
                    break
    return whole, part


def published(collection: Path, output: Path) -> None:
    """The way of the published programs: split on blanks, count all words, add up each group's, write omega as text."""
    terms = tsv.terms(counters.LIST)
    groups = {group: frozenset(words) for group, words in terms.terms.items()}
    with collection.open(encoding="utf-8") as lines, output.open("w", encoding="utf-8") as table:
        for line in lines:
            docno, text = line.rstrip("\n").split("\t")
            table.write(f"{docno}\t{_neutrality(text, groups)}\n")


def _neutrality(text: str, groups: Mapping[str, frozenset[str]]) -> float:
    occurrences = Counter(text.lower().split(" "))
    found = [sum(n for word, n in occurrences.items() if word in words) for words in groups.values()]
    total = sum(found)
    return 1.0 if total <= 1 else 1 - sum(abs(n / total - 1 / len(found)) for n in found)


def in_turn(commands: Mapping[str, Callable[[], Cost]]) -> dict[str, list[Cost]]:
    """Run all commands several times, one after the other."""
    costs = {name: [call()] for name, call in commands.items()}
    for _ in range(ROUNDS - 1):
        for name, call in commands.items():
            costs[name].append(call())
    return costs


def time_counting(whole: Path, part: Path) -> None:
    large = FOLDER / "many.tsv"
    listed = counters.many(tsv.terms(counters.LIST)).terms
    large.write_text("".join(f"{word}\t{group}\n" for group, words in listed.items() for word in words), "utf-8")
    table = FOLDER / "table.arrow"

    def ours(jobs: int, *, groups: Path = counters.LIST, before: str = "") -> Callable[[], Cost]:
        given = ["counts", "make", whole, "--terms", groups, "-o", table, "-j", jobs, "--force"]
        return lambda: run([BIN / "python", "-c", ANNOTATE.format(before), *map(str, given)])

    theirs = [BIN / "python", "-m", "benchmarks.collection_counts", part, FOLDER / "published.txt"]
    commands = {
        "published": lambda: run(theirs),
        "wc -w": lambda: run(["env", "LC_ALL=C", "wc", "-w", whole]),
        "numpy": ours(1, before=NUMPY),
        "numpy, 10 x 1,000": ours(1, before=NUMPY, groups=large),
        "numpy, two jobs": ours(2, before=NUMPY),
    }
    if extension is None:
        print("      this package was built without a compiler, so the compiled counter is not timed")
    else:
        commands |= {"compiled": ours(1), "compiled, 10 x 1,000": ours(1, groups=large), "compiled, two jobs": ours(2)}
    costs = in_turn(commands)
    sizes = {name: (part if name == "published" else whole).stat().st_size for name in costs}
    pace = {name: [sizes[name] / cost.seconds / 1e6 for cost in each] for name, each in costs.items()}
    for name, values in pace.items():
        peak = max(cost.peak for cost in costs[name])
        cpu = median(cost.cpu for cost in costs[name])
        print(f"      {name:<64} {median(values):8.0f}  MB/s, CPU {cpu:.2f} s, largest process {peak:.0f} MiB")

    def compare(one: str, other: str, bound: float) -> None:
        if one in pace:
            ratio = median(a / b for a, b in zip(pace[one], pace[other], strict=True))
            detail = f"{medians(costs[one])} of {medians(costs[other])}"
            report(f"file to table: speed of {one}, of {other}", ratio, bound, detail, at_least=True)

    for name, bounds in (("numpy", (6, 0.5)), ("compiled", (10, 1.05))):
        compare(name, "published", bounds[0])
        compare(name, "wc -w", bounds[1])
        compare(f"{name}, two jobs", name, 1.7)
        compare(f"{name}, 10 x 1,000", name, 0.5)


def large_table(path: Path) -> None:
    """Write a table of ROWS documents, numbered as the passages of MS MARCO."""
    import pyarrow as pa

    from fairtrec.counting.table import Meta, build
    from fairtrec.counting.table.rows import Rows, sort_rows

    random = np.random.default_rng(5)
    numbers = np.stack([random.poisson(mean, ROWS) for mean in (55, 0.2, 0.3)]).astype(np.uint32)
    docnos = pa.array(np.arange(ROWS)).cast(pa.string())
    rows, _, _ = sort_rows(Rows.from_columns(docnos, numbers))
    build.write_table(path, Meta(("f", "m"), "strip", case_sensitive=False), [rows], FOLDER)


def looking_up() -> None:
    path, one = FOLDER / "large.arrow", FOLDER / "one.arrow"
    if not path.exists():
        run([BIN / "python", "-m", "benchmarks.collection_counts", path])
    from fairtrec.counting.table import build
    from fairtrec.counting.table.document_counts import read_counts
    from fairtrec.counting.table.files import Table
    from fairtrec.data import Docnos

    random = np.random.default_rng(6)
    runs = {name: FOLDER / f"{name}.run" for name in ("bm25", "background")}
    docnos = random.choice(ROWS, (2, 215, 200), replace=False)
    for number, run_file in enumerate(runs.values()):
        written_run(run_file, docnos[number])
    wanted = Docnos.collect(docnos.ravel().astype(np.bytes_))
    few = read_counts(Table(path), wanted)
    if not one.exists():
        plain = FOLDER / "one.tsv"
        rows = zip(wanted.names.tolist(), few.tokens.tolist(), few.counts.tolist(), strict=True)
        lines = "".join(f"{name.decode()} {tokens} {f} {m}\n" for name, tokens, (f, m) in rows)
        plain.write_text("docno tokens f m\n" + lines)
        build.join_tables(one, [plain])

    def evaluation(counts: Path) -> Callable[[], Cost]:
        given = ["--counts", counts, "--background", runs["background"], "-m", "NFaiRR@10"]
        return lambda: run([BIN / "fairtrec", "eval", "none", runs["bm25"], *given])

    costs = in_turn({"all": evaluation(path), "few": evaluation(one)})
    seconds = median(a.seconds - b.seconds for a, b in zip(costs["all"], costs["few"], strict=True))
    detail = f"{medians(costs['all'])} in all"
    report("eval, 215 x 200 with background: seconds for 8.84 M rows", seconds, 0.3, detail)
    report("eval, 215 x 200 with background: MiB", max(cost.peak for cost in costs["all"]), 300, detail)
    for many, bound in ((43_000, 0.3), (7_000_000, 3)):
        wanted = Docnos.collect(random.choice(ROWS, many, replace=False).astype(np.bytes_))
        cost = clocked(lambda wanted=wanted: read_counts(Table(path), wanted))
        report(f"look-up of {many:,} docnos: seconds", cost.seconds, bound, cost)
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    print(f"      the table has {path.stat().st_size / 2**20:.0f} MiB; the 7,000,000 look-ups took {peak:.0f} MiB")


def scanning(whole: Path) -> None:
    """``eval --docs``: the texts of a run of 215 x 200 out of the collection; what is in MB/s is of one core."""
    with whole.open("rb") as file:
        file.seek(-100_000, os.SEEK_END)
        rows = int(file.read().splitlines()[-1].split(b"\t")[0])
    given = written_run(FOLDER / "scanned.run", np.random.default_rng(9).choice(rows, (215, 200), replace=False))
    command = ["eval", "none", given, "--terms", counters.LIST, "--docs", whole, "-m", "TExFAIR@10", "-j", "1"]
    costs = in_turn({"scan": lambda: run([BIN / "fairtrec", *command])})["scan"]
    pace = whole.stat().st_size / 1e6 / median(cost.seconds for cost in costs)
    detail = f"{medians(costs)}, largest process {max(cost.peak for cost in costs):.0f} MiB"
    report("eval --docs, 215 x 200 without a table: MB/s", pace, 200, detail, at_least=True)


def written_run(path: Path, docnos: np.ndarray) -> Path:
    """Write a run of one ranking a row."""
    with path.open("w") as file:
        for qid, row in enumerate(docnos.tolist()):
            file.write("".join(f"{qid} Q0 {d} {i} {1000 - i} made\n" for i, d in enumerate(row, 1)))
    return path


def main() -> None:
    whole, part = collection()
    scanning(whole)
    time_counting(whole, part)
    looking_up()


if __name__ == "__main__":
    (published if len(sys.argv) > 2 else large_table)(*map(Path, sys.argv[1:]))
