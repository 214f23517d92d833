"""Votes and names of domains are bounded, and near names are found."""

import random

import pytest

from fairtrec.lab.make.queryset import annotated_queries


def test_votes_of_many_labels_on_many_queries_are_refused(tmp_path, fairtrec_command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(annotated_queries, "MOST_CELLS", 20)
    (tmp_path / "votes").write_text("".join(f"n{i}\tn{i}\tn{i}\n" for i in range(9)))
    done = fairtrec_command("make", "queryset", "votes")
    assert done.code == 3
    assert ["votes:5: 5 labels of 5 queries do not fit into memory; " in line for line in done.complaints] == [True]


def distance(one, other):
    """Count the letters to change, add or leave out, by the definition."""
    if not one or not other:
        return len(one) + len(other)
    same = distance(one[1:], other[1:]) + (one[0] != other[0])
    return min(same, distance(one[1:], other) + 1, distance(one, other[1:]) + 1)


@pytest.mark.long
def test_names_are_alike_if_few_of_their_letters_differ():
    dice = random.Random(1)
    for _ in range(300):
        one, other = ("".join(dice.choices("ab", k=dice.randrange(3, 8))) for _ in range(2))
        most = min(2, len(one) // 3, len(other) // 3)
        found = annotated_queries.find_similar_names({one: 1, other: 2}) if one != other else []
        assert found == [(one, other)] * (one != other and distance(one, other) <= most)
