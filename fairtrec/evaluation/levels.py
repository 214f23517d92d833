"""From which grade on a document is relevant, where measures know only that it is, or is not."""

from collections.abc import Sequence

from fairtrec.data import Qrels
from fairtrec.measure import Measure
from fairtrec.measures.utility import Utility


def remark_on(measures: Sequence[Measure], qrels: Qrels | None) -> list[str]:
    """Say that grade 1 counts for measures of which no level was given, where there are higher grades."""
    binary = [str(each) for each in measures if isinstance(each, Utility) and each.takes_any_grade]
    most = int(qrels.grades.max(initial=0)) if qrels is not None and binary else 0
    if most < 2:
        return []
    return [f"{', '.join(binary)}: relevant is from grade 1 on, of grades up to {most}; -l sets another"]
