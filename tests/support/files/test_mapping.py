"""A large file is mapped into memory, and a process whose file is cut off meanwhile says so and ends with 3."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from fairtrec.counting.table.build import join_tables
from fairtrec.counting.table.document_counts import read_counts
from fairtrec.counting.table.files import Table
from fairtrec.data import Docnos
from fairtrec.support.files import mapping
from fairtrec_made import REPOSITORY

pytestmark = pytest.mark.fuzz

CUT = "this file was cut off or changed while it was read; make or fetch it again"
ROWS = 200_000
START = """if True:
    import os, sys
    import numpy as np
    from fairtrec.cli import main
    from fairtrec.support.files import mapping
    from fairtrec.counting.table import build, mapped_table
    mapping.SMALL = {small}

    def cutting(read):
        def cut(*arguments, **options):
            for at, found in enumerate(read(*arguments, **options)):
                if not at:
                    os.truncate("counts.arrow", 1 << 14)
                yield found
        return cut

    sys.argv[0] = "fairtrec"
"""
READERS = {
    "looked up": (
        "mapped_table._Batches.batches = cutting(mapped_table._Batches.batches)",
        "eval none a.run -m RBDF@2 --counts counts.arrow",
    ),
    "read": ("build.read_rows = cutting(build.read_rows)", "counts convert counts.arrow new.tsv --force"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make a table of counts of several batches; give the file and its docnos."""
    folder = tmp_path_factory.mktemp("counts")
    docnos = [f"a rather long name {i}".replace(" ", "-") for i in range(ROWS)]
    numbers = pa.array(np.arange(ROWS) % 7)
    table = pa.table({"docno": docnos, "tokens": numbers, "f": numbers, "m": numbers})
    with pa.OSFile(str(folder / "other.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    join_tables(folder / "counts.arrow", [str(folder / "other.arrow")])
    return folder / "counts.arrow", docnos


@pytest.fixture
def counts(made, tmp_path, monkeypatch):
    """Work beside a copy of the table."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(made[0], tmp_path)
    return made[1]


@pytest.mark.parametrize("small", [0, 1 << 40])
def test_what_is_mapped_is_what_is_read(counts, monkeypatch, small):
    monkeypatch.setattr(mapping, "SMALL", small)
    wanted = Docnos.collect(np.array([*counts[::999], "nobody", "d"], "S"))
    found = read_counts(Table("counts.arrow"), wanted, collection=True)
    numbers = {name: i % 7 for i, name in enumerate(counts)}
    names = [name.decode() for name in wanted.names.tolist()]
    assert found.tokens.tolist() == [numbers.get(name, 0) for name in names]
    assert found.counts.tolist() == [[numbers.get(name, 0)] * 2 for name in names]
    assert found.known.tolist() == [name in numbers for name in names]
    assert sum(len(block["docno"]) for block, _ in Table("counts.arrow").blocks()) == ROWS


def ended(program, *arguments, **more):
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | more, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("small", [0, 1 << 40])
@pytest.mark.parametrize("plain", ["", "1"])
@pytest.mark.parametrize("reader", READERS)
def test_a_table_that_is_cut_off_while_it_is_read_is_one_line(counts, tmp_path, small, plain, reader):
    (tmp_path / "a.run").write_text("".join(f"q Q0 {name} 1 {-i} t\n" for i, name in enumerate(counts[::999])))
    patch, command = READERS[reader]
    program = f"{START.format(small=small)}\n    {patch}\n    main()\n"
    done = ended(program, *command.split(), **({"FAIRTREC_PLAIN": plain} if plain else {}))
    said = [line for line in done.stderr.splitlines() if not line.startswith("#")]
    assert done.returncode == 3, (done.returncode, done.stderr)
    assert len(said) == 1, said
    assert said[0].startswith("counts.arrow: this ")
    assert not (tmp_path / "new.tsv").exists()


@pytest.mark.long
@pytest.mark.skipif(not hasattr(mapping.extension, "watch"), reason="what says so is compiled")
def test_what_is_watched_no_longer_ends_as_before(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = f"""{START.format(small=0)}
    import mmap, signal
    open("a", "wb").write(bytes(1 << 16))
    with open("a", "rb") as file:
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    address = np.frombuffer(memory, np.uint8).ctypes.data
    slots = [mapping.watch("b", 1 << 12, 1 << 12), mapping.watch("a", address, 1 << 16)]
    for slot in slots[{{kept}}:]:
        mapping.forget(slot)
    os.truncate("a", 0)
    memory[0]
    """
    assert (ended(program.format(kept=2)).returncode, ended(program.format(kept=2)).stderr) == (3, f"a: {CUT}\n")
    assert [ended(program.format(kept=kept)).returncode for kept in (0, 1)] == [-7, -7]  # SIGBUS
