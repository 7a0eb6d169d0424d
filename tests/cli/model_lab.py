"""What tests of models share: running the tool, comparing, a little algebra.

The algebra is plain and independent of the tool: full elimination on small systems.
"""

import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = Path(sys.argv[2])
EXAMPLES = ROOT / "examples"

# Seconds after which a program counts as hanging: a guard, not a measure of speed.
HANG = 900

# Where the sanitizers look at how memory is used, a sample is enough: one example of so many.
SHARE = int(os.environ.get("KAL_TEST_SHARE", "1"))

CASES = []


def case(function):
    CASES.append(function)
    return function


def examples(first=0):
    """The paths of all examples, or of a share of them that begins with a number of its own."""
    return sorted(EXAMPLES.glob("*.kal"))[first % SHARE::SHARE]


# The tool

def run(*arguments, text="", **options):
    """Status, standard output and standard error of one run, with a text as its input."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=text.encode(),
                          capture_output=True, timeout=HANG, check=False, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def catches(process, number):
    """Whether a process has a handler for a signal."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return int(caught, 16) >> (number - 1) & 1 == 1


def processor_time(process):
    """Seconds of processor time that a process has used."""
    text = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8")
    fields = text.rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_at_work(process, seconds=0.3):
    """Until a process catches Ctrl-C and has worked for some processor time since.

    Not a pause: on a busy machine a process may not have begun after any time.
    """
    while process.poll() is None and not catches(process, signal.SIGINT):
        time.sleep(0.002)
    began = processor_time(process)
    while process.poll() is None and processor_time(process) < began + seconds:
        time.sleep(0.002)
    assert process.poll() is None, process.communicate(timeout=HANG)


def options_of(parameters, state):
    options = []
    for name, value in (parameters or {}).items():
        options += ["-p", f"{name}={value!r}"]
    if state:
        options += ["--at", ", ".join(f"{name}={value!r}" for name, value in state.items())]
    return options


class Instant:
    """The answer of `eval`, by name."""

    def __init__(self, answer):
        self.answer = answer
        self.names = answer["coordinates"]
        self.rows = answer["constraints"]
        self.q = dict(zip(self.names, answer["q"]))
        self.qd = dict(zip(self.names, answer["qd"]))
        self.qdd = dict(zip(self.names, answer["qdd"]))
        self.Q = dict(zip(self.names, answer["Q"]))
        self.ideal = dict(zip(self.names, answer["force"]["ideal"]))
        self.total = dict(zip(self.names, answer["force"]["total"]))
        self.multipliers = answer["multipliers"]
        self.outputs = answer["outputs"]
        self.M = answer["M"]
        self.A = answer["A"]
        self.b = answer["b"]
        self.rank = answer["rank"]

    def accelerations(self, *names):
        return [self.qdd[name] for name in names]


def evaluate(model, state=None, **parameters):
    """One instant of a model: the name of an example, or a path."""
    path = EXAMPLES / f"{model}.kal" if isinstance(model, str) else model
    status, out, err = run("eval", path, "--json", *options_of(parameters, state))
    assert status == 0, (model, status, out[:2000], err[:2000])
    return Instant(json.loads(out))


def check(model, **parameters):
    """What `check` says of a model."""
    path = EXAMPLES / f"{model}.kal" if isinstance(model, str) else model
    status, out, err = run("check", path, "--json", *options_of(parameters, None))
    assert status == 0, (model, status, out[:2000], err[:2000])
    return json.loads(out)


def refuse(model, state=None, **parameters):
    """`eval` must refuse the model, in an orderly way; who is named, and why."""
    path = EXAMPLES / f"{model}.kal" if isinstance(model, str) else model
    status, out, err = run("eval", path, "--json", *options_of(parameters, state))
    assert status == 1, (model, status, out[:2000], err[:2000])
    error = json.loads(out)["error"]
    return error["names"], error["message"]


class Text:
    """A model written down for one test."""

    def __init__(self, text):
        self.text = text

    def evaluate(self, state=None):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.kal"
            path.write_text(self.text)
            return evaluate(path, state)

    def refuse(self, state=None):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.kal"
            path.write_text(self.text)
            return refuse(path, state)

    def at(self, state):
        """One instant at a state that must satisfy the constraints: as a guess for the
        start it is left where it is."""
        time = state.get("t", 0.0)
        lines = [f"simulate {time!r} .. {time + 1!r} every 1"]
        lines += [f"init {name} ~ {value!r}" for name, value in state.items() if name != "t"]
        start = Text("\n".join([self.text, *lines])).evaluate()
        for name, value in state.items():
            if name != "t":
                found = start.qd[name[:-1]] if name.endswith("'") else start.q[name]
                near(found, value, 1e-10, 1.0)
        return self.evaluate(state)


def moving(**values):
    """A state for --at: values, or pairs (value, rate), by name."""
    state = {}
    for name, value in values.items():
        if isinstance(value, tuple):
            state[name], state[name + "'"] = value
        else:
            state[name] = value
    return state


def pairs(names, q, qd):
    """A state from lists of names, values and rates."""
    state = dict(zip(names, q))
    state.update((name + "'", rate) for name, rate in zip(names, qd))
    return state


