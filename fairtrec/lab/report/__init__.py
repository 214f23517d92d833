"""``fairtrec report``: a whole study of runs on one page, and in one file that can be computed again."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "report",
    "Evaluate",
    "Run a whole study of runs, and write it on one page.",
    "provisional",
    question="What do all tests say of my runs, on one page?",
    measures="MEASURES",
    sections={"": ("measures baseline output", "Report", "baseline gold force keep_going output")},
    public={"study": "report:study"},
    is_first=True,
)
