"""``fairtrec results``: what a results file holds, what tells two apart, or one and what its inputs give today."""

from fairtrec.report.writers import OBJECT, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

DIFFERENCES = FormatTable(
    "fairtrec.commands.results.report", {"text": FormatSpec("text", "", "all", exact=True), **OBJECT}, ("names",)
)
SHOWN = FormatTable(
    "fairtrec.commands.results.show_report",
    {
        "table": FormatSpec("tables", "terminal:render", "all", draws=True),
        "md": FormatSpec("tables", "markup:md", "all"),
        **OBJECT,
    },
)
PARTS = FormatTable("fairtrec.commands.results.parts_report", DIFFERENCES.forms, ("names",))

ROW = CommandRow(
    "results",
    "Look up",
    "Show a results file, compare two, or evaluate one again.",
    "stable",
    question="What does a results file hold, do two agree, and can I compute one again?",
    public={"read_results": "results:read_results", "read_values": "named_values:read_values"},
)
