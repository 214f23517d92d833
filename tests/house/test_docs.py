"""What the pages of docs/ and the README promise in words is so, and their examples run as they stand.

Blocks of commands and of Python run one after the other in the folder that `fairtrec demo --copy` makes, one folder for
each page; Python has the names of the blocks above it. Below `<!-- output -->` stands what a block prints. What needs
more than that folder has (a network, Java, a model, minutes, files of the reader, another package) stands below a line
`<!-- only parsed: why -->`: its commands are parsed to their last option.
"""

import inspect
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

import fairtrec
from fairtrec import measure
from fairtrec.cli import command
from fairtrec.commands import list_names
from fairtrec.measures.catalogue import registry, relevance
from fairtrec_made import REPOSITORY, pages, precision
from fairtrec_made.command_trials import gather_trials

PAGES = {
    path.name: path.read_text("utf-8")
    for path in [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
}
EXAMPLES = {name: found for name, page in PAGES.items() if (found := pages.examples(page))}


def perform(line, fairtrec_command):
    """Do what a line of a shell says, and give what it prints. It ends as its remark says, or with 0."""
    words = shlex.split(line, comments=True)
    target = None
    if words[-2:-1] == [">"]:
        *words, _, target = words
    if words[0] == "cd":
        return ""
    if words[:2] == ["mkdir", "-p"]:
        Path(words[2]).mkdir(parents=True, exist_ok=True)
        return ""
    if words[0] in ("awk", "cp", "ln", "mkfifo"):
        done = subprocess.run(words, capture_output=True, check=True, text=True)
        if target:
            Path(target).write_text(done.stdout, "utf-8")
        return done.stdout
    if words[:2] == [
        "fairtrec",
        "plot",
    ]:  # a page of figures embeds its fonts each time; tests/lab/plot/test_plot.py has one
        words = [word.replace(".pdf", ".svg") for word in words]
    merged = words[-1] == "2>&1"
    words = words[:-1] if merged else words
    assert words[0] == "fairtrec", f"neither fairtrec nor a word that is known here: {line}; mark the block"
    done = fairtrec_command(*words[1:])
    said = re.search(r"# exit code (\d)", line)
    assert done.code in {0, int(said[1]) if said else 0}, f"{line}\n{done.err}"
    if target:
        Path(target).write_text(done.out, "utf-8")
        return ""
    return done.err + done.out if merged else done.out


@pytest.fixture
def forgotten():
    """Forget the measures that a page defines, which no other test may find."""
    before = {**measure.DEFINED}
    yield
    measure.DEFINED.clear()
    measure.DEFINED.update(before)


@pytest.mark.long
@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.usefixtures("copied", "forgotten")
def test_the_examples_of_a_page_run_in_the_folder_of_the_demo(name, fairtrec_command):
    names = {"__name__": "page"}
    for block in EXAMPLES[name]:
        if block.parsed:
            parse(block, name)
        elif block.language == "python":
            compare(name, block, pages.run_program(block.text, names, name))
        else:
            *_, printed = [perform(line, fairtrec_command) for line in block.lines]
            compare(name, block, printed)


def parse(block, name):
    """Parse Python, or each command to its last option."""
    if block.language == "python":
        compile(block.text, name, "exec")
    else:
        for line in block.lines:
            pages.parse(line)


def compare(name, block, printed):
    """Compare what a block prints with what the page shows; with FAIRTREC_UPDATE write that into the page."""
    shown = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    if block.shown and os.environ.get("FAIRTREC_UPDATE"):
        path = REPOSITORY / "docs" / name
        written = re.sub(r"(fairtrec:\d+\.\d+\.\d+)\S*", r"\1", pages.in_terminal(shown).strip("\n"))
        path.write_text(path.read_text("utf-8").replace(block.shown, f"{written}\n"), "utf-8")
    elif block.shown:
        assert precision.agree(pages.unversioned(shown), pages.unversioned(block.shown))


def test_a_command_of_a_page_stands_in_a_block_that_runs():
    """What is indented is a synopsis, with words in capital letters."""
    for name, page in PAGES.items():
        for line in re.findall(r"^    (?:\$ )?(fairtrec (?:" + "|".join(list_names()) + r")\b.*)$", page, re.MULTILINE):
            assert re.search(r"\b(OPTIONS|QRELS|RUN|TRIPLES)\b", line), f"{name}: {line}"


def examples(found, *path):
    """Give the example of each command below one, line by line."""
    text = re.search(r"\x08\n(.*?)(?:\n\n|\Z)", inspect.cleandoc(found.help or ""), re.DOTALL)
    yield from (text[1].replace("\\\n", " ").splitlines() if text else ())
    if isinstance(found, click.Group):
        context = click.Context(found)
        for name in found.list_commands(context):
            yield from examples(found.get_command(context, name), *path, name)


ELSEWHERE = re.compile("|".join(gather_trials("OTHER_FILES", [">>"])))  # what the folder has no files for


@pytest.mark.long
@pytest.mark.usefixtures("copied")
def test_the_example_of_each_command_runs_in_the_folder_of_the_demo(fairtrec_command):
    lines = list(examples(command))
    assert len(lines) > 15
    assert len([line for line in lines if ELSEWHERE.search(line)]) < 10
    for line in lines:
        if ELSEWHERE.search(line):
            pages.parse(line)
        else:
            perform(line, fairtrec_command)


def test_the_page_says_that_names_of_trec_eval_are_printed_otherwise():
    page = (REPOSITORY / "docs" / "eval.md").read_text("utf-8")
    assert "`AP` for `map`" in page
    assert list(map(str, registry.parse("map ndcg_cut_10"))) == ["AP", "nDCG@10"]


def test_no_page_speaks_of_a_tag():
    pages_with_code = [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")]
    assert not [page.name for page in pages_with_code if "rev: v" in page.read_text("utf-8")]


@pytest.mark.long
def test_the_pages_that_are_made_are_what_the_code_says():
    """The only place where the help of each command is recorded: `make docs` writes it anew."""
    check = [sys.executable, REPOSITORY / "docs" / "build.py", "--check"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(check, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr


COMMAND_PAGES = {path.stem: path.read_text("utf-8") for path in sorted((REPOSITORY / "docs" / "commands").glob("*.md"))}


def sections():
    """Give each command, with its words, and the part of a page that is about it."""
    for page in COMMAND_PAGES.values():
        for part in re.split(r"^##? (?=fairtrec )", page, flags=re.MULTILINE)[1:]:
            words, _, text = part.removeprefix("fairtrec ").partition("\n")
            yield words, text


def flat(text):
    """Give the text without the signs of Markdown, and without spaces: lines break at hyphens, too."""
    return "".join(re.sub(r"\\(?=[*<\[_])|`", "", text).split())


def test_help_prints_what_the_pages_of_commands_have(fairtrec_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "102")
    found = dict(sections())
    assert found
    for words, text in found.items():
        printed = fairtrec_command(*words.split(), "--help").out
        usage, _, rest = printed.removeprefix("Usage: ").partition("\n\n")
        assert flat(usage) in flat(text), words
        about, *titled = re.split(r"^\w[\w ]+:$", rest, flags=re.MULTILINE)
        options = re.findall(r"^  (-\S.*?)(?=^  -|^\S|^$)", "".join(titled), re.MULTILINE | re.DOTALL)
        headings = re.findall(r"^### `(-[^`]*)`\n\n`([^`]*)`\n\n(.*)$", text, re.MULTILINE)
        assert len(options) == len(headings), words
        shown = {flat(term + meaning) for _, term, meaning in headings}
        assert {flat(option) for option in options} == shown, words
        for paragraph in about.split("\n\n"):
            assert flat(paragraph.replace("\\\n", "")) in flat(text.replace("\\\n", "")), words


def test_the_pages_of_commands_have_the_short_option_for_help_too():
    parts = dict(sections())
    brief = [words for words, text in parts.items() if "\n### `-h`\n" in text]
    assert {*brief} == {"eval", *gather_trials("SHORT_HELP")}
    assert all("`-h, --help`" in text for words, text in parts.items() if words not in brief)


def test_the_page_of_installing_names_the_measures_that_need_ir_measures():
    sentence = re.search(r"Only ((?:\w+,?\s+(?:and\s+)?)+)need it", PAGES["install.md"])
    assert {*re.split(r",\s+|\s+and\s+|\s+", sentence[1].strip())} == relevance.ELSEWHERE


def test_the_page_of_choices_names_each_choice_and_no_other():
    page = (REPOSITORY / "docs" / "api" / "Choices.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [*fairtrec.Choices.__dataclass_fields__]


def test_each_attribute_of_the_api_has_a_meaning():
    lacking = {
        path.name: names
        for path in (REPOSITORY / "docs" / "api").glob("*.md")
        if (names := re.findall(r"^\| `(\w+)` \|.*\|\s*\|$", path.read_text("utf-8"), re.MULTILINE))
    }
    assert not lacking


BRITISH = re.compile(
    r"\w*(?:judgement|labell|normalis|recognis|tokenis|optimise|colour|behaviour|neighbour|honour)\w*"
    r"|\bcentred?\b|\bprogrammes?\b",
    re.IGNORECASE,
)
NAMES_OF_OTHERS = ("Nature Human Behaviour", "tokenise=False")  # a journal, and a keyword of PyTerrier


def test_spelling_is_american():
    texts = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md"), *(REPOSITORY / "fairtrec").rglob("*.py")]
    assert len(texts) > 400
    found = {}
    for path in texts:
        text = path.read_text("utf-8")
        for name in NAMES_OF_OTHERS:
            text = text.replace(name, "")
        if words := [word for word in set(re.findall(r"\w+", text)) if BRITISH.fullmatch(word)]:
            found[path.name] = words
    assert not found
