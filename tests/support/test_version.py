"""The version is what the build wrote, wherever fairtrec was unpacked, cloned or installed."""

import re
import subprocess
import sys

import pytest

import fairtrec
from fairtrec.support import version


@pytest.mark.parametrize("written", ["0.3.0", "0.3.0\n", "0.1.0.dev17\n", "0+unknown"])
def test_it_is_what_was_built(tmp_path, written):
    (tmp_path / "version.txt").write_text(written)
    assert version._read(str(tmp_path / "version.txt")) == written.strip()


def test_one_commit_has_one_version_whatever_its_clone_knows_of_others(tmp_path):
    found = set()
    for count in (1, 912):  # of a clone of depth 1, as pre-commit makes it, and of a whole one
        (tmp_path / "version.txt").write_text(f"0.1.0.dev{count}+g4f2c9a1b7\n")
        found.add(version._read(str(tmp_path / "version.txt")))
    assert found == {"0.1.0.dev0+g4f2c9a1b7"}


@pytest.mark.parametrize("written", [None, b"", b"\n", b"\xff"])
def test_a_checkout_that_was_never_installed_says_so(tmp_path, written):
    if written is not None:
        (tmp_path / "version.txt").write_bytes(written)
    assert version._read(str(tmp_path / "version.txt")) == "0+unknown"


def test_it_takes_no_search_for_what_is_installed():
    program = "import sys, fairtrec; print(fairtrec.__version__, 'importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [fairtrec.__version__, "False"]
    assert re.match(r"\d+\.", fairtrec.__version__)
