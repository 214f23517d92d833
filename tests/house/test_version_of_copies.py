"""A copy of the repository knows its version where anything says it, and says unknown where nothing does."""

import os
import re
import subprocess
import sys
import tarfile
import warnings
import zipfile

import pytest

from fairtrec_made import REPOSITORY

GIT = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org"]


def run(*command, cwd, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SETUPTOOLS_SCM")}
    done = subprocess.run(command, cwd=cwd, env=environment | more, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def repository_of(folder, names):
    """A repository of some of what is tracked here, as it is now, with no tag."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("needs a checkout with git")
    for name in ("hatchling", "hatch_vcs", "hatch_fancy_pypi_readme"):
        pytest.importorskip(name, reason=f"{name}, which builds the wheel, is not installed; make setup")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((REPOSITORY / name).read_bytes())
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        run(*GIT, *words, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """What says the version."""
    names = "pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".git_archival.txt", ".gitattributes"
    return repository_of(tmp_path_factory.mktemp("repository"), names)


def archived(repository, ref, folder):
    """Unpack what `git archive` makes, which is what a download of a ZIP is."""
    run("git", "archive", "-o", str(folder / "all.tar"), ref, cwd=repository)
    with tarfile.open(folder / "all.tar") as archive:
        archive.extractall(folder / "source", filter="data")
    return folder / "source"


def version(source):
    from hatchling.metadata.core import ProjectMetadata
    from hatchling.plugin.manager import PluginManager

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the tools say of each other
        return ProjectMetadata(str(source), PluginManager()).version


@pytest.fixture(autouse=True)
def nothing_is_said_from_outside(monkeypatch):
    for name in [name for name in os.environ if name.startswith("SETUPTOOLS_SCM")]:
        monkeypatch.delenv(name)


def test_a_checkout_without_a_tag_counts_its_commits_from_none(repository):
    assert re.fullmatch(r"0\.1\.0\.dev1\+g[0-9a-f]{7,}", version(repository))


def test_a_shallow_clone_differs_only_in_the_number_of_commits(repository, tmp_path):
    """Such as the one that pre-commit makes; fairtrec/support/version.py leaves that number out."""
    run("git", "clone", "-q", f"file://{repository}", str(tmp_path / "whole"), cwd=tmp_path)
    run(*GIT, "commit", "-q", "--allow-empty", "-m", "second", cwd=tmp_path / "whole")
    run("git", "clone", "-q", "--depth=1", f"file://{tmp_path / 'whole'}", str(tmp_path / "shallow"), cwd=tmp_path)
    whole, shallow = version(tmp_path / "whole"), version(tmp_path / "shallow")
    assert whole.replace(".dev2+", ".dev1+") == shallow != whole


def test_an_archive_of_a_tag_has_its_version_and_one_behind_it_says_so(repository, tmp_path):
    run(*GIT, "tag", "v3.4.5", cwd=repository)
    try:
        (tmp_path / "of-tag").mkdir()
        assert version(archived(repository, "v3.4.5", tmp_path / "of-tag")) == "3.4.5"
    finally:
        run(*GIT, "tag", "-d", "v3.4.5", cwd=repository)


@pytest.mark.parametrize("archive", [True, False])
def test_a_copy_that_nothing_says_the_version_of_says_unknown(repository, tmp_path, archive, monkeypatch):
    source = tmp_path / "source"
    if archive:  # of a repository without a tag
        source = archived(repository, "HEAD", tmp_path)
    else:  # the files as they lie there, as Docker copies them where .git is left out
        run("git", "clone", "-q", str(repository), str(source), cwd=tmp_path)
        (source / ".git").rename(tmp_path / "git")
    assert version(source) == "0+unknown"
    monkeypatch.setenv("SETUPTOOLS_SCM_PRETEND_VERSION", "1.2.3")  # as the Dockerfile does
    assert version(source) == "1.2.3"


def test_the_image_is_built_with_git_or_a_version():
    dockerfile = (REPOSITORY / "Dockerfile").read_text("utf-8")
    assert ".git" not in (REPOSITORY / ".dockerignore").read_text("utf-8").split()
    assert "ARG VERSION" in dockerfile
    assert 'SETUPTOOLS_SCM_PRETEND_VERSION="$VERSION"' in dockerfile


@pytest.mark.slow
def test_a_wheel_of_such_a_copy_says_unknown_in_its_name_and_in_signatures(tmp_path):
    tracked = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=REPOSITORY).split("\0")
    beside = ("tests/", "benchmarks/", "docs/")
    names = [name for name in tracked if name and (REPOSITORY / name).is_file() and not name.startswith(beside)]
    (tmp_path / "repository").mkdir()
    source = archived(repository_of(tmp_path / "repository", names), "HEAD", tmp_path)
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist"), cwd=source)
    (wheel,) = (tmp_path / "dist").iterdir()
    assert wheel.name.split("-")[:2] == ["fairtrec", "0+unknown"]  # behind that stands for which machines it is
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    program = "import fairtrec; print(fairtrec.evaluate('RR', {'q': {'d': 1.0}}, qrels={'q': {'d': 1}}).signature['fairtrec'])"
    assert run(sys.executable, "-c", program, cwd=tmp_path, PYTHONPATH=str(tmp_path / "site")) == "0+unknown"
