// SPDX-License-Identifier: MIT

#include "lab.h"

static void the_sleigh_reads_as_in_the_book(void)
{
    prints("# Chaplygin's sleigh: a rigid body on a knife edge\n"
           "model \"Chaplygin sleigh\"\n"
           "param m = 1 [kg], I = 0.2 [kg*m^2], b = 0.3 [m]\n"
           "coord x [m], y [m], theta [rad]\n"
           "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*I*theta'^2\n"
           "constraint skid: -x'*sin(theta) + y'*cos(theta) - b*theta' = 0\n"
           "init x = 0, y = 0, theta = 0, x' = 1, y' ~ 0, theta' = 2\n"
           "simulate 0 .. 20 every 0.01\n"
           "output u1 = x'*cos(theta) + y'*sin(theta)\n"
           "plot theta' against u1\n"
           "draw path [x, y]\n",
           "model \"Chaplygin sleigh\"\n"
           "param m = 1 [kg], I = 0.2 [kg*m^2], b = 0.3 [m]\n"
           "coord x [m], y [m], theta [rad]\n"
           "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*I*theta'^2\n"
           "constraint skid: -x'*sin(theta) + y'*cos(theta) - b*theta' = 0\n"
           "init x = 0, y = 0, theta = 0, x' = 1, y' ~ 0, theta' = 2\n"
           "simulate 0 .. 20 every 0.01\n"
           "output u1 = x'*cos(theta) + y'*sin(theta)\n"
           "plot theta' against u1\n"
           "draw path [x, y]\n");
}

static void names_are_declared_with_arrays_and_units(void)
{
    keeps("param x0[5] = [0, 2, 5, 6, 5] [m]");
    keeps("param m[5] = 2");
    keeps("param R = [[1, 0], [0, 1]], n = 3, g = 9.81 [m/s^2]");
    prints("param m [kg] = 1", "param m = 1 [kg]\n");
    prints("coord x[5] [m], θ[rad]", "coord x[5] [m], θ[rad]\n");
    keeps("coord x[n + 1], φ_1 [1], y [m]");
    keeps("let tip = [L*sin(th), -L*cos(th)]");
    keeps("let P[i] = P[i - 1] + [1, 0] [m], J = Ix + Iz [kg*m^2]");
    keeps("let α = 1, été = 2, ẋ = 3");
    keeps("output u1 = x'' [m/s^2], E = energy() [J]");
    keeps("output force = x', plot = model[2] + part.mass' [N]"); // words as names
    keeps(
        "param mass[3] = 2 [kg]\nkinetic 1/2*mass[1]*x'^2 - event\nforce force = -use");
    keeps("param angle = 1, every = 2, sin = 3, sum = 4, in = 5, rate = 6");
}

static void units_are_products_of_powers(void)
{
    keeps("coord x [kg*m^2/s^2]");
    keeps("coord x [1]");
    keeps("coord x [1/s]");
    keeps("coord x [m^(1/2)]");
    keeps("coord x [s^-2*m^(-1/2)]");
    keeps("coord x [N/(m*s)]");
    keeps("coord x [deg/t]");
    keeps("coord x [m^2.5]");
    keeps("coord x [(N*m)^2]");
    prints("coord x [ kg * m ]", "coord x [kg*m]\n");
}

static void energies_and_forces(void)
{
    keeps("kinetic 1/2*m*x'^2");
    keeps("potential m*g*y");
    keeps("dissipation 1/2*c*x'^2");
    keeps("power F*x'");
    keeps("power -c*v^2 along v");
    keeps("power F + G along tip'");
    keeps("force x = -k*x");
    keeps("force x = 1, link[2].a = 2, y[i] = 3");
    keeps("mass[x, y] = m");
    keeps("mass[link[1].a, q[2]] = m*cos(x)");
    prints("mass [x, y] = m", "mass[x, y] = m\n");
}

