// SPDX-License-Identifier: MIT

/// @file
/// Linearization on the constraints, modes and stability, equilibria.
///
///     kal_analysis_create(ctx, system, NULL, &analysis);
///     kal_analysis_place(analysis, "theta = 0, theta' = 0", NULL);
///     kal_analysis_linearize(analysis, &linear);
///     kal_analysis_modes(analysis, &modes);
///
/// The state of a constrained system lies on the manifold of its constraints; the number
/// of states is the freedom of the configuration and that of the velocity together,
/// however many constraints are redundant.  States are chosen among coordinates and
/// velocities.  All derivatives are exact but for rounding (docs/theory/linearization.md).

#ifndef KALABA_ANALYSIS_H
#define KALABA_ANALYSIS_H

#include <kalaba/system.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most coordinates, and the most constraints, of systems that are analyzed with dense
/// matrices.  Larger ones are *large*: sparse factors, all constraints ideal and on
/// positions, a few modes about rest, equilibria from the starts that are given
/// (docs/theory/linearization.md, 23).
#define KAL_ANALYSIS_LIMIT 500

/// A system with its derivatives, a state, and room for results.
typedef struct KalAnalysis KalAnalysis;

/// Prepare.  `inputs` names actuators and parameters, "u, m"; NULL: all actuators.  The
/// caller owns the analysis and keeps the system longer.  KAL_ERR_USAGE when a name is
/// unknown, KAL_ERR_FORMULATION for servo constraints, KAL_ERR_LIMIT.
KAL_API KAL_CHECKED KalStatus kal_analysis_create(KalContext *ctx,
                                                  const KalSystem *system,
                                                  const char *inputs,
                                                  KalAnalysis **out_analysis);

/// Free it.  NULL is allowed.
KAL_API void kal_analysis_destroy(KalAnalysis *analysis);

/// Set n parameters as kal_instant_set_parameters() does, for all that follows; the state
/// has to be placed again.  KAL_ERR_FORMULATION also when the model has constraints on
/// velocities: what these are may depend on parameters.
KAL_API KAL_CHECKED KalStatus kal_analysis_set_parameters(KalAnalysis *analysis,
                                                          const KalSetting *settings,
                                                          size_t n);

/// Go to the consistent start of the model and replace the values that a text names, as
/// kal_instant_set() does; NULL: none.  No start is needed if all are named.  The state is
/// taken as it is; `out_misfit`, unless NULL, tells how far it is off the constraints.
/// KAL_ERR_SYNTAX, KAL_ERR_CONTRADICTION.
KAL_API KAL_CHECKED KalStatus kal_analysis_place(KalAnalysis *analysis,
                                                 const char *values,
                                                 KalMisfit *out_misfit);

/// The state, to read and to write; it has to satisfy the constraints.
KAL_API KalInstant *kal_analysis_instant(KalAnalysis *analysis);

/// z' = A z + B w, o = C z + D w for small changes z of the states, w of the inputs, o of
/// the outputs.  Matrices lie row after row.  Arrays hold until the next call.
typedef struct KalLinearization {
    int n_states;
    int n_positions; ///< the first states, which are coordinates
    int n_inputs;
    int n_outputs;
    const char *const *states; ///< `theta`, `theta'`
    const char *const *inputs;
    const char *const *outputs;
    const double *A;
    const double *B;
    const double *C; ///< NaN in rows of outputs that have no derivative, or depend on
                     ///< reactions that are not unique
    const double *D;
    const double *tangent; ///< n_states × 2n: how all coordinates and velocities change
                           ///< with each state, state after state; NULL: large system
    const bool *driven;    ///< n_states: moves on in a steady motion, or might, without
                           ///< effect on the states that are not driven
    bool steady;           ///< nothing but driven coordinates changes
    bool at_rest;          ///< nothing changes at all
    bool timeless;         ///< no equation depends on time
    bool singular;    ///< there are not as many states as at the model's start: the
                      ///< constraints lose rank here, or there
    const char *note; ///< why it is not an equilibrium; NULL if it is one
} KalLinearization;

