"""Notes on groups that are probably no groups: spellings of one, and a name for each document."""

import pytest

import fairtrec

RUN = {"q": {f"d{rank}": -float(rank) for rank in range(12)}}


def notes_on(groups):
    labels = {f"d{rank}": {group: 1.0} for rank, group in enumerate(groups)}
    return [str(note) for note in fairtrec.evaluate("AWRF@5", RUN, labels=labels).notes]


@pytest.mark.parametrize(
    ("groups", "alike"),
    [
        (["Female", "female", "male", "M"], "Female, female; male, M"),
        (["non-binary", "Non Binary", "f", "m"], "Non Binary, non-binary"),
        (["f", "m", "mix"], "mix, m"),
        (["f", "m", "fm"], ""),
        (["m", "male", "mid"], ""),
        (["1", "10", "100"], ""),
        (["<0", ">=0"], ""),
        (["1-2", "12"], ""),
        (["A", "A-", "A+"], ""),
    ],
)
def test_groups_whose_names_may_be_spellings_of_one_are_noted(groups, alike):
    said = [each for each in notes_on(groups) if each.startswith("groups with names alike")]
    wanted = f"groups with names alike: {alike}; if these are spellings of one group, write one of them in the labels"
    assert said == [wanted] * bool(alike)


@pytest.mark.parametrize(("groups", "is_noted"), [("abcdefghi", True), ("abcdefgh", False), ("abcdefghia", False)])
def test_as_many_groups_as_documents_are_noted(groups, is_noted):
    said = [each for each in notes_on(groups) if "one document" in each]
    assert said == ["each of the 9 groups has one document; is this the column of the groups?"] * is_noted
