"""HTML: the answers of a study on one page, without a script, and with nothing that is loaded."""

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from os import fspath
from typing import Any
from xml.etree.ElementTree import Element

from fairtrec.lab.report.claims import OPEN, count_tied, find_widest, list_changes, name_fairness, spell_variant
from fairtrec.lab.report.figure import draw_front
from fairtrec.lab.report.methods import count_queries
from fairtrec.lab.report.study import StudyReport
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.note_selection import select_notes
from fairtrec.report.page import TABLES, element, file, make_table, page, wrap_scrollable
from fairtrec.report.run_names import shorten_names
from fairtrec.support.errors import FilePath
from fairtrec.support.notes import NoteSeverity

PLACES = 4
FEW = 3  # notes and runs of a summary
FINDINGS = 5  # of a run that are listed
HYPHENED = re.compile(r"((?<!\S)[(\[]?\w[\w.:]*-[^\s,;()]{1,60})")  # a word such as bm25-rm3
LINK = re.compile(r"(https://\S+[^\s;,).])")


def html(report: StudyReport, record: FilePath) -> str:
    """Write the page: an answer to each question, then what was not done, the methods and the files.

    ``record`` is the path of report.json, which the page tells you to replay.
    """
    main = report.parts["eval"].record
    runs = _count(len(main["runs"]), "run")
    facts = f"{runs}, {count_queries(main)} each: {', '.join(main['measures'])}"
    shown = [name for name in report.parts if not is_closed(report, name)]
    above = [
        _box(report, shown),
        _summary(report, shown),
        *(_part(report, name) for name in shown),
        _not_done(report),
        _methods(report),
        _files(report, record),
    ]
    style = TABLES + file("study.css", "fairtrec.lab.report")
    return page("Fairness report", [facts], Document([], [], report.signature), above, style)


def is_closed(report: StudyReport, name: str) -> bool:
    """Tell whether a part is of bounds, and none leaves a value open: then one line says so."""
    return name in OPEN and not find_widest(report.parts[name].record)


def summarize(report: StudyReport, name: str) -> str:
    """Say what a part found, in the words of its command: its verdict, or the first note that eval has not."""
    answer = report.parts[name]
    record, document = answer.record, answer.lay_out(PLACES)
    of_record: dict[str, Callable[[dict[str, Any]], str]] = {
        "validate": _count_faults,
        "bounds orders": lambda found: "; ".join(describe_chance(found, _find_fairness(report))[:FEW]),
        "headroom": lambda found: "; ".join(_list_gains(found)[:FEW]),
    }
    if name in of_record:
        return of_record[name](record)
    if "variants" in record:
        return describe_flips(record)
    if document is None:
        return ""
    if document.verdict is not None:
        return str(document.verdict).removeprefix("verdict: ")
    if name.startswith("bounds"):
        return describe_widest(record)
    known = {note["kind"] for note in report.parts["eval"].record["notes"]} if name != "eval" else set()
    told = [note for note in document.notes if note.severity > NoteSeverity.LEGEND and note.kind.name not in known]
    return select_notes(told, None)[0] if told else ""


def _count_faults(record: dict[str, Any]) -> str:
    """Count the errors and the warnings of all runs."""
    errors, warnings = (sum(run[kind] for run in record["runs"]) for kind in ("errors", "warnings"))
    return f"{_count(len(record['runs']), 'run')}: {_count(errors, 'error')}, {_count(warnings, 'warning')}"


def _find_fairness(report: StudyReport) -> str:
    """Find the fairness measure that the study is about; "" if there is none."""
    return str(report.parts["headroom"].record["fairness"]) if "headroom" in report.parts else ""


def describe_chance(record: dict[str, Any], fairness: str) -> list[str]:
    """Say of each run what a random and the best order of its documents would give, by one measure."""
    measure = fairness if fairness in record["measures"] else next(iter(record["measures"]))
    end = {"higher": "greatest", "lower": "least"}.get(record["measures"][measure]["better"])
    found = []
    for name, run in zip(shorten_names([run["run"] for run in record["runs"]]), record["runs"], strict=True):
        mean = run["means"][measure]
        if mean["value"] is None or mean.get("expected") is None:
            continue
        best = "" if end is None else f", the best {mean[end]:.{PLACES}f}"
        skill = "" if mean.get("skill") is None else f" (skill {mean['skill']:+.3f})"
        random = f"a random order of its documents {mean['expected']:.{PLACES}f}"
        found.append(f"{name}: {measure} {mean['value']:.{PLACES}f}, {random}{best}{skill}")
    return found


