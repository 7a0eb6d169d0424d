# SPDX-License-Identifier: MIT
"""Nothing that Python can do crashes the interpreter or leaks."""

import gc
import os
import random
import resource
import threading

import numpy as np
import pytest

import kalaba
from kalaba import _native
from lab import PENDULUM, SPRING

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
    model = kalaba.Model(SPRING)
    options = (2e5, 1.0) + (None,) * 8
    run = _native.Run(model._system, [], options, [])
    worker = threading.Thread(target=run.go, args=(None,))
    worker.start()
    refused = 0
    while worker.is_alive():
        try:
            run.facts()
        except RuntimeError:
            refused += 1
    worker.join()
    assert refused > 0 and run.facts()["complete"]


def test_results_outlive_their_model():
    run, f = kalaba.Model(PENDULUM).run(), kalaba.Model(SPRING).rates()
    gc.collect()
    assert len(run) == 201 and "steps" in str(run) and f(0.0, [1.0, 0.0]).tolist() == [0, -4]


def test_many_models_leak_nothing():
    """KALABA_MODELS sets how many; 100,000 were tried."""
    count = int(os.environ.get("KALABA_MODELS", "3000"))

    def work(times):
        for number in range(times):
            model = kalaba.Model(SPRING)
            model.with_params(k=number + 1).rates()(0.0, [1.0, 2.0])
            if number % 10 == 0:
                model.run(1.0)
                with pytest.raises(kalaba.ModelError):
                    kalaba.Model("coord x\nkinetic y\n")
    work(count // 3)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work(count)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 4096 + count // 50, (before, after)  # kB
