"""What a reader may write about a study, and what not: sentences made from the verdicts and doubts of its parts.

A question that the data answer gives a sentence to write, with the numbers that the answer rests on. One that they do
not answer gives a sentence not to write, with the reason.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import nan
from typing import Any, NamedTuple

from fairtrec.report.cells import listed, write_difference, write_interval, write_needed, write_number, write_p
from fairtrec.report.markup import begin_sentence
from fairtrec.report.result_notes import is_order_reliable
from fairtrec.report.row_answers import TESTS, name_corrected_p
from fairtrec.report.run_names import map_names
from fairtrec.statistics.doubt import DECIDING
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.literals import ALL
from fairtrec.support.notes import join_words, write_queries

PLACES = 4
SAME = 1e-9  # what is less far apart is the same
FEW = 6  # runs that differ from a baseline by one measure, each with a sentence of its own
SHOWN = ("better", "worse", "higher", "lower")
OPEN = {  # by part, what it leaves open
    "bounds ties": "ties",
    "bounds labels": "unlabeled documents",
    "bounds texts": "documents without a text or counts",
}
Record = Mapping[str, Any]  # of a part, as JSON has it


class Claim(NamedTuple):
    """A sentence of a part: one to write, or one not to write."""

    part: str
    text: str
    is_shown: bool

    @classmethod
    def write(cls, part: str, text: str) -> "Claim":
        """Give a sentence to write."""
        return cls(part, text, is_shown=True)

    @classmethod
    def refuse(cls, part: str, text: str) -> "Claim":
        """Give a sentence not to write: what it would say, and why not."""
        return cls(part, text, is_shown=False)


def list_claims(records: Mapping[str, Record], fairness: str) -> list[Claim]:
    """List the sentences that the records of the parts allow, and those that they do not.

    ``fairness`` is the measure that the study is about.
    """
    listers: dict[str, Callable[[Record], Iterator[Claim]]] = {  # in the order of the sentences
        "compare": _claim_differences,
        "eval": lambda record: _claim_values(record) if len(record["runs"]) == 1 else _claim_order(record),
        "gold": _claim_corrections,
        "headroom": _claim_headroom,
        "bounds orders": lambda record: _claim_chance(record, fairness),
        **{name: partial(_claim_bounds, name) for name in OPEN},
        "validate": _claim_faults,
    }
    listers |= {name: partial(_claim_variants, name) for name, record in records.items() if "variants" in record}
    return [claim for name, listing in listers.items() if name in records for claim in listing(records[name])]


class OpenMean(NamedTuple):
    """A mean that is left open, over ``defined`` queries, and its ends, which may be over more."""

    value: float
    least: float
    greatest: float
    run: str  # the short name
    defined: int
    bounded: int

    @classmethod
    def read(cls, mean: Record, run: str) -> "OpenMean":
        """Read a mean of a record."""
        defined = mean["defined"]
        ends = (mean["value"], mean["least"], mean["greatest"])
        return cls(*ends, run, defined, mean.get("with_bounds", defined))

    def count_behind(self) -> tuple[str, str]:
        """Say over how many queries the value is and over how many the ends are; nothing if these are the same."""
        if self.defined == self.bounded:
            return "", ""
        return f" over {write_queries([self.defined])}", f" over {self.bounded}"


def find_widest(record: Record) -> dict[str, OpenMean]:
    """Find by measure the run that is left open most; none if none is."""
    found, runs = {}, _name_runs(record)
    for measure in record["measures"]:
        means = [(run["means"][measure], name) for name, run in runs]
        several = [OpenMean.read(mean, name) for mean, name in means if has_ends(mean)]
        if several:
            widest = max(several, key=lambda each: each.greatest - each.least)
            if round(widest.greatest - widest.least, PLACES):
                found[measure] = widest
    return found


def has_ends(mean: Record) -> bool:
    """Tell whether a mean has a value and both ends."""
    return all(isinstance(mean.get(end), int | float) for end in ("value", "least", "greatest"))


def _name_runs(record: Record) -> list[tuple[str, Record]]:
    names = map_names(run["run"] for run in record["runs"])
    return [(names[run["run"]], run) for run in record["runs"]]


def _find_notes(record: Record, kind: str) -> list[Record]:
    return [note for note in record["notes"] if note["kind"] == kind]


def _write_ends(mean: Record) -> str:
    """Write the interval of a mean."""
    return f"[{', '.join(write_number(mean[end], PLACES) for end in ('low', 'high'))}]"


def _claim_faults(record: Record) -> Iterator[Claim]:
    """Refuse every value as long as a run file has errors."""
    faulty = [name for name, run in _name_runs(record) if run["errors"]]
    if faulty:
        yield Claim.refuse("validate", f"any value of {listed(faulty)}: the file has errors; repair it first")


def _claim_values(record: Record) -> Iterator[Claim]:
    """Give the values of the only run, with which nothing is compared."""
    ((name, run),) = _name_runs(record)
    doubtful = []
    for measure, mean in run["means"].items():
        if mean["value"] is None:
            continue
        value = f"{name} has {measure} {write_number(mean['value'], PLACES)}"
        interval = "" if None in (mean.get("low"), mean.get("high")) else _write_ends(mean)
        if interval and mean.get("doubtful"):
            doubtful.append(f"{interval} for {measure}")
        elif interval:
            value += f", 95% interval {interval}"
        yield Claim.write("eval", f"{value}, in the mean over {write_queries([mean['defined']])}.")
    if doubtful:
        why = f"fewer than {DECIDING} values differ from the most frequent one, so the interval is too narrow (?)"
        yield Claim.refuse("eval", f"the 95% interval {join_words(doubtful, 'or')}: {why}.")
    yield from _claim_skewness("eval", record, "95%", f"of {len(run['means'])} means")
    alone = "there is one run, and nothing to compare it with"
    yield Claim.refuse("eval", f"that {name} is better or worse than another system: {alone}.")


def _claim_order(record: Record) -> Iterator[Claim]:
    """Say whether the order of the runs can be relied on."""
    for note in _find_notes(record, "verdict"):
        numbers, measure = note["numbers"], note["measure"]
        reliability, queries = numbers.get("reliability"), numbers["queries"]
        if reliability is None:
            continue
        many = queries if isinstance(queries, list) else [queries]
        order = f"the order of the runs by {measure}"
        told = f"reliability {write_number(reliability, 3)} over {write_queries(many)}"
        if is_order_reliable(reliability, max(many)):
            yield Claim.write("eval", begin_sentence(f"{order} is reliable: {told}."))
            continue
        needed = f"; 0.95 takes {write_needed(numbers['needed'])} queries" if numbers["needed"] > max(many) else ""
        yield Claim.refuse("eval", f"that {order} would hold for other queries: {told}{needed}.")


def _claim_bounds(part: str, record: Record) -> Iterator[Claim]:
    """Say what ties, labels or texts leave open, and where that hides which run is better."""
    what, means = OPEN[part], [run["means"] for run in record["runs"]]
    widest = find_widest(record)
    open_ = [
        f"{measure} of {each.run} between {write_number(each.least, PLACES)} and {write_number(each.greatest, PLACES)}"
        for measure, each in widest.items()
    ]
    bounded = [measure for measure in record["measures"] if any(has_ends(each[measure]) for each in means)]
    if open_:
        yield Claim.write(part, begin_sentence(f"{what} leave these means open most: {'; '.join(open_)}."))
    elif bounded:
        least = write_number(10**-PLACES, PLACES)
        text = f"{what} change no mean {join_words(bounded, 'or')} by {least} or more."
        yield Claim.write(part, begin_sentence(text))
    overlapping = [note["measure"] for note in _find_notes(record, "overlapping bounds")]
    whatever = f"the {what}"
    if part == "bounds ties":  # of which no note says so
        overlapping = [measure for measure in widest if _overlaps(record, measure)]
        whatever = "the order of ties"
    if overlapping:
        which = f"which run is better by {join_words(overlapping, 'or')}, whatever {whatever}"
        yield Claim.refuse(part, f"{which}: the bounds of some runs overlap.")


def _overlaps(record: Record, measure: str) -> bool:
    """Tell whether the bounds of two runs overlap, and not both are closed, by a measure that is not of sizes."""
    if record["measures"][measure]["better"] not in ("higher", "lower"):
        return False
    means = [run["means"][measure] for run in record["runs"] if has_ends(run["means"][measure])]
    ends = [(mean["least"], mean["greatest"]) for mean in means]
    return any(
        one[0] <= other[1] and other[0] <= one[1] and max(one[1] - one[0], other[1] - other[0]) > SAME
        for one, other in combinations(ends, 2)
    )


def _claim_chance(record: Record, fairness: str) -> Iterator[Claim]:
    """Compare the order of each run with a random order of the same documents, by the fairness measure."""
    if fairness not in record["measures"]:
        return
    end = {"higher": "greatest", "lower": "least"}.get(record["measures"][fairness]["better"])
    notes = [note for note in _find_notes(record, "near or below chance") if note["measure"] == fairness]
    noted = {run for note in notes for run in note["runs"]}
    above, below = [], []
    for name, run in _name_runs(record):
        mean = run["means"][fairness]
        if end is None or mean.get("skill") is None:
            continue
        value, expected, best = (write_number(mean[each], PLACES) for each in ("value", "expected", end))
        told = f"{name} {value}, a random order of its documents {expected}"
        if run["run"] in noted:
            below.append(f"{told} (skill {write_difference(mean['skill'], 3)})")
        else:
            above.append(f"{told}, the best {best} (skill {write_difference(mean['skill'], 3)})")
    if above:
        text = f"By {fairness}, against the other orders of the documents: {'; '.join(_cut(above))}."
        yield Claim.write("bounds orders", text)
    if below:
        text = f"that these orders are fairer than chance by {fairness}: {'; '.join(_cut(below))}."
        yield Claim.refuse("bounds orders", text)


def _cut(told: Sequence[str]) -> list[str]:
    """Cut a list for a sentence."""
    return [*told[:FEW], *[f"and {len(told) - FEW} more runs"] * (len(told) > FEW)]


def _claim_differences(record: Record) -> Iterator[Claim]:
    """Say what each comparison shows, and what none shows."""
    how, names = Procedure(**record["procedure"]), map_names(run["run"] for run in record["runs"])
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for row in record["rows"]:
        groups.setdefault((row["against"], row["measure"], row["slice"]), []).append(row)
    ceilings = {note["measure"] for note in _find_notes(record, "ceiling")}
    for (_, measure, part), rows in groups.items():
        by = measure if part == ALL else f"{measure} in {part}"
        yield from _claim_shown(rows, names, by, how, record["family"])
        if hidden := [row for row in rows if row["verdict"] == "not shown"]:
            text = _write_hidden(hidden, names, by, how, is_at_ceiling=measure in ceilings)
            yield Claim.refuse("compare", text)
        if untested := [names[row["run"]] for row in rows if row["verdict"] == "not tested"]:
            whose = f"{join_words(_cut(untested))} compares with {names[rows[0]['against']]}"
            yield Claim.refuse("compare", f"how {whose} in {by}: no test was possible.")
    yield from _claim_skewness("compare", record, how.percent, f"of {len(record['rows'])} differences")


def _claim_shown(
    rows: Sequence[Record], names: Mapping[str, str], by: str, how: Procedure, family: str
) -> Iterator[Claim]:
    """Write the differences from a baseline that are shown by one measure, but those that are doubtful."""
    shown = [row for row in rows if row["verdict"] in SHOWN]
    sure = [row for row in shown if not row["doubtful"]]
    for row in sure[:FEW]:
        yield Claim.write("compare", _write_difference(row, names, by, how, family))
    if len(sure) > FEW:
        rest = f"{len(sure) - FEW} more runs differ from {names[rows[0]['against']]} in {by}"
        yield Claim.write("compare", f"{rest}; the table has their numbers.")
    for row in shown:
        if row["doubtful"]:
            yield Claim.refuse("compare", _write_doubtful(row, names, by, how))


def _claim_skewness(part: str, record: Record, percent: str, of: str) -> Iterator[Claim]:
    """Say how many intervals cover less than they say, as values are skewed."""
    if skewed := _find_notes(record, "skewed"):
        by, many = join_words([note["measure"] for note in skewed]), skewed[0]["numbers"]["intervals"]
        why = f"skewed values make {many} {of} ({by}) less certain than their intervals say"
        yield Claim.refuse(part, f"that each {percent} interval covers {percent}: {why}.")


def _describe_difference(row: Record, name: str, against: str, by: str) -> str:
    """Describe how a run differs, in the words of the measure's direction."""
    verdict, better = row["verdict"], row["better"]
    if better == "nearer 0":
        return f"{name} has {by} {'nearer to' if verdict == 'better' else 'farther from'} 0 than {against}"
    high = {"higher": "better", "lower": "worse"}.get(better, "higher")
    return f"{name} has a {'higher' if verdict == high else 'lower'} {by} than {against}"


