"""``fairtrec counts make``: the same table from every cut of a collection, after every interruption; no fault unseen."""

import bz2
import gzip
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_datasets
import numpy as np
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st
from ir_datasets.formats import TsvDocs

from fairtrec.counting import counter, kernel, text_blocks
from fairtrec.counting.compiled import Compiled
from fairtrec.counting.counter import TOKENIZERS, Lexicon
from fairtrec.counting.kernel import Kernel
from fairtrec.counting.local import part, tasks
from fairtrec.counting.local.engine import CountingOptions, count_collection
from fairtrec.counting.table import build
from fairtrec.counting.table.document_counts import read_counts
from fairtrec.counting.table.files import Table
from fairtrec.counting.text_blocks import read_json_lines, read_tsv_lines
from fairtrec.data import Docnos, GroupTerms
from fairtrec.support import jobs
from fairtrec.support.compiled import extension
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import THOROUGH

TERMS = GroupTerms("terms.csv", {"f": ("she", "queen", "her majesty"), "m": ("he", "king")}, "ab" * 32)
LEXICON = Lexicon.from_terms(TERMS)
WORDS = [
    "she",
    "he",
    "The",
    "king's",
    "King",
    "queen,",
    "her",
    "majesty",
    "«Her",
    "é",
    "of",
    "crown",
    "Élan",
    "\u3000he",
]
PACKED = {
    "tsv": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": zstandard.ZstdCompressor().compress,
    "members.gz": lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:]),
}


def passages(many, seed=1):
    """Docnos of several lengths, and texts."""
    chosen = random.Random(seed)
    names = [f"{'a-long-docno-' * (i % 2)}{i}" for i in range(many)]
    chosen.shuffle(names)
    return {name: " ".join(chosen.choices(WORDS, k=chosen.randint(0, 30))) for name in names}


def tsv(texts):
    return "".join(f"{name}\t{text}\n" for name, text in texts.items()).encode()


@pytest.fixture
def small_pieces(monkeypatch):
    """Pieces of a few lines, so that a small collection is many tasks."""
    monkeypatch.setattr(tasks, "SIZE", 1500)
    monkeypatch.setattr(tasks, "BLOCK", 400)


def run(folder, *sources, name="t.arrow", terms=TERMS, **options):
    options = {"jobs": 1, "force": True} | options
    return count_collection([*map(str, sources)], terms, folder / name, CountingOptions(**options))


def expected(texts, lexicon=LEXICON):
    docnos = Docnos.collect(np.array([name.encode() for name in texts], np.bytes_))
    return counter.count_texts(
        ((i, texts[name.decode()]) for i, name in enumerate(docnos.names.tolist())), docnos, lexicon
    )


def assert_holds(path, texts, lexicon=LEXICON):
    """The table holds what the definition says of these texts, and nothing else."""
    wanted = expected(texts, lexicon)
    found = read_counts(Table(path), wanted.docnos)
    assert Table(path).meta.rows == len(texts)
    assert found.known.all()
    assert (found.tokens == wanted.tokens).all()
    assert (found.counts == wanted.counts).all()


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("case_sensitive", [False, True])
def test_counts_as_the_definition_says(tokenizer, case_sensitive, tmp_path, small_pieces):
    texts = passages(150)
    (tmp_path / "c.tsv").write_bytes(tsv(texts))
    done = run(tmp_path, tmp_path / "c.tsv", tokenizer=tokenizer, case_sensitive=case_sensitive)
    assert_holds(tmp_path / "t.arrow", texts, Lexicon.from_terms(TERMS, tokenizer, case_sensitive=case_sensitive))
    assert (done.meta.tokenizer, done.meta.case_sensitive) == (tokenizer, case_sensitive)
    assert done.counter in {"numpy", "compiled"}
    assert done.bytes == sum(len(text.encode()) for text in texts.values())
    assert not list(tmp_path.glob("*.parts"))


def test_metadata_say_what_was_counted(tmp_path):
    (tmp_path / "c.tsv").write_bytes(tsv(passages(9)))
    meta = run(tmp_path, tmp_path / "c.tsv").meta
    assert (meta.terms, meta.sha256, meta.groups) == ("terms.csv", "ab" * 32, ("f", "m"))
    (source,) = meta.sources
    assert source["name"] == "c.tsv"
    assert source["bytes"] == (tmp_path / "c.tsv").stat().st_size
    assert source["first_mib"] == source["last_mib"]
    assert str(tmp_path) not in meta.json


