"""The neutrality of documents, written out."""

import numpy as np


def omega_of(counts, tau=1):
    total = counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        lean = np.abs(counts / total[:, None] - 0.5).sum(axis=1)
    return np.where(total <= tau, 1.0, 1 - lean)
