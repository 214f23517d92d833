"""CBOR as ranx packs it: what is read is the same once it is packed again."""

from contextlib import suppress

from fairtrec.formats import packed_object
from fairtrec_made import cbor

RUN = {"q1": {"d1": 2.5, "ü2": 1, "d3": -300}, "q2": {"d" * 300: 70000}, "q3": {}}


def seeds():
    """Give packed objects, and numbers of each size."""
    yield cbor.encoded(RUN)
    yield cbor.encoded({})
    yield cbor.encoded({"q": {str(size): 1 << size for size in (4, 5, 8, 16, 32)}})
    yield bytes.fromhex("a1 62 7131 a3 62 6431 f93800 62 6432 fa3f800000 62 6433 20")


def take(data):
    """Read the bytes."""
    with suppress(ValueError):
        found = packed_object.read_numbers(data)
        assert repr(packed_object.read_numbers(cbor.encoded(found))) == repr(found)
