"""What holds of every measure, as tests: a package that adds one inherits them, and needs nothing but pytest for it.

    class TestMine(MeasureContract):
        measure = Mine

Each law is tried with each option of the measure in turn, on small collections drawn at random, always the same.
"""

import dataclasses
import inspect
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, permutations, product
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints
from unittest import SkipTest

import numpy as np

from fairtrec.data.parameters import GIVEN, Parameters
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.columns.gold import Corrections
from fairtrec.evaluation.evaluate import evaluate
from fairtrec.evaluation.given import make_examples
from fairtrec.measure import Better, Measure, UsageError
from fairtrec.measures.catalogue import docstrings, notation
from fairtrec.measures.catalogue.needs import OF_DOCUMENTS
from fairtrec.statistics.gold_correctors import QueryCorrector

WORDS = {"f": ["she", "her"], "m": ["he", "him"]}
TEXTS = {"a": "she he", "b": "she", "c": "he him it", "d": "it", "e": "her she it he", "f": "he", "g": "", "h": "she"}
LABELS: dict[str, dict[str, float]] = {  # of g and h nobody knows
    "a": {"f": 0.5, "m": 0.5}, "b": {"f": 1}, "c": {"m": 1}, "d": {"f": 0.3, "m": 0.7},
    "e": {"m": 1, "x": 1}, "f": {"x": 1},
}  # fmt: skip
STRANGE = ("it's", 'a "b"', "a, (b)=c@5", "back\\slash", "True", "1")  # what a notation may trip over


def variants(kind: type[Measure], groups: Sequence[str]) -> Iterator[Measure]:
    """Give a measure as it is, cut off early, and with each of its options and groups in turn."""
    yield kind()
    for name, hint in get_type_hints(kind).items():
        options = get_args(hint) if get_origin(hint) is Literal else (False, True) if hint is bool else ()
        options = tuple(option for option in options if option != GIVEN)  # which needs weights beside the runs
        for option in {"cutoff": (1, 2, 4), "group": groups, "protected": groups}.get(name, options):
            changed: Any = {name: option}
            yield dataclasses.replace(kind(), **changed)


@dataclass(frozen=True)
class MeasureCollection:
    """Rankings of one to six documents, and all that measures ask for; the query ``empty`` has no ranking."""

    run: Mapping[str, Mapping[str, float]]
    target: Mapping[str, float]
    given: Mapping[str, Any]

    @classmethod
    def draw(cls, target: Mapping[str, float], **of_groups: Any) -> "MeasureCollection":
        """Draw rankings and grades."""
        random, qids = np.random.default_rng(2021), [f"q{at}" for at in range(18)]
        qrels = {qid: {docno: int(random.integers(-1, 4)) for docno in TEXTS} for qid in qids}
        background = dict.fromkeys([*qids, "empty"], dict.fromkeys("abcd", 1.0))
        given = {"qrels": {**qrels, "empty": {"a": 2, "b": 1}}, "background": background}
        given |= make_examples([*qids, "empty"], [*TEXTS][:6])  # of the others nothing is known
        twins = {qid: _falling(random.permutation([*TEXTS])[: 1 + at % 5].tolist()) for at, qid in enumerate(qids)}
        given["counterfactual"] = {**twins, "empty": {"a": 1.0}}
        run = {qid: _falling(random.permutation([*TEXTS])[: 1 + at % 6].tolist()) for at, qid in enumerate(qids)}
        return cls(run, target, given | of_groups)

    def choose_measures(self, kind: type[Measure]) -> list[Measure]:
        """Choose the variants of a measure that can be computed here, one for each group where one stands for all."""
        lacking = {"collection", "sequences", "authors"}
        lacking |= OF_DOCUMENTS if "labels" in self.given else {"group_sizes"}
        chosen = {}
        for measure in chain.from_iterable(
            each.expand_groups([*self.target]) for each in variants(kind, [*self.target])
        ):
            try:
                measure.check([*self.target])
            except UsageError:
                continue
            if not lacking & {*measure.needs}:
                chosen[str(measure)] = measure
        return [*chosen.values()]

    def scores(self, measures: Sequence[Measure], **others: Any) -> Scores:
        """Evaluate, with the data given here or others in their place; a warning is a fault.

        A measure that only all queries together have a value of has it in each query.
        """
        data = {"runs": {"run": self.run}, "target": self.target, "complete": True, **self.given, **others}
        is_pooled = [getattr(measure, "of_pool", False) for measure in measures]
        data |= {"pool": "even"} if any(is_pooled) else {}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = evaluate(list(measures), **data).scores[0]
        for row in np.flatnonzero(is_pooled).tolist():
            found.values[row] = found.totals["pooled"][row]
        return found

    def rename_groups(self, new: Mapping[str, str]) -> "MeasureCollection":
        """Give the groups other names."""
        given = dict(self.given)
        if "labels" in given:
            given["labels"] = {d: {new[group]: row[group] for group in row} for d, row in given["labels"].items()}
            given["groups"] = [new[group] for group in given["groups"]]
        else:
            given["terms"] = {new[group]: words for group, words in given["terms"].items()}
        return MeasureCollection(self.run, {new[group]: share for group, share in self.target.items()}, given)


