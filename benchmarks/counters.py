"""The counters on text in memory, beside the published algorithm and ``wc -w``.

The published algorithm is spared the reading of the file and the writing of its table; the counters find no lines.
"""

import os
import string
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.timing import FOLDER, ROUNDS, Cost, clocked, medians, report
from fairtrec.counting.compiled import Compiled
from fairtrec.counting.counter import Lexicon
from fairtrec.counting.kernel import Kernel
from fairtrec.data import GroupTerms, Ints
from fairtrec.formats import tsv
from fairtrec.support.compiled import extension

LIST = Path(__file__).parent.parent / "resources" / "wordlists" / "gender-en.csv"
SIZE = 64 << 20
COMMON = (
    "the of and to a in is for that it or as was with be by on are from this you at an not can which but have your"
    " will one has if they all more their when other there than time also up about used into may first most who some"
)
ENDS = ("", ",", ".", ". The", "'s", ' "', ")", " (", ": ", " - ", "\u2019s", " \u00c9t\u00e9", " \u2013 ")
SHARES = (0.86, 0.05, 0.05, 0.01, 0.01, 0.004, 0.004, 0.004, 0.004, 0.002, 0.0007, 0.0007, 0.0006)


def vocabulary(terms: GroupTerms) -> list[str]:
    """Words by falling frequency: common English ones, then made-up ones with the group terms among them."""
    random = np.random.default_rng(7)
    letters = random.choice(
        list("etaoinshrdlcumwfgypbvkjxqz"), p=1 / np.arange(3, 29) / sum(1 / np.arange(3, 29)), size=(60_000, 14)
    )
    lengths = np.minimum(2 + random.poisson(4.6, len(letters)), 14)
    words = ["".join(row[:n]) for row, n in zip(letters.tolist(), lengths.tolist(), strict=True)]
    for i, word in enumerate(sorted({word for some in terms.terms.values() for word in some})):
        words[40 + 45 * i] = word
    return [word.capitalize() if i % 13 == 7 else word for i, word in enumerate(COMMON.split() + words)]


def passages(words: list[str]) -> Iterator[str]:
    """Texts of about 55 words, Zipf's law over their frequencies; some hold characters beyond ASCII."""
    random = np.random.default_rng(8)
    share = 1 / (2.7 + np.arange(len(words)))
    forms = [f"{word}{end} " for end in ENDS for word in words]
    shares = np.concatenate([share * part for part in SHARES])
    while True:
        drawn = [forms[i] for i in random.choice(len(forms), 400_000, p=shares / shares.sum()).tolist()]
        cuts = np.cumsum(random.integers(20, 90, 7_000)).tolist()
        for start, stop in pairwise(cuts):
            yield "".join(drawn[start:stop]).rstrip()


def collection(path: Path, terms: GroupTerms) -> tuple[bytes, Ints, Ints]:
    """Write lines of docno, tab, passage once; give them with the starts and ends of the passages."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for number, text in enumerate(passages(vocabulary(terms))):
                if file.write(f"{number}\t{text}\n".encode()) and file.tell() > SIZE:
                    break
    block = path.read_bytes()
    letters = np.frombuffer(block, np.uint8)
    return block, np.flatnonzero(letters == ord("\t")) + 1, np.flatnonzero(letters == ord("\n"))


def published(texts: list[bytes], groups: Mapping[str, frozenset[str]]) -> list[list[int]]:
    """The way of the published programs: split on blanks, count all words, add up those of each group."""
    counts = []
    for text in texts:
        occurrences = Counter(text.decode().lower().split(" "))
        counts.append([sum(n for word, n in occurrences.items() if word in words) for words in groups.values()])
    return counts


def words_by_wc(path: Path) -> None:
    subprocess.run(["wc", "-w", path], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})


def many(terms: GroupTerms) -> GroupTerms:
    """10 groups of 1,000 terms each, drawn from the rarer half of the vocabulary's 60,000 words."""
    words = np.random.default_rng(9).choice(vocabulary(terms)[2_000:], (10, 1_000), replace=False)
    return GroupTerms(
        "many", {letter: tuple(row) for letter, row in zip(string.ascii_letters, words.tolist(), strict=False)}
    )


def main() -> None:
    terms = tsv.terms(LIST)
    path = FOLDER / "passages.tsv"
    block, starts, ends = collection(path, terms)
    some = [block[start:end] for start, end in zip(starts[:20_000], ends, strict=False)]
    groups = {group: frozenset(words) for group, words in terms.terms.items()}
    lexicon, large = Lexicon.from_terms(terms), Lexicon.from_terms(many(terms))
    runs = {
        "published": lambda: published(some, groups),
        "wc -w": lambda: words_by_wc(path),
        "numpy": lambda: Kernel(lexicon).count(block, starts, ends),
        "numpy, 10 x 1,000 terms": lambda: Kernel(large).count(block, starts, ends),
    }
    if extension is None:
        print("      this package was built without a compiler, so the compiled counter is not timed")
    else:
        runs["compiled"] = lambda: Compiled(lexicon).count(block, starts, ends)
        runs["compiled, 10 x 1,000 terms"] = lambda: Compiled(large).count(block, starts, ends)
    speeds: dict[str, list[float]] = {name: [] for name in runs}
    costs: dict[str, list[Cost]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            costs[name].append(clocked(run))
            size = ends[len(some) - 1] if name == "published" else len(block)
            speeds[name].append(size / costs[name][-1].seconds / 1e6)
    for name, values in speeds.items():
        print(f"      {name:<64} {median(values):8.0f}  MB/s, {medians(costs[name])}")
    for ours, theirs, bound in (
        ("numpy", "published", 5),
        ("numpy", "wc -w", 0.5),
        ("compiled", "published", 10),
        ("compiled", "wc -w", 1),
        ("numpy, 10 x 1,000 terms", "numpy", 0.5),
        ("compiled, 10 x 1,000 terms", "compiled", 0.5),
    ):
        if ours in runs:
            ratio = median(a / b for a, b in zip(speeds[ours], speeds[theirs], strict=True))
            detail = f"{medians(costs[ours])} of {medians(costs[theirs])}"
            report(f"counting speed of {ours}, of {theirs}", ratio, bound, detail, at_least=True)
    tokens, counts = Kernel(lexicon).count(block, starts, ends)
    share = Kernel(large).count(block, starts, ends)[1].sum() / tokens.sum()
    print(
        f"      of {tokens.sum():,} tokens {counts.sum() / tokens.sum():.1%} mark a group, {share:.1%} one of the ten"
    )
