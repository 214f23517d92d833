"""How well people, or people and an instrument, agree on what things are. Kinds are numbers from 0.

Sources: Cohen: A Coefficient of Agreement for Nominal Scales. Educational and Psychological Measurement 1960.
https://doi.org/10.1177/001316446002000104
Fleiss, Cohen, Everitt: Large sample standard errors of kappa and weighted kappa. Psychological Bulletin 1969.
https://doi.org/10.1037/h0028106
Fleiss: Measuring nominal scale agreement among many raters. Psychological Bulletin 1971.
https://doi.org/10.1037/h0031619
Krippendorff: Computing Krippendorff's Alpha-Reliability. University of Pennsylvania 2011.
https://repository.upenn.edu/asc_papers/43
Wilson: Probable Inference, the Law of Succession, and Statistical Inference. JASA 1927.
https://doi.org/10.1080/01621459.1927.10502953
"""

import numpy as np

from fairtrec.data import Floats, Ints

Interval = tuple[float, float, float]  # a value, and the two ends of its interval
NOTHING = (float("nan"),) * 3


def confusion(first: Ints, second: Ints, kinds: int, weights: Floats | None = None) -> Floats:
    """Weigh the things of each kind by the first, and by the second [kind, kind].

    >>> confusion(np.array([0, 1, 1]), np.array([0, 0, 1]), 2).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    ones = np.ones(len(first)) if weights is None else weights
    pairs = np.bincount(first * kinds + second, ones, kinds * kinds).astype(np.float64)
    return pairs.reshape(kinds, kinds)


def share(is_right: Floats, weights: Floats, confidence: float) -> Interval:
    """Give the weighted share of what is right (1, else 0), and Wilson's interval of it; nan of nothing.

    It counts as so many things as the weights are worth: (sum of weights)^2 / sum of their squares.

    >>> [round(each, 4) for each in share(np.ones(16), np.ones(16), 0.95)]
    [1.0, 0.8064, 1.0]
    """
    total = float(weights.sum())
    if not total:
        return NOTHING
    part = min(float(is_right @ weights) / total, 1.0)
    number, z = total**2 / float(weights @ weights), normal(confidence)
    middle = (part + z**2 / (2 * number)) / (1 + z**2 / number)
    reach = z / (1 + z**2 / number) * np.sqrt(part * (1 - part) / number + z**2 / (4 * number**2))
    return part, float(max(middle - reach, 0.0)), float(min(middle + reach, 1.0))


def kappa(first: Ints, second: Ints, kinds: int, weights: Floats, chance: Floats, confidence: float) -> Interval:
    """Give Cohen's kappa of weighted things, and its interval, cut at -1 and 1; nan where both name one kind alone.

    ``chance`` of each thing is the part of its variance that the draw leaves to chance: 1 less the probability with
    which it was drawn. With weights of 1 and chances of 1 the standard error is that of Fleiss, Cohen and Everitt.
    """
    total = float(weights.sum())
    shares = confusion(first, second, kinds, weights) / (total or 1.0)
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    same, by_chance = float(np.trace(shares)), float(rows @ columns)
    if not total or by_chance >= 1:
        return NOTHING
    value = (same - by_chance) / (1 - by_chance)
    leans = columns[first] + rows[second] - 2 * by_chance
    each = ((first == second) - same) * (1 - by_chance) - leans * (1 - same)
    error = np.sqrt(float(chance @ (weights * each) ** 2)) / (1 - by_chance) ** 2 / total
    reach = normal(confidence) * float(error)
    return value, max(value - reach, -1.0), min(value + reach, 1.0)


def alpha(first: Ints, second: Ints, kinds: int) -> float:
    """Give Krippendorff's alpha of nominal kinds, which counts every thing once; nan where there is one kind alone.

    >>> round(alpha(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), 2), 6)
    0.533333
    """
    votes = np.zeros((len(first), kinds))
    for of_one in (first, second):
        np.add.at(votes, (np.arange(len(of_one)), of_one), 1)
    return alpha_of_votes(votes)


def alpha_of_votes(votes: Floats) -> float:
    """Give Krippendorff's alpha of nominal votes [thing, kind], however many each thing has; nan for one kind alone.

    >>> round(alpha_of_votes(np.array([[3, 0], [1, 1], [0, 2], [1, 0]])), 6)
    0.5
    """
    paired = votes[votes.sum(axis=1) > 1]
    each, many = paired.sum(axis=1), paired.sum(axis=0)
    number = float(many.sum())
    by_chance = number**2 - float(many @ many)
    if not by_chance:
        return float("nan")
    differing = float(((each**2 - (paired**2).sum(axis=1)) / (each - 1)).sum())
    return 1 - (number - 1) * differing / by_chance


def fleiss(votes: Floats) -> float:
    """Give Fleiss' kappa of votes [thing, kind], as many of each thing, two or more; nan where all are alike.

    >>> round(fleiss(np.array([[3, 0], [2, 1], [0, 3]])), 6)
    0.55
    """
    shares = votes.sum(axis=0) / votes.sum()
    by_chance = float(shares @ shares)
    return (agreeing(votes) - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")


def agreeing(votes: Floats) -> float:
    """Give the share of pairs of votes that agree, in the mean over things of two votes [thing, kind] or more; or nan.

    >>> agreeing(np.array([[3, 0], [1, 1], [0, 1]]))
    0.5
    """
    paired = votes[votes.sum(axis=1) > 1]
    each = paired.sum(axis=1)
    return float(((paired * (paired - 1)).sum(axis=1) / (each * (each - 1))).mean()) if len(paired) else float("nan")


def normal(confidence: float) -> float:
    """Give how many standard deviations an interval of this confidence reaches to either side.

    >>> round(normal(0.95), 6)
    1.959964
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + confidence / 2)