def _get(row: Record, name: str) -> float:
    """Get a number of a row; nan if it has none. The difference is the tested one, which gold labels may correct."""
    if name == "difference" and row.get("corrected") is not None:
        name = "corrected"
    return nan if row[name] is None else float(row[name])


def _write_p(row: Record, how: Procedure) -> str:
    return f"{name_corrected_p(how)} {write_p(_get(row, 'p_corrected'), PLACES)}"


def _write_interval(row: Record) -> str:
    return write_interval((_get(row, "low"), _get(row, "high")), PLACES)


def _write_difference(row: Record, names: Mapping[str, str], by: str, how: Procedure, family: str) -> str:
    """Write a difference that is shown, with all that it rests on."""
    what = _describe_difference(row, names[row["run"]], names[row["against"]], by)
    sizes = "mean absolute value " * (row["compared"] == "absolute value")
    means = " against ".join(write_number(_get(row, name), PLACES) for name in ("mean", "baseline"))
    difference = f"difference {write_difference(_get(row, 'difference'), PLACES)}"
    interval = f"{how.percent} interval {_write_interval(row)}"
    test = f"{_write_p(row, how)} ({TESTS[how.test]}; {family.partition(':')[0]})"
    return f"{what}: {sizes}{means}, {difference}, {interval}, {test}, {write_queries([row['queries']])}."


