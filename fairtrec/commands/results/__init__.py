"""``fairtrec diff`` and ``replay``: what tells two results files apart, or one and what its inputs give today."""

from fairtrec.report.writers import OBJECT, Formats, Writer
from fairtrec.support.command_rows import CommandRow

DIFFERENCES = Formats(
    "fairtrec.commands.results.report", {"text": Writer("text", "", "all", exact=True), **OBJECT}, ("names",)
)

COMMANDS = (
    CommandRow("diff", "Look up", "Tell what differs between two results files.", "stable"),
    CommandRow(
        "replay", "Look up", "Evaluate a results file again, and tell what differs.", "stable", place="command:replay"
    ),
)
