"""``fairtrec annotate`` and ``counts``: tables of counts, made and looked into."""

from fairtrec.support.command_rows import CommandRow

COMMANDS = (
    CommandRow(
        "annotate",
        "Prepare",
        "Count the group terms of a whole collection, once.",
        "stable",
        place="annotate:command",
        sections={"": ("terms output resume", "Options", "")},
    ),
    CommandRow("counts", "Prepare", "Convert, merge, compare and look into tables of counts.", "stable"),
)
