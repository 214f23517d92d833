"""A whole page of tables and drawings that needs nothing else, neither a network nor a script."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.resources import files
from xml.etree.ElementTree import Element

from fairtrec.report.page.element import element, written
from fairtrec.report.sheet import Paper, Sheet

TABLES = """td.words, th.words { text-align: left; }
thead th { white-space: nowrap; }
"""


def page(title: str, facts: str, main: Iterable[Element], paper: Paper, own: str) -> str:
    """Write a page: what is in it under its title, and below it the remarks and the signature of a paper.

    ``own`` are the rules of style that only this page has.
    """
    style = files("fairtrec.report.page").joinpath("page.css").read_text("utf-8") + own + TABLES
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name_="generator", content="fairtrec"),
        element("title", title),
    )
    foot = element(
        "footer",
        element("h2", "To know beside the numbers"),
        element("ul", *(element("li", line) for line in paper.lines)),
        element("p", element("code", paper.signature), class_="signature"),
    )
    begun = written(head).removesuffix("</head>")
    body = written(element("header", element("h1", title), element("p", facts)), element("main", *main), foot)
    start = f'<!DOCTYPE html>\n<html lang="en">\n{begun}\n<style>{style}</style>\n</head>'
    return f"{start}\n<body>\n{body}\n</body>\n</html>\n"


def table(sheet: Sheet) -> Iterator[Element]:
    """Give the title of a sheet and its table, which can be moved where it is too wide."""
    kinds = ["words" if column.words else None for column in sheet.columns]
    heads = [
        element("th", column.head, scope="col", class_=kind) for column, kind in zip(sheet.columns, kinds, strict=True)
    ]
    rows = []
    for row in range(len(sheet.columns[0].cells)):
        cells = [
            element(
                "td" if at >= len(sheet.keys) else "th",
                column.cells[row],
                class_=kind,
                scope="row" if at < len(sheet.keys) else None,
            )
            for at, (column, kind) in enumerate(zip(sheet.columns, kinds, strict=True))
        ]
        rows.append(element("tr", *cells))
    drawn = element("table", element("thead", element("tr", *heads)), element("tbody", *rows))
    yield element("h2", sheet.title)
    yield element("div", drawn, class_="wide", tabindex="0", role="region", aria_label=sheet.title)
