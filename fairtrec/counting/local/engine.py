"""The engine of one machine: tasks to counting processes, their parts to disk, the parts merged into one table.

What the table holds depends neither on the number of processes nor on the order in which they end.
"""

import json
import shutil
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

import numpy as np

from fairtrec.counting import CollectionOptions, Progress, Watcher, two_threads
from fairtrec.counting.counter import Lexicon
from fairtrec.counting.local.part import CountingWork, Done, Manifest, hold_folder, part, rejects
from fairtrec.counting.local.tasks import SIZE, Origin, run_tasks, tasks
from fairtrec.counting.table import COLUMNS, Meta, Source, plain, sort_sources
from fairtrec.counting.table.build import merge_parts, read_rows, refuse_existing, write_table
from fairtrec.counting.table.rows import Rows
from fairtrec.counting.text_blocks import describe_repeat
from fairtrec.data import GroupTerms, Keys
from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files.atomic import replace_file
from fairtrec.support.jobs import choose_jobs
from fairtrec.support.literals import Tokenizer
from fairtrec.support.version import __version__


class LinePlaces:
    """Where documents stood: the lines of all sources, numbered through."""

    def __init__(self, names: Sequence[str], parts: Sequence[Done]) -> None:
        self.names, self.parts = names, parts
        self.starts = [0, *accumulate(done.lines for done in parts)]
        self.heads = {done.origin: start for done, start in zip(parts[::-1], self.starts[-2::-1], strict=True)}

    def part(self, place: int) -> int:
        """Give the number of the part that a place is in."""
        return bisect_right(self.starts, place - 1) - 1

    def find_source(self, number: int, line: int) -> tuple[str, int]:
        """Give the source of a line of a part, and its number there."""
        origin = self.parts[number].origin
        return self.names[origin], self.starts[number] + line - self.heads[origin]


def merge_folder(output: Path, made: Meta, places: LinePlaces, folder: Path, *, skip: bool) -> tuple[Meta, int]:
    """Make the table of the parts in a folder. Give its metadata, and how many lines were passed over.

    Raises InputError for a document that stands in two parts, unless what is wrong is passed over.
    """
    for old in folder.glob("*.twice.jsonl"):
        old.unlink()
    rejected = sum(done.rejected for done in places.parts)

    def repeated(docnos: list[str], first: Keys, again: Keys) -> None:  # noqa: ARG001 - only the second is at fault
        nonlocal rejected
        found = sorted(zip(again.tolist(), docnos, strict=True))
        if not skip:
            place, docno = found[0]
            number = places.part(place)
            raise InputError(describe_repeat(docno), *places.find_source(number, place - places.starts[number]))
        rejected += len(found)
        for place, docno in found:
            number = places.part(place)
            with _second(folder, number).open("a") as file:
                file.write(json.dumps((place - places.starts[number], describe_repeat(docno))) + "\n")

    def rows(number: int) -> Iterator[Rows]:
        for some in read_rows(part(folder, number)):
            assert some.places is not None
            yield replace(some, places=some.places + np.uint64(places.starts[number]))

    parts = [rows(done.number) for done in places.parts if done.documents]
    meta = write_table(output, made, merge_parts(parts, made.groups, repeated, folder), folder)
    listed = output.with_name(output.name + ".rejected.jsonl")
    if rejected:
        with replace_file(listed, synced=True) as file, file.open("w", encoding="utf-8") as lines:
            for number in range(len(places.parts)):
                for line, reason in _faults(folder, number):
                    name, where = places.find_source(number, line)
                    lines.write(plain({"file": name, "line": where, "reason": reason}) + "\n")
    else:
        listed.unlink(missing_ok=True)
    return meta, rejected


def _second(folder: Path, number: int) -> Path:
    return folder / f"{number:07}.twice.jsonl"


def _faults(folder: Path, number: int) -> list[tuple[int, str]]:
    paths = [path for path in (rejects(folder, number), _second(folder, number)) if path.exists()]
    return sorted(tuple(json.loads(line)) for path in paths for line in path.read_text("utf-8").splitlines())


