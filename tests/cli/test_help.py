"""The help of each command reads in groups, and fits the terminal."""

import inspect
import re
import shlex
from contextlib import redirect_stdout
from io import StringIO
from itertools import chain, pairwise
from types import SimpleNamespace

import click
import pytest

from fairtrec import commands
from fairtrec.cli import GROUPS, command, find_rows
from fairtrec.cli.commands import FIRST, SECTIONS, Commands, Titled, find_sections, fold_example
from fairtrec.measures.catalogue import registry
from fairtrec.support import command_rows
from fairtrec.support.errors import UsageError
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.help_texts import sections, shown


def walked(found, *path):
    """Give each command below one, with the words that call it."""
    yield path, found
    if isinstance(found, click.Group):
        context = click.Context(found)
        for name in found.list_commands(context):
            yield from walked(found.get_command(context, name), *path, name)


EVERY = dict(walked(command))


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(columns):
    for path in EVERY:
        lines = shown(columns, *path).splitlines()
        assert not [line for line in lines if len(line) > columns], path


@pytest.mark.parametrize("columns", [60, 80])
def test_each_command_of_a_command_is_told_by_a_whole_sentence(columns):
    told = [shown(columns, *path).partition("\nCommands:\n")[2] for path in EVERY if path]
    several = [re.split(r"^  (?=\S)", each, flags=re.MULTILINE)[1:] for each in told if each]
    assert len(several) >= 3
    assert all(each.endswith(".") and not each.endswith("..") for each in map(str.strip, chain(*several)))


