"""Gold labels in the terms of an instrument, and whether they are of the runs, the depth and the queries evaluated."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import (
    Bools,
    Docs,
    Floats,
    Ints,
    Labels,
    Queries,
    Sheet,
    Vote,
    digest_columns,
    digest_texts,
)
from fairtrec.data.ranking.depth import Asking
from fairtrec.evaluation.answers.result import Part
from fairtrec.evaluation.given.given_rows import Files, NamedRuns, Written
from fairtrec.evaluation.given.labels import refuse_unwritten_groups
from fairtrec.evaluation.given.reference import OpenedReferences, Plan, Reference
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.formulas import neutrality
from fairtrec.formulas.rounding import NEAR
from fairtrec.measure import Measure
from fairtrec.measures.catalogue.needs import GROUPED
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files import opening
from fairtrec.support.files.arguments import parse_renamings, renamings, source
from fairtrec.support.literals import Membership

AGAIN = "draw again: fairtrec gold draw"
BESIDE: dict[str, tuple[tuple[Any, ...], str]] = {  # choices by name: what of them goes with gold labels, and why
    "undefined": (("skip", "error"), "--gold corrects means over the queries that have a value"),
    "aggregate": (("mean",), "--gold corrects means over queries"),
    "only": ((None,), "--gold needs all documents that are ranked"),
    "bounds": ((None,), "--gold corrects a value, and --bounds shows what it could be without gold labels"),
    "samples": ((False,), "--gold corrects the values of one ranking for each query"),
}


@dataclass(frozen=True, eq=False)
class Gold:
    """Gold labels by the groups of an instrument: a row of ``labels`` is a row of the ``sheet``."""

    sheet: Sheet
    labels: Labels
    depth: int | None  # at which rankings are cut
    rule: Membership | None = (
        None  # what several groups of a document mean, as the instrument says; None: whole in each
    )

    @property
    def draws_queries(self) -> bool:
        """Whether queries were drawn, not documents."""
        return self.sheet.unit == "query"

    @cached_property
    def probability(self) -> Floats:
        """With which each row was drawn; 1 where the sheet does not say, as then all must be labeled."""
        said = self.sheet.probability
        return np.ones(len(self.sheet.unknown)) if said is None else said

    @cached_property
    def is_labeled(self) -> Bools:
        """Of which rows people told the groups [row], and last that they told none of what is in no row."""
        return np.append(~self.sheet.unknown, np.zeros(1, dtype=np.bool_))

    @cached_property
    def ballots(self) -> Floats:
        """The membership in groups by each vote [vote, row, group], and last in no row; 0 where there is no vote.

        Rows have as many votes as the row of the most. Votes for the same groups are one.
        """
        return self._of_votes[0]

    @cached_property
    def shares(self) -> Floats:
        """The share of people of each vote [vote, row], and last of what is in no row."""
        return self._of_votes[1]

    @cached_property
    def _of_votes(self) -> tuple[Floats, Floats]:
        several = [_merged(votes) for votes in self.sheet.votes]
        most, place = max((len(votes) for votes in several), default=1), self._place
        ballots = np.zeros((max(most, 1), len(several) + 1, len(place)))
        shares = np.zeros(ballots.shape[:2])
        for row, votes in enumerate(several):
            for number, (groups, share) in enumerate(votes):
                shares[number, row] = share
                ballots[number, row, [place[group] for group in groups]] = 1
        return self.belong(ballots), shares

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.labels.groups)}

    def belong(self, named: Floats) -> Floats:
        """Tell the membership of documents in the groups that people name [..., group], as the instrument tells it."""
        return named if self.rule is None else np.asarray(neutrality.membership(named, self.rule))

    def gains(self, by_labels: Callable[[Floats], Floats], rows: Ints) -> Floats:
        """Give the gains of documents [query, rank] by the votes for them; of a split one, the mean over people."""
        if len(self.ballots) == 1:
            return by_labels(self.ballots[0][rows])
        total = np.zeros(rows.shape)
        for ballot, share in zip(self.ballots, self.shares, strict=True):
            total += share[rows] * by_labels(ballot[rows])
        return total

    def mean_membership(self, rows: Ints) -> Floats:
        """Give the membership of documents in the groups [..., group], the mean over the votes for them."""
        if len(self.ballots) == 1:
            return np.asarray(self.ballots[0][rows])
        total = np.zeros((*rows.shape, self.ballots.shape[2]))
        for ballot, share in zip(self.ballots, self.shares, strict=True):
            total += share[rows][..., None] * ballot[rows]
        return total

    @cached_property
    def split(self) -> Bools:
        """Of which rows the votes are for different groups [row]."""
        return np.asarray((self.shares[:, :-1] > 0).sum(axis=0) > 1)

    @cached_property
    def is_tied(self) -> Bools:
        """Of which rows several votes have the most weight [row]."""
        top = self.shares[:, :-1] >= self.shares[:, :-1].max(axis=0) - NEAR
        return np.asarray((top & (self.shares[:, :-1] > 0)).sum(axis=0) > 1)

    @cached_property
    def majority_membership(self) -> Floats:
        """The membership in groups by the vote of most weight [row, group], and last of what is in no row: none.

        Votes of the same weight have equal parts.
        """
        top = (self.shares >= self.shares.max(axis=0) - NEAR) & (self.shares > 0)
        many = top.sum(axis=0).clip(min=1)
        return np.asarray((self.ballots * top[..., None]).sum(axis=0) / many[:, None])

    @cached_property
    def annotators(self) -> Mapping[str, Floats]:
        """The membership in groups [row, group] by each annotator who is named; nan of what he or she did not label."""
        found: dict[str, Floats] = {}
        for row, votes in enumerate(self.sheet.votes):
            for vote in votes:
                if vote.by:
                    shape = len(self.sheet.votes) + 1, len(self._place)
                    weights = found.setdefault(vote.by, np.full(shape, np.nan))
                    weights[row] = 0.0
                    weights[row, [self._place[group] for group in vote.groups]] = 1.0
        return {name: self.belong(weights) for name, weights in found.items()}

    @cached_property
    def is_certain(self) -> bool:
        """Whether nothing was left to chance."""
        return bool((self.probability == 1).all())

    @cached_property
    def qids(self) -> frozenset[str]:
        """The queries that were drawn."""
        return frozenset(self.labels.list_query_groups()[0])

    def find_drawn_queries(self, qids: Sequence[str]) -> Bools:
        """Tell which queries were drawn [query]; all where documents were, or where the file says nothing of a draw."""
        every = not self.draws_queries or self.sheet.probability is None
        return np.array([every or qid in self.qids for qid in qids], dtype=np.bool_)

    def missing_label_error(self, docno: str, rank: int, qid: str, run: str) -> InputError:
        """Say that a document that is looked at has no label, and should have one."""
        where = f"query {qid}: document {docno}, rank {rank} of {run}, has no gold label"
        if self.sheet.probability is not None:
            return InputError(f"{where}; label it, or {AGAIN} --unit query", self.sheet.path)
        what = "this file does not record how its documents were drawn (no column probability)"
        more = f"see how well it agrees: fairtrec gold agree; draw: fairtrec gold draw ({where})"
        return InputError(f"{what}, so it cannot correct a value; {more}", self.sheet.path)

    def refuse_others(self, named: Sequence[tuple[str, Any]], queries: Queries | None) -> None:
        """Raise InputError for a run that was not among those of the draw, and for other queries than it was among."""
        drawn, asked = self.sheet.made.get("queries"), queries and loading.short(queries.name, queries.sha256)
        if drawn and drawn != asked:
            what = f"this was drawn among the queries {drawn}"
            raise InputError(f"{what}; pass these with --queries, or {AGAIN}", self.sheet.path)
        digits = {each for each, _ in self.sheet.runs if each}
        names = {name for each, name in self.sheet.runs if not each}
        for name, thing in named if self.sheet.runs else ():
            at = loading.find_file(thing)
            if (opening.name(name) not in names) if at is None else (opening.sha256(at[1])[:8] not in digits):
                what = f"{name} was not among the runs of this draw"
                raise InputError(f"{what}; {AGAIN} ... {name} --gold {self.sheet.labels.name}", self.sheet.path)

    def refuse_deeper(self, measure: Measure) -> None:
        """Raise InputError for a measure that looks at ranks from which nothing was drawn."""
        drawn = self.sheet.depth
        depth = min((each for each in (measure.depth, self.depth) if each is not None), default=None)
        if drawn is not None and (depth is None or depth > drawn):
            ranks = "all ranks" if depth is None else f"{depth} ranks"
            what = f"{measure} looks at {ranks}, and this was drawn from the first {drawn}"
            deeper = "" if depth is None else f" --depth {depth}"
            raise InputError(f"{what}; {AGAIN}{deeper} --gold {self.sheet.labels.name}", self.sheet.path)


def _merged(votes: Sequence[Vote]) -> list[tuple[tuple[str, ...], float]]:
    """Add up the votes for the same groups."""
    found: dict[tuple[str, ...], float] = {}
    for vote in votes:
        found[vote.groups] = found.get(vote.groups, 0.0) + vote.share
    return list(found.items())


class GoldReference(Reference):
    """Labels by people, which correct values."""

    opened_by = "measures"
    of_runs = needs_header = True
    parts = frozenset({"gold"})
    column = "gold"

    def is_wanted(self, measures: Sequence[Measure], needs: frozenset[str]) -> bool:
        """Tell whether any number depends on groups."""
        return bool(needs & GROUPED)

    def read(self, opened: OpenedReferences) -> Gold:
        """Read gold labels, for an instrument of one attribute."""
        if len(opened.attributes) > 1:
            what = "--gold corrects the values of one attribute, and there are several"
            raise UsageError(f"{what}; pass the labels of one")
        return read(opened.given.things[self.name], opened.groups, opened.first, opened.choices)

    def refuse_measure(self, measure: Asking, opened: OpenedReferences) -> None:
        """Raise UsageError for a measure that gold labels do not correct."""
        is_divided = getattr(measure, "of_pool", False) and "group_sizes" in measure.needs
        if is_divided or getattr(measure, "is_of_group", False):
            raise UsageError(f"{measure} is not corrected by gold labels; leave out --gold, or the measure")

    def take_runs(
        self,
        plan: Plan,
        context: EvaluationContext,
        named: NamedRuns,
        depth: int | None,
        *,
        with_ties: bool,
    ) -> NamedRuns:
        """Raise UsageError for groups that nobody has, InputError for runs and queries that were not drawn from."""
        people: Gold | None = plan.context.opened.get(self.name)
        refuse_unwritten_groups(plan)
        if people is not None:
            people.refuse_others(named, context.queries)
        return named

    def plays(self, plan: Plan) -> bool:
        """Tell whether any value is corrected."""
        return self.name in plan.context.opened

    def list_effects(self, plan: Plan) -> Iterable[str]:
        """Name what is in effect: new names of groups."""
        return ["gold"] * (self.plays(plan) and bool(renamings(plan.choices.groups)))

    def list_docnos(self, opened: OpenedReferences) -> Iterator[Docs]:
        """List the labeled documents."""
        yield loading.gold(opened.given.things[self.name]).labels.rows.names

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write the gold labels, which may be a field of a file."""
        thing, sheet = plan.given.things[self.name], plan.context.opened[self.name].sheet
        is_path = isinstance(thing, PATH)
        named = loading.short(sheet.labels.name, sheet.labels.sha256) if is_path else self.spell(thing, files, sheet)
        return {self.name: named, "groups": renamings(plan.choices.groups)}

    def digest(self, read: Sheet) -> str:
        """Hash the labels, and how they were drawn."""
        labels = read.labels
        drawn = np.ones(len(read.unknown)) if read.probability is None else read.probability
        rows = digest_columns(labels.rows.names, *np.nan_to_num(labels.weights.T), read.unknown, drawn)
        return digest_texts([(read.unit, rows), (f"depth {read.depth}", "\n".join(labels.groups))])

    def list_parts(self, thing: Any) -> Mapping[Part, Any]:
        """Give its file."""
        return super().list_parts(source(fspath(thing)).name if isinstance(thing, PATH) else thing)


