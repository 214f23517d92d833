"""The command line: one thin file for each command, imported only when that command is called."""

import errno
import io
import os
import sys
from importlib import import_module
from typing import Any, cast

import click

from fairtrec.errors import FairtrecError, plain
from fairtrec.version import __version__

COMMANDS = {  # the order of the help; the text stands here so that it can be shown without importing the commands
    "eval": "Evaluate runs: fairness and utility, per query and in the mean.",
    "compare": "Compare runs with a baseline: tests, intervals, effects; correlations; cutoffs.",
    "check": "Check runs against requirements and a baseline, as a step of CI.",
    "diff": "Tell what differs between two results files.",
    "replay": "Evaluate a results file again, and tell what differs.",
    "annotate": "Count the group terms of a whole collection, once.",
    "annotations": "Convert, merge, compare and look into tables of counts.",
    "validate": "Find all that is wrong with runs, and repair what is certain.",
    "rbo": "Compare the rankings of runs: rank-biased overlap.",
    "trec-fair-2019": "Evaluate runs of the TREC 2019 Fair Ranking track.",
    "measures": "List the measures, or print the page of one.",
    "resources": "List, fetch, add and check word lists and query sets.",
}


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # a disk, a quota, the longest file that is allowed


class _PipeClosed(Exception):  # noqa: N818 - the reader has had enough, which is no error
    """Nobody reads the output any more."""


class _Lazy(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"fairtrec.cli.{cmd_name.replace('-', '_')}")
        return cast("click.Command", module.command)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command; a closed pipe, which click would end with 1, keeps an exit code of its own."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _PipeClosed from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fairtrec", message="%(prog)s %(version)s")
def command() -> None:
    """How fairly do rankings represent groups? trec_eval for fairness.

    \b
    fairtrec eval qrels.txt my.run --groups gender-en --docs collection.tsv
    """


def main() -> None:
    """Run the command line; every error of the user's making is one line and an exit code, never a traceback."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):  # PYTHONUNBUFFERED, which loses what a full disk
        sys.stdout = os.fdopen(sys.stdout.fileno(), "w", closefd=False)  # does not take, and says nothing
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")  # the same bytes everywhere
    code = _run()
    try:
        sys.stdout.flush()
    except OSError:  # which has been told; the interpreter flushes once more at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _run() -> int:  # noqa: PLR0911 - one for each way to end
    try:
        code = command(prog_name="fairtrec", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except FairtrecError as error:
        click.echo(plain(str(error)), err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except (BrokenPipeError, _PipeClosed):
        return 141
    except MemoryError:
        what = "the memory of this machine does not suffice"
        click.echo(f"{what}; give each measure a cutoff (like DP@100), cut with -M N, or name fewer runs", err=True)
        return 3
    except OSError as fault:
        if fault.errno not in FULL:
            return _fault(fault)
        click.echo("there is no room left where the output goes; make some, or write elsewhere with -o", err=True)
        return 2
    except Exception as fault:  # noqa: BLE001 - a traceback is of no use to most
        return _fault(fault)
    return code or 0


def _fault(fault: Exception) -> int:
    if os.environ.get("FAIRTREC_DEBUG"):
        raise fault
    what = plain(f"{type(fault).__name__}: {fault}")
    click.echo(f"fairtrec has a fault ({what}); please report it, FAIRTREC_DEBUG=1 shows where", err=True)
    return 5
