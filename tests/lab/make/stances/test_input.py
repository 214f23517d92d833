"""What `fairtrec make stances` refuses, and what it leaves out and counts."""

import os
import sys
import types
import zipfile
from pathlib import Path
from random import Random
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import fairtrec
from fairtrec.lab.make.stances import project
from fairtrec.support.errors import InputError, ResourceError, UsageError
from fairtrec_made import texts

pytestmark = pytest.mark.fuzz

RUN = {"q1": {f"d{i}": float(-i) for i in range(5)}, "q2": {f"d{i}": float(-i) for i in range(3, 7)}}
VECTORS = {f"d{i}": [float(i), float(i * i % 7), 1.0] for i in range(7)}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A run and its vectors in each format, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{qid} Q0 {docno} 1 {score} t\n" for qid, docs in RUN.items() for docno, score in docs.items()]
    (tmp_path / "a.run").write_text("".join(rows))
    matrix = np.array(list(VECTORS.values()))
    np.save("v.npy", matrix)
    np.savez("v.npz", vectors=matrix)
    np.savez_compressed("named.npz", vectors=matrix, docnos=np.array(list(VECTORS)))
    (tmp_path / "ids.txt").write_text("".join(f"{docno}\n" for docno in VECTORS))
    table(list(VECTORS), pa.array(list(VECTORS.values()), pa.list_(pa.float64())))
    (tmp_path / "docs.tsv").write_text("".join(f"{docno}\ttext of {docno}\n" for docno in VECTORS))
    return tmp_path


def table(docnos, vectors, name="v.parquet", of="docno", rows=3):
    parquet.write_table(pa.table({of: docnos, "vector": vectors}), name, row_group_size=rows)


def fails(command, *arguments):
    done = command("make", "stances", "a.run", *arguments, "-o", "p.tsv")
    (line,) = done.complaints
    return done.code, line


# ------------------------------------------------------------------------------------------ formats of vectors


@pytest.mark.parametrize(
    "given",
    [
        ["v.npy", "--ids", "ids.txt"],
        ["v.npz", "--ids", "ids.txt"],
        ["named.npz"],
        ["v.parquet"],
        ["fixed.parquet"],
        ["large.parquet"],
        ["fortran.npy", "--ids", "ids.txt"],
    ],
)
def test_every_format_gives_the_same_stances(files, fairtrec_command, given):
    table(list(VECTORS), pa.array(list(VECTORS.values()), pa.list_(pa.float64(), 3)), "fixed.parquet")
    names = pa.array([*VECTORS, "z"], pa.large_string())
    table(names, pa.array([*VECTORS.values(), [0.0] * 3], pa.large_list(pa.float64())), "large.parquet", "_id", 1)
    np.save("fortran.npy", np.asfortranarray(np.array(list(VECTORS.values()))))
    done = fairtrec_command("make", "stances", "a.run", "--embeddings", *given)
    expected = fairtrec.make_stances(RUN, embeddings=VECTORS).tsv.splitlines()[:-1]
    assert done.out.splitlines()[:-1] == expected
    matrix = np.array(list(VECTORS.values()))
    assert fairtrec.make_stances(RUN, embeddings=matrix, ids=list(VECTORS)).tsv.splitlines()[:-1] == expected


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, np.uint16])
def test_numbers_of_any_width_do(files, kind):
    np.save("w.npy", np.array(list(VECTORS.values())).astype(kind))
    placed = fairtrec.make_stances("a.run", embeddings="w.npy", ids="ids.txt")
    assert placed.values == pytest.approx(fairtrec.make_stances(RUN, embeddings=VECTORS).values)


def test_only_the_row_groups_of_wanted_documents_are_read(files, monkeypatch):
    many = {f"x{i}": [0.0, float(i), 1.0] for i in range(300)} | VECTORS
    table(list(many), pa.array(list(many.values())), "many.parquet", rows=10)
    read = []
    iterate = parquet.ParquetFile.iter_batches
    monkeypatch.setattr(
        parquet.ParquetFile,
        "iter_batches",
        lambda self, *a, **k: read.extend(k["row_groups"]) or iterate(self, *a, **k),
    )
    placed = fairtrec.make_stances("a.run", embeddings="many.parquet")
    assert placed.values.tolist() == fairtrec.make_stances(RUN, embeddings=VECTORS).values.tolist()
    assert read == [30]


