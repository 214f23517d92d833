"""``fairtrec.check``: the gate, from whatever the caller has (runs, a result, a results file) to verdicts."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from fairtrec.commands.check import requirement
from fairtrec.commands.check.judgment import judge
from fairtrec.commands.check.requirement import Gate, Requirement, Verdict
from fairtrec.commands.check.totals import refuse_recorded
from fairtrec.commands.results import difference, results
from fairtrec.commands.results.results import RecordedResult
from fairtrec.evaluation.answers import Answer, Signature, aggregates
from fairtrec.evaluation.answers.result import InputFile, Part, Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.columns.orders import Orders
from fairtrec.evaluation.evaluate import evaluate
from fairtrec.evaluation.given import ClusterKeywords
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.calls import require_names
from fairtrec.evaluation.inputs.loading import short
from fairtrec.evaluation.inputs.options import name_source
from fairtrec.evaluation.slices import Slices, record_slices, take_slices
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import registry
from fairtrec.measures.utility import refuse_geometric
from fairtrec.statistics.procedure import SCANTY
from fairtrec.support.errors import PATH, FilePath, InputError, UsageError, refuse_first
from fairtrec.support.files.arguments import find_run
from fairtrec.support.literals import FailOn, Method
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, merge_runs, write_queries

OPTIONS = NoteKind("options from a file", "options from {file}", NoteSeverity.BACKGROUND)
PASSED_OVER = NoteKind("file passed over", "ignored {file} (--untrusted); use --config {file} to read it")
ONLY_BASELINE = NoteKind("only the baseline", "{baseline} is the baseline; no other run is here to check")
NOT_READ = NoteKind("baseline not read", "no requirement uses the baseline; {baseline} was not read")
CONTRADICTION = NoteKind("contradiction", "{contradiction}")
BONFERRONI = NoteKind("corrected slices", "each of the {slices} slices is tested with alpha {alpha:.3g} (Bonferroni)")
OF_GROUPS = NoteKind("corrected groups", "each of the {groups} groups is tested with alpha {alpha:.3g} (Bonferroni)")
NO_SLICES = NoteKind("no requirement on slices", "no requirement uses slices; write: worst slice MEASURE >= BOUND")
OTHER_QUERIES = NoteKind(
    "queries of the baseline", "{run} has {queries}, the baseline {of_baseline}; compared over the {both} of both"
)
IN_NO_SLICE = NoteKind(
    "run in no slice", "{outside} of the {queries} queries of {run} are in no slice", NoteSeverity.MISLEADING
)
MET_BY_CHANCE = NoteKind(
    "met by chance",
    "{requirement}: a random order of the same documents meets it with {expected:.4f}",
    NoteSeverity.MISLEADING,
)
NOT_ASKED = NoteKind("no requirement", "{run}: {name} is {mean:.4f}, with no requirement")
BOOTSTRAP = NoteKind(
    "narrow bootstrap", "the bootstrap intervals of fewer than {fewest} queries are too narrow; prefer --interval t"
)
ACCEPTED = NoteKind("accepted", "accepted: {changed}: {why}")


@dataclass(frozen=True, eq=False, repr=False)
class Verdicts(Answer):
    """The outcome of all requirements for all runs.

    Attributes:
        verdicts: one per run and requirement, or slice.
        result: the values of the runs.
        gate: the confidence, the interval, and the options strict, prove and fail_on.
        baseline: the name of the baseline.
        baseline_sha256: of its file.
    """

    verdicts: tuple[Verdict, ...]
    result: Result  # of the runs that are judged
    gate: Gate
    baseline: str | None = None
    notes: tuple[Note, ...] = ()  # what a reader must know about the numbers
    baseline_sha256: str = ""  # of its file

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        if self.baseline is None:
            return self.result.signature
        return self.result.signature | {"baseline": short(name_source(self.baseline), self.baseline_sha256)}

    @property
    def passed(self) -> bool:
        """Whether every run meets every requirement."""
        return not any(self.gate.fails(verdict.status) for verdict in self.verdicts)


@require_names
def check(
    requirements: str | Iterable[str],
    runs: Any,
    *,
    qrels: Any = None,
    baseline: Any = None,
    slices: FilePath | Mapping[str, Sequence[str]] | None = None,
    confidence: float = Gate.confidence,
    strict: bool = Gate.strict,
    prove: bool = Gate.prove,
    fail_on: FailOn = Gate.fail_on,
    interval: Method = Gate.interval,
    measures: str | Measure | Iterable[str | Measure] = (),
    jobs: int | None = 1,
    keep_going: bool = False,
    accept: bool = False,
    untrusted: bool | Mapping[str, int] = False,
    **given: Unpack[ClusterKeywords],
) -> Verdicts:
    """Check whether runs meet requirements, absolute ones or against a baseline.

    Args:
        requirements: like ``"NFaiRR@10 >= 0.85"``, ``"worst slice nDCG@10 >= baseline - 0.01"``; docs/ci.md has all.
        runs: a Result, what ``read_results`` returns, or runs as ``evaluate`` takes them, with its inputs.
        baseline: a run, ``{name: run}``, or a results file of one run. If ``runs`` is a Result: one of its runs, by
            name or number.
        slices: the query ids of each slice, or a file of lines of qid and slice.
        confidence: the level of the intervals. A difference counts if its whole interval does.
        strict: compare the difference itself, without its interval.
        prove: pass only if the whole interval is on the right side of the bound (non-inferiority).
        fail_on: "warning" makes warnings failures.
        interval: "t" for Student's t, or a bootstrap of 10,000 resamples: "percentile" or "bca".
        measures: what is also evaluated, without a requirement, if ``runs`` are evaluated here.
        keep_going: list runs that cannot be read in ``result.failed``, and check the others.
        untrusted: treat runs as submissions of strangers, as for ``evaluate``.
        accept: use a results file although values of its measures have changed since.

    Raises:
        UsageError: a requirement that cannot be read, or that needs something missing; and what ``evaluate`` raises.
    """
    aggregates.refuse_given(given, "requirements are about")
    gate = Gate(confidence, strict, prove, fail_on, interval)
    asked = _parse(requirements, given.get("relevance_level"))
    several = [measures] if isinstance(measures, str | Measure) else list(measures)
    parts = Slices.read(slices)
    compared = list(dict.fromkeys(each.measure for each in asked if each.relative))
    recorded, run = _recorded(baseline if compared else None)
    refuse_first(_faults(recorded, given.get("bounds"), accept=accept))
    refuse_first(_list_pooled_faults(asked, recorded, given, interval))
    if given.get("bounds") == "labels":
        given["next_label"] = True
    if isinstance(runs, Result | RecordedResult):
        if any((qrels is not None, given, several, untrusted)):
            raise UsageError("these values are there already; leave out what they would be evaluated from")
        result, base = _read(runs, asked, run)
    else:
        wanted = [*several, *(each.measure for each in asked)]
        how = {"jobs": jobs, "keep_going": keep_going, "untrusted": untrusted, **given}
        result, base = _evaluated(wanted, runs, qrels, run, how)
    _refuse_others(result)
    parts = take_slices(parts, result)
    told: list[Note] = []
    if recorded is not None:
        compared = _list_compared(asked, result)
        base, told = recorded.take_baseline(compared), _agreed(recorded, result, compared, accept=accept)
        result = _add_file(result, Part("baseline"), recorded.path)
    result, parts = record_slices(result, parts)
    verdicts = [
        each
        for scores in result.scores
        for each in judge(scores, asked, baseline=base, slices=parts, gate=gate, clusters=result.clusters)
    ]
    said = [*_list_notes(result.scores, asked, base, parts, gate), *told]
    if base is not None:
        digest = _find_digest(result, Part("run", base.run) if recorded is None else Part("baseline"))
        named = baseline if isinstance(baseline, str | None) else base.run
        return Verdicts(tuple(verdicts), result, gate, named, tuple(said), digest)
    if baseline is not None:
        said.append(NOT_READ.note(baseline=baseline if isinstance(baseline, str) else "it"))
    return Verdicts(tuple(verdicts), result, gate, None, tuple(said))


def _parse(requirements: str | Iterable[str], level: int | None) -> list[Requirement]:
    """Read requirements, each once. Raises UsageError if there is none."""
    texts = [requirements] if isinstance(requirements, str) else dict.fromkeys(requirements)
    asked = [requirement.parse(text, level) for text in texts]
    if not asked:
        raise UsageError("no requirement; add --require 'nDCG@10 >= 0.5', or require = [...] in a TOML file")
    return asked


def _faults(recorded: RecordedResult | None, bounds: str | None, *, accept: bool) -> Iterator[tuple[bool, str]]:
    """List which options are about what a baseline, or a check, has not."""
    what = "--accept is about the values of a results file"
    idle = accept and recorded is None
    yield idle, f"{what}; pass one with --baseline, or leave it out"
    what = f"check assumes nothing about what is unknown, and {bounds} are known"
    yield bounds == "ties", f"{what}; add --bounds labels or texts"
    lacks = bounds in ("labels", "texts") and recorded is not None
    yield lacks, f"a results file holds no {bounds}; pass the run that was the baseline, or leave out --bounds {bounds}"


def _list_pooled_faults(
    asked: Sequence[Requirement], recorded: RecordedResult | None, given: Mapping[str, Any], interval: Method
) -> Iterator[tuple[bool, str]]:
    """List what requirements on pooled values, or by clusters of queries, cannot be judged by."""
    resamples = given.get("cluster") is not None and interval != "t"
    yield resamples, f"--interval {interval} resamples single queries; leave it out, or --cluster"
    if given.get("pool") is None:
        return
    bounds = given.get("bounds")
    for each in asked:
        if each.of_mean or not each.measure.supports("pool"):
            continue
        yield each.relative and recorded is not None, f"{each}: {refuse_recorded(each)}"
        hint = "" if each.measure.of_pool else f" or --pool, or write mean {each.measure}"
        is_bounded = bounds == "labels" and each.measure.has_pooled_bounds and not each.relative
        what = "a difference of pooled values has" if each.relative else f"pooled {each.measure} has"
        yield bounds is not None and not is_bounded, f"{each}: {what} no bounds; leave out --bounds{hint}"


def _list_notes(
    runs: Sequence[Scores],
    requirements: Sequence[Requirement],
    baseline: Scores | None,
    slices: Mapping[str, Sequence[str]],
    gate: Gate,
) -> Iterator[Note]:
    """List the notes on the verdicts: what contradicts, what was not compared or not asked."""
    contradictions = (requirement.contradiction for requirement in requirements)
    yield from (CONTRADICTION.note(contradiction=each) for each in contradictions if each)
    computed = runs[0].measures if runs else ()
    yield from _note_corrections([each for each in requirements if each.relative], computed, len(slices), gate)
    sliced = {qid for qids in slices.values() for qid in qids}
    if slices and not any(requirement.parts == "slice" for requirement in requirements):
        yield NO_SLICES.note()
    asked = {measure for requirement in requirements for measure in requirement.list_measures(computed)}
    for scores in runs:
        yield from _list_run_notes(scores, asked, baseline, sliced if slices else None)
    yield from _note_chance(runs, requirements)
    if gate.interval != "t" and any(len(scores.qids) < SCANTY for scores in runs):
        yield BOOTSTRAP.note(fewest=SCANTY)


def _note_chance(runs: Sequence[Scores], requirements: Sequence[Requirement]) -> Iterator[Note]:
    """Note the absolute requirements on means that a random order of a run's documents meets (--bounds orders)."""
    asked = [each for each in requirements if not (each.relative or each.unsigned or each.scope)]
    places = {scores.run: place for place, scores in enumerate(runs)}
    met: dict[Note, list[int]] = {}
    for scores, _ in Orders.find_all(runs):
        expected = dict(zip(scores.measures, scores.ends["expected"].means.tolist(), strict=True))
        for each in asked:
            value = expected.get(each.measure, math.nan)
            if each.holds(value, each.offset):
                met.setdefault(MET_BY_CHANCE.note(requirement=str(each), expected=value), []).append(places[scores.run])
    yield from merge_runs(met, [*places]) if met else ()


