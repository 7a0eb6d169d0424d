// SPDX-License-Identifier: MIT

// Units of values: what matches, and what is told when it does not.

#include "model.h"

static const char HEAD[] =
    "param m = 2 [kg], L = 1 [m], k = 3 [N/m], w = 2 [rad/s], mm = 5 [mm], a = 30 "
    "[deg]\n"
    "param T = 1 [s], plain = 4\ncoord x [m], th [rad], free\n"
    "let all = [m, L, k, w, mm, a, T, plain]\n"; // nothing is left unused

static const char TAIL[] = "output used = all[1]*x*th*free\n";

static void fits(const char *statement)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s\n%s", HEAD, statement, TAIL);
    builds(text);
}

static void misfits(const char *statement, const char *part)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s\n%s", HEAD, statement, TAIL);
    fails(text, part);
}

static void right_units_are_no_news(void)
{
    fits("kinetic 1/2*m*x'^2 + m*L^2*th'^2");
    fits("potential m*9.81*x + k*x^2");
    fits("potential k*(x - L)^2 + 3.0");
    fits("dissipation k*T*x'^2\npower m*x'*L/T^2");
    fits("power -k*T*x' along x'\npower [m*L/T^2, m*L^2/T^2] along [x', th']");
    fits("force x = -k*x, th = -m*L^2*w^2\nmass[x, th] = m*L\nmass[x, x] = m");
    fits("constraint c: x - L*sin(th) = 0");
    fits("constraint c: [x, L] = [L*th, x]");
    fits("constraint c: x' = L*th'");
    fits("output o = x' [m/s], p = k*x [N], q = [x, L] [m]");
    fits("output o = norm([x, L]) + hypot(x, L) + min(x, L, 3.0) + abs(x)");
    fits("output o = atan2(x, L) + th");
    fits("output o = sqrt(k/m) [1/s]");
    fits("output o = x^2 + L*x, p = (x/L)^plain");
    fits("potential exp(plain*th) + 2^(plain*th)"); // nothing is known of plain
    fits("output o = sin(w*T)*L + x");
    fits("output o = if(x > L, x, L)");
    fits("let u [m] = 3*L\noutput o = u + x");
    fits("output o = x + L*th");
    fits("constraint c: x = 2.5\noutput o = reaction(c)");
    fits("constraint c: x = 0\ninit x = 1, x' = 2 [m/s], th = 30 [deg]");
    fits("fn at(p) = x + p*sin(th)\noutput o = at(2)");
    fits("potential 1/2*k*x^2\nlet one = 1\noutput o = x + one");
    fits("output o = L*th/pi + 2*x + 1");
    fits("prescribe x = L*sin(t)");
    fits("prescribe x = sin(t)");
    fits("init x = L, x' = L/T, th = a, th' = w");
    fits("init th = 30*deg");
    fits("event e: x - L set x' = -x', stop");
    fits("output o = (x*th)' + L*w");
    fits("kinetic m*x'^2\nconstraint c: x = L\noutput o = reaction(c) + k*x");
    fits("kinetic m*x'^2\nconstraint c: x' = L/T\noutput o = reaction(c) + k*x");
    fits("kinetic m*x'^2\noutput o = cforce(x) + k*x [N], e = energy() [J]");
    fits("kinetic m*x'^2\nactuator u: x', limit = k*L, weight = 1/k\n"
         "servo s: x = L, rate = w\noutput o = control(u) [N]");
    fits("kinetic m*x'^2\nactuator u: th', law = k*L^2*th, limit = 3\n"
         "output o = control(u) [N*m], d = demand(u) [J]");
    fits("kinetic free'^2\nactuator u: x', limit = 3\noutput o = control(u) + L");
}

