"""What a measure may ask for, and what a user gives for it: the one table of inputs.

An input is a row of NEEDS. It is the attribute of ``inputs.measure_inputs.Inputs`` that has its name; or, where
it is made of an extra, by the function of its name in the extra's module. That module also reads what was given
(``read``): so a new kind of input is a module like ``inputs/positions.py``, a row of EXTRAS, its needs, and
its name among the keywords of ``evaluate``.

Nothing here imports numpy, so that ``fairtrec --help`` need not.
"""

from typing import NamedTuple


class Extra(NamedTuple):
    """What may be given beside the runs for the measures that ask for it: a keyword, and an option of the commands."""

    name: str
    metavar: str
    help: str
    module: str  # of fairtrec/evaluation/inputs/


class Need(NamedTuple):
    """An input that a measure asks for by its name."""

    name: str
    shape: str
    says: str
    made_of: str = ""  # what has to be given: words that ``Given.inputs`` explains, all of them
    of: str = ""  # what it is of: documents, groups, judgments, ranks
    missing: str = ""  # how to call it to a user who has not given it
    give: str = ""  # and by which options to give it
    word: str | None = None  # how `fairtrec measures` calls what is given for it, where not by its name
    default: str = ""  # the measures that are evaluated where it can be made and none are named


_COUNTS = "--terms LIST with --docs COLLECTION, or --counts FILE"
_GROUPS = f"--labels FILE, or {_COUNTS}"
_JUDGED = {"missing": "relevance judgments", "give": "a qrels file", "word": "qrels"}

EXTRAS = {
    "positions": Extra(
        "positions",
        "FILE",
        "Where documents stand between the sides of a debate: TSV of docno x [y ...] (DUO).",
        "positions",
    ),
    "discount": Extra(
        "discount",
        "FILE",
        "The weight of each rank, for measures like AWRF(discount=given)@10: TSV of rank weight.",
        "discount",
    ),
    "counterfactual": Extra(
        "counterfactual",
        "RUN|FOLDER",
        "A RUN of the same system over texts with swapped group words (CRBO), or a folder of them.",
        "counterfactual",
    ),
}

