// SPDX-License-Identifier: MIT

// Constants of the motion, proven: the energy, Jacobi's integral and the momenta of cyclic
// coordinates (theory (10.13) to (10.20); Goldstein, Classical Mechanics, chapter 2).
//
// A proof is a list of claims, formulas that must be zero.  All of a list are tested
// together, for they share most of their parts (zero/identity.h).  Each claim carries the
// words for the case that it is wrong, so that the reason why there is no such constant
// comes with the verdict.  Claims are sufficient: where one cannot be proven, nothing is
// concluded.

#include "derive/conserve.h"

#include "base/block.h"
#include "derive/allowed.h"
#include "derive/derive_impl.h"
#include "derive/jump.h"
#include "derive/values.h"
#include "expr/order.h"
#include "zero/identity.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to look for constants of motion";

enum {
    ARENA_BYTES = 1 << 30,
    DEGREE_MAX = 4, // of constraints that are homogeneous in the velocities
};

// A formula that must be zero, and what it means if it is not: before + name + after.
typedef struct Claim {
    const char *before;
    const char *name;
    const char *after;
    size_t coordinate; // whose momentum needs it
    bool jacobi;       // Jacobi's integral does not need it
} Claim;

// Claims and, in the same order, their formulas.
typedef struct Claims {
    KalBlock list;
    KalBlock formulas;
} Claims;

// A search on its way.
typedef struct Search {
    const KalEquations *eq;
    const KalModel *model;
    KalGraph *g;
    KalContext *ctx;
    KalConservation *found;
    KalArena *scratch;
    KalExpr *q;   // n
    KalExpr *v;   // n
    KalExpr *p;   // n: momenta ∂(T − V)/∂q'
    KalExpr *T_v; // n: ∂T/∂q'
    KalExpr *F;   // n: impressed forces
    KalExpr *L_q; // n: ∂(T − V)/∂q
    KalAllowed allowed;
    Claims claims;
    bool exact; // no proof so far hangs on rounding
} Search;

// How many claims there are; as many formulas.
static size_t count_of(const Claims *claims)
{
    assert(claims->list.size / sizeof(Claim)
           == claims->formulas.size / sizeof(KalExpr));
    return claims->list.size / sizeof(Claim);
}

// Add a claim, unless the formula is zero as it stands.
static KalStatus claim(Search *s, KalExpr e, Claim what)
{
    assert(what.before || what.coordinate < s->eq->n);
    KAL_TRY(kal_graph_status(s->g));
    if (kal_is_zero(s->g, e)) {
        return KAL_OK;
    }
    KAL_TRY(kal_block_add(s->ctx, &s->claims.list, &what, sizeof what));
    return kal_block_add(s->ctx, &s->claims.formulas, &e, sizeof e);
}

// Claim that all formulas of a list are zero.
static KalStatus claim_all(Search *s, const KalBlock *list, Claim what)
{
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < list->size / sizeof(KalExpr) && status == KAL_OK; i++) {
        status = claim(s, ((const KalExpr *)list->data)[i], what);
    }
    return status;
}

// What is concluded from the derivatives of a formula holds if it does not jump: theory
// (10.20).
static KalStatus claim_continuous(Search *s, KalExpr e, Claim what)
{
    KalBlock jumps = {0};
    KalStatus status = kal_jumps_list(s->model, e, &jumps);
    if (status == KAL_OK) {
        status = claim_all(s, &jumps, what);
    }
    kal_block_clear(s->ctx, &jumps);
    return status;
}

// What is never true.
static KalStatus refute(Search *s, Claim what)
{
    return claim(s, kal_int(s->g, 1), what);
}

// Test all claims.
static KalStatus prove(Search *s, KalVerdict *out_verdicts)
{
    const size_t n = count_of(&s->claims);
    KalExpr *formulas = s->claims.formulas.data;
    if (n == 0) {
        return KAL_OK;
    }
    KAL_TRY(kal_values_insert(s->model, formulas, n));
    return kal_identities(s->g, formulas, n, out_verdicts);
}