def _write_doubtful(row: Record, names: Mapping[str, str], by: str, how: Procedure) -> str:
    """Write a difference that rests on too few values."""
    what = _describe_difference(row, names[row["run"]], names[row["against"]], by)
    told = f"{write_difference(_get(row, 'difference'), PLACES)}, {_write_p(row, how)}"
    few = f"only {row['deciding']} of {row['queries']} differences differ from the most frequent one"
    return f"that {what} ({told}): {few}, too few to trust the interval and p (?)."


def _write_hidden(
    rows: Sequence[Record], names: Mapping[str, str], by: str, how: Procedure, *, is_at_ceiling: bool
) -> str:
    """Write what no comparison shows, of all runs by one measure."""
    told = [
        f"{names[row['run']]} ({write_difference(_get(row, 'difference'), PLACES)} {_write_interval(row)}, "
        f"{_write_p(row, how)})"
        for row in rows[:FEW]
    ]
    told += [f"{len(rows) - FEW} more runs"] * (len(rows) > FEW)
    over = write_queries({row["queries"] for row in rows})
    size = "the size of " * (rows[0]["compared"] == "absolute value")
    what = f"{join_words(told, 'or')} differs from {names[rows[0]['against']]} in {size}{by}"
    ceiling = ", and most rankings of a run have the best value (ceiling)" * is_at_ceiling
    return f"that {what}, or that they are equal: {over} do not show a difference{ceiling}."


