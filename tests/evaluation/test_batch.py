"""A batch of runs: how it is named, broken runs among it, several processes, and what is read how often."""

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fairtrec
from fairtrec.data import Run
from fairtrec.evaluation import session
from fairtrec.evaluation.answers.result import Part
from fairtrec.evaluation.jobs import processes
from fairtrec.measure import Measure
from fairtrec.report.writers import RESULTS
from fairtrec.support import jobs
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files import opening
from fairtrec.support.files.arguments import paths
from fairtrec.support.jobs import shared_work
from fairtrec_made import texts
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.work import Shared

MEASURES = "NFaiRR@2 nDCG@2 AP TExFAIR@2"
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
TEXTS = "a\tshe said\nb\the said\nc\tnobody said\nd\tshe and she\n"
GROUPS = {"f": ["she"], "m": ["he"]}


@dataclass(frozen=True)
class AtPrompt(Measure):
    """A measure that no other process knows."""

    def __call__(self, lengths):
        return lengths.astype(np.float64)


class Faulty(AtPrompt):
    """A measure that gives a value too many."""

    def __call__(self, lengths):
        return np.append(lengths, 0.0)


class Where(AtPrompt):
    """A measure that looks documents up, and tells in which process; the first waits until another has been there."""

    def __call__(self, membership):
        if multiprocessing.parent_process() is not None:
            Path("another").touch()
        assert until(Path("another").exists)
        return np.full(len(membership), float(os.getpid()))


