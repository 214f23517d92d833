"""The help of select lists its own options before those that commands share."""

from fairtrec_made.help_texts import sections, shown


def test_what_is_a_commands_own_comes_before_what_commands_share():
    found = sections(shown(80, "select"))
    assert list(found)[:3] == ["First", "Choice", "Inputs"]
    assert found["Choice"] == ["--beta", "--folds", "--require", "--write-run"]
    assert {"-j", "-h"} <= set(found["Options"])
