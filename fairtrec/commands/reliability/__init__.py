"""``fairtrec reliability``: whether other queries would give the same order of runs."""

from fairtrec.report.writers import OF_ROWS, FormatTable
from fairtrec.support.command_rows import CommandRow

RELIABILITIES = FormatTable("fairtrec.commands.reliability.report", OF_ROWS)

ROW = CommandRow(
    "reliability",
    "Evaluate",
    "Estimate how reliable the order of runs is.",
    "stable",
    question="How many queries do I need? Is the order of my runs reliable?",
    measures="MEASURES",
    brief="measures wanted confidence terms docs counts labels background queries form output",
    sections={"": ("measures wanted terms", "Reliability", "confidence seed")},
    answers={"Reliabilities": RELIABILITIES},
    public={"reliability": "reliability:reliability"},
)
