"""What holds of every reranker, as tests: a package that adds one inherits them, and needs nothing but pytest for it.

    class TestMine(RerankerContract):
        reranker = Mine

Each law is tried with each option of the reranker in turn, on small collections drawn at random, always the same.
"""

import dataclasses
import inspect
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints
from unittest import SkipTest
from unittest.mock import patch

import numpy as np

from fairtrec.lab.rerank import catalogue as rerankers
from fairtrec.lab.rerank import ordering
from fairtrec.lab.rerank.rerank import rerank
from fairtrec.lab.reranker import Reranker
from fairtrec.support.errors import InputError, UsageError
from fairtrec.testing.measures import spell_themselves

DOCNOS = [f"d{number}" for number in range(12)]
GROUPS = ("f", "m", "x")
ScoredRankings = dict[str, dict[str, float]]


@dataclass(frozen=True)
class RerankerCollection:
    """Rankings of one to twelve documents, and all that rerankers ask for."""

    run: ScoredRankings
    given: Mapping[str, Any]
    groups: tuple[str, ...]

    @classmethod
    def draw(cls, *, labeled: bool) -> "RerankerCollection":
        """Draw rankings, grades, and labels of three groups or texts of two; of a fourth of them nothing is known."""
        random = np.random.default_rng(2018)
        run = {f"q{at}": _falling(random.permutation(DOCNOS)[: 1 + at % 12].tolist(), random) for at in range(12)}
        qrels = {qid: {docno: int(random.integers(-1, 4)) for docno in DOCNOS[at % 9 :]} for at, qid in enumerate(run)}
        groups = GROUPS if labeled else GROUPS[:2]
        drawn = {docno: int(random.integers(len(groups) + 1)) for docno in DOCNOS}
        known = {docno: groups[at] for docno, at in drawn.items() if at < len(groups)}
        given: dict[str, Any] = {"labels": known}
        if not labeled:
            texts = {docno: f"{known.get(docno, '')} " * int(random.integers(1, 5)) for docno in DOCNOS}
            given = {"terms": {"f": ["f"], "m": ["m"]}, "docs": texts, "membership": "majority"}
        return cls(run, {"qrels": qrels, "background": run, **given}, groups)

    def rename_groups(self, new: Mapping[str, str]) -> "RerankerCollection":
        """Give the groups other names."""
        given = dict(self.given)
        if "labels" in given:
            given["labels"] = {docno: new[group] for docno, group in given["labels"].items()}
        else:
            given["terms"] = {new[group]: words for group, words in given["terms"].items()}
        return RerankerCollection(self.run, given, tuple(new[group] for group in self.groups))

    def orders(self, by: Reranker, run: ScoredRankings | None = None, **chosen: Any) -> dict[str, list[str]]:
        """Rerank, and list the documents of each query; a warning is a fault."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            (one,) = rerank(by, {"run": self.run if run is None else run}, **self.given, **chosen).runs
        for scores in (list(each.values()) for each in one.rankings.values()):
            assert all(above > below for above, below in pairwise(scores)), f"{by}: {scores}"
        return {qid: [*ranking] for qid, ranking in one.rankings.items()}


def _falling(order: list[str], random: np.random.Generator) -> dict[str, float]:
    return dict(zip(order, np.sort(random.random(len(order)))[::-1].tolist(), strict=True))


def _drawn(collection: RerankerCollection, by: Reranker, seed: int) -> list[list[bytes]]:
    (one,) = rerank(by, {"run": collection.run}, **collection.given, seed=seed, rankings=3).runs
    return [run.docnos.tolist() for run in one.after.runs]


COLLECTIONS = (RerankerCollection.draw(labeled=True), RerankerCollection.draw(labeled=False))


class RerankerContract:
    """The tests of a reranker. The name of a subclass begins with Test, and ``reranker`` is the class."""

    reranker: ClassVar[type[Reranker]]  # the class to test
    inserts: ClassVar[bool] = False  # it may place judged documents that the run has not

    def variants(self, collection: RerankerCollection) -> Iterator[Reranker]:
        """Give the reranker as it is, cut off early, and with each of its options and groups in turn."""
        kind = self.reranker
        of_groups: dict[str, Any] = {}
        if "protected" in kind.__dataclass_fields__:
            of_groups = {"protected": collection.groups[0]}
        changes: list[dict[str, Any]] = [{}]
        for name, hint in get_type_hints(kind).items():
            options = get_args(hint) if get_origin(hint) is Literal else ()
            options = {"cutoff": (1, 3), "protected": collection.groups}.get(name, options)
            changes += [{name: option} for option in options]
        for changed in changes:
            yield dataclasses.replace(kind(), **{**of_groups, **changed})

    @cached_property
    def cases(self) -> list[tuple[RerankerCollection, dict[Reranker, dict[str, list[str]]]]]:
        """The collections in which the reranker can be tried, and the orders of its variants there."""
        cases = []
        for collection in COLLECTIONS:
            fitting = {}
            for by in self.variants(collection):
                try:
                    fitting[by] = collection.orders(by)
                except (UsageError, InputError):
                    continue
            if fitting:
                cases.append((collection, fitting))
        if not cases:
            raise SkipTest(f"{self.reranker.__name__} needs {', '.join(self.reranker().needs)}, which is not here")
        return cases

    def test_the_page_has_its_parts(self) -> None:
        """The docstring is a question, an empty line, and the parts that ``fairtrec measures`` shows."""
        name = self.reranker.__name__
        assert "?\n\n" in (inspect.getdoc(self.reranker) or ""), (
            f"{name}: its page is a question, a blank line, and more"
        )
        for part in rerankers.PARTS:
            assert rerankers.part(self.reranker, part), f"{name}: its page does not say {part}: .."

    def test_it_spells_itself_so_that_it_can_be_read_again(self) -> None:
        """What a reranker prints is what a user types; what is annotated in its class is a parameter."""
        spell_themselves(self.reranker, self.variants(COLLECTIONS[0]))

    def test_the_same_documents_are_ranked(self) -> None:
        """None is lost; and none enters, unless the reranker inserts judged ones."""
        for collection, variants in self.cases:
            for by, orders in variants.items():
                for qid, order in orders.items():
                    before = {*collection.run[qid]}
                    assert len(order) == len({*order}), f"{by} ranks a document twice"
                    assert {*order} == before or (self.inserts and {*order} > before), f"{by}: {before} became {order}"

    def test_neither_other_queries_nor_the_order_of_lines_matter(self) -> None:
        """The ranking of a query depends on no other query, and the run does not depend on the order of its lines.

        A reranker that says that it orders all ``together`` is only held to the latter.
        """
        for collection, variants in self.cases:
            lines = {qid: dict(reversed([*ranking.items()])) for qid, ranking in reversed([*collection.run.items()])}
            for by, whole in variants.items():
                assert collection.orders(by, lines) == whole, f"{by} changes when lines change places"
                for qid in () if by.orders_together else ("q5", "q11"):
                    alone = collection.orders(by, {qid: collection.run[qid]})
                    assert alone == {qid: whole[qid]}, f"{by} changes when the query is alone"

    def test_the_same_seed_gives_the_same_order(self) -> None:
        """And if there is chance in it, another seed other samples."""
        for collection, variants in self.cases:
            seed: Any = {} if self.reranker().is_random else {"seed": 7}
            for by, orders in variants.items():
                assert collection.orders(by, **seed) == orders, f"{by} gives another order when it is asked again"
            if self.reranker().is_random:
                drawn = [[_drawn(collection, by, seed) for by in variants] for seed in (7, 7, 8)]
                assert drawn[0] == drawn[1], "the same seed gives other samples"
                assert drawn[0] != drawn[2], "no chance in it"

    def test_groups_of_other_names_are_ranked_alike(self) -> None:
        """The new names are in the opposite order."""
        for collection, variants in self.cases:
            new = {group: f"g{9 - at}" for at, group in enumerate(collection.groups)}
            for by, orders in variants.items():
                group = getattr(by, "protected", "")
                changed: Any = {"protected": new[group]} if group else {}
                other = collection.rename_groups(new).orders(dataclasses.replace(by, **changed))
                assert other == orders, f"{by} changes when groups have other names"

    def test_what_it_takes_for_enough_is_enough(self) -> None:
        """Looking no deeper than it asks for gives what looking at all gives."""
        for collection, variants in self.cases:
            for by, orders in variants.items():
                with patch.object(ordering, "LOOKS", 1):
                    little = collection.orders(by)
                assert little == orders, f"{by} takes for enough what is not"
