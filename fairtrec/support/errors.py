"""Every error that is addressed to a user, each with the exit code that DESIGN promises.

A message says what is wrong and, after a semicolon, what to do about it. Where a file is to blame the message
starts with ``file:line:``, so that editors and CI logs can jump to it.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from os import PathLike, fspath
from typing import ClassVar, get_args

FilePath = str | PathLike[str]
PATH = (str, PathLike)  # what a path or a name is an instance of; all else holds data
LONGEST = 300  # letters of one thing that others wrote, in a message
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
STEERING, BREAKING = f"[{_CONTROL}]", rf"[{_CONTROL}\t\n]|##\w*\["  # compiled when there is something to say
COMMANDS = r"(?:\A|(?<=[\r\n]))([^\S\r\n]*)::|##\w*\["  # of runners of CI: at the start of a line, or anywhere


def make_visible(text: str) -> str:
    """Show what a terminal would obey, or what is no Unicode, as escapes; lines and tabs stay.

    >>> make_visible("a\\tb\\x1b[2J\\n")
    'a\\tb\\\\x1b[2J\\n'
    """
    return re.sub(STEERING, escape_control, text)


def plain(text: str) -> str:
    """Make one line of a text that others chose, which no terminal and no CI runner takes for a command.

    >>> plain("a\\n::error::b ##[group]")
    'a\\\\n::error::b # #[group]'
    """
    return re.sub(BREAKING, escape_control, text)


def short(text: str, most: int = LONGEST) -> str:
    """Make one plain line of at most so many letters: the middle of what is longer is left out.

    >>> short("a" * 400, 9), short("a\\x1b")
    ('aaaa…aaaa', 'a\\\\x1b')
    """
    if len(text) > most:
        text = f"{text[:most]}{text[-most:]}"  # of which the middle goes; what is megabytes long is not escaped first
    line = plain(text)
    return line if len(line) <= most else f"{line[: most // 2]}…{line[most // 2 + 1 - most :]}"


def describe_parse_fault(fault: Exception) -> str:
    """Say what is wrong with JSON or TOML, without a word about Python.

    >>> describe_parse_fault(ValueError("Exceeds the limit (4300 digits) for integer string conversion"))
    'a number has too many digits'
    """
    if isinstance(fault, RecursionError):
        return "it is nested too deeply"
    if isinstance(fault, UnicodeError):
        return "it is not UTF-8 text"
    return "a number has too many digits" if str(fault).startswith("Exceeds the limit") else str(fault)


def escape_control(control: re.Match[str]) -> str:
    """Write what was found as an escape; a command of a CI runner with a blank in it."""
    found = control.group()
    return f"# {found[1:]}" if found.startswith("##") else found.encode("unicode_escape").decode()


def defuse(text: str) -> str:
    """Put a blank into what a runner of CI takes for a command; lines and all else stay.

    >>> defuse("a ::error::\\n ::error::b ##vso[task.complete]")
    'a ::error::\\n : :error::b # #vso[task.complete]'
    """
    found = re.compile(COMMANDS).sub(lambda each: f"{each[1]}: :" if each[1] is not None else f"# {each[0][1:]}", text)
    return str(found)


def reason(fault: BaseException) -> str:
    """Give what the machine says of a failure, without the name of the file, which a message has in front."""
    return str(getattr(fault, "strerror", None) or fault)


class _Door:
    """Who asks: ``is_typed`` while the command line runs, which spells options as they are typed."""

    is_typed = False


@contextmanager
def type_options() -> Iterator[None]:
    """Have messages spell options as they are typed, and not as keywords of Python."""
    before, _Door.is_typed = _Door.is_typed, True
    try:
        yield
    finally:
        _Door.is_typed = before


def spell_options(text: str) -> str:
    """Spell the options of a message as whoever asks writes them: typed, or as keywords of Python."""
    click = sys.modules.get("click")
    if _Door.is_typed or (click is not None and click.get_current_context(silent=True) is not None):
        return text
    return spell_keywords(text)


def spell_keywords(text: str) -> str:
    """Spell the options of a message as keywords of Python; lines to type stay.

    >>> spell_keywords("add --terms LIST, or --order rank with --samples; type: fairtrec eval --labels FILE")
    'add terms=LIST, or order=rank with samples=True; type: fairtrec eval --labels FILE'
    >>> spell_keywords("add --samples; --missing neutral|skip, --slice FILE; leave out --score-dtype")
    'add samples=True; missing=neutral|skip, slices=FILE; leave out score_dtype='
    >>> spell_keywords("add -m, like -m 'nDCG@10 RR'; use -j 1 or -M N; choose another with -o")
    "add measures=, like measures='nDCG@10 RR'; use jobs=1 or depth=N; choose another"
    """
    return _compile_options().sub(_spell_keyword, text)


def _spell_keyword(found: re.Match[str]) -> str:
    if found[0] == " with -o":
        return ""
    option, value = found["option"] or _LETTERS.get(found["letter"]), found["value"]
    if option is None or option in ONLY_TYPED:
        return found[0]
    if value is None and option in _FLAGS and found.string[: found.start()].endswith(("add ", "with ")):
        value = "True"
    keyword = _KEYWORDS.get(option, option.replace("-", "_"))
    return f"{keyword}={value or ''}"


@cache
def _compile_options() -> re.Pattern[str]:
    """Compile what finds lines to type, which stay, and options with their values: names, numbers, known words."""
    from fairtrec.support import literals

    words = {word for each in vars(literals).values() for word in get_args(each) if isinstance(word, str)}
    known = "|".join(sorted(map(re.escape, words | _WORDS), key=len, reverse=True))
    measure = r"[a-z]+[A-Z][\w@().=]*"
    value = (
        rf"[A-Z\d'\"<\[{{][^\s,;)]*|[a-z]+\d[\w-]*|{measure}|[a-z_]+(?:[|=,./@-](?=\S)[^\s;)]*)+"
        rf"|(?:{known})(?=[\s,;.:)]|$)"
    )
    line = r"`[^`]*`|\b(?:fairtrec|iconv|pip) [^;`]*|\b(?:trec_eval|ir_measures|ulimit) -\w"
    option = rf"--(?P<option>[a-z][a-z-]+)|-(?P<letter>[{''.join(_LETTERS)}])(?![\w-])"
    return re.compile(rf"{line}|{_PLACE}(?=$|[,;])|(?<![\w/-])(?:{option})(?:[ =](?P<value>{value}))?")


_KEYWORDS = {"slice": "slices", "from": "from_"}  # of options that have another name there
_LETTERS = {
    "c": "complete",
    "f": "format",
    "j": "jobs",
    "m": "measures",
    "M": "depth",
    "q": "per-query",
}
_PLACE = "(?:(?<=another)|(?<=place)|(?<=folder)|(?<=file)|(?<=one)|(?<=runs)) with -o"  # Python is told it otherwise
ONLY_TYPED = frozenset(("all", "fix", "help", "junit", "quiet", "verbose", "version"))  # Python has none
_FLAGS = frozenset(("samples", "complete", "case-sensitive", "force", "resume", "one-way", "accept", "per-query"))
_WORDS = {  # that options take, next to those of fairtrec/support/literals.py
    *("even", "collection", "background", "qrels", "relevance", "ideal", "common", "defined", "mean"),
    *(
        "auto",
        "trec",
        "msmarco",
        "rag",
        "search",
        "html",
        "latex",
        "flat",
        "json",
        "tsv",
        "csv",
        "table",
        "parquet",
        "md",
        "jsonl",
    ),
}


_INSTALLED_BY = {  # libraries whose package has another name, or that an extra brings
    "ir_measures": "ir-measures",
    "pytrec_eval": "pytrec-eval-terrier",
    "matplotlib": "'fairtrec[plot]'",
    "sentence_transformers": "'fairtrec[embed]'",
    **dict.fromkeys(("pyspark", "py4j"), "'fairtrec[spark]'"),
    **dict.fromkeys(("torch", "transformers", "safetensors"), "'fairtrec[adv]'"),
}


def missing_library(fault: ImportError) -> str:
    """Say which library is not installed, and what installs it; nothing for another fault.

    >>> missing_library(ModuleNotFoundError("No module named 'ir_measures'", name="ir_measures"))
    'this needs ir_measures, which is not installed; run: pip install ir-measures'
    """
    name = (fault.name or "").partition(".")[0]
    if not isinstance(fault, ModuleNotFoundError) or not name or name == "fairtrec" or name != fault.name:
        return ""
    return f"this needs {short(name)}, which is not installed; run: pip install {_INSTALLED_BY.get(name, short(name))}"


class FairtrecError(Exception):
    """The base of errors that a user can fix. The command line prints it as one line and ends with ``exit_code``.

    As text it is one short line without control characters.
    """

    exit_code: ClassVar[int] = 5

    def __str__(self) -> str:
        return short(spell_options(super().__str__()))


class UsageError(FairtrecError):
    """Arguments or options that are unknown or do not fit together."""

    exit_code = 2


def refuse_first(faults: Iterable[tuple[bool, str]], error: Callable[[str], FairtrecError] = UsageError) -> None:
    """Raise an error with the message of the first fault that holds; nothing if none does.

    >>> refuse_first([(1 > 2, "1 is greater"), (2 > 1, "2 is greater")])
    Traceback (most recent call last):
    fairtrec.support.errors.UsageError: 2 is greater
    """
    for holds, message in faults:
        if holds:
            raise error(message)


class InputError(FairtrecError):
    """A broken file or object. It has the message, the path and the line, if these are known.

    >>> fault = InputError("a score is not a number", "runs/a.run", 7)
    >>> str(fault), fault.path, fault.line, fault.message
    ('runs/a.run:7: a score is not a number', 'runs/a.run', 7, 'a score is not a number')
    """

    exit_code = 3

    def __init__(self, message: str, path: FilePath | None = None, line: int | None = None) -> None:
        super().__init__(message, path, line)
        self.message, self.path, self.line = message, path, line

    def __str__(self) -> str:
        place = "" if self.path is None else f"{short(fspath(self.path))}:"
        where = place if self.line is None else f"{place}{self.line}:"
        return f"{where} {short(spell_options(self.message))}".lstrip()


class ResourceError(FairtrecError):
    """A word list, query set, library or download that is unknown, missing or damaged."""

    exit_code = 4


class LittleMemoryError(FairtrecError, ImportError):
    """A library cannot be loaded, as there is too little memory for it."""

    exit_code = 3
