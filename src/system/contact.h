// SPDX-License-Identifier: MIT

/// @file
/// Contacts and dry friction of an instant: which are closed, what they do, and how solves
/// heed that.  Theory section 21.
///
/// The rows of a contact, its gap and its slips, are constraints of the system.  Those that
/// act are active rows as any other; a contact that slides has a friction instead of an
/// active slip, which is a force proportional to its reaction.
///
/// Invariant: a row of a contact is active only while the contact is closed, one of a slip
/// only while it holds.

#ifndef SYSTEM_CONTACT_H
#define SYSTEM_CONTACT_H

#include "base/workspace.h"
#include "contact/group.h"
#include "contact/share.h"
#include "system/system.h"

/// A contact at an instant.
typedef struct KalContactState {
    bool closed;  ///< its gap is 0, and stays so
    bool acts;    ///< its gap is an active row
    bool holds;   ///< its slip is 0, and stays so
    bool moves;   ///< its slip is not 0
    bool gone;    ///< what jumps has taken it apart
    bool opens;   ///< a decision is to let it open
    bool breaks;  ///< a decision is to let it slide, along `direction`
    bool strains; ///< a decision is to find where to: no share of forces holds it
    double direction[KAL_TOUCH_SLIPS]; ///< that it slides in
    KalTouchMode mode;                 ///< what it does
} KalContactState;

/// The numbers of a contact in the present state.
typedef struct KalContactValues {
    double gap;  ///< 0 of a friction
    double rate; ///< of the gap
    double slip[KAL_TOUCH_SLIPS];
    double restitution;
    double limit; ///< a coefficient; of a friction, a force
    double hold;
} KalContactValues;

/// What a decision is about (contact.c), or an impact (strike.c): laws in terms of rows.
typedef struct KalContactDecision {
    bool *taking; ///< n_contacts: those that take part
    KalTouchLaw *laws;
    int n_laws;
    int *members;         ///< n_laws: the contact of each law
    KalTouchLaw *singles; ///< n_rows: laws of single rows
    bool *stopped;        ///< n_contacts: laws whose rows are stopped after an impact
    int *used;            ///< n_used: places among the rows that take part
    int n_used;
    double *free;           ///< n_rows: accelerations along rows without their forces
    double *factor;         ///< n_rows × n_rows: of rows that are independent
    int *chosen;            ///< n_rows: these
    KalContactState *tried; ///< n_contacts: as the decision before had them
} KalContactDecision;

/// What unit forces along rows do (respond.c).
typedef struct KalContactEffect {
    double *G;        ///< n_rows × n_rows: accelerations along rows
    double *response; ///< n_rows × n: accelerations
    int *heads;       ///< n: coordinates that forces couple, by one of them
    bool *busy;       ///< n: of those, which a force acts on
    bool *served;     ///< n_rows: whose response is known
    double *load;     ///< n: forces along several rows
} KalContactEffect;

/// The friction of what slides, solved for with the reactions that it hangs on (slide.c).
typedef struct KalContactSlide {
    int count;         ///< of what slides
    int *list;         ///< count: contacts
    double *along;     ///< n_contacts × slips: directions
    double *column;    ///< n_contacts × n: forces of unit frictions
    double *matrix;    ///< n_contacts × n_contacts
    int *perm;         ///< n_contacts
    double *friction;  ///< n_contacts: along the direction, negative
    double *before;    ///< n_contacts: in the round before
    double *reactions; ///< (n_contacts + 1) × m: without friction, then by unit ones
    double *work;      ///< n_contacts
    double *Q;         ///< n
    double *force;     ///< n: of the non-ideal part
} KalContactSlide;

