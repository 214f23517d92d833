"""``fairtrec explain``: which words in which documents at which ranks made a number."""

from fairtrec.report.writers import OBJECT, USUAL, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

EXPLANATIONS = FormatTable(
    "fairtrec.commands.explain.report",
    {
        "text": FormatSpec("text"),
        **OBJECT,
        "jsonl": USUAL["jsonl"],
        "html": FormatSpec(".page:html", "", "all"),
    },
)

DIFFERENCES = FormatTable(  # the same formats, for --baseline
    "fairtrec.commands.explain.difference_report",
    {**EXPLANATIONS.forms, "html": FormatSpec(".difference_page:html", "", "all")},
)

ROW = CommandRow(
    "explain",
    "Explain",
    "Show which words at which ranks made a value.",
    "provisional",
    question="Which documents and words made a value?",
    measures="MEASURE",
    sections={"": ("measure query terms", "Explanation", "measure baseline")},
    answers={"Explanation": EXPLANATIONS, "Differences": DIFFERENCES},
    public={"explain": "explain:explain"},
    is_first=True,
)
