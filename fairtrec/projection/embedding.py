"""Vectors of texts: by a function of the caller, or by a model of sentence-transformers, which is an extra."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fairtrec.errors import InputError, ResourceError, UsageError
from fairtrec.formats.datasets import OFFLINE

Embedder = Callable[[list[str]], Any]


@dataclass(frozen=True)
class Embedding:
    """Vectors [text, dimension], what made them, and how many texts are longer than that reads (its ``limit``)."""

    name: str
    values: Any
    longer: int = 0
    limit: int = 0


def embedded(texts: Sequence[str], model: str | os.PathLike[str] | Embedder) -> Embedding:
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
        raise InputError(f"the model gave an array of {shape} for {len(texts)} texts; it has to give a row for each")
    return values


def _by_library(texts: list[str], name: str) -> Embedding:
    offline = os.environ.get("FAIRTREC_OFFLINE", "") not in {"", "0"}
    if offline:
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
    try:
        model: Any = SentenceTransformer(name, local_files_only=offline, **safe)
    except Exception as fault:  # noqa: BLE001 - of whatever kind: the library has no error of its own
        lines = str(fault).strip().splitlines()
        why = OFFLINE if offline and not os.path.isdir(name) else lines[0][:200] if lines else type(fault).__name__  # noqa: PTH112
        raise ResourceError(f"the model {name} cannot be loaded ({why}); name a folder that holds it") from None
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


def check(embeddings: Any, docs: Any, model: Any, ids: Any) -> None:
    """Raise UsageError unless there are either embeddings, or texts and a model that makes embeddings of them."""
    if embeddings is None and model is None:
        raise UsageError("positions are made of vectors; give --embeddings FILE, or --docs COLLECTION and --model NAME")
    if embeddings is not None and (model is not None or docs is not None):
        raise UsageError("--embeddings are there already, so nothing is made of texts; leave out --docs and --model")
    if model is not None and docs is None:
        raise UsageError("a model makes vectors of texts; give --docs COLLECTION")
    if ids is not None and embeddings is None:
        raise UsageError("--ids names the rows of --embeddings; give these, or leave it out")
