"""No command contacts another machine unless somebody said yes; all contacts go through a proxy that counts them."""

import json
import os
import pty
import select
import socket
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from fairtrec_made.hostile import LAUNCHER

COMMANDS = {
    "qrels": "eval vaswani bm25.run -m nDCG@10",
    "texts": "eval none bm25.run --terms gender-en --docs irds:vaswani",
    "labels": "eval none bm25.run -m AWRF@10 --labels vaswani:text",
    "words": "eval qrels.txt bm25.run --terms cpjku-gender --docs collection.tsv",
    "queries": "eval qrels.txt bm25.run -m nDCG@10 --queries msmarco-fair",
    "texts of queries": "eval qrels.txt bm25.run -m nDCG@10 --query-texts vaswani -f html -o page.html",
    "validate": "validate bm25.run --qrels vaswani",
    "validate, texts": "validate bm25.run --docs vaswani",
    "counts": "counts make vaswani --terms gender-en -o new.tsv -j 2",
    "a pyproject": "check qrels.txt bm25.run",
    "a results file": "results replay results.json",
    "a path": "resources path msmarco-fair",
}


@pytest.fixture
def folder(copied, fairtrec_command):
    """A folder whose files ask for ids of ir_datasets."""
    (copied / "pyproject.toml").write_text(
        "[tool.fairtrec.check]\nrequire = 'ARaB@10 <= 1'\nterms = 'gender-en'\ndocs = 'vaswani'\n"
    )
    assert (
        fairtrec_command(*["eval", "qrels.txt", "bm25.run", "-m", "nDCG@10", "-f", "json", "-o", "results.json"]).code
        == 0
    )
    document = json.loads((copied / "results.json").read_text())
    document["options"]["qrels"] = "vaswani"
    del document["inputs"]["qrels"]
    (copied / "results.json").write_text(json.dumps(document))
    return copied


@pytest.fixture
def proxy():
    """A machine through which all others are reached; it hangs up on each that asks, and counts them."""
    contacts = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up():
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    contacts.append(1)
                    connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", contacts
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


def _read_all(terminal):
    """Read what a terminal shows; it may come in several parts."""
    parts = []
    while select.select([terminal], [], [], 0.2)[0]:
        parts.append(os.read(terminal, 1 << 16))
    return b"".join(parts)


@pytest.fixture
def called(folder, proxy, tmp_path, monkeypatch):
    """Call a command in a process of its own; give how it ended, what it said, and how often it contacted others."""
    (tmp_path / "program.py").write_text(LAUNCHER)
    address, contacts = proxy
    for name in ("FAIRTREC_OFFLINE", "FAIRTREC_AUTOFETCH", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, address)

    def call(command, typed=None, **settings):
        more = {"IR_DATASETS_HOME": str(tmp_path / "irds"), "FAIRTREC_TIMEOUT": "2", **settings}
        line = [sys.executable, str(tmp_path / "program.py"), *command.split()]
        stdin, stderr = subprocess.DEVNULL, subprocess.PIPE
        if typed is not None:
            ours, theirs = pty.openpty()
            os.write(ours, typed.encode())
            stdin = stderr = theirs
        done = subprocess.run(
            line, env=os.environ | more, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, check=False
        )
        return done.returncode, (done.stderr if typed is None else _read_all(ours)).decode(), len(contacts)

    return call


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_nothing_is_contacted_unasked(called, command):
    code, said, contacts = called(command)
    assert code in (3, 4), said
    assert "AUTOFETCH=1" in said or "has no sha256" in said or "resources fetch" in said
    assert contacts == 0


@pytest.mark.long
@pytest.mark.parametrize("command", ["qrels", "queries"])
def test_a_variable_allows_it(called, command):
    code, said, contacts = called(COMMANDS[command], FAIRTREC_AUTOFETCH="1")
    assert code == 4, said
    assert contacts


@pytest.mark.long
@pytest.mark.parametrize(("typed", "asked"), [("n\n", False), ("\n", False), ("y\n", True)])
@pytest.mark.parametrize("command", ["qrels", "queries"])
def test_a_terminal_is_asked(called, command, typed, asked):
    code, said, contacts = called(COMMANDS[command], typed)
    assert code == 4, said
    assert said.count("is not on this machine. Fetch it? [y/N]") == 1
    assert (contacts > 0) is asked
