// SPDX-License-Identifier: MIT

// Statements: what each leaves in the model.

#include "model.h"

static void parameters_follow_each_other(void)
{
    Lab lab;
    lab_build(&lab, "param m = 2 [kg], k = 3*m, a[3] = [1, k, 4], b[2] = 0.5 [m]\n"
                    "param M = [[1, 2], [3, 4]], n = 2, c[n][2] = 7\nlet all = M\n");
    ok(lab.status == KAL_OK);
    const char *names[] = {"m",       "k",       "a[1]",    "a[2]",
                           "a[3]",    "b[1]",    "b[2]",    "M[1][1]",
                           "M[1][2]", "M[2][1]", "M[2][2]", "n",
                           "c[1][1]", "c[1][2]", "c[2][1]", "c[2][2]"};
    const double numbers[] = {2, 6, 1, 6, 4, 0.5, 0.5, 1, 2, 3, 4, 2, 7, 7, 7, 7};
    ok(lab.model && lab.model->n_parameters == 16);
    for (size_t i = 0; lab.model && i < 16; i++) {
        same_text(lab.model->parameters[i].name, names[i]);
        near(lab.model->parameters[i].number, numbers[i], 0.0);
        ok(lab.model->parameters[i].structural == (i == 11));
    }
    same_text(lab_formula(&lab, lab.model->parameters[1].value), "3*m");
    same_text(lab.model->parameters[0].unit, "kg");
    lab_close(&lab);
}

static void what_sets_sizes_is_structural(void)
{
    Lab lab;
    lab_build(&lab, "param a = 2, b = 3*a, c = 1\ncoord x[b]\nkinetic c*x[1]'^2\n");
    ok(lab.model && lab.model->n_coordinates == 6);
    ok(lab.model && lab.model->parameters[0].structural
       && lab.model->parameters[1].structural && !lab.model->parameters[2].structural);
    lab_close(&lab);
}

static void coordinates_have_three_symbols(void)
{
    Lab lab;
    lab_build(&lab, "coord x [m], q[2] [rad]\nfor i in 1..2 { coord p[i], r[i][2] }\n"
                    "kinetic 2.0*x'^2 + 2.0*q[1]'^2 + p[2]'^2 + r[2][1]'^2\n"
                    "init x = 3, x' ~ 2, q = [1, 2], q[1]' = -1, r[1] = 5\n");
    const char *names[] = {"x",       "q[1]", "q[2]",    "p[1]",   "r[1][1]",
                           "r[1][2]", "p[2]", "r[2][1]", "r[2][2]"};
    ok(lab.model && lab.model->n_coordinates == 9);
    for (size_t i = 0; lab.model && i < 9; i++) {
        same_text(lab.model->coordinates[i].name, names[i]);
    }
    const KalCoordinate *c = lab.model->coordinates;
    same_text(lab_formula(&lab, c[2].v), "q[2]'");
    same_text(lab_formula(&lab, c[0].a), "x''");
    same_text(c[1].unit, "rad");
    ok(c[0].start_q.kind == KAL_START_HELD && c[0].start_v.kind == KAL_START_ABOUT);
    ok(c[3].start_q.kind == KAL_START_FREE && c[3].start_q.value.index == 0);
    same_text(lab_formula(&lab, c[2].start_q.value), "2");
    same_text(lab_formula(&lab, c[1].start_v.value), "-1");
    same_text(lab_formula(&lab, c[5].start_q.value), "5");
    lab_close(&lab);
}