def nothing_to_see():
    raise AssertionError("a pickle was loaded")


class Trap:
    def __reduce__(self):
        return nothing_to_see, ()


def npy(*shape, kind=np.float64):
    def write():
        np.save("b.npy", np.zeros(shape, kind))
        return ["b.npy", "--ids", "ids.txt"]

    return write


def objects(write=np.save, name="b.npy"):
    def written():
        write(name, np.array([[Trap()] * 3] * 7, dtype=object))
        return [name, "--ids", "ids.txt"]

    return written


def bytes_of(content, name="b.npy"):
    def write():
        Path(name).write_bytes(content)
        return [name, "--ids", "ids.txt"]

    return write


def cut():
    return bytes_of(Path("v.npy").read_bytes()[:-8])()


def archive():
    with zipfile.ZipFile("b.npz", "w") as file:
        file.writestr("readme.txt", "nothing")
    return ["b.npz", "--ids", "ids.txt"]


def two_matrices():
    np.savez("b.npz", a=np.zeros((7, 2)), b=np.zeros((7, 2)))
    return ["b.npz", "--ids", "ids.txt"]


def encode_given_ids(*lines):
    def write():
        Path("b.txt").write_text("".join(f"{line}\n" for line in lines))
        return ["v.npy", "--ids", "b.txt"]

    return write


def parquet_of(docnos, vectors, kind=None):
    def write():
        table(docnos, pa.array(vectors, kind), "b.parquet")
        return ["b.parquet"]

    return write


def columns_of(**columns):
    def write():
        parquet.write_table(pa.table(columns), "b.parquet")
        return ["b.parquet"]

    return write


FLOATS = list(VECTORS.values())


