"""Bounded time: other ids that collide, other pipes, and TOML of many parts."""

import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from fairtrec.support.errors import InputError
from fairtrec.support.files import typed_fields
from fairtrec_made import REPOSITORY, THOROUGH, colliding
from fairtrec_made.law import hold
from fairtrec_made.limits import ends_within

pytestmark = [pytest.mark.fuzz, pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")]
MANY = 20_000
TIMES = 3


def measure_seconds(call, *words):
    before = time.process_time()
    done = call(*words)
    assert done.code == 0, done.err
    return time.process_time() - before


def write_ids(folder, name, ids):
    (folder / f"{name}.run").write_text("".join(f"{qid} Q0 d1 1 1 t\n" for qid in ids))
    (folder / f"{name}.qrels").write_text("".join(f"{qid} 0 d1 1\n" for qid in ids[::-1]))
    (folder / f"{name}.slices").write_text("".join(f"{qid}\t{'ab'[at % 2]}\n" for at, qid in enumerate(ids)))
    (folder / f"{name}.docnos").write_text("".join(f"{qid}\n" for qid in ids))
    (folder / f"{name}-docs.run").write_text(
        "".join(f"q{at % 20} Q0 {docno} 1 {at} t\n" for at, docno in enumerate(ids))
    )


@pytest.fixture
def floods(tmp_path, monkeypatch):
    """Files of ids that want one place of a table, and of as many others."""
    monkeypatch.chdir(tmp_path)
    write_ids(tmp_path, "flood", colliding.list_ids(MANY))
    write_ids(tmp_path, "other", colliding.list_other_ids(MANY))
    return tmp_path


@pytest.mark.long
def test_query_ids_that_collide_cost_as_much_as_others(floods, fairtrec_command):
    words = "eval {0}.qrels {0}.run -m RR --queries common --slice {0}.slices -q -o out"
    flood, other = (measure_seconds(fairtrec_command, *words.format(name).split()) for name in ("flood", "other"))
    assert flood <= TIMES * other + 0.2


def test_docnos_that_collide_are_checked_as_fast_as_others(floods, fairtrec_command):
    words = "validate {0}-docs.run --docnos {0}.docnos"
    flood, other = (measure_seconds(fairtrec_command, *words.format(name).split()) for name in ("flood", "other"))
    assert flood <= TIMES * other + 0.2


MIB = 1 << (20 if THOROUGH else 18)  # the longest TOML that is read; make check tries a quarter
TOML = {
    "tables": "".join(f"[t{n}]\n" for n in range(MIB // 9)),
    "a list of tables": "[[t]]\n" * (MIB // 6),
    "keys": "".join(f"k{n} = 1\n" for n in range(MIB // 12)),
    "tables in tables": "".join(f"[{'.'.join('abcdefgh')}.t{n}]\n" for n in range(MIB // 26)),
    "quotation marks": "x = '" + '"' * (MIB - 10) + "'\n",
    "escapes": 'x = "' + "\\\\" * (MIB // 2 - 10) + '"\n',
    "lists": "x = [" + "[]," * (MIB // 3 - 10) + "]\n",
    "inline tables": "x = [" + "{a = 1}," * (MIB // 8 - 10) + "]\n",
    "lines of a text": "x = '''" + "\n" * (MIB - 20) + "'''\n",
    "comments": "#\n" * (MIB // 2),
    "an open text": 'x = "' + "a" * (MIB - 10),
}


@pytest.mark.parametrize("kind", TOML)
def test_toml_of_many_parts_is_read_or_refused_soon(kind):
    before = time.process_time()
    with suppress(InputError):
        typed_fields.parse_toml(TOML[kind].encode(), "f.toml", "correct it")
    assert time.process_time() - before < 10


# --- pipes ---


@pytest.mark.parametrize("kind", ["a link to a pipe", "a socket", "a device", "a link to itself"])
@pytest.mark.parametrize("runs", ["runs", "runs/*", "@list"])
def test_what_else_is_no_file_in_a_folder_is_skipped(copied, fairtrec_command, kind, runs):
    (copied / "runs").mkdir()
    (copied / "runs" / "a.run").write_bytes((copied / "bm25.run").read_bytes())
    (copied / "list").write_text("runs/*\n")
    place = copied / "runs" / "x.run"
    with socket.socket(socket.AF_UNIX) as listener:
        if kind == "a socket":
            os.chdir(copied / "runs")  # a path of a socket is short
            listener.bind("x.run")
            os.chdir(copied)
        else:
            os.mkfifo(copied / "pipe")
            place.symlink_to(
                {"a link to a pipe": "../pipe", "a device": "/dev/zero", "a link to itself": "x.run"}[kind]
            )
        with ends_within(20):
            done = hold(fairtrec_command, ["eval", "qrels.txt", runs, "-m", "RR"], copied)
    if kind != "a link to itself":
        assert (done.code, "x.run" in done.err) == (0, True), done.err


@pytest.mark.parametrize("other", ["link", "hard", "./pipe", "../example/pipe"])
def test_a_pipe_of_two_names_is_refused(copied, fairtrec_command, other):
    os.mkfifo(copied / "pipe")
    (copied / "link").symlink_to("pipe")
    os.link(copied / "pipe", copied / "hard")
    writer = threading.Thread(target=(copied / "pipe").write_text, args=("101 Q0 p001 1 1 t\n",), daemon=True)
    writer.start()
    with ends_within(20):
        done = hold(fairtrec_command, ["eval", "qrels.txt", "a=pipe", f"b={other}", "-m", "RR"], copied)
    writer.join()
    assert (done.code, "can be read only once" in done.err) == (3, True), done.err


@pytest.mark.parametrize("names", [("-", "-"), ("-", "/dev/stdin"), ("/dev/stdin", "/dev/fd/0"), ("/dev/fd/0", "-")])
def test_standard_input_under_two_names_is_refused(copied, names):
    """The pipe stays open, so that whoever reads it again waits for ever."""
    command = [sys.executable, "-P", "-m", "fairtrec", "eval", names[0], names[1], "-m", "RR"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(REPOSITORY)}, text=True) as started:  # fmt: skip
        started.stdin.write("101 0 p001 1\n")
        started.stdin.close()
        said = started.stderr.read()
    assert (started.returncode, "can be read only once" in said, said.count("\n")) == (3, True, 1), said
