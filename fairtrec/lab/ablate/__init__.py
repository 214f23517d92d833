"""``fairtrec ablate``: does the order of systems survive the instrument?"""

from fairtrec.report.writers import USUAL, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

_FORMS = {**USUAL, "html": FormatSpec(".page:html", "", "all")}
ABLATIONS = FormatTable("fairtrec.lab.ablate.report", _FORMS)
FLIP_ABLATIONS = FormatTable("fairtrec.lab.ablate.flip_report", _FORMS)

ROW = CommandRow(
    "ablate",
    "Explain",
    "Test if the order of runs survives other lists and settings.",
    "provisional",
    question="Does the order of my runs survive other word lists and settings?",
    measures="MEASURE",
    sections={"": ("measure vary terms", "Ablation", "seed")},
    answers={"Ablation": ABLATIONS, "FlipAblation": FLIP_ABLATIONS},
    study="study:list_parts",
    public={"ablate": "ablation:ablate"},
)
