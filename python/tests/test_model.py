# SPDX-License-Identifier: MIT
"""Models: loading, parameters, errors, and what is derived from them."""

import json
import math

import numpy as np
import pytest
import sympy

import kalaba
from lab import EXAMPLES, PENDULUM, SPRING, command, command_json


def test_a_file_and_its_text_are_the_same_model():
    path = EXAMPLES / "sleigh.kal"
    one, two = kalaba.load(path), kalaba.Model(path.read_text())
    assert one.title == two.title == "Chaplygin sleigh"
    assert one.coordinates == ["x", "y", "theta"] and one.constraints == ["skid"]
    assert one.outputs == two.outputs
    assert np.array_equal(one.eval().qdd, two.eval().qdd)


def test_errors_of_a_model_have_their_place_and_a_caret():
    with pytest.raises(kalaba.ModelError) as caught:
        kalaba.Model("coord x\nkinetic 1/2*x'^2\nlet speed = x\npotential 3*sped^2\n", name="spring.kal")
    error = caught.value
    assert (error.file, error.line) == ("spring.kal", 4) and error.column == 13
    assert "^" in str(error) and "potential 3*sped^2" in str(error) and "did you mean" in str(error)
    assert error.kind == "KAL_ERR_SYNTAX" and isinstance(error, (kalaba.Error, ValueError))


def test_errors_of_numbers_have_names():
    text = "coord x\nkinetic 1/2*x'^2\nconstraint a: x = 1\nconstraint b: x = 2\n"
    with pytest.raises(kalaba.ContradictionError) as caught:
        kalaba.Model(text).eval()
    assert sorted(caught.value.names) == ["a", "b"] and caught.value.line is None


def test_a_file_that_is_not_there_is_told():
    with pytest.raises(FileNotFoundError):
        kalaba.Model("nowhere.kal")


def test_used_files_stay_in_the_folder(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "part.kal").write_text("param k = 3\n")
    (tmp_path / "outside.kal").write_text("param k = 3\n")
    model = "use \"{}\"\ncoord x\nkinetic 1/2*x'^2\npotential k*x^2\ninit x = 1\n"
    (tmp_path / "m" / "good.kal").write_text(model.format("part.kal"))
    (tmp_path / "m" / "bad.kal").write_text(model.format("../outside.kal"))
    assert kalaba.Model(tmp_path / "m" / "good.kal").eval().qdd == -6
    with pytest.raises(kalaba.ModelError):
        kalaba.Model(tmp_path / "m" / "bad.kal")
    with pytest.raises(kalaba.ModelError):
        kalaba.Model(model.format("part.kal"))  # a text has no folder
    assert kalaba.Model(model.format("part.kal"), folder=tmp_path / "m").eval().qdd == -6


def test_parameters_are_read_by_name_and_attribute():
    model = kalaba.Model("param a = 30 [deg], m[2] = [1, 2]\ncoord x\n"
                         "kinetic 1/2*m[1]*m[2]*x'^2\npotential sin(a)*x\n")
    assert model.params["a"] == pytest.approx(30) and model.params.units["a"] == "deg"
    assert model.params["m[2]"] == 2 and list(model.params) == ["a", "m[1]", "m[2]"]
    with pytest.raises(AttributeError, match="with_params"):
        model.params.a = 3
    with pytest.raises(AttributeError):
        model.params.nothing


def test_other_parameters_share_what_is_compiled_and_give_the_same_bits():
    model = kalaba.Model(PENDULUM)
    other = model.with_params(L=3, g=1.625)
    again = kalaba.Model(PENDULUM, {"L": 3, "g": 1.625})
    assert other._system is model._system
    assert other.params == {"m": 1, "L": 3, "g": 1.625} and model.params["L"] == 2
    assert np.array_equal(other.eval().qdd, again.eval().qdd)
    assert np.array_equal(other.run()["y"], again.run()["y"])


