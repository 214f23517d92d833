"""What tests of all commands try of ``fairtrec make counterfactual``; fairtrec_made/command_trials.py lists what each name means."""

NOTES = "this list is read again for the notes, and a stream can be read only once; give a file"

SITUATIONS = [
    ("make counterfactual more.tsv", {"--pairs": "gender-en-pairs", "--output": "new.tsv", "--jobs": "1"}),
]
SLOW_SITUATIONS = ["make counterfactual"]
VALUES = {"--max-doc-bytes": "20", "--pairs": "pairs.csv", "--runs": "a.run"}
OTHER_VALUES = {"make counterfactual --depth": "1"}

PIPES = {
    "counterfactual": ("pairs", NOTES, "make counterfactual docs.tsv --pairs pairs -o swapped.tsv -j 1"),
    "counterfactual, terms": (
        "terms",
        NOTES,
        "make counterfactual docs.tsv --pairs pairs --terms terms -o swapped.tsv -j 1",
    ),
}
STRANGE_FOLDERS = ["make counterfactual collection.tsv --pairs gender-en-pairs -o out.tsv -j 1"]
HOSTILE_FOLDERS = {
    "counterfactual": "make counterfactual collection.tsv --pairs gender-en-pairs -o out.tsv -j 2",
}
OTHER_LIST_NAMES = {"counterfactual": "make counterfactual collection.tsv --pairs NAME -o out.tsv -j 1"}
LONG_NUMBERS = ["make counterfactual docs.tsv --pairs n.json -o p.tsv -j 1"]
ODD_NAMES = {"docs": ["make counterfactual N --pairs gender-en-pairs -o out.tsv -j 1"]}

NO_ANSWERS = ["make_counterfactual"]
NEEDED_LIBRARY = {"make counterfactual": "pyarrow"}
MEASURED = {"make counterfactual": "TEXTS --pairs gender-en-pairs -o OUT/swapped.tsv"}


OFFERED = [("make counterfactual c.tsv --pairs gen", ["file,gen", "plain,gender-en-pairs"])]


PAIRS = [["she", "he"], ["mom", "dad"]]
TEXT = {"id": "d1", "title": "t", "text": "she"}
TYPED_LINES = {
    "swapped": (TEXT, "s.jsonl", "make counterfactual s.jsonl --pairs gender-en-pairs -o s2.jsonl -j 1"),
    "pairs": (PAIRS, "p.json", "make counterfactual docs.tsv --pairs p.json -o p.tsv -j 1"),
}
STRANGE_LINES = {
    "texts.jsonl": (TEXT, ["make counterfactual texts.jsonl --pairs gender-en-pairs -o out.jsonl -j 1"]),
    "pairs.json": (PAIRS, ["make counterfactual docs.tsv --pairs pairs.json -o out.tsv -j 1"]),
}
STARTING = [["make", "counterfactual", "c.tsv", "--pairs", "gender-en-pairs", "-o", "swapped.tsv"]]

REFUSED_OUTPUTS = {"counterfactual": "make counterfactual bad.jsonl --pairs gender-en-pairs -o new.jsonl"}
EMPTY_TABLES = {"pairs": (("left", "right"), "make counterfactual collection.tsv --pairs FILE -o swapped.tsv")}

JSON_READERS = {
    "texts to swap": (
        ['{"id": "d1", "text": "she"}', '{"id": "d2", "text": "he"}'],
        (
            "make counterfactual FILE --pairs gender-en-pairs -o o.jsonl",
            "make counterfactual FILE --pairs gender-en-pairs -o o.tsv",
        ),
    )
}

READ_AND_WRITTEN = {
    "checked terms": (
        "make counterfactual collection.tsv --pairs gender-en-pairs --terms terms.tsv -o OUT",
        "terms.tsv",
    ),
}
READING_ANY_FILE = ["make counterfactual collection.tsv --pairs FILE -o swapped.tsv -j 1"]
FILE_OUTPUTS = ["make counterfactual collection.tsv --pairs gender-en-pairs -j 1 -o"]

WRITING = {
    "counterfactual": "make counterfactual collection.tsv --pairs gender-en-pairs -j 1 -o old.tsv",
}
