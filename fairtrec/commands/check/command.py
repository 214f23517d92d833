"""``fairtrec check``: the gate of a CI pipeline."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, write_stderr
from fairtrec.cli.runs import name_runs
from fairtrec.commands.check import VERDICTS, config
from fairtrec.support.errors import FairtrecError, InputError, UsageError, plain
from fairtrec.support.files.arguments import is_same, split
from fairtrec.support.files.atomic import append_to, write_together
from fairtrec.support.literals import FailOn, Method

if TYPE_CHECKING:
    from fairtrec.commands.check.check import Verdicts

EXITS = "Exit codes: 0 all requirements are met, 1 one is not met, 2 wrong usage, 3 bad input, 4 a resource is missing."


@click.command(name="check", cls=Titled, epilog=EXITS)
@click.option(
    "--require",
    multiple=True,
    metavar="REQUIREMENT",
    help="Like 'NFaiRR@10 >= 0.85', 'nDCG@10 >= baseline - 0.01', 'worst slice RR >= 0.3'; may be repeated.",
)
@click.option("--baseline", metavar="RUN|FILE", help="A run, or what `fairtrec eval -f json -q` wrote of one.")
@click.option(
    "--confidence", type=float, default=0.95, metavar="P", help="The level of the intervals by which differences count."
)
@options.word("--interval", of=Method, help="How intervals are computed: from Student's t, or by bootstrap.")
@click.option(
    "--strict/--no-strict", show_default=False, help="Compare the value itself with the bound, without its interval."
)
@click.option("--prove", is_flag=True, help="Pass only if the whole interval lies on the right side of the bound.")
@options.word("--fail-on", of=FailOn, help="With warning, also exit with 1 on warnings.")
@click.option("--accept", is_flag=True, help="Go on though values of the baseline's measures have changed since.")
@click.option("--keep-going", is_flag=True, help="Report runs that are broken, judge the others, and exit with 3.")
@click.option("--slice", "slices", metavar="FILE", help="Slices of queries: lines qid<TAB>slice.")
@options.cluster
@click.option("--junit", type=options.FILE, help="Also write JUnit XML.")
@config.option
@options.Shared(evaluates="check", report=VERDICTS)
@options.add_untrusted_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    require: tuple[str, ...],
    slices: str | None,
    junit: Path | None,
    form: str,
    output: Path | None,
    *,
    places: int,
    **given: Any,
) -> int:
    """Check that each RUN meets requirements, absolute or against a baseline; exit with 1 if one does not.

    A requirement reads: MEASURE >= BOUND (or <=, >, <), where the bound is a number, baseline, baseline - 0.01,
    baseline - 5% or baseline * 0.95, and MEASURE may be |MEASURE|, the sizes of its values. It may begin with worst
    slice, every slice, worst group or every group; for groups, MEASURE has group=each.

    \b
    fairtrec check qrels.txt fair.run --baseline bm25.run --require 'TExFAIR@10 >= 0.5' \\
        --require 'nDCG@10 >= baseline - 0.01' --terms gender-en --docs collection.tsv
    """
    from fairtrec.commands.check.check import OPTIONS, PASSED_OVER, check

    config.refuse_unasked_outputs()
    config.spell_options()
    passed_over = click.get_current_context().meta.get(config.PASSED_OVER)
    if passed_over and not require:
        what = f"nothing is required, and {passed_over} was passed over (--untrusted)"
        raise UsageError(f"{what}; add --require REQUIREMENT, or --config {passed_over}")
    toml = click.get_current_context().meta.get("config")
    name, base = (None, None) if given["baseline"] is None else split(given["baseline"])
    read = (qrels, *runs, base, slices, toml, *given.values())
    try:
        files = name_runs(runs)
    except FairtrecError as fault:
        printing.refuse_output(junit, *read)
        _write_fault(fault, junit)
        raise
    kept = _without(base, files)
    for path in (output, junit):
        printing.refuse_output(path, files, *read)
    if output is not None and junit is not None and output.resolve() == junit.resolve():
        raise UsageError(f"--output and --junit would both write {output}; choose another for one of the two")
    given["baseline"] = base if name is None else {name: base}
    try:
        began = time.monotonic()
        config.refuse_wrong()
        with printing.show_progress():
            found = check(require, kept or files, qrels=qrels, measures=measures, slices=slices, **given)
    except Exception as fault:
        _write_fault(fault, junit)
        raise
    found = _drop_baseline(found, files, kept)
    if toml is not None:
        found = replace(found, notes=(*found.notes, OPTIONS.note(file=str(toml))))
    if passed_over:
        found = replace(found, notes=(*found.notes, PASSED_OVER.note(file=str(passed_over))))
    for _, broken in found.result.failed:
        write_stderr(broken)
    with write_together():
        _write(found, form, output, junit, places, time.monotonic() - began)
    if found.result.failed:
        return InputError.exit_code
    return 0 if found.passed else 1


def _without(baseline: str | None, files: dict[str, str]) -> dict[str, str]:
    """Leave the baseline out of the runs, as where a folder holds it, and say so.

    None may be left if a file of options names the baseline, as where only the baseline was committed. Raises
    UsageError if there is no other run and the command line names it.
    """
    kept = {run: file for run, file in files.items() if baseline is None or not is_same(file, baseline)}
    if files and not kept:
        if click.get_current_context().get_parameter_source("baseline") is ParameterSource.DEFAULT_MAP:
            return kept
        raise UsageError(f"{next(iter(files))} is the baseline itself; pass another run")
    for run in (run for run in files if run not in kept):
        write_stderr(f"# {run} is the baseline, and is left out")
    return kept


def _drop_baseline(checked: "Verdicts", files: dict[str, str], kept: dict[str, str]) -> "Verdicts":
    """Leave out the verdicts of the baseline if it was the only run, and say so."""
    from fairtrec.commands.check.check import ONLY_BASELINE

    if kept or not files:
        return checked
    notes = (ONLY_BASELINE.note(baseline=next(iter(files))),)
    return replace(checked, verdicts=(), result=replace(checked.result, scores=()), notes=notes)


def _write_fault(fault: BaseException, junit: Path | None) -> None:
    """Say in what CI reads that nothing was judged, so that nothing of an earlier run is taken for an answer."""
    from fairtrec.commands.check.report import write_fault
    from fairtrec.report.markup import escape_markdown
    from fairtrec.report.output import emit

    message = str(fault) or ("too little memory" if isinstance(fault, MemoryError) else type(fault).__name__)
    if junit is not None:
        where = str(fault.path) if isinstance(fault, InputError) and fault.path is not None else ""
        emit(write_fault(message, where), junit)
    _write_summary(f"### fairtrec check: nothing was judged\n\n{escape_markdown(plain(message), '>]')}\n")


def _write(
    checked: "Verdicts", form: str, output: Path | None, junit: Path | None, places: int, seconds: float
) -> None:
    """Print the report, write the others, and tell GitHub, where it runs this."""
    from fairtrec.commands.check.report import junit as junit_report
    from fairtrec.commands.check.report import summary
    from fairtrec.report.output import emit, write_commands

    if form == "github":
        write_stderr(f"# {summary(checked)}")
    printing.write(VERDICTS, form, checked, output, places=places, seconds=seconds)
    if junit is not None:
        emit(junit_report(checked, places=places, seconds=seconds), junit)
    if os.environ.get("GITHUB_ACTIONS") == "true" and (form != "github" or output is not None):
        write_commands(VERDICTS("github", checked, places=places), sys.stderr)
    _write_summary(VERDICTS("md", checked, places=places))


def _write_summary(text: str) -> None:
    """Add to the summary of a job of GitHub Actions, where this is one."""
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            append_to(Path(path), text.encode("utf-8", "replace"))
        except OSError as fault:
            raise UsageError(f"cannot write $GITHUB_STEP_SUMMARY: {fault.strerror}; unset it") from None