@pytest.mark.parametrize(
    ("make", "code", "says"),
    [
        (lambda: ["v.npy"], 2, "the rows of a matrix have no names; add --ids FILE"),
        (lambda: ["v.parquet", "--ids", "ids.txt"], 2, "--ids names the rows of a matrix"),
        (lambda: ["gone.npy"], 3, "gone.npy: there is no such file"),
        (lambda: ["a.run"], 3, "a.run: these are not vectors; pass .npy or .npz of numpy, or Parquet"),
        (lambda: ["-"], 3, "-: vectors cannot be looked up in a stream"),
        (objects(), 3, "b.npy: this is not an array of numbers ("),
        (objects(np.savez, "b.npz"), 3, "b.npz: this is not an array of numbers ("),
        (cut, 3, "b.npy: this is not an array of numbers ("),
        (bytes_of(b"\x93NUMPY\x01\x00\xff\xff{'"), 3, "b.npy: this is not an array of numbers ("),
        (bytes_of(b"PK\x03\x04 and no more", "b.npz"), 3, "b.npz: this is not an array of numbers ("),
        (bytes_of(b"PAR1 and no more", "b.parquet"), 2, "--ids names the rows of a matrix"),
        (archive, 3, "b.npz: "),
        (two_matrices, 3, "b.npz: 2 matrices and 0 lists of docnos; keep one of each"),
        (npy(7), 3, "b.npy: an array of 1 dimensions of float64 instead of a matrix of numbers"),
        (npy(7, 2, 2), 3, "b.npy: an array of 3 dimensions of float64"),
        (npy(7, 2, kind="U3"), 3, "b.npy: an array of 2 dimensions of <U3"),
        (npy(7, 2, kind=np.complex64), 3, "b.npy: an array of 2 dimensions of complex64"),
        (npy(7, 0), 3, "b.npy: "),
        (npy(6, 2), 3, "ids.txt: 7 ids for 6 vectors; pass the same number"),
        (encode_given_ids(*list(VECTORS)[:-1]), 3, "b.txt: 6 ids for 7 vectors; pass the same number"),
        (encode_given_ids(*list(VECTORS)[:-1], "d2"), 3, "b.txt:7: document d2 appears twice; keep one vector"),
        (encode_given_ids("d0", "", *list(VECTORS)[2:]), 3, "b.txt:2: no id"),
        (encode_given_ids("d0", "x" * 1025, *list(VECTORS)[2:]), 3, "b.txt:2: no id, or one of more than 1024 bytes"),
        (encode_given_ids(*"abcdefg"), 3, "v.npy: document d0 has no vector, and 6 more have none; add what is missing, or"),
        (parquet_of(list("abcdefg"), FLOATS), 3, "b.parquet: no document of the runs has a vector here"),
        (parquet_of([*list(VECTORS)[:-1], "d2"], FLOATS), 3, "b.parquet: document d2 appears twice; keep one vector"),
        (parquet_of([*list(VECTORS)[:-1], None], FLOATS), 3, "b.parquet: a row has no docno; add it"),
        (parquet_of(list(VECTORS), [*FLOATS[:-1], None]), 3, "b.parquet: a vector is missing"),
        (parquet_of(list(VECTORS), [*FLOATS[:-1], [1.0, None, 1.0]]), 3, "b.parquet: a vector is missing"),
        (parquet_of(list(VECTORS), [*FLOATS[:-1], [1.0]]), 3, "b.parquet: vectors of different lengths"),
        (parquet_of(list(VECTORS), [[1.0, 2.0]] * 3 + [[1.0]] * 4), 3, "b.parquet: vectors of different lengths"),
        (parquet_of(list(VECTORS), [*FLOATS[:-2], [1.0], [1.0, 2, 3, 4, 5]]), 3, "b.parquet: vectors of different"),
        (parquet_of(list(VECTORS), [["a", "b"]] * 7), 3, "b.parquet: the columns are docno, vector; call one docno"),
        (parquet_of(list(VECTORS), [[]] * 7, pa.list_(pa.float32())), 3, "b.parquet: these vectors have no dimension"),
        (columns_of(docno=["d1"], x=[1.0]), 3, "b.parquet: the columns are docno, x; call one docno, and keep one"),
        (columns_of(name=["d1"], x=[[1.0]]), 3, "b.parquet: the columns are name, x; call one docno"),
        (columns_of(docno=["d1"], x=[[1.0]], y=[[1.0]]), 3, "b.parquet: the columns are docno, x, y; call one"),
    ],
)  # fmt: skip
def test_broken_vectors_end_in_one_line(files, fairtrec_command, make, code, says):
    ended, line = fails(fairtrec_command, "--embeddings", *make())
    assert (ended, line[: len(says)]) == (code, says)
    assert not (files / "p.tsv").exists()


def test_a_broken_parquet_file_ends_in_one_line(files, fairtrec_command):
    bytes_of(b"PAR1 and no more", "b.parquet")()
    assert fails(fairtrec_command, "--embeddings", "b.parquet")[0] == 3


def test_vectors_of_other_lengths_are_noticed_wherever_they_stand(files, fairtrec_command, monkeypatch):
    from fairtrec.lab.make.stances import vectors

    monkeypatch.setattr(vectors, "ROWS", 2)
    parquet_of(list(VECTORS), [[1.0, 2.0]] * 4 + [[1.0]] * 3)()
    code, line = fails(fairtrec_command, "--embeddings", "b.parquet")
    assert (code, line) == (3, "b.parquet: vectors of different lengths; all need the same model")


def corrupted(content, random):
    """Change, cut off or put in some bytes."""
    for _ in range(random.randint(1, 4)):
        at, how = random.randrange(len(content)), random.random()
        if how < 0.6:
            content[at] = random.randrange(256)
        elif how < 0.8 and at:
            del content[at:]
        else:
            content[at:at] = random.randbytes(random.randint(1, 9))
    return bytes(content)


