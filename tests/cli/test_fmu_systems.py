#!/usr/bin/env python3
"""Systems that must export, one by one: test_fmu_systems.py PROGRAM ROOT

The worked systems of the field, by what they are, each as an FMU that is simulated both ways, and
compared with `kalaba run`; those that have no answer are refused in the same words.  That they
give the bits of the library as C is what tests/export/sources.c finds of all examples.
"""

import tempfile
from pathlib import Path

from fmu_lab import COSIMULATION, EXCHANGE, OK, simulate_exchange, simulate_steps
from fmu_models import ALL, export, initialized, last_row
from model_lab import EXAMPLES, SHARE, case, main, run

# By what they show: models, each with until when it moves and the step of Runge and Kutta's method.
# Where a model alone does not show it, parameters are others or rows come on top.
SYSTEMS = (
    ("projectile in three descriptions",
     ("projectile", 1, 2**-7), ("projectile_polar", 1, 2**-9), ("projectile_direct", 1, 2**-9)),
    ("Pfaffian constraints",
     ("pfaffian_scleronomic", 1, 2**-8), ("pfaffian_rheonomic", 1, 2**-8),
     ("pfaffian_nonholonomic", 1, 2**-8)),
    ("particle on a spiral", ("spiral", 1, 2**-7)),
    ("swarm with servos", ("swarm", 1, 2**-7)),
    ("flexible arm with servos", ("flexible_arm", 1, 2**-9), ("flexible_arm_torques", 1, 2**-9)),
    ("pendulum in polar coordinates", ("pendulum_polar", 1, 2**-8), ("pendulum", 1, 2**-8)),
    ("slider-crank, three ways",
     ("slider_crank", 0.5, 2**-10), ("slider_crank_angle", 0.5, 2**-10),
     ("slider_crank_parts", 0.5, 2**-10)),
    ("four-bar", ("four_bar", 0.5, 2**-10), ("four_bar_angle", 0.5, 2**-10)),
    ("Chaplygin sleigh", ("sleigh", 1, 2**-8), ("sleigh_parts", 1, 2**-8)),
    ("under-actuated", ("roller_racer", 1, 2**-8), ("kinematic_snake", 1, 2**-8)),
    ("inverse Kepler", ("inverse_kepler", 1, 2**-8)),
    ("friction on an incline",
     ("incline_friction", 0.25, 2**-8), ("incline_friction_reaction", 0.25, 2**-8)),
    ("dependent rows, and rows nonlinear in velocities",
     ("constant_speed", 1, 2**-8), ("repeated_constraints", 1, 2**-8),
     ("repeated_constraints_once", 1, 2**-8), ("closed_loop", 0.5, 2**-11)),
    ("singular masses", ("wheel_incline", 1, 2**-6)),
    ("sub-systems that share a coordinate",
     ("two_masses", 1, 2**-8), ("two_masses_light1", 1, 2**-8), ("two_masses_light2", 1, 2**-8)),
)

# What must not be simulated, and who is to blame.
REFUSED = (("flexible_arm_motors", "follow"), ("two_masses_no_m1", "x1"),
           ("two_masses_no_m2", "q2"))


def agree(instance, expected, tolerance):
    names = instance.unit.states()
    status, values = instance.get(*names)
    assert status == OK, instance.messages
    for name, value in zip(names, values):
        scale = max(1, abs(expected[name]))
        assert abs(value - expected[name]) <= tolerance * scale, (name, value, expected[name])


def compare(name, until, size, version):
    """Both ways; reactions of rows that repeat others are those of least norm, too."""
    model = EXAMPLES / f"{name}.kal"
    expected = last_row(model, until, "--tolerance", "1e-11")
    unit = export(model, version)
    together = initialized(unit, COSIMULATION, tolerance=1e-9)
    simulate_steps(together, until, until / 4)
    agree(together, expected, 1e-7)
    together.free()
    exchange = initialized(unit, EXCHANGE, tolerance=1e-9)
    simulate_exchange(exchange, until, size)
    agree(exchange, expected, 1e-6)
    exchange.free()


@case
def systems_move_as_runs_do():
    every = [(k, *model) for k, (_, *models) in enumerate(SYSTEMS) for model in models]
    assert len(SYSTEMS) == 15
    for k, name, until, size in every[::SHARE]:
        for version in (2, 3) if ALL else (2 + k % 2,):
            try:
                compare(name, until, size, version)
            except AssertionError as error:
                raise AssertionError(name, version, *error.args) from error


@case
def systems_without_an_answer_are_refused():
    for name, who in REFUSED:
        model = EXAMPLES / "broken" / f"{name}.kal"
        with tempfile.TemporaryDirectory() as folder:
            for options in (("--c", Path(folder) / "c"), ("--fmu", Path(folder) / "unit.fmu")):
                status, _, err = run("export", model, *options)
                assert status == 1 and who in err, (name, err)
            assert not list(Path(folder).iterdir())
            expected = run("run", model)[2].strip().splitlines()[-1]
            assert expected in err, (expected, err)


@case
def a_particle_without_mass_keeps_the_unit_from_starting():
    # the wheel's own acceleration would be unique: but not that of all coordinates
    unit = export(EXAMPLES / "wheel_massless.kal", 3)
    for kind in (EXCHANGE, COSIMULATION):
        instance = unit.instance(kind)
        assert instance.enter() == OK and instance.leave() != OK
        assert any("not unique" in text for _, text in instance.messages), instance.messages
        instance.free()


main()
