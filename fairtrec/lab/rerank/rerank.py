"""``fairtrec.rerank``: from runs to runs in another order."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Unpack, cast

from fairtrec.data import Run, Samples, System
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.given import SourceKeywords, split_keywords
from fairtrec.evaluation.given.given_rows import JudgmentsLike, NamedRuns
from fairtrec.evaluation.given.queries import follows_runs
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.calls import require_names
from fairtrec.evaluation.inputs.documents import keep_documents
from fairtrec.evaluation.inputs.options import RerankedKeywords, refuse_positions
from fairtrec.evaluation.inputs.table_roles import take_group
from fairtrec.evaluation.jobs import processes
from fairtrec.evaluation.plan import make_plan, open_references
from fairtrec.evaluation.reading import list_wanted_queries
from fairtrec.evaluation.session import Evaluator
from fairtrec.evaluation.signature import write_signature
from fairtrec.lab.rerank import catalogue as rerankers
from fairtrec.lab.rerank.effects import Reranked, Reranking
from fairtrec.lab.rerank.inputs import JUDGED, Wanted, has_input, sees_judgments
from fairtrec.lab.rerank.ordering import Ordering, reorder_run
from fairtrec.lab.reranker import Note, Reranker
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.jobs import map_ordered
from fairtrec.support.notes import NoteValue
from fairtrec.support.progress import RUNS, listener, report

if TYPE_CHECKING:
    from fairtrec.lab.rerank.two_measure_search import TwoMeasureSearch


class RerankKeywords(SourceKeywords, RerankedKeywords, total=False):
    """What ``rerank`` takes by keyword: what is given beside the runs, and the options of eval that it heeds."""


@require_names
def rerank(
    by: str | Reranker | Iterable[str | Reranker],
    runs: Any,
    *,
    qrels: JudgmentsLike | None = None,
    seed: int = 0,
    rankings: int | None = None,
    candidates: int | None = None,
    cut: bool = False,
    jobs: int | None = 1,
    **keywords: Unpack[RerankKeywords],
) -> Reranking:
    """Rerank runs to make them fairer.

    Args:
        by: ``Name(parameter=value)@cutoff``, rerankers of ``fairtrec.rerankers``, or several.
        runs: as for ``evaluate``, with its inputs for groups, target, texts, queries and order.
        qrels: as for ``evaluate``.
        seed: the seed of random draws. Each query draws by itself.
        rankings: how many rankings of each query a randomized reranker makes.
        candidates: how many of the first documents are reranked. The others follow.
        cut: keep only the ranks down to the cutoff of the reranker.
        jobs: how many processes read and rerank the runs.

    Raises:
        UsageError: inputs or options that do not fit together.
        InputError: a file or an object that cannot be read.
    """
    named = loading.name_rankings(runs)
    number = processes([thing for _, thing in named], jobs)
    level = keywords.get("relevance_level")
    judged = None if isinstance(qrels, str) and qrels == "none" else qrels  # as on the command line
    given = {"qrels": judged, **take_group(named, keywords)}
    work = RerankWork(_parse(by, level), seed, rankings, candidates, cut, given)
    evaluators = work.evaluators  # refuses what does not fit together before a run is read
    found: dict[Reranker, list[Reranked]] = {each: [] for each in work.called_rerankers}
    for of_run in _rerank_each(work, named, number):
        for one in of_run:
            found[one.by].append(one)
    if work.sought:
        from fairtrec.lab.rerank.two_measure_search import rerank_runs

        read = [(name, work.read(name, thing)) for name, thing in named]
        found |= rerank_runs(work.sought, read, number, cut=cut)
    notes = [note for each in evaluators for note in each.plan.notes]
    return Reranking(
        tuple(each for one in work.by for each in found[one]), _signature_of(work), tuple(dict.fromkeys(notes))
    )


def _parse(by: str | Reranker | Iterable[str | Reranker], level: int | None) -> tuple[Reranker, ...]:
    """Read rerankers, each once. Raises UsageError for none."""
    parsed: list[Reranker] = []
    for each in [by] if isinstance(by, str | Reranker) else by:
        parsed += [each] if isinstance(each, Reranker) else rerankers.parse(each, level)
    if not parsed:
        raise UsageError("no reranker; add one, like --by DetCons@10")
    return tuple(dict.fromkeys(parsed))


def _rerank_each(work: "RerankWork", named: NamedRuns, jobs: int) -> Iterator[tuple[Reranked, ...]]:
    """Give each run as each reranker that is called on its inputs orders it. Raises InputError for a broken run."""
    if not work.called_rerankers:
        return
    with closing(map_ordered(work, named, jobs, called=itemgetter(0))) as reranked:
        for done, outcome in enumerate(reranked, 1):
            if isinstance(outcome, InputError):
                raise outcome
            if listener.get() is not None:
                report(RUNS, done, len(named))
            yield outcome


def _signature_of(work: "RerankWork") -> Signature:
    """Say every choice that changes an order, those of the rerankers first."""
    base: dict[str, str] = {}
    for each in work.evaluators:
        base |= write_signature(each.plan, each.prepare_reading(), each.files)
    by_judgments: set[Reranker] = {one.by for one in work.sought if one.uses_judgments}
    by_judgments |= {one for one in work.called_rerankers if sees_judgments(one.needs, work.session.plan)}
    spoken = " ".join(str(each) for each in work.by if each in by_judgments)
    first = {
        "fairtrec": base["fairtrec"],
        "by": " ".join(map(str, work.by)),
        "seed": str(work.seed),
        "draws": str(work.rankings or ""),
        "candidates": str(work.candidates or ""),
        "cut": "yes" if work.cut else "",
        "judgments": f"used by {spoken}" if spoken else "",
    }
    return Signature({**first, **{name: base[name] for name in base if name not in first}})


@dataclass(frozen=True, eq=False)
class RerankWork:
    """The reranking of each run; set up once in each process."""

    by: tuple[Reranker, ...]
    seed: int
    rankings: int | None
    candidates: int | None
    cut: bool
    keywords: dict[str, Any]

    def __post_init__(self) -> None:
        for name, least in (("seed", 0), ("rankings", 1), ("candidates", 1)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < least):
                raise UsageError(f"{name} is {value!r}; it must be a whole number from {least}")

    @property
    def called_rerankers(self) -> tuple[Reranker, ...]:
        """The rerankers that are called on their inputs."""
        return tuple(each for each in self.by if not each.searches_orders)

    @cached_property
    def sought(self) -> "tuple[TwoMeasureSearch, ...]":
        """Settle what the others look for. Raises UsageError or InputError where that does not fit together."""
        if len(self.called_rerankers) == len(self.by):
            return ()
        from fairtrec.lab.rerank.two_measure_search import TwoMeasureSearch

        several = (each for each in self.by if each.searches_orders)
        return tuple(TwoMeasureSearch.settle(each, self.keywords, self.candidates, cut=self.cut) for each in several)

    @property
    def evaluators(self) -> "list[Evaluator]":
        """What evaluates: that of the rerankers that are called, and of each other its own."""
        return [self.session, *(each.search.evaluator for each in self.sought)]

    @cached_property
    def session(self) -> Evaluator:
        """Settle what the rerankers ask for. Raises UsageError or InputError where that does not fit together."""
        given, choices = split_keywords(self.keywords, RerankKeywords.__annotations__)
        refuse_positions("rerank", choices.order)
        if follows_runs(given):
            raise UsageError(
                "each run is reranked by itself, so there are no common queries; choose a query set, or leave it out"
            )
        if self.keywords.get("missing") == "skip":
            raise UsageError("a reranker places every document; choose --missing error or neutral")
        for each in self.by:
            self._refuse_unfit(each)
        asked = [Wanted(each, given.inputs) for each in self.called_rerankers]
        return Evaluator(make_plan(asked, open_references(given, choices)))

    def __getstate__(self) -> dict[str, Any]:
        """Send another process all but what was settled, which it settles itself."""
        return {name: value for name, value in vars(self).items() if name not in ("session", "sought")}

    def _refuse_unfit(self, by: Reranker) -> None:
        strange = [name for name in (*by.needs, *by.preferences) if not has_input(name)]
        if strange:
            raise UsageError(
                f"{by} asks for {strange[0]}, which does not exist; report this bug to the authors of the plug-in"
            )
        if self.rankings is not None and not by.is_random:
            raise UsageError(f"no chance in {by}, so all rankings would be one; leave out --rankings")
        if self.cut and by.depth is None and not by.searches_orders:
            raise UsageError(f"{by} has no cutoff to cut at; leave out --cut")

    def begin(self) -> Callable[[tuple[str, Any]], tuple[Reranked, ...]]:
        """Give what reranks a run."""
        return self._rerank

    def _rerank(self, named: tuple[str, Any]) -> tuple[Reranked, ...]:
        run = self.read(*named)
        return tuple(self._by(run, each) for each in self.called_rerankers)

    def read(self, name: str, thing: Any) -> Run:
        """Read a run of this name, of which the wanted queries are reranked."""
        context, choices = self.session.prepare_reading().context, self.session.choices
        read = keep_documents(loading.ranking(thing, name, choices, None, is_run=True), choices, context.qrels)
        return cast("Run", read).cut(list_wanted_queries(read, context.qrels, context.queries), None)

    def _by(self, run: Run, by: Reranker) -> Reranked:
        notes: tuple[Note, ...] = ()
        runs = []
        judged = sees_judgments(by.needs, self.session.plan)
        tag = f"{run.tag}-{by.name}{'-judgments' if judged else ''}"
        for sample in [None] if self.rankings is None else range(self.rankings):
            one = Ordering(session=self.session, by=by, seed=self.seed, sample=sample, candidates=self.candidates)
            several = one.place_candidates(run)
            notes = notes or add_notes(note for placed in several for note in placed.notes)
            new = replace(reorder_run(run, several, by), tag=tag)
            runs.append(new.cut(new.qids, by.depth) if self.cut else new)
        after: System = runs[0] if self.rankings is None else Samples(run.name, runs[0].tag, tuple(runs))
        return Reranked(run.name, by, run, after, ((JUDGED.note(),) if judged else ()) + notes)


def add_notes(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Add up the counts of notes of one kind, and leave out those that are true of none; of values keep the greatest.

    >>> from fairtrec.support.notes import NoteKind
    >>> lost, won = NoteKind("lost", "lost: {many}"), NoteKind("won", "won: {many}")
    >>> [str(each) for each in add_notes([lost.note(many=1), lost.note(many=3), won.note(many=0)])]
    ['lost: 4']
    >>> [str(each) for each in add_notes([lost.note(many=0.5), lost.note(many=0.2), won.note(many=0.0)])]
    ['lost: 0.5', 'won: 0.0']
    """
    said: dict[Any, Note] = {}
    for note in notes:
        key = note.kind, tuple(value for value in note.values if isinstance(value, str))
        before = said.get(key)
        values = note.values if before is None else tuple(map(_add, before.values, note.values))
        said[key] = replace(note, values=values)
    return tuple(note for note in said.values() if _is_true(note))


def _add(one: NoteValue, other: NoteValue) -> NoteValue:
    """Add two counts; of two values give the greater."""
    if isinstance(one, str) or isinstance(other, str) or isinstance(one, tuple) or isinstance(other, tuple):
        return other
    return max(one, other) if isinstance(one, float) else one + other


def _is_true(note: Note) -> bool:
    """Tell whether a note counts something, or counts nothing at all."""
    first = next(iter(note.numbers.values()), 1)
    return bool(first) or isinstance(first, float)
