"""What tests of all commands try of ``fairtrec reliability``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec_made.command_trials import TWO

SITUATIONS = [("reliability qrels a.run b.run bg.run", {"-m": "nDCG@3 RR"})]
VALUES = {"--wanted": "0.9", "--seed": "7"}
HUGE_VALUES = ["reliability huge.txt small.txt --values -m nDCG@10"]
SAME_BYTES = ["reliability qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10 TExFAIR@10' -f json"]
CI_JOBS = {"reliability": "reliability qrels.txt *.run -m nDCG@10"}
ANSWERS = {
    "reliability": lambda: fairtrec.reliability(fairtrec.evaluate("nDCG@10", [*TWO, "fair.run"], qrels="qrels.txt"))
}
SMALL_ANSWERS = {"reliability": lambda small: fairtrec.reliability(small.result)}
PRINTED = {"reliability": ["reliability", "qrels.txt", *TWO, "fair.run", "-m", "nDCG@10", "-f", "table"]}
MISTYPED = {"compare q a b --reliability": "there is no option --reliability here; fairtrec reliability estimates"}
NO_GOLD_RESULT = [fairtrec.reliability]
NO_AGGREGATE_RESULT = [fairtrec.reliability]
OWN_INTERVALS = ["reliability"]
EVALUATING = ["reliability"]
SHORT_HELP = ["reliability"]
NEEDED_LIBRARY = {"reliability": "scipy"}
WRITING = {
    "reliability": "reliability qrels.txt bm25.run fair.run neural.run -m RR -o old.txt",
}
