"""``fairtrec make labels``: labels of documents, qrels and shares of the world from the files of a track."""

from fairtrec.support.command_rows import CommandRow

ROW = CommandRow(
    "make labels",
    "Prepare",
    "Make labels, graded qrels and targets from the files of a track.",
    "provisional",
    public={"make_labels": "trec_fair_2022:make_labels"},
)
