#!/usr/bin/env python3
"""FMUs from outside: test_fmu.py PROGRAM ROOT

The importer of fmu_lab.py takes them through their life, and motion is compared with that of
`kalaba run`.  What the standard demands of descriptions is checked by rules written from it.
"""

import itertools
import json
import math
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from fmu_lab import (COSIMULATION, DISCARD, ERROR, EXCHANGE, OK, handle_event,
                     simulate_exchange, simulate_steps)
from fmu_models import ALL, VERSIONS, example, export, initialized, last_row
from model_lab import EXAMPLES, HANG, PROGRAM, ROOT, SHARE, case, main, run

# Closed loops, rows that repeat others, masses that are zero, rolling, states of first order,
# start velocities by formulas; events that set velocities, engage and release, holds; servos;
# contacts and friction.
MOTIONS = ("pendulum", "slider_crank", "double_pendulum_redundant", "closed_loop",
           "repeated_constraints", "two_masses_light2", "sleigh", "motor", "universal_joint",
           "bouncing_ball", "shaken_box", "stick_slip", "sampled_position", "cam",
           "flexible_arm", "flexible_arm_torques", "ball_at_rest", "block_on_belt",
           "rocking_block", "sliding_sphere", "ladder")


def motions():
    """Models and versions of the standard."""
    return [(name, version) for k, name in enumerate(MOTIONS) for version in VERSIONS
            if ALL or version == VERSIONS[k % 2]][::SHARE]


def initialized_at(unit, x):
    """An instance that begins at a place of its coordinate x."""
    instance = unit.instance(COSIMULATION)
    assert instance.set(x=x) == OK, instance.messages
    assert instance.enter(tolerance=1e-10) == OK and instance.leave() == OK
    return instance


def agree(instance, expected, tolerance, names):
    status, values = instance.get(*names)
    assert status == OK, instance.messages
    for name, value in zip(names, values):
        scale = max(1, abs(expected[name]))
        assert abs(value - expected[name]) <= tolerance * scale, \
            (name, value, expected[name])


def said(instance, *words):
    text = instance.messages[-1][1] if instance.messages else ""
    assert all(word in text for word in words), instance.messages


# Motion

@case
def co_simulation_agrees_with_runs():
    for name, version in motions():
        expected = last_row(example(name), 1)
        unit = export(example(name), version)
        instance = initialized(unit, COSIMULATION, stop=1.0, tolerance=1e-9)
        simulate_steps(instance, 1.0, 0.125)
        agree(instance, expected, 1e-6, [*unit.states(), "t"])
        instance.free()


@case
def model_exchange_agrees_with_runs():
    for name, version in motions():
        expected = last_row(example(name), 0.5)
        unit = export(example(name), version)
        instance = initialized(unit, EXCHANGE, tolerance=1e-8)
        simulate_exchange(instance, 0.5, 2.0**-10)
        agree(instance, expected, 1e-5, [*unit.states(), "t"])
        instance.free()


@case
def many_coordinates_move_by_sparse_factors():
    few = ("-p", "N=100")
    expected = last_row(example("falling_chain"), 0.05, *few)
    unit = export(example("falling_chain"), 3, *few)
    for kind, move in ((COSIMULATION, lambda one: simulate_steps(one, 0.05, 0.025)),
                       (EXCHANGE, lambda one: simulate_exchange(one, 0.05, 2.0**-10))):
        instance = initialized(unit, kind, stop=0.05, tolerance=1e-9)
        move(instance)
        agree(instance, expected, 1e-6, [*unit.states(), "speed"])
        instance.free()


@case
def steps_of_many_coordinates_do_not_wait_for_the_dense_form():
    # shorter steps from 0.18 on let leaps be tried, which lead nowhere near the constraints: on the
    # way back by the dense form each took longer than all the steps
    unit = export(example("net"), 3)
    instance = initialized(unit, COSIMULATION, stop=0.2, tolerance=1e-6)
    began = time.process_time()
    simulate_steps(instance, 0.2, 0.01)
    assert time.process_time() - began < 4
    agree(instance, last_row(example("net"), 0.2), 1e-4, unit.states())
    instance.free()


@case
def many_coordinates_have_directional_derivatives():
    # accelerations are quadratic in velocities: their central differences are exact
    unit = export(example("falling_chain"), 3, "-p", "N=100")
    instance = initialized(unit, EXCHANGE)
    _, x = handle_event(instance)
    states = unit.states()
    x = [math.cos(k) if name.endswith("'") else value
         for k, (name, value) in enumerate(zip(states, x))]
    assert instance.set_states(x) == OK
    names = [f"der({name})" for name in states if name.endswith("'")]
    seed = [math.sin(3 * k) if name.endswith("'") else 0.0
            for k, name in enumerate(states)]
    status, got = instance.derive(names, states, seed)
    assert status == OK, instance.messages
    rows = []
    for sign in (1, -1):
        assert instance.set_states([a + sign * b for a, b in zip(x, seed)]) == OK
        rows.append(instance.get(*names)[1])
    expected = [(a - b) / 2 for a, b in zip(*rows)]
    size = max(map(abs, expected))
    assert size > 0
    for name, a, b in zip(names, got, expected):
        assert abs(a - b) <= 1e-9 * size, (name, a, b)
    instance.free()


@case
def exchange_is_as_exact_as_the_steps_of_the_importer():
    # a mechanism in which all is over in 30 ms: half the step, a sixteenth of the error
    unit = export(example("squeezer"), 3)
    expected = last_row(example("squeezer"), 2.0**-6, "--tolerance", "1e-12")
    errors = []
    for size in (2.0**-12, 2.0**-13, 2.0**-14):
        instance = initialized(unit, EXCHANGE, tolerance=1e-10)
        simulate_exchange(instance, 2.0**-6, size)
        errors.append(max(abs(value - expected[name]) / max(1, abs(expected[name]))
                          for name, value in zip(unit.states(), instance.states()[1])))
        instance.free()
    assert errors[0] < 1e-3 and errors[2] < 1e-6, errors
    assert errors[1] < errors[0] / 8 and errors[2] < errors[1] / 8, errors


@case
def a_mechanism_passes_where_its_constraints_become_dependent():
    # at its flat position, a dozen times; nothing may be lost there
    unit = export(example("parallelogram"), 3)
    energies = ["energy(kinetic)", "energy(potential)"]
    for tolerance in (1e-5, 1e-7, 1e-8, 1e-10):
        for size in (0.125, 5.0):
            instance = initialized(unit, COSIMULATION, stop=5.0, tolerance=tolerance)
            before = sum(instance.get(*energies)[1])
            simulate_steps(instance, 5.0, size)
            after = sum(instance.get(*energies)[1])
            assert abs(after - before) <= 2e-5 * before, (tolerance, size, before, after)
            instance.free()


@case
def two_units_are_coupled_by_a_spring():
    # the example of docs/export.md; together x = 1 - y, and x - y = cos(sqrt(2 k/m) t)
    text = """
        model "Cart"
        param m = 1 [kg]
        coord x [m]
        kinetic 1/2*m*x'^2
        actuator F: x'
        init x = 1
    """
    unit = export(text, 3)
    errors = []
    for size in (2.0**-7, 2.0**-8):
        left, right = (initialized_at(unit, x) for x in (1.0, 0.0))
        for k in range(round(1 / size)):
            (x,), (y,) = left.get("x")[1], right.get("x")[1]
            assert left.set(F=-8 * (x - y)) == OK and right.set(F=8 * (x - y)) == OK
            assert left.step(k * size, size) == OK and right.step(k * size, size) == OK
        (x,), (y,) = left.get("x")[1], right.get("x")[1]
        assert abs(x + y - 1) < 1e-9
        errors.append(abs(x - y - math.cos(4)))
        left.free()
        right.free()
    assert errors[0] < 0.05 and errors[1] < 0.6 * errors[0], errors


