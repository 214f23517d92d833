"""``fairtrec make stances``: where documents stand, by their vectors or texts."""

from fairtrec.report.writers import USUAL, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

STANCES = FormatTable(
    "fairtrec.lab.make.stances.report",
    {"tsv": FormatSpec("tsv", exact=True), "csv": USUAL["csv"], "jsonl": USUAL["jsonl"]},
)

ROW = CommandRow(
    "make stances",
    "Prepare",
    "Place documents on axes of opinion, from vectors or texts.",
    "provisional",
    sections={"": ("embeddings ids output", "Axes", "")},
    answers={"Projection": STANCES},
    public={"make_stances": "project:make_stances"},
)
