"""Explanations: the ranks of the queries that were asked for, or the words and queries of a run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from math import isnan
from shutil import get_terminal_size
from typing import Any

from fairtrec.commands.explain.explanation import Explained, Explanation, RankRow, RunExplanation, Word
from fairtrec.report.cells import cell
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.note_selection import wrap_hanging
from fairtrec.report.records import Row, head
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.run_names import map_names
from fairtrec.report.terminal import align_columns, fit_names
from fairtrec.support.errors import plain
from fairtrec.support.notes import Note, NoteKind, write_queries

KEYS = ("run", "qid", "rank", "measure")
WORST = 5  # queries that are named
DEAREST = 10  # words of a run that are listed
HOW = {
    "sum": "",
    "shares": "exact while each group's share of exposure stays on its side of the target, and RBDF as it is",
    "prefix": "the measure is not a sum over ranks; adds is its change when this rank is added to those above",
}
WORDS = ("docno", "word", "group", "words", "words that lose", "words and what they add")  # columns, to the left
ROUGH = NoteKind("rough", "~: too many group terms for exact parts; what they add together is divided by their number")
HOW_MADE = NoteKind("parts", "{how}")
NO_TEXTS = NoteKind("no texts", "no texts given: the table shows groups instead of words")


def text(explanation: Explanation, *, places: int, window: bool = False) -> str:
    """Write what made each value of the queries that were asked for; or of each run what made its mean."""
    room = get_terminal_size().columns if window else None
    names = fit_names(room, name_runs(explanation))
    parts = []
    for of_run in explanation.runs:
        if explanation.detailed:
            parts += [_of_query(explanation, each, names[of_run.run], places, room) for each in of_run.queries]
        else:
            parts.append(_of_run(explanation, of_run, names[of_run.run], places, room))
    return "\n".join(
        "".join(f"{part}\n" for line in lines for part in wrap_hanging(plain(line), room, 4)) for lines in parts
    )


def _of_query(explanation: Explanation, each: Explained, name: str, places: int, room: int | None) -> Iterator[str]:
    head = f"{name}, query {name_query(explanation, each.qid)}: "
    if isnan(each.value):
        yield f"{head}{explanation.measure} is undefined: {each.why}"
        return
    yield head + equation(explanation, each, places)
    yield from align_columns(*_ranks(explanation, each.places, places), WORDS, room)
    yield from (f"  {line}" for line in write_summary(explanation, each, places))


def _ranks(explanation: Explanation, several: Sequence[RankRow], places: int) -> tuple[list[str], list[list[str]]]:
    lost, stepped = shows_losses(explanation), explanation.kind == "prefix"
    values = ["adds", "without"] if stepped else [explanation.gain, "adds", *["loses"] * lost]
    told = any(not isnan(word.adds) for place in several for word in place.words)
    words = "words" if not told else "words that lose" if lost else "words and what they add"
    head = ["rank", "docno", *values, *[words] * bool(explanation.groups)]
    rows = []
    for place in several:
        numbers = [place.adds, place.without] if stepped else [place.gain, place.adds, *[place.loses] * lost]
        row = [str(place.rank), place.docno or "(none)", *(format_number(number, places) for number in numbers)]
        shown = list_words(drop_idle_words(place, places), places, losing=lost)
        note = "" if place.known or place.docno is None else "no text or counts"
        row += ["~ " * place.rough + (shown or note)] * bool(explanation.groups)
        rows.append(row)
    return head, rows


def list_worst_words(
    explanation: Explanation, of_run: RunExplanation, places: int
) -> tuple[list[str], list[list[str]]]:
    """Give the heads and rows of the words that cost most; the last two columns are numbers."""
    several, of_words = of_run.words(explanation.measure.better)[:DEAREST], explanation.lexicon is not None
    rows = [[*[w.term] * of_words, w.group, write_total(explanation, w.adds, places), str(w.places)] for w in several]
    return [*["word"] * of_words, "group", "costs" if shows_losses(explanation) else "adds", "ranks"], rows


def _of_run(
    explanation: Explanation, of_run: RunExplanation, name: str, places: int, room: int | None
) -> Iterator[str]:
    many, defined = len(of_run.queries), len(of_run.defined)
    queries = f"{defined} of {many} queries" if defined < many else write_queries([many])
    yield f"{name}, mean of {queries}: {equation(explanation, of_run, places)}"
    if words := of_run.words(explanation.measure.better):
        yield from align_columns(*list_worst_words(explanation, of_run, places), WORDS, room)
        if rest := words[DEAREST:]:
            total, other = (write_total(explanation, sum(word.adds for word in each), places) for each in (words, rest))
            yield f"  and {len(rest)} more {'word' if len(rest) == 1 else 'words'}: {other}; all words: {total}"
    yield from (f"  {line}" for line in write_summary(explanation, of_run, places))


def tables(explanation: Explanation, *, places: int) -> Document:
    """Lay out the ranks of each query that was asked for; or the value of each run, and the words that cost most."""
    several = []
    for of_run in explanation.runs:
        name = name_runs(explanation)[of_run.run]
        for each in of_run.queries if explanation.detailed else ():
            title = f"{name}, query {name_query(explanation, each.qid)}: {equation(explanation, each, places)}"
            several.append(ReportTable.from_rows(title, 2, *_ranks(explanation, each.places, places)))
        if not explanation.detailed:
            title = f"{name}: {equation(explanation, of_run, places)}"
            several.append(ReportTable.from_rows(title, 2, *list_worst_words(explanation, of_run, places)))
    return Document(several, list_notes(explanation), str(explanation.signature))


def rows(explanation: Explanation, *, places: int | None) -> Iterator[Row]:
    """Give a row for each rank of each query that has a value."""
    yield ["run", "qid", "rank", "docno", "gain", "adds", "loses", "words"]
    for each in explanation.explained:
        for place in each.places:
            values = (cell(value, places) for value in (place.gain, place.adds, place.loses))
            yield [each.run, each.qid, place.rank, place.docno, *values, " ".join(word.term for word in place.words)]


def numbers(explanation: Explanation) -> Iterator[Row]:
    """Give the means of each run, and what they would be without each term that was asked about."""
    yield ["run", "measure", "value", "ceiling", *(f"without {term}" for term in explanation.what_if)]
    for run in explanation.runs:
        after = map(run.what_if, explanation.what_if)
        yield [run.run, str(explanation.measure), run.mean("value"), run.mean("ceiling"), *after]


def records(explanation: Explanation) -> Iterator[dict[str, Any]]:
    """Give an object for each rank of each query that has a value, with what the query's would be without a term."""
    for each in explanation.explained:
        more = {"what_if": each.what_if} if each.what_if else {}
        yield from ({"run": each.run, **_named(each, explanation.texts), **_rank(at), **more} for at in each.places)