static Claim claim_at(const Search *s, size_t i)
{
    assert(i < count_of(&s->claims));
    return ((const Claim *)s->claims.list.data)[i];
}

static void forget_claims(Search *s)
{
    s->claims.list.size = 0;
    s->claims.formulas.size = 0;
}

// Σ a_i v_i.
static KalExpr times_velocities(const Search *s, const KalExpr *a)
{
    KalExpr sum = kal_int(s->g, 0);
    for (size_t i = 0; i < s->eq->n; i++) {
        sum = kal_add(s->g, sum, kal_mul(s->g, a[i], s->v[i]));
    }
    return sum;
}

// T + V is Jacobi's integral if T is homogeneous of degree two in the velocities, by
// Euler's theorem, and that needs a Lagrangian without explicit time: theory (10.13).
static KalStatus claim_energies(Search *s)
{
    const KalExpr t = s->model->time;
    const KalExpr twice = kal_mul(s->g, kal_int(s->g, 2), s->eq->kinetic);
    KalExpr T_t = KAL_NO_EXPR;
    KalExpr V_t = KAL_NO_EXPR;
    Claim timeless = {.before = "the kinetic and the potential energy depend on time"};
    KAL_TRY(kal_diff(s->g, s->eq->kinetic, t, &T_t));
    KAL_TRY(kal_diff(s->g, s->eq->potential, t, &V_t));
    if (kal_is_zero(s->g, T_t)) {
        timeless.before = "the potential energy depends on time";
    } else if (kal_is_zero(s->g, V_t)) {
        timeless.before = "the kinetic energy depends on time";
    }
    KAL_TRY(claim(s, kal_sub(s->g, T_t, V_t), timeless));
    KAL_TRY(claim_continuous(s, s->eq->kinetic,
                             (Claim){.before = "the kinetic energy may jump"}));
    KAL_TRY(claim_continuous(s, s->eq->potential,
                             (Claim){.before = "the potential energy may jump"}));
    return claim(s, kal_sub(s->g, times_velocities(s, s->T_v), twice),
                 (Claim){.before = "the kinetic energy is not homogeneous of degree "
                                   "two in the velocities",
                         .jacobi = true});
}

// Contributions to energies have their power accounted for there.
static bool is_energy(KalTermKind kind)
{
    return kind == KAL_TERM_KINETIC || kind == KAL_TERM_POTENTIAL
           || kind == KAL_TERM_MASS;
}

// Powers of all contributions that are no energy, in their order: those of forces, and for
// others ∂e/∂q'·q', the total derivative along rates that are the velocities themselves.
static KalStatus find_powers(Search *s, KalExpr *out_powers)
{
    const KalRates rates = {.symbols = s->v, .rates = s->v, .n = s->eq->n};
    const size_t n = s->model->n_contributions;
    for (size_t i = 0; i < n; i++) {
        const KalContribution *c = &s->model->contributions[i];
        out_powers[i] = is_energy(c->kind) ? kal_int(s->g, 0) : c->value;
    }
    KAL_TRY(kal_total(s->g, out_powers, n, &rates, out_powers));
    for (size_t i = 0; i < n; i++) {
        const KalContribution *c = &s->model->contributions[i];
        if (c->kind == KAL_TERM_FORCE || c->kind == KAL_TERM_NONIDEAL) {
            out_powers[i] = kal_mul(s->g, c->value, s->v[c->row]);
        }
    }
    return kal_graph_status(s->g);
}

