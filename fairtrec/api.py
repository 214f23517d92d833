"""``fairtrec.evaluate``: from whatever the caller has (paths, names, frames, dicts) to the scores of each run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from typing import Any, Literal, cast

import numpy as np

from fairtrec import __version__, distribution, evaluation, loading, registry
from fairtrec.annotate.counter import Lexicon
from fairtrec.annotate.tokens import Tokenizer
from fairtrec.data import Floats, GroupTerms, Queries, Run
from fairtrec.errors import FilePath, InputError, UsageError
from fairtrec.evaluation import Scores
from fairtrec.formats import source
from fairtrec.formats.run import ScoreType
from fairtrec.inputs import OF_DOCUMENTS, OPTIONS, Documents, Given, Missing, TargetOf
from fairtrec.measure import Measure
from fairtrec.measures.utility import Judge, Utility
from fairtrec.order import Order
from fairtrec.signature import short, signature, tau_of

Target = str | Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Result:
    """The scores of each run, in the order given, and what is needed to have them again."""

    scores: tuple[Scores, ...]
    signature: str
    notes: tuple[str, ...]
    files: Mapping[str, FilePath]

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """Each run's value of each measure, over the queries for which it is defined."""
        return {each.run: dict(zip(map(str, each.measures), each.means.tolist(), strict=True)) for each in self.scores}

    @property
    def per_query(self) -> dict[str, dict[str, dict[str, float]]]:
        """Each run's value of each measure for each query; nan where it is undefined."""
        return {
            each.run: {
                str(measure): dict(zip(each.qids, values.tolist(), strict=True))
                for measure, values in zip(each.measures, each.values, strict=True)
            }
            for each in self.scores
        }

    @cached_property
    def digests(self) -> dict[str, str]:
        """The sha256 of every file that was read, by its part in the evaluation."""
        return {part: source.sha256(path) for part, path in self.files.items()}


