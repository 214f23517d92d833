"""``fairtrec trec-fair-2019``: evaluate the JSON runs of the TREC 2019 Fair Ranking track."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "trec-fair-2019",
    "Evaluate",
    "Evaluate runs of the TREC 2019 Fair Ranking track.",
    "provisional",
    question="How do runs of the TREC 2019 Fair Ranking track score?",
    sections={"": ("sequences truth labels", "Unfairness", "")},
    public={"lab.trec_fair_2019.evaluate.evaluate": "evaluate:evaluate"},
)
