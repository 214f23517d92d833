"""No option is dropped in silence: each, alone and with each other, changes what comes out, or is refused in one line.

The options are those that the commands have, so that one that is added tomorrow is tried, too. What comes out is what
is printed, the remarks and the signature, and the files that are written. By default 100 pairs are drawn; FAIRTREC_FUZZ,
as of `make fuzz`, asks all, each in every situation.
"""

import os
import random
import re
from functools import cache
from itertools import combinations

import click
import pytest

from fairtrec import cli
from fairtrec.evaluation.inputs.options import CHOICES, VIEWS
from fairtrec_made import ended, trials
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.trials import FILES
from fairtrec_made.written_json import drop_arguments

SITUATIONS = gather_trials("SITUATIONS", trials.SITUATIONS)
SLOW = tuple(gather_trials("SLOW_SITUATIONS"))
VALUES, OTHER_VALUES = gather_trials("VALUES", trials.VALUES), gather_trials("OTHER_VALUES")
UNCHANGED = gather_trials("UNCHANGED", trials.UNCHANGED)
MAYBE_DROPPED = gather_trials("MAYBE_DROPPED", trials.MAYBE_DROPPED)
NOTHING_TO_SHOW, UNTRIED = gather_trials("NOTHING_TO_SHOW"), gather_trials("UNTRIED")
ALL = bool(os.environ.get("FAIRTREC_FUZZ"))
DRAWN = 100
PARTS = 20 if ALL else 1


