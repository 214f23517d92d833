"""Print those of the named SIMD levels that numpy can use on this CPU: numpy refuses to disable any other."""

import sys

from numpy._core import _multiarray_umath as core

print(*(name for name in sys.argv[1].split() if name in core.__cpu_dispatch__ and core.__cpu_features__.get(name)))
