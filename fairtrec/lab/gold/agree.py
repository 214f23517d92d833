"""``fairtrec.gold.agree``: how well what decides groups now agrees with what people say."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any, Literal, Unpack

import numpy as np

from fairtrec.data import MISSING, NONE, UNKNOWN, Bools, Floats, Ints, Labels, Run, Sheet, decode, find_starts
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.given.gold import GOLD
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import TAKEN, write_missing
from fairtrec.evaluation.inputs.groups import refuse_unwritten
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.evaluation.signature import write_signature
from fairtrec.formats import sheets
from fairtrec.formulas.weighted_sums import weigh
from fairtrec.lab.gold.draw import exposures, origins, read_rankings
from fairtrec.lab.gold.instruments import SEVERAL, Instrument, classify_documents, look_up_weights, open_session
from fairtrec.statistics import agreement
from fairtrec.statistics.agreement import Interval
from fairtrec.statistics.doubt import count_differing, count_effective, is_doubtful
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.errors import PATH, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.arguments import parse_renamings, renamings
from fairtrec.support.literals import Drawn, MissingLabel, RankedBy, RunFormat, ScoreType
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

IDLE = ("target", "membership", "missing", "order", "depth")  # of a signature: what plays no part
NO_GROUP = NoteKind(
    "no group told",
    "{documents} {are} left out: people could not decide the group",
    NoteSeverity.MISLEADING,
)
NOT_RANKED = NoteKind("labels not ranked", "{documents} {are} left out: not ranked by any run", NoteSeverity.MISLEADING)
NOT_DRAWN = NoteKind(
    "not drawn",
    "{sheet} does not record how its documents were drawn; intervals hold only if they are a random sample",
)
NOT_COUNTED = NoteKind(
    "labels without counts",
    write_missing("labeled documents", TAKEN["skip"], "text or counts"),
    NoteSeverity.MISLEADING,
)
NOT_LABELED = NoteKind(
    "labels unknown to the instrument",
    write_missing("labeled documents", "count as misses", "label of the instrument"),
    NoteSeverity.MISLEADING,
)
MANY = 0.1  # of the labeled documents that an instrument of labels does not know
OF_ONE_QUERY = NoteKind(
    "documents of one query",
    "documents of one query are treated as independent; if they are alike, the intervals are too narrow",
)


@dataclass(frozen=True, eq=False)
class Category:
    """What people call one kind of documents: a group, - for none of them, several, or what nobody could tell.

    ``found`` says as what the instrument has those that are ``labeled`` so. Of several and of ``?`` the rest is nan.
    """

    name: str
    labeled: int
    found: Mapping[str, int]
    recall: Interval
    precision: Interval
    recall_doubtful: bool
    precision_doubtful: bool
    share_gold: float
    share_instrument: float


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Answer):
    """How well an instrument agrees with gold labels, document by document.

    Attributes:
        gold, instrument: the kind of each document, as a number into ``names`` [document].
        weights: what each document counts [document].
        chance: 1 less the probability with which each was drawn; 1 where nobody says [document].
        by: what the weights make of it: plain labels, what could be drawn, or what runs expose.
        untold: how many documents are left out because people could not tell, ``unseen`` because no run has them,
            ``skipped`` because they have no counts or text.
        unlabeled: how many documents an instrument of labels does not know.
    """

    name: str  # the name of the gold labels
    names: tuple[str, ...]  # the kinds that documents can have
    gold: Ints
    instrument: Ints
    weights: Floats
    chance: Floats
    by: Literal["labels", "draw", "exposure"]
    is_drawn: bool  # whether the file records a draw
    unit: Drawn  # whether documents or queries were drawn
    runs: int  # how many runs count exposure; 0 without runs
    untold: int
    unseen: int  # documents left out because no run ranks them
    skipped: int  # documents left out because they have no counts or text
    unlabeled: int
    confidence: float  # the level of the intervals
    signature: Signature  # every choice that changes a number

    @property
    def documents(self) -> int:
        """How many documents are compared."""
        return len(self.gold)

    @property
    def agreement(self) -> float:
        """The share of documents of the same kind by both."""
        total = float(self.weights.sum())
        return weigh(self.gold == self.instrument, self.weights) / total if total else nan

    @cached_property
    def kappa(self) -> Interval:
        """Cohen's kappa, and its interval."""
        return agreement.kappa(self.gold, self.instrument, len(self.names), self.weights, self.chance, self.confidence)

    @cached_property
    def kappa_doubtful(self) -> bool:
        """Whether few documents decide kappa: all of them, those that are right, or those that are wrong."""
        alike = (self.gold == self.instrument).astype(np.float64)
        return is_doubtful(count_effective(self.weights), count_differing(alike))

    @cached_property
    def alpha(self) -> float:
        """Krippendorff's alpha over the documents of which both know something, each once."""
        told = self.instrument != len(self.names) - 1
        return agreement.alpha(self.gold[told], self.instrument[told], len(self.names))

    @cached_property
    def kinds(self) -> tuple[Category, ...]:
        """Each kind that people named, the groups first: recall and precision of the instrument, and the shares."""
        every = len(self.names)
        pairs = agreement.confusion(self.gold, self.instrument, every).astype(int)
        groups, none = range(every - 3), every - 3
        columns = [at for at in range(every) if at in groups or pairs[at].any() or pairs[:, at].any()]
        rows = [at for at in columns if at in groups or at == none or pairs[at].any()]
        return tuple(self._kind(at, dict(zip(columns, pairs[at, columns].tolist(), strict=True))) for at in rows)

    def _kind(self, at: int, found: Mapping[int, int]) -> Category:
        by_gold, by_instrument = self.gold == at, self.instrument == at
        is_group = at < len(self.names) - 2
        total = float(self.weights.sum()) if is_group else 0.0

        def estimate_share(these: Bools, right: Bools) -> Interval:
            kept = these if is_group else np.zeros_like(these)
            return agreement.share(right[kept].astype(np.float64), self.weights[kept], self.confidence)

        def is_share_doubtful(these: Bools) -> bool:
            return is_group and is_doubtful(count_effective(self.weights[these]))

        return Category(
            name=self.names[at],
            labeled=sum(found.values()),
            found={self.names[kind]: many for kind, many in found.items()},
            recall=estimate_share(by_gold, by_instrument),
            precision=estimate_share(by_instrument, by_gold),
            recall_doubtful=is_share_doubtful(by_gold),
            precision_doubtful=is_share_doubtful(by_instrument),
            share_gold=float(self.weights[by_gold].sum()) / total if total else nan,
            share_instrument=float(self.weights[by_instrument].sum()) / total if total else nan,
        )

    @property
    def notes(self) -> list[Note]:
        """The notes on the numbers."""
        notes = []
        if self.untold:
            what = "document is" if self.untold == 1 else "documents are"
            notes.append(NO_GROUP.note(documents=self.untold, are=what))
        if self.unseen:
            what = "labeled document is" if self.unseen == 1 else "labeled documents are"
            notes.append(NOT_RANKED.note(documents=self.unseen, are=what))
        if self.skipped:
            notes.append(NOT_COUNTED.note(unknown=self.skipped, documents=self.skipped + self.documents + self.unseen))
        if self.unlabeled > MANY * self.documents:
            notes.append(NOT_LABELED.note(unknown=self.unlabeled, documents=self.documents))
        if not self.is_drawn:
            notes.append(NOT_DRAWN.note(sheet=self.name))
        elif self.unit == "query":
            notes.append(OF_ONE_QUERY.note())
        return notes


