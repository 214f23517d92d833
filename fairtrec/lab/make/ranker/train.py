"""Training a ranker in three phases: it alone, an adversary alone, then both at once, each against the other.

Source: Rekabsaz, Kopeinik, Schedl: Societal Biases in Retrieved Contents. SIGIR 2021, section 5.
https://doi.org/10.1145/3404835.3462949
"""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.counting.counter import Lexicon
from fairtrec.data import Bools, GroupTerms, Ints, list_distinct
from fairtrec.evaluation.given.given_rows import TermsLike
from fairtrec.evaluation.inputs import loading
from fairtrec.formats import tsv
from fairtrec.formulas.neutrality import omega
from fairtrec.lab.make.ranker.model import ADVERSARY, NOTES, Ranker, adversary, libraries, reverse_gradient
from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files import opening
from fairtrec.support.files.atomic import make_folder, replace_file
from fairtrec.support.files.typed_fields import Fields, parse_json
from fairtrec.support.literals import Objective
from fairtrec.support.version import __version__

STATE = ".state"  # the ending of what is kept until a model is done
ALONE, WARMUP, BOTH, PROBE = range(2, 6)  # phases: the ranker, the adversary, both, a fresh adversary
SIDE = {WARMUP: "adversary", PROBE: "fresh probe"}


@dataclass(frozen=True, eq=False)
class Triples:
    """Texts (query, relevant, other); ``leans`` [triple, side] tells where query and text together are not neutral."""

    rows: Sequence[tuple[str, str, str]]
    leans: Bools

    def pairs(self, rows: Ints) -> tuple[list[str], list[str], Ints]:
        """List queries, texts and labels of some triples: the pairs with relevant texts, then those with the others."""
        texts = [self.rows[row][side] for side in (1, 2) for row in rows]
        return [self.rows[row][0] for row in rows] * 2, texts, self.leans[rows].T.ravel().astype(np.int64)


def label_triples(rows: Sequence[tuple[str, str, str]], terms: GroupTerms, tau: int = 1) -> Triples:
    """Tell which pairs are not neutral: those of which omega is below 1."""
    lexicon = Lexicon.from_terms(terms)
    counts = np.zeros((len(rows), 3, len(lexicon.groups)))
    for of, triple in zip(counts, rows, strict=True):
        for place, text in enumerate(triple):
            for (_, groups), times in lexicon.occurrences(lexicon.tokens(text)).items():
                of[place, list(groups)] += times
    pairs = counts[:, :1] + counts[:, 1:]
    return Triples(rows, omega(pairs, np.full(len(lexicon.groups), 1 / len(lexicon.groups)), tau) < 1)


def split_triples(triples: Triples, share: float, seed: int) -> tuple[Ints, Ints, Ints]:
    """Part the triples: all to learn from; of these those that lean and as many others; those of held-out queries."""
    names, number = np.unique(np.array([query for query, *_ in triples.rows]), return_inverse=True)
    if len(names) < 2:
        raise InputError("the triples have one query, and one is held out; pass triples of two queries or more")
    random, many = np.random.default_rng([seed, 0]), min(max(round(share * len(names)), 1), len(names) - 1)
    is_held = np.isin(number, random.permutation(len(names))[:many])
    rows, leans = np.flatnonzero(~is_held), triples.leans[~is_held]
    if leans.all() or not leans.any():
        what = "no pair is neutral" if leans.any() else "all pairs are neutral"
        raise InputError(f"{what}, so that there is nothing to balance; check --terms and --tau, or add triples")
    leaning, rest = rows[leans.any(axis=1)], random.permutation(rows[~leans.any(axis=1)])
    return rows, np.concatenate([leaning, rest[: len(leaning)]]), np.flatnonzero(is_held)


class Batches:
    """The rows of each step, ``batches[step]``: each epoch in an order of its own, which seed and phase decide."""

    def __init__(self, rows: Ints, size: int, seed: int, phase: int) -> None:
        self.size, self.key, self.in_epoch = size, (seed, phase), len(rows) // size
        if self.in_epoch < 2:
            what = f"{len(rows)} triples make fewer than two batches of {size}"
            raise InputError(f"{what}; pass more triples, or a smaller --batch-size")
        self._order = lru_cache(maxsize=1)(lambda epoch: np.random.default_rng([*self.key, epoch]).permutation(rows))

    def __getitem__(self, step: int) -> Ints:
        epoch, number = divmod(step, self.in_epoch)
        return self._order(epoch)[number * self.size : (number + 1) * self.size]

    def seed(self, step: int) -> int:
        """Seed what else is drawn in a step, so that whoever goes on needs no state of a generator."""
        return int(np.random.SeedSequence([*self.key, step]).generate_state(1)[0])


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """How a ranker is trained. Steps that are None are two epochs; ``max_length`` is in tokens."""

    base_steps: int | None = None
    warmup: int | None = None
    steps: int | None = None
    batch_size: int = 64
    learning_rate: float = 3e-5
    adversary_learning_rate: float = 1e-3
    objective: Objective = "hinge"
    checkpoints: int = 20
    layers: int | None = None
    freeze_embeddings: bool = False
    max_length: int = 230
    tau: int = 1
    held_out: float = 0.1
    seed: int = 0
    device: str = "cpu"


