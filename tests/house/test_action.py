"""The shell steps of the action run as GitHub runs them, with a pip that prints its arguments."""

import os
import random
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest
import yaml

from fairtrec_made import EXAMPLE, REPOSITORY
from fairtrec_made.hostile import executed, plant_modules
from fairtrec_made.law import draws, files_of

ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
REQUIRE = "--require 'nDCG@10 >= 0.5'"
SHIM = f"""#!/bin/sh
case "$*" in *"-m pip install"*)
    echo "$@" >> "$HOME/installed"
    if test -z "$PIP_STARTS"; then shift 2; IFS=/; echo "/of/$*"; exit; fi ;;
esac
exec "{sys.executable}" "$@"
"""


@pytest.fixture
def steps(tmp_path):
    """Call the steps one after the other, up to one that fails; give its exit code, what was printed, and the files.

    Python starts for the installation, which installs nothing, only in a workspace that may have a pip of its own.
    """
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").write_text(SHIM)
    (tmp_path / "bin" / "python").chmod(0o755)
    (tmp_path / "beside" / "pip").mkdir(parents=True)
    (tmp_path / "beside" / "pip" / "__init__.py").touch()
    (tmp_path / "beside" / "pip" / "__main__.py").write_text("import sys\nprint('/of', *sys.argv[1:], sep='/')\n")
    files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}

    def called(workspace=EXAMPLE, **inputs):
        given = {name: each.get("default", "") for name, each in ACTION["inputs"].items()} | inputs
        given_by_github = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
        environment = {
            **given_by_github, "HOME": str(tmp_path), "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(tmp_path / "beside"), "GITHUB_ACTION_PATH": str(REPOSITORY), "GITHUB_ACTIONS": "true", "PIP_STARTS": "1" if workspace != EXAMPLE else "", **{name: str(path) for name, path in files.items()},
        }  # fmt: skip
        printed = ""
        for step in ACTION["runs"]["steps"]:
            if "run" not in step:
                continue
            more = {
                name: given[asked[1]] if (asked := re.search(r"inputs\.(\w+)", value)) else value
                for name, value in step.get("env", {}).items()
            }
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            assert step["shell"] == "bash"
            done = subprocess.run(
                command, cwd=workspace, env=environment | more, capture_output=True, text=True, check=False
            )
            printed += done.stdout + done.stderr
            if done.returncode:
                break
        return done.returncode, printed, {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}

    return called


