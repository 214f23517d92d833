"""Reports of checked runs: lines for people and editors, JSON, and the annotations of a GitHub workflow."""

from collections.abc import Iterable, Iterator, Sequence
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.commands.validate.checked import Checked
from fairtrec.commands.validate.findings import CODES, Finding, plural, some
from fairtrec.commands.validate.validating import Validation
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.output import annotation
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


def _lines(runs: Runs) -> Iterator[str]:
    """Say of each run what is wrong with it, once; behind several, what holds of more than one, and what is sound."""
    said: dict[tuple[str, str], list[str]] = {}
    states: dict[str, list[str]] = {state: [] for state in STATES}
    for checked, place in runs:
        yield from _text(checked, place, said)
        states[_state(checked)].append(short(fspath(checked.path)))
    for (code, message), others in said.items():
        if others:
            yield f"{code} also in {_named(others)}: {message}"
    if sum(map(len, states.values())) > 1:
        yield from (f"{state:<10}  {len(of):>3}  {_named(of)}".rstrip() for state, of in states.items())


def _state(checked: Checked) -> str:
    clean, warnings, repairable, broken = STATES
    if checked.found.total(errors=True):
        return broken if checked.obstacles else repairable
    return warnings if checked.found.total(errors=False) else clean


def _named(paths: Sequence[str]) -> str:
    return some(paths, None if len(paths) <= SHOWN else SHOWN)


def github(runs: Runs | Validation) -> Iterator[str]:
    """Write the findings of one run after the other as annotations of a workflow."""
    return (f"{line}\n" for run in _placed(runs) for line in _github(*run))


def json(runs: Runs | Validation) -> Iterator[str]:
    """Write one object when all runs are checked."""
    yield as_json({"runs": [_record(*run) for run in _placed(runs)]})


def _placed(runs: Runs | Validation) -> Runs:
    return ((checked, None) for checked in runs.checked) if isinstance(runs, Validation) else runs


def tables(validation: Validation, *, places: int) -> Document:
    """Lay out the findings of all runs, and what each run holds; ``places`` are not heeded, as all is whole."""
    del places
    head, *several = rows(validation, places=None)
    cells = [["" if cell is None else plain(str(cell)) for cell in row] for row in several]
    lines = [f"{fspath(each.path)}: {_counts(each)}{_size(each)}" for each in validation.checked]
    table = ReportTable.of_rows("", len(head), [*map(str, head)], cells)
    return Document([table], (), str(validation.signature), signs=[*map(plain, lines)])


def rows(validation: Validation, *, places: int | None) -> Iterator[Row]:
    """Give a row for each finding."""
    del places
    yield ["run", "line", "code", "name", "severity", "message"]
    for checked in validation.checked:
        for finding in checked.found.in_order:
            yield [fspath(checked.path), *_finding(finding).values()]


def numbers(validation: Validation) -> Iterator[Row]:
    """Give what each run holds, and how many errors and warnings."""
    yield ["run", "errors", "warnings", "lines", "queries", "documents"]
    for checked in validation.checked:
        yield [*_record(checked, None).values()][:6]


def _text(checked: Checked, place: Path | None, said: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    """Write what is wrong with a run; what is wrong with all of it, and was ``said`` of another, is noted there."""
    path, fixed = short(fspath(checked.path)), checked.is_written(place)
    found = checked.found
    several: dict[tuple[str, str], list[Finding]] = {}
    for number, finding in enumerate(found.in_order):
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
    yield f"{path}: {_counts(checked)}{_size(checked)}"
    yield from _repair(checked, place)


def _counts(checked: Checked) -> str:
    errors, warnings = (checked.found.total(errors=errors) for errors in (True, False))
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
    done = checked.repaired
    yield f"{place}: written{'' if done else ', with nothing to repair'}"
    for code, many in done:
        yield f"{place}: {code.name} {code.title} ({many:,}): {code.repair}"


def _github(checked: Checked, place: Path | None) -> Iterator[str]:
    path = fspath(checked.path)
    for finding in checked.found.in_order:
        kind = "error" if finding.code.is_error else "warning"
        title = f"{finding.code.name} {finding.code.title}"
        yield plain(annotation(kind, short(finding.message), file=path, line=finding.line, title=title))
    yield defuse(plain(f"{path}: {_counts(checked)}{_size(checked)}"))
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
        "findings": [_finding(finding) for finding in checked.found.in_order],
        "fixed": fspath(place) if place is not None and checked.is_written(place) else None,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    severity = "error" if finding.code.is_error else "warning"
    named = {"code": finding.code.name, "name": finding.code.title, "severity": severity}
    return {"line": finding.line, **named, "message": finding.message}
