"""Valid files that are bad to read: each form of file that fairtrec reads, in each way to make its entries costly.

``FORMS`` has a row for each form. ``list_forms`` finds in the package which there are, so that a new one needs a row.
The forms that only one command reads lie in the trials of the command, as ``WORST_FILES``.
"""

import ast
import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from fairtrec.counting.table.files import FORMATS
from fairtrec.evaluation.given import GIVEN
from fairtrec.formats import cited_answers, run_forms
from fairtrec_made import REPOSITORY, colliding
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.sources import parse

DEPTH = 100  # entries of a query, and of a document in many groups
LONG, WIDE, DEEP = 1000, 200, 60  # letters of an id, fields of an entry, and levels of one
MANY_GROUPS = 400
LENGTH = 20  # bytes of a line of text without its ids, as which an entry of what is packed counts
CHECKED = ("blank lines", "comments")  # are faults by `validate`
FEW = 300  # entries of the files beside
LAST = 99_999_999  # from which docnos fall, so that the first entries win ties
SHORT_ID = 300  # letters of an id in a dictionary, which may be laid out for each row
Columns = dict[str, list[Any]]
BESIDE = {  # a line of an entry, and lines above
    "run": ("{q} Q0 {d} {r} -{r} t\n",),
    "second.run": ("{q} Q0 {d} {r} {r} u\n",),
    "third.run": ("{q} Q0 {d} {r} {i} v\n",),
    "qrels": ("{q} 0 {d} 1\n",),
    "labels": ("{d}\t{g}\n",),
    "votes": ("{d}\tx\tn\n",),
    "values": ("RR\t{d}\t0.25\n",),
    "texts": ("{d}\tshe and he\n",),
    "terms": ("she,f\n", "he,m\n"),
}


def make_columns(many: int) -> Columns:
    """Make plain entries: query, docno, group, score, rank, and number from 0 and from 1."""
    numbers = range(many)
    ranks = [i % DEPTH + 1 for i in numbers]
    return {
        "q": [f"q{i // DEPTH}" for i in numbers],
        "d": [f"d{LAST - i}" for i in numbers],
        "g": ["fm"[i % 2] for i in numbers],
        "s": [-rank for rank in ranks],
        "r": ranks,
        "n": list(numbers),
        "i": [i + 1 for i in numbers],
    }


@cache
def list_some_colliding(many: int) -> list[str]:
    return sorted(colliding.list_ids(many), reverse=True)


def list_colliding(many: int) -> list[str]:
    """List ids that collide; they are made for several sizes together."""
    return list_some_colliding(1 << many.bit_length())[:many]


def make_queries(many: int, length: int) -> Columns:
    """Make queries of so many entries."""
    ranks = [i % length + 1 for i in range(many)]
    return {"q": [f"q{i // length}" for i in range(many)], "r": ranks, "s": [-rank for rank in ranks]}