/// Linearize about the present state.  KAL_ERR_NOT_UNIQUE when accelerations are not
/// unique there, KAL_ERR_CONTRADICTION when constraints cannot stay together if an input
/// changes, failures of kal_instant_solve(), KAL_ERR_NUMBER.
KAL_API KAL_CHECKED KalStatus
kal_analysis_linearize(KalAnalysis *analysis, KalLinearization *out_linearization);

/// Whether the equations or outputs have a kink or a jump in the present state, such as
/// abs(x) at x = 0 or dry friction at rest: a linearization is then that of one side.
/// *out_text says at what and where, "abs(x) at pendulum.kal:3:11", or is NULL; it holds
/// until the next call.  The last linearization does not hold any more.
KAL_API KAL_CHECKED KalStatus kal_analysis_kinks(KalAnalysis *analysis,
                                                 const char **out_text);

/// What linearized motion does: name, word, meaning.
#define KAL_STABILITY_LIST(X)                                              \
    X(KAL_STABILITY_STABLE, "stable", "no mode grows")                     \
    X(KAL_STABILITY_UNSTABLE, "unstable", "a mode grows exponentially")    \
    X(KAL_STABILITY_MARGINAL, "marginal",                                  \
      "no mode grows exponentially; nonlinear terms or slow drift decide") \
    X(KAL_STABILITY_UNDECIDED, "undecided",                                \
      "a large system of which only some modes are known, and none of them grows")

/// What linearized motion does.
typedef enum KalStability {
#define KAL_STABILITY_ENUM(name, word, meaning) name,
    KAL_STABILITY_LIST(KAL_STABILITY_ENUM)
#undef KAL_STABILITY_ENUM
} KalStability;

/// The word for it; never NULL.
KAL_API const char *kal_stability_word(KalStability stability);

/// One mode: an eigenvalue with its shape.
typedef struct KalMode {
    double re;
    double im;
    double frequency;    ///< |λ|/2π
    double damping;      ///< −Re λ/|λ|; 0 for λ = 0
    double uncertainty;  ///< by which rounding may have moved λ
    const double *shape; ///< 2n: how all coordinates take part, real parts, then
                         ///< imaginary parts; the largest is 1
} KalMode;

/// An eigenvalue.
typedef struct KalEigenvalue {
    double re;
    double im;
    double uncertainty; ///< by which rounding may have moved it
} KalEigenvalue;

/// The modes of the linearization about a state.
typedef struct KalModes {
    int n;             ///< as many as states; of a large system the slowest, 20 or so
    int n_coordinates; ///< of a shape
    const KalMode *modes; ///< those that grow most first, then by falling frequency;
                          ///< conjugate pairs are neighbors
    int n_inner; ///< eigenvalues of the states that are not driven; they decide about stability
    const KalEigenvalue *inner; ///< n_inner
    KalStability stability;
    bool decays;        ///< stable, and all modes but those of a family decay
    int family;         ///< dimension of the set of equilibria or steady motions here
    const char *reason; ///< one sentence
    KalLinearization linearization; ///< of a large system without names and matrices
} KalModes;

/// Find the modes about the present state.  Failures as of kal_analysis_linearize().
KAL_API KAL_CHECKED KalStatus kal_analysis_modes(KalAnalysis *analysis,
                                                 KalModes *out_modes);

/// Where to look for equilibria.  Zeroed: at rest, from the start of the model and 30 other
/// places.
typedef struct KalEquilibriumOptions {
    int starts;    ///< places to begin at, the model's start among them; 0: 31, and
                   ///< 1 for steady motions and large systems, none where `grid` has
                   ///< some
    uint64_t seed; ///< of the random places
    const char *where;       ///< bounds, "theta = -pi .. pi, x = 0 .. 1"; NULL: none
    const char *const *grid; ///< places to begin at before, as for kal_analysis_place()
    size_t n_grid;
    bool steady; ///< look for steady motions, not for rest
    bool each;   ///< list all members of a family that are found, not one alone
} KalEquilibriumOptions;

