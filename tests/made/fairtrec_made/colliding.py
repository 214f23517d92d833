"""Document ids that want one place of a hash table, which whoever knows the formula makes in seconds."""

from typing import Any

import numpy as np

from fairtrec.data import fingerprints
from fairtrec.data.docnos import GOLDEN

TOGETHER = 1 << 20  # ids that are tried at a time
PART = 64  # of the slots of any table, into which all ids want
PER_GOLDEN = np.uint64(pow(int(GOLDEN), -1, 1 << 64))


def list_ids(many: int) -> list[str]:
    """List so many ids of 8 letters that want one part of the slots."""
    draw, found = np.random.default_rng(1), list[str]()
    while len(found) < many:
        ids = draw.integers(ord("a"), ord("z") + 1, (TOGETHER, 8), dtype=np.uint8).view("S8").ravel()
        chosen = ids[(fingerprints(ids) * GOLDEN >> np.uint64(32)) < (1 << 32) // PART]
        found = list(dict.fromkeys([*found, *chosen.astype(str).tolist()]))
    return found[:many]


def list_other_ids(many: int) -> list[str]:
    """List so many ids of 8 letters as they come."""
    draw = np.random.default_rng(2)
    ids = draw.integers(ord("a"), ord("z") + 1, (2 * many, 8), dtype=np.uint8).view("S8").ravel()
    return list(dict.fromkeys(ids.astype(str).tolist()))[:many]


def list_bytes(many: int, *, twice: bool = False) -> Any:
    """List so many docnos of 8 bytes that want one slot of a ``Docnos``, or of a search for those that stand ``twice``."""
    keys = np.arange(4 * many + 100, dtype=np.uint64) * PER_GOLDEN
    if twice:
        keys = (keys ^ keys >> np.uint64(29) ^ keys >> np.uint64(58)) * PER_GOLDEN
    docnos = keys.astype("<u8" if twice else ">u8").view("S8")
    return docnos[(docnos.view(np.uint8).reshape(-1, 8) > ord(" ")).all(axis=1)][:many]


def list_same_keys(many: int) -> Any:
    """List so many docnos of 16 bytes that have one key."""
    tails = np.random.default_rng(3).integers(ord("!"), ord("~"), (4 * many + 100, 8), dtype=np.uint8)
    docnos = np.concatenate([np.zeros_like(tails), tails], axis=1)
    words = docnos.view(">u8")
    words[:, 0] = fingerprints(np.array([b"one key!"])) ^ fingerprints(docnos.view("S16").ravel())
    docnos = docnos[(docnos > ord(" ")).all(axis=1)]
    return np.ascontiguousarray(docnos).view("S16").ravel()[:many]
