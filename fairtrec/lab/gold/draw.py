"""``fairtrec.gold.draw``: what people are to label, drawn with known probabilities.

Documents by priority sampling: each has a number u of its own, and those of greatest x/u are drawn, x being the
exposure. Given the first x/u that is not drawn, t, each is drawn independently with the probability min(1, x/t).
Queries evenly, each with all documents that a run has at its top.

Source: Duffield, Lund, Thorup: Priority sampling for estimation of arbitrary subset sums. JACM 2007.
https://doi.org/10.1145/1314690.1314696
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, get_args

import numpy as np

from fairtrec.data import Docnos, Docs, Floats, Ints, Run, decode
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.given.given_rows import GroupsLike, TextsLike
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.formats import sheets
from fairtrec.formulas import discount
from fairtrec.formulas.weighted_sums import weigh
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files import opening
from fairtrec.support.literals import Drawn, RankedBy, RunFormat, ScoreType
from fairtrec.support.version import __version__


@dataclass(frozen=True, eq=False)
class Exposures:
    """What each run exposes of documents, or of documents of queries: rows of ``names``, and the exposure of each.

    A name is a docno, or ``qid docno``. ``of_runs`` has for each run the rows that it ranks, each once, and their sums
    of 1 / log2(1 + rank) over all its queries.
    """

    names: Docnos
    of_runs: tuple[tuple[Ints, Floats], ...]

    def mean(self, power: int = 1) -> Floats:
        """Average a power of the exposure over the runs [row], to the last digit in whatever order these stand."""
        total, lost = np.zeros(len(self.names)), np.zeros(len(self.names))
        for rows, weights in self.of_runs:
            before, more = total[rows], np.square(weights) if power == 2 else weights
            after = before + more
            added = after - before
            lost[rows] += (before - (after - added)) + (more - added)  # by rounding
            total[rows] = after
        return (total + lost) / len(self.of_runs)

    def variance(self, of_each: Floats) -> float:
        """Weigh what is known of each row [row] by the square of a run's share of exposure; give the greatest sum."""
        return max(weigh(np.square(weights / weights.sum()), of_each[rows]) for rows, weights in self.of_runs)


def exposures(runs: Sequence[Run], *, per_query: bool = False) -> Exposures:
    """Sum the exposure of each document, or if asked for of each document of each query, in runs that have been cut."""
    columns: list[Docs] = [_names(run) if per_query else run.docnos for run in runs]
    names = Docnos.collect(*columns)
    parts: list[tuple[Ints, Floats]] = []
    for run, column in zip(runs, columns, strict=True):
        lengths = np.diff(run.starts)
        ranks = np.arange(len(column)) - np.repeat(run.starts[:-1], lengths)
        weights = discount.log2(int(lengths.max(initial=0)))[ranks]
        at = names.rows(column)
        order = np.lexsort((ranks, at))  # the same sums, whatever the order of the queries
        total = np.bincount(at[order], weights[order], len(names)).astype(np.float64)
        rows = np.flatnonzero(total)
        parts.append((rows, total[rows]))
    return Exposures(names, tuple(parts))


def _names(run: Run) -> Docs:
    prefixes = np.array([f"{qid} ".encode() for qid in run.qids], dtype=np.bytes_)
    return np.asarray(np.char.add(np.repeat(prefixes, np.diff(run.starts)), run.docnos))


DEFAULTS: dict[Drawn, int] = {"document": 100, "query": 30}  # as many queries as an interval takes
RATES = 0.02, 0.1, 0.3  # of errors, for which the width of intervals is told beforehand
NORMAL = 1.96
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
Group = tuple[str, float]  # and its weight