def record(explanation: Explanation) -> dict[str, Any]:
    """Give one object, which also says where the values come from."""
    better = explanation.measure.better
    return {
        **head(explanation.result, explanation.signature, list_notes(explanation)),
        "measure": str(explanation.measure),
        "kind": explanation.kind,
        "ceiling": explanation.ceiling,
        "gain": explanation.gain,
        "groups": list(explanation.groups),
        "runs": [
            {
                "run": of_run.run,
                **{name: of_run.mean(name) for name in ("value", "ceiling")},
                "defined": len(of_run.defined),
                "words": list(map(asdict, of_run.words(better))),
                "what_if": {term: of_run.what_if(term) for term in explanation.what_if},
                "per_query": [_query(each, explanation.texts) for each in of_run.queries],
            }
            for of_run in explanation.runs
        ],
    }


def list_notes(explanation: Explanation) -> list[Note]:
    """List the notes on the numbers."""
    how = HOW[explanation.kind]
    ours = [HOW_MADE.note(measure=explanation.measure, how=how)] if how else []
    if explanation.groups and explanation.lexicon is None:
        ours.append(NO_TEXTS.note())
    ours += [ROUGH.note()] * any(place.rough for each in explanation.explained for place in each.places)
    return [*ours, *explanation.notes, *list_result_notes(explanation.result)]


def name_query(explanation: Explanation, qid: str) -> str:
    """Name a query, and what it asks, where that is known."""
    return f"{qid} ({explanation.texts[qid]})" if qid in explanation.texts else qid


def name_runs(explanation: Explanation) -> dict[str, str]:
    """Give the short name of each run."""
    return map_names(of_run.run for of_run in explanation.runs)


def format_number(value: float, places: int, sign: str = "") -> str:
    """Write a number, without the sign of a zero; nan is a dash.

    >>> format_number(-0.00001, 4), format_number(0.5, 2, "+"), format_number(float("nan"), 4)
    ('0.0000', '+0.50', '-')
    """
    return "-" if isnan(value) else f"{value:{sign}z.{places}f}"


def shows_losses(explanation: Explanation) -> bool:
    """Tell whether what is shown of words is what they lose against a ceiling, not what they add."""
    return explanation.measure.better == "higher" and bool(explanation.ceiling)


