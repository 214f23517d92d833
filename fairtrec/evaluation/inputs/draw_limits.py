"""How many orders and labelings bounds try, and how many they draw if there are more, as the signature says it."""

from importlib import import_module

from fairtrec.support.literals import LeftOpen

MODULES = {
    "ties": "data.ranking.ties", "labels": "formulas.labelings.unlabeled", "orders": "data.ranking.random_orders"
}  # that hold the limits  # fmt: skip


def write_limits(over: LeftOpen) -> str:
    """Write what bounds are over, and the limits: ``ties 720/1000``, for example."""
    if over not in MODULES:
        return over
    limits = import_module(f"fairtrec.{MODULES[over]}")  # which few evaluations import
    return f"{over} {limits.MOST}/{limits.DRAWN}"
