"""An environment in which numpy and click are installed, and no other package."""

from fairtrec_made import one_process

_HIDE = """\
import sys
from importlib.machinery import PathFinder

THERE = {"numpy", "click", "fairtrec", *sys.stdlib_module_names}
find_spec = PathFinder.find_spec.__func__


def find_installed(cls, name, path=None, target=None):
    found = find_spec(cls, name, path, target)
    places = "" if found is None else f"{found.origin} {found.submodule_search_locations}"
    return None if name.partition(".")[0] not in THERE and "site-packages" in places else found


PathFinder.find_spec = classmethod(find_installed)
"""


def printed(lines, folder, hidden, **environment):
    """Call fairtrec with lists of arguments, as ``one_process.printed`` does; ``hidden`` is an empty folder."""
    (hidden / "sitecustomize.py").write_text(_HIDE)  # Python imports it when it starts, in each process
    return one_process.printed(lines, folder, hidden, **environment)
