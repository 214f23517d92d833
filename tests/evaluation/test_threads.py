"""A value does not depend on how many cores a machine has, by which libraries would cut sums into parts."""

import os
import subprocess
import sys
from math import fsum, log2

import pytest

from fairtrec_made import REPOSITORY

DEEP = 40_000  # documents, of which two threads sum a half each


@pytest.mark.long
def test_a_long_sum_is_the_same_on_one_core_and_on_many(tmp_path):
    (tmp_path / "a.run").write_text("".join(f"q Q0 d{i} {i} {-i} t\n" for i in range(DEEP)))
    (tmp_path / "c.tsv").write_text("docno\ttokens\tf\tm\nd1\t9\t4\t0\n")
    options = ["--counts", "c.tsv", "--missing", "neutral", "-m", f"FaiRR@{DEEP}", "--places", "17"]
    command = [sys.executable, "-m", "fairtrec", "eval", "none", "a.run", *options]
    free = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    lines = []
    for environment in (free, free | {"OPENBLAS_NUM_THREADS": "1"}):
        asked = environment | {"PYTHONPATH": str(REPOSITORY)}
        done = subprocess.run(command, cwd=tmp_path, env=asked, capture_output=True, text=True, check=True)
        lines.append(done.stdout.splitlines()[-1])
    assert lines[0] == lines[1]
    neutral = (1 / log2(1 + i) for i in range(1, DEEP + 1) if i != 2)  # all but d1, which speaks of f alone
    assert float(lines[0].split()[-1]) == pytest.approx(fsum(neutral), rel=1e-12)
