"""``fairtrec measures``: what each measure means and each reranker does, and where they are from."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "measures",
    "Look up",
    "List the measures; print the page or the BibTeX of one.",
    "stable",
    question="Which measures are there, and what do they mean?",
    public={"bibtex": "pages:bibtex"},
)
