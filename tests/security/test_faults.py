"""Faults of the machine in every command that writes: each write fails in turn, memory ends, the process is killed.

`make check` tries a few steps of some commands, `make slow` every step of every command with every fault.
"""

import errno
import hashlib
import json
import os
import re
import shlex
import signal
import sys
from itertools import takewhile

import pytest
from click import Argument, Context, Group

from fairtrec import cli
from fairtrec.cli import options
from fairtrec_made import EXAMPLE, REPOSITORY, THOROUGH
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.faults import Machine, Trial, load_watch
from fairtrec_made.trials import FILES

pytestmark = [
    pytest.mark.fuzz,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that are forked"),
]

NUMBERS = errno.ENOSPC, errno.EIO, errno.EINTR, errno.EACCES
STEP = 5000  # allocations
SIZES = [0, 1, 10, 100, 1000]  # bytes, of which no file may have more
TEXTS = "--terms gender-en --docs collection.tsv"
COMMANDS = gather_trials("WRITING", {
    "eval": "eval qrels.txt bm25.run -m RR -o old.txt",
    "eval to Parquet": "eval qrels.txt bm25.run -m RR -f parquet -o old.txt",
    "eval to a folder": "eval qrels.txt bm25.run fair.run -m RR --spread -o new/",
})  # fmt: skip
ENDS = "</html>\n", "\n}\n", "</testsuites>\n"  # of what is written again as each part ends, or says what went wrong
UNJUDGED = re.compile(r"old\n### fairtrec check: nothing was judged\n\n[^\n]+\n")  # a job summary that says why
IN_PARTS = gather_trials("WRITTEN_IN_PARTS")
RESUMED = re.compile(r".*\.parts")  # by --resume
INTERPRETER = re.compile(  # of what it writes without memory for the arguments of sys.unraisablehook, or to find sys.stderr
    r"Exception ignored (on building|in: (?!<function)).*\n(MemoryError.*\n)?|object address  : (.*\n)*?lost sys\.stderr\n"
)
PASSED = re.compile(r"\w+/fallen:|.+/(libc|libpthread|libgcc_s|libstdc\+\+):")
OTHERS = re.compile(r".+/libpython3|bin/python|_core/_multiarray_umath:|pyarrow/")  # that die without memory
WAITING = ["threading.py:wait", "threading.py:wait", "threading.py:start"]  # for a thread that ended before it began
UNFINISHED = re.compile(r"\.fairtrec-[0-9a-f]+\.(part|old)")  # which the next command removes


QUICK = {"eval", "eval to a folder", "check", "counts make over another", "validate --fix to a folder", "queryset"}
DYING = gather_trials("DIES_WITHOUT_MEMORY")
EVERY = [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in COMMANDS]


NAMED = {"--output", "--fix", "--copy"}  # of options whose type does not say that they are written to


def list_writing(command=cli.command, name=()):
    """List the words of each command with the options or arguments of it that name an output."""
    context = Context(command)
    if isinstance(command, Group):
        for each in command.list_commands(context):
            yield from list_writing(command.get_command(context, each), (*name, each))
        return
    for each in command.params:
        if isinstance(each.type, type(options.PATH)) or NAMED & {*each.opts}:
            yield name, [] if isinstance(each, Argument) else each.opts


