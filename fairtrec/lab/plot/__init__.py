"""``fairtrec plot``: a figure for a paper."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "plot",
    "Explain",
    "Draw runs as a figure for a paper.",
    "provisional",
    question="How do I draw my runs for a paper?",
    measures="MEASURES",
    sections={"": ("measures terms output", "Figure", "baseline")},
    public={"plot": "figure:plot"},
)
