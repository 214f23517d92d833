"""``fairtrec measures`` and ``cite``: what each measure means and each reranker does, and where they are from."""

from fairtrec.support.command_rows import CommandRow

COMMANDS = (
    CommandRow("measures", "Look up", "List the measures, or print the page of one.", "stable"),
    CommandRow(
        "cite", "Look up", "Print BibTeX of fairtrec and of the sources of measures.", "stable", place="command:cite"
    ),
)