def agree(
    gold: Any,
    runs: Any = None,
    *,
    confidence: float = 0.95,
    depth: int = 10,
    order: RankedBy = "score",
    score_dtype: ScoreType = "float64",
    run_format: RunFormat = "auto",
    columns: str | Mapping[str, str] | None = None,
    missing: MissingLabel = "error",
    **instrument: Unpack[Instrument],
) -> Agreement:
    """Measure how well an instrument (words, counts or labels) agrees with gold labels.

    Args:
        gold: a sheet that was drawn and filled in, or any labels, as for ``evaluate``.
        runs: as for ``evaluate``: a document then counts by its exposure in them, down to ``depth``.
        confidence: the level of the intervals.
        missing: a labeled document without counts or text is an "error", left out ("skip"), or a mistake of the
            instrument ("worst").
        instrument: ``labels``, ``terms`` with ``docs``, or ``counts``, as for ``evaluate``. ``groups`` also renames
            groups of gold: "f=F,m=M,-=N".

    Raises:
        UsageError: arguments that do not fit together.
        InputError: a file that cannot be read, or a group in gold that the instrument lacks.
    """
    Procedure(confidence=confidence)
    renamed = instrument.get("groups")
    session = open_session(_keep_own(instrument), "nothing to compare gold labels with")
    labels = session.plan.context.labels
    sheet = _read_sheet(gold, labels, renamed)
    weights, groups = look_up_weights(session, *_asked(sheet))
    names = (*groups, NONE, SEVERAL, UNKNOWN)
    by_gold, by_instrument = classify_documents(sheet.match_groups(groups).weights), classify_documents(weights)
    kept = by_gold != len(names) - 1
    lacking = (by_instrument == len(names) - 1) & kept
    skipped, unlabeled = 0, int(lacking.sum()) if labels is not None else 0
    if labels is None and missing != "worst" and lacking.any():
        if missing == "error":
            raise _missing_counts(sheet, lacking, kept, instrument)
        skipped = int(lacking.sum())
        kept &= ~lacking
    counts, chance = np.ones(len(kept)), np.ones(len(kept))
    if sheet.probability is not None:
        counts, chance = 1 / sheet.probability, 1 - sheet.probability
    untold, seen = int((~kept).sum()) - skipped, np.ones(len(kept), dtype=np.bool_)
    several = [] if runs is None else loading.name_rankings(runs)
    made = {**write_signature(session.plan, session.prepare_reading(), session.files)}
    made = {name: value for name, value in made.items() if name not in IDLE}
    said = {
        "fairtrec": made.pop("fairtrec"),
        "gold": loading.short(sheet.labels.name, sheet.labels.sha256 or GOLD.digest(sheet)),
        **made,
    }
    said["groups"] = renamings(renamed)
    said["missing"] = "" if missing == "error" or labels is not None else missing
    if runs is not None:
        choices = Choices(order=order, score_dtype=score_dtype, run_format=run_format, columns=columns)
        exposed, seen = _expose(sheet, several, choices, depth)
        counts = counts * exposed
        said |= {"order": order, "scores": "" if score_dtype == "float64" else score_dtype, "depth": str(depth)}
        said["runs"] = sheets.write_runs(origins(several))
    unseen = int((kept & ~seen).sum())
    kept &= seen
    if not kept.any():
        what = "no document is left to compare" + (", as no run ranks one that is labeled" if unseen else "")
        raise InputError(f"{what}; label some", sheet.path)
    return Agreement(
        name=opening.name(sheet.path),
        names=names,
        gold=by_gold[kept],
        instrument=by_instrument[kept],
        weights=counts[kept],
        chance=chance[kept],
        by="exposure" if runs is not None else "labels" if sheet.probability is None else "draw",
        is_drawn=sheet.probability is not None,
        unit=sheet.unit,
        runs=len(several),
        untold=untold,
        unseen=unseen,
        skipped=skipped,
        unlabeled=unlabeled,
        confidence=confidence,
        signature=Signature({**said, "confidence": f"{confidence:g}"}),
    )


