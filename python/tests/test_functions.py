# SPDX-License-Identifier: MIT
"""Rates and accelerations as functions, from one thread and from many."""

import threading

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kalaba
from lab import EXAMPLES, PENDULUM, SPRING, interrupted_at_work


def test_rates_are_velocities_and_accelerations():
    model = kalaba.Model(EXAMPLES / "sleigh.kal")
    t, q, qd = model.start()
    f = model.rates()
    assert np.array_equal(f(t, np.concatenate([q, qd])),
                          np.concatenate([qd, model.eval().qdd]))
    assert np.array_equal(model.acceleration(q, qd), model.eval().qdd)


def test_integrators_of_others_find_the_same_motion():
    model = kalaba.Model(PENDULUM)
    t, q, qd = model.start()
    found = solve_ivp(model.rates(), (0, 2), np.concatenate([q, qd]), rtol=1e-10, atol=1e-12,
                      method="DOP853")
    assert np.allclose(found.y[:2, -1], [model.run()[name][-1] for name in "xy"], atol=1e-7)


def test_many_states_are_as_one_after_the_other():
    model = kalaba.Model(EXAMPLES / "four_bar.kal")
    _, q, qd = model.start()
    rng = np.random.default_rng(1)
    y = np.concatenate([q, qd])[:, None] + 1e-3 * rng.normal(size=(2 * len(q), 40))
    f = model.rates()
    assert np.array_equal(f(0.0, y), np.stack([f(0.0, one) for one in y.T], axis=1))
    assert f(0.0, y[:, :0].copy()).shape == (2 * len(q), 0)


def test_lanes_agree_with_single_states():
    for name in ("four_bar", "sleigh", "parallelogram", "two_masses", "squeezer"):
        model = kalaba.Model(EXAMPLES / f"{name}.kal")
        _, q, qd = model.start()
        rng = np.random.default_rng(2)
        y = np.concatenate([q, qd])[:, None] + np.zeros((2 * len(q), 300))
        y[:, 1:] *= 1 + 1e-9 * rng.normal(size=(2 * len(q), 299))
        try:
            alone = np.stack([model.rates()(0.0, one) for one in y.T], axis=1)
        except kalaba.ContradictionError:  # redundant rows off their constraints
            with pytest.raises(kalaba.ContradictionError):
                model.rates()(0.0, y)
            continue
        size = np.max(np.abs(alone), axis=0)
        assert np.all(np.abs(model.rates()(0.0, y) - alone) <= 1e-10 * (1 + size))


def test_arrays_of_any_layout_and_type():
    f = kalaba.Model(SPRING).rates()
    expected = [3, -4]
    for y in ([1, 3], (1.0, 3.0), np.array([1, 3]), np.array([1, 0, 3, 0], float)[::2],
              np.array([1, 3], np.float32), np.asfortranarray([[1.0], [3.0]])):
        assert np.ravel(f(0, y)).tolist() == expected


def test_parameters_of_their_own():
    model = kalaba.Model(SPRING).with_params(c=0.5)
    q, qd = np.array([[1.0, 2.0, 3.0]]), np.ones((1, 3))
    k = np.array([1.0, 10.0, 100.0])
    found = model.acceleration(q, qd, 0.0, {"k": k})
    assert found.tolist() == (-k * q - 0.5 * qd).tolist()
    assert model.acceleration([1.0], [1.0]).tolist() == [-4.5]  # nothing stays behind
    with pytest.raises(kalaba.Error):
        model.acceleration(q, qd, 0.0, {"nothing": k})


def test_time_of_their_own():
    model = kalaba.Model("coord x\nkinetic 1/2*x'^2\nforce x = t\n")
    assert model.acceleration(np.zeros((1, 3)), np.zeros((1, 3)), [1, 2, 3]).tolist() == [[1, 2, 3]]


@pytest.mark.parametrize("y", [[], [1], [1, 2, 3], 1.0, np.zeros((2, 2, 2)), "ab", None,
                               np.zeros(2, complex), [[1, 2]], object(), b"0123456789abcdef"])