@dataclass(frozen=True)
class CountingOptions(CollectionOptions):
    """How to count."""

    force: bool = False
    tokenizer: Tokenizer = "strip"
    case_sensitive: bool = False
    resume: bool = False


@dataclass(frozen=True)
class CountingSummary:
    """The numbers of a counted collection.

    Attributes:
        meta: how the table was made, and its totals.
        bytes: of text.
        rejected: skipped lines.
        counter: "compiled" or numpy.
        jobs: the number of processes.
    """

    meta: Meta
    bytes: int
    rejected: int
    resumed: int  # documents that an earlier run had counted
    counter: str
    jobs: int


def make_lexicon(terms: GroupTerms, options: CountingOptions) -> Lexicon:
    """Tokenize a term list. Raises UsageError for a group that is called as a column of the table is."""
    if clash := {*terms.groups} & {*COLUMNS}:
        raise UsageError(f"a group may not be called {', '.join(sorted(clash))}, as a column is; rename it")
    return Lexicon.from_terms(terms, options.tokenizer, case_sensitive=options.case_sensitive)


def make_meta(terms: GroupTerms, options: CountingOptions, sources: Sequence[Source]) -> Meta:
    """Say how the sources are counted."""
    kept = sort_sources(sources)
    return Meta(terms.groups, options.tokenizer, options.case_sensitive, terms.name, terms.digest, kept)


def count_collection(
    sources: Sequence[FilePath],
    terms: GroupTerms,
    output: Path,
    options: CountingOptions = CountingOptions(),
    watcher: Watcher | None = None,
) -> CountingSummary:
    """Count the tokens and group terms of all documents of some sources, and write the table of counts.

    Raises InputError for what is wrong with a source, UsageError for an output that exists or a run that cannot go on.
    """
    folder = output.with_name(output.name + ".parts")
    refuse_existing(output, force=options.force or (options.resume and folder.exists()))
    jobs = choose_jobs(options.jobs, sources)
    lexicon = make_lexicon(terms, options)
    origins = [Origin.find(each) for each in sources]
    described = [origin.describe_source() for origin in origins]
    made = make_meta(terms, options, described)
    seen = [{**each, "changed": origin.changed} for each, origin in zip(described, origins, strict=True)]
    header = {
        "fairtrec": __version__, "sources": seen, "terms": made.sha256, "groups": terms.groups, "piece": SIZE,
        "tokenizer": options.tokenizer, "case_sensitive": options.case_sensitive,
        "keep_going": options.keep_going, "max_doc_bytes": options.max_doc_bytes,
    }  # fmt: skip
    with hold_folder(folder, resume=options.resume, force=options.force):
        refuse_existing(output, force=options.force or options.resume)  # another process may have made it by now
        with Manifest(folder, header) as manifest:
            work = CountingWork(origins, lexicon, folder, options.max_doc_bytes, options.keep_going)
            resumed = sum(done.documents for done in manifest.done.values())
            try:
                counter = _count(work, manifest, jobs, watcher)
            except InputError as fault:
                if fault.path is not None:  # a source must be mended, which makes it another
                    manifest.done.clear()
                raise
            parts = [manifest.done[number] for number in sorted(manifest.done)]
        places = LinePlaces([origin.name for origin in origins], parts)
        try:
            for origin in origins:
                origin.refuse_changed()
            meta, rejected = merge_folder(output, made, places, folder, skip=work.skip)
        except InputError:  # to go on is of no use
            shutil.rmtree(folder)
            raise
        shutil.rmtree(folder)
    return CountingSummary(meta, sum(done.bytes for done in parts), rejected, resumed, counter, jobs)


def _count(work: CountingWork, manifest: Manifest, jobs: int, watcher: Watcher | None) -> str:
    """Do the tasks that are not done; give the name of the counter."""
    lines = [0] * len(work.origins)
    total = sum(origin.size for origin in work.origins)
    before = [0, *accumulate(origin.size for origin in work.origins)]
    documents = size = 0
    known = dict(manifest.done)
    counters = set()
    several = tasks(work.origins, work.longest)
    threads = two_threads(jobs) and all(origin.kind == "tsv" for origin in work.origins)
    with closing(run_tasks(work, work.origins, several, jobs, known, threads=threads)) as found:
        for task, done in found:
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
