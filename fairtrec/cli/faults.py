"""What ends a command: a failure of the machine, or a fault of fairtrec or of a package that adds a command."""

import re
import sys
from collections.abc import Iterator
from os import path as paths
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OUR_GROUPS = "fairtrec."  # of entry points: measures, commands, ...
OURS = paths.join(paths.dirname(paths.dirname(paths.abspath(__file__))), "")  # noqa: PTH100, PTH118, PTH120


class SystemFailure(NamedTuple):
    """What the machine could not do, by its number, and the path that it was asked for; "" if nobody says."""

    errno: int
    path: str


def list_failures(fault: BaseException) -> list[SystemFailure]:
    """List the failures of the machine behind an exception: its own first, then those that a library wraps.

    A library may pass one on as the cause, raise its own exception while it cleans up, or keep only the text, as shutil
    does.

    >>> import shutil
    >>> list_failures(shutil.Error([("a", "b", "[Errno 28] No space left on device: 'b'")]))
    [SystemFailure(errno=28, path='')]
    """
    found: list[SystemFailure] = []
    seen: set[int] = set()
    waiting: list[object] = [fault]
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, list | tuple):
            waiting += each
        elif isinstance(each, str):
            found += [SystemFailure(int(number), "") for number in re.findall(r"^\[Errno (\d{1,4})\] ", each)]
        elif isinstance(each, BaseException) and id(each) not in seen:
            seen.add(id(each))
            if isinstance(each, OSError) and each.errno is not None:
                found.append(SystemFailure(each.errno, str(each.filename or "")))
            elif isinstance(each, OSError):
                waiting += each.args
            waiting += [each.__cause__, each.__context__]
    return found


def find_plugin(fault: BaseException) -> str:
    """Name the plug-in that a fault passed through, and its package; "" if there is none.

    A command of another package calls fairtrec, so it is to blame only for what is raised in its own code.
    """
    passed = [*_passed(fault)]
    found = [(kind, point) for kind, point in _announced() if any(_holds(point, file) for file in passed)]
    for kind, point in sorted(found, key=lambda each: _file_of(each[1].module) not in passed):
        last = next(file for file in reversed(passed) if file.startswith(OURS) or _holds(point, file))
        if kind != "command" or not last.startswith(OURS):
            package = "" if point.dist is None else f" of the package {point.dist.name} {point.dist.version}"
            return f"the {kind} {point.name}{package}"
    return ""


def _passed(fault: BaseException) -> Iterator[str]:
    """Give the files that a fault passed through, that where it was raised last; in another process, too."""
    trace = fault.__traceback__
    while trace is not None:
        yield paths.abspath(trace.tb_frame.f_code.co_filename)  # noqa: PTH100
        trace = trace.tb_next
    if fault.__cause__ is not None:
        yield from re.findall(r'^ *File "(.*?)", line \d+', str(fault.__cause__), re.MULTILINE)
        yield from _passed(fault.__cause__)


def _announced() -> Iterator[tuple[str, "EntryPoint"]]:
    """Give the plug-ins that are loaded, and what each is."""
    try:
        from importlib.metadata import entry_points
    except ImportError:  # the fault itself may be that no memory is left for a library
        return
    for group in sorted(each for each in entry_points().groups if each.startswith(OUR_GROUPS)):
        for point in entry_points(group=group):
            if point.module in sys.modules and point.module.partition(".")[0] != "fairtrec":
                yield group.removeprefix(OUR_GROUPS).removesuffix("s"), point


def _file_of(module: str) -> str:
    """Give the file of a module that is loaded, "" where it has none."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return "" if file is None else paths.abspath(file)  # noqa: PTH100


def _holds(point: "EntryPoint", file: str) -> bool:
    """Tell whether a file is the plug-in's module, or one of its package."""
    top = point.module.partition(".")[0]
    begun = _file_of(top)
    folder = paths.join(paths.dirname(begun), "")  # noqa: PTH118, PTH120
    is_package = begun != "" and hasattr(sys.modules.get(top), "__path__")
    return file == _file_of(point.module) or (is_package and file.startswith(folder))