@pytest.mark.parametrize("columns", [60, 80])
def test_names_of_measures_go_on_to_the_end_of_the_line(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    with redirect_stdout(StringIO()) as printed:
        command.main(["measures"], prog_name="fairtrec", standalone_mode=False)
    names = re.search(r"^  (AP|Accuracy)\b.*(\n +.*)*", printed.getvalue(), re.MULTILINE)[0].splitlines()
    assert len(names) > 2
    for line, behind in pairwise(names):
        assert len(line) <= columns < len(line) + 1 + len(behind.split()[0])


def test_a_wide_terminal_is_used():
    assert 110 < max(map(len, shown(120, "eval").splitlines())) <= 118
    assert 170 < max(map(len, shown(180, "eval").splitlines())) <= 178


def test_each_command_has_titles_and_loses_no_option():
    for path, found in EVERY.items():
        assert isinstance(found, Commands if isinstance(found, click.Group) else Titled), path
        context = click.Context(found, help_option_names=["-h", "--help"])
        options = {each.opts[0] for each in found.get_params(context) if isinstance(each, click.Option)}
        printed = [option for each in sections(shown(100, *path)).values() for option in each]
        if not found.brief:  # either is the first in click 8.2
            options, printed = (
                [("-h" if each == "--help" else each) for each in several] for several in (options, printed)
            )
        assert sorted(printed) == sorted(options), path


BRIEF = [path for path, found in EVERY.items() if found.brief]


def test_few_commands_have_a_short_help():
    assert {" ".join(path) for path in BRIEF} == {"eval", *gather_trials("SHORT_HELP")}


@pytest.mark.parametrize("path", BRIEF, ids=" ".join)
def test_the_short_help_fits_forty_lines_and_names_the_long_one(path, fairtrec_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = fairtrec_command(*path, "-h")
    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    found = EVERY[path]
    options = {each.name: each for each in found.get_params(click.Context(found)) if isinstance(each, click.Option)}
    assert lines[-1] == f"--help for all {len(options)} options"
    listed = re.findall(r"^  (-\S+?)(?:,| )", done.out.partition("\nOptions:\n")[2], re.MULTILINE)
    assert listed == [min(options[name].opts, key=len) for name in found.brief.split()]
    assert len(lines) < len(fairtrec_command(*path, "--help").out.splitlines()) / 2


def test_the_short_help_of_eval_has_what_people_need():
    needed = [
        "-m",
        "--terms",
        "--docs",
        "--counts",
        "--labels",
        "--background",
        "--queries",
        "--sort",
        "-q",
        "-f",
        "-o",
    ]
    options = {each.name: each.opts for each in EVERY["eval",].params}
    assert [min(options[name], key=len) for name in EVERY["eval",].brief.split()] == needed


def test_no_title_waits_for_an_option_that_there_is_not():
    known = {parameter.name for found in EVERY.values() for parameter in found.params} | {"help", "brief"}
    named = " ".join(SECTIONS.values()).split()
    if commands.has_command("make ranker"):  # the sections name options of the lab
        assert set(named) <= known
    assert len(named) == len(set(named)), "an option stands under one title"
    for path, found in EVERY.items():
        first, _, also = find_sections(" ".join(path))
        assert {*first.split(), *also.split()} <= {parameter.name for parameter in found.params}, path
    for row in find_rows():
        assert {(row.name, *words.split()) for words in row.sections} <= EVERY.keys()


def test_the_groups_of_eval():
    found = sections(shown(80, "eval"))
    assert list(found) == ["First", "Inputs", "Measures", "Ranking", "Comparison", "Output", "Options"]
    assert found["Ranking"] == ["--samples", "-M", "--only", "--order", "--score-dtype", "--run-format", "--columns"]
    assert {"-j", "--keep-going", "-h"} <= set(found["Options"])
    assert {"--stances", "--counterfactual"} <= set(found["Inputs"]), "what measures ask for beside the runs"


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_the_help_of_a_command_of_many_options_begins_with_the_three_that_matter(path):
    found = EVERY[path]
    many = sum(isinstance(each, click.Option) for each in found.params) >= 10
    first = find_sections(" ".join(path))[0].split()
    assert len(first) == (3 if many else 0)
    if many:
        options = {each.name: each.opts for each in found.params}
        title, listed = next(iter(sections(shown(80, *path)).items()))
        assert title == FIRST
        assert all(option in options[name] for name, option in zip(first, listed, strict=True))


def test_commands_stand_in_five_groups_a_line_each():
    assert list(GROUPS) == ["Evaluate", "Explain", "Change", "Prepare", "Look up"]
    text = shown(80)
    places = [text.index(f"\n{title}:\n") for title in GROUPS if title in {row.group for row in find_rows()}]
    assert places == sorted(places)
    lines = text.splitlines()
    width = max(len(row.name) for row in find_rows())
    assert all(f"  {row.name:<{width}}  {row.text}" in lines for row in find_rows())
    assert {row.group for row in find_rows()} <= {*GROUPS}


def test_an_option_without_a_group_stands_among_the_commands_own(monkeypatch):
    row = command_rows.CommandRow("trade", "Evaluate", "Trade.", "provisional", sections={"": ("", "Trade", "")})
    registry = SimpleNamespace(has_command="trade".__eq__, load_row={"trade": row}.get)
    monkeypatch.setattr(command_rows, "registry", registry)
    price = click.option("--price", metavar="N", help="What it costs.")
    of_own = click.command(name="trade", cls=Titled)(price(lambda: None))
    of_none = click.command(cls=Titled)(price(lambda: None))
    assert "\nTrade:\n  --price N   What it costs.\n\nOptions:\n" in of_own.get_help(click.Context(of_own))
    assert "\nOptions:\n  --price N   What it costs.\n" in of_none.get_help(click.Context(of_none))


def test_texts_stand_in_one_column():
    places = {len(row[1]) for row in re.finditer(r"(?m)^(  -(?:\S| \S)*  +)\S", shown(80, "eval"))}
    assert len(places) == 1


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_an_example_says_the_same_however_narrow(path):
    """Its words are those that stand in the code, in their order."""
    for text in re.findall(r"\x08\n(.*?)(?:\n\n|\Z)", inspect.cleandoc(EVERY[path].help or ""), re.DOTALL):
        for width in (30, 50, 76):
            narrow = fold_example(text, width)
            words = [shlex.split(each.replace("\\\n", " "), comments=True) for each in (text, narrow)]
            assert words[0] == words[1]


def test_the_default_is_a_few_of_what_the_inputs_allow(fairtrec_command):
    words = " ".join(fairtrec_command("eval", "--help").out.split())
    assert "[default: a few that the inputs allow]" in words
    with pytest.raises(UsageError, match="no measure all; `fairtrec measures`"):
        registry.parse("all")


def test_without_a_command_the_first_screen_has_those_that_most_people_need(fairtrec_command):
    done = fairtrec_command()
    assert (done.code, done.out) == (2, "")
    names = re.findall(r"^  (\w+)  +\S", done.err.partition("Commands:\n")[2], re.MULTILINE)
    assert names == ["demo", *(row.name for row in find_rows() if row.is_first and row.name != "demo")]
    assert 4 <= len(names) <= 6
    assert done.err.splitlines()[-1] == "fairtrec --help: all commands"
    assert len(done.err.splitlines()) < 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate", "x"], "there is no command evaluate; did you mean eval?"),
        (["convert"], "most files are read as they are; docs/convert.md shows the others"),
        (["qrels.txt", "my.run"], "there is no command qrels.txt; did you mean: fairtrec eval qrels.txt my.run"),
        (["none", "my.run"], "did you mean: fairtrec eval none my.run"),
        (["-m", "ndcg_cut.10", "q", "my.run"], "did you mean: fairtrec eval -m ndcg_cut.10 q my.run"),
        (["-q", "here"], "did you mean: fairtrec eval -q here"),
        (["-m", "RR", "eval", "my.run"], "No such option '-m'"),
        (["here", "my.run"], "did you mean: fairtrec eval here my.run"),
    ],
)
def test_a_command_that_is_nearly_one_is_answered_with_what_was_meant(
    words, said, fairtrec_command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").touch()
    done = fairtrec_command(*words)
    assert done.code == 2
    assert said in done.err
