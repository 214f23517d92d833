"""A measure of another package: a small distribution with an entry point, installed beside fairtrec."""

import json
import os
import subprocess
import sys
from textwrap import dedent

import pytest

SHARE = '''
    """A package of somebody else's."""

    from dataclasses import dataclass

    import numpy as np

    from fairtrec.documents import take
    from fairtrec.measure import Measure


    @dataclass(frozen=True)
    class SpokenShare(Measure):
        """How many documents at the top speak of any group?

            SpokenShare@k = documents among the first k with a group term / k

        Unit: share of documents. Better: higher. Empty ranking: 0. Range: [0, 1]. Undefined: never.
        Source: this test.
        """

        cutoff: int = 10
        least: int = 1

        def __call__(self, ranked, counts):
            top = take(counts, ranked)[:, : self.cutoff].sum(axis=2)
            return (np.nan_to_num(top) >= self.least).sum(axis=1) / self.cutoff
    '''

FILES = {
    "my.run": "q1 Q0 d1 1 3 tag\nq1 Q0 d2 2 2 tag\nq1 Q0 d3 3 1 tag\nq2 Q0 d3 1 1 tag\n",
    "terms.csv": "she,f\nhe,m\n",
    "docs.tsv": "d1\tshe and he\nd2\the\nd3\ta word\n",
}


@pytest.fixture
def fairtrec_with(tmp_path):
    """Install a distribution as pip lays it out, then give a way to run the command with it."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def installed(source, entry_points):
        site = tmp_path / "site"
        metadata = site / "plug_in-1.0.dist-info"
        metadata.mkdir(parents=True)
        (site / "plug_in.py").write_text(dedent(source))
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plug-in\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text("[fairtrec.measures]\n" + "\n".join(entry_points) + "\n")
        (metadata / "RECORD").write_text("")

        def run(*arguments):
            path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
            return subprocess.run(
                [sys.executable, "-W", "error", "-m", "fairtrec", *arguments],
                cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
            )  # fmt: skip

        return run

    return installed


def test_a_measure_of_another_package(fairtrec_with):
    fairtrec = fairtrec_with(SHARE, ["SpokenShare = plug_in:SpokenShare"])
    given = ("eval", "none", "my.run", "--groups", "terms.csv", "--docs", "docs.tsv", "-f", "json", "-q")
    done = fairtrec(*given, "-m", "SpokenShare(least=2)@2 SpokenShare@4 RaB@2")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (run,) = document["runs"]
    assert {name: mean["value"] for name, mean in run["means"].items()} == {
        "SpokenShare(least=2)@2": (1 / 2 + 0) / 2,
        "SpokenShare@4": (2 / 4 + 0) / 2,
        "RaB@2": (1 / 2 + 0) / 2,
    }
    assert document["measures"]["SpokenShare@4"]["better"] == "higher"

    listed = fairtrec("measures")
    (line,) = [line for line in listed.stdout.splitlines() if line.startswith("SpokenShare ")]
    assert line.split() == ["SpokenShare", "higher", "counts", "[0,", "1]"]
    page = fairtrec("measures", "SpokenShare").stdout
    assert "documents among the first k with a group term" in page
    assert "least = 1" in page

    near = fairtrec(*given, "-m", "SpokenShar@4")
    assert (near.returncode, near.stdout) == (2, "")
    assert "did you mean SpokenShare?" in near.stderr


BROKEN = [
    ("import there_is_no_such_package", "Bad = plug_in:Bad", "there_is_no_such_package"),
    ("raise SystemError('no\\nluck')", "Bad = plug_in:Bad", "does not load"),
    ("", "Bad = plug_in:Bad", "does not load"),
    ("Bad = 3", "Bad = plug_in:Bad", "is no measure; it must be a dataclass derived from Measure"),
    ("class Bad: pass", "Bad = plug_in:Bad", "is no measure"),
    (SHARE, "Bad = plug_in:SpokenShare", "plug_in:SpokenShare is announced as Bad"),
    (
        "import dataclasses, fairtrec.measure\n@dataclasses.dataclass(frozen=True)\nclass Bad(fairtrec.measure.Measure):\n    k: int\n",
        "Bad = plug_in:Bad",
        "has no default for k",
    ),
]


@pytest.mark.parametrize(("source", "entry_point", "why"), BROKEN, ids=[why[:24] for _, _, why in BROKEN])
def test_a_plug_in_that_is_broken_is_one_line(source, entry_point, why, fairtrec_with):
    fairtrec = fairtrec_with(source, [entry_point])
    done = fairtrec("eval", "none", "my.run", "-m", "Bad")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "plug_in:" in line
    assert why in line


def test_a_plug_in_that_asks_for_what_there_is_not_is_one_line(fairtrec_with):
    fairtrec = fairtrec_with(SHARE.replace("counts", "colours"), ["SpokenShare = plug_in:SpokenShare"])
    done = fairtrec("eval", "none", "my.run", "-m", "SpokenShare", "--groups", "terms.csv", "--docs", "docs.tsv")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "SpokenShare@10 asks for colours, which there is not; it has a fault, report it to its authors\n"
    )


def test_a_plug_in_that_is_broken_is_no_trouble_to_others(fairtrec_with):
    fairtrec = fairtrec_with("raise SystemError", ["Bad = plug_in:Bad"])
    done = fairtrec("eval", "none", "my.run", "-m", "RaB@2", "--groups", "terms.csv", "--docs", "docs.tsv")
    assert done.returncode == 0, done.stderr
    assert "0.2500" in done.stdout
