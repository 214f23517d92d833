"""Costs that grew faster than their work: long rankings, many groups, many runs, many variants."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.scale import DOCUMENTS, labelled, ranked, written
from benchmarks.timing import BIN, paired, report

DEEP, SHALLOW = 16_000, 1_000  # ranks


def table() -> Path:
    """Write counts of two groups for all documents."""

    def lines() -> Iterator[str]:
        yield "docno\ttokens\tf\tm\n"
        yield from (f"{d}\t60\t{d % 3 % 2}\t{d % 7 % 2}\n" for d in range(DOCUMENTS))

    return written("scale/counts.tsv", lines)


def arab() -> None:
    """Compare a cutoff of many ranks with one of few, of the same run."""
    given = ["eval", "none", ranked(4, DEEP), "--counts", table(), "-j", "1", "-f", "tsv"]
    deep, shallow = ([BIN / "fairtrec", *given, "-m", f"ARaB@{cutoff}"] for cutoff in (DEEP, SHALLOW))
    pair = paired(deep, shallow)
    detail = f"{pair.ours.peak:.0f} of {pair.theirs.peak:.0f} MiB, {pair.detail}"
    report(f"ARaB@{DEEP:,} of 4 queries: peak memory, of @{SHALLOW:,}", pair.peak_ratio, 3, detail)
    report("the same: CPU", pair.cpu_ratio, 1.5, detail)


def foe() -> None:
    """Compare FOE with many groups and with two; 100 queries of 200 documents."""
    many, two = (
        [
            BIN / "fairtrec",
            "rerank",
            "none",
            ranked(100, 200),
            "--by",
            "FOE@200",
            "--labels",
            labelled(groups, DOCUMENTS),
        ]
        for groups in (8, 2)
    )
    pair = paired(many, two)
    report("FOE@200 of 100 x 200 with 8 groups: CPU, of 2 groups", pair.cpu_ratio, 5, pair.detail)


def main() -> None:
    for part in (arab, foe):
        part()


if __name__ == "__main__":
    main()
