"""`results replay` reads no file whose sha256 is not in the report that it replays, however a stranger asks for one."""

import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from fairtrec.commands.results import parts
from fairtrec.commands.results.parts import run_command
from fairtrec.evaluation.signature import LARGE
from fairtrec.support.files import admission
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.planted import forget_reading, is_read, plant

TERMS = ["--terms", "gender-en", "--docs", "collection.tsv", "--missing", "neutral"]


@pytest.fixture
def study(change_study):
    """Write a report of the example, and give a function that writes it with one other part."""
    found, write_changed = change_study("qrels.txt", "bm25.run", "fair.run", *TERMS, "-m", "nDCG@10 AWRF@10")

    def write(*arguments):
        found["parts"] = {"strange": {"arguments": [*arguments, "-f", "json"], "answer": {}}}
        return write_changed()

    return write


def pack(place, rows, *, as_arrow=False):
    """Write a table in a form that pyarrow opens by its name."""
    table = pa.table(rows)
    if as_arrow:
        with pa.OSFile(str(place), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    else:
        parquet.write_table(table, place)
    forget_reading(place)


ROWS = {"query": ["101"], "docno": ["p001"], "score": [1.0]}
COUNTS = {"docno": ["p001"], "tokens": [9], "f": [1], "m": [0]}
EVAL = ["eval", "qrels.txt", "bm25.run"]
ATTACKS = {  # by the name of the file that is planted, and what it is a copy of: arguments that lead to it
    "run:zz": ("bm25.run:zz", "neural.run", ["eval", "qrels.txt", "bm25.run:zz", "-m", "nDCG@10"]),
    "run*qrels": ("bm25.run*qrels.txt", "neural.run", ["eval", "qrels.txt", "bm25.run*qrels.txt", "-m", "nDCG@10"]),
    "target a tokenizer": ("strip", "labels.tsv", [*EVAL, *TERMS, "-m", "AWRF@10", "--target", "strip"]),
    "target a number": ("0.5", "labels.tsv", [*EVAL, *TERMS, "-m", "AWRF@10", "--target", "0.5"]),
    "target space": ("space", "labels.tsv", [*EVAL, *TERMS, "-m", "AWRF@10", "--target", "space"]),
    "background": ("bm25.run:zz", "neural.run", [*EVAL, *TERMS, "-m", "NFaiRR@10", "--background", "bm25.run:zz"]),
    "mixed target": ("secret.tsv", "labels.tsv", [*EVAL, *TERMS, "-m", "AWRF@10", "--target", "0.5*secret.tsv+0.5*even"]),
    "folder": ("secret/a.run", "neural.run", ["eval", "qrels.txt", "secret", "-m", "nDCG@10"]),
    "folder to validate": ("secret/a.run", "neural.run", ["validate", "secret"]),
    "pattern": ("secret.run", "neural.run", ["eval", "qrels.txt", "sec*.run", "-m", "nDCG@10"]),
    "list of runs": ("secret.txt", "qrels.txt", ["eval", "qrels.txt", "@secret.txt", "-m", "nDCG@10"]),
    "..": ("secret.run", "neural.run", ["eval", "qrels.txt", "study/../secret.run", "-m", "nDCG@10"]),
    "named": ("secret.run", "neural.run", ["eval", "qrels.txt", "bm25.run=secret.run", "-m", "nDCG@10"]),
    "packed twin": ("bm25.run.gz", "neural.run", ["eval", "qrels.txt", "bm25.run.gz", "-m", "nDCG@10"]),
    "field": ("secret.tsv", "labels.tsv", [*EVAL, "-m", "AWRF@10", "--labels", "gender=secret.tsv:1"]),
    "crossed": ("secret.tsv", "labels.tsv", [*EVAL, "-m", "AWRF@10", "--labels", "secret.tsv*labels.tsv"]),
    "queries": ("secret.tsv", "queries.tsv", [*EVAL, "-m", "nDCG@10", "--queries", "secret.tsv"]),
    "slices": ("secret.tsv", "queries.tsv", [*EVAL, "-m", "nDCG@10", "--slice", "secret.tsv"]),
    "gold": ("secret.tsv", "labels.tsv", [*EVAL, *TERMS, "-m", "AWRF@10", "--gold", "secret.tsv"]),
    "pool": ("secret.tsv", "labels.tsv", [*EVAL, *TERMS, "-m", "AWRF@10", "--pool", "secret.tsv"]),
    "prior": ("secret.tsv", "labels.tsv", [*EVAL, "-m", "AWRF@10", "--labels", "secret.tsv", "--bounds", "labels"]),
    "counterfactual": ("secret/bm25.run", "neural.run", [*EVAL, "-m", "CRBO@10", "--counterfactual", "secret"]),
    "baseline": ("secret.run", "neural.run", ["compare", *EVAL[1:], "-m", "nDCG@10", "--baseline", "secret.run"]),
    "qrels": ("secret.txt", "qrels.txt", ["eval", "secret.txt", "bm25.run", "-m", "nDCG@10"]),
    "qrels to validate": ("secret.txt", "qrels.txt", ["validate", "bm25.run", "--qrels", "secret.txt"]),
    "docnos to validate": ("secret.txt", "queries.tsv", ["validate", "bm25.run", "--docnos", "secret.txt"]),
    "texts": ("secret.tsv", "collection.tsv", [*EVAL, "--terms", "gender-en", "--docs", "secret.tsv", "-m", "AWRF@10"]),
    "terms": ("secret.csv", "labels.tsv", [*EVAL, "--terms", "secret.csv", "--docs", "collection.tsv", "-m", "AWRF@10"]),
    "two processes": ("secret.run", "neural.run", [*EVAL, "secret.run", "fair.run", "-m", "nDCG@10", "-j", "2"]),
    "untrusted": ("secret.run", "neural.run", ["eval", "qrels.txt", "secret.run", "-m", "nDCG@10", "--only", "judged"]),
}  # fmt: skip
ATTACKS = gather_trials("REPLAY_ATTACKS", ATTACKS)


@pytest.mark.long
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_argument_leads_to_a_file_without_a_sha256(study, copied, attack, fairtrec_command):
    name, of, arguments = ATTACKS[attack]
    control, planted = plant(copied, "control.run"), plant(copied, name, of)
    done = fairtrec_command("results", "replay", study(*arguments))
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1), done.err
    assert ", of which this file has no sha256; write it again with this version of fairtrec" in done.err
    assert not is_read(planted)
    control.read_bytes()
    assert is_read(control) or not is_read(planted)  # a system that writes down when a file was read has done so


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [["eval", "secret.txt", "bm25.run", "-m", "nDCG@10"], [*EVAL, "--terms", "gender-en", "--docs", "secret.txt", "-m", "AWRF@10"]],
)  # fmt: skip
def test_a_file_that_is_hashed_in_a_thread_is_not_read(study, copied, arguments, fairtrec_command):
    place = copied / "secret.txt"
    place.write_bytes(b"q\t0\td\t1\n" * (LARGE // 8 + 1))
    assert place.stat().st_size >= LARGE
    forget_reading(place)
    done = fairtrec_command("results", "replay", study(*arguments))
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1), done.err
    assert not is_read(place)


@pytest.mark.parametrize("name", ["/proc/self/pagemap", "/proc/self/status"])
def test_a_file_of_which_the_size_says_nothing_is_refused(study, copied, name, fairtrec_command):
    """The first has 256 GB of bytes, more than anybody waits for."""
    if not Path(name).exists():
        pytest.skip(f"this system has no {name}")
    path = copied / study(*EVAL, "-m", "nDCG@10")
    found = json.loads(path.read_text("utf-8"))
    found["inputs"]["run evil"] = {"path": name, "sha256": "0" * 64}
    path.write_text(json.dumps(found), "utf-8")
    done = fairtrec_command("results", "replay", "study/report.json")
    assert (done.code, done.out) == (3, "")
    assert f"{name}: the arguments do not match the inputs, " in done.err
    assert "; this file has a size of 0; " in done.err


@pytest.mark.parametrize(
    ("name", "rows", "as_arrow", "arguments"),
    [
        ("secret.parquet", ROWS, False, ["eval", "qrels.txt", "secret.parquet", "-m", "nDCG@10"]),
        ("secret.parquet", ROWS, False, ["validate", "secret.parquet"]),
        ("secret.arrow", COUNTS, True, [*EVAL, "--counts", "secret.arrow", "-m", "AWRF@10"]),
        ("secret.parquet", COUNTS, False, [*EVAL, "--counts", "secret.parquet", "-m", "AWRF@10"]),
        ("secret.parquet", COUNTS, False, [*EVAL, "--labels", "secret.parquet:f", "-m", "AWRF@10"]),
    ],
)
def test_what_pyarrow_opens_by_its_name_is_not_read(study, copied, name, rows, as_arrow, arguments, fairtrec_command):
    pack(copied / name, rows, as_arrow=as_arrow)
    done = fairtrec_command("results", "replay", study(*arguments))
    assert (done.code, len(done.complaints)) == (3, 1)
    assert f"reads {name}, of which this file has no sha256" in done.err
    assert not is_read(copied / name)


@pytest.mark.parametrize("target", ["neural.run", "/etc/hostname", "/proc/self/environ", "/dev/stdin"])
def test_no_link_leads_to_a_file_without_a_sha256(study, copied, target, fairtrec_command):
    (copied / "bm25.run:cited").symlink_to(target)
    done = fairtrec_command("results", "replay", study("eval", "qrels.txt", "bm25.run:cited", "-m", "nDCG@10"))
    assert (done.code, len(done.complaints)) == (3, 1)
    assert "reads bm25.run:cited, of which this file has no sha256" in done.err


def test_no_pipe_is_waited_for(study, copied, fairtrec_command):
    os.mkfifo(copied / "secret.run")
    for name in ("secret.run", "-"):
        done = fairtrec_command("results", "replay", study("eval", "qrels.txt", name, "-m", "nDCG@10"))
        assert (done.code, len(done.complaints)) == (3, 1)
        assert f"reads {name}, of which this file has no sha256" in done.err


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ([*EVAL, "-m", "nDCG@10", "--queries", "msmarco-fair"], "msmarco-fair"),  # would be fetched
        ([*EVAL, "--terms", "cpjku-gender", "--docs", "collection.tsv", "-m", "AWRF@10"], "cpjku-gender"),
        ([*EVAL, *TERMS, "-m", "AWRF@10", "--labels", "irds:vaswani:title"], ""),
        (["eval", "vaswani", "bm25.run", "-m", "nDCG@10"], "vaswani"),
        (["validate", "bm25.run", "--docs", "vaswani"], "vaswani"),
        ([*EVAL, "-m", "nDCG@10", "--queries", "own-set"], "own/own-set/own-set.tsv"),
    ],
)
def test_no_list_or_dataset_is_taken_by_its_name(study, copied, arguments, name, fairtrec_command, tmp_path):
    own = tmp_path / "own" / "own-set"
    own.mkdir(parents=True)
    shutil.copy(copied / "queries.tsv", own / "own-set.tsv")
    digest = admission.hash_file(own / "own-set.tsv")[0]
    fields = {
        "kind": "queryset",
        "title": "t",
        "source": "s",
        "license": "l",
        "citation": "c",
        "language": "en",
        "format": "tsv",
    }
    lines = [f'{key} = "{value}"' for key, value in (fields | {"file": "own-set.tsv", "sha256": digest}).items()]
    (own / "own-set.toml").write_text("\n".join([*lines, "count = 12", ""]))
    done = fairtrec_command("results", "replay", study(*arguments))
    assert (done.code, len(done.complaints)) == (3, 1), done.err
    assert name in done.err
    assert not name or "of which this file has no sha256" in done.err


