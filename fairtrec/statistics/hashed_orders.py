"""Orders of queries that are drawn by a hash of their ids, so that they are the same for any values and any order."""

from collections.abc import Iterator, Sequence
from hashlib import sha256


def order_queries(qids: Sequence[str], seed: int, times: int) -> Iterator[list[int]]:
    """Order queries so many ``times``, by the sha256 of "seed number qid"; each order lists their places.

    >>> list(order_queries(["a", "b", "c"], 0, 2))
    [[2, 0, 1], [0, 1, 2]]
    """
    texts = [qid.encode("utf-8", "surrogatepass") for qid in qids]
    for number in range(times):
        start, digests = sha256(f"{seed} {number} ".encode()), []
        for text in texts:
            digest = start.copy()
            digest.update(text)
            digests.append(digest.digest())
        yield sorted(range(len(texts)), key=digests.__getitem__)
