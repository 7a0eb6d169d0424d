# SPDX-License-Identifier: MIT
"""What the tests share."""

import contextlib
import ctypes
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

PROGRAM = os.environ["KALABA_PROGRAM"]
EXAMPLES = Path(os.environ["KALABA_ROOT"]) / "examples"

PENDULUM = """param m = 1 [kg], L = 2 [m], g = 9.81 [m/s^2]
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
init x = 1, y ~ -1
output height = y + L
simulate 0 .. 2 every 0.01
"""

SPRING = """param k = 4, c = 0
coord x
kinetic 1/2*x'^2
potential 1/2*k*x^2
dissipation 1/2*c*x'^2
init x = 1
simulate 0 .. 10 every 0.1
"""


def command(*arguments):
    """Standard output of a command that must do."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          check=True, timeout=900, env=environment)
    return done.stdout


@contextlib.contextmanager
def interrupted_at_work(seconds=0.3):
    """Ctrl-C comes when so much processor time was used here.

    Not after a while: on a busy machine nothing may have begun by then.
    """
    began = time.process_time()

    def interrupt():
        while time.process_time() < began + seconds:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
    thread = threading.Thread(target=interrupt)
    thread.start()
    yield
    thread.join()


def command_json(*arguments):
    return json.loads(command(*arguments, "--json"))


class MallocInfo(ctypes.Structure):
    """What glibc's mallinfo2() returns."""
    _fields_ = [(name, ctypes.c_size_t) for name in
                ("arena", "ordblks", "smblks", "hblks", "hblkhd",
                 "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]


def memory_held():
    """Bytes that C has allocated and not freed, and Python's blocks likewise."""
    gc.collect()
    c_library = ctypes.CDLL(None)
    if hasattr(c_library, "__sanitizer_get_current_allocated_bytes"):
        count = c_library["__sanitizer_get_current_allocated_bytes"]
        count.restype = ctypes.c_size_t
        return count(), sys.getallocatedblocks()
    count = c_library.mallinfo2
    count.restype = MallocInfo
    found = count()
    return found.hblkhd + found.uordblks, sys.getallocatedblocks()
