"""Figures are drawn in silence wherever matplotlib may write."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.fuzz


def test_matplotlib_without_a_home_says_nothing(tmp_path):
    (tmp_path / "home").write_text("no folder")
    program = "from fairtrec.lab.plot.canvas import look\nwith look(): pass"
    homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR"), str(tmp_path / "home"))
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | homes, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
