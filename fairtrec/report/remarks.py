"""What a reader should know beside the numbers."""

from collections.abc import Iterator, Mapping

from fairtrec.data.parameters import Parameters
from fairtrec.evaluation.result import Result
from fairtrec.measure import Remark
from fairtrec.report import ceilings
from fairtrec.report.cells import listed, names


def footnotes(result: Result) -> list[str]:
    """List what a reader should know beside the numbers: what is missing or undefined, and last the signature."""
    said: dict[Remark, list[int]] = {}  # the runs that it is true of, by their places
    for place, scores in enumerate(result.scores):
        for measure, defined in zip(scores.measures, scores.defined.tolist(), strict=True):
            if defined < len(scores.qids):
                remark = Remark("defined for {} of {} queries", (defined, len(scores.qids)), measure)
                said.setdefault(remark, []).append(place)
        for remark in scores.remarks:
            said.setdefault(remark, []).append(place)
    together: dict[tuple[str, tuple[int, ...]], list[str]] = {}  # said of several measures: in one line
    for of_which, what, runs in summed_up(said) if said else ():
        together.setdefault((what, tuple(runs)), []).append("" if of_which is None else str(of_which))
    lines = [
        *result.notes,
        *(_uneven(result) if len(result.scores) > 1 else ()),
        *(_same(result) if result.same else ()),
    ]
    for (what, of), measures in together.items():
        line = f"{', '.join(measures)}: {what}" if measures != [""] else what
        if len(of) < len(result.scores):
            called = names(result)
            line = f"{line} ({listed([called[place] for place in of])})"
        lines.append(line)
    lines += ceilings.remarks(result)
    if any(scores.ties for scores in result.scores):
        from fairtrec.report.tied import notes

        lines += notes(result)
    if any(scores.unknown for scores in result.scores):
        from fairtrec.report import unknown

        lines += unknown.notes(result)
    return [*lines, str(result.signature)]


def summed_up(said: Mapping[Remark, list[int]]) -> Iterator[tuple[Parameters | None, str, list[int]]]:
    """Say in one line what differs from run to run by its numbers alone, from the least to the greatest."""
    alike: dict[tuple[Parameters | None, str], list[Remark]] = {}
    for remark in said:
        alike.setdefault((remark.measure, remark.words), []).append(remark)
    for (measure, _), remarks in alike.items():
        if len(remarks) <= 3:
            yield from ((measure, remark.filled(remark.numbers), said[remark]) for remark in remarks)
        else:
            columns = zip(*(remark.numbers for remark in remarks), strict=True)
            ranges = [str(min(each)) if min(each) == max(each) else f"{min(each)} to {max(each)}" for each in columns]
            yield measure, remarks[0].filled(ranges), [run for remark in remarks for run in said[remark]]


def _same(result: Result) -> list[str]:
    """Say which runs have the same rankings, as failed rerankings have those of their first stage."""
    called = dict(zip((scores.run for scores in result.scores), names(result), strict=True))
    several = [[called[run] for run in runs if run in called] for runs in result.same]
    told = "; ".join(listed(runs) for runs in several if len(runs) > 1)
    what = "the same documents in the same order for all queries, as deep as is measured (100 at most)"
    return [f"{what}: {told}"] if told else []


def _uneven(result: Result) -> list[str]:
    """Say which runs lack queries that another run has, so that their means are over others."""
    every = set().union(*(scores.qids for scores in result.scores))
    lacking = {name: s for name, s in zip(names(result), result.scores, strict=True) if len(s.qids) < len(every)}
    if not lacking:
        return []
    few = sorted({len(scores.qids) for scores in lacking.values()})
    many = f"{few[0]}" if len(few) == 1 else f"{few[0]} to {few[-1]}"
    what = f"means over {many} of the {len(every)} queries of all runs"
    ways = "-c counts the rest as empty rankings, --queries common evaluates those that every run has"
    return [f"{what}: {listed(list(lacking))} ({ways})"]
