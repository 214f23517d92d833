"""CRBO: how little a ranking changes when the words of the documents that tell of a group are swapped."""

from dataclasses import dataclass
from sys import float_info

import numpy as np

from fairtrec.formulas import overlap, ranks
from fairtrec.measure import BELOW_1, READING_ON, Floats, Ints, Measure


def crbo(rankings: Ints, cutoff: int, p: float) -> Floats:
    """Compare the first ranks of two rankings of each query [2, query, rank], -1 behind the last document.

    >>> both = np.array([[[0, 1, 2], [0, 1, 2]], [[1, 0, 2], [-1, -1, -1]]])
    >>> crbo(both, cutoff=3, p=0.9).round(12).tolist()
    [0.9, nan]
    """
    mine, theirs = rankings[:, :, :cutoff]
    value = overlap.rbo(mine, theirs, p, counts=_count_common(rankings)[:, :cutoff])
    return np.where((theirs >= 0).any(axis=1), value, np.nan)


@ranks.cache_by_array
def _count_common(rankings: Ints) -> Ints:
    """Count the documents that both rankings have above each depth [query, depth]: once for all cutoffs."""
    return overlap.overlap(*rankings)


@dataclass(frozen=True)
class CRBO(Measure):
    """How little does a ranking change if the words of groups are swapped in the documents?

        CRBO@k = RBO_ext of the first k ranks of the run and of its counterfactual run

    The counterfactual run is the same system's ranking of the same queries over the swapped collection (``fairtrec make
    counterfactual``), in which every group word is replaced by its counterpart: she by he, mother by father. RBO_ext is
    rank-biased overlap, extrapolated beyond the ends (Webber et al. 2010, Eq. 32). ``p`` is the probability that a
    reader goes on to the next rank. CRBO shows that a ranker reacts to the words, not which words it prefers. Published
    values lie between .951 and .976.

    Unit: none, a probability-weighted share. Better: higher, 1 is the same ranking. Empty ranking: 0. Range: [0, 1].
    Undefined: the counterfactual run lacks the query.
    Source: Abolghasemi, Azzopardi, Askari, de Rijke, Verberne, ECIR 2024, section 5 (iii).
    https://doi.org/10.1007/978-3-031-56069-9_1 Form: Webber, Moffat, Zobel, TOIS 2010.
    https://doi.org/10.1145/1852102.1852106
    """

    cutoff: int = 10
    p: float = 0.9
    better = "higher"
    bounds = (0.0, 1.0)
    limits = (("p", float_info.min, BELOW_1, READING_ON),)

    def __call__(self, counterfactual: Ints) -> Floats:
        """Return CRBO [query]."""
        return crbo(counterfactual, self.cutoff, self.p)
