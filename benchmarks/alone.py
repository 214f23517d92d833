"""Run a command in a process that is small itself, and print its seconds, those of processors, its peak and its status.

A process counts as its own peak what the one that made it had taken, so a benchmark that has grown cannot make it.
Only what is quickly imported is: this is started anew for each command.
"""

import os
import sys
from time import perf_counter

began = perf_counter()
nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=nowhere)
_, status, usage = os.wait4(process, 0)
seconds = perf_counter() - began
print(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))
