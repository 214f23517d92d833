"""What tests of all commands find in the folder of each command: recorded outputs, and what to try.

``tests/commands/NAME`` mirrors ``fairtrec/commands/NAME``. Its ``golden/*.txt`` are recorded outputs. Those of ``eval``,
the command of the core, lie in ``tests/cli/golden``.
"""

from fairtrec_made import REPOSITORY

COMMANDS = REPOSITORY / "tests" / "commands"
CORE_GOLDENS = REPOSITORY / "tests" / "cli" / "golden"


def list_goldens():
    """List the files of recorded outputs, those of the core and of every command, by their names."""
    found = [*CORE_GOLDENS.glob("*.txt"), *COMMANDS.rglob("golden/*.txt")]
    named = {path.stem: path for path in found}
    assert len(named) == len(found), "two recorded outputs have the same name; rename one"
    return [named[name] for name in sorted(named)]
