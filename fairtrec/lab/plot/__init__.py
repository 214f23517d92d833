"""``fairtrec plot``: a figure for a paper, and means over cutoffs as a table."""

from fairtrec.report.writers import OF_ROWS, FormatTable
from fairtrec.support.command_rows import CommandRow

CURVES = FormatTable("fairtrec.lab.plot.curves_report", OF_ROWS)

ROW = CommandRow(
    "plot",
    "Explain",
    "Draw runs as a figure for a paper; print means over cutoffs.",
    "provisional",
    question="How do I draw my runs for a paper?",
    measures="MEASURES",
    sections={"": ("measures terms output", "Figure", "baseline slices")},
    answers={"Curves": CURVES},
    public={"plot": "figure:plot", "curves": "curves:curves"},
)