@case
def the_start_is_that_of_runs_with_other_parameters():
    # phi and x are guesses, which move when the crank gets longer; I1 follows
    expected = last_row(example("slider_crank"), 0.25, "-p", "L1=0.12", "-p", "m1=0.5")
    for version in VERSIONS:
        unit = export(example("slider_crank"), version)
        instance = unit.instance(COSIMULATION)
        assert instance.set(L1=0.12, m1=0.5) == OK
        assert instance.enter(tolerance=1e-9) == OK
        status, values = instance.get("I1", "x")
        assert status == OK and abs(values[0] - 0.5 * 0.12**2 / 3) < 1e-15
        assert instance.leave() == OK, instance.messages
        simulate_steps(instance, 0.25, 0.25)
        agree(instance, expected, 1e-6, unit.states())
        instance.free()


@case
def a_model_that_stops_ends_the_simulation():
    # y' = 2 - 9.81 t, so it stops at 2/9.81
    text = """
        coord y
        kinetic 1/2*y'^2
        potential 9.81*y
        init y = 0, y' = 2
        event top: y' [falling] stop
    """
    for version in VERSIONS:
        unit = export(text, version)
        instance = initialized(unit, COSIMULATION)
        ending = instance.end_step(0.0, 1.0)
        assert ending.status == (OK if version == 3 else DISCARD)
        assert ending.ended and abs(ending.reached - 2 / 9.81) < 1e-12
        assert ending.early == (version == 2)  # in FMI 3 importers have to allow what that says
        assert instance.step(ending.reached, 0.5) == ERROR
        said(instance, "ended the motion")
        instance.free()
        instance = initialized(unit, EXCHANGE)
        assert unit.indicators() == 1
        simulate_exchange(instance, 1.0, 0.0625)
        status, (t,) = instance.get("t")
        assert status == OK and abs(t - 2 / 9.81) < 1e-12
        instance.free()


BALL = """
    coord y
    kinetic 1/2*y'^2
    potential 10*y
    init y = 5, y' = 0
    event floor: y [falling] set y' = -y'/2
"""  # it hits the floor at 1 with the speed 10, and is at 15/4 at 3/2


@case
def steps_end_early_where_the_importer_allows_it():
    unit = export(BALL, 3)
    instance = initialized(unit, COSIMULATION)
    ending = instance.end_step(0.0, 1.5)
    assert ending.status == OK and not ending.early and ending.reached == 1.5
    agree(instance, {"y": 1.25, "y'": 0.0}, 1e-9, ["y", "y'"])
    instance.free()
    instance = unit.instance(COSIMULATION, early=True)
    assert instance.enter() == OK and instance.leave() == OK
    ending = instance.end_step(0.0, 1.5)
    assert ending.status == OK and ending.early and not ending.event
    assert abs(ending.reached - 1) < 1e-12
    agree(instance, {"y'": 5.0}, 1e-9, ["y'"])  # it has happened
    assert instance.step(ending.reached, 1.5 - ending.reached) == OK
    agree(instance, {"y": 1.25}, 1e-9, ["y"])
    instance.free()


@case
def an_importer_may_find_events_late():
    # a step ends below the floor; that the floor jumps up by 40 cm is another thing
    text = """
        coord y
        kinetic 1/2*y'^2
        potential 10*y
        contact floor: y >= {}, restitution = 0.5
        init y = 1
    """
    for floor, size, end, answer in (("0", 0.1, [-0.25, -5.0], OK),
                                     ("if(t < 0.405, 0, 0.4)", 0.01, [0.1595, -4.1], ERROR)):
        for version in VERSIONS:
            instance = initialized(export(text.format(floor), version), EXCHANGE)
            handle_event(instance)
            assert instance.set_time(0.4) == OK and instance.set_states([0.2, -4.0]) == OK
            assert instance.completed() == (OK, False)
            assert instance.set_time(0.4 + size) == OK and instance.set_states(end) == OK
            assert instance.completed() == (OK, True) and instance.enter_event() == OK
            assert instance.update().status == answer, instance.messages
            if answer == OK:
                agree(instance, {"y": 0, "y'": 2.5}, 1e-12, ["y", "y'"])
                assert instance.continuous() == OK
                # an importer that is off sees nothing that rests at zero or crosses it
                assert instance.set_states([0.01, 2.5]) == OK
                assert instance.completed() == (OK, False)
                assert instance.set_states([-1e-9, 2.5]) == OK
                assert instance.indicators()[1][0] > 0 and instance.completed() == (OK, False)
            else:
                said(instance, "contact", "contradict")
            instance.free()


@case
def a_ball_that_events_throw_back_does_not_fall_through():
    """It rests at t0 (1 + e)/(1 - e), which no event can make it do: the importer is told."""
    for e, version in ((0.1, 2), (0.5, 3), (0.8, 2), (0.97, 3)):
        unit = export(f"""
            coord y
            kinetic 1/2*y'^2
            potential 9.81*y
            event bounce: y falling set y' = -{e}*y'
            init y = 1
        """, version)
        end = math.sqrt(2 / 9.81) * (1 + e) / (1 - e)
        for step in (end / 7, 0.01, 2 * end):
            instance = initialized(unit, COSIMULATION)
            t = 0.0
            while instance.step(t, step) == OK:
                t += step
                [y] = instance.get("y")[1]
                assert t < end + 1e-4 and -1e-9 < y < 1, (e, step, t, y)
            said(instance, "event(bounce)", "ever faster")
            assert t + step > end - 1e-3
            instance.free()


@case
def a_block_that_rocks_ever_faster_comes_to_rest():
    # which feet that others push open, and slips that end at once, have to come to, too
    model = example("rocking_block")
    expected = last_row(model, 8, "--tolerance", "1e-11")
    instance = initialized(export(model, 3), COSIMULATION, tolerance=1e-9)
    simulate_steps(instance, 8, 0.5)
    agree(instance, {**expected, "th'": 0, "x'": 0}, 1e-6, ["x", "y", "th", "x'", "th'"])
    instance.free()


# A puck that a turntable takes along a rim, ever faster: the rim bears what friction need not, so
# that the puck slips at 2 R t = 1.5 mu g, t = 1.34; friction that bore it all would end at 1.11.
PUCK = """
    param R = 1.1
    coord x, y, z
    kinetic 1/2*(x'^2 + y'^2 + z'^2)
    potential 9.81*z
    contact table: z >= 0, friction = 0.2, static = 0.3, slip = [x' + t^2*y, y' - t^2*x]
    contact rim: R - sqrt(x^2 + y^2) >= 0
    init x = R
"""


@case
def how_contacts_share_what_friction_holds_is_not_guessed():
    expected = (1.1 * math.cos(1 / 3), 1.1 * math.sin(1 / 3))
    for version in VERSIONS:
        instance = initialized(export(PUCK, version), COSIMULATION, tolerance=1e-9)
        assert instance.step(0.0, 1.0) == OK
        agree(instance, dict(zip("xy", expected)), 1e-7, "xy")
        assert instance.step(1.0, 1.0) == ERROR
        said(instance, "t = 1.10", "not unique")
        instance.free()