KINDS: dict[str, tuple[str, Callable[[int], Columns]]] = {  # the field that a form needs for it, and columns
    "plain": ("", lambda _: {}),
    "long ids": ("d", lambda many: {"d": [f"{LAST - i:0{LONG}}" for i in range(many)]}),
    "one long id": ("d", lambda many: {"d": [*(f"d{LAST - i}" for i in range(many - 1)), "a" * LONG]}),
    "ids that collide": ("d", lambda many: {"d": list_colliding(many)}),
    "one query": ("q", lambda many: make_queries(many, many)),
    "a query a line": ("q", lambda many: make_queries(many, 1)),
    "long queries": ("q", lambda many: {"q": [f"{i:0{LONG}}" for i in range(many)], "r": [1] * many}),
    "ties": ("s", lambda many: {**make_queries(many, many), "s": [1] * many}),
    "same documents": ("qd", lambda many: {"d": [f"d{i % DEPTH}" for i in range(many)]}),
    "many groups": ("g", lambda many: {"g": [f"g{i % MANY_GROUPS}" for i in range(many)]}),
    "wide": ("x", lambda _: {}),
    "deep": ("j", lambda _: {}),
    "blank lines": ("\n", lambda _: {}),
    "comments": ("#", lambda _: {}),
    "dictionaries": (
        "p",
        lambda many: {"d": [f"{i % DEPTH:0{SHORT_ID}}" for i in range(many)]},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class WorstForm:
    """A form of file, and what reads it.

    Attributes:
        rows: which rows of the package it stands for, as ``list_forms`` names them.
        commands: those that read FILE, in a folder with few.run, few.qrels and few.labels of the first entries.
        line: of an entry, with its columns in braces, and ``{x}`` for further fields.
        head: above all lines; ``{x}`` are the names of further fields.
        joint: what separates fields; "json" where they have keys.
        write: writes columns, if not line by line.
        fields: what can be made bad in it: columns by their letters, x further fields, j a nested one, and lines
            that are blank or comments.
        lacks: kinds that it cannot have, and why.
        suffix: of the name of the file.
        beside: writes other files into its folder.
    """

    rows: tuple[str, ...]
    commands: tuple[str, ...]
    line: str = ""
    head: str = ""
    tail: str = ""
    joint: str = ""
    write: Callable[[Path, Columns], None] | None = None
    fields: str = ""
    lacks: str = ""
    suffix: str = ""
    beside: Callable[[Path, Columns], None] | None = None

    def kinds(self) -> Iterator[str]:
        """List in which ways a file of this form can be bad."""
        has = self.fields or "".join(letter for letter in "qdsg" if f"{{{letter}}}" in self.line)
        has += "x" * ("{x}" in self.line) + "j" * (self.joint == "json")
        found = [kind for kind, (needs, _) in KINDS.items() if {*needs} <= {*has} and kind not in self.lacks]
        yield from found[1:] or found  # plain entries only if nothing is worse


def further(kind: str, joint: str) -> tuple[str, str]:
    """Give the names of further fields, and their cells."""
    if kind == "deep":
        return "", ', "x": ' + "[" * DEEP + "]" * DEEP
    if kind != "wide":
        return "", ""
    if joint == "json":
        return "", "".join(f', "x{i}": {i}' for i in range(WIDE))
    return "".join(f"{joint}x{i}" for i in range(WIDE)), f"{joint}0" * WIDE


def write_lines(form: WorstForm, kind: str, path: Path, columns: Columns) -> None:
    """Write an entry a line."""
    names, cells = further(kind, form.joint)
    end = {"blank lines": "\n" * 20, "comments": "# a comment of some words\n" * 2}.get(kind, "")
    with path.open("w", encoding="utf-8") as file:
        file.write(form.head.replace("{x}", names) + end * (kind == "comments"))
        rows = zip(*columns.values(), strict=True)
        last = len(columns["n"]) - 1
        for row in rows:
            entry = dict(zip(columns, row, strict=True))
            line = form.line.format(**entry, x=cells, c="," if entry["n"] < last else "")
            file.write(line + end)
        file.write(form.tail)


def make(form: WorstForm, kind: str, path: Path, size: int) -> None:
    """Write a file of about so many bytes, and the few entries beside it."""

    def columns_of(many: int) -> Columns:
        return make_columns(many) | KINDS[kind][1](many)

    def write(to: Path, columns: Columns) -> None:
        (form.write or (lambda to, columns: write_lines(form, kind, to, columns)))(to, columns)

    path.parent.mkdir(parents=True, exist_ok=True)
    sample = columns_of(DEPTH)
    write(path, sample)
    length = (
        path.stat().st_size / DEPTH
        if form.write is None or form.suffix in ("", ".json", ".jsonl")
        else LENGTH + len(sample["d"][0]) + len(sample["q"][0])
    )
    columns = columns_of(max(int(size / length), 2))
    write(path, columns)
    write_few(path.parent, columns)
    if form.beside is not None:
        form.beside(path.parent, columns)


def write_few(folder: Path, columns: Columns) -> None:
    """Write the files that commands read beside: of the first entries, each line once."""
    for name, (line, *fixed) in BESIDE.items():
        rows = islice(zip(*columns.values(), strict=True), FEW)
        lines = [line.format(**dict(zip(columns, row, strict=True))) for row in rows]
        (folder / f"few.{name}").write_text("".join(dict.fromkeys([*fixed, *lines])))


def nest(columns: Columns, *names: str) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Give each query and the columns of its entries."""
    rows = zip(columns["q"], *(columns[name] for name in names), strict=True)
    for qid, own in groupby(rows, itemgetter(0)):
        yield qid, [row[1:] for row in own]


def write_objects(make_object: Callable[[str, Any], Any], *names: str) -> Callable[[Path, Columns], None]:
    """Write an object of JSON a query."""

    def write(path: Path, columns: Columns) -> None:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(make_object(qid, own)) + "\n" for qid, own in nest(columns, *names))

    return write


def write_whole(make_value: Callable[[Any], Any], *names: str) -> Callable[[Path, Columns], None]:
    """Write one object of JSON, ``{qid: value}``."""

    def write(path: Path, columns: Columns) -> None:
        path.write_text(json.dumps({qid: make_value(own) for qid, own in nest(columns, *names)}), "utf-8")

    return write


def write_arrow(names: dict[str, str], *, feather: bool = False) -> Callable[[Path, Columns], None]:
    """Write columns of Parquet, or of Arrow; ``names`` are those of the file, by the columns."""

    def write(path: Path, columns: Columns) -> None:
        import pyarrow as pa
        from pyarrow import feather as arrow
        from pyarrow import parquet

        table = pa.table({name: columns[letter] for name, letter in names.items()})
        if feather:
            arrow.write_feather(table, path, compression="uncompressed")
        else:
            parquet.write_table(table, path)

    return write


def write_cbor(path: Path, columns: Columns) -> None:
    """Write the scores of documents as ranx packs them."""
    from fairtrec_made import cbor

    path.write_bytes(cbor.encoded({qid: {d: float(s) for d, s in own} for qid, own in nest(columns, "d", "s")}))


RUN = ("eval few.qrels FILE -m 'nDCG@10 AWRF' --labels few.labels", "validate FILE")
QRELS = ("eval FILE few.run -m 'nDCG@10 AP'", "validate few.run --qrels FILE")
LABELS = ("eval none few.run -m AWRF@10 --labels FILE",)
LOOKED_UP = ("eval none few.run -m TExFAIR@10 --terms few.terms --docs FILE", "validate few.run --docs FILE")
TEXTS = (*LOOKED_UP, "counts make FILE --terms few.terms -o out.arrow --force -j 1")
COUNTS = ("eval none few.run -m TExFAIR@10 --counts FILE", "counts info FILE")
LABELED = "eval none few.run -m AWRF@10 --labels few.labels"
ANSWER = {
    "2024": lambda q, own: {
        "topic_id": q,
        "references": [d for (d,) in own],
        "answer": [{"text": "a", "citations": [i]} for i in range(min(len(own), 100))],
    },
    "2025": lambda q, own: {
        "metadata": {"narrative_id": q},
        "references": [d for (d,) in own],
        "answer": [{"text": "a", "citations": [d]} for (d,) in own],
    },
    "shared": lambda q, own: {
        "metadata": {"topic_id": q},
        "responses": [{"text": "a", "citations": [d]} for (d,) in own],
    },
}
ONE_LINE = "one query"  # makes a line that is too long to be read
FORMS: dict[str, WorstForm] = {
    "run of TREC": WorstForm(("run trec", "given background"), (*RUN, "eval few.qrels FILE -m 'nDCG AP' --bounds ties", "eval none few.run --labels few.labels -m NFaiRR@10 --background FILE"), "{q} Q0 {d} {r} {s} t\n", fields="qds\n#"),
    "run of 4 columns": WorstForm(("run 4-columns",), tuple(f"{c} --run-format 4-columns" for c in RUN), "{q} {d} {r} {s}\n", fields="qds\n"),
    "run of MS MARCO": WorstForm(("run msmarco",), tuple(f"{c} --run-format msmarco" for c in RUN), "{q}\t{d}\t{r}\n", fields="qd\n"),
    "run of TREC Fair": WorstForm(("run trec-fair",), tuple(f"{c} --run-format trec-fair" for c in RUN), "{q}\t{d}\n", "id\tpage_id\n", fields="qd\n"),
    "responses of a search engine": WorstForm(("run search",), RUN, write=write_whole(lambda own: {"hits": {"hits": [{"_id": d, "_score": s} for d, s in own]}}, "d", "s"), fields="qds", suffix=".json"),
    "run of JSON lines": WorstForm(("run jsonl",), RUN, '{{"qid": "{q}", "docno": "{d}", "score": {s}{x}}}\n', joint="json", suffix=".jsonl"),
    "run of one object": WorstForm(("run json", "given counterfactual"), (*RUN, "eval none few.run -m CRBO@10 --counterfactual FILE"), write=write_whole(dict, "d", "s"), fields="qds", suffix=".json"),
    "run of lists": WorstForm(("run json",), RUN, write=write_whole(lambda own: [d for (d,) in own], "d"), fields="qd", suffix=".json"),
    "run packed as CBOR": WorstForm(("run json",), RUN, write=write_cbor, fields="qds", suffix=".json"),
    "run of a table": WorstForm(("run table",), RUN, "{q}\t{d}\t{s}{x}\n", "qid\tdocno\tscore{x}\n", joint="\t", fields="qds\n", suffix=".tsv"),
    "run of a quoted table": WorstForm(("run table",), RUN, '"{q}","{d}",{s}{x}\n', "qid,docno,score{x}\n", joint=",", suffix=".csv"),
    "run of Parquet": WorstForm(("run parquet",), RUN, write=write_arrow({"qid": "q", "docno": "d", "score": "s"}), fields="qdsp", suffix=".parquet"),
    **{f"answers, {form}": WorstForm(("run rag", f"answers {form}"), ("eval few.qrels FILE -m nDCG@10", "validate FILE"), write=write_objects(ANSWER[form], "d"), fields="qd", suffix=".jsonl") for form in ANSWER},
    "qrels": WorstForm(("given qrels",), (*QRELS, "eval FILE few.run -m AP@10 --only judged", "eval FILE few.run -m RR --queries judged"), "{q} 0 {d} 1\n", fields="qd\n#"),
    "qrels of JSON lines": WorstForm(("given qrels",), QRELS, '{{"qid": "{q}", "docno": "{d}", "relevance": 1{x}}}\n', joint="json", suffix=".jsonl"),
    "qrels of Parquet": WorstForm(("given qrels",), QRELS, write=write_arrow({"qid": "q", "docno": "d", "relevance": "r"}), fields="qdp", suffix=".parquet"),
    "qrels of one object": WorstForm(("given qrels",), QRELS, write=write_whole(dict, "d", "r"), fields="qd", suffix=".json"),
    "labels": WorstForm(("given labels", "file of labels"), LABELS, "{d}\t{g}\n", fields="dg\n"),
    "labels with names": WorstForm(("file of labels",), tuple(f"{c}:group" for c in LABELS), "{d}\t{g}{x}\n", "docno\tgroup{x}\n", joint="\t", suffix=".tsv"),
    "labels of quoted cells": WorstForm(("file of labels",), LABELS, '"{d}","{g}"\n', "docno,group\n", suffix=".csv"),
    "labels per query": WorstForm(("file of labels",), LABELS, "{q} 0 {d} {g}\n"),
    "labels with weights": WorstForm(("file of labels",), LABELS, "{d}\t{g}\t0.5\n"),
    "labels of JSON lines": WorstForm(("file of labels",), LABELS, '{{"docno": "{d}", "group": "{g}"{x}}}\n', joint="json", suffix=".jsonl"),
    "labels of lists": WorstForm(("file of labels",), LABELS, '{{"docno": "{d}", "group": ["{g}", "h"]}}\n', suffix=".jsonl"),
    "labels of an array": WorstForm(("file of labels",), LABELS, '{{"docno": "{d}", "group": "{g}"{x}}}{c}\n', "[", "]", joint="json", suffix=".json"),
    "labels of one object": WorstForm(("file of labels",), LABELS, '"{d}": "{g}"{c}\n', "{", "}", suffix=".json"),
    "labels of Parquet": WorstForm(("file of labels",), LABELS, write=write_arrow({"docno": "d", "group": "g"}), fields="dg", suffix=".parquet"),
    "texts": WorstForm(("given docs", "collection"), TEXTS, "{d}\tshe and he said\n", fields="d\n"),
    "texts with names": WorstForm(("collection",), LOOKED_UP, "{d}\tshe and he said{x}\n", "docno\ttext{x}\n", joint="\t", suffix=".tsv"),
    "texts of JSON lines": WorstForm(("collection",), TEXTS, '{{"id": "{d}", "text": "she and he said"{x}}}\n', joint="json", suffix=".jsonl"),
    "texts of an array": WorstForm(("collection",), LOOKED_UP, '{{"id": "{d}", "text": "she and he said"{x}}}{c}\n', "[", "]", joint="json", suffix=".json"),
    "texts of Parquet": WorstForm(("collection",), LOOKED_UP[:1], write=write_arrow({"docno": "d", "text": "g"}), fields="d", suffix=".parquet"),
    "counts, tsv": WorstForm(("given counts", "table of counts", "counts tsv"), COUNTS, "{d}\t9\t1\t0{x}\n", "docno\ttokens\tf\tm{x}\n", joint="\t", suffix=".tsv"),
    "counts, arrow": WorstForm(("counts arrow",), COUNTS, write=write_arrow({"docno": "d", "tokens": "n", "f": "n", "m": "n"}, feather=True), fields="d", suffix=".arrow"),
    "counts, parquet": WorstForm(("counts parquet",), COUNTS, write=write_arrow({"docno": "d", "tokens": "n", "f": "n", "m": "n"}), fields="dp", lacks="dictionaries", suffix=".parquet"),
    "terms": WorstForm(("given terms", "term list"), ("counts make few.texts --terms FILE -o out.arrow --force -j 1",), "{d},{g}\n"),
    "queries": WorstForm(("given queries", "query set"), ("eval few.qrels few.run -m RR --queries FILE",), "{d}\n", "q0\n", fields="d\n"),
    "slices": WorstForm(("list of slices",), ("eval few.qrels few.run -m RR --slice FILE",), "q{n}\t{g}\n"),
    "target": WorstForm(("target",), (f"{LABELED} --target FILE",), "q{n}\t{g}\t1\n", lacks="many groups"),
    "discount": WorstForm(("given discount", "discount"), ("eval none few.run -m 'AWRF(discount=given)@10' --labels few.labels --discount FILE",), "{i}\t1\n"),
    "frequencies": WorstForm(("list of frequencies",), (f"{LABELED} --pool FILE",), "q{n}\t1\n"),
    "clusters": WorstForm(("given cluster", "list of clusters"), ("compare few.qrels few.run few.second.run -m RR --cluster FILE",), "q{n}\t{d}\n"),
    "stances": WorstForm(("given stances", "table of stances"), ("eval few.qrels few.run -m DUO@10 --stances FILE",), "{d}\t0.5{x}\n", "docno\tx{x}\n", joint="\t"),
    "stances per query": WorstForm(("given stances", "table of stances"), ("eval few.qrels few.run -m DUO@10 --stances FILE",), "q{n}\t{d}\t0.5{x}\n", "qid\tdocno\tx{x}\n", joint="\t"),
    "gold labels": WorstForm(("given gold", "sheet of gold labels"), (f"{LABELED} --gold FILE",), "{d}\t{g}\t0.5\n", "docno\tgroup\tprobability\n", lacks="many groups"),
    "lists of relevant pages": WorstForm(("given qrels",), QRELS[:1], write=write_objects(lambda q, own: {"id": q, "rel_docs": [d for (d,) in own]}, "d"), fields="qd", suffix=".jsonl"),
    "values": WorstForm((), ("compare --values FILE few.values",), "RR\t{d}\t0.5\n", fields="d"),
}  # fmt: skip


@cache
def gather_forms() -> dict[str, WorstForm]:
    """Join the forms of the core and those that only one command reads."""
    return gather_trials("WORST_FILES", FORMS)


def list_forms() -> set[str]:
    """Find which forms the package reads: forms of runs and of answers, tables, formats of counts, and what is given."""
    found = {f"run {name}" for name in run_forms.FORMS} | {f"counts {name}" for name in FORMATS}
    found |= {f"answers {name}" for name in cited_answers.SENTENCES} | {f"given {name}" for name in GIVEN}
    for path in (REPOSITORY / "fairtrec").rglob("*.py"):
        text = path.read_text("utf-8")
        for call in ast.walk(parse(text)) if "TableKind(" in text else ():
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "TableKind":
                found.add(call.args[0].value)
    return found - {"given pool"}  # a word


def list_commands(form: WorstForm, kind: str, path: Path) -> list[list[str]]:
    """Give the words of the commands that read this file, and take it for valid."""
    several = [each for each in form.commands if not (kind in CHECKED and each.startswith("validate"))]
    return [[word.replace("FILE", path.name) for word in shlex.split(command)] for command in several]
