"""``make bench``: run all benchmarks, or those named; the last word is whether all ratios hold.

Commands that are compared run in turn, and a row is the median of five rounds at least, so that all of it takes a
quarter of an hour. Rows of seconds alone (ablate, headroom, 200 queries of --bounds labels) are of one run. MiB
are those of the largest process of a command. FAIRTREC_SHARED names a folder with real runs, FAIRTREC_BENCH where files
are made; FAIRTREC_SCALE=1 writes docs/scale.md. TREC_EVAL names the program trec_eval. Its Makefile compiles without
optimization, and bounds are to a build with it: make CFLAGS='-g -O2 -I. -DVERSIONID=\\"$(VERSIONID)\\"'.
The benchmark of one command alone may lie with its tests, in tests/commands/NAME or tests/lab/NAME: benchmark.py.
"""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from benchmarks.timing import missed
from fairtrec_made.command_trials import ROOMS

OWN = {path.parent.name: path for room in ROOMS for path in sorted(room.rglob("benchmark.py"))}
ALL = (
    "evaluation", "diversity", "peers", "batch", *OWN, "orders", "trec_fair_2019",
    "counters", "collection_counts", "stances", "debates", "counterfactual",
    "unknown", "attributes", "session", "long", "growth", "tables", "frames", "bridge", "comparison", "scale",
    "commands", "gold", "retrievability", "clusters", "chance",
)  # fmt: skip


def load(name: str) -> ModuleType:
    """Import a benchmark: that of a command lies with its tests."""
    if name not in OWN:
        return import_module(f"benchmarks.{name}")
    spec = spec_from_file_location(f"benchmark_{name}", OWN[name])
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if {"-h", "--help"} & {*sys.argv[1:]}:
    print(f"{__doc__}\n{' '.join(ALL)}")
    sys.exit()
for name in sys.argv[1:] or ALL:
    module = load(name)
    print(f"\n{name}: {(module.__doc__ or '').strip().splitlines()[0]}")
    module.main()
print(f"\n{len(missed)} missed: {', '.join(missed)}" if missed else "\nall ratios hold")
sys.exit(bool(missed))
