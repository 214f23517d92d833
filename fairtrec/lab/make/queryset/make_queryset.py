"""``fairtrec.make_queryset``: choose queries by the votes of people, without those that name a group."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from os import fspath
from typing import Any, get_args

from fairtrec.counting.counter import Lexicon
from fairtrec.data import GroupTerms, Queries
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.given.given_rows import TermsLike
from fairtrec.evaluation.inputs import loading
from fairtrec.lab.make.queryset import annotated_queries as annotated
from fairtrec.lab.make.queryset.annotated_queries import Ballots
from fairtrec.lab.make.queryset.queryset import QuerySet
from fairtrec.support.errors import PATH, FilePath, InputError, UsageError
from fairtrec.support.files import opening
from fairtrec.support.literals import Rule
from fairtrec.support.notes import Note, NoteKind, NoteSeverity
from fairtrec.support.version import __version__

SetPart = tuple[str, str, str]  # of which part, its name, and the sha256 of a file
ONE_VOTE = NoteKind("one vote", "{queries} with one vote: not used for the agreement", NoteSeverity.BACKGROUND)
NO_DOMAIN = NoteKind("no domain", "{queries} without a domain")
NOT_WANTED = NoteKind("not in the set", "{queries} not in {name}: left out", NoteSeverity.MISLEADING)
WITHOUT_VOTES = NoteKind("without votes", "{queries} of {name} {what}")


def make_queryset(
    cast: Any = None,
    *,
    keep: str | None = None,
    votes: Rule = "majority",
    queries: Any = None,
    query_texts: Any = None,
    domain: str | None = None,
    terms: TermsLike | None = None,
) -> QuerySet:
    """Choose queries by votes, and measure how well the voters agree.

    Args:
        cast: the votes: files of lines qid, annotator, label; or qid, label, one file per annotator; or
            ``{annotator: {qid: label}}``; or a frame with these columns. None: the queries of ``query_texts``.
        keep: the label whose queries are kept.
        votes: the label of a query: that of more than half of its votes ("majority"), or of each vote ("all").
        queries: only these: a query set by name, a file of ids, or ids.
        query_texts: the text of each query: lines ``qid<TAB>text``, a table with a header, an ir_datasets id, or
            ``{qid: text}``.
        domain: the column of that table with the domains of each query.
        terms: group terms. A query whose text contains one is left out.

    Raises:
        UsageError: options that do not fit together, or a label without votes.
        InputError: a file that cannot be read.
    """
    has_votes = _has_votes(cast)
    _refuse(has_votes=has_votes, keep=keep, votes=votes, query_texts=query_texts, domain=domain, terms=terms)
    table = annotated.table(query_texts, domain) if _is_table(query_texts) else None
    ballots: Ballots = annotated.ballots(cast) if has_votes else {}
    among = list(ballots if has_votes or table is None else table.texts)
    notes: list[Note] = []
    wanted = None if queries is None else loading.queries(queries)
    among = _wanted(among, wanted, notes, has_votes=has_votes)
    ballots = {qid: ballots[qid] for qid in among if qid in ballots}
    label = {qid: _decided(list(of.values()), votes) for qid, of in ballots.items()}
    chosen = _chosen(among, ballots, label, keep)
    texts = _texts(query_texts, table, chosen)
    lists = None if terms is None else loading.terms(terms)
    words = _find_words_of_groups(lists, texts)
    kept = tuple(qid for qid in chosen if qid not in words)
    domains = _find_domains(None if domain is None else table, kept)
    sources = _list_sources(cast if has_votes else None, wanted, query_texts, lists)
    options = {"keep": keep, "votes-by": votes if has_votes else None, "domain": domain}
    return QuerySet(
        ballots=ballots,
        keep=keep,
        rule=votes,
        label=label,
        chosen=len(chosen),
        terms="" if lists is None else lists.name,
        words=words,
        texts=texts,
        domains=domains,
        kept=kept,
        files={name: digest for _, name, digest in sources if digest},
        notes=[*notes, *_list_notes(ballots, domains)],
        signature=_sign(sources, options),
    )


def _has_votes(cast: Any) -> bool:
    """Tell whether votes were given; an empty list of files is none."""
    return cast is not None and not (isinstance(cast, list | tuple) and not cast)


def _find_domains(table: annotated.QueryTable | None, kept: Iterable[str]) -> dict[str, tuple[str, ...]] | None:
    """Find the domains of each query that is kept; None without a table that names them."""
    return None if table is None else {qid: table.domains.get(qid, ()) for qid in kept}


def _list_sources(cast: Any, wanted: Queries | None, query_texts: Any, lists: GroupTerms | None) -> list[SetPart]:
    """List what the set is made from."""
    sources = [] if cast is None else [_source("votes", path) for path in annotated.list_paths(cast)]
    sources += [] if wanted is None else [("queries", wanted.name, wanted.sha256)]
    sources += [] if query_texts is None else [_source("query-texts", query_texts)]
    return sources + ([] if lists is None else [("terms", lists.name, lists.digest)])


def _list_notes(ballots: Ballots, domains: Mapping[str, Collection[str]] | None) -> list[Note]:
    """Count the queries that say nothing of agreement, and those that are of no domain."""
    single = sum(len(of) == 1 for of in ballots.values())
    bare = sum(not of for of in (domains or {}).values())
    notes = [ONE_VOTE.note(queries=_some(single))] if 0 < single < len(ballots) else []
    return notes + ([NO_DOMAIN.note(queries=_some(bare))] if bare else [])


def _sign(sources: Iterable[SetPart], options: Mapping[str, str | None]) -> Signature:
    """Name what the set was made from, and with which options."""
    told: dict[str, list[str]] = {}
    for part, name, digest in sources:
        told.setdefault(part, []).append(loading.short(name, digest))
    return Signature(
        {
            "fairtrec": __version__,
            **{part: ",".join(each) for part, each in told.items()},
            **{name: option or "" for name, option in options.items()},
        }
    )


def _wanted(among: list[str], wanted: Queries | None, notes: list[Note], *, has_votes: bool) -> list[str]:
    """Keep to a query set, if there is one, and note what of either the other has not.

    Raises InputError where nothing is left.
    """
    if wanted is None:
        return among
    left = set(among) & set(wanted.qids)
    if not left:
        raise InputError(f"none of these queries is in {wanted.name}; check the ids")
    if outside := len(among) - len(left):
        notes.append(NOT_WANTED.note(queries=_some(outside), name=wanted.name))
    if without := len(wanted.qids) - len(left):
        what = "without votes" if has_votes else "not in the table"
        notes.append(WITHOUT_VOTES.note(queries=_some(without), name=wanted.name, what=what))
    return [qid for qid in among if qid in left]


def _chosen(among: list[str], ballots: Ballots, label: Mapping[str, str], keep: str | None) -> list[str]:
    """Choose the queries of a label, or all where there are no votes. Raises UsageError where nobody gave it."""
    if not ballots:
        return among
    given = {each for of in ballots.values() for each in of.values()}
    if keep is not None and keep not in given:
        there = ", ".join(sorted(given))
        raise UsageError(f"nobody gave the label {keep!r}, which is to be kept; there are {there}")
    return [qid for qid in among if keep is not None and label[qid] == keep]


def _source(part: str, thing: Any) -> SetPart:
    if loading.is_file(thing):
        return part, opening.name(thing), opening.sha256(thing)
    return part, fspath(thing) if isinstance(thing, PATH) else "given", ""


def _refuse(
    *, has_votes: bool, keep: str | None, votes: Rule, query_texts: Any, domain: str | None, terms: Any
) -> None:
    if votes not in get_args(Rule):
        raise UsageError(f"there is no rule {votes!r}; choose from {', '.join(get_args(Rule))}")
    texts = "--query-texts FILE"
    if not has_votes and domain is None:
        raise UsageError(f"no queries to choose from; pass votes, or --domain COLUMN of {texts}")
    if not has_votes and (keep is not None or votes != "majority"):
        option = "--keep LABEL" if keep is not None else "--votes all"
        raise UsageError(f"{option} chooses by votes, and there are none; pass a file of votes")
    if domain is not None and not _is_table(query_texts):
        raise UsageError(f"--domain COLUMN names a column of {texts}; pass that file")
    if terms is not None and query_texts is None:
        raise UsageError(f"--terms LIST needs the texts of queries; add {texts}")
    if has_votes and keep is None:
        for option, of in (("--terms LIST", terms), ("--domain COLUMN", domain), ("--query-texts FILE", query_texts)):
            if of is not None:
                raise UsageError(f"{option} is for queries that are kept; add --keep LABEL")


def _is_table(thing: Any) -> bool:
    return loading.is_file(thing) and not fspath(thing).endswith((".jsonl", ".json"))


def _some(number: int) -> str:
    return "1 query" if number == 1 else f"{number:,} queries"


def _decided(labels: list[str], rule: Rule) -> str:
    """Give the label that votes decide for, "" if they do not.

    >>> _decided(["n", "n", "f"], "majority"), _decided(["n", "f"], "majority"), _decided(["n", "n", "f"], "all")
    ('n', '', '')
    """
    label, most = Counter(labels).most_common(1)[0]
    needed = len(labels) if rule == "all" else len(labels) // 2 + 1
    return label if most >= needed else ""


def _texts(given: Any, table: annotated.QueryTable | None, chosen: Iterable[str]) -> dict[str, str]:
    """Give the text of each query, in one line; none if none were given. Raises InputError for a query without one."""
    if given is None:
        return {}
    qids = list(chosen)
    found: Mapping[str, str] = table.texts if table is not None else loading.query_texts(given, qids)
    texts = {qid: " ".join(found.get(qid, "").split()) for qid in qids}
    path: FilePath | None = given if isinstance(given, PATH) else None
    for qid, text in texts.items():
        if not text:
            raise InputError(f"query {qid} has no text here; add it, or leave the query out", path)
    return texts


def _find_words_of_groups(lists: GroupTerms | None, texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Find the terms of groups in each text that holds some; none without a list of them."""
    if lists is None:
        return {}
    lexicon = Lexicon.from_terms(lists)
    return {qid: held for qid, text in texts.items() if (held := _held(lexicon, text))}


def _held(lexicon: Lexicon, text: str) -> tuple[str, ...]:
    tokens = lexicon.tokens(text)
    within = f" {' '.join(tokens)} "
    phrases = (" ".join(phrase) for phrase in lexicon.phrases)
    return (
        *dict.fromkeys(each for each in tokens if each in lexicon.words),
        *(p for p in phrases if f" {p} " in within),
    )