_ROWS = (
    Need("relevance", "Floats [query, rank]", "the grade of each ranked document, nan where it is not judged",
         made_of="qrels", of="ranks judgments", **_JUDGED, default="nDCG@10 RR@10"),
    Need("ranked", "Ints [query, rank]", "rows in the table of documents, MISSING where there is no document",
         made_of="grouped", of="ranks", missing="the documents' groups", give=_GROUPS),
    Need("counts", "Floats [document, group]", "occurrences of each group's terms",
         made_of="grouped", of="documents", missing="the counts of group terms", give=_COUNTS,
         default="ARaB@10 TExFAIR@10"),
    Need("log_counts", "Floats [document, group]", "the sum over a group's terms of ln(occurrences)",
         made_of="docs", of="documents", missing="the texts of documents",
         give="--terms LIST with --docs COLLECTION", word="texts"),
    Need("tokens", "Floats [document]", "the lengths of documents",
         made_of="grouped", of="documents", missing="the lengths of documents", give=_COUNTS, word="counts"),
    Need("groups", "tuple of str", "the groups' names, in the order of every group axis",
         made_of="grouped", missing="groups", give=_GROUPS, word=""),
    Need("order", "Ints [group]", "places of the groups from the least to the greatest; none where they have no order",
         made_of="grouped", missing="groups", give=_GROUPS, word=""),
    Need("target", "Floats [query, group]", "the share that each group should have; one row where all have the same",
         made_of="grouped", of="groups", missing="groups", give=_GROUPS, word=""),
    Need("background", "Candidates", "the documents that define a query's ideal",
         made_of="grouped background", of="documents", missing="a background set",
         give="--background RUN or --background collection", default="NFaiRR@10"),
    Need("collection", "Candidates", "all documents of the collection",
         made_of="counted", of="documents", missing="the counts of a whole collection", give="--counts FILE",
         word="whole collection"),
    Need("membership", "Floats [query, rank, group]", "who belongs to which group, by labels or a rule of group terms",
         made_of="grouped", of="ranks groups", missing="group labels", give=_GROUPS, word="groups", default="AWRF@10"),
    Need("group_sizes", "Floats [group]", "how many documents of the labels or counts are of each group, ranked or not",
         made_of="counted", of="groups", missing="group labels or the counts of a whole collection",
         give="--labels FILE or --counts FILE", word="groups"),
    Need("docnos", "Docs [query, rank]", "the ids of the ranked documents, empty where there is none", of="ranks"),
    Need("collection_size", "int or None", "the number of documents of the collection, if it was given"),
    Need("lengths", "Ints [query]", "the number of ranked documents"),
    Need("queries", "int", "the number of queries"),
    Need("sample_of", "Ints [ranking]", "which of the queries each ranking belongs to"),
    Need("judged_relevance", "Floats [query, n]", "the grade of each judged document, by falling docno",
         made_of="qrels", of="judgments", **_JUDGED),
    Need("greatest_grade", "int", "the greatest grade of the judgments of all queries; 1 if none is above 0",
         made_of="qrels", of="judgments", **_JUDGED),
    Need("judged_membership", "Floats [query, n, group]", "who of the judged documents belongs to which group",
         made_of="qrels grouped", of="groups judgments", missing="relevance judgments and group labels",
         give=f"a qrels file, and {_GROUPS}", word="qrels, groups"),
    Need("positions", "Floats [query, rank, axis]", "where documents stand on axes of opinion",
         made_of="positions", of="ranks", missing="positions of documents", give="--positions FILE", default="DUO"),
    Need("background_positions", "Floats [query, n, axis]", "where the documents of the background stand",
         made_of="positions run", missing="positions of documents and a background",
         give="--positions FILE and --background RUN", word="positions, background"),
    Need("counterfactual", "Ints [2, query, rank]", "numbers of the documents of the run and of its counterfactual run",
         made_of="counterfactual", of="ranks", missing="a counterfactual run", give="--counterfactual RUN|FOLDER",
         default="CRBO@10"),
    Need("sequences", "Sequences", "rankings and truth of the TREC 2019 Fair Ranking track",
         made_of="track", missing="the track's sequences of queries",
         give="--sequences FILE of `fairtrec trec-fair-2019`", word="trec-fair-2019"),
    Need("authors", "Authors", "groups of authors in the same track",
         made_of="track", missing="the track's groups of authors",
         give="--labels FILE of `fairtrec trec-fair-2019`", word=""),
)  # fmt: skip

NEEDS = {each.name: each for each in _ROWS}
_OF: dict[str, frozenset[str]] = {
    word: frozenset(each.name for each in _ROWS if word in each.of.split())
    for word in ("documents", "groups", "judgments", "ranks")
}
OF_DOCUMENTS = _OF["documents"]  # looked up in the table of documents
OF_GROUPS = _OF["groups"]  # from labels, or else from counts
OF_JUDGMENTS = _OF["judgments"]
GROUPED = frozenset(each.name for each in _ROWS if not {"grouped", "counted"}.isdisjoint(each.made_of.split()))
OF_RANKS = _OF["ranks"]  # they tell one order of the same documents from another
_OF_TRACK = frozenset(each.name for each in _ROWS if "track" in each.made_of.split())
OF_EXTRAS = frozenset(each.name for each in _ROWS if not EXTRAS.keys().isdisjoint(each.made_of.split()))


def is_of_ranked_groups(measure: object) -> bool:
    """Tell whether a measure goes by the groups of ranked documents, whose ties docnos decide."""
    needs = frozenset(getattr(measure, "needs", ()))
    return bool(needs & GROUPED) and not needs & _OF_TRACK


def needs_judgments(measure: object) -> bool:
    """Tell whether a measure has no value for a query that is not judged."""
    return bool(OF_JUDGMENTS.intersection(getattr(measure, "needs", ())))


def find_module(need: str) -> str:
    """Name the module in which an input of an extra is computed."""
    return next(EXTRAS[word].module for word in NEEDS[need].made_of.split() if word in EXTRAS)


def looks_at_groups(one: object) -> bool:
    """Tell whether some input of a measure or reranker is of groups, so that it takes ``by``."""
    names = (*getattr(one, "needs", ()), *getattr(one, "preferences", ()))
    return not GROUPED.isdisjoint("membership" if name == "group_of" else name for name in names)
