"""Run a command in a process that is small itself, and print its seconds, those of processors, its peak and its status.

A process counts as its own peak what the one that made it had taken, so a benchmark that has grown cannot make it.
Workers that a command does not wait for are waited for here. Only what is quickly imported is: this is started anew
for each command.
"""

import ctypes
import os
import sys
from contextlib import suppress
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter

SUBREAPER = 36  # to which the kernel hands orphans: PR_SET_CHILD_SUBREAPER

if sys.platform == "linux":
    ctypes.CDLL(None).prctl(SUBREAPER, 1)
began = perf_counter()
nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=nowhere)
_, status = os.waitpid(process, 0)
seconds = perf_counter() - began
with suppress(ChildProcessError):
    while True:
        os.wait()
usage = getrusage(RUSAGE_CHILDREN)
print(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))
