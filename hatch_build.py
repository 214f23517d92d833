"""Compile fairtrec/compiled/extension.c into the wheel, or beside its source in a checkout.

Where there is no compiler, or FAIRTREC_PLAIN is set, the wheel is the same without it, and good for every platform. The
library keeps to Python's limited interface: one wheel of a platform serves every version from 3.11 on.
"""

import os
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError

SOURCE = Path("fairtrec", "compiled", "extension.c")


class CustomBuildHook(BuildHookInterface):
    """What hatchling calls before it puts a wheel together."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compile, and say of the wheel for which machines it is."""
        for old in Path(self.root, SOURCE.parent).glob("extension.*"):
            if old.suffix in (".so", ".pyd"):
                old.unlink()
        built = None if os.environ.get("FAIRTREC_PLAIN") else self._built()
        if built is None:
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["artifacts"].append(f"/{SOURCE.parent.as_posix()}/{built}")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform}"

    def _built(self) -> str | None:
        """Compile beside the source; give the name of the library, or None where that cannot be done."""
        optimised = [] if os.name == "nt" else ["-O3", "-g0", "-std=c11"]
        extension = Extension(
            "fairtrec.compiled.extension", [str(SOURCE)], py_limited_api=True, extra_compile_args=optimised
        )
        command = build_ext(Distribution({"name": "fairtrec", "packages": ["fairtrec"], "ext_modules": [extension]}))
        command.inplace = True
        here = Path.cwd()
        os.chdir(self.root)
        try:
            with TemporaryDirectory() as folder:
                command.build_temp = command.build_lib = folder
                command.ensure_finalized()
                command.run()
            return Path(command.get_ext_fullpath(extension.name)).name
        except (BaseError, OSError) as fault:
            self.app.display_warning(f"built without the compiled part, which is slower: {fault}")
            return None
        finally:
            os.chdir(here)
