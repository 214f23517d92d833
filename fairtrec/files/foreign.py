"""A file that is no text of UTF-8 at all, told by how it starts."""

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
