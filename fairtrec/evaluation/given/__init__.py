"""What may be given beside the runs: the table of it. Each thing has a file here, which says all else of it.

To add one, write its row, which is its keyword in Python too, and its file with a ``Reference``: ``stances.py`` is an
example. Its row has the inputs of measures that are made of it; each has another in measures/catalogue/needs.py.

Nothing here imports numpy, so that the command line can be built of it before anything is loaded.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from fairtrec.evaluation.given.given_rows import (
    Attributes,
    CountsLike,
    FrameLike,
    Given,
    GroupsLike,
    Input,
    NamedRuns,
    RankingsLike,
    TermsLike,
    TextsLike,
)
from fairtrec.evaluation.inputs.options import ChoiceKeywords, Choices, refuse_unknown_options
from fairtrec.evaluation.inputs.table_roles import describe_columns
from fairtrec.support.errors import FilePath, UsageError

if TYPE_CHECKING:
    from fairtrec.evaluation.given.reference import Reference, References


_COUNTS = "--terms LIST with --docs COLLECTION, or --counts FILE"
_GROUPS = f"--labels FILE, or {_COUNTS}"
_of_groups = partial(Input, give=_GROUPS, role="group")
_of_judgments = partial(Input, missing="relevance judgments", give="a qrels file", word="qrels")
_GROUPED = (  # what is made of any groups
    _of_groups("ranked", "the documents' groups"),
    Input("counts", "the counts of group terms", _COUNTS),
    Input("tokens", "the lengths of documents", _COUNTS, "counts"),
    _of_groups("groups", "groups", word=""),
    _of_groups("order", "groups", word=""),
    _of_groups("target", "groups", word=""),
    _of_groups("membership", "group labels", word="groups"),
    Input(
        "judged_membership", "relevance judgments and group labels", f"a qrels file, and {_GROUPS}", "qrels, groups",
        beside="qrels", role="group",
    ),
)  # fmt: skip
_COUNTED = (  # and of groups of all documents
    *_GROUPED,
    Input("collection", "the counts of a whole collection", "--counts FILE", "whole collection"),
    Input(
        "group_sizes", "group labels or the counts of a whole collection", "--labels FILE or --counts FILE", "groups"
    ),
)


class SourceKeywords(TypedDict, total=False):
    """What is given beside the runs, as keywords of ``evaluate``."""

    terms: Annotated[TermsLike | None, Given(
        "NAME|FILE", "Group terms: a word list by name, or a file of term,group lines.", file="counts",
    )]  # fmt: skip
    docs: Annotated[TextsLike | None, Given(
        "FILE|ID", "The texts: TSV or JSON lines, or an ir_datasets id.", file="counts", inputs=(
            *_GROUPED, Input("log_counts", "the texts of documents", "--terms LIST with --docs COLLECTION", "texts"),
        ),
    )]  # fmt: skip
    counts: Annotated[CountsLike | None, Given(
        "FILE", "Counts instead of texts, as `fairtrec counts make` makes them; or a TSV with the columns docno, "
        "tokens (how many words) and, for each group, how many of its words.", inputs=_COUNTED,
    )]  # fmt: skip
    labels: Annotated[GroupsLike | Attributes | None, Given(
        "[NAME=]FILE[:FIELD]", "Groups of documents. FILE: docno group, per query qid 0 docno group, or a field of a "
        "table; qrels: column 2 of QRELS is the group. For several attributes, such as gender and region, repeat it "
        "with a NAME for each.", by_name=True, inputs=_COUNTED,
    )]  # fmt: skip
    stances: Annotated[FilePath | Mapping[str, float | Sequence[float]] | FrameLike | None, Given(
        "FILE", "Where documents stand between the sides of a debate: TSV of docno x [y ...] (DUO).", inputs=(
            Input("stances", "stances of documents", "--stances FILE"),
            Input(
                "background_stances", "stances of documents and a background",
                "--stances FILE and --background RUN", "stances, background", beside="background",
            ),
        ),
    )]  # fmt: skip
    discount: Annotated[FilePath | Sequence[float] | Mapping[int, float] | None, Given(
        "FILE", "The weight of each rank, for measures like AWRF(discount=given)@10: TSV of rank weight.",
    )]  # fmt: skip
    counterfactual: Annotated[RankingsLike | Mapping[str, RankingsLike] | None, Given(
        "RUN|FOLDER", "A RUN of the same system over texts with swapped group words (CRBO), or a folder of them.",
        inputs=(Input("counterfactual", "a counterfactual run", "--counterfactual RUN|FOLDER"),),
    )]  # fmt: skip
    queries: Annotated[FilePath | Iterable[str] | None, Given(
        "NAME|FILE|common|defined|judged", "Only these queries: a query set, a file of ids, or a word; common: those "
        "of all RUNs; defined: those in which every RUN has a value of every measure; judged: those of QRELS. "
        "`fairtrec resources list` names the query sets.", words=("common", "defined", "judged"),
    )]  # fmt: skip
    background: Annotated[RankingsLike | None, Given(
        "RUN|collection", "A run of the documents that a system could have shown; NFaiRR divides by the best value "
        "that they allow; collection: all documents.", words=("collection",),
        inputs=(Input("background", "a background set", "--background RUN or --background collection"),),
    )]  # fmt: skip


class Keywords(SourceKeywords, ChoiceKeywords, total=False):
    """What ``evaluate`` and ``evaluator`` take by keyword: what is given beside the runs, and the options."""


class ClusterKeywords(Keywords, total=False):
    """What ``check`` takes beyond that."""

    cluster: Annotated[FilePath | Mapping[str, str] | None, Given(
        "FILE", "Queries that are not independent, of one user, session or topic: lines of qid and cluster; intervals "
        "and tests are then by clusters.",
    )]  # fmt: skip


class GoldKeywords(ClusterKeywords, total=False):
    """What ``evaluate`` takes beyond that."""

    gold: Annotated[GroupsLike | None, Given(
        "SHEET", "Labels by people for a sample of `fairtrec gold draw`: also print corrected values.",
    )]  # fmt: skip


_HINTS: Mapping[str, Any] = GoldKeywords.__annotations__
GIVEN: dict[str, Given] = {
    "pool": Given(words=("even",)),  # an option of its own
    "qrels": Given(  # an argument
        nothing="none", inputs=tuple(map(_of_judgments, ("relevance", "judged_relevance", "greatest_grade")))
    ),
    **{name: hint.__metadata__[0] for name, hint in _HINTS.items() if hasattr(hint, "__metadata__")},
}
SOURCE_NAMES = tuple(name for name in GIVEN if name != "pool")
_FIRST = ("fairtrec", "qrels", "tau", "max-grade", "terms", "docs", "counts", "labels", "groups", "members")
_LAST = ("gold", "queries", "background")
FIELDS = (*_FIRST, *(name for name in SOURCE_NAMES if name not in (*_FIRST, *_LAST)), *_LAST)  # of signatures
FOR_FAIRNESS = "--terms LIST with --docs COLLECTION, or --labels FILE"
FOR_ANYTHING = f"a qrels file, or {FOR_FAIRNESS}"
_OF_TRACK = (  # what one command is given
    Input(
        "sequences",
        "the track's sequences of queries",
        "--sequences FILE of `fairtrec trec-fair-2019`",
        "trec-fair-2019",
    ),
    Input("authors", "the track's groups of authors", "--labels FILE of `fairtrec trec-fair-2019`", ""),
)


@cache
def load_reference(name: str) -> "Reference":
    """Load what says all of a thing."""
    module = import_module(f"fairtrec.evaluation.given.{GIVEN[name].file or name}")
    found: Reference = getattr(module, name.upper())
    return found


def make_examples(qids: Sequence[str], docnos: Sequence[str]) -> dict[str, Any]:
    """Make an example of each thing that has one, for these queries and documents."""
    made = {name: load_reference(name).make_example(qids, docnos) for name in SOURCE_NAMES}
    return {name: example for name, example in made.items() if example is not None}


def take_references(**given: Any) -> "References":
    """Take what a caller gave beside the runs; None is not given. Raises UsageError where it does not fit together."""
    from fairtrec.evaluation.given.reference import References

    return References(
        {load_reference(name): given[name] for name, row in GIVEN.items() if is_given(given.get(name), row)}, GIVEN
    )


def is_given(thing: Any, row: Given) -> bool:
    """Tell whether something was given, and not the word for nothing."""
    return thing is not None and not (isinstance(thing, str) and thing == row.nothing != "")


def split_keywords(keywords: Mapping[str, Any], known: Collection[str]) -> "tuple[References, Choices]":
    """Tell what is given beside runs from the choices. Raises UsageError for a keyword that is not ``known``."""
    refuse_unknown_options((name for name in keywords if name != "qrels"), known)
    choices = Choices(**{name: value for name, value in keywords.items() if name not in SOURCE_NAMES})
    choices.refuse_lacking({name for name, row in GIVEN.items() if is_given(keywords.get(name), row)})
    return take_references(**keywords), choices


@cache
def find_input(need: str) -> Input | None:
    """Find what an input is made of, whether that was given or not; None if any run has it, or nothing does."""
    return next((each for each in chain(_OF_TRACK, *(row.inputs for row in GIVEN.values())) if each.name == need), None)


def lacking_error(who: object, need: str, runs: NamedRuns = ()) -> UsageError:
    """Say that someone needs an input that cannot be made of what was given, and what to give beside these runs."""
    found = find_input(need)
    if found is None:
        return UsageError(f"{who} needs {need}, which does not exist; report this bug to the authors of the plug-in")
    own = describe_columns(found.role, runs) if found.role else ""
    return UsageError(f"{who} needs {found.missing}; add {found.give}{own}")