def test_neither_jobs_nor_folder_nor_time_matter(tmp_path, small_pieces):
    texts = passages(200)
    tables = []
    for many in (1, 2, 3):
        folder = tmp_path / str(many)
        folder.mkdir()
        (folder / "c.tsv").write_bytes(tsv(texts))
        run(folder, folder / "c.tsv", jobs=many)
        tables.append((folder / "t.arrow").read_bytes())
    assert tables[0] == tables[1] == tables[2]


def test_two_jobs_that_are_interrupted_go_on(tmp_path, small_pieces):
    (tmp_path / "c.tsv").write_bytes(tsv(passages(200)))
    run(tmp_path, tmp_path / "c.tsv", name="whole.arrow")
    seen = []

    def interrupt(progress):
        seen.append(progress.documents)
        if len(seen) == 5:
            raise KeyboardInterrupt

    options = CountingOptions(jobs=2, resume=True)
    with pytest.raises(KeyboardInterrupt):
        count_collection([tmp_path / "c.tsv"], TERMS, tmp_path / "t.arrow", options, interrupt)
    assert (tmp_path / "t.arrow.parts").exists()
    done = count_collection([tmp_path / "c.tsv"], TERMS, tmp_path / "t.arrow", options)
    assert done.resumed == seen[-1] > 0
    assert (tmp_path / "t.arrow").read_bytes() == (tmp_path / "whole.arrow").read_bytes()


def test_what_two_threads_have_begun_ends_first_though_ctrl_c_comes_again():
    begun, ended = [], []

    class Slow:
        def begin(self):
            return self

        def __call__(self, task):
            begun.append(task.number)
            time.sleep(0.4 if task.number else 0)
            ended.append(task.number)
            return task.number

    several = (tasks.Task(number, 0, 0) for number in range(9))
    found = tasks.run_tasks(Slow(), [], several, 2, threads=True)
    assert next(found)[1] == 0
    again = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    again.start()
    with pytest.raises(KeyboardInterrupt):
        found.throw(KeyboardInterrupt)
    again.join()
    assert len(ended) == len(begun) < 9


@pytest.mark.parametrize("end", PACKED)
def test_every_cut_gives_the_same_rows(end, tmp_path, small_pieces):
    texts = passages(150)
    (tmp_path / "c.tsv").write_bytes(tsv(texts))
    run(tmp_path, tmp_path / "c.tsv", name="whole.arrow")
    items = list(texts.items())
    for i in range(3):
        (tmp_path / f"{i}.{end}").write_bytes(PACKED[end](tsv(dict(items[i::3]))))
    run(tmp_path, *(tmp_path / f"{i}.{end}" for i in (2, 0, 1)))
    assert not list(build.differences(tmp_path / "whole.arrow", tmp_path / "t.arrow"))
    assert Table(tmp_path / "whole.arrow").meta.omega == Table(tmp_path / "t.arrow").meta.omega
    assert Table(tmp_path / "whole.arrow").distribution.json == Table(tmp_path / "t.arrow").distribution.json


@pytest.mark.parametrize("form", ["parquet", "tsv"])
def test_writes_other_formats(form, tmp_path):
    texts = passages(50)
    (tmp_path / "c.tsv").write_bytes(tsv(texts))
    run(tmp_path, tmp_path / "c.tsv", name=f"t.{form}")
    assert_holds(tmp_path / f"t.{form}", texts)


def test_json_lines_titles_and_half_characters(tmp_path, small_pieces):
    texts = passages(100)
    rows = [json.dumps({"id": name, "title": "King", "contents": text}) for name, text in texts.items()]
    rows.append('{"docno": 7, "text": "\\ud800 she\\u0000he he\\nshe"}')
    (tmp_path / "c.jsonl").write_text("\ufeff\n" + "\r\n".join(rows), "utf-8")
    run(tmp_path, tmp_path / "c.jsonl")
    assert_holds(
        tmp_path / "t.arrow", {name: f"King {text}" for name, text in texts.items()} | {"7": "\ufffd she\0he he\nshe"}
    )


