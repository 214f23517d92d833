"""What the caller gave beside the runs, what inputs of measures that makes, and what to give for the others."""

from dataclasses import dataclass
from typing import Any

from fairtrec import loading
from fairtrec.errors import InputError, UsageError

OF_DOCUMENTS = frozenset({"counts", "log_counts", "tokens", "background", "collection"})
OF_GROUPS = frozenset({"membership", "judged_membership", "target"})  # from labels, or else from counts
_COUNTS = "--groups LIST with --docs COLLECTION, or --annotations FILE"
OPTIONS = {  # what to say when a measure asks for an input that was not given
    "ranked": ("the documents' groups", f"--labels FILE, or {_COUNTS}"),
    "counts": ("the counts of group terms", _COUNTS),
    "tokens": ("the lengths of documents", _COUNTS),
    "log_counts": ("the texts of documents", "--groups LIST with --docs COLLECTION"),
    "target": ("groups", f"--labels FILE, or {_COUNTS}"),
    "groups": ("groups", f"--labels FILE, or {_COUNTS}"),
    "membership": ("group labels", f"--labels FILE, or {_COUNTS}"),
    "background": ("a background set", "--background RUN or --background collection"),
    "collection": ("the counts of a whole collection", "--annotations FILE"),
    "relevance": ("relevance judgements", "a qrels file"),
    "judged_relevance": ("relevance judgements", "a qrels file"),
    "judged_membership": ("relevance judgements and group labels", f"a qrels file, and --labels FILE, or {_COUNTS}"),
    "sequences": ("the track's sequences of queries", "--sequences FILE of `fairtrec trec-fair-2019`"),
    "authors": ("the track's groups of authors", "--groups FILE of `fairtrec trec-fair-2019`"),
    "positions": ("positions of documents", "--positions FILE"),
    "background_positions": ("positions of documents and a background", "--positions FILE and --background RUN"),
}


@dataclass(frozen=True, eq=False)
class Sources:
    """What the caller gave beside the runs: paths, names or objects; None is not given."""

    qrels: Any = None
    groups: Any = None
    docs: Any = None
    annotations: Any = None
    labels: Any = None
    positions: Any = None
    queries: Any = None
    background: Any = None

    def __post_init__(self) -> None:
        if self.docs is not None and self.annotations is not None:
            raise UsageError("both texts and counts were given; leave out --docs or --annotations")
        if self.labels is not None and not (self.docs is None and self.annotations is None and self.groups is None):
            raise UsageError("both labels and words or counts were given; leave out --labels, or the others")
        if loading.is_path(self.background) and not self.whole and not loading.is_file(self.background):
            raise InputError("there is no such file; check --background", self.background)
        if self.docs is not None and self.groups is None:
            raise UsageError("texts were given, but no words to look for; give --groups LIST")
        if self.whole and self.annotations is None and self.labels is None:
            raise UsageError("--background collection needs the counts of the collection; give --annotations FILE")

    @property
    def whole(self) -> bool:
        """Whether the background is the whole collection."""
        return isinstance(self.background, str) and self.background == "collection"

    @property
    def inputs(self) -> frozenset[str]:
        """The inputs of measures that can be made from this."""
        grouped = self.docs is not None or self.annotations is not None or self.labels is not None
        judged = self.qrels is not None
        makes = {
            "relevance": judged,
            "judged_relevance": judged,
            "judged_membership": judged and grouped,
            "log_counts": self.docs is not None,
            "collection": self.annotations is not None or self.labels is not None,
            "background": grouped and self.background is not None,
            "positions": self.positions is not None,
            "background_positions": self.positions is not None and self.background is not None and not self.whole,
        }
        makes |= dict.fromkeys(("ranked", "counts", "tokens", "groups", "target", "membership"), grouped)
        return frozenset(name for name, can in makes.items() if can) | {"lengths", "queries", "sample_of"}