static void constraints_and_control(void)
{
    keeps("constraint rod: x^2 + y^2 = L^2");
    keeps("constraint c[i]: [a, b] = [c, d]");
    keeps("constraint touch: y = h, off");
    keeps("init x = 1 [m], a ~ 30 [deg], x' = 2*v [m/s]");
    keeps("state i [A]: i' = (U - R*i)/L");
    keeps("state z[2]: z' = A*z");
    keeps("hold u [V] every 1/100: u + x");
    keeps("actuator u: x', limit = 3, law = -k*x");
    keeps("let state = 1, hold = state, table = hold"); // words where statements begin
    keeps("part p = P(mass = 1, force ~ 2, model)");    // and where arguments do
    keeps("nonideal y = -mu*abs(reaction(floor))*sign(y')");
    keeps("nonideal power -mu*reaction(n)*x'");
    keeps("nonideal power -mu*reaction(n)*sign(x') along x'");
    keeps("prescribe θ = 30 - t");
    keeps("actuator u: theta'");
    keeps("actuator u[i]: theta[i]', limit = 5, weight = 1/2");
    keeps("servo follow: x = cos(t), rate = k");
    keeps("servo follow: x' = 0");
    keeps("contact floor: y - R >= 0");
    keeps("contact foot[i]: y[i] >= h, restitution = 0.5, friction = mu, slip = x[i]', "
          "static = 2*mu");
    keeps("friction belt: x' - v, limit = F, static = 1.2*F");
    keeps("let contact = friction + 1");
}

static void starts_runs_and_events(void)
{
    keeps("init x = 0, x' = 1, y ~ L/2, link[2].a' ~ 0.1, x[3] = 1");
    keeps("simulate 0 .. 20 every 0.01");
    keeps("simulate 0 .. 2*pi every 1/100, rtol = 1e-9, atol = 1e-12, method = auto, "
          "drift = stabilize(10)");
    keeps("simulate 0 .. 1 every 1, drift = none");
    prints("simulate 0..1 every 1,drift=project",
           "simulate 0 .. 1 every 1, drift = project\n");
    keeps("event hit: y stop");
    prints("event hit: y falling set y' = -0.8*y'",
           "event hit: y [falling] set y' = -0.8*y'\n");
    keeps("event hit: y - h [rising, falling] set x = 0, release rod, engage pin[2], "
          "stop");
    prints("event hit[i]: y[i] falling, rising stop",
           "event hit[i]: y[i] [rising, falling] stop\n");
    keeps("event stop: stop [rising] stop");
}

static void pictures(void)
{
    keeps("plot x, y, x' + y'");
    keeps("plot theta' against u1");
    keeps("plot a, b against c");
    keeps("draw line [0, 0] -> [x, y] -> tip");
    keeps("draw circle [x, y] radius r");
    keeps("draw box [x, y] size [w, h] angle a + pi/2");
    keeps("draw box p size [1, 2, 3]");
    keeps("draw spring p -> q");
    keeps("draw path [x, y, z]");
    keeps("draw line line -> path");
    keeps("plot against against against");
}

static void blocks_and_parts(void)
{
    keeps("for i in 1..N {\n"
          "    constraint c[i]: x[i]^2 + y[i]^2 = L^2\n"
          "    for j in i..N + 1 {\n"
          "        potential k*(x[i] - x[j])^2\n"
          "    }\n"
          "}");
    prints("for i in 1..3 { let a = i; let b = i }",
           "for i in 1..3 {\n    let a = i\n    let b = i\n}\n");
    prints("for i in 1..3\n\n # brace below\n {\n\n}\n;;\n", "for i in 1..3 {\n}\n");
    keeps("component Link(m, L = 2, I = m*L^2/12 [kg*m^2], q [m]) {\n"
          "    coord a\n"
          "    let tip = [L*cos(a), L*sin(a)]\n"
          "}");
    keeps("component Link(m, turn ~ 2 [rad], spin ~ [0, 0]) {\n"
          "    init a = turn, a' ~ 3*a\n"
          "}\npart l = Link(m = 2, turn ~ pi/2, spin = [1, 2])");
    prints("component Pin { }", "component Pin() {\n}\n");
    keeps("part a = Link(m = 1, L = 2*k)");
    keeps("for i in 1..3 {\n    part a[i] = Link(), b[i][2*i] = Link()\n}");
    keeps("part a[i in 1..N] = Link(p = i), b = Pin(1, x[2], k = [1, 2])");
    prints("part a = planar.Pin", "part a = planar.Pin()\n");
    keeps("use \"parts/link.kal\"");
    keeps("use planar");
    keeps("fn f(a, b) = a + dot(b, b)");
    keeps("fn one() = 1");
    keeps("model \"a \\\"title\\\" with \\\\ and ü\"");
    keeps("model \"\"");
}

