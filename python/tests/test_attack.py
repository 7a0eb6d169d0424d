# SPDX-License-Identifier: MIT
"""Arguments that make no sense, copies, other processes, small stacks, odd files."""

import copy
import functools
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy

import kalaba
from kalaba import _native
from lab import EXAMPLES, PENDULUM, SPRING

T = sympy.Symbol("t")
X = sympy.Function("x")(T)
KINETIC = X.diff(T)**2 / 2


def test_numbers_out_of_their_range_are_refused():
    model = kalaba.Model(SPRING)
    draw = functools.partial(model.sweep, None, {"x": "uniform(0, 1)"})
    for wrong in ({"count": -1}, {"count": 2, "seed": -1}, {"count": 2, "seed": 2**64},
                  {"count": 2, "threads": -3}, {"count": 2, "resume": True}):
        with pytest.raises(ValueError):
            draw(**wrong)
    with pytest.raises(TypeError):
        draw(count=2, seed=1.5)
    for call in (lambda: model.equilibria(seed=-1), lambda: model.linearize(equilibrium=-1),
                 lambda: model.modes({"x": 0}, equilibrium=1), lambda: model.run(max_steps=2.5),
                 lambda: model.export("x.fmu", "fmu", fmi=7)):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("qd", [np.ones((3, 2)), np.ones(6), np.ones((2, 3, 1)), np.ones((1, 6))])
def test_positions_and_velocities_have_one_shape(qd):
    with pytest.raises(ValueError, match="shapes"):
        kalaba.Model(PENDULUM).acceleration(np.ones((2, 3)), qd)


def test_times_have_one_dimension():
    with pytest.raises(ValueError, match="t is one number"):
        kalaba.Model(PENDULUM).acceleration(np.ones((2, 4)), np.ones((2, 4)), np.zeros((2, 2)))


def test_any_name_of_a_parameter_can_be_set():
    for name in ("values", "self", "source", "params"):
        text = f"param {name} = 1\ncoord x\nkinetic 1/2*{name}*x'^2\n"
        assert kalaba.Model(text).with_params(**{name: 3}).params[name] == 3
        assert kalaba.load(text, **{name: 3}).params[name] == 3


def test_numbers_of_all_kinds_are_the_same_everywhere():
    for number in (Fraction(1, 4), np.float32(0.25), sympy.Rational(1, 4), np.array(0.25)):
        assert kalaba.Model(SPRING, {"k": number}).params.k == 0.25
        assert kalaba.Model(SPRING).with_params(k=number).params.k == 0.25
    for wrong in (True, None, 1j, b"1"):
        for call in (lambda: kalaba.Model(SPRING, {"k": wrong}),
                     lambda: kalaba.Model(SPRING).with_params(k=wrong)):
            with pytest.raises(TypeError, match="no number"):
                call()


def test_what_is_no_mapping_is_told():
    model = kalaba.Model(SPRING)
    for call in (lambda: kalaba.Model(SPRING, "k=3"), lambda: kalaba.Model(SPRING, ["k"]),
                 lambda: model.eval(3), lambda: model.run(start=[1, 2]),
                 lambda: model.reduce(["u"]), lambda: model.with_params(3)):
        with pytest.raises(TypeError, match="mapping"):
            call()


def test_values_that_are_wrong_are_pointed_at():
    model = kalaba.Model(SPRING)
    for call in (model.eval, model.start, model.linearize, lambda at: model.run(start=at)):
        with pytest.raises(kalaba.ModelError) as caught:
            call("x = 1, yy = 2")
        assert str(caught.value).endswith("\n    x = 1, yy = 2\n           ^")
        assert caught.value.column == 8


def test_files_that_are_no_models(tmp_path):
    (tmp_path / "latin.kal").write_bytes(b"coord x\nkinetic 1/2*x'^2\n# \xe9\n")
    with pytest.raises(kalaba.ModelError) as caught:
        kalaba.Model(tmp_path / "latin.kal")
    assert (caught.value.line, caught.value.column) == (3, 3)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(kalaba.FileError):
            kalaba.Model(path)
    with pytest.raises(kalaba.MissingFileError, match="more than one line") as caught:
        kalaba.Model("coord x")
    assert isinstance(caught.value, (kalaba.Error, FileNotFoundError))