@case
def the_importer_may_handle_events_of_co_simulation():
    unit = export(BALL, 3)
    instance = unit.instance(COSIMULATION, events=True, early=True)
    assert instance.enter() == OK and instance.leave() == OK
    assert instance.step(0.0, 0.5) == ERROR  # in event mode
    assert instance.update().status == OK and instance.call("EnterStepMode") == OK
    ending = instance.end_step(0.0, 1.5)
    assert ending.status == OK and ending.event and ending.early
    assert abs(ending.reached - 1) < 1e-12
    agree(instance, {"y'": -10.0}, 1e-9, ["y'"])  # it has not happened yet
    assert instance.enter_event() == OK
    event = instance.update()
    assert event.status == OK and event.moved and not event.ended
    agree(instance, {"y'": 5.0}, 1e-9, ["y'"])
    assert instance.call("EnterStepMode") == OK
    assert instance.step(ending.reached, 1.5 - ending.reached) == OK
    agree(instance, {"y": 1.25}, 1e-9, ["y"])
    instance.free()
    instance = initialized(unit, COSIMULATION)  # without event mode
    assert instance.enter_event() == ERROR
    instance.free()


@case
def intermediate_updates_show_steps_and_end_them():
    unit = export(example("pendulum"), 3)
    seen = []

    def update(_, t, sets, gets, finished, may_return, wants, when):
        status, (theta,) = instance.get("theta")
        assert status == OK
        seen.append((t, theta, sets, gets, finished, may_return))
        wants[0] = True
        when[0] = 0.75

    instance = unit.instance(COSIMULATION, early=True, update=update)
    assert instance.enter() == OK and instance.leave() == OK
    ending = instance.end_step(0.0, 2.0)
    assert ending.status == OK and ending.early and ending.reached == 0.75
    times = [row[0] for row in seen]
    assert times == sorted(times) and times[-1] == 0.75 and len(times) > 1
    assert all(row[2:] == (False, True, True, True) for row in seen)
    agree(instance, {"theta": seen[-1][1]}, 0, ["theta"])
    instance.free()


@case
def in_an_intermediate_update_nothing_is_changed():
    unit = export(example("slider_crank"), 3)
    answers = []

    def update(*_):
        calls = (lambda: instance.set(tau=9.0), lambda: instance.step(0.0, 0.1), instance.reset,
                 instance.terminate, lambda: instance.restore(state),
                 instance.enter_event, instance.update)
        answers.append([call() if call != instance.update else call().status for call in calls])
        instance.call("FreeInstance")

    instance = unit.instance(COSIMULATION, events=True, update=update)
    plain = unit.instance(COSIMULATION, events=True)
    for one in (instance, plain):
        assert one.enter() == OK and one.leave() == OK
        assert one.update().status == OK and one.call("EnterStepMode") == OK
        state = one.save()[1] if one is instance else state
        assert one.step(0.0, 0.25) == OK
    assert answers and all(row == [ERROR] * 7 for row in answers), answers
    said(instance, "freed", "intermediate update")
    assert instance.get(*unit.states()) == plain.get(*unit.states())
    assert instance.free_state(state) == OK
    for one in (instance, plain):
        one.free()


@case
def holds_begin_with_the_experiment():
    # renewals count from the start, and start values are the model's
    text = """
        param T = 0.5
        coord x
        kinetic 1/2*x'^2
        hold n every T: n + 1
        init n = 3
        output steps = n
    """
    for version in VERSIONS:
        unit = export(text, version)
        instance = unit.instance(COSIMULATION)
        assert instance.set(T=0.25) == OK
        assert instance.enter(start=10.1) == OK and instance.leave() == OK
        agree(instance, {"n": 4}, 0, ["n"])
        assert instance.step(10.1, 0.6) == OK
        agree(instance, {"n": 6, "steps": 6}, 0, ["n", "steps"])
        assert instance.set(n=5) == ERROR
        instance.free()


@case
def drift_asks_for_events_that_bring_the_state_back():
    unit = export(example("slider_crank"), 3)
    instance = initialized(unit, EXCHANGE, tolerance=1e-8)
    events = simulate_exchange(instance, 0.5, 1 / 128)  # too coarse for its tolerance
    assert events > 0
    status, (theta, phi, x) = instance.get("theta", "phi", "x")
    assert status == OK
    assert abs(0.2 * math.cos(theta) - 0.5 * math.cos(phi) - x) < 1e-6
    assert abs(0.2 * math.sin(theta) - 0.5 * math.sin(phi)) < 1e-6
    instance.free()


@case
def reactions_and_derivatives_are_those_of_eval():
    status, out, err = run("eval", example("slider_crank"), "--json")
    assert status == 0, err
    told = json.loads(out)
    unit = export(example("slider_crank"), 3)
    instance = initialized(unit, EXCHANGE)
    names = [f"der({q}')" for q in told["coordinates"]]
    names += [f"reaction({c})" for c in told["constraints"]]
    expected = dict(zip(names, [*told["qdd"], *told["multipliers"].values()]))
    agree(instance, expected, 1e-12, names)
    instance.free()


@case
def inputs_are_forces_and_tables_are_there():
    text = """
        param m = 1, L = 0.5{}
        table spring = [-4, -1, 1, 4], [-9, -1, 1, 9]
        coord x, y
        kinetic 1/2*m*(x'^2 + y'^2)
        potential 9.81*m*y
        constraint rod: x^2 + y^2 = L^2
        force x = -spring(x)
        init x = 0.3, y ~ -1
        {}
        output a = x''
    """
    plain = text.format(", u = 2", "force x = u")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plain.kal"
        path.write_text(plain, encoding="utf-8")
        expected = last_row(path, 1)
    for version in VERSIONS:
        unit = export(text.format("", "actuator u: x', limit = 2"), version)
        kind = unit.variables["u"]
        assert kind.get("causality") == "input" and kind.get("initial") is None
        assert float(unit.typed("u").get("start")) == 0
        instance = initialized(unit, COSIMULATION, stop=1.0, tolerance=1e-9)
        assert instance.set(u=5.0) == OK  # cut to 2
        simulate_steps(instance, 1.0, 0.125)
        agree(instance, expected, 1e-6, [*unit.states(), "a"])
        assert instance.set(u=math.nan) == ERROR
        said(instance, "'u'")
        instance.free()
        instance = initialized(unit, EXCHANGE, tolerance=1e-8)
        assert instance.set(u=2.0) == OK
        simulate_exchange(instance, 1.0, 2.0**-10)
        agree(instance, expected, 1e-5, [*unit.states(), "a"])
        instance.free()


# Friction that follows reactions, states, an input, constraint forces, energies, tables.
SMOOTH = """
    param m = 1.3, L = 0.7, mu = 0.2
    table f = [-3, -1, 0.5, 3], [1, 0, 2, -1]
    coord x, y, s, free
    kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(2 + sin(s))*s'^2 + 1/2*free'^2
    potential 9.81*m*y + f(x)
    constraint rod: (x - s)^2 + y^2 = L^2
    state i: i' = x*control(u) - i^3
    actuator u: s'*cos(x)
    nonideal s = -mu*reaction(rod)*s'
    force x = i*x'
    force free = -free'
    init x = 0.3, y ~ -0.6, x' = 0.4, free' = 1, i = 0.2
    output a = x''*reaction(rod), b = cforce(s), e = energy()*t, own = sin(free)
"""


# Contacts without friction: one that is closed, and another that is not.
BOWL = """
    param k = 0.3
    coord x, y
    kinetic 1/2*(x'^2 + 2*y'^2)
    potential 9.81*y
    contact floor: y >= k*x^2
    contact wall: 2 + y >= x
    init x = 0.5, y ~ 0.075, x' = 0.4
    output a = x''*reaction(floor), room = gap(wall)
"""


