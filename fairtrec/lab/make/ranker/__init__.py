"""``fairtrec make ranker``: train rankers against an adversary, and rank with them."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "make ranker",
    "Prepare",
    "Train rankers against an adversary, and rank with them.",
    "provisional",
    sections={"": ("model terms output", "Training", "seed rank docs query_texts depth")},
)
