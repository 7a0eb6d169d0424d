// SPDX-License-Identifier: MIT

// Topics of the help.  Lines have at most 80 columns; indented ones are printed as they are.

#include "topics.h"

#include <kalaba/kalaba.h>

#include <assert.h>
#include <string.h>

static const KalTopic topics[] = {
    {.name = "language",
     .purpose = "statements of a model, one line each",
     .text =
         "A model is a text of statements, one a line; # begins a comment.\n"
         "\n"
         "What there is:\n"
         "  model \"title\"                 optional\n"
         "  param m = 1 [kg], L = 2*m     constants, which -p replaces\n"
         "  coord x [m], th [rad], q[5]   coordinates\n"
         "  let p = [x, y]                a name for an expression\n"
         "  fn f(a, b) = a*b              a function\n"
         "  table f = \"data.csv\", x = a, y = b   a function from data\n"
         "  state i [A]: i' = u - R*i     a first-order state\n"
         "\n"
         "What moves it:\n"
         "  kinetic 1/2*m*x'^2            energies, which add up\n"
         "  potential m*g*y\n"
         "  dissipation 1/2*c*x'^2        the force is minus its derivative by x'\n"
         "  power F*x'                    of forces that are not conservative\n"
         "  force x = -k*x\n"
         "  mass[x, y] = m                an entry of the mass matrix\n"
         "\n"
         "What holds:\n"
         "  constraint rod: x^2 + y^2 = L^2\n"
         "  constraint blade: x'*sin(th) - y'*cos(th) = 0\n"
         "  prescribe x = sin(t)          a drive; drive(x) is its force\n"
         "  contact floor: y >= 0, restitution = 0.5, friction = mu, slip = x'\n"
         "  friction belt: x' - v, limit = mu*m*g\n"
         "  nonideal x = -mu*abs(reaction(rod))*sign(x')\n"
         "\n"
         "What is controlled:\n"
         "  actuator u: th', law = -k*th, limit = 5\n"
         "  servo follow: x = t^2, rate = 5\n"
         "  hold u every 0.01: -k*x       a digital controller\n"
         "\n"
         "Start, run, results:\n"
         "  init x = 1, y ~ -1            = holds, ~ is a guess\n"
         "  simulate 0 .. 10 every 0.01, rtol = 1e-9\n"
         "  output tension = -2*L*reaction(rod) [N]\n"
         "  event floor: y falling set y' = -0.8*y'\n"
         "  plot x, y                     plot x' against x\n"
         "  draw line [0, 0] -> [x, y]    circle, box, spring, path\n"
         "\n"
         "Repeating and composing:\n"
         "  for i in 1..N { constraint c[i]: x[i] = i }\n"
         "  component Link(L = 1) { coord a; kinetic L*a'^2 }\n"
         "  part link[i in 1..N] = Link(L = i)\n"
         "  use \"file.kal\"                or a library: use planar, use spatial\n"},
    {.name = "expressions",
     .purpose = "operators, functions, derivatives, vectors, sums",
     .text =
         "  + - * / ^               -x^2 is -(x^2); there is no product without *\n"
         "  x'  x''                 time derivatives, of vectors and of let names too\n"
         "  sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt erf\n"
         "  abs sign min max hypot floor ceil mod\n"
         "  if(x > 0, a, b)         with < <= > >= == != and or not\n"
         "  [a, b, c]  v[1]  v.x    vectors; a matrix is a vector of rows\n"
         "  dot cross norm transpose\n"
         "  sum(i in 1..N : x[i])   sum(i in 1..N, i != k : x[i])\n"
         "  t, pi, deg              the time, 3.14..., pi/180\n"
         "\n"
         "In outputs, events and laws also:\n"
         "  reaction(c)             multiplier of a constraint as typed\n"
         "  cforce(x)               constraint force on a coordinate\n"
         "  drive(x)  control(u)  demand(u)  active(c)  energy()\n"                 },
    {.name = "units",
     .purpose = "units in brackets, degrees, what is checked",
     .text =
         "A unit stands in brackets behind a name or a value, after a space: 1.5 [m].\n"
         "It is a product of powers: [kg*m^2], [m/s^2], [N*m*s/rad], [1/s]; SI units "
         "with\n"
         "prefixes, and min, h, t, l, bar, deg, rev, rpm.\n"
         "\n"
         "Sums, equations and arguments of functions are checked.  Whole numbers and\n"
         "fractions of them are pure numbers; other numbers and names without a unit "
         "match\n"
         "any.  Nothing is converted in silence, but for degrees: param a = 30 [deg] "
         "is\n"
         "pi/6, and so is 30*deg.  Coordinates are in radians; output a = th [deg] "
         "shows\n"
         "degrees.  Values of --at, --vary and their likes may have units too.\n"   },
    {.name = "starts",
     .purpose = "where a motion begins: init, --at, guesses",
     .text = "init x = 1 holds exactly; init y ~ -1, and all that is not named (0), is "
             "a guess\n"
             "that moves onto the constraints as little as possible.  kalaba check "
             "tells what\n"
             "moved, or which constraints cannot be met with what is held: then hold "
             "less.\n"
             "\n"
             "  --at \"x = 1, th = 30 [deg], x' = 2\"\n"
             "\n"
             "replaces values: eval, modes and linearize take them as they are; of run "
             "they\n"
             "hold, and others follow the constraints; equilibria searches from near "
             "there.\n"                                                             },
    {.name = "tables",
     .purpose = "files of results: CSV, HDF5, MAT, JSON, standard output",
     .text = "The ending of -o FILE says how a table is written:\n"
             "  .csv           names, then rows; the units of out.csv are in "
             "out.units.csv\n"
             "  .h5, .hdf5     HDF5 with units, parameters, and the text of the model\n"
             "  .mat           MATLAB version 4, as Modelica tools read it\n"
             "  .json          one object\n"
             "  -              CSV to standard output, for a pipe\n"
             "\n"
             "A file is whole or not there; one that is incomplete says so.  No file "
             "that the\n"
             "command reads is written over.\n"                                     },
};

enum {
    N_TOPICS = sizeof topics / sizeof topics[0]
};

const KalTopic *kal_topics_get(int *out_count)
{
    assert(out_count);
    *out_count = N_TOPICS;
    return topics;
}

const KalTopic *kal_topic_find(const char *name)
{
    assert(name);
    for (int i = 0; i < N_TOPICS; i++) {
        if (strcmp(name, topics[i].name) == 0) {
            return &topics[i];
        }
    }
    return NULL;
}

const char *kal_topic_find_near(const char *name)
{
    assert(name);
    const char *names[N_TOPICS];
    for (int i = 0; i < N_TOPICS; i++) {
        names[i] = topics[i].name;
    }
    return kal_word_find_near(name, names, N_TOPICS);
}
