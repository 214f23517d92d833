"""What a job of CI prints holds no command of its runner but those of fairtrec, whatever files and runs are called."""

import json
import os
import shlex
import shutil
import subprocess
import sys

import pytest

from fairtrec.support.errors import defuse
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.hostile import LAUNCHER

NAMES = [
    "::stop-commands::x.run",
    "::error::y.run",
    " ::set-output name=a::b.run",
    "##vso[task.setvariable variable=a]z.run",
    "##[group]g.run",
    "a\n::warning::n.run",
    "c\r::notice::r.run",
]
COMMANDS = gather_trials("CI_JOBS", {
    "eval": "eval qrels.txt *.run -m nDCG@10",
    "eval tsv": "eval qrels.txt *.run -m nDCG@10 -f tsv",
    "eval table": "eval qrels.txt *.run -m nDCG@10 -f table",
    "no such file": "eval '::error::no such file' *.run",
    "wrong usage": "eval qrels.txt *.run --'::error::option'",
    "no such command": "'::error::command'",
})  # fmt: skip
OURS = ("::error ", "::warning ")


@pytest.fixture
def folder(tmp_path, example):
    for number, name in enumerate(NAMES):
        lines = (example / "bm25.run").read_text().splitlines(keepends=True)[number:]
        (tmp_path / name).write_text("".join(lines).replace("bm25", f"::error::{number}"))
    (tmp_path / "broken").write_text("::error::q Q0 d 1 x t\n")
    shutil.copy(example / "qrels.txt", tmp_path)
    return tmp_path


@pytest.fixture
def printed(folder, tmp_path_factory):
    """Run a command as a job does; give its lines on both streams, as a runner reads them."""
    program = tmp_path_factory.mktemp("bin") / "fairtrec"
    program.write_text(LAUNCHER)

    def run(command, **environment):
        words = shlex.split(command)
        at = words.index("*.run") if "*.run" in words else len(words)
        line = [sys.executable, str(program), *words[:at], *NAMES[: len(NAMES) * (at < len(words))], *words[at + 1 :]]
        given = {
            name: of for name, of in os.environ.items() if name not in ("CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY")
        }
        done = subprocess.run(line, cwd=folder, env={**given, **environment}, capture_output=True, check=False)
        assert done.returncode in (0, 1, 2, 3), done.stderr
        return [line.decode() for stream in (done.stdout, done.stderr) for line in stream.splitlines()]

    return run


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "runner"),
    [
        pytest.param(line, runner, id=f"{name}-{runner}", marks=[] if name in runners else pytest.mark.slow)
        for runner, runners in {"GITHUB_ACTIONS": COMMANDS, "TF_BUILD": ("eval",), "CI": ("no such file",)}.items()
        for name, line in COMMANDS.items()
    ],
)
def test_no_line_of_others_is_a_command(printed, command, runner):
    lines = printed(command, **{runner: "true"})
    obeyed = [line for line in lines if line.lstrip().startswith("::")]
    assert [line for line in obeyed if not (line.startswith(OURS) and "title=" in line.split("::")[1])] == []
    assert not [line for line in lines if "##[" in line or "##vso[" in line]
    assert len(lines) > 0
    assert obeyed or "github" not in command


def test_annotations_name_the_file_that_there_is(printed):
    lines = printed(COMMANDS["check github"], GITHUB_ACTIONS="true")
    assert any("file=%3A%3Astop-commands%3A%3Ax.run," in line for line in lines)


@pytest.mark.parametrize("command", ["validate", "eval tsv"])
def test_a_file_and_a_person_get_names_as_they_are(folder, printed, tmp_path_factory, command):
    lines = printed(COMMANDS[command])
    assert any(line.startswith("::stop-commands::x.run") for line in lines)
    if command == "eval tsv":
        out = tmp_path_factory.mktemp("out") / "values.tsv"
        printed(f"{COMMANDS[command]} -o {out}", CI="true")
        assert "\n::stop-commands::x.run\t" in out.read_text()


def test_json_is_json_in_a_job(printed):
    lines = printed("eval qrels.txt *.run -m nDCG@10 -f json", CI="true")
    assert len(json.loads("\n".join(lines))["runs"]) == len(NAMES)


def test_only_what_begins_a_line_is_defused():
    assert defuse("::a\n b::c\r\t::d\n\u2003::e ##x[") == ": :a\n b::c\r\t: :d\n\u2003: :e # #x["