static void wrong_units_are_told(void)
{
    misfits("potential exp(th)", "this has [1], an energy");
    misfits("potential 2^th", "this has [1], an energy");
    misfits("kinetic m*x'^2 + m*x", "error 5:18 units do not match: this has [kg*m], "
                                    "what is before it [kg*m^2/s^2]");
    misfits("kinetic m*x'",
            "error 5:9 units do not match: this has [kg*m/s], an energy");
    misfits("kinetic m*x'^2\npotential k*x", "error 6:11");
    misfits("kinetic m*x'^2\nparam stiff = 5 [N/mm]\npotential 1/2*stiff*x^2",
            "error 7:11 this has the unit [1000*kg*m^2/s^2] and an energy");
    misfits("output o = x + 2*T", "error 5:16 units do not match: this has [s], what");
    misfits("init x = 1 [kg]", "the start value has [kg], what it is for [m]");
    misfits("init th = 30 [m]", "[m]");
    misfits("dissipation k*x", "error 5:13");
    misfits("power k*x", "error 5:7");
    misfits("power k along x'", "error 5:7");
    misfits("force x = m", "error 5:11 units do not match: the force times its "
                           "coordinate has [kg*m]");
    misfits("mass[th, th] = m", "error 5:16 units do not match: the mass times both "
                                "velocities");
    misfits("constraint c: x = th", "error 5:19");
    misfits("constraint c: [x, th] = [L, L]", "error 5:25");
    misfits("output o = sin(x)",
            "error 5:16 sin takes a number without a unit, but this "
            "has [m]");
    misfits("output o = exp(L) + log(m)", "error 5:25 log takes a number");
    misfits("output o = 2^x", "error 5:14 an exponent takes a number without a unit");
    misfits("output o = x^plain", "error 5:12 a power whose exponent");
    misfits("output o = atan2(x, m)", "error 5:21");
    misfits("output o = max(x, th)", "error 5:19");
    misfits("output o = if(x > th, 1, 2)", "error 5:19");
    misfits("output o = if(x > L, x, th)", "error 5:25");
    misfits("output o = x [kg]",
            "error 5:12 units do not match: the value has [m], its "
            "declaration [kg]");
    misfits("let o [s] = x", "error 5:13");
    misfits("init x = T", "error 5:10");
    misfits("init th' = a", "error 5:12");
    misfits("event e: x set x' = x", "error 5:21");
    misfits("output o = x + mm", "the same in another size");
    misfits("constraint c: x = mm", "nothing is converted in silence");
    misfits("coord q [deg]", "error 5:10 angles are in radians");
    misfits("param q = 1 [kgg]", "error 5:14");
    misfits("output o = L [deg]", "error 5:12 an angle takes a number without a unit");
    misfits("output o = th*180/pi [deg]", "error 5:12 this is a number of degrees");
    misfits("output o = th/deg + 5 [deg]", "leave the factor 180/pi out");
    misfits("output o = if(x > L, x/L*180/pi, 2*th/deg) [deg]",
            "this is a number of deg");
    fits("output o = th [deg], p = x/L [deg], q = 2/pi*th*th [deg], r = "
         "0.3*sin(2*pi*th) [deg]");
    fits("output o = th*180/pi, p = mod(th + pi, 2*pi) - pi [deg], q = th/deg");
    misfits("component P(s [m]) { coord z\nkinetic s*z'^2 }\npart p = P(m)",
            "error 7:12 units do not match: the value has [kg], its declaration [m]");
}

// The power of an input is that of a force; an error dies out by so much in a second.
static void units_of_control_are_told(void)
{
    misfits("kinetic m*x'^2\nactuator u: x', limit = k",
            "error 6:25 units do not match: the limit has [kg/s^2], the input "
            "[kg*m/s^2]");
    misfits("kinetic m*x'^2\nactuator u: x', law = k*x, limit = k", "error 6:36");
    misfits("kinetic m*x'^2\nactuator u: x'\nservo s: x = L, rate = T",
            "error 7:24 units do not match: the rate has [s], a rate [1/s]");
    misfits("kinetic m*x'^2\nactuator u: x'\noutput o = control(u) [m]",
            "error 7:12 units do not match: the value has [kg*m/s^2]");
    misfits("kinetic m*x'^2\nactuator u: x', law = k*x\noutput o = control(u) [m]",
            "error 7:12");
    misfits("kinetic m*x'^2\nactuator u: th', law = k*x^2\noutput o = demand(u) [N]",
            "error 7:12 units do not match: the value has [kg*m^2/s^2]");
}

// All energies have one scale, that of the first.
static void energies_agree_with_each_other(void)
{
    builds("param m = 1 [g], k = 2 [g/s^2]\ncoord x [cm]\nkinetic m*x'^2\n"
           "potential k*x^2\n");
    fails("param m = 1 [g], k = 2 [kg/s^2]\ncoord x [cm]\nkinetic m*x'^2\n"
          "potential k*x^2\n",
          "note 3:9 the first energy with a unit is here");
}

