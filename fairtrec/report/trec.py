"""The columns of trec_eval: measure, query (``all`` for the mean), value."""

from fairtrec.api import Result
from fairtrec.report import cells


def trec(result: Result, *, per_query: bool, summary: bool, places: int) -> str:
    """Write each run's block of queries, sorted by id, and its means behind."""
    lines: list[str] = []
    for scores in result.scores:
        spelled = list(map(str, scores.measures))
        if per_query:
            for qid, values in zip(scores.qids, scores.values.T, strict=True):
                rows = zip(spelled, cells(scores, values, places), strict=True)
                lines += [f"{name:<22}\t{qid}\t{value:>6}" for name, value in rows]
        if summary:
            lines += [f"{'runid':<22}\tall\t{scores.tag}", f"{'num_q':<22}\tall\t{len(scores.qids)}"]
            rows = zip(spelled, cells(scores, scores.means, places), strict=True)
            lines += [f"{name:<22}\tall\t{value:>6}" for name, value in rows]
    return "".join(f"{line}\n" for line in lines)
