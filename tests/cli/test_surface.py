"""The surface: a word has one meaning in all commands and in Python, and an old name tells the new one."""

import re
from collections import defaultdict
from functools import cache

import click
import pytest

import fairtrec
from fairtrec.cli import command
from fairtrec.commands.make.ranker.train import train
from fairtrec.measures.catalogue.renamed import COMMANDS, KEYWORDS, OPTIONS
from fairtrec.support.errors import UsageError
from fairtrec_made import REPOSITORY

SINGULAR = {"measure": "measures"}  # one value of what elsewhere may have several
OLD = (  # as they would be typed or written: options, commands, keywords
    r"--annotations\b",
    r"\bannotations=",
    r"\bfairtrec annotations\b",
    r"--groups (?:LIST|NAME\b(?!=)|gender-)",
    r"\bgroups=(?:LIST|[\"']gender)",
    r"(?<!pip install )--group\b(?!s)",
    r"\bfairtrec[ .]free\b",
    r"--as (?:share|majority|any)",
    r"\brule=[\"']",
    r"--judged-only\b",
    r"\bexplain\b.* -q \w",
    r"\bexplain\b.*--candidates\b",
    r"--alpha\b",
    r"--on-error\b",
    r"\bon_error\b",
    r"\brerank\b.*--samples \d",
    r"\brerank --list\b",
    r"\bvalidate\b.*--depth\b",
    r"\badversarial rerank\b.*--queries\b",
    r"\bcite -m\b",
    r"\bresources get\b",
    r"\btrec-fair-2019\b.*--groups\b",
    r"(?<![\w-])--ties\b",
    r"(?<![\w-])--unknown\b",
    r"--missing bounds\b",
    r"\bties=True",
    r"\bunknown=(?:True|[\"']next)",
    r"\bmissing=[\"']bounds",
    r"\bvalidate\b.*--strict\b",
    r"\badversarial train\b.*--loss\b",
)
PLACES = [
    REPOSITORY / "README.md",
    REPOSITORY / "action.yml",
    *(REPOSITORY / "docs").glob("*.md"),
    *(REPOSITORY / "tests" / "cli" / "golden").glob("*.txt"),
    *(REPOSITORY / "benchmarks").glob("*.py"),
    *(path for path in (REPOSITORY / "fairtrec").rglob("*.py") if path.name != "renamed.py"),
    *(path for path in (REPOSITORY / "tests").rglob("*.py") if path.name != "test_surface.py"),
]


def walked(found, path=()):
    """All commands, each with the words that call it."""
    if isinstance(found, click.Group):
        for name in found.list_commands(click.Context(found)):
            yield from walked(found.get_command(click.Context(found), name), (*path, name))
    else:
        yield " ".join(path), found


EVERY = [(path, each) for path, found in walked(command) for each in found.params if isinstance(each, click.Option)]


def kind(option):
    """What may stand behind a flag: nothing, one of some words, or what is written otherwise."""
    return "nothing" if option.is_flag else "words" if isinstance(option.type, click.Choice) else "text"


def test_no_option_has_two_meanings():
    meanings = defaultdict(lambda: defaultdict(list))
    for path, option in EVERY:
        for flag in option.opts:
            meanings[flag][SINGULAR.get(option.name, option.name), kind(option)].append(path)
    assert {flag: dict(of) for flag, of in meanings.items() if len(of) > 1} == {}


def test_intervals_are_computed_as_asked_wherever_they_have_a_confidence():
    """A correlation has one interval, by Fisher's transformation, which `compare --correlate` tells; so has a kappa."""
    asked = {flag: {path for path, option in EVERY if flag in option.opts} for flag in ("--confidence", "--interval")}
    assert (
        asked["--confidence"] - {"gold agree"} == asked["--interval"] >= {"eval", "compare", "check", "select", "plot"}
    )


def test_no_meaning_has_two_options():
    flags = defaultdict(set)
    for _, option in EVERY:
        flags[option.name].add(max(option.opts, key=len))
    assert {name: of for name, of in flags.items() if len(of) > 1} == {}


def test_q_is_a_flag_everywhere():
    asked = [option for _, option in EVERY if "-q" in option.opts]
    assert len(asked) > 1
    assert all(option.is_flag for option in asked)


@cache
def texts():
    """What stands in each file in which old names are looked for."""
    return {path: path.read_text("utf-8") for path in PLACES}


@pytest.mark.parametrize("old", OLD)
def test_no_old_name_is_left(old):
    begins = re.match(r"(?:\\b|\(\?<![^)]*\))?([\w= -]+)", old)[1]  # without which it is nowhere in a text
    found = [
        f"{path.relative_to(REPOSITORY)}:{text[: hit.start()].count(chr(10)) + 1}: {hit[0]}"
        for path, text in texts().items()
        if begins in text
        for hit in re.finditer(old, text, re.MULTILINE)
    ]
    assert found == []


@pytest.mark.parametrize(("old", "new"), COMMANDS.items())
def test_an_old_command_tells_the_new_one(fairtrec_command, old, new):
    done = fairtrec_command(*old.split(), "whatever")
    assert (done.code, done.out, done.err) == (2, "", f"{old} is {new} now\n")


@pytest.mark.parametrize(("old", "new"), OPTIONS.items())
def test_an_old_option_tells_the_new_one(fairtrec_command, old, new):
    *called, option = old.split()
    if called[:1] == ["--missing"]:
        called, option = [], old
    done = fairtrec_command(*(called or ["eval"]), *option.split(), "whatever")
    assert (done.code, done.out, done.err) == (2, "", f"{option} is {new} now\n")


@pytest.mark.parametrize(("old", "new"), KEYWORDS.items())
def test_an_old_keyword_tells_the_new_one(old, new):
    *function, old = old.split()
    name, _, value = old.partition("=")
    asked = train if function == ["train"] else getattr(fairtrec, *(function or ["evaluate"]))
    with pytest.raises(UsageError, match=rf"^{old} is {new} now$"):
        asked("P@1", {"q": {"d": 1.0}}, **{name: value.strip("'") or "whatever"})


@pytest.mark.parametrize("name", ["rerank", "select", "validate", "explain", "headroom", "ablate", "check", "annotate"])
def test_every_function_tells_the_new_names_of_keywords(name):
    with pytest.raises(UsageError, match=r"^rule is membership now$"):
        getattr(fairtrec, name)(rule="any")


def test_an_old_name_of_the_package_tells_the_new_one():
    with pytest.raises(AttributeError, match=r"^fairtrec\.free is fairtrec\.headroom now$"):
        fairtrec.free  # noqa: B018


@pytest.mark.parametrize(
    "more", [[], ["--labels", "resources/example/labels.tsv"], ["--docs", "resources/example/collection.tsv"]]
)
def test_a_word_list_as_groups_is_told_where_it_goes(fairtrec_command, more, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    done = fairtrec_command("eval", "none", "resources/example/fair.run", "--groups", "gender-en", *more)
    assert done.code == 2
    assert done.err.endswith("(word lists are --terms now)\n")
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("typed", "way"), [("rerank --list", "fairtrec measures lists"), ("cite -m", "fairtrec cite NFaiRR")]
)
def test_an_option_that_went_tells_the_way_that_is_there(fairtrec_command, typed, way):
    done = fairtrec_command(*typed.split(), "whatever")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert way in done.err