def _note_corrections(
    relative: Sequence[Requirement], computed: Sequence[Measure], slices: int, gate: Gate
) -> Iterator[Note]:
    """Note with which alpha each slice, and each group, is tested."""
    among = gate.alpha_per_part(slices)
    if among < gate.alpha and any(each.parts == "slice" for each in relative):
        yield BONFERRONI.note(slices=slices, alpha=among)
    for many in dict.fromkeys(len(each.list_measures(computed)) for each in relative if each.parts == "group"):
        if gate.alpha_per_part(many) < gate.alpha:
            yield OF_GROUPS.note(groups=many, alpha=gate.alpha_per_part(many))


def _list_run_notes(
    scores: Scores, asked: Collection[Measure], baseline: Scores | None, sliced: Collection[str] | None
) -> Iterator[Note]:
    """List the notes on a run: the queries that the baseline or the slices lack, and the means without requirement."""
    qids = set(scores.qids)
    if baseline is not None and qids != set(baseline.qids):
        many, both = write_queries([len(qids)]), len(qids & set(baseline.qids))
        yield OTHER_QUERIES.note(run=scores.run, queries=many, of_baseline=len(baseline.qids), both=both)
    if sliced is not None and (rest := len(qids.difference(sliced))):
        yield IN_NO_SLICE.note(outside=rest, queries=len(qids), run=scores.run)
    for measure, mean in zip(scores.measures, scores.means.tolist(), strict=True):
        if measure not in asked and not measure.of_pool:
            yield NOT_ASKED.note(run=scores.run, name=str(measure), mean=mean)