@pytest.fixture(scope="module")
def script():
    spec = spec_from_file_location("action", REPOSITORY / ".github" / "action.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
def test_requirements_decide_and_the_code_of_the_ref_is_installed(steps):
    code, printed, files = steps(arguments=f"qrels.txt neural.run\n  {REQUIRE}\n")
    assert (code, "1 passed" in printed) == (0, True)
    assert files["installed"].split()[-1] == str(REPOSITORY)
    assert re.fullmatch(
        r"cache=/of/cache/dir\nkey=fairtrec-\w+-\w+-3\.[\d.]+\w*-[0-9a-f]{16}\n", files["GITHUB_OUTPUT"]
    )
    assert "nDCG@10 >= 0.5" in files["GITHUB_STEP_SUMMARY"].replace("\\", "")
    code, *_ = steps(arguments="qrels.txt neural.run --require 'nDCG@10 >= 0.99'")
    assert code == 1


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"arguments": f"qrels.txt neural.run {REQUIRE} --require 'nDCG@10 >= 0.999"}, "cannot be read (no closing quotation)"),
        ({"arguments": " \n "}, "the arguments are empty"),
        ({"arguments": "qrels.txt neural.run", "untrusted": "yes"}, "untrusted is 'yes'; it is true or false"),
        ({"arguments": "qrels.txt", "command": "eval"}, "it is one of: check, validate"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_fails_before_anything_is_installed(steps, inputs, says):
    code, printed, files = steps(**inputs)
    assert (code, says in printed, "installed" in files) == (2, True, False)
    assert files["GITHUB_STEP_SUMMARY"].startswith("### fairtrec was not called\n\n    ")
    assert says in files["GITHUB_STEP_SUMMARY"]
    assert printed.startswith("::error title=fairtrec::")


def test_a_wrong_option_is_in_the_summary_once(steps):
    code, printed, files = steps(arguments="qrels.txt neural.run --requires 'nDCG@10 >= 0.5'")
    assert (code, "--requires" in printed) == (2, True)
    assert files["GITHUB_STEP_SUMMARY"].startswith("### fairtrec check: ended with 2\n\n    ")
    assert files["GITHUB_STEP_SUMMARY"].count("### ") == 1
    assert "--requires" in files["GITHUB_STEP_SUMMARY"]


@pytest.mark.long
def test_submissions_are_validated_with_a_summary(steps, tmp_path):
    code, _, files = steps(command="validate", arguments="bm25.run --qrels qrels.txt")
    assert (code, files["GITHUB_STEP_SUMMARY"].startswith("### fairtrec validate: no errors\n\n    ")) == (0, True)
    (tmp_path / "bad run.run").write_text("q1 Q0 d1 1 x t\n")
    code, printed, files = steps(command="validate", arguments=f"'{tmp_path / 'bad run.run'}' --qrels qrels.txt")
    assert (code, "bad run.run" in printed) == (3, True)
    assert "### fairtrec validate: errors" in files["GITHUB_STEP_SUMMARY"]


@pytest.mark.long
@pytest.mark.parametrize("command", ["check", "validate"])
def test_no_file_of_the_workspace_is_executed(steps, tmp_path, command):
    workspace = shutil.copytree(EXAMPLE, tmp_path / "workspace")
    plant_modules(workspace)
    arguments = "qrels.txt neural.run bm25.run -j 2 --require 'nDCG@10 >= 0.99'"
    if command == "validate":
        arguments = "neural.run bm25.run --qrels qrels.txt"
    code, printed, files = steps(workspace, command=command, arguments=arguments)
    assert not executed(workspace)
    assert (code, steps(command=command, arguments=arguments)[1]) == ({"check": 1, "validate": 0}[command], printed)
    assert files["installed"].split()[-1] == str(REPOSITORY)
    assert "cache=/of/cache/dir\n" in files["GITHUB_OUTPUT"]


@pytest.mark.long
@pytest.mark.parametrize("command", ["check", "validate"])
def test_runs_are_untrusted_unless_the_input_says_otherwise(steps, tmp_path, command):
    workspace = shutil.copytree(EXAMPLE, tmp_path / "workspace")
    (workspace / "eve.run").symlink_to("fair.run")
    (workspace / "pyproject.toml").write_text('[tool.fairtrec.check]\nrequire = ["nDCG@10 >= 2"]\n')
    more = "--require 'nDCG@10 >= 0.1'" if command == "check" else ""
    arguments = f"{'qrels.txt ' * (command == 'check')}eve.run {more}"
    code, printed, _ = steps(workspace, command=command, arguments=arguments)
    assert (code, "this is a link, and links are refused; pass the file itself" in printed) == (3, True)
    code, printed, _ = steps(workspace, command=command, arguments=arguments, untrusted="false")
    assert (code, "refused" in printed) == (0, False)


@pytest.mark.long
def test_a_pyproject_of_the_workspace_counts_only_if_it_is_named(steps, tmp_path):
    workspace = shutil.copytree(EXAMPLE, tmp_path / "workspace")
    (workspace / "pyproject.toml").write_text('[tool.fairtrec.check]\nrequire = ["nDCG@10 >= 0.999"]\n')
    code, printed, _ = steps(workspace, arguments="qrels.txt fair.run")
    assert (code, "pyproject.toml was passed over (--untrusted)" in printed) == (2, True)
    assert steps(workspace, arguments="qrels.txt fair.run --config pyproject.toml")[0] == 1


NAMES = [
    "::stop-commands::x.run",
    "*.run",
    "##[group]g.run",
    "\n::error::n.run",
    "-f.run",
    "a=b.run",
    "@list.run",
    "\udcff.run",
]
OPTIONS = [
    "junit = '../escaped.xml'",
    "output = '../escaped.txt'",
    "require = ['RR >= 0']",
    "terms = 'vaswani'",
    "require = 7",
    "x = [",
]


@pytest.mark.long
@pytest.mark.fuzz
@pytest.mark.parametrize("draw", range(draws(1, share=0.002)))
def test_a_hostile_workspace_is_only_read(steps, tmp_path, draw):
    dice = random.Random(f"workspace {draw}")
    workspace = shutil.copytree(EXAMPLE, tmp_path / "workspace")
    plant_modules(workspace)
    for name in dice.sample(NAMES, 4):
        (workspace / name).write_bytes(
            dice.choice([(EXAMPLE / "fair.run").read_bytes(), b"", b"\x1b[2J\n", b"q1 Q0 d 1 x ::error::\n"])
        )
    (workspace / "gender-en").write_text("she,m\nhe,f\n")
    (workspace / "pyproject.toml").write_text(f"[tool.fairtrec.check]\n{dice.choice(OPTIONS)}\n")
    before = files_of(workspace)
    inputs = dice.choice([{"command": "validate", "arguments": "'*.run' --qrels qrels.txt"}, {"arguments": "qrels.txt '*.run' --keep-going --require 'nDCG@10 >= 0'"}])  # fmt: skip
    code, printed, _ = steps(workspace, **inputs, untrusted=dice.choice(["true", "false"]))
    assert code in (0, 1, 2, 3), printed
    assert "Traceback" not in printed
    assert not executed(workspace)
    assert files_of(workspace) == before
    assert not [*tmp_path.glob("escaped*")]
    commands = [line for line in printed.splitlines() if line.lstrip().startswith("::") or "##[" in line]
    assert [line for line in commands if not re.match("::(error|warning) .*title=fairtrec", line)] == []


def test_words_are_those_of_a_shell_and_backslashes_stay(script):
    assert script.words("a 'b  c' \"d 'e'\" f='g h'") == ["a", "b  c", "d 'e'", "f=g h"]
    assert script.words(r"runs\new.run 'C:\x y\n' # no remark") == [r"runs\new.run", r"C:\x y\n", "#", "no", "remark"]
    assert script.words("a \\\n  b\nc") == ["a", "b", "c"]


def test_no_step_needs_more_than_any_bash_or_puts_an_input_into_a_script():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert "run" not in step or step["env"]["PYTHONSAFEPATH"] == "1"
        assert not re.search(r"mapfile|declare -A|\$\{\w+[,^]", step.get("run", ""))
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step.get("uses", f"actions/x@{'0' * 40}"))
    assert ACTION["inputs"]["arguments"]["required"] is True
    assert ACTION["branding"]