def spell_themselves(kind: Any, several: Iterable[Parameters]) -> None:
    """See that what a class annotates is a parameter, and that several of the kind are read as they are spelled."""
    hints, fields = get_type_hints(kind), {field.name for field in dataclasses.fields(kind)}
    lost = [name for name, hint in hints.items() if get_origin(hint) is not ClassVar and name not in fields]
    assert not lost, f"{kind.__name__} has no parameter {lost[0]} without @dataclass(frozen=True) above it"
    for each in several:
        (written,) = notation.read(str(each))
        assert written.name == kind.__name__, f"{each} spells itself by another name than its class"
        assert notation.build_object(kind, written) == each, f"{each} is read as another"


def _falling(order: Sequence[str]) -> dict[str, float]:
    return {docno: -float(rank) for rank, docno in enumerate(order)}


def _orders(tied: Mapping[str, float]) -> Iterator[dict[str, float]]:
    blocks = [[docno for docno, score in tied.items() if score == level] for level in dict.fromkeys(tied.values())]
    for order in product(*map(permutations, blocks)):
        yield _falling([*chain.from_iterable(order)])


def _same(found: Any, wanted: Any) -> bool:
    return np.allclose(found, wanted, rtol=1e-9, atol=1e-9, equal_nan=True)


COLLECTIONS = (
    MeasureCollection.draw({"f": 0.5, "m": 0.5}, terms=WORDS, docs=TEXTS),
    MeasureCollection.draw({"f": 0.0, "m": 1.0}, terms=WORDS, docs=TEXTS),
    MeasureCollection.draw({"f": 0.1, "m": 0.3, "x": 0.6}, labels=LABELS, groups=("x", "f", "m")),
)


@cache
def _cases(kind: Any) -> list[tuple[MeasureCollection, list[Measure]]]:
    return [(collection, measures) for collection in COLLECTIONS if (measures := collection.choose_measures(kind))]


@cache
def _scores(kind: Any) -> list[Scores]:
    return [collection.scores(measures) for collection, measures in _cases(kind)]


