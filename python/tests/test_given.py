# SPDX-License-Identifier: MIT
"""What is given means the same everywhere: copies, degrees, masks, paths, texts, Ctrl-C."""

import inspect
import os
import pickle
import signal
import time
import warnings

import numpy as np
import pytest
import sympy

import kalaba
from kalaba import _native
from kalaba.build import PARTS, model_text
from lab import PENDULUM, SPRING, command, interrupted_at_work

FALLING = ("coord x\nkinetic 1/2*x'^2\npotential -x^4\ninit x = 1\n"
           "simulate 0 .. 10 every 0.01\n")
ANGLE = """param a = 30 [deg]
coord x
kinetic 1/2*x'^2
potential 1/2*a*x^2
init x = 1
simulate 0 .. 1 every 0.1
"""


def saved(run, path):
    run.save(path)
    return path.read_bytes()


def test_copies_of_runs_that_failed_have_the_same_rows(tmp_path):
    with pytest.raises(kalaba.Error) as caught:
        kalaba.Model(FALLING).run()
    run, other = caught.value.run, pickle.loads(pickle.dumps(caught.value)).run
    assert len(run) > 10 and str(other) == str(run)
    assert saved(other, tmp_path / "b.csv") == saved(run, tmp_path / "a.csv")
    other.report(tmp_path / "b.html")
    assert str(caught.value) in (tmp_path / "b.html").read_text().replace("\\\"", "\"")


def test_copies_of_runs_that_ctrl_c_ended_have_the_same_rows(tmp_path):
    model = kalaba.Model(PENDULUM)
    with pytest.raises(KeyboardInterrupt) as caught, interrupted_at_work(0.1):
        model.run(1e6, every=10.0)
    run = caught.value.run
    other = pickle.loads(pickle.dumps(run))
    assert not run.complete and len(run) > 1 and not np.isclose(run.t[-1] % 10, 0)
    assert saved(other, tmp_path / "b.csv") == saved(run, tmp_path / "a.csv")


def test_runs_that_never_began_can_be_asked_and_copied(tmp_path):
    model = kalaba.Model("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint c: x^2 + y^2 = -1\n"
                         "simulate 0 .. 1 every 1\n")
    for call in (model.run, lambda: kalaba.Model(SPRING).run(start="x = ")):
        with pytest.raises(kalaba.Error) as caught:
            call()
        run, error = caught.value.run, pickle.loads(pickle.dumps(caught.value))
        assert str(error) == str(caught.value) and error.names == caught.value.names
        assert len(run) == 0 and "did not begin" in str(run) and not run.json.complete
        assert saved(error.run, tmp_path / "b.csv") == saved(run, tmp_path / "a.csv")
        with pytest.raises(kalaba.FormulationError, match="did not begin"):
            run.report(tmp_path / "x.html")


def ends_at_once(call):
    """Ctrl-C after a tenth of a second of work ends the call long before its end."""
    old = signal.signal(signal.SIGPROF, signal.default_int_handler)
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, 0.1)
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
    return time.process_time() - began


