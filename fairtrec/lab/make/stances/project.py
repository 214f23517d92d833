"""``fairtrec.make_stances``: from runs and vectors of their documents to a stance of each on axes of opinion."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Docnos, Ints, Labels, decode
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.loading import short
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.lab.make.stances import query_documents, vectors
from fairtrec.lab.make.stances.fit import DocumentLists, DocumentTable, Fitting
from fairtrec.lab.make.stances.projection import Projection, count_things
from fairtrec.lab.make.stances.query_documents import QueryDocuments
from fairtrec.lab.make.stances.vectors import Vectors
from fairtrec.support import network
from fairtrec.support.errors import FilePath, InputError, ResourceError, UsageError
from fairtrec.support.literals import Absent, RankedBy, RunFormat, SpuriousAs
from fairtrec.support.notes import Note, NoteKind, NoteSeverity
from fairtrec.support.version import __version__

Embedder = Callable[[list[str]], Any]
NO_VECTOR = NoteKind("no vector", "{documents} no vector: left out", NoteSeverity.MISLEADING)
NO_AXIS = NoteKind("no axis", "{queries} no {axis}, {enough}: {left_out}", NoteSeverity.MISLEADING)
UNDETERMINED = NoteKind(
    "axis not determined", "the axis is not unique for {queries}: another direction has the same variance"
)
AS_THEY_ARE = NoteKind("no spurious difference", "{queries} no spurious difference: left as they are")
NO_SIGN = NoteKind(
    "sign of an axis",
    "the signs of the axis and of SignedDUO are arbitrary; to fix them, give --labels FILE and --toward GROUP",
)
NOT_POINTED = NoteKind(
    "axis not pointed",
    "the sign of the axis is arbitrary for {queries}: no document is of {group}, or none of another group",
)
NO_ACCURACY = NoteKind("no accuracy", "no accuracy: it needs two groups, and these labels have {groups}")


@dataclass(frozen=True)
class Embedding:
    """Vectors [text, dimension], what made them, and how many texts are longer than that reads (its ``limit``)."""

    name: str
    values: Any
    longer: int = 0
    limit: int = 0


def embed_texts(texts: Sequence[str], model: str | os.PathLike[str] | Embedder) -> Embedding:
    """Make a vector of each text. ``model`` is a function of a list of texts, a folder, or a name on the hub.

    The longest texts come first, as batches of equal length cost least; equal lengths keep their order.
    Raises ResourceError where the library or the model is not there.
    """
    if not texts:
        raise InputError("no document of the runs has a text; check the ids")
    order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    ordered = [texts[i] for i in order]
    made = Embedding("given", _matrix(model, ordered)) if callable(model) else _by_library(ordered, os.fspath(model))
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return Embedding(made.name, made.values[back], made.longer, made.limit)


def _matrix(model: Embedder, texts: list[str]) -> Any:
    try:
        values = np.asarray(model(texts))
    except ValueError as fault:
        raise InputError(f"the model fails, or its vectors differ in length ({fault}); mend it") from None
    if values.ndim != 2 or len(values) != len(texts):
        shape = " x ".join(map(str, values.shape))
        raise InputError(f"the model gave an array of {shape} for {len(texts)} texts; it must return a row for each")
    return values


def _by_library(texts: list[str], name: str) -> Embedding:
    if network.is_offline():
        os.environ["HF_HUB_OFFLINE"] = "1"  # which is read when the library is imported
    if not sys.stderr.isatty():
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    try:
        from sentence_transformers import SentenceTransformer
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] != "sentence_transformers":
            raise
        what = "a model needs sentence-transformers, which is not installed; pip install 'fairtrec[embed]'"
        raise ResourceError(what) from None
    safe = {"trust_remote_code": False, "model_kwargs": {"use_safetensors": True}}
    refused = ""
    try:
        try:
            model: Any = SentenceTransformer(name, local_files_only=True, **safe)
        except Exception:
            is_folder = os.path.isdir(name)  # noqa: PTH112
            if is_folder or not network.may_fetch(f"the model {name}"):
                refused = "" if is_folder else network.refusal()
                raise
            model = SentenceTransformer(name, local_files_only=False, **safe)
    except Exception as fault:  # noqa: BLE001 - of whatever kind: the library has no error of its own
        lines = str(fault).strip().splitlines()
        why = refused or (lines[0][:200] if lines else type(fault).__name__)
        raise ResourceError(f"the model {name} cannot be loaded ({why}); pass a folder that holds it") from None
    values = model.encode(texts, show_progress_bar=False, convert_to_numpy=True, normalize_embeddings=False)
    limit = getattr(model, "max_seq_length", None)
    longer = _longer(model.tokenizer, texts, limit) if isinstance(limit, int) else 0
    return Embedding(f"{name.rstrip('/').rsplit('/', 1)[-1]}@{_digest(model.state_dict())}", values, longer, limit or 0)


def _longer(tokenizer: Any, texts: list[str], limit: int) -> int:
    """Count the texts that are longer than the model reads; they come longest first."""
    if not callable(tokenizer):
        return 0
    tokens = partial(tokenizer, truncation=False, verbose=False)
    return sum(len(each) > limit for each in tokens(texts)["input_ids"])


def _digest(weights: Mapping[str, Any]) -> str:
    """Give the first 8 digits of the sha256 of a model's weights in float32, by their names."""
    import hashlib

    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode())
        digest.update(weights[name].detach().cpu().float().numpy().tobytes())
    return digest.hexdigest()[:8]


