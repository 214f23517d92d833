"""Names of runs, as short as a window or a figure needs them: what tells runs apart stays longest."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import takewhile

from fairtrec.evaluation.answers.result import Result
from fairtrec.support.files.compression import strip_suffix
from fairtrec.support.late_patterns import compile_late

BETWEEN = "_-./: "  # what stands between the words of a name
STAMP = compile_late(  # of a date, and of a time behind it: 2023-09-13T12-01-59.097613, 20230913_1201
    r"[_\-./: ]?(?<![0-9A-Za-z])(?:19|20)\d\d(?P<date>[-_.]?)(?:0[1-9]|1[0-2])(?P=date)(?:0[1-9]|[12]\d|3[01])"
    r"(?:[T_\-. ]?(?:[01]\d|2[0-3])(?P<time>[-_:.]?)[0-5]\d(?:(?P=time)[0-5]\d(?:[.,]\d+)?)?Z?)?(?![0-9A-Za-z])"
)


def shorten_runs(result: Result) -> list[str]:
    """Shorten the names of the runs of a result."""
    return shorten_names([scores.run for scores in result.scores])


def map_names(runs: Iterable[str]) -> dict[str, str]:
    """Give the short name of each run, each once."""
    several = list(dict.fromkeys(runs))
    return dict(zip(several, shorten_names(several), strict=True))


def shorten_names(names: Sequence[str], width: int | None = None) -> list[str]:
    """Shorten names of runs so that they stay different: to files without folder and ending, if these differ.

    With a ``width`` they are shortened to so many letters, but only if one is longer: the words go first that all names
    share, then stamps of date and time, then the middle.

    >>> shorten_names(["runs/bm25.run", "runs/neural.run.gz"]), shorten_names(["a/x.run", "b/x.run"])
    (['bm25', 'neural'], ['a/x.run', 'b/x.run'])

    >>> shorten_names(["cp-bm25-2023-09-13T12-01", "cp-neural"], 30)
    ['cp-bm25-2023-09-13T12-01', 'cp-neural']
    >>> shorten_names(["cp-bm25-2023-09-13T12-01", "cp-neural"], 22)
    ['bm25-2023-09-13T12-01', 'neural']
    >>> shorten_names(["cp-bm25-2023-09-13T12-01", "cp-neural"], 5)
    ['bm25', 'ne…al']
    """
    every = shorter = list(dict.fromkeys(names))
    for step in (_without_folders, _without_shared, _without_stamps):
        if step is not _without_folders and (width is None or all(len(name) <= width for name in shorter)):
            break
        tried = step(shorter)
        shorter = tried if len({*tried}) == len(every) and all(tried) else shorter
    short = dict(zip(every, shorter if width is None else cut_names(shorter, width), strict=True))
    return [short[name] for name in names]


def _without_folders(names: Sequence[str]) -> list[str]:
    """Leave out the folders and endings of files."""
    return [strip_suffix(name.rpartition("/")[2]).removesuffix(".run") for name in names]


def _without_shared(names: Sequence[str]) -> list[str]:
    """Leave out the words that stand in all names; if nothing is left of one, only those with which all begin.

    >>> _without_shared(["cp-bm25_dl19.run1", "cp-neural_dl19.run2"]), _without_shared(["cp-bm25", "cp-bm25-rm3"])
    (['bm25_run1', 'neural_run2'], ['bm25', 'bm25-rm3'])
    """
    if len(names) < 2:
        return list(names)
    parts = [re.split(f"(?<=[{re.escape(BETWEEN)}])(?![{re.escape(BETWEEN)}])", name) for name in names]
    words = [[part.rstrip(BETWEEN) for part in each] for each in parts]
    shared = set(words[0]).intersection(*words[1:])
    kept = [
        [part for part, word in zip(each, of, strict=True) if word not in shared]
        for each, of in zip(parts, words, strict=True)
    ]
    if not all(kept):
        alike = takewhile(lambda several: len({*several}) == 1, zip(*words, strict=False))
        begun = min(len(list(alike)), min(map(len, words)) - 1)
        kept = [each[begun:] for each in parts]
    return ["".join(each).rstrip(BETWEEN) for each in kept]


def _without_stamps(names: Sequence[str]) -> list[str]:
    """Leave out dates and times.

    >>> _without_stamps(["bm25_dl19_2023-09-13T12-01-59.097613.cd11b5", "20230913_bm25", "bm25-4096-100"])
    ['bm25_dl19.cd11b5', 'bm25', 'bm25-4096-100']
    """
    return [STAMP.sub("", name).strip(BETWEEN) for name in names]


def cut_names(names: Sequence[str], width: int) -> list[str]:
    """Leave out the middle of long names, or what names share, so that they are told apart; else number them.

    >>> cut_names(["a-rather-long-name", "b"], 9)
    ['a-ra…name', 'b']
    """
    every = list(dict.fromkeys(names))
    short: dict[str, str] = {}
    for start in (width // 2, 3 * width // 4, width // 4):
        end = width - start - 1
        short = {name: name if len(name) <= width else f"{name[:start]}…{name[len(name) - end :]}" for name in every}
        if len({*short.values()}) == len(every):
            return [short[name] for name in names]
    many = Counter(short.values())
    alike = [name for name in every if many[short[name]] > 1 and len(name) > width]
    letters = zip(*alike, strict=False)
    shared = sum(1 for _ in takewhile(lambda each: len({*each}) == 1, letters))
    short |= {name: f"…{name[shared:][: width - 2]}…" for name in alike}
    if len({*short.values()}) < len(every):
        digits = len(str(len(every)))
        short |= {
            name: f"{name[: max(width - digits - 1, 0)]}…{number}"
            for number, name in enumerate(every, 1)
            if len(name) > width
        }
    return [short[name] for name in names]


def find_family(name: str, families: Sequence[str]) -> int:
    """Tell which of the families a run is of, that with the longest word with which its name begins; -1 is none.

    >>> find_family("bm25-rm3", ["bm", "bm25", "dense"]), find_family("splade", ["bm"])
    (1, -1)
    """
    fitting = [number for number, family in enumerate(families) if name.startswith(family)]
    return max(fitting, key=lambda number: len(families[number]), default=-1)
