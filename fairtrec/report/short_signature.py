"""The short signature, which a terminal shows; files, pipes and -v have the whole one."""

from hashlib import sha256

from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.inputs.options import CHOICES

LONGEST = 32  # letters of the choices, so that a release has at most 60 in all
DIGITS = 8


def shorten_signature(line: str) -> str:
    """Shorten a signature to the version, choices that are not the default, and a digest of all choices and inputs.

    Choices for which there is no room are left out. The digest is of the signature without the version: the same
    evaluation by another version has the same digits, and the version stands before them.

    >>> shorten_signature("fairtrec:0.1.0 | order:score | qrels:q.txt@4dfa916c | missing:neutral")
    'fairtrec:0.1.0 | missing:neutral | e6f51981'
    """
    signature = Signature.read(line)
    usual = {row.key: row.describe_value(row.default) for row in CHOICES.values() if row.key}
    others = [f"{name}:{value}" for name, value in signature.items() if name in usual and value != usual[name]]
    shown: list[str] = []
    for choice in others:
        shown += [choice] * (len(" | ".join([*shown, choice])) <= LONGEST)
    version = signature.get("fairtrec", "").partition("+")[0]
    digest = sha256(str(signature.content).encode("utf-8", "surrogateescape")).hexdigest()[:DIGITS]
    return " | ".join([f"fairtrec:{version}", *shown, digest])
