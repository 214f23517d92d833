"""Which of the runs, or of the files of values, are baselines, before any is read."""

from collections.abc import Sequence
from pathlib import Path

from fairtrec.support.errors import UsageError
from fairtrec.support.files.arguments import add_run, find_run

Baseline = str | list[str] | None  # as `fairtrec.compare` takes it


def resolve_baseline(asked: Sequence[str], files: dict[str, str]) -> tuple[Baseline, dict[str, str]]:
    """Give the runs that are meant, before anything is read, and all runs; a file that is none of them joins them."""
    from fairtrec.commands.compare.baseline import find_several

    if list(asked) == ["all"]:
        find_run(list(files), 0)
        return "all", files
    numbers = []
    several: Sequence[str | None] = asked or [None]
    for baseline in several:
        name = baseline
        if baseline is not None and baseline not in files:
            if baseline.endswith(".json") and Path(baseline).is_file():
                what = "is no run; `fairtrec check` and `fairtrec results diff` compare with results of eval"
                raise UsageError(f"{baseline} {what}")
            name, files = add_run(files, baseline)
        numbers.append(find_run(list(files), name))
    return [list(files)[number] for number in find_several(list(files), numbers)], files


def refuse_beside_all(baselines: Sequence[str]) -> None:
    """Raise UsageError for another baseline beside all of them."""
    if "all" in baselines and len(baselines) > 1:
        raise UsageError("--baseline all is every run in turn; leave out the other baselines, or it (a file: ./all)")
