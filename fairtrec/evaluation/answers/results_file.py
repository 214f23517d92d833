"""The results file, which ``-f json`` of an evaluation writes: its format number, and what stands under each key.

docs/build.py makes fairtrec/results.schema.json from these classes, and tests hold what is written to it. A key that is
added needs a line here. A key that is removed or changes its meaning needs a new FORMAT, which readers refuse.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

FORMAT = 1
Number = float | Literal["Infinity", "-Infinity"] | None  # None: undefined
MeasureValues = dict[str, Number]
QueryValues = dict[str, MeasureValues]


class InputEntry(TypedDict):
    """A file that was read."""

    path: Annotated[str, "the file as it was named"]
    sha256: Annotated[str, "its digest, 64 hexadecimal digits; empty for what has none"]


class MeasureEntry(TypedDict):
    """A measure, by its name in the notation of -m."""

    better: Annotated[Literal["higher", "lower", "nearer 0", "neither"], "which values are good"]
    aggregate: Annotated[
        str, "how the value of a run is made from those of its queries: mean, sum, pooled, gm, median, <0.5"
    ]
    of: NotRequired[Annotated[str, "the measure that has the values of queries, where --aggregate was asked for"]]


class MeanEntry(TypedDict):
    """The value of a run for one measure, over all queries or a slice; or the gap between two slices."""

    value: Annotated[Number, "the mean over queries, or the aggregate"]
    defined: Annotated[int, "the number of queries for which the measure is defined"]
    low: NotRequired[Annotated[Number, "the lower end of the interval (--confidence, --gold)"]]
    high: NotRequired[Annotated[Number, "the upper end of the interval (--confidence, --gold)"]]
    doubtful: NotRequired[Annotated[bool, "whether too few values decide to trust the interval and p"]]
    corrected: NotRequired[Annotated[Number, "the mean as gold labels correct it (--gold)"]]
    without_tau: NotRequired[Annotated[Number, "the mean with tau=0, which gold labels correct (--gold)"]]
    gold: NotRequired[Annotated[int, "the number of documents with gold labels (--gold)"]]
    differ: NotRequired[Annotated[int, "the number of these whose labels differ (--gold)"]]
    of: NotRequired[Annotated[list[str], "the two slices of a gap, the one with the greater mean first (--slice)"]]
    p: NotRequired[Annotated[Number, "the p-value of a difference between slices (--confidence, --against)"]]
    against: NotRequired[Annotated[str, "the slice that this one is compared with (--against)"]]
    difference: NotRequired[Annotated[Number, "the value less that of this slice (--against)"]]
    difference_low: NotRequired[Annotated[Number, "the lower end of the interval of the difference (--confidence)"]]
    difference_high: NotRequired[Annotated[Number, "the upper end of the interval of the difference (--confidence)"]]
    p_corrected: NotRequired[Annotated[Number, "p, corrected over all differences of the report (--against)"]]
    difference_doubtful: NotRequired[Annotated[bool, "whether too few queries decide to trust the difference"]]
    least: NotRequired[Annotated[Number, "the least value over what is open (--bounds)"]]
    greatest: NotRequired[Annotated[Number, "the greatest value over what is open (--bounds)"]]
    expected: NotRequired[Annotated[Number, "the expected value over what is open (--bounds); else over all ties"]]
    mixed_ties: NotRequired[Annotated[int, "the number of queries in which documents of different groups tie"]]
    skill: NotRequired[Annotated[Number, "how far the mean is from the expected to the best one (--bounds orders)"]]
    tied: NotRequired[Annotated[int, "the number of queries with ties that matter (--bounds ties)"]]
    drawn: NotRequired[Annotated[int, "the number of queries with random draws behind these values (--bounds)"]]
    searched: NotRequired[Annotated[int, "the number of queries whose ends were searched for (--bounds orders)"]]
    with_bounds: NotRequired[Annotated[int, "the number of queries that have bounds (--bounds labels or texts)"]]
    unknown: NotRequired[Annotated[int, "the number of queries with unknown documents (--bounds labels or texts)"]]
    bounded: NotRequired[Annotated[int, "the number of queries whose ends may not be attained"]]
    sampled: NotRequired[Annotated[int, "the number of queries whose expected value comes from random draws"]]
    outside: NotRequired[Annotated[int, "the number of queries whose value lies outside its bounds"]]


class PooledEntry(TypedDict):
    """The numbers next to a pooled value."""

    low: NotRequired[Annotated[Number, "the lower end of its interval (--confidence)"]]
    high: NotRequired[Annotated[Number, "the upper end of its interval (--confidence)"]]
    effective: NotRequired[Annotated[Number, "how many queries of equal weight carry as much as these (Kish)"]]
    doubtful: NotRequired[Annotated[bool, "whether too few queries decide to trust the interval"]]
    n: NotRequired[Annotated[Number, "the number of candidates of the group"]]
    selected: NotRequired[Annotated[Number, "how many of these are selected"]]
    share: NotRequired[Annotated[Number, "their share in the candidates of known group"]]
    least: NotRequired[Annotated[Number, "the least value over all labels of unknown candidates (--bounds labels)"]]
    greatest: NotRequired[Annotated[Number, "the greatest value over these (--bounds labels)"]]
    bounded: NotRequired[Annotated[bool, "whether no labeling need attain the greatest value"]]
    p: NotRequired[Annotated[Number, "the p-value of the difference of two slices (--against)"]]
    against: NotRequired[Annotated[str, "the slice that this one is compared with (--against)"]]
    difference: NotRequired[Annotated[Number, "the value less that of this slice (--against)"]]
    difference_low: NotRequired[Annotated[Number, "the lower end of the interval of the difference (--confidence)"]]
    difference_high: NotRequired[Annotated[Number, "the upper end of the interval of the difference (--confidence)"]]
    p_corrected: NotRequired[Annotated[Number, "p, corrected over all differences of the report (--against)"]]
    difference_doubtful: NotRequired[Annotated[bool, "whether too few queries decide to trust the difference"]]


class SliceEntry(TypedDict):
    """The values of a run over one slice, or the gap between slices."""

    queries: Annotated[int, "the number of queries"]
    means: Annotated[dict[str, MeanEntry], "by measure"]
    pooled: NotRequired[Annotated[MeasureValues, "by measure, the value of all queries together (--pool)"]]
    pooled_numbers: NotRequired[Annotated[dict[str, PooledEntry], "by measure, the numbers next to it (--pool)"]]


class NextEntry(TypedDict):
    """The unknown document that moves a value most."""

    rank: Annotated[int, "its rank"]
    docno: Annotated[str, "its id"]
    moves: Annotated[Number, "how far apart its labels move the value"]


class EndsEntry(TypedDict):
    """The values of queries over what is open."""

    least: Annotated[QueryValues, "by query and measure"]
    greatest: Annotated[QueryValues, "by query and measure"]
    expected: Annotated[QueryValues, "by query and measure"]


class NoteEntry(TypedDict):
    """What a reader must know next to a number."""

    kind: Annotated[str, "what it is about, like ceiling"]
    severity: Annotated[
        Literal["verdict", "legend", "misleading", "input", "background"], "how much it changes what a reader concludes"
    ]
    measure: Annotated[str | None, "the measure that it is on; null: all"]
    runs: Annotated[list[str], "the runs that it is on; empty: all"]
    numbers: Annotated[dict[str, Any], "its numbers by name; a list has one for each of the runs, in their order"]
    text: Annotated[str, "its text, as reports print it"]


class RunEntry(TypedDict):
    """The values of one run."""

    run: Annotated[str, "the name of the run"]
    tag: Annotated[str, "the tag in its file"]
    queries: Annotated[int, "the number of queries"]
    means: NotRequired[Annotated[dict[str, MeanEntry], "by measure; absent with -n"]]
    pooled: NotRequired[Annotated[MeasureValues, "by measure, the value of all queries together (--pool)"]]
    pooled_numbers: NotRequired[Annotated[dict[str, PooledEntry], "by measure, the numbers next to it (--pool)"]]
    per_query: NotRequired[Annotated[QueryValues, "by query and measure (-q)"]]
    ties: NotRequired[Annotated[EndsEntry, "the values of queries over the orders of ties (-q --bounds ties)"]]
    orders: NotRequired[Annotated[EndsEntry, "the values of queries over all orders (-q --bounds orders)"]]
    unknown: NotRequired[Annotated[EndsEntry, "the values of queries over labels or texts (-q --bounds labels, texts)"]]
    label_next: NotRequired[
        Annotated[dict[str, dict[str, NextEntry]], "by query and measure, the document to label next"]
    ]
    slices: NotRequired[Annotated[dict[str, SliceEntry], "by slice (--slice)"]]


class RankingEntry(TypedDict):
    """The means that rank runs, over the queries in which all ranked runs have a value."""

    measure: Annotated[str, "the measure of --sort"]
    queries: Annotated[int, "the number of these queries"]
    means: Annotated[MeasureValues, "by run"]


class ResultsFile(TypedDict):
    """What `fairtrec eval -f json` writes; `check --baseline`, `results diff` and `results replay` read it."""

    format: Annotated[Literal[1], "the format of this file"]
    fairtrec: Annotated[str, "the version of fairtrec that wrote it"]
    signature: Annotated[str, "every choice and every content that a value depends on"]
    inputs: Annotated[dict[str, InputEntry], "by the part that a file plays: qrels, docs, `run NAME`"]
    arguments: NotRequired[
        Annotated[list[str], "the command and its arguments, without options of format and file; absent from Python"]
    ]
    options: Annotated[dict[str, Any], "the options, by their keywords in fairtrec.evaluate"]
    notes: Annotated[list[NoteEntry], "the notes"]
    groups: NotRequired[
        Annotated[dict[str, dict[str, Any]], "by group, or by attribute and group: documents, and perhaps the target"]
    ]
    sort: NotRequired[Annotated[str, "the measure by which runs are sorted (--sort)"]]
    ranking: NotRequired[
        Annotated[RankingEntry, "what ranks the runs, if the measure of --sort is undefined in other queries of each"]
    ]
    measures: Annotated[dict[str, MeasureEntry], "by name"]
    runs: Annotated[list[RunEntry], "in the order given, or best first by the measure of --sort"]
