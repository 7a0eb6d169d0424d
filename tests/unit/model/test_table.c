// SPDX-License-Identifier: MIT

// Tables: from texts and files to formulas, and what is said of those that are wrong.

#include "model.h"

// A file that models here may use: its path and text.
typedef struct Data {
    const char *path;
    const char *text;
} Data;

static KalStatus read_data(void *user, KalSources *sources, const char *path,
                           const KalSource **out_source)
{
    const Data *data = user;
    if (strcmp(path, data->path) != 0) {
        return kal_fail(kal_sources_context(sources), KAL_ERR_FILE, "no file %s", path);
    }
    return kal_sources_add(sources, path, data->text, strlen(data->text), out_source);
}

static void open_file(Lab *lab, const char *text, const char *file, long calls_left)
{
    const Data data = {"d.csv", file};
    const KalBuildOptions options = {.read = read_data, .user = (void *)&data};
    lab_open_with(lab, text, &options, calls_left);
}

static void points_stand_in_the_model(void)
{
    Lab lab;
    lab_build(&lab, "param a = 2, xs[3] = [0, 1, a]\n"
                    "table f = xs, [0, 5, 2*a], method = linear, outside = extend\n"
                    "coord x\noutput o = f(0.5), p = f(3), s = f'(1), r = f(2*x)'\n");
    near(lab_number(&lab, "o", 0), 2.5, 1e-15);
    near(lab_number(&lab, "p", 0), 3.0, 1e-15);
    near(lab_number(&lab, "s", 0), -1.0, 1e-15); // the one to the right
    same_text(lab_formula(&lab, lab_output(&lab, "r")), "2*x'*f'(2*x)");
    ok(lab.model->n_tables == 1 && lab.model->tables[0].spline->pieces == 2);
    ok(lab.model->parameters[0].structural); // of another value it is another table
    lab_close(&lab);
}

static void points_stand_in_a_file(void)
{
    Lab lab;
    open_file(&lab,
              "table f [m] = \"d.csv\", x = time, y = \"a b\"\n"
              "table g = \"d.csv\", outside = hold\ncoord q [m]\n"
              "output o = f(1) + q, p = g(9)\n",
              "# of a sensor\ntime,other,a b\n0,7,1\n\n1,8,4\n2,9,9\n", -1);
    ok(lab.status == KAL_OK);
    near(lab_number(&lab, "o", 3), 4.0 + lab_symbol("q", 3), 1e-14);
    near(lab_number(&lab, "p", 0), 9.0, 1e-14);
    lab_close(&lab);
}

static void parts_have_tables_of_their_own(void)
{
    Lab lab;
    lab_build(&lab, "component Cam(lift) {\n table h = [0, 1, 2], lift\n"
                    " let half = h(1)/2\n}\n"
                    "part a = Cam([0, 2, 0]), b = Cam([0, 3, 0])\n"
                    "coord x\noutput o = a.half + b.h(x), s = b.h''(x)\n");
    same_text(lab_formula(&lab, lab_output(&lab, "s")), "b.h''(x)");
    near(lab_number(&lab, "s", 0), -6.0, 1e-13);
    lab_close(&lab);
}

static void degrees_become_radians(void)
{
    Lab lab;
    lab_build(&lab, "table f [deg] = [0, 1, 2], [0, 90, 180]\noutput o = f(1)\n");
    near(lab_number(&lab, "o", 0), acos(-1.0) / 2.0, 1e-15);
    lab_close(&lab);
}

static void units_are_checked(void)
{
    builds("param k = 2 [N/m], L = 1 [m]\ntable f [N] = [0*L, L, 2*L], [0, 1, 4]\n"
           "coord x [m]\noutput o = f(x) + k*x, s = f'(x) + k\n");
    says("table f [N] = [0, 1, 2], [0, 1, 4]\ncoord x [m]\noutput o = f(x) + x\n",
         KAL_ERR_SYNTAX, "units do not match");
    says(
        "param L = 1 [m], T = 1 [s]\ntable f = [0*L, L], [0.0, 1.0]\noutput o = f(T)\n",
        KAL_ERR_SYNTAX, "units do not match");
    says(
        "param L = 1 [m], T = 1 [s]\ntable f = [L, 2*T], [0.0, 1.0]\noutput o = f(L)\n",
        KAL_ERR_SYNTAX, "units do not match");
}

