"""HTML: whole pages, which need neither a network nor a script, and tables in pages and notebooks.

All is made of elements of the standard library, so that whatever a name holds stays text.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.resources import files
from xml.etree.ElementTree import Element, tostring

from fairtrec.report.document import Column, Document, ReportTable

TABLES = """td.words, th.words { text-align: left; }
thead th { white-space: nowrap; }
tbody th.words { overflow-wrap: anywhere; min-width: 12rem; }
@media (max-width: 40rem) { tbody th.words { font-size: 0.85em; min-width: 8rem; } }
"""
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def page(
    title: str, facts: Iterable[Element | str], document: Document, above: Iterable[Element] = (), style: str = ""
) -> str:
    """Write a page: its title, what is ``above``, the tables of a document, and below them its notes and signature.

    ``style`` has the rules that not all pages have.
    """
    first = [] if document.verdict is None else [element("p", str(document.verdict), class_="verdict")]
    first += _list_above(document)
    main = [*first, *above, *(part for table in document.tables for part in make_titled_table(table))]
    style = file("page.css") + style + TABLES * bool(document.tables)
    policy = f"default-src 'none'; style-src {digest(style)}; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name_="generator", content="fairtrec"),
        element("title", title),
    )
    lines = [element("li", line) for line in document.lines]
    foot = element(
        "footer",
        *([element("h2", "Notes"), element("ul", *lines)] if lines else []),
        element("p", element("code", document.signature), class_="signature"),
    )
    begun = write_elements(head).removesuffix("</head>")
    body = write_elements(element("header", element("h1", title), element("p", *facts)), element("main", *main), foot)
    start = f'<!DOCTYPE html>\n<html lang="en">\n{begun}\n<style>{style}</style>\n</head>'
    return f"{start}\n<body>\n{body}\n</body>\n</html>\n"


def file(name: str, package: str = "fairtrec.report.page") -> str:
    """Read a file that stands beside this one, or in another package."""
    return files(package).joinpath(name).read_text("utf-8")


def digest(text: str) -> str:
    """Name a style or a script as a content security policy does."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def make_titled_table(table: ReportTable) -> Iterator[Element]:
    """Give the title of a table and the table, which can be moved where it is too wide."""
    kinds = ["words" if column.words else None for column in table.columns]
    names = [("th", "row")] * len(table.keys) + [("td", None)] * len(table.values)

    def cells(row: int) -> Iterator[Element]:
        for column, kind, (name, scope) in zip(table.columns, kinds, names, strict=True):
            yield element(name, column.cells[row], class_=kind, scope=scope)

    yield element("h2", table.title)
    heads = [
        element("th", each.head, scope="col", class_=kind) for each, kind in zip(table.columns, kinds, strict=True)
    ]
    yield wrap_scrollable(make_table(heads, map(cells, range(len(table.columns[0].cells)))), table.title)


def make_table(heads: Iterable[Element], rows: Iterable[Iterable[Element]], **attributes: object) -> Element:
    """Make a table of cells."""
    body = element("tbody", *(element("tr", *row) for row in rows))
    return element("table", element("thead", element("tr", *heads)), body, **attributes)


def wrap_scrollable(table: Element, label: str) -> Element:
    """Put a table where it can be moved if it is too wide."""
    return element("div", table, class_="wide", tabindex="0", role="region", aria_label=label)


def notebook(document: Document) -> str:
    """Write the tables, each below its title, and behind them what a reader should know; the signature is last."""
    parts = [] if document.verdict is None else [element("p", element("b", str(document.verdict)))]
    parts += _list_above(document)
    for table in document.tables:
        parts += [element("p", element("b", table.title))] if table.title else []
        sides = [f"text-align: {'left' if column.words else 'right'}" for column in table.columns]
        both = list(zip(table.columns, sides, strict=True))
        heads = (element("th", column.head, style=side) for column, side in both)
        rows = ([_cell(column, row, side) for column, side in both] for row in range(len(both[0][0].cells)))
        parts.append(make_table(heads, rows, class_="dataframe"))
    parts += [element("ul", *(element("li", line) for line in document.lines))] if document.lines else []
    return write_elements(element("div", *parts, element("p", element("code", document.signature)))) + "\n"


def _list_above(document: Document) -> list[Element]:
    """List the notes above the tables."""
    lines = document.lines_above
    return [element("ul", *(element("li", line) for line in lines))] if lines else []


def _cell(column: Column, row: int, side: str) -> Element:
    mark = "b" if row in column.best else "i" if row in column.worst else "span"
    return element("td", element(mark, column.cells[row]), *column.beside[row : row + 1], style=side)


def element(name: str, *inside: Element | str, **attributes: object) -> Element:
    """Make an element; ``_`` in the name of an attribute stands for ``-``, and None leaves the attribute out.

    >>> write_elements(element("td", "a < b", element("b", "!"), data_run=1, class_=None))
    '<td data-run="1">a &lt; b<b>!</b></td>'
    """
    made = Element(name)
    for key, value in attributes.items():
        if value is not None:
            short = f"{value:g}" if isinstance(value, float) else str(value)
            made.set(key.rstrip("_").replace("_", "-"), seen(short))
    for part in inside:
        if isinstance(part, Element):
            made.append(part)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + seen(part)
        else:
            made.text = (made.text or "") + seen(part)
    return made


def seen(text: str) -> str:
    """Show letters that would steer the text around them, or are none, as what they are not."""
    return _UNSEEN.sub("\ufffd", text)


def write_elements(*elements: Element) -> str:
    """Write elements, each on a line of its own."""
    return "\n".join(tostring(each, "unicode", method="html") for each in elements)
