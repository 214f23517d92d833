"""Reports of checked runs: lines for people and editors, JSON, and the annotations of a GitHub workflow."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.commands.validate.findings import CODES, Finding, Findings, list_some, plural
from fairtrec.commands.validate.run_check import Checked
from fairtrec.commands.validate.validate import Validation
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.output import write_annotation
from fairtrec.report.records import Row
from fairtrec.report.records import json as as_json
from fairtrec.support.errors import defuse, plain, short

KEYS = ("run",)
STATES = ("clean", "warnings", "repairable", "broken")
SHOWN = 8  # names in one line
Runs = Iterable[tuple[Checked, Path | None]]  # each with the place where it should be written repaired


def text(runs: Runs | Validation) -> Iterator[str]:
    """Write the findings of one run after the other as lines: file:line: CODE message."""
    return (f"{plain(line)}\n" for line in _lines(_placed(runs)))


@dataclass(frozen=True)
class RunReport:
    """What is told of a run that was examined, without its rows."""

    path: str
    found: Findings
    is_fixed: bool
    is_broken: bool
    size: str
    repair: tuple[str, ...]
    shared: tuple[Finding, ...] = ()  # warnings that all runs have for the same queries

    @classmethod
    def keep(cls, checked: Checked, place: Path | None) -> "RunReport":
        """Keep of a run, and the place where it is written, what is told."""
        fixed, broken, repair = checked.is_written(place), bool(checked.obstacles), tuple(_repair(checked, place))
        return cls(short(fspath(checked.path)), checked.found, fixed, broken, _size(checked), repair)

    @property
    def state(self) -> str:
        """Whether the run is clean, has warnings only, errors that can be repaired, or others."""
        clean, warnings, repairable, broken = STATES
        if self.found.total(errors=True):
            return broken if self.is_broken else repairable
        return warnings if self.found.total(errors=False, shared=self.shared) else clean


def _lines(runs: Runs) -> Iterator[str]:
    """Say of each run what is wrong with it, once; behind several, what holds of more than one, and what is sound.

    Warnings that all of several runs share for the same queries come first.
    """
    reports = [RunReport.keep(checked, place) for checked, place in runs]
    shared = find_shared(reports)
    for finding in shared:
        yield f"all {len(reports)} runs: {finding.code.name} {short(finding.message)}"
    keys = {key_of(finding) for finding in shared}
    said: dict[tuple[str, str], list[str]] = {}
    states: dict[str, list[str]] = {state: [] for state in STATES}
    for report in reports:
        own = tuple(each for each in report.found.reported_findings if key_of(each) in keys)
        told = replace(report, shared=own)
        yield from _text(told, said)
        states[told.state].append(told.path)
    for (code, message), others in said.items():
        if others:
            yield f"{code} also in {_named(others)}: {message}"
    if sum(map(len, states.values())) > 1:
        yield from (f"{state:<10}  {len(of):>3}  {_named(of)}".rstrip() for state, of in states.items())


def key_of(finding: Finding) -> tuple[str, str, tuple[str, ...]]:
    """Give what is the same for a warning that runs share."""
    return finding.code.name, finding.message, finding.qids


def find_shared(reports: Sequence[RunReport]) -> list[Finding]:
    """Find the warnings that all of several runs have for the same queries."""
    if len(reports) < 2:
        return []
    several = [
        {key_of(each): each for each in report.found.reported_findings if each.qids and not each.code.is_error}
        for report in reports
    ]
    return [finding for key, finding in several[0].items() if all(key in each for each in several)]


def _named(paths: Sequence[str]) -> str:
    return list_some(paths, None if len(paths) <= SHOWN else SHOWN)


def github(runs: Runs | Validation) -> Iterator[str]:
    """Write the findings of one run after the other as annotations of a workflow."""
    return (f"{line}\n" for run in _placed(runs) for line in _github(*run))


def json(runs: Runs | Validation) -> Iterator[str]:
    """Write one object when all runs are checked."""
    yield as_json({"runs": [_record(*run) for run in _placed(runs)]})


def _placed(runs: Runs | Validation) -> Runs:
    return ((checked, None) for checked in runs.checked_runs) if isinstance(runs, Validation) else runs


def tables(validation: Validation, *, places: int) -> Document:
    """Lay out the findings of all runs, and what each run holds; ``places`` are not heeded, as all is whole."""
    del places
    head, *several = rows(validation, places=None)
    cells = [["" if cell is None else plain(str(cell)) for cell in row] for row in several]
    lines = [f"{fspath(each.path)}: {_counts(each.found)}{_size(each)}" for each in validation.checked_runs]
    table = ReportTable.from_rows("", len(head), [*map(str, head)], cells)
    return Document([table], (), str(validation.signature), signs=[*map(plain, lines)])


def rows(validation: Validation, *, places: int | None) -> Iterator[Row]:
    """Give a row for each finding."""
    del places
    yield ["run", "line", "code", "name", "severity", "message"]
    for checked in validation.checked_runs:
        for finding in checked.found.reported_findings:
            yield [fspath(checked.path), *[*_finding(finding).values()][:5]]


def numbers(validation: Validation) -> Iterator[Row]:
    """Give what each run holds, and how many errors and warnings."""
    yield ["run", "errors", "warnings", "lines", "queries", "documents"]
    for checked in validation.checked_runs:
        yield [*_record(checked, None).values()][:6]


def _text(report: RunReport, said: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    """Write what is wrong with a run; what is wrong with all of it, and was ``said`` of another, is noted there."""
    path, fixed, found = report.path, report.is_fixed, report.found
    several: dict[tuple[str, str], list[Finding]] = {}
    for number, finding in enumerate(each for each in found.reported_findings if each not in report.shared):
        what = finding.code.name, short(finding.message)
        several.setdefault(what if found.most is not None else (*what[:1], str(number)), []).append(finding)
    hidden = dict(found.hidden)
    for (code, _), alike in several.items():
        first, message = alike[0], short(alike[0].message)
        if fixed and first.code.repair:
            continue
        whole = len(alike) > 1 and len(alike) == sum(finding.code.name == code for finding in found.kept)
        more = len(alike) - 1 + (hidden.pop(code, 0) if whole else 0)
        if (first.line in (None, 1)) and found.most is not None:
            others = said.get((code, message))
            if others is not None:
                others.append(path)
                continue
            said[code, message] = []
        where = path if first.line is None else f"{path}:{first.line}"
        yield f"{where}: {code} {message}" + (f" (and {plural(more, 'more line')})" if more else "")
    for name, many in hidden.items():
        if not (fixed and CODES[name].repair):
            yield f"{path}: {name} {many:,} more; --all shows them"
    yield f"{path}: {_counts(found, report.shared)}{report.size}"
    yield from report.repair


def _counts(found: Findings, shared: Iterable[Finding] = ()) -> str:
    errors, warnings = found.total(errors=True), found.total(errors=False, shared=shared)
    if not errors + warnings:
        return "clean; "
    return f"{plural(errors, 'error')}, {plural(warnings, 'warning')}; "


def _size(checked: Checked) -> str:
    depths = checked.depths
    if not len(depths):
        return plural(checked.rows.length, "line") + (", none of them an entry" if checked.found.many["E201"] else "")
    low, high = int(depths.min()), int(depths.max())
    deep = f"{low:,} deep" if low == high else f"{low:,} to {high:,} deep, median {np.median(depths):,g}"
    queries = [plural(checked.queries, "query")] + [plural(len(depths), "ranking")] * (len(depths) > checked.queries)
    return ", ".join([plural(checked.rows.length, "line"), *queries, plural(checked.documents, "document"), deep])


def _repair(checked: Checked, place: Path | None) -> Iterator[str]:
    """Say what was written and why it differs, or why nothing was."""
    if place is None:
        return
    obstacles = checked.obstacles
    if obstacles:
        yield f"{place}: not written; what {', '.join(code.name for code in obstacles)} found has no certain repair"
        return
    done = checked.repairs
    yield f"{place}: written{'' if done else ', with nothing to repair'}"
    for code, many in done:
        yield f"{place}: {code.name} {code.title} ({many:,}): {code.repair}"


def _github(checked: Checked, place: Path | None) -> Iterator[str]:
    path = fspath(checked.path)
    for finding in checked.found.reported_findings:
        kind = "error" if finding.code.is_error else "warning"
        title = f"{finding.code.name} {finding.code.title}"
        yield plain(write_annotation(kind, short(finding.message), file=path, line=finding.line, title=title))
    yield defuse(plain(f"{path}: {_counts(checked.found)}{_size(checked)}"))
    yield from (defuse(plain(line)) for line in _repair(checked, place))


def _record(checked: Checked, place: Path | None) -> dict[str, Any]:
    depths = checked.depths
    return {
        "run": fspath(checked.path),
        "errors": checked.found.total(errors=True),
        "warnings": checked.found.total(errors=False),
        "lines": checked.rows.length,
        "queries": checked.queries,
        "documents": checked.documents,
        "depth": [int(depths.min()), float(np.median(depths)), int(depths.max())] if len(depths) else None,
        "counts": dict(sorted(checked.found.many.items())),
        "findings": [_finding(finding) for finding in checked.found.reported_findings],
        "fixed": fspath(place) if place is not None and checked.is_written(place) else None,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    severity = "error" if finding.code.is_error else "warning"
    named = {"code": finding.code.name, "name": finding.code.title, "severity": severity}
    of_queries = {"count": len(finding.qids), "qids": list(finding.qids)} if finding.qids else {}
    return {"line": finding.line, **named, "message": finding.message, **of_queries}