def name_fairness(record: Record) -> str:
    """Name the fairness of headroom: the measure, or the size of its values."""
    return "the size of " * bool(_find_notes(record, "absolute values")) + str(record["fairness"])


def _claim_headroom(record: Record) -> Iterator[Claim]:
    """Say how much fairer the runs could be at no loss of utility."""
    by, utility, gains, still = name_fairness(record), record["utility"], [], []
    for name, run in _name_runs(record):
        points = {(point["point"], point["loss"]): point for point in run["points"]}
        own, best = points.get(("run", None)), points.get(("loss", 0))
        if own is None or best is None or own["fairness"] is None or best["fairness"] is None:
            continue
        now, could = own["fairness"], best["fairness"]
        if round(could, PLACES) != round(now, PLACES):
            bound = "" if best["exact"] else "at least " if could > now else "at most "
            gains.append(f"{name} {bound}{write_number(could, PLACES)} instead of {write_number(now, PLACES)}")
        elif best["exact"] and abs(could - now) < SAME:
            still.append(name)
    if gains:
        how = " (found with the qrels)" * bool(_find_notes(record, "upper bound"))
        text = f"With no less {utility}, other orders of the same documents{how} are fairer by {by}: "
        yield Claim.write("headroom", f"{text}{'; '.join(_cut(gains))}.")
    if still:
        whose = join_words(_cut(still), "or")
        yield Claim.write("headroom", f"No order of the documents of {whose} is fairer by {by} with no less {utility}.")


