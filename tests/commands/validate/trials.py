"""What tests of all commands try of ``fairtrec validate``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec.commands.validate import FINDINGS
from fairtrec_made.command_trials import TWO
from fairtrec_made.hostile import NAME

SITUATIONS = [
    ("validate a.run", {}),
    (
        "validate fair.jsonl",
        {"--track": "trec-fair-2019", "--sequences": "sequences.csv", "--truth": "truth.jsonl"},
    ),
]
VALUES = {
    "--due": "3",
    "--qrels": "qrels",
    "--docnos": "ids.txt",
    "--sequences": "sequences.csv",
    "--truth": "truth.jsonl",
    "--fix": "new.run",
}
OTHER_VALUES = {"validate --docs": "few.tsv", "validate --docnos": "queries.txt"}
UNCHANGED = {
    "validate --all": "no run has twenty faults of a kind",
    "validate --fail-on": "the runs have errors or none",
}

REPORTS = {
    f"validate {form}": ["validate", NAME, "b.run", "--queries", "labels", "-f", form] for form in FINDINGS.forms
}
STRANGE_FOLDERS = ["validate bm25.run neural.run --qrels qrels.txt"]
ODD_NAMES = {
    "run": ["validate N", "validate N -f github", "validate N --qrels qrels --fix out"],
    "qrels": ["validate a.run --qrels N"],
}
ODD_OUTPUTS = ["validate a.run --fix N"]
CORRUPTED = {
    "qrels": ["validate a.run --qrels qrels"],
    "a.run": ["validate a.run"],
    "docs.tsv": ["validate a.run --docs docs.tsv"],
    "docnos": ["validate a.run --docnos docnos"],
}
BOMBS = {"docnos": "validate a.run --docnos bomb.gz"}
FOLDERS_OF_RUNS = ["validate"]
CI_JOBS = {
    "validate": "validate *.run",
    "validate github": "validate *.run -f github",
    "validate fixed": "validate *.run -f github --fix out",
}

ANSWERS = {"validate": lambda: fairtrec.validate(TWO, qrels="qrels.txt")}
RECORDED_JSON = ["validate"]
PRINTED = {"validate": ["validate", *TWO, "--qrels", "qrels.txt"]}
NEEDED_LIBRARY = {"validate": ""}
MEASURED = {"validate": "RUNS --qrels QRELS"}

WRITING = {
    "validate --fix": "validate neural.run --fix old.run",
    "validate --fix to a folder": "validate neural.run bm25.run --fix new/",
}
