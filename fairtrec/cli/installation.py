"""What a number was computed with: the versions of Python and the libraries, the BLAS and its kernel, the platform."""

import ctypes
import platform
from contextlib import suppress
from importlib import metadata
from pathlib import Path

LIBRARIES = ("scipy", "click", "rich", "pyarrow", "ir-measures", "pytrec-eval-terrier", "ir_datasets")
CORENAMES = [  # what each build of OpenBLAS calls the function that names its kernel
    f"{prefix}openblas_get_corename{suffix}" for prefix in ("scipy_", "") for suffix in ("64_", "")
]


def describe_installation() -> str:
    """List one name and version a line.

    numpy's line has the sets of CPU instructions that it uses; the line BLAS has the kernel chosen for this CPU.
    """
    import numpy as np

    config = np.show_config(mode="dicts")
    blas = config["Build Dependencies"]["blas"]
    simd = config["SIMD Extensions"]
    used = ", ".join([*simd.get("baseline", []), *simd.get("found", [])])
    rows = {
        "Python": f"{platform.python_version()}, {platform.python_implementation()}",
        "platform": platform.platform(),
        "numpy": f"{np.__version__}, {used}",
        "BLAS": f"{blas['name']} {blas['version']}, kernel {find_kernel() or 'unknown'}",
    }
    rows |= {name: _version_of(name) for name in LIBRARIES}
    return "".join(f"{name:<20} {text}\n" for name, text in rows.items())


def find_kernel() -> str | None:
    """Ask the OpenBLAS that numpy has loaded which kernel it has chosen for this CPU; None if it is another BLAS."""
    from numpy.linalg import _umath_linalg

    place = Path(_umath_linalg.__file__)
    bundled = place.parents[2] / "numpy.libs"  # on Windows a symbol is looked up in this one library only
    for path in (place, *sorted(bundled.glob("*openblas*"))):
        with suppress(OSError):
            library = ctypes.CDLL(str(path))
            for name in CORENAMES:
                if (function := getattr(library, name, None)) is not None:
                    function.restype = ctypes.c_char_p
                    return str(function().decode("ascii", "replace"))
    return None


def _version_of(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
