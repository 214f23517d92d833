"""No code runs: what is shaped like a program, or named like one, is read as data or refused."""

import pickle
import shlex

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from fairtrec_made.command_trials import gather_trials
from fairtrec_made.law import hold

READING = gather_trials("READING_ANY_FILE", [
    "eval qrels.txt FILE -m RR",
    "eval FILE bm25.run -m RR",
    "eval none bm25.run -m AWRF@10 --labels FILE",
    "eval none bm25.run -m AWRF@10 --counts FILE --missing neutral",
    "eval none bm25.run -m AWRF@10 --docs FILE --terms gender-en --missing neutral",
    "eval none bm25.run -m AWRF@10 --docs collection.tsv --terms FILE",
    "eval qrels.txt bm25.run -m RR --queries FILE",
    "check qrels.txt bm25.run --config FILE",
    "counts info FILE",
    "compare --values FILE FILE",
    "results replay FILE",
    "resources add FILE",
    "validate FILE",
])  # fmt: skip


class Bomb:
    """What makes the file ``executed`` when it is unpickled."""

    def __reduce__(self):
        return open, ("executed", "w")


def write_arrays(path):
    with path.open("wb") as file:
        np.savez(file, docno=np.array([Bomb()], object), tokens=np.array([Bomb()], object))


def extend(field, kind):
    """Give a column the type of a class, which pyarrow up to 14 unpickled."""
    marks = {b"ARROW:extension:name": kind, b"ARROW:extension:metadata": pickle.dumps(Bomb())}
    return field.with_metadata(marks)


def write_table(path, *, as_arrow=False, kind=b"arrow.py_extension_type"):
    texts = dict.fromkeys(("qid", "docno", "group"), pa.string()) | dict.fromkeys(("score", "tokens", "f"), pa.int64())
    schema = pa.schema([extend(pa.field(name, of), kind) for name, of in texts.items()])
    schema = schema.with_metadata({b"pandas": pickle.dumps(Bomb())})
    table = pa.table([pa.array(["q1"] if of == pa.string() else [1], of) for of in texts.values()], schema=schema)
    if as_arrow:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
            writer.write_table(table)
    else:
        parquet.write_table(table, path)


PICKLES = {
    "pickle": lambda path: path.write_bytes(pickle.dumps(Bomb())),
    "old pickle": lambda path: path.write_bytes(pickle.dumps(Bomb(), 0)),
    "yaml": lambda path: path.write_text("!!python/object/apply:builtins.open [executed, w]\n"),
    "array": lambda path: np.save(path.open("wb"), np.array([Bomb()], object)),
    "arrays": write_arrays,
}
TYPES = {
    "parquet": write_table,
    "arrow": lambda path: write_table(path, as_arrow=True),
    "another class": lambda path: write_table(path, as_arrow=True, kind=b"arrow.python.object"),
}


@pytest.mark.filterwarnings("ignore:unclosed file")
def test_the_bomb_goes_off_where_somebody_unpickles_it(copied):
    PICKLES["pickle"](copied / "x")
    with (copied / "x").open("rb") as file:
        pickle.load(file)
    assert (copied / "executed").exists()


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("kind", PICKLES)
@pytest.mark.filterwarnings("ignore:unclosed file")
def test_no_input_is_unpickled(copied, fairtrec_command, command, kind):
    for name in ("x", "x.npz", "x.pt"):
        PICKLES[kind](copied / name)
        done = hold(fairtrec_command, shlex.split(command.replace("FILE", name)), copied, codes=(0, 1, 2, 3, 4))
        assert done.code > 0 or "--missing" in command, done.out  # a line of any text is a document of no group


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("kind", TYPES)
def test_no_type_of_a_column_is_unpickled(copied, fairtrec_command, command, kind):
    TYPES[kind](copied / "x")
    hold(fairtrec_command, shlex.split(command.replace("FILE", "x")), copied)


CODE = [
    "__import__('pathlib').Path('executed').touch()",
    "nDCG(rel=open('executed','w'))@10",
    "nDCG@open('executed','w')",
]
EVAL = "eval qrels.txt bm25.run -m AWRF@10 --labels labels.tsv"
PLACES = gather_trials("READING_ANY_WORD", [
    "eval qrels.txt bm25.run -m WORD",
    "eval qrels.txt bm25.run WORD",
    "eval WORD bm25.run",
    f"{EVAL} --target WORD",
    f"{EVAL} --target 0.5*even+0.5*WORD",
    f"{EVAL} --labels WORD",
    f"{EVAL} --labels labels.tsv:WORD",
    f"{EVAL} --groups WORD",
    f"{EVAL} --bounds labels --prior f=WORD",
    f"{EVAL} --aggregate WORD",
    f"{EVAL} --limit bytes=WORD --untrusted",
    "check qrels.txt bm25.run --require WORD",
    "check qrels.txt bm25.run --require 'RR > WORD'",
    "measures WORD",
])  # fmt: skip


@pytest.mark.parametrize("command", PLACES)
def test_no_word_is_evaluated(copied, fairtrec_command, command):
    for code in CODE:
        words = [word.replace("WORD", code) for word in shlex.split(command)]
        done = hold(fairtrec_command, words, copied, codes=(2, 3, 4))
        assert done.out == ""
