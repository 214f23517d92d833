"""``fairtrec make``: commands that make an input of later ones, a folder each."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "make",
    "Prepare",
    "Make stances, counterfactual texts, query sets, labels.",
    "provisional",
    question="How do I make stances, counterfactual texts, query sets, labels or rankers?",
)
