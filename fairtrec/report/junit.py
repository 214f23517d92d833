"""JUnit XML, as Jenkins, GitLab and their kin read it: a suite for each run, a case for each requirement.

No times and no host: the same input gives the same bytes.
"""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from fairtrec.gate import Verdict
from fairtrec.report.verdicts import Checked, facts, title

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0


def junit(checked: Checked, *, places: int = 4) -> str:
    """Write the verdicts; a warning is the output of a case that passed."""
    root = ET.Element("testsuites", _counts("fairtrec check", checked.verdicts))
    for scores in checked.result.scores:
        of_run = [verdict for verdict in checked.verdicts if verdict.run == scores.run]
        suite = ET.SubElement(root, "testsuite", _counts(scores.run, of_run))
        properties = ET.SubElement(suite, "properties")
        for name, value in (("signature", checked.result.signature), ("alpha", f"{checked.rule.alpha:g}")):
            ET.SubElement(properties, "property", {"name": name, "value": _legal(value)})
        for verdict in of_run:
            names = {"classname": _legal(scores.run), "name": _legal(title(verdict)), "time": "0"}
            case = ET.SubElement(suite, "testcase", names)
            said = _legal(facts(verdict, places))
            if verdict.status == "failed":
                failure = {"message": _legal(verdict.reason), "type": "requirement"}
                ET.SubElement(case, "failure", failure).text = said
            elif verdict.status == "warning":
                ET.SubElement(case, "system-out").text = _legal(f"warning: {verdict.reason}; {said}")
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _counts(name: str, verdicts: Sequence[Verdict]) -> dict[str, str]:
    failures = sum(verdict.status == "failed" for verdict in verdicts)
    return {"name": _legal(name), "tests": str(len(verdicts)), "failures": str(failures), "errors": "0", "time": "0"}


def _legal(text: str) -> str:
    return _FORBIDDEN.sub("", text)
