"""The table of choices: what stands in a row holds for every command, the signature, ablate, rerank and a shell."""

import inspect
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import click
import pytest

import fairtrec
from fairtrec.cli import command, commands
from fairtrec.commands import list_names
from fairtrec.evaluation.inputs.options import CHOICES, VIEWS, ChoiceKeywords, Choices, has_option
from fairtrec.support.errors import UsageError
from fairtrec_made.command_trials import gather_trials

EXAMPLE = Path(__file__).parents[3] / "resources" / "example"
WORDS = {
    "terms": "gender-en",
    "docs": str(EXAMPLE / "collection.tsv"),
    "background": str(EXAMPLE / "background.run"),
}
LABELS = {"labels": str(EXAMPLE / "labels.tsv")}
RUN, QRELS = str(EXAMPLE / "neural.run"), str(EXAMPLE / "qrels.txt")
EVERY = gather_trials("EVALUATING", ["eval"])
REFUSING = gather_trials("REFUSING")
TRIALS = [(name, trial) for name, row in CHOICES.items() for trial in row.trials]


def beside(name):
    """What a choice cannot do without."""
    return (
        {"bounds": "labels"}
        if name in ("prior", "next_label")
        else {"pool": "even"}
        if name == "collection_size"
        else {}
    )


def find(called):
    """The command of this name."""
    return command.get_command(click.Context(command), called)


def test_what_help_shows_of_choices_is_their_types_alone():
    assert "Annotated" not in str(inspect.signature(Choices))


def test_the_keywords_are_the_rows():
    assert get_type_hints(ChoiceKeywords) == get_type_hints(Choices)
    assert set(CHOICES) == {each.name for each in fields(Choices)}


@pytest.mark.parametrize("called", EVERY)
def test_a_command_has_the_options_that_it_heeds(called):
    found = find(called)
    without = found.callback.without
    assert {*without} <= {*CHOICES}
    _, _, also = commands.find_sections(called)
    options = {
        each.name: each for each in found.params if isinstance(each, click.Option) and each.name not in also.split()
    }
    for name, row in {**CHOICES, **VIEWS}.items():
        if name in CHOICES:
            assert (name in options) == (has_option(called, row) and name not in without), name
        if has_option(called, row) and name not in without:
            assert tuple(options[name].opts) == row.options
            assert options[name].help == row.help
            assert commands._title(options[name]) == row.section


@pytest.mark.parametrize(("name", "trial"), TRIALS)
def test_trials_are_values_other_than_the_default_and_told_by_the_signature(name, trial):
    row = CHOICES[name]
    assert getattr(Choices(**{name: trial}, **beside(name)), name) != row.default
    if row.key:
        assert row.describe_value(trial) not in ("", row.describe_value(row.default))
        assert len({row.describe_value(each) for each in row.trials}) == len(row.trials)


def test_keys_of_the_signature_stand_for_one_choice():
    keys = [row.key for row in CHOICES.values() if row.key]
    assert len(set(keys)) == len(keys)
    assert CHOICES.keys() - {name for name, row in CHOICES.items() if row.key} == {
        "background_depth",  # behind the name of the background
        "groups",  # the members are named
        "next_label",  # which changes no value
        "run_format",  # which changes how a file is read, and no value
    }


OF_OTHER_RUNS = ("samples", "columns")
SIGNED = [(name, trial) for name, trial in TRIALS if CHOICES[name].key and name not in OF_OTHER_RUNS]


@pytest.mark.parametrize(("name", "trial"), SIGNED)
def test_a_signature_names_what_was_chosen(name, trial):
    of_labels = name == "prior" or trial == "labels"
    given = LABELS if of_labels else WORDS
    measure = "AWRF@10" if of_labels or name in ("membership", "pool") else "NFaiRR@10"
    measure = "Gini@10" if name == "collection_size" else measure
    plain = fairtrec.evaluate(measure, RUN, qrels=QRELS, **given, **beside(name)).signature
    result = fairtrec.evaluate(measure, RUN, qrels=QRELS, **given, **beside(name), **{name: trial})
    assert result.signature[CHOICES[name].key] == CHOICES[name].describe_value(trial)
    changed = {key for key in {**plain, **result.signature} if plain.get(key) != result.signature.get(key)}
    assert changed == {CHOICES[name].key} | ({"prior"} if trial == "labels" else set()) | (
        {"missing"} if trial == "texts" else set()
    )


REFUSED = [(name, by) for name, row in CHOICES.items() for by in row.refused if by in list_names()]


@pytest.mark.parametrize(("name", "by"), REFUSED)
def test_what_refuses_a_choice_names_it(name, by):
    asked = {name: CHOICES[name].trials[0], **(LABELS if name == "bounds" else WORDS)}
    measure = "AWRF@10" if name == "bounds" else "NFaiRR@10"
    with pytest.raises(UsageError, match=f"{CHOICES[name].refused[by]}; leave out {name}="):
        REFUSING[by](measure, RUN, QRELS, **asked)


SHOWN = {"query_texts": "x", "interval": "t", "sort": "P@1"}  # of rows without trials


@pytest.mark.parametrize("row", [row for row in (*CHOICES.values(), *VIEWS.values()) if "spread" in row.refused],
                         ids=lambda row: row.option)  # fmt: skip
def test_spread_refuses_what_it_does_not_show(row, fairtrec_command):
    value = [] if row.is_flag else [str(row.trials[0]) if row.trials else SHOWN[row.name]]
    done = fairtrec_command("eval", QRELS, RUN, "-m", "P@1", "--spread", f"--{row.option}", *value)
    assert (done.code, done.err) == (2, f"--spread prints {row.refused['spread']}; leave out --{row.option}\n")


def test_the_table_needs_neither_click_nor_numpy():
    code = "import fairtrec.evaluation.inputs.options, sys; sys.exit(len({'click', 'numpy'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