@dataclass(frozen=True, eq=False, repr=False)
class GoldDraw(Answer):
    """What was drawn for people to label, in the order in which it was drawn.

    Attributes:
        docnos: of each line, and ``qids`` of each where queries were drawn.
        probability: with which each was drawn [line].
        votes: the groups that each has already, with weights: none, where nobody has labeled it yet.
        texts: of each, where they were given; empty where there is none.
        drawn, of: how many documents or queries were drawn, of how many.
        half_widths: of the interval of a share, by the rate of errors; none where queries were drawn.
    """

    unit: Drawn  # whether documents or queries are drawn
    docnos: tuple[str, ...]
    qids: tuple[str, ...]  # the queries that were drawn
    probability: Floats
    votes: tuple[tuple[Group, ...], ...]
    texts: tuple[str, ...] | None
    drawn: int
    of: int
    depth: int  # the rank down to which documents are drawn
    runs: tuple[str, ...]  # the names of the runs
    half_widths: Mapping[float, float]
    signature: Signature  # every choice that changes a number

    @property
    def certain_count(self) -> int:
        """How many lines are there with certainty."""
        return int((self.probability == 1).sum())

    @property
    def empty(self) -> int:
        """How many documents have no group yet; one of two queries counts once."""
        return len({docno for docno, votes in zip(self.docnos, self.votes, strict=True) if not votes})

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the sheet."""
        weighted = any(weight != 1 for votes in self.votes for _, weight in votes)
        named = ("qid",) * bool(self.qids), ("docno", "group"), ("weight",) * weighted, ("probability",)
        return (*(name for names in named for name in names), *("text",) * (self.texts is not None))

    def lines(self) -> Iterator[tuple[str | float, ...]]:
        """Give the lines of the sheet: one for each document, or for each group that it has already."""
        columns = self.columns
        for row, (docno, votes) in enumerate(zip(self.docnos, self.votes, strict=True)):
            of_row: dict[str, str | float] = {"docno": docno, "probability": float(self.probability[row])}
            if self.qids:
                of_row["qid"] = self.qids[row]
            if self.texts is not None:
                of_row["text"] = self.texts[row]
            for group, weight in votes or [("", 1.0)]:
                line = {**of_row, "group": group, "weight": weight}
                yield tuple(line[name] for name in columns)


def draw(
    runs: Any,
    number: int | None = None,
    *,
    unit: Drawn = "document",
    depth: int = 10,
    seed: int = 0,
    gold: GroupsLike | None = None,
    docs: TextsLike | None = None,
    queries: Any = None,
    order: RankedBy = "score",
    score_dtype: ScoreType = "float64",
    run_format: RunFormat = "auto",
    columns: str | Mapping[str, str] | None = None,
) -> GoldDraw:
    """Draw what people label: documents by their exposure, or queries with all their documents.

    Args:
        runs: as for ``evaluate``.
        number: of documents or queries; None: 100 documents or 30 queries.
        unit: "document" draws documents by exposure, "query" draws queries evenly.
        depth: ranks down to which documents can be drawn.
        seed: another seed draws others. A larger draw by the same seed contains the smaller one.
        gold: a sheet or labels. The groups of documents that are drawn again are kept.
        docs: texts, as for ``evaluate``, which are written next to the documents.
        queries: draw only from these.

    Raises:
        UsageError: numbers that make no sense.
        InputError: a file that cannot be read, or a name that a sheet cannot hold.
    """
    if unit not in get_args(Drawn):
        raise UsageError(f"the unit {unit!r} is not known; choose one of document, query")
    number = DEFAULTS[unit] if number is None else number
    for name, value, least in (("number", number, 1), ("depth", depth, 1), ("seed", seed, 0)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise UsageError(f"the {name} is {value!r}; it must be a whole number of {least} or more")
    choices = Choices(order=order, score_dtype=score_dtype, run_format=run_format, columns=columns)
    named = loading.name_rankings(runs)
    loaded, asked = read_rankings(named, choices, depth, queries)
    drawn = (_draw_documents if unit == "document" else _draw_queries)(loaded, number, seed)
    for name in (*drawn.docnos, *drawn.qids):
        if name.startswith("#") or len(name.split()) != 1:
            raise InputError(f"the id {name!r} starts with # or holds white space, so no line can hold it; change it")
    made = {
        "fairtrec": __version__,
        "gold": unit,
        "number": f"{drawn.drawn} of {drawn.of}",
        "seed": str(seed),
        "depth": str(depth),
        "order": order,
        "scores": "" if score_dtype == "float64" else score_dtype,
        "queries": asked,
        "runs": sheets.write_runs(origins(named)),
    }
    return GoldDraw(
        unit=unit,
        docnos=tuple(drawn.docnos),
        qids=tuple(drawn.qids),
        probability=drawn.probability,
        votes=_kept(gold, drawn.qids, drawn.docnos),
        texts=None if docs is None else _texts(docs, drawn.docnos),
        drawn=drawn.drawn,
        of=drawn.of,
        depth=depth,
        runs=tuple(name for name, _ in named),
        half_widths=drawn.half_widths,
        signature=Signature(made),
    )


class DrawnLines(NamedTuple):
    """The documents of a draw, the query of each where queries were drawn, and the rest as in GoldDraw."""

    qids: list[str]
    docnos: list[str]
    probability: Floats
    drawn: int
    of: int
    half_widths: Mapping[float, float]


def _draw_documents(runs: Sequence[Run], number: int, seed: int) -> DrawnLines:
    """Draw documents by their exposure."""
    frame = exposures(runs)
    rows, chances = _documents(frame, number, seed)
    errs = [rate + 2 / (len(rows) + 2) for rate in RATES]  # the instrument, on this part of the exposure
    spread = frame.variance(1 / chances - 1)
    widths = {rate: float(NORMAL * np.sqrt(spread * err)) for rate, err in zip(RATES, errs, strict=True)}
    return DrawnLines([], decode(frame.names.names[rows]), chances[rows], len(rows), len(frame.names), widths)


def _draw_queries(runs: Sequence[Run], number: int, seed: int) -> DrawnLines:
    """Draw queries evenly, each with all its documents."""
    every = list(dict.fromkeys(qid for run in runs for qid in run.qids))
    names = np.array([qid.encode() for qid in every], dtype=np.bytes_)
    chosen = [every[at] for at in _order(names, seed)[:number].tolist()]
    qids, docnos = _documents_of(runs, chosen, seed)
    return DrawnLines(qids, docnos, np.full(len(docnos), len(chosen) / len(every)), len(chosen), len(every), {})


def read_rankings(
    named: Sequence[tuple[str, Any]], choices: Choices, depth: int, queries: Any = None
) -> tuple[list[Run], str]:
    """Read runs down to a depth, of these queries if they are given, and name these.

    Raises InputError where no run has one of them.
    """
    chosen = None if queries is None else loading.queries(queries)
    every = [run for name, thing in named for run in loading.load_run(thing, name, choices, depth).runs]
    loaded = [run.cut(run.qids if chosen is None else chosen.qids, depth) for run in every]
    if chosen is not None and not any(len(run.docnos) for run in loaded):
        raise InputError(f"no run has a query of {chosen.name}; check that they are of the same collection")
    return loaded, "" if chosen is None else loading.short(chosen.name, chosen.sha256)


def origins(named: Sequence[tuple[str, Any]]) -> list[tuple[str, str]]:
    """Give the first 8 digits of the sha256 of each run, "" of what is no file, and its name."""
    return [(opening.sha256(thing)[:8] if isinstance(thing, PATH) else "", opening.name(name)) for name, thing in named]


def hash_names(names: Docs, seed: int) -> Floats:
    """Give each name a number of its own between 0 and 1, which is the same in every draw of a seed."""
    begun = f"{seed} ".encode()
    heads = b"".join(sha256(begun + name).digest()[:8] for name in names.tolist())
    return (np.frombuffer(heads, ">u8").astype(np.float64) + 0.5) / 2**64


def _documents(frame: Exposures, number: int, seed: int) -> tuple[Ints, Floats]:
    """Draw documents: their rows in the order of the draw, and the probability of each of all [row]."""
    size, names = np.sqrt(frame.mean(2)), frame.names.names
    ratio = size / hash_names(names, seed)
    order = np.lexsort((names, -ratio))
    chances = np.ones(len(names)) if number >= len(names) else np.minimum(1.0, size / ratio[order[number]])
    return order[:number], chances


def _order(names: Docs, seed: int) -> Ints:
    return np.lexsort((names, hash_names(names, seed)))


def _documents_of(runs: Sequence[Run], chosen: Sequence[str], seed: int) -> tuple[list[str], list[str]]:
    """List all documents that a run has of each query: the qid and the docno of each."""
    qids: list[str] = []
    docnos: list[str] = []
    for qid in chosen:
        names = Docnos.collect(*(run.cut([qid], None).docnos for run in runs)).names
        docnos += decode(names[_order(names, seed)])
        qids += [qid] * len(names)
    return qids, docnos


def _kept(gold: Any, qids: Sequence[str], docnos: Sequence[str]) -> tuple[tuple[Group, ...], ...]:
    """Look up what people have said of these documents: of the same query, or of any where all say the same."""
    if gold is None:
        return ((),) * len(docnos)
    votes = sheets.votes(gold, per_query=bool(qids))
    of_document: dict[str, list[Mapping[str, float]]] = {}
    for (_, docno), groups in votes.items():
        of_document.setdefault(docno, []).append(groups)
    found = []
    for qid, docno in zip(qids or [""] * len(docnos), docnos, strict=True):
        several = of_document.get(docno, [{}])
        same = several[0] if all(each == several[0] for each in several) else {}
        found.append(tuple(votes.get((qid, docno), same).items()))
    return tuple(found)


def _texts(docs: Any, docnos: Sequence[str]) -> tuple[str, ...]:
    """Look up the texts, each on one line; "" where there is none."""
    wanted = Docnos.collect(np.array([docno.encode() for docno in docnos], dtype=np.bytes_))
    names = decode(wanted.names)
    of = {names[row]: text for row, text in loading.texts(docs, wanted)}
    return tuple(_BREAKS.sub(" ", of.get(docno, "")).encode(errors="replace").decode() for docno in docnos)