@dataclass(frozen=True)
class Trained:
    """A model, its last mean loss, and balanced accuracies on held-out pairs; None is undefined, or not looked at."""

    name: str
    steps: int
    loss: float | None
    adversary: float | None
    probe: float | None = None  # of a fresh adversary


TrainingWatcher = Callable[[str, int, int, float], None]  # what is trained, so many steps of so many, and the loss


def train(
    triples: FilePath, model: str, terms: TermsLike, output: FilePath, strengths: Sequence[float], **options: Any
) -> Iterator[Trained]:
    """Train a ranker, then for each strength (lambda) one against an adversary; tell of each when its folder is there.

    ``options`` are those of TrainingOptions, ``force``, ``resume``, and a ``watcher``, told of each step. Raises
    InputError for a loss that is no number, too.
    """
    watcher = options.pop("watcher", None)
    torch, _ = libraries()
    resume, force = options.pop("resume", False), options.pop("force", False)
    how, folder, listed = TrainingOptions(**options), Path(output), loading.terms(terms)
    found = label_triples(tsv.triples(triples), listed, how.tau)
    names = {"model": opening.name(model.rstrip("/")), "terms": f"{listed.name}@{listed.sha256[:8]}"}
    versions = {"fairtrec": __version__, "torch": torch.__version__, "triples": opening.sha256(triples)[:8]}
    settings = {**versions, **names, **asdict(how)}
    training = _Training(found, how, folder, settings, watcher)
    made = {path.parent: _notes(path).object("settings").values for path in folder.glob(f"*/{NOTES}")}
    if resume and any(of != settings for of in made.values()):
        raise UsageError(f"{folder} was made with other options or triples; pass the same, or --force")
    if not (resume or force) and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists; choose another with -o, or add --force or --resume")
    training.old = set() if resume else set(made)
    for path in [] if resume else folder.glob(f".*{STATE}"):
        path.unlink()
    yield from (training.trained(model, strength) for strength in (None, *strengths))
    for path in training.old:  # which nothing has come to stand for
        shutil.rmtree(path)


def _notes(path: Path) -> Fields:
    """Read what was noted of a model when it was made."""
    return parse_json(path.read_bytes(), path, "train it again, with --force")


