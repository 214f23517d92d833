"""From what a caller names or holds (a path, a name, an ir_datasets id, a dict, a frame) to the types of data/."""

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import partial, reduce
from numbers import Number
from os import fspath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fairtrec.data import (
    Counts,
    Docnos,
    GroupTerms,
    Labels,
    Qrels,
    Queries,
    Run,
    Samples,
    Sheet,
    System,
    decode,
)
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.formats import run as run_format
from fairtrec.formats.column_roles import OwnColumn
from fairtrec.support.errors import PATH, FilePath, InputError, ResourceError, UsageError
from fairtrec.support.files import opening, submissions
from fairtrec.support.files.answer_files import AnswerRun, split_answers
from fairtrec.support.files.arguments import add_run, find_run, refuse_same_names, source, split_crossed
from fairtrec.support.notes import Note, NoteKind

if TYPE_CHECKING:
    from fairtrec.counting.counter import Lexicon
    from fairtrec.formats.label_rules import LabelRules
    from fairtrec.formats.pairs import Counterparts

Listed = TypeVar("Listed")
# What only some evaluations load is imported where it is used, so that the others start sooner.


IRDS = "irds:"  # before an id of ir_datasets
JUDGED = "judged"  # in the place of a query set: the queries of the qrels
NO_QRELS = "--queries judged needs QRELS; pass a qrels file, or a list of queries"
SEVERAL = "this run has several rankings of each query"
LIST_NOT_FILE = NoteKind(
    "list, not file",
    "{name} is the bundled list, not the file {name} in this folder; write ./{name} for the file",
)


def is_file(thing: Any) -> bool:
    """Tell whether this names something that can be opened here; ``irds:`` stands before an id, whatever is here."""
    if not isinstance(thing, PATH) or (isinstance(thing, str) and thing.startswith(IRDS)):
        return False
    return fspath(thing) == opening.STDIN or os.path.exists(thing)  # noqa: PTH110


def is_name(thing: Any) -> bool:
    """Tell a word that is the name of a resource, even beside a file of that name; paths of Python are files."""
    if not isinstance(thing, str) or not thing or "." in thing or "/" in thing:  # before resources are imported
        return False
    from fairtrec.support.resources import passports as resources

    return resources.is_name(thing)


def spell_path(thing: FilePath) -> str:
    """Spell the name of a list or a file, so that it is read as the same again."""
    name = fspath(thing)
    return f"./{name}" if not isinstance(thing, str) and is_name(name) else name


def note_list_names(*things: Any) -> list[Note]:
    """Say which of these are names of lists beside which there is a file of that name."""
    found = dict.fromkeys(thing for thing in things if isinstance(thing, str) and is_file(thing) and is_name(thing))
    return [LIST_NOT_FILE.note(name=name) for name in found]


def run(thing: Any, name: str, choices: Choices, depth: int | None, *, with_ties: bool = False) -> System:
    """Load a run, or take one that is loaded, down to ``depth``, and to what is tied with that if asked for."""
    with_ties = with_ties or choices.keeps_ties
    if isinstance(thing, Run | Samples):
        named: System = dataclasses.replace(thing, name=name)
        return named.cut(named.qids, depth, with_ties=with_ties)
    order, dtype, down_to = choices.order, choices.score_dtype, None if choices.keeps_ties else depth
    how: dict[str, Any] = {"sampled": choices.samples, "roles": choices.roles, "with_ties": with_ties}
    if isinstance(thing, PATH):
        whole = run_format.read(thing, order, dtype, down_to, form=choices.run_format, **how)
    else:
        from fairtrec.formats import memory

        whole = memory.run(thing, name, order, dtype, down_to, **how)
    system = run_format.split_samples(whole) if whole.numbered else whole
    if isinstance(system, Samples):
        if choices.bounds is not None:
            raise InputError(f"{SEVERAL}, and --bounds needs one; leave it out", thing)
        samples = tuple(one.cut(one.qids, depth) for one in system.runs)
        return dataclasses.replace(system, name=name, runs=samples)
    loaded = dataclasses.replace(system, name=name)
    if not loaded.qids and not choices.complete:
        what = "this run names no query; -c counts the queries of the qrels as empty rankings"
        raise InputError(what, thing if isinstance(thing, PATH) else name)
    return loaded.cut(loaded.qids, depth, with_ties=with_ties)


