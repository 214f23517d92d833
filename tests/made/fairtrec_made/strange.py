"""Documents with one value of another type than it must be."""

import copy
import json

VALUES = [
    None, True, False, 0, -1, 7, 1 << 70, 0.5, -1e300, "", "x", "0", "../x", "\0", "\x1b[2J", "a" * 2000, [], [1], ["x"],
    [[]], [None], {}, {"x": 1}, {"": {}}, {"a": {"b": []}},
]  # fmt: skip


def places(value, way=()):
    """Give the way to each value of a document, the document itself left out."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*way, key)
        yield from places(each, (*way, key))


def variants(document, values=VALUES):
    """Give the document with each of its values in turn replaced by each of these, and left out; and where that is."""
    for way in places(document):
        *above, last = way
        for value in (*values, ...):
            changed = copy.deepcopy(document)
            holder = changed
            for key in above:
                holder = holder[key]
            if value is ...:
                del holder[last]
            else:
                holder[last] = value
            yield ".".join(map(str, way)), value, changed


def toml(value):
    """Write a value as TOML, which has no null."""
    if isinstance(value, dict):
        inner = (f"{json.dumps(key)} = {toml(each)}" for key, each in value.items() if each is not None)
        return f"{{{', '.join(inner)}}}"
    if isinstance(value, list):
        return f"[{', '.join(toml(each) for each in value if each is not None)}]"
    return json.dumps(value)
