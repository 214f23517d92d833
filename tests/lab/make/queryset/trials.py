"""What tests of all commands try of ``fairtrec make queryset``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec_made.worst_files import WorstForm

SITUATIONS = [
    ("make queryset votes.tsv", {"--keep": "n", "--query-texts": "asked.tsv", "--output": "new.tsv"}),
]
VALUES = {"--keep": "f", "--domain": "Kind"}

PIPES = {
    "queries": (
        "texts",
        "this pipe can be read only once, but is needed twice; pass a file",
        "make queryset votes --keep n --query-texts texts",
    ),
}
OTHER_LIST_NAMES = {"queries": "make queryset votes.tsv --keep n --query-texts queries.tsv --terms NAME"}
CORRUPTED = {
    "votes": ["make queryset votes --keep n -o new.tsv -f json"],
    "asked": ["make queryset votes --keep n --query-texts asked --domain Kind --terms groups"],
}
SAME_BYTES = [
    "make queryset {EXAMPLE}/votes.tsv --keep n --query-texts {EXAMPLE}/queries.tsv --terms gender-en -f json",
]

ANSWERS = {
    "make_queryset": lambda: fairtrec.make_queryset(
        "votes.tsv", keep="n", query_texts="queries.tsv", terms="gender-en"
    ),
}
VOTES = {"ann": {"q1": "n", "q2": "n"}, "ben": {"q1": "n", "q2": "f"}}
SMALL_ANSWERS = {"make queryset": lambda _: fairtrec.make_queryset(VOTES, keep="n")}
PRINTED = {
    "make_queryset": [
        *("make", "queryset", "votes.tsv", "--keep", "n", "--query-texts", "queries.tsv", "--terms", "gender-en"),
    ],
}
WITHOUT_RUNS = ["make_queryset"]
MEASURED = {"make queryset": "VOTES --keep f -o OUT/set.tsv"}


MANY = [f"n{i}" for i in range(5000)]
LONG_LINES = {"votes": (b"q1\tx\t" + b"l" * (1 << 21) + b"\n", "make queryset large")}
MANY_NAMES = {
    "votes": ("make queryset many --keep n1", (MANY, MANY, MANY), "many:501: more than 500 different labels; "),
    "domains": (
        "make queryset --query-texts many --domain kind",
        (["qid", *MANY], ["query", *MANY], ["kind", *MANY]),
        "many:502: more than 500 domains; ",
    ),
}

WORST_FILES = {
    "votes": WorstForm(("file of votes",), ("make queryset FILE --keep n",), "{q}\t{d}\tn\n"),
    "table of queries": WorstForm(
        ("table of queries",),
        ("make queryset few.votes --keep n --query-texts FILE --domain kind",),
        "{d}\twho\t{g}{x}\n",
        "qid\tquery\tkind{x}\n",
        joint="\t",
    ),
}

READING_ANY_FILE = ["make queryset FILE --keep n --query-texts queries.tsv -o set.tsv"]
FILE_OUTPUTS = ["make queryset votes.tsv --keep n --query-texts queries.tsv -o"]

WRITING = {
    "queryset": "make queryset votes.tsv --keep n --query-texts queries.tsv -o new.tsv",
}