static void statements_end_with_their_lines(void)
{
    prints("let a = 1; let b = 2\nlet c = 3\r\n\r\nlet d = 4",
           "let a = 1\nlet b = 2\nlet c = 3\nlet d = 4\n");
    prints("let a = (1\n + 2\n)\nlet b = [1,\n\n 2 # two\n , 3]\n",
           "let a = 1 + 2\nlet b = [1, 2, 3]\n");
    prints("let a = 1 + # and\n\n  2 *\n 3\nlet b =\n 2\n",
           "let a = 1 + 2*3\nlet b = 2\n");
    prints("coord x,\n  y,\n z\nconstraint c:\n x =\n y\n",
           "coord x, y, z\nconstraint c: x = y\n");
    prints("let a = if(x > 1 and\n y < 2, 1, 2)",
           "let a = if(x > 1 and y < 2, 1, 2)\n");
    prints("draw line p ->\n q\nsimulate 0 ..\n 1 every 2,\n rtol = 1\n",
           "draw line p -> q\nsimulate 0 .. 1 every 2, rtol = 1\n");
    prints("init x ~\n 1", "init x ~ 1\n");
    prints("let a = x^\n2 -\n1", "let a = x^2 - 1\n");
    prints("\xef\xbb\xbflet a = 1", "let a = 1\n");
    prints("", "");
    prints("\n ; # nothing\n\t\n", "");
    refuses("let a = 1\n + 2",
            "m:2:2: error: expected a statement (a line is continued");
    refuses("let a = (1; 2)", "m:1:11: error: expected an operator or ')', found ';'");
}

static void errors_of_declarations_are_told_with_their_place(void)
{
    refuses("param t = 1", "m:1:7: error: t (time), pi and deg have their own meaning "
                           "and cannot be declared; expected the name of a parameter");
    refuses("param", "m:1:6: error: expected the name of a parameter, found the end");
    refuses("param m", "m:1:8: error: expected '=', found the end of the text");
    refuses("param m = 1 n = 2",
            "m:1:13: error: expected an operator, ',' or the end of "
            "the statement, found 'n'; a product is written with *");
    refuses("param m = 1, force x = 1",
            "m:1:14: error: expected the name of a parameter, found the statement word "
            "'force'");
    refuses("param m = 1,", "m:1:13: error: expected the name of a parameter");
    refuses("param m.x = 1", "m:1:8: error: expected '=', found '.'");
    refuses("param m' = 1", "m:1:8: error: expected '=', found a prime mark");
    refuses("param m = 1 [kg",
            "m:1:16: error: expected ']', found the end of the text");
    refuses("param m = 1 [2]",
            "m:1:14: error: expected a unit, such as kg, m/s^2 or 1, "
            "found '2'");
    refuses("param m = 1 []", "m:1:14: error: expected a unit");
    refuses("param m = 1 [kg m]", "m:1:17: error: expected ']', or * or / between the "
                                  "factors of a unit, found 'm'");
    refuses("output x", "m:1:9: error: expected '=' and a value, as in output h = y "
                        "(coordinates are results without an output), found");
    refuses("simulate 0 .. 1 s every 0.1",
            "m:1:17: error: expected an operator or 'every' and the time between "
            "samples, as in 0 .. 10 every 0.01, all in seconds, found 's'");
    refuses("param m = 1 [m^x]", "m:1:16: error: the exponent of a unit is a number");
    refuses("param m = 1 [m^2^2]", "m:1:16: error: the exponent of a unit is a number");
    refuses("param m = 1 [10]", "m:1:14: error: expected a unit");
    refuses("param m = 1 [m^-x]", "m:1:16: error: the exponent of a unit is a number");
    refuses("param m = 1 [m^(1*2)]", "m:1:16: error: the exponent of a unit");
    refuses("param m = 1 [m^(1/2/3)]", "m:1:16: error: the exponent of a unit");
    refuses("param m = 1 [m^(x/2)]", "m:1:16: error: the exponent of a unit");
    refuses("param m = 1 [m^(1/x)]", "m:1:16: error: the exponent of a unit");
    refuses("param m [kg] = 1 [g]", "m:1:18: error: the unit is already given");
    refuses("coord x = 1",
            "m:1:9: error: a coordinate is declared without a value; init");
    refuses("coord x y",
            "m:1:9: error: expected ',' or the end of the statement, found");
    refuses("coord deg", "m:1:7: error: t (time), pi and deg");
    refuses("coord pi", "m:1:7: error: t (time), pi and deg");
    refuses("let a 1", "m:1:7: error: expected '=', found '1'");
    refuses("model x", "m:1:7: error: expected the title of the model in quotes");
    refuses("use 3", "m:1:5: error: expected a file in quotes or a library, found '3'");
}