@pytest.mark.parametrize("name", ["v.npy", "v.npz", "named.npz", "v.parquet", "ids.txt", "fit.tsv"])
def test_files_that_are_damaged_anywhere_end_in_one_line(files, fairtrec_command, name):
    (files / "fit.tsv").write_text("q1\td1\ta\nq1\td2\tb\nq1\td3\ta\n")
    random = Random(name)
    given = {"ids.txt": ["--embeddings", "v.npy", "--ids"], "fit.tsv": ["--embeddings", "v.parquet", "--spurious"]}
    ids = ["--ids", "ids.txt"] if name in ("v.npy", "v.npz") else []
    content = (files / name).read_bytes()
    for _ in range(int(os.environ.get("FAIRTREC_FUZZ", "0")) // 10 or 30):
        damaged = corrupted(bytearray(content), random)
        Path("b").write_bytes(damaged)
        done = fairtrec_command("make", "stances", "a.run", *given.get(name, ["--embeddings"]), "b", *ids)
        assert done.code in (0, 2, 3), (damaged, done.err)
        assert len(done.complaints) == (done.code > 0), (damaged, done.err)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1e101])
def test_vectors_that_are_not_finite_are_named(files, fairtrec_command, bad):
    matrix = np.array(FLOATS)
    matrix[4, 1] = bad
    np.save("b.npy", matrix)
    code, line = fails(fairtrec_command, "--embeddings", "b.npy", "--ids", "ids.txt")
    assert (code, line) == (3, "b.npy: the vector of document d4 is not finite, or beyond 1e+100; make it again")


def test_a_vector_of_zeros_has_no_direction(files, fairtrec_command):
    np.save("b.npy", np.array(FLOATS) * (np.arange(7) != 3)[:, None])
    vectors = ["--embeddings", "b.npy", "--ids", "ids.txt"]
    assert fairtrec_command("make", "stances", "a.run", *vectors).code == 0
    says = "b.npy: the vector of document d3 is 0 everywhere, so it has no direction; leave the document out"
    assert fails(fairtrec_command, *vectors, "--normalize") == (3, says)
    (files / "s.tsv").write_text("q1 d3 a\nq1 d2 b\n")
    assert fails(fairtrec_command, *vectors, "--spurious", "s.tsv", "--spurious-as", "published") == (3, says)


# ------------------------------------------------------------------------------------- what is left out


def test_documents_without_a_vector_are_left_out_if_asked_for(files, fairtrec_command):
    few = {docno: vector for docno, vector in VECTORS.items() if docno not in ("d1", "d5")}
    table(list(few), pa.array(list(few.values())), "few.parquet")
    says = "few.parquet: document d1 has no vector, and 1 more have none; add what is missing, or leave these out: --missing skip"
    assert fails(fairtrec_command, "--embeddings", "few.parquet") == (3, says)
    done = fairtrec_command("make", "stances", "a.run", "--embeddings", "few.parquet", "--missing", "skip")
    kept = {qid: {docno: score for docno, score in docs.items() if docno in few} for qid, docs in RUN.items()}
    assert done.out.splitlines()[:-1] == fairtrec.make_stances(kept, embeddings=few).tsv.splitlines()[:-1]
    assert "# 2 documents have no vector: left out" in done.err
    assert done.out.splitlines()[-1].endswith(" | missing:skip(2) | sign:arbitrary")


def test_queries_without_an_axis_are_left_out_and_counted():
    run = RUN | {"one": {"d1": 1.0}, "same": {"e1": 1.0, "e2": 1.0, "e3": 1.0}}
    vectors = VECTORS | {name: [0.1, 0.2, 0.3] for name in ("e1", "e2", "e3")}
    placed = fairtrec.make_stances(run, embeddings=vectors)
    assert set(placed.qids) == {"q1", "q2"}
    says = "2 queries have no axis, fewer than 2 documents that differ to fit it to: 4 stances left out"
    assert says in texts(placed.notes)
    result = fairtrec.evaluate("DUO", run, stances=placed)
    assert np.isnan(result.scores[0].values).sum() == 2
    with pytest.raises(
        InputError, match="no query has two different documents, plus one for each further axis; add more"
    ):
        fairtrec.make_stances({"same": run["same"]}, embeddings=vectors)


