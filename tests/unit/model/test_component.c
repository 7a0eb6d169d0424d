// SPDX-License-Identifier: MIT

// Components, parts, functions in them, files and libraries, overrides.

#include "model.h"

static void parts_have_members(void)
{
    Lab lab;
    lab_build(
        &lab,
        "param g = 10\n"
        "component Mass(m, h = 2*m, at = [0, 0]) {\n"
        "  param k = 3*m\n  coord x, y[2]\n  let r = at + [x, h]\n"
        "  kinetic 1/2*m*x'^2 + y[1]'^2 + y[2]'^2\n  potential m*g*x\n"
        "  constraint c: x = k\n  output o = r\n  init x = m\n"
        "  event e: x stop\n  fn f(a) = a + x\n"
        "}\n"
        "part a = Mass(1), b[i in 1..2] = Mass(m = i, at = [i, 0])\n"
        "init b[2].x = 7\n"
        "output p = b[2].r.x + a.h + a.f(10) + b[1].y[2]', q = reaction(b[2].c)\n");
    const char *names[] = {"a.x",       "a.y[1]", "a.y[2]",    "b[1].x",   "b[1].y[1]",
                           "b[1].y[2]", "b[2].x", "b[2].y[1]", "b[2].y[2]"};
    ok(lab.model->n_coordinates == 9);
    for (size_t i = 0; i < 9; i++) {
        same_text(lab.model->coordinates[i].name, names[i]);
    }
    same_text(lab.model->parameters[2].name, "b[1].k");
    near(lab.model->parameters[3].number, 6.0, 0.0);
    same_text(lab.model->constraints[2].name, "b[2].c");
    same_text(lab.model->events[1].name, "b[1].e");
    same_text(lab_formula(&lab, lab_output(&lab, "p")),
              "b[2].x + a.x + b[1].y[2]' + 14");
    same_text(lab_formula(&lab, lab_output(&lab, "q")), "reaction(b[2].c)");
    same_text(lab_formula(&lab, lab_output(&lab, "b[1].o.x")), "b[1].x + 1");
    same_text(lab_formula(&lab, lab.model->coordinates[6].start_q.value), "7");
    same_text(lab_formula(&lab, lab.model->coordinates[3].start_q.value), "1");
    lab_close(&lab);
}

// Elements one by one: what follows may use those before.
static void parts_can_be_elements(void)
{
    Lab lab;
    lab_build(&lab,
              "component Bar(from = [0, 0], L = 1) {\n  coord th\n"
              "  let tip = from + L*[sin(th), cos(th)]\n  kinetic th'^2\n}\n"
              "for k in 1..3 {\n"
              "  part bar[k] = Bar(L = k, from = if(k == 1, [0, 0], bar[k-1].tip))\n"
              "  for j in 1..2 { part net[k][j] = Bar(L = k + j) }\n}\n"
              "output y = bar[2].tip.y, z = net[3][2].tip.y\n");
    ok(lab.model->n_coordinates == 9);
    same_text(lab.model->coordinates[0].name, "bar[1].th");
    same_text(lab.model->coordinates[2].name, "net[1][2].th");
    same_text(lab_formula(&lab, lab_output(&lab, "y")),
              "cos(bar[1].th) + 2*cos(bar[2].th)");
    same_text(lab_formula(&lab, lab_output(&lab, "z")), "5*cos(net[3][2].th)");
    lab_close(&lab);
}