def leaves(command=cli.command, names=()):
    """Every command that has no others, with the words that call it."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from leaves(command.get_command(context, name), (*names, name))
    else:
        yield " ".join(names), command


COMMANDS = dict(leaves())


def options(command):
    """The options of a command by their long names."""
    return {each.opts[-1]: each for each in COMMANDS[command].params if isinstance(each, click.Option)}


def called(base):
    """The command of a base."""
    return next(name for name in COMMANDS if f"{base[0]} ".startswith(f"{name} "))


def trial(name, option):
    """What stands behind an option where it is tried: None behind a flag. Raises KeyError if nothing is known."""
    if option.is_flag:
        return None
    if name in VALUES and not isinstance(option.type, click.Choice):
        return VALUES[name]
    row = next((row for row in (*CHOICES.values(), *VIEWS.values()) if f"--{row.option}" == name and row.trials), None)
    if row is not None and row.name == option.name:
        return str(row.trials[0])
    if isinstance(option.type, click.Choice):
        if name == "--format":
            return "json" if "json" in option.type.choices else option.type.choices[-1]
        return next(str(each) for each in reversed(option.type.choices) if each != option.default)
    pytest.fail(f"{name} has nothing to try; give it FILES and VALUES in tests/made/fairtrec_made/trials.py")


def tries(base):
    """The options of a base's command with what to try."""
    command = called(base)
    return {name: OTHER_VALUES.get(f"{command} {name}", trial(name, each)) for name, each in options(command).items()}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Run a command with options: how it ends, what it prints, and what it writes."""
    folder = tmp_path_factory.mktemp("pairs")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    patch = pytest.MonkeyPatch()
    patch.chdir(folder)
    patch.setenv("FAIRTREC_HOME", str(folder))
    patch.setenv("FAIRTREC_OFFLINE", "1")
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        patch.delenv(name, raising=False)
    command = run_with(patch)
    one = "eval qrels a.run -m nDCG@3 -q -f json -o one.json"
    for line in (one, one.replace("a.run", "b.run").replace("one.", "other.")):
        assert command(line.split())[0] == 0
    there = set(folder.rglob("*"))

    @cache
    def of(base, given):
        words = [part for name, value in given for part in (name, value) if part is not None]
        code, out, err = command([*base.split(), *words])
        written = {}
        for path in sorted(set(folder.rglob("*")) - there, reverse=True):
            if path.is_dir():
                path.rmdir()
            else:
                written[path.name] = timeless(path.read_bytes().decode("latin-1"))
                path.unlink()
        return code, timeless(out), timeless(err), tuple(written.items())

    yield lambda base, given: of(base[0], tuple(sorted({**given}.items())))
    patch.undo()


def run_with(patch):
    """Give what runs the command line in this process."""
    import io
    import sys

    def run(arguments):
        out, err = io.TextIOWrapper(io.BytesIO(), write_through=True), io.StringIO()
        with patch.context() as within:
            within.setattr(sys, "argv", ["fairtrec", *arguments])
            within.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
            within.setattr(sys, "stdout", out)
            within.setattr(sys, "stderr", err)
            code = ended()
        return code, out.buffer.getvalue().decode("latin-1"), err.getvalue()

    return run


def timeless(text):
    """Leave out how long it took, in how many processes, and when; of what format runs were said to be; arguments."""
    text = drop_arguments(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    text = re.sub(r"\d+\.\d s\b.*?(?=;|\n|$)|, jobs: \d+|\"run_format\": \"\w+\",?", "", text)
    return re.sub(r'time="[^"]*"|\d{4}-\d\d-\d\dT[\d:.+]+', "", text)


def spelled(base):
    """The options that a base has, by their long names."""
    names = {short: name for name, option in options(called(base)).items() for short in option.opts}
    return {names[name]: value for name, value in base[1].items()}


def fault(base, first, second, outcome):
    """Say what is wrong with two options together, or with one; nothing if all is well."""
    if " ".join([called(base), *sorted(filter(None, (first, second)))]) in NOTHING_TO_SHOW:
        return None
    values, beside = tries(base), spelled(base)
    pair = [first, *[second] * (second is not None)]
    asked = {**beside, **{name: beside.get(name, values[name]) for name in pair}}
    both = outcome(base, asked)
    line = f"fairtrec {base[0]} " + " ".join(f"{name} {value or ''}".strip() for name, value in asked.items())
    singles = {name: outcome(base, {each: asked[each] for each in asked if each != name}) for name in pair}
    fine = [name for name in pair if singles[name][0] in (0, 1)]
    if both[0] not in (0, 1):
        complaint = [each for each in both[2].splitlines() if not each.startswith(("# ", "Usage: ", "Try ")) and each]
        if both[0] == 5 or len(complaint) > 1:
            return f"{line}: {both[0]} {both[2]}"
        if len(fine) == len(pair) == 2 and not (
            both[0] in (2, 3, 4) and all(is_named(name, base, both[2]) for name in pair)
        ):
            return f"{line}: both are fine alone; says {both[2].strip()}"
        return None
    for name in (name for name in fine if MAYBE_DROPPED.keys().isdisjoint({name, f"{called(base)} {name}"})):
        same = singles[name] == both
        if name in UNCHANGED or f"{called(base)} {name}" in UNCHANGED:
            if not same:
                return f"{line}: {name} changes something, and is said not to"
        elif same:
            return f"{line}: {name} is dropped"
    return None


def is_named(name, base, text):
    """Whether a refusal names an option: by one of its names, as a word, or by its value."""
    words = [*options(called(base))[name].opts, name.removeprefix("--"), tries(base)[name] or name]
    return any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in words)


def pairs():
    """Every two options of every base, and each with none beside it."""
    return [(base, *pair) for base in SITUATIONS for pair in combinations([*tries(base), None], 2)]


def is_quick(base):
    """Whether a base is tried by default: figures and work on a collection take their time."""
    return ALL or not base[0].startswith(SLOW)


def test_every_option_of_every_command_has_a_value_to_try():
    tried = {called(base) for base in SITUATIONS}
    for name in COMMANDS:
        if options(name) and name not in UNTRIED:
            assert name in tried, f"give {name} a base"
    for base in SITUATIONS:
        for name, option in options(called(base)).items():
            assert tries(base)[name] != str(option.default), (
                f"{base[0]} {name}: give it a value that is not the default"
            )


def test_what_is_said_to_change_nothing_is_an_option_that_there_is():
    every = {name for base in SITUATIONS for option in tries(base) for name in (option, f"{called(base)} {option}")}
    assert {*UNCHANGED, *MAYBE_DROPPED, *OTHER_VALUES, *VALUES} <= every
    assert {*UNTRIED} <= {*COMMANDS}


@pytest.mark.long
def test_every_situation_is_one_that_a_command_takes(outcome):
    refused = [base[0] for base in SITUATIONS if is_quick(base) and outcome(base, spelled(base))[0] > 1]
    assert refused == []


@pytest.mark.long
@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(PARTS))
def test_every_option_is_honored_or_refused_alone_and_with_each_other(part, outcome):
    every = [pair for pair in pairs() if is_quick(pair[0])]
    drawn = every if ALL else random.Random(1).sample(every, DRAWN)
    found = [fault(*pair, outcome) for pair in drawn[part::PARTS]]
    assert [each for each in found if each] == []
