"""Names by which trec_eval calls measures, and sets of them: what ir-measures makes of them, how they are printed."""

import io
import re
import sys
from contextlib import redirect_stdout
from typing import Any, NamedTuple

SAME = ("Rprec", "infAP")  # which trec_eval and ir-measures call alike
_NUMBERS = re.compile(r"\D+(?:\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)?")


class Named(NamedTuple):
    """A measure of ir-measures, what trec_eval prints it as, and whether it was asked for by the name of a set."""

    measure: Any
    printed: str
    is_of_set: bool


def read(name: str) -> list[Named]:
    """Find the measures that trec_eval means by a name; say which of them ir-measures lacks; none if it means none."""
    import ir_measures

    if not _NUMBERS.fullmatch(name):
        return []
    try:
        with redirect_stdout(io.StringIO()) as said:
            several: list[Any] = ir_measures.parse_trec_measure(name)
    except (ValueError, TypeError):
        return []
    lacking = re.findall(r"'([^']+)'", said.getvalue())
    if lacking and sys.stderr is not None:
        sys.stderr.write(f"# {name}: ir-measures lacks {', '.join(lacking)}\n")
    import pytrec_eval

    members = pytrec_eval.supported_nicknames.get(name)
    if members is None:
        return [Named(measure, _printed(name, measure), is_of_set=False) for measure in several]
    pairs = [(member, measure) for member in sorted(members) for measure in _of_member(member)]
    return [Named(measure, _printed(member, measure), is_of_set=True) for member, measure in pairs]


def _of_member(name: str) -> list[Any]:
    """Read a member of a set; nothing if ir-measures lacks it, which has been said."""
    import ir_measures

    try:
        return list(ir_measures.parse_trec_measure(name))
    except ValueError:
        return []


def _printed(name: str, measure: Any) -> str:
    """Spell a measure as trec_eval prints it: ndcg_cut.5 as ndcg_cut_5, iprec_at_recall.0.1 as iprec_at_recall_0.10."""
    base = re.sub(r"[._]\d[\d.,]*$", "", name)
    if "recall" in measure.params:
        return f"{base}_{measure.params['recall']:.2f}"
    return f"{base}_{measure.params['cutoff']}" if "cutoff" in measure.params else base
