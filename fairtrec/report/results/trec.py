"""The columns of trec_eval: measure, query (``all`` for the mean), value."""

from collections.abc import Mapping

from fairtrec.errors import plain
from fairtrec.evaluation.result import Result
from fairtrec.formats.tsv import ALL
from fairtrec.report.cells import cells, rows


def trec(result: Result, *, per_query: bool, summary: bool, places: int, parts: Mapping[str, Result]) -> str:
    """Write each run's block of queries, sorted by id, and its means behind; of several, each after its name.

    The means of a slice stand behind them, with ``slice:`` and its name in the place of ``all``. What was asked for by
    a name of trec_eval has that name; where all was, and by none of a set, runid and num_q are left out.
    """
    lines: list[str] = []
    asked = [getattr(measure, "trec", "") for measure in result.scores[0].measures]
    is_bare = all(asked) and not any(getattr(measure, "is_of_set", False) for measure in result.scores[0].measures)
    for number, scores in enumerate(result.scores):
        if len(result.scores) > 1 and (per_query or summary):  # tags need not tell runs apart
            lines.append(f"{'run':<22}\tall\t{plain(scores.run)}")
        blocks = [(scores, *row) for row in rows(scores, per_query=per_query, summary=summary)]
        for name, part in parts.items() if summary else ():
            blocks += [(part.scores[number], None, f"slice:{plain(name)}")] * (name != ALL)
        for of, query, qid in blocks:
            if query is None:
                lines += [f"{'runid':<22}\tall\t{scores.tag}"] * (qid == "all" and not is_bare)
                lines += [f"{'num_q':<22}\t{qid}\t{len(of.qids)}"] * (not is_bare and "num_q" not in asked)
            for measure, value in zip(of.measures, cells(of, query, places), strict=True):
                if not value:
                    continue
                padded = value if measure.total else value.rjust(6)  # counts are not padded
                lines.append(f"{getattr(measure, 'trec', '') or str(measure):<22}\t{qid}\t{padded}")
    return "".join(f"{line}\n" for line in lines)