def changes_by_differences(instance, names, x, direction):
    """Changes of variables along a direction of states and time, by Richardson's rule."""
    rows = []
    for part in (1, -1, 2, -2):
        h = part * 1e-3
        assert instance.set_time(h * direction[-1]) == OK
        assert instance.set_states([a + h * b for a, b in zip(x, direction)]) == OK
        status, values = instance.get(*names)
        assert status == OK, instance.messages
        rows.append(values)
    return [(8 * (a - b) - (c - d)) / (12e-3) for a, b, c, d in zip(*rows)]


@case
def directional_derivatives_are_exact():
    models = [SMOOTH, BOWL, *map(example, ("slider_crank", "four_bar", "sleigh", "rolling_disc",
                                     "two_masses_light2", "incline_friction_reaction"))]
    for model in models:
        for version in VERSIONS:
            unit = export(model, version)
            instance = initialized(unit, EXCHANGE)
            _, x = handle_event(instance)
            knowns = [*unit.states(), "t"]
            names = [n for n in unit.dependencies() if not n.startswith(("event(", "border("))]
            names += ["energy(kinetic)", "energy(potential)"]
            for k in range(2):
                direction = [math.sin(1 + 3 * i + k) for i in range(len(knowns))]
                expected = changes_by_differences(instance, names, x, direction)
                assert instance.set_time(0.0) == OK and instance.set_states(x) == OK
                status, got = instance.derive(names, knowns, direction)
                assert status == OK, instance.messages
                size = max(1, *map(abs, expected))
                for name, a, b in zip(names, got, expected):
                    assert abs(a - b) <= 1e-7 * size, (model, name, a, b)
            instance.free()


@case
def beyond_its_limit_an_input_has_no_derivative():
    for version in VERSIONS:
        unit = export("""
            param most = 0.5
            coord x, change_limited
            kinetic 1/2*(x'^2 + change_limited'^2)
            potential cos(change_limited)
            actuator E: change_limited'
            actuator F: x', limit = most
            actuator G: x' + change_limited', limit = 2
            output c = control(F)*x
            init x = 3
        """, version)
        instance = initialized(unit, COSIMULATION)
        names = ["der(x')", "der(change_limited')", "c"]
        for f, slope in ((0.2, 1), (-0.4, 1), (0.7, 0), (-0.9, 0)):
            assert instance.set(F=f, G=1.0, E=30.0) == OK
            assert instance.derive(names, ["F"], [1.0]) == (OK, [slope, 0, 3 * slope])
            assert instance.derive(names, ["E", "G"], [1.0, 2.0]) == (OK, [2, 3, 0])
        instance.free()


@case
def while_the_start_is_found_derivatives_are_those_of_what_stays():
    # of a pendulum; in a slider-crank what the model guesses would follow what it holds
    for version in VERSIONS:
        free = export(example("pendulum"), version).instance(EXCHANGE)
        assert free.enter() == OK
        assert free.derive(["der(theta)"], ["theta'"], [2.0]) == (OK, [2.0])
        tied = export(example("slider_crank"), version).instance(EXCHANGE)
        assert tied.enter() == OK
        assert tied.derive(["phi"], ["theta"], [1.0])[0] == ERROR
        said(tied, "'phi'", "guess")
        assert tied.leave() == OK
        assert tied.derive(["der(phi)"], ["phi'"], [1.0]) == (OK, [1.0])
        free.free()
        tied.free()


@case
def derivatives_by_inputs_are_exact_and_others_are_refused():
    for version in VERSIONS:
        unit = export(SMOOTH, version)
        instance = initialized(unit, COSIMULATION)
        names = ["der(s')", "der(i)", "a", "reaction(rod)", "u", "x"]
        rows = []
        for u in (1.0, -1.0):
            assert instance.set(u=u) == OK
            rows.append(instance.get(*names)[1])
        # a is a product of two that are linear in u: its central difference is exact
        expected = [(a - b) / 2 for a, b in zip(*rows)]
        assert instance.set(u=0.0) == OK
        status, got = instance.derive(names, ["u"], [1.0])
        assert status == OK, instance.messages
        assert all(abs(a - b) < 1e-11 for a, b in zip(got, expected)), (got, expected)
        assert instance.derive(["der(s')"], ["m"], [1.0])[0] == ERROR
        said(instance, "'m'")
        assert instance.derive([999], ["x"], [1.0])[0] == ERROR
        instance.free()
        redundant = initialized(export(example("repeated_constraints"), version), EXCHANGE)
        assert redundant.derive(["reaction(wire)"], ["t"], [1.0])[0] == ERROR
        said(redundant, "not unique")
        redundant.free()


# Servos: of more actuators than servos, of which one is at its limit in the second; by any force,
# with rows besides.
REACHED = """
    param m = 1.2
    coord x, y, z, w
    kinetic 1/2*m*x'^2 + 1/2*(2 + sin(x))*y'^2 + 1/2*z'^2 + 1/2*w'^2 + 0.3*cos(y)*x'*z'
    potential x^2*y + 9.81*z
    constraint rod: w = x*z + t
    force y = -x'*y'
    {}
    nonideal x = -0.1*x'*y
    servo path: x + y*z = sin(t), rate = 2
    init x = 0.2, y = 0.3, z = -0.1, x' = 0.4, y' = 0.2, z' = 0.1
    output a = x''*reaction(rod), b = cforce(y), c = {}
"""
ACTUATORS = """
    actuator P: x'*cos(y){}
    actuator T: y' + x*z', weight = 3
    actuator S: z'*(1 + x^2) - y*x', weight = 0.5
"""
SERVED = (REACHED.format(ACTUATORS.format(""), "control(T)*x"),
          REACHED.format(ACTUATORS.format(", limit = 0.001"), "control(S)"),
          REACHED.format("", "y"))


