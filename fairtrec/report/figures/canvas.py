"""What all figures share: the size of a column, the look of a run, and how a figure becomes the bytes of a file."""

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

from fairtrec.errors import ResourceError, UsageError
from fairtrec.literals import PaperColumns

FORMATS = "pdf", "svg", "pgf", "png"
WIDTHS = {"1": 3.33, "2": 7.0}  # inches: a column, and both with the gap, of the usual paper in two columns
COLOURS = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"  # told apart by the colour-blind
MARKERS = "o", "s", "^", "D", "v", "P", "X"
LINES = "-", "--", "-.", ":"
LOOK = {
    "font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7, "xtick.labelsize": 7, "ytick.labelsize": 7,
    "axes.linewidth": 0.6, "lines.linewidth": 1.0, "lines.markersize": 4, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.linewidth": 0.4, "grid.color": "#dddddd",
    "axes.axisbelow": True, "legend.frameon": False, "figure.dpi": 200, "savefig.dpi": 300, "pdf.fonttype": 42,
    "svg.hashsalt": "fairtrec", "svg.fonttype": "none", "axes.formatter.useoffset": False, "text.parse_math": False,
    "pgf.rcfonts": False,
}  # fmt: skip
MOST = 24  # panels, or runs that a legend names


@contextmanager
def look() -> Iterator[None]:
    """Draw and write as papers want it. Raises ResourceError where matplotlib is not installed."""
    import logging

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # which has much to say where it has no home
    try:
        import matplotlib as mpl
    except ImportError:
        raise ResourceError("figures need matplotlib; run: pip install 'fairtrec[plot]'") from None
    wanted: Any = {**mpl.rcParamsDefault, **LOOK, "backend": "agg"}  # whatever the user's matplotlibrc says
    with mpl.rc_context(wanted):
        yield


def panels(names: Sequence[str], columns: PaperColumns, height: float = 2.1) -> tuple[Any, list[Any]]:
    """Make a figure with a panel for each name, as many beside each other as the width allows."""
    from matplotlib.figure import Figure

    if len(names) > MOST:
        raise UsageError(f"{len(names)} panels are too many for a figure; name fewer runs or measures")
    across = min(len(names), 1 if columns == "1" else 3)
    down = math.ceil(len(names) / across)
    figure = Figure(figsize=(WIDTHS[columns], height * down + 0.35), layout="constrained")
    drawn = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for axes, name in zip(drawn, [*names, *[""] * len(drawn)], strict=False):
        axes.set_title(name)
    for axes in drawn[len(names) :]:
        axes.set_axis_off()
    return figure, drawn[: len(names)]


def style(number: int) -> Mapping[str, Any]:
    """Give a run its colour, marker and line, which no other of the first 28 has together."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    return {"color": colour, "marker": marker, "linestyle": LINES[number // len(COLOURS) % len(LINES)]}


def legend(figure: Any, axes: Any) -> None:
    """Name the runs below all panels."""
    lines, names = axes.get_legend_handles_labels()
    if len(names) > MOST:
        raise UsageError(f"{len(names)} runs are too many to tell apart; name at most {MOST}")
    width = figure.get_figwidth() * 72 / (4.2 * max(map(len, names)) + 30)
    figure.legend(lines, names, loc="outside lower center", ncols=max(1, min(len(names), int(width))))


def kind_of(name: str | PurePath) -> str:
    """Tell the format of a figure by the ending of its file. Raises UsageError for another."""
    ending = PurePath(name).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise UsageError(f"{name} has the ending of no figure; end it in .{', .'.join(FORMATS)}")
    return ending


def written(figure: Any, form: str) -> bytes:
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
