"""The engine of one machine: tasks to counting processes, their parts to disk, the parts merged into one table.

What the table holds depends neither on the number of processes nor on the order in which they end.
"""

import hashlib
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from fairtrec.annotate.counter import Lexicon
from fairtrec.annotate.gather import Places, merged
from fairtrec.annotate.manifest import Manifest
from fairtrec.annotate.part import Counting, Done, Work, begin, run
from fairtrec.annotate.tasks import SIZE, Origin, Task, tasks
from fairtrec.annotate.tokens import Tokenizer
from fairtrec.data import GroupTerms
from fairtrec.errors import FilePath, InputError, UsageError
from fairtrec.formats.table import COLUMNS, Meta, plain, sources_of
from fairtrec.formats.table.build import refuse_existing
from fairtrec.jobs import context, cores
from fairtrec.version import __version__

LONGEST = 1 << 26
Watcher = Callable[["Progress"], None]


@dataclass(frozen=True)
class Progress:
    """How far the counting has come: documents, bytes of text, and bytes of all files done and in all."""

    documents: int
    bytes: int
    done: int
    total: int


@dataclass(frozen=True)
class Options:
    """How to annotate; each is also an option of ``fairtrec annotate``, whose help says what it does."""

    tokenizer: Tokenizer = "strip"
    case_sensitive: bool = False
    jobs: int | None = None
    resume: bool = False
    force: bool = False
    on_error: Literal["fail", "skip"] = "fail"
    max_doc_bytes: int = LONGEST


@dataclass(frozen=True)
class Summary:
    """What was done."""

    meta: Meta
    bytes: int
    rejected: int
    resumed: int  # documents that an earlier run had counted
    counter: str
    jobs: int


def annotate(
    sources: Sequence[FilePath],
    terms: GroupTerms,
    output: Path,
    options: Options = Options(),
    watcher: Watcher | None = None,
) -> Summary:
    """Count the tokens and group terms of all documents of some sources, and write the table of counts.

    Raises InputError for what is wrong with a source, UsageError for an output that exists or a run that cannot go on.
    """
    folder = output.with_name(output.name + ".parts")
    refuse_existing(output, force=options.force or (options.resume and folder.exists()))
    jobs = options.jobs or cores()
    lexicon = Lexicon.of(terms, options.tokenizer, case_sensitive=options.case_sensitive)
    if clash := {*terms.groups} & {*COLUMNS}:
        raise UsageError(f"a group may not be called {', '.join(sorted(clash))}, as a column is; rename it")
    origins = [Origin.of(each) for each in sources]
    described = [origin.described() for origin in origins]
    sha256 = terms.sha256 or hashlib.sha256(plain({g: list(w) for g, w in terms.terms.items()}).encode()).hexdigest()
    header = {
        "fairtrec": __version__, "sources": described, "terms": sha256, "groups": terms.groups, "piece": SIZE,
        "tokenizer": options.tokenizer, "case_sensitive": options.case_sensitive,
        "on_error": options.on_error, "max_doc_bytes": options.max_doc_bytes,
    }  # fmt: skip
    with Manifest(folder, header, resume=options.resume, force=options.force) as manifest:
        work = Work(origins, lexicon, folder, options.max_doc_bytes, options.on_error == "skip")
        resumed = sum(done.documents for done in manifest.done.values())
        counter = _count(work, manifest, jobs, watcher)
        parts = [manifest.done[number] for number in sorted(manifest.done)]
    places = Places([origin.name for origin in origins], parts)
    kept = sources_of(described)
    made = Meta(terms.groups, options.tokenizer, options.case_sensitive, terms.name, sha256, kept)
    meta, rejected = merged(output, made, places, folder, skip=work.skip)
    shutil.rmtree(folder)
    return Summary(meta, sum(done.bytes for done in parts), rejected, resumed, counter, jobs)


def _count(work: Work, manifest: Manifest, jobs: int, watcher: Watcher | None) -> str:
    """Do the tasks that are not done; give the name of the counter."""
    lines = [0] * len(work.origins)
    total = sum(origin.size for origin in work.origins)
    before = [0, *accumulate(origin.size for origin in work.origins)]
    documents = size = 0
    known = dict(manifest.done)
    counters = set()
    for task, done in _in_order(work, known, jobs):
        if done.fault is not None:
            line, reason = done.fault
            raise InputError(reason, work.origins[done.origin].name, lines[done.origin] + line)
        if done.number not in known:
            manifest.add(done)
        lines[done.origin] += done.lines
        documents += done.documents
        size += done.bytes
        if watcher is not None:
            watcher(Progress(documents, size, before[task.origin] + task.done, total))
        counters.add(done.counter)
    return ", ".join(sorted(counters))


def _in_order(work: Work, known: dict[int, Done], jobs: int) -> Iterator[tuple[Task, Done]]:
    """Do all tasks, several at a time; give what came of each, in their order."""
    waiting = tasks(work.origins, work.longest)
    if jobs == 1:
        counting: Counting | None = None
        for task in waiting:
            if task.number not in known and counting is None:
                counting = Counting(work)
            yield task, known[task.number] if task.number in known else counting(task)  # type: ignore[misc]
        return
    with _pool(work, jobs) as pool:
        going: deque[tuple[Task, Done | Future[Done]]] = deque()
        try:
            for task in waiting:
                going.append((task, known[task.number] if task.number in known else pool.submit(run, task)))
                if len(going) > jobs + 1:
                    yield _ended(*going.popleft())
            while going:
                yield _ended(*going.popleft())
        finally:
            pool.shutdown(cancel_futures=True)


def _ended(task: Task, done: Done | Future[Done]) -> tuple[Task, Done]:
    return task, done if isinstance(done, Done) else done.result()


def _pool(work: Work, jobs: int) -> Any:
    return ProcessPoolExecutor(jobs, context([f"{__package__}.ready"]), begin, (work,))
