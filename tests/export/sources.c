// SPDX-License-Identifier: MIT

// Every example as C: it compiles without a warning, and gives the accelerations of the library,
// bit for bit where eliminated formulas vouch for them, to rounding where the general solution
// follows.  States are those of a run, and others near them that are off the constraints.
//
// So do systems of many coordinates, whose accelerations are by sparse factors.
//
//     sources FOLDER COMPILER [FLAGS]    the compiler makes libraries that are loaded here

#include "examples.h"
#include "folder.h"
#include "rng.h"
#include "system/instant.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

enum {
    TEXT_SIZE = 1 << 16,
    COMMAND_SIZE = 8 * FOLDER_SIZE,
    SAMPLES = 6,
    STEPS = 400,
    NUMBERS = 1000 // of a state or an answer, at most
};

static const char *models;
static const char *compiler;
static const char *flags = "";
static char text[TEXT_SIZE];
static int n_exact;   // accelerations that were compared bit for bit
static int n_general; // and to rounding
static int n_outputs; // outputs
static int n_refused; // models that are not exported, by name
static int n_moved;   // models whose steps were compared
static int n_given_up;

// What the exported source is called through, the same for every model.
static const char GLUE[] =
    "#include \"model.h\"\n"
    "#include <math.h>\n"
    "int glue_solve(const double *v, int general, double *qdd, double *lambda, double "
    "*outputs);\n"
    "int glue_solve(const double *v, int general, double *qdd, double *lambda, double "
    "*outputs)\n"
    "{\n"
    "    static model_work work; /* megabytes, where there are many coordinates */\n"
    "    model_params params;\n"
    "    model_state state;\n"
    "    model_answer answer;\n"
    "    model_default_params(&params);\n"
    "    if (model_init(&work, &params) != model_OK) {\n"
    "        return -1;\n"
    "    }\n"
    "    model_start(&state);\n"
    "    state.t = *v++;\n"
    "    for (int i = 0; i < model_N; i++) {\n"
    "        state.q[i] = v[i];\n"
    "        state.qd[i] = v[model_N + i];\n"
    "    }\n"
    "#if STATES\n"
    "    for (int i = 0; i < model_S; i++) {\n"
    "        state.s[i] = v[2 * model_N + i];\n"
    "    }\n"
    "#endif\n"
    "#if HOLDS\n"
    "    for (int i = 0; i < model_H; i++) {\n"
    "        state.h[i] = v[2 * model_N + model_S + i];\n"
    "    }\n"
    "#endif\n"
    "#if CONTACTS\n"
    "    const model_status settled = model_settle(&work, &state);\n"
    "    if (settled != model_OK) {\n"
    "        return (int)settled * 2;\n"
    "    }\n"
    "#endif\n"
    "    const model_status status = general ? model_solve(&work, &state, &answer)\n"
    "                                        : model_accelerate(&work, &state, "
    "&answer);\n"
    "    for (int i = 0; i < model_N; i++) {\n"
    "        qdd[i] = answer.qdd[i];\n"
    "    }\n"
    "#if REDUNDANT\n"
    "    if (status == model_OK) {\n"
    "        (void)model_reactions(&work, &state, &answer);\n"
    "    }\n"
    "#endif\n"
    "#if ROWS\n"
    "    for (int i = 0; i < model_M; i++) {\n"
    "        lambda[i] = answer.lambda[i];\n"
    "    }\n"
    "#endif\n"
    "#if OUTPUTS\n"
    "    if (status == model_OK\n"
    "        && model_outputs(&work, &state, &answer, outputs) != model_OK) {\n"
    "        outputs[0] = NAN;\n"
    "    }\n"
    "#endif\n"
    "    (void)lambda;\n"
    "    (void)outputs;\n"
    "    return (int)status * 2 + answer.general;\n"
    "}\n"
    "int glue_run(double until, int steps, double *q);\n"
    "int glue_run(double until, int steps, double *q)\n"
    "{\n"
    "    static model_work work; /* megabytes, where there are many coordinates */\n"
    "    model_params params;\n"
    "    model_state state;\n"
    "    model_default_params(&params);\n"
    "    model_status status = model_init(&work, &params);\n"
    "    model_start(&state);\n"
    "    const double first = state.t;\n"
    "    for (int i = 1; i <= steps && status == model_OK; i++) {\n"
    "        const double t = first + (until - first) * i / steps;\n"
    "        status = model_step(&work, &state, t - state.t);\n"
    "    }\n"
    "    for (int i = 0; i < model_N; i++) {\n"
    "        q[i] = state.q[i];\n"
    "    }\n"
    "    return (int)status;\n"
    "}\n";

