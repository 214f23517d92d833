"""``fairtrec make``: commands that make an input of later ones, a folder each."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "make",
    "Prepare",
    "Make positions, counterfactual texts, query sets, labels.",
    "provisional",
    question="How do I make positions, counterfactual texts, query sets, labels or rankers?",
)
