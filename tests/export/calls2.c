// SPDX-License-Identifier: MIT

// Calls of FMI 2 at random, in and out of order, with good and bad values, to two instances of an
// exported unit, which is part of this program: compiled with sanitizers they say if memory is
// touched that is nobody's.  What the standard allows (FMI 2.0, figures 5 and 6) is in a table of
// its own here.  A call that it does not allow is refused and changes nothing; neither does one
// with a bad value.
//
//     cc -DUNIT='"NAME_fmu.c"' calls2.c … ;  calls2 SEED CALLS

#include UNIT

enum {
    UNITS = 2,
    SAVED = 4,
    BYTES = 1 << 16,
    STATES = NX,
    CANNOT_FAIL = 2, // of `good` values, of which 0 are bad and 1 may be
    UNREADABLE = 3
};

// Where calls are allowed, as sets of modes.
enum {
    I = IN(INSTANTIATED),
    N = IN(INITIALIZING),
    E = IN(AT_EVENT),
    C = IN(CONTINUOUS),
    S = IN(STEPPING),
    T = IN(TERMINATED),
    X = IN(FAILED)
};

static Instance *unit[UNITS];
static fmi2FMUstate saved[UNITS][SAVED];
static unsigned long long chance = 1;
static long n_calls;
static long n_refused;
static long n_told;
static long n_faults;

static unsigned pick(unsigned below)
{
    chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(chance >> 33) % below;
}

static double number(void)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0};
    return pick(20) == 0 ? bad[pick(6)] : (double)pick(1000) / 500 - 1;
}

static void tell_it(fmi2ComponentEnvironment environment, fmi2String name,
                    fmi2Status status, fmi2String category, fmi2String message, ...)
{
    (void)environment;
    (void)name;
    (void)status;
    (void)category;
    n_told += message[0] != '\0';
}

static const fmi2CallbackFunctions HOST = {tell_it, calloc, free, 0, 0};

static void complain(const char *call, int mode, int status, const char *what)
{
    printf("# call %ld, %s in mode %d: status %d, %s\n", n_calls, call, mode, status,
           what);
    n_faults++;
}

// Whether a call did as it should: refused without a change where it is not allowed, or has bad
// values.  What is read may be found first.
static void judge(const char *call, const Instance *self, const Kept *before,
                  int allowed, int good, int status)
{
    const int changed = memcmp(&self->kept, before, sizeof *before) != 0;
    n_calls++;
    n_refused += status == fmi2Error;
    if (good == UNREADABLE && allowed) {
        if (status == fmi2OK) {
            complain(call, (int)before->mode, status, "read what there is not");
        }
    } else if ((!allowed || !good) && status != fmi2Error) {
        complain(call, (int)before->mode, status, "not refused");
    } else if (!allowed && changed) {
        complain(call, (int)before->mode, status, "refused, but changed something");
    } else if (!good && changed) {
        complain(call, (int)before->mode, status,
                 "had bad values, but changed something");
    } else if (allowed && good == CANNOT_FAIL && status != fmi2OK) {
        complain(call, (int)before->mode, status, "refused for no reason");
    }
}

static int in(const Kept *before, unsigned modes)
{
    return (modes >> before->mode & 1u) != 0;
}

// A few references, of which one may be none; whether all are good.
static size_t references(fmi2ValueReference *list, int *good)
{
    const size_t count = 1 + pick(4);
    for (size_t i = 0; i < count; i++) {
        list[i] = pick(VARIABLES + (pick(10) == 0 ? 5u : 0u));
        *good = *good && list[i] < VARIABLES;
    }
    return count;
}

static int is_finite_list(const double *x, size_t count)
{
    int finite = 1;
    for (size_t i = 0; i < count; i++) {
        finite = finite && isfinite(x[i]);
    }
    return finite;
}

static void read_or_write(Instance *self, const Kept *before)
{
    fmi2ValueReference list[8];
    double values[8] = {0};
    int good = 1;
    const size_t count = references(list, &good);
    if (pick(2) == 0) {
        const int status = fmi2GetReal(self, list, count, values);
        judge("GetReal", self, before, in(before, N | E | C | S | T | X),
              good ? good : UNREADABLE, status);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = number();
    }
    good = good && is_finite_list(values, count);
    judge("SetReal", self, before, in(before, I | N | E | C | S), good,
          fmi2SetReal(self, list, count, values));
}