def _agreed(recorded: RecordedResult, result: Result, compared: Sequence[Measure], *, accept: bool) -> list[Note]:
    """Say what sets a recorded baseline apart and does not matter. Raises InputError for what does."""
    difference.refuse_other(recorded, result.signature, result.digests)
    changed = difference.find_changed_versions(map(str, compared), result.signature, recorded.signature)
    if not accept:
        difference.refuse_changed(changed, recorded.path)
    programs = difference.compare_programs(result.signature, recorded.signature)
    told = difference.note_versions(programs, ("here", f"in {recorded.path}"))
    return [*told, *(ACCEPTED.note(changed=str(each.measure), why=each.why) for each in changed)]


def _add_file(result: Result, part: Part, path: str) -> Result:
    """Put a file among those behind a result."""
    return replace(result, files={**result.files, part: InputFile(path, path)})


def _find_digest(result: Result, part: Part) -> str:
    """Give the sha256 of a file behind a result, "" where there is none."""
    return result.files[part].sha256 if part in result.files else ""


def _recorded(baseline: Any) -> tuple[RecordedResult | None, Any]:
    if isinstance(baseline, RecordedResult):
        return baseline, None
    _, path = loading.name_ranking(baseline)
    if loading.is_file(path) and results.is_results(path):
        return results.read_results(path), None
    return None, baseline