static void errors_of_mechanics_are_told_with_their_place(void)
{
    refuses("force 3 = 1",
            "m:1:7: error: expected a coordinate, as in x = …, found '3'");
    refuses("force x' = 1", "m:1:8: error: expected '=', found a prime mark");
    refuses("mass x, y = 1", "m:1:6: error: expected '[', as in mass[x, y] = …");
    refuses("mass[x] = 1", "m:1:7: error: expected ',', found ']'");
    refuses("constraint x^2 + y^2 = 1",
            "m:1:13: error: expected ':' after the name of the constraint, which");
    refuses("constraint c: x == y", "m:1:15: error: this is a condition where an "
                                    "equation is expected, with one = as in x = 0");
    refuses("constraint c: y >= 0", "as in contact floor: y >= 0");
    refuses("constraint c: x",
            "m:1:16: error: expected an operator or '=' and the other");
    refuses("constraint c: x = y, rate = 1",
            "m:1:22: error: expected an option, off, found 'rate'");
    refuses("constraint c: x = y, off, off", "the option off is given twice");
    refuses("constraint c: x = y, off = 1",
            "m:1:26: error: expected ',' or the end of the");
    refuses("servo s: x = y, speed = 1",
            "m:1:17: error: expected an option, rate, found "
            "'speed'");
    refuses("servo s: x = y, rate = 1, rate = 2",
            "m:1:27: error: the option rate is given");
    refuses("actuator u: x', rate = 1",
            "m:1:17: error: expected an option, limit, weight or law, found 'rate'");
    refuses("contact c: y - 1", "m:1:12: error: a contact keeps a gap from becoming "
                                "negative, as in y >= 0");
    refuses("contact c: y >= 0 restitution = 1",
            "m:1:19: error: a comma stands before an "
            "option");
    refuses("friction f: x' coefficient 1",
            "m:1:16: error: expected a comma and an option, "
            "limit or static, found 'coefficient'");
    refuses("constraint c: x = 1, off off",
            "m:1:26: error: a comma stands before an option");
    refuses("contact c: y > 0", "m:1:12: error: a contact keeps a gap from becoming "
                                "negative, as in y >= 0");
    refuses("friction f: x', rate = 1",
            "m:1:17: error: expected an option, limit or static, found 'rate'");
    refuses("actuator u = x'",
            "m:1:12: error: expected ':' after the name of the input");
    refuses("init x 1", "m:1:8: error: expected '=' or '~', found '1'");
    refuses("init x == 1", "m:1:8: error: expected '=' or '~', found '=='");
    refuses("simulate 0 to 20",
            "m:1:12: error: expected an operator or '..' and the time");
    refuses("simulate 0 .. 20",
            "m:1:17: error: expected an operator or 'every' and the");
    refuses("simulate 0 .. 1 every 1, tol = 1",
            "m:1:26: error: expected an option, rtol, "
            "atol, method or drift, found 'tol'");
}

