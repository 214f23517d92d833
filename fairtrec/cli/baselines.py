"""Which of the runs of ``fairtrec compare`` are baselines, before any is read."""

from collections.abc import Sequence
from pathlib import Path

from fairtrec.cli.commands import say

Baseline = str | list[str] | None  # as `fairtrec.compare` takes it


def once(files: dict[str, str]) -> dict[str, str]:
    """Leave out files that stand there already under another name, as where a folder holds the baseline, and say so."""
    from fairtrec.files.arguments import is_same

    kept: dict[str, str] = {}
    for name, path in files.items():
        again = next((run for run, other in kept.items() if is_same(path, other)), None)
        if again is None:
            kept[name] = path
        else:
            say(f"# {path} is {again} again, and is left out")
    return kept


def refuse_beside_all(baselines: Sequence[str]) -> None:
    """Raise UsageError for another baseline beside all of them."""
    from fairtrec.errors import UsageError

    if "all" in baselines and len(baselines) > 1:
        raise UsageError("--baseline all is every run in turn; leave out the other baselines, or it (a file: ./all)")


def one_or_several(baselines: Sequence[str]) -> Baseline:
    """Give what `fairtrec.compare` takes: one name alone, or a list."""
    return list(baselines) if len(baselines) > 1 else baselines[0] if baselines else None


def against(asked: Sequence[str], files: dict[str, str]) -> tuple[Baseline, dict[str, str]]:
    """Give the runs that are meant, before anything is read, and all runs; a file that is none of them joins them."""
    from fairtrec.comparison.baseline import find, find_several

    refuse_beside_all(asked)
    if list(asked) == ["all"]:
        find(list(files), 0)
        return "all", files
    names: list[str] = []
    several: Sequence[str | None] = [*asked] or [None]
    for each in several:
        name, files = _baseline(each, files)
        names.append(name)
    found = [list(files)[number] for number in find_several(list(files), names)]
    return one_or_several(found), files


def _baseline(asked: str | None, files: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Give the run that is meant, before anything is read, and all runs; a file that is none of them joins them."""
    from fairtrec.comparison.baseline import find
    from fairtrec.errors import UsageError
    from fairtrec.files.arguments import joined

    name = asked
    if asked is not None and asked not in files:
        if asked.endswith(".json") and Path(asked).is_file():
            raise UsageError(f"{asked} is no run; `fairtrec check` and `fairtrec diff` compare with results of eval")
        name, files = joined(files, asked)
    return list(files)[find(list(files), name)], files