def test_an_axis_that_another_equals_is_pointed_out():
    run = {"q": dict.fromkeys("abcd", 1.0)}
    square = {"a": [1.0, 0], "b": [-1.0, 0], "c": [0, 1.0], "d": [0, -1.0]}
    notes = texts(fairtrec.make_stances(run, embeddings=square).notes)
    assert "the axis is not unique for 1 query: another direction has the same variance" in notes


# ---------------------------------------------------------------------------------- options and their files


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ("", 2, "stances need vectors; add --embeddings FILE, or --docs COLLECTION and --model NAME"),
        ("--docs docs.tsv", 2, "stances need vectors"),
        ("--model m", 2, "a model needs texts; add --docs COLLECTION"),
        ("--embeddings v.parquet --docs docs.tsv", 2, "--embeddings replace texts"),
        ("--embeddings v.parquet --model m", 2, "--embeddings replace texts"),
        ("--docs docs.tsv --model m --ids ids.txt", 2, "--ids names the rows of --embeddings"),
        ("--embeddings v.parquet --toward pro", 2, "--toward needs labels; add --labels FILE"),
        ("--embeddings v.parquet --labels l.tsv --toward x", 2, "l.tsv has no group x; there are con, pro"),
        ("--embeddings v.parquet --labels three.tsv", 2, "accuracy needs two groups, and these labels have 3"),
        ("--embeddings v.parquet --axes 4", 2, "4 axes where vectors have 3 dimensions; ask for fewer"),
        ("--embeddings v.parquet --save-embeddings p.tsv", 2, "p.tsv would hold both stances and embeddings"),
        ("--embeddings v.parquet --save-embeddings v.parquet", 2, "the output v.parquet is also read"),
        ("--embeddings v.parquet --save-embeddings no/where.parquet", 2, "the folder of no/where.parquet is not"),
        ("--embeddings v.parquet --fit one.tsv", 3, "one.tsv:2: 1 column instead of two or three"),
        ("--embeddings v.parquet --fit twice.tsv", 3, "twice.tsv:3: document d1 appears twice under query q1"),
        (
            "--embeddings v.parquet --fit blank.tsv",
            3,
            "blank.tsv:1: this line has no qid or no docno, or one of more than 1024 bytes; write: qid docno [side]",
        ),
        (
            "--embeddings v.parquet --fit none.tsv",
            3,
            "none.tsv: this file has too few documents; write a qid and a docno",
        ),
        ("--embeddings v.parquet --fit strange.tsv", 3, "v.parquet: document x has no vector; add what is missing"),
        ("--embeddings v.parquet --spurious twice.tsv", 3, "twice.tsv:1: no side instead of two"),
        ("--embeddings v.parquet --spurious three.tsv", 3, "three.tsv:3: 3 sides (a, b, c) instead of two"),
        (
            "--embeddings v.parquet --spurious side.tsv",
            3,
            "side.tsv: this file has too few documents; write the documents",
        ),
    ],
)
def test_options_that_do_not_fit_end_in_one_line(files, fairtrec_command, options, code, says):
    for name, text in {
        "l.tsv": "d1\tpro\nd2\tcon\n", "three.tsv": "q1\td1\ta\nq1\td2\tb\nq1\td3\tc\n", "one.tsv": "q1 d1\nq1\n",
        "twice.tsv": "q1 d1\nq1 d2\nq1 d1\n", "blank.tsv": "\td1\tx\n", "none.tsv": "# qid docno\n\n",
        "strange.tsv": "q1 x\nq1 d1\n", "side.tsv": "q1 d1 a\nq1 d2 a\n",
    }.items():  # fmt: skip
        (files / name).write_text(text)
    ended, line = fails(fairtrec_command, *options.split())
    assert (ended, line[: len(says)]) == (code, says)
    assert not (files / "p.tsv").exists()