@pytest.fixture
def batch(tmp_path, monkeypatch):
    """Five runs in a folder, and what they are evaluated with."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(7)
    (tmp_path / "runs").mkdir()
    for name in "abcde":
        rows = [(qid, docno, score) for qid in QRELS for docno, score in zip("abcd", random.random(4), strict=True)]
        text = "".join(f"{qid} Q0 {docno} 1 {score} {name}\n" for qid, docno, score in rows)
        (tmp_path / "runs" / f"{name}.run").write_text(text)
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, of in QRELS.items() for d, g in of.items()))
    (tmp_path / "docs.tsv").write_text(TEXTS)
    (tmp_path / "groups.csv").write_text("she,f\nhe,m\n")
    (tmp_path / "counts.tsv").write_text("docno\ttokens\tf\tm\na\t2\t1\t0\nb\t2\t0\t1\nc\t2\t0\t0\nd\t3\t2\t0\n")
    return tmp_path


def ours(runs, **given):
    chosen = {"terms": "groups.csv", "docs": "docs.tsv", "background": "runs/a.run"} | given
    return fairtrec.evaluate(MEASURES, runs, qrels="qrels", **chosen)


def seen(result):
    return result.per_query, result.signature, texts(result.notes), result.failed, [one.notes for one in result.scores]


# --- names ----------------------------------------------------------------------------------------------------------


def test_a_folder_stands_for_its_files(batch):
    (batch / "runs" / ".hidden").touch()
    (batch / "runs" / "inner").mkdir()
    (batch / "runs" / "inner" / "z.run").touch()
    names = [f"runs/{name}.run" for name in "abcde"]
    assert paths(["runs"]) == paths(["runs/"]) == paths(["runs/*.run"]) == paths(["runs/*"]) == names
    assert paths(["runs/**/*.run"]) == sorted([*names, "runs/inner/z.run"])
    assert paths(["qrels", "runs/[ab].run", "-"]) == ["qrels", "runs/a.run", "runs/b.run", "-"]


def test_a_link_that_leads_nowhere_is_not_passed_over(batch):
    (batch / "runs" / "f.run").symlink_to("nowhere")
    assert paths(["runs"])[-1] == "runs/f.run"


def test_what_exists_is_taken_by_its_name(batch):
    for name in ("a[1].run", "@b.run"):
        (batch / name).touch()
        assert paths([name]) == [name]
    (batch / "a[x]").mkdir()
    (batch / "a[x]" / "z.run").touch()
    assert paths(["a[x]"]) == ["a[x]/z.run"]
    assert paths(["missing.run"]) == ["missing.run"]  # whoever reads it says that it is not there
    assert paths(["x" * 5000]) == ["x" * 5000]


def test_a_list_names_files_folders_and_patterns(batch):
    (batch / "list.txt").write_bytes(b"# mine\r\n\r\nruns/[ab].run\r\n  qrels  \n-\nruns")
    assert paths(["@list.txt"]) == [
        "runs/a.run", "runs/b.run", "qrels", "-", *(f"runs/{name}.run" for name in "abcde")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("runs/*.txt", "no file matches runs/*.txt; "),
        ("empty", "the folder empty has no files; "),
        ("@nowhere", "nowhere: there is no such file; "),
        ("@blank", "blank: this list has no run; "),
        ("@list", "list:3: no file matches runs/z*; "),
    ],
)
def test_what_stands_for_nothing_is_refused(batch, argument, message):
    (batch / "empty").mkdir()
    (batch / "blank").write_text("# none\n\n")
    (batch / "list").write_text("runs/a.run\n\nruns/z*\n")
    with pytest.raises(InputError) as fault:
        paths([argument])
    assert str(fault.value).startswith(message)


def test_a_list_that_is_no_list_is_refused(batch, monkeypatch):
    monkeypatch.setattr("fairtrec.support.files.arguments.LONGEST_LIST", 20)
    (batch / "list").write_text("runs/a.run\n" * 3)
    with pytest.raises(InputError, match="list:3: a list of more than"):
        paths(["@list"])


# --- processes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{}, {"docs": None, "counts": "counts.tsv", "terms": None}])
def test_jobs_change_nothing(batch, given):
    runs = [*paths(["runs"]), "runs/b.run"]  # one of them twice
    assert seen(ours(runs, jobs=2, **given)) == seen(ours(runs, jobs=1, **given))
    assert list(ours(runs, jobs=2, **given).means) == [*(f"runs/{name}.run" for name in "abcde"), "runs/b.run (2)"]


def test_a_batch_is_its_runs_one_by_one(batch):
    together = ours(paths(["runs"])).per_query
    assert together == {name: ours(name).per_query[name] for name in paths(["runs"])}


def test_samples_in_two_processes(batch):
    runs = paths(["runs/[ab].run"])
    assert seen(ours(runs, jobs=2, samples=True)) == seen(ours(runs, samples=True))


def test_a_measure_that_cannot_be_sent_is_computed_here(batch, monkeypatch):
    runs = paths(["runs"])
    monkeypatch.setattr(sys.modules["__main__"], "AtPrompt", AtPrompt, raising=False)
    monkeypatch.setattr(AtPrompt, "__module__", "__main__")  # it is sent, and nobody there knows it
    means = fairtrec.evaluate(AtPrompt(), runs, jobs=2).means
    assert means == {run: {"AtPrompt": 4.0} for run in runs}

    class Local(AtPrompt):
        """It cannot even be sent."""

    assert fairtrec.evaluate(Local(), runs, jobs=2).means == {run: {"Local": 4.0} for run in runs}


def test_runs_whose_documents_are_looked_up_are_scored_where_runs_are_read(batch):
    found = fairtrec.evaluate(Where(), paths(["runs"]), counts="counts.tsv", jobs=2).per_query
    processes_of = {name: {*of_measure["Where"].values()} for name, of_measure in found.items()}
    assert len(processes_of) == 5
    assert os.getpid() in set().union(*processes_of.values())
    assert len(set().union(*processes_of.values())) == 2


def test_arrays_are_handed_to_processes_in_a_file_that_they_share(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    array = np.arange(shared_work.SHARED, dtype=np.float64)
    outcomes = jobs.map_ordered(Shared(array), range(4), 2)
    assert next(outcomes) == ("mmap", array.sum())
    (file,) = tmp_path.glob("fairtrec-*")
    assert file.read_bytes().endswith(array.tobytes())
    assert list(outcomes) == [("mmap", array.sum())] * 3
    assert list(tmp_path.iterdir()) == []


class Odd:
    """Work that has a fault in all things from the third on."""

    def begin(self):
        return self.refuse

    def refuse(self, thing):
        if thing >= 2:
            raise UsageError(str(thing))
        return thing


def test_faults_of_work_that_is_shared_are_told_in_their_turn():
    outcomes = jobs.map_ordered(Odd(), range(40), 2, shared=True)
    assert [next(outcomes), next(outcomes)] == [0, 1]
    with pytest.raises(UsageError, match=r"\A2\Z"):
        next(outcomes)


def test_no_room_for_what_processes_share_is_one_line(tmp_path, monkeypatch):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
    try:
        with pytest.raises(
            InputError, match=r"the data for other processes cannot be written \(File too large\); free some space"
        ):
            list(jobs.map_ordered(Shared(np.zeros(shared_work.SHARED)), range(4), 2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, before)
    assert list(tmp_path.iterdir()) == []


def test_several_processes_are_started_for_long_work_only(tmp_path, monkeypatch):
    monkeypatch.setattr("fairtrec.evaluation.jobs.cores", lambda: 4)
    monkeypatch.setattr("fairtrec.evaluation.jobs.prestart", lambda _: None)
    for name, megabytes, expected in (("a.run", 140, 1), ("b.run", 160, 2), ("c.run.gz", 30, 1), ("d.run.gz", 45, 2)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(megabytes * 1_000_000)
        small = tmp_path / "small.run"
        small.write_text("q 0 d 1 1 r\n")
        assert (name, processes([tmp_path / name, small], None)) == (name, expected)
        assert processes([tmp_path / name, small], 2) == 2
    assert processes([small] * 1_600, None) == 4


def test_objects_and_streams_stay_in_this_process(batch):
    assert processes(["runs/a.run", {"q1": {"a": 1.0}}], 2) == 1
    assert processes(["runs/a.run", opening.STDIN], 2) == 1
    assert processes(["runs/a.run"], 2) == 1
    assert processes(paths(["runs"]), None) == 1  # they are small
    given = {"x": {"q1": {"a": 2.0, "b": 1.0}}, "y": {"q1": {"b": 2.0}}}
    assert fairtrec.evaluate("P@1", given, qrels=QRELS, jobs=2).means == {"x": {"P@1": 1.0}, "y": {"P@1": 0.0}}


@pytest.mark.parametrize("wanted", [0, -1])
def test_jobs_are_one_or_more(batch, wanted):
    with pytest.raises(UsageError, match="it must be 1 or more"):
        ours("runs/a.run", jobs=wanted)


class Killed:
    """Work in which a process is killed."""

    def begin(self):
        return self.kill

    def kill(self, thing):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed_is_one_line():
    with pytest.raises(InputError, match="a process was killed before it was done"):
        list(jobs.map_ordered(Killed(), [1, 2, 3], 2))


class KilledElsewhere:
    """Work in which each other process is killed, while this one has done some things itself."""

    def __init__(self):
        self.first = os.getpid()

    def begin(self):
        return self.work

    def work(self, thing):
        time.sleep(0.05)
        if os.getpid() != self.first:
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGKILL)
        return thing


def test_a_killed_process_of_shared_work_is_one_line_too(monkeypatch):
    faults = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    with pytest.raises(InputError, match="a process was killed before it was done"):
        list(jobs.map_ordered(KilledElsewhere(), range(40), 2, shared=True))
    assert faults == []


ASLEEP = """
import os, sys, time
from pathlib import Path
from fairtrec.support import jobs

