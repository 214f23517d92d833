"""``fairtrec gold``: what people are to label, and how well an instrument agrees with what they say."""

from fairtrec.report.writers import OBJECT, PAGE, USUAL, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

DRAWS = FormatTable(
    "fairtrec.lab.gold.draw_report",
    {"text": FormatSpec("text", exact=True), "tsv": FormatSpec("tsv", exact=True), "csv": USUAL["csv"], **OBJECT},
)
AGREEMENTS = FormatTable(
    "fairtrec.lab.gold.report",
    {**{form: each for form, each in USUAL.items() if form not in ("jsonl", "latex")}, **PAGE},
)
JUDGES = FormatTable("fairtrec.lab.gold.judges_report", AGREEMENTS.forms)

ROW = CommandRow(
    "gold",
    "Explain",
    "Sample documents for labeling; measure and correct errors.",
    "provisional",
    question="Are my word lists or labels right, and how much do errors change a value?",
    sections={
        "draw": ("number docs output", "Draw", "seed"),
        "agree": ("labels terms docs", "Agreement", "confidence"),
        "judges": ("labels relevance_level runs", "Judges", "confidence"),
    },
    answers={"GoldDraw": DRAWS, "Agreement": AGREEMENTS, "JudgeAudits": JUDGES},
    public={"gold": "", "gold.agree": "agree:agree", "gold.draw": "draw:draw", "gold.judges": "judges:judges"},
)
