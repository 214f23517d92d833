"""``fairtrec counts``: tables of counts, made and looked into."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "counts",
    "Prepare",
    "Count group terms in a collection; convert, merge, compare.",
    "stable",
    question="How do I count group words once for a whole collection?",
    sections={"make": ("terms output resume", "Options", "")},
    public={"make_counts": "collection:make_counts"},
)
