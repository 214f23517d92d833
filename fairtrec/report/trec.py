"""The columns of trec_eval: measure, query (``all`` for the mean), value."""

from collections.abc import Iterator

from fairtrec.api import Result
from fairtrec.data import Floats
from fairtrec.errors import plain
from fairtrec.evaluation import Scores
from fairtrec.report import cells


def trec(result: Result, *, per_query: bool, summary: bool, places: int) -> str:
    """Write each run's block of queries, sorted by id, and its means behind; of several, each after its name."""
    lines: list[str] = []
    for scores in result.scores:
        if len(result.scores) > 1 and (per_query or summary):  # tags need not tell runs apart
            lines.append(f"{'run':<22}\tall\t{plain(scores.run)}")
        if per_query:
            for qid, values in zip(scores.qids, scores.values.T, strict=True):
                lines += _block(scores, qid, values, places)
        if summary:
            lines += [f"{'runid':<22}\tall\t{scores.tag}", f"{'num_q':<22}\tall\t{len(scores.qids)}"]
            lines += _block(scores, "all", scores.means, places)
    return "".join(f"{line}\n" for line in lines)


def _block(scores: Scores, qid: str, values: Floats, places: int) -> Iterator[str]:
    for measure, value in zip(scores.measures, cells(scores, values, places), strict=True):
        yield f"{measure!s:<22}\t{qid}\t{value if measure.total else value.rjust(6)}"  # counts are not padded
