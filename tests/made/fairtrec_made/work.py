"""Work for other processes, in a file that they import quickly."""

import numpy as np


class Shared:
    """Work of an array that processes share: what comes of a thing is where it stands, and its sum."""

    def __init__(self, array):
        self.array = array

    def begin(self):
        return self.tell

    def tell(self, thing):
        self.array[0] += 1  # here alone
        below = self.array
        while isinstance(below, np.ndarray):
            below = below.base
        return type(below.obj).__name__, float(self.array[1:].sum())
