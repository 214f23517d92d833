"""Faults of the machine: a process that runs commands, each in a fork of its own, in which the n-th step goes wrong.

A step is a call that writes: to open a file for writing, to write, to flush to the disk, to make a folder, to give a name.
It raises an OSError (``fail``), or the process is killed before it (``kill``). Or no file may be larger than n bytes
(``fill``), which libraries in C meet too. Or from the n-th allocation on there is no memory (``starve``).
"""

import builtins
import ctypes
import faulthandler
import importlib
import io
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import traceback
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

CALLS = ("mkdir", "rename", "replace", "link", "symlink", "fsync", "chmod", "write", "sendfile", "copy_file_range", "ftruncate")  # fmt: skip
WRITING = {*"wax+"}
ASSIGNED = re.compile("[A-Z_]+=")
CALL = re.compile(r"^(.+?)\((\w*)[^)]*\)\[", re.MULTILINE)  # as backtrace_symbols_fd of glibc writes it
FRAME = re.compile(r'^  File "(.+?)", line \d+ in (\S+)', re.MULTILINE)  # as faulthandler writes it
PATIENCE = 300  # seconds that a command may take
AT_ONCE = 20  # allocations that fail one after the other; then what was being made is given back


class Trial(NamedTuple):
    """How a command ended, what it printed, its steps, and the files and folders below its own."""

    code: int | None  # None if it was killed
    err: str
    steps: list[str]
    tree: dict[str, str]
    modules: list[str]
    escaped: str = ""  # the exception that no handler of the command took
    death: int = 0  # the signal that ended it, if the machine did not
    place: list[str] = []  # noqa: RUF012 - the calls in C then, the last first, as LIBRARY or LIBRARY:FUNCTION
    waits: list[str] = []  # noqa: RUF012 - the calls in Python of its first thread if it does not end, the last first, as FILE:FUNCTION

    @property
    def complaints(self):
        return [line for line in self.err.splitlines() if not line.startswith("#")]


