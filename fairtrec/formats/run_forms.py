"""The forms of runs, a row each, which is all that the program knows of a form.

Columns between white space need nothing else. Any other form names its ``module`` of this folder, with two functions:

- ``tell(path, start)`` returns the name of the form that a file has by its start (bytes), or None. The first module
  that knows the file wins, in the order of the rows. It is asked for each file that is no run of TREC: be quick.
- ``read(path, form, order, *, ranks)`` returns the ``FileColumns`` of ``columns.py``, which ``run.py`` groups, checks
  and ranks. It raises ``InputError(what is wrong; what to do, path, line)`` for a file that it cannot read.

``FileColumns.columns`` has a row for each document, in the order of the file:

- ``docno``: an array of bytes, as ``frames.encode_given_ids`` makes it of texts: it refuses ids that are none.
- ``qid``: the same as ``spans.Repeats``, which keeps equal neighbors once: ``Repeats.find(array)``. A query may come
  back further down: its documents are joined, in the order of the file. ``run.py`` refuses a document that comes
  twice under one query.
- ``score``: finite floats. The highest ranks first, and docnos break ties. A form without scores returns minus the
  rank.
- ``rank``: integers from 1, if the file has them, and asked for: ``order`` is "rank", or ``ranks`` is true. Where a
  form returns none, ``--order rank`` is refused for it, and ``ranks`` means nothing.
- ``tag``: a text, if the file has one.
- ``Q0``: an array of bytes, only if lines number several rankings of a query. ``qid`` is then an array. A form that
  ``numbers_rankings`` also takes ``sampled``, and then returns it; a name in ``empty`` is then the query,
  ``columns.SAMPLE_MARK`` and the number.

``FileColumns.blocks`` leads from a row to its line, for messages: pairs of the first row of a block, and either the
line of that row, if each row of the block is a line, or a list of the lines of its rows. ``[(0, 1)]`` is a file of a
row a line. ``FileColumns.empty`` names the queries that have no row, each once: their rankings are empty, and a note
counts them. ``FileColumns.notes`` are other notes on the run.

``read`` of a table takes two more keywords: ``sampled``, to return the column ``Q0``, and ``roles``, which say what the
columns are. ``FileColumns.has_names`` says that roles can be assigned to them.

Nothing here imports click or numpy, so that the command line can offer the forms before anything is loaded.
"""

from importlib import import_module
from os import fspath
from typing import Any, NamedTuple

from fairtrec.support.errors import FilePath


class RunForm(NamedTuple):
    """One form of run. Lines without scores and ranks are ranked by their order."""

    name: str  # for --run-format
    called: str = ""  # in messages: what a file of the form, or a line, looks like
    columns: tuple[str, ...] = ()  # of a line: some of qid, Q0, docno, rank, score; several are told by their number
    heads: tuple[bytes, ...] = ()  # first lines that tell the form; without any, --run-format has to say it
    what: str = "run of columns"  # in messages on all lines together
    hint: str = ""  # on a line that looks so, instead of the usual one
    module: str = ""  # of this folder, which reads a form that is none of columns
    holds: str = ""  # in the help: what a file holds, if its name does not say so
    in_names: str = ""  # part of a file's name, if it pays to ask the module before the file is read as TREC's
    numbers_rankings: bool = False  # whether the module tells several rankings of a query apart
    is_table: bool = False  # its columns have names, so that roles can be assigned to them, also that of samples
    one_ranking: str = (
        "only TREC files and tables can have several rankings for each query"  # refuses --samples without column Q0
    )
    no_stream: str = ""  # refuses streams
    unwritten: str = ""  # what a file holds instead of one run, which validate --fix does not write

    @property
    def reader(self) -> Any:
        """The module, imported."""
        return import_module(f"fairtrec.formats.{self.module}")

    @property
    def advice(self) -> str:
        """What is wrong with a line of columns that is read as TREC's, and which option reads it."""
        many = len(self.columns[0].split())
        return self.hint or f"{many} columns instead of 6; if they are {self.called}, add --run-format {self.name}"


_ROWS = (
    RunForm("trec"),  # read by run.py
    RunForm("4-columns", "qid docno rank score", ("qid docno rank score",), what="run of four columns"),
    RunForm(
        "msmarco", "MS MARCO's qid docno rank", ("qid docno rank",), what="run of MS MARCO",
        hint="three columns may be MS MARCO's (qid docno rank) or TREC Fair's (id seq_no page_id); "
        "add --run-format msmarco or trec-fair",
    ),
    RunForm(
        "trec-fair", "qid docno, as TREC Fair's id page_id", ("qid docno", "qid Q0 docno"),
        what="run of TREC Fair Ranking",
        heads=(b"id page_id", b"id seq_no page_id", b"id rep_number page_id"),
        one_ranking="this file has one ranking of each query (id page_id)",
    ),
    RunForm(
        "rag", module="cited_answers", in_names="json", unwritten="answers", numbers_rankings=True,
        holds="answers with citations, evaluated as two runs, FILE:retrieved and FILE:cited",
        no_stream="answers are two runs, so they are read twice, and a stream can be read once; give a file",
    ),
    RunForm(
        "search", "responses of a search engine", module="search_responses", in_names="json",
        no_stream="responses of a search engine are read twice, and a stream can be read once; give a file",
    ),
    RunForm("jsonl", "JSON lines", module="named_runs", in_names="json", is_table=True),
    RunForm("json", "one JSON object", module="named_runs", in_names="json", is_table=True),
    RunForm("table", "a table with named columns", module="named_runs", is_table=True),
    RunForm("parquet", "Parquet", module="named_runs", is_table=True),
)  # fmt: skip
FORMS = {form.name: form for form in _ROWS}
_IN_NAMES = {form.in_names for form in _ROWS if form.in_names}


def describe_forms() -> str:
    """Say for the help which forms are recognized, and what files of the others, and of those with ``holds``, hold."""
    found = [form.name for form in _ROWS if form.module or not form.columns]
    by_head = [form.name for form in _ROWS if form.heads]
    explained = [f"{form.name}: {form.holds}" for form in _ROWS if form.holds]
    others = [f"{form.name}: {form.columns[0]}" for form in _ROWS if form.columns and not form.heads]
    recognized = f"auto recognizes {', '.join(found)} and, by the first line, {', '.join(by_head)}"
    return "; ".join([recognized, *explained, *others])


def is_other(path: FilePath, form: str) -> bool:
    """Tell whether a run is looked at before it is read as TREC's: it is said to be, or its name may say, another."""
    if form != "auto":
        return form != "trec"
    return hasattr(path, "run_form") or any(part in fspath(path) for part in _IN_NAMES)