def describe_flips(record: dict[str, Any]) -> str:
    """Say whether runs keep their order in all variants with other means, or which variant flips or ties the most."""
    changed, pairs = list_changes(record), record["pairs"]
    if not pairs or not record["variants"]:
        return ""
    if not changed:
        return "no other setting changes a mean"
    flips = {spell_variant(each): each["flipped"] or 0 for each in changed}
    ties = {spell_variant(each): count_tied(each, record) for each in changed}
    found, verb = (flips, "flip") if any(flips.values()) else (ties, "tie")
    if not any(found.values()):
        return f"yes, in {_count(len(changed), 'variant')} with other means"
    worst = max(found, key=lambda name: found[name])
    others = sum(many > 0 for many in found.values()) - 1
    behind = f"; {_count(others, 'more variant')} {verb}{'s' * (others == 1)} pairs" if others else ""
    answer = "no" if verb == "flip" else "in part"
    return f"{answer}: {found[worst]} of {_count(pairs, 'pair')} {verb}{'s' * (found[worst] == 1)} with {worst}{behind}"


def describe_widest(record: dict[str, Any]) -> str:
    """Say for which run each measure is left open most, among those that are."""
    found = [
        f"{measure}: {each.value:.{PLACES}f}{value_over} could be "
        f"[{each.least:.{PLACES}f}, {each.greatest:.{PLACES}f}]{ends_over} ({each.run})"
        for measure, each in find_widest(record).items()
        for value_over, ends_over in [each.count_behind()]
    ]
    return "; ".join(found) or "no value changes"


def _list_gains(record: dict[str, Any]) -> list[str]:
    """Say of each run what its fairness is, and what it could be at no loss."""
    short = shorten_names([run["run"] for run in record["runs"]])
    found = []
    for name, run in zip(short, record["runs"], strict=True):
        values = {(each["point"], each["loss"]): each["fairness"] for each in run["points"]}
        now, best = values.get(("run", None)), values.get(("loss", 0))
        if now is not None and best is not None:
            found.append(f"{name}: {name_fairness(record)} {now:.{PLACES}f}, at no loss {best:.{PLACES}f}")
    return found


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _anchor(name: str) -> str:
    return name.replace(" ", "-")


def _box(report: StudyReport, shown: Collection[str]) -> Element:
    """Show what a reader may write, and what not, each with a link to the part that it is from."""
    columns = []
    for title, is_shown in (("Write", True), ("Do not write", False)):
        claims = [claim for claim in report.claims if claim.is_shown is is_shown]
        lines = [
            element(
                "li", *_keep_names(f"{claim.text if is_shown else f'… {claim.text}'} "), *_link_part(claim.part, shown)
            )
            for claim in claims
        ]
        body = element("ul", *lines) if lines else element("p", "Nothing that these files can show.")
        columns.append(element("div", element("h3", title), body, class_="write" if is_shown else "not-write"))
    return element(
        "section", element("h2", "What can you write?"), element("div", *columns, class_="claims"), id="claims"
    )


def _link_part(name: str, shown: Collection[str]) -> Iterator[Element]:
    """Link to a part, if it has a section."""
    if name in shown:
        yield element("a", name.replace(" ", "\u00a0"), href=f"#{_anchor(name)}")


def _keep_names(text: str) -> Iterator[Element | str]:
    """Keep words with a hyphen, which names of runs have, from being broken there."""
    for number, part in enumerate(HYPHENED.split(text)):
        if part:
            yield element("span", part, class_="name") if number % 2 else part


def _summary(report: StudyReport, shown: Collection[str]) -> Element:
    """List the questions with the answers in words, and how many parts were not done."""
    lines = []
    for name in report.parts:
        question = report.about[name].question
        head: Element | str = element("a", question, href=f"#{_anchor(name)}") if name in shown else question
        lines.append(element("li", head, element("br"), *_keep_names(summarize(report, name))))
    if report.not_done:
        link = element("a", "What was not tested?", href="#not-done")
        parts = ", ".join(dict.fromkeys(left.part for left in report.not_done))
        lines.append(element("li", link, element("br"), parts))
    return element("section", element("h2", "In short"), element("ul", *lines, class_="answers"))


