"""A measure of another package: a small distribution with an entry point, installed beside fairtrec."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from fairtrec.testing import MeasureContract
from fairtrec_made import REPOSITORY

SHARE = '''
    """A package of somebody else's."""

    from dataclasses import dataclass

    import numpy as np

    from fairtrec.measure import Measure, NoteKind, SumOverRanks, take

    SPOKEN = NoteKind("spoken", "of {rankings} rankings {text}")


    @dataclass(frozen=True)
    class SpokenShare(Measure):
        """How many documents at the top speak of any group?

            SpokenShare@k = documents among the first k with a group term / k

        Unit: share of documents. Better: higher. Empty ranking: 0. Range: [0, 1]. Undefined: never.
        Source: this test.
        """

        cutoff: int = 10
        least: int = 1
        bounds = 0.0, 1.0

        def __call__(self, ranked, counts):
            top = take(counts, ranked)[:, : self.cutoff].sum(axis=2)
            return (np.nan_to_num(top) >= self.least).sum(axis=1) / self.cutoff

        def note(self, ranked):
            return SPOKEN.note(rankings=len(ranked), text="{}")
    '''

FILES = {
    "my.run": "q1 Q0 d1 1 3 tag\nq1 Q0 d2 2 2 tag\nq1 Q0 d3 3 1 tag\nq2 Q0 d3 1 1 tag\n",
    "terms.csv": "she,f\nhe,m\n",
    "docs.tsv": "d1\tshe and he\nd2\the\nd3\ta word\n",
}


@pytest.fixture
def fairtrec_with(tmp_path, monkeypatch, fairtrec_command):
    """Install a distribution as pip lays it out, then give a way to run the command with it."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)

    def installed(source, entry_points):
        site = tmp_path / "site"
        metadata = site / "plug_in-1.0.dist-info"
        metadata.mkdir(parents=True)
        (site / "plug_in.py").write_text(dedent(source))
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plug-in\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text("[fairtrec.measures]\n" + "\n".join(entry_points) + "\n")
        (metadata / "RECORD").write_text("")
        monkeypatch.syspath_prepend(str(site))
        return fairtrec_command

    yield installed
    sys.modules.pop("plug_in", None)


def test_a_measure_of_another_package(fairtrec_with):
    fairtrec = fairtrec_with(SHARE, ["SpokenShare = plug_in:SpokenShare"])
    given = ("eval", "none", "my.run", "--terms", "terms.csv", "--docs", "docs.tsv", "-f", "json", "-q")
    done = fairtrec(*given, "-m", "SpokenShare(least=2)@2 SpokenShare@4 RaB@2")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    (run,) = document["runs"]
    assert {name: mean["value"] for name, mean in run["means"].items()} == {
        "SpokenShare(least=2)@2": (1 / 2 + 0) / 2,
        "SpokenShare@4": (2 / 4 + 0) / 2,
        "RaB@2": (1 / 2 + 0) / 2,
    }
    assert "SpokenShare@4: of 2 rankings {}" in [note["text"] for note in document["notes"]]
    assert document["measures"]["SpokenShare@4"]["better"] == "higher"
    assert " | plug-ins:plug-in/1.0 | " in document["signature"]

    listed = fairtrec("measures")
    lines = listed.out.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.startswith("SpokenShare ")]
    assert re.match(r"SpokenShare +\w.*\?$", lines[at])
    assert lines[at + 1].strip() == "higher; counts; [0, 1]"
    page = fairtrec("measures", "SpokenShare").out
    assert "documents among the first k with a group term" in page
    assert "least = 1" in page

    near = fairtrec(*given, "-m", "SpokenShar@4")
    assert (near.code, near.out) == (2, "")
    assert "did you mean SpokenShare?" in near.err


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
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert "plug_in:" in line
    assert why in line


def test_a_plug_in_that_asks_for_what_there_is_not_is_one_line(fairtrec_with):
    fairtrec = fairtrec_with(SHARE.replace("counts", "colors"), ["SpokenShare = plug_in:SpokenShare"])
    done = fairtrec("eval", "none", "my.run", "-m", "SpokenShare", "--terms", "terms.csv", "--docs", "docs.tsv")
    assert (done.code, done.out) == (2, "")
    assert (
        done.err == "SpokenShare@10 needs colors, which does not exist; report this bug to the authors of the plug-in\n"
    )


def test_a_plug_in_that_is_broken_is_no_trouble_to_others(fairtrec_with):
    fairtrec = fairtrec_with("raise SystemError", ["Bad = plug_in:Bad"])
    done = fairtrec("eval", "none", "my.run", "-m", "RaB@2", "--terms", "terms.csv", "--docs", "docs.tsv")
    assert done.code == 0, done.err
    assert "0.2500" in done.out


LAWS = [name for name in dir(MeasureContract) if name.startswith("test_")]
CONTRACT = """

    from fairtrec.testing import MeasureContract


    class TestSpokenShare(MeasureContract):
        measure = SpokenShare
    """


@pytest.mark.long
def test_a_plug_in_that_inherits_the_contract_passes(tmp_path):
    """It is run as its author does, who has pytest and nothing else."""
    (tmp_path / "test_plug_in.py").write_text(dedent(SHARE) + dedent(CONTRACT))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-c", os.devnull, "test_plug_in.py"]
    path = os.pathsep.join([str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"{len(LAWS)} passed" in done.stdout


def test_a_plug_in_with_wrong_bounds_and_a_wrong_word_of_empty_rankings_fails_by_both():
    names = {}
    wrong = SHARE.replace("bounds = 0.0, 1.0", "bounds = 0.0, 0.5").replace("ranking: 0.", "ranking: undefined.")
    exec(dedent(wrong) + dedent(CONTRACT), names)
    contract, why = names["TestSpokenShare"](), []
    for law in LAWS:
        try:
            getattr(contract, law)()
        except AssertionError as fault:
            why.append(str(fault))
    assert len(why) == 2
    assert any("its bounds are (0.0, 0.5)" in each for each in why)
    assert any("SpokenShare@10 is 0.0 for an empty ranking; its page says undefined" in each for each in why)


CALL = "        def __call__"
BREACHES = [
    ("bounds = 0.0, 1.0", "bounds = 0.5, 1.0", "values_are_within_bounds", "is 0.0 for no documents; its bounds are (0.5, 1.0)"),
    ("bounds = 0.0, 1.0", "bounds = None, 0.9", "values_are_within_bounds", "its bounds are (None, 0.9)"),
    ("Empty ranking: 0.", "Empty ranking: 1.", "an_empty_ranking", "is 0.0 for an empty ranking; its page says 1"),
    ("Empty ranking: 0.", "Empty ranking: none.", "an_empty_ranking", "it is undefined, does not matter, or a number"),
    ("Unit: share of documents.", "", "the_page", "SpokenShare: its page does not say Unit"),
    ("Better: higher.", "Better: lower.", "the_page", "SpokenShare.better is 'higher'; its page says lower"),
    ("/ self.cutoff", "/ np.where(ranked[:, 0] < 0, np.nan, self.cutoff)", "values_are", "is nan for no documents; not never"),
    ("/ self.cutoff", "/ (ranked >= 0).sum(axis=1)", "values_are", "invalid value encountered"),
    (".sum(axis=2)", "[:, :, 0]", "groups_of_other_names", "SpokenShare@10 changes when groups have other names"),
    ("[:, : self.cutoff]", "", "neither_the_order", "SpokenShare@1 changes when what is below rank 1 is cut off"),
    ("@dataclass(frozen=True)", "", "it_spells", "has no parameter cutoff without @dataclass(frozen=True)"),
    (CALL, f"        def __str__(self):\n            return 'SpokenShare'\n\n{CALL}", "it_spells", "is read as another"),
    (
        CALL,
        f"        def formula(self, ranked, counts):\n            return SumOverRanks(take(counts, ranked).sum(axis=2), np.ones(self.cutoff))\n\n{CALL}",
        "over_ranks_is",
        "over_ranks gives",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "law", "why"), BREACHES, ids=[f"{b[2]}-{b[1][:24]}" for b in BREACHES])
def test_a_measure_that_breaks_a_law_fails_by_it(right, wrong, law, why):
    assert SHARE.count(right) == 1
    names = {}
    exec(dedent(SHARE.replace(right, wrong)) + dedent(CONTRACT), names)
    (test,) = [each for name, each in vars(MeasureContract).items() if name.startswith(f"test_{law}")]
    with pytest.raises((AssertionError, RuntimeWarning), match=re.escape(why)):
        test(names["TestSpokenShare"]())


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("right", "wrong", "what"),
    [
        ("return (np", "raise RuntimeError('no luck')\n            return (np", "RuntimeError: no luck"),
        ("top = take", "top = np.zeros(3)[7]", "IndexError: index 7 is out of bounds"),  # which numpy raises
        (
            "top = take(counts, ranked)",
            "top = take(counts[:, 0, 0, 0], ranked)",
            "IndexError",
        ),  # and a function of ours
    ],
)
def test_a_fault_of_a_plug_in_names_it_and_its_package(fairtrec_with, right, wrong, what, jobs):
    fairtrec = fairtrec_with(SHARE.replace(right, wrong), ["SpokenShare = plug_in:SpokenShare"])
    Path("other.run").write_text(FILES["my.run"])
    done = fairtrec(
        "eval",
        "none",
        "my.run",
        "other.run",
        "--terms",
        "terms.csv",
        "--docs",
        "docs.tsv",
        "-m",
        "SpokenShare",
        "-j",
        jobs,
    )
    assert done.code == 5
    (line,) = done.complaints
    assert line.startswith(f"the measure SpokenShare of the package plug-in 1.0 has a fault ({what}")
    assert line.endswith("; report it to its authors, FAIRTREC_DEBUG=1 shows where")


def test_a_fault_of_ours_beside_a_plug_in_is_ours(fairtrec_with, monkeypatch):
    from fairtrec.evaluation import session

    def fail(*_, **__):
        raise RuntimeError("ours")

    fairtrec = fairtrec_with(SHARE, ["SpokenShare = plug_in:SpokenShare"])
    monkeypatch.setattr(session, "write_signature", fail)
    done = fairtrec("eval", "none", "my.run", "--terms", "terms.csv", "--docs", "docs.tsv", "-m", "SpokenShare")
    assert (done.code, done.complaints) == (
        5,
        ["fairtrec has a fault (RuntimeError: ours); please report it, FAIRTREC_DEBUG=1 shows where"],
    )