// How to say that a contribution does work; whether it does is not known where constraints
// are left that were not solved for velocities.
static Claim work_of(const Search *s, const KalContribution *c)
{
    const char *name = s->model->coordinates[c->row].name;
    const char *does = s->allowed.complete ? "' does work" : "' may do work";
    switch (c->kind) {
    case KAL_TERM_DISSIPATION: return (Claim){.before = "there is dissipation"};
    case KAL_TERM_POWER:
        return (Claim){.before = "forces with a power of their own act"};
    case KAL_TERM_FORCE: return (Claim){"the force on '", name, does, 0, false};
    case KAL_TERM_NONIDEAL_POWER:
        return (Claim){.before = s->allowed.complete
                                     ? "the non-ideal forces do work"
                                     : "the non-ideal forces may do work"};
    case KAL_TERM_NONIDEAL:
        return (Claim){"the non-ideal force on '", name, does, 0, false};
    case KAL_TERM_KINETIC:
    case KAL_TERM_POTENTIAL:
    case KAL_TERM_MASS: break;
    }
    return (Claim){.before = "forces may do work"};
}

// Test one formula at once.
static KalStatus test(Search *s, KalExpr e, KalVerdict *out_verdict)
{
    KAL_TRY(kal_graph_status(s->g));
    KAL_TRY(kal_values_insert(s->model, &e, 1));
    KAL_TRY(kal_identities(s->g, &e, 1, out_verdict));
    s->exact = s->exact && out_verdict->exact;
    return KAL_OK;
}

// Claim that a contribution of this power does no work, or is no mass.
static KalStatus claim_contribution(Search *s, const KalContribution *c, KalExpr power)
{
    if (c->kind == KAL_TERM_MASS) {
        const char *name = s->model->coordinates[c->row].name;
        return claim(s, c->value,
                     (Claim){"a mass of '", name, "' is given directly", 0, false});
    }
    if (is_energy(c->kind) || power.index == KAL_NO_EXPR.index) {
        return KAL_OK;
    }
    KAL_TRY(kal_allowed_put(&s->allowed, s->g, &power));
    return claim(s, power, work_of(s, c));
}

// Whether the impressed and the non-ideal forces together do no work, if need be because
// constraints hold what they act on.
static KalStatus are_workless(Search *s, KalExpr *out_power, KalVerdict *out_verdict)
{
    KalExpr power =
        kal_add(s->g, times_velocities(s, s->F), times_velocities(s, s->eq->C));
    const bool exact = s->exact;
    KAL_TRY(test(s, power, out_verdict));
    if (!out_verdict->zero) {
        s->exact = exact;
        KAL_TRY(kal_allowed_init(&s->allowed, s->eq));
        KAL_TRY(kal_allowed_put(&s->allowed, s->g, &power));
        KAL_TRY(test(s, power, out_verdict));
    }
    *out_power = power;
    return KAL_OK;
}

// Claim that each contribution does no work, unless all together do none.
static KalStatus claim_contributions(Search *s, bool workless)
{
    const size_t n = s->model->n_contributions;
    KalExpr *powers =
        kal_arena_alloc(s->scratch, n, sizeof *powers); // none: KAL_NO_EXPR
    if (!powers && n > 0) {
        return kal_no_memory(s->ctx, PURPOSE);
    }
    KAL_TRY(workless ? KAL_OK : find_powers(s, powers));
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(claim_contribution(s, &s->model->contributions[i], powers[i]));
    }
    return KAL_OK;
}

// Forces may do work as long as all together do none, as those of a magnet.  If they do,
// blame the first that does: theory (10.14).
static KalStatus claim_forces(Search *s)
{
    KalVerdict workless = {.zero = false};
    KalExpr power = KAL_NO_EXPR;
    KAL_TRY(are_workless(s, &power, &workless));
    KAL_TRY(claim_contributions(s, workless.zero));
    return workless.zero ? KAL_OK
                         : claim(s, power, (Claim){.before = "forces may do work"});
}

