"""docs/architecture.md is true: its rooms are the layers, what it names exists, and what it says of new things works."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from textwrap import dedent

import pytest

import fairtrec
from fairtrec_made import REPOSITORY, ended, one_process

PAGE = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
EXAMPLE = REPOSITORY / "resources" / "example"
FILES = {"my.run": EXAMPLE / "neural.run", "bm25.run": EXAMPLE / "background.run",
         "counts.tsv": REPOSITORY / "tests" / "cli" / "inputs" / "counts.tsv"}  # fmt: skip
TIED = REPOSITORY / "tests" / "cli" / "inputs" / "tied.run"
(COMMAND,) = re.findall(r"^`fairtrec (eval .*?)`", PAGE, re.MULTILINE)
WORDS = [*(str(FILES.get(word, word)) for word in COMMAND.split()), "--missing", "neutral"]
TRACE = """
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
import fairtrec
from fairtrec.cli import main

package, files = Path(fairtrec.__file__).parent, {}

def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_flags & 3 == 3 and not code.co_name.startswith("<") and "fairtrec" in code.co_filename:
        files[code.co_filename] = None

sys.argv[0] = "fairtrec"
with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
    sys.setprofile(note)
    try:
        main()
    except SystemExit as end:
        code = end.code
    sys.setprofile(None)
