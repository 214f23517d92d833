"""``fairtrec measures`` describes rerankers, next to measures."""

import os
import subprocess
import sys

import pytest

from fairtrec_made import REPOSITORY


def test_measures_describes_rerankers_and_several_names(fairtrec_command):
    done = fairtrec_command("measures", "FairGreedy@20", "NDKL")
    assert done.code == 0
    assert [line for line in done.out.splitlines() if "@10" in line and " " not in line] == ["FairGreedy@10", "NDKL@10"]


@pytest.mark.long
def test_a_page_that_is_made_of_docstrings_is_refused_where_python_dropped_them():
    words = [sys.executable, "-m", "fairtrec", "measures", "Oracle"]
    env = {**os.environ, "PYTHONOPTIMIZE": "2", "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Python was started with -OO (PYTHONOPTIMIZE=2)" in done.stderr
    assert len(done.stderr.splitlines()) == 1
