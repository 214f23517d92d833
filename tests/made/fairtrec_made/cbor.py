"""CBOR as cbor2 writes it, of any values, and files of it as ranx packs them."""

import struct

import pyarrow as pa


def encoded(thing):
    """Write a value; bytes that are wrapped in a tuple are taken as they are."""
    if isinstance(thing, tuple):
        return thing[0]
    if thing is None or isinstance(thing, bool):
        return {False: b"\xf4", True: b"\xf5", None: b"\xf6"}[thing]
    if isinstance(thing, int):
        return head(0, thing) if thing >= 0 else head(1, -1 - thing)
    if isinstance(thing, float):
        return b"\xfb" + struct.pack(">d", thing)
    if isinstance(thing, str | bytes):
        data = thing.encode() if isinstance(thing, str) else thing
        return head(3 if isinstance(thing, str) else 2, len(data)) + data
    parts = thing if isinstance(thing, list) else [each for pair in thing.items() for each in pair]
    return head(4 if isinstance(thing, list) else 5, len(thing)) + b"".join(map(encoded, parts))


def head(major, number):
    """Write a type and its number in as few bytes as it takes."""
    if number < 24:
        return bytes([major << 5 | number])
    size = next(size for size in (1, 2, 4, 8) if number < 1 << 8 * size)
    return bytes([major << 5 | 23 + size.bit_length()]) + number.to_bytes(size)


def packed(thing):
    """Write the bytes of a file."""
    return pa.compress(pa.compress(encoded(thing), "lz4", asbytes=True), "lz4", asbytes=True)
