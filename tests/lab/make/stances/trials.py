"""What tests of all commands try of ``fairtrec make stances``; fairtrec_made/command_trials.py lists what each name means."""

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import fairtrec
from fairtrec.data import Docnos
from fairtrec.lab.make.stances import vectors
from fairtrec_made import REPOSITORY
from fairtrec_made.worst_files import WorstForm

INPUTS = REPOSITORY / "tests" / "cli" / "inputs"
STANCE = [INPUTS / "tiny.run", "--embeddings", INPUTS / "vectors.npy", "--ids", INPUTS / "vectors-ids.txt"]

SITUATIONS = [("make stances a.run", {"--embeddings": "vectors.npy", "--ids": "ids.txt"})]
VALUES = {
    "--embeddings": "vectors.npy",
    "--ids": "ids.txt",
    "--model": "model",
    "--save-embeddings": "new.parquet",
    "--fit": "fit.tsv",
    "--axes": "2",
    "--spurious": "sides.tsv",
    "--toward": "f",
}
UNCHANGED = {"make stances --missing": "all documents have vectors"}
NOTHING_TO_SHOW = {
    "make stances --axes --fit": "the documents that axes are fitted to have not so many",
}
OTHER_FILES = ["vectors"]

ANSWERS = {
    "make_stances": lambda: fairtrec.make_stances(STANCE[0], embeddings=STANCE[2], ids=STANCE[4]),
}
PRINTED = {"make_stances": ["make", "stances", *STANCE]}
ROWS_ONLY = ["make_stances"]
NEEDED_LIBRARY = {"make stances": "scipy"}
MISSING_LIBRARY = {"'fairtrec[embed]'": ["make stances bm25.run --docs collection.tsv --model m -o a.tsv"]}


OFFERED = [("make sta", ["plain,stances"])]


WANTED = Docnos.collect(np.array([b"d1", b"d2"]))


def lists(path, dimensions):
    """Write one vector of so many numbers, all of them 0."""
    edges, zeros = pa.array([0, dimensions], pa.int32()), pa.array(np.zeros(dimensions, np.float32))
    table = pa.table({"docno": ["d1"], "vector": pa.ListArray.from_arrays(edges, zeros)})
    parquet.write_table(table, path, compression="zstd")


def nothing(path, dimensions):
    """Write vectors of so many numbers that are not there."""
    kind = pa.list_(pa.float32(), dimensions)
    parquet.write_table(pa.table({"docno": ["d1"] * 300, "vector": pa.nulls(300, kind)}), path)


def zeros(path, rows):
    np.savez_compressed(path, np.zeros((rows, 8)))


PACKED_BOMBS = {
    "lists.parquet": (lists, 1 << 22, lambda path: vectors.read(path, None, WANTED)),
    "nothing.parquet": (nothing, 1 << 16, lambda path: vectors.read(path, None, WANTED)),
    "vectors.npz": (zeros, 1 << 20, lambda path: vectors.read(path, ["d1"], WANTED)),
}
DOCNOS = ["d1", "d2"]
ODD_LENGTHS = {
    "vectors.parquet": (
        lambda path: parquet.write_table(pa.table({"docno": DOCNOS, "vector": [[0.5, 1], [1, 2.0]]}), path),
        lambda path: vectors.read(str(path), None, WANTED),
    ),
    "vectors.npy": (
        lambda path: np.save(path, np.ones((2, 3))),
        lambda path: vectors.read(str(path), DOCNOS, WANTED),
    ),
    "vectors.npz": (
        lambda path: np.savez_compressed(path, np.ones((2, 3))),
        lambda path: vectors.read(str(path), DOCNOS, WANTED),
    ),
}


IMPORTING = [("", ["make stances --help"]), ("numpy scipy", [f"make stances {' '.join(map(str, STANCE))}"])]


def write_vectors(folder, columns):
    """Write a vector of each document."""
    docnos = [*dict.fromkeys(columns["d"])]
    angles = np.arange(2 * len(docnos)).reshape(-1, 2)
    table = pa.table({"docno": docnos, "vector": list(np.cos(angles))})
    parquet.write_table(table, folder / "vectors.parquet")


WORST_FILES = {
    "documents of queries": WorstForm(
        ("list of documents",),
        ("make stances few.run --embeddings vectors.parquet --fit FILE -o stances.tsv",),
        "{q}\t{d}\n",
        lacks="a query a line, long queries",  # a query needs two documents
        beside=write_vectors,
    ),
}

READING_ANY_FILE = [
    "make stances bm25.run --embeddings FILE --ids queries.tsv -o stances.tsv",
    "make stances bm25.run --embeddings FILE -o stances.tsv",
]
WRITING = {
    "stances": "make stances small/a.run --embeddings small/vectors.npy --ids small/ids.txt -o old.tsv",
    "stances and vectors": "make stances small/a.run --embeddings small/vectors.npy --ids small/ids.txt"
    " --save-embeddings new.parquet -o old.tsv",
}