// Claim that ψ is homogeneous in the velocities, of any degree: Σ v ∂ψ/∂v = degree × ψ.
static KalStatus claim_homogeneous(Search *s, size_t row, Claim what)
{
    const KalSparse *A = &s->eq->A;
    assert(row < s->eq->m && s->eq->psi[row].index != 0);
    KalExpr sum = kal_int(s->g, 0);
    KalExpr rest = kal_int(s->g, 1);
    KalVerdict verdict = {.zero = false};
    for (int64_t k = A->start[row]; k < A->start[row + 1]; k++) {
        sum = kal_add(s->g, sum, kal_mul(s->g, A->value[k], s->v[A->column[k]]));
    }
    for (int degree = 1; degree <= DEGREE_MAX && !verdict.zero; degree++) {
        const KalExpr psi = kal_mul(s->g, kal_int(s->g, degree), s->eq->psi[row]);
        const KalExpr difference = kal_sub(s->g, sum, psi);
        KAL_TRY(test(s, difference, &verdict));
        rest = verdict.zero || verdict.open ? difference : rest;
    }
    return claim(s, rest, what);
}

// Where the velocities that a constraint allows jump there is an impact: theory (10.20).
static KalStatus claim_no_impact(Search *s, size_t row, const char *before)
{
    assert(row < s->eq->m);
    return claim_continuous(s, s->eq->psi[row],
                            (Claim){before, s->model->constraints[row].name,
                                    "' may demand another velocity at once", 0, false});
}

// A constraint is workless if A q' = 0 wherever it holds: theory (10.15).
static KalStatus claim_constraint(Search *s, size_t row)
{
    assert(row < s->eq->m);
    const KalConstraint *c = &s->model->constraints[row];
    const bool drive = c->driven != KAL_NOT_DRIVEN;
    const char *before = drive ? "'" : "constraint '";
    switch (c->level) {
    case KAL_LEVEL_POSITION:
        KAL_TRY(claim_continuous(s, s->eq->phi[row],
                                 (Claim){before, c->name, "' may jump", 0, false}));
        KAL_TRY(claim_no_impact(s, row, before));
        return claim(s, s->eq->psi_t[row],
                     (Claim){before, c->name, "' depends on time", 0, false});
    case KAL_LEVEL_VELOCITY:
        KAL_TRY(claim_no_impact(s, row, before));
        return claim_homogeneous(
            s, row,
            (Claim){before, c->name,
                    "' may do work: it is not homogeneous in velocities", 0, false});
    case KAL_LEVEL_ACCELERATION:
        return refute(s, (Claim){before, c->name,
                                 "' is on accelerations and may do work", 0, false});
    }
    return KAL_OK;
}

// An event that changes velocities, NULL if there is none.
static const KalEvent *find_jump(const KalModel *model)
{
    const KalEvent *found = NULL;
    for (size_t i = 0; i < model->n_events && !found; i++) {
        const KalEvent *event = &model->events[i];
        for (size_t k = 0; k < event->n_actions; k++) {
            const KalActionKind kind = event->actions[k].kind;
            found = kind == KAL_ACTION_SET || kind == KAL_ACTION_ENGAGE ? event : found;
        }
    }
    return found;
}

// Servos may do work, and events may change velocities: no claim can be proven then.
static KalStatus claim_control(Search *s)
{
    const KalModel *model = s->model;
    const KalEvent *jump = find_jump(model);
    if (model->n_servos > 0) {
        return refute(
            s, (Claim){"servo '", model->servos[0].name, "' may do work", 0, false});
    }
    if (model->n_contacts > 0) {
        return refute(s, (Claim){"contact or friction '", model->contacts[0].name,
                                 "' may take energy", 0, false});
    }
    return jump ? refute(
               s, (Claim){"event '", jump->name, "' changes the motion", 0, false})
                : KAL_OK;
}

// All that the energy needs, theory (10.13) to (10.15).
static KalStatus claim_energy(Search *s)
{
    KAL_TRY(claim_energies(s));
    KAL_TRY(claim_forces(s));
    for (size_t i = 0; i < s->eq->m; i++) {
        KAL_TRY(claim_constraint(s, i));
    }
    return claim_control(s);
}