class MeasureContract:
    """The tests of a measure. The name of a subclass begins with Test, and ``measure`` is the class."""

    measure: ClassVar[type[Measure]]  # the class to test
    antisymmetric: ClassVar[bool] = False  # its sign changes when two groups change places

    @property
    def cases(self) -> list[tuple[MeasureCollection, list[Measure]]]:
        """The collections in which the measure can be computed, and its variants there."""
        cases = _cases(self.measure)  # type: ignore[arg-type]  # a class has a hash
        if not cases:
            raise SkipTest(f"{self.measure.__name__} needs {', '.join(self.measure().needs)}, which no run gives")
        return cases

    @property
    def score_cases(self) -> Iterator[tuple[MeasureCollection, list[Measure], Scores]]:
        """The cases, each with the scores there."""
        for (collection, measures), scores in zip(self.cases, _scores(self.measure), strict=True):  # type: ignore[arg-type]
            yield collection, measures, scores

    def read_part(self, part: str) -> str:
        """What the page says of a part, such as Range."""
        return docstrings.part(self.measure, part)

    def test_the_page_has_its_parts(self) -> None:
        """The docstring is a question, an empty line, formulas, and the parts that ``fairtrec measures`` shows."""
        name, better = self.measure.__name__, self.measure().better
        assert "\n\n" in (inspect.getdoc(self.measure) or ""), f"{name}: its page is a question, a blank line, and more"
        for part in docstrings.PARTS:
            assert self.read_part(part), f"{name}: its page does not say {part}: .."
        assert len(self.read_part("Undefined")) < 300, f"{name}: a part of its page runs into what is no part"
        assert better in get_args(Better), f"{name}.better is {better!r}, none of {get_args(Better)}"
        assert better in self.read_part("Better"), (
            f"{name}.better is {better!r}; its page says {self.read_part('Better')}"
        )

    def test_it_spells_itself_so_that_it_can_be_read_again(self) -> None:
        """What a measure prints is what a user types; what is annotated in its class is a parameter."""
        texts = [field.name for field in notation.parameters(self.measure).values() if field.type is str]
        strange: list[Any] = [{name: text} for name in texts for text in STRANGE]
        changed = (dataclasses.replace(self.measure(), **each) for each in strange)
        spell_themselves(self.measure, chain(variants(self.measure, [*WORDS]), changed))

    def test_values_are_within_bounds_and_undefined_ones_are_nan(self) -> None:
        """One number for each query, without a warning; none is nan where the page says "Undefined: never"."""
        never = self.read_part("Undefined").startswith("never")
        for collection, measures, scores in self.score_cases:
            target = np.array([*collection.target.values()])
            for measure, values in zip(measures, scores.values, strict=True):
                faults = [(np.isnan(values) & never, "not never")]
                narrow = measure.bounds_among([*collection.target], target)
                for bounds in (measure.bounds, measure.bounds_against(target), narrow):
                    least, most = (values if bound is None else bound for bound in bounds)
                    inside = np.isclose(values, np.clip(values, least, most), rtol=1e-9, atol=1e-9, equal_nan=True)
                    faults.append((~inside, f"its bounds are {bounds}"))
                for wrong, what in faults:
                    for at in np.flatnonzero(wrong):
                        documents = " ".join(collection.run.get(scores.qids[at], {})) or "no documents"
                        raise AssertionError(f"{measure} is {values[at]} for {documents}; {what}")

    def test_an_empty_ranking_is_worth_what_the_page_says(self) -> None:
        """The page says undefined, does not matter, or a number."""
        for collection, measures, scores in self.score_cases:
            said = self.read_part("Empty ranking")
            number = re.match(r"-?\d+(\.\d+)?\b", said)
            known = number or said.startswith(("undefined", "does not matter"))
            assert known, f"Empty ranking: {said}; it is undefined, does not matter, or a number"
            found = scores.values[:, scores.qids.index("empty")]
            if self.measure.of_pool:
                found = collection.scores(measures, queries=["empty"]).values[:, 0]
            wanted = np.full(len(measures), float(number.group()) if number else np.nan)
            if said.startswith("does not matter"):
                other = collection.scores(measures, runs={"run": {**collection.run, "empty": {"a": 1.0}}})
                wanted = other.values[:, other.qids.index("empty")]
            for measure, value, right in zip(measures, found, wanted, strict=True):
                assert _same(value, right), f"{measure} is {value} for an empty ranking; its page says {said}"

    def test_neither_the_order_of_lines_nor_what_is_below_the_cutoff_matters(self) -> None:
        """Rankings are those of the scores, and ``depth`` is how far down a measure looks."""
        for collection, measures, scores in self.score_cases:
            values = scores.values
            lines = {qid: dict(reversed([*ranking.items()])) for qid, ranking in reversed([*collection.run.items()])}
            self.alike(measures, values, collection.scores(measures, runs={"run": lines}).values, "lines change places")
            for depth in {measure.depth for measure in measures} - {None}:
                top = {qid: dict([*ranking.items()][:depth]) for qid, ranking in collection.run.items()}
                rows = [row for row, measure in enumerate(measures) if measure.depth == depth]
                several = [measures[row] for row in rows]
                cut = collection.scores(several, runs={"run": top}).values
                self.alike(several, values[rows], cut, f"what is below rank {depth} is cut off")

    def test_groups_of_other_names_have_the_same_values(self) -> None:
        """The new names are in the opposite order."""
        for collection, measures, scores in self.score_cases:
            new = {group: f"g{9 - at}" for at, group in enumerate(collection.target)}
            fields = [[(each.name, getattr(m, each.name)) for each in dataclasses.fields(m)] for m in measures]
            named: list[Any] = [{name: new[old] for name, old in several if old in [*new]} for several in fields]
            other = [dataclasses.replace(measure, **names) for measure, names in zip(measures, named, strict=True)]
            values = (-1 if self.antisymmetric else 1) * scores.values
            self.alike(measures, values, collection.rename_groups(new).scores(other).values, "groups have other names")

    def test_over_ranks_is_what_all_orders_of_tied_documents_give(self) -> None:
        """The least, the greatest and the mean over all orders, of those that are defined."""
        for collection, measures in self.cases if self.measure.supports("ties") else ():
            tied = {qid: {docno: -float(rank // size) for rank, docno in enumerate(collection.run[qid])}
                    for qid, size in {"q4": 5, "q11": 2, "q16": 4, "q9": 2}.items()}  # fmt: skip
            orders = {f"{qid} {at}": order for qid in tied for at, order in enumerate(_orders(tied[qid]))}
            given = collection.given
            per_query = [each for each in given if isinstance(given[each], Mapping) and {*tied} <= given[each].keys()]
            data = {each: {name: given[each][name.split()[0]] for name in orders} for each in per_query}
            every = collection.scores(measures, runs={"run": orders}, **data)
            scores = collection.scores(measures, runs={"run": tied}, bounds="ties", queries=[*tied])
            for column, qid in enumerate(scores.qids):
                values = every.values[:, [name.split()[0] == qid for name in every.qids]]
                for row in np.flatnonzero(~np.isnan(scores.values[:, column])):
                    found = [ends.values[row, column] for ends in scores.ends.values()]
                    right = [end(values[row]) for end in (np.nanmin, np.nanmax, np.nanmean)]
                    assert _same(found, right), f"{measures[row]}: over_ranks gives {found}, all orders {right}"

    def test_bounds_are_those_of_all_labelings_of_unknown_documents(self) -> None:
        """The least, the greatest and the mean over all groups that two documents may have."""
        for collection, measures in self.cases:
            looked_at = [each for each in measures if {"membership", "judged_membership"} & {*each.needs}]
            if "labels" not in collection.given or not looked_at or self.measure.of_pool:
                continue
            scores, unknown = (
                collection.scores(looked_at, bounds="labels"),
                [each for each in TEXTS if each not in LABELS],
            )
            every = [dict(zip(unknown, groups, strict=True)) for groups in product(collection.target, repeat=2)]
            full = [LABELS | {docno: {group: 1.0} for docno, group in each.items()} for each in every]
            values = np.stack([collection.scores(looked_at, labels=labels).values for labels in full])
            defined = ~np.isnan(values).all(axis=0)
            for row, column in np.argwhere(defined):
                found, tried = [ends.values[row, column] for ends in scores.ends.values()], values[:, row, column]
                right = [end(tried) for end in (np.nanmin, np.nanmax, np.nanmean)]
                here = f"{looked_at[row]} of {scores.qids[column]}"
                assert found[0] <= right[0] + 1e-9, f"{here}: the least is {found[0]}, but a labeling gives {right[0]}"
                assert found[1] >= right[1] - 1e-9, f"{here}: the greatest is {found[1]}, a labeling gives {right[1]}"
                assert _same(found, right), f"{here}: over_labels gives {found}, all labelings {right}"

    def test_over_documents_is_what_other_labels_change(self) -> None:
        """The mean that gold labels of all documents correct is that of an evaluation with these labels.

        Documents that are corrected leave the queries as they are: those with a value. Where queries are corrected, it
        is the mean over the queries that have a value by the gold labels.
        """
        gold = {docno: {("f", "m", "x")[at % 3]: 1.0} for at, docno in enumerate(TEXTS)}
        for collection, measures, scores in self.score_cases:
            looked_at = any("membership" in each.needs for each in measures)
            if "labels" not in collection.given or not looked_at or not self.measure.supports("gold"):
                continue
            corrected = collection.scores(measures, gold=gold)
            found, gold_column = corrected.settle("gold"), corrected.columns["gold"]
            assert isinstance(gold_column, Corrections)
            rows = gold_column.rows
            by_gold = collection.scores(measures, labels=gold).values
            for measure, values, wanted, one, row in zip(measures, scores.values, by_gold, found, rows, strict=True):
                if one is not None and not one.why:
                    defined = ~np.isnan(wanted if isinstance(row, QueryCorrector) else values)
                    right = wanted[defined].mean()
                    assert _same(one.corrected, right), f"{measure}: over_documents gives {one.corrected}, not {right}"

    @staticmethod
    def alike(measures: Sequence[Measure], before: Any, after: Any, when: str) -> None:
        """See that the values [measure, query] are the same."""
        for measure, one, other in zip(measures, before, after, strict=True):
            assert _same(one, other), f"{measure} changes when {when}: from {one} to {other}"