# Friction that slides: along a curve, and in a plane, where it turns; with a rod that pulls at what
# slides; alone, with a limit that follows a reaction; and what holds.
SLID = ("""
    param mu = 0.3
    coord x, y
    kinetic 1/2*(x'^2 + 2*y'^2)
    potential 9.81*y
    contact floor: y >= 0.3*x^2, friction = mu*(1 + x^2), slip = x'
    init x = 0.5, y ~ 0.075, x' = 0.4
    output a = x''*reaction(floor), b = cforce(y)
""", """
    coord x, y, z, p, q
    kinetic 1/2*(x'^2 + y'^2 + z'^2) + 1/2*p'^2*(1 + q^2) + q'^2
    potential 9.81*z - x*q
    contact table: z >= 0.1*x*y, friction = 0.2 + 0.1*sin(x), slip = [x' - p*q', y']
    constraint rod: (x - p)^2 + (y - q)^2 + z^2 = 1
    init x = 0.2, y = 0.1, p ~ 1, q = 0.3, z ~ 0, x' = 0.7, y' = -0.4, q' = 0.1
    output a = reaction(table)*y''
""", """
    coord x, y, s
    kinetic 1/2*(x'^2 + y'^2) + s'^2
    potential 9.81*y + 2*s^2
    constraint guide: y = x^2/2
    friction brake: s' - x', limit = 0.1*abs(reaction(guide)) + s^2
    friction drag: x', limit = 0.2*(1 + x^2)
    init x = 0.4, y ~ 0, x' = 0.5, s' = 0.1
    output a = x''*reaction(guide), b = cforce(s)
""", """
    param mu = 0.3
    coord x, y, s
    kinetic 1/2*(x'^2 + 2*y'^2) + 1/2*s'^2 + 0.2*x'*s'*cos(y)
    potential 9.81*y + s*x
    constraint rod: s = x*y + 0.1*t
    contact floor: y >= 0.3*x^2 + 0.1*s, friction = mu*(1 + x^2), slip = x' - 0.2*s'*y
    nonideal s = -0.2*reaction(rod)*s' + x*y'
    nonideal x = -0.1*abs(reaction(floor))*x'*s
    friction brake: s' + x', limit = 2 + 0.1*reaction(rod)*s
    init x = 0.5, y ~ 0.075, x' = 0.7
    output a = x''*reaction(floor), b = cforce(y), c = cforce(s)*y''
""", """
    coord x, y, z, p, q
    kinetic 1/2*(x'^2 + y'^2 + z'^2) + 1/2*p'^2*(1 + q^2) + q'^2
    potential 9.81*z - x*q
    contact table: z >= 0.1*x*y, friction = 0.2 + 0.1*sin(x), slip = [x' - p*q', y']
    constraint rod: (x - p)^2 + (y - q)^2 + z^2 = 1
    nonideal q = -0.3*reaction(rod)*q'*p
    nonideal y = 0.1*reaction(table)*x'
    init x = 0.2, y = 0.1, p ~ 1, q = 0.3, z ~ 0, x' = 0.7, y' = -0.4, q' = 0.1
    output a = reaction(table)*y''
""", """
    coord x, y, z, s
    kinetic 1/2*(x'^2 + y'^2 + z'^2) + 1/2*(1 + z^2)*s'^2
    potential 9.81*z - 2*x*s
    contact table: z >= 0.1*y^2, friction = 0.6, slip = [x', y']
    constraint rod: s = 0.5*y + t/4 + 0.3*z
    nonideal s = -0.2*abs(reaction(rod))*s' + 0.1*reaction(table)*y
    init x = 0.2, y = 0.1, z ~ 0, s ~ 0.05, y' ~ 0.3, s' ~ 0.2
    output a = reaction(rod)*s'', b = cforce(s)
""")


@case
def directional_derivatives_of_servos_and_friction_are_exact():
    for model in (*SERVED, *SLID, example("flexible_arm_torques"), example("block_on_belt")):
        for version in VERSIONS if ALL else VERSIONS[1:]:
            unit = export(model, version)
            for kind in (EXCHANGE, COSIMULATION):
                assert any("DirectionalDerivative" in name for name in unit.root.find(kind).attrib)
            instance = initialized(unit, EXCHANGE)
            _, x = handle_event(instance)
            knowns = [*unit.states(), "t"]
            names = [n for n in unit.dependencies() if not n.startswith(("event(", "border("))]
            for k in range(2):
                direction = [math.sin(1 + 3 * i + k) for i in range(len(knowns))]
                expected = changes_by_differences(instance, names, x, direction)
                assert instance.set_time(0.0) == OK and instance.set_states(x) == OK
                status, got = instance.derive(names, knowns, direction)
                assert status == OK, instance.messages
                size = max(1, *map(abs, expected))
                for name, a, b in zip(names, got, expected):
                    assert abs(a - b) <= 1e-7 * size, (model, name, a, b)
            instance.free()


@case
def a_slip_that_begins_has_no_derivative_and_says_so():
    # a puck at rest, pulled in a plane by more than it can hold
    text = """
        coord x, y, z
        kinetic 1/2*(x'^2 + y'^2 + z'^2)
        potential 9.81*z
        force x = 3
        force y = 4
        contact table: z >= 0, friction = 0.3, slip = [x', y']
    """
    instance = initialized(export(text, 3), EXCHANGE)
    handle_event(instance)
    part = 1 - 0.3 * 9.81 / 5
    agree(instance, {"der(x')": 3 * part, "der(y')": 4 * part}, 1e-12, ["der(x')", "der(y')"])
    assert instance.derive(["der(x')"], ["x'"], [1.0])[0] == DISCARD
    said(instance, "event(grips(table))", "a slip begins")
    assert instance.set_states([0.0, 0.0, 0.0, 0.3, 0.4, 0.0]) == OK
    status, changes = instance.derive(["der(x')", "der(y')"], ["x'"], [1.0])
    # of -0.3*9.81*v/|v|, across v alone
    across = -0.3 * 9.81 / 0.5
    assert status == OK
    assert all(abs(a - b) < 1e-11 for a, b in
               zip(changes, (across * (1 - 0.36), -across * 0.48))), changes
    instance.free()


@case
def sources_of_units_compile_without_a_warning():
    models = [*SERVED, *SLID, SMOOTH, BOWL, *(example(name) for name, _ in motions()[::4])]
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    for model, version, name in itertools.product(models, VERSIONS if ALL else (3,), compilers):
        sources = Path(export(model, version).folder.name) / "sources"
        for path in (*sources.glob("*_fmu.c"), *sources.glob("*_begin.c")):
            done = subprocess.run([name, "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic",
                                   "-Werror", "-fsyntax-only", path], text=True,
                                  capture_output=True, check=False, timeout=HANG)
            assert done.returncode == 0, done.stderr


@case
def dependencies_are_those_of_the_structure():
    for version in VERSIONS:
        unit = export(SMOOTH, version)
        on = unit.dependencies()
        assert on["der(free')"] == ["free'"] and on["der(free)"] == ["free'"]
        assert on["own"] == ["free"] and on["der(i)"] == ["u", "x", "i"]
        assert set(on["der(x')"]) == {"u", "x", "y", "s", "x'", "y'", "s'", "i"}
        assert set(on["e"]) == {"t", "x", "y", "s", "x'", "y'", "s'", "free'"}
        instance = initialized(unit, EXCHANGE)
        knowns = [*unit.states(), "u", "t"]
        names = list(on)
        for known in knowns:  # what does not depend does not change
            status, changes = instance.derive(names, [known], [1.0])
            assert status == OK, instance.messages
            for name, change in zip(names, changes):
                assert change == 0 or known in on[name], (name, known)
        instance.free()


# Forces in pieces: what they are, borders that the motion leads to within a second, instants of time.
PIECES = (("-5*y + if(t > 0.45, 1, 0)", 0, [0.45]),
          ("-5*y + steps(0.5 + t)", 0, [0.4]),
          ("-5*y + steps(t)'", 0, [0.3, 0.9]),
          ("-5*y + mod(-t, 0.4)", 0, [0.4, 0.8]),
          ("-5*abs(y) - 4*y - 1", 1, []),
          ("-5*(y - road(x))", 3, []),
          ("-5*y + max(0, sin(8*t + 1))", 2, []),
          ("-5*y + if(x > 1, x - 1, 0)", 1, []))
PIECEWISE = """
    table road = [-1, 0, 0.5, 1.1, 1.9, 3, 10], [0, 0, 0.1, -0.2, 0.3, 0, 0], method = linear
    table steps = [0, 0.3, 0.9, 1.7, 9], [0, 2, -1, 0.5, 1], method = linear
    coord x, y
    kinetic 1/2*(x'^2 + y'^2)
    init x = 0.1, x' = 2, y = 0.3
    force y = {}
    simulate 0 .. 1 every 0.01
"""


def instants_told(instance):
    """Events of time until 1, as they are told before they come."""
    event, x = handle_event(instance)
    times = []
    while event.next < 1:
        times.append(event.next)
        assert instance.set_time(event.next) == OK and instance.set_states(x) == OK
        assert instance.enter_event() == OK
        event, x = handle_event(instance)
    return times


