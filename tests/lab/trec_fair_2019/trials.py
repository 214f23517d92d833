"""What tests of all commands try of ``fairtrec trec-fair-2019``; fairtrec_made/command_trials.py lists what each name means."""

from pathlib import Path

from fairtrec.report.writers import RESULTS
from fairtrec_made.trials import FILES

SITUATIONS = [
    (
        "trec-fair-2019 fair.jsonl",
        {"--sequences": "sequences.csv", "--truth": "truth.jsonl", "--labels": "authors.csv"},
    )
]
VALUES = {"--sequences": "sequences.csv", "--truth": "truth.jsonl"}
OTHER_VALUES = {"trec-fair-2019 --labels": "authors.csv"}
OTHER_FILES = ["trec-fair-2019"]


def evaluate_sequences(runs, _):
    """Evaluate runs of the track of 2019, by the names of these runs and beside them."""
    from fairtrec.lab.trec_fair_2019.evaluate import evaluate

    folder = Path(runs[0]).parent
    for name in ("truth.jsonl", "sequences.csv", "authors.csv"):
        (folder / name).write_text(FILES[name])
    names = [folder / f"{Path(run).stem}.jsonl" for run in runs]
    for name in names:
        name.write_text(FILES["fair.jsonl"])
    return RESULTS, evaluate(names, folder / "sequences.csv", folder / "truth.jsonl", [folder / "authors.csv"])


TABLES = {"trec-fair-2019": evaluate_sequences}

JSON_READERS = {
    "sequences of 2019": (
        [f'{{"q_num": "0.{q - 1}", "qid": {q}, "ranking": ["d{q}"]}}' for q in (1, 2)],
        ("trec-fair-2019 --sequences seq.csv --truth truth.jsonl --labels authors.csv FILE",),
    ),
    "the truth of 2019": (
        [f'{{"qid": {q}, "documents": [{{"doc_id": "d{q}", "relevance": 1}}]}}' for q in (1, 2)],
        ("trec-fair-2019 --sequences seq.csv --truth FILE --labels authors.csv 2019.jsonl",),
    ),
}
WRITING = {
    "trec-fair-2019": "trec-fair-2019 small/fair.jsonl --sequences small/sequences.csv --truth small/truth.jsonl"
    " --labels small/authors.csv -o old.txt",
}