def test_a_list_is_read_by_its_name_beside_a_file_of_that_name(study, copied, fairtrec_command):
    planted = plant(copied, "gender-en", "labels.tsv")
    done = fairtrec_command("results", "replay", study(*EVAL, *TERMS, "-m", "AWRF@10"))
    assert done.code == 1  # the answer of the part is empty
    assert not is_read(planted)


def test_a_file_that_is_exchanged_behind_its_hash_is_not_read(study, copied, fairtrec_command, monkeypatch):
    def exchange(arguments):
        shutil.copy(copied / "neural.run", copied / "other.run")
        (copied / "other.run").replace(copied / "bm25.run")
        forget_reading(copied / "bm25.run")
        return run_command(arguments)

    monkeypatch.setattr(parts, "run_command", exchange)
    done = fairtrec_command("results", "replay", study(*EVAL, "-m", "nDCG@10"))
    assert (done.code, "reads bm25.run, of which this file has no sha256" in done.err) == (3, True)
    assert not is_read(copied / "bm25.run")


def test_a_file_that_is_changed_while_it_is_read_is_no_answer(study, copied, fairtrec_command, monkeypatch):
    def change(arguments):
        answer = run_command(arguments)
        with (copied / "bm25.run").open("a") as file:
            file.write("112 Q0 p001 99 0.001 bm25\n")
        return answer

    monkeypatch.setattr(parts, "run_command", change)
    done = fairtrec_command("results", "replay", study(*EVAL, "-m", "nDCG@10"))
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1)
    assert "bm25.run: this file was changed while it was read; run the command again" in done.err


