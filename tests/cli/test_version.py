"""`fairtrec --version -v` prints what decides the last digits of a number."""

import platform
import re
import subprocess
import sys
from importlib import metadata

import numpy as np
import pytest

from fairtrec.cli import installation
from fairtrec_made import REPOSITORY


def test_versions_are_those_that_are_imported(fairtrec_command):
    first, *rows = fairtrec_command("--version", "-v").out.splitlines()
    assert first == fairtrec_command("--version").out.rstrip("\n")
    printed = {row[:20].strip(): row[21:] for row in rows}
    assert printed["Python"].startswith(f"{platform.python_version()}, ")
    assert printed["platform"] == platform.platform()
    assert printed["numpy"].startswith(f"{np.__version__}, ")
    assert printed["scipy"] == metadata.version("scipy")
    assert re.fullmatch(r"\S+ \S+, kernel \S+", printed["BLAS"])
    assert fairtrec_command("-v", "--version").out.splitlines() == [first, *rows]


def test_the_page_shows_the_names_that_are_printed(fairtrec_command):
    (shown,) = re.findall(
        r"^```\n(fairtrec \d.*?)^```$", (REPOSITORY / "docs/install.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    printed = fairtrec_command("--version", "-v").out
    assert [row[:20] for row in shown.splitlines()[1:]] == [row[:20] for row in printed.splitlines()[1:]]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the kernels are those of x86-64")
def test_the_kernel_is_the_one_that_computes_now(monkeypatch):
    if installation.find_kernel() is None:
        pytest.skip("numpy is linked with another BLAS than OpenBLAS")
    kernels = []
    for name in ("Haswell", "Nehalem"):
        monkeypatch.setenv("OPENBLAS_CORETYPE", name)
        command = [sys.executable, "-m", "fairtrec", "--version", "-v"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        kernels += re.findall(r"^BLAS .*, kernel (\w+)$", printed, re.MULTILINE)
    assert kernels == ["Haswell", "Nehalem"]


def test_a_library_that_is_absent_is_not_installed(monkeypatch):
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)
    assert re.search(r"^pyarrow +not installed$", installation.describe_installation(), re.MULTILINE)


def test_a_blas_that_has_no_kernels_is_unknown(monkeypatch):
    monkeypatch.setattr(installation, "CORENAMES", ["no_such_function"])
    assert re.search(r"^BLAS .*, kernel unknown$", installation.describe_installation(), re.MULTILINE)


@pytest.mark.parametrize("words", [["-v"], ["-v", "eval"]])
def test_v_before_a_command_is_refused(fairtrec_command, words):
    done = fairtrec_command(*words)
    assert done.code == 2
    assert "put -v after the command, or use it with --version" in done.err
