"""Answers that cite documents, as runs: JSON lines of the TREC tracks, one answer a line, in three forms.

- 2024: ``topic_id``, ``references`` by rank, ``answer``, whose ``citations`` are numbers of references from 0.
- 2025: the same with ``metadata.narrative_id``; citations are numbers or docnos, the best supported first.
- shared: ``metadata.topic_id`` (or ``request_id``), ``responses``, whose ``citations`` are docnos, or an object of
  docnos with their support; ``references`` in any order, or none, are not compared with these. Without references,
  ``answer`` is read as ``responses``.

A file is two runs, or of the shared form one. ``retrieved`` has the references in their order. ``cited`` has each
document at its first citation; documents are tied if the form does not tell which of them a reader meets first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite
from typing import Any, NoReturn

import numpy as np

from fairtrec.data import encode_ids
from fairtrec.formats.columns import SAMPLE_MARK, WIDEST, FileColumns, LineNumbers
from fairtrec.formats.spans import Repeats
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import json_text, opening
from fairtrec.support.files.answer_files import (
    CITED,
    RETRIEVED,
    AnswerForm,
    AnswerRun,
    detect_answers,
    detect_form,
    is_start,
)
from fairtrec.support.late_patterns import compile_late
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

WRITE = "write topic_id (or metadata.narrative_id), references and answer, or metadata.topic_id and responses"
SENTENCES: Mapping[AnswerForm, tuple[str, ...]] = {
    "2024": ("answer",), "2025": ("answer",), "shared": ("responses", "answer"),
}  # fmt: skip
TOPICS: Mapping[AnswerForm, tuple[str, ...]] = {
    "2024": ("topic_id",), "2025": ("narrative_id", "topic_id"), "shared": ("topic_id", "request_id", "narrative_id"),
}  # fmt: skip
ODD = compile_late("[\0\n\ud800-\udfff]")  # what no id holds
SHOWN = 40  # letters of an id in a message
UNRANKED = NoteKind(
    "references without order", "references of this form are not ranked, so the cited documents are the only run",
    NoteSeverity.BACKGROUND,
)  # fmt: skip


@dataclass(frozen=True)
class CitedAnswer:
    """One answer: its topic, its references, and its citations in classes that a reader meets one after the other."""

    topic: str
    number: int  # of the answer among those of the topic, from 1
    references: list[str]
    classes: list[list[str]]

    def list_cited(self) -> Iterator[tuple[str, int]]:
        """Give each cited document at its first citation, with its score: higher is cited earlier."""
        seen: set[str] = set()
        fresh = []
        for documents in self.classes:
            several = [docno for docno in dict.fromkeys(documents) if docno not in seen]
            seen.update(several)
            fresh += [several] * bool(several)
        for score, several in zip(range(len(fresh), 0, -1), fresh, strict=True):
            yield from ((docno, score) for docno in several)

    def list_retrieved(self) -> Iterator[tuple[str, int]]:
        """Give each reference with its score."""
        return zip(self.references, range(len(self.references), 0, -1), strict=True)


class AnswerReader:
    """Reads answers line by line, and refuses what is wrong with one."""

    def __init__(self, path: FilePath, *, sampled: bool = False) -> None:
        self.path, self.sampled = path, sampled  # whether a topic may have several answers
        self.line = 0  # that is read
        self.form: AnswerForm | None = None  # of the first
        self.tag = ""
        self.lines: dict[str, list[int]] = {}  # of the answers of topics
        self.has_references = False

    def read(self) -> Iterator[list[tuple[int, CitedAnswer]]]:
        """Give the answers of a few lines at a time, each with the number of its line."""
        line = 1
        with opening.open_input(self.path) as stream:
            for block, ends in opening.blocks(stream, self.path, opening.LONGEST_OBJECT):
                yield list(self._read_block(block, line))
                line += ends
        if self.form is None:
            raise InputError("this file has no answers; was it written to the end?", self.path)

    def _read_block(self, block: bytes, line: int) -> Iterator[tuple[int, CitedAnswer]]:
        for number, text in enumerate(block.rstrip(b"\n").split(b"\n"), line):
            if text.strip() and not text.startswith(b"#"):
                self.line = number
                yield number, self._take(self._parse(text))

    def _refuse(self, message: str) -> NoReturn:
        raise InputError(message, self.path, self.line)

    def _parse(self, text: bytes) -> dict[str, Any]:
        found: Any = json_text.parse_at(text, self.path, self.line, "write one answer a line")
        if not isinstance(found, dict):
            self._refuse(f"this line is no object; {WRITE}")
        return found

    def _take(self, found: dict[str, Any]) -> CitedAnswer:
        """Take an answer from the object of a line."""
        form = detect_form(found)
        if form is None:
            self._refuse(f"this is no answer with references; {WRITE}")
        metadata = found.get("metadata", {})
        if not isinstance(metadata, dict):
            self._refuse('metadata is no object; write it like {"topic_id": ...}')
        if self.form is None:
            self.form = form
            tag = (found if form == "2024" else metadata).get("run_id")
            self.tag = tag if isinstance(tag, str) else ""
        if form != self.form:
            other = f"with {' or '.join(TOPICS[self.form])} and {SENTENCES[self.form][0]}"
            self._refuse(f"this answer has another form than the first, {other}; keep one form in a file")
        topic = self._take_topic(found if form == "2024" else metadata, form)
        self.has_references |= "references" in found
        is_shared = form == "shared"
        references = (
            _list_numbered(found.get("references")) if is_shared else self._take_references(found["references"])
        )
        key = next(key for key in SENTENCES[form] if key in found)
        classes = list(self._take_classes(key, found[key], references, form))
        number = len(self.lines[topic])
        return CitedAnswer(topic, number, [] if is_shared else references, classes)

    def _take_topic(self, keys: dict[str, Any], form: AnswerForm) -> str:
        name = next((name for name in TOPICS[form] if name in keys), None)
        if name is None:
            self._refuse(f"this answer has no {' or '.join(TOPICS[form])}; {WRITE}")
        topic = self._take_id(keys[name], name)
        lines = self.lines.setdefault(topic, [])
        if lines and not self.sampled:
            what = f"topic {topic[:SHOWN]} has an answer on line {lines[0]} already"
            self._refuse(f"{what}; keep one, or add --samples to read several answers of a topic")
        lines.append(self.line)
        return topic

    def _take_id(self, thing: Any, what: str) -> str:
        if not isinstance(thing, str | int) or isinstance(thing, bool):
            self._refuse(f"the {what} {_shorten(thing)} is neither text nor a whole number; correct it")
        text = str(thing)
        if not text or ODD.search(text) or len(text.encode()) > WIDEST:
            odd = f"is empty, has a NUL, a line end or half a letter, or exceeds {WIDEST} bytes"
            self._refuse(f"the {what} {_shorten(text)} {odd}; give it another")
        return text

    def _take_references(self, things: Any) -> list[str]:
        if not isinstance(things, list):
            self._refuse('references is no list; write it like ["d7", "d3"]')
        references = [self._take_id(thing, "reference") for thing in things]
        if len({*references}) < len(references):
            twice = _find_repeat(references)
            self._refuse(f"document {twice[:SHOWN]} appears twice among the references; remove one of the two")
        return references

    def _take_classes(self, key: str, sentences: Any, references: list[str], form: AnswerForm) -> Iterator[list[str]]:
        """Give classes of cited documents: those of one class are met together."""
        if not isinstance(sentences, list):
            self._refuse(f'{key} is no list of sentences; write it like [{{"text": ..., "citations": []}}]')
        known, kinds = {*references}, set[str]()
        for number, sentence in enumerate(sentences, 1):
            if not isinstance(sentence, dict) or "citations" not in sentence:
                self._refuse(f'sentence {number} has no citations; write "citations": [] if it cites nothing')
            cited = sentence["citations"]
            if isinstance(cited, dict) and form != "2024":
                yield from self._take_supported(cited, number)
                continue
            if not isinstance(cited, list):
                self._refuse(f'the citations of sentence {number} are no list; write it like [0, 2] or ["d7"]')
            several = [self._take_citation(each, references, known, number, form, kinds) for each in cited]
            yield from [several] if form == "2024" else ([docno] for docno in several)

    def _take_citation(
        self, cited: Any, references: list[str], known: set[str], number: int, form: AnswerForm, kinds: set[str]
    ) -> str:
        """Find the document of one citation in sentence ``number``; ``kinds`` are those of the answer so far."""
        is_number = isinstance(cited, int) and not isinstance(cited, bool)
        if form == "shared":
            is_docno = not is_number or str(cited) in known or not 0 <= cited < len(references)
            return self._take_id(cited if is_docno else references[cited], "citation")
        if form == "2024" and not is_number:
            what = f"the citation {_shorten(cited)} of sentence {number} is no number of a reference"
            self._refuse(f"{what}; write numbers from 0")
        kinds.add("numbers" if is_number else "docnos")
        if len(kinds) > 1:
            self._refuse(f"the citations of this answer are numbers and docnos mixed, in sentence {number}; use one")
        if not is_number:
            return self._take_known(cited, known, number)
        if not 0 <= cited < len(references):
            there = f"there are {len(references)}, numbered from 0" if references else "there are none"
            self._refuse(f"sentence {number} cites reference {_shorten(cited)}, and {there}; correct the citation")
        docno: str = references[cited]
        return docno

    def _take_known(self, cited: Any, known: set[str], number: int) -> str:
        docno = self._take_id(cited, "citation")
        if docno not in known:
            what = f"sentence {number} cites {docno[:SHOWN]}, which is not among the references"
            self._refuse(f"{what}; add it there, or remove the citation")
        return docno

    def _take_supported(self, cited: dict[str, Any], number: int) -> Iterator[list[str]]:
        """Give documents of equal support together, the best supported first."""
        for docno, support in cited.items():
            self._take_id(docno, "citation")
            if isinstance(support, bool) or not isinstance(support, int | float) or not _is_finite(support):
                what = f"the support {_shorten(support)} of {docno[:SHOWN]} in sentence {number} is no finite number"
                self._refuse(f"{what}; correct it")
        for _, pairs in groupby(sorted(cited.items(), key=lambda pair: -pair[1]), key=lambda pair: pair[1]):
            yield [docno for docno, _ in pairs]


def _list_numbered(references: Any) -> list[str]:
    """List the references that numbers in responses can mean; none of what is no list of ids."""
    several = references if isinstance(references, list) else []
    return [str(each) for each in several] if all(isinstance(each, str | int) for each in several) else []


def _find_repeat(names: Iterable[str]) -> str:
    """Find the first name that stands there again."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""


