"""The TREC 2019 Fair Ranking track: runs beside the ground truth to a result."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from operator import itemgetter
from os import fspath
from typing import Any

import numpy as np

from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import InputFile, Part, Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.inputs.loading import short
from fairtrec.evaluation.jobs import processes
from fairtrec.formats import trec_fair, trec_fair_files
from fairtrec.formats.trec_fair_files import Authors
from fairtrec.measures.trec_fair_2019 import TREC19Share, TREC19Unfairness, TREC19Utility
from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files import submissions
from fairtrec.support.jobs import map_ordered
from fairtrec.support.literals import Amortization, UnfairnessVariant
from fairtrec.support.version import __version__

NamedFile = tuple[str, FilePath]


@dataclass(frozen=True, eq=False)
class SequenceWork:
    """The evaluation of each run over the sequences."""

    utility: TREC19Utility
    of_groups: Sequence[tuple[Any, Authors]]
    requests: Any
    truth: Any

    def begin(self) -> Callable[[NamedFile], Scores]:
        """Give what evaluates a run."""
        return self.evaluate

    def evaluate(self, named: NamedFile) -> Scores:
        """Evaluate a run. Raises InputError for what is wrong with it."""
        name, path = named
        submissions.refuse(path)
        placed = trec_fair.place_run(trec_fair.rankings(path), self.requests, self.truth)
        values = [self.utility(placed), *(measure(placed, each) for measure, each in self.of_groups)]
        notes = [
            replace(measure.note(placed, each), measures=(measure,))
            for measure, each in self.of_groups
            if isinstance(measure, TREC19Unfairness)
        ]
        measures = (self.utility, *(measure for measure, _ in self.of_groups))
        return Scores(name, trec_fair_files.stem(path), measures, self.requests.names, np.stack(values), tuple(notes))


def evaluate(
    runs: Sequence[FilePath] | Mapping[str, FilePath],
    sequences: FilePath,
    truth: FilePath,
    labels: Sequence[FilePath],
    *,
    variant: UnfairnessVariant = "track",
    amortization: Amortization = "micro",
    shares: bool = False,
    keep_going: bool = False,
    jobs: int | None = 1,
) -> Result:
    """Evaluate runs of TREC Fair Ranking 2019. Sequences take the place of queries.

    Args:
        runs: files of JSON lines; a mapping gives each a name.
        sequences: CSV lines ``seq.num,qid``.
        truth: JSON lines with qid and documents.
        labels: the authors' groups: CSV lines ``docid,label,label,...``, a file per way to group them.
        variant: the formulas of the "track" or of the "paper".
        amortization: "micro" or "macro".
        shares: also compute each group's share of exposure and of relevance.
        keep_going: list broken runs in ``failed``, and evaluate the others.
        jobs: how many processes evaluate runs; None: as many as cores, if that is faster.

    Raises:
        InputError: a file that cannot be read.
        UsageError: two files of groups with the same name.
    """
    wanted = trec_fair_files.truth(truth)
    requests = trec_fair_files.requests(sequences, wanted)
    utility = TREC19Utility(amortization=amortization)
    of_groups = _measures_of(
        [trec_fair_files.authors(path, wanted) for path in dict.fromkeys(labels)], variant, amortization, shares=shares
    )
    named = dict(runs) if isinstance(runs, Mapping) else {fspath(path): path for path in runs}
    number = processes(list(named.values()), jobs)
    work = SequenceWork(utility, of_groups, requests, wanted)
    scores, failed = _evaluate_each(work, named, number, keep_going=keep_going)
    parts = {Part("sequences"): sequences, Part("truth"): truth}
    parts |= {Part("labels", fspath(path)): path for path in dict.fromkeys(labels)}
    files = {part: InputFile(fspath(path), path) for part, path in parts.items()}
    names = {part: short(trec_fair_files.stem(file.place), file.sha256) for part, file in files.items()}
    choices = {
        "fairtrec": __version__,
        "sequences": names[Part("sequences")],
        "truth": names[Part("truth")],
        "labels": ",".join(name for part, name in names.items() if part.of == "labels"),
        "stop": str(utility.stop),
        "gamma": str(utility.gamma),
        "variant": variant,
        "amortization": amortization,
    }
    broken = {name for name, _ in failed}
    files |= {Part("run", name): InputFile(fspath(path), path) for name, path in named.items() if name not in broken}
    return Result(tuple(scores), Signature(choices), (), files, tuple(failed))


def _measures_of(
    groupings: Sequence[Authors], variant: UnfairnessVariant, amortization: Amortization, *, shares: bool
) -> list[tuple[Any, Authors]]:
    """List the measures of each way to group authors. Raises UsageError for two that go by one name."""
    of_groups: list[tuple[Any, Authors]] = []
    for each in groupings:
        if any(each.name == other.name for _, other in of_groups):
            raise UsageError(f"two group files are called {each.name}, and measures go by these names; rename one")
        own: dict[str, Any] = {"variant": variant, "amortization": amortization, "labels": each.name}
        of_groups.append((TREC19Unfairness(**own), each))
        for of in ("exposure", "relevance") if shares else ():
            of_groups += [(share, each) for share in TREC19Share(of=of, **own).expand_groups(each.groups)]
    return of_groups


def _evaluate_each(
    work: SequenceWork, named: Mapping[str, FilePath], jobs: int, *, keep_going: bool
) -> tuple[list[Scores], list[tuple[str, str]]]:
    """Give the values of each run, and what is wrong with each that is broken. Raises that unless told to go on."""
    scores, failed = [], []
    with closing(map_ordered(work, named.items(), jobs, called=itemgetter(0))) as evaluated:
        for name, outcome in zip(named, evaluated, strict=True):
            if not isinstance(outcome, InputError):
                scores.append(outcome)
            elif keep_going:
                failed.append((name, str(outcome)))
            else:
                raise outcome
    return scores, failed
