// SPDX-License-Identifier: MIT

// Calls at random, in and out of order, with good and bad values, to two instances of an exported
// unit, which is part of this program: compiled with sanitizers they say if memory is touched that
// is nobody's.  A call that the standard does not allow is refused and changes nothing; neither
// does one with a bad value.
//
//     cc -DUNIT='"NAME_fmu.c"' calls2.c … ;  calls2 SEED CALLS
//
// calls2.c and calls3.c say before they include this file what their version of the standard calls
// things (UnitReference, UnitState, UnitByte, UnitString, CALL, STATE_CALL, FAULT, FINE), and
// define after it the calls that differ, which are declared here.

#ifndef EXPORT_CALLS_H
#define EXPORT_CALLS_H

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
static UnitState saved[UNITS][SAVED];
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

// What the versions differ in.
static Instance *make_unit(unsigned which);
static int get_values(Instance *self, const UnitReference *list, size_t count,
                      double *values);
static int set_values(Instance *self, const UnitReference *list, size_t count,
                      const double *values);
static void enter_it(Instance *self, const Kept *before, double from, double stop);
static int update_it(Instance *self);
static int complete_it(Instance *self);
static int get_rates(Instance *self, double *rates, size_t count);
static int step_it(Instance *self, double from, double size);
static int find_changes(Instance *self, const UnitReference *unknowns, size_t n,
                        const UnitReference *knowns, size_t k, const double *seed,
                        double *change);
static int measure(Instance *self, UnitState state, size_t *size);
static int write_state(Instance *self, UnitState state, UnitByte *bytes, size_t size);
static int read_state(Instance *self, const UnitByte *bytes, size_t size,
                      UnitState *state);
static void call_own(Instance *self, const Kept *before);
static int may_enter_event(const Instance *self, const Kept *before);
static int may_update(const Kept *before);

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
    n_refused += status == FAULT;
    if (good == UNREADABLE && allowed) {
        if (status == FINE) {
            complain(call, (int)before->mode, status, "read what there is not");
        }
    } else if ((!allowed || !good) && status != FAULT) {
        complain(call, (int)before->mode, status, "not refused");
    } else if (!allowed && changed) {
        complain(call, (int)before->mode, status, "refused, but changed something");
    } else if (!good && changed) {
        complain(call, (int)before->mode, status,
                 "had bad values, but changed something");
    } else if (allowed && good == CANNOT_FAIL && status != FINE) {
        complain(call, (int)before->mode, status, "refused for no reason");
    }
}

static int in(const Kept *before, unsigned modes)
{
    return (modes >> before->mode & 1u) != 0;
}

// A few references, of which one may be none; whether all are good.
static size_t references(UnitReference *list, int *good)
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
    UnitReference list[8];
    double values[8] = {0};
    int good = 1;
    const size_t count = references(list, &good);
    if (pick(2) == 0) {
        const int status = get_values(self, list, count, values);
        judge("get", self, before, in(before, N | E | C | S | T | X),
              good ? good : UNREADABLE, status);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = number();
    }
    good = good && is_finite_list(values, count);
    judge("set", self, before, in(before, I | N | E | C | S), good,
          set_values(self, list, count, values));
}

static void initialize(Instance *self, const Kept *before)
{
    const double from = pick(6) == 0 ? number() : 0;
    const double stop = pick(3) == 0 ? from + number() : from + 10;
    if (pick(3) > 0) {
        enter_it(self, before, from, stop);
    } else {
        judge("ExitInitializationMode", self, before, in(before, N), 1,
              CALL(ExitInitializationMode)(self));
    }
}

static void change_mode(Instance *self, const Kept *before, int exchange)
{
    switch (pick(4)) {
    case 0:
        judge("EnterEventMode", self, before, may_enter_event(self, before),
              CANNOT_FAIL, CALL(EnterEventMode)(self));
        break;
    case 1:
        judge("update", self, before, may_update(before), 1, update_it(self));
        break;
    case 2:
        judge("EnterContinuousTimeMode", self, before, exchange && in(before, E),
              CANNOT_FAIL, CALL(EnterContinuousTimeMode)(self));
        break;
    default:
        judge("CompletedIntegratorStep", self, before, exchange && in(before, C), 1,
              complete_it(self));
        break;
    }
}

