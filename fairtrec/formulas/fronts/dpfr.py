"""DPFR: the distance to the point of a front that stands at a share of its length.

The front is a line from vertex to vertex, those of most utility first. Go along it for a share alpha of its length, as
measured with a ruler (Euclid, neither axis scaled); there is the point. 0 is best.

Source: Rampisela, Ruotsalo, Maistro, Lioma: Joint Evaluation of Fairness and Relevance in Recommender Systems with
Pareto Frontier. WWW 2025. https://doi.org/10.1145/3696410.3714589
"""

import numpy as np

from fairtrec.data import Floats


def point(front: Floats, alpha: float) -> tuple[float, float]:
    """Give the utility and fairness at the share ``alpha`` of the length of a front [2, vertex]; 0 and 1 are its ends.

    >>> line = np.array([[1.0, 1.0, 0.2], [0.0, 0.4, 1.0]])  # 0.4 long, then 1
    >>> [tuple(round(value, 6) for value in point(line, alpha)) for alpha in (0.0, 0.25, 0.5, 1.0)]
    [(1.0, 0.0), (1.0, 0.35), (0.76, 0.58), (0.2, 1.0)]
    """
    gone = np.append(0.0, np.cumsum(np.hypot(*np.diff(front, axis=1))))
    utility, fairness = (float(np.interp(alpha * gone[-1], gone, values)) for values in front)
    return utility, fairness
