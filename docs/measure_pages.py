"""The pages of the measures, docs/measures/NAME.md, and their index, docs/measures.md."""

import inspect
import json
import pkgutil
import re
import tempfile
from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Any

import fairtrec
from fairtrec import commands
from fairtrec.commands.measures import pages
from fairtrec.evaluation.given import GIVEN, make_examples
from fairtrec.measure import Measure, UsageError
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import docstrings, registry
from fairtrec.measures.catalogue.docstrings import read_docstring
from fairtrec.measures.catalogue.notation import describe_parameters
from fairtrec.measures.catalogue.other_names import OTHER_NAMES

MADE = "<!-- made from the code by `make docs`; do not edit -->\n\n"
SECTIONS = {  # of the index: what needs hold, and the title
    "stances": "From stances between two poles",
    "counterfactual": "From the same run over swapped texts",
    "trec-fair-2019": "For TREC Fair Ranking 2019",
    "pool": "Over all queries of a log (`--pool`)",
    "counts": "From group words in the texts",
    "qrels": "From group labels (or words) and relevance judgments",
    "": "From group labels (or words)",
}
ORDER = ("counts", "", "qrels", "pool", "stances", "counterfactual", "trec-fair-2019")
TEXTS = {
    "d1": "she and her sister met him",
    "d2": "her mother said she knew",
    "d3": "he gave it to her",
}
TERMS = {"f": ["she", "her"], "m": ["he", "him"]}
COUNTS = {"d1": "2 f, 1 m", "d2": "2 f", "d3": "1 f, 1 m"}
LABELS = {"d1": "f", "d2": "f", "d3": "m"}
GRADES = {"d1": 2, "d2": 1, "d3": 1}
RELEVANCE = dict.fromkeys(GRADES, 1)  # the TREC 2019 track has no grades
EXAMPLES = make_examples(["q"], [*LABELS])  # of other things that are given
TRACK = "lab.trec_fair_2019.evaluate.evaluate"  # what a command offers, by which measures of this track are computed
ORDERS = ("d1 d2 d3", "d3 d2 d1")
SWAPPED = "d1 d3 d2"  # the order over the swapped texts


def write_pages() -> dict[str, str]:
    """Write the index and the page of each measure."""
    index = {"measures.md": write_index()}
    return index | {f"measures/{name}.md": write_measure(name) for name in BUILT_IN}


def write_index() -> str:
    """List the measures by what they need and by their questions."""
    about = (
        "Which measure has which formula, range and source? Each name leads to a page with the formula and a worked "
        "example. [Which measure?](which-measure.md) helps you choose; `fairtrec measures NAME` prints a page."
    )
    parts = [f"# Measures\n\n{MADE}{about}\n"]
    for section in (*ORDER, *(name for name in _list_sections() if name not in ORDER)):
        parts.append(
            f"## {_list_sections()[section]}\n\n| Question | Measure | Better | Needs | Range |\n|---|---|---|---|---|"
        )
        for name in BUILT_IN:
            kind = _kind(name)
            if _section(kind) == section:
                cells = (
                    docstrings.read_question(kind),
                    f"[{name}](measures/{name}.md)",
                    kind.better,
                    pages.needs(kind),
                    _range(kind),
                )
                parts[-1] += f"\n| {' | '.join(map(_cell, cells))} |"
        parts[-1] += "\n"
    known = "\n".join(f"| `{name}` | {_linked(answer)} |" for name, answer in OTHER_NAMES.items())
    parts.append(f"## Names from elsewhere\n\n| You look for | Use |\n|---|---|\n{known}\n")
    theirs = ", ".join(f"`{name}`" for name in sorted(registry.list_foreign_names(), key=str.lower))
    parts.append(
        "## Relevance measures\n\nThese need qrels and have the values of ir-measures. Names of trec_eval, such as "
        f"`ndcg_cut_10`, work.\n\n{theirs}\n"
    )
    return "\n".join(parts)


def _kind(name: str) -> type[Measure]:
    kind = registry.find(name)
    assert kind is not None
    return kind


def _section(kind: type[Measure]) -> str:
    needs = pages.needs(kind).split(", ") if not kind.of_pool else ["pool"]
    return next((each for each in _list_sections() if each in needs), "")


def _list_sections() -> dict[str, str]:
    """Give what needs hold in each section of the index, and its title: things with an example have one."""
    own = {name: f"From {GIVEN[name].inputs[0].missing}" for name in EXAMPLES if name not in SECTIONS}
    return own | SECTIONS