static void parts_can_be_arguments(void)
{
    Lab lab;
    lab_build(&lab,
              "component Body { coord x, y\nlet r = [x, y]\nkinetic x'^2 + y'^2 }\n"
              "component Pin(a, b, p = [1, 0]) { constraint at: a.r = b.r + p }\n"
              "component Two { part u = Body, v = Body\npart j = Pin(u, v) }\n"
              "part s = Body, w = Two\npart k = Pin(a = s, b = w.v, p = w.u.r)\n"
              "part l[i in 1..3] = Pin(a = s, b = if(i == 1, w.u, w.v))\n"
              "output o = reaction(w.j.at).x + reaction(l[2].at.y)\n");
    same_text(lab.model->constraints[1].name, "w.j.at.y");
    same_text(lab_formula(&lab, lab.model->constraints[0].residual),
              "w.u.x - w.v.x - 1");
    same_text(lab_formula(&lab, lab.model->constraints[2].residual),
              "s.x - w.v.x - w.u.x");
    same_text(lab_formula(&lab, lab_output(&lab, "o")),
              "reaction(w.j.at.x) + reaction(l[2].at.y)");
    lab_close(&lab);
}

// What is made of a guess is a guess; what is given by '=' holds.
static void arguments_can_be_guesses(void)
{
    Lab lab;
    const char *text =
        "component A(at ~ [1, 2], w = 3) { coord x, y\nkinetic x'^2 + y'^2\n"
        "let far = 2*at\ninit x = far.x, y = w, x' = w*y, y' = -at.y*x }\n"
        "part a = A, b = A(at = [4, 5]), c = A(at ~ [4, 5], w ~ 6), d = A([7, 8])\n";
    const KalStartKind held = KAL_START_HELD;
    const KalStartKind about = KAL_START_ABOUT;
    const KalStartKind kinds[4][4] = {
        {about, held,  held,  about},
        {held,  held,  held,  held },
        {about, about, about, about},
        {held,  held,  held,  held },
    };
    lab_build(&lab, text);
    for (int i = 0; i < 4; i++) {
        const KalCoordinate *of = lab.model->coordinates + 2 * (size_t)i;
        ok(of[0].start_q.kind == kinds[i][0] && of[1].start_q.kind == kinds[i][1]);
        ok(of[0].start_v.kind == kinds[i][2] && of[1].start_v.kind == kinds[i][3]);
    }
    same_text(lab_formula(&lab, lab.model->coordinates[4].start_q.value), "8");
    same_text(lab_formula(&lab, lab.model->coordinates[4].start_v.value), "6*c.y");
    lab_close(&lab);
    fails("coord x\ncomponent A(a ~ 1) { potential a*x }\ncomponent B { let z = x }\n"
          "part b = B, c = A(a ~ b)\n",
          "a part is given by '='");
    fails("coord x, y\nkinetic x'^2 + y'^2\ninit x = y\n",
          "error 3:10 coordinates cannot be used in a start value");
    fails("coord x, y\nkinetic x'^2 + y'^2\ninit x' = y'\n",
          "error 3:11 velocities cannot be used in the start value of a velocity");
}

// A chain whose links hang on each other.
static void parts_can_refer_to_those_before_them(void)
{
    Lab lab;
    lab_build(
        &lab,
        "component Link(from, L) { coord a\nlet tip = from + L*[sin(a), cos(a)]\n"
        "kinetic dot(tip', tip') }\n"
        "part link[i in 1..3] = Link(from = if(i == 1, [0, 0], link[i-1].tip), L = i)\n"
        "output o = link[3].tip.x\n");
    same_text(lab_formula(&lab, lab_output(&lab, "o")),
              "sin(link[1].a) + 2*sin(link[2].a) + 3*sin(link[3].a)");
    lab_close(&lab);
}

static void inner_names_hide_outer_ones(void)
{
    Lab lab;
    lab_build(&lab, "param m = 1, g = 9\nfn f(x) = g*x\n"
                    "component A(m) { param g = 2\ncoord x\nkinetic f(m)*g*x'^2 }\n"
                    "part a = A(m = 10)\n");
    same_text(lab_formula(&lab, lab.model->contributions[0].value), "10*g*a.g*a.x'^2");
    lab_close(&lab);
}