static void mistakes_are_told(void)
{
    static const char *const rows[][2] = {
        {"table f = [0, 1, 2], [1, 2]\n",                   "error 1:22 a table has as many values"},
        {"table f = [0, 1, 1], [1, 2, 3]\n",                "error 1:11 arguments have to rise"    },
        {"table f = [0], [1]\n",                            "two points"                           },
        {"coord x\ntable f = [0, x], [1, 2]\n",
         "coordinates cannot be used in a table"                                                   },
        {"table f = [0, 1], [1, 2], method = liner\n",      "did you mean linear?"                 },
        {"table f = [0, 1], [1, 2], outside = wrap\n",      "expected"                             },
        {"table f = [0, 1], [1, 2], x = a\n",               "columns of a file"                    },
        {"table f = \"d.csv\"\n",                           "files cannot be used here"            },
        {"table f = [0, 1], [1, 2]\noutput o = f + 1\n",
         "'f' is a table; it is called as f(…)"                                                  },
        {"table f = [0, 1], [1, 2]\noutput o = f(1, 2)\n",  "takes 1 argument"                     },
        {"table f = [0, 1], [1, 2]\noutput o = f''''(1)\n", "to the order 3"                       },
        {"fn f(x) = x^2\noutput o = f'(1)\n",               "a function has no derivative"         },
        {"coord x\noutput o = x'(1)\n",                     "a product is written with *"          },
        {"table f = [0, 1], [1, 2]\nparam f = 1\n",         "'f' is declared twice"                },
        {"table f = [0, 1], [1, 2], outside = repeat\n",    "begins with"                          },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        says(rows[i][0], KAL_ERR_SYNTAX, rows[i][1]);
    }
    says("table f = [0, 1], [1, 2]\n", KAL_OK, "the table 'f' is never used");
}

static void files_that_are_wrong_are_told_with_their_lines(void)
{
    static const char *const rows[][2] = {
        {"x,y\n0,1\n# c\n\n1,nan\n", "d.csv:5: a number is not finite"        },
        {"x,y\n0,1\n2,1\n1,3\n",     "d.csv:4: arguments have to rise"        },
        {"x,y\n0,1\n",               "two points"                             },
        {"x,y\n0,1\n1,two\n",        "d.csv:3:3: 'two' found"                 },
        {"x,z\n0,1\n1,2\n",          "no such column in the file; it has x, z"},
        {"0,1\n1,2\n",               "expected the names of the columns"      },
        {"",                         "the text ends here"                     },
        {"\"x\n",                    "without an end"                         },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Lab lab;
        open_file(&lab, "table f = \"d.csv\", x = x, y = y\noutput o = f(0)\n",
                  rows[i][0], -1);
        ok(lab.status == KAL_ERR_SYNTAX);
        has_text(lab_messages(&lab), rows[i][1]);
        lab_close(&lab);
    }
    Lab lab;
    open_file(&lab, "table f = \"../d.csv\"\noutput o = f(0)\n", "", -1);
    has_text(lab_messages(&lab), "absolute paths and '..' are refused");
    lab_close(&lab);
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    long calls = 0;
    for (; status == KAL_ERR_NOMEM && calls < 2000; calls++) {
        Lab lab;
        open_file(
            &lab,
            "table f = \"d.csv\"\ntable g = [0, 1, 2], [1, 2, 1], outside = repeat\n"
            "output o = f(1) + g'(t)\n",
            "x,y\n0,1\n1,2\n3,5\n", calls);
        status = lab.status;
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !lab.model));
        if (lab.ctx) {
            lab.fault.calls_left = -1;
            lab_close(&lab);
        }
    }
    ok(status == KAL_OK && calls > 20);
}

TAP_RUN(TAP_CASE(points_stand_in_the_model), TAP_CASE(points_stand_in_a_file),
        TAP_CASE(parts_have_tables_of_their_own), TAP_CASE(degrees_become_radians),
        TAP_CASE(units_are_checked), TAP_CASE(mistakes_are_told),
        TAP_CASE(files_that_are_wrong_are_told_with_their_lines),
        TAP_CASE(every_allocation_may_fail))