def test_wrong_states_are_refused(y):
    f = kalaba.Model(SPRING).rates()
    with pytest.raises((ValueError, TypeError)):
        f(0.0, y)
    assert f(0.0, [1.0, 3.0]).tolist() == [3, -4]


def test_wrong_calls_are_refused():
    f = kalaba.Model(SPRING).rates()
    for wrong in ((), (0.0,), (0.0, [1, 2], [0], 3), ("now", [1, 2]), (None, [1, 2])):
        with pytest.raises(TypeError):
            f(*wrong)
    model = kalaba.Model(SPRING)
    for wrong in (([1.0], [1.0, 2.0]), ([1.0, 2.0], [1.0]), ([1.0], [1.0], [1.0, 2.0])):
        with pytest.raises(ValueError):
            model.acceleration(*wrong)


def test_states_without_value_name_the_formula():
    f = kalaba.Model("coord x\nkinetic 1/2*x'^2\nforce x = log(x)\n").rates()
    with pytest.raises(kalaba.NumberError, match="log"):
        f(0.0, [-1.0, 0.0])
    assert f(0.0, [1.0, 0.0]).tolist() == [0, 0]


def test_many_threads_share_one_function():
    model = kalaba.Model(EXAMPLES / "four_bar.kal")
    _, q, qd = model.start()
    f, y = model.rates(), np.tile(np.concatenate([q, qd])[:, None], (1, 300))
    expected, wrong = f(0.0, y), []

    def work():
        for _ in range(20):
            if not np.array_equal(f(0.0, y), expected):
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


MOTOR = """param R = 2, L = 0.5, k = 0.1, J = 0.01, U = 12
coord a
state i: i' = (U - R*i - k*a')/L
kinetic 1/2*J*a'^2
force a = k*i
init i = 1
simulate 0 .. 1 every 0.1
"""


def test_first_order_states_follow_the_velocities():
    model = kalaba.Model(MOTOR)
    t, q, qd, states = model.start()
    assert model.states == ["i"] and states.tolist() == [1]
    f = model.rates()
    assert np.allclose(f(0.0, [0.5, 3.0, 2.0]), [3, 20, (12 - 4 - 0.3) / 0.5], rtol=1e-15)
    many = f(0.0, np.array([[0.5, 0.5], [3.0, 3.0], [2.0, 1.0]]))
    assert many[:, 0].tolist() == f(0.0, [0.5, 3.0, 2.0]).tolist()
    found = solve_ivp(f, (0, 1), np.concatenate([q, qd, states]), rtol=1e-10, atol=1e-12)
    run = model.run()
    assert np.allclose(found.y[:, -1], [run["a"][-1], run["a'"][-1], run["i"][-1]], atol=1e-7)
    with pytest.raises(ValueError, match="rates"):
        model.acceleration([0.0], [0.0])
    # Of a'' = 10 i, i' = -4 i - a'/5: the roots of s^2 + 4 s + 2, and 0 of the angle.
    roots = np.sort(np.linalg.eigvals(model.linearize({"a": 0, "a'": 120, "i": 0}).A).real)
    assert np.allclose(roots, np.sort([0, *np.roots([1, 4, 2]).real]), atol=1e-9)


def test_held_values_have_no_rates():
    model = kalaba.Model("coord x\nhold u every 0.1: -x\nkinetic 1/2*x'^2\nforce x = u\n"
                         "init x = 1\nsimulate 0 .. 1 every 0.1\n")
    assert model.holds == ["u"] and model.run()["u"][0] == -1
    with pytest.raises(ValueError, match="run"):
        model.rates()(0.0, [1.0, 0.0])


CART = """param M = 2, m = 0.5, L = 0.8, g = 9.81
coord x, a
let tip = [x + L*sin(a), L*cos(a)]
kinetic 1/2*M*x'^2 + 1/2*m*dot(tip', tip')
potential m*g*L*cos(a)
actuator u: x'
output pull = control(u)
init a = 0.1
simulate 0 .. 1 every 0.1
"""


