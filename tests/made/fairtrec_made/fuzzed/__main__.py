"""Fuzz parsers by coverage: ``python -m fairtrec_made.fuzzed SECONDS [NAME ...]``, so many seconds each.

What is found on the way is kept in ``.fuzz/NAME``, and begun with the next time. A fault is written to ``.fuzz`` as
``NAME-crash-...``, and ends with exit code 1: mend it, and move the file to the folder ``crashes``.
"""

import ctypes
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from fairtrec_made.fuzzed import FOUND, NAMES, list_corpus, load
from fairtrec_made.sanitized import SOURCE

Take = Callable[[bytes], None]
EDGES = 1 << 12  # as in traced.c
LONGEST = 4096  # bytes of an input
LIMITS = "-timeout=20", "-rss_limit_mb=2048", f"-max_len={LONGEST}", "-print_final_stats=1", "-verbosity=0"


def trace_extension() -> Path | None:
    """Build the extension so that its edges are noted, if gcc is here, and import that one; give its path."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return None
    built = FOUND / "extension.so"
    flags = ["-O1", "-std=c11", "-fPIC", "-ffp-contract=off", f"-I{sysconfig.get_paths()['include']}"]
    objects = []
    for source, traced in ((SOURCE, ["-fsanitize-coverage=trace-pc"]), (Path(__file__).with_name("traced.c"), [])):
        objects.append(built.with_name(f"{source.stem}.o"))
        subprocess.run([compiler, *flags, *traced, "-c", source, "-o", objects[-1]], check=True)
    subprocess.run([compiler, "-shared", *objects, "-o", built], check=True)
    name = "fairtrec.support.compiled.extension"
    spec = importlib.util.spec_from_file_location(name, built)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return built


def follow(take: Take, built: Path) -> Take:
    """Show atheris the edges that inputs pass in a library, as it shows itself those in Python."""
    import atheris
    import numpy as np

    passed = np.frombuffer((ctypes.c_uint8 * EDGES).in_dll(ctypes.CDLL(str(built)), "passed"), np.uint8)
    numbers = [atheris._reserve_counter() for _ in range(EDGES)]

    def take_and_show(data: bytes) -> None:
        passed[:] = 0
        take(data)
        for edge in np.flatnonzero(passed).tolist():
            atheris._trace_branch(numbers[edge])

    return take_and_show


def fuzz(name: str, seconds: str) -> None:
    """Fuzz one parser in this process, which ends with it."""
    import atheris

    corpus = FOUND / name
    corpus.mkdir(parents=True, exist_ok=True)
    with atheris.instrument_imports(include=["fairtrec", "fairtrec_made.fuzzed"]):
        built = trace_extension() if name == "extension" else None
        harness = load(name)
    take = harness.take if built is None else follow(harness.take, built)
    for number, data in enumerate(list_corpus(name)):
        (corpus / f"seed{number}").write_bytes(data)
    words = [f"-max_total_time={seconds}", f"-artifact_prefix={FOUND}/{name}-", *LIMITS, str(corpus)]
    atheris.Setup([sys.argv[0], *words], take)
    atheris.Fuzz()


def main(seconds: str, *names: str) -> int:
    """Fuzz each parser in a process of its own; tell whether one has a fault."""
    if importlib.util.find_spec("atheris") is None:
        print("left out: there is no atheris for this Python and machine")
        return 0
    faults = []
    for name in names or NAMES:
        print(f"== {name}", flush=True)
        code = subprocess.run([sys.executable, "-m", "fairtrec_made.fuzzed", "--one", name, seconds], check=False)
        faults += [name] * bool(code.returncode)
    print(f"faults: {', '.join(faults)}" if faults else "no faults")
    return int(bool(faults))


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        fuzz(*sys.argv[2:])
    sys.exit(main(*sys.argv[1:]))
