"""``fairtrec make queryset``: a query set of one's own, by the votes of people."""

from fairtrec.report.writers import OBJECT, ROWS, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

QUERYSETS = FormatTable(
    "fairtrec.lab.make.queryset.report", {"text": FormatSpec("text", "", "notes"), **ROWS, **OBJECT}
)

ROW = CommandRow(
    "make queryset",
    "Prepare",
    "Make a query set of the votes of annotators.",
    "provisional",
    sections={"": ("keep query_texts output", "Choice", "title")},
    answers={"QuerySet": QUERYSETS},
    public={"make_queryset": "make_queryset:make_queryset"},
)
