"""``fairtrec make counterfactual``: the group terms of a whole collection, replaced."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "make counterfactual",
    "Prepare",
    "Swap the words of a collection for those of another group.",
    "provisional",
    sections={"": ("pairs output runs", "Words", "pairs")},
    public={"make_counterfactual": "counterfactual:make_counterfactual"},
)
