"""``fairtrec rbo``: how alike runs rank."""

from fairtrec.report.writers import ROWS, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

OVERLAPS = FormatTable(
    "fairtrec.commands.rbo.report",
    {
        "table": FormatSpec("tables", "terminal:render", draws=True),
        **ROWS,
        "json": FormatSpec("record", "records:json", "signature", exact=True),
    },
    ("per_query",),
)

ROW = CommandRow(
    "rbo",
    "Explain",
    "Compare the rankings of runs: rank-biased overlap.",
    "provisional",
    question="How similar are the rankings of two runs?",
    sections={"": ("p depth per_query", "Overlap", "baseline complete")},
    answers={"Overlaps": OVERLAPS},
    public={"rbo": "overlaps:rbo"},
)
