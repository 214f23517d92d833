"""The engine of a cluster: on two threads, and on a master with two workers that the tests start on this machine."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from fairtrec.counting.counter import Lexicon
from fairtrec.counting.local import engine as local
from fairtrec.counting.local.engine import CountingOptions
from fairtrec.counting.spark import engine as spark
from fairtrec.counting.table.build import join_tables
from fairtrec.counting.table.files import Table
from fairtrec.data import GroupTerms
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made.hostile import LAUNCHER, executed, plant_modules, started

pyspark = pytest.importorskip("pyspark", reason="needs pyspark; pip install 'fairtrec[spark]'")
JAVA = shutil.which("java") or os.environ.get("JAVA_HOME")
pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not JAVA, reason="Spark needs Java 17, which is not on the PATH"),
]

TERMS = GroupTerms("list", {"f": ("she", "her", "young woman"), "m": ("he", "his", "Çelik")})
TEXTS = (
    "She said that he saw her.", "", "a young woman, ÇELIK and his he-goat", "he\u00a0her\u2028she \u0130 \u017fhe",
    "no one\there", "HE! (she) 'her' young  woman", "lone\rhe\rher", "e\u0301l\u00e8ve \U0001f469 she",
)  # fmt: skip
SETTINGS = """
spark.driver.memory                512m
spark.executor.memory              512m
spark.executor.cores               1
spark.driver.host                  127.0.0.1
spark.driver.bindAddress           127.0.0.1
spark.ui.enabled                   false
spark.sql.files.maxPartitionBytes  40000
spark.sql.files.openCostInBytes    1000
spark.task.maxFailures             1
spark.driver.extraJavaOptions      -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.executor.extraJavaOptions    -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
"""


def tsv(path, documents, start=0):
    lines = (f"{path.stem[0]}{i}\t{TEXTS[i % len(TEXTS)]} {i}" for i in range(start, start + documents))
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join(lines).replace("7\n", "7\r\n").replace("9\n", "9\n\n").encode())
    return path


def jsonl(path, documents):
    rows = ({"_id": f"j{i}", "title": "Her" * (i % 2), "contents": TEXTS[i % len(TEXTS)]} for i in range(documents))
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=i % 3 == 0) + "\n" for i, row in enumerate(rows))
    return path


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """What Spark is told: everything on this machine, and small."""
    folder = tmp_path_factory.mktemp("spark")
    (folder / "spark-defaults.conf").write_text(SETTINGS)
    with pytest.MonkeyPatch.context() as patch:
        told = {
            "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_CONF_DIR": folder, "SPARK_LOCAL_DIRS": folder / "local",
            "SPARK_WORKER_DIR": folder / "work", "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": Path(spark.__file__).parents[3],
        }  # fmt: skip
        for name, value in told.items():
            patch.setenv(name, str(value))
        yield folder


@pytest.fixture(scope="module")
def running(environment):
    """A Spark session on two threads, for all tests of this file that want one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # pyspark leaves sockets to the end of the process
        with spark.session("local[2]") as session:
            session.sparkContext.setLogLevel("OFF")
            yield session
        gateway = pyspark.SparkContext._gateway
        pyspark.SparkContext._gateway = pyspark.SparkContext._jvm = None
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(30)


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """Files of both kinds, the first long enough for several splits."""
    folder = tmp_path_factory.mktemp("collection")
    (folder / "more").mkdir()
    return [tsv(folder / "a b%20#.tsv", 6000), jsonl(folder / "j.jsonl.gz", 500), tsv(folder / "more" / "m.tsv", 10)]


def both(sources, folder, name="out.arrow", **options):
    """Let both engines make a table; give their files, or what they say is wrong."""
    found = []
    for engine, count in (("local", local.count_collection), ("spark", spark.run)):
        (folder / engine).mkdir(exist_ok=True)
        jobs = {"jobs": 1} if engine == "local" else {}
        try:
            summary = count(sources, TERMS, folder / engine / name, CountingOptions(**options, **jobs))
            files = {path.name: path.read_bytes() for path in (folder / engine).iterdir() if path.is_file()}
            found.append((summary.meta, summary.bytes, summary.rejected, files))
        except InputError as fault:
            found.append(str(fault))
    return found