static void errors_of_events_and_pictures_are_told_with_their_place(void)
{
    refuses("event e: y",
            "m:1:11: error: expected an operator or an action: stop, set");
    refuses("event e: y faling stop", "m:1:12: error: unknown action 'faling'; did you "
                                      "mean 'falling'?");
    refuses("event e: y stopp", "m:1:12: error: unknown action 'stopp'; did you mean "
                                "'stop'?");
    refuses("event e: y [up] stop", "m:1:13: error: expected rising or falling, found");
    refuses("event e: y rising, stop", "m:1:20: error: expected falling, found 'stop'");
    refuses("event e: y falling, falling stop",
            "m:1:29: error: expected rising, found 'stop'");
    refuses("event e: y stop, rising", "m:1:18: error: expected an action: stop, set");
    refuses("event e: y stop, now", "m:1:18: error: expected an action: stop, set");
    refuses("event e: y set 3 = 1",
            "m:1:16: error: expected a coordinate or its deriv");
    refuses("event e: y release 1", "m:1:20: error: expected the name of a constraint");
    refuses("plot x agianst y",
            "m:1:8: error: expected an operator, ',', 'against' or the "
            "end of the statement, found 'agianst'");
    refuses("draw square p",
            "m:1:6: error: expected a shape: line, circle, box, spring");
    refuses("draw line p",
            "m:1:12: error: expected an operator or '->' and another point");
    refuses("draw spring p -> q -> r",
            "m:1:20: error: expected an operator or the end");
    refuses("draw circle p", "m:1:14: error: expected an operator or 'radius' and a");
    refuses("draw box p angle 2",
            "m:1:12: error: expected an operator or 'size' and the");
    refuses("draw box p size s a",
            "m:1:19: error: expected an operator, 'angle' or the end");
}

static void errors_of_structure_are_told_with_their_place(void)
{
    refuses("for 1..3 { }", "m:1:5: error: expected an index name, found '1'");
    refuses("for i = 1..3 { }", "m:1:7: error: expected 'in' and a range");
    refuses("for i in 1..3 let a = 1",
            "m:1:15: error: expected an operator or '{', found "
            "the statement word 'let'");
    refuses("for i in 1..3 {\n let a = 1\n",
            "m:3:1: error: expected '}', found the end");
    refuses("for i in 1..3 {\n let a = 1\n",
            "m:1:15: note: this bracket is not closed");
    refuses("for i in 1..3 { } let b = 1", "m:1:19: error: expected the end of the "
                                           "statement, found the statement word 'let'");
    refuses("}\nlet a = 1", "m:1:1: error: this '}' closes nothing");
    refuses("{ let a 1 }", "m:1:1: error: expected a statement");
    refuses("{ let a 1 }", "m:1:9: error: expected '=', found '1'");
    refuses("component { }", "m:1:11: error: expected the name of the component");
    refuses("component A(1) { }", "m:1:13: error: expected the name of an argument");
    refuses("component A(p ~) { }", "m:1:16: error: expected");
    refuses("fn f(p ~ 2) = p", "m:1:8: error: expected ',' or ')', found '~'");
    refuses("component A(p { }", "m:1:15: error: expected ',' or ')', found '{'");
    refuses("part a Link()", "m:1:8: error: expected '=', found 'Link'");
    refuses("part a[3 in 1..2] = Link()",
            "m:1:8: error: expected an index name, found '3'");
    refuses("part a = 3", "m:1:10: error: expected the name of a component, found '3'");
    refuses("part a = L(p = 1", "m:1:17: error: expected an operator, ',' or ')'");
    refuses("part a = L(1, )", "m:1:15: error: expected an expression, found ')'");
    refuses("fn f = 1", "m:1:6: error: expected '(', found '='");
    refuses("fn f(a = 1) = a", "m:1:8: error: expected ',' or ')', found '='");
}

