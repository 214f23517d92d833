"""Limits of the machine: processes that are killed, few files, little memory, full disks, names that are too long."""

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from fairtrec.support import jobs
from fairtrec.support.errors import InputError
from fairtrec_made import EXAMPLE, REPOSITORY

pytestmark = pytest.mark.fuzz


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("FAIRTREC_DEBUG", raising=False)
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n")
    (tmp_path / "b.run").write_text("q1 Q0 d2 1 2.5 tag\nq1 Q0 d1 2 1.5 tag\n")
    (tmp_path / "g").write_text("she,f\nhe,m\n")
    (tmp_path / "c.tsv").write_bytes(b"".join(b"d%d\tshe said he knew\n" % i for i in range(3000)))
    return tmp_path


def fairtrec(*arguments, limit=None, piece=None, **more):
    small = f"from fairtrec.counting.local import tasks; tasks.SIZE = {piece}; " if piece else ""
    program = f"{small}import sys; sys.argv[0] = 'fairtrec'; from fairtrec.cli import main; main()"
    before = None if limit is None else (lambda: resource.setrlimit(limit[0], (limit[1], limit[1])))
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], preexec_fn=before, text=True, check=False, timeout=120, **streams
    )


class Killed:
    """Work in which one thing ends the process."""

    def begin(self):
        return self.work

    def work(self, thing):
        if thing[0] == "bad.run":
            os.kill(os.getpid(), signal.SIGKILL)
        return thing[0]


def name(thing):
    return thing[0]


def test_a_killed_process_says_which_file_it_was_at():
    things = [("good.run", 1), ("bad.run", 2), ("later.run", 3)]
    message = r"\(at (good.run or )?bad.run( or later.run)?\); use jobs=1, add a cutoff to each measure"
    with pytest.raises(InputError, match=f"a process was killed before it was done, .* memory runs out {message}"):
        list(jobs.map_ordered(Killed(), things, 2, called=name))


class Thing:
    """What is to be done."""


class Unsent:
    """Work that cannot be sent to another process."""

    def begin(self):
        return id

    def __reduce__(self):
        raise TypeError


@pytest.mark.parametrize("many", [0, 1, 2, 5])
def test_things_are_done_one_by_one_and_none_is_held(many):
    alive = weakref.WeakSet()

    def things():
        for _ in range(many):
            made = Thing()
            alive.add(made)
            yield made

    held = [len(alive) for _ in jobs.map_ordered(Unsent(), things(), 2, called=str)]
    assert len(held) == many
    assert max(held, default=0) <= 2
    assert not alive


def test_a_folder_for_temporary_files_with_a_long_name(workplace):
    folder = workplace / ("t" * 100)
    folder.mkdir()
    ended = fairtrec(
        "eval", "qrels", "a.run", "b.run", "-m", "nDCG@2", "-j", "2", env=os.environ | {"TMPDIR": str(folder)}
    )
    assert (ended.returncode, ended.stdout.count("nDCG@2")) == (0, 2), ended.stderr


@pytest.mark.long
@pytest.mark.parametrize("files", [20, pytest.param(40, marks=pytest.mark.slow)])
def test_few_files_may_be_open_while_parts_are_merged(workplace, files, fairtrec_command):
    given = ["counts", "make", "c.tsv", "--terms", "g", "-j", "1", "-o"]
    few = fairtrec(*given, "few.arrow", limit=(resource.RLIMIT_NOFILE, files), piece=1 << 10)
    assert few.returncode == 0, few.stderr
    assert fairtrec_command(*given, "all.arrow").code == 0
    assert (workplace / "few.arrow").read_bytes() == (workplace / "all.arrow").read_bytes()


def test_too_few_files_is_one_line(workplace):
    ended = fairtrec("eval", "qrels", "a.run", "b.run", "-j", "2", limit=(resource.RLIMIT_NOFILE, 9))
    assert ended.returncode == 3
    assert ended.stderr == "Too many open files; allow more open files with ulimit -n, or use -j 1\n"


@pytest.mark.parametrize("mib", [*(pytest.param(each, marks=pytest.mark.slow) for each in (250, 500)), 800])
def test_little_memory_is_one_line(workplace, mib):
    ended = fairtrec(
        "counts", "make", "c.tsv", "--terms", "g", "-o", "o.arrow", "-j", "1", limit=(resource.RLIMIT_AS, mib << 20)
    )
    assert ended.returncode in (0, 3), ended.stderr
    assert "fault" not in ended.stderr
    assert "Traceback" not in ended.stderr