def test_degrees_lists_texts_and_structure():
    text = ("param n = 2, a = 30 [deg], m[2] = [1, 2]\ncoord x[n]\n"
            "kinetic sum(i in 1..n : 1/2*m[1]*m[2]*x[i]'^2)\n"
            "potential sin(a)*x[1]\n")
    model = kalaba.Model(text)
    assert model.with_params(a=90).eval().Q[0] == pytest.approx(-1, abs=1e-15)
    assert model.with_params(a="180/6").eval().Q[0] == pytest.approx(-0.5)
    assert model.with_params(m=[2, 5]).eval().M[0, 0] == 10
    larger = model.with_params(a=90).with_params(n=3)
    assert larger.coordinates == ["x[1]", "x[2]", "x[3]"]
    assert larger.eval().Q[0] == pytest.approx(-1, abs=1e-15)


def test_wrong_parameters_are_refused():
    model = kalaba.Model(PENDULUM)
    for wrong in ({"N": 1}, {"L": math.nan}, {"L": math.inf}):
        with pytest.raises((kalaba.Error, ValueError)):
            model.with_params(wrong)
    for wrong in ({"L": None}, {"L": object()}, {"L": {}}):
        with pytest.raises((kalaba.Error, ValueError, TypeError)):
            model.with_params(wrong)


@pytest.mark.parametrize("name", ["sleigh", "four_bar", "repeated_constraints", "wheel_massless"])
def test_eval_and_check_are_those_of_the_command(name):
    path = EXAMPLES / f"{name}.kal"
    model = kalaba.Model(path)
    assert json.loads(json.dumps(model.check())) == command_json("check", path)
    found, told = model.eval(), command_json("eval", path)
    for key in ("q", "qd", "qdd", "M", "Q", "A", "b"):
        assert np.array_equal(found[key], np.array(told[key], dtype=float).reshape(
            found[key].shape)), key
    assert found.force.total.tolist() == told["force"]["total"]
    assert "coordinate" in str(found) and "degree" in str(model.check())


def test_a_state_off_the_constraints_is_warned_of():
    model = kalaba.Model(PENDULUM)
    with pytest.warns(UserWarning, match="rod"):
        found = model.eval({"x": 1, "y": 1, "x'": 0, "y'": 0})
    assert found.q.tolist() == [1, 1]


def lagrange(T, V, q):
    """Lagrange's equations by SymPy: M and Q."""
    t = sympy.Symbol("t")
    qd = [one.diff(t) for one in q]
    M = sympy.hessian(T, qd)
    rest = [sum((T.diff(v).diff(x) * xd for x, xd in zip(q, qd)), T.diff(v).diff(t, evaluate=False)
                * 0) - (T - V).diff(x) for v, x in zip(qd, q)]
    return M, -sympy.Matrix(rest)


def test_equations_are_those_of_lagrange():
    t, m, L, g = sympy.symbols("t m L g")
    r, a = sympy.Function("r")(t), sympy.Function("a")(t)
    T = m * (r.diff(t)**2 + (L + r)**2 * a.diff(t)**2) / 2
    V = -m * g * (L + r) * sympy.cos(a) + 7 * r**2
    model = kalaba.Model.from_sympy(T, V, coordinates=[r, a], params={m: 2, L: 1, g: 10},
                                    init={r: 0.1, a: 0.5, a.diff(t): 2})
    equations = model.derive()
    M, Q = lagrange(T, V, [r, a])
    assert sympy.simplify(equations.M - M) == sympy.zeros(2, 2)
    assert sympy.simplify(equations.Q - Q) == sympy.zeros(2, 1)
    assert "documentclass" in equations.latex and "M" in equations.text
    assert equations._repr_latex_().startswith("$$") and equations.A.shape == (0, 2)
    closed = model.derive(closed_form=True)
    state = {r: 0.1, a: 0.5, a.diff(t): 2.0, r.diff(t): 0.0, m: 2.0, L: 1.0, g: 10.0}
    values = [float(one.subs(sorted(state.items(), key=lambda p: -str(p[0]).count("D"))))
              for one in closed.qdd]
    assert np.allclose(values, model.eval().qdd, rtol=1e-13)


