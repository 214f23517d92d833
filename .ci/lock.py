"""Write lock/run.txt and lock/build.txt anew: one version of each package for every Python and system, with hashes.

The image and the action install the first; they, and the release, build with the second. No address of an index stands in them.
"""

import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
NOTE = "# made by `make lock` for every Python from 3.11 on; do not edit\n"
FLAGS = ("--universal", "--fork-strategy=fewest", "--generate-hashes", "--no-annotate", "--no-header", "--quiet")


def compile_lock(requirements: list[str], python: str) -> str:
    """Resolve requirements for every system."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "in.txt").write_text("\n".join(requirements) + "\n", "utf-8")
        command = [sys.executable, "-m", "uv", "pip", "compile", "in.txt", "--python-version", python, *FLAGS]
        return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> int:
    """Write both files; each is replaced whole."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    python = project["project"]["requires-python"].removeprefix(">=")
    for name, requirements in (
        ("run.txt", project["project"]["dependencies"]),
        ("build.txt", project["build-system"]["requires"]),
    ):
        text = NOTE + compile_lock(requirements, python)
        written = ROOT / "lock" / f"{name}.new"
        written.write_text(text, "utf-8")
        written.replace(ROOT / "lock" / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