// The words of a claim in one text that lives as long as the result; NULL: no memory.
static const char *compose(const Search *s, const char *begin, Claim what)
{
    assert(what.before);
    const char *name = what.name ? what.name : "";
    const char *after = what.after ? what.after : "";
    const size_t size =
        strlen(begin) + strlen(what.before) + strlen(name) + strlen(after) + 1;
    char *text = kal_arena_alloc(s->found->arena, size, 1);
    if (text) {
        (void)snprintf(text, size, "%s%s%s%s", begin, what.before, name, after);
    }
    return text;
}

// One more constant; there are at most n momenta and one energy.
static KalStatus add_constant(Search *s, const char *name, KalExpr value, bool exact)
{
    KAL_TRY(kal_graph_status(s->g));
    assert(s->found->n <= s->eq->n);
    if (!name) {
        return kal_no_memory(s->ctx, PURPOSE);
    }
    s->found->list[s->found->n++] = (KalConserved){name, value, exact};
    return KAL_OK;
}

// How bad it is that a claim is not proven: worst where it is wrong and Jacobi's integral
// needs it.
static int rank_failure(KalVerdict verdict, const Claim *claim)
{
    return verdict.zero ? 0 : 1 + !verdict.open + 2 * !claim->jacobi;
}

// The first of the worst failures; the number of claims if all hold.
static size_t find_failure(Search *s, const KalVerdict *verdicts)
{
    const Claim *claims = s->claims.list.data;
    const size_t n = count_of(&s->claims);
    size_t found = n;
    int worst = 0;
    for (size_t i = 0; i < n; i++) {
        const int bad = rank_failure(verdicts[i], &claims[i]);
        found = bad > worst ? i : found;
        worst = bad > worst ? bad : worst;
        s->exact = s->exact && (verdicts[i].exact || !verdicts[i].zero);
    }
    assert(found <= n);
    return found;
}

// q'·∂L/∂q' − L, theory (10.13).
static KalStatus add_jacobi(Search *s)
{
    const KalExpr L = kal_sub(s->g, s->eq->kinetic, s->eq->potential);
    return add_constant(s, "jacobi", kal_sub(s->g, times_velocities(s, s->p), L),
                        s->exact);
}

// T + V if all claims hold; Jacobi's integral if only those fail that it does not need.
static KalStatus find_energy(Search *s)
{
    s->exact = true;
    KAL_TRY(claim_energy(s));
    KalVerdict *verdicts =
        kal_arena_alloc(s->scratch, count_of(&s->claims), sizeof *verdicts);
    if (!verdicts) {
        return kal_no_memory(s->ctx, PURPOSE);
    }
    KAL_TRY(prove(s, verdicts));
    const size_t failed = find_failure(s, verdicts);
    if (failed == count_of(&s->claims)) {
        s->found->energy = true;
        return add_constant(s, "energy", kal_add(s->g, s->eq->kinetic, s->eq->stored),
                            s->exact);
    }
    assert(failed < count_of(&s->claims));
    const Claim failure = claim_at(s, failed);
    s->found->energy_open = verdicts[failed].open;
    s->found->reason =
        compose(s, verdicts[failed].open ? "it is not decided whether " : "", failure);
    if (!s->found->reason) {
        return kal_no_memory(s->ctx, PURPOSE);
    }
    return failure.jacobi ? add_jacobi(s) : KAL_OK;
}

// Each entry of a matrix stands in the way of the momentum of its column, or row.
static KalStatus claim_entries(Search *s, const KalSparse *matrix, bool by_rows)
{
    assert(matrix->rows <= s->eq->n || !by_rows);
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < matrix->rows; i++) {
        const int64_t end = matrix->start[i + 1];
        for (int64_t k = matrix->start[i]; k < end && status == KAL_OK; k++) {
            const size_t of = by_rows ? i : (size_t)matrix->column[k];
            status = claim(s, matrix->value[k], (Claim){.coordinate = of});
        }
    }
    return status;
}

