"""``make bench``: run all benchmarks, or those named; the last word is whether all ratios hold."""

import sys
from importlib import import_module

from benchmarks.timing import missed

ALL = (
    "evaluation", "batch", "rerank", "selection", "ablation", "orders", "trec_fair_2019", "counters", "annotate",
    "trace", "positions", "debates", "explanation", "frontier", "counterfactual", "unknown", "frames",
    "bridge", "comparison",
)  # fmt: skip

for name in sys.argv[1:] or ALL:
    print(f"\n{name}: {(import_module(f'benchmarks.{name}').__doc__ or '').strip().splitlines()[0]}")
    import_module(f"benchmarks.{name}").main()
print(f"\n{len(missed)} missed: {', '.join(missed)}" if missed else "\nall ratios hold")
sys.exit(bool(missed))
