"""A file of vectors is mapped into memory, and a process whose file is cut off meanwhile says so and ends with 3."""

import os
import subprocess
import sys

import numpy as np
import pytest

from fairtrec.data import Docnos
from fairtrec.lab.make.stances import vectors
from fairtrec.support.files import mapping
from fairtrec_made import REPOSITORY

pytestmark = pytest.mark.fuzz

PROGRAM = """
import os, sys
import numpy as np
from fairtrec.support.files import mapping
from fairtrec.data import Docnos
from fairtrec.lab.make.stances import vectors
mapping.SMALL = 0
sys.argv[0] = "fairtrec"
found = vectors.read("v.npy", [str(i) for i in range(5000)], Docnos.collect(np.array([b"4999"])))
os.truncate("v.npy", 4096)
print(found.take(np.array([0])))
"""


def test_the_rows_that_are_wanted_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(mapping, "SMALL", 0)
    np.save(tmp_path / "v.npy", np.arange(12.0).reshape(4, 3))
    matrix = vectors.read(str(tmp_path / "v.npy"), ["a", "b", "c", "d"], Docnos.collect(np.array([b"c", b"x"])))
    assert matrix.take(np.array([0])).tolist() == [[6, 7, 8]]


@pytest.mark.skipif(not hasattr(mapping.extension, "watch"), reason="what says so is compiled")
def test_a_matrix_that_is_cut_off_is_one_line(tmp_path):
    np.save(tmp_path / "v.npy", np.ones((5000, 64)))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)}, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    cut = "v.npy: this file was cut off or changed while it was read; make or fetch it again\n"
    assert (done.returncode, done.stdout, done.stderr) == (3, "", cut)