@pytest.mark.parametrize(
    ("name", "options"),
    [("out.arrow", {}), ("out.tsv", {"tokenizer": "word"}), ("out.parquet", {"case_sensitive": True})],
)
def test_the_table_is_that_of_the_local_engine_byte_for_byte(running, collection, tmp_path, name, options):
    ours, theirs = both(collection, tmp_path, name, **options)
    assert ours == theirs
    assert ours[0].rows == 6510
    assert list(theirs[3]) == [name]
    assert not (tmp_path / "spark" / f"{name}.parts").exists()


def test_spark_executes_no_file_of_the_current_folder(environment, tmp_path):
    (tmp_path / "here").mkdir()
    tsv(tmp_path / "here" / "d.tsv", 300)
    plant_modules(tmp_path / "here")
    given = [
        "counts",
        "make",
        "d.tsv",
        "--terms",
        "gender-en",
        "--engine",
        "spark",
        "--master",
        "local[2]",
        "-o",
        "out.tsv",
    ]
    done, pythons = started(LAUNCHER, given, tmp_path / "here", tmp_path / "beside")
    assert done.returncode == 0, done.stderr
    assert len(pythons) > 1
    assert [words for words, is_safe in pythons[1:] if not is_safe] == []
    assert not executed(tmp_path / "here")


def test_the_numbers_are_those_of_the_definition(running, tmp_path):
    source = tsv(tmp_path / "d.tsv", 300)
    spark.run([source], TERMS, tmp_path / "out.tsv")
    lexicon = Lexicon.from_terms(TERMS)
    for line in (tmp_path / "out.tsv").read_text().splitlines()[3:]:
        docno, *numbers = line.split("\t")
        row = int(docno[1:])
        tokens = lexicon.tokens(f"{TEXTS[row % len(TEXTS)]} {row}")
        counts = [0, 0]
        for (_, groups), times in lexicon.occurrences(tokens).items():
            for group in groups:
                counts[group] += times
        assert [int(number) for number in numbers] == [len(tokens), *counts], docno


def test_parts_merge_into_the_table_of_the_local_engine(running, collection, tmp_path, fairtrec_command):
    summary = spark.count_parts(collection, TERMS, tmp_path / "parts")
    parts = sorted((tmp_path / "parts").iterdir())
    assert len(parts) > 5, "of a file of several splits"
    assert (summary.rejected, summary.meta.rows) == (0, 0)
    assert all(Table(part).is_sorted for part in parts)
    local.count_collection(collection, TERMS, tmp_path / "local.arrow", CountingOptions(jobs=1))
    join_tables(tmp_path / "spark.arrow", parts)
    assert (tmp_path / "spark.arrow").read_bytes() == (tmp_path / "local.arrow").read_bytes()
    with pytest.raises(UsageError, match="exists; add force=True"):
        spark.count_parts(collection, TERMS, tmp_path / "parts")


def test_a_folder_and_a_pattern_name_the_files_in_them(running, collection, tmp_path):
    folder = collection[0].parent
    local.count_collection(sorted(collection), TERMS, tmp_path / "local.arrow", CountingOptions(jobs=1))
    spark.run([folder], TERMS, tmp_path / "folder.arrow")
    spark.run([f"{folder}/*.[tj]s*", f"file://{folder}/more"], TERMS, tmp_path / "pattern.arrow")
    expected = (tmp_path / "local.arrow").read_bytes()
    assert (tmp_path / "folder.arrow").read_bytes() == expected
    assert (tmp_path / "pattern.arrow").read_bytes() == expected


