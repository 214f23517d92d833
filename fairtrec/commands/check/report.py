"""Verdicts of the gate: as text, Markdown, JSON, JUnit XML or annotations of a GitHub workflow, and as a table."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from os import fspath
from pathlib import Path
from shutil import get_terminal_size
from typing import Any
from xml.etree import ElementTree as ET

from fairtrec.commands.check.check import Verdicts
from fairtrec.commands.check.requirement import STATUSES, Gate, Verdict
from fairtrec.evaluation.answers.result import Part
from fairtrec.evaluation.columns.orders import OVER_ORDERS
from fairtrec.formulas.rounding import NEAR
from fairtrec.report.cells import format_distinct
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.markup import code_md, escape_markdown
from fairtrec.report.note_selection import select_notes, wrap_hanging
from fairtrec.report.output import write_annotation
from fairtrec.report.records import Row, head, list_runs, note_records
from fairtrec.report.records import json as as_json
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.row_answers import write_rows
from fairtrec.report.run_names import map_names
from fairtrec.report.short_signature import shorten_signature
from fairtrec.report.styled_lines import Line, render_lines
from fairtrec.report.terminal import fit_names
from fairtrec.statistics.doubt import TOO_NARROW, add_doubtful, explain_doubt, explain_few_clusters, mark_doubt
from fairtrec.support.errors import plain
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, write_queries

KEYS = ("run", "requirement", "slice", "group")
WORDS = {"passed": "passed", "warning": "warning", "undecided": "OPEN", "failed": "FAILED"}
STYLES = {"passed": "green", "warning": "yellow", "undecided": "bold yellow", "failed": "bold red"}
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0
LARGEST = 1 << 24  # bytes of a file of verdicts that is known as one
_COUNTED = rb"(?:\d+ (?:passed|warnings?|OPEN|FAILED)|no verdicts)"
OURS = (  # how what is written here reads, from its start to its end
    rb'<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="fairtrec check".*>\n',
    rb"### fairtrec check: .*\n`fairtrec:[^\n]*`\n",
    rb'\{\n "fairtrec": ".*\n "verdicts": .*\}\n',
    rb"(?:::(?:error|warning) [^\n]*title=fairtrec%3A [^\n]*\n)*",
    rb"(?:(?:passed|warning|OPEN|FAILED| {9})[^\n]*\n)*"
    + _COUNTED
    + rb"\b[^\n]*\n(?:#[^\n]*\n)*# fairtrec:[^\n]*\n(?:#[^\n]*\n)*",
)
SIGNS = {"passed": "✅", "warning": "⚠️", "undecided": "❔", "failed": "❌"}


DOUBTFUL = NoteKind("doubtful verdict", TOO_NARROW, NoteSeverity.LEGEND)


def name_runs(checked: Verdicts) -> Mapping[str, str]:
    """Give the short name of each run."""
    return {run: plain(name) for run, name in map_names(scores.run for scores in checked.result.scores).items()}


def summary(checked: Verdicts) -> str:
    """Count the verdicts."""
    many = Counter(verdict.status for verdict in checked.verdicts)
    words = {**WORDS, "warning": "warnings"} if many["warning"] > 1 else WORDS
    counts = ", ".join(f"{many[status]} {words[status]}" for status in STATUSES if many[status])
    gate = checked.gate
    ways = [word for word, asked in (("strict", gate.strict), ("prove", gate.prove)) if asked]
    ways += [] if gate.interval == "t" else [f"interval {gate.interval}"]
    ways += ["fail on warnings"] if gate.fail_on == "warning" else []
    ways += [f"baseline {checked.baseline}"] if checked.baseline else []
    counts += add_doubtful(count_doubtful(checked))
    return plain(f"{counts or 'no verdicts'} ({', '.join([f'confidence {gate.confidence:g}', *ways])})")


def count_doubtful(checked: Verdicts) -> int:
    """Count the verdicts that rest on a doubtful interval; of a mean only ``prove`` looks at it."""
    return sum(each.doubtful and (each.evidence is not None or checked.gate.prove) for each in checked.verdicts)


def list_notes(checked: Verdicts) -> list[Note]:
    """List the notes on the verdicts."""
    doubtful = {each.is_pooled for each in checked.verdicts if each.doubtful}
    units = "clusters" if checked.result.clusters else "queries"
    rules = [explain_doubt("values")] * (False in doubtful) + [explain_few_clusters(units)] * (True in doubtful)
    of_result = [note for note in list_result_notes(checked.result) if note.kind is not OVER_ORDERS]  # not shown here
    return [*(DOUBTFUL.note(rule=rule) for rule in rules), *checked.notes, *of_result]


def title(verdict: Verdict) -> str:
    """Name what is asked for, and of which slice or group."""
    part = _name_part(verdict)
    return plain(f"{verdict.requirement}{f' [{part}]' if part and not verdict.requirement.is_of_worst else ''}")


def _name_part(verdict: Verdict) -> str:
    """Name the slice or group of a verdict, if it is of one."""
    return (verdict.group if verdict.requirement.parts == "group" else verdict.slice) or ""


def facts(verdict: Verdict, places: int) -> str:
    """Write the figures behind a verdict."""
    found = verdict.evidence
    alike = math.isclose(verdict.value, verdict.bound, rel_tol=NEAR, abs_tol=NEAR)
    value, bound = format_distinct(verdict.value, verdict.value if alike else verdict.bound, places)
    of = "" if verdict.defined == verdict.queries else f"{verdict.defined} of "
    many = f"{of}{write_queries([verdict.queries])}"
    where = plain(f" in {_name_part(verdict)}") if verdict.requirement.is_of_worst else ""
    open_ = f", could be{_ends(verdict.ends, places)}" if verdict.ends is not None else ""
    open_ += f" over {verdict.with_bounds}" * (verdict.with_bounds not in (None, verdict.defined))
    many = f"pooled over {many}" if verdict.is_pooled else many
    if found is None and math.isnan(verdict.value):
        return f"undefined{open_}{where}, {many}"
    if found is None:
        reach = mark_doubt(_ends(verdict.interval, places), doubtful=verdict.doubtful)
        return f"{value}{reach}{open_}{where}, {many}"
    difference, low, high = (f"{each:+z.{places}f}" for each in (found.difference, found.low, found.high))
    part = "" if verdict.requirement.factor == 1 else f" from {verdict.requirement.factor:g} x baseline"
    least = f"{found.detectable:.{places}f}" if math.isfinite(found.detectable) else "nothing"
    return (
        f"{value}{open_}{where}, baseline {found.baseline:.{places}f}, bound {bound}, "
        f"difference{part} {difference} {mark_doubt(f'[{low}, {high}]', doubtful=verdict.doubtful)}, {many}, "
        f"detectable {least}"
    )


def _ends(interval: tuple[float, float] | None, places: int) -> str:
    """Write the interval of a mean; nothing where one query leaves it open."""
    if interval is None or not all(map(math.isfinite, interval)):
        return ""
    return f" [{interval[0]:z.{places}f}, {interval[1]:z.{places}f}]"


def text(
    checked: Verdicts, *, places: int = 4, terminal: bool = False, window: bool = False, most: int | None = None
) -> str:
    """Write a line for each verdict, and below it the reason where it is not simply passed.

    In a ``window`` names are shortened, and figures that have no room stand below, too. ``most`` notes are shown
    (None: all), and then a terminal shows the short signature.
    """
    lines: list[Line] = []
    room = get_terminal_size().columns if terminal or window else None
    called = fit_names(room, name_runs(checked))
    run = max(map(len, called.values()), default=0)
    asked = max((len(title(verdict)) for verdict in checked.verdicts), default=0)
    for verdict in checked.verdicts:
        first = f"{'':<9}{called[verdict.run]:<{run + 2}}{title(verdict):<{asked + 2}}"
        found = [f"{first}{facts(verdict, places)}"]
        if room is not None and len(found[0]) > room:
            found = [*wrap_hanging(first.rstrip(), room, 9), *wrap_hanging(f"{'':<9}{facts(verdict, places)}", room, 9)]
        found += wrap_hanging(f"{'':<9}{plain(verdict.reason)}", room, 9) if verdict.reason else []
        lines.append([(f"{WORDS[verdict.status]:<9}", STYLES[verdict.status]), (found[0][9:], "")])
        lines += ([(line, "")] for line in found[1:])
    signature = plain(str(checked.signature))
    below = (
        *wrap_hanging(summary(checked), room, 4),
        *(f"# {plain(line)}" for line in select_notes(list_notes(checked), most)),
        f"# {shorten_signature(signature) if terminal and most is not None else signature}",
    )
    return render_lines([*lines, *([(each, "dim")] for each in below)], terminal=terminal)


def tables(checked: Verdicts, *, places: int = 4) -> Document:
    """Lay out a table of all verdicts, with the reasons."""
    called = name_runs(checked)
    cells = [[WORDS[v.status], called[v.run], title(v), facts(v, places), plain(v.reason)] for v in checked.verdicts]
    table = ReportTable.from_rows(summary(checked), 5, ["verdict", "run", "requirement", "result", "why"], cells)
    faults = [plain(fault) for _, fault in checked.result.failed]
    return Document([table], list_notes(checked), plain(str(checked.signature)), signs=faults)


def rows(checked: Verdicts, *, places: int | None) -> Iterator[Row]:
    """Give a row for each verdict, with the fields that all verdicts have."""
    return write_rows(map(_list_fields, checked.verdicts), places)


def _list_fields(verdict: Verdict) -> dict[str, Any]:
    asked = verdict.requirement
    which = {"run": verdict.run, "requirement": str(asked), "slice": verdict.slice, "group": verdict.group}
    judged = {"status": verdict.status, "reason": verdict.reason, "measure": str(asked.measure)}
    numbers = {name: getattr(verdict, name) for name in ("value", "bound", "defined", "queries")}
    return {**which, **judged, **numbers}


def md(checked: Verdicts, *, places: int = 4) -> str:
    """Write a Markdown table, the reasons below it."""
    rows = [["", "run", "requirement", "result"], [":--"] * 4]
    called = name_runs(checked)
    for verdict in checked.verdicts:
        cells = called[verdict.run], title(verdict), facts(verdict, places)
        rows.append([f"{SIGNS[verdict.status]} {verdict.status}", *map(_escaped, cells)])
    reasons = [f"{called[each.run]}, {title(each)}: {plain(each.reason)}" for each in checked.verdicts if each.reason]
    reasons += [plain(fault) for _, fault in checked.result.failed]
    notes = [plain(str(note)) for note in list_notes(checked)]
    lines = [f"### fairtrec check: {_escaped(summary(checked))}", "", *(f"| {' | '.join(row)} |" for row in rows), ""]
    lines += [*(f"- {_escaped(line)}" for line in (*reasons, *notes)), *[""] * bool(reasons or notes)]
    return "".join(f"{line}\n" for line in [*lines, code_md(str(checked.signature))])


def _escaped(text: str) -> str:
    return escape_markdown(text, ">]")


def record(checked: Verdicts) -> dict[str, Any]:
    """Give one object with every verdict in full precision."""
    result = checked.result
    return {
        **head(result, checked.signature),
        "passed": checked.passed,
        "doubtful": count_doubtful(checked),
        "confidence": checked.gate.confidence,
        "interval": checked.gate.interval,
        "strict": checked.gate.strict,
        "prove": checked.gate.prove,
        "fail_on": checked.gate.fail_on,
        "baseline": checked.baseline,
        "failed": [{"run": name, "fault": fault} for name, fault in result.failed],
        "notes": note_records(list_notes(checked)),
        "runs": list_runs(result),
        "verdicts": list(map(_record, checked.verdicts)),
    }


def json(found: Mapping[str, Any]) -> str:
    """Write the object; the same text, but no command to the runner of GitHub Actions."""
    return as_json(found).replace("##[", "##\\u005b")


def _record(verdict: Verdict) -> dict[str, Any]:
    """Give all that is known of a verdict."""
    found = _list_fields(verdict)
    if verdict.interval is not None:
        found |= dict(zip(("low", "high"), verdict.interval, strict=True))
    if verdict.ends is not None:
        found |= dict(zip(("least", "greatest"), verdict.ends, strict=True))
    if verdict.with_bounds is not None:
        found["with_bounds"] = verdict.with_bounds
    if verdict.label is not None:
        found["label"] = asdict(verdict.label)
    if verdict.evidence is not None:
        names = ("baseline", "difference", "low", "high", "tolerance", "detectable", "deciding")
        found |= {name: getattr(verdict.evidence, name) for name in names}
    found["doubtful"] = verdict.doubtful
    return {**found, "pooled": True} if verdict.is_pooled else found


def github(checked: Verdicts, *, places: int = 4) -> str:
    """Write an annotation for each requirement that is failed, or passed with a warning."""
    called, lines = name_runs(checked), []
    for verdict in checked.verdicts:
        if verdict.status != "passed":
            kind = "error" if checked.gate.fails(verdict.status) else "warning"
            message = f"{called[verdict.run]}: {facts(verdict, places)}; {plain(verdict.reason)}"
            heading = f"fairtrec: {title(verdict)}"
            read = checked.result.files.get(Part("run", verdict.run))
            place = None if read is None else fspath(read.place)
            lines.append(f"{write_annotation(kind, message, file=place, title=heading)}\n")
    broken = [
        write_annotation("error", plain(fault), file=run, title="fairtrec: broken")
        for run, fault in checked.result.failed
    ]
    return "".join([*lines, *(f"{line}\n" for line in broken)])


def junit(checked: Verdicts, *, places: int = 4, seconds: float = 0) -> str:
    """Write JUnit XML, as Jenkins, GitLab and their kin read it: a suite for each run, a case for each requirement.

    A warning is the output of a case that passed, a broken run a suite with an error. The time is
    that of the whole command, an equal share for each suite; without it, the same input gives the same bytes.
    """
    failed = checked.result.failed
    root = ET.Element("testsuites", _counts("fairtrec check", checked.verdicts, checked.gate, len(failed)))
    for scores in checked.result.scores:
        of_run = [verdict for verdict in checked.verdicts if verdict.run == scores.run]
        suite = ET.SubElement(root, "testsuite", _counts(scores.run, of_run, checked.gate))
        properties = ET.SubElement(suite, "properties")
        made = {"signature": str(checked.signature), "confidence": f"{checked.gate.confidence:g}"}
        made |= {"interval": checked.gate.interval}
        made |= {"notes": "; ".join(map(str, checked.notes))} if checked.notes else {}
        for name, value in made.items():
            ET.SubElement(properties, "property", {"name": name, "value": value})
        for verdict in of_run:
            names = {"classname": scores.run, "name": title(verdict), "time": "0"}
            case, said = ET.SubElement(suite, "testcase", names), facts(verdict, places)
            if checked.gate.fails(verdict.status):
                failure = {"message": verdict.reason, "type": "requirement"}
                ET.SubElement(case, "failure", failure).text = said
            elif verdict.status == "warning":
                ET.SubElement(case, "system-out").text = f"warning: {verdict.reason}; {said}"
    for run, fault in failed:
        _error(root, run, fault)
    for suite in root:
        suite.set("time", f"{seconds / len(root):.3g}")
    root.set("time", f"{seconds:.3g}")
    return _written(root)


def is_verdicts(path: Path) -> bool:
    """Tell by its content a file that one of the formats above wrote; an empty one holds nothing that can be lost."""
    if not path.is_file() or path.stat().st_size > LARGEST:
        return False
    text = path.read_bytes()
    return any(re.fullmatch(pattern, text, re.DOTALL) is not None for pattern in OURS)


def write_fault(message: str, where: str = "") -> str:
    """Write that nothing was judged, and why."""
    root = ET.Element("testsuites", _counts("fairtrec check", (), Gate(), 1))
    _error(root, where or "fairtrec check", message)
    return _written(root)


def _error(root: ET.Element, run: str, message: str) -> None:
    suite = ET.SubElement(root, "testsuite", _counts(run, (), Gate(), 1))
    case = ET.SubElement(suite, "testcase", {"classname": run, "name": "evaluation", "time": "0"})
    ET.SubElement(case, "error", {"message": message, "type": "input"})


def _written(root: ET.Element) -> str:
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _FORBIDDEN.sub("", ET.tostring(root, encoding="unicode")) + "\n"


def _counts(name: str, verdicts: Sequence[Verdict], gate: Gate, errors: int = 0) -> dict[str, str]:
    failures = sum(gate.fails(verdict.status) for verdict in verdicts)
    counts = {"tests": len(verdicts) + errors, "failures": failures, "errors": errors, "time": 0}
    return {"name": name, **{each: str(many) for each, many in counts.items()}}