def _refuse_odd_sources(embeddings: Any, docs: Any, model: Any, ids: Any) -> None:
    """Raise UsageError unless there are either embeddings, or texts and a model that makes embeddings of them."""
    if embeddings is None and model is None:
        raise UsageError("stances need vectors; add --embeddings FILE, or --docs COLLECTION and --model NAME")
    if embeddings is not None and (model is not None or docs is not None):
        raise UsageError("--embeddings replace texts; leave out --docs and --model")
    if model is not None and docs is None:
        raise UsageError("a model needs texts; add --docs COLLECTION")
    if ids is not None and embeddings is None:
        raise UsageError("--ids names the rows of --embeddings; add these, or leave it out")


def make_stances(
    runs: Any,
    *,
    embeddings: Any = None,
    ids: Any = None,
    docs: Any = None,
    model: str | os.PathLike[str] | Embedder | None = None,
    fit: Any = None,
    spurious: Any = None,
    spurious_as: SpuriousAs = "unit",
    axes: int = 1,
    normalize: bool = False,
    labels: Any = None,
    toward: str | None = None,
    depth: int | None = None,
    order: RankedBy = "score",
    run_format: RunFormat = "auto",
    columns: str | Mapping[str, str] | None = None,
    missing: Absent = "error",
    save_embeddings: FilePath | None = None,
) -> Projection:
    """Place the ranked documents of each query on the axes along which their vectors spread most.

    Args:
        runs: one or several, as for ``evaluate``. All share the axes of a query.
        embeddings: vectors: a path (.npy, .npz, .parquet), ``{docno: vector}``, or a matrix whose rows are ``ids``.
        ids: docnos, or a path with one per line.
        docs: texts, as for ``evaluate``, of which ``model`` makes vectors.
        model: a folder or name of sentence-transformers, or a function of a list of texts.
        fit: documents that define the axes: a path of lines ``qid docno``, or ``{qid: [docno, ...]}``. By default all
            that the runs rank, down to ``depth``.
        spurious: documents whose difference is removed first: lines ``qid docno side``, or ``{qid: {docno: side}}``.
        spurious_as: the length of the removed direction: "unit" or "published".
        axes: their number.
        normalize: scale all vectors to length 1 first.
        labels: groups, as for ``evaluate``.
        toward: the group whose side is above 0.
        missing: "skip" leaves out documents without a vector and counts them.

    Raises:
        UsageError: inputs or options that do not fit together.
        InputError: a file that cannot be read, or a document without a vector.
        ResourceError: a library or a model that is missing.
    """
    _refuse_odd_sources(embeddings, docs, model, ids)
    groups = _groups(labels, toward)
    if axes < 1:
        raise UsageError(f"the number of axes is {axes}; it is 1 or more")
    choices = Choices(depth=depth, order=order, run_format=run_format, columns=columns)
    rankings = [
        one for name, run in loading.name_rankings(runs) for one in loading.load_run(run, name, choices, depth).runs
    ]
    fitting = None if fit is None else query_documents.read_documents(fit)
    removing = None if spurious is None else query_documents.read_documents(spurious, two=True)
    table = DocumentTable(rankings, [named for named in (fitting, removing) if named is not None])
    lists = _lists(table, table.list_ranked(rankings), fitting, removing)
    used = table.merge_lists(lists)
    found, made = _vectors(embeddings, ids, docs, model, table.documents, used)
    if axes > found.dimensions:
        raise UsageError(f"{axes} axes where vectors have {found.dimensions} dimensions; ask for fewer")
    known = found.rows != MISSING
    unknown, used = used[~known[used]], used[known[used]]
    if len(unknown) and missing == "error":
        names = table.documents.names[unknown]
        raise _without_vector(decode(names[:1])[0], len(unknown), found, of_text=made is not None)
    if save_embeddings is not None:
        vectors.write(Path(save_embeddings), table.documents.names[used], found.values[found.rows[used]])
    kept = [each.keep_known(known) for each in lists]
    work = Fitting(table, found, kept[0], kept[1], kept[2:], axes, normalize, spurious_as, groups, toward)
    queries, documents, values, explained = work.run()
    return Projection(
        tuple(table.qids[query] for query in queries.tolist()),
        tuple(decode(table.documents.names[documents])),
        values,
        explained,
        found.dimensions,
        work.agreement,
        _cut(made),
        tuple(_list_notes(work, len(unknown))),
        _signature_of(work, made, order, depth, fitting, removing, len(unknown)),
    )