def test_a_model_loads_again_from_another_folder(tmp_path, monkeypatch):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "part.kal").write_text("param k = 3\n")
    (tmp_path / "m" / "a.kal").write_text("use \"part.kal\"\ncoord x\nkinetic 1/2*x'^2\n"
                                          "potential 1/2*k*x^2\ninit x = 1\n")
    monkeypatch.chdir(tmp_path)
    model = kalaba.Model("m/a.kal")
    monkeypatch.chdir("/")
    assert model.with_params(k="2*4").eval().qdd == -8
    assert model.with_params(k=5).check().counts.coordinates == 1


def results(model):
    yield from (model.check(), model.eval(), model.linearize(), model.params, model.run())
    yield from (model.derive(), model.sweep({"g": [1, 2]}, keep="final(x)"))


@pytest.mark.filterwarnings("ignore:the state is not an equilibrium")
def test_all_results_are_copied_and_pickled(tmp_path):
    model = kalaba.Model(PENDULUM)
    for one in results(model):
        for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)):
            assert type(other) is type(one) and str(other) == str(one)
            assert repr(other) == repr(one) and dir(other) == dir(one)
    run = model.run()
    other = pickle.loads(pickle.dumps(run))
    run.save(tmp_path / "a.csv")
    other.save(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    other.report(tmp_path / "b.html")
    assert other.json == run.json and pickle.loads(pickle.dumps(other)).json == run.json
    f = pickle.loads(pickle.dumps(model.with_params(g=1).rates()))
    assert np.array_equal(f(0.0, [2, 0, 0, 0]), model.with_params(g=1).rates()(0.0, [2, 0, 0, 0]))


def test_other_processes_work_with_models_and_functions():
    models = [kalaba.Model(PENDULUM).with_params(L=L) for L in (1.5, 2, 3)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(kalaba.Model.eval, models)
        runs = pool.map(kalaba.Model.run, models)
    for model, one, run in zip(models, found, runs):
        assert np.array_equal(one.qdd, model.eval().qdd)
        assert np.array_equal(run["y"], model.run()["y"])


def test_one_run_may_be_asked_by_many_threads(tmp_path):
    run, wrong = kalaba.Model(PENDULUM).run(), []
    told = str(run)

    def work(number):
        for _ in range(5):
            run.save(tmp_path / f"{number}.csv")
            if str(run) != told:
                wrong.append(number)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len({path.read_text() for path in tmp_path.iterdir()}) == 1


SMALL = """
import sys, threading
sys.path[:0] = sys.argv[1:]
import kalaba
threading.stack_size(65536)
found = []
def work():
    deep = "coord x\\nkinetic 1/2*x'^2\\npotential " + "sin("*190 + "x" + ")"*190 + "\\n"
    for call in (lambda: kalaba.Model(deep), model.run, model.check, model.eval, model.sweep,
                 model.equilibria, lambda: f(0.0, [1, 0]), lambda: kalaba.solve([[1]], [1])):
        try:
            call()
        except RuntimeError as error:
            found.append("threading.stack_size" in str(error))
model = kalaba.Model("coord x\\nkinetic 1/2*x'^2\\nsimulate 0 .. 1 every 1\\n")
f = model.rates()
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(found)
"""


def test_threads_with_small_stacks_are_refused():
    done = subprocess.run([sys.executable, "-B", "-c", SMALL, Path(kalaba.__file__).parent.parent],
                          capture_output=True, text=True, check=False, timeout=600)
    assert done.stdout.strip() == str([True] * 8), (done.returncode, done.stderr)


def chain(n):
    """The text of a chain of n links."""
    lines = ["coord " + ", ".join(f"a{i}" for i in range(n))]
    for i in range(n):
        before = (f"x{i - 1} + ", f"y{i - 1} - ") if i else ("", "-")
        lines += [f"let x{i} = {before[0]}sin(a{i})", f"let y{i} = {before[1]}cos(a{i})"]
    speeds = " + ".join(f"x{i}'^2 + y{i}'^2" for i in range(n))
    return "\n".join([*lines, f"kinetic 1/2*({speeds})", ""])


def test_ctrl_c_ends_the_search_for_formulas():
    """By a signal that comes after a fifth of the processor time that they take."""
    model = kalaba.Model(chain(14))
    for call in (model.derive, model.reduce):
        began = time.process_time()
        call()
        whole = time.process_time() - began
        old = signal.signal(signal.SIGPROF, signal.default_int_handler)
        try:
            began = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, whole / 5)
            with pytest.raises(KeyboardInterrupt):
                call()
            assert time.process_time() - began < 0.8 * whole
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, old)


