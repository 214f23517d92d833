"""HTML: the leader board as one page that needs nothing else, neither a network nor, to be read, a script."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import Template
from typing import Any
from xml.etree.ElementTree import Element

from fairtrec.evaluation.answers.result import Part, Result
from fairtrec.evaluation.leaderboard import Standing, comparable, incomplete, order
from fairtrec.measure import Measure
from fairtrec.report.cells import compare_means, followers, write_suffix
from fairtrec.report.document import heading
from fairtrec.report.note_selection import select_notes
from fairtrec.report.page import digest, element, file, make_table, make_titled_table, scatter, seen, write_elements
from fairtrec.report.result_notes import judge
from fairtrec.report.results.tables import OTHER_QUERIES, arrows, describe_ranking, dominations, list_table_notes, signs
from fairtrec.report.run_names import shorten_runs
from fairtrec.support.literals import ALL
from fairtrec.support.notes import write_queries

LARGEST = 2_000_000  # values of queries in a page; of more it has the means alone
DIGITS = 6  # of the values of queries
TITLE = "Leader board"


def html(
    result: Result,
    *,
    places: int,
    sort: Measure | None,
    summary: bool,
    parts: Mapping[str, Result],
    title: str | None = None,
    query_texts: Mapping[str, str] | None = None,
    compared: bool = False,
) -> str:
    """Write the page: the table, the scatter of two measures, and what two runs differ by in each query.

    Without a summary of each query, as with -n, no value of a query is in it, and no query is named.
    """
    standing, verdict = compare_means(result, places), judge(result, sort=sort)
    named = list(map(seen, shorten_runs(result)))
    qids = sorted(set().union(*(scores.qids for scores in result.scores)))
    others = [OTHER_QUERIES] * (len(named) > 1 and bool(incomplete(result).any()))
    marks = ", ".join(["* the best"] * bool(standing.best.any()) + ["° the worst"] * bool(standing.worst.any()))
    explained = [*signs(result, standing, places, [arrows(result), marks], ranked=True), *others]
    axes = scatter.axes(result, standing) if len(named) > 1 else {}
    many = len(named) * len(qids) * len(axes)
    told = summary and many <= LARGEST
    notes = list_table_notes(result, sort, places)
    data = {
        "runs": named,
        "measures": _measures(result, standing, axes),
        "field": scatter.field(axes.values()) if axes else None,
        "qids": list(map(seen, qids)) if told else [],
        "texts": [seen((query_texts or {}).get(qid, "")) for qid in qids] if told else [],
        "values": _values(result, qids, axes) if told else None,
    }
    style, script = file("page.css"), file("page.js")
    return Template(file("page.html")).substitute(
        policy=f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; base-uri 'none'; "
        "form-action 'none'",
        title=write_elements(element("title", title or TITLE)),
        style=style,
        script=script,
        heading=write_elements(element("h1", title or TITLE)),
        facts=f"runs: {len(named)}, queries: {len(qids)}, measures: {len(standing.betters)}",
        table=write_elements(_table(result, standing, named, places, sort, id="board")),
        slices=_lay_out_slices(parts, named, places, sort, compared=compared),
        digests=_digests(result, named) if result.untrusted else "",
        legend=write_elements(
            element("li", describe_ranking(result, sort), id="by"), *(element("li", line) for line in explained)
        ),
        scatter=_scatter(result, standing, axes, named) if len(axes) > 1 else "",
        differences=_differences(many, told=told) if axes else "",
        verdict="" if verdict is None else write_elements(element("p", seen(str(verdict)), class_="verdict")),
        notes=write_elements(*(element("li", line) for line in select_notes(notes, None))),
        signature=write_elements(element("p", element("code", str(result.signature)), class_="signature")),
        data=_json(data),
    )


def _lay_out_slices(
    parts: Mapping[str, Result], named: Sequence[str], places: int, sort: Measure | None, *, compared: bool
) -> str:
    """Lay out the slices of queries, or tables of their differences; nothing if there are none."""
    if not compared:
        return _slices(parts, named, places, sort) if parts else ""
    from fairtrec.report.results.slice_tables import lay_out_differences  # which few evaluations import

    tables, explained = lay_out_differences(parts, places)
    several = (part for table in tables for part in make_titled_table(table.with_beside()))
    told = [element("p", line) for line in explained]
    return write_elements(element("section", element("h2", "Slices of queries"), *several, *told))


def _slices(parts: Mapping[str, Result], named: Sequence[str], places: int, sort: Measure | None) -> str:
    tables = []
    for name, part in parts.items():
        if name != ALL:
            many = len(set().union(*(scores.qids for scores in part.scores)))
            table = _table(part, compare_means(part, places), named, places, sort)
            summary = element("summary", f"{name}: {write_queries([many])}")
            tables.append(element("details", summary, element("div", table, class_="wide", tabindex="0")))
    return write_elements(element("section", element("h2", "Slices of queries"), *tables))


def _digests(result: Result, named: Sequence[str]) -> str:
    """Name the sha256 of each submission, so that whoever made it can tell that it was this file."""
    files = [result.files.get(Part("run", scores.run)) for scores in result.scores]  # none of a run from memory
    heads = [element("th", head, scope="col", class_=kind) for head, kind in (("run", "run"), ("sha256", None))]
    rows = [
        (element("th", element("bdi", name), scope="row", class_="run"), element("td", element("code", digest)))
        for name, digest in zip(named, ("" if each is None else each.sha256 for each in files), strict=True)
    ]
    summary = element("summary", "sha256 of each submission")
    table = element("div", make_table(heads, rows), class_="wide", tabindex="0")
    return write_elements(element("section", element("details", summary, table)))


def _table(
    result: Result,
    compared: Standing,
    named: Sequence[str],
    places: int,
    sort: Measure | None,
    id: str | None = None,  # noqa: A002
) -> Element:
    measures = result.scores[0].measures
    by = None if sort is None else measures.index(sort)
    columns = _in_order(len(measures), by)
    numbered = scatter.labels(named) != list(named)
    heads = [
        element("th", "rank", scope="col", class_="rank"),
        *[element("th", "no.", scope="col", class_="number")] * numbered,
        element("th", "run", scope="col", class_="run"),
        *[element("td", class_="sign")] * bool(compared.dominated.any()),
        *(
            element("th", heading(measures[at]), scope="col", data_measure=at, aria_sort="other" if at == by else None)
            for at in columns
        ),
        element("th", "queries", scope="col"),
    ]
    return element(
        "table",
        element("thead", element("tr", *heads)),
        element("tbody", *_rows(result, compared, named, places, by, numbered=numbered)),
        id=id,
        class_="unranked" if by is None else None,
    )


def _rows(
    result: Result, compared: Standing, named: Sequence[str], places: int, by: int | None, *, numbered: bool
) -> Iterator[Element]:
    signs = dominations(compared)
    measures = result.scores[0].measures
    ordered = range(len(named)) if by is None else order(comparable(result)[:, by], measures[by].better).tolist()
    for run in ordered:
        scores = result.scores[run]
        name = element("bdi", named[run], title=scores.run)
        means, more = scores.spell(None, places), write_suffix(scores, None, places)
        for head, texts in followers(scores, None, places).items():
            own = [f" {head} {text.text}{text.beside}" if text and text.text != "-" else "" for text in texts]
            more = ["".join(pair) for pair in zip(more, own, strict=True)]
        marks = list(zip(means, more, compared.best[run].tolist(), compared.worst[run].tolist(), strict=True))
        yield element(
            "tr",
            element("td", "" if by is None else str(compared.ranks[run, by] or "-"), class_="rank"),
            *[element("td", str(run + 1), class_="number")] * numbered,
            element("th", name, scope="row", class_="run"),
            *[element("td", sign, class_="sign") for sign in signs[run : run + 1]],
            *(_cell(*marks[at]) for at in _in_order(len(marks), by)),
            element("td", str(len(scores.qids))),
            data_run=run,
        )


def _in_order(many: int, by: int | None) -> Sequence[int]:
    """Number the columns of measures: that which runs are sorted by first, where a narrow window shows it."""
    return sorted(range(many), key=lambda at: at != by)


def _cell(mean: str, interval: str, best: bool, worst: bool) -> Element:
    kind, mark = ("best", "*") if best else ("worst", "°") if worst else (None, "")
    return element("td", mean, element("span", mark, class_="mark"), interval, class_=kind)


def _scatter(result: Result, compared: Standing, axes: dict[int, scatter.Axis], named: Sequence[str]) -> str:
    pair = scatter.default(result.scores[0].measures, list(axes))
    front = scatter.find_front(compared, *pair)
    drawn = write_elements(scatter.svg(axes, pair, front, scatter.find_incomparable_runs(compared, *pair), named))
    return Template(file("scatter.html")).substitute(svg=drawn, across=pair[0], up=pair[1])


def _differences(many: int, *, told: bool) -> str:
    if told:
        return file("queries.html")
    why = f": {many:,} values are too many for a page" if many > LARGEST else ", as are all values of single queries"
    return f"<p>What runs differ by in each query is left out{why}.</p>"


def _measures(result: Result, compared: Standing, axes: dict[int, scatter.Axis]) -> list[dict[str, Any]]:
    means = comparable(result)
    return [
        {
            "name": seen(str(measure)),
            "better": measure.better,
            "by": seen(describe_ranking(result, measure)),
            "order": order(means[:, at], measure.better).tolist(),
            "ranks": compared.ranks[:, at].tolist(),
            "axis": _axis(axes[at]) if at in axes else None,
        }
        for at, measure in enumerate(result.scores[0].measures)
    ]


def _axis(axis: scatter.Axis) -> dict[str, Any]:
    places = [place if math.isfinite(place) else None for place in axis.places]
    return {"label": seen(axis.label), "upwards": seen(axis.upwards), "places": places, "ticks": axis.ticks}


def _values(result: Result, qids: Sequence[str], measures: Iterable[int]) -> dict[str, list[list[float | None]]]:
    """Give the values of queries [measure][run][query], shortened; None is undefined, infinite or not evaluated."""
    table: dict[str, list[list[float | None]]] = {}
    for measure in measures:
        several = [dict(zip(scores.qids, scores.values[measure].tolist(), strict=True)) for scores in result.scores]
        table[str(measure)] = [[_shortened(values.get(qid, math.nan)) for qid in qids] for values in several]
    return table


def _shortened(value: float) -> float | None:
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def _json(data: Any) -> str:
    """Write JSON that no browser takes for the end of the script that holds it."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")