// Calls of model exchange; `exchange`: that is what the instance is for.
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
              CALL(SetTime)(self, t));
        break;
    }
    case 1:
        (void)(exchange && CALL(GetContinuousStates)(self, x, STATES));
        for (size_t i = 0; i < STATES; i++) {
            x[i] += 1e-3 * number();
        }
        judge("SetContinuousStates", self, before, exchange && in(before, C),
              !wrong && is_finite_list(x, STATES),
              CALL(SetContinuousStates)(self, x, STATES + wrong));
        break;
    case 2:
        judge("GetDerivatives", self, before, exchange && of_states, !wrong,
              get_rates(self, x, STATES + wrong));
        break;
    case 3:
        judge("GetContinuousStates", self, before, exchange && of_states, !wrong,
              CALL(GetContinuousStates)(self, x, STATES + wrong));
        break;
    case 4:
        judge("GetEventIndicators", self, before, exchange && of_states, !wrong,
              CALL(GetEventIndicators)(self, x, INDICATORS + wrong));
        break;
    default:
        judge("GetNominals", self, before, exchange && of_states, !wrong,
              CALL(GetNominalsOfContinuousStates)(self, x, STATES + wrong));
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
    const int status = step_it(self, from, size);
    judge("DoStep", self, before, !exchange && in(before, S), good, status);
}

static void derive_it(Instance *self, const Kept *before)
{
    UnitReference unknowns[8];
    UnitReference knowns[8];
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
          find_changes(self, unknowns, n, knowns, k, seed, change));
}

// A state is saved, restored, perhaps to the other instance, by bytes, or by damaged bytes.
static void keep(Instance *self, const Kept *before, unsigned which)
{
    static UnitByte bytes[BYTES];
    UnitState *slot = &saved[which][pick(SAVED)];
    UnitState other = saved[pick(UNITS)][pick(SAVED)];
    size_t size = 0;
    switch (pick(5)) {
    case 0:
        judge("save", self, before, 1, CANNOT_FAIL, STATE_CALL(Get)(self, slot));
        break;
    case 1:
        n_calls++;
        (void)STATE_CALL(Set)(self, other);
        break;
    case 2:
        judge("free", self, before, 1, CANNOT_FAIL, STATE_CALL(Free)(self, slot));
        break;
    default:
        if (*slot && measure(self, *slot, &size) == FINE && size <= BYTES
            && write_state(self, *slot, bytes, size) == FINE) {
            const size_t given = pick(5) == 0 ? pick((unsigned)size) : size;
            if (pick(3) == 0) {
                bytes[pick((unsigned)size)] = (UnitByte)pick(256);
            }
            n_calls++;
            (void)STATE_CALL(Free)(self, slot);
            (void)read_state(self, bytes, given, slot);
        }
        break;
    }
}

static void rare(Instance *self, const Kept *before, unsigned which)
{
    UnitString category = pick(2) == 0 ? "logStatusError" : "nonsense";
    switch (pick(6)) {
    case 0: judge("Reset", self, before, 1, CANNOT_FAIL, CALL(Reset)(self)); break;
    case 1:
        judge("Terminate", self, before, in(before, E | C | S), CANNOT_FAIL,
              CALL(Terminate)(self));
        break;
    case 2: (void)CALL(SetDebugLogging)(self, pick(2) != 0, pick(2), &category); break;
    case 3:
        CALL(FreeInstance)(self);
        unit[which] = 0;
        break;
    default: call_own(self, before); break;
    }
    n_calls++;
}

static void call(unsigned which)
{
    Instance *self = unit[which];
    if (!self) {
        unit[which] = make_unit(which);
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
            (void)STATE_CALL(Free)(unit[i], &saved[i][k]);
        }
        CALL(FreeInstance)(unit[i]);
    }
    printf("%ld calls, %ld refused, %ld messages, %ld faults\n", n_calls, n_refused,
           n_told, n_faults);
    return n_faults > 0;
}

#endif
