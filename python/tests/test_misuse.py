# SPDX-License-Identifier: MIT
"""Nothing that Python can do crashes the interpreter or leaks."""

import ctypes
import gc
import os
import pickle
import random
import threading

import numpy as np
import pytest

import kalaba
from kalaba import _native
from lab import PENDULUM, SPRING, memory_held

ODD = [None, 0, -1, 2**70, 1.5, float("nan"), "", "x", "\0", "x\0y", b"x", [], [1], ["a"], [("k",)],
       [("k", 1.0)], [("k", "1")], [(1, 2)], (), {}, object(), np.zeros(3), np.zeros((0, 2)), True,
       (None,) * 10, "\ud800"]


def test_half_made_objects_say_so():
    for kind in (_native.System, _native.Evaluator, _native.Run, _native.Sweep):
        empty = kind.__new__(kind)
        for name in [one for one in dir(empty) if not one.startswith("_") and one != "runs"]:
            with pytest.raises((RuntimeError, TypeError)):
                getattr(empty, name)()
            with pytest.raises((RuntimeError, TypeError, ValueError, OverflowError)):
                getattr(empty, name)("x", 1)


def test_random_calls_end_in_exceptions_or_answers(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # some of them write files
    rng = random.Random(3)
    system = _native.System("m", PENDULUM, [], None, None)
    objects = [system, _native.Evaluator(system, [])]
    makers = [_native.System, _native.Evaluator, _native.Run, _native.Sweep, _native.solve,
              _native.linearize, _native.modes, _native.equilibria]
    for _ in range(4000):
        target = rng.choice(objects)
        calls = makers + [getattr(target, name) for name in dir(target)
                          if not name.startswith("_")]
        call = rng.choice(calls)
        arguments = [rng.choice([system, *ODD]) for _ in range(rng.randrange(9))]
        try:
            made = call(*arguments)
        except (TypeError, ValueError, RuntimeError, OverflowError, MemoryError, kalaba.Error):
            continue
        if type(made).__module__ == "kalaba._native":
            objects = objects[-20:] + [made]


def test_objects_are_made_once():
    system = _native.System("m", SPRING, [], None, None)
    with pytest.raises(RuntimeError):
        system.__init__("m", PENDULUM, [], None, None)
    assert system.describe()["coordinates"] == ["x"]


def test_one_run_is_for_one_thread():
    """A run twice as long, until another thread came while it was at work."""
    model, until, refused = kalaba.Model(SPRING), 5e3, 0
    while not refused:
        until *= 2
        run = _native.Run(model._system, [], (until, 1.0) + (None,) * 8, [])
        worker = threading.Thread(target=run.go, args=(None,))
        worker.start()
        while worker.is_alive() and not refused:
            try:
                run.facts()
            except RuntimeError:
                refused += 1
        worker.join()
        assert run.facts()["complete"]


def test_results_outlive_their_model():
    run, f = kalaba.Model(PENDULUM).run(), kalaba.Model(SPRING).rates()
    gc.collect()
    assert len(run) == 201 and "steps" in str(run) and f(0.0, [1.0, 0.0]).tolist() == [0, -4]


def make_models(times):
    for number in range(times):
        model = kalaba.Model(SPRING)
        model.with_params(k=number + 1).rates()(0.0, [1.0, 2.0])
        if number % 10 == 0:
            model.run(1.0)
            with pytest.raises(kalaba.ModelError):
                kalaba.Model("coord x\nkinetic y\n")


def use_everything(times):
    """What a model can be asked, and what is refused, failed or broken off."""
    falling = kalaba.Model("coord x\nkinetic 1/2*x'^2\npotential -x^4\ninit x = 1\n"
                           "simulate 0 .. 10 every 1\n")
    for _ in range(times):
        model = pickle.loads(pickle.dumps(kalaba.Model(SPRING)))
        model.check(), model.derive().text, model.reduce().latex, str(model.eval({"x": 2}))
        model.linearize({"x": 0}), model.modes({"x": 0}), model.equilibria(starts=2)
        model.sweep({"k": [1, 2, 3]}, keep="max(x)", threads=1)
        pickle.loads(pickle.dumps(model.run(1.0, columns="x''")))._repr_html_()
        model.acceleration(np.ones((1, 9)), np.ones((1, 9)), params={"k": np.arange(9.0)})
        kalaba.solve(np.eye(3), np.ones(3), np.ones((2, 3)), np.zeros(2))
        for wrong in (lambda: falling.run(), lambda: model.run(columns="nothing"),
                      lambda: model.rates()(0.0, np.ones(5)), lambda: model.sweep({"z": [1]}),
                      lambda: model.run(start="x = "), lambda: model.with_params(nothing=1),
                      lambda: kalaba.solve(np.eye(2), [1, 1], np.ones((2, 2)), [0, 1])):
            with pytest.raises((kalaba.Error, ValueError)):
                wrong()


@pytest.mark.parametrize("work, times", [(make_models, int(os.environ.get("KALABA_MODELS", 3000))),
                                         (use_everything, 20)])
def test_nothing_leaks(work, times):
    """KALABA_MODELS sets how many models are made: 100,000 of them take a minute.

    Bytes and blocks that are held are counted, not the size of the process: after the first
    rounds, which fill caches, they stay what they are.
    """
    work(times // 4 + 10)
    before = memory_held()
    work(times)
    grown = np.subtract(memory_held(), before)
    assert (grown < [32768, 300]).all(), grown  # 11 bytes a model, of 3000


def test_what_leaks_would_be_seen():
    c_library = ctypes.CDLL(None)
    c_library.malloc.restype = ctypes.c_void_p
    c_library.malloc.argtypes = [ctypes.c_size_t]
    c_library.free.argtypes = [ctypes.c_void_p]
    before = memory_held()
    blocks = [c_library.malloc(1000) for _ in range(100)]
    grown = memory_held()[0] - before[0]
    for block in blocks:
        c_library.free(block)
    assert 90_000 < grown < 150_000