def _shorten(thing: Any) -> str:
    if isinstance(thing, list | dict):  # which may be deep
        return "[...]" if isinstance(thing, list) else "{...}"
    return repr(thing[:SHOWN]) if isinstance(thing, str) else repr(thing)[:SHOWN]


def _is_finite(number: float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:  # a whole number of hundreds of digits
        return False


class RankedColumns:
    """The columns of one run of a file of answers, gathered a few answers at a time."""

    def __init__(self, part: str | None, *, sampled: bool = False) -> None:
        self.part, self.sampled = part, sampled
        self.topics, self.numbers, self.docnos, self.scores, self.ranks = (list[Any]() for _ in range(5))
        self.blocks: list[tuple[int, LineNumbers]] = []
        self.rows = 0  # lines of the run
        self.empty: list[str] = []  # topics whose answers have none; with the number of the answer if there are several

    def add(self, answers: Sequence[tuple[int, CitedAnswer]]) -> None:
        """Add answers, each with the number of its line."""
        found = [(line, answer, self._rank(answer)) for line, answer in answers]
        several = [(line, answer, ranked) for line, answer, ranked in found if ranked]
        self.empty += [self._name(answer) for _, answer, ranked in found if not ranked]
        if not several:
            return
        rows = [(line, answer, *one) for line, answer, ranked in several for one in ranked]
        lines, of_rows, docnos, scores = zip(*rows, strict=True)
        self.blocks.append((self.rows, list(lines)))
        self.topics.append(encode_ids([answer.topic for answer in of_rows]))
        self.numbers.append(encode_ids([str(answer.number) for answer in of_rows]))
        self.docnos.append(encode_ids(docnos))
        self.scores.append(np.array(scores, dtype=np.float64))
        self.ranks += [np.arange(1, len(ranked) + 1) for *_, ranked in several]
        self.rows += len(rows)

    def _name(self, answer: CitedAnswer) -> str:
        """Name the ranking of an answer as it is told apart: by the topic, and its number if there are several."""
        return f"{answer.topic}{SAMPLE_MARK}{answer.number}" if self.sampled else answer.topic

    def _rank(self, answer: CitedAnswer) -> list[tuple[str, int]]:
        return list(answer.list_cited() if self.part == CITED else answer.list_retrieved())

    def join(self) -> dict[str, Any]:
        """Give each column as a whole."""
        ids = np.empty(0, "S1")
        topics = np.concatenate([ids, *self.topics])
        numbers = {"qid": topics, "Q0": np.concatenate([ids, *self.numbers])}
        return {
            **(numbers if self.sampled else {"qid": Repeats.find(topics)}),
            "docno": np.concatenate([ids, *self.docnos]),
            "score": np.concatenate([np.empty(0), *self.scores]),
            "rank": np.concatenate([np.empty(0, np.int64), *self.ranks]),
        }


def tell(path: FilePath, start: bytes) -> str | None:
    """Tell a file of answers, and a stream by its start."""
    is_one = is_start(start) if opening.is_stream(path) else detect_answers(path) is not None
    return AnswerRun.run_form if is_one else None


def read(path: FilePath, *_: Any, ranks: bool, sampled: bool) -> FileColumns:
    """Read one of the two runs of a file of answers: that which the path names, or with ``ranks`` the references.

    ``sampled``  the n-th answer of a topic is its n-th ranking.

    Raises InputError for what is wrong with a line, and if the path names neither run.
    """
    part = getattr(path, "part", None)
    if ranks:
        part = CITED if detect_answers(path) == "shared" else RETRIEVED
    reader, columns = AnswerReader(path, sampled=sampled), RankedColumns(part, sampled=sampled)
    for answers in reader.read():
        columns.add(answers)
    _refuse_unranked(path, part, reader.form)
    tag = {"tag": reader.tag} if reader.tag.strip() else {}
    notes, empty = tuple(_list_notes(reader, columns)), tuple(columns.empty)
    return FileColumns(path, columns.join() | tag, columns.blocks, notes, empty)


def _refuse_unranked(path: FilePath, part: str | None, form: AnswerForm | None) -> None:
    """Raise InputError if it is not said which run is meant, or if its documents are not ranked."""
    text, is_shared = str(path), form == "shared"
    if part is None:
        both = f"{text}:{CITED}" if is_shared else f"{text}:{RETRIEVED} and {text}:{CITED}"
        raise InputError(f"answers are runs by the names {both}; give one of these", path)
    if part == RETRIEVED and is_shared and isinstance(path, AnswerRun):
        raise InputError(f"references of this form are not ranked; take the run {text}:{CITED}", path)


def _list_notes(reader: AnswerReader, columns: RankedColumns) -> Iterator[Note]:
    if columns.part == CITED and reader.form == "shared" and reader.has_references:
        yield UNRANKED.note()