def _keep_own(instrument: Instrument) -> Instrument:
    """Leave out new names of groups that are of gold only, as the instrument has no labels."""
    if renamings(instrument.get("groups")) and instrument.get("labels") is None:
        instrument["groups"] = None
    return instrument


def _read_sheet(gold: Any, labels: Labels | None, renamed: Any) -> Sheet:
    """Read what people say.

    Raises InputError for a draw of documents with labels per query, UsageError for an old name that no label has.
    """
    per_query = labels is not None and labels.per_query
    sheet = loading.gold(gold, per_query=per_query, renamed=parse_renamings(renamed))
    refuse_unwritten(renamed, [each for each in (labels, sheet.labels) if each is not None])
    if per_query and sheet.unit == "document":
        raise InputError("these labels are per query, gold is not; draw queries: --unit query", sheet.path)
    return sheet


def _expose(sheet: Sheet, runs: Any, choices: Choices, depth: int) -> tuple[Floats, Bools]:
    """Give how much the runs expose each row of a sheet, and which rows they rank."""
    frame = exposures(read_rankings(runs, choices, depth)[0], per_query=sheet.unit == "query")
    rows = frame.names.rows(sheet.labels.rows.names)
    ranks = rows != MISSING
    return np.where(ranks, frame.mean()[rows], 0.0), ranks


def _missing_counts(sheet: Sheet, lacking: Bools, kept: Bools, instrument: Instrument) -> InputError:
    """Say which labeled documents have no counts or text."""
    given = instrument.get("counts") if instrument.get("counts") is not None else instrument.get("docs")
    where = opening.name(given) if isinstance(given, PATH) else "the counts" if "counts" in instrument else "the texts"
    names, lines = decode(sheet.labels.rows.names), np.where(lacking, sheet.lines, np.iinfo(np.int64).max)
    first = int(lines.argmin())
    line = f", line {sheet.lines[first]}" if sheet.lines[first] else ""
    what = f"{int(lacking.sum())} of {int(kept.sum())} documents are not in {where} (first: {names[first]}{line})"
    ways = "--missing skip leaves them out, --missing worst counts them as misses"
    return InputError(f"{what}; {ways}", sheet.path)


def _asked(sheet: Sheet) -> tuple[Run, Ints]:
    """Make a run of the labeled documents, one query of all or each of its own; and say which row each line is."""
    names = sheet.labels.rows.names
    if sheet.unit == "document":
        rows = np.arange(len(names))
        return Run("gold", "gold", ("gold",), np.array([0, len(names)]), names, np.zeros(len(names))), rows
    qids, docnos = zip(*(name.split(b" ", 1) for name in names.tolist()), strict=True)
    of_query = np.array(qids, dtype=np.bytes_)
    order = np.argsort(of_query, kind="stable")
    starts = find_starts(of_query[order])
    of_lines = np.array(docnos, dtype=np.bytes_)[order]
    ranked_qids = tuple(decode(of_query[order][starts[:-1]]))
    return Run("gold", "gold", ranked_qids, starts, of_lines, np.zeros(len(order))), order
