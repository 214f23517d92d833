"""What tests of all commands try of ``fairtrec make labels``; fairtrec_made/command_trials.py lists what each name means."""

SITUATIONS = [("make labels pages.jsonl", {"--track": "trec-fair-2022", "--output": "new"})]
VALUES = {"--qrels": "qrels", "--world": "world.csv"}
OTHER_VALUES = {"make labels --qrels": "reldocs.jsonl"}
OTHER_FILES = ["make labels"]

NO_ANSWERS = ["make_labels"]
MEASURED = {"make labels": "--track trec-fair-2022 PAGES -o OUT/labels/ --force"}

_MADE = "make labels pages.json --track trec-fair-2022 -o"
_GOOD = "make labels good.json --track trec-fair-2022 -o"
REFUSED_OUTPUTS = {
    "labels": f"{_MADE} new/",
    "labels below": f"{_MADE} new/below/",
    "labels, bad qrels": f"{_GOOD} new/ --qrels bad.jsonl",
    "labels into a folder": f"{_GOOD} old/ --force --qrels bad.jsonl",
}
FAILING_OUTPUTS = {"labels": f"{_GOOD} new/"}

_PAGE = '"qual_cat": "FA", "gender": [], "page_subcont_regions": [], "source_subcont_regions": {"UNK": 2}'
JSON_READERS = {
    "pages of 2022": (
        [f'{{"page_id": {number}, {_PAGE}}}' for number in (7, 8)],
        ("make labels --track trec-fair-2022 FILE -o o",),
    ),
    "relevant pages of 2022": (
        ['{"id": 1, "rel_docs": [7]}', '{"id": 2, "rel_docs": [8]}'],
        ("make labels --track trec-fair-2022 pages.jsonl --qrels FILE -o o",),
    ),
}
WRITING = {
    "labels": "make labels small/pages.jsonl --track trec-fair-2022 -o new",
    "labels and qrels": "make labels small/pages.jsonl --track trec-fair-2022 --qrels small/reldocs.jsonl --force -o small",
}