def load_run(thing: Any, name: str, choices: Choices, depth: int | None, *, with_ties: bool = False) -> System:
    """Load a run that is named as one; one that is untrusted whole, to see how much it holds."""
    border = submissions.border()
    if border is None or not isinstance(thing, PATH):
        return run(thing, name, choices, depth, with_ties=with_ties)
    from fairtrec.formats import memory_bounds

    memory_bounds.refuse_submission(thing)
    whole = run(thing, name, choices, None)
    border.refuse_many("lines", sum(len(one.docnos) for one in whole.runs), thing)
    border.refuse_many("depth", max(int(one.depths.max(initial=0)) for one in whole.runs), thing)
    return run(whole, name, choices, depth, with_ties=with_ties)


def ranking(thing: Any, name: str, choices: Choices, depth: int | None, *, is_run: bool = False) -> Run:
    """Load what must be one ranking of each query, as it stands, whatever is tied in it; ``depth`` cuts it.

    ``is_run``  whether it is named as a run, which may be a stranger's.

    Raises InputError if there are several.
    """
    untied = None if choices.bounds == "ties" else choices.bounds
    columns = None if choices.columns is None or not (is_run or has_columns(thing)) else choices.columns
    load = load_run if is_run else run
    order = "rank" if choices.order == "position" and not is_run else choices.order  # what is beside runs has no gaps
    how = dataclasses.replace(choices, bounds=untied, samples=False, complete=False, columns=columns, order=order)
    system = load(thing, name, how, depth)
    if isinstance(system, Samples):
        raise several_rankings_error(name)
    if not is_run and (empty := {*system.empty}):
        return system.cut([qid for qid in system.qids if qid not in empty], None)
    return system


def has_columns(thing: Any) -> bool:
    """Tell a table whose columns have names from other forms of rankings."""
    from fairtrec.formats import other_runs
    from fairtrec.formats.frames import is_frame

    return other_runs.is_table(thing) if isinstance(thing, PATH) else is_frame(thing)


def several_rankings_error(name: str) -> InputError:
    """Say that a run has several rankings of each query, where one is needed."""
    return InputError(f"{SEVERAL}, and one is needed here; pass a run that has one", name)


def qrels(thing: Any) -> Qrels:
    """Load judgments: a file, or an ir_datasets id where there is no such file; or take those that are loaded."""
    if isinstance(thing, Qrels):
        return thing
    if is_file(thing):
        from fairtrec.formats import qrels as qrels_format

        return qrels_format.read(thing)
    from fairtrec.formats import datasets, memory

    return datasets.qrels(fspath(thing)) if isinstance(thing, PATH) else memory.qrels(thing)


def terms(thing: Any) -> GroupTerms:
    """Load group terms: a file, or the name of a word list."""
    from fairtrec.formats import memory, tsv

    if not isinstance(thing, PATH):
        return memory.terms(thing)
    return _listed(thing, tsv.terms, "wordlist", "term list")


def pairs(thing: Any, *, one_way: bool = False) -> "Counterparts":
    """Load pairs of words: a file, or the name of a list."""
    from fairtrec.formats import pairs as pairs_format

    if not isinstance(thing, PATH):
        return pairs_format.take_pairs(thing, one_way=one_way)
    return _listed(thing, partial(pairs_format.read, one_way=one_way), "pairs", "list of pairs")


def is_given(qrels: Any) -> bool:
    """Tell whether qrels were given, and not ``none`` in their place."""
    return qrels is not None and not (isinstance(qrels, str) and qrels == "none")


def is_judged(queries: Any) -> bool:
    """Tell whether the word for the judged queries was given; a file of that name is ./judged."""
    return isinstance(queries, str) and queries == JUDGED


def queries(thing: Any) -> Queries:
    """Load a query set: a file, or the name of one."""
    from fairtrec.formats import memory, tsv

    if not isinstance(thing, PATH):
        return memory.queries(thing)
    if is_judged(thing):
        raise UsageError(NO_QRELS)
    return _listed(thing, tsv.queries, "queryset", "query set")


def load_table(thing: Any) -> Any:
    """Read what can be read but once, a reader of Arrow, into a table; give anything else as it is."""
    return thing.read_all() if hasattr(type(thing), "read_all") else thing


def count_documents(docs: Any, wanted: Docnos, lexicon: "Lexicon", watched: Any = None) -> Counts:
    """Count tokens and group terms in the texts of the wanted documents, or take what a table of them has counted.

    ``watched``  a function of the documents and their texts that gives the texts on, and may keep what it sees.
    """
    from fairtrec.counting.counter import TermTable, count_texts

    if isinstance(docs, TermTable):
        return docs.look_up_counts(wanted, lexicon)
    found = texts(docs, wanted)
    return count_texts(found if watched is None else watched(wanted, found), wanted, lexicon)