typedef int (*Solve)(const double *v, int general, double *qdd, double *lambda,
                     double *outputs);
typedef int (*Run)(double until, int steps, double *q);

// A model on its way.
typedef struct Trial {
    const char *name;
    KalContext *ctx;
    KalSystem *system;
    KalRun *run;   // that moves
    KalRun *first; // that stays at the start, with the rows and weights of the export
    Folder folder;
    void *library;
    Solve solve;
    Run go;
    Rng rng;
    bool redundant; // rows are left out
} Trial;

// Models of more than 200 coordinates, one for each way of sparse factors: those of all equations,
// for links by their ends; those of A M⁻¹Aᵀ with every rod twice; a coordinate in so many
// rows that masses are not eliminated on paper; triangles so flat that rounding has to be
// followed from row to row; quaternions, to whose masses rows lend their weight.  And a small one
// of remainders where they are zero.
typedef struct Many {
    const char *name;
    const char *text;
} Many;

static const Many MANY[] = {
    {"links by their ends",
     "param N = 67, l = 1/2\n"
     "coord x[N], y[N], a[N]\n"
     "for i in 1..N {\n"
     "kinetic 1/2*((x[i]' - l/2*a[i]'*sin(a[i]))^2 + (y[i]' + l/2*a[i]'*cos(a[i]))^2)\n"
     "kinetic l^2/24*a[i]'^2\n"
     "potential 9.81*(y[i] + l/2*sin(a[i]))\n"
     "init a[i] = 0.1*sin(i), a[i]' = cos(3*i)\n}\n"
     "constraint pin[1]: [x[1], y[1]] = [0, 0]\n"
     "for i in 2..N { constraint pin[i]: [x[i], y[i]] = [x[i - 1] + l*cos(a[i - 1]), "
     "y[i - 1] + l*sin(a[i - 1])] }\n"
     "simulate 0 .. 1 every 0.1\n"    },
    {"every rod twice",
     "param N = 101, l = 0.1\n"
     "coord x[N], y[N]\n"
     "for i in 1..N { kinetic 1/2*(x[i]'^2 + y[i]'^2); potential 9.81*y[i]\n"
     "init x[i] ~ l*(i - 1)*0.9, y[i] ~ -l*sin(0.2*i), x[i]' ~ 0.3*sin(i) }\n"
     "constraint pin: [x[1], y[1]] = [0, 0]\n"
     "for i in 2..N {\n"
     "constraint rod[i]: (x[i] - x[i - 1])^2 + (y[i] - y[i - 1])^2 = l^2\n"
     "constraint same[i]: 3*(x[i] - x[i - 1])^2 + 3*(y[i] - y[i - 1])^2 = 3*l^2\n}\n"
     "simulate 0 .. 1 every 0.1\n"    },
    {"a hub",
     "param N = 70\n"
     "coord X, Y, Z, x[N], y[N], z[N]\n"
     "kinetic 5/2*(X'^2 + Y'^2 + Z'^2)\n"
     "for i in 1..N { kinetic 1/2*(x[i]'^2 + y[i]'^2 + z[i]'^2); potential 9.81*z[i]\n"
     "constraint rod[i]: (x[i] - X)^2 + (y[i] - Y)^2 + (z[i] - Z)^2 = 1\n"
     "init x[i] ~ cos(i), y[i] ~ sin(i), z[i] ~ -0.5, x[i]' ~ 0.2*i/N }\n"
     "constraint hold: X = 0\n"
     "simulate 0 .. 1 every 0.1\n"    },
    {"flat triangles",
     "param N = 68, h = 3e-4\n"
     "coord x[N], y[N], z[N]\n"
     "for i in 1..N {\n"
     "kinetic 1/2*(1 + 0.3*sin(i))*(x[i]'^2 + y[i]'^2 + z[i]'^2)\n"
     "potential 9.81*z[i] + 0.3*x[i]^2*z[i]\n"
     "init x[i] = 0.1*i, y[i] = h*mod(i, 2), z[i] = 0.2*h*cos(i)\n"
     "init y[i]' ~ 0.01*sin(i), z[i]' ~ 0.3 }\n"
     "for i in 2..N { constraint rod[i]: (x[i] - x[i - 1])^2 + (y[i] - y[i - 1])^2 + "
     "(z[i] - z[i - 1])^2 = 0.01 + h^2 + 0.04*h^2*(cos(i) - cos(i - 1))^2 }\n"
     "for i in 3..N { constraint brace[i]: (x[i] - x[i - 2])^2 + (y[i] - y[i - 2])^2 + "
     "(z[i] - z[i - 2])^2 = 0.04 + 0.04*h^2*(cos(i) - cos(i - 2))^2 }\n"
     "simulate 0 .. 0.02 every 0.01\n"},
    {"bodies in space",
     "use spatial\nparam N = 31\n"
     "part b[i in 1..N] = Body(m = 1, I = [0.1, 0.2, 0.3],\n"
     "turn ~ [1, 0.1*sin(i), 0.2*cos(2*i), 0.1], spin ~ [0.3, 0.2*sin(i), 0.1])\n"
     "part top = Ball(b = b[1], at_a = [-0.5, 0, 0], at_b = [-0.5, 0, 0])\n"
     "part j[i in 2..N] = Ball(a = b[i - 1], b = b[i], at_a = [0.5, 0, 0], "
     "at_b = [-0.5, 0, 0])\n"
     "for i in 1..N { init b[i].x ~ i - 1 }\n"
     "simulate 0 .. 0.1 every 0.01\n" },
    {"multiples of what is divided by",
     "param b = 0.3, c = -0.7\n"
     "coord x, y\n"
     "kinetic 1/2*(x'^2 + y'^2)\n"
     "force x = mod(x, b) + mod(y, -b), y = mod(y, c) + mod(x, 0.7)\n"
     "init x = -3, y = 2.1, x' = 1, y' = -1\n"
     "simulate 0 .. 1 every 0.1\n"    },
};