@case
def borders_of_pieces_are_events():
    # so that neither an importer's steps nor ours go across them: the error is that of smooth
    # motion, a sixteenth with half the step by Runge and Kutta's method, also across jumps
    with tempfile.TemporaryDirectory() as folder:
        for k, (force, crossings, instants) in enumerate(PIECES[::SHARE]):
            path = Path(folder) / "unit.kal"
            path.write_text(PIECEWISE.format(force), encoding="utf-8")
            expected = last_row(path, 1, "--tolerance", "1e-12")
            for version in VERSIONS if ALL else (VERSIONS[k % 2],):
                unit = export(PIECEWISE.format(force), version)
                told = instants_told(initialized(unit, EXCHANGE))
                assert len(told) == len(instants), told
                assert all(abs(a - b) < 1e-14 for a, b in zip(told, instants)), told
                errors = []
                for size in (2.0**-5, 2.0**-7):
                    instance = initialized(unit, EXCHANGE)
                    events = simulate_exchange(instance, 1.0, size)
                    assert events == crossings + len(instants), (force, size, events)
                    _, x = instance.states()
                    errors.append(max(abs(value - expected[name])
                                      for name, value in zip(unit.states(), x)))
                    instance.free()
                assert errors[1] < errors[0] / 100 and errors[1] < 1e-8, (force, errors)
                instance = initialized(unit, COSIMULATION, tolerance=1e-9)
                simulate_steps(instance, 1.0, 0.125)
                agree(instance, expected, 1e-9, unit.states())
                instance.free()


@case
def forces_may_jump_on_the_way():
    # what leads there is within the tolerance, whatever the steps are
    force = "-5*y + if(x > 0.77, 1, 0)*x + 0.3*sign(y')"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "unit.kal"
        path.write_text(PIECEWISE.format(force), encoding="utf-8")
        expected = last_row(path, 1, "--tolerance", "1e-12")
    for tolerance in (1e-5, 1e-9):
        instance = initialized(export(PIECEWISE.format(force), 3), COSIMULATION,
                               tolerance=tolerance)
        simulate_steps(instance, 1.0, 1.0)
        agree(instance, expected, 10 * tolerance, instance.unit.states())
        instance.free()


@case
def pieces_that_lead_to_each_other_are_told():
    text = """
        coord x
        kinetic 1/2*x'^2
        force x = 1 - 5*sign(x')
        init x' = 1
    """
    instance = initialized(export(text, 3), COSIMULATION)
    assert instance.step(0.0, 0.125) == OK
    assert instance.step(0.125, 0.25) == ERROR  # at rest at t = 1/4
    said(instance, "border(1)", "to and fro")
    instance.free()


@case
def a_block_slips_to_where_it_sticks_and_rests_at_the_border_there():
    # both sides of sign(v - x') lead to where event(grip) holds x' = v: stages of steps pass it
    m, k, g, v, high, low = 1.5, 40, 9.81, 0.3, 0.6, 0.4
    wide, w = (high - low) * m * g / k, math.sqrt(k / m)
    slip = high * m * g / (k * v)
    glide = 2 / w * (math.pi - math.atan(wide * w / v))
    unit = export(example("stick_slip"), 3)
    instance = unit.instance(COSIMULATION, logging=True)
    assert instance.enter(tolerance=1e-9) == OK and instance.leave() == OK
    simulate_steps(instance, 10.0, 0.5)
    told = [float(text.split()[3].rstrip(":")) for kind, text in instance.messages
            if kind == "logEvents"]
    expected = [slip + n * (glide + 2 * wide / v) + part for n in range(7)
                for part in (0, glide)]
    assert len(told) == len(expected), told
    assert all(abs(a - b) < 1e-7 for a, b in zip(told, expected)), (told, expected)
    steps = [int(text.split()[0]) for kind, text in instance.messages
             if kind == "logSteps" and "steps" in text]
    assert sum(steps) < 3000, steps
    instance.free()
    instance = initialized(unit, EXCHANGE, tolerance=1e-6)
    handle_event(instance)
    assert instance.get("border(1)")[1][0] > 0  # and not at zero, where importers see events
    assert all(value != 0 for value in instance.indicators()[1])
    instance.free()


@case
def tunable_parameters_change_between_steps_and_fixed_ones_do_not():
    unit = export(example("slider_crank"), 3)
    instance = initialized(unit, COSIMULATION)
    assert instance.step(0.0, 0.1) == OK
    assert instance.set(tau=2.0) == OK
    assert instance.step(0.1, 0.1) == OK
    assert instance.set(L1=0.2) == ERROR
    said(instance, "'L1'", "fixed")
    assert instance.step(0.2, 0.1) == OK
    instance.free()


# The life of an instance

@case
def a_step_does_not_pass_over_where_an_input_is_at_its_limit():
    """A servo that is met before and after: the accelerations of both sides go on alike."""
    text = """
        coord a, b
        let p = [0.643*sin(a), -0.643*cos(a)]
        let r = p + [0.9*sin(b), -0.9*cos(b)]
        kinetic 1/2*1.64*dot(p', p') + 1/2*dot(r', r')
        potential 9.81*(1.64*p.y + r.y)
        actuator u: a', limit = 10.3
        servo path: a = -0.296*sin(t), rate = 5.09
        coord c
        constraint tie: c = 2*a
        potential 4.43/2*c^2
        force a = 2.74*if(t < 0.711, 1, -1)
        state i: i' = 2.04*(a - i)
        force b = 0.249*i
        init a = 0.158, a' ~ -0.952, b = -0.404, b' ~ 0.406, i = -0.187
    """
    unit = export(text, 3)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "unit.kal"
        model.write_text(text, encoding="utf-8")
        expected = last_row(model, 0.75, "--tolerance", "1e-11")
    for size in (0.125, 0.25, 0.75):
        instance = initialized(unit, COSIMULATION, tolerance=1e-9)
        simulate_steps(instance, 0.75, size)
        agree(instance, expected, 1e-7, unit.states())
        instance.free()


@case
def a_state_comes_back_to_the_bit():
    for version in VERSIONS:
        unit = export(example("slider_crank"), version)
        instance = initialized(unit, COSIMULATION)
        assert instance.step(0.0, 0.25) == OK
        status, state = instance.save()
        assert status == OK
        data = instance.serialize(state)
        assert instance.step(0.25, 0.25) == OK
        first = instance.get(*unit.states())
        assert instance.restore(state) == OK
        assert instance.step(0.25, 0.25) == OK
        assert instance.get(*unit.states()) == first
        other = unit.instance(COSIMULATION)  # which was never initialized
        status, copy = other.deserialize(data)
        assert status == OK and other.restore(copy) == OK
        assert other.step(0.25, 0.25) == OK
        assert other.get(*unit.states()) == first
        assert other.deserialize(data[:-1])[0] == ERROR
        assert other.deserialize(bytes(len(data)))[0] == ERROR
        said(other, "no state of this FMU")
        for holder, kept in ((instance, state), (other, copy)):
            assert holder.free_state(kept) == OK and not kept.value
            holder.free()


