"""A cross-encoder: query and text -> z, the vector of [CLS] -> a score; and the adversary, which reads z."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.support import network
from fairtrec.support.errors import InputError, ResourceError, UsageError, plain
from fairtrec.support.files.atomic import replace_folder

ADVERSARY, NOTES = "adversary.safetensors", "fairtrec.json"


def libraries() -> tuple[Any, Any]:
    """Import torch and transformers. Raises ResourceError where they are not installed."""
    try:
        import torch
        import transformers
    except ModuleNotFoundError:
        raise ResourceError("torch or transformers is missing; run: pip install 'fairtrec[adv]'") from None
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


class Ranker:
    """A cross-encoder of one score: a folder, or the name of a model on the Hugging Face hub.

    It keeps the first ``layers`` of the encoder, reads ``longest`` tokens, and draws a head that it lacks by ``seed``.
    """

    def __init__(
        self, name: str, device: str = "cpu", layers: int | None = None, longest: int | None = None, seed: int = 0
    ) -> None:
        torch, transformers = libraries()
        from safetensors import SafetensorError

        if device.startswith("cuda") and not torch.cuda.is_available():
            raise ResourceError(f"there is no {device} on this machine; leave out --device to use the processor")
        if Path(name).is_dir() and not all(any(Path(name).glob(each)) for each in ("config.json", "*.safetensors")):
            raise InputError("this folder has no config.json or no model.safetensors; pass another", name)

        def load(*, is_here: bool) -> Any:
            torch.manual_seed(seed)
            source = {"local_files_only": is_here}
            config = transformers.AutoConfig.from_pretrained(name, num_labels=1, **source)
            if layers is not None and layers > config.num_hidden_layers:
                raise UsageError(f"{name} has {config.num_hidden_layers} layers; ask for as many at most")
            config.num_hidden_layers = layers or config.num_hidden_layers
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(name, **source)
            how = {"config": config, "dtype": torch.float32, "use_safetensors": True, **source}
            self.net = transformers.AutoModelForSequenceClassification.from_pretrained(name, **how).to(device)
            return config

        try:
            try:
                config = load(is_here=True)
            except OSError:
                if Path(name).is_dir() or not network.may_fetch(f"the model {name}"):
                    raise
                config = load(is_here=False)
        except (OSError, ValueError, RuntimeError, KeyError, AttributeError, ImportError, SafetensorError) as fault:
            why = plain(f"{type(fault).__name__}: {fault}".partition("\n")[0])[:200]
            if Path(name).is_dir():
                raise InputError(f"this model cannot be loaded ({why}); save or fetch it again", name) from None
            why = why if network.may_fetch(f"the model {name}") else network.refusal()
            raise ResourceError(f"there is no folder {name}, and from the hub it cannot be had ({why})") from None
        most = min(self.tokenizer.model_max_length, config.max_position_embeddings)
        self.name, self.device, self.longest, self._z = name, device, min(longest or most, most), None
        heads = [each for each in self.net.modules() if isinstance(each, torch.nn.Linear) and each.out_features == 1]
        if not heads:
            raise InputError("the score of this model does not come from a linear layer; choose another model", name)
        self.width: int = heads[-1].in_features
        heads[-1].register_forward_pre_hook(lambda _, inputs: setattr(self, "_z", inputs[0]))

    def __call__(self, queries: Sequence[str], texts: Sequence[str]) -> tuple[Any, Any]:
        """Give z [pair, width] and the scores [pair], as tensors."""
        how = {"truncation": True, "max_length": self.longest, "padding": True, "return_tensors": "pt"}
        scores = self.net(**self.tokenizer(list(queries), list(texts), **how).to(self.device)).logits[:, 0]
        return self._z, scores

    def look(self, queries: Sequence[str], texts: Sequence[str], size: int, of_z: Any = None) -> Any:
        """Score pairs [pair], or give what ``of_z`` makes of z [pair, ...]; pairs of like length go together."""
        import torch

        self.net.eval()
        order = np.argsort([len(query) + len(text) for query, text in zip(queries, texts, strict=True)], kind="stable")
        parts = np.split(order, range(size, len(order), size))
        with torch.inference_mode():
            both = (self([queries[row] for row in rows], [texts[row] for row in rows]) for rows in parts)
            found = [(scores if of_z is None else of_z(z)).cpu().numpy() for z, scores in both]
        return np.concatenate(found)[np.argsort(order)]

    def save(self, folder: Path, adversary: Any, notes: Mapping[str, Any]) -> None:
        """Write a folder that CrossEncoder loads, with the scores that it gives here; adversary and notes beside."""
        from safetensors.torch import save_file

        self.tokenizer.model_max_length, self.net.config.name_or_path = self.longest, ""
        self.net.config.sentence_transformers = {"activation_fn": "torch.nn.modules.linear.Identity"}
        with replace_folder(folder) as part:
            self.net.save_pretrained(part)
            self.tokenizer.save_pretrained(part)
            save_file(adversary.state_dict(), part / ADVERSARY)
            (part / NOTES).write_text(json.dumps(notes, indent=2) + "\n", "utf-8")


def adversary(width: int, device: str, seed: int) -> Any:
    """Make an adversary that knows nothing yet: linear, tanh, linear; its two outputs are neutral and not."""
    import torch

    torch.manual_seed(seed)
    layers = torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Linear(width, 2)
    return torch.nn.Sequential(*layers).to(device)


def reverse_gradient(z: Any, strength: float) -> Any:
    """Give z as it is; the gradient that comes back through it is multiplied by ``-strength``."""
    same = z.clone()
    same.register_hook(lambda gradient: gradient * -strength)
    return same
