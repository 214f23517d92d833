"""``fairtrec check``: the gate of a CI pipeline."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import config, options

if TYPE_CHECKING:
    from fairtrec.api import Result
    from fairtrec.evaluation import Scores
    from fairtrec.gate import Rule
    from fairtrec.measure import Measure
    from fairtrec.report.verdicts import Checked
    from fairtrec.requirement import Requirement
    from fairtrec.slicing import Slices

FORMATS = ("text", "json", "github", "md")
EXITS = "Exit codes: 0 all is met, 1 a requirement is not, 2 wrong usage, 3 bad input, 4 a resource is missing."


@click.command(name="check", epilog=EXITS)
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="REQUIREMENT",
    help="Like 'NFaiRR@10 >= 0.85', 'nDCG@10 >= baseline - 0.01', 'worst slice RR >= 0.3'; may be repeated.",
)
@click.option("--baseline", metavar="RUN|FILE", help="A run, or what `fairtrec eval -f json -q` wrote of one.")
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="A difference counts if its 1 - alpha interval does."
)
@click.option("--strict/--no-strict", help="Fail on the difference itself, whatever its interval.")
@click.option("--slice", "slice_file", metavar="FILE", help="Slices of queries: lines qid<TAB>slice.")
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write JUnit XML too.")
@config.option("tool.fairtrec.check")
@options.evaluated
@options.reported(FORMATS, "text")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    required: tuple[str, ...],
    baseline: str | None,
    alpha: float,
    slice_file: str | None,
    junit: Path | None,
    form: str,
    output: Path | None,
    *,
    strict: bool,
    places: int,
    **given: Any,
) -> int:
    """Check that each RUN meets requirements, on their own or against a baseline; else end with 1.

    A requirement reads: [worst slice|every slice] MEASURE >= BOUND (or <=, >, <), where the bound is a number,
    baseline, baseline - 0.01, baseline - 5% or baseline * 0.95.

    \b
    fairtrec check qrels.txt new.run --baseline main.run --groups gender-en --docs docs.tsv \\
        --background bm25.run --require 'NFaiRR@10 >= 0.85' --require 'nDCG@10 >= baseline - 0.01'
    """
    from fairtrec import requirement
    from fairtrec.batch import lists, paths
    from fairtrec.errors import UsageError
    from fairtrec.formats import slices
    from fairtrec.gate import Rule

    rule = Rule(alpha, strict)
    asked = [requirement.parse(text, given["relevance_level"]) for text in dict.fromkeys(required)]
    if not asked:
        raise UsageError("nothing is required; give --require 'nDCG@10 >= 0.5', or require = [...] in a TOML file")
    named = paths(runs)
    toml = click.get_current_context().meta.get("config")
    for path in (output, junit):
        options.refuse_output(path, qrels, *named, *lists(runs), baseline, slice_file, toml, *given.values())
    if output is not None and junit is not None and output.resolve() == junit.resolve():
        raise UsageError(f"--output and --junit would both write {output}; choose another for one of the two")
    wanted = [*measures, *(each.measure for each in asked)]
    of_slices = slices.read(slice_file) if slice_file else None
    compared = list({str(each.measure): each.measure for each in asked if each.relative}.values())
    result, base = _evaluated(wanted, compared, qrels, named, baseline if compared else None, given)
    checked = _checked(result, base, asked, of_slices, rule, baseline)
    _write(checked, form, output, junit, places)
    return 0 if checked.passed else 1


def _evaluated(
    wanted: Sequence[Any],
    compared: "Sequence[Measure]",
    qrels: str | None,
    runs: Sequence[str],
    baseline: str | None,
    given: dict[str, Any],
) -> "tuple[Result, Scores | None]":
    """Evaluate the runs and the baseline, which may be a results file."""
    from fairtrec import difference, results, signature
    from fairtrec.api import evaluate
    from fairtrec.cli.bar import progress

    recorded = results.read(baseline) if baseline and results.is_results(baseline) else None
    base = recorded.scores(compared) if recorded else None
    run = [baseline] if baseline and recorded is None else []
    with progress():
        result = evaluate(wanted, [*runs, *run], qrels, **given)
    if recorded is not None:
        difference.refuse_other(recorded, signature.parts(result.signature), result.digests)
    if not run:
        return result, base
    *scores, base = result.scores
    return replace(result, scores=tuple(scores)), base


def _checked(
    result: "Result",
    base: "Scores | None",
    asked: "Sequence[Requirement]",
    slices: "Slices | None",
    rule: "Rule",
    baseline: str | None,
) -> "Checked":
    from fairtrec import gate
    from fairtrec.report.verdicts import Checked

    verdicts = [
        verdict
        for scores in result.scores
        for verdict in gate.check(scores, asked, baseline=base, slices=slices, rule=rule)
    ]
    notes = gate.notes(result.scores, asked, base, slices)
    if baseline and base is None:
        notes.append(f"no requirement is about the baseline, so {baseline} was not read")
    found = click.get_current_context().meta.get("config")
    notes += [f"options from {found}"] if found else []
    return Checked(tuple(verdicts), result, rule, baseline if base is not None else None, tuple(notes))


def _write(checked: "Checked", form: str, output: Path | None, junit: Path | None, places: int) -> None:
    """Print the report, write the others, and tell GitHub, where it runs this."""
    from fairtrec import report
    from fairtrec.errors import UsageError
    from fairtrec.report import github, verdicts
    from fairtrec.report import junit as junit_report

    if form == "text":
        text = verdicts.text(checked, places=places, terminal=options.is_terminal(output))
    else:
        text = {"json": verdicts.json, "md": verdicts.md, "github": github.github}[form](checked, places=places)
    report.emit(text, output)
    for line in (checked.summary, *checked.closing) if form == "github" else ():
        click.echo(f"# {line}", err=True)
    if junit is not None:
        report.emit(junit_report.junit(checked, places=places), junit)
    if os.environ.get("GITHUB_ACTIONS") == "true" and (form != "github" or output is not None):
        click.echo(github.github(checked, places=places), nl=False, err=True)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(summary).open("a", encoding="utf-8", errors="replace") as file:
                file.write(verdicts.md(checked, places=places))
        except OSError as fault:
            raise UsageError(f"cannot write $GITHUB_STEP_SUMMARY: {fault.strerror}; unset it") from None