/// Reactions that redundant contacts share (shared.c).
typedef struct KalContactSharing {
    bool whole; ///< rows that depend on others act too, for one instant is looked at
    bool *left; ///< n_rows: those that would act, but depend on others
    bool any_left;
    bool needed;   ///< slips of two rows hold, and share forces with others
    bool possible; ///< the last shares obey all limits
    bool shared;   ///< the reactions of the last solve are shared out
    bool doubtful; ///< and some were not unique
    KalShare *share;
    int count;        ///< of rows that share
    double *rows;     ///< count × n
    double *forces;   ///< count
    int *list;        ///< count: constraints
    bool *marks;      ///< count: not unique
    bool *counts;     ///< count: a force of a contact
    double *held;     ///< n_rows: reactions of the last shares that obeyed all limits
    int *place;       ///< m: place in these lists, or −1
    int *normal;      ///< m: of a slip that slides the gap that it pushes with, or −1
    double *friction; ///< m: and the part of its reaction that the friction is
    KalShareLimits limits;
    KalShareCone *cones;
    double *multipliers; ///< m
} KalContactSharing;

/// The contacts of an instant, and the workspace to decide about them.
typedef struct KalContacts {
    KalWorkspace workspace;
    KalGroups *groups;
    bool stale; ///< the state was given anew: states are to be found before a solve
    KalContactState *states; ///< n_contacts
    double still;            ///< slips up to this were 0 in the last decision
    double slow;             ///< and are, of two rows, in the next
    int n_rows;              ///< rows of all contacts
    int *rows;               ///< n_rows: constraints
    int *place;              ///< m: of a constraint among the rows, or −1
    double *A;               ///< n_rows × n, as the last givens had them
    double *b;               ///< n_rows
    double *zero;            ///< m: zeros
    KalContactDecision decision;
    KalContactEffect effect;
    KalContactSlide slide;
    KalContactSharing sharing;
    bool *suspended; ///< n_rows: which acted before an event
    double *own;     ///< n_rows: reactions as solves give them, before they are shared
    const char **blamed; ///< n_contacts
    int n_blamed;
} KalContacts;

/// Refuse what contacts do not go together with, by a diagnostic and KAL_ERR_SYNTAX.
KAL_CHECKED KalStatus kal_contacts_check(const KalSystem *system);

/// Formula i of KAL_PROGRAM_CONTACTS, which has KalContactValues of each contact in turn;
/// KAL_NO_EXPR for 0.
KalExpr kal_contact_formula(const KalEquations *equations, size_t i);

KAL_CHECKED KalStatus kal_contacts_init(KalContacts *contacts, KalInstant *instant);

/// Free what it holds.
void kal_contacts_clear(KalContacts *contacts, KalContext *ctx);

/// All contacts are open, and frictions hold nothing.
void kal_contacts_reset(KalInstant *instant);

/// Copy the rows of contacts from A and b of all constraints, before others are dropped.
void kal_contacts_take(KalInstant *instant);

/// The numbers of contact i in the present state; those of frictions may need reactions.
KAL_CHECKED KalStatus kal_contact_values(KalInstant *instant, size_t i,
                                         KalContactValues *out_values);

/// Solves a problem of the instant; its answer is instant->answer.  `again`: M and A are those of
/// the solve before.
typedef KalStatus (*KalInstantSolve)(KalInstant *instant,
                                     const KalMotionProblem *problem, bool again);

/// Solve with the friction of all that slides, theory (21.9).
KAL_CHECKED KalStatus kal_contacts_solve(KalInstant *instant,
                                         const KalMotionProblem *problem,
                                         KalInstantSolve solve);

/// Put the friction of what slides among the reactions, which has those of all rows, and keep
/// those of contacts.
void kal_contacts_keep(KalInstant *instant, double *reactions);

/// Share out the reactions of the solved instant among redundant contacts, theory (21.12):
/// formulas read their shares from then on.
KAL_CHECKED KalStatus kal_contacts_share(KalInstant *instant);

/// Fail where a friction that slides is negative, in the solved instant: a state that the motion
/// has come to, for between such states reactions may be of any sign.
KAL_CHECKED KalStatus kal_contacts_check_signs(KalInstant *instant);

