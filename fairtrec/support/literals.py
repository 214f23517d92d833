"""The words that choose one of several ways, each written once: types of arguments, and choices of the command line.

They stand here, where nothing else is imported, so that a command can offer them before it loads what they choose from.
The first word is what the command line takes by default, unless it says otherwise.

Two more kinds of names are here for the same reason: those that columns of tables may have, of which the first that is
there counts, and those that answers have instead of a slice or a qid.
"""

from typing import Literal

RankedBy = Literal["score", "rank", "file", "position"]  # what ranks a run; positions are ranks that keep their gaps
ScoreType = Literal["float64", "float32"]
BY_RANK = "rank", "position"  # by the column of ranks
RecordForm = Literal["jsonl", "json", "table", "parquet"]  # files whose columns have names
RunFormat = str  # what a run is written as: auto, or the name of a row of formats/run_forms.py
Missing = Literal[  # what a document is worth of which nothing is known; the last two, to which groups it belongs
    "error", "neutral", "skip", "worst", "group", "even"
]
FILLED = "group", "even"  # for documents without a label alone
LeftOpen = Literal["ties", "labels", "texts", "orders"]  # what a value has bounds over
Membership = Literal["share", "majority", "any"]  # how group terms make a document belong to groups
Tokenizer = Literal["strip", "space", "word"]
Pronouns = Literal["rule", "first"]  # what her and his become
Kept = Literal["judged", "relevant", "others", "others,judged", "others,relevant"]  # documents that rankings keep
Engine = Literal["local", "spark"]
Absent = Literal["error", "skip"]  # what to do with a document that has no vector
SpuriousAs = Literal["unit", "published"]  # the length of the direction that is taken out of vectors
AccuracyAs = Literal["sides", "published"]  # one assignment of groups to sides; or the better side for each group
Test = Literal["t", "wilcoxon", "randomization", "bootstrap"]
Correction = Literal["none", "bonferroni", "holm", "bh", "tukey"]
SliceCorrection = Literal["holm", "none", "bonferroni", "bh"]  # over all differences of slices
Method = Literal["t", "percentile", "bca"]  # of confidence intervals
Over = Literal["queries", "runs"]  # what measures are correlated over
Extrapolation = Literal["ext", "min", "res", "trunc"]  # of rank-biased overlap
Figure = Literal["front", "cutoffs", "queries", "groups", "runs"]
PaperWidth = Literal["1", "2"]  # of a paper, that a figure is wide
Track = Literal["trec", "trec-fair-2019"]
LabelTrack = Literal["trec-fair-2022"]  # a track whose files become labels
UnfairnessVariant = Literal["track", "paper"]  # of the unfairness of 2019
Amortization = Literal["micro", "macro"]
FailOn = Literal["failed", "warning"]  # the verdict from which a gate is closed
Undefined = Literal["skip", "0", "worst", "error"]  # what an undefined value counts as
DocumentsFrom = Literal["run", "background", "runs"]  # whose documents may be ranked
Objective = Literal["hinge", "ce"]  # of a ranker that learns
Severity = Literal["error", "warning"]  # of a finding
Drawn = Literal["document", "query"]  # for people to label
MissingLabel = Literal["error", "skip", "worst"]  # what a labeled document is of which an instrument knows nothing
Rule = Literal["majority", "all"]  # by which votes decide

# as they match: lower case, and "_" for "-" and blanks
QUERY = (
    "query_id", "qid", "q_id", "queryid", "topic_id", "request_id", "user_id", "userid", "query", "topic", "user",
)  # fmt: skip
DOCUMENT = (
    "doc_id", "docno", "docid", "did", "pid", "corpus_id", "document_id", "passage_id", "page_id", "item_id", "itemid",
    "_id", "id", "document", "doc", "passage", "item", "product_id",
)  # fmt: skip
SCORE = ("score", "sim", "prediction")
RANK = ("rank", "position")
SAMPLE = ("sample", "sample_id", "impression_id", "session_id", "request_id")  # of several rankings of a query
GRADE = ("relevance", "rel", "label", "grade", "rating", "score")
SUBTOPIC = ("subtopic_id", "iteration", "iter", "subtopic")
TERM = ("term", "word", "phrase", "keyword", "token")

ALL = "all"  # the slice of all queries together
DIFFERENCE, RATIO = "difference", "ratio"  # of the means of two slices
GAP = "gap"  # instead of a qid: the gap between groups
RESERVED = {ALL: "all queries", DIFFERENCE: "the difference of slices", RATIO: "the ratio of slices"}