@given(st.text("a\t\n\r\0 é\ufeff", max_size=60), st.integers(1, 20), st.integers(1, 9))
@example(text="\ufeff", size=1, block=1)
@example(text="\na\r", size=1, block=1)
def test_lines_are_cut_as_one_would_by_hand(text, size, block):
    data = text.encode()
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(tasks, "SIZE", size)
        patch.setattr(tasks, "BLOCK", block)
        plain, packed = Path(folder, "lines"), Path(folder, "lines.gz")
        plain.write_bytes(data)
        packed.write_bytes(gzip.compress(data))
        for origin in (
            tasks.Origin(str(plain), "tsv", is_plain=True, size=len(data)),
            tasks.Origin(str(packed), "tsv"),
        ):
            assert read(origin, 1000) == by_hand(data)


def read(origin, longest):
    documents_, faults, lines = [], [], 0
    for task in tasks.tasks([origin], longest):
        for some in tasks.read_documents(origin, task, longest):
            names = some.docnos.to_pylist()
            for name, start, end, line in zip(names, some.starts, some.ends, some.lines, strict=True):
                documents_.append((lines + line, name, some.block[start:end]))
            faults += [lines + line for line, _ in some.faults]
            lines += some.passed
    return documents_, faults


def by_hand(data):
    documents_, faults = [], []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n"), 1):
        name, tab, text = line.partition(b"\t")
        if name.strip() and tab and b"\0" not in line:
            documents_.append((number, name.decode(), text))
        elif line.strip():
            faults.append(number)
    return documents_, faults


def test_an_id_of_ir_datasets_is_a_collection(tmp_path, monkeypatch, small_pieces):
    texts = passages(60)
    (tmp_path / "docs.tsv").write_bytes(tsv(texts))
    local_file = ir_datasets.util.LocalDownload(tmp_path / "docs.tsv")
    ir_datasets.registry.register("fairtrec-test", ir_datasets.Dataset(TsvDocs(local_file, namespace="fairtrec-test")))
    try:
        done = run(tmp_path, "fairtrec-test")
        assert_holds(tmp_path / "t.arrow", texts)
        assert done.meta.sources == ({"name": "fairtrec-test"},)
    finally:
        ir_datasets.registry._registered.pop("fairtrec-test", None)


def test_neither_file_nor_id(tmp_path):
    with pytest.raises(InputError, match="there is no such file or ir_datasets id"):
        run(tmp_path, "no-such-set/2024")
    with pytest.raises(InputError, match="there is no such file; check the name"):
        run(tmp_path, tmp_path / "no.tsv")


FAULTS = {
    "no tab": (b"no tab here", "this line has no tab after the docno"),
    "no docno": (b"\ttext", "this line has no tab after the docno"),
    "not UTF-8": (b"x\tcaf\xe9", "bytes that are not UTF-8"),
    "NUL": (b"x\ta\0b", "a NUL byte"),
    "long docno": (b"x" * 1025 + b"\ttext", "a docno of more than 1024 bytes"),
    "twice": (b"first\tagain", "document first appears twice"),
    "long text": (b"x\t" + b"word " * 2000, "a document of more than 5000 bytes; break it up"),
}


@pytest.mark.parametrize(
    ("fault", "jobs", "packed"),
    [*((fault, 1, bool(at % 2)) for at, fault in enumerate(FAULTS)), ("no tab", 2, True), ("twice", 2, False)],
)
def test_a_fault_is_told_with_file_and_line(fault, jobs, packed, tmp_path, small_pieces):
    line, message = FAULTS[fault]
    before, after = tsv({"first": "she", **passages(100)}), tsv({f"z{i}": "he" for i in range(100)})
    data = before + b"\n" + line + b"\n" + after
    path = tmp_path / "c.tsv"
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(InputError, match=f"c.tsv:103: {message}"):
        run(tmp_path, path, jobs=jobs, max_doc_bytes=5000)
    assert not (tmp_path / "t.arrow").exists()
    done = run(tmp_path, path, jobs=jobs, max_doc_bytes=5000, keep_going=True)
    assert done.rejected == 1
    (told,) = map(json.loads, (tmp_path / "t.arrow.rejected.jsonl").read_text().splitlines())
    assert (told["file"], told["line"]) == (str(path), 103)
    assert told["reason"].startswith(message)
    assert_holds(tmp_path / "t.arrow", {"first": "she", **passages(100), **{f"z{i}": "he" for i in range(100)}})


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress])
def test_a_compressed_file_that_is_cut_off(compress, tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "MIB", 1000)
    texts = {str(i): f"she {random.Random(i).random()}" for i in range(6_000)}
    path = tmp_path / "c.gz"
    data = compress(tsv(texts))
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match=r"c\.gz:\d+: (the compressed data is cut off or damaged|reading failed)"):
        run(tmp_path, path)
    done = run(tmp_path, path, keep_going=True)
    (told,) = map(json.loads, (tmp_path / "t.arrow.rejected.jsonl").read_text().splitlines())
    assert told["line"] == done.meta.rows + 1
    assert_holds(tmp_path / "t.arrow", dict(list(texts.items())[: done.meta.rows]))