@pytest.mark.parametrize("name", ["p.csv", "p.parquet", "p.tsv.gz"])
def test_stances_are_no_other_file_than_its_name_says(files, fairtrec_command, name):
    done = fairtrec_command("make", "stances", "a.run", "--embeddings", "v.parquet", "-o", name)
    said = f"stances are written as TSV, and {name} ends otherwise; end it in .tsv"
    assert (done.code, done.complaints, (files / name).exists()) == (2, [said], False)


def test_python_says_the_same_of_what_it_holds():
    with pytest.raises(UsageError, match="the number of axes is 0"):
        fairtrec.make_stances(RUN, embeddings=VECTORS, axes=0)
    with pytest.raises(UsageError, match="add ids"):
        fairtrec.make_stances(RUN, embeddings=np.zeros((7, 3)))
    with pytest.raises(InputError, match="different lengths"):
        fairtrec.make_stances(RUN, embeddings=VECTORS | {"d1": [1.0]})
    with pytest.raises(InputError, match="no document of the runs has a vector"):
        fairtrec.make_stances(RUN, embeddings={"x": [1.0]})
    with pytest.raises(InputError, match="starts with # or holds white space"):
        _ = fairtrec.make_stances({"a b": RUN["q1"]}, embeddings=VECTORS).tsv


# --------------------------------------------------------------------------------------------------- models


def test_texts_that_are_missing_are_named(files, fairtrec_command, monkeypatch):
    (files / "docs.tsv").write_text("d0\ta\nd1\tb\nd2\tc\nd3\td\n")
    model = lambda texts: [[len(text), ord(text[0])] for text in texts]  # noqa: E731
    with pytest.raises(InputError, match=r"document d4 has no text, and 2 more have none; add what is missing"):
        fairtrec.make_stances("a.run", docs="docs.tsv", model=model)
    placed = fairtrec.make_stances("a.run", docs="docs.tsv", model=model, missing="skip")
    assert placed.docnos == ("d0", "d1", "d2", "d3")
    with pytest.raises(InputError, match="no document of the runs has a text"):
        fairtrec.make_stances("a.run", docs={"x": "y"}, model=model)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (lambda texts: [[1.0]] * (len(texts) - 1), "the model gave an array of 6 x 1 for 7 texts"),
        (lambda texts: [1.0] * len(texts), "the model gave an array of 7 for 7 texts"),
        (
            lambda texts: [[1.0] * (i + 1) for i in range(len(texts))],
            "the model fails, or its vectors differ in length",
        ),
        (lambda texts: [["a"]] * len(texts), "an array of 2 dimensions of <U1 instead of a matrix of numbers"),
    ],
)
def test_a_model_that_gives_no_vectors_is_refused(files, model, says):
    with pytest.raises(InputError, match=says):
        fairtrec.make_stances("a.run", docs="docs.tsv", model=model)