def texts(docs: Any, wanted: Docnos) -> Iterator[tuple[int, str]]:
    """Give the row and the text of each wanted document that there is: of a file, an ir_datasets id, or from memory."""
    from fairtrec.formats import collection, datasets, memory

    if is_file(docs):
        return collection.read(docs, wanted)
    return datasets.texts(fspath(docs), wanted) if isinstance(docs, PATH) else memory.texts(docs, wanted)


def query_texts(thing: Any, qids: Iterable[str]) -> dict[str, str]:
    """Give the texts of queries: of a file of lines qid<TAB>text, an ir_datasets id, or ``{qid: text}``."""
    from fairtrec.formats import collection, datasets

    if not isinstance(thing, PATH):
        return {str(qid): str(text) for qid, text in thing.items()}
    if not is_file(thing):
        return datasets.query_texts(fspath(thing))
    wanted = Docnos.collect(np.array([qid.encode() for qid in dict.fromkeys(qids)]))
    names = decode(wanted.names)
    return {names[row]: text for row, text in collection.read(thing, wanted)}


def labels(thing: Any, judgments: Qrels | None, how: "LabelRules | None" = None) -> Labels:
    """Load group labels: a file or a field of one, two of them crossed (``a*b``), the subtopics of the qrels, or a
    field of an ir_datasets id; ``how`` says how they are taken.
    """
    from fairtrec.data import product

    if not isinstance(thing, PATH):
        from fairtrec.formats import memory

        if isinstance(thing, OwnColumn):
            from fairtrec.formats.label_rules import LabelRules
            from fairtrec.formats.own_columns import read_groups

            return read_groups(thing, how or LabelRules())
        return memory.labels(thing, how)
    name = fspath(thing)
    parts = split_crossed(name)
    if len(parts) == 1:
        return _labels(name, judgments, how)
    how = None if how is None else dataclasses.replace(how, groups=None, wanted=None)
    several = [_labels(part, judgments, how) for part in parts]
    read = {(each.sha256 or part, source(part)[1:]) for each, part in zip(several, parts, strict=True)}
    if len(read) < len(parts):
        raise UsageError(f"{name}: labels are crossed with themselves; pass two different ones, or only one")
    if len({each.per_query for each in several}) > 1:
        raise UsageError(f"{name}: labels per query and per document cannot be crossed; use two of a kind")
    return reduce(product, [dataclasses.replace(each, name=short(each.name, each.sha256)) for each in several])


def _labels(name: str, judgments: Qrels | None, how: "LabelRules | None") -> Labels:
    from fairtrec.formats import labels as labels_format

    if name == "qrels":
        if judgments is None:
            raise UsageError("--labels qrels needs relevance judgments; pass a qrels file")
        return labels_format.read_subtopics(judgments, how)
    given = source(name)
    if is_file(given.name):
        return labels_format.read(given, how)
    from fairtrec.formats import datasets

    return datasets.labels(given, how)


def gold(
    thing: Any, *, per_query: bool = False, renamed: Mapping[str, str] = MappingProxyType({}), column: str = ""
) -> Sheet:
    """Load gold labels: a sheet, any labels, or a field of a table; ``per_query`` as the instrument's labels are.

    ``renamed`` are the names of groups by those in the file, ``column`` that of documents in a table with a field.
    """
    from fairtrec.formats import sheets
    from fairtrec.formats.label_rules import LabelRules

    if isinstance(thing, PATH) and not is_file(thing):  # a field of a file, or of an ir_datasets id
        return sheets.make_sheet(labels(thing, None, LabelRules(renamed=renamed, column=column)))
    return sheets.read(thing, per_query=per_query, renamed=renamed)


def refuse_soft(labels: Labels) -> None:
    """Raise UsageError for labels that cannot stand for counts of group terms."""
    if labels.per_query:
        raise UsageError("measures of counts need the same labels for all queries; pass labels per document")
    if not labels.is_hard:
        raise UsageError(
            "measures of counts need whole labels, and these have weights between 0 and 1; leave out the measures, "
            "or the weights"
        )