def test_models_of_sympy_have_constraints_and_pieces():
    t = sympy.Symbol("t")
    x, y = sympy.Function("x")(t), sympy.Function("y")(t)
    model = kalaba.Model.from_sympy(
        (x.diff(t)**2 + y.diff(t)**2) / 2,
        sympy.Piecewise((y**2, y > 0), (3 * y, True)) + sympy.Abs(x),
        {"rod": sympy.Eq(x**2 + y**2, 1), "still": x - sympy.Rational(3, 5)},
        init={x: 0.6, y: ("~", 0.7)})
    assert model.constraints == ["rod", "still"]
    assert np.allclose(model.eval().q, [0.6, 0.8], rtol=1e-12)
    # Held twice: the force of the rod and of the plane against grad V = (1, 2y).
    assert np.allclose(model.eval().force.total, [1, 1.6], rtol=1e-12)


def test_models_are_built_of_texts():
    model = kalaba.Model.build(["x", "y"], "1/2*(x'^2 + y'^2)", "9.81*y", title="bead",
                               constraints=["y = x^2"], forces={"x": "1 - x'"},
                               outputs={"up": "y''"}, init={"x": 0, "x'": 2, "y": ("~", 0)},
                               simulate="0 .. 1 every 0.5")
    assert model.title == "bead" and model.constraints == ["c1"]
    found = model.eval()
    # x'' (1 + 4x²) = 1 - x' - 2x (...) at x = 0, and y'' = 2 x'².
    assert np.allclose(found.qdd, [-1, 8], rtol=1e-14) and found.outputs.up == found.qdd[1]


def test_reduced_equations():
    reduced = kalaba.Model(EXAMPLES / "sleigh.kal").reduce()
    assert reduced.data["freedom"] == 2 and reduced.M.shape == (2, 2)


def test_linearization_against_a_closed_form():
    model = kalaba.Model(SPRING + "actuator u: x'\noutput twice = 2*x\n").with_params(c=0.3)
    found = model.linearize({"x": 0, "x'": 0})
    assert np.allclose(found.A, [[0, 1], [-4, -0.3]], atol=1e-15)
    assert found.B.tolist() == [[0], [1]] and found.C.tolist() == [[2, 0]]
    assert found.D.shape == (1, 1) and found.states == ["x", "x'"]
    roots = np.sort_complex(np.roots([1, 0.3, 4]))
    assert np.allclose(np.sort_complex(model.modes({"x": 0}).eigenvalues), roots, rtol=1e-12)


def test_without_inputs_matrices_have_shapes():
    found = kalaba.Model(SPRING).linearize({"x": 0})
    assert found.B.shape == (2, 0) and found.C.shape == (0, 2) and found.D.shape == (0, 0)


def test_equilibria_of_a_pendulum():
    found = kalaba.Model(PENDULUM).equilibria()
    heights = {round(one.q["y"], 9): one.stability for one in found}
    assert heights == {-2: "stable", 2: "unstable"}
    modes = kalaba.Model(PENDULUM).modes(equilibrium=1)
    assert max(abs(modes.eigenvalues)) == pytest.approx(math.sqrt(9.81 / 2), rel=1e-9)