static void degrees_become_radians_and_back(void)
{
    Lab lab;
    lab_build(&lab, "param a = 30 [deg]\ncoord th [rad]\nlet b = 60 [deg]\n"
                    "component C(c [deg]) { coord z\noutput o = c*z }\npart p = C(90)\n"
                    "output o = th + a [deg], q = b\n");
    near(lab.model->parameters[0].number, 3.14159265358979323846 / 6, 1e-16);
    same_text(lab.model->parameters[0].unit, "rad");
    same_text(lab_formula(&lab, lab_output(&lab, "o")), "180*(th + a)/pi");
    same_text(lab.model->outputs[1].unit, "deg");
    same_text(lab_formula(&lab, lab_output(&lab, "q")), "1/3*pi");
    same_text(lab_formula(&lab, lab_output(&lab, "p.o")), "1/2*pi*p.z");
    lab_close(&lab);
}

static void is_angle(const char *declaration, double degrees)
{
    Lab lab;
    char text[600];
    snprintf(
        text, sizeof text,
        "param al = 90 [deg], w = 0.5 [rad/s], ws = 20 [deg/s], T = 2 [s], n = 3\n"
        "param L = 2 [m], kt = 4 [N*m/rad], Mt = 2 [N*m], al2[2] = [al, 45] [deg]\n"
        "%s\ncoord x\nkinetic x'^2\n"
        "let all = [al, w, ws, T, n, L, kt, Mt, al2[1], be]\n"
        "output used = all[1]*x\n",
        declaration);
    lab_open(&lab, text);
    ok(lab.model != NULL);
    for (size_t i = 0; lab.model && i < lab.model->n_parameters; i++) {
        if (strcmp(lab.model->parameters[i].name, "be") == 0) {
            near(lab.model->parameters[i].number * 180 / 3.14159265358979323846,
                 degrees, 1e-13 * degrees);
        }
    }
    lab_close(&lab);
}

// Numbers are in degrees, angles are in radians already: nothing is converted twice.
static void degrees_are_converted_once(void)
{
    is_angle("param be = 2*al [deg]", 180);
    is_angle("param be = al [deg]", 90);
    is_angle("param be = al + 30*deg [deg]", 120);
    is_angle("param be = 30*deg [deg]", 30);
    is_angle("param be = pi/2 - al/2 [deg]", 45);
    is_angle("param be = 10*n [deg]", 30);
    is_angle("param be = 180*al/pi [deg]", 90);
    is_angle("param be = al/deg [deg]", 90);
    is_angle("param be = atan2(L, L) [deg]", 45);
    is_angle("param be = 30*sin(al) [deg]", 30);
    is_angle("param be = w*T [deg]", 180 / 3.14159265358979323846);
    is_angle("param be = ws*T [deg]", 40);
    is_angle("param be = 2*w*T [deg]", 360 / 3.14159265358979323846);
    is_angle("param be = Mt/kt [deg]", 90 / 3.14159265358979323846);
    is_angle("param be = sqrt(al^2 + al2[1]^2)/sqrt(2) [deg]", 90);
    is_angle("param be = if(n > 2, al, 0) [deg]", 90);
    is_angle("param be = min(al, al2[2]) [deg]", 45);
    is_angle("let c = 2*al [deg]\nparam be = c/2 [deg]", 90);
    is_angle("component C(g = 2*al [deg]) { param h = g }\npart p = C()\n"
             "param be = p.h [deg]",
             180);
    is_angle("component C(g [deg]) { param h = g }\npart p = C(al/3)\n"
             "param be = p.h [rad]",
             30);
}

static void mixed_angles_are_told(void)
{
    misfits("param be = a + 30 [deg]", "error 5:12 this mixes angles");
    misfits("param be = a*a [deg]", "error 5:12 this mixes angles");
    misfits("param be = if(plain > 2, a, 30) [deg]", "this mixes angles");
    misfits("param r = 1 [rev], be = 2*r [deg]", "this mixes angles");
    misfits("output o = th [deg], p = 2*o [deg]", "made of an output in degrees");
    misfits("output o = th [deg]\nlet p = 2*o [deg]", "made of an output in degrees");
}

static void overrides_in_degrees_are_converted_once(void)
{
    const char *values[] = {"60", "2*al", "al + 15*deg", "[al, 20]"};
    const double degrees[] = {60, 180, 105, 90};
    for (int i = 0; i < 4; i++) {
        const KalOverride override = {i < 3 ? "be" : "ce", values[i]};
        const KalBuildOptions options = {.overrides = &override, .n_overrides = 1};
        Lab lab;
        lab_open_with(&lab,
                      "param al = 90 [deg], be = 1 [deg], ce[2] = 0 [deg]\ncoord x\n"
                      "kinetic x'^2*(al + be + ce[1])\n",
                      &options, -1);
        ok(lab.model != NULL);
        near(lab.model ? lab.model->parameters[i < 3 ? 1 : 2].number : 0.0,
             degrees[i] * 3.14159265358979323846 / 180, 1e-15);
        lab_close(&lab);
    }
}

