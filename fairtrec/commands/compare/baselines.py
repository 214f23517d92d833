"""Which of the runs, or of the files of values, are baselines, before any is read."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairtrec.cli import printing
from fairtrec.cli.commands import TYPED, write_stderr
from fairtrec.support.errors import UsageError
from fairtrec.support.files.arguments import add_run, expand_runs, find_run, is_same

if TYPE_CHECKING:
    from fairtrec.evaluation.answers.result import Result

Baseline = str | list[str] | None  # as `fairtrec.compare` takes it


def drop_repeats(files: dict[str, str]) -> dict[str, str]:
    """Leave out files that stand there already under another name, as where a folder holds the baseline, and say so."""
    kept: dict[str, str] = {}
    for name, path in files.items():
        again = next((run for run, other in kept.items() if is_same(path, other)), None)
        if again is None:
            kept[name] = path
        else:
            write_stderr(f"# {path} is {again} again, and is left out")
    return kept


def resolve_baseline(asked: Sequence[str], files: dict[str, str]) -> tuple[Baseline, dict[str, str]]:
    """Give the runs that are meant, before anything is read, and all runs; a file that is none of them joins them."""
    from fairtrec.commands.compare.baseline import find_several

    _refuse_beside_all(asked)
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


def _refuse_beside_all(baselines: Sequence[str]) -> None:
    """Raise UsageError for another baseline beside all of them."""
    if "all" in baselines and len(baselines) > 1:
        raise UsageError("--baseline all is every run in turn; leave out the other baselines, or it (a file: ./all)")


def read_recorded(
    files: Sequence[str],
    measures: Sequence[str],
    baselines: Sequence[str],
    heeded: Iterable[str],
    output: Path | None,
    *read: str | None,
) -> "tuple[Result, Baseline]":
    """Read files of values, and name the baselines. Raises UsageError for an option that is not heeded beside them."""
    from fairtrec.commands.results.named_values import read_values

    always = ("values", "qrels", "runs", "measures", "baseline", "output")
    context = click.get_current_context()
    for each in context.command.params:
        if each.name in context.meta[TYPED] and each.name not in {*heeded, *always}:
            raise UsageError(f"--values reads values from files and evaluates no run; leave out {each.opts[-1]}")
    several = expand_runs(files)
    _refuse_beside_all(baselines)
    asked = list(baselines)
    for number, baseline in enumerate(baselines):
        if baseline not in several and baseline != "all":
            asked[number], several = add_run(several, baseline)
    printing.refuse_output(output, *read, *files, several)
    return read_values(several, " ".join(measures) or None), "all" if asked == ["all"] else asked or None
