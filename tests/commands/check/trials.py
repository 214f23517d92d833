"""What tests of all commands try of ``fairtrec check``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec.commands.check import VERDICTS
from fairtrec.report.note_selection import MOST
from fairtrec_made.command_trials import EXAMPLE_QRELS, GIVEN, SHELL, TWO, WORDS
from fairtrec_made.hostile import NAME
from fairtrec_made.trials import list_situations

SITUATIONS = list_situations("check qrels a.run", {}, {"--require": "AWRF@3 >= 0.5"}, {"--require": "NFaiRR@3 >= 0.9"})
VALUES = {
    "--baseline": "b.run",
    "--require": "nDCG@3 >= 0.2",
    "--junit": "new.xml",
    "--config": "options.toml",
}

WINDOWS = {
    "check": "check QRELS neural.run fair.run TEXTS --require 'nDCG@10 >= baseline - 0.01' --require 'NFaiRR@10 >= 0.7' --baseline RUN"
}
REPORTS = {
    f"check {form}": [
        *("check", "qrels", NAME, "--slice", "slices", "--baseline", "b.run"),
        *("--require", "every slice nDCG@2 >= baseline", "--require", "worst slice RR > 0.9", "-f", form),
    ]
    for form in VERDICTS.forms
}
DRAWN_TEXTS = [VERDICTS]
ONE_ATTRIBUTE = [
    (
        "check --require 'AWRF@3 >= 0.5'",
        "AWRF@3 can mean AWRF(by='gender')@3, AWRF(by='pages')@3; choose one",
    )
]
HOSTILE_FOLDERS = {
    "check": "check qrels.txt bm25.run neural.run --require 'nDCG@10 >= 0.1' --terms gender-en --docs collection.tsv -j 2"
}
LIST_NAMES = {"check": "check none bm25.run --require ARaB@10<=9 --terms NAME --docs collection.tsv"}
LONG_NUMBERS = ["check qrels a.run --config n.toml"]
ODD_NAMES = {
    "run": [
        "check qrels N --require RR>=0.1",
        "check qrels N a.run --require RR>=baseline --baseline N --junit out.xml",
    ],
    "qrels": ["check N a.run --require RR>=0.1 --junit out.xml"],
    "configuration": ["check qrels a.run --config N"],
}
ODD_OUTPUTS = ["check qrels a.run --require RR>=0.1 --junit N"]
CORRUPTED = {
    "pyproject.toml": ["check qrels a.run --config pyproject.toml"],
    "results.json": ["check qrels a.run --baseline results.json --require nDCG@2>=baseline"],
}
FOLDERS_OF_RUNS = ["check --require 'P@1 >= 0' qrels"]
ONE_BASELINE = ["check --require 'RR >= baseline'"]
OTHER_FORMS = {
    "check": "check qrels.txt neural.run --baseline bm25.run --require nDCG@10>=0.1 --terms gender-en --docs collection.tsv --background background.run"
}
PAIRED_QUERIES = {
    "check": ("--baseline", "bm25.run", "--require", "nDCG@5 >= baseline", "--require", "NFaiRR@5 >= baseline - 0.1")
}
COMMON_QUERIES = [("check", ("--require", "RR >= 0", "-f", "json"))]
CI_JOBS = {
    "check": "check qrels.txt *.run --require 'nDCG@10 >= 0.99'",
    "check github": "check qrels.txt *.run --require 'nDCG@10 >= 0.99' -f github",
    "check broken": "check qrels.txt *.run broken --keep-going --require 'nDCG@10 >= 0.99'",
}
JUDGED_HINTS = ["check"]
SAME_BYTES = [
    (
        "check qrels.txt two.run --baseline one.run {COUNTED} --require 'NFaiRR@10 >= 0.2' "
        "--require 'nDCG@10 >= baseline - 0.01' -f json"
    ),
    "check none one.run --labels hard.tsv --bounds labels --require 'NDKL@10 <= 0.2' -f json",
]


def check_lines(runs):
    """Check three requirements, one of them against a baseline."""
    result = fairtrec.evaluate("nDCG@10 ARaB(mag=tf)@10 NFaiRR@10", runs, qrels=EXAMPLE_QRELS, **WORDS)
    asked = ["nDCG@10 >= baseline - 0.01", "|ARaB(mag=tf)@10| <= 0.2", "NFaiRR@10 >= 0.5"]
    return VERDICTS, fairtrec.check(asked, result, baseline=result.scores[0].run), {"places": 4, "most": MOST}


LINES = {"check": check_lines}
ANSWERS = {"check": lambda: fairtrec.check("NFaiRR@10 >= 0.99", TWO, qrels="qrels.txt", **GIVEN)}
SMALL_ANSWERS = {"check": lambda small: fairtrec.check("nDCG@2 >= baseline", small.result, baseline="run1")}
PRINTED = {"check": ["check", "qrels.txt", *TWO, "--require", "NFaiRR@10 >= 0.99", *SHELL]}
NO_GOLD_RESULT = [lambda result: fairtrec.check("EER@3 >= 0", result)]
NO_AGGREGATE = [lambda given: fairtrec.check("AP > 0", "no-such.run", **given)]
NO_AGGREGATE_RESULT = [lambda found: fairtrec.check("AP@5 > 0", found)]
EVALUATING = ["check"]
INTERVALS = ["check"]
NEEDED_LIBRARY = {"check": "scipy"}
JUDGED_QUERIES = {"check": "check qrels.txt bm25.run --require 'nDCG@5 > 0'"}
MEASURED = {"check": "QRELS RUNS --require 'nDCG@10 >= 0' -f json"}

WRITING = {
    "check": "check qrels.txt bm25.run --require RR>=0 --junit old.txt -o new",
    "check in a job": "GITHUB_STEP_SUMMARY=old.txt check qrels.txt bm25.run --require RR>=0 -o new",
}
