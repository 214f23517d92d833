"""JSON: every value in full precision, null where it is undefined, "Infinity" or "-Infinity" where it is that (JSON has
no such number); nested with all that tells where it came from, or as one object a line.
"""

import json as json_module
import math
from collections.abc import Iterator
from typing import Any

from fairtrec.api import Result
from fairtrec.evaluation import Scores
from fairtrec.version import __version__


def jsonl(result: Result, *, per_query: bool, summary: bool, places: int) -> str:  # noqa: ARG001
    """Write one object for each value."""
    return "".join(f"{_line(value)}\n" for value in _values(result, per_query=per_query, summary=summary))


def _line(value: Any) -> str:
    return json_module.dumps(value, ensure_ascii=False, allow_nan=False)


def _values(result: Result, *, per_query: bool, summary: bool) -> Iterator[dict[str, Any]]:
    for scores in result.scores:
        common = {"run": scores.run, "tag": scores.tag}
        for row, measure in enumerate(scores.measures):
            if per_query:
                for qid, value in zip(scores.qids, scores.values[row].tolist(), strict=True):
                    yield {**common, "measure": str(measure), "qid": qid, "value": number(value)}
            if summary:
                mean, many = number(float(scores.means[row])), int(scores.defined[row])
                yield {**common, "measure": str(measure), "qid": "all", "value": mean, "n": many}


def number(value: float) -> float | str | None:
    """Give a value as JSON can hold it."""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return None if math.isnan(value) else value


def json(result: Result, *, per_query: bool, summary: bool, places: int) -> str:  # noqa: ARG001
    """Write one object with the runs, the measures, the signature and the digest of every input."""
    measures = {
        str(measure): {"better": measure.better, "aggregate": "sum" if measure.total else "mean"}
        for measure in result.scores[0].measures
    }
    document = {
        "fairtrec": __version__,
        "signature": result.signature,
        "inputs": {part: {"path": result.files[part][0], "sha256": digest} for part, digest in result.digests.items()},
        "options": dict(result.options),
        "notes": list(result.notes),
        "measures": measures,
        "runs": [_run(scores, per_query=per_query, summary=summary) for scores in result.scores],
    }
    return json_module.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _run(scores: Scores, *, per_query: bool, summary: bool) -> dict[str, Any]:
    spelled = list(map(str, scores.measures))
    run: dict[str, Any] = {"run": scores.run, "tag": scores.tag, "num_q": len(scores.qids)}
    run["remarks"] = list(scores.remarks)
    if summary:
        means = zip(spelled, scores.means.tolist(), scores.defined.tolist(), strict=True)
        run["means"] = {name: {"value": number(value), "n": many} for name, value, many in means}
    if per_query:
        run["queries"] = {
            qid: {name: number(value) for name, value in zip(spelled, values, strict=True)}
            for qid, values in zip(scores.qids, scores.values.T.tolist(), strict=True)
        }
    return run
