"""Flat: one JSON object of names and numbers, such as MLflow, Weights & Biases, DVC and Codabench take."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from fairtrec.answers.result import Result
from fairtrec.errors import UsageError
from fairtrec.formats.tsv import ALL
from fairtrec.report.cells import names, shown
from fairtrec.report.records import Row, number

LONGEST = 200  # letters; MLflow takes 250
_BETWEEN = re.compile(r"[-\s()=,'\"@./:|]+")  # what stands between the words of measures and runs
_BOUNDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}
NamedValue = Iterator[tuple[tuple[str, ...], float]]


def name(*words: str) -> str:
    """Write a name of ASCII letters, digits and underscores that begins with no digit.

    What holds other letters than those of a notation, or is long, has a part of its digest behind it.

    >>> name("nDCG@10"), name("bm25", "ARaB(mag='tf')@10"), name("2021 run", "P(rel=-1)@5"), name("ARaB@10 <-0.5")
    ('nDCG_at_10', 'bm25_ARaB_mag_tf_at_10', '_2021_run_P_rel_minus1_at_5', 'ARaB_at_10_below_minus_0_5')
    """
    text = " ".join(words)
    spelled = re.sub(r"(?<=[=,])-(?=[\d.])", "minus", re.sub(r"@(?=\d)", " at ", text))
    spelled = re.sub(r" ([<>]=?)(-?)(?=[\d.])", lambda of: f" {_BOUNDS[of[1]]}{' minus' * bool(of[2])} ", spelled)
    spelled = _BETWEEN.sub("_", spelled)
    plain = re.sub(r"\W+", "_", spelled, flags=re.ASCII)[:LONGEST].strip("_")
    if re.search(r"\W", spelled, re.ASCII) or len(spelled) > LONGEST:
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        plain = f"{plain}_{digest}"
    return plain if re.match("[a-zA-Z_]", plain) else f"_{plain}"


def result(of: Result, *, parts: Mapping[str, Result]) -> dict[str, float | str | None]:
    """Give the means, those of slices with the name of the slice behind, as JSON can hold them."""
    return _exact(of_means(of, parts))


def rows(of: Iterable[Row], *, keys: Sequence[str]) -> dict[str, float | str | None]:
    """Give each number of each row, as JSON can hold it."""
    return _exact(of_rows(of, keys))


def _exact(numbers: Mapping[str, float]) -> dict[str, float | str | None]:
    return {name: number(value) if isinstance(value, float) else value for name, value in numbers.items()}


def of_means(of: Result, parts: Mapping[str, Result]) -> dict[str, float]:
    """Name the means. Raises UsageError where two would have one name."""

    def means() -> NamedValue:
        for part, here in (parts or {ALL: of}).items():
            for run, scores in zip(names(of), here.scores, strict=True):
                for measure, value in zip(scores.measures, scores.means.tolist(), strict=True):
                    words = *[run] * (len(of.scores) > 1), str(measure), *["slice", part] * (part != ALL)
                    yield words, value
                    if scores.pooled is not None and (pooled := scores.pooled.value(measure)) is not None:
                        yield (*words, "pooled"), pooled

    return _named(means())


def of_rows(of: Iterable[Row], keys: Sequence[str]) -> dict[str, float]:
    """Name each number of each row, the head first, after the cells of the row's keys.

    Of one run alone the name is left out, as is that of the slice of all queries. Raises UsageError where two numbers
    would have one name.
    """
    head, *several = of
    records = [dict(zip(map(str, head), row, strict=True)) for row in several]
    short = shown(str(record["run"]) for record in records if "run" in record)

    def numbers() -> NamedValue:
        for record in records:
            words = {key: str(record[key]) for key in keys if record.get(key) is not None}
            words = {key: word for key, word in words.items() if word != ALL or key not in ("qid", "slice")}
            if "run" in words:
                words["run"] = short[words["run"]] if len(short) > 1 else ""
            if "cutoff" in words:
                words["cutoff"] = f"@{words['cutoff']}"
            if "slice" in words:
                words["slice"] = f"slice {words['slice']}"
            for name, value in record.items():
                if name not in keys and isinstance(value, int | float) and not isinstance(value, bool):
                    yield (*filter(None, words.values()), name), value

    return _named(numbers())


def _named(numbers: NamedValue) -> dict[str, float]:
    found: dict[str, float] = {}
    whose: dict[str, tuple[str, ...]] = {}
    for words, value in numbers:
        short = name(*words)
        if short in found:
            both = " and ".join(" ".join(each) for each in (whose[short], words))
            raise UsageError(f"{both} would both be called {short}; give the runs, groups or slices other names")
        found[short], whose[short] = value, words
    return found
