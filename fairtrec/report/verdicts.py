"""Verdicts of the gate: as text, Markdown or JSON."""

import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fairtrec.api import Result
from fairtrec.errors import plain
from fairtrec.gate import STATUSES, Rule, Verdict
from fairtrec.report import closing, names
from fairtrec.report.records import document, inputs, number
from fairtrec.rounding import NEAR
from fairtrec.version import __version__

WORDS = {"passed": "passed", "warning": "warning", "failed": "FAILED"}
STYLES = {"passed": "green", "warning": "yellow", "failed": "bold red"}
SIGNS = {"passed": "✅", "warning": "⚠️", "failed": "❌"}


@dataclass(frozen=True, eq=False)
class Checked:
    """All verdicts on all runs, and what they rest on."""

    verdicts: tuple[Verdict, ...]
    result: Result  # of the runs that are judged
    rule: Rule
    baseline: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every run meets every requirement."""
        return all(verdict.status != "failed" for verdict in self.verdicts)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The short name of each run."""
        runs = [scores.run for scores in self.result.scores]
        return dict(zip(runs, map(plain, names(self.result)), strict=True))

    @property
    def summary(self) -> str:
        """Count the verdicts."""
        many = Counter(verdict.status for verdict in self.verdicts)
        words = {**WORDS, "warning": "warnings"} if many["warning"] > 1 else WORDS
        counts = ", ".join(f"{many[status]} {words[status]}" for status in STATUSES if many[status])
        strict = ", strict" if self.rule.strict else ""
        against = f", baseline {self.baseline}" if self.baseline else ""
        return plain(f"{counts} (alpha {self.rule.alpha:g}{strict}{against})")

    @property
    def closing(self) -> list[str]:
        """What a reader should know beside the verdicts; last the signature."""
        return [plain(line) for line in (*self.notes, *closing(self.result))]


def title(verdict: Verdict) -> str:
    """Name what is asked for, and of which slice."""
    each = f" [{verdict.slice}]" if verdict.requirement.scope == "every slice" else ""
    return plain(f"{verdict.requirement}{each}")


def facts(verdict: Verdict, places: int) -> str:
    """Write the figures behind a verdict."""
    found = verdict.evidence
    alike = math.isclose(verdict.value, verdict.bound, rel_tol=NEAR, abs_tol=NEAR)
    value, bound = told_apart(verdict.value, verdict.value if alike else verdict.bound, places)
    of = "" if verdict.defined == verdict.queries else f" of {verdict.queries}"
    n = f"n {verdict.defined}{of}"
    where = plain(f" in {verdict.slice}") if verdict.requirement.scope == "worst slice" else ""
    if found is None:
        return f"{value}{where}, {n}" if not math.isnan(verdict.value) else f"undefined{where}, {n}"
    difference, low, high = (f"{each:+z.{places}f}" for each in (found.difference, found.low, found.high))
    part = "" if verdict.requirement.factor == 1 else f" from {verdict.requirement.factor:g} x baseline"
    least = f"{found.detectable:.{places}f}" if math.isfinite(found.detectable) else "nothing"
    return (
        f"{value}{where}, baseline {found.baseline:.{places}f}, bound {bound}, "
        f"difference{part} {difference} [{low}, {high}], {n}, detectable {least}"
    )


def told_apart(one: float, other: float, places: int) -> tuple[str, str]:
    """Write two numbers with as many digits as tell them apart."""
    for digits in range(places, 18):
        written = f"{one:.{digits}f}", f"{other:.{digits}f}"
        if written[0] != written[1] or one == other:
            return written
    return repr(one), repr(other)


def text(checked: Checked, *, places: int = 4, terminal: bool = False) -> str:
    """Write a line for each verdict, and below it the reason where it is not simply passed."""
    from rich.console import Console
    from rich.text import Text

    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, highlight=False)
    run = max(map(len, checked.names.values()))
    asked = max(len(title(verdict)) for verdict in checked.verdicts)
    for verdict in checked.verdicts:
        run_and_title = f"{checked.names[verdict.run]:<{run + 2}}{title(verdict):<{asked + 2}}"
        status = (f"{WORDS[verdict.status]:<9}", STYLES[verdict.status])
        line = Text.assemble(status, run_and_title, facts(verdict, places))
        console.print(line, soft_wrap=True)
        if verdict.reason:
            console.print(Text(f"{'':<9}{plain(verdict.reason)}"), soft_wrap=True)
    for each in (checked.summary, *(f"# {line}" for line in checked.closing)):
        console.print(Text(each, "dim"), soft_wrap=True)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().split("\n")[:-1])


def md(checked: Checked, *, places: int = 4) -> str:
    """Write a Markdown table, the reasons below it."""
    rows = [["", "run", "requirement", "result"], [":--"] * 4]
    for verdict in checked.verdicts:
        cells = checked.names[verdict.run], title(verdict), facts(verdict, places)
        rows.append([f"{SIGNS[verdict.status]} {verdict.status}", *map(_escaped, cells)])
    reasons = [
        f"{checked.names[each.run]}, {title(each)}: {plain(each.reason)}" for each in checked.verdicts if each.reason
    ]
    *notes, signature = checked.closing
    lines = [f"### fairtrec check: {_escaped(checked.summary)}", "", *(f"| {' | '.join(row)} |" for row in rows), ""]
    lines += [*(f"- {_escaped(line)}" for line in (*reasons, *notes)), *[""] * bool(reasons or notes)]
    return "".join(f"{line}\n" for line in [*lines, f"`{signature.replace('`', '')}`"])


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", text)


def json(checked: Checked, *, places: int = 4) -> str:  # noqa: ARG001 - they all have it
    """Write one object with every verdict in full precision."""
    result = checked.result
    found = {
        "fairtrec": __version__,
        "signature": result.signature,
        "inputs": inputs(result),
        "passed": checked.passed,
        "alpha": checked.rule.alpha,
        "strict": checked.rule.strict,
        "baseline": checked.baseline,
        "notes": [*checked.notes, *closing(result)[:-1]],
        "verdicts": [dict(_pairs(verdict)) for verdict in checked.verdicts],
    }
    return document(found).replace("##[", "##\\u005b")  # the same text, but no command to the runner of GitHub Actions


def _pairs(verdict: Verdict) -> Iterator[tuple[str, Any]]:
    for name in ("run", "requirement", "slice", "status", "reason"):
        value = getattr(verdict, name)
        yield name, value if value is None else str(value)
    yield "measure", str(verdict.requirement.measure)
    yield from (("value", number(verdict.value)), ("bound", number(verdict.bound)))
    yield from (("n", verdict.defined), ("queries", verdict.queries))
    for name in ("baseline", "difference", "low", "high", "tolerance", "detectable"):
        if verdict.evidence is not None:
            yield name, number(getattr(verdict.evidence, name))