def _read(values: Result | RecordedResult, asked: Sequence[Requirement], base: Any) -> tuple[Result, Scores | None]:
    """Take values that are there already; the baseline may be one of their runs."""
    result = values.result(_list_recorded(values, asked)) if isinstance(values, RecordedResult) else values
    return _split(result, None if base is None else find_run([scores.run for scores in result.scores], base))


def _refuse_others(result: Result) -> None:
    """Raise UsageError for values that are neither means nor pooled, and for means that gold labels correct."""
    rows = [row for row, each in enumerate(result.scores[0].measures) if not each.of_pool] if result.scores else []
    aggregates.refuse_gold([scores.keep_measures(rows) for scores in result.scores], "requirements look")


def _list_compared(asked: Sequence[Requirement], result: Result) -> list[Measure]:
    """List the measures of a result that are compared with a baseline."""
    computed = result.scores[0].measures if result.scores else ()
    relative = (each for each in asked if each.relative)
    return list(dict.fromkeys(measure for each in relative for measure in each.list_measures(computed)))


def _list_recorded(values: RecordedResult, asked: Sequence[Requirement]) -> list[Measure]:
    """List the measures of a results file that requirements are about."""
    of_groups = any(each.parts == "group" for each in asked)
    there = [measure for name in values.measures for measure in registry.parse(name)] if of_groups else []
    return list(dict.fromkeys(measure for each in asked for measure in each.list_measures(there)))


def _evaluated(
    wanted: Sequence[Any], runs: Any, qrels: Any, base: Any, given: Mapping[str, Any]
) -> tuple[Result, Scores | None]:
    named = dict(loading.name_rankings(runs))
    refuse_geometric(each for each in wanted if isinstance(each, Measure))
    if base is None:
        return evaluate(wanted, named, qrels=qrels, **given), None
    name, run = loading.name_ranking(base)
    name = name if isinstance(run, PATH) else "baseline"
    name = f"{name} (2)" if name in named else name
    result = evaluate(wanted, {**named, name: run}, qrels=qrels, **given)
    if fault := dict(result.failed).get(name):
        raise InputError(f"the baseline is broken, so nothing can be compared: {fault}")
    return _split(result, [scores.run for scores in result.scores].index(name))


def _split(result: Result, base: int | None) -> tuple[Result, Scores | None]:
    if base is None:
        return result, None
    others = tuple(scores for number, scores in enumerate(result.scores) if number != base)
    return replace(result, scores=others), result.scores[base]
