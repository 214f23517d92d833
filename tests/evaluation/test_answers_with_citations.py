"""The page on answers with citations: its program runs, and what it says of scores and ties is so."""

import re

import pytest

from fairtrec_made import REPOSITORY, precision

PAGE = (REPOSITORY / "docs" / "rag.md").read_text("utf-8")


def test_the_program_of_the_page_makes_two_runs_that_are_compared(copied, capsys):
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    made = {}
    exec(compile(program, "docs/rag.md", "exec"), made)
    assert made["retrieved"]["101"] == {"p002": 4.0, "p001": 3.0, "p004": 2.0, "p003": 1.0}
    assert made["cited"] == {"101": {"p002": 2.0, "p004": 2.0, "p001": 1.0}, "102": {"p009": 1.0, "p007": 1.0}}  # ties
    result = made["result"]
    assert [scores.run for scores in result.scores] == ["retrieved", "cited"]
    assert result.scores[1].columns["ties"].least.min() < result.scores[1].columns["ties"].greatest.max()
    difference = result.means["cited"]["AWRF@5"] - result.means["retrieved"]["AWRF@5"]
    assert made["comparison"].rows[0].difference == pytest.approx(difference)
    printed = capsys.readouterr().out
    (shown,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in shown.splitlines():
        assert any(precision.agree(line, each) for each in printed.splitlines()), line