static void energies_and_forces_are_listed(void)
{
    Lab lab;
    lab_build(&lab, "param m = 1, c = 2\ncoord x, y\nkinetic 1/2*m*x'^2\n"
                    "potential m*9.81*x\ndissipation 1/2*c*x'^2\npower 3*y'\n"
                    "force x = -c*x', y = 1\nmass[x, y] = m\nconstraint k: x = y\n"
                    "nonideal y = -0.1*reaction(k)\nnonideal power x'*y\n");
    const KalTermKind kinds[] = {
        KAL_TERM_KINETIC, KAL_TERM_POTENTIAL, KAL_TERM_DISSIPATION,
        KAL_TERM_POWER,   KAL_TERM_FORCE,     KAL_TERM_FORCE,
        KAL_TERM_MASS,    KAL_TERM_NONIDEAL,  KAL_TERM_NONIDEAL_POWER};
    ok(lab.model && lab.model->n_contributions == 9);
    for (size_t i = 0; lab.model && i < 9; i++) {
        ok(lab.model->contributions[i].kind == kinds[i]);
    }
    const KalContribution *terms = lab.model->contributions;
    same_text(lab_formula(&lab, terms[4].value), "-c*x'");
    ok(terms[4].row == 0 && terms[5].row == 1);
    ok(terms[6].row == 0 && terms[6].column == 1);
    same_text(lab_formula(&lab, terms[7].value), "-1/10*reaction(k)");
    lab_close(&lab);
}

static void forces_along_velocities_act_on_coordinates(void)
{
    Lab lab;
    lab_build(&lab, "param c = 2\ncoord x, y, a\nkinetic x'^2 + y'^2 + a'^2\n"
                    "let v = x' + 3*cos(a)*a' - t\npower -c*v^2 along v\n"
                    "power [1, x'] along [y', a']\n"
                    "constraint k: x = y\nnonideal power -reaction(k) along 2*x'\n");
    const KalContribution *terms = lab.model->contributions;
    ok(lab.model->n_contributions == 6);
    ok(terms[1].kind == KAL_TERM_FORCE && terms[1].row == 0);
    ok(terms[2].kind == KAL_TERM_FORCE && terms[2].row == 2);
    ok(terms[3].row == 1 && terms[4].row == 2);
    ok(terms[5].kind == KAL_TERM_NONIDEAL && terms[5].row == 0);
    same_text(lab_formula(&lab, terms[4].value), "x'");
    same_text(lab_formula(&lab, terms[5].value), "-2*reaction(k)");
    const double F = lab_value(&lab, terms[1].value, 7);
    near(lab_value(&lab, terms[2].value, 7), 3.0 * cos(lab_symbol("a", 7)) * F, 1e-14);
    lab_close(&lab);
    fails("coord x, y\nkinetic x'^2 + y'^2\npower 1 along x'*y'\n",
          "error 3:15 what stands after 'along' has to be linear in velocities");
    warns("coord x\nkinetic x'^2\npower 1 along x\n",
          "warning 3:15 no velocity is in this, so the force has no effect");
    fails("coord x\nkinetic x'^2\npower [1, 2] along x'\n", "error 3:");
    fails("coord x\nkinetic x'^2\npower x'' along x'\n", "error 3:7");
}

static void forces_act_on_arrays_too(void)
{
    Lab lab;
    lab_build(&lab, "coord x[2]\nkinetic dot(x', x')\nforce x = [1, 2*x[1]]\n");
    ok(lab.model && lab.model->n_contributions == 3
       && lab.model->contributions[2].row == 1);
    same_text(lab_formula(&lab, lab.model->contributions[2].value), "2*x[1]");
    lab_close(&lab);
}