static void start_values_further_out_win(void)
{
    Lab lab;
    lab_build(&lab,
              "component A { coord x, y\nkinetic x'^2 + y'^2\ninit x = 1, y ~ 2 }\n"
              "component B { part a = A\ninit a.x = 3 }\n"
              "part b = B\ninit b.a.x ~ 4\n");
    ok(lab.model->coordinates[0].start_q.kind == KAL_START_ABOUT);
    same_text(lab_formula(&lab, lab.model->coordinates[0].start_q.value), "4");
    same_text(lab_formula(&lab, lab.model->coordinates[1].start_q.value), "2");
    lab_close(&lab);
    fails("component A { coord x\nkinetic x'^2\ninit x = 1\ninit x = 2 }\npart a = A\n",
          "error 4:6 this has a start value already\nnote 3:6 the first is here");
}

static void circles_are_refused(void)
{
    fails("component A { part b = B }\ncomponent B { part a = A }\npart x = A\n",
          "error 2:24 a component cannot contain itself: A > B > A");
    fails("fn f(x) = g(x)\nfn g(x) = f(x)\noutput o = f(1)\n",
          "error 2:11 the function 'f' calls itself");
    fails("component A(p) { coord x }\npart a = A(p = a)\n",
          "error 2:16 'a' is not there yet");
}

static void arguments_are_checked(void)
{
    const char *component =
        "component A(inert, k = 2) { coord x\nkinetic inert*k*x'^2 }\n";
    const char *calls[][2] = {
        {"part a = A()",                             "3:10 the argument 'inert' is missing"        },
        {"part a = A(1, 2, 3)",                      "3:18 the component has only 2 arguments"     },
        {"part a = A(iner = 1)",                     "no argument 'iner'; did you mean 'inert'?"   },
        {"part a = A(zzzz = 1)",                     "has no argument 'zzzz'; it has inert, k"     },
        {"part a = A(1, inert = 2)",                 "3:15 this argument is given twice"           },
        {"part a = B(1)",                            "3:10 unknown name 'B'"                       },
        {"param q = 1\npart a = q(1)",               "4:10 expected the name of a component"       },
        {"part a = A(1)\nlet y = a.z",               "4:11 the part has no 'z'; it has inert, k, x"},
        {"part a = A(1)\nlet y = a.kk",              "the part has no 'kk'"                        },
        {"part a = A(1)\nlet y = a + 1",             "a part and a number do not go together"      },
        {"part a[i in 1..2] = A(1)\nlet y = a.x",    "an index chooses one"                        },
        {"part a = A(1)\npart a = A(2)",             "4:6 'a' is declared twice"                   },
        {"part a[3] = A(1)",                         "part a[i in 1..3] = … makes three"         },
        {"for i in 1..2 { part a[i][3] = A(1) }",    "is that of a loop"                           },
        {"for i in 1..2 { part a[1 + 0*i] = A(1) }", "(here i = 2)"                                },
        {"for i in 1..2 { part a = A(1) }",          "as in a[i]"                                  },
        {"for i in 1..2 { component C { } }",
         "a component is defined outside of loops"                                                 },
        {"fn f(a, a) = a",                           "3:9 two arguments have this name"            },
        {"fn f(a) = a\nlet y = f(1, 2)",             "4:9 f takes 1 argument, not 2"               },
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        char text[500];
        snprintf(text, sizeof text, "%s%s\n", component, calls[i][0]);
        fails(text, calls[i][1]);
    }
}

// Files.

typedef struct File {
    const char *path;
    const char *text;
} File;

static KalStatus read_file(void *user, KalSources *sources, const char *path,
                           const KalSource **out_source)
{
    for (const File *file = user; file->path; file++) {
        if (strcmp(file->path, path) == 0) {
            return kal_sources_add(sources, path, file->text, strlen(file->text),
                                   out_source);
        }
    }
    return kal_fail(kal_sources_context(sources), KAL_ERR_FILE, "cannot read %s", path);
}