def test_a_broken_second_member(tmp_path):
    texts = passages(100)
    broken = bytearray(gzip.compress(tsv({"x": "she"})))
    broken[-6] ^= 1  # its checksum
    (tmp_path / "c.gz").write_bytes(gzip.compress(tsv(texts)) + broken)
    with pytest.raises(InputError, match=r"c\.gz:10[12]: the compressed data is cut off or damaged"):
        run(tmp_path, tmp_path / "c.gz")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "x", "text": 7}', "this line has no text"),
        ('{"id": "", "text": "a"}', "this line has no docno"),
        ('{"id": "a\\u0000", "text": "a"}', "a docno with a NUL"),
        ('{"id": "\\ud800", "text": "a"}', "the docno .* holds half a character"),
        ('{"id": "x", "text": "a"', "this line is not JSON"),
        ("x\ttext", "this line is not JSON"),
    ],
)
def test_faults_of_json_lines(line, message, tmp_path):
    (tmp_path / "c.jsonl").write_text('{"id": "a", "text": "she"}\n' + line + "\n")
    with pytest.raises(InputError, match=rf"c\.jsonl:2: {message}"):
        run(tmp_path, tmp_path / "c.jsonl")


def test_what_is_mended_is_counted_without_further_ado(tmp_path):
    collection = tmp_path / "c.tsv"
    collection.write_text("a\tshe\nb she\n")
    with pytest.raises(InputError, match=r"c\.tsv:2: this line has no tab"):
        run(tmp_path, collection, force=False)
    collection.write_text("a\tshe\nb\tshe\n")
    assert run(tmp_path, collection, force=False).meta.rows == 2


def test_all_lines_may_be_passed_over(tmp_path):
    (tmp_path / "c.tsv").write_text("a\nb\n")
    done = run(tmp_path, tmp_path / "c.tsv", keep_going=True)
    assert (done.meta.rows, done.rejected) == (0, 2)
    assert not read_counts(Table(tmp_path / "t.arrow"), expected({"a": ""}).docnos).known.any()


def test_documents_that_stand_twice_in_other_parts_and_files(tmp_path, small_pieces, monkeypatch):
    monkeypatch.setattr("fairtrec.counting.table.build.FAN_IN", 4)
    texts = passages(300)
    (tmp_path / "a.tsv").write_bytes(tsv(texts))
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"\nnew\tshe\n" + tsv(texts)))
    sources = tmp_path / "a.tsv", tmp_path / "b.gz"
    with pytest.raises(InputError, match=r"b\.gz:\d+: document .* appears twice; keep one line"):
        run(tmp_path, *sources)
    done = run(tmp_path, *sources, keep_going=True)
    assert done.rejected == 300
    assert_holds(tmp_path / "t.arrow", {**texts, "new": "she"})
    told = [json.loads(line) for line in (tmp_path / "t.arrow.rejected.jsonl").read_text().splitlines()]
    assert [each["line"] for each in told] == list(range(3, 303))
    assert [each["reason"] for each in told] == [f"document {name} appears twice; keep one line" for name in texts]
    run(tmp_path, tmp_path / "a.tsv", keep_going=True)
    assert not (tmp_path / "t.arrow.rejected.jsonl").exists()


def test_what_is_there_is_kept(tmp_path):
    (tmp_path / "c.tsv").write_bytes(tsv(passages(9)))
    run(tmp_path, tmp_path / "c.tsv", force=False)
    for options in ({}, {"resume": True}):
        with pytest.raises(UsageError, match="exists; add force=True"):
            run(tmp_path, tmp_path / "c.tsv", force=False, **options)
    (tmp_path / "u.arrow.parts").mkdir()
    with pytest.raises(UsageError, match="has an unfinished run; add resume=True"):
        run(tmp_path, tmp_path / "c.tsv", name="u.arrow", force=False)
    with pytest.raises(UsageError, match="a group may not be called tokens"):
        run(tmp_path, tmp_path / "c.tsv", terms=GroupTerms("x", {"tokens": ("a",), "m": ("b",)}))


