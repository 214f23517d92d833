"""HTML: the texts with their words marked and what each rank adds and loses, as one page that needs nothing else.

No word is marked by color alone: the mark bears the group's letters, and a line of its own kind.
"""

from collections.abc import Iterator, Sequence
from math import isnan
from xml.etree.ElementTree import Element

from fairtrec.commands.explain import report as told
from fairtrec.commands.explain.explanation import Explained, Explanation, RankRow, RunExplanation, marks
from fairtrec.report.document import Document
from fairtrec.report.page import element, file, make_table, page, wrap_scrollable
from fairtrec.support.notes import write_queries

SHOWN = 10  # queries of a run that are shown rank by rank, the worst, where none was asked for
KINDS = 4  # of marks
WIDE, HIGH = 160, 16  # of a bar
LEGEND = "bar: filled is what a rank adds, outlined what it loses"
IDEAL = "; the tick is where the best order of the background would be"


def html(explanation: Explanation, *, places: int) -> str:
    """Write the page: the words that cost most, and the worst queries, or those asked for, rank by rank."""
    names = told.name_runs(explanation)
    main = [_run(explanation, each, names[each.run], places) for each in explanation.runs]
    below = Document([], told.list_notes(explanation), str(explanation.signature))
    return page(
        f"{explanation.measure}, explained",
        _legend(explanation),
        below,
        main,
        file("page.css", "fairtrec.commands.explain"),
    )


def letters(groups: Sequence[str]) -> list[str]:
    """Shorten the names of groups as far as tells them apart.

    >>> letters(["f", "male", "many"])
    ['f', 'mal', 'man']
    """
    most = max(map(len, groups), default=1)
    for many in range(1, most):
        short = [group[:many] for group in groups]
        if len(set(short)) == len(short):
            return short
    return list(groups)


def _legend(explanation: Explanation) -> Iterator[Element | str]:
    """Say what the marks and the bars are."""
    if explanation.lexicon is not None:
        yield "words of "
        for number, (group, sign) in enumerate(zip(explanation.groups, letters(explanation.groups), strict=True)):
            yield _mark(group, (number,), sign)
            yield " "
    if told.shows_losses(explanation):
        ideal = any(not isnan(place.ideal) for each in explanation.explained for place in each.places)
        yield f"{LEGEND}{IDEAL * ideal}"


def _run(explanation: Explanation, of_run: RunExplanation, name: str, places: int) -> Element:
    """Show one run: what its words cost, and its queries."""
    parts = []
    if not explanation.detailed:
        many = len(of_run.defined)
        mean = f"Mean of {write_queries([many])}: {told.equation(explanation, of_run, places)}"
        parts.append(element("p", mean, class_="verdict"))
        head, rows = told.list_worst_words(explanation, of_run, places)
        if rows:
            table = make_table(_row("th", head), (_row("td", row) for row in rows))
            parts.append(wrap_scrollable(table, "Words that cost most"))
        parts += [element("p", line) for line in told.write_summary(explanation, of_run, places)]
    queries = of_run.queries if explanation.detailed else of_run.list_losing(explanation.measure.better)[:SHOWN]
    parts += [_query(explanation, each, places, is_open=at == 0) for at, each in enumerate(queries)]
    if not explanation.detailed and len(of_run.queries) > len(queries):
        more = len(of_run.queries) - len(queries)
        parts.append(element("p", f"{more} more queries are not shown; --query shows them"))
    return element("section", element("h2", element("bdi", name)), *parts)


def _row(name: str, cells: Sequence[str]) -> Iterator[Element]:
    """Give cells, the last two of which are numbers."""
    return (element(name, cell, class_="words" if at < len(cells) - 2 else None) for at, cell in enumerate(cells))


def _query(explanation: Explanation, each: Explained, places: int, *, is_open: bool) -> Element:
    """Show one query, rank by rank."""
    summary = f"query {told.name_query(explanation, each.qid)}: "
    if isnan(each.value):
        return element("p", f"{summary}{explanation.measure} is undefined: {each.why}")
    lines = []
    words = [
        one for one in RunExplanation(each.run, (each,)).words(explanation.measure.better) if round(one.adds, places)
    ][:5]
    if words:
        several = ", ".join(f"{one.term} ({told.write_total(explanation, one.adds, places)})" for one in words)
        lines.append(
            element(
                "p",
                f"words that {'cost' if told.shows_losses(explanation) else 'do'} most: {several}",
                class_="verdict",
            )
        )
    lines += [element("p", line) for line in told.write_summary(explanation, each, places)]
    table = make_table(_head(explanation), _rows(explanation, each, places))
    whole = wrap_scrollable(table, f"Ranks of query {each.qid}")
    opened = {"open": "open"} if is_open or explanation.detailed else {}
    headline = element("summary", summary + told.equation(explanation, each, places))
    return element("details", headline, *lines, whole, **opened)