@case
def what_was_saved_anywhere_goes_on_with_the_same_bits():
    """In another instance, too: while a pendulum moves freely, and where a parallelogram passes
    configurations in which its rods become dependent, in steps that are shorter than that takes."""
    for model, from_there, size in (("triple_pendulum", 0.25, 0.125), ("parallelogram", 0.0, 0.002)):
        unit = export(example(model), 3)
        ahead = unit.instance(COSIMULATION, logging=True)
        assert ahead.enter(tolerance=1e-9) == OK and ahead.leave() == OK
        leaps = saved = t = 0
        behind = None
        while t < (0.75 if model == "parallelogram" else 2.0):
            assert ahead.step(t, size) == OK, ahead.messages
            if behind:
                assert behind.step(t, size) == OK, behind.messages
                assert behind.get(*unit.states()) == ahead.get(*unit.states()), (model, t)
            t += size
            leaps += sum("a leap to" in text for _, text in ahead.messages)
            # where the pendulum is, and ever nearer to the passage
            angle = ahead.get("crank[1].angle")[1][0] if model == "parallelogram" else 0.0
            if t > from_there and saved < 6 and (model != "parallelogram" or abs(angle) < 0.2 / 2**saved):
                status, state = ahead.save()
                assert status == OK
                if behind:
                    behind.free()
                behind = unit.instance(COSIMULATION)
                status, copy = behind.deserialize(ahead.serialize(state))
                assert status == OK and behind.restore(copy) == OK
                ahead.free_state(state)
                behind.free_state(copy)
                saved += 1
            ahead.messages.clear()
        assert saved > 2 and (leaps > 0 or model != "parallelogram"), (model, saved, leaps)
        ahead.free()
        behind.free()


@case
def reset_begins_anew_and_instances_are_apart():
    for version in VERSIONS:
        unit = export(example("pendulum"), version)
        one, two = (unit.instance(COSIMULATION) for _ in range(2))
        assert one.set_all({"theta": 0.5}) == OK
        for instance in (one, two):
            assert instance.enter() == OK and instance.leave() == OK
            assert instance.step(0.0, 0.5) == OK
        assert one.get("theta") != two.get("theta")
        assert one.terminate() == OK and one.reset() == OK
        assert one.enter() == OK and one.leave() == OK
        assert one.step(0.0, 0.5) == OK
        assert one.get("theta") == two.get("theta")
        one.free()
        two.free()


@case
def calls_out_of_order_are_refused_and_change_nothing():
    for version in VERSIONS:
        unit = export(example("pendulum"), version)
        instance = unit.instance(COSIMULATION)
        for call in (instance.leave, instance.terminate, lambda: instance.step(0.0, 0.1),
                     lambda: instance.get("theta")[0]):
            assert call() == ERROR
            said(instance, "instantiated")
        assert instance.enter() == OK
        for call in (lambda: instance.step(0.0, 0.1), instance.terminate, instance.enter):
            assert call() == ERROR
        assert instance.leave() == OK
        for call in (instance.continuous, lambda: instance.set_time(1.0), instance.leave,
                     lambda: instance.states()[0], lambda: instance.step(0.5, 0.1),
                     lambda: instance.step(0.0, -0.1), lambda: instance.step(0.0, math.nan)):
            assert call() == ERROR, instance.messages
        assert instance.step(0.0, 0.1) == OK
        assert instance.terminate() == OK
        assert instance.step(0.1, 0.1) == ERROR
        instance.free()
        exchange = initialized(unit, EXCHANGE)
        assert exchange.step(0.0, 0.1) == ERROR
        said(exchange, "DoStep", "co-simulation")
        assert exchange.set_states([0.0, 0.0]) == ERROR
        assert len(handle_event(exchange)[1]) == 2
        assert exchange.set_states([0.0]) == ERROR
        assert exchange.set_states([0.0, math.inf]) == ERROR
        said(exchange, "theta'")
        exchange.free()


@case
def calls_at_random_are_taken_or_refused():
    """In and out of order, with good and bad values, by sanitizers (tests/export/calls.h)."""
    models = ("bouncing_ball", "sampled_position", "repeated_constraints", "block_on_belt",
              "parallelogram", "flexible_arm_torques", "motor", "ladder")
    every = [(name, version) for name in models for version in VERSIONS]
    for name, version in every if ALL else (every[0], every[3]):
        driver = ROOT / "tests" / "export" / f"calls{version}.c"
        unit = export(example(name), version)
        with tempfile.TemporaryDirectory() as folder:
            sources = Path(unit.folder.name) / "sources"
            [main_source] = sources.glob("*_fmu.c")
            begin = str(main_source).replace("_fmu.c", "_begin.c")
            program = Path(folder) / "calls"
            subprocess.run(["cc", "-g1", "-O1", "-fsanitize=address,undefined",
                            "-fno-sanitize-recover=all", f"-I{sources}",
                            f'-DUNIT="{main_source.name}"', driver, begin, "-o", program, "-lm"],
                           check=True)
            answer = subprocess.run([program, "1", "20000" if ALL else "5000"], text=True,
                                    capture_output=True, check=False, timeout=HANG)
            assert answer.returncode == 0, (name, version, answer.stdout, answer.stderr)
            assert " 0 faults" in answer.stdout


@case
def bad_values_are_refused_by_name():
    for version in VERSIONS:
        unit = export(example("slider_crank"), version)
        instance = unit.instance(COSIMULATION)
        assert instance.set_all({"m3": math.nan}) == ERROR
        said(instance, "'m3'")
        assert instance.set_all({"I1": 1.0}) == ERROR
        said(instance, "'I1'", "follows")
        assert instance.set_all({"balance": 1.0}) == ERROR
        assert instance.set_all({999: 1.0}) == ERROR
        said(instance, "999")
        assert instance.set_all({"theta": 1.0}) == OK
        assert instance.enter() == OK
        assert instance.set_all({"phi": 1.0}) == ERROR
        said(instance, "'phi'", "guess")
        assert instance.set_all({"L2": 0.01}) == OK  # too short for the crank
        assert instance.leave() == ERROR
        assert any("loop" in text for _, text in instance.messages), instance.messages
        assert instance.step(0.0, 0.1) == ERROR
        assert instance.reset() == OK and instance.enter() == OK and instance.leave() == OK
        instance.free()


@case
def a_wrong_token_makes_no_instance():
    for version in VERSIONS:
        unit = export(example("pendulum"), version)
        instance = unit.instance(EXCHANGE, token="{another}")
        assert not instance.handle
        said(instance, "{another}")


@case
def where_there_is_no_solution_the_importer_may_try_another_state():
    text = """
        model "root"
        coord x
        init x = 1
        kinetic 1/2*x'^2
        force x = sqrt(x)
    """
    unit = export(text, 3)
    instance = initialized(unit, EXCHANGE)
    handle_event(instance)
    assert instance.set_states([-1.0, 0.0]) == OK
    assert instance.derivatives()[0] == DISCARD
    assert instance.set_states([4.0, 0.0]) == OK
    assert instance.derivatives() == (OK, [0.0, 2.0])
    instance.free()


# Appell's and Hamel's mass, at the tip of its cone of velocities: 9.81 m/s² downwards, which the
# constraint allows in no direction.  A pendulum at rest has one way to go.
@case
def a_rest_that_no_way_leads_out_of_is_refused():
    text = """
        model "cone"
        coord x, y, z
        kinetic 1/2*(x'^2 + y'^2 + z'^2)
        potential 9.81*z
        constraint cone: x'^2 + y'^2 = 4*z'^2
        init x' = {0}, z' = {1}
    """
    for version in (2, 3):
        for kind in (EXCHANGE, COSIMULATION):
            instance = export(text.format(0, 0), version).instance(kind)
            assert instance.enter() == OK and instance.leave() != OK
            assert any("'cone'" in m and "not determined" in m
                       for _, m in instance.messages), instance.messages
            instance.free()
    instance = initialized(export(text.format(1, 0.5), 3), COSIMULATION, tolerance=1e-9)
    simulate_steps(instance, 1.0, 0.125)  # through the tip, where z'' = -g/5
    agree(instance, {"z'": 0.5 - 9.81 / 5}, 1e-7, ["z'"])
    instance.free()