def test_what_an_error_of_a_reader_hides_is_refused(study, copied, fairtrec_command, monkeypatch):
    """A command may take an error for an answer; the refusal is kept all the same."""
    planted = plant(copied, "secret.run")

    def hide(arguments):
        try:
            admission.open_file("secret.run")
        except admission.UnrecordedFileError:
            return run_command(arguments)
        raise AssertionError

    monkeypatch.setattr(parts, "run_command", hide)
    done = fairtrec_command("results", "replay", study(*EVAL, "-m", "nDCG@10"))
    assert (done.code, "reads secret.run, of which this file has no sha256" in done.err) == (3, True)
    assert not is_read(planted)


@pytest.mark.long
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_inputs_of_a_report_are_found(copied, fairtrec_command, jobs):
    """What the report names is read in other processes too, and as counts."""
    counts = ["counts", "make", "collection.tsv", "--terms", "gender-en", "-o", "counts.arrow"]
    assert fairtrec_command(*counts).code == 0
    asked = ["report", "qrels.txt", "bm25.run", "fair.run", "--counts", "counts.arrow", "--missing", "neutral"]
    assert fairtrec_command(*asked, "-m", "AWRF@10 nDCG@10", "-j", jobs, "-o", "again").code == 0
    assert fairtrec_command("results", "replay", "again/report.json").code == 0
