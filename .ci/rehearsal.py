"""Run release.yml on this machine: each `run:` line that needs no account, no container and no other system.

What is run is read from the workflow itself, so that a rehearsal and a release do the same. Each job has a clone of its
own, an environment of the Python that it asks for, and the variables that GitHub sets for a pushed tag. Files that are
uploaded are handed to the jobs that download them. A step that is not run is listed with the reason, and a step of a
kind that is not known here is a fault.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

EVENT = "push"  # of a tag
SYSTEM = "ubuntu-latest"  # whose jobs run here; without Docker, their lines serve any Unix
SIMULATED = ("actions/checkout", "actions/setup-python")  # a clone and an environment stand for them
ELSEWHERE = {  # actions, and what they need
    "pypa/gh-action-pypi-publish": "an account on PyPI",
    "docker/": "Docker, and an account on GitHub",
}
IN_DOCKER = re.compile(r"\bdocker (build|run)\b|\bcibuildwheel --output-dir\b")
STAND_IN = """#!/bin/sh
# in place of the program gh, which needs an account on GitHub: are the files here that the release would have?
for each; do case "$each" in all/*) test -f "$each" || { echo "$each is no file" >&2; exit 1; } ;; esac; done
"""


class RehearsalError(Exception):
    """A step that fails, or that this file does not know."""


@dataclass(frozen=True)
class Step:
    """A step of a job on one system of its matrix."""

    job: str
    system: str
    entry: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Give the name that a log shows: of an action without one, the action."""
        said = (
            self.entry.get("name") or self.entry.get("uses", "").partition("@")[0] or self.entry["run"].splitlines()[0]
        )
        return f"{self.job} ({self.system}), {said}"

    @property
    def inputs(self) -> dict[str, str]:
        """Give the inputs of an action, with the system in the place of its variable."""
        given = self.entry.get("with", {}).items()
        return {key: str(value).replace("${{ matrix.os }}", self.system) for key, value in given}


@dataclass(frozen=True)
class Job:
    """A job on one system of its matrix."""

    name: str
    system: str
    entry: Mapping[str, Any]

    @property
    def steps(self) -> list[Step]:
        """List the steps in order."""
        return [Step(self.name, self.system, each) for each in self.entry["steps"]]

    def why_not(self) -> str | None:
        """Give the reason why no step of the job can run here."""
        condition = self.entry.get("if", f"github.event_name == '{EVENT}'")
        read = re.fullmatch(r"github\.event_name == '(\w+)'", condition)
        if read is None:
            raise RehearsalError(f"{self.name}: the condition {condition!r} is not known here")
        if read[1] != EVENT:
            return f"it is for the event {read[1]}"
        return None if self.system == SYSTEM else f"it needs {self.system}"


def read_jobs(workflow: str) -> list[Job]:
    """Read the jobs of a workflow, one for each system of a matrix, in an order in which each can run."""
    jobs: dict[str, Any] = yaml.safe_load(workflow)["jobs"]
    waiting, ordered = dict(jobs), []
    while waiting:
        ready = [name for name, job in waiting.items() if not {*_words(job.get("needs", []))} & {*waiting}]
        if not ready:
            raise RehearsalError(f"the jobs wait for each other: {', '.join(waiting)}")
        ordered += [(name, waiting.pop(name)) for name in ready]
    return [
        Job(name, system, job)
        for name, job in ordered
        for system in job.get("strategy", {}).get("matrix", {}).get("os", [job["runs-on"]])
    ]


def _words(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def why_not(step: Step) -> str | None:
    """Give the reason why a step cannot run here. Raises RehearsalError for an action that is not known."""
    if "run" in step.entry:
        return (
            "it needs Docker, which does not answer here"
            if IN_DOCKER.search(step.entry["run"]) and not _docker()
            else None
        )
    action = step.entry["uses"].partition("@")[0]
    if action in (*SIMULATED, "actions/upload-artifact", "actions/download-artifact"):
        return None
    for prefix, needed in ELSEWHERE.items():
        if action.startswith(prefix):
            return f"it needs {needed}"
    raise RehearsalError(f"{step.name}: the action is not known in .ci/rehearsal.py")


def _docker() -> bool:
    """Ask whether a daemon of Docker answers, and builds what the workflow would."""
    if sys.platform != "linux" or shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0


def rehearse(workflow: str, clone: Path, tag: str, place: Path, pythons: Mapping[str, Path]) -> Iterator[str]:
    """Run what can run in clones of ``clone`` at ``tag``; yield a line for each step.

    What is uploaded is in place/artifacts/NAME. Raises RehearsalError at the first step that fails.
    """
    for job in read_jobs(workflow):
        reason = job.why_not()
        if reason is not None:
            yield from (f"not run: {step.name}: {reason}" for step in job.steps if "run" in step.entry)
            continue
        yield from _run_job(job, clone, tag, place, pythons)


def _run_job(job: Job, clone: Path, tag: str, place: Path, pythons: Mapping[str, Path]) -> Iterator[str]:
    """Run the steps of one job, as its own machine would."""
    folder = place / "jobs" / job.name
    work, programs = folder / "work", folder / "programs"
    for each in (work, programs, place / "artifacts"):
        each.mkdir(parents=True, exist_ok=True)
    (programs / "gh").write_text(STAND_IN, "utf-8")
    (programs / "gh").chmod(0o755)
    environment = _variables(tag, folder, work)
    environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
    whole = True  # nothing that makes files was left out
    for step in job.steps:
        action, began = step.entry.get("uses", "").partition("@")[0], time.monotonic()
        if (reason := why_not(step)) is not None:
            whole = False
            yield f"not run: {step.name}: {reason}"
        elif action == "actions/checkout":
            _call(["git", "clone", "--quiet", "--branch", tag, str(clone), str(work)], folder, environment, step)
        elif action == "actions/setup-python":
            asked = step.inputs["python-version"]
            python = pythons.get(asked, Path(sys.executable))
            _call([str(python), "-m", "venv", str(folder / "python")], folder, environment, step)
            environment["PATH"] = f"{folder / 'python' / 'bin'}{os.pathsep}{environment['PATH']}"
            if asked not in pythons:
                yield f"{step.name}: Python {asked} is not here, Python {platform.python_version()} stands for it"
        elif action == "actions/upload-artifact":
            if whole:
                _upload(work / step.inputs["path"], place / "artifacts" / step.inputs["name"])
        elif action == "actions/download-artifact":
            _download(place / "artifacts", work, step.inputs)
        else:
            flags = ["-o", "pipefail"] if step.entry.get("shell") == "bash" else []
            _call(["bash", "--noprofile", "--norc", "-e", *flags, "-c", step.entry["run"]], work, environment, step)
            yield f"run: {step.name}: {time.monotonic() - began:.0f} s"


def _variables(tag: str, folder: Path, work: Path) -> dict[str, str]:
    """Give the variables that GitHub sets for a pushed tag, and nothing of what called this."""
    ours = re.compile(r"SETUPTOOLS_SCM|FAIRTREC_|PYTHON|MAKE|MFLAGS|VIRTUAL_ENV|COV_|COVERAGE|PYTEST")
    kept = {name: value for name, value in os.environ.items() if not ours.match(name)}
    files = {name: str(folder / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")}
    return kept | files | {
        "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": EVENT, "GITHUB_REF": f"refs/tags/{tag}",
        "GITHUB_REF_NAME": tag, "GITHUB_REF_TYPE": "tag", "GITHUB_RUN_NUMBER": "1", "GITHUB_WORKSPACE": str(work),
        "RUNNER_TEMP": str(folder),
    }  # fmt: skip


def _call(command: list[str], folder: Path, environment: Mapping[str, str], step: Step) -> None:
    """Run a program. Raises RehearsalError with the last of what it printed if it fails."""
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        raise RehearsalError(f"{step.name}: exit code {done.returncode}\n{done.stdout[-6000:]}")


def _upload(path: Path, artifact: Path) -> None:
    """Keep what a job uploads: a file, or what is in a folder."""
    artifact.mkdir()
    if path.is_dir():
        shutil.copytree(path, artifact, dirs_exist_ok=True)
    else:
        shutil.copy(path, artifact)
    if not any(artifact.iterdir()):
        raise RehearsalError(f"{artifact.name}: nothing to upload in {path.name}")


def _download(artifacts: Path, work: Path, inputs: Mapping[str, str]) -> None:
    """Hand to a job what others uploaded: each in a folder of its name, or all in one."""
    for artifact in sorted(artifacts.glob(inputs.get("pattern", "*"))):
        target = work / inputs["path"]
        if inputs.get("merge-multiple") != "True":
            target /= artifact.name
        shutil.copytree(artifact, target, dirs_exist_ok=True)