def test_a_data_frame_is_a_collection_too(running, tmp_path):
    texts = [(f"d{i}", TEXTS[i % len(TEXTS)]) for i in range(100)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in texts))
    frame = running.createDataFrame(texts, "docno string, text string").repartition(3)
    spark.count_parts(frame, TERMS, tmp_path / "parts", name="ours")
    meta = join_tables(tmp_path / "spark.tsv", list((tmp_path / "parts").iterdir()))
    assert meta.sources == ({"name": "ours"},)
    local.count_collection([tmp_path / "t.jsonl"], TERMS, tmp_path / "local.tsv", CountingOptions(jobs=1))
    ours, theirs = ((tmp_path / name).read_bytes().split(b"\n", 1)[1] for name in ("spark.tsv", "local.tsv"))
    assert ours == theirs


def test_a_data_frame_may_have_faults(running, tmp_path):
    rows = [("a", "she"), (None, "x"), ("b", None), ("", "x")]
    frame = running.createDataFrame(rows, "docno string, text string").coalesce(1)
    with pytest.raises(InputError, match=r"^data frame:2: a docno or a text that is missing"):
        spark.count_parts(frame, TERMS, tmp_path / "fail")
    assert spark.count_parts(frame, TERMS, tmp_path / "skip", CountingOptions(keep_going=True)).rejected == 3
    (told,) = (tmp_path / "skip" / "rejected").iterdir()
    assert [json.loads(line)["line"] for line in told.read_text().splitlines()] == [2, 3, 4]


