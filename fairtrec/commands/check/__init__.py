"""``fairtrec check``: the gate of a CI pipeline."""

from fairtrec.report.writers import FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

VERDICTS = FormatTable(
    "fairtrec.commands.check.report",
    {
        "text": FormatSpec("text", "", "all", draws=True),
        "json": FormatSpec("record", ".report:json", "all", exact=True),
        "github": FormatSpec("github"),
        "md": FormatSpec("md", "", "all"),
        "junit": FormatSpec("junit", "", "all"),
    },
    ("seconds",),
)

ROW = CommandRow(
    "check",
    "Evaluate",
    "Check runs against requirements, as a step of CI.",
    "stable",
    question="Does a run meet the requirements of my project?",
    sections={"": ("require baseline terms", "Requirements", "baseline")},
    answers={"Verdicts": VERDICTS},
    public={"check": "check:check"},
    is_first=True,
)
