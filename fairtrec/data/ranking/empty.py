"""What is said of queries that a run names without a document."""


def write_empty(empty: int, queries: int, which: str) -> str:
    """Say how many queries have empty rankings, and which.

    >>> write_empty(1, 2, "q1"), write_empty(1, 1, "q1")[:32]
    ('1 of 2 queries has no document (q1); it counts as an empty ranking', '1 of 1 query has no document (q1')
    """
    have, count = ("has", "it counts as an empty ranking") if empty == 1 else ("have", "they count as empty rankings")
    return f"{empty:,} of {queries:,} quer{'y' if queries == 1 else 'ies'} {have} no document ({which}); {count}"
