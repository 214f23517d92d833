"""The command line as text: each file of tests/commands/NAME/golden holds a command, and what it prints.

    $ fairtrec eval ...
    what stands on standard output
    --- stderr
    what stands on standard error
    --- exit 2

The last two are left out where there is nothing on standard error, and where the exit code is 0. Commands run at the
root of the repository, in a window of 100 columns. Numbers of full precision are compared as numbers. Results files
list all options; here those that have their default are left out, but for one case, ALL_OPTIONS. The help of commands is
held by docs/commands/. The outputs of ``eval`` lie in tests/cli/golden.
FAIRTREC_UPDATE=1 writes the files anew: read the difference.
"""

import json
import os
import re
import shlex
import sys

import pytest

from fairtrec.cli import main
from fairtrec.commands import list_names
from fairtrec.evaluation.inputs.options import CHOICES
from fairtrec_made import REPOSITORY, precision
from fairtrec_made.command_trials import CORE_GOLDENS, ROOMS, list_goldens
from fairtrec_made.command_trials import find_folder as find_tests

CASES = list_goldens()
ALL_OPTIONS = "options"  # the case of which the options are shown whole


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_prints(case, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    command = case.read_text("utf-8").splitlines()[0]
    program, *arguments = shlex.split(command.removeprefix("$ "))
    assert program == "fairtrec"
    monkeypatch.setattr(sys, "argv", [program, *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    printed = capsys.readouterr()
    text = f"{command}\n{_timeless(printed.out, case.stem)}"
    text += f"--- stderr\n{_timeless(printed.err)}" if printed.err else ""
    text += f"--- exit {end.value.code}\n" if end.value.code else ""
    if os.environ.get("FAIRTREC_UPDATE"):
        case.write_text(precision.shorten(text), "utf-8")
    expected = case.read_text("utf-8")
    if not precision.agree(text, expected):
        assert precision.shorten(text) == expected
        assert text == expected, "numbers of full precision differ"


def _timeless(text, name=""):
    """Leave out what changes with releases, machines and new options: versions, hints, builds, options by default."""
    if name != ALL_OPTIONS:
        text = re.sub(r'^( *)"options": \{\n(.*?)^\1\}', _chosen, text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(Try 'fairtrec[^']*) -h'", r"\1 --help'", text, flags=re.MULTILINE)  # of click before 8.3
    text = re.sub(r", (compiled|plain)$", "", text, flags=re.MULTILINE)  # of --version
    return re.sub(r'((?:fairtrec|ir-measures)(?::|": "|, version | )|version = \{)\d[\w.+]*', r"\1VERSION", text)


def _chosen(found):
    """Leave the options that have their default out of a block of JSON."""
    rows = {name: row.default for name, row in CHOICES.items()}
    options = json.loads(f"{{{found[2]}}}")
    kept = {name: value for name, value in options.items() if value != rows.get(name)}
    lines = json.dumps({"options": kept}, indent=1).splitlines()[1:-1]
    return "\n".join(f"{found[1][1:]}{line}" for line in lines)


def test_there_are_cases_for_every_format():
    commands = " ".join(case.read_text("utf-8").splitlines()[0] for case in CASES)
    forms = ["trec", "table", "tsv", "csv", "json", "jsonl", "md", "latex", "flat", "tira"]
    missing = [form for form in forms if f"-f {form}" not in commands]
    assert not missing


def find_folder(case):
    """Find where a case belongs: with the tests of its command, or with the core."""
    words = shlex.split(case.read_text("utf-8").splitlines()[0].removeprefix("$ fairtrec "))
    name = next((name for name in (" ".join(words[:2]), words[0]) if name in list_names()), "eval")
    return CORE_GOLDENS if name == "eval" else find_tests(name) / "golden"


def test_every_case_lies_with_the_tests_of_its_command():
    assert not list((REPOSITORY / "tests" / "cli").glob("*.txt"))
    elsewhere = {case.parent for case in CASES if case.parent != find_folder(case)}
    assert all(ROOMS[1] in folder.parents for folder in elsewhere), "what the core prints of the lab is with the lab"
    assert {path.parent for path in (REPOSITORY / "tests").rglob("golden/*.txt")} == {case.parent for case in CASES}
