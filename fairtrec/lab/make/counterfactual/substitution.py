"""From sources to the substituted collection: pieces to processes, and what comes of them to one file, in order.

Processes hand over the bytes of their pieces, which this one writes: those of the file do not depend on the number of
processes. It comes to stand at its place when it is whole.
"""

import bz2
import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from fairtrec.counting import CollectionOptions, Progress, Watcher, text_blocks
from fairtrec.counting.local.tasks import Origin, Task, read_blocks, run_tasks, tasks
from fairtrec.counting.text_blocks import Fault
from fairtrec.data import Docnos, decode
from fairtrec.formats.pairs import Counterparts
from fairtrec.lab.make.counterfactual.rewriter import LineForm, Rewriter, Rewritten
from fairtrec.lab.make.counterfactual.text_edits import Swapper
from fairtrec.lab.make.counterfactual.vocabulary import Vocabulary
from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files.atomic import replace_file, stream_to
from fairtrec.support.jobs import choose_jobs
from fairtrec.support.literals import Pronouns

Codec = Literal["", "gz", "bz2", "zst"]
FORMS: dict[str, LineForm] = {".tsv": "tsv", ".txt": "tsv", ".jsonl": "jsonl", ".json": "jsonl", ".ndjson": "jsonl"}
CODECS: dict[str, Codec] = {".gz": "gz", ".bz2": "bz2", ".zst": "zst"}


@dataclass(frozen=True)
class RewritingOptions(CollectionOptions):
    """How to substitute."""

    ignore_case: bool = False
    pronouns: Pronouns | None = None  # rule
    one_way: bool = False


@dataclass(frozen=True)
class RewritingSummary:
    """The numbers of a rewritten collection.

    Attributes:
        documents: all of them.
        bytes: of their text.
        changed: documents with a replaced word.
        words: replaced words.
        rejected: skipped lines.
        missing: documents of the runs that were not found.
    """

    documents: int
    bytes: int
    changed: int
    words: int
    rejected: int
    missing: int
    pairs: str  # their name and the first digits of their digest
    jobs: int  # the number of processes


@dataclass(frozen=True)
class Substitution:
    """What is the same for all pieces."""

    origins: list[Origin]
    pairs: Counterparts
    options: RewritingOptions
    form: LineForm
    codec: Codec
    wanted: Any

    def begin(self) -> Callable[[Task], Rewritten]:
        """Make what finds the words, once in each process."""
        vocabulary = Vocabulary(self.pairs, ignore_case=self.options.ignore_case)
        swapper = Swapper(vocabulary, self.options.pronouns or "rule")
        return partial(self._rewritten, Rewriter(swapper, self.form, self.options.max_doc_bytes, self.wanted))

    def _rewritten(self, rewriter: Rewriter, task: Task) -> Rewritten:
        written, origin = Rewritten(), self.origins[task.origin]
        if task.damage:
            written.faults.append((1, task.damage))
        elif isinstance(task.text, tuple):
            rewriter.add_texts(written, text_blocks.read_pairs(task.text, rewriter.longest))
        else:
            for block in read_blocks(origin, task, rewriter.longest):
                rewriter.add(written, block, "jsonl" if origin.kind == "jsonl" else "tsv")
        written.blocks = _packed(_ended(written.blocks), self.codec)
        return written


def _ended(blocks: list[bytes]) -> list[bytes]:
    filled = [block for block in blocks if block]
    return filled if not filled or filled[-1].endswith(b"\n") else [*filled, b"\n"]


def _packed(blocks: list[bytes], codec: Codec) -> list[bytes]:
    if not blocks or not codec:
        return blocks
    content = b"".join(blocks)
    if codec == "gz":
        return [gzip.compress(content, 6, mtime=0)]
    if codec == "bz2":
        return [bz2.compress(content)]
    return [pa.compress(content, codec="zstd", asbytes=True)]


