"""What else trec_eval computes, as it does, to the last bit: measures of sets and of whole rankings, and judged_only.

Judged and Accuracy are those of ir-measures; but Accuracy is undefined where all that is ranked is relevant. ERR and
nDCG of exponential gains are those that the program gdeval rounds to five digits.

As for nDCG and its kin, only the judged documents of a ranking and their ranks are looked at: a ranking of millions
takes no memory for the others, and no program is handed a run.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from fairtrec.data import Floats, Ints, Qrels
from fairtrec.formulas import ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.elementary import log, power
from fairtrec.measures.utility import TENTHS, Plain, Utility
from fairtrec.support.errors import UsageError

GREATEST = 4  # grade of ERR, by whose scale a document stops the reader
STEPS = float(2**GREATEST)
SMALL = 0.00001  # by which infAP smooths, and the least value of geometric means


class Ranked(NamedTuple):
    """Judged documents of rankings: ``places`` [query, n], from 1, and ``grades`` [query, n], nan where there is none.

    ``many`` [query] documents are ranked; ``judged`` [query, m] are the grades of all that are judged, highest first.
    ``gapped`` are the rankings if some of their ranks hold no document.
    """

    places: Ints
    grades: Floats
    many: Ints
    judged: Floats
    gapped: Any = None

    def count_first(self, cutoff: float) -> Ints:
        """Count the documents at the first ranks [query]."""
        return np.minimum(self.many, cutoff) if self.gapped is None else self.gapped.count_first(cutoff)

    @property
    def last(self) -> Ints:
        """The rank of the last document [query]."""
        return self.many if self.gapped is None else np.asarray(self.gapped.depths)

    def keep_judged(self) -> "Ranked":
        """Leave out what is not judged, or has a grade below 0, which says so, too: the others close up."""
        there = self.grades >= 0
        places, grades = np.where(there, np.cumsum(there, axis=1), 0), np.where(there, self.grades, np.nan)
        return self._replace(places=places, grades=grades, many=there.sum(axis=1), gapped=None)

    def worth(self, gains: Mapping[int, float]) -> "Ranked":
        """Put gains in the place of grades."""
        judged = -np.sort(-_exchanged(self.judged, gains), axis=1)
        return self._replace(grades=_exchanged(self.grades, gains), judged=judged)


Formula = Callable[[Ranked], Floats]  # to values [query]


def is_exponential(asked: Utility) -> bool:
    """Tell whether a measure gains 2^grade - 1, as the program gdeval computes ERR and nDCG."""
    return asked.name == "ERR" or asked.measure.params.get("dcg") == "exp-log2"


def tells_unjudged(asked: Utility) -> bool:
    """Tell whether a document that is not judged may count otherwise than one of grade 0."""
    return asked.name in _TELL_UNJUDGED or bool(asked.measure.params.get("judged_only"))


def refuse_grades(measures: Iterable[Utility], qrels: Qrels) -> None:
    """Raise UsageError where a measure is ERR, for grades beyond its scale."""
    greatest = int(qrels.grades.max(initial=0))
    for measure in measures if greatest > GREATEST else ():
        if measure.name == "ERR":
            what = f"{measure} needs grades of at most {GREATEST}, and one is {greatest}"
            raise UsageError(f"{what}; use other qrels, or leave out this measure")


def refuse_parameters(without_formula: Iterable[Utility]) -> None:
    """Raise UsageError for an exponential measure with parameters that it does not have.

    ir-measures would try every program that is installed, and the value would depend on which these are.
    """
    for measure in filter(is_exponential, without_formula):
        raise UsageError(f"{measure}: exponential gains go without judged_only and gains; leave these out")


def find_formula(asked: Utility) -> Formula | None:
    """Find how a measure is computed here that is not plain; None for one that is none of these."""
    params = {name: value for name, value in asked.measure.params.items() if value is not False}
    alone, gains = params.pop("judged_only", False), params.pop("gains", None)
    if asked.name == "nDCG" and params.get("dcg") == "log2":
        del params["dcg"]
    compute = _KINDS.get(asked.name, _gained)
    if is_exponential(asked) and (alone or gains is not None):
        return None
    if params.get("dcg") == "exp-log2":
        compute = _exponential_ndcg
    if compute is _gained:
        plain = Plain.parse("AP" if asked.geometric else asked.name, params, params.get("rel", 1))
        if plain is None:
            return None
        params = {"of": Utility(plain)}

    def formula(ranked: Ranked) -> Floats:
        if gains is not None:
            ranked = ranked.worth(gains)
        value = compute(ranked.keep_judged() if alone else ranked, params)
        if compute in (_num_rel, _num_q):
            return value  # they count what is judged, as trec_eval -c does of a query that the run lacks
        nothing = np.nan if compute is _accuracy else 0.0  # trec_eval passes over a query without documents
        value = np.where(ranked.many > 0, value, nothing)
        return np.maximum(value, SMALL) if asked.geometric else value

    return formula


def _gained(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    plain = params["of"]
    return quotient(plain.sum_gains(ranked.places, ranked.grades), plain.ideal_gain(ranked.judged), 0.0)


def _rbp(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    p, cutoff = params.get("p", 0.8), params.get("cutoff", np.inf)
    found = (ranked.grades >= params.get("rel", 1)) & (ranked.places <= cutoff)
    return np.asarray((1 - p) * ranks.total(np.where(found, power(p, np.maximum(ranked.places - 1, 0)), 0.0)))


def _rprec(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    most = _relevant(ranked.judged, params)
    found = (ranked.grades >= params.get("rel", 1)) & (ranked.places <= most[:, None])
    return quotient(found.sum(axis=1), most, 0.0)


def _bpref(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    most, level = _relevant(ranked.judged, params)[:, None], params.get("rel", 1)
    wrong = ((ranked.judged >= 0) & (ranked.judged < level)).sum(axis=1, keepdims=True)
    above = np.cumsum((ranked.grades >= 0) & (ranked.grades < level), axis=1)
    term = 1.0 - quotient(np.minimum(above, most), np.minimum(wrong, most), 0.0)
    return quotient(ranks.total(np.where(ranked.grades >= level, term, 0.0)), most[:, 0], 0.0)


def _inf_ap(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    level, above = params.get("rel", 1), ranked.places - 1.0
    found, wrong = ranked.grades >= level, (ranked.grades >= 0) & (ranked.grades < level)
    right, wrongs = np.cumsum(found, axis=1) - 1, np.cumsum(wrong, axis=1)
    pooled = right + wrongs + np.cumsum(ranked.grades < 0, axis=1)
    smoothed = (right + SMALL) / (right + wrongs + 2 * SMALL)
    below = quotient(above, ranked.places, 0.0) * quotient(pooled, above, 0.0) * smoothed
    term = quotient(1.0, ranked.places, 0.0) + below
    return quotient(ranks.total(np.where(found, term, 0.0)), _relevant(ranked.judged, params), 0.0)


def _iprec(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    found = ranked.grades >= params.get("rel", 1)
    so_far = np.cumsum(found, axis=1)
    least = (params["recall"] * _relevant(ranked.judged, params) + 0.9).astype(np.int64)  # documents
    there = found & (so_far >= least[:, None])
    value = np.where(there, quotient(so_far, ranked.places), 0.0).max(axis=1, initial=0.0)
    return np.where((ranked.many == 0) & (least == 0), np.nan, value)  # 0 / 0: none of its documents is judged


def _set_p(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    most = ranked.many
    if params.get("relative"):
        most = np.minimum(most, _relevant(ranked.judged, params))
    return quotient(_relevant(ranked.grades, params), most, 0.0)


def _set_r(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    return quotient(_relevant(ranked.grades, params), _relevant(ranked.judged, params), 0.0)


def _set_f(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    beta = params.get("beta", 1.0)
    p, r = _set_p(ranked, params), _set_r(ranked, params)
    return quotient((beta + 1.0) * p * r, r + beta * p, 0.0)


def _set_ap(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    found = _relevant(ranked.grades, params)
    return quotient(found * found, ranked.many * _relevant(ranked.judged, params), 0.0)


def _num_ret(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    return (_relevant(ranked.grades, params) if "rel" in params else ranked.many).astype(np.float64)


def _num_rel(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    return _relevant(ranked.judged, params).astype(np.float64)


def _num_q(ranked: Ranked, _: Mapping[str, Any]) -> Floats:
    return np.ones(len(ranked.many))


def _judged(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    cutoff = params.get("cutoff", np.inf)
    seen = ~np.isnan(ranked.grades) & (ranked.places <= cutoff)
    return quotient(seen.sum(axis=1), np.minimum(ranked.count_first(cutoff), cutoff), 0.0)


def _accuracy(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    cutoff = params.get("cutoff", np.inf)
    found = (ranked.grades >= params.get("rel", 1)) & (ranked.places <= cutoff)
    many = found.sum(axis=1)
    wrong = np.minimum(ranked.last, cutoff) - many
    above = np.where(found, ranked.places - np.cumsum(found, axis=1), 0).sum(axis=1)
    return 1.0 - quotient(above, wrong * many)


def _eleven(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    several = [_iprec(ranked, {**params, "recall": recall}) for recall in params.get("recalls", TENTHS)]
    return np.asarray(ranks.total(np.nan_to_num(np.stack(several, axis=1))) / len(several))


def _relative_p(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    found = (ranked.grades >= params.get("rel", 1)) & (ranked.places <= params["cutoff"])
    return quotient(found.sum(axis=1), np.minimum(_relevant(ranked.judged, params), params["cutoff"]), 0.0)


def _num_nonrel(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    wrong = (ranked.grades >= 0) & (ranked.grades < params.get("rel", 1))
    return np.asarray(wrong.sum(axis=1), np.float64)


def _err(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    cutoff = params.get("cutoff", np.inf)
    stop = np.where(ranked.places <= cutoff, _exponential_gains(ranked.grades), 0.0) / STEPS
    reached = np.cumprod(np.pad(1 - stop[:, :-1], ((0, 0), (1, 0)), constant_values=1.0), axis=1)[:, : stop.shape[1]]
    return np.asarray(ranks.total(stop * reached / np.maximum(ranked.places, 1)))


def _exponential_ndcg(ranked: Ranked, params: Mapping[str, Any]) -> Floats:
    cutoff = params.get("cutoff")
    seen = ranked.grades if cutoff is None else np.where(ranked.places <= cutoff, ranked.grades, np.nan)
    gains, best = _exponential_gains(seen), _exponential_gains(ranked.judged[:, :cutoff])
    most = ranks.total(best / log(np.arange(2.0, best.shape[1] + 2)))
    return quotient(ranks.total(gains / log(np.maximum(ranked.places, 1) + 1.0)), most, 0.0)


def _exponential_gains(grades: Floats) -> Floats:
    return np.asarray(power(2.0, ranks.gains(grades)) - 1)


_KINDS = {
    "RBP": _rbp, "Rprec": _rprec, "Bpref": _bpref, "infAP": _inf_ap, "IPrec": _iprec, "SetP": _set_p, "SetR": _set_r,
    "SetF": _set_f, "SetAP": _set_ap, "NumRet": _num_ret, "NumRel": _num_rel, "NumQ": _num_q, "Judged": _judged,
    "Accuracy": _accuracy, "ERR": _err, "11pt_avg": _eleven, "gm_map": _gained, "gm_bpref": _bpref,
    "relative_P": _relative_p, "num_nonrel_judged_ret": _num_nonrel,
}  # fmt: skip

_TELL_UNJUDGED = frozenset({"Bpref", "gm_bpref", "infAP", "Judged", "num_nonrel_judged_ret"})


def _relevant(grades: Floats, params: Mapping[str, Any]) -> Ints:
    return np.asarray((grades >= params.get("rel", 1)).sum(axis=1))


def _exchanged(grades: Floats, gains: Mapping[int, float]) -> Floats:
    found = grades.copy()
    for grade, gain in gains.items():
        found[grades == grade] = gain
    return found