// Masses that are given directly belong to no energy: their momentum is not ∂L/∂q'.
static KalStatus claim_masses(Search *s)
{
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < s->model->n_contributions && status == KAL_OK; i++) {
        const KalContribution *c = &s->model->contributions[i];
        const bool mass = c->kind == KAL_TERM_MASS;
        if (mass) {
            status = claim(s, c->value, (Claim){.coordinate = c->row});
        }
        if (mass && status == KAL_OK) {
            status = claim(s, c->value, (Claim){.coordinate = c->column});
        }
    }
    return status;
}

// Where T − V jumps, that is a push on every coordinate which it depends on.
static KalStatus claim_no_pushes(Search *s)
{
    const KalExpr L = kal_sub(s->g, s->eq->kinetic, s->eq->potential);
    KalBlock jumps = {0};
    KAL_TRY(kal_graph_status(s->g));
    KalStatus status = kal_jumps_list(s->model, L, &jumps);
    const size_t n = jumps.size > 0 ? s->eq->n : 0;
    for (size_t i = 0; i < n && status == KAL_OK; i++) {
        bool depends = false;
        status = kal_depends_on(s->g, L, s->q[i], &depends);
        if (status == KAL_OK && depends) {
            status = claim_all(s, &jumps, (Claim){.coordinate = i});
        }
    }
    kal_block_clear(s->ctx, &jumps);
    return status;
}

// What must vanish for momenta to stay: theory (10.16).
static KalStatus claim_momenta(Search *s)
{
    forget_claims(s);
    KAL_TRY(claim_no_pushes(s));
    for (size_t i = 0; i < s->eq->n; i++) {
        KAL_TRY(claim(s, s->L_q[i], (Claim){.coordinate = i}));
        KAL_TRY(claim(s, s->F[i], (Claim){.coordinate = i}));
        KAL_TRY(claim(s, s->eq->C[i], (Claim){.coordinate = i}));
        KAL_TRY(claim_continuous(s, s->p[i], (Claim){.coordinate = i}));
    }
    KAL_TRY(claim_masses(s));
    KAL_TRY(claim_entries(s, &s->eq->A, false));
    if (s->model->n_servos == 0) {
        return KAL_OK;
    }
    const bool any = s->model->n_actuators == 0; // then control may act anywhere
    return claim_entries(s, any ? &s->eq->servo_A : &s->eq->B, !any);
}

// What the claims of a coordinate come to.
typedef struct Fate {
    bool fails;
    bool open; // may fail
    bool rounded;
} Fate;

// The momentum of coordinate i, unless a claim of it fails; undecided ones are listed apart.
static KalStatus add_momentum(Search *s, size_t i, Fate fate)
{
    const Claim what = {"momentum(", s->model->coordinates[i].name, ")", 0, false};
    assert(i < s->eq->n);
    if (kal_is_zero(s->g, s->p[i]) || fate.fails) {
        return KAL_OK;
    }
    const char *name = compose(s, "", what);
    if (fate.open && name) {
        s->found->open[s->found->n_open++] = name;
        return KAL_OK;
    }
    assert(s->found->n_open <= s->eq->n);
    return add_constant(s, name, s->p[i], !fate.rounded);
}

