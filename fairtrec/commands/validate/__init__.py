"""``fairtrec validate``: find all that is wrong with runs."""

from fairtrec.report.writers import FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

FINDINGS = FormatTable(  # of runs that are checked one after the other, so they are written part by part
    "fairtrec.commands.validate.report", {form: FormatSpec(form, exact=True) for form in ("text", "json", "github")}
)

ROW = CommandRow(
    "validate",
    "Prepare",
    "Check run files and fix unambiguous errors.",
    "stable",
    question="Are my run files correct?",
    sections={"": ("qrels docs fix", "Checks", "due")},
    answers={"Validation": FINDINGS},
    public={"validate": "validate:validate"},
)