FAULTS = {
    "tab": b"no tab here",
    "text": b"x\t\xff",
    "null": b"x\ta\0b",
    "long": b"x\t" + b"a" * 300,
    "docno": b"y" * 2000 + b"\ttext",
    "twice": b"a5\tagain",
    "twice, near": b"a5990\tagain",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_as_by_the_local_engine(running, tmp_path, fault):
    lines = tsv(tmp_path / "a.tsv", 6000).read_bytes().split(b"\n")
    lines.insert(5800, FAULTS[fault])
    (tmp_path / "a.tsv").write_bytes(b"\n".join(lines))
    ours, theirs = both([tmp_path / "a.tsv"], tmp_path, max_doc_bytes=250)
    assert ours == theirs
    assert ours.startswith(f"{tmp_path}/a.tsv:")


def test_what_is_passed_over_is_listed_as_by_the_local_engine(running, tmp_path):
    lines = tsv(tmp_path / "a.tsv", 6000).read_bytes().split(b"\n")
    for place, line in enumerate(FAULTS.values()):
        lines.insert(700 * (place + 1), line)
    (tmp_path / "a.tsv").write_bytes(b"\n".join(lines))
    with gzip.open(tmp_path / "b.jsonl.gz", "wb") as file:
        file.write(b'{"id": "b1", "text": "he"}\n{"id": "a7", "text": "she she"}\n{broken\n[]\n{"id": 3}\n')
    sources = [tmp_path / "a.tsv", tmp_path / "b.jsonl.gz"]
    ours, theirs = both(sources, tmp_path, keep_going=True, max_doc_bytes=250)
    assert ours == theirs
    assert ours[2] == len(FAULTS) + 4
    assert sorted(theirs[3]) == ["out.arrow", "out.arrow.rejected.jsonl"]

    summary = spark.count_parts(sources, TERMS, tmp_path / "parts", CountingOptions(keep_going=True, max_doc_bytes=250))
    told = {line for path in (tmp_path / "parts" / "rejected").iterdir() for line in path.read_bytes().splitlines()}
    listed = set(theirs[3]["out.arrow.rejected.jsonl"].splitlines())
    assert summary.rejected == len(told)
    assert told == {line for line in listed if b"appears twice" not in line}, "the merge finds what appears twice"
    with pytest.raises(InputError, match=r"stands in .* and again in"):
        join_tables(tmp_path / "merged.arrow", sorted((tmp_path / "parts").glob("*.arrow")))


def test_a_damaged_archive_is_told_by_name(running, tmp_path):
    path = jsonl(tmp_path / "cut off.jsonl.gz", 5000)
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(InputError, match=re.escape(f"{path}: this file cannot be read to its end")):
        spark.run([path], TERMS, tmp_path / "out.arrow")


def test_what_spark_would_misread_is_refused(running, tmp_path):
    (tmp_path / "empty.tsv").touch()
    (tmp_path / "_hidden.tsv").write_text("a\tb\n")
    (tmp_path / "plain.gz").write_text("a\tb\n")
    (tmp_path / "packed.tsv").write_bytes(gzip.compress(b"a\tb\n"))
    (tmp_path / "a.tsv").write_text("a\tb\n")
    for names, message in (
        (["none.tsv"], "there is no such file"),
        (["empty.tsv"], "this file has no lines"),
        (["_hidden.tsv"], "begin with _ or a dot"),
        (["plain.gz"], "it is not compressed as .gz says"),
        (["packed.tsv"], "rename it so that it ends in .gz"),
        (["a.tsv", "*a.tsv"], "this file is listed twice"),
    ):
        with pytest.raises(InputError, match=message):
            spark.run([tmp_path / name for name in names], TERMS, tmp_path / "out.arrow")


def test_wrong_usage(running, tmp_path):
    source = tsv(tmp_path / "a.tsv", 5)
    for options, message in ((CountingOptions(resume=True), "resume="), (CountingOptions(jobs=2), "jobs=")):
        with pytest.raises(UsageError, match=message):
            spark.run([source], TERMS, tmp_path / "out.arrow", options)
    with pytest.raises(UsageError, match="ends in none of"):
        spark.run([source], TERMS, tmp_path / "out")
    with pytest.raises(UsageError, match="Spark runs already"):
        spark.run([source], TERMS, tmp_path / "out.arrow", CountingOptions(), "local[1]")
    with pytest.raises(UsageError, match=r"may not be called \w+"):
        spark.run([source], GroupTerms("", {"tokens": ("a",), "b": ("b",)}), tmp_path / "out.arrow")


def waited(process, log, pattern):
    """Wait until a process has logged something."""
    until = time.monotonic() + 40
    while time.monotonic() < until and process.poll() is None:
        if found := re.search(pattern, log.read_text()):
            return found.group(1)
        time.sleep(0.1)
    pytest.fail(f"{log.name}: no {pattern}\n{log.read_text()[-2000:]}")


@pytest.fixture
def cluster(environment):
    """A master and two workers of one core each, on this machine alone; gives the address of the master."""
    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    processes = []

    def started(name, *arguments):
        log = environment / f"{name}.log"
        with log.open("wb") as file:
            here = program, arguments[0], "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"
            process = subprocess.Popen([*here, *arguments[1:]], stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        processes.append(process)
        return process, log

    try:
        address = waited(
            *started("master", "org.apache.spark.deploy.master.Master"),
            r"Starting Spark master at (spark://127\.0\.0\.1:\d+)",
        )
        work = ["org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", "600m", address]
        workers = [started(f"worker-{number}", *work) for number in (1, 2)]
        for worker in workers:
            waited(*worker, r"(Successfully registered with master)")
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(20)


SCRIPT = """
import sys
from pathlib import Path
from fairtrec.counting.spark import engine as spark
from fairtrec.counting.local.engine import CountingOptions
from fairtrec.data import GroupTerms

master, output, *sources = sys.argv[1:]
terms = GroupTerms("list", {"f": ("she", "her", "young woman"), "m": ("he", "his", "Çelik")})
print(spark.run(sources, terms, Path(output), CountingOptions(), master).jobs)
"""


def test_a_master_with_two_workers_makes_the_same_table(environment, cluster, collection, tmp_path):
    arguments = [cluster, tmp_path / "spark.arrow", *collection]
    command = [sys.executable, "-c", SCRIPT, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=80, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    local.count_collection(collection, TERMS, tmp_path / "local.arrow", CountingOptions(jobs=1))
    assert (tmp_path / "spark.arrow").read_bytes() == (tmp_path / "local.arrow").read_bytes()
    for number in (1, 2):
        log = (environment / f"worker-{number}.log").read_text()
        assert "Asked to launch executor" in log, f"worker {number} had nothing to do"