static void constraints_have_one_row_per_element(void)
{
    Lab lab;
    lab_open(
        &lab,
        "param L = 1\ncoord x[5], y, a, b\nlet P = [y, a]\n"
        "constraint rod: x[1]^2 + y^2 = L^2\nconstraint pin: P = [1, 2]\n"
        "constraint ball: [x[1], x[2], y] = [0, 0, t]\n"
        "constraint long: [x[1], x[2], x[3], x[4]] = [1, 2, 3, 4]\n"
        "constraint one: [y] = [a]\n"
        "for i in 1..2 { constraint c[i]: x[i]' = x[i+1]*y' }\n"
        "constraint m: [[y, a], [a, b]] = [[0, 1], [2, 3]]\n"
        "constraint acc: y'' = 2*x[5]\nprescribe b = sin(t)\n"
        "output f = reaction(pin).y + reaction(pin.x) + reaction(c[2]) + drive(b)\n"
        "output g = reaction(ball)\n");
    const char *names[] = {"rod",    "pin.x",   "pin.y",   "ball.x",  "ball.y",
                           "ball.z", "long[1]", "long[2]", "long[3]", "long[4]",
                           "one[1]", "c[1]",    "c[2]",    "m[1].x",  "m[1].y",
                           "m[2].x", "m[2].y",  "acc",     "drive(b)"};
    ok(lab.model && lab.model->n_constraints == 19);
    for (size_t i = 0; lab.model && i < 19; i++) {
        same_text(lab.model->constraints[i].name, names[i]);
        ok((lab.model->constraints[i].driven == KAL_NOT_DRIVEN) == (i < 18));
    }
    const KalConstraint *c = lab.model->constraints;
    ok(c[0].level == KAL_LEVEL_POSITION && c[11].level == KAL_LEVEL_VELOCITY
       && c[17].level == KAL_LEVEL_ACCELERATION);
    ok(c[18].driven == 7);
    same_text(lab_formula(&lab, c[0].residual), "x[1]^2 + y^2 - L^2");
    same_text(lab_formula(&lab, c[5].residual), "y - t");
    same_text(lab_formula(&lab, c[18].residual), "b - sin(t)");
    same_text(lab_formula(&lab, lab_output(&lab, "f")),
              "reaction(pin.y) + reaction(pin.x) + reaction(c[2]) + drive(b)");
    same_text(lab_formula(&lab, lab_output(&lab, "g.z")), "reaction(ball.z)");
    lab_close(&lab);
}

static void control_is_listed(void)
{
    Lab lab;
    lab_build(&lab,
              "param k = 2\ncoord x, y\nkinetic x'^2 + y'^2\n"
              "actuator u: x' - y', limit = 3*k, weight = 2\nactuator w: y'\n"
              "servo s: [x, y] = [sin(t), 0], rate = k\n"
              "servo v: x' = 1, rate = 1\noutput o = control(u) + 2*control(w)\n");
    ok(lab.model && lab.model->n_actuators == 2 && lab.model->n_servos == 3);
    same_text(lab_formula(&lab, lab.model->actuators[0].power), "x' - y'");
    same_text(lab_formula(&lab, lab.model->actuators[0].limit), "3*k");
    ok(lab.model->actuators[1].weight.index == 0);
    same_text(lab.model->servos[1].name, "s.y");
    ok(lab.model->servos[0].level == KAL_LEVEL_POSITION
       && lab.model->servos[2].level == KAL_LEVEL_VELOCITY);
    same_text(lab_formula(&lab, lab.model->servos[0].rate), "k");
    same_text(lab_formula(&lab, lab_output(&lab, "o")), "control(u) + 2*control(w)");
    lab_close(&lab);
}

static void outputs_may_use_what_motion_gives(void)
{
    Lab lab;
    lab_build(&lab, "coord x, q[2]\nkinetic x'^2 + q[1]'^2 + q[2]'^2\nlet E = x'^2\n"
                    "output a = x'', e = energy(), f = cforce(x), g = cforce(q)\n"
                    "output E = E, v = [x, 2, 3, 4], d = x [deg]\noutput s = a + d\n");
    const char *names[] = {"a",    "e",    "f",    "g.x",  "g.y", "E",
                           "v[1]", "v[2]", "v[3]", "v[4]", "d",   "s"};
    ok(lab.model && lab.model->n_outputs == 12);
    for (size_t i = 0; lab.model && i < 12; i++) {
        same_text(lab.model->outputs[i].name, names[i]);
    }
    same_text(lab_formula(&lab, lab_output(&lab, "g.y")), "cforce(q[2])");
    same_text(lab_formula(&lab, lab_output(&lab, "e")), "energy()");
    same_text(lab_formula(&lab, lab_output(&lab, "d")), "180*x/pi");
    same_text(lab_formula(&lab, lab_output(&lab, "s")), "x'' + 180*x/pi");
    lab_close(&lab);
}

