"""``fairtrec resources``: word lists and query sets, by name."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "resources",
    "Prepare",
    "List, fetch, add and check word lists and query sets.",
    "stable",
    question="Which word lists and query sets are there, and how do I add mine?",
)