// An override may have a unit, which is that of its parameter.
static void overrides_have_units(void)
{
    const struct {
        KalOverride override;
        double number; // of the parameter, 0 where the build fails
    } cases[] = {
        {{"m", "3 [kg]"},       3                         },
        {{"m", "2*m0 [kg]"},    10                        },
        {{"m", "3 [g]"},        0                         },
        {{"m", "3 [m]"},        0                         },
        {{"m", "m0 [m]"},       0                         },
        {{"m", "~ 3"},          0                         },
        {{"m", "3, m0 = 2"},    0                         },
        {{"be", "60 [deg]"},    3.14159265358979323846 / 3},
        {{"plain", "60 [deg]"}, 3.14159265358979323846 / 3},
        {{"plain", "4 [m]"},    4                         },
        {{"c", "[3, 4] [kg]"},  3                         },
        {{"c[1]", "3 [kg]"},    3                         },
        {{"p.mass", "3 [kg]"},  -1                        },
        {{"p.mass", "3 [N]"},   0                         },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const KalBuildOptions options = {.overrides = &cases[i].override,
                                         .n_overrides = 1};
        Lab lab;
        lab_open_with(&lab,
                      "param m0 = 5 [kg], m = 1 [kg], be = 1 [deg], plain = 1, c[2] = "
                      "2 [kg]\ncoord x\nkinetic x'^2*(m*be*plain + c[1] + m0)\n"
                      "component P(mass [kg]) {\nkinetic mass*x'^2\n}\n"
                      "part p = P(mass = 1)\n",
                      &options, -1);
        ok((lab.model != NULL) == (cases[i].number != 0.0));
        bool found = cases[i].number <= 0.0;
        for (size_t k = 0; lab.model && k < lab.model->n_parameters; k++) {
            found = found
                    || fabs(lab.model->parameters[k].number - cases[i].number) < 1e-14;
        }
        ok(found);
        lab_close(&lab);
    }
}

// Every function, by the rule of its row: arguments without a unit, then with metres.
static void every_function_keeps_its_rule(void)
{
    for (KalOp op = KAL_OP_CONST; op < KAL_OP_COUNT; op = (KalOp)(op + 1)) {
        const bool two = kal_op_arity(op) == 2;
        const char *word = kal_op_word(op);
        const char *more = two ? ", L" : "";
        char with[200];
        if (kal_op_kind(op) != KAL_KIND_CALL || kal_op_is_spline(op)) {
            continue;
        }
        snprintf(with, sizeof with, "output o = %s(L%s)", word, more);
        const KalUnitRule rule = kal_op_units(op);
        const bool plain = rule == KAL_UNITS_PLAIN || rule == KAL_UNITS_ANGLE;
        if (plain) {
            misfits(with, "error 5:");
        } else {
            fits(with);
        }
        // The result added to a length, to an angle or to the root of a length.
        snprintf(with, sizeof with, "output o = %s(%s%s) + %s", word,
                 plain ? "x/L" : "L", more,
                 rule == KAL_UNITS_SAME ? "L"
                                        : (rule == KAL_UNITS_ROOT ? "L^0.5" : "th"));
        fits(with);
        snprintf(with, sizeof with, "output o = %s(%s%s) + m", word,
                 plain ? "x/L" : "L", more);
        misfits(with, "error 5:");
        snprintf(with, sizeof with, "output o = %s(L, T)", word);
        if (two) {
            misfits(with, "error 5:");
        }
    }
}

TAP_RUN(TAP_CASE(degrees_are_converted_once), TAP_CASE(mixed_angles_are_told),
        TAP_CASE(overrides_in_degrees_are_converted_once),
        TAP_CASE(overrides_have_units), TAP_CASE(right_units_are_no_news),
        TAP_CASE(wrong_units_are_told), TAP_CASE(units_of_control_are_told),
        TAP_CASE(energies_agree_with_each_other),
        TAP_CASE(degrees_become_radians_and_back),
        TAP_CASE(every_function_keeps_its_rule))
