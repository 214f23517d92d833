"""``fairtrec headroom``: how much fairer each run could be at no loss of utility, and at some."""

from fairtrec.report.writers import USUAL, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

HEADROOMS = FormatTable(
    "fairtrec.lab.headroom.report",
    {**USUAL, "html": FormatSpec(".page:html", "", "all")},
    ("per_query", "query_texts"),
)

ROW = CommandRow(
    "headroom",
    "Explain",
    "Find how much fairer a run could be, at no loss and at some.",
    "provisional",
    question="How much fairer could a run be, at no loss of relevance?",
    brief="utility fairness loss from_ terms docs counts labels background queries form output",
    sections={"": ("fairness loss terms", "Front", "")},
    answers={"Headroom": HEADROOMS},
    public={"headroom": "headroom:headroom"},
)