print(*(Path(file).relative_to(package).as_posix() for file in files if Path(file).is_relative_to(package)))
sys.exit(code)
"""
ROOMS, WAY = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

NEW = {  # what stands in the first column of the page's table: the file, and which lines go behind which others
    "a measure": (
        """
        from dataclasses import dataclass

        from fairtrec.measure import Measure


        @dataclass(frozen=True)
        class Spoken(Measure):
            cutoff: int = 10

            def __call__(self, lengths):
                return lengths + 0.5
        """,
        [
            ("if TYPE_CHECKING:", "    from fairtrec.measures.spoken import Spoken as Spoken"),
            ("_FILES = {", '    "spoken": ("Spoken",),'),
        ],
    ),
    "a reranker": (
        """
        from dataclasses import dataclass

        import numpy as np

        from fairtrec.reranker import Order, Reranker


        @dataclass(frozen=True)
        class Backwards(Reranker):
            def __call__(self, lengths):
                return Order(np.arange(lengths[0])[::-1][None])
        """,
        [
            ("if TYPE_CHECKING:", "    from fairtrec.lab.rerankers.backwards import Backwards as Backwards"),
            ("_FILES = {", '    "backwards": ("Backwards",),'),
        ],
    ),
    "a form of run": (
        """
        from pathlib import Path

        import numpy as np

        from fairtrec.formats.columns import FileColumns
        from fairtrec.formats.spans import Repeats


        def tell(path, start):
            return "spoken" if start.startswith(b"query") else None


        def read(path, form, order, *, ranks):
            words = [line.split() for line in Path(path).read_bytes().splitlines()]
            columns = {"qid": Repeats.find(np.array([row[1] for row in words])), "docno": np.array([row[3] for row in words])}
            return FileColumns(path, columns | {"score": np.array([float(row[5]) for row in words])}, [(0, 1)])
        """,
        [("_ROWS = (", '    RunForm("spoken", "a spoken run", module="spoken_runs"),')],
    ),
    "a format of a report": (
        """
        def tally(result, *, places):
            return f"{len(result.scores)} runs, {places} places\\n"
        """,
        [("_RESULTS = {", '    "tally": FormatSpec("results.tally:tally", carries="all"),')],
    ),
    "a column next to a value": (
        """
        from dataclasses import dataclass
        from typing import ClassVar

        from fairtrec.data import Floats
        from fairtrec.evaluation.answers.scores import QueryColumn


        @dataclass(frozen=True, eq=False)
        class Halves(QueryColumn):
            name: ClassVar[str] = "halves"
            end_names: ClassVar[tuple[str, ...]] = ("half",)

            half: Floats


        def compute(scored):
            return Halves(scored.scores.values / 2), ()
        """,
        [
            ("The fields of Choices, as keywords", "    halves: bool"),
            (
                "Each is an option of ``fairtrec eval``",
                (
                    "    halves: Annotated[bool, Choice(('--halves',), MEASURES, 'Print halves.', after='background', adds=True, "
                    "only=('eval',), key='halves', behind='fairtrec', column='halves', trials=(True,))] = False"
                ),
            ),
        ],
    ),
    "a command": (
        """
        from fairtrec.support.command_rows import CommandRow

        ROW = CommandRow("hello", "Evaluate", "Say hello.", "provisional")
        """,
        [("COMMANDS = (", '    "hello",')],
    ),
}
if "| a reranker |" not in PAGE:
    del NEW["a reranker"]
HELLO = """
    import click

    from fairtrec.cli.commands import Titled


    @click.command(name="hello", cls=Titled)
    def command():
        click.echo("hello")
    """


def test_the_rooms_are_the_layers():
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    drawn = [line[14:].partition("│")[0].split() for line in ROOMS.splitlines()]
    assert drawn == [layer.replace("fairtrec.", "").split(" | ") for layer in layers]


def test_every_file_that_it_names_is_there():
    new = {path for _, path, _, _ in rows() if path}
    named = set(re.findall(r"(?:fairtrec|tests|docs)/[\w/.]*\w", PAGE))
    missing = {path for path in named if not (REPOSITORY / path).exists()}
    assert missing <= new | {"fairtrec/evaluation/given/prices.py"}, "the page names files that are not there"
    assert not any((REPOSITORY / path).exists() for path in new)
    assert named > new


def enter(*words):
    """List the functions that a command enters, in order: (path, name)."""
    found = []

    def note(frame, event, _):
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(f"{REPOSITORY / 'fairtrec'}{os.sep}"):
            found.append((Path(file).relative_to(REPOSITORY / "fairtrec").as_posix(), frame.f_code.co_qualname))

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        patch.setattr(sys, "argv", ["fairtrec", *words])
        sys.setprofile(note)
        try:
            code = ended()
        finally:
            sys.setprofile(None)
    assert code == 0
    return found


@pytest.fixture(scope="module")
def entered():
    return enter(*WORDS)


def test_a_number_goes_the_way_that_it_says(entered):
    at = -1
    for line in WAY.splitlines():
        path, name = line.lstrip("0123456789 ").split()[:2]
        assert (path, name) in entered[at + 1 :], f"{line}: not entered after the step before"
        at = entered.index((path, name), at + 1)


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    """Counts as ``fairtrec counts make`` writes them."""
    path = tmp_path_factory.mktemp("counts") / "counts.tsv"
    fairtrec.make_counts(EXAMPLE / "collection.tsv", "gender-en", path)
    return path


def test_every_file_that_is_entered_is_named(counts):
    """In a fresh process, as what a cache holds is not entered again."""
    words = [str(counts) if word.endswith("counts.tsv") else word for word in WORDS]
    listed = PAGE.partition("On the way it enters")[2].partition("\n`fairtrec.evaluate`")[0]
    named = {*re.findall(r"`([\w/]+\.py)`", listed), *re.findall(r"[\w/]+\.py", WAY)}
    done = subprocess.run(
        [sys.executable, "-c", TRACE, *words], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    assert {*done.stdout.split()} == named


def test_what_serves_notes_is_entered_when_values_are_there(counts):
    listed = PAGE.partition("Some files serve only columns and notes.")[2].partition("\n\n")[0]
    named = {*re.findall(r"`([\w/]+\.py)`", listed)}
    given = {str(FILES["my.run"]): str(TIED), str(FILES["counts.tsv"]): str(counts)}
    found = enter(*(given.get(word, word) for word in WORDS))
    at = found.index(("evaluation/columns/__init__.py", "add_columns"))
    assert ("evaluation/score.py", "compute_values") in found[:at]
    assert named.isdisjoint(path for path, _ in found[:at])
    assert named <= {path for path, _ in found[at:]}
    columns = {path for path, _ in found[:at] if path.startswith("evaluation/columns/")}
    assert columns <= {"evaluation/columns/__init__.py", "evaluation/columns/scored_run.py"}
    assert found.index(("data/run.py", "Run.keep_tied")) > at


def rows():
    """What is new, its file, how many lines elsewhere, and in which files."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:3] == "| a"]
    return [
        (what, new.strip("`"), int(where.partition(":")[0]), re.findall(r"`(fairtrec/[^`]+)`", where))
        for what, new, where in cells
    ]


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """Copy the package and add to the copy what the page says, where it says."""
    folder = tmp_path_factory.mktemp("grown")
    shutil.copytree(REPOSITORY / "fairtrec", folder / "fairtrec", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "resources", folder / "resources")
    for what, new, lines, files in rows():
        if what in NEW:
            source, several = NEW[what]
            (folder / new).parent.mkdir(exist_ok=True)
            (folder / new).write_text(dedent(source).lstrip())
            (file,) = files
            for behind, line in several:
                text = (folder / file).read_text()
                start = text.index(behind)
                end = text.index("\n", start) + 1
                (folder / file).write_text(f"{text[:end]}{line}\n{text[end:]}")
            assert lines == len(several)
    (folder / "fairtrec" / "commands" / "hello" / "command.py").write_text(dedent(HELLO).lstrip())
    (folder / "my.run").write_text("q Q0 d1 1 2 t\nq Q0 d2 2 1 t\n")
    (folder / "said.run").write_text("query q document d1 score 2\nquery q document d2 score 1\n")
    return folder


