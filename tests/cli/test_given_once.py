"""What takes one value is given one; what does nothing by itself is refused; and what was left out is said."""

import click
import pytest

from fairtrec import cli
from fairtrec.support.errors import UsageError
from fairtrec_made.command_trials import gather_trials

pytestmark = pytest.mark.usefixtures("few_files")


def commands(command=cli.command, names=()):
    """All commands, with the words that call them."""
    if not isinstance(command, click.Group):
        yield names, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        yield from commands(command.get_command(context, name), (*names, name))


def test_every_option_of_one_value_is_refused_with_two():
    tried = 0
    for names, command in commands():
        for option in command.params:
            if not isinstance(option, click.Option) or option.is_flag or option.multiple:
                continue
            for first, second in (option.opts[-1], option.opts[0]), (option.opts[0], option.opts[-1]):
                with pytest.raises(UsageError) as refused:
                    command.make_context(" ".join(names), [first, "a", second, "b"], help_option_names=["-h", "--help"])
                assert refused.value.args == (f"{option.opts[-1]} is given twice (a, b); pass it once",)
                tried += 1
    assert tried


def test_the_same_value_twice_is_fine_and_what_may_be_repeated_stays(fairtrec_command):
    once = fairtrec_command("eval", "qrels", "run", "-m", "RR", "-M", "1")
    again = fairtrec_command("eval", "qrels", "run", "-m", "RR", "-m", "RR", "-M", "1", "--depth", "1")
    assert (again.code, again.out) == (0, once.out)


@pytest.mark.parametrize("command", gather_trials("ONE_MEASURE"))
def test_commands_of_one_measure_are_not_given_two(fairtrec_command, command):
    done = fairtrec_command(command, "qrels", "run", "-m", "RR", "-m", "AP")
    assert (done.code, done.err) == (2, "--measure is given twice (RR, AP); pass it once\n")


def test_three_values_are_listed_once_each(fairtrec_command):
    done = fairtrec_command("eval", "qrels", "run", "-M", "1", "--depth", "2", "-M1")
    assert (done.code, done.err) == (2, "--depth is given 3 times (1, 2); pass it once\n")


def test_groups_without_anything_to_look_in_are_refused(fairtrec_command):
    done = fairtrec_command("eval", "qrels", "run", "--terms", "gender-en")
    assert (done.code, done.out) == (2, "")
    assert done.err == "--terms needs texts or counts; add --docs COLLECTION or --counts FILE\n"


def test_relevance_alone_says_what_would_show_fairness(fairtrec_command):
    said = "# fairness is not measured; add --terms LIST with --docs COLLECTION, or --labels FILE"
    assert said in fairtrec_command("eval", "qrels", "run").err
    assert said not in fairtrec_command("eval", "qrels", "run", "-m", "RR").err
    assert said not in fairtrec_command("eval", "qrels", "run", "--labels", "labels.tsv").err