def equation(explanation: Explanation, one: Explained | RunExplanation, places: int) -> str:
    """Write the value of a query, or the mean of a run, and what it is the sum or the difference of.

    Of a query it holds of the digits that are seen; of a mean the difference is what all words are said to do.
    """
    if isinstance(one, Explained):
        value, ceiling = one.value, one.ceiling
        difference = round(value, places) - round(ceiling, places)
    else:
        value, ceiling = one.mean("value"), one.mean("ceiling")
        difference = value - ceiling
    head = f"{explanation.measure} {format_number(value, places)}"
    if not explanation.ceiling:
        return head
    sign = "+" if difference > 0 else "-"
    size = format_number(abs(difference), places)
    return f"{head} = {format_number(ceiling, places)} ({explanation.ceiling}) {sign} {size}"


def write_total(explanation: Explanation, adds: float, places: int) -> str:
    """Write what words add together, or lose."""
    return format_number(-adds, places) if shows_losses(explanation) else format_number(adds, places, "+")


def write_summary(explanation: Explanation, one: Explained | RunExplanation, places: int) -> Iterator[str]:
    """Say which exchange would better a value most, or name the worst queries; and what it would be without terms."""
    if isinstance(one, Explained):
        old, values = one.value, one.what_if
        if one.exchange is not None:
            (first, second), (upper, lower) = one.exchange.ranks, one.exchange.docnos
            both = f"rank {first} ({upper}) and rank {second} ({lower})"
            yield f"exchange that would gain most: {both}: {format_number(one.exchange.change, places, '+')}"
    else:
        old, values = one.mean("value"), {term: one.what_if(term) for term in explanation.what_if}
        if one.defined:
            yield _worst_queries(explanation, one, places)
    for term, value in values.items():
        yield f"without the term {term}: {format_number(value, places)} ({format_number(value - old, places, '+')})"


def list_words(words: Sequence[Word], places: int, *, losing: bool) -> str:
    """Name words with their numbers, those that cost most first, and what they do behind the last that does as much.

    >>> he, his, man = Word("he", "m", 2, -0.06), Word("his", "m", 1, -0.03), Word("man", "m", 1, -0.03)
    >>> list_words([he, his, man], 2, losing=True)
    'he 2 (0.06), his 1, man 1 (0.03 each)'
    """
    told = [(f"{word.term} {word.times:g}", _done(word.adds, places, losing=losing)) for word in words]
    parts = []
    for done, group in groupby(told, key=lambda each: each[1]):
        names = ", ".join(name for name, _ in group)
        each = " each" if ", " in names else ""
        parts.append(f"{names} ({done}{each})" if done else names)
    return ", ".join(parts)


def _done(adds: float, places: int, *, losing: bool) -> str:
    if isnan(adds):
        return ""
    if not losing:
        return format_number(adds, places, "+")
    return format_number(-adds, places) if round(adds, places) <= 0 else f"gains {format_number(adds, places)}"


def drop_idle_words(place: RankRow, places: int) -> list[Word]:
    """Leave out words that do nothing to the value, as far as the digits tell; where nothing is known all stay."""
    return [word for word in place.words if isnan(word.adds) or round(word.adds, places)]


def _worst_queries(explanation: Explanation, of_run: RunExplanation, places: int) -> str:
    """Name the queries of the worst values, each value behind the queries that have it."""
    told = [(each.qid, format_number(each.value, places)) for each in of_run.list_worst(explanation.measure.better)]
    best = told[-1][1]
    told = [each for each in told[:WORST] if each[1] != best] or told[:1]
    groups = groupby(told, key=lambda each: each[1])
    shown = ", ".join(f"{', '.join(qid for qid, _ in group)} ({value})" for value, group in groups)
    return f"{'worst' if explanation.measure.better != 'neither' else 'greatest'} queries: {shown}"


def _named(each: Explained, texts: Mapping[str, str]) -> dict[str, str]:
    return {"qid": each.qid, **({"text": texts[each.qid]} if each.qid in texts else {})}


def _query(each: Explained, texts: Mapping[str, str]) -> dict[str, Any]:
    further = ("gain", "ideal", "behind", "without", "rough", "known")
    return {
        **_named(each, texts),
        **{name: getattr(each, name) for name in ("value", "ceiling", "rest", "why")},
        "exchange": None if each.exchange is None else asdict(each.exchange),
        "what_if": each.what_if,
        "ranks": [{**_rank(place), **{name: getattr(place, name) for name in further}} for place in each.places],
    }


def _rank(place: RankRow) -> dict[str, Any]:
    words = [dict(zip(("word", "group", "times", "adds"), word, strict=True)) for word in place.words]
    return {**{name: getattr(place, name) for name in ("rank", "docno", "adds", "loses")}, "words": words}