static bool read_model(const char *name, size_t *out_length)
{
    char path[FOLDER_SIZE];
    snprintf(path, sizeof path, "%s/%s", models, name);
    FILE *file = fopen(path, "rb");
    *out_length = file ? fread(text, 1, sizeof text, file) : 0;
    return file && fclose(file) == 0 && *out_length < sizeof text;
}

static bool start(Trial *trial)
{
    KalStartReport report;
    KalRunOptions options = kal_run_options(trial->system);
    options.every = (options.until - options.from) / 1000.0; // so that there is a road
    KalRun **const runs[] = {&trial->run, &trial->first};
    bool started = true;
    for (int i = 0; i < 2 && started; i++) {
        started = kal_run_create(trial->ctx, trial->system, &options, runs[i]) == KAL_OK
                  && kal_run_start(*runs[i], &report) == KAL_OK;
    }
    return started;
}

static bool compile(Trial *trial)
{
    char command[COMMAND_SIZE];
    const KalSystem *s = trial->system;
    ok(folder_write(&trial->folder, "glue.c", GLUE));
    snprintf(command, sizeof command,
             "cd '%s' && %s -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror -O0 "
             "-ffp-contract=off %s -shared -fPIC -DSTATES=%d -DHOLDS=%d -DROWS=%d "
             "-DOUTPUTS=%d -DREDUNDANT=%d -DCONTACTS=%d model.c glue.c -o model.so -lm",
             trial->folder.path, compiler, flags, s->n_states > 0, s->n_holds > 0,
             s->m > 0, s->n_outputs > 0, trial->redundant, s->model->n_contacts > 0);
    const int status = system(command);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool load_library(Trial *trial)
{
    trial->library = dlopen(folder_file(&trial->folder, "model.so"), RTLD_NOW);
    void *symbol = trial->library ? dlsym(trial->library, "glue_solve") : NULL;
    void *second = trial->library ? dlsym(trial->library, "glue_run") : NULL;
    memcpy(&trial->solve, &symbol, sizeof symbol);
    memcpy(&trial->go, &second, sizeof second);
    return symbol && second;
}

// The accelerations of the fast road for a state, with the rows and weights of the start.
static const double *take_road(Trial *trial, const double *v)
{
    KalInstant *instant = kal_run_instant(trial->first);
    KalRoad *road = &instant->road;
    memcpy(instant->variables, v, trial->system->layout.active * sizeof *v);
    instant->modes = NULL;
    road->closed = false;
    road->back.knows = false;
    if (!kal_road_may_lead(road) || !kal_road_take(road, false)) {
        return NULL;
    }
    return kal_road_accelerations(road);
}

static double largest(const double *x, int count)
{
    double most = 1e-300;
    for (int i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static void complain(const Trial *trial, const char *what)
{
    printf("# %s: %s\n", trial->name, what);
    ok(false);
}

// A list of numbers as the library has it, to a part of the largest.  All may be zero: then so
// much is left of the terms that cancel.
static void compare(const Trial *trial, const char *what, const double *got,
                    const double *expected, int count)
{
    const double size = fmax(largest(expected, count), 1e-4);
    for (int i = 0; i < count; i++) {
        if (!(fabs(got[i] - expected[i]) <= 1e-8 * size)) {
            printf("# %s: %s %d is %.17g, not %.17g\n", trial->name, what, i, got[i],
                   expected[i]);
            ok(false);
        }
    }
}

// What the exported source says of a state.
typedef struct Said {
    int got; // twice the status, and 1 by the general solution
    double qdd[NUMBERS];
    double lambda[NUMBERS];
    double outputs[NUMBERS];
} Said;

static void ask(const Trial *trial, const double *v, int general, Said *said)
{
    memset(said, 0, sizeof *said);
    said->got = trial->solve(v, general, said->qdd, said->lambda, said->outputs);
}

// Reactions and outputs; those of a solve of all rows, where these are about as far apart.  Of
// rows that repeat each other large systems have one choice, the general solution another.
static void compare_results(Trial *trial, KalInstant *instant, const Said *said)
{
    const double *outputs = NULL;
    if (!instant->large.solver || instant->answer.n_dependent_sets == 0) {
        compare(trial, "reaction", said->lambda,
                instant->variables + trial->system->layout.reactions, trial->system->m);
    }
    if (ok(kal_instant_outputs(instant, &outputs) == KAL_OK)) {
        compare(trial, "output", said->outputs, outputs, trial->system->n_outputs);
        n_outputs += trial->system->n_outputs;
    }
}

// The same verdict as a solve of all rows, and the same numbers.
static void compare_solved(Trial *trial, const double *v, const Said *said)
{
    KalInstant *instant = NULL;
    KalMotionAnswer answer;
    ok(kal_instant_create(trial->ctx, trial->system, &instant) == KAL_OK);
    memcpy(instant->variables, v, trial->system->layout.active * sizeof *v);
    instant->contacts.stale = trial->system->model->n_contacts > 0;
    const KalStatus status = kal_instant_solve(instant, &answer);
    const bool solved = status == KAL_OK && answer.unique;
    n_general++;
    if (solved != (said->got / 2 == 0)) {
        printf("# %s: status %d, the library has %d\n", trial->name, said->got / 2,
               (int)status);
        ok(false);
    } else if (solved) {
        compare(trial, "acceleration", said->qdd, answer.qdd, trial->system->n);
        compare_results(trial, instant, said);
    }
    kal_instant_destroy(instant);
}

// Whether accelerations are by sparse factors.
static bool is_large(const Trial *trial)
{
    return kal_run_instant(trial->first)->large.solver;
}

// By sparse factors.
static void compare_large(Trial *trial, const double *v, const Said *said)
{
    KalInstant *instant = kal_run_instant(trial->first);
    KalMotionAnswer answer;
    memcpy(instant->variables, v, trial->system->layout.active * sizeof *v);
    ok(said->got == 0 && kal_instant_accelerate(instant, &answer) == KAL_OK);
    n_exact++;
    if (memcmp(answer.qdd, said->qdd, (size_t)trial->system->n * sizeof(double)) != 0) {
        complain(trial, "other bits than those of the library");
    }
}

// One state; `on`: it satisfies the constraints.
static void try_state(Trial *trial, const double *v, bool on)
{
    static Said said;
    const size_t size = (size_t)trial->system->n * sizeof(double);
    const bool changes = trial->system->model->n_contacts > 0; // rows that act
    const double *road = changes ? NULL : take_road(trial, v);
    ask(trial, v, 0, &said);
    if (road && said.got == 0) {
        n_exact++;
        if (memcmp(road, said.qdd, size) != 0) {
            complain(trial, "other bits than those of the library");
        }
    } else if (!road && said.got == 0 && !changes && !is_large(trial)) {
        complain(trial, "vouches for what the library does not");
    }
    if (is_large(trial)) {
        compare_large(trial, v, &said);
    }
    if (on) {
        compare_solved(trial, v, &said);
    }
    if (on && (v[0] == 0.0 || !is_large(trial))) { // which takes a second, if it is
        ask(trial, v, 1, &said);
        compare_solved(trial, v, &said);
    }
}

// Steps of the exported integrator lead where the run is, or say that they do not.
static void try_steps(Trial *trial, const double *v)
{
    double q[NUMBERS] = {0};
    const int n = trial->system->n;
    const int status = trial->go(v[0], STEPS, q);
    const double size = largest(v + 1, n) + 1e-3;
    n_moved += status == 0;
    n_given_up += status != 0;
    for (int i = 0; i < n && status == 0; i++) {
        if (!(fabs(q[i] - v[1 + i]) <= 1e-5 * size)) {
            printf("# %s: moved to %.17g, not %.17g\n", trial->name, q[i], v[1 + i]);
            ok(false);
        }
    }
    if (status != 0) {
        printf("# %s: steps end with status %d\n", trial->name, status);
    }
}

static void try_states(Trial *trial)
{
    const KalRunOptions options = kal_run_options(trial->system);
    const KalLayout *l = &trial->system->layout;
    double v[NUMBERS];
    for (int k = 0; k < SAMPLES; k++) {
        const double part = 0.05 * k / SAMPLES;
        const double t = options.from + part * (options.until - options.from);
        if (k > 0 && kal_run_advance(trial->run, t) != KAL_OK) {
            return;
        }
        memcpy(v, kal_run_instant(trial->run)->variables, l->active * sizeof *v);
        try_state(trial, v, true);
        if (k == 2) {
            try_steps(trial, v);
        }
        const double off = k % 2 == 0 ? 1e-6 : 1e-2;
        for (size_t i = 1; i < l->active; i++) {
            v[i] += off * (fabs(v[i]) + 0.1) * rng_entry(&trial->rng);
        }
        try_state(trial, v, false);
    }
}

static void try_export(Trial *trial)
{
    const KalExportOptions options = {.name = "model"};
    KalExportReport report;
    const KalStatus status =
        kal_export_c(trial->ctx, trial->system, &options, trial->folder.path, &report);
    if (status == KAL_ERR_USAGE || status == KAL_ERR_LIMIT) {
        printf("# %s: %s\n", trial->name, kal_context_message(trial->ctx));
        ok(folder_count(&trial->folder, "") == 0);
        n_refused++;
        return;
    }
    trial->redundant = report.redundant;
    if (!ok(status == KAL_OK) || !ok(compile(trial)) || !ok(load_library(trial))) {
        complain(trial, kal_context_message(trial->ctx));
        return;
    }
    if (start(trial)) {
        try_states(trial);
    }
}

static void try_text(const char *name, const char *model, size_t length)
{
    Trial trial = {.name = name, .rng = {.state = 1}};
    const KalLoadOptions options = {.allow_outside = false};
    const bool loaded =
        kal_context_create(NULL, NULL, &trial.ctx) == KAL_OK
        && kal_system_load(trial.ctx, name, model, length, &options, &trial.system)
               == KAL_OK;
    if (ok(loaded) && ok(folder_open(&trial.folder))) {
        try_export(&trial);
        if (trial.library) {
            dlclose(trial.library);
        }
        folder_close(&trial.folder);
    } else {
        complain(&trial, trial.ctx ? kal_context_message(trial.ctx) : "no context");
    }
    kal_run_destroy(trial.run);
    kal_run_destroy(trial.first);
    kal_system_destroy(trial.system);
    kal_context_destroy(trial.ctx);
}

static void try_model(const char *name)
{
    size_t length = 0;
    ok(read_model(name, &length));
    try_text(name, text, length);
}

static void examples_compile_and_give_the_same_bits(void)
{
    const int count = examples_each(models, try_model);
    printf("# %d models, %d refused; %d accelerations bit for bit, %d to rounding, %d "
           "outputs\n",
           count, n_refused, n_exact, n_general, n_outputs);
    ok(count > 50 && n_refused == 0);
    ok(n_exact * examples_share() > 300 && n_outputs * examples_share() > 1000);
    ok(n_moved * examples_share() > 50 && n_given_up == 0);
}

static void sparse_factors_are_those_of_the_library(void)
{
    const int share = examples_share();
    n_exact = n_moved = n_given_up = 0;
    for (int i = 0; i < (int)(sizeof MANY / sizeof MANY[0]); i++) {
        if (share == 1 || i % 2 == 0) {
            try_text(MANY[i].name, MANY[i].text, strlen(MANY[i].text));
        }
    }
    printf("# %d accelerations bit for bit\n", n_exact);
    ok(n_exact >= (share == 1 ? 48 : 24) && n_moved > 0 && n_given_up == 0);
}

int main(int argc, char **argv)
{
    static const TapCase cases[] = {
        TAP_CASE(examples_compile_and_give_the_same_bits),
        TAP_CASE(sparse_factors_are_those_of_the_library),
    };
    models = argc > 1 ? argv[1] : "examples";
    compiler = argc > 2 ? argv[2] : "cc";
    flags = argc > 3 ? argv[3] : "";
    return tap_run(cases, (int)(sizeof cases / sizeof cases[0]));
}
