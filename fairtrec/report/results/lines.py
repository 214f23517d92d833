"""A line for each value: rows for TSV and CSV, the columns of trec_eval, and the blocks of TIRA's prototext."""

from collections.abc import Iterator, Mapping

from fairtrec.evaluation.answers.aggregates import strip_aggregate
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import DefinedCount
from fairtrec.measure import Quantity
from fairtrec.report.cells import rows as queries_of
from fairtrec.report.records import Row
from fairtrec.report.run_names import shorten_runs
from fairtrec.support.errors import STEERING, plain
from fairtrec.support.late_patterns import compile_late
from fairtrec.support.literals import ALL

_TOLD_APART = compile_late(rf'["\\:\t\n]|{STEERING}')


def rows(result: Result, *, per_query: bool, summary: bool, places: int, parts: Mapping[str, Result]) -> Iterator[Row]:
    """Give a row for each run and query, and of each slice for each run, with the number of queries behind it."""
    yield ["run", "tag", *["slice"] * bool(parts), "qid", "queries", *map(str, result.scores[0].measures)]
    for name, part in (parts or {ALL: result}).items():
        for scores in part.scores:
            several = queries_of(scores, per_query=per_query and name == ALL, summary=summary)
            own = [(row, row) for row, of in scores.other_values.items() if of.place == "row"] * summary
            for query, qid in [*several, *own]:
                many = 1 if isinstance(query, int) else len(scores.qids)
                yield [scores.run, scores.tag, *[name] * bool(parts), qid, many, *scores.spell(query, places)]


def trec(result: Result, *, per_query: bool, summary: bool, places: int, parts: Mapping[str, Result]) -> str:
    """Write each run's block of queries, sorted by id, and its means behind; of several, each after its name.

    The means of a slice stand behind them, with ``slice:`` and its name in the place of ``all``. What was asked for by
    a name of trec_eval has that name; where all was, and by none of a set, runid and num_q are left out.
    """
    lines: list[str] = []
    measures = [measure for measure in result.scores[0].measures if not isinstance(measure, DefinedCount)]
    asked = [getattr(measure, "trec", "") for measure in measures]
    is_bare = all(asked) and not any(getattr(measure, "is_of_set", False) for measure in measures)
    for number, scores in enumerate(result.scores):
        if len(result.scores) > 1 and (per_query or summary):  # tags need not tell runs apart
            lines.append(f"{'run':<22}\tall\t{plain(scores.run)}")
        blocks = [(scores, *row) for row in queries_of(scores, per_query=per_query, summary=summary)]
        for name, part in parts.items() if summary else ():
            if name != ALL:
                of_slice = f"slice:{plain(name)}"
                blocks.append((part.scores[number], None, of_slice))
                blocks += [(part.scores[number], total, f"{total}:{of_slice}") for total in part.scores[number].totals]
        for of, query, qid in blocks:
            if query is None:
                lines += [f"{'runid':<22}\tall\t{scores.tag}"] * (qid == "all" and not is_bare)
                lines += [f"{'num_q':<22}\t{qid}\t{len(of.qids)}"] * (not is_bare and "num_q" not in asked)
            for measure, value in zip(of.measures, of.spell(query, places), strict=True):
                if not value or _is_strange_to_trec_eval(measure, is_mean=query is None):
                    continue
                padded = value if measure.total else value.rjust(6)  # counts are not padded
                name = measure.trec_name(is_mean=query is None)
                lines.append(f"{name or str(measure):<22}\t{qid}\t{padded}")
    return "".join(f"{line}\n" for line in lines)


def _is_strange_to_trec_eval(quantity: Quantity, *, is_mean: bool) -> bool:
    """Tell whether trec_eval prints no such line: the queries behind a mean of its own, or num_q of a single query."""
    if isinstance(quantity, DefinedCount):
        return bool(getattr(quantity.of, "trec", ""))
    of_set = getattr(quantity, "is_of_set", False)
    return bool(of_set) and not is_mean and quantity.trec_name(is_mean=False) == "num_q"


def tira(result: Result, *, per_query: bool, summary: bool, places: int, parts: Mapping[str, Result]) -> str:
    """Write each run's queries, and its means behind; of several runs, keys begin with the name of the run.

    The key of a mean over a slice ends with the name of the slice.
    """
    blocks: list[str] = []
    for number, (run, scores) in enumerate(zip(shorten_runs(result), result.scores, strict=True)):
        several = f"{run} " if len(result.scores) > 1 else ""
        lines = [(scores, "", *row) for row in queries_of(scores, per_query=per_query, summary=summary)]
        sliced = [name for name in parts if summary and name != ALL]
        for each in sliced:
            of_slice = parts[each].scores[number]
            lines.append((of_slice, f" slice {each}", None, "all"))
            lines += [(of_slice, f" slice {each}", total, total) for total in of_slice.totals]
        for of, part, query, qid in lines:
            for measure, value in zip(of.measures, of.spell(query, places), strict=True):
                name: Quantity = measure if query is None else strip_aggregate(measure)
                told = {"key": f"{several}{name}{part}", "value": value}
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
