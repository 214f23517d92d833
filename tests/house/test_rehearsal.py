"""The rehearsal of a release runs the workflow's own lines, and lists each line that it cannot run with the reason."""

import subprocess
import sys
from importlib import import_module

import pytest
import yaml

from fairtrec_made import REPOSITORY

RELEASE = (REPOSITORY / ".github" / "workflows" / "release.yml").read_text("utf-8")
GIT = ("git", "-c", "user.name=test", "-c", "user.email=test@example.org")


@pytest.fixture
def rehearsal(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY / ".ci"))
    module = import_module("rehearsal")
    monkeypatch.setattr(module, "_docker", lambda: False)
    return module


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "file.txt").write_text("of the tag\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"], ["tag", "v1.2.3"]):
        subprocess.run([*GIT, *words], cwd=folder, check=True)
    (folder / "file.txt").write_text("of the folder\n")
    return folder


def rehearse(rehearsal, clone, tmp_path, *jobs):
    """Rehearse a workflow of these jobs."""
    text = yaml.safe_dump({"jobs": {name: {"runs-on": "ubuntu-latest"} | job for name, job in jobs}})
    return list(rehearsal.rehearse(text, clone, "v1.2.3", tmp_path / "place", {}))


CHECKOUT = {"uses": "actions/checkout@0"}


def test_a_line_runs_at_the_tag_with_the_variables_of_github(rehearsal, clone, tmp_path):
    script = 'grep -q "of the tag" file.txt; test "$GITHUB_REF_NAME $GITHUB_REF_TYPE $CI" = "v1.2.3 tag true"'
    said = rehearse(rehearsal, clone, tmp_path, ("one", {"steps": [CHECKOUT, {"name": "look", "run": script}]}))
    assert [line.rpartition(":")[0] for line in said] == ["run: one (ubuntu-latest), look"]


def test_a_line_that_fails_ends_the_rehearsal_with_what_it_printed(rehearsal, clone, tmp_path):
    job = {"steps": [CHECKOUT, {"name": "look", "run": "echo because\nfalse\necho never"}, {"run": "touch reached"}]}
    with pytest.raises(rehearsal.RehearsalError, match=r"one \(ubuntu-latest\), look: exit code 1\nbecause\n$"):
        rehearse(rehearsal, clone, tmp_path, ("one", job))
    assert not list((tmp_path / "place").rglob("reached"))


def test_python_is_that_of_an_environment_of_the_job(rehearsal, clone, tmp_path):
    setup = {"uses": "actions/setup-python@0", "with": {"python-version": "2.7"}}
    script = f"python -c \"import sys; assert sys.prefix != {sys.base_prefix!r}; assert sys.prefix.endswith(chr(47) + 'python')\""
    note, line = rehearse(rehearsal, clone, tmp_path, ("one", {"steps": [CHECKOUT, setup, {"run": script}]}))
    assert "Python 2.7 is not here" in note
    assert line.startswith("run: ")


def test_files_go_from_job_to_job_and_jobs_wait_for_what_they_need(rehearsal, clone, tmp_path):
    upload = {"uses": "actions/upload-artifact@0", "with": {"name": "dist-${{ matrix.os }}", "path": "out/"}}
    make = {
        "strategy": {"matrix": {"os": ["ubuntu-latest", "macos-latest"]}},
        "steps": [{"run": "mkdir out; touch out/a"}, upload],
    }
    merged = {
        "uses": "actions/download-artifact@0",
        "with": {"path": "in/", "pattern": "dist-*", "merge-multiple": True},
    }
    apart = {"uses": "actions/download-artifact@0", "with": {"path": "all/"}}
    release = {"run": "gh release create $GITHUB_REF_NAME all/dist-*/*"}
    use = {"needs": ["make"], "steps": [merged, apart, {"run": "test -f in/a -a -f all/dist-ubuntu-latest/a"}, release]}
    said = rehearse(rehearsal, clone, tmp_path, ("use", use), ("make", make))
    assert [line.partition(" (")[0] for line in said] == ["run: make", "not run: make", "run: use", "run: use"]
    assert said[1].endswith("it needs macos-latest")


def test_a_release_of_files_that_are_not_there_fails(rehearsal, clone, tmp_path):
    with pytest.raises(rehearsal.RehearsalError, match=r"all/dist-\*/\* is no file"):
        rehearse(rehearsal, clone, tmp_path, ("one", {"steps": [{"run": "gh release create v1.2.3 all/dist-*/*"}]}))


@pytest.mark.parametrize(
    ("job", "reason"),
    [
        ({"steps": [{"run": "docker build ."}]}, "it needs Docker, which does not answer here"),
        ({"steps": [{"run": "pip install x\npython -m cibuildwheel --output-dir dist"}]}, "it needs Docker"),
        ({"steps": [{"uses": "pypa/gh-action-pypi-publish@0"}]}, "it needs an account on PyPI"),
        ({"steps": [{"uses": "docker/login-action@0"}]}, "it needs Docker, and an account on GitHub"),
        ({"if": "github.event_name == 'workflow_dispatch'", "steps": [{"run": "false"}]}, "it is for the event workflow_dispatch"),
        ({"runs-on": "windows-latest", "steps": [{"run": "false"}]}, "it needs windows-latest"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_run_is_listed_with_the_reason(rehearsal, clone, tmp_path, job, reason):
    (line,) = rehearse(rehearsal, clone, tmp_path, ("one", job))
    assert line.startswith("not run: one (")
    assert reason in line


@pytest.mark.parametrize(
    ("job", "fault"),
    [
        ({"steps": [{"uses": "somebody/something@0"}]}, "the action is not known"),
        ({"if": "always()", "steps": [{"run": "true"}]}, "the condition 'always()' is not known"),
        ({"needs": "one", "steps": [{"run": "true"}]}, "wait for each other"),
        ({"steps": [{"run": "mkdir out"}, {"uses": "actions/upload-artifact@0", "with": {"name": "a", "path": "out/"}}]}, "nothing to upload"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_a_fault(rehearsal, clone, tmp_path, job, fault):
    with pytest.raises(rehearsal.RehearsalError, match=fault.replace("(", r"\(").replace(")", r"\)")):
        rehearse(rehearsal, clone, tmp_path, ("one", job))


def test_every_step_of_the_release_is_run_or_has_a_reason(rehearsal):
    """Without running any: which lines these are today."""
    left = {}
    for job in rehearsal.read_jobs(RELEASE):
        reason = job.why_not()
        for step in job.steps:
            why = reason or rehearsal.why_not(step)
            if "run" in step.entry and why:
                left[step.name] = why
    assert left == {
        "wheels (ubuntu-latest), Compile one wheel, which serves every version of Python": "it needs Docker, which does not answer here",
        "wheels (ubuntu-24.04-arm), Compile one wheel, which serves every version of Python": "it needs ubuntu-24.04-arm",
        "wheels (macos-latest), Compile one wheel, which serves every version of Python": "it needs macos-latest",
        "wheels (windows-latest), Compile one wheel, which serves every version of Python": "it needs windows-latest",
        "image (ubuntu-latest), Build the image, and evaluate the bundled example in it": "it needs Docker, which does not answer here",
        "rehearse (ubuntu-latest), The environment testpypi has the address of TestPyPI": "it is for the event workflow_dispatch",
    }  # fmt: skip
