"""A query set that people voted for: how well they agree, what words and domains say, and a row for each query."""

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

from fairtrec.commands.validate.findings import plural
from fairtrec.lab.make.queryset.queryset import QuerySet
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.records import Row, note_records
from fairtrec.support.notes import Note

FEW = "word lists miss most queries that people label"
KEYS = ("qid",)
MOST = 10  # of what is listed in a line
FIRST = 20  # queries that a notebook shows
WIDTH = 12  # of the words before the lines


def lines(made: QuerySet, places: int = 4) -> list[tuple[str, str]]:
    """Say what was found: what each line is of, and the line."""
    said = []
    if made.ballots:
        said.append(("votes", ", ".join([
            plural(len(made.ballots), "query"),
            plural(len(made.annotators), "annotator"),
            plural(made.votes, "vote"),
        ])))  # fmt: skip
        said.append(("agreement", _agreement(made, places)))
        said.append((made.rule, _decided(made)))
    if made.terms:
        found = _listed([f"{qid} ({', '.join(words)})" for qid, words in made.words.items()])
        hold = "holds" if len(made.words) == 1 else "hold"
        out = f" and {'is' if len(made.words) == 1 else 'are'} left out: {found}" if found else ""
        said.append(("words", f"{len(made.words):,} of {made.chosen:,} {hold} a group term{out}; {FEW}"))
    if made.domains is not None:
        several = sum(len(names) > 1 for names in made.domains.values())
        many = made.domain_counts
        counted = ", ".join(f"{name} {each}" for name, each in many.items())
        twice = f" ({plural(several, 'query')} in several)" if several else ""
        said.append(("domains", f"{counted}{twice}" if counted else "none"))
        said += [("", f"{rare} {many[rare]}: like {usual} {many[usual]}?") for rare, usual in made.like]
    return [*said, *(("", str(each)) for each in made.notes)]


def _agreement(made: QuerySet, places: int) -> str:
    if isnan(made.agreement):
        return "undefined: no query has two votes"
    name, value = made.kappa
    told = f"{name} {value:.{places}f}" if not isnan(value) else f"{name} undefined: all votes are alike"
    return f"{made.agreement:.{places}f}; {told}"


def _decided(made: QuerySet) -> str:
    labels = ", ".join(f"{label} {many}" for label, many in made.majority.items())
    none = made.no_majority
    lacking = "no majority" if made.rule == "majority" else "not all alike"
    return f"{labels}; {lacking} {len(none)}{': ' if none else ''}{_listed(none)}"


def _listed(several: Sequence[str]) -> str:
    more = [f"and {len(several) - MOST:,} more"] * (len(several) > MOST)
    return ", ".join([*several[:MOST], *more])


def text(made: QuerySet, *, places: int) -> str:
    """Write the lines."""
    return "".join(f"{of:<{WIDTH}}{line}\n" for of, line in lines(made, places))


def rows(made: QuerySet, *, places: int | None) -> Iterator[Row]:  # noqa: ARG001 - all of it is whole numbers and words
    """Give a row for each query that was voted on, or is in the table: its votes, label, words, domains."""
    yield ["qid", "votes", "label", "words", "domains", "kept"]
    kept = set(made.kept)
    domains = made.domains or {}
    for qid in made.ballots or dict.fromkeys([*made.kept, *made.words]):
        yield [
            qid,
            len(made.ballots.get(qid, ())),
            made.label.get(qid, ""),
            ",".join(made.words.get(qid, ())),
            ",".join(domains.get(qid, ())),
            int(qid in kept),
        ]


def numbers(made: QuerySet) -> Iterator[Row]:
    """Give the numbers of the whole set."""
    of = {"queries": len(made.ballots), "annotators": len(made.annotators), "votes": made.votes}
    yield ["qid", *of, "agreement", "kappa", "words", "kept"]
    yield [None, *of.values(), made.agreement, made.kappa[1], len(made.words), len(made.kept)]


def list_notes(made: QuerySet) -> list[Note]:
    """List the notes on the rows."""
    return list(made.notes)


def tables(made: QuerySet, *, places: int) -> Document:
    """Lay out the first queries."""
    head, *every = [[str(cell) for cell in row] for row in rows(made, places=places)]
    more = [f"{len(every) - FIRST:,} more queries are not shown"] * (len(every) > FIRST)
    said = [" ".join(filter(None, line)) for line in lines(made, places)]
    return Document([ReportTable.from_rows("", 1, head, every[:FIRST])], (), str(made.signature), signs=[*more, *said])


def record(made: QuerySet) -> dict[str, Any]:
    """Give one object."""
    name, value = made.kappa
    found: dict[str, Any] = {"signature": str(made.signature), "notes": note_records(made.notes)}
    found |= {"queries": len(made.ballots), "annotators": len(made.annotators), "votes": made.votes}
    found |= {"agreement": made.agreement, "kappa": {"name": name or None, "value": value}}
    found |= {"rule": made.rule, "majority": made.majority, "no_majority": made.no_majority}
    return {**found, "words": made.words, "kept": made.kept, "domains": made.domain_counts, "like": made.like}
