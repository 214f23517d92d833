"""Answers for programs: rows as TSV or CSV, records as JSON in one line each, an object as JSON with what made it.

Flat is one object of names and numbers, such as MLflow, Weights & Biases, DVC and Codabench take.

JSON has every value in full precision, null where it is undefined, "Infinity" or "-Infinity" where it is that (JSON has
no such number).
"""

import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import DefinedCount, End
from fairtrec.report.recorded_paths import hide_folders, typed_arguments
from fairtrec.report.run_names import map_names, shorten_runs
from fairtrec.support.errors import STEERING, UsageError
from fairtrec.support.late_patterns import compile_late
from fairtrec.support.literals import ALL
from fairtrec.support.notes import Note, write_notes
from fairtrec.support.version import __version__

Row = Sequence[str | float | None]  # a head, or cells: numbers are exact, or written already
LONGEST = 200  # letters; MLflow takes 250
_BETWEEN = compile_late(r"[-\s()=,'\"@./:|]+")  # what stands between the words of measures and runs
_BOUNDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}
NamedValue = Iterator[tuple[tuple[str, ...], float]]


def delimited(rows: Iterable[Row], *, delimiter: str) -> str:
    """Write rows of cells, the head first; None is an empty cell."""
    import csv

    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerows([cell + 0.0 if isinstance(cell, float) else cell for cell in row] for row in rows)  # -0.0 is 0.0
    return stream.getvalue()