def test_instants_from_arrays():
    rng = np.random.default_rng(4)
    for _ in range(50):
        n, m = rng.integers(1, 7), rng.integers(0, 5)
        G = rng.normal(size=(n, n))
        M, Q = G @ G.T + np.eye(n), rng.normal(size=n)
        A = rng.normal(size=(m, min(m, n))) @ rng.normal(size=(min(m, n), n))
        b = A @ rng.normal(size=n)
        found = kalaba.solve(M, Q, A, b) if m else kalaba.solve(M, Q)
        # Gauss: the weighted least distance from the free acceleration (Udwadia-Kalaba).
        root = np.linalg.cholesky(M)
        inverse = np.linalg.inv(root)
        free = np.linalg.solve(M, Q)
        expected = free + inverse.T @ np.linalg.pinv(A @ inverse.T) @ (b - A @ free)
        assert np.allclose(found.qdd, expected, rtol=1e-9, atol=1e-9)
        assert np.allclose(M @ found.qdd, Q + found.force, atol=1e-9)
    with pytest.raises(kalaba.ContradictionError) as caught:
        kalaba.solve(np.eye(2), [0, 0], [[1, 0], [1, 0]], [0, 1], constraints=["a", "b"])
    assert caught.value.names == ["a", "b"]
    for wrong in ((np.eye(2), [0]), (np.eye(2), [0, 0], np.eye(2), [0]), ([[1.0]], [[0.0, 1.0]]),
                  (np.eye(2), [0, 0], None, None, [1])):
        with pytest.raises((ValueError, kalaba.Error)):
            kalaba.solve(*wrong)


def test_what_is_no_equation_is_refused():
    t = sympy.Symbol("t")
    x = sympy.Function("x")(t)
    for wrong in (x >= 0, sympy.Ne(x, 1), sympy.true, True):
        with pytest.raises(TypeError):
            kalaba.Model.from_sympy(x.diff(t)**2 / 2, 9.81 * x, [wrong])


def test_coordinates_of_sympy_are_found_everywhere_and_in_order():
    t = sympy.Symbol("t")
    q = [sympy.Function(f"q{i}")(t) for i in range(12)]
    model = kalaba.Model.from_sympy(sum(one.diff(t)**2 for one in q[:11]) / 2, 0,
                                    [q[11] - q[0]], params={"k": sympy.Rational(1, 3)},
                                    init={q[0]: sympy.pi / 4})
    assert model.coordinates == [f"q{i}" for i in range(12)]
    assert model.params.k == 1 / 3 and model.eval().q[11] == math.pi / 4


def test_numbers_of_sympy_keep_their_bits():
    t = sympy.Symbol("t")
    x = sympy.Function("x")(t)
    assert kalaba.Model.from_sympy(x.diff(t)**2 / 2, (0.1 + 0.2) * x).eval().qdd[0] == -(0.1 + 0.2)


def test_models_and_parameters_are_copied_and_pickled():
    import copy
    import pickle

    class Own(kalaba.Model):
        pass
    model = Own(PENDULUM).with_params(L=3)
    assert type(model) is Own
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(kalaba.Model(PENDULUM)
                                                                  .with_params(L=3)))):
        assert other.params == model.params and np.array_equal(other.eval().qdd, model.eval().qdd)
    assert copy.copy(model.params) == pickle.loads(pickle.dumps(model.params)) == model.params


def test_lists_of_parameters_are_whole():
    model = kalaba.Model("param m[3] = [1, 2, 3]\ncoord x\nkinetic 1/2*m[1]*m[2]*m[3]*x'^2\n")
    assert model.with_params(m=[2, 2, 2]).eval().M[0, 0] == 8
    for wrong in ([], [1, 2], [1, 2, 3, 4]):
        with pytest.raises(ValueError):
            model.with_params(m=wrong)


def test_names_of_results_may_be_outputs():
    model = kalaba.Model(SPRING + "output eigenvalues = x\noutput A = 2*x\n")
    assert model.eval().outputs == {"eigenvalues": 1, "A": 2}


def test_closed_forms_that_are_refused_say_why():
    equations = kalaba.Model(EXAMPLES / "sleigh.kal").derive()
    assert equations.C == sympy.zeros(3, 1)
    with pytest.raises(AttributeError, match="closed_form"):
        equations.qdd
    refused = kalaba.Model(EXAMPLES / "four_bar.kal").derive(closed_form=True)
    with pytest.raises(AttributeError, match="no closed form: "):
        refused.qdd


