"""Guesses: what a line of other columns is."""

from fairtrec.formats.other_runs import is_marco

COLUMNS = 6


def meant(line: bytes, cells: list[bytes]) -> str:  # noqa: PLR0911 - one for each guess
    """Say what a line of not six columns may be; an empty string if there is no telling.

    >>> meant(b"q1 d7 1 0.5", b"q1 d7 1 0.5".split())
    ', it looks like qid docno rank score'
    """
    many = len(cells)
    if many == 1 and line.count(b",") >= 3:
        return ", it is parted by commas"
    if many > COLUMNS and many % COLUMNS == 0 and b"\r" in line:
        return ", its lines end in CR alone"
    if many > COLUMNS:
        return ", is there a blank in a docno or in the tag?"
    if is_marco(cells):
        return ", it looks like MS MARCO's qid docno rank (--run-format msmarco)"
    if many == 4 and all(map(_is_number, cells[2:])):
        return ", it looks like qid docno rank score"
    if many == 5 and all(map(_is_number, cells[2:4])):
        return ", is the second, Q0, missing?"
    if many == 5 and all(map(_is_number, cells[3:])):
        return ", is the tag missing?"
    return ""


def _is_number(cell: bytes) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