/// A state in which nothing accelerates.
typedef struct KalEquilibrium {
    const double *q;           ///< n
    const double *qd;          ///< n: 0 at rest
    const double *multipliers; ///< m: of least norm where not unique; 0 of constraints
                               ///< that do not act
    const bool *shared;        ///< m: the multiplier is not unique
    const double *force;       ///< n: of the constraints
    double potential;          ///< V
    KalStability stability;
    bool decays;
    int family;         ///< dimension of the family it is one of, or 0
    const char *reason; ///< of the stability
} KalEquilibrium;

/// What was found, in the order of discovery.  Arrays hold until the next search.
typedef struct KalEquilibria {
    int count;
    const KalEquilibrium *list;
    int starts;  ///< that led to constraints satisfied
    int arrived; ///< and to a balanced state
} KalEquilibria;

/// The most equilibria that a search keeps.
#define KAL_EQUILIBRIA_LIMIT 200

/// Look for states at rest, or steady motions, on the constraints.  Equal ones and those
/// of one family are listed once.  Angles, coordinates in radians that are periodic, are
/// brought into the bounds or to −π … π.  KAL_ERR_USAGE when the equations depend on time
/// or an option is wrong, KAL_ERR_SYNTAX, KAL_ERR_CONTRADICTION when there is no start.
/// In a large system rest is sought downhill (theory, 23), and families are not.
KAL_API KAL_CHECKED KalStatus
kal_analysis_equilibria(KalAnalysis *analysis, const KalEquilibriumOptions *options,
                        KalEquilibria *out_equilibria);

/// Go to an equilibrium of the last search; numbers begin at 1.  KAL_ERR_USAGE.
KAL_API KAL_CHECKED KalStatus kal_analysis_go(KalAnalysis *analysis, int number);

/// Finds the modes for a value of a parameter; they hold until the next call.  A failure
/// other than KAL_ERR_NOMEM leaves a gap.
typedef KalStatus (*KalLocusModes)(void *user, double value, KalModes *out_modes);

/// The eigenvalues for one value of a parameter.
typedef struct KalLocusPoint {
    double value;
    int n;            ///< eigenvalues; 0 where there are none
    const double *re; ///< n, falling
    const double *im; ///< n
    int growing;      ///< of those that count
    KalStability stability;
    bool failed; ///< there was no answer
} KalLocusPoint;

/// Where eigenvalues cross the imaginary axis.
typedef struct KalCritical {
    double value;
    double frequency; ///< |Im λ|/2π of those that cross
    int below;        ///< growing modes below the value
    int above;        ///< and above
} KalCritical;

/// Eigenvalues as functions of a parameter.
typedef struct KalLocus KalLocus;

/// Values of a parameter.
typedef struct KalLocusRange {
    double low;
    double high;
    int points; ///< 2 or more, both ends among them
} KalLocusRange;

/// Find modes for the values of a range, and those between them at which the number of
/// growing modes changes.  `user` is passed to `modes`.  The caller owns the result.
/// KAL_ERR_USAGE, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_locus_create(KalContext *ctx,
                                               const KalLocusRange *range,
                                               KalLocusModes modes, void *user,
                                               KalLocus **out_locus);

/// Free it.  NULL is allowed.
KAL_API void kal_locus_destroy(KalLocus *locus);

/// The points, by rising value; returns how many.
KAL_API int kal_locus_points(const KalLocus *locus, const KalLocusPoint **out_points);

/// How many eigenvalues are 0 at every point that has an answer: those of cyclic coordinates
/// and of families, which say nothing about the parameter.
KAL_API int kal_locus_zeros(const KalLocus *locus);

/// The critical values, rising; returns how many.
KAL_API int kal_locus_criticals(const KalLocus *locus,
                                const KalCritical **out_criticals);

#ifdef __cplusplus
}
#endif

#endif
