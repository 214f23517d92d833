"""What answers do for themselves: become frames, metrics of a tracker, files, a table in a notebook.

Reports are made in a room above this one, so nothing here can import it. ``fairtrec/__init__.py``, which stands outside
of the rooms and is imported before any of them, says where they are (``Answer.reports``).
"""

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar

SHORT = 100  # letters of a signature


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

    def flat(self) -> dict[str, float]:
        """Give each mean under a name of letters, digits and underscores alone, as trackers want it: nDCG_at_10.

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
        ``per_query``, ``summary``, ``sort``, ``slices``, ``title``   of results: as -q, -n (False), --sort, --slice and
                       --title of `fairtrec eval`; the first of ``headroom`` and ``rbo``, too.
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