def test_each_output_of_each_command_has_a_row():
    rows = [[word for word in shlex.split(words) if "=" not in word] for words in COMMANDS.values()]
    untried = gather_trials("UNTRIED")
    found = [(name, opts) for name, opts in list_writing() if " ".join(name) not in untried]
    assert len(found) > (20 if (REPOSITORY / "fairtrec" / "lab").is_dir() else 10)
    lacking = [
        (name, opts)
        for name, opts in found
        if not any(tuple(row[: len(name)]) == name and (not opts or {*opts} & {*row}) for row in rows)
    ]
    assert lacking == []


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults") / "base"
    here = folder / "here"
    here.mkdir(parents=True)
    (folder / "home").mkdir()
    names = "qrels.txt bm25.run fair.run neural.run background.run collection.tsv queries.tsv labels.tsv votes.tsv stances.tsv"
    for name in names.split():
        (here / name).write_bytes((EXAMPLE / name).read_bytes())
    (here / "small").mkdir()
    for name in {*re.findall(r"small/(\S+)", " ".join(COMMANDS.values()))} & FILES.keys():
        content = FILES[name]
        (here / "small" / name).write_bytes(content.encode() if isinstance(content, str) else content)
    for name in ("old.txt", "old.tsv", "old.arrow", "old.run", "old.svg"):
        (here / name).write_text("old\n")
    for name, at in (("one", "p001"), ("two", "p002")):
        (here / f"{name}.tsv").write_text(f"docno\ttokens\tf\tm\n{at}\t9\t1\t0\n")
    keys = ("title", "source", "license", "citation", "language", "format")
    sha256 = hashlib.sha256((here / "queries.tsv").read_bytes()).hexdigest()
    passport = {"kind": "queryset", "count": 12, "file": "queries.tsv", "sha256": sha256} | dict.fromkeys(keys, "x")
    (here / "own.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in passport.items()))
    made = Machine(folder)
    found = made.run(shlex.split("eval qrels.txt bm25.run -m RR -o results.json"))
    (here / "small" / "results.json").write_text(found.tree["here/results.json"])
    yield made
    made.close()


@pytest.fixture(scope="module")
def trials():
    """How commands end without a fault, by name."""
    return {}


@pytest.fixture
def trial(machine, request, trials):
    """The words of a command, the files before it, and how it ends without a fault."""
    words = shlex.split(COMMANDS[request.param])
    if request.param not in trials:
        machine.run(words)  # what it imports is there for the next one
        trials[request.param] = machine.run(words)
        trials.setdefault("before", machine.run(["--version"]))
    before, found = trials["before"].tree, trials[request.param]
    assert found.code in (0, 1), found.err
    assert found.tree != before
    return words, before, found


def choose(many, few=2):
    """Choose a few numbers from 1 on, the first and the last among them, or all."""
    return range(1, many + 1) if THOROUGH else sorted({1, many, *(1 + many * k // few for k in range(1, few))})


def alike(found, good):
    """Tell whether a file is whole: times differ, and a page grows with each part of a study."""
    found, good = (re.sub(r'time="[^"]*"', "", each or "") for each in (found, good))
    return found == good or (found[:8] == good[:8] and any(found.endswith(end) and good.endswith(end) for end in ENDS))


def hold(found, before, good, what, *, is_old=True):
    """Hold that a command ended in one line and left everything as it was, or did all of its work."""
    if found.code in (0, 1):
        assert found.tree.keys() == good.tree.keys(), what
        assert [name for name in good.tree if not alike(found.tree[name], good.tree[name])] == [], what
        return
    assert found.code in (2, 3, 4), (what, found.code, found.err)
    assert len(found.complaints) == 1, (what, found.err)
    assert "fault" not in found.err, (what, found.err)
    if not is_old:
        hold_whole(found, before, good, what)
        return
    changed = {name for name in found.tree.keys() | before.keys() if found.tree.get(name) != before.get(name)}
    assert {name for name in changed if not is_named(name, RESUMED)} == set(), (what, found.err)


def is_named(name, *patterns):
    return any(pattern.fullmatch(part) for part in name.split("/") for pattern in patterns)


def hold_whole(found, before, good, what):
    """Hold that each file is the old or the new one, but for those that say by their names that they are not whole."""
    for name, content in found.tree.items():
        assert (
            is_named(name, RESUMED, UNFINISHED)
            or content == before.get(name)
            or alike(content, good.tree.get(name))
            or UNJUDGED.fullmatch(content)
        ), (what, name)
    assert before.keys() <= found.tree.keys(), what


@pytest.mark.parametrize("trial", EVERY, indirect=True)
def test_a_step_that_fails_loses_and_leaves_nothing(machine, trial):
    words, before, good = trial
    for at in choose(len(good.steps)):
        for number in NUMBERS if THOROUGH else [NUMBERS[at % len(NUMBERS)]]:
            found = machine.run(words, "fail", at, number)
            what = words, at, good.steps[at - 1], errno.errorcode[number]
            hold(found, before, good, what, is_old=words[0] not in IN_PARTS)


@pytest.mark.parametrize("trial", EVERY, indirect=True)
def test_a_disk_that_is_full_behind_some_bytes_loses_and_leaves_nothing(machine, trial):
    """Libraries in C write where no step of Python is."""
    words, before, good = trial
    for size in SIZES if THOROUGH else SIZES[::3]:
        found = machine.run(words, "fill", size)
        hold(found, before, good, (words, size), is_old=words[0] not in IN_PARTS)


@pytest.mark.parametrize("trial", EVERY, indirect=True)
def test_what_is_killed_leaves_the_old_or_the_new_files(machine, trial):
    words, before, good = trial
    for at in choose(len(good.steps)):
        found = machine.run(words, "kill", at)
        assert (found.code, found.waits) == (None, [])
        hold_whole(found, before, good, (words, at, good.steps[at - 1]))


def find_death(place):
    """Find the library in which a process died: the first below what writes the calls, and what libc passes on."""
    return next((call for call in place if not PASSED.match(call)), "")


def hold_death(found, before, good, what):
    """Hold that a process died in C code of others that was given no memory, and left each file old or new.

    Or it waits for ever, as CPython does where a new thread has no memory to say that it has begun.
    """
    if found.waits:
        assert found.waits[: len(WAITING)] == WAITING, (what, found.waits)
        hold_whole(found, before, good, what)
        return
    assert found.death in (signal.SIGSEGV, signal.SIGABRT), (what, found.death, found.escaped)
    assert OTHERS.match(find_death(found.place)), (what, found.place)
    called = [*takewhile(lambda call: not call.endswith(":_PyEval_EvalFrameDefault"), found.place)]
    assert not [call for call in called if call.startswith("compiled/extension")], (what, called)
    hold_whole(found, before, good, what)


@pytest.mark.parametrize("inner", ["compiled/extension:", "fairtrec/other:", "lib/libnew:"])
def test_a_death_in_code_of_ours_or_of_nobody_is_a_failure(inner):
    own = Trial(None, "", [], {}, [], death=signal.SIGSEGV, place=["tmp/fallen:fall", "lib/libc:", inner])
    with pytest.raises(AssertionError):
        hold_death(own, {}, own, "")
    below = own._replace(place=["lib/libpython3:PyErr_NoMemory", "compiled/extension:", "lib/libpython3:_PyEval_EvalFrameDefault"])  # fmt: skip
    with pytest.raises(AssertionError):
        hold_death(below, {}, own, "")
    other = own._replace(place=["lib/libpython3:PyErr_NoMemory", "lib/libpython3:_PyEval_EvalFrameDefault", "compiled/extension:"])  # fmt: skip
    hold_death(other, {}, own, "")


def test_a_command_that_waits_for_anything_else_is_a_failure():
    own = Trial(None, "", [], {}, [], waits=[*WAITING, "run_writer.py:write"])
    hold_death(own, {}, own, "")
    with pytest.raises(AssertionError):
        hold_death(own._replace(waits=["threading.py:wait", "run_writer.py:write"]), {}, own, "")


@pytest.mark.long
@pytest.mark.parametrize(("fault", "many"), [(MemoryError, 0), (ValueError, 1)])
def test_what_is_closed_without_memory_says_nothing(monkeypatch, fairtrec_command, fault, many):
    class Closed:
        def __del__(self):
            raise fault

    said = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    monkeypatch.setattr(cli.command, "invoke", lambda _: Closed() and 0)
    assert fairtrec_command("measures").code == 0
    assert len(said) == many


@pytest.mark.long
@pytest.mark.skipif(sys.implementation.name != "cpython", reason="needs _testcapi")
@pytest.mark.skipif(load_watch() is None, reason="needs a C compiler and glibc, to see where a process dies")
@pytest.mark.parametrize("trial", [each for each in EVERY if each.values[0] not in DYING], indirect=True)
def test_memory_that_ends_is_one_line(machine, trial):
    pytest.importorskip("_testcapi", reason="this Python was built without its tests")
    words, before, good = trial
    at, code = 0, None
    while code not in (0, 1) and (THOROUGH or at < 3 * STEP):
        at += STEP // 20 if THOROUGH else STEP
        found = machine.run(words, "starve", at)
        code, what = found.code, (words, at)
        if code is None:
            hold_death(found, before, good, what)
        else:
            hold(found._replace(err=INTERPRETER.sub("", found.err)), before, good, what, is_old=False)
