"""What requirements came to, as annotations of a GitHub workflow."""

from fairtrec.errors import plain
from fairtrec.report.verdicts import Checked, facts, title
from fairtrec.report.workflow import command

COMMANDS = {"failed": "error", "warning": "warning"}


def github(checked: Checked, *, places: int = 4) -> str:
    """Write an annotation for each requirement that is failed, or passed with a warning."""
    lines = []
    for verdict in checked.verdicts:
        if verdict.status in COMMANDS:
            message = f"{checked.names[verdict.run]}: {facts(verdict, places)}; {plain(verdict.reason)}"
            heading = f"fairtrec: {title(verdict)}"
            lines.append(f"{command(COMMANDS[verdict.status], message, title=heading)}\n")
    return "".join(lines)
