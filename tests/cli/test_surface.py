"""The surface: few commands, and a word has one meaning in all of them and in Python."""

import inspect
import json
import re
from collections import defaultdict
from pkgutil import resolve_name

import click

import fairtrec
from fairtrec.cli import command
from fairtrec.evaluation.inputs.options import CHOICES, VIEWS
from fairtrec_made.command_trials import gather_trials, list_goldens
from fairtrec_made.rows import walk

SINGULAR = {"measure": "measures"}  # one value of what elsewhere may have several
NOUNS = {"--rankings": "correlate compares those of the runs, rerank writes so many"}  # flags of one thing and two uses


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
    assert {flag: dict(of) for flag, of in meanings.items() if len(of) > 1}.keys() <= {*NOUNS}


def test_intervals_are_computed_as_asked_wherever_they_have_a_confidence():
    """A correlation has one interval, by the jackknife, which `correlate` tells; so has a kappa,
    and a rate of a judge."""
    asked = {flag: {path for path, option in EVERY if flag in option.opts} for flag in ("--confidence", "--interval")}
    own, both = {*gather_trials("OWN_INTERVALS")}, {"eval", *gather_trials("INTERVALS")}
    assert asked["--confidence"] - own == asked["--interval"] >= both
    assert asked["--confidence"] >= own


def test_no_meaning_has_two_options():
    flags = defaultdict(set)
    for _, option in EVERY:
        flags[option.name].add(max(option.opts, key=len))
    assert {name: of for name, of in flags.items() if len(of) > 1} == {}


def test_q_is_a_flag_everywhere():
    asked = [option for _, option in EVERY if "-q" in option.opts]
    assert len(asked) > 1
    assert all(option.is_flag for option in asked)


def test_an_option_of_other_programs_and_commands_has_a_hint(fairtrec_command):
    done = fairtrec_command("eval", "qrels.txt", "a.run", "-R")
    hint = "it is not needed: the format of qrels is recognized; preference judgments are not offered"
    assert (done.code, done.err) == (2, f"there is no option -R here; {hint}\n")


WORDS = {  # a word that another one has replaced, and the other
    "num_q": "queries, but in -f trec", "n": "queries, or defined", "n_ends": "with_bounds", "remarks": "notes",
    "frontier": "front", "among": "from", "level": "relevance_level", "told_apart": "settled", "d_z": "effect",
    "randomisation": "randomization", "amortisation": "amortization", "annotations": "counts", "pool": "runs",
}  # fmt: skip
POOL = {"--pool", "pool"}  # which sums exposure over queries


def keys_of(value):
    """The names of all fields of an object of JSON, and of those in it; what a run, a query or a measure names is none."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def test_options_have_one_word_for_one_thing():
    spelled = {
        flag.removeprefix("--").replace("-", "_") for _, option in EVERY for flag in option.opts if flag not in POOL
    }
    words = {str(word) for _, option in EVERY if isinstance(option.type, click.Choice) for word in option.type.choices}
    assert (spelled | words) & {*WORDS} == {"n"} & spelled  # -n leaves out means


def test_python_has_one_word_for_one_thing():
    functions = [getattr(fairtrec, name) for name in fairtrec.__all__ if inspect.isfunction(getattr(fairtrec, name))]
    functions += [resolve_name(name) for name in fairtrec.STABILITY if name.startswith("fairtrec.gold.")]
    assert len(functions) > 10
    for function in functions:
        others = {*WORDS} - (POOL if function is fairtrec.retrievability else set())
        assert not {*inspect.signature(function).parameters} & others, function.__name__
    assert not ({*CHOICES} | {*VIEWS}) - {"pool"} & {*WORDS}


@walk(list_goldens())
def test_recorded_objects_and_heads_have_one_word_for_one_thing(path):
    command, _, rest = path.read_text("utf-8").partition("\n")
    out = rest.partition("--- stderr")[0].partition("--- exit")[0]
    found = set()
    if out.startswith("{"):
        several = [json.loads(out)] if out.startswith("{\n") else map(json.loads, out.splitlines())
        found = {name for each in several for name in keys_of(each)} - ({"pool"} if "options" in out else set())
    elif "-f tsv" in command or "-f csv" in command:
        found = set(re.split(r"[\t,]", out.partition("\n")[0]))
    assert not found & ({*WORDS} - ({"n"} if " correlate " in command or "queryset" in command else set()))
