"""``fairtrec correlate``: how alike measures, values and rankings are."""

from fairtrec.report.writers import OF_ROWS, FormatTable
from fairtrec.support.command_rows import CommandRow

ASSOCIATIONS = FormatTable("fairtrec.commands.correlate.report", OF_ROWS)
OVERLAPS = FormatTable(
    "fairtrec.commands.correlate.overlaps_report",
    {name: form._replace(carries="signature" if name == "json" else "nothing") for name, form in OF_ROWS.items()},
    ("per_query",),
)

ROW = CommandRow(
    "correlate",
    "Evaluate",
    "Correlate measures over queries or runs; compare rankings.",
    "stable",
    question="How alike are measures, and how similar are rankings?",
    measures="MEASURES",
    brief="measures over cutoffs rankings terms docs counts labels background queries form output",
    sections={"": ("measures over terms", "Correlation", "correction confidence baseline per_query")},
    answers={"Associations": ASSOCIATIONS, "Overlaps": OVERLAPS},
    public={"correlate": "correlations:correlate", "rbo": "overlaps:rbo"},
)
