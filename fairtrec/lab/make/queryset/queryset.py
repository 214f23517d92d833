"""A query set that people chose, what is known of it, and its files: ids and texts, slices by domain, the passport."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import isnan, nan
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.lab.make.queryset import annotated_queries as annotated
from fairtrec.lab.make.queryset.annotated_queries import Ballots
from fairtrec.statistics import agreement
from fairtrec.support.errors import FilePath, InputError, UsageError, plain, reason
from fairtrec.support.files.atomic import replace_file, write_together
from fairtrec.support.literals import Rule
from fairtrec.support.notes import Note

ENDING = ".tsv"


@dataclass(frozen=True, eq=False, repr=False)
class QuerySet(Answer):
    """Queries that people chose, or that a table has, and what is known of them.

    Attributes:
        ballots: of each query the labels by annotator; empty where there are no votes.
        label: what the votes on each query decide, "" where they decide nothing, by qid.
        words: the group terms of each query that votes would keep, and that is left out for them.
        texts: what queries ask, as far as that was given.
        domains: of each query that is kept; None where none were asked for.
        kept: the ids of the set, in the order of the votes, or of the table.
        files: what the set was made of, each with its sha256.
    """

    ballots: Ballots
    keep: str | None  # the label of queries that are kept; None: all
    rule: Rule  # the rule that votes must meet
    label: Mapping[str, str]
    chosen: int  # how many queries the votes chose
    terms: str  # the name of the word list whose words are refused
    words: Mapping[str, tuple[str, ...]]
    texts: Mapping[str, str]
    domains: Mapping[str, tuple[str, ...]] | None
    kept: tuple[str, ...]
    files: Mapping[str, str]
    notes: list[Note]  # what a reader must know about the numbers
    signature: Signature  # every choice that changes a number

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everybody who voted, as they first appear."""
        return tuple(dict.fromkeys(name for of in self.ballots.values() for name in of))

    @property
    def votes(self) -> int:
        """How many votes there are."""
        return sum(map(len, self.ballots.values()))

    @property
    def majority(self) -> dict[str, int]:
        """How many queries the rule gives each label, by label; also those that it gives none."""
        labels = {label for of in self.ballots.values() for label in of.values()}
        many = Counter(self.label.values())
        return {label: many[label] for label in sorted(labels)}

    @property
    def no_majority(self) -> list[str]:
        """The queries of which the votes decide nothing."""
        return [qid for qid, label in self.label.items() if not label]

    @property
    def agreement(self) -> float:
        """The share of pairs of votes that agree, in the mean over queries of several votes; nan if there are none."""
        return agreement.observed_agreement(self._table)

    @cached_property
    def kappa(self) -> tuple[str, float]:
        """The name and the value of the coefficient that fits the votes; nan where it is undefined.

        Cohen's of two annotators, over the queries that both voted on; Fleiss' of more with as many votes on each
        query; else Krippendorff's alpha, of nominal labels.
        """
        table, names = self._table, self.annotators
        if len(names) < 2:
            return "", nan
        if len(names) == 2:
            both = [[of[name] for name in names] for of in self.ballots.values() if len(of) == 2]
            kinds, numbers = np.unique(both, return_inverse=True)
            first, second = numbers.reshape(-1, 2).T
            ones = np.ones(len(both))
            return "Cohen's kappa", agreement.kappa(first, second, max(len(kinds), 1), ones, ones, 0.95)[0]
        if len({len(of) for of in self.ballots.values()}) == 1:
            return "Fleiss' kappa", agreement.fleiss(table)
        return "Krippendorff's alpha", agreement.alpha_of_votes(table)

    @property
    def domain_counts(self) -> dict[str, int]:
        """How many of the queries each domain has, most first."""
        found = Counter(name for names in (self.domains or {}).values() for name in names)
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    @property
    def like(self) -> list[tuple[str, str]]:
        """Pairs of domains that may be meant to be the same, the rarer first."""
        return annotated.find_similar_names(self.domain_counts)

    @cached_property
    def _table(self) -> Floats:
        """The votes [query, label]."""
        column = {label: at for at, label in enumerate(self.majority)}
        table = np.zeros((len(self.ballots), len(column)))
        for row, of in enumerate(self.ballots.values()):
            for label in of.values():
                table[row, column[label]] += 1
        return table

    def save(self, path: str | PathLike[str], *, title: str | None = None) -> list[str]:
        """Write NAME.tsv, NAME.slices.tsv if there are domains, and the passport NAME.toml; give their paths.

        Files that exist are replaced. Raises UsageError for a name of another ending, or that no file can have;
        InputError where no query is kept.
        """
        places = targets(path, sliced=self.domains is not None)
        refuse_unwritable(places)
        if not self.kept:
            raise InputError("no query is left, so there is no set to write; keep more labels with --keep")
        lines = (f"{qid}\t{self.texts[qid]}" if self.texts else qid for qid in self.kept)
        contents = ["".join(f"{line}\n" for line in lines).encode()]
        if self.domains is not None:
            pairs = (f"{qid}\t{name}\n" for qid, names in self.domains.items() for name in names)
            contents.append("".join(pairs).encode())
        contents.append(_passport(self, places, contents, title).encode())
        try:
            with write_together():
                for place, content in zip(places, contents, strict=True):
                    with replace_file(place) as part:
                        part.write_bytes(content)
        except OSError as fault:
            raise UsageError(f"cannot write {place}: {fault.strerror}; choose another place") from None
        return [fspath(place) for place in places]


