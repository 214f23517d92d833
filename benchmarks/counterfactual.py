"""``fairtrec make counterfactual`` from file to file: MB/s of processor time, two jobs next to one, a plain expression.

FAIRTREC_BENCH_MB says how large the collection is (600). Processor time is that of all processes together, start-up
included; the plain expression, all words of the list in one, is spared nine tenths of the collection and all rules.
"""

import os
import re
import sys
from pathlib import Path
from statistics import median

from benchmarks.collection_counts import collection
from benchmarks.timing import BIN, FOLDER, ROUNDS, report, run, together
from fairtrec.formats import pairs

LIST = Path(__file__).parent.parent / "resources" / "wordlists" / "gender-en-pairs.csv"


def plain(source: Path, output: Path) -> None:
    """Replace words of either case by one regular expression."""
    partners = {word.lower(): partner for word, partner in pairs.read(LIST).partners.items()}
    words = "|".join(map(re.escape, sorted(partners, key=len, reverse=True)))
    every = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
    with source.open(encoding="utf-8") as lines, output.open("w", encoding="utf-8") as new:
        for line in lines:
            docno, text = line.split("\t", 1)
            new.write(f"{docno}\t{every.sub(lambda found: partners[found[0].lower()], text)}")


def main() -> None:
    whole, part = collection()
    output = FOLDER / "counterfactual.tsv"

    def command(jobs: int, output: Path) -> list[str | Path]:
        output.unlink(missing_ok=True)  # or its deletion would be timed, too
        given = ["make", "counterfactual", whole, "--pairs", LIST, "-o", output, "-j", str(jobs)]
        return [BIN / "python", "-m", "fairtrec", *given]

    def ours(jobs: int) -> tuple[float, float, float]:
        """Seconds, seconds of processors, and MiB of the largest process."""
        cost = run(command(jobs, output))
        return cost.seconds, cost.cpu, cost.peak

    megabytes = whole.stat().st_size / 1e6
    other = FOLDER / "counterfactual.2.tsv"

    def in_turn() -> tuple[tuple[float, float, float], tuple[float, float, float], float]:
        return ours(1), ours(2), together(command(1, output), command(1, other))

    one, two, both = zip(*(in_turn() for _ in range(ROUNDS)), strict=True)
    pace = megabytes / median(cpu for _, cpu, _ in one)
    detail = f"{median(seconds for seconds, *_ in one):.2f} s (CPU {median(cpu for _, cpu, _ in one):.2f})"
    report("counterfactual, one job: MB/s of processor time", pace, 40, detail, at_least=True)
    ratio = median(a[0] / b[0] for a, b in zip(one, two, strict=True))
    most = median(2 * a[0] / seconds for a, seconds in zip(one, both, strict=True))
    costs = f"{median(seconds for seconds, *_ in two):.2f} s (CPU {median(cpu for _, cpu, _ in two):.2f})"
    detail = f"{costs}, {os.cpu_count()} cores; two commands that share nothing: {most:.2f}"
    report("counterfactual: speed of two jobs, of one", ratio, 1.7, detail, at_least=True)
    report("counterfactual: MiB of the largest process", max(peak for *_, peak in (*one, *two)), 300)
    theirs = run([BIN / "python", "-m", "benchmarks.counterfactual", part, FOLDER / "plain.tsv"])
    slower = theirs.seconds / part.stat().st_size * whole.stat().st_size / median(seconds for seconds, *_ in one)
    report("counterfactual: speed of one job, of a plain expression", slower, 10, f"{theirs} for a part", at_least=True)
    output.unlink()
    other.unlink()


if __name__ == "__main__":
    plain(*map(Path, sys.argv[1:]))
