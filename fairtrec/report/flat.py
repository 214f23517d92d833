"""Flat: one JSON object of names and numbers, such as MLflow, Weights & Biases, DVC and Codabench take."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from hashlib import sha256
from typing import Any

from fairtrec.errors import UsageError
from fairtrec.evaluation.result import Result
from fairtrec.formats.tsv import ALL
from fairtrec.report.cells import called, names
from fairtrec.report.results.records import document, number

LONGEST = 200  # letters; MLflow takes 250
_BETWEEN = re.compile(r"[-\s()=,'\"@./:|]+")  # what stands between the words of measures and runs
Named = Iterator[tuple[tuple[str, ...], float]]


def name(*words: str) -> str:
    """Write a name of ASCII letters, digits and underscores that begins with no digit.

    What holds other letters than those of a notation, or is long, has a part of its digest behind it.

    >>> name("nDCG@10"), name("bm25", "ARaB(mag='tf')@10"), name("2021 run", "P(rel=-1)@5")
    ('nDCG_at_10', 'bm25_ARaB_mag_tf_at_10', '_2021_run_P_rel_minus1_at_5')
    """
    text = " ".join(words)
    spelled = re.sub(r"(?<=[=,])-(?=[\d.])", "minus", re.sub(r"@(?=\d)", " at ", text))
    spelled = _BETWEEN.sub("_", spelled)
    plain = re.sub(r"\W+", "_", spelled, flags=re.ASCII)[:LONGEST].strip("_")
    if re.search(r"\W", spelled, re.ASCII) or len(spelled) > LONGEST:
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        plain = f"{plain}_{digest}"
    return plain if re.match("[a-zA-Z_]", plain) else f"_{plain}"


def result(of: Result, *, parts: Mapping[str, Result]) -> str:
    """Write the means, those of slices with the name of the slice behind; null is undefined."""
    return _written(of_means(of, parts))


def comparison(view: Any) -> str:
    """Write each number of each row."""
    return _written(of_rows(view))


def _written(numbers: Mapping[str, float]) -> str:
    return document({name: number(value) if isinstance(value, float) else value for name, value in numbers.items()})


def of_means(of: Result, parts: Mapping[str, Result]) -> dict[str, float]:
    """Name the means. Raises UsageError where two would have one name."""

    def means() -> Named:
        for part, here in (parts or {ALL: of}).items():
            for run, scores in zip(names(of), here.scores, strict=True):
                for measure, value in zip(scores.measures, scores.means.tolist(), strict=True):
                    yield (*[run] * (len(of.scores) > 1), str(measure), *["slice", part] * (part != ALL)), value

    return _named(means())


def of_rows(view: Any) -> dict[str, float]:
    """Name each number of each row of a comparison. Raises UsageError where two would have one name."""
    words = ("run", "measure", "other", "kind", "cutoff", "slice")
    keys = [field.name for field in fields(view.rows[0]) if field.name in words]
    runs = dict.fromkeys(row.run for row in view.rows)
    short = dict(zip(runs, called(list(runs)), strict=True))

    def numbers() -> Named:
        for row in view.rows:
            here = {key: str(getattr(row, key)) for key in keys}
            here["run"] = short[row.run] if len(runs) > 1 else ""
            here["cutoff"] = f"@{here['cutoff']}" if "cutoff" in here else ""
            here["slice"] = f"slice {row.slice}" if row.slice != ALL else ""
            of = [here[key] for key in words if here.get(key)]
            for field in fields(row):
                value = getattr(row, field.name)
                if field.name not in words and isinstance(value, int | float) and not isinstance(value, bool):
                    yield (*of, field.name), value

    return _named(numbers())


def _named(numbers: Named) -> dict[str, float]:
    found: dict[str, float] = {}
    whose: dict[str, tuple[str, ...]] = {}
    for words, value in numbers:
        short = name(*words)
        if short in found:
            both = " and ".join(" ".join(each) for each in (whose[short], words))
            raise UsageError(f"{both} would both be called {short}; give the runs, groups or slices other names")
        found[short], whose[short] = value, words
    return found
