"""``make bench``: run all benchmarks, or those named; the last word is whether all ratios hold.

Commands that are compared run in turn, and a row is the median of five rounds at least, so that all of it takes a
quarter of an hour. Rows of seconds alone (ablate, front, 200 queries of --bounds labels) are of one run. MiB
are those of the largest process of a command. TREC_EVAL names the program trec_eval, FAIRTREC_SHARED a folder with real
runs, FAIRTREC_BENCH where files are made; FAIRTREC_SCALE=1 writes docs/scale.md.
"""

import sys
from importlib import import_module

from benchmarks.timing import missed

ALL = (
    "evaluation", "diversity", "peers", "batch", "rerank", "selection", "ablation", "orders", "trec_fair_2019",
    "counters", "collection_counts", "positions", "debates", "explanation", "front", "counterfactual",
    "unknown", "attributes", "session", "long", "growth", "tables", "frames", "bridge", "comparison", "scale",
    "commands", "gold",
)  # fmt: skip

if {"-h", "--help"} & {*sys.argv[1:]}:
    print(f"{__doc__}\n{' '.join(ALL)}")
    sys.exit()
for name in sys.argv[1:] or ALL:
    print(f"\n{name}: {(import_module(f'benchmarks.{name}').__doc__ or '').strip().splitlines()[0]}")
    import_module(f"benchmarks.{name}").main()
print(f"\n{len(missed)} missed: {', '.join(missed)}" if missed else "\nall ratios hold")
sys.exit(bool(missed))