static void initialize(Instance *self, const Kept *before)
{
    const double from = pick(6) == 0 ? number() : 0;
    const double stop = pick(3) == 0 ? from + number() : from + 10;
    switch (pick(3)) {
    case 0:
        judge("SetupExperiment", self, before, in(before, I), 1,
              fmi2SetupExperiment(self, (int)pick(2), 1e-6, from, (int)pick(2), stop));
        break;
    case 1:
        judge("EnterInitializationMode", self, before, in(before, I), 1,
              fmi2EnterInitializationMode(self));
        break;
    default:
        judge("ExitInitializationMode", self, before, in(before, N), 1,
              fmi2ExitInitializationMode(self));
        break;
    }
}

// Calls of model exchange; `exchange`: that is what the instance is for.
static void change_mode(Instance *self, const Kept *before, int exchange)
{
    fmi2EventInfo info;
    fmi2Boolean flags[2];
    switch (pick(4)) {
    case 0:
        judge("EnterEventMode", self, before, exchange && in(before, C | E),
              CANNOT_FAIL, fmi2EnterEventMode(self));
        break;
    case 1:
        judge("NewDiscreteStates", self, before, exchange && in(before, E), 1,
              fmi2NewDiscreteStates(self, &info));
        break;
    case 2:
        judge("EnterContinuousTimeMode", self, before, exchange && in(before, E),
              CANNOT_FAIL, fmi2EnterContinuousTimeMode(self));
        break;
    default:
        judge("CompletedIntegratorStep", self, before, exchange && in(before, C), 1,
              fmi2CompletedIntegratorStep(self, fmi2True, &flags[0], &flags[1]));
        break;
    }
}

static void move_states(Instance *self, const Kept *before, int exchange)
{
    double x[STATES + INDICATORS + 2];
    const unsigned wrong = pick(12) == 0 ? 1u : 0u;
    const int of_states = in(before, N | E | C | T);
    for (size_t i = 0; i < STATES + 1; i++) {
        x[i] = number();
    }
    switch (pick(6)) {
    case 0: {
        const double t = before->state.t + (pick(10) == 0 ? number() : 0.001);
        judge("SetTime", self, before, exchange && in(before, C | E), isfinite(t),
              fmi2SetTime(self, t));
        break;
    }
    case 1:
        (void)(exchange && fmi2GetContinuousStates(self, x, STATES));
        for (size_t i = 0; i < STATES; i++) {
            x[i] += 1e-3 * number();
        }
        judge("SetContinuousStates", self, before, exchange && in(before, C),
              !wrong && is_finite_list(x, STATES),
              fmi2SetContinuousStates(self, x, STATES + wrong));
        break;
    case 2:
        judge("GetDerivatives", self, before, exchange && of_states, !wrong,
              fmi2GetDerivatives(self, x, STATES + wrong));
        break;
    case 3:
        judge("GetContinuousStates", self, before, exchange && of_states, !wrong,
              fmi2GetContinuousStates(self, x, STATES + wrong));
        break;
    case 4:
        judge("GetEventIndicators", self, before, exchange && of_states, !wrong,
              fmi2GetEventIndicators(self, x, INDICATORS + wrong));
        break;
    default:
        judge("GetNominals", self, before, exchange && of_states, !wrong,
              fmi2GetNominalsOfContinuousStates(self, x, STATES + wrong));
        break;
    }
}

static void step(Instance *self, const Kept *before, int exchange)
{
    static const double bad[] = {-0.1, NAN, INFINITY};
    const int sound = pick(10) != 0;
    const double size = sound ? 0.02 * (double)pick(3) : bad[pick(3)];
    const double from = pick(20) == 0 ? before->state.t + 0.5 : before->state.t;
    const int good = sound && size > 0 && from - before->state.t < 0.1;
    const int status = fmi2DoStep(self, from, size, (int)pick(2));
    judge("DoStep", self, before, !exchange && in(before, S), good, status);
}

static void derive_it(Instance *self, const Kept *before)
{
    fmi2ValueReference unknowns[8];
    fmi2ValueReference knowns[8];
    double seed[8];
    double change[8];
    int good = 1;
    const size_t n = references(unknowns, &good);
    const size_t k = references(knowns, &good);
    for (size_t i = 0; i < k; i++) {
        seed[i] = number();
    }
    judge("GetDirectionalDerivative", self, before, in(before, N | E | C | S | T),
          good ? good : UNREADABLE,
          fmi2GetDirectionalDerivative(self, unknowns, n, knowns, k, seed, change));
}

