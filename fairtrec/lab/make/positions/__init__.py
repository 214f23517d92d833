"""``fairtrec make positions``: where documents stand, by their vectors or texts."""

from fairtrec.report.writers import USUAL, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

POSITIONS = FormatTable(
    "fairtrec.lab.make.positions.report",
    {"tsv": FormatSpec("tsv", exact=True), "csv": USUAL["csv"], "jsonl": USUAL["jsonl"]},
)

ROW = CommandRow(
    "make positions",
    "Prepare",
    "Place documents on axes of opinion, from vectors or texts.",
    "provisional",
    sections={"": ("embeddings ids output", "Axes", "")},
    answers={"Projection": POSITIONS},
    public={"make_positions": "project:make_positions"},
)
