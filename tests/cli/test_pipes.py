"""A named pipe that is read twice is refused at once: to open it again would wait for ever."""

import os
import threading
from contextlib import suppress

import pytest

from fairtrec.formats import pairs, run
from fairtrec.support.errors import InputError
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.limits import ends_within

pytestmark = [pytest.mark.fuzz, pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")]

FILES = {
    "qrels": "q1 0 d1 1\nq1 0 d2 0\n",
    "a.run": "q1 Q0 d1 1 2.5 a\nq1 Q0 d2 2 1.5 a\n",
    "b.run": "q1 Q0 d2 1 2.5 b\nq1 Q0 d1 2 1.5 b\n",
    "docs.tsv": "d1\tshe and he\nd2\the\n",
    "counts": "docno tokens f m\nd1 3 1 1\nd2 1 0 1\n",
    "terms": "she,f\nhe,m\n",
    "pairs": "she,he\n",
    "pairs.json": '[\n["she",\n"he"]]\n',
    "texts": "q1\twho\n",
    "votes": "qid\tannotator\tlabel\nq1\tx\tn\n",
}
REFUSED = gather_trials("PIPES")


@pytest.fixture
def piped(tmp_path, monkeypatch):
    """Make a pipe of a file, into which its text is written once."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    writers = []

    def of(name):
        (tmp_path / name).unlink()
        os.mkfifo(tmp_path / name)
        writers.append((name, threading.Thread(target=written, args=(tmp_path / name,), daemon=True)))
        writers[-1][1].start()

    yield of
    for name, writer in writers:
        if not writer.is_alive():
            continue
        # The writer may not have opened the pipe yet, so the reading end stays open until it has ended.
        reader = os.open(tmp_path / name, os.O_RDONLY | os.O_NONBLOCK)
        writer.join()
        os.close(reader)


def written(path):
    with suppress(BrokenPipeError):
        path.write_text(FILES[path.name])


@pytest.mark.parametrize(("name", "says", "command"), REFUSED.values(), ids=REFUSED)
def test_a_pipe_that_is_read_twice_is_refused(piped, fairtrec_command, name, says, command):
    piped(name)
    with ends_within(20):
        ended = fairtrec_command(*command.split())
    assert (ended.code, ended.complaints) == (3, [f"{name}: {says}"])


@pytest.mark.parametrize("name", ["pairs", "pairs.json"])
def test_pairs_are_read_from_a_pipe(piped, tmp_path, name):
    piped(name)
    with ends_within(20):
        assert pairs.read(tmp_path / name).partners == {"she": "he", "he": "she"}


def test_another_pipe_of_that_name_is_read(piped, tmp_path):
    piped("a.run")
    assert run.read(tmp_path / "a.run").qids == ("q1",)
    with pytest.raises(InputError, match="this pipe can be read only once"):
        run.read(tmp_path / "a.run")
    (tmp_path / "a.run").rename(tmp_path / "before")  # so that the next one is another to the system
    (tmp_path / "a.run").touch()
    piped("a.run")
    assert run.read(tmp_path / "a.run").qids == ("q1",)
