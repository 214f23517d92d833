"""``fairtrec rbo``: how alike runs rank."""

from fairtrec.report.writers import ROWS, Formats, Writer
from fairtrec.support.command_rows import CommandRow

OVERLAPS = Formats(
    "fairtrec.commands.rbo.report",
    {
        "table": Writer("tables", "terminal:render", draws=True),
        **ROWS,
        "json": Writer("record", "records:json", "signature", exact=True),
    },
    ("per_query",),
)

COMMANDS = (
    CommandRow(
        "rbo",
        "Explain",
        "Compare the rankings of runs: rank-biased overlap.",
        "provisional",
        question="How similar are the rankings of two runs?",
        sections={"": ("p depth per_query", "Overlap", "baseline complete")},
        answers={"Overlaps": OVERLAPS},
    ),
)
