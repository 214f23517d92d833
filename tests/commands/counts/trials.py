"""What tests of all commands try of ``fairtrec counts``; fairtrec_made/command_trials.py lists what each name means."""

SITUATIONS = [
    ("counts make docs.tsv", {"--terms": "terms.csv", "--output": "new.arrow", "--jobs": "1"}),
    ("counts convert counts.tsv new.arrow", {}),
    ("counts merge new.arrow counts.tsv", {}),
]
SLOW_SITUATIONS = ["counts make"]
VALUES = {"--max-doc-bytes": "20", "--master": "local[1]"}
UNCHANGED = {"--resume": "nothing was interrupted"}

REPORTS = {"counts diff": ["counts", "diff", "counts", "fewer"]}
STRANGE_FOLDERS = ["counts make collection.tsv --terms gender-en -o out.tsv -j 1"]
HOSTILE_FOLDERS = {"counts make": "counts make collection.tsv --terms gender-en -o out.tsv -j 3"}
OTHER_LIST_NAMES = {"counts make": "counts make collection.tsv --terms NAME -o out.tsv -j 1"}
LONG_NUMBERS = ["counts make n.jsonl --terms gender-en -o c.tsv -j 1"]
ODD_NAMES = {
    "docs": ["counts make N --terms gender-en -o out.tsv -j 1"],
    "terms": ["counts make docs.tsv --terms N -o out.tsv -j 1"],
}
ODD_OUTPUTS = ["counts make docs.tsv --terms gender-en -o N -j 1"]
ANY_BYTES = ["counts make N --terms gender-en -o out.arrow -j 1"]
CORRUPTED = {"counts": ["counts info counts", "counts convert counts new.arrow --force"]}
SAME_BYTES = ["counts make {EXAMPLE}/collection.tsv --terms gender-en -o counted.tsv --force"]

NO_ANSWERS = ["make_counts"]
NEEDED_LIBRARY = {"counts": "pyarrow"}
MISSING_LIBRARY = {"pyarrow": ["counts make collection.tsv --terms gender-en -o a.arrow", "counts info a.arrow"]}
MEASURED = {
    "counts make": "TEXTS --terms gender-en -o OUT/made.arrow --force",
    "counts convert": "COUNTS OUT/converted.arrow --force",
    "counts diff": "COUNTS COUNTS",
    "counts info": "COUNTS",
    "counts merge": "OUT/merged.arrow HALVES --force",
}

READ_AND_WRITTEN = {
    "converted counts": ("counts convert counts.tsv OUT --force", "counts.tsv"),
    "merged counts": ("counts merge OUT counts.tsv other.tsv --force", "other.tsv"),
}
WRITING = {
    "counts make": "counts make collection.tsv --terms gender-en -j 1 -o new.tsv",
    "counts make over another": "counts make collection.tsv --terms gender-en -j 1 --force -o old.arrow",
    "counts merge": "counts merge old.arrow one.tsv two.tsv --force",
    "counts convert": "counts convert one.tsv new.parquet",
}