static void events_have_actions(void)
{
    Lab lab;
    lab_build(&lab, "coord x, y\nkinetic x'^2 + y'^2\nconstraint p: [x, y] = [1, 2]\n"
                    "event hit: x - 1 [falling] set x' = -0.5*x', set y = 0, stop\n"
                    "event loose: reaction(p).x rising release p.x, engage p.y\n"
                    "for i in 1..2 { event e[i]: t - i stop }\n");
    ok(lab.model && lab.model->n_events == 4);
    const KalEvent *e = lab.model->events;
    ok(!e[0].rising && e[0].falling && e[1].rising && !e[1].falling && e[2].rising
       && e[2].falling);
    ok(e[0].n_actions == 3 && e[0].actions[0].kind == KAL_ACTION_SET
       && e[0].actions[0].order == 1 && e[0].actions[1].order == 0
       && e[0].actions[1].target == 1 && e[0].actions[2].kind == KAL_ACTION_STOP);
    ok(e[1].n_actions == 2 && e[1].actions[0].kind == KAL_ACTION_RELEASE
       && e[1].actions[0].target == 0 && e[1].actions[1].kind == KAL_ACTION_ENGAGE);
    same_text(e[3].name, "e[2]");
    same_text(lab_formula(&lab, e[0].actions[0].value), "-1/2*x'");
    lab_close(&lab);
}

static void pictures_have_points_and_labels(void)
{
    Lab lab;
    lab_build(&lab, "coord x, y\nkinetic x'^2 + y'^2\noutput u = x*y\n"
                    "plot u, x'*y ,  [x, y] against y'\nplot x\n"
                    "for i in 1..2 { plot i*x, x }\n"
                    "let P = [[0, 0], [x, y], [1, x]]\n"
                    "draw line [0, 0] -> [x, y] -> P\ndraw circle [x, y] radius 0.1\n"
                    "draw box [x, y, 1] size [1, 2, 3] angle x\n"
                    "draw spring [0, 0] -> [x, y]\ndraw path [x, y]\n");
    ok(lab.model && lab.model->n_plots == 4 && lab.model->n_drawings == 5);
    const KalPlot *plots = lab.model->plots;
    ok(plots[0].n_curves == 4);
    same_text(plots[0].curves[0].label, "u");
    same_text(plots[0].curves[1].label, "x'*y");
    same_text(plots[0].curves[2].label, "x");
    same_text(plots[0].against.label, "y'");
    ok(plots[1].against.value.index == 0);
    same_text(plots[2].curves[0].label, "x"); // 1*x is x
    same_text(plots[3].curves[0].label, "i*x");
    const KalDrawing *d = lab.model->drawings;
    ok(d[0].kind == KAL_DRAW_LINE && d[0].n_points == 5 && d[0].points[4].z.index == 0);
    ok(d[1].kind == KAL_DRAW_CIRCLE && d[1].size.x.index != 0);
    ok(d[2].kind == KAL_DRAW_BOX && d[2].points[0].z.index != 0 && d[2].angle.index != 0
       && d[2].size.z.index != 0);
    ok(d[3].kind == KAL_DRAW_SPRING && d[4].kind == KAL_DRAW_PATH);
    lab_close(&lab);
}

