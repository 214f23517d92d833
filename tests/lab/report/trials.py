"""What tests of all commands try of ``fairtrec report``; fairtrec_made/command_trials.py lists what each name means."""

UNTRIED = {"report": "each of its parts is a command that is tried, and takes the options that this command has"}
NO_ANSWERS = ["study"]
EVALUATING = ["report"]

REFUSED_OUTPUTS = {
    "report": "report qrels.txt bad.run -m nDCG@10 -o new/",
    "report of no file": "report qrels.txt no-such.run -m nDCG@10 -o new/",
}
FAILING_OUTPUTS = {"report": "report qrels.txt bm25.run -m nDCG@10 -o new/"}

WRITING = {
    "report": "report qrels.txt bm25.run fair.run -m nDCG@10 -o new",
}
WRITTEN_IN_PARTS = ["report"]
REPLAYED = {
    "study": "report qrels.txt bm25.run neural.run --labels labels.tsv -m nDCG@10 -m AWRF@10 --missing neutral -o out/study"
}