def targets(path: FilePath, *, sliced: bool) -> list[Path]:
    """Name the files that a set is written to. Raises UsageError for a name that does not end in .tsv."""
    place = Path(path)
    if place.suffix != ENDING or not place.stem:
        raise UsageError(f"{fspath(path)}: a query set is a TSV with a passport next to it; name it NAME.tsv")
    slices = [place.with_name(f"{place.stem}.slices{ENDING}")] if sliced else []
    return [place, *slices, place.with_suffix(".toml")]


def refuse_unwritable(places: Iterable[Path]) -> None:
    """Raise UsageError for files that cannot be written."""
    for place in places:
        try:
            place.exists()
        except (OSError, ValueError) as fault:  # a name that no file can have
            raise UsageError(f"cannot write {place}: {reason(fault)}; choose another") from None


def _passport(made: QuerySet, places: list[Path], contents: list[bytes], title: str | None) -> str:
    """Write what is known of the set, in the keys of the bundled ones."""
    set_place, *slices, _ = places
    source = ", ".join(f"{name} (sha256 {digest})" for name, digest in made.files.items())
    fields: dict[str, str | int] = {
        "title": title or set_place.stem,
        "kind": "queryset",
        "file": set_place.name,
        "format": "tsv: qid, query text" if made.texts else "one qid per line",
        "language": "not stated",
        "source": source or "given from Python",
        "license": "not stated",
        "citation": "not stated",
        "sha256": sha256(contents[0]).hexdigest(),
        "count": len(made.kept),
        "note": _note(made),
    }
    for place, content in zip(slices, contents[1:], strict=True):
        fields |= {"slices": place.name, "slices_sha256": sha256(content).hexdigest()}
    written = {key: json.dumps(plain(value) if isinstance(value, str) else value, ensure_ascii=False)
               for key, value in fields.items()}  # fmt: skip
    return "".join(f"{key} = {value}\n" for key, value in written.items())


def _note(made: QuerySet) -> str:
    """Say how the set was made: agreement, rule, words."""
    said = []
    if made.ballots:
        many = f"{made.votes} votes of {len(made.annotators)} annotators on {len(made.ballots)} queries"
        name, value = made.kappa
        coefficient = "" if isnan(value) else f", {name} {value:.4f}"
        agreed = "" if isnan(made.agreement) else f": agreement {made.agreement:.4f}{coefficient}"
        said += [f"{many}{agreed}", f"kept by {made.rule} of the votes for {made.keep}"]
    if made.terms:
        said.append(f"{len(made.words)} with a term of {made.terms} left out")
    return "; ".join([*said, str(made.signature)])
