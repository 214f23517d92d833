"""Files of answers that cite documents, told by their first line, and the two runs that each of them is.

Nothing here imports numpy, so that other processes can be made ready before this one does.
"""

import os
from contextlib import suppress
from os import fspath
from typing import Any, Literal, Self

from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import admission, opening, submissions

AnswerForm = Literal["2024", "2025", "shared"]
RETRIEVED, CITED = PARTS = ("retrieved", "cited")
LOOKED_AT = 64  # bytes, by which most runs are told from JSON


class AnswerRun(str):
    """The path of a file of answers, and which of its two runs is meant; runs of two parts differ."""

    part: str
    run_form = "rag"  # the row of formats/run_forms.py
    __slots__ = ("part",)

    def __new__(cls, path: str, part: str) -> Self:
        """Name the run."""
        made = super().__new__(cls, path)
        made.part = part
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]  # for other processes
        return str(self), self.part

    def __str__(self) -> str:
        return "".join(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnswerRun) and self.part == other.part and str(self) == str(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((str(self), self.part))


def detect_form(found: Any) -> AnswerForm | None:
    """Tell by its keys which form an answer has; None for what is none.

    >>> detect_form({"topic_id": "1", "references": [], "answer": []})
    '2024'
    >>> detect_form({"metadata": {"topic_id": "1"}, "references": [], "responses": []})
    'shared'
    >>> detect_form({"metadata": {"topic_id": "1"}, "responses": []})
    'shared'
    >>> detect_form({"metadata": {"narrative_id": "1"}, "answer": []})
    'shared'
    >>> detect_form({"qid": "1", "docno": "d"})
    """
    if not isinstance(found, dict) or found.keys().isdisjoint(("references", "metadata")):
        return None
    if "responses" in found:
        return "shared"
    if "answer" not in found:
        return None
    if "topic_id" in found:
        return "2024"
    return "2025" if "references" in found else "shared"


def is_start(text: bytes) -> bool:
    """Tell whether the first few bytes of a stream are of an answer, by keys that no other JSON line has.

    >>> is_start(b'{"run_id": "mine", "topic_id": "101", "ref'), is_start(b'{"qid": "101", "docno": "d"}')
    (True, False)
    """
    return text.startswith(b"{") and any(key in text for key in (b'"topic_id"', b'"metadata"', b'"references"'))


def detect_answers(path: FilePath) -> AnswerForm | None:
    """Tell by the first line of a file which form of answers it has; None for other files and streams."""
    if fspath(path) == opening.STDIN or not os.path.isfile(path):  # noqa: PTH113 - pathlib takes its time to be imported
        return None
    if submissions.border() is not None and submissions.is_refused(path):
        return None
    with suppress(OSError, InputError, ValueError, RecursionError):
        with admission.open_file(path) as file:
            start = file.read(LOOKED_AT)
        if not (b"{" in start or "json" in fspath(path) or (start and start[0] not in range(32, 127))):
            return None
        _, line, _ = opening.first_line(path, b"#", opening.LONGEST_OBJECT)
        if (b'"references"' in line or b'"metadata"' in line) and (b'"answer"' in line or b'"responses"' in line):
            from fairtrec.support.files import json_text

            return detect_form(json_text.parse(line))
    return None


def split_answers(name: str, path: FilePath) -> list[tuple[str, FilePath]]:
    """Give the runs of a file with their names: one, or of answers ``name:retrieved`` and ``name:cited``.

    Where the name says which of the two is meant, as in ``{"mine:cited": path}``, or the path does, as in
    ``rag.jsonl:cited``, it is that one. References that are not ranked are no run.
    """
    if isinstance(path, AnswerRun):
        return [(name, path)]
    text = fspath(path)
    form = detect_answers(path)
    if form is None:
        file, _, part = text.rpartition(":")
        is_part = part in PARTS and not os.path.exists(text) and detect_answers(file) is not None  # noqa: PTH110
        return [(name, AnswerRun(file, part) if is_part else path)]
    meant = name.rpartition(":")[2]
    if meant in PARTS and name != text:
        return [(name, AnswerRun(text, meant))]
    return [(f"{name}:{part}", AnswerRun(text, part)) for part in (PARTS if form != "shared" else (CITED,))]