// One proof for all coordinates together: claims about momenta share most of their parts.
// A momentum fails with one claim that is wrong, and is open with one that is.
static KalStatus find_momenta(Search *s)
{
    KAL_TRY(claim_momenta(s));
    const size_t n = count_of(&s->claims);
    KalStatus status = KAL_OK;
    KalVerdict *verdicts = kal_arena_alloc(s->scratch, n, sizeof *verdicts);
    Fate *fates = kal_arena_alloc(s->scratch, s->eq->n, sizeof *fates);
    if (!verdicts || !fates) {
        return kal_no_memory(s->ctx, PURPOSE);
    }
    KAL_TRY(prove(s, verdicts));
    for (size_t i = 0; i < n; i++) {
        Fate *fate = &fates[claim_at(s, i).coordinate];
        assert(claim_at(s, i).coordinate < s->eq->n);
        fate->fails = fate->fails || (!verdicts[i].zero && !verdicts[i].open);
        fate->open = fate->open || verdicts[i].open;
        fate->rounded = fate->rounded || !verdicts[i].exact;
    }
    for (size_t i = 0; i < s->eq->n && status == KAL_OK; i++) {
        status = add_momentum(s, i, fates[i]);
    }
    return status;
}

// The derivatives of the Lagrangian and the forces that the claims are made of.
static KalStatus differentiate(Search *s)
{
    const size_t n = s->eq->n;
    const KalExpr L = kal_sub(s->g, s->eq->kinetic, s->eq->potential);
    KalExpr *all = kal_arena_alloc(s->scratch, 6 * n, sizeof *all);
    s->found->list = kal_arena_alloc(s->found->arena, n + 1, sizeof *s->found->list);
    s->found->open =
        (const char **)kal_arena_alloc(s->found->arena, n, sizeof *s->found->open);
    if (!all || !s->found->list || !s->found->open) {
        return kal_no_memory(s->ctx, PURPOSE);
    }
    s->q = all;
    s->v = all + n;
    s->p = all + 2 * n;
    s->F = all + 3 * n;
    s->L_q = all + 4 * n;
    s->T_v = all + 5 * n;
    for (size_t i = 0; i < n; i++) {
        s->q[i] = s->model->coordinates[i].q;
        s->v[i] = s->model->coordinates[i].v;
    }
    KAL_TRY(kal_gradient(s->g, L, s->v, n, s->p));
    KAL_TRY(kal_gradient(s->g, s->eq->kinetic, s->v, n, s->T_v));
    KAL_TRY(kal_gradient(s->g, L, s->q, n, s->L_q));
    return kal_forces_derive(s->model, s->v, s->F);
}

// Events that change velocities change momenta: none is looked for then.
static KalStatus search(Search *s)
{
    KAL_TRY(differentiate(s));
    KAL_TRY(find_energy(s));
    return find_jump(s->model) ? KAL_OK : find_momenta(s);
}

static KalStatus conserve_into(const KalEquations *eq, KalConservation *found)
{
    Search s = {.eq = eq,
                .model = eq->model,
                .g = eq->model->graph,
                .ctx = eq->model->ctx,
                .found = found};
    KAL_TRY(kal_arena_create(s.ctx, ARENA_BYTES, &found->arena));
    KAL_TRY(kal_arena_create(s.ctx, ARENA_BYTES, &s.scratch));
    const KalStatus status = search(&s);
    kal_allowed_clear(&s.allowed);
    kal_block_clear(s.ctx, &s.claims.list);
    kal_block_clear(s.ctx, &s.claims.formulas);
    kal_arena_destroy(s.scratch);
    return status;
}

KalStatus kal_conserve(const KalEquations *equations,
                       KalConservation **out_conservation)
{
    assert(equations && out_conservation);
    KalContext *ctx = equations->model->ctx;
    KAL_TRY(kal_graph_status(equations->model->graph));
    KalConservation *found = KAL_NEW(ctx, KalConservation);
    if (!found) {
        return kal_no_memory(ctx, "to look for constants of motion");
    }
    found->ctx = ctx;
    const KalStatus status = conserve_into(equations, found);
    if (status != KAL_OK) {
        kal_conservation_destroy(found);
        return status;
    }
    *out_conservation = found;
    return KAL_OK;
}

void kal_conservation_destroy(KalConservation *conservation)
{
    if (!conservation) {
        return;
    }
    kal_arena_destroy(conservation->arena);
    kal_free(conservation->ctx, conservation, sizeof *conservation);
}
