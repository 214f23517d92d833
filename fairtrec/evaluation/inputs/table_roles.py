"""What the runs' own tables say of documents, by the roles of their columns: groups, which are labels."""

from collections.abc import Mapping, Sequence
from typing import Any

from fairtrec.formats.column_roles import parse_columns
from fairtrec.support.errors import UsageError


def take_group(named: Sequence[tuple[str, Any]], keywords: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take the column of groups of these runs as labels, if one has that role; else give the keywords as they are.

    Raises UsageError if labels are given as well, clusters next to a column of them, and if there are no runs yet.
    """
    roles = parse_columns(keywords.get("columns"))
    if "cluster" in roles and keywords.get("cluster") is not None:
        raise UsageError("cluster= of --columns and --cluster both give clusters; leave out one of the two")
    if "group" not in roles:
        return keywords
    from fairtrec.formats.column_roles import OwnColumn

    labels = keywords.get("labels")
    if isinstance(labels, OwnColumn):
        return keywords
    if labels is not None:
        raise UsageError("group= of --columns and --labels both give groups; leave out one of the two")
    if not named:
        raise UsageError("group= is a column of the runs, which come later; pass labels instead")
    return {**keywords, "labels": OwnColumn("group", roles, tuple(named))}