def test_without_the_library_one_line_says_how_to_get_it(files, fairtrec_command, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    says = "a model needs sentence-transformers, which is not installed; pip install 'fairtrec[embed]'"
    assert fails(fairtrec_command, "--docs", "docs.tsv", "--model", "any") == (4, says)


class Weights:
    def __init__(self, values):
        self.values = np.array(values, dtype=np.float32)

    def detach(self):
        return self

    cpu = float = detach

    def numpy(self):
        return self.values


class Library:
    """What stands for SentenceTransformer: vectors are lengths of words, and it reads two words."""

    asked: ClassVar[dict] = {}

    def __init__(self, name, **options):
        if name == "broken" or (name == "far" and options["local_files_only"]):
            raise OSError("there is no file\nnamed like this")
        self.asked |= {"name": name, **options}
        self.max_seq_length = None if name == "static" else 2
        self.tokenizer = object() if name == "odd" else self.split
        if name == "odd":
            self.max_seq_length = 2

    def split(self, texts, *, truncation, verbose):
        assert (truncation, verbose) == (False, False)
        return {"input_ids": [text.split() for text in texts]}

    def encode(self, texts, *, show_progress_bar, convert_to_numpy, normalize_embeddings):
        assert (show_progress_bar, convert_to_numpy, normalize_embeddings) == (False, True, False)
        return np.array([[len(text), len(text.split()), ord(text[-1])] for text in texts], dtype=np.float32)

    def state_dict(self):
        return {"b": Weights([2.0]), "a": Weights([1.0])}


@pytest.fixture
def library(monkeypatch):
    monkeypatch.setattr(Library, "asked", {})
    fake = types.SimpleNamespace(SentenceTransformer=Library)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("FAIRTREC_OFFLINE", "0")
    return Library


@pytest.mark.parametrize(
    ("name", "settings", "local"),
    [
        ("some/model/", {"FAIRTREC_OFFLINE": "1"}, True),
        ("some/model/", {"FAIRTREC_AUTOFETCH": "1"}, True),
        ("far", {"FAIRTREC_AUTOFETCH": "1"}, False),
    ],
)
def test_a_model_is_loaded_without_code_of_others(files, fairtrec_command, library, monkeypatch, name, settings, local):
    import hashlib
    import os

    for setting, value in settings.items():
        monkeypatch.setenv(setting, value)
    done = fairtrec_command("make", "stances", "a.run", "--docs", "docs.tsv", "--model", name)
    assert done.code == 0, done.err
    safe = {"trust_remote_code": False, "model_kwargs": {"use_safetensors": True}, "local_files_only": local}
    assert library.asked == {"name": name, **safe}
    assert os.environ.get("HF_HUB_OFFLINE") == settings.get("FAIRTREC_OFFLINE")
    ones = (np.float32(value).tobytes() for value in (1, 2))
    digest = hashlib.sha256(b"a" + next(ones) + b"b" + next(ones)).hexdigest()[:8]
    assert f"# model:{name.strip('/').split('/')[-1]}@{digest} | " in done.out.splitlines()[-1]
    assert "7 documents are longer than the model reads (2 tokens)" in done.err.splitlines()[0]


@pytest.mark.parametrize("name", ["static", "odd"])
def test_models_that_count_no_tokens_say_nothing_of_them(files, fairtrec_command, library, name):
    done = fairtrec_command("make", "stances", "a.run", "--docs", "docs.tsv", "--model", name)
    assert done.code == 0
    assert "longer" not in done.err


def test_a_model_that_cannot_be_loaded_ends_in_one_line(files, fairtrec_command, library, monkeypatch):
    says = "the model {} cannot be loaded ({}); pass a folder that holds it"
    asked = ["--docs", "docs.tsv", "--model"]
    refused = "nothing is fetched unless FAIRTREC_AUTOFETCH=1 is set"
    assert fails(fairtrec_command, *asked, "far") == (4, says.format("far", refused))
    (files / "broken").mkdir()
    assert fails(fairtrec_command, *asked, "broken") == (4, says.format("broken", "there is no file"))
    (files / "broken").rmdir()
    monkeypatch.setenv("FAIRTREC_AUTOFETCH", "1")
    assert fails(fairtrec_command, *asked, "broken") == (4, says.format("broken", "there is no file"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    says = "the model broken cannot be loaded (FAIRTREC_OFFLINE is set); pass a folder that holds it"
    assert fails(fairtrec_command, "--docs", "docs.tsv", "--model", "broken") == (4, says)


def test_a_library_that_lacks_a_part_of_its_own_is_not_called_missing(files, monkeypatch):
    class Finder:
        def find_spec(self, name, path=None, target=None):
            if name == "sentence_transformers":
                raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    with pytest.raises(ModuleNotFoundError, match="torch"):
        project.embed_texts(["a"], "any")


def test_errors_are_of_the_promised_kinds():
    assert (UsageError.exit_code, InputError.exit_code, ResourceError.exit_code) == (2, 3, 4)
