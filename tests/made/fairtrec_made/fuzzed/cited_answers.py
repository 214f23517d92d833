"""Answers with citations, of all three forms: each of their runs is read or refused."""

import json
from contextlib import suppress

from fairtrec.formats import run
from fairtrec.support.errors import InputError
from fairtrec.support.files.answer_files import CITED, RETRIEVED, AnswerRun
from fairtrec_made.fuzzed import write

ANSWERS = (
    {"topic_id": "1", "run_id": "r", "references": ["d1", "d2"], "answer": [{"text": "a", "citations": [1, 0]}]},
    {"metadata": {"narrative_id": 2}, "references": ["d1"], "answer": [{"text": "a", "citations": ["d1"]}]},
    {"metadata": {"topic_id": "3"}, "responses": [{"text": "a", "citations": {"d1": 0.5, "d2": 1}}]},
    {"metadata": {"request_id": "4"}, "references": ["d1"], "answer": [{"text": "a", "citations": ["d1", 0]}]},
)  # fmt: skip


def seeds():
    """Give a line of each form, and two."""
    for answer in ANSWERS:
        yield json.dumps(answer).encode() + b"\n"
        yield b"".join(json.dumps({**answer, **more}).encode() + b"\n" for more in ({}, {"topic_id": "9"}))


def take(data):
    """Read both runs of the answers."""
    path = write(data, ".jsonl")
    for part in (CITED, RETRIEVED):
        for sampled in (False, True):
            with suppress(InputError):
                run.read(AnswerRun(path, part), sampled=sampled)
