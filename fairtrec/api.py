"""``fairtrec.evaluate``: from whatever the caller has (paths, names, frames, dicts) to the scores of each run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from os import PathLike, fspath
from typing import Any, Literal, Unpack

from fairtrec import evaluation, loading
from fairtrec.batch import processes
from fairtrec.data import Queries, Run
from fairtrec.documents import Documents
from fairtrec.errors import FilePath, UsageError
from fairtrec.evaluation import Scores
from fairtrec.formats import source
from fairtrec.inputs import Given
from fairtrec.measure import Measure
from fairtrec.measures.utility import Utility
from fairtrec.plan import ChoiceKeywords, Choices, Plan, settle
from fairtrec.scoring import Scoring, Seen
from fairtrec.signature import short, signature, tau_of
from fairtrec.sources import Sources
from fairtrec.ties import DRAWN, MOST, whole
from fairtrec.version import __version__


@dataclass(frozen=True, eq=False)
class Result:
    """The scores of each run, in the order given, and what is needed to have them again."""

    scores: tuple[Scores, ...]
    signature: str
    notes: tuple[str, ...]
    files: Mapping[str, tuple[str, FilePath]]  # by the part that each plays: how it was named, and where it is
    failed: tuple[tuple[str, str], ...] = ()  # the name of each run that could not be read, and what is wrong with it
    options: Mapping[str, Any] = field(default_factory=dict)  # what was asked for beside measures and runs

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
    jobs: int | None = 1,
    keep_going: bool = False,
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
    ``jobs``         how many processes read the runs; None: as many as there are cores, where that pays. Where these
                     are several, a script calls this below ``if __name__ == "__main__":``.
    ``keep_going``   lists runs that cannot be read in ``failed`` and scores the others.
    ``choices``      the fields of Choices, such as ``tokenizer="word"``.

    Raises UsageError for what does not fit together, InputError for what cannot be read, ResourceError for a word
    list or query set that is not on this machine.
    """
    named = list(loading.named_runs(runs))
    if not named:
        raise UsageError("there is no run to evaluate; name at least one")
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs is {jobs}; it must be 1 or more")
    options = Choices.of(choices)
    number = processes([thing for _, thing in named], jobs)
    sources = Sources(qrels, groups, docs, annotations, labels, positions, queries, background)
    plan = settle(measures, sources, options)
    query_set = None if queries is None else loading.queries(queries)
    judgements = None if qrels is None else loading.qrels(qrels)
    reach = _reach(plan, options)
    things, behind = _with_background(named, plan, sources, options, reach)
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
        options.relevance_level or 1,
    )
    scoring = Scoring(plan.measures, given, query_set, options, reach, plan.uses("documents"))
    seen, failed = scoring.read(things, number, keep_going=keep_going)
    notes = list(plan.notes)
    scores, unknown = [each.scores for each in seen], 0
    if scoring.in_two and seen:
        documents = _documents(seen, plan, sources, given, options)
        scores, more = scoring.finished(seen, documents, keep_going=keep_going)
        failed |= more
        unknown = int((~documents.annotations.known).sum()) if options.missing != "error" else 0
        if unknown:
            many = len(documents.docnos)
            notes.append(f"{unknown} of the {many} documents looked at have no text or counts: {options.missing}")
    return Result(
        tuple(scores),
        _signature(plan, options, sources, query_set, unknown),
        tuple(notes),
        _files(sources, options, {name: thing for name, thing in named if name not in failed}),
        tuple((name, failed[name]) for name, _ in named if name in failed),
        _asked(sources, options),
    )


def _reach(plan: Plan, options: Choices) -> int | None:
    """Tell how deep anything looks into a run; None is to its end."""
    reach = None if options.missing == "skip" else evaluation.depth_of(plan.measures)
    return min((depth for depth in (reach, options.depth) if depth is not None), default=None)


def _with_background(
    named: Sequence[tuple[str, Any]], plan: Plan, sources: Sources, options: Choices, reach: int | None
) -> tuple[list[tuple[str, Any]], Run | Literal["collection"] | None]:
    """Load the background; where it is one of the runs, that run is taken from it, so that it is read once."""
    background = sources.background if plan.uses("background") else None
    if background is None or sources.whole:
        return list(named), None if background is None else "collection"
    deep = None if options.missing == "skip" else options.background_depth
    is_run = [loading.is_path(thing) and thing == background and not options.samples for _, thing in named]
    if any(is_run):
        deep = None if deep is None or reach is None or options.ties else max(deep, reach)
    behind = loading.run(background, "background", options.order, options.score_dtype, deep)
    if any(is_run):
        top = whole(behind, reach) if options.ties else evaluation.cut(behind, behind.qids, reach)
        return [(name, top if same else thing) for (name, thing), same in zip(named, is_run, strict=True)], behind
    return list(named), behind


def _documents(seen: Sequence[Seen], plan: Plan, sources: Sources, given: Given, options: Choices) -> Documents:
    """Read about all documents that any run's measures look at, once."""
    rest = [each.rest for each in seen if each.rest is not None]
    chosen = [each.scores.qids for each in seen]
    wanted = evaluation.looked_at(rest, chosen, plan.measures, given, options.missing, ties=options.ties)
    if plan.lexicon is not None:
        counted = loading.counted(sources.docs, wanted, plan.lexicon)
    elif plan.labels is not None:
        counted = loading.counts_of(plan.labels, wanted)
    else:
        collection = plan.uses("collection") or (sources.whole and plan.uses("background"))
        counted = loading.counts(sources.annotations, wanted, collection=collection)
    return Documents(counted, options.missing)


def _files(sources: Sources, options: Choices, runs: Mapping[str, Any]) -> dict[str, tuple[str, FilePath]]:
    """Find the files that were read, by the part that each plays."""
    parts = {**vars(sources), **{f"run {name}": run for name, run in runs.items()}}
    if loading.is_file(options.target):
        parts["target"] = options.target
    if loading.is_path(sources.labels) and "*" in fspath(sources.labels):
        crossed = map(str.strip, fspath(sources.labels).split("*"))
        parts |= {f"labels {number}": part for number, part in enumerate(crossed, 1)}
    return {part: found for part, thing in parts.items() if (found := loading.origin(thing)) is not None}


def _asked(sources: Sources, options: Choices) -> dict[str, Any]:
    """Name what was asked for by the keywords of ``evaluate``; True stands for an object, which has no name."""
    named = {
        part: None if thing is None else fspath(thing) if loading.is_path(thing) else True
        for part, thing in vars(sources).items()
    }
    return {**named, **asdict(options)}


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
            "ties": f"{MOST}/{DRAWN}" if options.ties else "",
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
