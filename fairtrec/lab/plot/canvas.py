"""What all figures share: the size of a column, the look of a run, and how a figure becomes the bytes of a file."""

import io
import logging
import math
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers.result import Result
from fairtrec.measure import Measure
from fairtrec.report.run_names import find_family, shorten_names, shorten_runs
from fairtrec.statistics.doubt import MARK
from fairtrec.support.errors import ResourceError, UsageError, make_visible
from fairtrec.support.literals import PaperWidth
from fairtrec.support.notes import Note, NoteKind

FORMATS = "pdf", "svg", "pgf", "png"
WIDTHS = {"1": 3.33, "2": 7.0}  # inches: a column, and both with the gap, of the usual paper in two columns
COLORS = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"  # told apart by the color-blind
MARKERS = "o", "s", "^", "D", "v", "P", "X", "<", "*", ">"
LARGER = {"*": 1.6}  # than the others, or it has no room for what stands within
INNER = "", ".", "_"  # what stands within a marker: each of them, then each of them again
LINES = "-", "--", "-.", ":"
QUIET = "#888888"
LOOK = {
    "font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7, "xtick.labelsize": 7, "ytick.labelsize": 7,
    "axes.linewidth": 0.6, "lines.linewidth": 1.0, "lines.markersize": 4, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.linewidth": 0.4, "grid.color": "#dddddd",
    "axes.axisbelow": True, "legend.frameon": False, "figure.dpi": 200, "savefig.dpi": 300, "pdf.fonttype": 42,
    "svg.hashsalt": "fairtrec", "svg.fonttype": "none", "axes.formatter.useoffset": False, "text.parse_math": False,
    "pgf.rcfonts": False, "hatch.linewidth": 0.5,
}  # fmt: skip
MOST = 28  # runs that are told apart by their looks
PANELS = 24
ARROWS = {"higher": " ↑", "lower": " ↓", "nearer 0": " →0", "neither": ""}
MARGIN = 0.05  # of an axis, on both sides of what is drawn
LETTER = 0.58  # the width of a letter, as a part of its height