// A state is saved, restored, perhaps to the other instance, by bytes, or by damaged bytes.
static void keep(Instance *self, const Kept *before, unsigned which)
{
    static fmi2Byte bytes[BYTES];
    fmi2FMUstate *slot = &saved[which][pick(SAVED)];
    fmi2FMUstate other = saved[pick(UNITS)][pick(SAVED)];
    size_t size = 0;
    switch (pick(5)) {
    case 0:
        judge("GetFMUstate", self, before, 1, CANNOT_FAIL, fmi2GetFMUstate(self, slot));
        break;
    case 1:
        n_calls++;
        (void)fmi2SetFMUstate(self, other);
        break;
    case 2:
        judge("FreeFMUstate", self, before, 1, CANNOT_FAIL,
              fmi2FreeFMUstate(self, slot));
        break;
    default:
        if (*slot && fmi2SerializedFMUstateSize(self, *slot, &size) == fmi2OK
            && size <= BYTES
            && fmi2SerializeFMUstate(self, *slot, bytes, size) == fmi2OK) {
            const size_t given = pick(5) == 0 ? pick((unsigned)size) : size;
            if (pick(3) == 0) {
                bytes[pick((unsigned)size)] = (fmi2Byte)pick(256);
            }
            n_calls++;
            (void)fmi2FreeFMUstate(self, slot);
            (void)fmi2DeSerializeFMUstate(self, bytes, given, slot);
        }
        break;
    }
}

static void rare(Instance *self, const Kept *before, unsigned which)
{
    fmi2String category = pick(2) == 0 ? "logStatusError" : "nonsense";
    fmi2Real time = 0;
    switch (pick(8)) {
    case 0: judge("Reset", self, before, 1, CANNOT_FAIL, fmi2Reset(self)); break;
    case 1:
        judge("Terminate", self, before, in(before, E | C | S), CANNOT_FAIL,
              fmi2Terminate(self));
        break;
    case 2: (void)fmi2SetDebugLogging(self, (int)pick(2), pick(2), &category); break;
    case 3:
        (void)fmi2GetRealStatus(self, pick(2) ? fmi2LastSuccessfulTime : fmi2Terminated,
                                &time);
        break;
    case 4: judge("CancelStep", self, before, 0, 1, fmi2CancelStep(self)); break;
    case 5:
        fmi2FreeInstance(self);
        unit[which] = 0;
        break;
    default: break;
    }
    n_calls++;
}

static void call(unsigned which)
{
    Instance *self = unit[which];
    if (!self) {
        unit[which] =
            fmi2Instantiate("unit", which == 0 ? fmi2ModelExchange : fmi2CoSimulation,
                            TOKEN, "", &HOST, fmi2False, (int)pick(2));
        return;
    }
    const Kept before = self->kept;
    const int exchange = before.kind == MODEL_EXCHANGE;
    switch (pick(before.mode < AT_EVENT ? 5 : 12)) {
    case 0:
    case 1: initialize(self, &before); break;
    case 2: read_or_write(self, &before); break;
    case 3: keep(self, &before, which); break;
    case 4: pick(6) == 0 ? rare(self, &before, which) : derive_it(self, &before); break;
    case 5:
    case 6: change_mode(self, &before, exchange); break;
    case 7:
    case 8: step(self, &before, exchange); break;
    default: move_states(self, &before, exchange); break;
    }
}

int main(int argc, char **argv)
{
    chance = argc > 1 ? strtoull(argv[1], 0, 10) : 1;
    const long count = argc > 2 ? strtol(argv[2], 0, 10) : 10000;
    while (n_calls < count) {
        call(pick(UNITS));
    }
    for (unsigned i = 0; i < UNITS; i++) {
        for (unsigned k = 0; k < SAVED; k++) {
            (void)fmi2FreeFMUstate(unit[i], &saved[i][k]);
        }
        fmi2FreeInstance(unit[i]);
    }
    printf("%ld calls, %ld refused, %ld messages, %ld faults\n", n_calls, n_refused,
           n_told, n_faults);
    return n_faults > 0;
}
