"""What a command line names, before any is read: runs, and for each attribute labels and what is chosen.

Nothing here imports numpy, so that other processes can be made ready before this one does.
"""

# ruff: noqa: PTH110, PTH112, PTH113, PTH114, PTH119, PTH121, PTH207 - pathlib takes its time, and its glob drops a leading ./

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from itertools import islice, pairwise
from typing import Any, NamedTuple

from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files import admission, opening, submissions
from fairtrec.support.files.answer_files import AnswerRun, split_answers
from fairtrec.support.files.compression import strip_suffix
from fairtrec.support.files.table_header import find_header, find_names
from fairtrec.support.late_patterns import compile_late
from fairtrec.support.literals import DOCUMENT, QUERY

PATTERN = "*?["  # what a pattern has, and few names
LONGEST_LIST = 1 << 24  # bytes; some 200,000 names
LINES, LONGEST = 1000, 1 << 16  # of a file in a folder that are looked at, and bytes of the first
FIRST, LOOKED_AT = 1 << 13, 1 << 18  # bytes of such a file, mostly and at most
NO_RUN, NO_FILE = "no line is of a run", "a pipe or device is read only if you name it"
PassedOver = Callable[[str, list[str], str], None]  # is told which files of a folder or pattern are left out, and why
IsHeader = Callable[[str], bool]  # tells the first line of a table of a run
PLACES = ("/", "./", "../")  # how an argument starts that is a path
NAME = compile_late(r"[\w.-]+")  # of an attribute
_NUMBER = compile_late(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")  # of cuts


def paths(arguments: Iterable[str], left_out: PassedOver | None = None, is_header: IsHeader | None = None) -> list[str]:
    """List the files that arguments of the command line mean, in their order.

    A folder means its files, sorted, without hidden files and subfolders. A pattern like ``deep/**/*.run`` means the
    files that it matches, sorted. ``@list.txt`` means the files, folders and patterns on its lines, relative to the
    working directory. ``-`` is standard input.

    Args:
        arguments: names, patterns, folders or lists.
        left_out: a function that is called with the pipes, devices and files without a run that are left out. Without
            it, files without a run are listed.
        is_header: a function that tells by its first line a table whose columns fairtrec does not know by their names.

    Raises:
        InputError: a folder, pattern or list without any file.
        UsageError: a file whose name is that of a pattern or a list.
    """
    return [path for _, path in _expanded(arguments, left_out, is_header)]


def expand_runs(
    arguments: Iterable[str], left_out: PassedOver | None = None, is_header: IsHeader | None = None
) -> dict[str, str]:
    """Give each file that the arguments stand for a name: as ``name=path`` says, else its path.

    A path that stands there again has its number behind it; ``left_out`` and ``is_header`` are those of ``paths``.
    Raises UsageError for two runs of one name.
    """
    found: dict[str, str] = {}
    for name, path in _expanded(arguments, left_out, is_header):
        if name is not None and name in found:
            raise UsageError(f"two runs are called {name}; rename one of them")
        number, free = 1, name or path
        while free in found:
            number, free = number + 1, f"{path} ({number + 1})"
        found[free] = path
    return found


def refuse_same_names(names: Iterable[str]) -> None:
    """Raise UsageError for two runs of one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UsageError(f"two runs are called {name}; rename one of them")
        seen.add(name)


def split(argument: str) -> tuple[str | None, str]:
    """Take ``name=path`` apart, where there is a file of that path; ``./k=3.run`` is always a file.

    Raises UsageError if there is also a file of that whole name: neither hides the other.

    >>> split("bm25=-"), split("k=3.run")
    (('bm25', '-'), (None, 'k=3.run'))
    """
    name, _, path = argument.partition("=")
    if not name or name.startswith(PLACES) or not (path == opening.STDIN or os.path.exists(path)):
        return None, argument
    _refuse_hidden(argument, f"{path} by the name {name}", f"type ./{argument} for the file")
    return name, path


def _refuse_hidden(argument: str, meaning: str, way_out: str = "rename one of the two") -> None:
    """Raise UsageError if there is a file of that whole name where an argument means something else."""
    if os.path.exists(argument):
        raise UsageError(f"{argument} is a file, and also means {meaning}; {way_out}")


def add_run(files: dict[str, str], argument: str) -> tuple[str, dict[str, str]]:
    """Put one more run behind those that are named, if it is none of them; give its name, and all.

    A run that is there under its path takes the name that it has here. What is no file is left to be found by its name.
    """
    name, path = split(argument)
    if not os.path.isfile(path):
        called, run = split_answers(argument, path)[0]
        return argument, files if called in files or not isinstance(run, AnswerRun) else {**files, called: run}
    same = [run for run, file in files.items() if is_same(file, path)]
    if not same:
        if name is not None and name in files:
            raise UsageError(f"two runs are called {name}; rename one of them")
        return name or path, {**files, name or path: path}
    if name is None or same[0] != files[same[0]] or name in files:
        return same[0], files
    return name, {name if run == same[0] else run: file for run, file in files.items()}


def find_run(runs: Sequence[str], run: str | int | None) -> int:
    """Find the number of a baseline among ``runs``: by its name or path, its file's name, or that without the ending.

    None is the first. Raises UsageError if there is none or more than one of that name, or no other run to compare.
    """
    number = _number(runs, run) if isinstance(run, str) else run or 0
    if len(runs) == 1:
        raise UsageError("only one run, which is the baseline; add a run to compare")
    if not 0 <= number < len(runs):
        raise UsageError(f"there is no run {number}; they count from 0 to {len(runs) - 1}")
    return number


def _number(runs: Sequence[str], run: str) -> int:
    exact = [number for number, name in enumerate(runs) if name == run]
    found = exact or [number for number, name in enumerate(runs) if run in _file_names(os.path.basename(name))]
    if len(found) != 1:
        what = f"{len(found)} runs are called {run}" if found else f"there is no run or file {run}"
        shown = ", ".join(runs[:5]) + (", ..." if len(runs) > 5 else "")
        raise UsageError(f"{what}; name the baseline as one of {shown}")
    return found[0]


def _file_names(name: str) -> set[str]:
    return {name, strip_suffix(name), strip_suffix(name).removesuffix(".run")}


def is_same(path: str, other: str) -> bool:
    """Tell whether two paths lead to one file, and to the same run in it."""
    if getattr(path, "part", None) != getattr(other, "part", None):  # of answers
        return False
    return os.path.isfile(path) and os.path.isfile(other) and os.path.samefile(path, other)


def _expanded(
    arguments: Iterable[str], left_out: PassedOver | None, is_header: IsHeader | None
) -> Iterator[tuple[str | None, str]]:
    for argument in arguments:
        path = next(iter(lists([argument])), None)
        for line, entry in [(None, argument)] if path is None else _listed(path):
            name, rest = split(entry)
            if name is not None and os.path.isdir(rest):
                raise InputError(f"{name} is the name of one run, and {rest} is a folder; pass a file", path, line)
            yield from ((name, file) for file in _files(rest, path, line, left_out, is_header or _names_run))


def split_crossed(labels: str) -> list[str]:
    """Name the labels that are crossed, as ``a*b`` are; a file of that name stands for itself.

    Raises UsageError if there are files of both.

    >>> split_crossed("gender.tsv * age.tsv"), split_crossed("gender.tsv")
    (['gender.tsv', 'age.tsv'], ['gender.tsv'])
    """
    parts = [part.strip() for part in labels.split("*")]
    if len(parts) > 1 and all(map(os.path.exists, parts)):
        _refuse_hidden(labels, f"{' crossed with '.join(parts)}")
    return [labels] if os.path.exists(labels) else parts


class LabelSource(NamedTuple):
    """Where labels stand: a file or an id, perhaps a field in it, and the numbers at which bins begin, as written."""

    name: str
    field: str = ""
    cuts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ":".join(part for part in (self.name, self.field, ",".join(self.cuts)) if part)


def source(labels: str) -> LabelSource:
    """Take ``file:field:cuts`` apart; a file of the whole name stands for itself, and an id of ir_datasets for a file.

    Raises UsageError for cuts that do not rise, and if there are files of both names.

    >>> source("authors.jsonl:h_index:10,30")
    LabelSource(name='authors.jsonl', field='h_index', cuts=('10', '30'))
    >>> str(source("irds:beir/scidocs:year"))
    'irds:beir/scidocs:year'
    """
    if os.path.exists(labels) or labels == opening.STDIN:
        for name in {labels.rpartition(":")[0], labels.rpartition(":")[0].rpartition(":")[0]}:
            if os.path.isfile(name):
                _refuse_hidden(labels, f"a field of {name}")
        return LabelSource(labels)
    name, _, last = labels.rpartition(":")
    cuts: tuple[str, ...] = ()
    parts = [part.strip() for part in last.split(",")]
    if name and any(map(_NUMBER.fullmatch, parts)):
        if not all(map(_NUMBER.fullmatch, parts)):
            raise UsageError(f"{labels}: the bins begin at {last}, and not all are numbers; write like 10,30,50")
        if any(float(low) >= float(high) for low, high in pairwise(parts)):
            raise UsageError(f"{labels}: the bins begin at {last}, which does not increase; write like 10,30,50")
        labels, cuts = name, tuple(parts)
    if os.path.exists(labels) or labels == opening.STDIN:
        return LabelSource(labels, "", cuts)
    scheme = "irds:" if labels.startswith("irds:") else ""
    name, _, field = labels.removeprefix(scheme).rpartition(":")
    return LabelSource(scheme + name, field, cuts) if name else LabelSource(labels, "", cuts)


def lists(arguments: Iterable[str]) -> list[str]:
    """Name the files among the arguments that list runs; ``./@list`` is always a run.

    Raises UsageError if there is also a file of that whole name: neither hides the other.
    """
    found = []
    for argument in arguments:
        if argument.startswith("@") and os.path.exists(argument[1:]):
            _refuse_hidden(argument, f"the list {argument[1:]}", f"type ./{argument} for the file")
        if argument.startswith("@") and not os.path.exists(argument):
            found.append(argument[1:])
    return found


def _files(
    name: str, path: FilePath | None, line: int | None, left_out: PassedOver | None, is_header: IsHeader
) -> list[str]:
    """Name the files behind a name or pattern, which stands in that line of a list if it does."""
    if name == opening.STDIN:
        return [name]
    is_pattern, found = any(sign in name for sign in PATTERN), list[str]()
    if not is_pattern and not os.path.isdir(name):
        return [name]  # where there is no such file, whoever reads it says so
    what = f"no file matches {name}; check the pattern and the folder that it starts from"
    if os.path.isdir(name):
        try:
            from pathlib import Path

            found = sorted(str(file) for file in Path(name).iterdir() if not file.name.startswith("."))
        except PermissionError:
            raise InputError("this folder may not be read; change its permissions", name) from None
        what = f"the folder {name} has no files; pass another"
    if is_pattern:
        from glob import glob

        found = sorted({*found, *glob(name, recursive=True), *[name] * os.path.exists(name)})  # which hides no other
    found = [file for file in found if not os.path.isdir(file)]
    found = _pass_over(name, found, _is_no_file, NO_FILE, left_out) if not submissions.is_untrusted() else found
    if left_out is not None and os.path.isdir(name):
        runs = _pass_over(name, found, partial(_is_no_run, is_header=is_header), NO_RUN, left_out)
        what = what if runs == found else f"the folder {name} has no runs; pass another"
        what += "" if runs else _describe_tables(found)
        found = runs
    if not found:
        raise InputError(what, path, line)
    return found


def _pass_over(
    name: str, files: list[str], is_other: Callable[[str], bool], why: str, left_out: PassedOver | None
) -> list[str]:
    """Leave out of the files behind a name those that are something else, and tell of them whoever listens."""
    with admission.forget_inputs():
        strange = [file for file in files if is_other(file)]
    if strange and left_out is not None:
        left_out(name, strange, why)
    return sorted({*files} - {*strange}) if strange else files


def _is_no_file(path: str) -> bool:
    """Tell whether something is there that is no file."""
    return os.path.exists(path) and not os.path.isfile(path)


def _is_no_run(path: str, is_header: IsHeader) -> bool:
    return not _may_be_run(path, is_header)


def _may_be_run(path: str, is_header: IsHeader) -> bool:
    """Tell a file of which the first line, or most, may be of a run, and an empty or damaged one, from READMEs."""
    if not os.path.isfile(path) or (submissions.border() is not None and os.path.islink(path)):
        return True  # whoever reads it refuses it
    try:
        with opening.open_input(path, FIRST) as file:
            start = file.read(FIRST)
            if not _begins_as_run(start, is_header):
                start += file.read(LOOKED_AT - FIRST)
    except InputError:
        return True  # whoever reads it says what is wrong
    if start.startswith(opening.PARQUET) or not start:
        return True
    whole = start[: start.rfind(b"\n") + 1 or LONGEST]
    rows = _split_lines(whole)
    first = _find_first(rows)
    if first is None:
        return next(_split_lines(whole), None) is None  # all that is looked at is empty
    if _may_be_first(first, is_header):
        return True
    is_other_table = find_header(first.decode(errors="replace")) is not None  # such as our own report
    several = [first, *(row for row in rows if not _is_comment(row))]
    return not is_other_table and 2 * sum(is_run_line(row.split()) for row in several) >= len(several)


def _begins_as_run(start: bytes, is_header: IsHeader) -> bool:
    """Tell whether the first line that is no comment is whole here, and may be of a run."""
    first = _find_first(_split_lines(start[: start.rfind(b"\n") + 1]))
    return first is not None and _may_be_first(first, is_header)


def _find_first(rows: Iterator[bytes]) -> bytes | None:
    return next((row for row in rows if not _is_comment(row)), None)


def _split_lines(start: bytes) -> Iterator[bytes]:
    """Split the first lines of a file, without empty ones, as far as they are asked for."""
    for line in islice(BytesIO(start), LINES + 1):
        if (row := line[:LONGEST].removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n")).strip():
            yield row


def _is_comment(row: bytes) -> bool:
    return row.lstrip().startswith(b"#")


def is_run_line(cells: Sequence[bytes]) -> bool:
    """Tell a line of TREC, perhaps with a column missing, and qid docno rank score from prose."""
    numbers = [_is_number(cell) for cell in cells]
    if len(cells) == 6:
        return numbers[4] and (numbers[3] or cells[1].upper() == b"Q0")
    return (len(cells) == 5 and numbers[3] and (numbers[2] or numbers[4])) or (len(cells) == 4 and all(numbers[2:]))


def _may_be_first(line: bytes, is_header: IsHeader) -> bool:
    """Tell the first line of a run: of TREC, of JSON, of two or three columns, or one that names columns."""
    cells = line.split()
    is_named = b"page_id" in cells or is_header(line.decode(errors="replace"))
    is_short = (len(cells) == 3 and _is_number(cells[2])) or (len(cells) == 2 and all(map(_is_number, cells)))
    is_json = cells[0].startswith((b"{", b"[{", b"[]")) and cells != [b"{"]  # which begins a document of many lines
    return is_json or is_named or is_short or is_run_line(cells)


def _names_run(line: str) -> bool:
    """Tell a first line that names the columns of queries and documents as fairtrec knows them."""
    header = find_header(line)
    return header is not None and None not in map(header.find_column, (QUERY, DOCUMENT))


def _describe_tables(files: Iterable[str]) -> str:
    """Say how to read the first of these files that may be a table, none of which is known as a run; "" if none is."""
    for file in files:
        if not _is_no_run(file, is_header=lambda line: find_names(line) is not None):
            header = find_names(opening.first_line(file, b"#")[1].decode(errors="replace"))
            columns = "" if header is None else f"; {opening.name(file)} has {', '.join(header.written)}"
            return f", or name columns of its tables with --columns qid=COLUMN,docno=COLUMN{columns}"
    return ""


def _is_number(cell: bytes) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _listed(path: str) -> Iterator[tuple[int, str]]:
    size = entries = 0
    for number, row in opening.lines(path):
        size += len(row)
        if size > LONGEST_LIST:
            raise InputError(f"a list of more than {LONGEST_LIST >> 20} MiB; pass a list of runs", path, number)
        entry = row.decode().strip()
        if not entry.startswith("#"):
            entries += 1
            yield number, entry
    if not entries:
        raise InputError("this list has no run; write one per line", path)


def attributes(arguments: Iterable[str]) -> dict[str, str]:
    """Take labels ``name=source`` apart, by the names of attributes; of the only one the name may be left out: "".

    A file of the whole name comes first. Raises UsageError for several without names, or of one name.

    >>> attributes(["gender=g.tsv", "age=a.tsv:40,50"]), attributes(["g.tsv"])
    ({'gender': 'g.tsv', 'age': 'a.tsv:40,50'}, {'': 'g.tsv'})
    """
    found: dict[str, str] = {}
    several = list(dict.fromkeys(arguments))
    for each in several:
        name, sign, labels = each.partition("=")
        is_named = bool(sign and labels and NAME.fullmatch(name))
        if is_named and (labels == "qrels" or all(os.path.exists(source(part).name) for part in split_crossed(labels))):
            _refuse_hidden(source(each).name, f"{labels} by the name {name}", f"type ./{each} for the file")
        if not is_named or os.path.exists(source(each).name):
            name, labels = "", each
        if not name and len(several) > 1:
            names = [one if NAME.match(one.partition("=")[0]) and "=" in one else _called(one) for one in several]
            raise UsageError(f"several labels need names: {' '.join(f'--labels {one}' for one in names)}")
        if name in found:
            raise UsageError(f"--labels has {name} twice ({found[name]}, {labels}); pass each attribute once")
        found[name] = labels
    return found


def _called(labels: str) -> str:
    """Suggest a name for an attribute, after its field or else its file."""
    found = source(labels)
    stem = found.field or os.path.basename(found.name).split(".")[0]
    return f"{''.join(NAME.findall(stem)) or 'NAME'}={labels}"


def split_by_attribute(values: Iterable[str], names: Collection[str], option: str) -> str | dict[str, str]:
    """Take what was typed once, or once for each attribute as ``NAME=VALUE``; "" is that for all others.

    Raises UsageError for two values of one attribute.

    >>> split_by_attribute(["even", "gender=f=0.4,m=0.6"], ["gender", "age"], "--target")
    {'': 'even', 'gender': 'f=0.4,m=0.6'}
    """
    found: dict[str, str] = {}
    several = list(dict.fromkeys(values))
    for each in several:
        name, sign, value = each.partition("=")
        is_name = bool(sign and names) and {*name.split("*")} <= {*names}
        key, own = (name, value) if is_name else ("", each)
        if found.setdefault(key, own) != own:
            once = "once, or once for each attribute as NAME=VALUE" if names else "once"
            raise UsageError(f"{option} is given twice ({', '.join(several)}); pass it {once}")
    return found[""] if found.keys() == {""} else found


def parse_group_names(wanted: str | Sequence[str]) -> list[str]:
    """Take groups that are asked for apart; of one that is renamed give the new name.

    >>> parse_group_names("f=F,m=M,-=N"), parse_group_names(["<40", ">=40"])
    (['f', 'm'], ['<40', '>=40'])
    """
    return [new for new, old in _parse_entries(wanted) if old is None or new != "-"]


def parse_renamings(wanted: str | Sequence[str] | None) -> dict[str, str]:
    """Give the new names of groups by their old ones, of those that are renamed.

    Next to such groups, one without an old name is itself. Raises UsageError for an old name that stands twice.

    >>> parse_renamings("f=F,m=M,-=N"), parse_renamings("f,m"), parse_renamings("f,-=N")
    ({'F': 'f', 'M': 'm', 'N': '-'}, {}, {'f': 'f', 'N': '-'})
    """
    found: dict[str, str] = {}
    entries = _parse_entries(wanted or ())
    if all(old is None for _, old in entries):
        return found
    for new, old in entries:
        name = new if old is None and new != "-" else old
        if name in found:
            raise UsageError(f"the group {name} is renamed to {found[name]} and to {new}; choose one name")
        if name is not None:
            found[name] = new
    return found


def _parse_entries(wanted: str | Sequence[str]) -> list[tuple[str, str | None]]:
    """Take each group apart: its name, and the old one if it is renamed."""
    return [_renaming(name.strip()) for name in (wanted.split(",") if isinstance(wanted, str) else wanted)]


def _renaming(entry: str) -> tuple[str, str | None]:
    """Take ``new=old`` apart; bins such as ``>=40`` are names."""
    new, sign, old = (part.strip() for part in entry.partition("="))
    return (new, old) if sign and new and old and not new.endswith(("<", ">")) else (entry, None)


def renamings(wanted: Any) -> str:
    """Write the groups that are renamed, as a user does, perhaps by attribute; nothing if none is.

    >>> renamings("f=F, m=M"), renamings("f,m"), renamings({"gender": "f=F,m=M", "": None})
    ('f=F,m=M', '', 'gender=f=F,m=M')
    """
    if isinstance(wanted, Mapping):
        told = {name: renamings(own) for name, own in wanted.items()}
        return ";".join(f"{name}={own}" if name else own for name, own in told.items() if own)
    return ",".join(f"{new}={old}" for old, new in parse_renamings(wanted).items())


def is_by_name(value: Any) -> bool:
    """Tell what is chosen for attributes by their names from shares of groups, which are numbers."""
    return isinstance(value, Mapping) and not all(map(_is_share, value.values()))


def _is_share(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