static void files_are_used_once(void)
{
    File files[] = {
        {"parts/a.kal", "use \"b.kal\"\nparam a = 2*b\n"   },
        {"parts/b.kal", "model \"B\"\nparam b = 3, c = 1\n"},
        {NULL,          NULL                               }
    };
    const KalBuildOptions options = {.read = read_file, .user = files};
    Lab lab;
    lab_open_with(&lab,
                  "use \"parts/a.kal\"\nuse \"./parts/b.kal\"\ncoord x\n"
                  "kinetic a*b*x'^2\n",
                  &options, -1);
    ok(lab.status == KAL_OK);
    same_text(lab_messages(&lab), ""); // c is not used, but that is the file's affair
    ok(lab.model && lab.model->n_parameters == 3);
    same_text(lab.model->title, "");
    lab_close(&lab);
}

// An error in a file that is used says who asked for it.
static void errors_of_used_files_lead_to_the_part(void)
{
    File files[] = {
        {"a.kal", "component A(I) { coord x\nkinetic I.x*x'^2 }\n"},
        {NULL,    NULL                                            }
    };
    const KalBuildOptions options = {.read = read_file, .user = files};
    Lab lab;
    lab_open_with(&lab, "use \"a.kal\"\npart b = A([1, 2])\npart c = A(3)\n", &options,
                  -1);
    same_text(lab_messages(&lab), "error 2:11 a number has no member 'x'\n"
                                  "note 3:10 the part that is made here asks for it\n");
    lab_close(&lab);
}

// What is no coordinate of a part may be one of its arguments.
static void starts_by_arguments_are_pointed_to(void)
{
    static const char body[] = "component B(m, turn ~ 1, spin ~ [0, 0]) {\n"
                               "coord x, y\nlet w = [x, y']\ninit x' = spin.x\n}\n"
                               "component A(m) {\ncoord x\npart inner = B(m)\n}\n";
    static const char note[] = "besides its coordinates, arguments say how this part "
                               "starts: turn, spin\n";
    static const char *const targets[] = {"b.w = [1, 2]", "b.w.y = 1", "b.spin = 1",
                                          "c.inner.w' = 1", "d[2].w = 0"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "%spart b = B(1), c = A(2), d[i in 1..2] = B(i)\ninit %s\n", body,
                 targets[i]);
        Lab lab;
        lab_open(&lab, text);
        ok(strstr(lab_messages(&lab), "is not a coordinate\nnote ") != NULL);
        ok(strstr(lab_messages(&lab), note) != NULL);
        lab_close(&lab);
    }
}

// The same file by other names is the same file.
static void paths_are_simplified(void)
{
    File files[] = {
        {"parts/a.kal",      "use \"../b.kal\"\nuse \"deep/c.kal\"\n"  },
        {"parts/deep/c.kal", "use \"../../b.kal\"\nuse \"../a2.kal\"\n"},
        {"parts/a2.kal",     "use \"deep/.././/../parts/../b.kal\"\n"  },
        {"b.kal",            "param b = 3\n"                           },
        {"../up.kal",        "param up = 3\n"                          },
        {"/abs/x.kal",       "use \"../abs/./x2.kal\"\n"               },
        {"/abs/x2.kal",      "param x2 = 3\n"                          },
        {NULL,               NULL                                      }
    };
    const KalBuildOptions options = {
        .read = read_file, .user = files, .allow_outside = true};
    Lab lab;
    lab_open_with(
        &lab,
        "use \"parts/a.kal\"\nuse \"b.kal\"\nuse \"../up.kal\"\n"
        "use \"x/../../up.kal\"\nuse \"/abs/x.kal\"\nuse \"/abs/../abs/x2.kal\"\n"
        "coord x\nkinetic b*up*x2*x'^2\n",
        &options, -1);
    same_text(lab_messages(&lab), "");
    ok(lab.model && lab.model->n_parameters == 3);
    lab_close(&lab);
}

