"""``fairtrec make``: the group of commands that make an input of later ones."""

from fairtrec.cli.commands import RegisteredGroup

command = RegisteredGroup("make", words="make", help="Make an input of other commands.")
