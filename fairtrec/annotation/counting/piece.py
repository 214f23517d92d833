"""A piece of a collection while it is being counted: its rows, and what is wrong with its lines."""

import json
from dataclasses import dataclass, field

import numpy as np

from fairtrec.annotation.counting.kernel import Kernel
from fairtrec.annotation.counting.long import PIECE, shortened
from fairtrec.annotation.counting.lookup import joined
from fairtrec.annotation.counting.text_blocks import Fault, TextBlock
from fairtrec.data import Ints
from fairtrec.formats.arrow import flat
from fairtrec.formats.table.rows import Rows, arranged


@dataclass
class Piece:
    """What has been counted so far: lines, bytes of text, rows, and faults by their line within the piece."""

    lines: int = 0
    bytes: int = 0
    rows: list[Rows] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def add(self, some: TextBlock, counter: Kernel, *, skip: bool) -> None:
        """Count the documents that come next, unless a fault ends it all; ``skip`` passes faults over."""
        self.faults += [(self.lines + line, reason) for line, reason in some.faults]
        if len(some.starts) and (skip or not self.faults):
            tokens, counts = counted(counter, some)
            numbers = np.concatenate((tokens[None], counts.T)).astype(np.uint32)
            self.rows.append(Rows.of(some.docnos, numbers, (some.lines + self.lines).astype(np.uint64)))
        self.bytes += int((some.ends - some.starts).sum())
        self.lines += some.passed

    def arranged(self) -> Rows | None:
        """Sort the rows, if there are any; a document that stands twice is a fault of its second line."""
        if not self.rows:
            return None
        every = Rows.joined(self.rows)
        rows, again, _ = arranged(every)
        docnos, lines = every.docnos.take(flat(again)).to_pylist(), every.places[again].tolist()  # type: ignore[index]
        self.faults = sorted(self.faults + [(line, twice(docno)) for line, docno in zip(lines, docnos, strict=True)])
        return rows

    @property
    def rejected(self) -> str:
        """The faults as they are written down where they are passed over."""
        return "".join(json.dumps(fault) + "\n" for fault in self.faults)


def twice(docno: str) -> str:
    """Say that a document stands twice."""
    return f"document {docno} stands twice; keep one line"


def counted(counter: Kernel, some: TextBlock) -> tuple[Ints, Ints]:
    """Count documents; very long ones are made fit for the counter before."""
    block, starts, ends = some.block, some.starts, some.ends
    if (ends - starts).max() > PIECE:
        texts = (block[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
        block, starts, ends = joined([shortened(t, counter.lexicon) if len(t) > PIECE else t for t in texts])
    return counter.count(block, starts, ends)
