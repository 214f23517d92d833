"""A command of another package: the example of CONTRIBUTING.md, announced as pip lays it out."""

import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import click
import pytest

from fairtrec import cli, commands
from fairtrec.cli.commands import Titled
from fairtrec.cli.performing import run_command
from fairtrec.support.errors import InputError, UsageError
from fairtrec.testing import CommandContract

REPOSITORY = Path(__file__).parents[2]
SECTION = re.search(
    r"^## A command in your own package$(.*?)^## ",
    (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8"),
    re.MULTILINE | re.DOTALL,
)[1]
(EXAMPLE, ROW, CONTRACT) = re.findall(r"^```python\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
((GROUP, ANNOUNCED),) = re.findall(r'^\[project.entry-points."(.*?)"\]\n(.*?)^```$', SECTION, re.MULTILINE | re.DOTALL)
FILES = {"qrels.txt": "q 0 d1 1\n", "my.run": "q Q0 d1 1 2 t\nq Q0 d2 2 1 t\n"}


@pytest.fixture
def fairtrec_with(tmp_path, monkeypatch, fairtrec_command):
    """Install a package with a command, then give what calls fairtrec with it."""

    def installed(source=EXAMPLE, announced=ANNOUNCED, row=ROW, **files):
        for name, text in FILES.items():
            (tmp_path / name).write_text(text)
        metadata = tmp_path / "site" / "my_package-1.0.dist-info"
        metadata.mkdir(parents=True)
        (tmp_path / "site" / "mypackage").mkdir()
        for name, text in {"__init__": row, "precision": source, **files}.items():
            (tmp_path / "site" / "mypackage" / f"{name}.py").write_text(dedent(text))
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{announced.replace(chr(34), '')}\n")
        (metadata / "RECORD").write_text("")
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        return fairtrec_command

    before = {*sys.modules}
    yield installed
    for name in {*sys.modules} - before:
        if name.startswith("mypackage"):
            del sys.modules[name]


def test_the_example_is_found_listed_offered_and_fails_as_ours_do(fairtrec_with, monkeypatch, capsys):
    fairtrec = fairtrec_with()
    done = fairtrec("precision", "qrels.txt", "my.run", "--cutoff", "2")
    assert (done.code, done.out, done.err) == (0, "0.5\n", "")
    assert re.search(r"^  precision +Print the precision of a run\.$", fairtrec("--help").out, re.MULTILINE)
    done = fairtrec("precision", "none.txt", "my.run")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("none.txt: ")
    assert fairtrec("precisio").code == 2
    for name, value in {
        "_FAIRTREC_COMPLETE": "bash_complete",
        "COMP_WORDS": "fairtrec\nprec",
        "COMP_CWORD": "1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["fairtrec"])
    with pytest.raises(SystemExit):
        cli.main()
    assert capsys.readouterr().out == "plain,precision\n"


def test_it_is_called_from_a_shell(fairtrec_with, tmp_path):
    fairtrec_with()
    path = os.pathsep.join([str(tmp_path / "site"), str(REPOSITORY)])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "fairtrec", "precision", "qrels.txt", "my.run", "--cutoff", "2"],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "0.5\n", "")


def test_the_example_keeps_the_contract(fairtrec_with):
    fairtrec_with()
    namespace = {}
    exec(CONTRACT, namespace)
    contract = namespace["TestPrecision"]()
    laws = [name for name in dir(contract) if name.startswith("test_")]
    assert len(laws) == 4
    for law in laws:
        getattr(contract, law)()


def test_no_package_is_looked_at_where_a_command_of_ours_is_called(fairtrec_with):
    fairtrec = fairtrec_with(row="raise SystemError", announced='measures = "mypackage:ROW"\nmine = "mypackage:ROW"')
    assert "BibTeX" in fairtrec("measures", "--help").out, "ours, which none replaces"
    code = "import sys; from fairtrec import cli; cli.command(['eval', '--help'], standalone_mode=False); sys.exit('importlib.metadata' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


MINE = ROW.replace('"precision", ', '"mine", ')
BROKEN = [
    (MINE, "raise SystemError('no\\nluck')", "does not load"),
    (MINE, "command = 3", "it must be a click command of class fairtrec.cli.commands.Titled"),
    (MINE, "import click\ncommand = click.Command('mine')", "it must be a click command"),
    (MINE, EXAMPLE, "calls mine precision; command and row need one name"),
    (ROW, EXAMPLE, "is announced as mine; row and entry point need one name"),
    ("ROW = 3", EXAMPLE, "is not a row; it must be a fairtrec.support.command_rows.CommandRow"),
    ("raise SystemError('no\\nluck')", EXAMPLE, "does not load"),
]


@pytest.mark.parametrize(("row", "source", "why"), BROKEN)
def test_a_broken_command_is_one_line_and_no_trouble_to_others(row, source, why, fairtrec_with):
    fairtrec = fairtrec_with(source, "mine = mypackage:ROW", row)
    done = fairtrec("mine")
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert why in line
    listed = fairtrec("--help")
    assert listed.code == 0
    assert ("Do not load:" in listed.out) == (row != MINE)
    assert fairtrec("eval", "qrels.txt", "my.run", "-m", "P@1").code == 0


WHOLE = """
    from fairtrec.report.writers import USUAL, FormatTable
    from fairtrec.support.command_rows import CommandRow

    COUNTS = FormatTable("mypackage.layout", {form: USUAL[form] for form in ("tsv", "json")})
    ROW = CommandRow(
        "tally",
        "Explain",
        "Count the documents of a run.",
        "provisional",
        place="precision:command",
        question="How many documents are there?",
        brief="form",
        sections={"": ("form", "Tally", "by")},
        answers={"Tally": COUNTS},
        study="study:list_parts",
        public={"tally": "answer:tally"},
        catalogue={"COUNTER": "catalogue:"},
    )
    """
ANSWER = """
    from dataclasses import dataclass

    from fairtrec.evaluation.answers import Answer


    @dataclass(frozen=True)
    class Tally(Answer):
        documents: int


    def tally(run):
        with open(run) as file:
            return Tally(len(file.readlines()))
    """
LAYOUT = """
    def rows(tally, places):
        return [["documents"], [str(tally.documents)]]


    def record(tally):
        return {"documents": tally.documents}
    """
STUDY = """
    from fairtrec.cli.performing import StudyPart


    def list_parts(fairness, inputs, *, is_several):
        yield StudyPart("tally", "tally", ["--by", "all"], "How long is each run?", "Documents were counted.")
    """
TALLY = """
    import click

    import fairtrec
    from fairtrec.cli import options
    from fairtrec.cli.commands import Titled
    from mypackage import COUNTS


    @click.command(name="tally", cls=Titled)
    @click.argument("runs", nargs=-1)
    @click.option("--by", metavar="COUNTER", default="all", help="Count by this.")
    @click.option("--format", "-f", "form", type=click.Choice(["tsv", "json"]), default="tsv", help="Print in it.")
    def command(runs, by, form):
        \"""Count the documents of the last run.\"""
        click.echo(COUNTS(form, fairtrec.tally(runs[-1])), nl=False)
    """
CATALOGUE = """
    def names():
        return ["all"]


    def overview():
        return "counters\\n  all  counts all"


    def page(name):
        return f"{name}\\n\\nIt counts all.\\n"
    """


def test_a_command_of_another_package_has_all_that_ours_have(fairtrec_with):
    files = {"answer": ANSWER, "layout": LAYOUT, "study": STUDY, "catalogue": CATALOGUE}
    fairtrec = fairtrec_with(TALLY, "tally = mypackage:ROW", WHOLE, **files)
    explaining = fairtrec("--help").out.partition("\nExplain:\n")[2].partition("\n\n")[0]
    assert re.search(r"^  tally +Count the documents of a run\.$", explaining, re.MULTILINE), "in its group"
    assert "\nFirst:\n  -f, --format" in fairtrec("tally", "--help").out, "sections"
    assert "--by" not in fairtrec("tally", "-h").out, "a short help"
    assert fairtrec("tally", "my.run", "-f", "json").out == '{\n "documents": 2\n}\n'
    import fairtrec as package

    answer = package.tally("my.run")
    assert answer.to_frame().to_dict("list") == {"documents": ["2"]}, "formats, found by the class"
    assert package.STABILITY["fairtrec.tally"] == "provisional"
    assert {"tally"} <= {*package.__all__} & {*dir(package)}
    assert "counts all" in fairtrec("measures").out
    assert fairtrec("measures", "all").out == "all\n\nIt counts all.\n"
    (row,) = (row for row in commands.list_rows() if row.name == "tally")
    (part,) = commands.load(row, row.study)(None, {}, is_several=False)
    assert run_command([part.command, "my.run", *part.words, "-f", "json"]).record == {"documents": 2}


def test_a_public_name_that_does_not_load_is_one_line_and_only_where_it_is_used(fairtrec_with):
    fairtrec_with(TALLY, "tally = mypackage:ROW", WHOLE, answer="raise SystemError('no\\nluck')")
    import fairtrec as package

    names = {}
    exec("from fairtrec import *", names)
    assert {"evaluate", "compare"} <= {*names}
    assert "tally" not in names
    with pytest.raises(
        UsageError, match=r"^the plug-in mypackage.answer of the command tally does not load: .*$"
    ) as told:
        _ = package.tally
    assert "\n" not in str(told.value)


def test_a_checkout_that_is_not_installed_says_how_its_other_commands_are_found(fairtrec_command, monkeypatch):
    monkeypatch.setattr("fairtrec.commands.find_entry_points", lambda _: {})
    done = fairtrec_command("headroom", "qrels.txt", "my.run")
    assert done.code == 2
    assert done.err.splitlines()[-1] == (
        "Error: there is no command headroom; this checkout is not installed; for the commands of the lab, run: "
        "pip install -e ."
    )
    assert fairtrec_command("eval", "--help").code == 0


def made(cls=Titled, callback=lambda **_: None, option="Of what.", **more):
    params = [click.Option(["--of"], help=option), click.Argument(["a"])]
    return cls("mine", callback=callback, params=params, **{"help": "Say it.", **more})


def refuse(**_):
    raise InputError("bad", "a.txt")


BREACHES = [
    ("help_reads", made(click.Command), {}, "is not of class"),
    ("help_reads", made(help=""), {}, "has no help"),
    ("help_reads", made(option=None), {}, "these options have no help: of"),
    ("help_is_asked_for", made(add_help_option=False), {}, "--help ends with 2"),
    ("it_ends", made(), {("a",): 1}, "a ends with 0, not 1"),
    ("it_ends", made(callback=refuse), {("a",): 3}, "does not say what to do"),
    ("an_option_that", made(cls=type("Lax", (Titled,), {"ignore_unknown_options": True})), {}, "ends with 0"),
]


@pytest.mark.parametrize(("law", "command", "ends", "why"), BREACHES, ids=[why for *_, why in BREACHES])
def test_a_command_that_breaks_a_law_fails_by_it(law, command, ends, why):
    (test,) = [each for name, each in vars(CommandContract).items() if name.startswith("test_") and law in name]
    contract = type("TestMine", (CommandContract,), {"command": command, "ends": ends})
    with pytest.raises(AssertionError, match=why):
        test(contract())


def test_a_fault_of_a_command_is_that_of_its_package_unless_it_is_raised_by_fairtrec(fairtrec_with, monkeypatch):
    fairtrec = fairtrec_with(
        EXAMPLE.replace("    click.echo(", "    click.echo(1 / (cutoff - 1), nl=False)\n    click.echo(")
    )
    done = fairtrec("precision", "qrels.txt", "my.run", "--cutoff", "1")
    assert done.code == 5
    assert done.err == (
        "the command precision of the package my-package 1.0 has a fault (ZeroDivisionError: division by zero); "
        "report it to its authors, FAIRTREC_DEBUG=1 shows where\n"
    )
    from fairtrec.evaluation import session

    def fail(*_, **__):
        raise RuntimeError("ours")

    monkeypatch.setattr(session, "write_signature", fail)
    done = fairtrec("precision", "qrels.txt", "my.run", "--cutoff", "2")
    assert done.code == 5
    assert "fairtrec has a fault (RuntimeError: ours)" in done.err
