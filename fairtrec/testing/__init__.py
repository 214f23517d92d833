"""Tests that hold for every measure, reranker and command. Your package inherits them, and needs only pytest.

class TestMine(CommandContract):
    command = mine
    ends = {("no-such-file.txt",): 3}
"""

import re
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any, ClassVar

import click

from fairtrec.support import command_rows
from fairtrec.support.errors import FairtrecError
from fairtrec.testing.measures import MeasureContract as MeasureContract

if TYPE_CHECKING:  # of the lab, which offers it in the row of its command
    from fairtrec.lab.rerank.contract import RerankerContract as RerankerContract
else:

    def __getattr__(name: str) -> Any:
        """Import the tests that a command offers."""
        offer = None if name.startswith("_") else command_rows.registry.find_offer(f"testing.{name}")
        if offer is None:
            raise AttributeError(f"module 'fairtrec.testing' has no attribute {name!r}")
        return command_rows.registry.load(*offer)


class CommandContract:
    """The tests of a command. The name of a subclass begins with Test, and ``command`` is the command.

    ``ends`` has the exit codes of some arguments: 0 done, 1 a requirement failed, 2 wrong usage, 3 bad input, 4 a
    resource is missing.
    """

    command: ClassVar[click.Command]  # the command to test
    ends: ClassVar[Mapping[tuple[str, ...], int]] = {}  # exit codes by arguments

    def test_its_help_reads_in_groups_and_says_what_it_and_each_option_do(self) -> None:
        """It is of the class Titled, and has a help, as each of its options has."""
        classes = {each.__name__ for each in type(self.command).__mro__}
        assert "Titled" in classes, f"{self.command.name} is not of class fairtrec.cli.commands.Titled"
        assert (self.command.help or "").strip(), f"{self.command.name} has no help"
        silent = [each.name for each in self.command.params if isinstance(each, click.Option) and not each.help]
        assert not silent, f"{self.command.name}: these options have no help: {', '.join(map(str, silent))}"

    def test_its_help_is_asked_for_by_an_option(self) -> None:
        """``--help`` prints it, even if arguments are missing, and the exit code is 0."""
        with redirect_stdout(StringIO()) as printed:
            code, said = self._ended("--help")
        assert (code, "--help" in printed.getvalue()) == (0, True), f"--help ends with {code}: {said}"

    def test_an_option_that_there_is_not_is_wrong_usage(self) -> None:
        """The exit code is 2."""
        code, _ = self._ended("--there-is-no-such-option")
        assert code == 2, f"an option that there is not ends with {code}, and must with 2"

    def test_it_ends_as_is_said(self) -> None:
        """Each call ends with its exit code; a fault is one line that says what is wrong and what to do."""
        for arguments, expected in self.ends.items():
            with redirect_stdout(StringIO()):
                code, said = self._ended(*arguments)
            assert code == expected, f"{' '.join(arguments)} ends with {code}, not {expected}: {said}"
            assert code not in (2, 3, 4) or re.fullmatch(r".+; .+", said), f"{said!r} does not say what to do after ;"

    def _ended(self, *arguments: str) -> tuple[int, str]:
        """Call the command as `fairtrec` does; give its exit code, and what it says of a fault."""
        name = self.command.name or ""
        try:
            with self.command.make_context(name, list(arguments)) as context:
                code: int | None = self.command.invoke(context)
        except click.exceptions.Exit as end:
            return end.exit_code, ""
        except click.ClickException as fault:
            return fault.exit_code, fault.message
        except FairtrecError as fault:
            return fault.exit_code, str(fault)
        return code or 0, ""