/// Fail where the limit of a friction depends on reactions that are not unique, in the solved
/// instant.
KAL_CHECKED KalStatus kal_contacts_check_limits(KalInstant *instant);

/// Whether the reaction of a constraint is a share, and so not unique.
bool kal_contacts_is_shared(const KalInstant *instant, int constraint);

/// Its row of A, with the sliding friction that goes with it.
const double *kal_contacts_shared_row(const KalInstant *instant, int constraint);

/// The constraint whose reaction a row is a multiple of, by this factor: the gap of a contact
/// that slides for its slip, else itself.
int kal_contacts_normal_of(const KalInstant *instant, int constraint,
                           double *out_factor);

/// Whether constraint i acts; of the rows of contacts, whether it is closed or holds.
bool kal_contacts_in_force(const KalInstant *instant, uint32_t i);

/// How many gaps are active rows; they are independent of each other and of all other rows.
int kal_contacts_count_gaps(const KalInstant *instant);

/// How many contacts are closed.
int kal_contacts_count_closed(const KalInstant *instant);

/// Add to ∂R/∂q' of theory (15.9), R being n × size, how the friction of slips of two rows turns
/// with them, in the solved instant.
KAL_CHECKED KalStatus kal_contacts_add_slopes(KalInstant *instant, double *R,
                                              size_t size);

/// The power of the friction of all that slides, in the last solve.
double kal_contacts_power(KalInstant *instant);

/// Let those contacts be closed whose gap is 0 and does not open in the present state, and
/// decide what they do.
KAL_CHECKED KalStatus kal_contacts_settle(KalInstant *instant);

/// How the gap of contact i is in the present state, to rounding.
typedef struct KalContactPlace {
    bool touches; ///< 0 or less
    bool entered; ///< less than 0
} KalContactPlace;

KAL_CHECKED KalStatus kal_contact_look(KalInstant *instant, size_t i,
                                       KalContactPlace *out_place);

/// Let no row of a contact act while an event changes the state; states stay as they are.
void kal_contacts_suspend(KalInstant *instant);

/// After that, let rows act that did, of contacts that still touch; others are gone.
KAL_CHECKED KalStatus kal_contacts_resume(KalInstant *instant);

/// Decide what closed contacts and frictions do from the present state on, theory (21.3):
/// states and active rows follow.  KAL_ERR_CONTRADICTION where nothing satisfies the laws,
/// KAL_ERR_NOT_UNIQUE where several accelerations do; kal_contacts_blamed() says who.
/// `slip`: slips up to this are 0.
KAL_CHECKED KalStatus kal_contacts_decide(KalInstant *instant, double slip);

/// Who takes part in an impact: n_contacts each.
typedef struct KalStrike {
    const bool *touching; ///< closed or closing
    const bool *plastic;  ///< without restitution
    const bool *kept; ///< comes to rest, for its bounces are too low to follow (21.8)
    const bool *held; ///< so does its slip
    bool *loose; ///< out: neither could be, for others push it; it is followed instead
} KalStrike;

/// Stop the slips of `who` that are held, and the gaps that are kept, without an impact: the
/// nearest velocities in which they stay, theory (21.11); what others do not let stay is loose.
KAL_CHECKED KalStatus kal_contacts_stop(KalInstant *instant, const KalStrike *who);

/// Velocities after an impact, theory (21.6).  Failures as above, and KAL_ERR_CONTRADICTION
/// where energy would be gained.  The velocities of the instant are those after; *out_lost is
/// the energy that it took.
KAL_CHECKED KalStatus kal_contacts_strike(KalInstant *instant, const KalStrike *who,
                                          double *out_lost);

/// The names of the contacts that the last failure is about.
int kal_contacts_blamed(const KalContacts *contacts, const char *const **out_names);

#endif