class Steps:
    """Counts the steps of this process, and spoils one of them."""

    def __init__(self, how, at, number):
        self.how, self.at, self.number, self.done = how, at, number, []

    def take(self, name):
        self.done.append(name)
        if len(self.done) == self.at and self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if len(self.done) == self.at and self.how == "fail":
            raise OSError(self.number, os.strerror(self.number))

    def wrap(self, name, call):
        def taken(*arguments, **given):
            self.take(name)
            return call(*arguments, **given)

        return taken

    def install(self):
        """Put a step in front of each call, at the lowest layer that Python has."""
        steps, open_file, open_number = self, io.open, os.open

        class File(io.FileIO):
            def write(self, data):
                steps.take("write")
                return super().write(data)

        def open_(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
            if WRITING.isdisjoint(mode) or file == os.devnull:
                return open_file(file, mode, buffering, encoding, errors, newline, closefd, opener)
            if not isinstance(file, int):
                steps.take("open")
            raw = File(file, mode.replace("b", "").replace("t", ""), closefd, opener)
            if buffering == 0:
                return raw
            whole = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            return whole if "b" in mode else io.TextIOWrapper(whole, encoding, errors, newline)

        def open_descriptor(path, flags, *more, **given):
            if flags & (os.O_WRONLY | os.O_RDWR) and path != os.devnull:
                steps.take("open")
            return open_number(path, flags, *more, **given)

        builtins.open = io.open = open_
        os.open = open_descriptor
        for name in CALLS:
            if hasattr(os, name):
                setattr(os, name, self.wrap(name, getattr(os, name)))


def list_tree(folder):
    """Give each file below a folder with its content, and each folder; what is not whole has a name that says so."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        else:
            found[name] = "folder" if path.is_dir() else path.read_bytes().decode("latin-1")
    return found


def run_here(words, steps):
    """Run a command in this process, which ends with it; before its name may be variables, as for a shell."""
    from fairtrec import cli

    names = [*takewhile(ASSIGNED.match, words)]
    os.environ.update(name.split("=", 1) for name in names)
    sys.argv = ["fairtrec", *words[len(names) :]]
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        steps.install()
        if steps.how == "fill":
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (steps.at, resource.RLIM_INFINITY))
        if steps.how == "starve":
            cli.command.make_context = starve(cli.command.make_context, steps.at)
        escaped = None
        try:
            code = cli.perform()
        except BaseException as end:  # noqa: BLE001 - what the interpreter would print
            code, escaped = None, end
        if steps.how == "starve":
            sys.modules["_testcapi"].remove_mem_hooks()
    return code, err.getvalue(), "".join(traceback.format_exception(escaped)) if escaped else ""


def starve(call, at):
    """Call a function with memory that ends at an allocation."""
    import _testcapi

    def called(*arguments, **given):
        _testcapi.set_nomemory(at, at + AT_ONCE)
        return call(*arguments, **given)

    return called


def load_watch():
    """Compile and load what writes the calls in C of a process that dies; None if there is no compiler or glibc."""
    compiler = shlex.split(sysconfig.get_config_var("CC") or "") or ["cc"]
    if not sys.platform.startswith("linux") or shutil.which(compiler[0]) is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "fallen.so")
        done = subprocess.run(
            [*compiler, "-shared", "-fPIC", Path(__file__).with_suffix(".c"), "-o", made], check=False
        )
        return ctypes.CDLL(str(made)).watch if done.returncode == 0 else None


def try_once(words, folder, how, at, number, watch):
    """Run a command in a fork of this process, and in a copy of the folder."""
    room = Path(folder).with_name("tried")
    shutil.rmtree(room, ignore_errors=True)
    shutil.copytree(folder, room, symlinks=True)
    reading, writing = os.pipe()
    fallen = tempfile.TemporaryFile("w+")  # noqa: SIM115 - of two processes
    child = os.fork()
    if child == 0:
        os.close(reading)
        answer = os.fdopen(os.dup(writing), "w")
        said, saying = os.pipe()  # what is written without memory for a text
        os.dup2(saying, 2)
        try:
            os.chdir(room / "here")
            steps = Steps(how, at, number)
            if watch is not None:
                watch(fallen.fileno())
            faulthandler.dump_traceback_later(PATIENCE, exit=True, file=fallen)
            code, err, escaped = run_here(words, steps)
            os.dup2(writing, 2)
            os.close(saying)
            err += os.read(said, 1 << 16).decode()
            json.dump([code, err, steps.done, sorted(sys.modules), escaped], answer)
            answer.flush()
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    _, status = os.waitpid(child, 0)
    code, err, done, modules, escaped = json.loads(said) if said else (None, "", [], [], "")
    fallen.seek(0)
    text = re.split(r"^(?:Current t|T)hread 0x", fallen.read(), flags=re.MULTILINE)[-1]  # the first thread comes last
    place = ["/".join(Path(library).parts[-2:]).partition(".")[0] + f":{name}" for library, name in CALL.findall(text)]
    waits = [f"{Path(file).name}:{name}" for file, name in FRAME.findall(text)]
    fallen.close()
    return Trial(code, err, done, list_tree(room), modules, escaped, os.WTERMSIG(status), place, waits)


def serve():
    """Answer each line of standard input: what to try, and with what fault."""
    answers, watch = os.fdopen(os.dup(1), "w"), load_watch()
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        for name in asked.pop("modules", ()):
            with suppress(Exception):
                importlib.import_module(name)
        if asked:
            print(json.dumps(try_once(**asked, watch=watch)), file=answers, flush=True)


class Machine:
    """The process that runs commands; what a command imports is imported there before the next one."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        env = os.environ | {"FAIRTREC_HOME": "../home", "FAIRTREC_OFFLINE": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip
        env |= {"PYTHONPATH": os.pathsep.join(sys.path), "MPLCONFIGDIR": str(folder.with_name("mpl"))}
        for name in (
            "CI",
            "GITHUB_ACTIONS",
            "GITHUB_STEP_SUMMARY",
            "COVERAGE_PROCESS_START",
            "COVERAGE_PROCESS_CONFIG",
        ):
            env.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from fairtrec_made import faults; faults.serve()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, text=True,
        )  # fmt: skip

    def ask(self, **asked):
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        return self.process.stdout.readline()

    def run(self, words, how="", at=0, number=0):
        """Run a command; give the Trial."""
        found = Trial(*json.loads(self.ask(words=words, folder=str(self.folder), how=how, at=at, number=number)))
        if not how:
            print(json.dumps({"modules": found.modules}), file=self.process.stdin, flush=True)
        return found

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
