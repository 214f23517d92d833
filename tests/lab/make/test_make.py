"""``fairtrec make``: the group."""

import click
import pytest

from fairtrec.cli.commands import load_command


def test_its_commands_are_listed_without_an_import_of_them(monkeypatch):
    group = load_command("make")
    monkeypatch.setattr("fairtrec.cli.commands.load_command", pytest.fail)
    names = ["counterfactual", "labels", "queryset", "ranker", "stances"]
    assert group.list_commands(click.Context(group)) == names
    assert [*group.list_texts()] == names


def test_alone_it_prints_its_help(fairtrec_command):
    alone, asked = fairtrec_command("make"), fairtrec_command("make", "--help")
    assert (alone.code, asked.code) == (2, 0)
    assert alone.err == asked.out