class Asleep:
    def begin(self):
        return self.sleep

    def sleep(self, thing):
        Path(f"{thing}.pid").write_text(f"{os.getpid()}\\n")
        time.sleep(60)

if __name__ == "__main__":
    jobs.prestart(["fractions"])
    list(jobs.map_ordered(Asleep(), [1, 2, 3], 2))
"""


def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(condition):
    for _ in range(400):
        if condition():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_that_another_thread_takes_waits_until_processes_are_started():
    end, started = threading.Event(), []

    def start():
        with jobs._uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            started.append(time.sleep(0.01))

    with ThreadPoolExecutor(1) as library:
        library.submit(end.wait)
        with pytest.raises(KeyboardInterrupt):
            start()
        end.set()
    assert started == [None]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_the_first_however_it_ends(tmp_path, sent):
    (tmp_path / "asleep.py").write_text(ASLEEP)
    first = subprocess.Popen(
        [sys.executable, "asleep.py"], cwd=tmp_path, start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    notes = [tmp_path / f"{thing}.pid" for thing in (1, 2)]
    assert until(lambda: all(note.exists() and note.read_text().endswith("\n") for note in notes))
    (os.killpg if sent == signal.SIGINT else os.kill)(first.pid, sent)  # a terminal interrupts all of them
    errors = first.communicate(timeout=30)[1]
    assert errors.count("KeyboardInterrupt") == (sent == signal.SIGINT)  # that of the first
    assert until(lambda: not any(is_there(int(note.read_text())) for note in notes))


def test_a_fault_of_a_measure_is_told_from_another_process(batch):
    with pytest.raises(UsageError, match="Faulty gave values of the shape"):
        fairtrec.evaluate(Faulty(), paths(["runs"]), jobs=2)


# --- broken runs ----------------------------------------------------------------------------------------------------


def test_the_first_broken_run_in_order_stops_all(batch):
    (batch / "runs" / "b.run").write_text("q1 Q0 a 1 x t\n")
    (batch / "runs" / "d.run").write_text("q1 Q0 a 1\n")
    for number in (1, 2):
        with pytest.raises(InputError, match=r"runs/b.run:1: the score 'x'"):
            ours(paths(["runs"]), jobs=number)


@pytest.mark.parametrize("number", [1, 2])
def test_the_rest_is_scored(batch, number):
    whole = ours(paths(["runs"])).per_query
    (batch / "runs" / "b.run").write_text("q1 Q0 a 1 x t\n")
    (batch / "runs" / "d.run").write_text("q1 Q0 unheard 1 1 t\n")
    result = ours([*paths(["runs"]), "missing.run"], jobs=number, keep_going=True, missing="error")
    assert result.per_query == {name: whole[name] for name in paths(["runs/[ace].run"])}
    reasons = dict(result.failed)
    assert list(reasons) == ["runs/b.run", "runs/d.run", "missing.run"]
    assert reasons["runs/b.run"].startswith("runs/b.run:1: the score 'x'")
    assert reasons["missing.run"] == "missing.run: there is no such file; check the name"
    assert "such as unheard at rank 1 of query q1" in reasons["runs/d.run"]
    assert result.signature["missing"] == "error"
    assert not {Part("run", "runs/b.run"), Part("run", "runs/d.run")} & set(result.files)


def test_a_background_without_counts_stops_all(batch):
    (batch / "behind.run").write_text("q1 Q0 unheard 1 1 t\nq2 Q0 a 1 1 t\n")
    with pytest.raises(InputError, match=r"1 of 5 documents .* have no text or counts, such as unheard; "):
        ours(paths(["runs"]), background="behind.run", keep_going=True)
    (batch / "runs" / "b.run").write_text("q1 Q0 unheard 1 1 t\n")  # which explains it only for this run
    with pytest.raises(InputError, match="such as unheard; "):
        ours(paths(["runs"]), background="behind.run", keep_going=True)


def test_nothing_is_left(batch):
    (batch / "a").write_text("q1 Q0 a 1 x t\n")
    result = fairtrec.evaluate("P@1", ["a", "b"], qrels=QRELS, keep_going=True)
    assert not result.scores
    assert [name for name, _ in result.failed] == ["a", "b"]


def test_the_command_ends_with_3_and_prints_the_rest(batch, fairtrec_command):
    good = fairtrec_command("eval", "qrels", "runs/a.run", "runs/c.run", "-m", "P@1")
    (batch / "runs" / "b.run").write_text("q1 Q0 a 1 x t\n")
    (batch / "list").write_text("runs/[abc].run\n")
    stopped = fairtrec_command("eval", "qrels", "@list", "-m", "P@1")
    assert (stopped.code, stopped.out) == (3, "")
    assert stopped.complaints[0].startswith("runs/b.run:1: ")
    kept = fairtrec_command("eval", "qrels", "@list", "-m", "P@1", "--keep-going")
    assert (kept.code, kept.out, kept.complaints) == (3, good.out, stopped.complaints)
    none = fairtrec_command("eval", "qrels", "runs/b.run", "-m", "P@1", "--keep-going")
    assert (none.code, none.out, none.err) == (3, "", stopped.err)
    assert fairtrec_command("eval", "qrels", "runs/z*.run").complaints[0].startswith("no file matches runs/z*.run; ")


@pytest.mark.parametrize("command", gather_trials("LISTS_OF_RUNS", ["eval qrels @list -m P@1"]))
def test_a_list_is_not_written_over(batch, fairtrec_command, command):
    (batch / "list").write_text("runs/[abc].run\n")
    outcome = fairtrec_command(*command.split(), "-o", "list")
    assert (outcome.code, (batch / "list").read_text()) == (2, "runs/[abc].run\n")


# --- reading and keeping --------------------------------------------------------------------------------------------


def test_each_file_is_read_once(batch, monkeypatch):
    opened = []
    really = opening.open_input
    monkeypatch.setattr(opening, "open_input", lambda path, *buffer: opened.append(str(path)) or really(path, *buffer))
    ours([*paths(["runs"]), "runs/a.run"])
    once = [*paths(["runs"]), "qrels", "groups.csv", "docs.tsv"]
    looked_at = ["docs.tsv"]  # its start, which tells its form
    assert sorted(each for each in opened if "resources" not in Path(each).parts) == sorted(once + looked_at)


def test_standard_input_is_a_run_and_the_background(batch):
    given = ["eval", "none", "-", "runs/b.run", "--background", "-", "--counts", "counts.tsv", "-m", "NFaiRR@2"]
    line = [sys.executable, "-m", "fairtrec", *given, "-j", "2"]
    text = (batch / "runs" / "a.run").read_bytes()
    piped = subprocess.run(line, input=text, capture_output=True, check=True).stdout.decode()
    named = ours(paths(["runs/[ab].run"]), docs=None, terms=None, counts="counts.tsv").means
    printed = [row.split("\t")[2] for row in piped.splitlines() if row.startswith("NFaiRR")]
    assert printed == [f"{means['NFaiRR@2']:.4f}" for means in named.values()]


rankings = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q4"]),
    st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True),
    min_size=1,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rankings, st.lists(st.sampled_from(["q1", "q2", "q3", "q9"]), unique=True), st.none() | st.integers(1, 9))
def test_a_cut_run_is_the_top_of_the_run(ranked, qids, depth):
    starts = np.concatenate(([0], np.cumsum([len(docnos) for docnos in ranked.values()])))
    docnos = np.array([docno.encode() for docnos in ranked.values() for docno in docnos])
    whole = Run("r", "t", tuple(ranked), starts, docnos, -np.arange(len(docnos), dtype=float))
    kept = whole.cut(qids, depth)
    assert isinstance(kept, Run)
    assert sorted(kept.qids) == sorted(set(qids) & set(ranked))
    for row, qid in enumerate(kept.qids):
        left = kept.docnos[kept.starts[row] : kept.starts[row + 1]].tolist()
        assert left == [docno.encode() for docno in ranked[qid][:depth]]


@pytest.mark.parametrize("options", [{}, {"missing": "neutral"}, {"jobs": 2, "keep_going": True}])
def test_many_runs_are_held_a_few_at_a_time(options, example, tmp_path, monkeypatch):
    sound = [example / f"{name}.run" for name in ("bm25", "fair", "neural", "background")] * 2
    runs = {f"r{number}": run for number, run in enumerate(sound)}
    if options.get("keep_going"):
        (tmp_path / "broken.run").write_text("q1 Q0\n")
        runs["broken"] = tmp_path / "broken.run"
    if options.get("missing"):
        (tmp_path / "other.run").write_text("101 Q0 unheard 1 1 o\n")
        runs |= {"other": tmp_path / "other.run", "again": tmp_path / "other.run"}
    given = {"terms": "gender-en", "docs": example / "collection.tsv", "background": example / "background.run"}
    at_once = fairtrec.evaluate("NFaiRR TExFAIR nDCG@5", runs, qrels=example / "qrels.txt", **given, **options)
    held = []
    read = session.read
    monkeypatch.setattr(session, "TOGETHER", 3)
    monkeypatch.setattr(
        session, "read", lambda named, *rest, **more: held.append(len(named)) or read(named, *rest, **more)
    )
    parts = fairtrec.evaluate("NFaiRR TExFAIR nDCG@5", runs, qrels=example / "qrels.txt", **given, **options)
    assert max(held) == 3
    assert sum(held) == len(runs)
    assert RESULTS("json", parts, per_query=True) == RESULTS("json", at_once, per_query=True)
    assert parts.failed == at_once.failed
