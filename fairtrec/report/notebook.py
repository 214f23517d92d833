"""Tables for notebooks: HTML in which whatever a name holds stays text."""

from xml.etree.ElementTree import Element

from fairtrec.report.page.element import element, written
from fairtrec.report.sheet import Column, Paper, Sheet


def html(paper: Paper) -> str:
    """Write the tables, each below its title, and behind them what a reader should know; the signature is last."""
    parts = []
    for sheet in paper.sheets:
        parts += [element("p", element("b", sheet.title))] if sheet.title else []
        parts.append(_table(sheet))
    parts += [element("ul", *(element("li", line) for line in paper.lines))] if paper.lines else []
    return written(element("div", *parts, element("p", element("code", paper.signature)))) + "\n"


def _table(sheet: Sheet) -> Element:
    heads = element("tr", *(element("th", column.head, style=_side(column)) for column in sheet.columns))
    rows = (
        element("tr", *(_cell(column, row) for column in sheet.columns)) for row in range(len(sheet.columns[0].cells))
    )
    return element("table", element("thead", heads), element("tbody", *rows), class_="dataframe")


def _cell(column: Column, row: int) -> Element:
    mark = "b" if row in column.best else "i" if row in column.worst else "span"
    beside = column.beside[row] if column.beside else ""
    return element("td", element(mark, column.cells[row]), beside, style=_side(column))


def _side(column: Column) -> str:
    return f"text-align: {'left' if column.words else 'right'}"
