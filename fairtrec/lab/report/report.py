"""``fairtrec.study``: the commands of a study, one after the other, and their answers on a page and in a file.

Nothing is computed here. Each part is a command with its arguments, and each number is one that this command prints.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import fspath
from pathlib import Path
from typing import Any, Unpack, get_args

from fairtrec.cli.commands import load_command
from fairtrec.cli.performing import AS_JSON, NO_FAIRNESS, CommandAnswer, PartLeftOut, StudyPart, run_command
from fairtrec.evaluation.evaluate import evaluator
from fairtrec.evaluation.given import Keywords
from fairtrec.evaluation.given.given_rows import Attributes
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.calls import require_names
from fairtrec.evaluation.inputs.options import CHOICES
from fairtrec.evaluation.inputs.table_roles import take_group
from fairtrec.evaluation.leaderboard import UnrankedError
from fairtrec.evaluation.signature import UnusedOptionError
from fairtrec.lab.report.methods import describe_methods
from fairtrec.lab.report.page import html
from fairtrec.lab.report.study import METHODS, QUESTIONS, StudyReport
from fairtrec.measure import Measure
from fairtrec.measures.catalogue.needs import looks_at_groups
from fairtrec.measures.utility import split_relevance
from fairtrec.report import records
from fairtrec.report.output import emit
from fairtrec.support import command_rows
from fairtrec.support.errors import PATH, FairtrecError, FilePath, UsageError
from fairtrec.support.files.arguments import add_run, find_run
from fairtrec.support.files.atomic import make_output_folder, refuse_full_folder
from fairtrec.support.literals import LeftOpen

CONFIDENCE = "0.95"
LOSS = "0,1%"
NO_GOLD = "no labels by people (--gold SHEET); `fairtrec gold draw` draws documents to label"
NO_LABELS = "no labels were given (--labels FILE)"
NO_TEXTS = "no texts were given (--docs FILE)"
NOT_YET = "it had not been run when this was written"
NO_OTHER = "there is one run; compare takes two or more"
Words = list[str]


def write_report(found: StudyReport, folder: FilePath, *, force: bool = False) -> None:
    """Write report.html and report.json to a folder. Raises UsageError for one that is not empty, without ``force``."""
    place = Path(folder)
    refuse_full_folder(place, force=force)
    record = place / "report.json"
    page, answers = html(found, record), records.json(found.record)
    with make_output_folder(place):
        emit(page, place / "report.html")
        emit(answers, record)


@require_names
def study(
    measures: str | Measure | Iterable[str | Measure] | None,
    runs: Any,
    *,
    qrels: FilePath | None = None,
    folder: FilePath,
    baseline: FilePath | None = None,
    gold: FilePath | None = None,
    force: bool = False,
    jobs: int | None = 1,
    watch: Callable[[str], None] | None = None,
    **keywords: Unpack[Keywords],
) -> StudyReport:
    """Run every test that the inputs allow, and write the answers to report.html and report.json.

    Both are written again as each part ends.

    Args:
        measures: as for ``evaluate``.
        runs: files, as for ``evaluate``; a report names files, so that it can be computed again.
        qrels: a file or an ir_datasets id.
        folder: where to write. It must be empty or new, unless ``force`` is set.
        baseline: a file, or the name of one of the runs. Default: the first.
        gold: the sheet of labels by people.
        force: write into a folder that is not empty.
        jobs: how many processes read the runs, as for ``evaluate``.
        watch: is called with a line as each part begins.
        keywords: the inputs and choices of ``evaluate``, each a file, a name or a number.

    Raises:
        UsageError: a folder that is not empty, an input that is no file, or inputs that do not fit together.
        InputError: a file that cannot be read; of a part other than eval this is listed in ``not_done`` instead.
    """
    refuse_full_folder(Path(folder), force=force)
    files = {name: _name_file("runs", run) for name, run in loading.name_rankings(runs)}
    if baseline is not None:
        _refuse_unknown(fspath(baseline), files)
    asked = Study(files, qrels, measures, baseline, gold, jobs, keywords)
    list_words(_describe("eval", "eval", []), asked, keywords)  # refuses what is no file, before any is read
    done: dict[str, CommandAnswer] = {}
    left_out, waiting = list(asked.list_left_out()), list(asked.list_parts())
    about, found = {part.name: part for part in waiting}, None
    while waiting:
        part = waiting.pop(0)
        if watch is not None:
            watch(f"# {len(about) - len(waiting)} of {len(about)}, {part.name}: {part.question}")
        try:
            done[part.name] = _run_part(part, asked)
        except FairtrecError as error:
            if part.name == "eval":
                raise
            failed = not isinstance(error, UsageError)
            left_out.append(PartLeftOut(part.name, str(error) if failed else reason(error), failed))
        if "eval" in done:
            left = (*left_out, *(PartLeftOut(each.name, NOT_YET) for each in waiting))
            methods = tuple(describe_methods(done, about, asked.measure_list))
            fairness = "" if asked.fairness is None else str(asked.fairness)
            is_begun = found is not None
            found = StudyReport(dict(done), left, methods, about, fairness)
            write_report(found, folder, force=force or is_begun)
    assert found is not None  # as every study has a part eval
    return found


@dataclass(frozen=True, eq=False)
class Study:
    """What a report is asked for, from which its parts follow."""

    files: Mapping[str, str]
    qrels: FilePath | None
    measures: str | Measure | Iterable[str | Measure] | None
    baseline: FilePath | None
    sheet: FilePath | None
    jobs: int | None
    keywords: Mapping[str, Any]

    @cached_property
    def measure_list(self) -> Sequence[Measure]:
        """The measures that are evaluated."""
        return evaluator(self.measures, **self._given).measures

    @property
    def _given(self) -> dict[str, Any]:
        """What is given beside the runs, as keywords of ``evaluator``."""
        return {"qrels": self.qrels, **take_group(list(self.files.items()), self.keywords)}

    @property
    def runs(self) -> Words:
        """The runs as words of a command."""
        return [path if name == path else f"{name}={path}" for name, path in self.files.items()]

    @property
    def fairness(self) -> Measure | None:
        """The first fairness measure that is better higher or lower; else the first that is better nearer 0."""
        others = [each for each in split_relevance(self.measure_list)[1] if looks_at_groups(each)]
        wanted = ("higher", "lower"), ("nearer 0",)
        return next((each for better in wanted for each in others if each.better in better), None)

    @property
    def utility(self) -> str:
        """The first measure of relevance; without any, the scores of the runs."""
        relevance = split_relevance(self.measure_list)[0]
        return str(relevance[0]) if relevance else "scores" if self.qrels is None else "nDCG@10"

    @cached_property
    def asking(self) -> Words:
        """The measures as words of a command, if any are asked for."""
        if self.measures is None:
            return []
        several = [self.measures] if isinstance(self.measures, str | Measure) else list(self.measures)
        return ["-m", " ".join(map(str, several))]

    @cached_property
    def bounds_refusals(self) -> dict[str, dict[Measure, str]]:
        """By what bounds are over: why each measure has none, "" if it has some."""
        return {
            kind: {each: self._find_refusal(each, kind) for each in self.measure_list} for kind in get_args(LeftOpen)
        }

    def _find_refusal(self, measure: Measure, kind: LeftOpen) -> str:
        """Say why a measure has no bounds of a kind; "" if it has some."""
        given = self._given
        if kind == "labels" and given.get("labels") is None:
            return NO_LABELS
        if kind == "texts" and given.get("docs") is None and given.get("counts") is None:
            return NO_TEXTS
        try:
            evaluator(measure, **given, bounds=kind)
        except UsageError as error:
            return reason(error)
        return ""

    def list_parts(self) -> Iterator[StudyPart]:
        """List the parts that are tried, in the order of the page."""
        yield _describe("validate", "validate", [])
        order = [] if self.fairness is None else ["--sort", str(self.fairness)]
        yield _describe("eval", "eval", [*self.asking, *order, "--confidence", CONFIDENCE])
        for kind, refusals in self.bounds_refusals.items():
            allowed = [str(measure) for measure, why in refusals.items() if not why]
            asking = self.asking if len(allowed) == len(refusals) else ["-m", " ".join(allowed)]
            if allowed:
                yield _describe(f"bounds {kind}", "eval", [*asking, "--bounds", kind])
        if self.is_several:
            against = [] if self.baseline is None else ["--baseline", fspath(self.baseline)]
            yield _describe("compare", "compare", [*self.asking, *against])
        if self.fairness is not None:
            both = ["--utility", self.utility, "--fairness", str(self.fairness)]
            yield _describe("headroom", "headroom", [*both, "--loss", LOSS])
        yield from (part for part in self.guest_parts if isinstance(part, StudyPart))
        if self.sheet is not None:
            yield _describe("gold", "eval", [*self.asking, "--gold", fspath(self.sheet)])

    def list_left_out(self) -> Iterator[PartLeftOut]:
        """List the parts that the inputs do not allow; of bounds also those that only some measures have."""
        others = split_relevance(self.measure_list)[1]
        for kind, refusals in self.bounds_refusals.items():
            if all(refusals.values()):
                yield PartLeftOut(f"bounds {kind}", next(iter(refusals.values())))
                continue
            for measure, why in refusals.items():
                if why and measure in others:
                    yield PartLeftOut(f"bounds {kind} of {measure}", why)
        if not self.is_several:
            yield PartLeftOut("compare", NO_OTHER)
        if self.fairness is None:
            yield PartLeftOut("headroom", NO_FAIRNESS)
        yield from (part for part in self.guest_parts if isinstance(part, PartLeftOut))
        if self.sheet is None:
            yield PartLeftOut("gold", NO_GOLD)

    @cached_property
    def guest_parts(self) -> list[StudyPart | PartLeftOut]:
        """The parts that commands declare of themselves, and those that the inputs do not allow."""
        found: list[StudyPart | PartLeftOut] = []
        for row in command_rows.registry.list_rows():
            if row.study:
                list_parts = command_rows.registry.load(row, row.study)
                found += list_parts(self.fairness, self.keywords, is_several=self.is_several)
        return found

    @property
    def is_several(self) -> bool:
        """Whether there are runs to compare."""
        return len(self.files) > 1 or (self.baseline is not None and fspath(self.baseline) not in self.files)


def _refuse_unknown(baseline: str, files: Mapping[str, str]) -> None:
    """Raise UsageError for a baseline that is no run and no file, before anything is read."""
    name, known = add_run(dict(files), baseline)
    if baseline != "all" and name not in known:
        find_run(list(known), name)


def _describe(name: str, command: str, words: Sequence[str]) -> StudyPart:
    return StudyPart(name, command, words, QUESTIONS[name], METHODS[name])


def reason(error: FairtrecError) -> str:
    """Give what a refusal says without its way out, which is for who types the command."""
    return str(error).partition("; ")[0]


def _run_part(part: StudyPart, study: Study) -> CommandAnswer:
    """Run a part with the inputs that its command takes; an input that has no effect on it is left out."""
    keywords = dict(study.keywords)
    while True:
        try:
            return run_command(list_words(part, study, keywords))
        except UnrankedError:
            part = part._replace(words=_leave_out_sort(part.words))
        except UnusedOptionError as error:
            if part.name == "eval" or error.keyword not in keywords:
                raise
            del keywords[error.keyword]


def _leave_out_sort(words: Sequence[str]) -> Words:
    """Leave out the measure that runs are sorted by."""
    at = list(words).index("--sort")
    return [*words[:at], *words[at + 2 :]]


def list_words(part: StudyPart, study: Study, keywords: Mapping[str, Any]) -> Words:
    """List the arguments of a part: its command, what it reads, its own words, and the options that it shares."""
    known = {each.name: each for each in load_command(part.command).params}
    is_checked = study.qrels is not None or keywords.get("queries") in ("common", "defined", "judged")  # by validate
    judged: Words = []
    if part.command == "validate":
        files = list(dict.fromkeys(map(str, study.files.values())))  # one of answers is two runs
        judged = [] if study.qrels is None else ["--qrels", fspath(study.qrels)]
    else:
        files = ["none" if study.qrels is None else fspath(study.qrels), *study.runs]
    shared = [
        word
        for name, value in keywords.items()
        if name in known and not (part.command == "validate" and name == "queries" and is_checked)
        for word in _spell(name, value, known[name])
    ]
    if study.jobs is not None and "jobs" in known:
        shared += ["-j", str(study.jobs)]
    chosen = [*part.words, *shared, *AS_JSON]
    if any(word.startswith("-") and word != "-" for word in files):  # a file called like an option
        return [part.command, *judged, *chosen, "--", *files]
    return [part.command, *files, *judged, *chosen]


def _spell(name: str, value: Any, parameter: Any) -> Words:
    """Write a keyword as it is typed; nothing for a default. Raises UsageError for data that is no file."""
    row = CHOICES.get(name)
    if value is None or (row is not None and value == row.default) or value in ({}, [], ()):
        return []
    option = str(parameter.opts[-1])
    if isinstance(value, bool):
        return [option]
    if isinstance(value, Attributes):
        return _spell_by_attribute(name, value.sources, option)
    if row is not None and row.by_name and isinstance(value, Mapping):
        return _spell_by_attribute(name, value, option)
    return [option, _spell_one(name, value)]


def _spell_by_attribute(name: str, value: Mapping[str, Any], option: str) -> Words:
    """Write what is chosen for each attribute, or the shares of groups."""
    if all(isinstance(each, int | float) for each in value.values()):
        return [option, ",".join(f"{group}={share}" for group, share in value.items())]
    each = [f"{of}={_spell_one(name, own)}" if of else _spell_one(name, own) for of, own in value.items()]
    return [word for one in each for word in (option, one)]


def _spell_one(name: str, value: Any) -> str:
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return ",".join(value)
    return _name_file(name, value)


def _name_file(name: str, value: Any) -> str:
    """Give the name of a file. Raises UsageError for an object that holds data."""
    if not isinstance(value, PATH):
        raise UsageError(f"a report names files, and {name} holds data; write it to a file, and pass the path")
    return fspath(value)