def test_larger_equations_are_told_in_parts():
    model = kalaba.Model(EXAMPLES / "four_bar_angle.kal")
    equations, instant = model.derive(), model.eval()
    assert equations.parts and equations.A.shape == (0, 1) and equations.C == sympy.zeros(1, 1)
    a = sympy.Function("a1")(T)
    values = {sympy.Symbol(name): value for name, value in model.params.items()}
    for key in "MQ":
        whole = equations.put_in(getattr(equations, key)[0])
        number = whole.subs(a.diff(T), instant.qd[0]).subs(a, instant.q[0]).subs(values)
        assert float(number) == pytest.approx(np.ravel(instant[key])[0], rel=1e-12)


def value_of(potential, **more):
    return kalaba.Model.from_sympy(KINETIC, potential, init={X: 0.7}, **more).eval().Q[0]


@pytest.mark.parametrize("function", [
    sympy.sec, sympy.csc, sympy.cot, sympy.sech, sympy.csch, sympy.coth, sympy.asinh, sympy.atanh,
    sympy.acot, sympy.sinc, sympy.erfc, lambda x: sympy.asech(x), lambda x: sympy.acsch(x),
    lambda x: sympy.Subs(sympy.Symbol("k")**2, sympy.Symbol("k"), x), lambda x: sympy.acosh(x + 1),
    lambda x: sympy.Heaviside(x) * x, lambda x: sympy.GoldenRatio * x, lambda x: sympy.E**x * x,
    lambda x: sympy.Derivative(x**3, x), lambda x: sympy.Sum(sympy.Symbol("i") * x,
                                                             (sympy.Symbol("i"), 1, 3)),
    lambda x: sympy.Piecewise((x, sympy.Xor(x > 0, x > 1)), (0, True)),
    lambda x: sympy.Piecewise((x, sympy.ITE(x > 0, x < 1, x < -1)), (0, True))])
def test_functions_of_sympy_that_the_language_has_not(function):
    s = sympy.Symbol("s", real=True)
    exact = -sympy.diff(function(s).doit(), s).subs(s, sympy.Float(0.7)).doit()
    assert value_of(function(X).subs(s, X).doit()) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("function", [
    lambda x: sympy.re(x)**2, lambda x: x*sympy.conjugate(x), lambda x: x**2 + sympy.im(x),
    lambda x: sympy.real_root(x**3, 3)**2, lambda x: sympy.re((x + sympy.I)**2) + 1])
def test_quantities_of_models_are_real(function):
    assert value_of(function(X)) == pytest.approx(-1.4, rel=1e-12)


def test_parts_of_what_is_complex_are_worked_out():
    turn = sympy.exp(sympy.I * X)
    assert value_of(sympy.im(turn)) == pytest.approx(-np.cos(0.7), rel=1e-12)
    assert value_of(sympy.re(turn)) == pytest.approx(np.sin(0.7), rel=1e-12)
    with pytest.raises(ValueError):
        value_of(sympy.re(sympy.gamma(sympy.I * X)))


def test_the_fraction_of_a_number():
    assert value_of(sympy.frac(3 * X)) == -3


def test_expressions_that_would_mean_something_else_are_refused():
    k, twin = sympy.Symbol("k"), sympy.Symbol("k", positive=True)
    inertia = {"params": {"I": 2}}
    for wrong in (sympy.Symbol("x") * X, k * X + twin, sympy.Symbol("a+b") * X,
                  sympy.Symbol("k*x\nforce x = 3"), sympy.Symbol("x'"), sympy.Symbol("pi") * X,
                  sympy.Symbol("deg") * X, sympy.I * X, sympy.oo * X, sympy.Float("1e-500") * X,
                  sympy.Integral(X, T), sympy.Derivative(sympy.Function("f")(k), k)):
        with pytest.raises(ValueError):
            value_of(wrong, **inertia)


def test_odd_ways_to_give_the_parts_of_a_model():
    model = kalaba.Model.from_sympy(KINETIC, None, sympy.Matrix([X - 1]), init="x = 1",
                                    title='a "b" \\ c')
    assert model.constraints == ["c1"] and model.title == 'a "b" \\ c'
    y = sympy.Function("y")(T)
    assert kalaba.Model.from_sympy(KINETIC, dissipation=y.diff(T)**2).coordinates == ["x", "y"]
    with pytest.raises(ValueError, match="one line"):
        kalaba.Model.build("x", "1/2*x'^2", title="a\nb")


