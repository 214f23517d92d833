"""``fairtrec select``: which of several runs to take, between utility and fairness."""

from fairtrec.report.writers import USUAL, FormatTable
from fairtrec.support.command_rows import CommandRow

SELECTIONS = FormatTable("fairtrec.lab.select.report", USUAL)

ROW = CommandRow(
    "select",
    "Evaluate",
    "Choose one of several runs, between utility and fairness.",
    "provisional",
    question="Which of several runs do I ship?",
    measures="MEASURES",
    sections={"": ("utility fairness terms", "Choice", "")},
    answers={"Selection": SELECTIONS},
    public={"select": "select:select"},
)