static void fails_with_files(const char *text, bool outside, const char *part)
{
    File files[] = {
        {"a.kal",      "use \"b.kal\"\n"                     },
        {"b.kal",      "use \"a.kal\"\n"                     },
        {"bad.kal",    "param a = \nparam b = c\n"           },
        {"wrong.kal",  "param b = c\n"                       },
        {"run.kal",    "coord q\nsimulate 0 .. 1 every 0.1\n"},
        {"../top.kal", "param top = 1\n"                     },
        {NULL,         NULL                                  }
    };
    const KalBuildOptions options = {
        .read = read_file, .user = files, .allow_outside = outside};
    Lab lab;
    lab_open_with(&lab, text, &options, -1);
    ok(lab.status == KAL_ERR_SYNTAX && !lab.model);
    has_text(lab_messages(&lab), part);
    lab_close(&lab);
}

static void wrong_files_are_told(void)
{
    fails_with_files("use \"a.kal\"\n", false,
                     "in a circle: a.kal uses b.kal uses a.kal");
    fails_with_files(
        "use \"m.kal\"\n", false,
        "error 1:5 files cannot use each other in a circle: m.kal uses m.kal");
    fails_with_files("use \"bad.kal\"\n", false, "note 1:5 it is used here");
    fails_with_files("use \"wrong.kal\"\n", false, "error 1:11 unknown name 'c'");
    fails_with_files("use \"run.kal\"\n", false, "simulate stands in the model itself");
    fails_with_files("use \"none.kal\"\n", false, "error 1:5 cannot read none.kal");
    fails_with_files("use \"../top.kal\"\n", false,
                     "absolute paths and '..' are refused");
    fails_with_files("use \"x/../../top.kal\"\n", false, "are refused");
    fails_with_files("use \"/etc/passwd\"\n", false, "are refused");
    fails_with_files("use \"../top.kal\"\nuse \"/q.kal\"\n", true,
                     "cannot read /q.kal");
    fails_with_files("use \"\"\n", true, "expected the path of a file");
    fails_with_files("use planer\n", false, "did you mean 'planar'?");
    fails_with_files("use qwertyuiop\n", false, "a file stands in quotes");
    fails_with_files("for i in 1..2 { use planar }\n", false,
                     "outside of components and loops");
    fails("use \"a.kal\"\n", "error 1:5 files cannot be used here");
}

static void libraries_are_there(void)
{
    builds("use planar\nuse planar\n"
           "part a = Body(m = 1, I = 2), pin = Pin(b = a, at_b = [0, 1])\n"
           "output f = reaction(pin.point)\n");
    builds("use spatial\n");
}

// Overrides.

static void overrides_take_the_place_of_values(void)
{
    const KalOverride overrides[] = {
        {"n",      "4"     },
        {"m",      "5"     },
        {"m[2]",   "2*n"   },
        {"v",      "[1, 2]"},
        {"a",      "60"    },
        {"p[2].k", "m[1]"  },
        {"p[1].q", "10"    },
        {"e",      "[7, 8]"},
        {"r",      "30*deg"}
    };
    const KalBuildOptions options = {
        .overrides = overrides, .n_overrides = sizeof overrides / sizeof overrides[0]};
    const char *text = "param n = 2, m[n] = 1 [kg], a = 30 [deg], v = [0, 0], r = 0\n"
                       "for i in 1..2 { param e[i] = i }\n"
                       "component C(q) { param k = q\ncoord x\nkinetic q*k*x'^2 }\n"
                       "part p[i in 1..2] = C(i)\ncoord x[n]\n"
                       "kinetic a*x[4]'^2*m[1]*v[1]*e[1]*r\n";
    const char *names[] = {"n",    "m[1]", "m[2]", "m[3]", "m[4]",   "a",     "v[1]",
                           "v[2]", "r",    "e[1]", "e[2]", "p[1].k", "p[2].k"};
    const double pi = 3.14159265358979323846;
    const double numbers[] = {4, 5, 8, 5, 5, pi / 3, 1, 2, pi / 6, 7, 8, 10, 5};
    Lab lab;
    lab_open_with(&lab, text, &options, -1);
    same_text(lab_messages(&lab), "");
    ok(lab.model && lab.model->n_parameters == 13 && lab.model->n_coordinates == 6);
    for (size_t i = 0; lab.model && i < 13; i++) {
        same_text(lab.model->parameters[i].name, names[i]);
        near(lab.model->parameters[i].number, numbers[i], 1e-15);
        ok(lab.model->parameters[i].overridden == (i != 11));
    }
    lab_close(&lab);
}