def find_output_kind(output: Path) -> tuple[LineForm, Codec]:
    """Tell form and compression by the end of a name. Raises UsageError for another."""
    codec = CODECS.get(output.suffix, "")
    form = FORMS.get((output.with_suffix("") if codec else output).suffix)
    if form is None:
        raise UsageError(f"{output} has no known suffix; use .tsv or .jsonl, also followed by .gz, .bz2 or .zst")
    return form, codec


def substitute(
    sources: Sequence[FilePath],
    pairs: Counterparts,
    output: Path,
    options: RewritingOptions = RewritingOptions(),
    wanted: Docnos | None = None,
    watcher: Watcher | None = None,
) -> RewritingSummary:
    """Write the texts of some sources with each word of the pairs replaced by its counterpart.

    Raises InputError for what is wrong with a source, UsageError for an output that cannot be written.
    """
    form, codec = find_output_kind(output)
    refuse_output(output)
    origins = [Origin.find(each) for each in sources]
    chosen = None if wanted is None else pa.array(decode(wanted.names), pa.string())
    jobs = choose_jobs(options.jobs, sources)
    total = Rewritten()
    rejected: list[dict[str, Any]] = []
    try:
        with stream_to(output) as file:
            work = Substitution(origins, pairs, options, form, codec, chosen)
            for content in _contents(work, jobs, total, rejected, watcher):
                file.writelines(content)
            for origin in origins:
                origin.refuse_changed()
    except OSError as fault:
        raise UsageError(f"cannot write {output}: {fault.strerror}; choose another place with -o") from None
    _list_rejected(output, rejected)
    missing = 0 if wanted is None else max(len(wanted.names) - total.documents, 0)
    named = f"{pairs.name}@{pairs.sha256[:8]}" if pairs.sha256 else pairs.name
    named += " one way" * pairs.one_way
    return RewritingSummary(
        total.documents, total.bytes, total.changed, total.words, len(rejected), missing, named, jobs
    )


def refuse_output(output: Path) -> None:
    """Raise UsageError for an output that cannot be."""
    if output.is_dir():
        raise UsageError(f"{output} is a folder; choose a file with -o")
    if not output.parent.is_dir():
        raise UsageError(f"the folder of {output} is not there; make it, or choose another with -o")


def _contents(
    work: Substitution, jobs: int, total: Rewritten, rejected: list[dict[str, Any]], watcher: Watcher | None
) -> Iterator[list[bytes]]:
    """Do all pieces, several at a time; give what came of them in order, and add up what they held."""
    lines = [0] * len(work.origins)
    sizes = [0, *accumulate(origin.size for origin in work.origins)]
    several = tasks(work.origins, work.options.max_doc_bytes, tapered=not work.codec)
    for task, written in run_tasks(work, work.origins, several, jobs, preload=__name__):
        origin, faults = work.origins[task.origin].name, sorted(written.faults)
        _note(origin, lines[task.origin], faults, work.options.keep_going, rejected)
        lines[task.origin] += written.lines
        for name in ("documents", "bytes", "changed", "words"):
            setattr(total, name, getattr(total, name) + getattr(written, name))
        if watcher is not None:
            watcher(Progress(total.documents, total.bytes, sizes[task.origin] + task.done, sizes[-1]))
        yield written.blocks


def _note(name: str, before: int, faults: Sequence[Fault], keep_going: bool, rejected: list[dict[str, Any]]) -> None:
    """Raise InputError for the first fault, or list them all."""
    for line, reason in faults:
        if not keep_going:
            raise InputError(reason, name, before + line)
        rejected.append({"file": name, "line": before + line, "reason": reason})


def _list_rejected(output: Path, rejected: Sequence[dict[str, Any]]) -> None:
    listed = output.with_name(output.name + ".rejected.jsonl")
    if rejected:
        with replace_file(listed, synced=True) as file:
            file.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rejected), "utf-8")
    else:
        listed.unlink(missing_ok=True)
