"""The surface: a word has one meaning in all commands and in Python, and an old name tells the new one."""

import pytest

import fairtrec
from fairtrec.catalogue.renamed import COMMANDS, KEYWORDS, OPTIONS
from fairtrec.errors import UsageError


@pytest.mark.parametrize(("old", "new"), COMMANDS.items())
def test_an_old_command_tells_the_new_one(fairtrec_command, old, new):
    done = fairtrec_command(*old.split(), "whatever")
    assert (done.code, done.out, done.err) == (2, "", f"{old} is {new} now\n")


@pytest.mark.parametrize(("old", "new"), OPTIONS.items())
def test_an_old_option_tells_the_new_one(fairtrec_command, old, new):
    *command, option = old.split()
    done = fairtrec_command(*(command or ["eval"]), option, "whatever")
    assert (done.code, done.out, done.err) == (2, "", f"{option} is {new} now\n")


@pytest.mark.parametrize(("old", "new"), KEYWORDS.items())
def test_an_old_keyword_tells_the_new_one(old, new):
    with pytest.raises(UsageError, match=f"^{old} is {new} now$"):
        fairtrec.evaluate("P@1", {"q": {"d": 1.0}}, **{old: "whatever"})
