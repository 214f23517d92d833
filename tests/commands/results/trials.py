"""What tests of all commands try of ``fairtrec results``; fairtrec_made/command_trials.py lists what each name means."""

from dataclasses import replace

import fairtrec
from fairtrec.commands.results import DIFFERENCES
from fairtrec.report.writers import RESULTS
from fairtrec_made.command_trials import EXAMPLE_QRELS, WORDS

SITUATIONS = [("results diff one.json other.json", {}), ("results replay one.json", {}), ("results show one.json", {})]
VALUES = {"--tolerance": "0.5", "--root": "cf"}
MAYBE_DROPPED = {
    "results replay --tolerance": "what is computed again is the same to the last bit; JSON says the tolerance",
    "results replay --exact": "what is computed again is the same to the last bit; JSON says the tolerance",
    "results diff --exact": "values differ by more than the tolerance, or in no bit; JSON says the tolerance",
}

ODD_NAMES = {"results": ["results diff N N", "results replay N", "results show N"]}
CORRUPTED = {
    "results.json": ["results diff results.json good.json", "results replay results.json", "results show results.json"]
}


def diff_lines(runs):
    """Tell two evaluations apart, one of which has other measures and lower means."""
    from fairtrec.commands.results.difference import compare_results
    from fairtrec.commands.results.results import parse

    one, other = (
        parse(
            RESULTS("json", fairtrec.evaluate(measures, runs, qrels=EXAMPLE_QRELS, **WORDS), per_query=True).encode(),
            "it",
        )
        for measures in ("nDCG@10 NFaiRR@10", "nDCG@5 NFaiRR@10")
    )
    moved = [replace(run, means={name: 0.9 * mean for name, mean in run.means.items()}) for run in other.runs]
    return DIFFERENCES, compare_results(one, replace(other, runs=moved)), {"names": ("one.json", "other.json")}


LINES = {"diff": diff_lines}
RECORDED_JSON = ["results diff"]
NO_ANSWERS = ["read_results", "read_values"]
NEEDED_LIBRARY = {"results": ""}
MEASURED = {
    "results replay": "RESULTS",
    "results diff": "RESULTS RESULTS",
    "results show": "RESULTS",
}
WRITING = {
    "results show": "results show small/results.json -o old.txt",
    "results diff": "results diff small/results.json small/results.json -o old.txt",
    "results replay": "results replay small/results.json --root . -o old.txt",
}
