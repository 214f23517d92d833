"""Python with -OO drops docstrings: what is made of them is refused in one line, and values stay as they are."""

import os
import subprocess
import sys

import pytest

EVAL = "eval qrels.txt bm25.run -m NFaiRR@10 --terms gender-en --docs collection.tsv --background background.run"


def run(folder, words, optimize):
    return subprocess.run(
        [sys.executable, "-m", "fairtrec", *words.split()],
        cwd=folder,
        env={**os.environ, "PYTHONOPTIMIZE": optimize},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    ["measures", "measures NFaiRR", "measures nDCG", "measures NFaiRR --bibtex", "eval --help"],
)
def test_a_page_that_is_made_of_docstrings_is_refused_where_python_dropped_them(example, words):
    done = run(example, words, "2")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Python was started with -OO (PYTHONOPTIMIZE=2)" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.long
def test_values_and_the_list_of_commands_need_no_docstrings(example):
    for words in (EVAL, "--help", "eval none"):
        usual, optimized = run(example, words, ""), run(example, words, "2")
        assert (optimized.returncode, optimized.stdout, optimized.stderr) == (
            usual.returncode,
            usual.stdout,
            usual.stderr,
        )