def _claim_variants(part: str, record: Record) -> Iterator[Claim]:
    """Say whether the runs keep their order with other settings."""
    if not record["pairs"]:
        return
    order = f"order of the means by {record['measure']}"
    changed = list_changes(record)
    faults = [
        f"{spell_variant(each)} {verb} {_count_pairs(many, record)}"
        for each in changed
        for verb, many in (("flips", each["flipped"]), ("ties", count_tied(each, record)))
        if many
    ]
    if faults:
        yield Claim.refuse(part, f"that the {order} survives other settings: {join_words(_cut(faults))}.")
    elif changed:
        settings = join_words([spell_variant(each) for each in changed])
        yield Claim.write(part, f"The {order} is the same with {settings}.")


def list_changes(record: Record) -> list[Record]:
    """List the variants in which a mean is another one; the others repeat the settings of the study."""
    base = {run["run"]: run["mean"] for run in record["runs"]}
    return [
        each
        for each in record["variants"]
        if any(run["mean"] != base[run["run"]] for run in each["runs"]) or each["flipped"]
    ]


def count_tied(variant: Record, record: Record) -> int:
    """Count the pairs of runs with different means that have the same mean in a variant."""
    base = {run["run"]: run["mean"] for run in record["runs"]}
    means = {run["run"]: run["mean"] for run in variant["runs"] if None not in (run["mean"], base[run["run"]])}
    return sum(
        abs(means[one] - means[other]) < SAME < abs(base[one] - base[other]) for one, other in combinations(means, 2)
    )


def _count_pairs(many: int, record: Record) -> str:
    """Count the pairs of runs that a variant flips or ties."""
    pairs = record["pairs"]
    return "it" if pairs == 1 else f"{many} of {pairs} pairs of runs"


def spell_variant(variant: Record) -> str:
    """Spell a variant as its setting."""
    return f"{variant['factor']}={variant['variant']}"


def _claim_corrections(record: Record) -> Iterator[Claim]:
    """Give the means that labels of people correct."""
    for measure in record["measures"]:
        told = []
        for name, run in _name_runs(record):
            mean = run["means"][measure]
            if mean["value"] is None or mean.get("corrected") is None or mean.get("doubtful"):
                continue
            corrected, value = (write_number(mean[each], PLACES) for each in ("corrected", "value"))
            told.append(f"{name} {corrected} {_write_ends(mean)} instead of {value}")
        if told:
            yield Claim.write("gold", f"Corrected by labels of people, {measure} is: {'; '.join(_cut(told))}.")