static void fails_with_override(const char *name, const char *value, const char *part)
{
    const KalOverride overrides[] = {
        {name, value}
    };
    const KalBuildOptions options = {.overrides = overrides, .n_overrides = 1};
    Lab lab;
    lab_open_with(&lab,
                  "param inert = 1, x0[2] = 0\ncoord q\nkinetic inert*x0[1]*q'^2\n",
                  &options, -1);
    ok(lab.status == KAL_ERR_SYNTAX && !lab.model);
    has_text(lab_messages(&lab), part);
    has_text(kal_context_message(lab.ctx), "-p:1:");
    lab_close(&lab);
}

static void wrong_overrides_are_told(void)
{
    fails_with_override("iner", "2",
                        "error 1:1 the model has no parameter 'iner'; did you "
                        "mean 'inert'?");
    fails_with_override("q", "2", "error 1:1 the model has no parameter 'q'");
    fails_with_override("inert", "", "error 1:7 expected an expression");
    fails_with_override("inert", "2 3", "error 1:");
    fails_with_override("inert", "2\nmodel \"x\"", "expected name=value");
    fails_with_override("2", "2", "error 1:1 expected name=value");
    fails_with_override("inert", "2,m=3", "error 1:1 expected one name=value");
    fails_with_override("", "2", "error 1:1 expected name=value");
    fails_with_override("x0[inert]", "2", "expected name=value");
    fails_with_override("inert'", "2", "error 1:1 expected name=value");
    fails_with_override("inert", "2 [kgg]", "error 1:10 unknown unit 'kgg'");
    fails_with_override("inert", "q", "unknown name 'q'");
    fails_with_override("inert", "2*inert",
                        "error 1:7 the value of a parameter is made of");
    fails_with_override("x0[1]", "2*x0[1]",
                        "error 1:7 the value of a parameter is made of");
    fails_with_override("inert", "[1, 2]", "expected a number, found a vector");
    fails_with_override("x0", "[1, 2, 3]", "expected a vector of 2 elements");
    fails_with_override("x0[3]", "1", "the model has no parameter 'x0[3]'");
    fails_with_override("inert", "1/0", "error 1:9 this divides by zero");
    fails_with_override("inert", "t", "the time t cannot be used");
    fails_with_override("inert", "exp(1000)", "expected a finite number");
}

TAP_RUN(TAP_CASE(parts_have_members), TAP_CASE(parts_can_be_elements),
        TAP_CASE(parts_can_be_arguments), TAP_CASE(arguments_can_be_guesses),
        TAP_CASE(parts_can_refer_to_those_before_them),
        TAP_CASE(inner_names_hide_outer_ones), TAP_CASE(start_values_further_out_win),
        TAP_CASE(circles_are_refused), TAP_CASE(arguments_are_checked),
        TAP_CASE(files_are_used_once), TAP_CASE(errors_of_used_files_lead_to_the_part),
        TAP_CASE(starts_by_arguments_are_pointed_to), TAP_CASE(paths_are_simplified),
        TAP_CASE(wrong_files_are_told), TAP_CASE(libraries_are_there),
        TAP_CASE(overrides_take_the_place_of_values),
        TAP_CASE(wrong_overrides_are_told))
