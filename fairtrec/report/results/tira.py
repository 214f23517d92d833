"""The evaluation.prototext of TIRA: a block for each value, in the text format of protocol buffers."""

import re
from collections.abc import Mapping

from fairtrec.errors import STEERING
from fairtrec.evaluation.result import Result
from fairtrec.formats.tsv import ALL
from fairtrec.report.cells import cells, names, rows

_TOLD_APART = re.compile(rf'["\\:\t\n]|{STEERING}')


def tira(result: Result, *, per_query: bool, summary: bool, places: int, parts: Mapping[str, Result]) -> str:
    """Write each run's queries, and its means behind; of several runs, keys begin with the name of the run.

    The key of a mean over a slice ends with the name of the slice.
    """
    blocks: list[str] = []
    for number, (run, scores) in enumerate(zip(names(result), result.scores, strict=True)):
        several = f"{run} " if len(result.scores) > 1 else ""
        lines = [(scores, "", *row) for row in rows(scores, per_query=per_query, summary=summary)]
        sliced = [name for name in parts if summary and name != ALL]
        lines += [(parts[name].scores[number], f" slice {name}", None, "all") for name in sliced]
        for of, part, query, qid in lines:
            for measure, value in zip(of.measures, cells(of, query, places), strict=True):
                told = {"key": f"{several}{measure}{part}", "value": value}
                blocks += [_block(told if query is None else {**told, "query_id": qid})] * bool(value)
    return "".join(blocks)


def _block(told: Mapping[str, str]) -> str:
    lines = "".join(f'  {name}: "{_escaped(text)}"\n' for name, text in told.items())
    return f"measure{{\n{lines}}}\n"


def _escaped(text: str) -> str:
    r"""Write what ends a text or steers a terminal in octal, and the colon, at which TIRA's own reader cuts.

    >>> print(_escaped('a:"b"'))
    a\072\042b\042
    """
    return _TOLD_APART.sub(lambda letter: _octal(letter.group()), text)


def _octal(letter: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))
