"""Valid files that are bad to read cost CPU and memory in step with their bytes: each form, in each way to be bad."""

import random

import pytest

from benchmarks.worst_files import SIZES, measure, measure_form
from fairtrec_made import worst_files
from fairtrec_made.forked import Forks

FORMS = worst_files.gather_forms()
SMALL = 20_000  # bytes
SAMPLE = (("run of JSON lines", "a query a line"), ("labels of lists", "long ids"), ("answers, 2025", "one query"))
PLACES = [(name, kind) for name, form in FORMS.items() for kind in form.kinds()]


def test_each_form_that_is_read_has_a_worst_file():
    assert {row for form in FORMS.values() for row in form.rows} == worst_files.list_forms()


def refuse(name, kind, folder, fairtrec_command):
    form = FORMS[name]
    path = folder / f"{PLACES.index((name, kind))}" / f"file{form.suffix}"
    worst_files.make(form, kind, path, SMALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path.parent)
        for words in worst_files.list_commands(form, kind, path):
            ended = fairtrec_command(*words)
            if ended.code:
                yield f"{name}, {kind}, {' '.join(words)}: {ended.err or ended.out}"


@pytest.mark.long
def test_a_worst_file_of_each_form_is_valid(tmp_path, fairtrec_command):
    dice = random.Random(1)
    drawn = [(name, dice.choice([*form.kinds()])) for name, form in FORMS.items()]
    assert not [each for place in drawn for each in refuse(*place, tmp_path, fairtrec_command)]


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_all_worst_files_are_valid(name, tmp_path, fairtrec_command):
    assert not [each for kind in FORMS[name].kinds() for each in refuse(name, kind, tmp_path, fairtrec_command)]


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), SAMPLE)
def test_four_times_the_bytes_cost_at_most_six_times_as_much(tmp_path, name, kind):
    with Forks() as forks:
        found = [*measure(forks, name, kind, tmp_path, SIZES[:2])]
    assert not [str(each) for each in found if not each.is_bounded]


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_four_times_the_bytes_of_any_worst_file_cost_at_most_six_times_as_much(tmp_path, name):
    found = measure_form(name, tmp_path)
    print(*found, sep="\n")  # noqa: T201 - what a byte costs
    assert not [str(each) for each in found if not each.is_bounded]
