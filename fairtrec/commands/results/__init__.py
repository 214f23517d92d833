"""``fairtrec results``: what tells two results files apart, or one and what its inputs give today."""

from fairtrec.report.writers import OBJECT, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

DIFFERENCES = FormatTable(
    "fairtrec.commands.results.report", {"text": FormatSpec("text", "", "all", exact=True), **OBJECT}, ("names",)
)
PARTS = FormatTable("fairtrec.commands.results.parts_report", DIFFERENCES.forms, ("names",))

ROW = CommandRow(
    "results",
    "Look up",
    "Compare two results files, or evaluate one again.",
    "stable",
    question="Do two results files agree, and can I compute one again?",
    public={"read_results": "results:read_results", "read_values": "named_values:read_values"},
)
