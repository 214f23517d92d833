"""--untrusted: other ways to a link, other places of a configuration, other sizes."""

import bz2
import gzip
import lzma
import os
import re
import shutil

import pytest

from fairtrec.support.files import submissions
from fairtrec_made.law import hold


@pytest.fixture
def linked(copied):
    (copied / "teams").mkdir()
    (copied / "real").mkdir()
    shutil.copy(copied / "fair.run", copied / "real" / "a.run")
    (copied / "teams" / "eve.run").symlink_to("../fair.run")
    (copied / "teams" / "two.run").symlink_to("eve.run")
    (copied / "way").symlink_to("real")
    (copied / "list").write_text("teams/two.run\n")
    return copied


WAYS = ["x=teams/eve.run", "teams/two.run", "@list", "way/a.run", "./way/a.run", "way/../teams/eve.run", "teams/eve.run:cited", "/proc/self/cwd/fair.run"]  # fmt: skip


@pytest.mark.parametrize("run", WAYS)
@pytest.mark.parametrize("command", ["eval qrels.txt", "validate", "compare qrels.txt bm25.run", "check qrels.txt"])
def test_no_way_leads_through_a_link(linked, fairtrec_command, command, run):
    more = {"check": ["--require", "RR >= 0"], "validate": []}.get(command.split()[0], ["-m", "RR"])
    done = hold(fairtrec_command, [*command.split(), run, *more, "--untrusted"], linked, codes=(2, 3))
    assert re.search("link|there is no such file|rename the file", done.err + done.out), done.err + done.out


CONFIGURED = [
    "untrusted = false",
    "no-links = false",
    "limit = ['bytes=999999999']",
    "config = 'other.toml'",
    "run-format = 'rag'",
]


@pytest.mark.parametrize("line", CONFIGURED)
@pytest.mark.parametrize("where", [".", ".."])
def test_no_line_of_a_pyproject_turns_it_off(linked, fairtrec_command, monkeypatch, line, where):
    (linked / "sub").mkdir()
    (linked / "sub" / where / "pyproject.toml").write_text(f"[tool.fairtrec.check]\nrequire = 'RR >= 2'\n{line}\n")
    monkeypatch.chdir(linked / "sub")
    words = ["check", "../qrels.txt", "../teams/eve.run", "--require", "RR >= 0"]
    assert hold(fairtrec_command, [*words, "--untrusted"], linked).code == 3
    monkeypatch.setenv(submissions.VARIABLE, "1")
    assert hold(fairtrec_command, words, linked).code == 3


@pytest.mark.parametrize("name", ["pyproject.toml", ".fairtrec.toml", "fairtrec.toml", "setup.cfg", "tox.ini", ".env"])
def test_no_other_file_of_options_is_read(copied, fairtrec_command, name):
    (copied / name).write_text("[tool.fairtrec.check]\nrequire = 'RR >= 2'\nFAIRTREC_UNTRUSTED=0\n")
    done = hold(fairtrec_command, ["check", "qrels.txt", "bm25.run", "--require", "RR >= 0", "--untrusted"], copied)
    assert done.code == 0, done.err


PACKERS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "gz.gz": lambda text: gzip.compress(gzip.compress(text)),
}


@pytest.mark.parametrize("kind", PACKERS)
def test_sizes_are_those_behind_every_packer(copied, fairtrec_command, kind):
    (copied / f"a.run.{kind}").write_bytes(PACKERS[kind](b"".join(b"101 Q0 d%d 1 1 t\n" % n for n in range(9000))))
    words = ["eval", "qrels.txt", f"a.run.{kind}", "-m", "RR", "--untrusted", "--limit"]
    assert hold(fairtrec_command, [*words, "bytes=100000"], copied, codes=(3,)).out == ""
    if kind != "gz.gz":
        assert hold(fairtrec_command, [*words, "bytes=200000"], copied).code == 0


def test_members_of_a_packed_file_are_counted_together(copied, fairtrec_command):
    members = [
        gzip.compress(b"".join(b"101 Q0 d%d 1 1 t\n" % n for n in range(at, at + 900))) for at in range(0, 9000, 900)
    ]
    (copied / "a.run.gz").write_bytes(b"".join(members))
    words = ["eval", "qrels.txt", "a.run.gz", "-m", "RR", "--untrusted", "--limit"]
    for limit in ("bytes=100000", "lines=8000", "depth=8000"):
        assert hold(fairtrec_command, [*words, limit], copied, codes=(3,)).out == ""
    assert hold(fairtrec_command, [*words, "bytes=200000"], copied).code == 0


def test_a_second_name_of_a_submission_is_no_way_to_another(copied, fairtrec_command):
    """A hard link is the file; whoever may make one may read it."""
    os.link(copied / "fair.run", copied / "eve.run")
    assert fairtrec_command("eval", "qrels.txt", "eve.run", "-m", "RR", "--untrusted").code == 0