def test_ctrl_c_ends_accelerations_with_parameters():
    model, n = kalaba.Model(PENDULUM), 1_500_000
    q = np.tile([[2.0], [0.0]], (1, n))
    used = ends_at_once(lambda: model.acceleration(q, 0 * q, params={"g": np.full(n, 9.81)}))
    began = time.process_time()
    model.acceleration(q[:, :n // 10], 0 * q[:, :n // 10], params={"g": np.full(n // 10, 9.81)})
    assert used < 5 * (time.process_time() - began) + 0.2


def test_ctrl_c_leaves_large_solves():
    n = 1100
    part = np.random.default_rng(1).standard_normal((n, n - 100))
    mass, rows = part @ part.T, np.vstack([part[:200, :200]] * 2) @ np.eye(200, n)
    give = mass, np.ones(n), rows, np.zeros(400)
    ends_at_once(lambda: kalaba.solve(*give))
    answer = kalaba.solve(*give)  # beside the one that was left, which is as good as it was
    assert np.abs(rows @ answer.qdd).max() < 1e-8 and answer.rank_A == 200


def test_paths_need_be_no_utf_8(tmp_path):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xe9\xff")
    os.mkdir(folder)
    with open(folder + "/part.kal", "w", encoding="utf-8") as file:
        file.write("param k = 3\n")
    path = os.fsdecode(os.fsencode(folder) + b"/\xfcber.kal")
    with open(path, "w", encoding="utf-8") as file:
        file.write('use "part.kal"\n' + SPRING.replace("k = 4, ", ""))
    model = pickle.loads(pickle.dumps(kalaba.Model(path)))
    assert model.with_params(k="2").eval().qdd == -2 and repr(model)
    run = model.run(1.0)
    for name in ("/\xfc\udcff.csv", "/\udcff.h5"):
        run.save(folder + name)
    run.report(folder + "/\udcff.html")
    model.export(folder + "/\udcff.fmu", "fmu", name="spring")
    model.export(folder + "/\udcff.c", name="spring")
    assert model.sweep({"k": [1, 2]}, keep="final(x)", save=folder + "/\udcff-s.csv") == (2, 0)
    assert len(os.listdir(folder)) == 8
    with open(path, "a", encoding="utf-8") as file:
        file.write("wrong\n")
    with pytest.raises(kalaba.ModelError) as caught:
        kalaba.Model(path)
    assert caught.value.line == 9 and str(caught.value).isprintable() is False
    with pytest.raises(kalaba.MissingFileError):
        kalaba.Model(folder + "/\udcfe.kal")


def test_degrees_are_those_of_a_model_that_is_loaded(tmp_path):
    """However they come: by loading, set, of many states, of a sweep."""
    model = kalaba.Model(ANGLE)
    assert model.params.a == 30
    rng = np.random.default_rng(2)
    given = [*range(7, 361, 17), *np.round(rng.uniform(-400, 400, 20), 2).tolist(),
             *rng.uniform(-1, 1, 20), 1e-30, -1e25]
    many = model.acceleration(np.ones((1, len(given))), np.zeros((1, len(given))),
                              params={"a": given})
    for value, one in zip(given, many[0]):
        loaded = kalaba.Model(ANGLE, {"a": float(value)})
        other = model.with_params(a=value)
        assert loaded.eval().qdd == other.eval().qdd == other.eval().qdd == one
        assert other.params.a == pytest.approx(value, rel=1e-15) and \
            other._whole().describe()["parameters"] == loaded._system.describe()["parameters"]
    assert model.with_params(a=29).params.a == 29
    swept = model.sweep({"a": [29, 0.7]}, keep="final(x)")["final(x)"]
    assert swept.tolist() == [model.with_params(a=a).run()["x"][-1] for a in (29, 0.7)]
    (tmp_path / "a.kal").write_text(ANGLE)
    assert saved(model.with_params(a=29).run(), tmp_path / "a.csv").decode() == \
        command("run", tmp_path / "a.kal", "-p", "a=29", "-q", "-o", "-")


def test_masked_numbers_are_refused():
    model, f = kalaba.Model(PENDULUM), kalaba.Model(PENDULUM).rates()
    hidden = np.ma.array([2.0, 0.0, 0.0, 0.0], mask=[0, 1, 0, 0])
    plain = np.ma.array([2.0, 0.0, 0.0, 0.0])
    assert np.array_equal(f(0.0, plain), f(0.0, plain.data))
    column = [2.0, 0.0]
    for call in (lambda: f(0.0, hidden), lambda: f(0.0, [plain[:2], hidden[:2]]),
                 lambda: model.acceleration(hidden[:2], column),
                 lambda: model.acceleration(column, hidden[:2]),
                 lambda: model.acceleration(column, column, hidden[1:2]),
                 lambda: model.acceleration(column, column, params={"g": hidden[1:2]}),
                 lambda: kalaba.solve(np.eye(2), hidden[:2]),
                 lambda: kalaba.solve([hidden[:2], plain[:2]], [1, 1])):
        with pytest.raises(ValueError, match="masked"):
            call()
    with warnings.catch_warnings(), pytest.raises((TypeError, ValueError)):
        warnings.simplefilter("ignore")
        model.with_params(g=np.ma.masked)


T = sympy.Symbol("t")
ADDED = ["x\nforce x = 3", "x; force x = 3", "x)\nforce x = (3", "x # ]\n; force x = 3",
         '"a" ; force x = 3']


@pytest.mark.parametrize("text", ADDED)
def test_texts_add_no_statements(text):
    make = kalaba.Model.build
    kinetic = "1/2*x'^2"
    for call in (lambda: make("x", kinetic, text), lambda: make("x", kinetic + "\n+ 0*" + text),
                 lambda: make("x", kinetic, outputs={"f": text}),
                 lambda: make("x", kinetic, outputs={f"f = {text}\noutput g": "x"}),
                 lambda: make("x", kinetic, constraints={"c": "x = " + text}),
                 lambda: make("x", kinetic, forces={"x": text}),
                 lambda: make("x", kinetic, dissipation=text),
                 lambda: make("x", kinetic, params={"k": text.replace("x", "1", 1)}),
                 lambda: make("x", kinetic, init="x = 1 + 0*" + text),
                 lambda: make("x", kinetic, init={"x": "1 + 0*" + text}),
                 lambda: make("x", kinetic, simulate="0 .. 1 every 1\n" + text),
                 lambda: make([text], kinetic),
                 lambda: kalaba.Model(SPRING).run(events=f"e: x falling stop\n{text}"),
                 lambda: kalaba.Model(SPRING).run(events=f"e: {text} falling stop"),
                 lambda: kalaba.Model(SPRING).run(events={f"e: {text}\nevent g": "x stop"}),
                 lambda: kalaba.Model(SPRING).run(start=f"x = 1 + 0*{text}"),
                 lambda: kalaba.Model(SPRING).eval(f"x = 1 + 0*{text}"),
                 lambda: kalaba.Model(SPRING).equilibria(where=text),
                 lambda: kalaba.Model(SPRING, {"k": text.replace("x", "1", 1)}),
                 lambda: kalaba.Model(SPRING, {f"k = {text}\nparam c": "1"}),
                 lambda: kalaba.Model(SPRING).sweep(f"k = 1 + 0*{text}"),
                 lambda: kalaba.Model(SPRING).sweep({"k": [1]}, keep=f"final({text})")):
        with pytest.raises(ValueError):
            call()


def test_one_statement_may_have_lines_and_comments():
    model = kalaba.Model.build("x y", "1/2*(x'^2  # one\n + y'^2)\n + 0", "x\n# less\n  + y\n")
    assert model.eval().qdd.tolist() == [-1, -1]
    run = kalaba.Model(SPRING).run(events="down: x falling\n  stop")
    assert run.time == pytest.approx(np.pi / 4, rel=1e-7)


ENDLESS: list = []
ENDLESS.append(ENDLESS)
ODD = [object(), 1j, b"x", [1j], [[1], [1, 2]], ENDLESS, {"a": object()}, np.ones((2, 2, 2)),
       np.ma.masked, "\0", "\udcff", [None], sympy.Symbol("s"), 2**2000, float("nan"), range, ...]
RAW = ("argument ", "function takes", "must be real number", "object is not iterable",
       "truth value", "size-1", "has no attribute", "expected string", "not subscriptable",
       "Cannot cast", "unsupported operand", "cannot be interpreted", "not supported between",
       "unhashable", "can only", "array element with", "workspace")


def test_odd_arguments_are_told_in_our_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = kalaba.Model(SPRING)
    run = model.run(1.0)
    swept = model.sweep({"k": [1, 2]}, keep="final(x)")
    needed = {"values": {"x": 1}, "q": [1.0], "qd": [0.0], "path": "x.csv", "source": SPRING,
              "M": [[1.0]], "Q": [1.0], "coordinates": ["x"], "kinetic": "x'^2", "T": "x'^2",
              "name": "x", "kind": "c"}
    calls = [model.with_params, model.reduce, model.eval, model.start, model.run, model.linearize,
             model.modes, model.equilibria, model.acceleration, model.sweep, model.export,
             model.derive, run.save, run.report, kalaba.Model, kalaba.load, kalaba.solve,
             kalaba.Model.build, model.rates(), run.__getitem__, swept.__getitem__]
    raw = []
    for call in calls:
        try:
            names = list(inspect.signature(call).parameters.items())
        except ValueError:
            names = []
        positions = [n for n, one in names if one.kind is not one.VAR_KEYWORD] or [0, 1]
        for name in positions:
            for value in ODD:
                given = {n: needed[n] for n, one in names
                         if n in needed and one.default is one.empty}
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        if isinstance(name, int):
                            call(*([0.0, [1.0, 0.0]][:name] + [value]
                                   + [0.0, [1.0, 0.0]][name + 1:]))
                        elif names[0][1].kind is inspect.Parameter.POSITIONAL_ONLY:
                            call(value)
                        else:
                            call(**{**given, name: value})
                except (kalaba.Error, TypeError, ValueError, KeyError, OverflowError,
                        RecursionError) as error:
                    if not isinstance(error, kalaba.Error) and any(
                            words in str(error) for words in RAW):
                        raw.append(f"{call.__name__}({name}={value!r:.30}): {error}")
    assert not raw, "\n".join(raw)


def test_radians_are_numbers():
    assert _native.radians(180) == np.pi and np.isnan(_native.radians(float("nan")))
    assert _native.radians(-0.0) == 0 and _native.radians(float("inf")) == float("inf")


def test_nothing_is_given_by_an_empty_mapping():
    model = kalaba.Model(SPRING)
    assert model.eval({}).qdd == model.eval().qdd and model.start({})[1] == model.start()[1]
    assert np.array_equal(model.run(1.0, start={})["x"], model.run(1.0)["x"])
    assert np.array_equal(model.linearize({}).A, model.linearize().A)


def test_steps_have_a_size():
    model = kalaba.Model(SPRING)
    for wrong in (0, 0.0, -0.1):
        with pytest.raises(ValueError, match="fixed_step"):
            model.run(1.0, fixed_step=wrong)
    assert abs(model.run(1.0, fixed_step=1e-3)["x"][-1] - np.cos(2)) < 1e-9


def test_a_run_without_a_page_is_shown_as_text(monkeypatch):
    """A package that was built without network has no page of reports."""
    def refuse(*_):
        raise kalaba.UsageError("cannot write a report: <built> without it")
    run = kalaba.Model(SPRING).run(1.0)
    monkeypatch.setattr(run, "report", refuse)
    shown = run._repr_html_()
    assert "&lt;built&gt; without it" in shown and "time taken" in shown


def test_what_would_be_ignored_is_refused(tmp_path):
    model = kalaba.Model(SPRING)
    with pytest.raises(ValueError, match="single"):
        model.export(tmp_path / "a.fmu", "fmu", single=True)
    with pytest.raises(TypeError, match="no number"):
        model.with_params(k=np.True_)
    with pytest.raises(TypeError, match="no part 'constraint'; there are: constraints"):
        kalaba.Model.build("x", "x'^2", constraint="x = 1")
    with pytest.raises(TypeError, match="is no formula"):
        kalaba.Model.build("x", "x'^2", outputs={"o": lambda x: x})
    with pytest.raises(kalaba.ModelError, match="accelerations follow from the equations"):
        model.eval({"x''": 1})


def test_parts_of_models_are_those_that_are_written():
    names = inspect.signature(model_text).parameters
    assert tuple(names)[3:] == PARTS