def test_exports_are_those_of_the_command(tmp_path):
    model = kalaba.Model(EXAMPLES / "slider_crank.kal")
    told = model.export(tmp_path / "ours")
    command("export", EXAMPLES / "slider_crank.kal", "--c", tmp_path / "theirs")
    for name in ("slider_crank.c", "slider_crank.h", "main.c"):
        assert (tmp_path / "ours" / name).read_text() == \
            (tmp_path / "theirs" / name).read_text()
    assert told.name == "slider_crank" and 0 < told.operations < told.most_operations
    other = model.with_params(L1=0.2).export(tmp_path / "other", single=True)
    assert other.bytes > 0
    assert "float" in (tmp_path / "other" / "slider_crank.h").read_text()
    with pytest.raises(ValueError):
        model.export(tmp_path, "exe")
    large = kalaba.Model("coord x[1001]\nkinetic 1/2*dot(x', x')\n")
    with pytest.raises(kalaba.LimitError, match="1000"):
        large.export(tmp_path / "large")
    assert not (tmp_path / "large").exists()


def test_linearizations_are_systems_of_scipy():
    """Responses of a mass of 2 on a spring of 8 with friction 1, as in a book."""
    signal = pytest.importorskip("scipy.signal")
    model = kalaba.Model("coord x\nkinetic 1/2*2*x'^2\npotential 1/2*8*x^2\n"
                         "dissipation 1/2*x'^2\nactuator u: x'\noutput place = x\n"
                         "output push = x''\n")
    found = model.linearize()
    plant = signal.StateSpace(found.A, found.B, found.C, found.D)
    rates = np.array([0.5, 2.0, 5.0])
    for row, power in ((0, 1), (1, -rates**2)):
        one = signal.StateSpace(plant.A, plant.B, plant.C[row:row + 1], plant.D[row:row + 1])
        book = power / (8 - 2 * rates**2 + 1j * rates)
        assert np.allclose(signal.freqresp(one, rates)[1], book, rtol=1e-12)
    assert found.inputs == ["u"] and found.outputs == ["place", "push"]


def test_notebooks_show_the_closed_form_and_what_is_printed():
    sleigh = kalaba.load(EXAMPLES / "sleigh.kal")
    plain, closed = sleigh.derive()._repr_latex_(), sleigh.derive(True)._repr_latex_()
    assert r"\ddot q &=" not in plain and r"\ddot q &= \begin{pmatrix}" in closed
    assert closed.count(r"\begin{") == closed.count(r"\end{") and r"\lambda &=" in closed
    assert r"\dot u &=" in sleigh.reduce()._repr_latex_()

    class Printer:
        def text(self, text):
            self.shown = text
    printer = Printer()
    sleigh.check()._repr_pretty_(printer, False)
    assert printer.shown == str(sleigh.check()) and "nonholonomic" in printer.shown
    assert repr(kalaba.Model(SPRING)) == "<model model: 1 coordinate, 0 constraints>"


def test_values_of_sweeps_are_pointed_at():
    model = kalaba.Model(SPRING)
    with pytest.raises(kalaba.ModelError) as caught:
        model.sweep({"k": "1 .. 2 cunt 5"})
    assert str(caught.value).endswith("\n    k = 1 .. 2 cunt 5\n               ^")
    with pytest.raises(kalaba.ModelError) as caught:
        model.sweep({"x": [1, 2], "k": "1, 2 + * 3"})
    assert caught.value.file == "--vary 2" and caught.value.column == 12
    assert str(caught.value).endswith("\n    k = 1, 2 + * 3\n               ^")
    with pytest.raises(kalaba.ModelError) as caught:
        model.sweep(random={"k": "normal(1 + , 2)"}, count=3)
    assert str(caught.value).endswith("\n    k = normal(1 + , 2)\n                  ^")
