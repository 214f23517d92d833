"""The locks pin, with hashes, what the image and the action install; no address of an index stands in them."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml

from fairtrec_made import REPOSITORY

requirements = pytest.importorskip("packaging.requirements", reason="packaging is not installed; make setup")
utils = pytest.importorskip("packaging.utils", reason="packaging is not installed; make setup")
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
NEEDED = {"run.txt": PROJECT["project"]["dependencies"], "build.txt": PROJECT["build-system"]["requires"]}


def pins(name):
    """The requirement of each pin, and its hashes."""
    text = (REPOSITORY / "lock" / name).read_text("utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if not line.startswith("#"):
            requirement, *hashes = re.split(r"\s+--hash=", line.strip())
            yield requirements.Requirement(requirement), hashes


@pytest.mark.parametrize("name", NEEDED)
def test_each_package_has_one_version_and_its_hashes(name):
    found = list(pins(name))
    assert len({pin.name for pin, _ in found}) == len(found)
    for pin, hashes in found:
        assert re.fullmatch(r"==[\w.+!]+", str(pin.specifier)), pin
        assert hashes
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes), pin


@pytest.mark.parametrize("name", NEEDED)
def test_what_pyproject_asks_for_is_pinned_to_a_version_that_it_allows(name):
    versions = {utils.canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin, _ in pins(name)}
    for needed in map(requirements.Requirement, NEEDED[name]):
        assert needed.specifier.contains(versions[utils.canonicalize_name(needed.name)]), f"{needed}; run: make lock"


@pytest.mark.parametrize("name", NEEDED)
def test_a_lock_holds_no_address_and_no_option_of_an_index(name):
    text = (REPOSITORY / "lock" / name).read_text("utf-8")
    assert not re.search(r"://|^-|index|find-links", text, re.MULTILINE)


def test_the_image_and_the_action_install_the_locks_and_nothing_else():
    dockerfile = (REPOSITORY / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
    scripts = [*dockerfile.splitlines(), *(step.get("run", "") for step in action["runs"]["steps"])]
    calls = re.findall(r"pip (?:install|wheel) [^&\n;]*", "\n".join(scripts))
    assert len(calls) == 6
    for call in calls:
        assert "--require-hashes" in call or "--no-deps" in call, call
        if call.split()[-1] in ("/source", '"$GITHUB_ACTION_PATH"'):
            assert "--no-build-isolation" in call


def test_what_is_written_is_one_version_for_all_systems(tmp_path):
    """With a stand-in for uv, which needs an index: the arguments decide what is resolved."""
    (tmp_path / "uv").mkdir()
    (tmp_path / "uv" / "__init__.py").touch()
    (tmp_path / "uv" / "__main__.py").write_text(
        "import sys; print('# args', *sys.argv[1:]); print(open('in.txt').read())"
    )
    for name in (".ci", "lock"):
        (tmp_path / "root" / name).mkdir(parents=True)
    for name in (".ci/lock.py", "pyproject.toml"):
        (tmp_path / "root" / name).write_bytes((REPOSITORY / name).read_bytes())
    command = [sys.executable, str(tmp_path / "root" / ".ci" / "lock.py")]
    subprocess.run(command, env={"PYTHONPATH": str(tmp_path)}, check=True)
    written = (tmp_path / "root" / "lock" / "run.txt").read_text("utf-8")
    for word in (
        "--universal",
        "--fork-strategy=fewest",
        "--generate-hashes",
        "--python-version 3.11",
        *NEEDED["run.txt"],
    ):
        assert word in written
    assert sorted(path.name for path in (tmp_path / "root" / "lock").iterdir()) == ["build.txt", "run.txt"]