def test_texts_need_no_sympy():
    code = ("import sys; sys.path[:0] = sys.argv[1:]; sys.modules['sympy'] = None; import kalaba; "
            "m = kalaba.Model.build('x', \"1/2*x'^2\", 'x', constraints={'c': 'x = 1'}); "
            "print(m.derive().text.count('kinetic') >= 0, m.derive().latex != '')")
    done = subprocess.run([sys.executable, "-B", "-c", code, Path(kalaba.__file__).parent.parent],
                          capture_output=True, text=True, check=False, timeout=600)
    assert done.stdout.split() == ["True", "True"], done.stderr


def test_lists_that_are_made_or_changed_while_they_are_read():
    """Texts of a generator live as long as they are needed; a list may shrink under its reader."""
    model = kalaba.Model(SPRING)
    sweep = _native.Sweep(model._system, (f"k = {number}, {number + 1}" for number in range(3, 4)),
                          (), 0, 0, "random", None)
    assert sweep.go(1)[1][:, 0].tolist() == [3, 4]
    settings = []

    class Shrinking:
        def __float__(self):
            settings.clear()
            gc.collect()
            return 4.0
    settings += [("k", Shrinking()), ("".join(["c"]), 49.0)]
    assert _native.Evaluator(model._system, settings).rates(0.0, [1.0, 1.0]).tolist() == [1, -53]


def test_texts_do_not_end_at_a_null():
    model = kalaba.Model(SPRING)
    for call in (lambda: model.run(columns="x''\0z"), lambda: model.sweep({"k": "1\0"}),
                 lambda: kalaba.solve([[1]], [1], coordinates=["a\0"]),
                 lambda: model.reduce({"u\0": "b"})):
        with pytest.raises(ValueError, match="null"):
            call()
    with pytest.raises(TypeError, match="3 is no text"):
        model.run(columns=[3])


def again(make, items):
    """A list that makes the same object once more while it is read."""
    make(items)
    yield items[0]


def test_nothing_is_made_twice_at_once():
    names = [f"k{i}" for i in range(300)]
    text = f"param {', '.join(f'{name} = 1' for name in names)}\ncoord x\n" \
           f"kinetic 1/2*({' + '.join(names)})*x'^2\n"
    system = _native.System.__new__(_native.System)
    evaluator = _native.Evaluator.__new__(_native.Evaluator)
    load = functools.partial(system.__init__, "m", text)
    with pytest.raises(RuntimeError, match="made once"):
        load(again(lambda items: load(items, None, None), [(k, "2") for k in names]), None, None)
    choose = functools.partial(evaluator.__init__, system)
    with pytest.raises(RuntimeError, match="made once"):
        choose(again(choose, [(k, 3.0) for k in names]))
    assert kalaba.Model(text).with_params(k0=2).params.k0 == 2


def test_a_parameter_is_not_made_of_itself():
    model = kalaba.Model(SPRING)
    name = next(iter(model.params))
    with pytest.raises(kalaba.ModelError, match="made of the parameter itself"):
        model.with_params(**{name: f"2*{name}"})


def test_remainders_are_those_of_the_model():
    model = kalaba.Model("coord x\nkinetic 1/2*x'^2\nforce x = mod(-x, 3)\ninit x = 0.7\n")
    formula = model.derive().Q[0]
    assert float(formula.subs(X, 0.7)) == pytest.approx(2.3, abs=1e-15)
    assert model.eval().Q[0] == pytest.approx(2.3, abs=1e-15)


def test_places_are_those_of_errors_and_not_of_warnings():
    with pytest.raises(kalaba.ModelError) as caught:
        kalaba.Model("param n = 2\ncoord x\nkinetic 1/2*x'^2\npotential k*x\n")
    assert (caught.value.line, caught.value.column) == (4, 11)
    with pytest.raises(kalaba.ModelError) as caught:
        kalaba.Model("param n = 2\ncoord x\nkinetic 1/2*x'^2\n", {"zz": 1})
    assert (caught.value.file, caught.value.line, caught.value.column) == ("-p", 1, 1)
