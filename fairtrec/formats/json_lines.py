"""Objects of JSON lines."""

import json
from typing import Any

from fairtrec.errors import FilePath, InputError


def object_of(line: bytes, example: str, path: FilePath, number: int) -> dict[str, Any]:
    """Read a line. Raises InputError if it is not JSON, or no object, which then should be like the example."""
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise InputError(f"this line is not JSON ({fault}); write one object a line", path, number) from None
    if not isinstance(found, dict):
        raise InputError(f"this line is no object; write it like {example}", path, number)
    return found
