"""Annotations of GitHub Actions: workflow commands, each value escaped as the runner asks."""

from fairtrec.errors import plain
from fairtrec.report.verdicts import Checked, facts, title

COMMANDS = {"failed": "error", "warning": "warning"}


def github(checked: Checked, *, places: int = 4) -> str:
    """Write an annotation for each requirement that is failed, or passed with a warning."""
    lines = []
    for verdict in checked.verdicts:
        if verdict.status in COMMANDS:
            message = f"{checked.names[verdict.run]}: {facts(verdict, places)}; {plain(verdict.reason)}"
            heading = f"fairtrec: {title(verdict)}"
            lines.append(f"::{COMMANDS[verdict.status]} title={_property(heading)}::{_data(message)}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
