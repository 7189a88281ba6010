"""Runs a program on one core and writes what it and all its children took: seconds of processor time, and the peak resident bytes
of the largest of these processes. It has nothing else to do: a process that starts with the memory of a large one is counted with
it. A process that takes more than SECONDS of processor time is killed.

Usage: measured.py OUT SECONDS PROGRAM [ARGUMENT...]"""

import json
import os
import resource
import sys

out, seconds, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
child = os.fork()
if child == 0:
    os.execvp(command[0], command)
_, status, usage = os.wait4(child, 0)
with open(out, "w", encoding="utf-8") as file:
    json.dump([usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10], file)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
