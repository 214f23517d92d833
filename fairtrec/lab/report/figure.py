"""The figure of a study: the runs by the first measure of utility and the fairness measure, and their front."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from fairtrec.cli.performing import CommandAnswer
from fairtrec.evaluation.answers.result import Result
from fairtrec.measures.utility import find_relevance_rows
from fairtrec.report.cells import compare_means
from fairtrec.report.page import element
from fairtrec.report.page.scatter import FEW, axes, find_front, find_incomparable_runs, svg
from fairtrec.report.run_names import shorten_runs

PLACES = 4


def draw_front(answer: CommandAnswer, fairness: str) -> Iterator[Element]:
    """Draw the runs of eval in two measures, with a line that explains it; nothing for one run or one measure."""
    result = answer.tables[1] if answer.tables is not None else None
    if not isinstance(result, Result) or len(result.scores) < 2:
        return
    names = list(map(str, result.scores[0].measures))
    relevance = sorted(find_relevance_rows(result.scores[0].measures))
    standing = compare_means(result, PLACES)
    drawn = axes(result, standing)
    if fairness not in names or not relevance or relevance[0] not in drawn or names.index(fairness) not in drawn:
        return
    pair = relevance[0], names.index(fairness)
    front = find_front(standing, *pair)
    if not front:
        return
    two = {row: drawn[row] for row in pair}
    called = shorten_runs(result)
    yield svg(two, pair, front, find_incomparable_runs(standing, *pair), called)
    what = f"{names[pair[0]]} and {names[pair[1]]} of each run, in the mean over queries"
    numbers = "; numbers count the runs of the table" * (len(called) > FEW)
    told = f"{what}; filled dots: no other run is better in one of the two and as good in the other{numbers}"
    yield element("p", told, class_="note")