static void misspelt_statements_are_guessed(void)
{
    refuses("potental m*g*y",
            "m:1:1: error: unknown statement 'potental'; did you mean "
            "'potential'?");
    refuses("Kinetic 1", "m:1:1: error: unknown statement 'Kinetic'; did you mean");
    refuses("x = 5", "m:1:1: error: expected a statement, found 'x'; let names an "
                     "expression, param a constant, as in let x = …");
    refuses("whatever x",
            "m:1:1: error: expected a statement, such as param, coord or");
    refuses("3", "m:1:1: error: expected a statement (a line is continued");
}

static void what_newcomers_write_is_explained(void)
{
    refuses("parameters m = 1",
            "unknown statement 'parameters'; did you mean 'param'?");
    refuses("T = x'^2",
            "found 'T'; let names an expression, param a constant, kinetic");
    refuses("velocity v = x'",
            "expected a statement, found 'velocity'; a velocity is x'");
    refuses("torque a = 2", "; a torque is a force along an angle");
    refuses("integral s = x", "; what adds up over time is a state");
    refuses("controller u: -k*x", "; an input has its law");
    refuses("lagrangian x'^2 - x", "; its parts are stated one by one, by kinetic and");
    refuses("damping x'", "; use dissipation 1/2*d*x'^2, or force x = -d*x'");
    refuses("kinetic = x'^2",
            "m:1:9: error: expected an expression right after the word, "
            "without '=', found '='");
    refuses("constraint x^2 = 1",
            "expected ':' after the name of the constraint, which "
            "comes first, as in c: x = 0, found '^'");
    refuses("param m = 1 kg",
            "; a product is written with *, a unit in brackets as in");
    refuses("potential cos x",
            "; a product is written with *, the argument of a function "
            "in parentheses");
    refuses("potential x1 y", "the argument of a function in parentheses");
    refuses("init x(0) = 1", "expected '=' or '~', for the time is that of the start");
    refuses("simulate 10",
            "'..' and the time of the end, as in 0 .. 10 every 0.01, found");
    refuses("event e: x = 1 stop",
            "where its expression crosses zero (x - 1, not x = 1)");
    refuses("force -3*x", "expected a coordinate, as in x = …, found '-'");
    refuses("m*x'' = -k*x",
            "found 'm'; motion follows from energies and forces, as in");
    refuses("x' = 3", "and an equation is a constraint, as in constraint c: x = 0");
    refuses("kinetik *x'^2", "unknown statement 'kinetik'; did you mean 'kinetic'?");
    refuses("use planar.kal", "; a file stands in quotes, and a library has no ending");
}

static void habits_of_other_languages_are_explained(void)
{
    static const char condition[] =
        "; a value chosen by a condition is if(x > 0, 1, 2)";
    static const char index[] = "expected ']', for each index has brackets of its own";
    static const char unit[] =
        "expected ':', for the unit follows from what stands behind it, found '['";
    static const char point[] =
        "; a point or a vector stands in brackets, as in [x, y]";
    static const char list[] =
        "; what a statement lists stands without parentheses, as in plot x, y,";
    static const char decimal[] = "; a decimal has a point, as in 0.5";

    refuses("force x = if x > 0 then 1 else 0", condition);
    refuses("force x = x > 0 ? 1 : 0", condition);
    refuses("let R[3,3] = 1", index);
    refuses("force x = q[1, 2]", index);
    refuses("actuator F [N]: x'", unit);
    refuses("constraint rod [m]: x = 1", unit);
    refuses("contact floor [m]: x >= 0", unit);
    refuses("draw line (0,0) -> (x,y)", point);
    refuses("let r = (x, y)", point);
    refuses("plot(t, x)", list);
    refuses("plot (x)*(x, y)", point);
    refuses("plot x, (x, y)", point);
    refuses("param a = 0,5", decimal);
    refuses("init x = 0,5", decimal);
    refuses("simulate 0 .. 0,5 every 1", "'every' and the time between samples");
    refuses("state i = -i",
            "':' and the derivative of the state, as in state i: i' = -i");
    refuses("hold u: -x", "as in hold u every 0.01: -x, found ':'");
    refuses("let f = iff x", "the argument of a function in parentheses");
    refuses("kinetic: x'^2", "an expression right after the word, without ':'");
    refuses("coord x(t)", "every coordinate depends on the time; it is declared by");
    refuses("constraint x = 0", "which comes first, as in c: x = 0, found '='");
    refuses("function f(x)", "; fn defines a function, as in fn f(x) = x^2");
    refuses("end Pendulum;", "found 'end'; a model ends with its text");
    refuses("syms x y", "; coord declares a coordinate, param a constant");
}

