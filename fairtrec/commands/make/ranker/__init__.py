"""``fairtrec adversarial``: train rankers against an adversary, and rank with them."""

from fairtrec.support.command_rows import CommandRow

COMMANDS = (
    CommandRow(
        "adversarial",
        "Change",
        "Train rankers against an adversary, and rank with them.",
        "provisional",
        sections={"train": ("model terms output", "Training", "seed")},
    ),
)
