"""What the columns of a table of rankings are: their roles, as ``--columns`` assigns them, or as their names say.

Nothing here imports click or numpy, so that the command line can check roles before anything is loaded.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from fairtrec.support.errors import UsageError
from fairtrec.support.files.table_header import find_names, normalize_name, read_header
from fairtrec.support.literals import DOCUMENT, QUERY, RANK, SAMPLE, SCORE

Roles = Mapping[str, str]  # the column of each role that is assigned
NO_ROLES: Roles = MappingProxyType({})
NAMES = {"qid": QUERY, "docno": DOCUMENT, "rank": RANK, "score": SCORE, "sample": SAMPLE}  # found by name
ROLES = (*NAMES, "group", "cluster", "slice")
MEANT = {"qid": "query", "docno": "document"}
OR_ELSE = {  # of a role whose column lacks
    "qid": ", or qid=- if all rows are one ranking",
    "score": ", or rank=COLUMN and --order rank",
}
OF_QUERIES = ("cluster", "slice")  # roles of what a query has one of
SHOWN = 6  # names of columns in a message
WRITE_NAMES = "; write a first line with names"
ONE_QUERY = "-"  # instead of the column of queries: all rows are of one


class OwnColumn(NamedTuple):
    """The column of a role in the tables of these runs, by name, whose other columns have these roles."""

    role: str
    roles: Roles
    runs: tuple[tuple[str, Any], ...]

    @property
    def column(self) -> str:
        """The name of the column."""
        return self.roles[self.role]


def parse_columns(given: str | Roles | None) -> dict[str, str]:
    """Take ``ROLE=COLUMN,...`` apart. What has no ``=`` and is no role goes on with the name of the column before it.

    Raises UsageError for an unknown role, one that is assigned twice, and a column of two roles.

    >>> parse_columns("qid=request_id, group=provider_group")
    {'qid': 'request_id', 'group': 'provider_group'}
    >>> parse_columns("qid=Name, first,docno=Item")
    {'qid': 'Name, first', 'docno': 'Item'}
    """
    entries = given.items() if isinstance(given, Mapping) else _split_entries(given or "")
    found: dict[str, str] = {}
    for role, column in entries:
        if role not in ROLES:
            listed = ", ".join(f"{each} ({MEANT[each]})" if each in MEANT else each for each in ROLES)
            raise UsageError(f"--columns: there is no role {role!r}; write ROLE=COLUMN, with a role of {listed}")
        if not isinstance(column, str) or not column:
            raise UsageError(f"--columns: {role} has no column; write {role}=COLUMN")
        if role in found:
            raise UsageError(f"--columns: {role} has two columns, {found[role]} and {column}; choose one")
        if (other := next((each for each in found if found[each] == column), None)) is not None:
            raise UsageError(f"--columns: the column {column} has two roles, {other} and {role}; choose one")
        found[role] = column
    if found.get("qid") == ONE_QUERY and (other := next((each for each in OF_QUERIES if each in found), None)):
        raise UsageError(
            f"--columns: qid=- makes one query of all rows, which has no {other}; leave out one of the two"
        )
    return found


def _split_entries(typed: str) -> Iterator[tuple[str, str]]:
    """Give each role and column of ``ROLE=COLUMN,...``."""
    parts: list[str] = []
    for part in typed.split(",") if typed else ():
        is_rest = bool(parts) and "=" not in part and part.strip() not in ROLES
        parts[-1:] = [f"{parts[-1]},{part}"] if is_rest else [*parts[-1:], part]
    for part in parts:
        role, _, column = part.partition("=")
        yield role.strip(), column.strip()


def write_columns(given: str | Roles) -> str:
    """Write roles as ``--columns`` takes them, for the signature."""
    return ",".join(f"{role}={column}" for role, column in parse_columns(given).items())


def find_name(names: Iterable[str], column: str) -> str | None:
    """Find a column by its name as it is written, else as names match; None if there is none.

    >>> find_name(["Request-ID", "item"], "request_id")
    'Request-ID'
    """
    every = list(names)
    if column in every:
        return column
    return next((name for name in every if normalize_name(name) == normalize_name(column)), None)


def match_roles(names: Iterable[str], roles: Roles, wanted: Iterable[str]) -> dict[str, str]:
    """Give the columns that are read the name by which they are found: an assigned role has its first name.

    A column has one role. What an assigned role would be found by otherwise is not read.

    >>> match_roles(["stamp", "view", "user_id", "item"], {"qid": "view"}, (*QUERY, *DOCUMENT))
    {'view': 'query_id', 'item': 'item'}
    """
    every = list(names)
    assigned = _name_assigned(every, roles)
    taken = {find_name(every, column) for column in roles.values()}
    left = {*wanted}.difference(*(NAMES[role] for role in roles if role in NAMES))
    found: dict[str, str] = {}
    for name in every:
        if name in assigned:
            found[name] = assigned[name]
        elif name not in taken and (match := name if name in left else normalize_name(name)) in left:
            found[name] = match
    return found


def spell_names(names: Iterable[str], roles: Roles) -> dict[str, str]:
    """Give the names of columns as they match those in the table; one that has a role has the first name of it.

    >>> spell_names(["Slot", "Item-ID"], {"rank": "slot"})
    {'rank': 'Slot', 'item_id': 'Item-ID'}
    """
    every = list(names)
    assigned = _name_assigned(every, roles)
    found: dict[str, str] = {}
    for name in every:
        found.setdefault(assigned.get(name) or normalize_name(name), name)
    return found


def names_run(line: str, roles: Roles) -> bool:
    """Tell whether a first line has all columns that have roles, and names those of queries and documents.

    >>> names_run("view;item_id;slot", {"qid": "view"}), names_run("item_id;price", {"docno": "item_id"})
    (True, False)
    """
    names = read_header(line).written
    if find_lacking(names, roles):
        return False
    found = {*match_roles(names, roles, (*QUERY, *DOCUMENT)).values()}
    return not found.isdisjoint(DOCUMENT) and (roles.get("qid") == ONE_QUERY or not found.isdisjoint(QUERY))


def describe_no_column(column: str, there: Iterable[str]) -> str:
    """Say that a table has no such column, but these.

    >>> describe_no_column("item", ["q1", "d7", "3"])
    'there is no column item; there are q1, d7, 3; write a first line with names'
    """
    every = list(there)
    has_names = not any(each.replace(".", "", 1).isdigit() for each in every)
    return f"there is no column {column}; there are {', '.join(every)}{'' if has_names else WRITE_NAMES}"


def describe_unnamed(which: str, there: Iterable[str], *lacking: Sequence[str], is_run: bool = True) -> str:
    """Say that a table has, of each column that it lacks, none of these names, and how to name one.

    ``is_run``  whether columns of the table can have roles; else they are renamed.

    >>> describe_unnamed("this run", ["view", "offer"], RANK)
    'this run has none of the columns rank, position, but view, offer; name it with --columns rank=COLUMN'
    """
    most = SHOWN // len(lacking)
    shown = (", ".join(names[:most]) + (" or the like" if len(names) > most else "") for names in lacking)
    every = ", ".join(there)
    what = f"{which} has none of the columns {', nor '.join(shown)}{f', but {every}' if every else ''}"
    found = [role for names in lacking for role, known in NAMES.items() if {*names} <= {*known}]
    if not is_run or len(found) < len(lacking):
        return f"{what}; rename one"
    way_out = f"--columns {','.join(f'{role}=COLUMN' for role in found)}{OR_ELSE.get(found[0], '')}"
    return f"{what}; name {'it' if len(found) == 1 else 'them'} with {way_out}"


def describe_header(line: str) -> str:
    """Say how to name the columns of a run that is read as no table, if its first line may have their names; else "".

    >>> describe_header("view,docno,place")  # doctest: +ELLIPSIS
    'this run has none of the columns query_id, ..., but view, docno, place; name it with --columns qid=COLUMN, or ...'
    """
    header = find_names(line)
    if header is None:
        return ""
    lacking = [names for names in (QUERY, DOCUMENT) if header.find_column(names) is None]
    return describe_unnamed("this run", header.written, *lacking) if lacking else ""


def _name_assigned(names: list[str], roles: Roles) -> dict[str | None, str]:
    """Give each column that has a role the first name by which that role is found."""
    return {find_name(names, column): NAMES[role][0] for role, column in roles.items() if role in NAMES}


def find_lacking(names: Iterable[str], roles: Roles) -> str:
    """Give the first column that has a role and is not among these; "" if all are."""
    every = list(names)
    return next(
        (
            column
            for role, column in roles.items()
            if not (role == "qid" and column == ONE_QUERY) and find_name(every, column) is None
        ),
        "",
    )


def reach_keys(keys: Sequence[str]) -> Callable[[Any], Any]:
    """Make what goes into objects by these keys, and over lists on the way, which become one."""

    def reached(value: Any) -> Any:
        for key in keys:
            if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
                value = [found for each in value for found in _flatten(_take_key(each, key))]
            else:
                value = _take_key(value, key)
        return value

    return reached


def _take_key(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else getattr(value, key, None)


def _flatten(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) and not hasattr(value, "_fields") else [value]
