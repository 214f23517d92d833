"""``fairtrec demo``: evaluate the bundled example, or copy its files."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "demo",
    "Look up",
    "Evaluate the bundled example, or copy its files.",
    "stable",
    question="What does fairtrec do on a small example?",
    sections={"": ("", "Options", "folder")},
    is_first=True,
)