def stop_after(monkeypatch, many):
    """Let a run of one job end, as if it were killed, when so many tasks are done."""
    count = part.CountingWork.count_task
    left = iter(range(many))

    def counting(*arguments):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return count(*arguments)

    monkeypatch.setattr(part.CountingWork, "count_task", counting)


def interrupted(folder, monkeypatch):
    texts = passages(300)
    (folder / "c.tsv").write_bytes(tsv(texts))
    run(folder, folder / "c.tsv", name="whole.arrow")
    with monkeypatch.context() as patch:
        stop_after(patch, 4)
        with pytest.raises(KeyboardInterrupt):
            run(folder, folder / "c.tsv")


def test_resumes_and_counts_nothing_twice(tmp_path, small_pieces, monkeypatch):
    interrupted(tmp_path, monkeypatch)
    manifest = tmp_path / "t.arrow.parts" / "manifest.jsonl"
    manifest.write_bytes(manifest.read_bytes()[:-9])  # a torn line
    next((tmp_path / "t.arrow.parts").glob("0000001.arrow")).unlink()
    done = run(tmp_path, tmp_path / "c.tsv", resume=True, force=False)
    assert 0 < done.resumed < 100
    assert (tmp_path / "t.arrow").read_bytes() == (tmp_path / "whole.arrow").read_bytes()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"tokenizer": "word"}, "tokenizer"),
        ({"case_sensitive": True}, "case_sensitive"),
        ({"keep_going": True, "max_doc_bytes": 999}, "keep_going, max_doc_bytes"),
        ({"terms": GroupTerms("terms.csv", TERMS.terms, "cd" * 32)}, "terms"),
    ],
)
def test_resumes_only_the_same(options, what, tmp_path, small_pieces, monkeypatch):
    interrupted(tmp_path, monkeypatch)
    with pytest.raises(UsageError, match=f"holds a run that differs in: {what}; "):
        run(tmp_path, tmp_path / "c.tsv", resume=True, force=False, **options)
    (tmp_path / "c.tsv").write_bytes(tsv(passages(300, seed=2)))
    with pytest.raises(UsageError, match="holds a run that differs in: sources; "):
        run(tmp_path, tmp_path / "c.tsv", resume=True, force=False)


def command(*arguments):
    small = "from fairtrec.counting.local import tasks; tasks.SIZE = 1 << 17"
    program = f"from fairtrec import cli; {small}; cli.main()"
    return [sys.executable, "-c", program, "counts", "make", *map(str, arguments)]


@pytest.mark.long
def test_killed_at_any_moment_and_resumed_the_bytes_are_the_same(tmp_path):
    texts = {f"{'d' * (i % 12)}{i}": " ".join(random.Random(i).choices(WORDS, k=40)) for i in range(2000)}
    (tmp_path / "c.tsv").write_bytes(
        tsv(texts) + b"".join(b"n%d\t%s\n" % (i, b"she said he " * 30) for i in range(8_000))
    )
    (tmp_path / "terms.csv").write_text("she,f\nhe,m\n")
    given_ = [tmp_path / "c.tsv", "--terms", tmp_path / "terms.csv"]
    began = time.monotonic()
    subprocess.run(command(*given_, "-o", tmp_path / "whole.arrow", "-j", 2), check=True, capture_output=True)
    seconds = time.monotonic() - began
    for seed in range(4 if THOROUGH else 1):
        chosen = random.Random(seed)
        output = tmp_path / f"{seed}.arrow"
        kills = 0
        while not output.exists() or output.with_name(output.name + ".parts").exists():
            jobs = chosen.choice([1, 2])
            process = subprocess.Popen(
                command(*given_, "-o", output, "-j", jobs, "--resume"), stderr=subprocess.PIPE, start_new_session=True
            )
            if kills < 2:
                time.sleep(chosen.uniform(0.2, 1) * seconds)
                process.send_signal(signal.SIGKILL)
                kills += 1
            _, errors = process.communicate()
            assert process.returncode in (0, -9), errors.decode()
        assert output.read_bytes() == (tmp_path / "whole.arrow").read_bytes()