def _range(kind: type[Measure]) -> str:
    return docstrings.part(kind, "Range").split(". ")[0].split("; ")[0]


def _linked(answer: str) -> str:
    """Turn the names of measures in code font into links to their pages."""
    return re.sub(
        r"`(\w+)`", lambda each: f"[{each[1]}](measures/{each[1]}.md)" if each[1] in BUILT_IN else each[0], answer
    )


def _clickable(text: str) -> str:
    return re.sub(r"(https://[^\s,;]+)", r"<\1>", text)


def _option_font(text: str) -> str:
    return re.sub(r"(?<!`)(--[a-z-]+(?: [A-Z][A-Z|]*\b| collection\b)?)", r"`\1`", text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _code(text: str) -> str:
    return text.replace("``", "`")


def write_measure(name: str) -> str:
    """Write the page of a measure."""
    kind = _kind(name)
    body = _explanation(kind, docstrings.PARTS)
    rows = [(each, docstrings.part(kind, each)) for each in docstrings.PARTS if each != "Source"]
    rows.append(("Needs", "<br>".join(map(_option_font, pages.list_needs(kind))) or "nothing but runs"))
    rows.append(("Source", _clickable(docstrings.part(kind, "Source"))))
    table = "\n".join(f"| {title} | {_cell(_code(text))} |" for title, text in rows if text)
    parts = [
        f"# {name}\n\n{MADE}**{docstrings.read_question(kind)}**\n",
        *_body(body),
        f"| {name} | |\n|---|---|\n{table}\n",
    ]
    parts += [_parameters(kind), *_changes(kind), _example(kind)]
    return "\n".join(filter(None, parts))


def _explanation(kind: type, parts: tuple[str, ...]) -> str:
    """Give what a docstring has between its question and the facts, which begin with a title."""
    text = inspect.cleandoc(read_docstring(kind)).partition("\n\n")[2]
    found = re.search(rf"^(?:{'|'.join(parts)}): ", text, re.MULTILINE)
    return text[: found.start()] if found else text


def _body(text: str) -> Iterator[str]:
    """Give paragraphs; the first that is indented is the formula, others stay as they are."""
    first = True
    for paragraph in filter(None, re.split(r"\n\n+", text.strip("\n"))):
        if paragraph.startswith("    "):
            lines = re.sub(r"^    ", "", paragraph, flags=re.MULTILINE)
            mark = "<!-- formula -->\n" if first or re.match(r"[\w@() ]+ = ", lines) else ""
            yield f"{mark}```text\n{lines}\n```\n"
            first = False
        else:
            yield f"{_code(paragraph)}\n"


def _parameters(kind: type) -> str:
    found = [re.match(r"  (\w+) = (\S+(?: \S+)*?)(?:   (.*))?$", line) for line in describe_parameters(kind)]
    rows = [f"| `{row[1]}` | `{row[2]}` | {_cell(row[3] or '')} |" for row in found if row]
    assert len(rows) == len(found)
    head = "## Parameters\n\n| Parameter | Default | Values |\n|---|---|---|\n"
    return head + "\n".join(rows) + "\n" if rows else ""


def _changes(kind: type[Measure]) -> list[str]:
    if not kind.changes:
        return []
    lines = [f"- {number}: {what}" for number, what in enumerate(kind.changes, 2)]
    return ["## Value versions\n\n" + "\n".join(lines) + "\n"]


def _example(kind: type[Measure]) -> str:
    """Rank three documents in two orders, and show the values as the code computes them."""
    needs = pages.needs(kind).split(", ")
    of_words = "counts" in needs or "texts" in needs
    columns: dict[str, dict[str, Any]] = {}
    if of_words:
        columns |= {"text": TEXTS, "group words": COUNTS}
    elif "groups" in needs or "trec-fair-2019" in needs:
        columns["group"] = LABELS
    if "qrels" in needs or "trec-fair-2019" in needs:
        columns["grade"] = RELEVANCE if "trec-fair-2019" in needs else GRADES
    columns |= {name: cells for name, example in EXAMPLES.items() if name in needs and (cells := _list_cells(example))}
    head = ["document", *columns]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {name} | {' | '.join(str(of[name]) for of in columns.values())} |" for name in LABELS]
    documents = "\n".join(lines)
    if "background" in needs:
        documents += "\n\nThe background set is these three documents."
    if "collection_size" in kind().needs:
        documents = "The collection has these three documents (`--collection-size 3`). One query is asked."
    if "counterfactual" in needs:
        documents = f"Over the swapped texts the system ranks {_named(SWAPPED)}."
    of_track = "trec-fair-2019" in needs
    if of_track and commands.find_offer(TRACK) is None:
        return ""
    values = _track_values(kind) if of_track else _values(kind, of_words=of_words)
    return f"## Example: three documents\n\n{documents}\n\n{values}\n"


def _list_cells(example: dict[str, Any]) -> dict[str, Any]:
    """Give what an example says of each document, nothing if of queries; one number of several is that number."""
    said = example.get("q", example)
    if not isinstance(said, dict):
        return {}
    return {name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in said.items()}


def _named(order: str) -> str:
    return ", ".join(order.split())


def _values(kind: type[Measure], *, of_words: bool) -> str:
    """Evaluate both orders, at each cutoff if there is one."""
    deep = getattr(kind(), "cutoff", None) is not None
    cutoffs: list[dict[str, int]] = [{"cutoff": k} for k in (1, 2, 3)] if deep else [{}]
    groups: dict[str, Any] = {"terms": TERMS, "docs": TEXTS} if of_words else {"labels": LABELS}
    runs = {order: {"q": _ranking(order)} for order in ORDERS}
    rows: dict[tuple[str, str], list[str]] = {}
    for cutoff in cutoffs:
        try:
            result = fairtrec.evaluate(
                [kind(**cutoff)],
                runs,
                qrels={"q": GRADES},
                background={"q": _ranking(ORDERS[0])},
                counterfactual={order: {"q": _ranking(SWAPPED)} for order in ORDERS},
                pool="even" if kind.of_pool else None,
                collection_size=len(LABELS) if "collection_size" in kind().needs else None,
                **groups,
                **EXAMPLES,
            )
        except UsageError as error:  # such as a measure of something that no page has
            raise SystemExit(
                f"docs/measures/{kind.__name__}.md: {error}; what pages evaluate is made by make_example of a file in "
                "fairtrec/evaluation/given"
            ) from None
        for order, scores in zip(ORDERS, result.scores, strict=True):
            means = scores.totals["pooled"] if kind.of_pool else scores.means.tolist()
            for measure, value in zip(map(str, scores.measures), means, strict=True):
                assert value is not None
                rows.setdefault((order, re.sub(r"@\d+$", "", measure)), []).append(_number(value))
    names = [f"{kind.__name__}@{each['cutoff']}" if each else kind.__name__ for each in cutoffs]
    several = any("group=" in name for _, name in rows)
    if several:
        names = [f"@{each['cutoff']}" for each in cutoffs]
    head = ["ranking", *["measure"] * several, *names]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (order, name), values in rows.items():
        lines.append(f"| {' | '.join([_named(order), *[f'`{name}`'] * several, *values])} |")
    return "\n".join(lines)


def _track_values(kind: type[Measure]) -> str:
    """Evaluate both orders as runs of the TREC 2019 track, which are files."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "sequences.csv").write_text("0.0,q\n", "utf-8")
        documents = [{"doc_id": name, "relevance": relevance} for name, relevance in RELEVANCE.items()]
        (place / "truth.jsonl").write_text(json.dumps({"qid": "q", "documents": documents}) + "\n", "utf-8")
        (place / "groups.csv").write_text("".join(f"{name},{group}\n" for name, group in LABELS.items()), "utf-8")
        runs = {}
        for order in ORDERS:
            runs[order] = place / f"{order.replace(' ', '')}.jsonl"
            line = {"q_num": "0.0", "qid": "q", "ranking": order.split()}
            runs[order].write_text(json.dumps(line) + "\n", "utf-8")
        evaluate = pkgutil.resolve_name(f"fairtrec.{TRACK}")
        result = evaluate(runs, place / "sequences.csv", place / "truth.jsonl", [place / "groups.csv"])
    lines = [f"| ranking | {kind.__name__} |", "|---|---|"]
    for order in ORDERS:
        value = next(value for name, value in result.means[order].items() if name.startswith(kind.__name__))
        lines.append(f"| {_named(order)} | {_number(value)} |")
    return "\n".join(lines)


def _ranking(order: str) -> dict[str, float]:
    return {name: 3.0 - rank for rank, name in enumerate(order.split())}


def _number(value: float) -> str:
    """Write a value as tables do; nan is undefined."""
    return "undefined" if isnan(value) else f"{value:.4f}".replace("-0.0000", "0.0000")
