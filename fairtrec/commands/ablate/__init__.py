"""``fairtrec ablate``: does the order of systems survive the instrument?"""

from fairtrec.report.writers import USUAL, Formats, Writer
from fairtrec.support.command_rows import CommandRow

ABLATIONS = Formats("fairtrec.commands.ablate.report", {**USUAL, "html": Writer(".page:html", "", "all")})

COMMANDS = (
    CommandRow(
        "ablate",
        "Understand",
        "Vary the instrument, and see whether runs keep their order.",
        "provisional",
        sections={"": ("measure vary terms", "Ablation", "seed")},
        answers={"Ablation": ABLATIONS},
    ),
)
