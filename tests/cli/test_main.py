"""How the command line ends: exit codes, signals, closed pipes, full disks; and the progress bar."""

import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from fairtrec import cli
from fairtrec.cli import printing
from fairtrec.support import progress
from fairtrec.support.errors import InputError, ResourceError, UsageError
from fairtrec.support.resources import passports
from fairtrec_made import REPOSITORY

EXAMPLE = "resources/example"
EVAL = ["eval", f"{EXAMPLE}/qrels.txt", f"{EXAMPLE}/bm25.run"]


def end_of(monkeypatch, *arguments):
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setattr(sys, "argv", ["fairtrec", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    return end.value.code


def end_with(monkeypatch, fault):
    """Let a command raise this."""

    def fail(**_):
        raise fault

    failing = click.Command("eval", callback=fail)
    monkeypatch.setattr(cli._Root, "get_command", lambda *_: failing)
    return end_of(monkeypatch, "eval")


def started(*arguments, **options):
    command = [sys.executable, "-m", "fairtrec", *arguments]
    return subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 0),
        (["--version"], 0),
        ([*EVAL, "-m", "RR"], 0),
        ([*EVAL, "-m", "NoSuch"], 2),
        ([*EVAL, "--no-such-option"], 2),
        (["no-such-command"], 2),
        ([], 2),
        (["eval", f"{EXAMPLE}/qrels.txt", "nowhere.run"], 3),
        ([*EVAL, "--terms", "no-such-list", "--docs", f"{EXAMPLE}/collection.tsv"], 4),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_exit_codes(monkeypatch, capsys, arguments, code):
    assert end_of(monkeypatch, *arguments) == code
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    assert bool(printed.out) is (code == 0)
    assert not code or printed.err.endswith("\n")


@pytest.mark.parametrize(
    ("fault", "code", "message"),
    [
        (UsageError("wrong; do right"), 2, "wrong; do right\n"),
        (InputError("bad; mend it", "a.run", 7), 3, "a.run:7: bad; mend it\n"),
        (ResourceError("gone; fetch it"), 4, "gone; fetch it\n"),
        (
            MemoryError(),
            3,
            "this machine has too little memory; add a cutoff to each measure (like DP@100), cut with -M N, or pass fewer runs\n",
        ),
        (
            OSError(28, "full"),
            2,
            "the disk of the output is full; free some space, or write elsewhere with -o\n",
        ),
        (KeyboardInterrupt(), 130, "\n"),
        (click.Abort(), 130, ""),
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
        (click.exceptions.Exit(1), 1, ""),
        (
            ValueError("odd"),
            5,
            "fairtrec has a fault (ValueError: odd); please report it, FAIRTREC_DEBUG=1 shows where\n",
        ),
        (
            OSError(71, "Protocol error"),
            5,
            "fairtrec has a fault (OSError: [Errno 71] Protocol error); please report it, FAIRTREC_DEBUG=1 shows where\n",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_faults_end_in_one_line(monkeypatch, capsys, fault, code, message):
    monkeypatch.delenv("FAIRTREC_DEBUG", raising=False)
    assert end_with(monkeypatch, fault) == code
    assert capsys.readouterr() == ("", message)


def test_debug_shows_where_a_fault_is(monkeypatch):
    monkeypatch.setenv("FAIRTREC_DEBUG", "1")
    with pytest.raises(ValueError, match="odd"):
        end_with(monkeypatch, ValueError("odd"))


def test_a_reader_that_takes_one_line(tmp_path):
    lines = [f"{query} Q0 d{rank} {rank} {-rank} r\n" for query in range(3000) for rank in range(3)]
    (tmp_path / "run").write_text("".join(lines))
    (tmp_path / "qrels").write_text("".join(f"{query} 0 d1 1\n" for query in range(3000)))
    process = started("eval", str(tmp_path / "qrels"), str(tmp_path / "run"), "-q", stdout=subprocess.PIPE)
    first = process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert first.startswith("nDCG@10")
    assert (process.wait(20), errors) == (141, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_what_is_cut_short_is_told(tmp_path, unbuffered):
    """A disk takes a part before it is full; Python forgets the rest where its output has no buffer."""
    out = tmp_path / "table.md"
    command = f"ulimit -f 2; exec {sys.executable} -m fairtrec validate --codes > {out}"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(["sh", "-c", command], cwd=REPOSITORY, env=environment, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"the disk of the output is full")


def test_closed_streams_do_no_harm(tmp_path):
    out = tmp_path / "report.txt"
    command = f"{sys.executable} -m fairtrec {' '.join(EVAL)} -m RR -o {out} >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], cwd=REPOSITORY, check=False).returncode == 0
    assert "RR" in out.read_text()


def test_a_run_from_closed_standard_input_is_refused():
    command = f"exec {sys.executable} -m fairtrec eval {EXAMPLE}/qrels.txt - -m RR <&-"
    done = subprocess.run(["sh", "-c", command], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "-: standard input is closed; pass a file\n")


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_quietly(tmp_path):
    fifo = tmp_path / "run"
    os.mkfifo(fifo)
    process = started("eval", f"{EXAMPLE}/qrels.txt", str(fifo), "-m", "RR", stdout=subprocess.DEVNULL)
    with fifo.open("w"):  # which waits for the other end to be opened
        process.send_signal(signal.SIGINT)
        process.wait(20)
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.returncode, errors) == (130, "\n")


@pytest.mark.slow
def test_the_tests_may_run_in_the_background():
    """There a shell lets Ctrl-C be ignored, by all that is started too, and such a test waited for ever."""
    tests = ["tests/cli/test_main.py", "-k", "ctrl_c_ends_quietly"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", *tests]
    background = ["sh", "-c", f"trap '' INT; exec {shlex.join(command)}"]
    done = subprocess.run(background, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_python_m_fairtrec_is_fairtrec():
    done = subprocess.run([sys.executable, "-m", "fairtrec", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: fairtrec [OPTIONS] COMMAND")


def test_output_is_utf8_whatever_the_locale():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    command = [sys.executable, "-m", "fairtrec", *EVAL, "-m", "RR", "-f", "table"]
    done = subprocess.run(command, capture_output=True, cwd=REPOSITORY, env=environment, check=True)
    assert "RR ↑".encode() in done.stdout


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal(monkeypatch):
    """Let somebody watch standard error; called by tests themselves, because pytest resets it before each of them."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    return stream


@pytest.fixture
def long_ago(monkeypatch):
    """The work began so long ago that the bar is shown at once."""
    real = time.monotonic
    times = iter([real() - 60])
    monkeypatch.setattr(time, "monotonic", lambda: next(times, None) or real())


def test_the_bar_shows_what_takes_long(monkeypatch, long_ago):
    watched = terminal(monkeypatch)
    with printing.progress():
        progress.report("runs/a.run", 5, 10)
        progress.report("runs/[b].run", 0, 0)
        progress.report("runs/a.run", 10, 10)
    shown = re.sub(r"\x1b\[[\d;]*m", "", watched.getvalue())
    assert "reading a.run" in shown
    assert "reading [b].run" in shown
    assert "100%" in shown


def test_the_bar_stays_away_from_what_is_quick(monkeypatch):
    watched = terminal(monkeypatch)
    with printing.progress():
        progress.report("runs/a.run", 5, 10)
    assert watched.getvalue() == ""


def test_the_bar_is_taken_away_when_reading_fails(monkeypatch, long_ago):
    watched = terminal(monkeypatch)

    def read():
        with printing.progress():
            progress.report("runs/a.run", 5, 10)
            raise InputError("bad; mend it")

    with pytest.raises(InputError):
        read()
    shown = watched.getvalue()
    assert shown.endswith("\x1b[2K")  # the line is cleared
    progress.report("runs/a.run", 6, 10)  # nobody listens any more
    assert watched.getvalue() == shown


def test_no_bar_where_nobody_watches(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with printing.progress():
        progress.report("runs/a.run", 5, 10)
    assert sys.stderr.getvalue() == ""


def test_results_are_no_baseline_of_compare_and_the_line_names_the_command(copied, fairtrec_command):
    Path("a.json").write_text("{}", "utf-8")
    done = fairtrec_command("compare", "qrels.txt", "bm25.run", "-m", "RR", "--baseline", "a.json")
    assert done.code == 2
    assert "`fairtrec check`" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        "validate bad.run other.run",
        "resources verify",
        "eval q bad.run -f trec",
        pytest.param("validate bad.run", marks=pytest.mark.slow),
    ],
)
def test_what_is_wrong_stands_below_what_was_printed_in_a_log_of_both(tmp_path, monkeypatch, arguments):
    (tmp_path / "bad.run").write_text("q1 Q0 d1 1 x t\n")
    (tmp_path / "other.run").write_text("q1 Q0 d1 1 y t\n")
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    place = passports.passport("msmarco-fair").place
    place.parent.mkdir(parents=True)
    place.write_text("no such set\n")
    program = "import sys; sys.argv[0] = 'fairtrec'; from fairtrec.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with (tmp_path / "log").open("wb") as log:
        command = [sys.executable, "-c", program, *arguments.split()]
        ended = subprocess.run(command, cwd=tmp_path, stdout=log, stderr=log, env=environment, check=False)
    assert ended.returncode in (3, 4)
    *printed, last = (tmp_path / "log").read_text("utf-8").splitlines()
    assert not [line for line in printed if line.startswith(("1 of 1", "2 of 2", "damaged: "))]
    assert last.startswith(
        ("1 of 1 run with errors; see above", "2 of 2 runs", "damaged: ", "q: there is no such file")
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "asked", ["official ERR_IA@10 all_trec P@5", pytest.param("official all_trec P@5", marks=pytest.mark.slow)]
)
def test_what_is_printed_does_not_depend_on_how_python_orders_sets(example, asked):
    program = "import sys; sys.argv[0] = 'fairtrec'; from fairtrec.cli import main; main()"
    command = ["eval", str(example / "qrels.txt"), str(example / "bm25.run"), "-m", asked]
    said = {
        subprocess.run(
            [sys.executable, "-c", program, *command],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        ).stdout
        for seed in range(2)
    }
    assert len(said) == 1
