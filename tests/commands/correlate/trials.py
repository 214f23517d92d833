"""What tests of all commands try of ``fairtrec rbo``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec.commands.correlate import OVERLAPS
from fairtrec_made.hostile import NAME

SITUATIONS = [("rbo a.run b.run bg.run", {})]
VALUES = {"-p": "0.5", "--baseline": "b.run"}

LINKED_RUNS = {"rbo": "rbo eve.run bm25.run"}
WINDOWS = {"rbo": "rbo RUNS"}
REPORTS = {f"rbo {form}": ["rbo", "b.run", NAME, "-q", "-f", form] for form in OVERLAPS.forms}
PIPES = {
    "two inputs": ("a.run", "this pipe can be read only once, but is needed twice; pass a file", "rbo a.run a.run")
}
CORRUPTED = {"a.run": ["rbo a.run b.run"]}
ODD_NAMES = {"run": ["rbo N a.run"], "list": ["rbo @N a.run"]}
BOMBS = {"a list": "rbo @bomb.gz"}
CI_JOBS = {"rbo": "rbo *.run"}
FOLDERS_OF_RUNS = ["rbo"]
LISTS_OF_RUNS = ["rbo @list"]
ONE_BASELINE = ["rbo"]
OTHER_FORMS = {"rbo": "rbo bm25.run neural.run"}
SAME_BYTES = ["rbo {DRAWN} -q -f json", "rbo {DRAWN} -p 0.7 -f json", "rbo {DRAWN} --depth 7 -q -f json"]

TABLES = {"rbo": lambda runs, _: (OVERLAPS, fairtrec.rbo(runs[:7], depth=3))}
ANSWERS = {"rbo": lambda: fairtrec.rbo(["bm25.run", "neural.run", "fair.run"])}
SMALL_ANSWERS = {"rbo": lambda small: fairtrec.rbo(small.runs)}
PRINTED = {"rbo": ["rbo", "bm25.run", "neural.run", "fair.run"]}
NEEDED_LIBRARY = {"rbo": ""}
KEY_MEANINGS = {
    "rbo mean": "the mean rank-biased overlap",
    "rbo other": "the other run",
}
MEASURED = {"rbo": "RUNS"}