static void simulate_has_options(void)
{
    Lab lab;
    lab_build(&lab, "model \"A \\\"b\\\"\"\nparam T = 5, k = 3\ncoord x\nkinetic x'^2\n"
                    "simulate 1 .. 2*T every T/100, rtol = 1e-9, atol = 1e-12,\n"
                    "  method = bdf, drift = stabilize(k)\n");
    const KalSimulate *s = &lab.model->simulate;
    ok(s->present && s->method == KAL_METHOD_BDF && s->drift == KAL_DRIFT_STABILIZE);
    same_text(lab_formula(&lab, s->to), "2*T");
    same_text(lab_formula(&lab, s->every), "1/100*T");
    same_text(lab_formula(&lab, s->stabilize), "k");
    same_text(lab.model->title, "A \"b\"");
    lab_close(&lab);
    lab_build(&lab, "coord x\nkinetic x'^2\nsimulate 0..1 every 0.1, drift = none\n");
    ok(lab.model->simulate.drift == KAL_DRIFT_NONE
       && lab.model->simulate.method == KAL_METHOD_AUTO
       && lab.model->simulate.rtol.index == 0);
    same_text(lab.model->title, "");
    lab_close(&lab);
}

static void elements_are_declared_one_by_one(void)
{
    Lab lab;
    lab_build(&lab,
              "param N = 3\ncoord th[N]\n"
              "for i in 1..N {\n"
              "  let P[i] = if(i == 1, [0, 0], P[i-1]) + [sin(th[i]), cos(th[i])]\n"
              "  for j in 1..i { let Q[i][j] = i*th[j] }\n"
              "  output tip[i] = P[i]\n"
              "}\noutput q = Q[3][2], v = P[2]'.x, all = P\n");
    same_text(lab_formula(&lab, lab_output(&lab, "tip[2].x")),
              "sin(th[1]) + sin(th[2])");
    same_text(lab_formula(&lab, lab_output(&lab, "q")), "3*th[2]");
    same_text(lab_formula(&lab, lab_output(&lab, "v")),
              "th[1]'*cos(th[1]) + th[2]'*cos(th[2])");
    same_text(lab_formula(&lab, lab_output(&lab, "all[1].y")), "cos(th[1])");
    lab_close(&lab);
}

static void names_that_are_not_used_are_told(void)
{
    warns("param a = 1\ncoord x\nkinetic x'^2\n",
          "warning 1:7 the parameter 'a' is never used");
    warns("coord x, y\nkinetic x'^2\ninit y = 1\n",
          "warning 1:10 the coordinate 'y' is never used");
    warns("coord x\nlet a = x\nkinetic x'^2\n",
          "warning 2:5 the name 'a' is never used");
    warns("coord x\nfn f(a) = a\nkinetic x'^2\n",
          "warning 2:4 the function 'f' is never used");
    warns("coord x\nkinetic x'^2\ncomponent A { coord y }\n",
          "warning 3:11 the component 'A' is never used");
    warns("coord x\nkinetic x'^2\npotential 3\n",
          "warning 3:11 no coordinate is in this");
    warns("coord x\nkinetic x'^2\npower 3*x\n", "warning 3:7 no velocity is in this");
    warns("coord x\nkinetic x'^2\nconstraint c: 1 = 2/2\n",
          "warning 3:1 no coordinate is in this; it holds anyway");
    builds("coord x\nkinetic x'^2\noutput o = x\nconstraint c: x = 1\nparam a = 1\n"
           "simulate 0..a every 0.1\n");
    // Members count as used when any part's is.
    builds("component A { coord x\nkinetic x'^2\nlet y = 2*x }\n"
           "part a[i in 1..3] = A\noutput o = a[2].y\n");
}

TAP_RUN(TAP_CASE(parameters_follow_each_other), TAP_CASE(what_sets_sizes_is_structural),
        TAP_CASE(coordinates_have_three_symbols),
        TAP_CASE(energies_and_forces_are_listed),
        TAP_CASE(forces_along_velocities_act_on_coordinates),
        TAP_CASE(forces_act_on_arrays_too),
        TAP_CASE(constraints_have_one_row_per_element), TAP_CASE(control_is_listed),
        TAP_CASE(outputs_may_use_what_motion_gives), TAP_CASE(events_have_actions),
        TAP_CASE(pictures_have_points_and_labels), TAP_CASE(simulate_has_options),
        TAP_CASE(elements_are_declared_one_by_one),
        TAP_CASE(names_that_are_not_used_are_told))
