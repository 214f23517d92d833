"""A download comes to an end, however slowly the other side gives it."""

import itertools

import pytest

from fairtrec.support.errors import ResourceError
from fairtrec.support.resources import fetch

pytestmark = pytest.mark.fuzz


class Drip:
    """An answer that gives a byte each second, of a clock that is ours."""

    length = None

    def __init__(self, clock):
        self.clock = clock

    def read1(self, _):
        next(self.clock)
        return b"x"

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        pass


def test_a_download_that_drips_is_given_up(monkeypatch, tmp_path):
    clock = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("urllib.request.OpenerDirector.open", lambda *_, **__: Drip(clock))
    with pytest.raises(ResourceError, match=r"fewer than 1024 bytes a second arrive \(tried 3 times\)"):
        fetch.fetch("http://slow.example/list.tsv", tmp_path / "list.tsv", "0" * 64)
    assert next(clock) < 1000
