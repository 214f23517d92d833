"""Compile fairtrec/support/compiled/extension.c into the wheel, or beside its source in a checkout; leave out of a
wheel what only its maintainers read.

Where there is no compiler, or FAIRTREC_PLAIN is set, the wheel is the same without it, and good for every platform. The
library keeps to Python's limited interface: one wheel of a platform serves every version from 3.11 on.

Comments, and the docstrings of what is private, are a twentieth of a wheel, and stay in the checkout and the sdist.
"""

import ast
import io
import os
import shutil
import sys
import sysconfig
import tokenize
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

SOURCE = Path("fairtrec", "support", "compiled", "extension.c")


def bare(source: str) -> str:
    """Take comments, and docstrings of what is private or in a function, out of a file; lines stay where they are."""
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            lines[line - 1] = lines[line - 1][:column].rstrip() + "\n"
    within: list[tuple[ast.AST, bool]] = [(ast.parse(source), False)]
    while within:
        node, hidden = within.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            hidden = hidden or (node.name.startswith("_") and not node.name.startswith("__"))
            first = node.body[0]
            if hidden and ast.get_docstring(node, clean=False) is not None and len(node.body) > 1:
                lines[first.lineno - 1 : first.end_lineno] = ["\n"] * (first.end_lineno - first.lineno + 1)
            hidden = hidden or isinstance(node, ast.FunctionDef)
        within += [(child, hidden) for child in ast.iter_child_nodes(node)]
    return "".join(lines)


class CustomBuildHook(BuildHookInterface):
    """What hatchling calls before it puts a wheel together."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say of the wheel for which machines it is; a checkout is changed if it is installed editable."""
        self._made = TemporaryDirectory()
        built = None if os.environ.get("FAIRTREC_PLAIN") else self._built(self._made.name)
        if built is not None:
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{platform}"
        if version == "editable":
            for old in Path(self.root, SOURCE.parent).glob("extension.*"):
                if old.suffix in (".so", ".pyd"):
                    old.unlink()
            if built is not None:
                shutil.copy(built, Path(self.root, SOURCE.parent))
            return
        for path in sorted(Path(self.root, "fairtrec").rglob("*.py")):
            copy = Path(self._made.name, path.relative_to(self.root))
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(bare(path.read_text("utf-8")), "utf-8", newline="\n")
        for path in sorted(Path(self._made.name, "fairtrec").rglob("*.*")):
            build_data["force_include"][str(path)] = path.relative_to(self._made.name).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Take away what was made for the wheel."""
        self._made.cleanup()

    def _built(self, folder: str) -> Path | None:
        """Compile into a folder; give the path of the library, or None where that cannot be done."""
        # Contraction into fused multiply-adds would give other last digits on some machines.
        optimized = ["/fp:precise"] if os.name == "nt" else ["-O3", "-g0", "-std=c11", "-ffp-contract=off"]
        stripped = ["-s"] if sys.platform == "linux" else []
        extension = Extension(
            "fairtrec.support.compiled.extension",
            [str(SOURCE)],
            py_limited_api=True,
            extra_compile_args=optimized,
            extra_link_args=stripped,
        )
        command = build_ext(Distribution({"name": "fairtrec", "packages": ["fairtrec"], "ext_modules": [extension]}))
        command.build_lib, here = folder, Path.cwd()
        os.chdir(self.root)
        try:
            with TemporaryDirectory() as command.build_temp:
                command.ensure_finalized()
                command.run()
            return Path(command.get_ext_fullpath(extension.name))
        except (BaseError, CCompilerError, OSError) as fault:
            self.app.display_warning(f"built without the compiled part, which is slower: {fault}")
            return None
        finally:
            os.chdir(here)