@dataclass(frozen=True)
class Choices:
    """The options of an evaluation; each is also one of ``fairtrec eval``, whose help says what it does."""

    background_depth: int = 200
    target: Target = "even"
    tokenizer: Tokenizer = "strip"
    case_sensitive: bool = False
    missing: Missing = "error"
    order: Order = "score"
    score_dtype: ScoreType = "float64"
    depth: int | None = None
    relevance_level: int | None = None
    complete: bool = False

    def __post_init__(self) -> None:
        for name in ("depth", "background_depth", "relevance_level"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise UsageError(f"the {name.replace('_', ' ')} is {number}; it must be 1 or more")


def evaluate(
    measures: str | Measure | Iterable[str | Measure] | None,
    runs: Any,
    qrels: Any = None,
    *,
    groups: str | PathLike[str] | Mapping[str, Iterable[str]] | None = None,
    docs: Any = None,
    annotations: Any = None,
    queries: Any = None,
    background: Any = None,
    **choices: Any,
) -> Result:
    """Evaluate runs.

    ``measures``     in the notation ``Name(parameter=value)@cutoff``; None: those for which the inputs are given.
    ``runs``         a run, a list of runs, or a dict of named ones; a run is a path, ``{qid: {docno: score}}``, or a
                     frame with query_id, doc_id and score.
    ``qrels``        a path, an ir_datasets id or dataset, ``{qid: {docno: grade}}``, or a frame.
    ``groups``       the name of a word list, a path, or ``{group: [term, ...]}``.
    ``docs``         a path, an ir_datasets id or dataset, ``{docno: text}``, or a frame with doc_id and text.
    ``annotations``  counts made before: a path, or a frame with docno, tokens and a column for each group.
    ``queries``      the name of a query set, a path, or query ids.
    ``background``   a run, or ``"collection"`` for all documents of the annotations.
    ``choices``      the fields of Choices, such as ``tokenizer="word"``.

    Raises UsageError for what does not fit together, InputError for what cannot be read, ResourceError for a word
    list or query set that is not on this machine.
    """
    named = list(loading.named_runs(runs))
    if not named:
        raise UsageError("there is no run to evaluate; name at least one")
    options = Choices(**choices)
    has = {"qrels": qrels, "groups": groups, "docs": docs, "annotations": annotations, "background": background}
    plan = _plan(measures, has, options)
    query_set = None if queries is None else loading.queries(queries)
    judgements = None if qrels is None else loading.qrels(qrels)
    loaded, behind = _runs(named, background if plan.uses("background") else None, plan, options)
    chosen = [
        evaluation.evaluated(run, plan.measures, judgements, query_set, complete=options.complete) for run in loaded
    ]
    level = options.relevance_level or 1
    given = Given(judgements, None, behind, options.background_depth, plan.target, plan.target_of, level)
    notes = list(plan.notes)
    unknown = 0
    if plan.uses("documents"):
        wanted = evaluation.looked_at(loaded, chosen, plan.measures, given, options.missing)
        if plan.lexicon is not None:
            counted = loading.counted(docs, wanted, plan.lexicon)
        else:
            counted = loading.counts(annotations, wanted, collection=plan.uses("collection"))
        given = replace(given, documents=Documents(counted, options.missing))
        evaluation.refuse_unknown(given.documents_or_fail, loaded, chosen)
        unknown = int((~counted.known).sum())
        if unknown:
            notes.append(
                f"{unknown} of the {len(wanted)} documents looked at have no text or counts: {options.missing}"
            )
    utility = [measure for measure in plan.measures if isinstance(measure, Utility)]
    judge = Judge(utility, judgements) if judgements is not None and utility else None
    scores = [
        evaluation.score(run, plan.measures, qids, given, judge) for run, qids in zip(loaded, chosen, strict=True)
    ]
    line = _signature(plan, options, has, query_set, unknown)
    files = {part: thing for part, thing in {**has, "queries": queries}.items() if loading.is_file(thing)}
    files |= {f"run {name}": run for name, run in named if loading.is_file(run)}
    return Result(tuple(scores), line, tuple(notes), files)


@dataclass(frozen=True)
class _Plan:
    """What is to be computed, settled before anything large is read."""

    measures: tuple[Measure, ...]
    target: Floats | None
    target_of: TargetOf | None
    terms: GroupTerms | None
    lexicon: Lexicon | None
    notes: tuple[str, ...]

    def uses(self, what: Literal["documents", "background", "collection"]) -> bool:
        """Tell whether any measure, or the target, looks at this."""
        needs = {need for measure in self.measures for need in measure.needs}
        if what == "documents":
            return bool(needs & {"target", *OF_DOCUMENTS})
        return what in needs or ("target" in needs and what == self.target_of)


def _plan(measures: Any, has: Mapping[str, Any], options: Choices) -> _Plan:
    if has["docs"] is not None and has["annotations"] is not None:
        raise UsageError("both texts and counts were given; leave out --docs or --annotations")
    if has["docs"] is not None and has["groups"] is None:
        raise UsageError("texts were given, but no words to look for; give --groups LIST")
    terms = None if has["groups"] is None else loading.terms(has["groups"])
    groups: tuple[str, ...] = () if terms is None else terms.groups
    if has["annotations"] is not None:
        groups = loading.groups_of(has["annotations"])
        if terms is not None and terms.groups != groups:
            message = (
                f"the counts are of the groups {', '.join(groups)}, the list {terms.name} has {', '.join(terms.groups)}"
            )
            raise InputError(f"{message}; leave out --groups, or give counts made with it", _path(has["annotations"]))
    inputs = _inputs(has)
    asked = [one for measure in _measures(measures, inputs, options) for one in measure.expanded(groups)]
    for measure in asked:
        for need in measure.needs:
            if need in OPTIONS and need not in inputs:
                what, option = OPTIONS[need]
                raise UsageError(f"{measure} needs {what}; give {option}")
        measure.check(groups)
        if options.missing == "worst" and OF_DOCUMENTS & set(measure.needs) and not measure.worst_known:
            raise UsageError(f"{measure} knows no worst document; choose --missing error, neutral or skip")
    target, target_of = _target(options.target, groups, inputs) if groups else (None, None)
    texts = terms is not None and has["docs"] is not None
    lexicon = Lexicon.of(terms, options.tokenizer, case_sensitive=options.case_sensitive) if texts and terms else None
    notes = []
    if lexicon is not None and lexicon.shared:
        shown = ", ".join(lexicon.shared[:5]) + (", ..." if len(lexicon.shared) > 5 else "")
        notes.append(f"in the list of more than one group, so counted for each: {shown}")
    return _Plan(tuple(asked), target, target_of, terms, lexicon, tuple(notes))


def _inputs(has: Mapping[str, Any]) -> set[str]:
    """Name the inputs of measures that can be made from what was given."""
    inputs = {"ranked"}
    if has["qrels"] is not None:
        inputs |= {"relevance"}
    if has["docs"] is not None or has["annotations"] is not None:
        inputs |= {"counts", "tokens", "groups", "target"}
    if has["docs"] is not None:
        inputs |= {"log_counts"}
    if has["annotations"] is not None:
        inputs |= {"collection"}
    whole = is_collection(has["background"])
    if has["background"] is not None and not (whole and has["annotations"] is None):
        inputs |= {"background"}
    if whole and has["annotations"] is None:
        raise UsageError("--background collection needs the counts of the whole collection; give --annotations FILE")
    return inputs


def is_collection(background: Any) -> bool:
    """Tell whether the background is the whole collection."""
    return isinstance(background, str) and background == "collection"


def _measures(measures: Any, inputs: set[str], options: Choices) -> list[Measure]:
    if measures is None:
        defaults = [("relevance", "nDCG@10 RR@10"), ("counts", "ARaB@10 TExFAIR@10"), ("background", "NFaiRR@10")]
        measures = " ".join(
            names for need, names in defaults if need in inputs and (need == "relevance" or "counts" in inputs)
        )
        if not measures:
            raise UsageError("there is nothing to measure; give a qrels file, or --groups LIST with --docs COLLECTION")
    several = [measures] if isinstance(measures, str | Measure) else list(measures)
    parsed = [
        one
        for each in several
        for one in ([each] if isinstance(each, Measure) else registry.parse(each, options.relevance_level))
    ]
    if not parsed:
        raise UsageError("no measure was named; like -m 'nDCG@10 NFaiRR@10'")
    return list({str(measure): measure for measure in parsed}.values())


def _target(target: Target, groups: tuple[str, ...], inputs: set[str]) -> tuple[Floats | None, TargetOf | None]:
    """Settle the wanted shares, or what they are to be taken from. Raises UsageError where they make no sense."""
    if target == "even":
        return distribution.even(len(groups)), None
    if isinstance(target, str) and "=" not in target:
        needed = {"background": "background", "collection": "collection", "qrels": "relevance"}.get(target)
        if needed is None:
            raise UsageError(f"the target {target!r} is none of even, background, collection, qrels, f=0.4,m=0.6")
        if needed not in inputs:
            raise UsageError(f"the target {target} needs {OPTIONS[needed][0]}; give {OPTIONS[needed][1]}")
        return None, cast("TargetOf", target)
    try:
        pairs = [pair.split("=") for pair in target.split(",")] if isinstance(target, str) else list(target.items())
        shares = {str(group).strip(): float(share) for group, share in pairs}
    except ValueError:
        raise UsageError(f"cannot read the target {target!r}; write it like f=0.4,m=0.6") from None
    if set(shares) != set(groups):
        raise UsageError(f"the target names the groups {', '.join(shares)}; name each of {', '.join(groups)}")
    values = np.array([shares[group] for group in groups])
    if not (np.all(values >= 0) and abs(values.sum() - 1) < 1e-9):
        raise UsageError(f"the target's shares sum to {values.sum():g}; they must be 0 or more and sum to 1")
    return values, None


def _runs(
    named: Sequence[tuple[str, Any]], background: Any, plan: _Plan, options: Choices
) -> tuple[list[Run], Run | Literal["collection"] | None]:
    """Load the runs and the background, each file once, no deeper than anything looks."""
    reach = None if options.missing == "skip" else evaluation.depth_of(plan.measures)
    loaded: dict[Any, Run] = {}

    def run(name: str, thing: Any, depth: int | None) -> Run:
        key = (fspath(thing), depth) if loading.is_path(thing) else (id(thing), depth)
        if key not in loaded:
            loaded[key] = loading.run(thing, name, options.order, options.score_dtype, depth)
        return replace(loaded[key], name=name)

    same = not loading.is_path(background) or fspath(background) in [fspath(r) for _, r in named if loading.is_path(r)]
    deep = None if options.missing == "skip" else options.background_depth
    if same and reach is not None and background is not None and options.depth is None and deep is not None:
        reach = deep = max(reach, deep)
    cut = min((depth for depth in (reach, options.depth) if depth is not None), default=None)
    runs = [run(name, thing, cut) for name, thing in named]
    if background is None or is_collection(background):
        return runs, "collection" if background is not None else None
    return runs, run("background", background, deep)


def _signature(plan: _Plan, options: Choices, has: Mapping[str, Any], queries: Queries | None, unknown: int) -> str:
    behind = has["background"] if plan.uses("background") else None
    name = _path(behind) if loading.is_path(behind) else "given"
    depth = "" if is_collection(behind) else f"/{options.background_depth}"
    target = (
        options.target if isinstance(options.target, str) else ",".join(f"{g}={s}" for g, s in options.target.items())
    )
    of_documents = plan.uses("documents")
    counts = has["annotations"] if of_documents and plan.lexicon is None else None
    uses_utility = any(isinstance(measure, Utility) for measure in plan.measures)
    return signature(
        {
            "fairtrec": __version__,
            "ir-measures": _version_of_ir_measures() if uses_utility else "",
            "order": options.order,
            "scores": options.score_dtype if options.score_dtype != "float64" else "",
            "depth": str(options.depth or ""),
            "level": str(options.relevance_level or ""),
            "complete": "yes" if options.complete else "",
            "tokenizer": options.tokenizer if plan.lexicon else "",
            "case": "sensitive" if plan.lexicon and options.case_sensitive else "",
            "tau": tau_of(plan.measures),
            "target": target if of_documents else "",
            "groups": short(plan.terms.name, plan.terms.sha256) if plan.terms and of_documents else "",
            "counts": (_path(counts) or "given") if counts is not None else "",
            "queries": short(queries.name, queries.sha256) if queries else "",
            "background": f"{name}{depth}" if behind is not None else "",
            "missing": f"{options.missing}({unknown})"
            if of_documents and unknown
            else options.missing
            if of_documents
            else "",
        }
    )


def _path(thing: Any) -> str | None:
    return fspath(thing) if loading.is_path(thing) else None


def _version_of_ir_measures() -> str:
    import ir_measures

    return str(ir_measures.__version__)