@case
def messages_have_categories():
    unit = export(example("pendulum"), 3)
    quiet, loud = (unit.instance(COSIMULATION, logging=on) for on in (False, True))
    for instance in (quiet, loud):
        assert instance.enter() == OK and instance.leave() == OK
        assert instance.step(0.0, 0.1) == OK
    assert not quiet.messages
    assert {category for category, _ in loud.messages} == {"logSteps"}
    categories = {c.get("name") for c in unit.root.find("LogCategories")}
    assert "logSteps" in categories
    quiet.free()
    loud.free()


# Descriptions

def check_attributes(unit):
    """What the standard says of causality, variability, initial and start together."""
    initials = {("parameter", "fixed"): {"exact"}, ("parameter", "tunable"): {"exact"},
                ("calculatedParameter", "fixed"): {"calculated", "approx"},
                ("calculatedParameter", "tunable"): {"calculated", "approx"},
                ("local", "constant"): {"exact"},
                ("local", "continuous"): {"calculated", "exact", "approx"},
                ("output", "continuous"): {"calculated", "exact", "approx"},
                ("output", "discrete"): {"calculated"},
                ("input", "continuous"): {None}, ("independent", "continuous"): {None}}
    units = {u.get("name") for u in unit.root.find("UnitDefinitions")}
    for name, variable in unit.variables.items():
        kind = variable.get("causality"), variable.get("variability")
        initial = variable.get("initial")
        typed = unit.typed(name)
        assert initial in initials[kind], name
        starts = initial in ("exact", "approx") or kind[0] == "input"
        assert (typed.get("start") is not None) == starts, name
        assert typed.get("unit") is None or typed.get("unit") in units
        assert float(typed.get("nominal", 1)) > 0
    causalities = [v.get("causality") for v in unit.variables.values()]
    assert causalities.count("independent") == 1


def unknowns_of(unit, element, group):
    """Names that a part of the structure lists."""
    names = list(unit.variables)
    structure = unit.root.find("ModelStructure")
    if unit.version == 3:
        by_reference = {unit.reference(name): name for name in names}
        return [by_reference[int(u.get("valueReference"))] for u in structure.findall(element)]
    return [names[int(u.get("index")) - 1] for u in structure.find(group)]


def check_structure(unit):
    """Outputs, derivatives and initial unknowns are complete, each once."""
    outputs = [n for n, v in unit.variables.items() if v.get("causality") == "output"]
    derivatives = [n for n in unit.variables if unit.typed(n).get("derivative")]
    assert unknowns_of(unit, "Output", "Outputs") == outputs
    assert unknowns_of(unit, "ContinuousStateDerivative", "Derivatives") == derivatives
    states = unit.states()
    assert len(set(states)) == len(derivatives)
    wanted = {n for n, v in unit.variables.items()
              if v.get("initial") in ("calculated", "approx")
              and (v.get("causality") in ("output", "calculatedParameter")
                   or n in derivatives or n in states)}
    listed = unknowns_of(unit, "InitialUnknown", "InitialUnknowns")
    assert len(listed) == len(set(listed)) and set(listed) == wanted
    places = [list(unit.variables).index(name) for name in listed]
    assert places == sorted(places)


@case
def descriptions_keep_the_rules():
    order3 = ["ModelExchange", "CoSimulation", "UnitDefinitions", "LogCategories",
              "DefaultExperiment", "ModelVariables", "ModelStructure"]
    for name, version in motions():
        unit = export(example(name), version)
        assert unit.root.tag == "fmiModelDescription"
        assert unit.root.get("fmiVersion") == f"{version}.0"
        assert [child.tag for child in unit.root] == order3
        references = [v.get("valueReference") for v in unit.variables.values()]
        assert len(set(references)) == len(references)
        names = [v.get("name") for v in unit.root.find("ModelVariables")]
        assert len(set(names)) == len(names)
        check_attributes(unit)
        check_structure(unit)
        files = {Path(n).name for n in unit.names if n.startswith("sources/")}
        assert {f"{name}.c", f"{name}.h", f"{name}_fmu.c"} <= files
        assert ("buildDescription.xml" in files) == (version == 3)


@case
def names_are_escaped():
    text = """
        model "less < & \\"more\\" > 'so' 100%"
        param θ = 2 [kg], time = 1
        coord x [m], y [m]
        kinetic 1/2*θ*(x'^2 + y'^2)*time
        output z = y
    """.replace('\\"', "")
    for version in VERSIONS:
        unit = export(text, version)
        assert unit.root.get("modelName") == "less < & more > 'so' 100%"
        assert {"θ", "time", "x", "x'", "z", "t"} <= set(unit.variables)
        instance = unit.instance(COSIMULATION)
        assert instance.set_all({"θ": math.inf}) == ERROR
        said(instance, "'θ'")
        instance.free()


@case
def the_same_model_gives_the_same_token_and_another_another():
    tokens = [export(example("pendulum"), 3, *options).token
              for options in ((), ("-q",), ("-p", "L=2"))]
    assert tokens[0] == tokens[1] != tokens[2]


@case
def symbols_are_those_of_the_standard():
    for version in VERSIONS:
        unit = export(example("pendulum"), version)
        done = subprocess.run(["nm", "-D", "--defined-only", unit.path], check=True,
                              capture_output=True, text=True, timeout=HANG)
        names = {line.split()[-1] for line in done.stdout.splitlines()}
        assert names and all(name.startswith(f"fmi{version}") for name in names), names


# What is refused

@case
def what_fmus_cannot_have_is_named_and_leaves_nothing():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "unit.fmu"
        status, _, err = run("export", example("falling_chain"), "--fmu", path, "-p", "N=500")
        assert status == 1 and "1002 coordinates" in err, err
        assert not list(Path(folder).iterdir())


@case
def options_that_do_not_go_together_are_refused():
    model = example("pendulum")
    for options in ((), ("--fmu", "a", "--c", "b"), ("--c", "b", "--fmi", 2),
                    ("--fmu", "a", "--fmi", 4), ("--fmu", "a", "--single")):
        assert run("export", model, *options)[0] == 2, options


@case
def without_a_compiler_it_says_what_is_missing():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "unit.fmu"
        done = subprocess.run([PROGRAM, "export", example("pendulum"), "--fmu", path],
                              env={**os.environ, "PATH": folder}, capture_output=True,
                              text=True, timeout=HANG, check=False)
        assert done.returncode == 1 and "compiler" in done.stderr, done.stderr
        assert not list(Path(folder).iterdir())


@case
def what_the_compiler_says_is_told_up_to_the_end_of_a_character():
    with tempfile.TemporaryDirectory() as folder:
        compiler = Path(folder) / "bin" / "cc"
        compiler.parent.mkdir()
        for first in ("", "x"):
            words = first + 1000 * "θ"
            compiler.write_text(f"#!/bin/sh\necho '{words}'\nexit 1\n", encoding="utf-8")
            compiler.chmod(0o755)
            done = subprocess.run([PROGRAM, "export", example("pendulum"), "--fmu",
                                   Path(folder) / "unit.fmu"], capture_output=True,
                                  env={**os.environ, "PATH": str(compiler.parent)},
                                  timeout=HANG, check=False)
            told = done.stderr.decode()  # fails where a character is cut
            assert done.returncode == 1 and first + 200 * "θ" in told, told
            assert [path.name for path in Path(folder).iterdir()] == ["bin"]


main()