SHORT = """
import resource, signal, sys
from fairtrec.cli import main
import numpy

with open("/proc/self/status") as status:
    [taken] = [int(line.split()[1]) << 10 for line in status if line.startswith("VmSize")]
most = taken + (int(sys.argv.pop(1)) << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
main()
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    "mib", [40, *(pytest.param(each, marks=pytest.mark.slow) for each in (*range(2, 40, 2), *range(50, 200, 10)))]
)
def test_a_large_library_is_not_loaded_into_too_little_memory(mib):
    command = ["compare", "qrels.txt", "bm25.run", "neural.run", "fair.run", "-m", "nDCG@10"]  # which needs scipy
    ended = subprocess.run(
        [sys.executable, "-P", "-c", SHORT, str(mib), *command],
        cwd=EXAMPLE, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert ended.returncode in (0, 3), ended.stderr
    assert ended.returncode == 0 or len(ended.stderr.splitlines()) == 1, ended.stderr
    if mib == 40:  # in which the BLAS of scipy fits, and waits for ever for what it needs besides
        what = "scipy needs 160 MB of memory, and less is free; allow more with ulimit -v, or free some"
        assert ended.stderr == f"{what}\n"


def test_a_process_that_others_are_forked_from_loads_no_large_library_into_too_little_memory():
    program = "import sys; from fairtrec.support import guarded_imports; guarded_imports.ROOM['scipy'] = 1 << 20; from fairtrec.support.jobs import GUARDED\n"
    program += "__import__(GUARDED)\ntry: import scipy\nexcept ImportError as fault: print(fault)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stdout.startswith("scipy needs 1048576 MB of memory, and less is free; "), ended.stderr


def test_what_is_compiled_is_not_used_where_that_is_asked_for(workplace):
    ended = fairtrec(
        "counts", "make", "c.tsv", "--terms", "g", "-o", "o.arrow", "-j", "1", env=os.environ | {"FAIRTREC_PLAIN": "1"}
    )
    assert ended.returncode == 0
    assert "counter: numpy" in ended.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("eval qrels no.run", 3),
        ("evl", 2),
        *(pytest.param(each, 2, marks=pytest.mark.slow) for each in ("eval qrels", "eval qrels a.run -m nDCG")),
    ],
)
def test_a_full_disk_for_standard_error_leaves_the_exit_code(workplace, command, code):
    with Path("/dev/full").open("w") as full:
        assert fairtrec(*command.split(), stderr=full).returncode == code


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "command",
    [
        "resources list",
        "measures",
        "--help",
        "eval qrels a.run",
        pytest.param("validate a.run", marks=pytest.mark.slow),
    ],
)
def test_a_full_disk_for_the_output_is_one_line(workplace, command):
    with Path("/dev/full").open("w") as full:
        ended = fairtrec(*command.split(), stdout=full)
    assert ended.returncode == 2
    said = [line for line in ended.stderr.splitlines() if not line.startswith("#")]
    assert said == ["the disk of the output is full; free some space, or write elsewhere with -o"]


@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "measures",
        "eval qrels a.run -q",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("--version", "eval --help", "resources --help")),
    ],
)
def test_a_pipe_that_nobody_reads_ends_quietly(workplace, command):
    reader, writer = os.pipe()
    os.close(reader)
    ended = fairtrec(*command.split(), stdout=writer)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, "")


LONG = "x/" * 3000
NAMES = {
    "qrels": (f"eval {LONG} a.run -m nDCG@2", 3),
    "run": (f"eval qrels {LONG} -m nDCG@2", 3),
    "list": (f"eval qrels @{LONG} -m nDCG@2", 3),
    "labels": (f"eval qrels a.run -m AWRF@2 --labels {LONG}", 3),
    "groups": (f"eval qrels a.run --terms {LONG} --docs c.tsv", 4),
    "docs": (f"eval qrels a.run --terms g --docs {LONG}", 3),
    "queries": (f"eval qrels a.run -m nDCG@2 --queries {LONG}", 4),
    "counts": (f"eval qrels a.run --counts {LONG}", 3),
    "target": (f"eval qrels a.run --terms g --docs c.tsv --target {LONG}", 2),
    "background": (f"eval qrels a.run --terms g --docs c.tsv --background {LONG}", 3),
    "baseline": (f"eval qrels a.run -m nDCG@2 --baseline {LONG}", 2),
    "slices": (f"compare qrels a.run b.run -m nDCG@2 --slice {LONG}", 3),
    "results": (f"results diff {LONG} {LONG}", 3),
    "replay": (f"results replay {LONG}", 3),
    "check": (f"check qrels a.run --config {LONG}", 3),
    "fix": (f"validate a.run --fix {LONG}", 2),
    "docnos": (f"validate a.run --docnos {LONG}", 3),
    "junit": (f"check qrels a.run --require nDCG@2>0 --junit {LONG}", 2),
    "table": (f"counts info {LONG}", 3),
    "merged": (f"counts merge x.arrow {LONG} {LONG}", 3),
    "converted": (f"counts convert {LONG} x.arrow", 3),
    "added": (f"resources add msmarco-fair {LONG}", 4),
}


@pytest.mark.parametrize(("command", "code"), NAMES.values(), ids=NAMES)
def test_a_name_that_is_too_long_is_one_line(workplace, fairtrec_command, monkeypatch, command, code):
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    ended = fairtrec_command(*command.split())
    assert ended.code in {2, 3, 4}, ended.err[-300:]
    assert ended.code == code, ended.err[-300:]
    assert len(ended.complaints) == 1
    assert "fault" not in ended.err


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EACCES, errno.EIO, errno.ENOENT])
def test_what_the_machine_refuses_is_no_fault(fairtrec_command, monkeypatch, number):
    from fairtrec.commands.results import results

    def refused(_):
        raise OSError(number, os.strerror(number), "some.file")

    monkeypatch.setattr(results, "read_document", refused)
    ended = fairtrec_command("results", "diff", "a.json", "b.json")
    assert ended.code == 3
    assert ended.err.startswith(f"some.file: {os.strerror(number)}; ")
    assert len(ended.complaints) == 1


def wrap_as_cause(fault):
    error = RuntimeError("writing failed")
    error.__cause__ = fault
    return error


def wrap_as_context(fault):
    error = RuntimeError("unexpected position")
    error.__context__ = fault
    return error


WRAPPED = {
    "shutil": lambda fault: shutil.Error([("a", "b", str(fault)), ("c", "d", str(fault))]),
    "cause": wrap_as_cause,
    "context": wrap_as_context,
    "argument": OSError,
}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
@pytest.mark.parametrize("wrap", WRAPPED)
def test_a_full_disk_is_one_line_whatever_a_library_makes_of_it(fairtrec_command, monkeypatch, number, wrap):
    from fairtrec.commands.results import results

    def refused(_):
        raise WRAPPED[wrap](OSError(number, os.strerror(number), "some.file"))

    monkeypatch.setattr(results, "read_document", refused)
    ended = fairtrec_command("results", "diff", "a.json", "b.json")
    assert (ended.code, len(ended.complaints)) == (2, 1)
    assert ended.err == "the disk of the output is full; free some space, or write elsewhere with -o\n"


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_what_the_machine_refuses_a_library_is_no_fault(fairtrec_command, monkeypatch, number):
    from fairtrec.commands.results import results

    def refused(_):
        raise WRAPPED["shutil"](OSError(number, os.strerror(number), "some.file"))

    monkeypatch.setattr(results, "read_document", refused)
    ended = fairtrec_command("results", "diff", "a.json", "b.json")
    assert (ended.code, len(ended.complaints)) == (3, 1)
    assert ended.err.startswith(f"{os.strerror(number)}; ")


def test_a_fault_behind_a_missing_file_stays_a_fault(fairtrec_command, monkeypatch):
    from fairtrec.commands.results import results

    def refused(_):
        raise wrap_as_context(FileNotFoundError(errno.ENOENT, "No such file", "some.file"))

    monkeypatch.setattr(results, "read_document", refused)
    assert fairtrec_command("results", "diff", "a.json", "b.json").code == 5


def test_a_copy_of_the_example_on_a_full_disk_is_one_line(workplace):
    before = sorted(workplace.rglob("*"))
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COV")}  # it writes a file
    ended = fairtrec("demo", "--copy", "mine", limit=(resource.RLIMIT_FSIZE, 1000), env=unmeasured)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr == "the disk of the output is full; free some space, or write elsewhere with -o\n"
    assert sorted(workplace.rglob("*")) == before


def test_a_library_that_cannot_be_loaded_is_no_fault(fairtrec_command, monkeypatch):
    from fairtrec.commands.results import results

    def refused(_):
        raise ImportError("lib.so: failed to map segment from shared object")

    monkeypatch.setattr(results, "read_document", refused)
    ended = fairtrec_command("results", "diff", "a.json", "b.json")
    assert (ended.code, len(ended.complaints)) == (3, 1)
    assert ended.err.startswith("a library cannot be loaded (ImportError: lib.so: failed to map segment")
