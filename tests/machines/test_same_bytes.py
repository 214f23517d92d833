"""The same input gives the same bytes under every BLAS kernel, SIMD level and libm, compiled or not, on any cores."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath as numpy_core

pytestmark = pytest.mark.long
OUTPUTS = Path(__file__).parent / "outputs.py"
LEVELS = [name for name in numpy_core.__cpu_dispatch__ if numpy_core.__cpu_features__.get(name)]  # what numpy can use
BEYOND_AVX2 = [name for name in LEVELS if name.startswith(("AVX512", "X86_V4"))]
OLDEST_KERNEL = {"OPENBLAS_CORETYPE": "Prescott"}
AVX2_ONLY = {"NPY_DISABLE_CPU_FEATURES": " ".join(BEYOND_AVX2)} if BEYOND_AVX2 else {}
SETTINGS = {
    "another BLAS kernel": {"OPENBLAS_CORETYPE": "Haswell"},
    "neither AVX-512 nor AVX2": {"NPY_DISABLE_CPU_FEATURES": " ".join(LEVELS)} if LEVELS else {},
    "libm without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2"},
    "plain": {"FAIRTREC_PLAIN": "1"},
    "two processes": {},
}


def start(folder, settings, *more):
    return subprocess.Popen([sys.executable, OUTPUTS, folder, *more], env=os.environ | settings)


def read(folder):
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.txt"))}


def differing(here, there):
    """Name the outputs that differ, with their commands."""
    return [text.splitlines()[0] for name, text in here.items() if text != there.get(name)]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """The outputs under the settings of this machine, and under the oldest kernel with AVX2 only."""
    folder = tmp_path_factory.mktemp("machines")
    both = [start(folder / "here", {}), start(folder / "old", OLDEST_KERNEL | AVX2_ONLY)]
    assert [each.wait() for each in both] == [0, 0]
    return read(folder / "here"), read(folder / "old")


def test_outputs_are_of_commands_that_work(here):
    """An output with an error message would be the same anywhere."""
    failed = [text for text in here[0].values() if not text.endswith(("--- 0\n", "</svg>\n")) and "--- 0\n" not in text]
    assert all("--require" in text for text in failed), failed[0]
    assert len(here[0]) >= 60


def test_an_old_kernel_and_avx2_give_the_same_bytes(here):
    assert not differing(*here)


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS)
def test_every_machine_gives_the_same_bytes(here, settings, tmp_path):
    more = ["processes"] if settings == "two processes" else []
    assert start(tmp_path / "there", SETTINGS[settings], *more).wait() == 0
    assert not differing(here[0], read(tmp_path / "there"))


def test_a_results_file_of_another_machine_replays(example, tmp_path):
    made = "eval qrels.txt bm25.run neural.run fair.run --terms gender-en --docs collection.tsv --background background.run"
    file = tmp_path / "results.json"
    command = [sys.executable, "-m", "fairtrec"]
    environment = os.environ | OLDEST_KERNEL | AVX2_ONLY
    subprocess.run([*command, *made.split(), "-f", "json", "-o", file], cwd=example, env=environment, check=True)
    done = subprocess.run(
        [*command, "results", "replay", file, "--exact"], cwd=example, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