@contextmanager
def look() -> Iterator[None]:
    """Draw and write as papers want it, in silence. Raises ResourceError where matplotlib is not installed."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # which has much to say where it has no home
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import matplotlib as mpl
        except ModuleNotFoundError:
            raise ResourceError("figures need matplotlib; run: pip install 'fairtrec[plot]'") from None
        wanted: Any = {**mpl.rcParamsDefault, **LOOK, "backend": "agg"}  # whatever the user's matplotlibrc says
        with mpl.rc_context(wanted):
            yield


FRAME = NoteKind("frame", "frame: {whose} past the axis of {axis}, so that the means take half of it")


def panels(
    names: Sequence[str], width: PaperWidth, height: float = 2.1, *, across: int = 0, size: int = 8, **shared: Any
) -> tuple[Any, list[Any]]:
    """Make a figure with a panel for each name, as many beside each other as the width allows, or ``across``.

    Titles are whole, of letters of a ``size`` in points. Raises UsageError for too many panels.
    """
    from matplotlib.figure import Figure

    if len(names) > PANELS:
        raise UsageError(f"{len(names)} panels are too many for a figure; pass fewer runs or measures")
    across = min(len(names), across or (1 if width == "1" else 3))
    down = math.ceil(len(names) / across)
    letters = int((WIDTHS[width] / across - 0.42) * 72 / (LETTER * size))
    titles = [wrap_text(name, letters) for name in names]
    more = size / 60 * max(title.count("\n") for title in titles)
    figure = Figure(figsize=(WIDTHS[width], (height + more) * down + 0.35), layout="constrained")
    drawn = figure.subplots(down, across, squeeze=False, **shared).ravel().tolist()
    for axes, title in zip(drawn, titles, strict=False):
        axes.set_title(title, fontsize=size)
    for axes in drawn[len(names) :]:
        axes.remove()
    return figure, drawn[: len(names)]


def pale(color: str) -> str:
    """Mix a color with as much white."""
    return "#" + "".join(f"{(int(color[at : at + 2], 16) + 255) // 2:02x}" for at in (1, 3, 5))


def wrap_text(text: str, letters: int) -> str:
    """Break a text into lines of at most so many letters, and leave out nothing; controls become escapes."""
    text = make_visible(text)
    return "\n".join(textwrap.wrap(text, max(letters, 8), drop_whitespace=True)) if len(text) > letters else text


def looks(names: Sequence[str], families: Sequence[str] = ()) -> list[Mapping[str, Any]]:
    """Give each run a color, a marker and a line, of which no two are those of another of the first 28.

    Runs whose names begin alike, as one of ``families``, are of one color; those of none are black.
    """
    colors = [find_family(name.strip(), families) if families else number for number, name in enumerate(names)]
    return [
        {
            "color": COLORS[color % len(COLORS)],
            "marker": MARKERS[number % len(MARKERS)],
            "linestyle": LINES[number // len(COLORS) % len(LINES)],
        }
        for number, color in enumerate(colors)
    ]


def draw_marker(number: int) -> str:
    """Give the shape inside the marker of a run; it distinguishes the first 28 without color."""
    return INNER[number // len(MARKERS) % len(INNER)]


def refuse_many(names: Sequence[str]) -> None:
    """Raise UsageError where runs are too many to be told apart."""
    if len(names) > MOST:
        raise UsageError(f"{len(names)} runs are too many to distinguish; pass at most {MOST}")


def legend(
    figure: Any, handles: Sequence[Any], names: Sequence[str], *, numbers: Sequence[str] = (), more: Sequence[str] = ()
) -> None:
    """Name the runs below all panels, for which the figure becomes higher; with ``numbers`` before the names.

    Handles behind those of the runs are told by ``more``.
    """
    room = figure.get_figwidth() * 72 - 16
    ahead = [f"{number}  " for number in numbers] or [""] * len(names)
    short = shorten_names(
        [*map(make_visible, names)], int((room - 26) / (LETTER * 7)) - max(map(len, ahead), default=0)
    )
    told = [*(number + name for number, name in zip(ahead, short, strict=True)), *more]
    columns = max(1, min(len(told), int(room / (LETTER * 7 * max(map(len, told)) + 26))))
    figure.set_figheight(figure.get_figheight() + 0.135 * math.ceil(len(told) / columns))
    figure.legend(
        handles, told, loc="outside lower center", ncols=columns, labelspacing=0.25, columnspacing=1.2, borderpad=0.2,
        handletextpad=0.5,
    )  # fmt: skip


def find_format(name: str | PurePath) -> str:
    """Tell the format of a figure by the ending of its file. Raises UsageError for another."""
    ending = PurePath(name).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise UsageError(f"{name} has no suffix of a figure; use .{', .'.join(FORMATS)}")
    return ending


def render_figure(figure: Any, form: str) -> bytes:
    """Write a figure; the same figure gives the same bytes. Raises ResourceError where pgf has no LaTeX."""
    place = io.BytesIO()
    metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {"Software": None}}
    try:
        with look():
            figure.savefig(place, format=form, metadata=metadata.get(form))
    except FileNotFoundError as fault:
        raise ResourceError(f"pgf needs {fault.filename or 'LaTeX'}, which is not here; write pdf instead") from None
    except RuntimeError as fault:
        if form != "pgf":
            raise
        raise ResourceError(f"pgf needs LaTeX ({str(fault).splitlines()[0]}); write pdf instead") from None
    return place.getvalue()


def label_runs(result: Result) -> list[str]:
    """Name the runs; matplotlib leaves out of its legend what begins with an underscore."""
    return [f" {name}" if name.startswith("_") else name for name in shorten_runs(result)]


def label(measure: Measure) -> str:
    """Name a measure, and tell which values are better."""
    return f"{measure}{ARROWS[measure.better]}"


def keep_within(axis: Any, measure: Measure) -> None:
    """End an axis at the least and the greatest value that a measure can have."""
    limits = zip(axis.get_view_interval().tolist(), measure.bounds, (max, min), strict=True)
    low, high = (at if bound is None else further(at, bound) for at, bound, further in limits)
    if low < high:
        axis.axes.set(**{f"{axis.axis_name}lim": (low, high)})


def find_frame(means: Floats, ends: Floats) -> tuple[float, float] | None:
    """Find where an axis of many runs begins and ends if their means, and a margin, are to take half of it.

    ``ends`` are those of the intervals on the axis. Returns None if no interval is cut, or no two means differ.
    """
    means, ends = means[np.isfinite(means)], ends[np.isfinite(ends)]
    if not means.size or not ends.size or np.ptp(means) == 0:
        return None
    low, high, least, most = (float(end) for each in (means, ends) for end in (each.min(), each.max()))
    room = (high - low) / 2
    begin, end = max(low - room, min(least, low)), min(high + room, max(most, high))
    margin = MARGIN * (end - begin)
    begin, end = begin - margin, end + margin
    return None if begin <= least and most <= end else (begin, end)


def note_frame(name: str, frame: tuple[float, float], ends: Floats) -> Note:
    """Count the intervals [interval, end] that the frame of an axis cuts."""
    cut = int(((ends[:, 0] < frame[0]) | (ends[:, 1] > frame[1])).sum())
    whose = "1 interval runs" if cut == 1 else f"{cut} of {len(ends)} intervals run"
    return FRAME.note(whose=whose, axis=name)


MARKED: Mapping[str, Mapping[str, Any]] = {  # where ? stands at the end of an interval
    "behind": {"xytext": (1.5, 0), "va": "center"},
    "above": {"xytext": (0, 1), "ha": "center", "va": "bottom"},
    "below": {"xytext": (0, -1), "ha": "center", "va": "top"},
}


def draw_mark(axes: Any, x: float, y: float, where: str = "behind") -> None:
    """Write ? at the end of an interval that is doubtful."""
    axes.annotate(MARK, (x, y), textcoords="offset points", fontsize=6, annotation_clip=True, **MARKED[where])


def measure_reach(means: Floats | float, reach: Floats) -> Floats:
    """Give how far intervals [..., end] reach below and above their means [end, mean]; 0 where there is none."""
    return np.nan_to_num(np.abs(np.atleast_2d(reach).T - means), nan=0.0, posinf=0.0)
