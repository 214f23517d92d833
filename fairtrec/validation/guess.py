"""Guesses: what a line of other columns is, and a file that is no run at all."""

from fairtrec.formats.other_runs import is_marco

COLUMNS = 6
ARCHIVES = {
    b"PK\x03\x04": "a zip archive", b"PK\x05\x06": "a zip archive", b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
}  # fmt: skip


def foreign(start: bytes) -> tuple[str, str] | None:
    """Tell by its start what is no text of UTF-8 at all: the code of that, and what to do; None for what may be a run.

    >>> foreign("q1 Q0 d7 1 0.5 t".encode("utf-16-le"))[1]
    'this is UTF-16; save it as UTF-8, as with: iconv -f UTF-16LE -t UTF-8'
    """
    what = next((what for magic, what in ARCHIVES.items() if start.startswith(magic)), "")
    if start[257:262] == b"ustar":
        what = "a tar archive"
    if what:
        return "E101", f"this is {what}; unpack it (gzip, bzip2, xz, Zstandard and LZ4 are read as they are)"
    head = start[:256]
    if not any(head):
        return None  # zeros alone are no text of any kind
    for name, zeros, mark in (("UTF-16LE", head[1::2], b"\xff\xfe"), ("UTF-16BE", head[::2], b"\xfe\xff")):
        if len(head) > 8 and zeros.count(0) > len(zeros) * (0.5 if head.startswith(mark) else 0.9):
            return "E103", f"this is UTF-16; save it as UTF-8, as with: iconv -f {name} -t UTF-8"
    return None


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
