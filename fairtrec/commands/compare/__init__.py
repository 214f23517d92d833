"""``fairtrec compare``: compare runs with a baseline, correlate measures, vary the cutoff."""

from fairtrec.report.writers import USUAL, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

COMPARISONS = FormatTable(  # correlations and curves, too
    "fairtrec.commands.compare.report", {**USUAL, "flat": FormatSpec("flat", "records:json", exact=True)}, ("paper",)
)
RELIABILITIES = FormatTable(
    "fairtrec.commands.compare.reliability_report", {**USUAL, "flat": FormatSpec("flat", "records:json", exact=True)}
)

ROW = CommandRow(
    "compare",
    "Evaluate",
    "Compare runs with a baseline: tests, intervals, effects.",
    "stable",
    question="Do two runs differ by more than chance?",
    measures="MEASURES",
    brief="measures baseline test correction confidence terms docs counts labels background queries form output",
    sections={"": ("measures baseline terms", "Comparison", "")},
    answers={
        "Comparisons": COMPARISONS,
        "Associations": COMPARISONS,
        "Curves": COMPARISONS,
        "Reliabilities": RELIABILITIES,
    },
    public={
        "compare": "baseline:compare",
        "correlate": "correlations:correlate",
        "curves": "curves:curves",
        "reliability": "reliability:reliability",
    },
)
