"""``fairtrec.evaluate``: from whatever the caller has (paths, names, frames, dicts) to the scores of each run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from typing import Any, Literal, Unpack

from fairtrec import evaluation, loading
from fairtrec.data import Queries, Run, Samples
from fairtrec.documents import Documents
from fairtrec.errors import FilePath, UsageError
from fairtrec.evaluation import Scores
from fairtrec.formats import source
from fairtrec.inputs import Given
from fairtrec.measure import Measure
from fairtrec.measures.utility import Judge, Utility
from fairtrec.plan import ChoiceKeywords, Choices, Plan, Sources, settle
from fairtrec.signature import short, signature, tau_of
from fairtrec.version import __version__


@dataclass(frozen=True, eq=False)
class Result:
    """The scores of each run, in the order given, and what is needed to have them again."""

    scores: tuple[Scores, ...]
    signature: str
    notes: tuple[str, ...]
    files: Mapping[str, tuple[str, FilePath]]  # by the part that each plays: how it was named, and where it is

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
        return {part: source.sha256(path) for part, (_, path) in self.files.items()}


def evaluate(
    measures: str | Measure | Iterable[str | Measure] | None,
    runs: Any,
    qrels: Any = None,
    *,
    groups: str | PathLike[str] | Mapping[str, Iterable[str]] | None = None,
    docs: Any = None,
    annotations: Any = None,
    labels: Any = None,
    positions: Any = None,
    queries: Any = None,
    background: Any = None,
    **choices: Unpack[ChoiceKeywords],
) -> Result:
    """Evaluate runs.

    ``measures``     in the notation ``Name(parameter=value)@cutoff``; None: those for which the inputs are given.
    ``runs``         a run, a list of runs, or a dict of named ones; a run is a path, ``{qid: {docno: score}}``, or a
                     frame with query_id, doc_id and score.
    ``qrels``        a path, an ir_datasets id or dataset, ``{qid: {docno: grade}}``, or a frame.
    ``groups``       the name of a word list, a path, or ``{group: [term, ...]}``.
    ``docs``         a path, an ir_datasets id or dataset, ``{docno: text}``, or a frame with doc_id and text.
    ``annotations``  counts made before: a path, or a frame with docno, tokens and a column for each group.
    ``labels``       group membership instead of words: a path (or two, ``a*b``), ``qrels`` for their subtopics, an
                     ir_datasets id with fields ``id:field``, ``{docno: group}`` or ``{docno: {group: weight}}``.
    ``positions``    a path, or ``{docno: [x, ...]}``.
    ``queries``      the name of a query set, a path, or query ids.
    ``background``   a run, or ``"collection"`` for all documents of the annotations.
    ``choices``      the fields of Choices, such as ``tokenizer="word"``.

    Raises UsageError for what does not fit together, InputError for what cannot be read, ResourceError for a word
    list or query set that is not on this machine.
    """
    named = list(loading.named_runs(runs))
    if not named:
        raise UsageError("there is no run to evaluate; name at least one")
    options = Choices.of(choices)
    sources = Sources(qrels, groups, docs, annotations, labels, positions, queries, background)
    plan = settle(measures, sources, options)
    query_set = None if queries is None else loading.queries(queries)
    judgements = None if qrels is None else loading.qrels(qrels)
    loaded, behind = _runs(named, plan, sources, options)
    chosen = [
        evaluation.evaluated(run, plan.measures, judgements, query_set, complete=options.complete) for run in loaded
    ]
    utility = [measure for measure in plan.measures if isinstance(measure, Utility)]
    judge = Judge(utility, judgements) if judgements is not None and utility else None
    level = options.relevance_level or 1
    given = Given(
        judgements,
        None,
        behind,
        options.background_depth,
        plan.target,
        plan.target_of,
        plan.targets,
        plan.labels,
        plan.positions,
        options.rule,
        level,
    )
    notes = list(plan.notes)
    unknown = 0
    if plan.uses("documents"):
        wanted = evaluation.looked_at(loaded, chosen, plan.measures, given, options.missing)
        if plan.lexicon is not None:
            counted = loading.counted(docs, wanted, plan.lexicon)
        elif plan.labels is not None:
            counted = loading.counts_of(plan.labels, wanted)
        else:
            counted = loading.counts(
                annotations, wanted, collection=plan.uses("collection") or (sources.whole and plan.uses("background"))
            )
        given = replace(given, documents=Documents(counted, options.missing))
        evaluation.refuse_unknown(given.documents_or_fail, loaded, chosen)
        unknown = int((~counted.known).sum())
        if unknown:
            notes.append(
                f"{unknown} of the {len(wanted)} documents looked at have no text or counts: {options.missing}"
            )
    scores = [
        evaluation.expected(run, plan.measures, qids, given, judge)
        if isinstance(run, Samples)
        else evaluation.score(run, plan.measures, qids, given, judge)
        for run, qids in zip(loaded, chosen, strict=True)
    ]
    line = _signature(plan, options, sources, query_set, unknown)
    parts = {**vars(sources), **{f"run {name}": run for name, run in named}}
    if loading.is_file(options.target):
        parts["target"] = options.target
    if loading.is_path(labels) and "*" in fspath(labels):
        parts |= {f"labels {number}": part for number, part in enumerate(fspath(labels).split("*"), 1)}
    files = {part: found for part, thing in parts.items() if (found := loading.origin(thing)) is not None}
    return Result(tuple(scores), line, tuple(notes), files)


def _runs(
    named: Sequence[tuple[str, Any]], plan: Plan, sources: Sources, options: Choices
) -> tuple[list[Run | Samples], Run | Literal["collection"] | None]:
    """Load the runs and the background, each file once, no deeper than anything looks."""
    background = sources.background if plan.uses("background") else None
    reach = None if options.missing == "skip" else evaluation.depth_of(plan.measures)
    loaded: dict[Any, Run] = {}

    def run(name: str, thing: Any, depth: int | None) -> Run:
        key = (fspath(thing), depth) if loading.is_path(thing) else (id(thing), depth)
        if key not in loaded:
            loaded[key] = loading.run(thing, name, options.order, options.score_dtype, depth)
        return replace(loaded[key], name=name)

    deep = None if options.missing == "skip" else options.background_depth
    twice = loading.is_path(background) and background in [thing for _, thing in named if loading.is_path(thing)]
    if twice and not options.samples and reach is not None and options.depth is None:
        reach = deep = max(reach, options.background_depth)  # one reading serves both
    cut = min((depth for depth in (reach, options.depth) if depth is not None), default=None)
    loaded_runs: list[Run | Samples] = [run(name, thing, cut) for name, thing in named if not options.samples]
    if options.samples:
        loaded_runs += [loading.samples(thing, name, options.order, options.score_dtype, cut) for name, thing in named]
    if background is None or sources.whole:
        return loaded_runs, None if background is None else "collection"
    return loaded_runs, run("background", background, deep)


def _signature(plan: Plan, options: Choices, sources: Sources, queries: Queries | None, unknown: int) -> str:
    of_documents = plan.uses("documents")
    background = ""
    if plan.uses("background") and sources.background is not None:
        background = "collection" if sources.whole else f"{_name(sources.background)}/{options.background_depth}"
    target = options.target
    if not isinstance(target, str):
        target = ",".join(f"{group}={share}" for group, share in target.items())
    uses_utility = any(isinstance(measure, Utility) for measure in plan.measures)
    from_texts = of_documents and plan.lexicon is not None
    made = plan.counted if of_documents else None
    tokenizer: str = options.tokenizer or "strip"
    case_sensitive = options.case_sensitive
    groups = short(plan.terms.name, plan.terms.sha256) if plan.terms and from_texts else ""
    if made is not None:
        tokenizer, case_sensitive = made.tokenizer or "", made.case_sensitive
        groups = short(made.terms, made.sha256)
    return signature(
        {
            "fairtrec": __version__,
            "ir-measures": _version_of_ir_measures() if uses_utility else "",
            "order": options.order,
            "scores": options.score_dtype if options.score_dtype != "float64" else "",
            "depth": str(options.depth or ""),
            "level": str(options.relevance_level or ""),
            "complete": "yes" if options.complete else "",
            "samples": "column 2" if options.samples else "",
            "tokenizer": tokenizer if from_texts or made else "",
            "case": "sensitive" if (from_texts or made) and case_sensitive else "",
            "tau": tau_of(plan.measures),
            "target": _name(target) if of_documents or plan.labels else "",
            "groups": groups,
            "counts": _name(sources.annotations) if of_documents and not (from_texts or plan.labels) else "",
            "labels": short(plan.labels.name, plan.labels.sha256) if plan.labels else "",
            "as": options.rule if not plan.labels and plan.uses("membership") else "",
            "positions": _name(sources.positions) if plan.positions else "",
            "queries": short(queries.name, queries.sha256) if queries else "",
            "background": background,
            "missing": f"{options.missing}({unknown})" if unknown else options.missing if of_documents else "",
        }
    )


def _name(thing: Any) -> str:
    return fspath(thing).rsplit("/", 1)[-1] if loading.is_path(thing) else "given"


def _version_of_ir_measures() -> str:
    import ir_measures

    return str(ir_measures.__version__)