def test_inputs_are_those_of_the_linearization():
    """Near rest the rates are A y + B u."""
    model = kalaba.Model(CART)
    assert model.inputs == ["u"]
    linear = model.linearize({"x": 0, "a": 0, "x'": 0, "a'": 0})
    f = model.rates()
    for u in (0.0, 1e-6, -2e-6):
        y = 1e-6 * np.array([1.0, -2.0, 0.5, 1.5])
        assert np.allclose(f(0.0, y, [u]), linear.A @ y + linear.B @ [u], rtol=1e-6, atol=1e-14)
    assert np.array_equal(f(0.0, y), f(0.0, y, [0.0]))  # nothing stays behind


def test_a_law_written_in_python_is_the_law_of_the_model():
    gains = np.array([3.0, 40.0, 5.0, 12.0])
    law = "3*x + 40*a + 5*x' + 12*a'"
    closed = kalaba.Model(CART.replace("actuator u: x'", f"actuator u: x', law = {law}"))
    assert closed.inputs == []
    f = kalaba.Model(CART).rates()
    t, q, qd = closed.start()
    found = solve_ivp(lambda t, y: f(t, y, [gains @ y]), (0, 1), np.concatenate([q, qd]),
                      method="DOP853", rtol=1e-11, atol=1e-13)
    run = closed.run(tolerance=1e-11)
    assert np.allclose(found.y[:, -1], [run[name][-1] for name in ("x", "a", "x'", "a'")],
                       atol=1e-9)


def test_many_inputs_at_once():
    model = kalaba.Model(CART)
    f, rng = model.rates(), np.random.default_rng(4)
    y, u = rng.normal(size=(4, 150)), rng.normal(size=(1, 150))
    found = f(0.0, y, u)
    assert np.allclose(found, np.stack([f(0.0, *one) for one in zip(y.T, u.T)], axis=1),
                       rtol=1e-12, atol=1e-12)
    assert np.array_equal(model.acceleration(y[:2], y[2:], inputs=u), found[2:])
    assert np.array_equal(f(0.0, y, [2.0]), f(0.0, y, np.full((1, 150), 2.0)))
    heavy = model.acceleration(y[:2], y[2:], 0.0, {"M": np.full(150, 4.0)}, u)
    assert np.array_equal(heavy, model.with_params(M=4).rates()(0.0, y, u)[2:])
    assert model.eval().outputs["pull"] == 0


@pytest.mark.parametrize("u", [[], [1, 2], [[1.0]], "a", None, [[1], [2]], np.zeros((1, 1, 1))])
def test_wrong_inputs_are_refused(u):
    with pytest.raises((ValueError, TypeError)):
        kalaba.Model(CART).rates()(0.0, np.zeros((4, 3)), u)


def test_inputs_beyond_what_there_is():
    with pytest.raises(ValueError, match="no inputs"):
        kalaba.Model(SPRING).rates()(0.0, [1.0, 0.0], [1.0])
    limited = kalaba.Model(CART.replace("actuator u: x'", "actuator u: x', limit = 5")).rates()
    with pytest.raises(kalaba.UsageError, match="u is 6, beyond its limit 5"):
        limited(0.0, np.zeros(4), [6.0])
    with pytest.raises(kalaba.NumberError, match="u"):
        limited(0.0, np.zeros(4), [np.nan])
    assert limited(0.0, np.zeros(4), [5.0])[2] > 0


def interrupted(call):
    """The call ends by a signal that comes while it is at work."""
    with interrupted_at_work(), pytest.raises(KeyboardInterrupt):
        call()


def test_ctrl_c_ends_long_calls():
    model = kalaba.Model(SPRING)
    y = np.ones((2, 1000))

    def without_end(call):
        while True:
            call()
    interrupted(lambda: without_end(lambda: model.rates()(0.0, y)))
    interrupted(lambda: without_end(lambda: model.equilibria(starts=1_000_000)))
    assert np.array_equal(model.rates()(0.0, y)[1], np.full(1000, -4.0))
