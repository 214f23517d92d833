"""JUnit XML, as Jenkins, GitLab and their kin read it: a suite for each run, a case for each requirement.

The time is that of the whole command, an equal share for each suite; without it, the same input gives the same bytes.
"""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from fairtrec.gate.checking import Verdicts
from fairtrec.gate.requirement import Gate, Verdict
from fairtrec.report.verdicts import facts, title

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0


def junit(checked: Verdicts, *, places: int = 4, seconds: float = 0) -> str:
    """Write the verdicts; a warning is the output of a case that passed, a broken run a suite with an error."""
    failed = checked.result.failed
    root = ET.Element("testsuites", _counts("fairtrec check", checked.verdicts, checked.gate, len(failed)))
    for scores in checked.result.scores:
        of_run = [verdict for verdict in checked.verdicts if verdict.run == scores.run]
        suite = ET.SubElement(root, "testsuite", _counts(scores.run, of_run, checked.gate))
        properties = ET.SubElement(suite, "properties")
        for name, value in (
            ("signature", str(checked.result.signature)),
            ("confidence", f"{checked.gate.confidence:g}"),
            ("interval", checked.gate.interval),
        ):
            ET.SubElement(properties, "property", {"name": name, "value": _legal(value)})
        for verdict in of_run:
            names = {"classname": _legal(scores.run), "name": _legal(title(verdict)), "time": "0"}
            case = ET.SubElement(suite, "testcase", names)
            said = _legal(facts(verdict, places))
            if checked.gate.fails(verdict.status):
                failure = {"message": _legal(verdict.reason), "type": "requirement"}
                ET.SubElement(case, "failure", failure).text = said
            elif verdict.status == "warning":
                ET.SubElement(case, "system-out").text = _legal(f"warning: {verdict.reason}; {said}")
    for run, fault in failed:
        _error(root, run, fault)
    for suite in root:
        suite.set("time", f"{seconds / len(root):.3g}")
    root.set("time", f"{seconds:.3g}")
    return _written(root)


def broken(message: str, where: str = "") -> str:
    """Write that nothing was judged, and why."""
    root = ET.Element("testsuites", _counts("fairtrec check", (), Gate(), 1))
    _error(root, where or "fairtrec check", message)
    return _written(root)


def _error(root: ET.Element, run: str, message: str) -> None:
    suite = ET.SubElement(root, "testsuite", _counts(run, (), Gate(), 1))
    case = ET.SubElement(suite, "testcase", {"classname": _legal(run), "name": "evaluation", "time": "0"})
    ET.SubElement(case, "error", {"message": _legal(message), "type": "input"})


def _written(root: ET.Element) -> str:
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _counts(name: str, verdicts: Sequence[Verdict], gate: Gate, errors: int = 0) -> dict[str, str]:
    failures = sum(gate.fails(verdict.status) for verdict in verdicts)
    counts = {"tests": len(verdicts) + errors, "failures": failures, "errors": errors, "time": 0}
    return {"name": _legal(name), **{each: str(many) for each, many in counts.items()}}


def _legal(text: str) -> str:
    return _FORBIDDEN.sub("", text)