def _groups(labels: Any, toward: str | None) -> Labels | None:
    if labels is None:
        if toward is not None:
            raise UsageError("--toward needs labels; add --labels FILE")
        return None
    groups = loading.labels(labels, None)
    if toward is None and len(groups.groups) > 2:
        many = len(groups.groups)
        raise UsageError(f"accuracy needs two groups, and these labels have {many}; point the axis with --toward G")
    if toward is not None and toward not in groups.groups:
        raise UsageError(f"{groups.name} has no group {toward}; there are {', '.join(groups.groups)}")
    return groups


def _lists(
    table: DocumentTable, ranked: DocumentLists, fitting: QueryDocuments | None, removing: QueryDocuments | None
) -> list[DocumentLists]:
    """List what is ranked, what the axes are fit to, and the two sides of what is taken out, if anything is."""
    sides_of = [] if removing is None else [table.list_named(removing, side) for side in sorted(set(removing.sides))]
    return [ranked, ranked if fitting is None else table.list_named(fitting), *sides_of]


def _vectors(
    embeddings: Any, ids: Any, docs: Any, model: Any, documents: Docnos, used: Ints
) -> tuple[Vectors, Embedding | None]:
    """Read the vectors of documents, or make those of the documents that are used by a model."""
    if model is None:
        return vectors.read(embeddings, ids, documents), None
    return _embedded(docs, model, documents, used)


def _without_vector(docno: str, many: int, found: Vectors, *, of_text: bool) -> InputError:
    """Say that ``many`` documents, of which this is the first, have no vector, or no text to make it of."""
    what = "text" if of_text else "vector"
    more = f", and {many - 1} more have none" if many > 1 else ""
    message = f"document {docno} has no {what}{more}; add what is missing, or leave these out: --missing skip"
    return InputError(message, found.path)


def _signature_of(
    work: Fitting,
    made: Embedding | None,
    order: RankedBy,
    depth: int | None,
    fitting: QueryDocuments | None,
    removing: QueryDocuments | None,
    skipped: int,
) -> Signature:
    """Say every choice and content that changes a stance: what made the vectors, and what axes are fit to."""
    spurious = "" if removing is None else f"{short(removing.name, removing.sha256)}/{work.spurious_as}"
    choices = {
        "fairtrec": __version__,
        "vectors": work.vectors.name if made is None else "",
        "model": "" if made is None else made.name,
        "order": order,
        "depth": str(depth or ""),
        "fit": "ranked" if fitting is None else short(fitting.name, fitting.sha256),
        "axes": str(work.axes),
        "normalize": "yes" if work.normalize else "",
        "spurious": spurious,
        "labels": "" if work.labels is None else short(work.labels.name, work.labels.sha256),
        "missing": f"skip({skipped})" if skipped else "",
        "toward": work.toward or "",
        "sign": "" if work.toward else "arbitrary",
    }
    return Signature(choices)


def _embedded(docs: Any, model: Any, documents: Docnos, used: Ints) -> tuple[Vectors, Embedding]:
    """Make vectors of the texts of the documents that are used, each once."""
    column = documents.names[used]
    names = Docnos.collect(column)
    texts = dict(loading.texts(docs, names))
    rows = names.rows(column)
    there = [i for i, row in enumerate(rows.tolist()) if row in texts]
    made = embed_texts([texts[int(rows[i])] for i in there], model)
    return vectors.take_matrix(made.values, made.name, used[there], documents), made


def _cut(made: Embedding | None) -> str:
    if made is None or not made.longer:
        return ""
    are = "document is" if made.longer == 1 else "documents are"
    return f"{made.longer:,} {are} longer than the model reads ({made.limit} tokens)"


def _list_notes(work: Fitting, unknown: int) -> Iterator[Note]:
    tally, one = work.tally, work.axes == 1
    if unknown:
        yield NO_VECTOR.note(documents=count_things(unknown, "document has", "documents have"))
    if tally.no_axis:
        queries = count_things(tally.no_axis, "query has", "queries have")
        enough = f"fewer than {work.axes + 1} documents that differ to fit {'it' if one else 'them'} to"
        left_out = f"{count_things(tally.left_out, 'stance', 'stances')} left out"
        yield NO_AXIS.note(queries=queries, axis="axis" if one else "axes", enough=enough, left_out=left_out)
    if tally.undetermined:
        queries = count_things(tally.undetermined, "query", "queries")
        yield UNDETERMINED.note(queries=queries)
    if tally.as_they_are:
        yield AS_THEY_ARE.note(queries=count_things(tally.as_they_are, "query has", "queries have"))
    if work.toward is None:
        yield NO_SIGN.note()
    elif tally.not_pointed:
        queries = count_things(tally.not_pointed, "query", "queries")
        yield NOT_POINTED.note(queries=queries, group=work.toward)
    if work.labels is not None and len(work.labels.groups) > 2:
        yield NO_ACCURACY.note(groups=len(work.labels.groups))
