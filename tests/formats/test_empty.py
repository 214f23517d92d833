"""A table with columns and no rows, in each form and of each kind that is read: one line, never a fault of ours."""

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import fairtrec
from fairtrec.support.errors import FairtrecError
from fairtrec_made.command_trials import gather_trials

NUMBERS = {"score", "relevance", "tokens", "f", "m", "rank", "weight", "share", "stance"}
TEXTS = ["--docs", "collection.tsv", "--terms", "gender-en"]
RUN, JUDGED, OF_DOCUMENT = ("qid", "docno", "score"), ("qid", "docno", "relevance"), ("docno", "group")
KINDS = {  # the columns, and the command that reads them of FILE
    "run": (RUN, "eval qrels.txt FILE -m nDCG@10"),
    "qrels": (JUDGED, "eval FILE bm25.run -m nDCG@10"),
    "labels": (OF_DOCUMENT, "eval qrels.txt bm25.run -m AWRF@10 --labels FILE"),
    "terms": (("term", "group"), "eval qrels.txt bm25.run -m AWRF@10 --docs collection.tsv --terms FILE"),
    "docs": (("docno", "text"), "eval qrels.txt bm25.run -m AWRF@10 --terms gender-en --docs FILE"),
    "counts": (("docno", "tokens", "f", "m"), "eval qrels.txt bm25.run -m AWRF@10 --counts FILE"),
    "queries": (("qid", "text"), "eval qrels.txt bm25.run -m nDCG@10 --queries FILE"),
    "slices": (("qid", "slice"), "eval qrels.txt bm25.run -m nDCG@10 --slice FILE"),
    "target": (("group", "share"), "eval qrels.txt bm25.run -m AWRF@10 --labels labels.tsv --target FILE"),
    "gold": (OF_DOCUMENT, "eval qrels.txt bm25.run -m AWRF@10 --labels labels.tsv --gold FILE"),
    "stances": (("docno", "stance"), "eval qrels.txt bm25.run -m PositionBias@10 --stances FILE"),
    "discount": (("rank", "weight"), "eval qrels.txt bm25.run -m AWRF@10 --labels labels.tsv --discount FILE"),
    "background": (RUN, "eval qrels.txt bm25.run -m NFaiRR@10 --docs collection.tsv --terms gender-en --background FILE"),
    "counterfactual": (RUN, "eval qrels.txt bm25.run -m CRBO@10 --counterfactual FILE"),
    "baseline": (RUN, "compare qrels.txt bm25.run -m nDCG@10 --baseline FILE"),
    "checked run": (RUN, "validate FILE"),
    "checked qrels": (JUDGED, "validate bm25.run --qrels FILE"),
    "checked docs": (("docno", "text"), "validate bm25.run --docs FILE"),
    "counted docs": (("docno", "text"), "counts make FILE --terms gender-en -o counts.arrow --force"),
    "results": (RUN, "results diff FILE FILE"),
}  # fmt: skip
KINDS = gather_trials("EMPTY_TABLES", KINDS)


def make_table(columns, kind):
    types = {name: pa.float64() if name in NUMBERS else pa.string() for name in columns}
    if kind == "dictionary":
        types = {name: of if of != pa.string() else pa.dictionary(pa.int32(), of) for name, of in types.items()}
    return pa.table({name: pa.array([], pa.null() if kind == "null" else of) for name, of in types.items()})


def write_arrow(path, columns, kind, batches=1):
    table = make_table(columns, kind)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        for _ in range(batches):
            writer.write_table(table)


FORMS = {
    "nothing": lambda path, _: path.write_text(""),
    "blank": lambda path, _: path.write_text("\n\n"),
    "tsv": lambda path, columns: path.write_text("\t".join(columns) + "\n"),
    "csv": lambda path, columns: path.write_text(",".join(columns) + "\n"),
    "list": lambda path, _: path.write_text("[]"),
    "object": lambda path, _: path.write_text("{}"),
    "parquet": lambda path, columns: parquet.write_table(make_table(columns, "text"), path),
    "dictionary parquet": lambda path, columns: parquet.write_table(make_table(columns, "dictionary"), path),
    "null parquet": lambda path, columns: parquet.write_table(make_table(columns, "null"), path),
    "arrow": lambda path, columns: write_arrow(path, columns, "text"),
    "null arrow": lambda path, columns: write_arrow(path, columns, "null"),
    "arrow without batches": lambda path, columns: write_arrow(path, columns, "text", 0),
}
WORDS_OF_USE = "the runs have no query of any slice", "is no run; `fairtrec check`"
ENTRIES = {("pairs", "tsv"), ("pairs", "csv"), ("counted docs", "tsv")}  # whose first line is no header, but an entry


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_file_ends_in_one_line(copied, kind, fairtrec_command):
    columns, command = KINDS[kind]
    for form, write in FORMS.items():
        write(copied / "empty", columns)
        done = fairtrec_command(*command.replace("FILE", "empty").split())
        assert done.code in (0, 2, 3), (form, done.err)
        assert "fault" not in done.err, form
        if done.code == 2:  # words on the use of slices, and of a baseline, are for what can be told only later
            assert any(words in done.err for words in WORDS_OF_USE), (form, done.err)
        if done.code == 0:
            assert (kind, form) in ENTRIES, (form, done.out)
        if done.code == 3 and not kind.startswith("checked"):
            assert len(done.complaints) == 1, (form, done.err)


OBJECTS = {
    "pandas": lambda columns: pd.DataFrame({name: [] for name in columns}),
    "typed pandas": lambda columns: pd.DataFrame(
        {name: pd.Series([], dtype=float if name in NUMBERS else str) for name in columns}
    ),
    "arrow": lambda columns: make_table(columns, "text"),
    "dictionary arrow": lambda columns: make_table(columns, "dictionary"),
    "null arrow": lambda columns: make_table(columns, "null"),
    "dict": lambda _: {},
    "list": lambda _: [],
}
READ = {  # by keyword: the columns, and the measure
    "runs": (("query_id", "doc_id", "score"), "nDCG@10", {}),
    "qrels": (("query_id", "doc_id", "relevance"), "nDCG@10", {}),
    "queries": (("query_id",), "nDCG@10", {}),
    "labels": (("doc_id", "group"), "AWRF@10", {}),
    "terms": (("term", "group"), "AWRF@10", {"docs": "collection.tsv"}),
    "docs": (("doc_id", "text"), "AWRF@10", {"terms": "gender-en"}),
    "counts": (("doc_id", "tokens", "f", "m"), "AWRF@10", {}),
    "gold": (("doc_id", "group"), "AWRF@10", {"labels": "labels.tsv"}),
    "target": (("group", "share"), "AWRF@10", {"labels": "labels.tsv"}),
    "stances": (("doc_id", "stance"), "PositionBias@10", {}),
    "counterfactual": (("query_id", "doc_id", "score"), "CRBO@10", {}),
    "background": (
        ("query_id", "doc_id", "score"),
        "NFaiRR@10",
        {"docs": "collection.tsv", "terms": "gender-en"},
    ),
}


@pytest.mark.parametrize("keyword", READ)
@pytest.mark.parametrize("form", OBJECTS)
def test_an_empty_object_is_refused(copied, keyword, form):
    columns, measure, more = READ[keyword]
    thing = OBJECTS[form](columns)
    given = {"runs": "bm25.run", "qrels": "qrels.txt", **more} | {
        keyword: {"mine": thing} if keyword == "runs" else thing
    }
    with pytest.raises(FairtrecError, match="; "):
        fairtrec.evaluate(measure, **given)
