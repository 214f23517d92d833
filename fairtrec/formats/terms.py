"""Lists of group terms: ``term,group`` or ``term<TAB>group`` lines; ``#`` starts a comment line."""

from fairtrec.data import GroupTerms
from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening


def read(path: FilePath) -> GroupTerms:
    """Read a term list; a term may be several words, and may stand in several groups.

    Raises InputError for a line of other than two parts, an empty term or group, and a list of fewer than two groups.
    """
    terms: dict[str, dict[str, None]] = {}
    for number, raw in opening.lines(path, comment=b"#"):
        line = raw.decode()
        term, separator, group = line.rpartition("\t" if "\t" in line else ",")
        if "\t" in term.strip():
            raise InputError("this line has more than two columns; write it as: term<TAB>group", path, number)
        term, group = " ".join(term.split()), group.strip()
        if not separator or not term or not group:
            missing = "term" if separator and not term else "group"
            raise InputError(f"this line has no {missing}; write it as: term,group", path, number)
        terms.setdefault(group, {})[term] = None
    if len(terms) < 2:
        raise InputError("this term list has fewer than two groups; fairness needs at least two", path)
    lists = {group: tuple(words) for group, words in terms.items()}
    return GroupTerms(opening.name(path), lists, opening.sha256(path))