def _heads(explanation: Explanation) -> list[str]:
    """Name the columns of numbers."""
    if explanation.kind == "prefix":
        return ["adds", *["without"] * explanation.detailed]
    return [explanation.gain, "adds", *["loses"] * told.shows_losses(explanation)]


def _head(explanation: Explanation) -> Iterator[Element]:
    yield element("th", "rank", scope="col")
    yield element("th", "document", scope="col", class_="words")
    yield from (element("th", head, scope="col") for head in _heads(explanation))
    yield from (element("td"), element("th", "text", scope="col", class_="words"))


def _rows(explanation: Explanation, each: Explained, places: int) -> Iterator[list[Element]]:
    low, high = extent(each.places)
    for place in each.places:
        values = {"adds": place.adds, "loses": place.loses, "without": place.without, explanation.gain: place.gain}
        yield [
            element("th", str(place.rank), scope="row"),
            element("td", element("bdi", place.docno or "(none)"), class_="words"),
            *(element("td", told.format_number(values[head], places)) for head in _heads(explanation)),
            element("td", bar(place, low, high, losing=told.shows_losses(explanation))),
            element("td", *_text(explanation, place, places), class_="text"),
        ]


def _text(explanation: Explanation, place: RankRow, places: int) -> Iterator[Element]:
    """Give the text with its words marked, and below it what they cost."""
    if place.docno is None:
        return
    if place.text is not None and explanation.lexicon is not None:
        yield element("p", *_marked(explanation, place.text))
    elif not place.known:
        yield element("p", "no text or counts", class_="note")
    words = told.drop_idle_words(place, places)
    if words:
        rough = "~ " * place.rough
        yield element("p", rough + told.list_words(words, places, losing=told.shows_losses(explanation)), class_="note")


def _marked(explanation: Explanation, text: str) -> Iterator[Element | str]:
    signs = letters(explanation.groups)
    assert explanation.lexicon is not None
    at = 0
    for mark in marks(explanation.lexicon, text):
        yield text[at : mark.start]
        yield _mark(text[mark.start : mark.end], mark.groups, ", ".join(signs[group] for group in mark.groups))
        at = mark.end
    yield text[at:]


def _mark(word: str, groups: Sequence[int], sign: str) -> Element:
    """Mark a word with color, letters and a line; one of several groups has the kind of all."""
    kind = f"kind{groups[0] % KINDS}" if len(groups) == 1 else "several"
    return element("mark", word, element("sup", sign), class_=kind)


def extent(places: Sequence[RankRow]) -> tuple[float, float]:
    """Give the least and the greatest value that the bars of a ranking show."""
    ends = [0.0]
    for place in places:
        ends += [place.adds, place.adds + place.loses, place.adds + place.behind]
    ends = [end for end in ends if not isnan(end)]
    return min(ends), max(ends)


def bar(place: RankRow, low: float, high: float, *, losing: bool) -> Element:
    """Draw a bar from 0 to what the rank adds, filled, and on to what it could add, outlined; a tick is the ideal."""
    room = (high - low) or 1.0

    def across(value: float) -> float:
        return round(1 + (WIDE - 2) * (value - low) / room, 2)

    parts = []
    adds = 0.0 if isnan(place.adds) else place.adds
    if losing and not isnan(place.loses) and place.loses:
        parts.append(_box("loses", across(adds), across(adds + place.loses)))
    if adds:
        parts.append(_box("adds", across(0), across(adds)))
    parts.append(_line("zero", across(0)))
    if losing and not isnan(place.behind):
        parts.append(_line("ideal", across(adds + place.behind)))
    values = f"adds {adds:.4f}" + (f", loses {place.loses:.4f}" if losing and not isnan(place.loses) else "")
    view = f"0 0 {WIDE} {HIGH}"
    return element("svg", element("title", values), *parts, viewBox=view, class_="part", role="img")


def _box(kind: str, first: float, second: float) -> Element:
    left, wide = min(first, second), round(abs(second - first), 2)
    return element("rect", class_=kind, x=left, y=3, width=wide, height=HIGH - 6)


def _line(kind: str, x: float) -> Element:
    return element("line", class_=kind, x1=x, x2=x, y1=0, y2=HIGH)