def _part(report: StudyReport, name: str) -> Element:
    """Show one part: its question, what it found, its tables, and the command."""
    answer = report.parts[name]
    document = answer.lay_out(PLACES)
    inside = [element("h2", report.about[name].question)]
    if told := summarize(report, name):
        inside.append(element("p", *_keep_names(told), class_="verdict"))
    if name == "eval":
        inside += draw_front(answer, report.fairness)
    if document is None:
        inside += _checks(answer.record)
    else:
        inside += [part for table in document.tables for part in _table(table, report.about[name].question)]
        lines = [*filter(None, document.signs), *select_notes(document.notes, None)]
        if lines:
            notes = element("ul", *(element("li", *_keep_names(line)) for line in lines))
            inside.append(element("details", element("summary", "How to read this"), notes))
    command = element("p", element("code", answer.line), class_="command")
    inside.append(element("details", element("summary", "The command"), command))
    return element("section", *inside, id=_anchor(name))


def _table(table: ReportTable, name: str) -> Iterator[Element]:
    """Give a table and its title; the cell of a value also has its interval."""
    if table.title:
        yield element("h3", table.title)

    def cells(row: int) -> Iterator[Element]:
        for number, column in enumerate(table.columns):
            beside = column.beside[row].strip() if column.beside else ""
            kind = "best" if row in column.best else "words" if column.words and column.head else None
            tag, scope = ("th", "row") if number < len(table.keys) else ("td", None)
            yield element(
                tag,
                *(_keep_names(column.cells[row]) if column.words else [column.cells[row]]),
                *[element("span", f" {beside}")] * bool(beside),
                class_=kind,
                scope=scope,
            )

    heads = [element("th", each.head, scope="col", class_="words" if each.words else None) for each in table.columns]
    yield wrap_scrollable(make_table(heads, map(cells, range(len(table.columns[0].cells)))), table.title or name)


def _checks(record: dict[str, Any]) -> Iterator[Element]:
    """Show what was checked of each run, and what was found."""
    names = ("errors", "warnings", "lines", "queries", "documents")
    short = shorten_names([run["run"] for run in record["runs"]])
    rows = [[name, *(f"{run[each]:,}" for each in names)] for name, run in zip(short, record["runs"], strict=True)]
    yield from _table(ReportTable.from_rows("", 1, ["run", *names], rows), "runs")
    found = [
        f"{name}: {each['code']} {each['message']}"
        for name, run in zip(short, record["runs"], strict=True)
        for each in run["findings"][:FINDINGS]
    ]
    if found:
        lines = element("ul", *(element("li", line) for line in found))
        yield element("details", element("summary", "What was found"), lines)


def _not_done(report: StudyReport) -> Element:
    """List what was not tested, and why."""
    rows = [[left.part, left.why] for left in report.not_done]
    inside: list[Element] = [element("p", "Every part was run.")]
    if rows:
        inside = [element("dl", *(part for row in rows for part in (element("dt", row[0]), element("dd", row[1]))))]
    return element("section", element("h2", "What was not tested?"), *inside, id="not-done")


def _methods(report: StudyReport) -> Element:
    """Write the methods, with links to the sources."""
    return element(
        "section",
        element("h2", "Methods"),
        *(element("p", *_link(line)) for line in report.methods),
        id="methods",
    )


def _link(line: str) -> Iterator[Element | str]:
    for number, part in enumerate(LINK.split(line)):
        yield element("a", part, href=part) if number % 2 else part


def _files(report: StudyReport, record: FilePath) -> Element:
    """List the files that were read, and how to compute the report again."""
    rows: Sequence[Sequence[str]] = [[role, file["path"], file["sha256"][:8]] for role, file in report.inputs.items()]
    heads = ["role", "file", "sha256"]
    table = ReportTable.from_rows("", 2, heads, rows)
    line = shlex.join(["fairtrec", "results", "replay", fspath(record)])
    again = element("p", "Run each part again, in the folder where the report was made: ", element("code", line))
    return element("section", element("h2", "Files"), *_table(table, "files"), again, id="files")
