"""What tests of all commands try of ``fairtrec make ranker``; fairtrec_made/command_trials.py lists what each name means."""

UNTRIED = {"make ranker": "it trains for minutes, and needs torch"}
OTHER_FILES = ["make ranker"]

MISSING_LIBRARY = {
    "'fairtrec[adv]'": [
        "make ranker --rank bm25.run --model a --docs collection.tsv --query-texts queries.tsv -o a.run"
    ],
}


OFFERED = [("make ranker tri", ["file,tri"]), ("make ranker t --model enc", ["dir,enc"])]


IMPORTING = [("", ["make ranker --help"])]