def _listed(thing: FilePath, read: Callable[..., Listed], kind: str, what: str) -> Listed:
    """Read what has this name among the resources of a ``kind``, which is called so, or a file."""
    if is_file(thing) and not is_name(thing):
        return read(thing)
    from fairtrec.support.resources import passports as resources

    name = fspath(thing)
    try:
        passport = resources.passport(name)
    except ResourceError as fault:
        raise ResourceError(f"there is no file {name}, and {fault}") from None
    if kind == "pairs" and passport.kind == "wordlist":
        raise ResourceError(f"{name} lists groups, not pairs; use gender-en-pairs")
    if passport.kind != kind:
        raise ResourceError(
            f"{name} is a {passport.kind}, not a {what}; `fairtrec resources list` shows which is which"
        )
    path = resources.require(passport.name)
    listed: Any = read(path) if passport.keep is None else read(path, passport.keep)
    named: Listed = dataclasses.replace(listed, name=passport.name)
    return named


def find_file(thing: Any) -> tuple[str, FilePath] | None:
    """Tell how to call and where to find the file behind what was given; None if it is not a file."""
    if is_file(thing) and not is_name(thing):
        return spell_path(thing), thing
    if not isinstance(thing, PATH):
        return None
    from fairtrec.support.resources import passports as resources

    try:
        passport = resources.passport(fspath(thing))
    except ResourceError:  # a word that is no name, or an ir_datasets id
        return None
    return passport.name, passport.place


def name_rankings(runs: Any) -> list[tuple[str, Any]]:
    """Give each run a name: a file's own, the caller's key, or its number. A file of answers is two runs.

    Raises UsageError for two runs of one name.
    """
    several = _name_each(runs)
    if not any(isinstance(run, PATH) for _, run in several):
        return several
    found = [
        one for name, run in several for one in (split_answers(name, run) if isinstance(run, PATH) else [(name, run)])
    ]
    if len(found) > len(several):
        refuse_same_names(name for name, _ in found)
    return found


def name_ranking(run: Any) -> tuple[str, Any]:
    """Give one run a name. Raises InputError for a file of answers, which is two runs."""
    found = name_rankings(run)
    if len(found) > 1:
        raise InputError(f"there are several runs here, {', '.join(name for name, _ in found)}; name one", "run")
    return found[0]


def _name_each(runs: Any) -> list[tuple[str, Any]]:
    first = next(iter(runs.values()), None) if isinstance(runs, Mapping) else None
    if first is not None and (isinstance(first, PATH) or not _is_ranking(first)):
        return [(str(name), run) for name, run in runs.items()]
    is_row = (
        isinstance(runs, list | tuple) and runs and hasattr(runs[0], "query_id") and not hasattr(runs[0], "columns")
    )
    several = list(runs) if isinstance(runs, list | tuple) and not is_row else [runs]
    seen: Counter[str] = Counter()
    named = []
    for number, run in enumerate(several, 1):
        name = fspath(run) if isinstance(run, PATH) else "run" if len(several) == 1 else f"run {number}"
        seen[name] += 1
        named.append((name if seen[name] == 1 else f"{name} ({seen[name]})", run))
    return named


def join_run(named: dict[str, Any], run: Any) -> tuple[str, dict[str, Any]]:
    """Find a baseline among the named runs, or put it behind them; give its name, and all.

    It is the name of one of them, a file, or a run that the caller holds. Raises UsageError for a name of none.
    """
    if isinstance(run, PATH):
        text = fspath(run)
        if text in named:
            return text, named
        if not os.path.isfile(text):  # noqa: PTH113 - which says no of a name that is too long
            if isinstance(part := split_answers(text, text)[0][1], AnswerRun):
                return text, {**named, text: part}
            return list(named)[find_run(list(named), text)], named
        files = {name: fspath(each) for name, each in named.items() if isinstance(each, PATH)}
        name, every = add_run(files, text)
        return name, {**named, name: every[name]}
    name, run = name_ranking(run)
    name = "baseline" if name == "run" else name
    while name in named:
        name = f"{name} (baseline)"
    return name, {**named, name: run}


def _is_ranking(value: Any) -> bool:
    """Tell ``{docno: score}`` and ``[docno, ...]``, whatever the scores are, from a run."""
    from fairtrec.formats.frames import is_frame
    from fairtrec.formats.memory import take_mapping

    if isinstance(value, list | tuple):
        return all(isinstance(docno, str) for docno in value)
    if isinstance(value, Run | Samples) or is_frame(value):
        return False
    found = take_mapping(value)
    if isinstance(found, Mapping):
        return not any(isinstance(take_mapping(each), Mapping | list | tuple) for each in found.values())
    return isinstance(found, Number | AbstractSet)


def short(name: str, sha256: str) -> str:
    """Name a file together with the first 8 digits of its digest.

    >>> short("gender-en", "0123456789abcdef")
    'gender-en@01234567'
    """
    return f"{name}@{sha256[:8]}" if sha256 else name