def objects(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Give an object for each row of cells, by the names in the head."""
    head, *several = rows
    return (dict(zip(map(str, head), row, strict=True)) for row in several)


def jsonl(records: Iterable[Mapping[str, Any]]) -> str:
    """Write each object in a line of its own."""
    import json as json_module

    several = (json_module.dumps(_held(record), ensure_ascii=False, allow_nan=False) for record in records)
    return "".join(_escape(text) for text in several)


def json(record: Mapping[str, Any]) -> str:
    """Write one object as a file of its own, as ``json.dumps`` does with an indent of 1.

    It is written part by part, so that a large one is not held several times. No input has an absolute path in it.
    """
    from json.encoder import JSONEncoder, encode_basestring

    stream = io.StringIO()
    _write(
        hide_folders(record),
        "\n",
        stream.write,
        encode_basestring,
        JSONEncoder(ensure_ascii=False, allow_nan=False).encode,
    )
    return _escape(stream.getvalue())


def _write(
    value: Any, line: str, write: Callable[[str], Any], quote: Callable[[str], str], encode: Callable[[Any], str]
) -> None:
    """Write what JSON can hold of a value, whose first line begins with ``line``."""
    if isinstance(value, str):
        write(quote(value))
    elif isinstance(value, Mapping) and value:
        sign, inner = "{", line + " "
        for name, each in value.items():
            write(f"{sign}{inner}{quote(name) if isinstance(name, str) else encode({name: 0})[1:-4]}: ")
            _write(each, inner, write, quote, encode)
            sign = ","
        write(f"{line}}}")
    elif isinstance(value, list | tuple) and value:
        sign, inner = "[", line + " "
        for each in value:
            write(f"{sign}{inner}")
            _write(each, inner, write, quote, encode)
            sign = ","
        write(f"{line}]")
    else:
        write(encode(_held(value)))


def _escape(text: str) -> str:
    """End a text of JSON; signs that steer a terminal are escaped, the same to whoever reads it."""
    return re.sub(STEERING, lambda letter: f"\\u{ord(letter.group()):04x}", text) + "\n"


def escape_text(text: str) -> str:
    """Write what is no Unicode, in the name of a file, as Python escapes it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _held(value: Any) -> Any:
    """Give what JSON can hold; -0.0 is 0.0.

    >>> _held({"mean": math.nan, "ends": (-math.inf, -0.0)})
    {'mean': None, 'ends': ['-Infinity', 0.0]}
    """
    if isinstance(value, Mapping):
        return {name: each if isinstance(each, str) else _held(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [each if isinstance(each, str) else _held(each) for each in value]
    if not isinstance(value, float):
        return value
    if math.isfinite(value):
        return value + 0.0
    return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def head(result: Result, signature: Signature, notes: Sequence[Note | None] | None = None) -> dict[str, Any]:
    """Begin an object with what made it: version, signature, files, and the notes if they come next.

    The files are named, with their digests, by the parts that they play in the evaluation. A command adds the arguments
    by which `results replay` runs it again.
    """
    files = {str(part): {"path": file.name, "sha256": file.sha256} for part, file in result.files.items()}
    made: dict[str, Any] = {"fairtrec": __version__, "signature": str(signature), "inputs": files}
    if arguments := typed_arguments.get():
        made["arguments"] = list(arguments)
    return made if notes is None else {**made, "notes": note_records(notes)}


def note_records(notes: Iterable[Note | None]) -> list[dict[str, Any]]:
    """Give an object for each note and measure: its kind, severity, measure, runs, numbers and text.

    None in ``notes`` is no note. ``runs`` is empty for all runs. Several numbers are those of the runs, in their order.

    >>> from fairtrec.support.notes import NoteKind
    >>> (record,) = note_records([NoteKind("odd", "{odd} of {ranks} ranks").note(odd=1, ranks=2, measure="RR")])
    >>> record["kind"], record["measure"], record["numbers"], record["text"]
    ('odd', 'RR', {'odd': 1, 'ranks': 2}, 'RR: 1 of 2 ranks')
    """
    found = []
    for note in filter(None, notes):
        for measure in note.measures or (None,):
            one = replace(note, measures=() if measure is None else (measure,))
            found.append({
                "kind": note.kind.name,
                "severity": note.severity.name.lower(),
                "measure": None if measure is None else str(measure),
                "runs": list(note.runs),
                "numbers": note.numbers,
                "text": write_notes([one]),  # the same from Python
            })  # fmt: skip
    return found


def list_runs(result: Result) -> list[dict[str, Any]]:
    """Give an object for each run, as each kind of report lists them: its name, its tag, its number of queries."""
    return [{"run": scores.run, "tag": scores.tag, "queries": len(scores.qids)} for scores in result.scores]


def flat_name(*words: str) -> str:
    """Write a name of ASCII letters, digits and underscores that begins with no digit.

    What holds other letters than those of a notation, or is long, has a part of its digest behind it.

    >>> flat_name("nDCG@10"), flat_name("bm25", "ARaB(mag='tf')@10"), flat_name("2021 run", "P(rel=-1)@5")
    ('nDCG_at_10', 'bm25_ARaB_mag_tf_at_10', '_2021_run_P_rel_minus1_at_5')
    >>> flat_name("ARaB@10 <-0.5")
    'ARaB_at_10_below_minus_0_5'
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


def name_means(of: Result, *, parts: Mapping[str, Result]) -> dict[str, float]:
    """Name the means, and the numbers of queries behind them; of slices the name of the slice comes last.

    Raises UsageError where two would have one name.
    """

    def means() -> NamedValue:
        for part, here in (parts or {ALL: of}).items():
            behind = ["slice", part] * (part != ALL)
            for run, scores in zip(shorten_runs(of), here.scores, strict=True):
                before = [run] * (len(of.scores) > 1)
                for row, (measure, value) in enumerate(zip(scores.measures, scores.means.tolist(), strict=True)):
                    words = *before, str(measure), *behind
                    if not (measure.of_pool or isinstance(measure, DefinedCount)):
                        yield words, value
                        if not isinstance(measure, End):  # which stands behind its measure
                            yield (*before, str(measure), "queries", *behind), int(scores.defined[row])
                    for name, totals in scores.totals.items():
                        if (total := totals[row]) is not None:
                            yield (*words, name), total
                yield (*before, "queries", *behind), len(scores.qids)

    return _named(means())


def name_numbers(of: Iterable[Row], keys: Sequence[str]) -> dict[str, float]:
    """Name each number of each row, the head first, after the cells of the row's keys.

    The name of the only run is left out, and so are that of the only one that runs are compared ``against`` and that of
    the slice of all queries. Raises UsageError if two numbers would have one name.
    """
    records = list(objects(of))
    runs, rivals = ([str(record[key]) for record in records if key in record] for key in ("run", "against"))
    several = len({*rivals}) > 1
    short = map_names([*runs, *(rivals if several else [])])
    keys = [key for key in keys if key != "against" or several]

    def numbers() -> NamedValue:
        for record in records:
            words = {key: str(record[key]) for key in keys if record.get(key) is not None}
            words = {key: word for key, word in words.items() if word != ALL or key not in ("qid", "slice")}
            words |= {key: short[words[key]] for key in ("run", "against") if key in words}
            if len({*runs}) == 1:
                words.pop("run", None)
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
        short = flat_name(*words)
        if short in found:
            both = " and ".join(" ".join(each) for each in (whose[short], words))
            raise UsageError(f"{both} would both be called {short}; give the runs, groups or slices other names")
        found[short], whose[short] = value, words
    return found
