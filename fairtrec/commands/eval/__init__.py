"""``fairtrec eval``: evaluate runs."""

from fairtrec.report.writers import PAGE, USUAL, FormatTable
from fairtrec.support.command_rows import CommandRow

SPREADS = FormatTable("fairtrec.commands.eval.topic_tables", {**USUAL, **PAGE})

ROW = CommandRow(
    "eval",
    "Evaluate",
    "Evaluate runs: fairness and utility, by query and in all.",
    "stable",
    question="How fair and how useful are my runs?",
    measures="MEASURES",
    brief="measures terms docs counts labels background queries sort per_query form output",
    sections={"": ("measures terms docs", "Options", "")},
    answers={"TopicSpread": SPREADS},
    is_first=True,
)
