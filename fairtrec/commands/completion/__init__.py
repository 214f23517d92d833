"""``fairtrec completion``: a script that lets a shell complete what is typed."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "completion",
    "Look up",
    "Print the script that lets a shell complete commands.",
    "stable",
    question="How do I complete commands with TAB?",
)
