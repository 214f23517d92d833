"""The keywords of ``fairtrec.rerank`` are the options of the command."""

from fairtrec.cli.commands import load_command
from fairtrec.evaluation.inputs.options import CHOICES, RerankedKeywords, has_option


def test_the_keywords_are_the_rows_that_the_command_heeds():
    without = load_command("rerank").callback.without
    heeded = {name for name, row in CHOICES.items() if has_option("rerank", row) and name not in without}
    assert RerankedKeywords.__annotations__.keys() == heeded
