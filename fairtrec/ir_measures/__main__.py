"""``python -m fairtrec.ir_measures QRELS RUN MEASURE...``: what ir_measures prints, of our measures, too."""

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures

from fairtrec.ir_measures import parse
from fairtrec.support.errors import FairtrecError, InputError

ALL, PLACES = "all", 4


def _qrels(name: str) -> Any:
    """Read judgments: a file, or an ir_datasets id where there is none."""
    if os.path.exists(name):  # noqa: PTH110
        return ir_measures.read_trec_qrels(name)
    from fairtrec.formats import datasets

    return list(datasets.judgments(name))


def _finite(path: str) -> Iterator[Any]:
    """Read a run. Raises InputError for the line of a score that ranks nothing."""
    for entry in ir_measures.read_trec_run(path):
        if not math.isfinite(entry.score):
            cells = map(str.split, Path(path).read_text("utf-8").splitlines())
            line = next(at for at, row in enumerate(cells, 1) if len(row) > 4 and not math.isfinite(float(row[4])))
            raise InputError(f"the score {entry.score} is not a finite number; correct it", path, line)
        yield entry


def _values(asked: argparse.Namespace) -> Iterator[Any]:
    if not os.path.exists(asked.run):  # noqa: PTH110
        raise InputError("there is no such file; check the name", asked.run)
    measures = list(dict.fromkeys(parse(" ".join(asked.measures))))
    qrels, run = _qrels(asked.qrels), _finite(asked.run)
    if not asked.by_query:
        found = ir_measures.calc_aggregate(measures, qrels, run)
        yield from (ir_measures.Metric(ALL, measure, found[measure]) for measure in measures)
        return
    sums = {measure: measure.aggregator() for measure in measures}
    for value in ir_measures.iter_calc(measures, qrels, run):
        sums[value.measure].add(value.value)
        yield value
    if not asked.no_summary:
        yield from (ir_measures.Metric(ALL, measure, sums[measure].result()) for measure in measures)


def _line(value: Any, asked: argparse.Namespace) -> str:
    own = {"query_id": value.query_id} if asked.by_query else {}
    if asked.output_format == "jsonl":
        return json.dumps({**own, "measure": str(value.measure), "value": value.value})
    number = f"{value.value:{'' if asked.places == -1 else f'.{asked.places}f'}}"
    return "\t".join([*own.values(), str(value.measure), number])


def main(arguments: list[str] | None = None) -> int:
    """Print values; what is wrong is one line, and the exit code is that of ``fairtrec``."""
    parser = argparse.ArgumentParser(prog="python -m fairtrec.ir_measures", description=__doc__)
    parser.add_argument("qrels")
    parser.add_argument("run")
    parser.add_argument("measures", nargs="+")
    parser.add_argument("--places", "-p", type=int, default=PLACES)
    parser.add_argument("--by_query", "-q", action="store_true")
    parser.add_argument("--no_summary", "-n", action="store_true")
    parser.add_argument("--output_format", "-o", choices=["tsv", "jsonl"], default="tsv")
    asked = parser.parse_args(arguments)
    if asked.no_summary and not asked.by_query:
        parser.error("--no_summary (-n) leaves nothing without --by_query (-q)")
    try:
        for value in _values(asked):
            sys.stdout.write(f"{_line(value, asked)}\n")
    except FairtrecError as fault:
        sys.stderr.write(f"{fault}\n")
        return fault.exit_code
    except (ValueError, OSError) as fault:  # what its readers of files fall over
        sys.stderr.write(f"{asked.run}: ir_measures cannot read this: {' '.join(str(fault).split())}\n")
        return InputError.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