class _Training:
    def __init__(
        self,
        triples: Triples,
        how: TrainingOptions,
        folder: Path,
        settings: dict[str, Any],
        watcher: TrainingWatcher | None,
    ) -> None:
        self.watcher = watcher
        self.triples, self.how, self.folder, self.settings = triples, how, folder, settings
        self.old: set[Path] = set()  # models of before, each of which stays until there is another
        learnt, even, self.held = split_triples(triples, how.held_out, how.seed)
        rows = {ALONE: learnt, WARMUP: even, BOTH: even, PROBE: even}
        self.batches = {phase: Batches(of, how.batch_size, how.seed, phase) for phase, of in rows.items()}
        asked = {ALONE: how.base_steps, WARMUP: how.warmup, BOTH: how.steps, PROBE: how.warmup}
        self.steps = {of: 2 * self.batches[of].in_epoch if steps is None else steps for of, steps in asked.items()}

    def trained(self, model: str, strength: float | None) -> Trained:
        """Train the base (None), or go on from it against its adversary; what is done already is told again."""
        from safetensors.torch import load_file

        how, base = self.how, self.folder / "base"
        name, phase = ("base", ALONE) if strength is None else (f"lambda-{strength:g}", BOTH)
        if (self.folder / name).exists() and self.folder / name not in self.old:
            seen = _notes(self.folder / name / NOTES).object("seen")
            values = [seen.take_optional(each, float) for each in ("loss", "adversary", "probe")]
            return Trained(seen.get("name", str), seen.count("steps"), *values)
        ranker = Ranker(model if phase == ALONE else str(base), how.device, how.layers, how.max_length, how.seed)
        ranker.net.get_input_embeddings().requires_grad_(not how.freeze_embeddings)
        opponent, fresh = (adversary(ranker.width, how.device, how.seed + more) for more in (0, 1))
        if phase == BOTH:
            opponent.load_state_dict(load_file(base / ADVERSARY))
        loss = None  # of no step
        for step, loss in self._fitted(phase, ranker, opponent, strength or 0.0, name):
            if phase == BOTH and step < self.steps[phase]:
                self._written(f"{name}-step-{step}", step, loss, ranker, opponent)
        if phase == ALONE:
            list(self._fitted(WARMUP, ranker, opponent))
        list(self._fitted(PROBE, ranker, fresh))
        done = self._written(name, self.steps[phase], loss, ranker, opponent, fresh)
        self._state(name).unlink(missing_ok=True)
        return done

    def _fitted(
        self, phase: int, ranker: Ranker, opponent: Any, strength: float = 0.0, name: str = ""
    ) -> Iterator[tuple[int, float]]:
        """Train what the phase trains; give the step of each checkpoint, and the mean loss since the last one.

        What has a ``name`` goes on where it was interrupted, from the state that is kept at each checkpoint.
        """
        import torch
        from torch.nn.functional import cross_entropy, relu, softplus

        how, batches, is_ranker, is_adversary = self.how, self.batches[phase], phase in (ALONE, BOTH), phase != ALONE
        nets = [(ranker.net, how.learning_rate)] * is_ranker + [(opponent, how.adversary_learning_rate)] * is_adversary
        groups = [{"params": [each for each in net.parameters() if each.requires_grad], "lr": lr} for net, lr in nets]
        optimizer = torch.optim.Adam(groups, eps=1e-5)
        learners = {"net": ranker.net, "opponent": opponent, "optimizer": optimizer}
        done, before = self._resumed(name, learners)
        ranker.net.train(is_ranker)
        for first, last in pairwise(list_distinct(np.linspace(0, self.steps[phase], how.checkpoints + 1).astype(int))):
            if last <= done:
                if last == done:
                    yield done, before
                    ranker.net.train(is_ranker)
                continue
            losses = []
            for step in range(first, last):
                torch.manual_seed(batches.seed(step))
                queries, texts, labels = self.triples.pairs(batches[step])
                with torch.set_grad_enabled(is_ranker):
                    z, scores = ranker(queries, texts)
                good, bad = scores.chunk(2)
                each = relu(1 - good + bad) if how.objective == "hinge" else softplus(-good) + softplus(bad)
                terms = [each.mean()] * is_ranker
                if is_adversary:
                    guesses = opponent(reverse_gradient(z, strength) if is_ranker else z).chunk(2)
                    terms += map(cross_entropy, guesses, torch.from_numpy(labels).to(how.device).chunk(2))
                if not (total := sum(terms)).isfinite():
                    what = f"the loss is {total.item()} at step {step + 1}, lambda {strength:g}"
                    raise InputError(f"{what}; lower --learning-rate or --lambda; the models before are kept")
                optimizer.zero_grad()
                total.backward()
                for group in optimizer.param_groups:
                    torch.nn.utils.clip_grad_norm_(group["params"], 1.0)
                optimizer.step()
                losses.append(terms[0].item())
                if self.watcher is not None:
                    self.watcher(name or SIDE[phase], step + 1, self.steps[phase], losses[-1])
            if name:
                kept = {of: each.state_dict() for of, each in learners.items()}
                kept |= {"step": int(last), "loss": float(np.mean(losses)), "settings": json.dumps(self.settings)}
                with make_folder(self.folder, parents=True), replace_file(self._state(name)) as part:
                    torch.save(kept, part)
            yield int(last), float(np.mean(losses))
            ranker.net.train(is_ranker)  # after whoever looked at it

    def _state(self, name: str) -> Path:
        return self.folder / f".{name}{STATE}"

    def _resumed(self, name: str, learners: dict[str, Any]) -> tuple[int, float]:
        """Go on from what is kept, if anything is: after so many steps, with that loss."""
        import torch

        if not name or not self._state(name).exists():
            return 0, 0.0
        kept = torch.load(self._state(name), map_location=self.how.device, weights_only=True)
        if json.loads(kept["settings"]) != json.loads(json.dumps(self.settings)):
            raise UsageError(f"{self.folder} was made with other options or triples; pass the same, or --force")
        for of, each in learners.items():
            each.load_state_dict(kept[of])
        return kept["step"], kept["loss"]

    def _written(self, name: str, steps: int, loss: float | None, ranker: Ranker, *opponents: Any) -> Trained:
        """Look at a model by its adversary and a fresh one, if there is one, and write its folder."""
        queries, texts, labels = self.triples.pairs(self.held[:2000])
        accuracies: list[Any] = []
        for opponent in opponents:
            guesses = ranker.look(queries, texts, self.how.batch_size, opponent).argmax(axis=1)
            right = [np.mean(guesses[labels == label] == label) for label in list_distinct(labels)]
            accuracies.append(float(np.mean(right)) if len(right) == 2 else None)
        found = Trained(name, steps, loss, *accuracies)
        ranker.save(self.folder / name, opponents[0], {"seen": asdict(found), "settings": self.settings})
        self.old.discard(self.folder / name)
        return found