# Comparing

def near(got, want, tolerance=1e-12, scale=None):
    """Numbers or lists agree, relative to the largest of them (at least 1e-3)."""
    if not isinstance(want, (list, tuple)):
        got, want = [got], [want]
    assert len(got) == len(want), (got, want)
    size = scale or max([1e-3, *map(abs, want)])
    for one, other in zip(got, want):
        assert abs(one - other) <= tolerance * size, (got, want, abs(one - other) / size)


def near_matrix(got, want, tolerance=1e-12):
    size = max([1e-3] + [abs(x) for row in want for x in row])
    assert len(got) == len(want), (got, want)
    for one, other in zip(got, want):
        near(one, other, tolerance, size)


def random_states(seed, count=4):
    """Generators of numbers, one for each state to be tried."""
    return [random.Random(1000 * seed + k) for k in range(count)]


# Algebra

def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def times(matrix, vector):
    return [dot(row, vector) for row in matrix]


def transpose(matrix):
    return [list(column) for column in zip(*matrix)]


def plus(a, b, factor=1.0):
    return [x + factor * y for x, y in zip(a, b)]


def scaled(factor, a):
    return [factor * x for x in a]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def solve(matrix, right):
    """The solution of a square system, by elimination with full pivoting."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    order = list(range(n))
    for k in range(n):
        i, j = max(((i, j) for i in range(k, n) for j in range(k, n)),
                   key=lambda at: abs(rows[at[0]][order[at[1]]]))
        rows[k], rows[i] = rows[i], rows[k]
        order[k], order[j] = order[j], order[k]
        pivot = rows[k][order[k]]
        for row in rows[:k] + rows[k + 1:]:
            factor = row[order[k]] / pivot
            for column in range(n + 1):
                row[column] -= factor * rows[k][column]
    answer = [0.0] * n
    for k in range(n):
        answer[order[k]] = rows[k][n] / rows[k][order[k]]
    return answer


def constrained(M, Q, A, b):
    """Accelerations and multipliers of M q'' = Q + A^T lambda, A q'' = b."""
    n, m = len(M), len(A)
    top = [list(M[i]) + [-A[k][i] for k in range(m)] for i in range(n)]
    bottom = [list(A[k]) + [0.0] * m for k in range(m)]
    answer = solve(top + bottom, list(Q) + list(b))
    return answer[:n], answer[n:]


# Rotations

def quaternion(axis, angle):
    size = math.sqrt(dot(axis, axis))
    return [math.cos(angle / 2), *scaled(math.sin(angle / 2) / size, axis)]


def quaternion_product(p, q):
    vector = plus(plus(scaled(p[0], q[1:]), scaled(q[0], p[1:])), cross(p[1:], q[1:]))
    return [p[0] * q[0] - dot(p[1:], q[1:]), *vector]


def quaternion_rate(e, w):
    """How a quaternion changes with the angular velocity w in body axes."""
    return scaled(0.5, quaternion_product(e, [0.0, *w]))


def quaternion_acceleration(e, w, w_rate):
    """Its second derivative, for the angular acceleration w_rate in body axes."""
    return plus(scaled(0.5, quaternion_product(e, [0.0, *w_rate])),
                scaled(0.5, quaternion_product(quaternion_rate(e, w), [0.0, *w])))


def rotation(e):
    """The rotation matrix, from the images of the axes."""
    back = [e[0], -e[1], -e[2], -e[3]]
    images = [quaternion_product(quaternion_product(e, [0.0, *axis]), back)[1:]
              for axis in ([1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0])]
    return transpose(images)


def body_state(part, r, e, velocity, w):
    """The state of a spatial Body: place, quaternion, velocity, angular velocity."""
    names = [f"{part}.{name}" for name in ("x", "y", "z", "e0", "e1", "e2", "e3")]
    return pairs(names, [*r, *e], [*velocity, *quaternion_rate(e, w)])


def body_spin_up(instant, part, e):
    """The angular acceleration of a spatial Body in body axes: 2 e* e''."""
    back = [e[0], -e[1], -e[2], -e[3]]
    second = instant.accelerations(*(f"{part}.e{k}" for k in range(4)))
    return scaled(2.0, quaternion_product(back, second)[1:])


def end_children():
    """End what a case that failed has left running: some programs would work for hours."""
    me = os.getpid()
    for child in Path(f"/proc/{me}/task/{me}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)


def main():
    print(f"1..{len(CASES)}")
    failures = 0
    for number, function in enumerate(CASES, 1):
        skipped = ""
        began = sum(os.times()[:4])
        try:
            reason = function()
            verdict = "ok"
            skipped = f" # SKIP {reason}" if isinstance(reason, str) else ""
        except Exception: # any surprise is a failure of its case alone
            for line in traceback.format_exc().splitlines():
                print("#", line)
            verdict = "not ok"
            failures += 1
            end_children()
        seconds = sum(os.times()[:4]) - began
        if seconds >= 1: # for whoever wants to know where the time goes
            print(f"# {function.__name__}: {seconds:.1f} s of processor time")
        print(f"{verdict} {number} - {function.__name__}{skipped}", flush=True)
    return 1 if failures else 0