@pytest.mark.slow
def test_memory_stays_bounded_whatever_the_lines(tmp_path):
    nasty = [b"a\t" + b"x" * (16 << 20), b"b\t" + "女".encode() * (4 << 20), b"c\t" + b"x y " * (2 << 20)]
    (tmp_path / "c.tsv").write_bytes(b"\n".join([*nasty, *(b"%d\tshe he" % i for i in range(100_000))]))
    (tmp_path / "terms.csv").write_text("she,f\nhe,m\n")
    alone = "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:])\n"  # a child begins with the peak of its parent
    alone += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)"
    for given_ in (["c.tsv"], ["c.tsv", "--max-doc-bytes", 1 << 20, "--keep-going", "--force"]):
        made = command(*given_, "--terms", "terms.csv", "-o", "t.arrow", "-j", 1)
        done = subprocess.run(
            [sys.executable, "-c", alone, *made], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) < (1 << 20)  # KiB: the promise is 1 GiB above the interpreter
    assert "3 lines passed over, see t.arrow.rejected.jsonl" in done.stderr


characters = st.text("aAe éÉİΣς.'-\u3000\u00a0\u0085\x1c\t女x_", max_size=80)


@given(text=characters, tokenizer=st.sampled_from(list(TOKENIZERS)), case_sensitive=st.booleans())
def test_long_documents_keep_their_counts(text, tokenizer, case_sensitive):
    terms = GroupTerms("", {"f": ("ae", "éa", "aς", "a a"), "m": ("e", "ς", "i\u0307", "A.E", "女", "x x")})
    lexicon = Lexicon.from_terms(terms, tokenizer, case_sensitive=case_sensitive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "PIECE", 6)
        some = text_blocks.read_pairs([("a", "e"), ("d", text), ("b", "ae")], 10**6)
        found = Kernel(lexicon).count(some.block, some.starts, some.ends)
    tokens = lexicon.tokens(text)
    assert found[0].tolist() == [1, len(tokens), 1]
    counts = [0, 0]
    for (_, numbers), times in lexicon.occurrences(tokens).items():
        for number in numbers:
            counts[number] += times
    assert found[1][1].tolist() == counts


@pytest.mark.slow
def test_lower_case_keeps_what_long_documents_rely_on():
    for character in map(chr, range(sys.maxunicode + 1)):
        lower = character.lower()
        assert lower == character or lower.lower() == lower
        assert any(map(str.isalnum, lower)) == character.isalnum()
        if not "\ud800" <= character <= "\udfff":
            assert bool(kernel.WHITE_SPACE.fullmatch(character.encode())) == character.isspace()


def test_both_counters_see_the_same_documents():
    block = tsv(passages(50))
    some = read_tsv_lines(block, 10**6)
    as_json = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in passages(50).items())
    others = read_json_lines(as_json.encode(), 10**6)
    assert some.docnos.equals(others.docnos)
    for counting in (Kernel, Compiled)[: 1 + (extension is not None)]:
        for these in (some, others):
            tokens, counts = counting(LEXICON).count(these.block, these.starts, these.ends)
            assert tokens.tolist() == [len(LEXICON.tokens(text)) for text in passages(50).values()]
            assert counts.shape == (50, 2)


def test_progress_is_told(tmp_path, small_pieces):
    (tmp_path / "c.tsv").write_bytes(tsv(passages(100)))
    told = []
    count_collection([str(tmp_path / "c.tsv")], TERMS, tmp_path / "t.arrow", CountingOptions(jobs=1), told.append)
    assert told[-1].documents == 100
    assert told[-1].done == told[-1].total == (tmp_path / "c.tsv").stat().st_size


def test_small_files_are_counted_by_one_process_unless_more_are_asked_for(tmp_path):
    small, large = tmp_path / "small.tsv", tmp_path / "large.tsv"
    small.write_text("d1\tshe\n")
    with large.open("wb") as file:
        file.truncate(jobs.LIGHT)  # of which nothing is read
    assert jobs.choose_jobs(None, [small, str(small)]) == 1
    assert jobs.choose_jobs(2, [small]) == 2
    assert [jobs.choose_jobs(None, given) for given in ([small, large], ["vaswani"], ["-"])] == [jobs.cores()] * 3
    count_collection([str(small)], TERMS, tmp_path / "t.arrow")
    assert multiprocessing.active_children() == []
