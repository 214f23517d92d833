"""What the runs' own tables say of documents, by the roles of their columns: groups, which are labels."""

from collections.abc import Mapping, Sequence
from typing import Any

from fairtrec.formats.column_roles import parse_columns
from fairtrec.support.errors import PATH, UsageError
from fairtrec.support.files import opening, submissions


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


def describe_columns(role: str, named: Sequence[tuple[str, Any]]) -> str:
    """Say that a column may have this role, and which the first table among the runs has; "" if none is one."""
    from fairtrec.formats.frames import is_frame, list_columns
    from fairtrec.formats.other_runs import list_names

    for name, run in named if submissions.border() is None else ():
        columns = list_names(run) if isinstance(run, PATH) else list_columns(run) if is_frame(run) else []
        if columns:
            where = opening.name(run) if isinstance(run, PATH) else name
            return f", or --columns {role}=COLUMN ({where} has {', '.join(columns)})"
    return ""
