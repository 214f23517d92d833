"""Grep-BiasIR, which lies beside the repository: its texts, and what its authors marked them as."""

import csv

LABELS = {"F": ["f"], "M": ["m"], "N": ["-"], "both": ["f", "m"], "botrh": ["f", "m"]}  # as it is spelled there


def texts_of(folder):
    """The text of each document, its title first, and its mark."""
    texts, marks = {}, {}
    for path in sorted(folder.glob("queries-documents_*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                docno = f"d{row['d_id']}"
                texts[docno] = f"{row['doc_title']} {row['document']}"
                marks[docno] = row["content_gender"]
    return texts, marks


def queries_of(folder):
    """The text of each query."""
    with (folder / "queries.csv").open(encoding="utf-8", newline="") as file:
        return {row["q_id"]: row["query"] for row in csv.DictReader(file)}
