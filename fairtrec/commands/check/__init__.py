"""``fairtrec check``: the gate of a CI pipeline."""

from fairtrec.report.writers import Formats, Writer
from fairtrec.support.command_rows import CommandRow

VERDICTS = Formats(
    "fairtrec.commands.check.report",
    {
        "text": Writer("text", "", "all", draws=True),
        "json": Writer("record", ".report:json", "all", exact=True),
        "github": Writer("github"),
        "md": Writer("md", "", "all"),
    },
)

COMMANDS = (
    CommandRow(
        "check",
        "Evaluate",
        "Check runs against requirements, as a step of CI.",
        "stable",
        question="Does a run meet the requirements of my project?",
        sections={"": ("require baseline terms", "Requirements", "baseline")},
        answers={"Verdicts": VERDICTS},
    ),
)
