"""The short help of a command, which ``-h`` prints: its text, and the options that most people need."""

import re
from collections.abc import Sequence

import click

MOST_CHOICES = 3  # in the name of an option; of more the text lists them


def format_short_help(command: click.Command, ctx: click.Context, names: Sequence[str]) -> str:
    """Write usage, text, the options of these parameters in this order, and how many options there are in all."""
    formatter = ctx.make_formatter()
    command.format_usage(ctx, formatter)
    command.format_help_text(ctx, formatter)
    options = {each.name: each for each in command.get_params(ctx) if isinstance(each, click.Option)}
    rows = [describe_option(options[name], ctx) for name in names]
    with formatter.section("Options"):
        formatter.write_dl(rows, col_max=max(len(term) for term, _ in rows))
    formatter.write_paragraph()
    formatter.write(f"--help for all {len(options)} options\n")
    return formatter.getvalue()


def describe_option(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """Give the names of an option, and the first sentence of its text."""
    term, text = option.get_help_record(ctx) or ("", "")
    text = re.split(r"; |(?<=\S)\. |  ?\[default", text)[0].rstrip(".")
    if isinstance(option.type, click.Choice) and len(option.type.choices) > MOST_CHOICES:
        *several, last = map(str, option.type.choices)
        listed = f"{', '.join(several)} or {last}"
        term = f"{', '.join(option.opts)} {'FORMAT' if option.name == 'form' else 'WORD'}"
        text = listed if option.name == "form" else f"{text}: {listed}"
    return term, f"{text}."
