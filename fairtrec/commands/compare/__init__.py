"""``fairtrec compare``: compare runs with a baseline."""

from fairtrec.report.writers import OF_ROWS, FormatTable
from fairtrec.support.command_rows import CommandRow

COMPARISONS = FormatTable("fairtrec.commands.compare.report", OF_ROWS, ("paper",))

ROW = CommandRow(
    "compare",
    "Evaluate",
    "Compare runs with a baseline: tests, intervals, effects.",
    "stable",
    question="Do two runs differ by more than chance?",
    measures="MEASURES",
    brief="measures baseline test correction confidence terms docs counts labels background queries form output",
    sections={"": ("measures baseline terms", "Comparison", "")},
    answers={"Comparisons": COMPARISONS},
    public={"compare": "baseline:compare"},
    is_first=True,
)
