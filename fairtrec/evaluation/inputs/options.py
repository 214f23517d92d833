"""The options of an evaluation, in one table: choices, which may change a value, and view options, which do not.

Each row is a field of Choices or of ViewOptions; ``Choice`` lists what a row holds. A row defines the option of the
command line, its section of the help, what a shell offers, and what refuses it. The row of a choice also defines its
part of the signature, its factor where choices are varied and its keyword in ``rerank``.

To add a choice, write its row, its type among the keywords, and its effect. To add a view option, write its row and a
parameter of the layout or renderer that shows it.

Nothing here imports click or numpy, so that the command line can be built of it before anything is loaded.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from os import fspath
from typing import Annotated, Any, Literal, TypedDict, get_args, get_origin

from fairtrec.evaluation.answers import CONFIDENCE_OF_MEANS, CONFIDENCE_OR_BOUNDS, GOLD_BY_T
from fairtrec.evaluation.inputs.draw_limits import write_limits
from fairtrec.evaluation.inputs.option import Asked, Choice
from fairtrec.formats.column_roles import NO_ROLES, Roles, parse_columns, write_columns
from fairtrec.formats.run_forms import FORMS, describe_forms
from fairtrec.support.errors import PATH, FilePath, UsageError
from fairtrec.support.files.arguments import is_by_name, renamings
from fairtrec.support.late_patterns import compile_late
from fairtrec.support.literals import (
    FILLED,
    Kept,
    LeftOpen,
    Membership,
    Method,
    Missing,
    RankedBy,
    RunFormat,
    ScoreType,
    SliceCorrection,
    Tokenizer,
    Undefined,
)

Target = str | Mapping[str, float]
INPUTS, MEASURES, RANKING, COMPARISON, OUTPUT = "Inputs", "Measures", "Ranking", "Comparison", "Output"  # of the help
POSITIONS = "numbers the ranks that are left anew, and --order position keeps them; leave out one of the two"
NOT_OF_SPREAD = {"spread": "best, median and worst of values alone"}


def name_source(given: Any) -> str:
    """Name what was given by its file or word; what has no name is ``given``."""
    return fspath(given).rstrip("/").rsplit("/", 1)[-1] if isinstance(given, PATH) else "given"


_FOLDER = compile_late(r"[^*+]*/")  # before the name of a file in a target


class RerankedKeywords(TypedDict, total=False):
    """The fields of Choices that ``rerank`` heeds."""

    background_depth: int
    target: Target
    tokenizer: Tokenizer | None
    case_sensitive: bool | None
    missing: Missing
    order: RankedBy
    score_dtype: ScoreType
    run_format: RunFormat
    columns: str | Mapping[str, str] | None
    relevance_level: int | None
    membership: Membership | None
    groups: str | Sequence[str] | None


class ChoiceKeywords(RerankedKeywords, total=False):
    """The fields of Choices, as keywords of ``evaluate``."""

    depth: int | None
    only: Kept | None
    complete: bool
    samples: bool
    undefined: Undefined
    aggregate: str | Sequence[str]
    bounds: LeftOpen | None
    next_label: bool
    pool: FilePath | Mapping[str, float] | None
    collection_size: int | None
    prior: Target


@dataclass(frozen=True)
class Choices:
    """The options of an evaluation. Each is an option of ``fairtrec eval`` and a keyword of ``evaluate``."""

    background_depth: Annotated[int, Choice(
        ("--background-depth",), INPUTS, "Use the first N background documents of each query.",
        metavar="N", after="background", part="background",
        trials=(2,),
    )] = 200  # fmt: skip
    target: Annotated[Target, Choice(
        ("--target",), MEASURES, "The share each group should have: even (equal), background or collection (the share "
        "there), qrels (the share of relevant documents), relevance (the same, weighted by grade), ideal (the same, "
        "weighted by exposure in the best order), a file, f=0.4,m=0.6, or a mixture, 0.5*qrels+0.5*even.",
        metavar="SHARES",
        words=("even", "background", "collection", "qrels", "relevance", "ideal"), file=True, part="documents labels",
        key="target", behind="tau",
        tells=lambda of: _FOLDER.sub("", of), always=True, by_name=True,
        trials=("f=0.25,m=0.75", "qrels", "relevance", "ideal", "0.5*qrels+0.5*even"),
    )] = "even"  # fmt: skip
    tokenizer: Annotated[Tokenizer | None, Choice(  # strip; or that of the counts
        ("--tokenizer",), INPUTS, "How words are found: split at white space and remove punctuation at both "
        "ends (strip); split at single spaces (space); take runs of letters, digits and _ (word).  [default: strip]",
        part="texts", key="tokenizer",
        behind="fairtrec", tells=lambda value: value or "strip", always=True, trials=("space",),
    )] = None  # fmt: skip
    case_sensitive: Annotated[bool | None, Choice(  # no; or as the counts
        ("--case-sensitive",), INPUTS, "Treat Hunter and hunter as different words.",
        part="texts", key="case",
        tells=lambda value: "sensitive" if value else "", factor="case",
        values={"sensitive": True, "insensitive": False}, trials=(True,),
    )] = None  # fmt: skip
    missing: Annotated[Missing, Choice(
        ("--missing",), INPUTS, "What to do about a document without text or counts: stop (error), assume no group "
        "words (neutral) or those of one group only (worst), or leave it out (skip). A document without a label is of "
        "unknown group, and stops nothing; group puts all of these into one more group, even each evenly into all.",
        part="documents filled", key="missing",
        behind="background", always=True, trials=("neutral", "skip", "worst"),
    )] = "error"  # fmt: skip
    order: Annotated[RankedBy, Choice(
        ("--order",), RANKING, "Rank by score (column 5), rank (column 4) or the order of lines. position is the rank "
        "with its gaps: a rank that no line has holds no document.", excludes={
            f"--missing skip {POSITIONS}": lambda it: it.order == "position" and it.missing == "skip",
            f"--bounds texts {POSITIONS}":  # which leaves documents out
                lambda it: it.order == "position" and it.bounds == "texts",
        }, key="order", behind="fairtrec", always=True, trials=("rank", "file", "position"),
    )] = "score"  # fmt: skip
    score_dtype: Annotated[ScoreType, Choice(
        ("--score-dtype",), RANKING, "float32 compares scores as old versions of trec_eval did.", key="scores",
        trials=("float32",),
    )] = "float64"  # fmt: skip
    run_format: Annotated[RunFormat, Choice(
        ("--run-format",), RANKING, f"{describe_forms()}.",
        factor=None, literals=("auto", *FORMS), trials=("trec",),
    )] = "auto"  # fmt: skip
    columns: Annotated[str | Mapping[str, str] | None, Choice(
        ("--columns",), RANKING, "Which columns of a table (CSV, TSV, JSON lines, Parquet) are what, like "
        "qid=request_id,rank=slot. The roles are qid (- makes one query of all rows), docno, rank, score, sample (with "
        "--samples), group (groups of documents, instead of --labels), cluster (as --cluster), and slice (as --slice). "
        "Other columns are found by their names.",
        metavar="ROLE=COLUMN,...", key="columns", behind="scores", tells=write_columns, factor=None,
        trials=("score=slot",),
    )] = None  # fmt: skip
    depth: Annotated[int | None, Choice(
        ("-M", "--depth"), RANKING, "Cut rankings after rank N.", metavar="N", after="missing",
        key="depth", behind="scores", trials=(3,),
    )] = None  # fmt: skip
    only: Annotated[Kept | None, Choice(  # of a grade of 0 or more, or from the level on; others than the query itself
        ("--only",), RANKING, "Keep only judged or relevant (-l) documents in rankings, after -M has cut them; others "
        "leaves out a document whose id is that of the query.",
        after="depth", refused={"explain": "rankings as they are"}, key="only", behind="depth", drops=True, factor=None,
        trials=("judged", "relevant"),
    )] = None  # fmt: skip
    relevance_level: Annotated[int | None, Choice(
        ("-l", "--relevance-level"), MEASURES, "The grade from which a document is relevant.  [default: 1]",
        metavar="N", after="missing", key="relevance-level", factor=None, trials=(2,),
    )] = None  # fmt: skip
    complete: Annotated[bool, Choice(
        ("-c", "--complete"), MEASURES, "Count queries that a run lacks as empty rankings.", after="missing",
        key="complete", factor=None, trials=(True,),
    )] = False  # fmt: skip
    samples: Annotated[bool, Choice(
        ("--samples",), RANKING, "Read several rankings of each query, numbered in column 2 of the run, or in a "
        "column like impression_id of a table, as of systems that show another order each time; of answers (rag), "
        "several of each topic.",
        refused={"explain": "one ranking for each query", "headroom": "one ranking for each query"},
        key="samples", tells=lambda _: "column 2", factor=None, trials=(True,),
    )] = False  # fmt: skip
    membership: Annotated[Membership | None, Choice(  # share; or as the labels say
        ("--membership",), INPUTS, "How a document of several groups counts: in part for each (share), for the group "
        "with the most (majority), or in full for each (any).  [default: share; labels without weights: any]",
        after="labels", part="membership", key="membership", behind="members", tells=lambda value: value or "share",
        always=True, by_name=True, trials=("majority", "any"),
    )] = None  # fmt: skip
    groups: Annotated[str | Sequence[str] | None, Choice(  # those of the labels that count; all
        ("--groups",), INPUTS, "Use only these groups; documents of others count as unlabeled, or as of no group if "
        "the list has -. f=F renames the group F of labels and gold to f; -=N makes N no group.",
        metavar="G,G...", after="labels",
        part="labels gold", factor=None,
        by_name=True, trials=("f,m",),
    )] = None  # fmt: skip
    undefined: Annotated[Undefined, Choice(
        ("--undefined",), MEASURES, "What a query without a value counts as; skip leaves it out of the mean.",
        after="complete", refused={
            "explain": "why a value is undefined", "headroom": "means over the queries that have both values",
        }, key="undefined", behind="complete", trials=("0", "worst"),
    )] = "skip"  # fmt: skip
    aggregate: Annotated[str | Sequence[str], Choice(
        ("--aggregate",), MEASURES, "Print these aggregates of the values of queries: mean, median, min, max, gm "
        "(geometric mean), percentiles such as p10, and conditions such as '<0.9' (the share of queries that meet it).",
        metavar="LIST", words=("mean", "median", "min", "max", "gm"),
        only=("eval",), refused=dict.fromkeys(("explain", "headroom"), "means over queries") | NOT_OF_SPREAD,
        conflicts={
            "--aggregate replaces the means, and -n leaves them out; leave out one":
                lambda it: not (it.summary or it.is_page),
        },
        adds=True, key="aggregate", behind="undefined", tells=lambda of: of if isinstance(of, str) else ",".join(of),
        factor=None, trials=("max", "<0.5", "gm", "median", "p10"),
    )] = "mean"  # fmt: skip
    bounds: Annotated[LeftOpen | None, Choice(
        ("--bounds",), MEASURES, "Add the lowest and highest value over all orders of tied documents (ties), all "
        "groups that unlabeled documents could have (labels), all texts that missing ones could have (texts), or all "
        "orders of each ranking (orders); except for texts, also the expected value.",
        after="relevance_level", only=("eval", "check"), refused={
            "explain": "one value for each ranking", "headroom": "one value for each ranking", **NOT_OF_SPREAD,
        }, excludes={
            "--bounds applies only to means, and --aggregate is {aggregate}; leave out one of the two":
                lambda it: it.aggregate != "mean",
            "--bounds {bounds} is about one ranking of each query; leave out --bounds, or --samples":
                lambda it: it.samples,
            "-M can cut any of some tied documents, and --only {only} depends on which; leave out one of --bounds "
            "ties, --depth and --only": lambda it: it.bounds == "ties" and it.only and it.depth is not None,
            "ties are equal scores, and --order {order} ignores scores; leave out one of --bounds and --order":
                lambda it: it.bounds == "ties" and it.order != "score",
            "--missing {missing} puts documents without a label into groups; --bounds labels tries all groups; leave "
            "out one of the two": lambda it: it.bounds == "labels" and it.missing in FILLED,
        }, adds=True, column="{}", reads_whole=("orders",), key="bounds", behind="samples",
        tells=write_limits, factor=None, trials=("labels", "ties", "texts", "orders"),
    )] = None  # fmt: skip
    next_label: Annotated[bool, Choice(  # eval tells it where it tells of queries and has a place for it
        ("--next-label",), MEASURES, "Show which document to label next.", only=("python",), excludes={
            "next_label names one of them, which needs --bounds labels; add it, or leave this out":
                lambda it: it.bounds != "labels",
        }, adds=True,
        part="unlabeled", factor=None, trials=(True,),
    )] = False  # fmt: skip
    pool: Annotated[FilePath | Mapping[str, float] | None, Choice(  # how often each query is asked
        ("--pool",), MEASURES, "Also print each measure once for all queries together, computed from sums over "
        "them, such as of exposure: a query counts once (even), or as often as FILE says, lines of qid and frequency. "
        "Selected, Impact, Gini and Retrievability need it.",
        metavar="even|FILE", only=("eval", "compare", "check", "plot"), refused=NOT_OF_SPREAD, conflicts={
            "--pool prints a line below each mean, and -n prints no means; leave out one of the two":
                lambda it: not it.summary,
            "--pool prints a line below each mean, and --format {form} has no such lines; leave out one of the two":
                lambda it: it.is_page or it.is_binary,
        }, excludes={
            "--pool applies only to means, and --aggregate is {aggregate}; leave out one of the two":
                lambda it: it.aggregate != "mean",
        }, adds=True, column="pool", file=True, words=("even",), key="pool",
        behind="bounds", tells=name_source, factor=None, trials=("even",),
    )] = None  # fmt: skip
    collection_size: Annotated[int | None, Choice(  # documents
        ("--collection-size",), MEASURES, "Count N documents in Gini; those that no query retrieves get 0.",
        metavar="N", only=("eval",), refused=NOT_OF_SPREAD, adds=True, part="size",
        key="collection-size", factor=None, trials=(1000,),
    )] = None  # fmt: skip
    prior: Annotated[Target, Choice(  # of the groups of unknown documents
        ("--prior",), MEASURES, "With --bounds labels, how likely each group is for an unlabeled document, by which "
        "the expected value is computed: all equally (even), as among the query's labeled documents (known), or "
        "f=0.4,m=0.6.",
        metavar="SHARES", only=("eval", "check"), excludes={
            "--prior sets how likely their groups are, which needs --bounds labels; add it, or leave this out":
                lambda it: it.bounds != "labels",
        }, adds=True, part="unlabeled",
        key="prior", always=True, factor=None, by_name=True, trials=("known",),
    )] = "even"  # fmt: skip

    def __post_init__(self) -> None:
        self._check_values()
        parse_columns(self.columns)
        if self.aggregate != "mean":
            from fairtrec.evaluation.answers import aggregates  # which few evaluations import

            object.__setattr__(self, "aggregate", ",".join(aggregates.read(self.aggregate)))
        for row in CHOICES.values():
            row.refuse(row.excludes, self)
            if row.drops and self.order == "position" and getattr(self, row.name) != row.default:
                raise UsageError(f"--{row.option} {getattr(self, row.name)} {POSITIONS}")
        if self.bounds == "texts" and self.missing == "error":
            object.__setattr__(self, "missing", "skip")

    def _check_values(self) -> None:
        """Raise UsageError for a value that an option cannot have."""
        for row in CHOICES.values():
            value = getattr(self, row.name)
            for own in value.values() if isinstance(value, Mapping) and row.by_name and is_by_name(value) else (value,):
                if row.literals and own not in row.literals and own is not None:
                    raise UsageError(f"--{row.option} {own!r} is not known; choose one of {', '.join(row.literals)}")
            if row.is_flag and value != row.default and not isinstance(value, bool):
                raise UsageError(f"--{row.option} is {value!r}; it must be True or False")
            if row.is_number and value is not None:
                if not isinstance(value, int) or isinstance(value, bool):
                    raise UsageError(f"--{row.option} is {value!r}; it must be a whole number")
                if value < 1:
                    raise UsageError(f"--{row.option} is {value}; it must be 1 or more")
            if row.hint == Target and not isinstance(value, str | Mapping):
                raise UsageError(f"--{row.option} is {value!r}; it must be a word, or shares like f=0.4,m=0.6")

    def refuse_lacking(self, given: Collection[str]) -> None:
        """Raise UsageError for a choice about judgments or labels if there are none."""
        if self.keeps_grades and "qrels" not in given:
            raise UsageError(f"--only {self.only} needs qrels; pass QRELS, or leave it out")
        if "labels" in given:
            return
        if self.groups is not None and not ("gold" in given and renamings(self.groups)):
            raise UsageError("--groups chooses groups of labels; add --labels FILE, or --terms for a word list")
        if self.missing in FILLED:
            what = f"--missing {self.missing} is for documents without a label; add --labels FILE"
            raise UsageError(f"{what}, or choose error, neutral, skip or worst")
        if self.bounds == "labels":
            what = "--bounds labels is for documents without a label; add --labels FILE"
            raise UsageError(f"{what}, or for documents without a text --bounds texts")

    @property
    def level(self) -> int:
        """The grade from which a document is relevant."""
        return self.relevance_level or 1

    @property
    def roles(self) -> Roles:
        """The columns of tables that have a role, by role."""
        return NO_ROLES if self.columns is None else parse_columns(self.columns)

    @property
    def keeps_grades(self) -> bool:
        """Whether judgments decide which documents rankings keep."""
        return self.only not in (None, "others")

    @property
    def reads_whole(self) -> bool:
        """Whether rankings are read to their end: where the rest closes up, or a column looks at all of it."""
        return self.missing == "skip" or bool(self.whole_columns)

    @property
    def whole_columns(self) -> list[str]:
        """The options whose columns look at all of a ranking, with their values; flags have none."""
        several = [(row, getattr(self, row.name)) for row in COLUMNS]
        return [
            f"--{row.option}" + f" {value}" * (value is not True) for row, value in several if value in row.reads_whole
        ]

    @property
    def drops_documents(self) -> bool:
        """Whether ``keep_documents`` drops documents of rankings, so that those below move up."""
        return any(getattr(self, row.name) != row.default for row in DROPPING)

    @property
    def keeps_ties(self) -> bool:
        """Whether rankings keep what is tied with the last document that is looked at."""
        return self.bounds == "ties"

    def refuse(self, command: str, takes: str) -> None:
        """Raise UsageError for a choice that a command refuses; it says what that ``takes`` in its place."""
        refuse_for(command, takes, CHOICES.values(), vars(self))


PER_QUERY = "-f flat has only means, and -q asks for values of queries; leave out one of them"


@dataclass(frozen=True)
class ViewOptions:
    """The options that change how a result is shown, and none of its values."""

    per_query: Annotated[bool, Choice(
        ("-q", "--per-query"), OUTPUT, "Also print the value of each query.", only=("eval", "headroom", "python"),
        refused={"spread": "each query"}, conflicts={
            "-n leaves the values of queries out of the page, and -q asks for them; leave out one of them":
                lambda it: it.is_page and not it.summary,
            PER_QUERY: lambda it: not it.has_queries,
        },
    )] = False  # fmt: skip
    summary: Annotated[bool, Choice(
        ("-n", "--no-summary"), OUTPUT, "Leave out the means; with -f html, leave out the values of queries and keep "
        "the means.",
        only=("eval", "python"), conflicts={
            "-n leaves out the means, so nothing is left to print; add -q": lambda it: not (it.is_page or it.per_query),
        },
    )] = True  # fmt: skip
    sort: Annotated[Any, Choice(
        ("--sort",), OUTPUT, "Sort runs by this measure, the best first, and show their ranks.  "
        "[default: as given]", metavar="MEASURE", only=("eval", "python"), refused=NOT_OF_SPREAD,
    )] = None  # fmt: skip
    spread: Annotated[bool, Choice(
        ("--spread",), OUTPUT, "For each query, print the best, median and worst value of all RUNs, but not whose they "
        "are.",
        only=("eval",),
    )] = False  # fmt: skip
    slices: Annotated[Any, Choice(
        ("--slice",), INPUTS, "Also print the means of each slice of queries; lines of FILE are qid and slice.",
        metavar="FILE", only=("eval", "python"), conflicts={
            "--slice asks for means, and -n leaves them out; leave out one of the two":
                lambda it: not (it.summary or it.is_page),
        },
    )] = None  # fmt: skip
    confidence: Annotated[float | None, Choice(
        ("--confidence",), COMPARISON, "Print the interval of each mean over queries at this level, like 0.95.",
        metavar="P", only=("eval",), refused=NOT_OF_SPREAD, trials=(0.9,), conflicts={
            CONFIDENCE_OF_MEANS: lambda it: it.aggregate != "mean",
            CONFIDENCE_OR_BOUNDS: lambda it: it.bounds is not None,
        },
    )] = None  # fmt: skip
    interval: Annotated[Method | None, Choice(
        ("--interval",), COMPARISON, "How the interval of --confidence is computed: from Student's t, or by "
        "bootstrap.  [default: t]",
        only=("eval",), refused=NOT_OF_SPREAD, conflicts={
            "--interval needs --confidence; add --confidence 0.95, or leave it out":
                lambda it: it.confidence is None,
            GOLD_BY_T: lambda it: it.interval != "t" and it.gold is not None,
        },
    )] = None  # fmt: skip
    against: Annotated[str | None, Choice(
        ("--against",), COMPARISON, "Compare each slice of queries with one of them: the first, all queries, or the "
        "slice of this NAME.",
        metavar="first|all|NAME", only=("eval", "python"), refused=NOT_OF_SPREAD, words=("first", "all"),
        trials=("first",), conflicts={
            "--against needs --slice; add --slice FILE, or leave it out":
                lambda it: it.slices is None and "slice" not in parse_columns(vars(it).get("columns")),
            "--against compares single values, and --bounds prints a range; leave out one of the two":
                lambda it: it.bounds is not None,
            "--against compares means, and --aggregate prints other values; leave out one of the two":
                lambda it: it.aggregate != "mean",
            "--against compares values that gold labels do not correct; leave out --gold, or --against":
                lambda it: it.gold is not None,
        },
    )] = None  # fmt: skip
    correction: Annotated[SliceCorrection | None, Choice(
        ("--correction",), COMPARISON, "Correct p of --against for all differences of the report.  [default: holm]",
        only=("eval", "python"), refused=NOT_OF_SPREAD, trials=("none",), conflicts={
            "--correction needs --against; add --against first, or leave it out": lambda it: it.against is None,
        },
    )] = None  # fmt: skip
    title: Annotated[str | None, Choice(
        ("--title",), OUTPUT, "The heading of a page (html), or the start of a caption (latex).", metavar="TEXT",
        only=("eval", "python"), refused=NOT_OF_SPREAD, trials=("Ours",), conflicts={
            "--title is the heading of a page, or begins a caption; add -f html, or -f latex":
                lambda it: not it.is_page and it.form != "latex",
        },
    )] = None  # fmt: skip
    query_texts: Annotated[Any, Choice(
        ("--query-texts",), OUTPUT, "Show the texts of queries: lines of qid<TAB>text, or an ir_datasets id.",
        metavar="FILE|ID", only=("eval", "explain", "headroom", "python"), refused=NOT_OF_SPREAD, conflicts={
            "--query-texts needs a page with the values of queries; add -f html, without -n":
                lambda it: not (it.is_page and it.summary),
        },
    )] = None  # fmt: skip
    latex_label: Annotated[str | None, Choice(
        ("--latex-label",), OUTPUT, "The label of the table (latex).", metavar="NAME",
        only=("eval", "python"), refused=NOT_OF_SPREAD, trials=("tab:runs",), conflicts={
            "--latex-label is what a LaTeX table is referred to by; add -f latex": lambda it: it.form != "latex",
            "--latex-label {latex_label!r} has characters other than letters, digits and :._+/-; change it":
                lambda it: not re.fullmatch(r"[\w:.+/-]+", it.latex_label, re.ASCII),
        },
    )] = None  # fmt: skip


def _rows_of(table: Any) -> dict[str, Choice]:
    """Give the rows of a table by name, each with the type and the default of its field."""
    rows: dict[str, Choice] = {}
    for each in fields(table):
        hint, row = get_args(each.type)
        kinds = (hint, *get_args(hint))
        table.__init__.__annotations__[each.name] = hint  # which is all that help() should show
        rows[each.name] = row._replace(
            name=each.name,
            hint=hint,
            default=each.default,
            factor=row.options[-1].removeprefix("--") if row.factor == "" else row.factor,
            literals=row.literals or next((get_args(one) for one in kinds if get_origin(one) is Literal), ()),
            is_flag=bool in kinds,
            is_number=hint in (int, int | None),
        )
    return rows


CHOICES, VIEWS = _rows_of(Choices), _rows_of(ViewOptions)
DROPPING = [row for row in CHOICES.values() if row.drops]  # options by which rankings lose documents
COLUMNS = [row for row in CHOICES.values() if row.column][::-1]  # options that add one; the last is computed first
DEFAULTS = {row.name: row.default for row in (*CHOICES.values(), *VIEWS.values())}


def has_option(command: str, row: Choice) -> bool:
    """Report whether a command that evaluates may have the option of a row."""
    return command in row.only or not row.only


def refuse_positions(command: str, order: Any) -> None:
    """Raise UsageError if positions are to be kept by a command that numbers ranks anew."""
    if order == "position":
        raise UsageError(f"{command} numbers ranks 1 to n; leave out --order position")


def refuse_for(command: str, takes: str, rows: Iterable[Choice], asked: Mapping[str, Any]) -> None:
    """Raise UsageError for an option that a command refuses; the message says what that ``takes`` instead."""
    for row in rows:
        if command in row.refused and asked.get(row.name, row.default) != row.default:
            raise UsageError(f"{takes} {row.refused[command]}; leave out --{row.option}")


def refuse_conflicts(asked: Asked) -> None:
    """Raise UsageError for an option that does not fit the format of a report, or another option."""
    for row in (*VIEWS.values(), *CHOICES.values()):
        row.refuse(row.conflicts, asked)


def refuse_unknown_options(given: Iterable[str], known: Collection[str]) -> None:
    """Raise UsageError for an option that there is not, and say which of the known ones may be meant."""
    for name in given:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, [*known], 1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
            raise UsageError(f"there is no option {name}{hint}")
