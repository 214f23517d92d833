"""What a measure may ask for: the one table of inputs.

An input is a row of NEEDS. It is the attribute of ``evaluation/inputs/measure_inputs.Inputs`` that has its name, or the
function of its name in the file of what it is made of, in evaluation/given.

Nothing here imports numpy, so that ``fairtrec --help`` need not.
"""

from typing import NamedTuple


class Need(NamedTuple):
    """An input that a measure asks for by its name."""

    name: str
    shape: str
    says: str
    of: str = ""  # what it is of: documents, groups, judgments, ranks, run (it is always there), ...


_ROWS = (
    Need("relevance", "Floats [query, rank]", "the grade of each ranked document, nan where it is not judged",
         "ranks judgments"),
    Need("ranked", "Ints [query, rank]", "rows in the table of documents, MISSING where there is no document",
         "ranks grouped"),
    Need("counts", "Floats [document, group]", "occurrences of each group's terms", "documents grouped"),
    Need("log_counts", "Floats [document, group]", "the sum over a group's terms of ln(occurrences)", "documents"),
    Need("tokens", "Floats [document]", "the lengths of documents", "documents grouped"),
    Need("groups", "tuple of str", "the groups' names, in the order of every group axis", "grouped"),
    Need("order", "Ints [group]", "places of the groups from the least to the greatest; none where they have no order",
         "grouped"),
    Need("target", "Floats [query, group]", "the share that each group should have; one row where all have the same",
         "groups grouped"),
    Need("background", "Candidates", "the documents that define a query's ideal", "documents grouped"),
    Need("collection", "Candidates", "all documents of the collection", "documents grouped"),
    Need("membership", "Floats [query, rank, group]", "who belongs to which group, by labels or a rule of group terms",
         "ranks groups grouped"),
    Need("group_sizes", "Floats [group]", "how many documents of the labels or counts are of each group, ranked or not",
         "groups grouped"),
    Need("docnos", "Docs [query, rank]", "the ids of the ranked documents, empty where there is none", "ranks run"),
    Need("scores", "Floats [query, rank]", "the scores of the ranked documents, nan where there is none", "ranks run"),
    Need("run_scores", "Floats [line]", "the scores of all documents of the run", "run"),
    Need("collection_size", "int or None", "the number of documents of the collection, if it was given", "run"),
    Need("lengths", "Ints [query]", "the last rank: the number of documents, if each rank holds one", "run"),
    Need("is_filled", "Bools [query, rank]", "which ranks hold a document", "run"),
    Need("queries", "int", "the number of queries", "run"),
    Need("sample_of", "Ints [ranking]", "which of the queries each ranking belongs to", "run"),
    Need("judged_relevance", "Floats [query, n]", "the grade of each judged document, by falling docno", "judgments"),
    Need("greatest_grade", "int", "the greatest grade of the judgments of all queries; 1 if none is above 0",
         "judgments"),
    Need("judged_membership", "Floats [query, n, group]", "who of the judged documents belongs to which group",
         "groups judgments grouped"),
    Need("stances", "Floats [query, rank, axis]", "where documents stand on axes of opinion", "ranks extras"),
    Need("background_stances", "Floats [query, n, axis]", "where the documents of the background stand", "extras"),
    Need("counterfactual", "Ints [2, query, rank]", "numbers of the documents of the run and of its counterfactual run",
         "ranks extras"),
    Need("sequences", "Sequences", "rankings and truth of the TREC 2019 Fair Ranking track", "track"),
    Need("authors", "Authors", "groups of authors in the same track", "track"),
)  # fmt: skip

NEEDS = {each.name: each for each in _ROWS}
_OF: dict[str, frozenset[str]] = {
    word: frozenset(each.name for each in _ROWS if word in each.of.split())
    for word in ("documents", "groups", "grouped", "judgments", "ranks", "run", "extras", "track")
}
OF_DOCUMENTS = _OF["documents"]  # looked up in the table of documents
OF_GROUPS = _OF["groups"]  # from labels, or else from counts
GROUPED = _OF["grouped"]  # made of groups of documents
OF_JUDGMENTS = _OF["judgments"]
OF_RANKS = _OF["ranks"]  # they tell one order of the same documents from another
OF_RUN = _OF["run"]  # there for any run
OF_EXTRAS = _OF["extras"]  # of what is given for the measures that ask for it alone

USUAL = {  # what is computed if no measure is named, by an input that it needs
    "relevance": "nDCG@10 RR@10",
    "counts": "ARaB@10 TExFAIR@10",
    "background": "NFaiRR@10",
    "membership": "AWRF@10",
    "stances": "DUO",
    "counterfactual": "CRBO@10",
}


def is_of_ranked_groups(measure: object) -> bool:
    """Tell whether a measure goes by the groups of ranked documents, whose ties docnos decide."""
    needs = frozenset(getattr(measure, "needs", ()))
    return bool(needs & GROUPED) and not needs & _OF["track"]


def needs_judgments(measure: object) -> bool:
    """Tell whether a measure has no value for a query that is not judged."""
    return bool(OF_JUDGMENTS.intersection(getattr(measure, "needs", ())))


def looks_at_groups(one: object) -> bool:
    """Tell whether some input of a measure or reranker is of groups, so that it takes ``by``."""
    names = (*getattr(one, "needs", ()), *getattr(one, "preferences", ()))
    return not GROUPED.isdisjoint("membership" if name == "group_of" else name for name in names)
