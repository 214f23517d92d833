"""What answers do for themselves: become frames, metrics of a tracker, files, a table in a notebook; their signature.

Reports are made in a room above this one, so nothing here can import it. ``fairtrec/__init__.py``, which stands outside
of the rooms and is imported before any of them, says where they are (``Answer.reports``).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from typing import Any, ClassVar

SHORT = 100  # letters of a signature
# Messages of Result.with_confidence, which the table of options repeats before any work is done.
CONFIDENCE_GOES_BY = "--confidence is about"
CONFIDENCE_OF_MEANS = (
    "--confidence works only with means, and --aggregate prints other values; leave out one of the two"
)
CONFIDENCE_OR_BOUNDS = "--confidence and --bounds each add an interval of another kind; leave out one of them"
GOLD_BY_T = "--gold uses Student's t; leave out --interval, or --gold"


class Answer:
    """The base of all that can be shown: results, scores, comparisons, verdicts, explanations, fronts and the like.

    A subclass has a ``signature``, every choice that changes a number. What stands in its tables and files is said in
    the room of reports, by the name of the class.
    """

    reports: ClassVar[Callable[[], Any]]

    def to_frame(self, *, per_query: bool = False) -> Any:
        """Give a frame of pandas, in full precision, the signature among its ``attrs``.

        Of a result: a row for each run, a column for each measure, the mean over queries in each cell; ``per_query``: a
        row for each run and query. Of others: the rows of their TSV.

        Raises ResourceError without pandas, UsageError for ``per_query`` of what has no values of queries.
        """
        return Answer.reports().frame(self, per_query=per_query)

    def to_arrow(self, *, per_query: bool = False) -> Any:
        """Give a table of Arrow with the columns of ``to_frame``, its index first; undefined is null.

        It needs no pandas. Polars, DuckDB and pyarrow take the answer itself: ``polars.DataFrame(result)``.
        """
        return Answer.reports().arrow(self, per_query=per_query)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the table of ``to_arrow`` by the PyCapsule interface of Arrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def flat(self) -> dict[str, float]:
        """Give each mean under a name of letters, digits and underscores alone, as trackers want it: nDCG_at_10.

        With it go whole numbers: ``queries``, and for each measure ``nDCG_at_10_queries``, those that have a value.
        Of several runs names begin with that of the run. Of a comparison: each number of each of its ``rows``.

        Raises UsageError where two would have one name.
        """
        numbers: dict[str, float] = Answer.reports().flat(self)
        return numbers

    def write(
        self,
        path: str | PathLike[str],
        format: str | None = None,  # noqa: A002 - as it is called on the command line
        *,
        places: int = 4,
        **view: Any,
    ) -> None:
        """Write a file, all or nothing, in any format that ``-f`` of the command has; None: by the ending of its name.

        ``places``     digits behind the point, where the format has not all.
        ``per_query``, ``summary``, ``sort``, ``slices``, ``title``, ``latex_label``   of results: as -q, -n (False),
                       --sort, --slice, --title, --latex-label of `fairtrec eval`; with ``slices``, ``against`` and
                       ``correction`` are its --against and --correction;
                       ``query_texts`` {qid: text} of pages; some answers of commands
                       have the first, too.
        ``paper``      of comparisons: one table with a caption (latex, md).

        Raises UsageError for what cannot be written, or not there.
        """
        Answer.reports().write(self, path, format, places=places, **view)

    def _repr_html_(self) -> str:
        page: str = Answer.reports().html(self)
        return page

    def __str__(self) -> str:
        text: str = Answer.reports().text(self)
        return text

    def __repr__(self) -> str:
        """Name the class and the choices, shortly; ``str`` is the table."""
        told = str(getattr(self, "signature", ""))
        return f"<{type(self).__name__} {told[:SHORT]}{'...' * (len(told) > SHORT)}>"


class Signature(Mapping[str, str]):
    """Each choice by its name; those that play no part are left out. It prints itself, and is read from a line.

    >>> str(Signature({"fairtrec": "1.0", "order": "score", "queries": ""}))
    'fairtrec:1.0 | order:score'
    >>> Signature.read("fairtrec:1.0 | order:score | groups:a | b.csv@01234567")["groups"]
    'a | b.csv@01234567'
    """

    def __init__(self, choices: Mapping[str, str]) -> None:
        self._choices = {name: value for name, value in choices.items() if value}

    @classmethod
    def read(cls, line: str) -> "Signature":
        """Take a printed signature apart."""
        pairs = [part.partition(":") for part in re.split(r" \| (?=[a-z-]+:)", line)]
        return cls({name: value for name, _, value in pairs})

    @property
    def content(self) -> "Signature":
        """All but the version of fairtrec: what files say that are read again, of which a digest is to be the same."""
        return Signature({name: value for name, value in self.items() if name != "fairtrec"})

    def __getitem__(self, name: str) -> str:
        return self._choices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._choices)

    def __len__(self) -> int:
        return len(self._choices)

    def __or__(self, more: Mapping[str, str]) -> "Signature":
        return Signature({**self._choices, **more})

    def __str__(self) -> str:
        return " | ".join(f"{name}:{value}" for name, value in self._choices.items())

    def __repr__(self) -> str:
        return f"Signature({self._choices!r})"