@pytest.mark.long
def test_what_is_new_is_added_as_it_says(grown):
    wanted = {
        "eval none my.run -m Spoken@5": "Spoken@5              \tall\t2.5000\n",
        "eval none my.run -m Spoken@5 --halves": "Spoken@5.half         \tall\t1.2500\n",
        "eval none my.run -m Spoken@5 --halves -q -f json": '"half": {\n     "q": {\n      "Spoken@5": 1.25',
        "eval none my.run -m Spoken -f tally": "1 runs, 4 places\n",
        "eval none said.run -m Spoken@5": "Spoken@5              \tall\t2.5000\n",
        "eval none said.run -m Spoken@5 --run-format spoken": "Spoken@5              \tall\t2.5000\n",
        "validate said.run --fix mended.run": "said.run",
        "rerank none my.run --by Backwards": "q Q0 d2 1 2 t-Backwards\nq Q0 d1 2 1 t-Backwards\n",
        "hello": "hello\n",
        "--help": "Say hello.\n",
    }
    if "a reranker" not in NEW:
        del wanted["rerank none my.run --by Backwards"]
    found = one_process.printed({line: line.split() for line in wanted}, grown, grown)
    assert {line: code for line, (code, _, _) in found.items()} == dict.fromkeys(wanted, 0), found
    assert [line for line, text in wanted.items() if text not in found[line][1]] == []


def test_a_new_form_without_ranks_is_refused_by_its_row(grown):
    line = "eval none said.run -m Spoken@5 --order rank"
    ((code, _, err),) = one_process.printed({line: line.split()}, grown, grown).values()
    assert (code, err) == (3, "said.run: a run of a spoken run has no ranks; leave out --order rank\n")


def test_the_table_has_what_is_tried_here_and_elsewhere():
    """That one is tried in tests/measures/catalogue/test_needs.py; options in tests/evaluation/test_new_choice.py."""
    elsewhere = {"a thing given beside the runs"}
    elsewhere |= {f"a view option of `eval` about {what}" for what in ("tables", "one format")}
    elsewhere |= {f"a choice of `eval` about {what}" for what in ("counts", "documents of runs")}
    assert {what for what, *_ in rows()} == NEW.keys() | elsewhere


def test_contributing_points_here():
    assert "(docs/architecture.md)" in (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
