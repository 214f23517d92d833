"""What DUO answers to: lists of planted balance, of texts of our own, in the manner of Wiki-Balance.

A query is a question of debates.tsv with eight texts, four for and four against. A text has four sentences: some say
what it is for, the others are of one of two themes, which have nothing to do with it. Each theme has two texts of each
side. Of four questions five draws each are made, so twenty queries. They are ranked one side first; with three of one
side in the first half; in pairs; by turns; and one theme first. Stances are made from nothing but the words.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import fairtrec
from benchmarks.timing import report

SENTENCES = Path(__file__).with_name("debates.tsv")
DRAWS = 5
ORDERS = {  # of the texts 0..3 for and 4..7 against; even ones are of the first theme
    "one side first": (0, 1, 2, 3, 4, 5, 6, 7),
    "three of one side first": (0, 1, 2, 4, 3, 5, 6, 7),
    "in pairs": (0, 1, 4, 5, 2, 3, 6, 7),
    "by turns": (0, 4, 1, 5, 2, 6, 3, 7),
    "one theme first": (0, 4, 2, 6, 1, 5, 3, 7),
}
Model = Callable[[list[str]], Any]


def sentences() -> dict[str, dict[str, dict[str, list[str]]]]:
    """The sentences of each question, by what they are of and by their side."""
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for line in SENTENCES.read_text("utf-8").splitlines():
        if not line.startswith(("#", "question")):
            question, of, side, sentence = line.split("\t")
            found.setdefault(question, {}).setdefault(of, {}).setdefault(side, []).append(sentence)
    return found


def texts(of_stance: int) -> dict[str, str]:
    """Eight texts for each question and draw, with so many of their four sentences about what they are for."""
    random = np.random.default_rng(2024)
    made = {}
    for question, sides in sentences().items():
        themes = list(sides["theme"].values())
        for draw in range(DRAWS):
            for number in range(8):
                stance = sides["stance"]["for" if number < 4 else "against"]
                theme = themes[number % 2]
                drawn = *random.permutation(stance)[:of_stance], *random.permutation(theme)[: 4 - of_stance]
                made[f"{question}-{draw}-{number}"] = " ".join(drawn)
    return made


def words(texts: Sequence[str]) -> Any:
    """Vectors without a model: which words a text has, rare ones counting more, of length 1."""
    of_texts = [set(re.findall(r"[a-z]+", text.lower())) for text in texts]
    vocabulary = {word: i for i, word in enumerate(sorted(set().union(*of_texts)))}
    has = np.zeros((len(texts), len(vocabulary)))
    for row, some in enumerate(of_texts):
        has[row, [vocabulary[word] for word in some]] = 1
    weighed = has * np.log(len(texts) / has.sum(axis=0))
    return weighed / np.linalg.norm(weighed, axis=1, keepdims=True)


def runs() -> dict[str, dict[str, dict[str, float]]]:
    """The planted orders, each as a run."""
    queries = [f"{question}-{draw}" for question in sentences() for draw in range(DRAWS)]
    return {
        name: {qid: {f"{qid}-{number}": 8.0 - rank for rank, number in enumerate(order)} for qid in queries}
        for name, order in ORDERS.items()
    }


def sides(docnos: Iterable[str]) -> dict[str, str]:
    """The labels: what each text is for."""
    return {docno: "for" if docno[-1] < "4" else "against" for docno in docnos}


def planted() -> dict[str, list[float]]:
    """DUO and its kin of the planted orders where the sides are known: stances of 1 and -1, and labels."""
    labels = sides(texts(4))
    known = {docno: 1.0 if side == "for" else -1.0 for docno, side in labels.items()}
    measures = "DUO SignedDUO DUO_random rND(protected=for) rKL(protected=for)"
    result = fairtrec.evaluate(measures, runs(), stances=known, labels=labels)
    return {name: list(result.means[name].values()) for name in ORDERS}


def measured(model: Model | str, of_stance: int) -> tuple[Any, dict[str, float]]:
    """Stances from texts with so many sentences about what they are for, and DUO of each planted order."""
    of = texts(of_stance)
    placed = fairtrec.make_stances(runs(), docs=of, model=model, labels=sides(of), toward="for")
    result = fairtrec.evaluate("DUO DUO_random", runs(), stances=placed)
    means = {name: result.means[name]["DUO"] for name in ORDERS}
    return placed, means | {"random": next(iter(result.means.values()))["DUO_random"]}


def known() -> str:
    """A table in Markdown of what measures say where the sides are known."""
    lines = ["| order | DUO | SignedDUO | DUO_random | rND | rKL |", "|---|---|---|---|---|---|"]
    lines += [f"| {name} | {' | '.join(f'{value:.2f}' for value in row)} |" for name, row in planted().items()]
    return "\n".join([*lines, ""])


def found(model: Model | str) -> str:
    """A table in Markdown of what DUO says by stances that are made from the texts."""
    heads = ["of 4 sentences", "accuracy", "chance", "explained", *ORDERS, "at random"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for of_stance in (4, 3, 2, 1):
        placed, duo = measured(model, of_stance)
        share = placed.explained.mean()
        cells = [placed.agreement.accuracy[0], placed.agreement.chance[0], share, *duo.values()]
        lines.append(f"| {of_stance} of the stance | {' | '.join(f'{cell:.2f}' for cell in cells)} |")
    return "\n".join([*lines, ""])


def main() -> None:
    print(known())
    print(found(words))
    placed, clear = measured(words, 4)
    report("texts of nothing but their stance: accuracy", placed.agreement.accuracy[0], 0.95, at_least=True)
    report("one side first: DUO by words, of that by labels", clear["one side first"], 0.9, at_least=True)
    _, blurred = measured(words, 1)
    gap = blurred["one theme first"] - blurred["one side first"]
    report("texts mostly of their theme: DUO of one theme first, less one side first", gap, 0.2, at_least=True)