GOLD = GoldReference("gold")


def read(thing: Any, groups: Sequence[str], labels: Labels | None, choices: Choices) -> Gold:
    """Read gold labels, for an instrument that has these groups.

    Raises UsageError for groups that are those of single queries, and for choices that gold labels do not go with;
    InputError for what is wrong in the file.
    """
    if labels is not None and labels.own:
        raise UsageError("gold labels cannot correct subtopics, because each query has its own; leave out --gold")
    refuse_choices(choices)
    per_query = labels is not None and labels.per_query
    renamed = parse_renamings(choices.groups) if isinstance(choices.groups, str | list | tuple) else {}
    sheet = loading.gold(thing, per_query=per_query, renamed=renamed)
    if per_query and sheet.unit == "document":
        what = "labels per query need draws of queries"
        raise InputError(f"{what}; {AGAIN} --unit query --gold {sheet.labels.name}", sheet.path)
    if sheet.unit == "query" and sheet.unknown.any():
        row = int(sheet.unknown.argmax())
        name = sheet.labels.rows.names[row].decode().partition(" ")[2]
        what = f"the group of {name} is ?, and each document of a drawn query needs one"
        raise InputError(f"{what}; write a group, or - for none of them", sheet.path, int(sheet.lines[row]) or None)
    for option, name, usual in (("order", "order", "score"), ("score-dtype", "scores", "float64")):
        drawn, asked = sheet.made.get(name) or usual, getattr(choices, option.replace("-", "_"))
        if sheet.made and drawn != asked:
            what = f"this was drawn with --{option} {drawn}"
            raise InputError(f"{what}; add that, or {AGAIN} --{option} {asked}", sheet.path)
    asked = choices.membership if isinstance(choices.membership, str) else None
    return Gold(sheet, sheet.match_groups(groups), choices.depth, asked or ("share" if labels is None else None))


def refuse_choices(choices: Choices) -> None:
    """Raise UsageError for choices that gold labels do not go with."""
    if choices.missing == "skip":
        what = "--missing skip moves documents up that were not drawn"
        raise UsageError(f"{what}; leave out --gold, or choose --missing neutral")
    for name, (fitting, what) in BESIDE.items():
        value = getattr(choices, name)
        if value not in fitting:
            raise UsageError(f"{what}; leave out --gold, or --{name}{f' {value}' * (value is not True)}")
