"""How commands end that are asked to: by a signal, without memory, in the middle of a write; and what they leave."""

import os
import signal
import subprocess
import sys
import time

import pytest

from fairtrec.cli import main
from fairtrec.support.errors import UsageError
from fairtrec_made.command_trials import gather_trials

NAMED = "import sys; sys.argv[0] = 'fairtrec'"
FUZZ = int(os.environ.get("FAIRTREC_FUZZ", "0"))


def started(program, *arguments, **more):
    command = [sys.executable, "-c", f"{program}\nfrom fairtrec.cli import main\nmain()", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)


@pytest.fixture
def inputs(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n")
    return tmp_path


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_is_quiet_and_leaves_what_ctrl_c_leaves(inputs, sent):
    (inputs / "junit.xml").write_text("of before")
    os.mkfifo(inputs / "run")
    arguments = ["check", "qrels", "run", "--require", "RR > 0", "--junit", "junit.xml"]
    process = started(NAMED, *arguments, cwd=inputs)
    with (inputs / "run").open("w"):  # which waits for the other end to be opened
        process.send_signal(sent)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (128 + sent, "")
    assert (inputs / "junit.xml").read_text() == "of before"  # nothing was judged, and nothing is known to be wrong
    assert sorted(each.name for each in inputs.iterdir()) == ["a.run", "junit.xml", "qrels", "run"]


@pytest.mark.usefixtures("interruptible")
def test_a_signal_that_the_caller_ignores_is_ignored(monkeypatch, inputs):
    monkeypatch.chdir(inputs)
    monkeypatch.setattr("sys.argv", ["fairtrec", "measures", "RR"])
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        monkeypatch.setattr(
            "fairtrec.commands.measures.pages.page", lambda _: os.kill(os.getpid(), signal.SIGHUP) or "page\n"
        )
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.skipif(not FUZZ, reason="make fuzz: it takes a while")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("number", range(max(1, min(FUZZ, 10_000) // 250)))
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_processes_leave_nothing_at_any_moment(inputs, sent, number):
    runs = [f"{i}.run" for i in range(6)]
    for name in runs:
        (inputs / name).write_text("".join(f"q{q} Q0 d{i} 1 {-i} t\n" for q in range(20) for i in range(500)))
    temporary = inputs / "t"
    temporary.mkdir()
    arguments = ["eval", "qrels", *runs, "-m", "nDCG@10", "-j", "2", "-o", "out"]
    process = started(NAMED, *arguments, cwd=inputs, env=os.environ | {"TMPDIR": str(temporary)})
    time.sleep(0.1 + 0.1 * (number * 7 % 40))
    process.send_signal(sent)
    _, errors = process.communicate(timeout=60)
    time.sleep(0.5)  # in which the process that others are forked from notices
    is_early = process.returncode == -sent  # the interpreter had not begun
    assert is_early or process.returncode in (0, 130 if sent == signal.SIGINT else 128 + sent), errors
    assert is_early or ("leaked" not in errors and "Traceback" not in errors), errors
    assert list(temporary.iterdir()) == []


def test_without_memory_for_a_message_there_is_still_one(monkeypatch, capfd):
    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr("sys.argv", ["fairtrec", "measures"])
    monkeypatch.setattr("fairtrec.cli.write_stderr", full)
    monkeypatch.setattr("fairtrec.commands.measures.pages.overview", full)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    assert capfd.readouterr().err.startswith("this machine has too little memory; add a cutoff to each measure")


def test_without_memory_for_another_message_there_is_that_one(monkeypatch, capfd):
    def full(*_, **__):
        raise MemoryError

    def wrong():
        raise UsageError("whatever")

    monkeypatch.setattr("sys.argv", ["fairtrec", "measures"])
    monkeypatch.setattr("fairtrec.cli.write_stderr", full)
    monkeypatch.setattr("fairtrec.commands.measures.pages.overview", wrong)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    assert capfd.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", [("resources",), ("counts",), ("results",)])
def test_a_command_of_commands_alone_prints_its_help(monkeypatch, capsys, name):
    printed = []
    for arguments in ((), ("--help",)):
        monkeypatch.setattr("sys.argv", ["fairtrec", *name, *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed.append((ended.value.code, *capsys.readouterr()))
    assert printed == [(2, "", printed[1][1]), (0, printed[1][1], "")]


def test_of_a_command_that_nobody_knows_the_nearest_is_told(monkeypatch, capsys):
    for arguments, says in {
        **gather_trials("MISTYPED"),
        "resources lsit": "there is no command lsit; did you mean list?",
        "xyz": "there is no command xyz; fairtrec --help lists them",
    }.items():
        monkeypatch.setattr("sys.argv", ["fairtrec", *arguments.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        assert says in capsys.readouterr().err


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_annotate_that_is_interrupted_says_how_to_go_on(monkeypatch, capsys, tmp_path, fault):
    def stopped(*_, **__):
        (tmp_path / "c.arrow.parts").mkdir()
        raise fault

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fairtrec.commands.counts.collection.make_counts", stopped)
    monkeypatch.setattr(
        "sys.argv", ["fairtrec", "counts", "make", "c.tsv", "--terms", "gender-en", "-o", "c.arrow", "-j", "1"]
    )
    with pytest.raises(SystemExit):
        main()
    assert "what was counted stays in c.arrow.parts; the same command with --resume goes on" in capsys.readouterr().err


@pytest.mark.skipif(not FUZZ, reason="make fuzz: it takes a while")
@pytest.mark.parametrize("limit", range(40_000, 200_000, 5_000))
def test_with_little_memory_a_command_ends_in_one_line(example, limit):
    command = f"ulimit -v {limit}; exec {sys.executable} -m fairtrec eval qrels.txt neural.run bm25.run -j 1 -m nDCG@10"
    done = subprocess.run(["sh", "-c", command], cwd=example, capture_output=True, text=True, check=False)
    if done.returncode == 1 and "fairtrec.cli" not in done.stderr:
        return  # Python itself could not begin
    assert done.returncode in (0, 3), done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or done.stderr.count("\n") == 1


@pytest.mark.skipif(not FUZZ, reason="make fuzz: it takes a while")
@pytest.mark.parametrize("number", range(max(1, min(FUZZ, 10_000) // 100)))
def test_what_is_killed_leaves_nothing_that_the_next_one_does_not_remove(inputs, number):
    rows = "".join(f"d{i}\t{i % 90}\t{i % 3}\t{i % 2}\n" for i in range(40_000))
    (inputs / "counts.tsv").write_text(f"docno\ttokens\tf\tm\n{rows}")
    arguments = ["counts", "convert", "counts.tsv", "out.arrow", "--force"]
    process = started(NAMED, *arguments, cwd=inputs)
    time.sleep(0.3 + 0.02 * (number * 7 % 60))
    process.kill()
    process.communicate()
    for left in inputs.glob(".*"):
        os.utime(left, (0, 0))
    process = started(NAMED, *arguments, cwd=inputs)
    assert (process.communicate()[1], process.returncode) == ("", 0)
    assert sorted(each.name for each in inputs.iterdir()) == ["a.run", "counts.tsv", "out.arrow", "qrels"]