static void signs_of_other_languages_are_explained(void)
{
    refuses("let a = x**2", "'**' is no operator; write ^ for a power");
    refuses("let a = x'.^2", "'.^' is no operator; write ^ for a power");
    refuses("let a = x.*y", "'.*' is no operator; write * for a product");
    refuses("let a = x./y", "'./' is no operator; write / for a quotient");
    refuses("let a := x", "':=' is no operator; write = for what a name stands for");
    refuses("let a = x // it", "'//' is no operator; a comment begins with #");
    refuses("let a = x /* it */", "'/*' is no operator; a comment begins with #");
}

static void all_errors_are_told_in_one_go(void)
{
    Lab lab;
    lab_open(&lab, "param m = \n"
                   "kinetic 1/2*m*(x'^2\n"
                   "potential m*g*y)\n"
                   "coord x, ; coord y\n"
                   "for i in 1..3 3 {\n"
                   "    let a = $\n"
                   "    let b = 1 \xe2\x88\x92 2\n"
                   "}\n"
                   "let c = [1, 2,\n"
                   "   3, ], 4\n"
                   "let d = (1,\n"
                   "   2,\n"
                   "   3)\n"
                   "let e = 2");
    ok(lab.status == KAL_ERR_SYNTAX);
    const char *errors = lab_errors(&lab);
    has_text(errors, "m:2:1: error: expected an expression, found the statement word");
    has_text(errors, "m:3:1: error: expected an operator or ')', found the statement");
    has_text(errors, "m:2:15: note: this bracket is not closed");
    has_text(errors, "m:4:10: error: expected the name of a coordinate, found ';'");
    has_text(errors, "m:5:15: error: expected an operator or '{', found '3'");
    has_text(errors, "m:6:13: error: '$' has no meaning in a model\n");
    has_text(errors, "m:7:15: error: '\xe2\x88\x92' (U+2212) has no meaning in a "
                     "model; write - for");
    has_text(errors, "m:10:7: error: expected an expression, found ']'");
    has_text(errors, "m:11:11: error: expected an operator or ')', found ','");
    ok(kal_diagnostics_count(lab.diagnostics, KAL_SEVERITY_ERROR) == 9);
    has_text(kal_context_message(lab.ctx), "m:2:1: expected an expression");
    has_text(kal_context_message(lab.ctx), "(and 8 more errors)");
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(the_sleigh_reads_as_in_the_book),
        TAP_CASE(names_are_declared_with_arrays_and_units),
        TAP_CASE(units_are_products_of_powers), TAP_CASE(energies_and_forces),
        TAP_CASE(constraints_and_control), TAP_CASE(starts_runs_and_events),
        TAP_CASE(pictures), TAP_CASE(blocks_and_parts),
        TAP_CASE(statements_end_with_their_lines),
        TAP_CASE(errors_of_declarations_are_told_with_their_place),
        TAP_CASE(errors_of_mechanics_are_told_with_their_place),
        TAP_CASE(errors_of_events_and_pictures_are_told_with_their_place),
        TAP_CASE(errors_of_structure_are_told_with_their_place),
        TAP_CASE(misspelt_statements_are_guessed),
        TAP_CASE(what_newcomers_write_is_explained),
        TAP_CASE(habits_of_other_languages_are_explained),
        TAP_CASE(signs_of_other_languages_are_explained),
        TAP_CASE(all_errors_are_told_in_one_go))
