// SPDX-License-Identifier: MIT

// Systems of the literature at one instant, against what is known of them in closed form:
// S1 (pendulum, sleigh), S2 (inverse Kepler problem, incline), S3 (the general equation),
// S4 (wheel, massless particle, two masses).  Numbers are those of shared/systems.md.

#include "lab.h"

enum {
    MOST = 4
};

static const double TOLERANCE = 1e-12;

// A problem and all that is known of its answer.
typedef struct System {
    int n;
    int m;
    double M[MOST * MOST]; // n × n
    double Q[MOST];
    double A[MOST * MOST]; // m × n
    double b[MOST];
    double C[MOST];
    bool has_C;
    const char *coordinates[MOST];

    double qdd[MOST];
    double ideal[MOST];
    double nonideal[MOST];
    double lambda[MOST];
    int rank_M;
    int rank_A;
    int rank_Mhat;
    bool indeterminate[MOST];
} System;

static Lab lab;

static KalMotionProblem problem_of(const System *s)
{
    return (KalMotionProblem){.n = s->n,
                              .m = s->m,
                              .M = s->M,
                              .Q = s->Q,
                              .A = s->A,
                              .b = s->b,
                              .C = s->has_C ? s->C : NULL,
                              .coordinates = s->coordinates[0] ? s->coordinates : NULL};
}

static void check_answer(const System *s, const KalMotionAnswer *a)
{
    near(lab_error(a->qdd, s->qdd, s->n), 0.0, TOLERANCE);
    near(lab_error(a->force_ideal, s->ideal, s->n), 0.0, TOLERANCE);
    near(lab_error(a->force_nonideal, s->nonideal, s->n), 0.0, TOLERANCE);
    near(lab_error(a->multipliers, s->lambda, s->m), 0.0, TOLERANCE);
    ok(a->n == s->n && a->m == s->m);
    ok(a->rank_M == s->rank_M);
    ok(a->rank_A == s->rank_A);
    ok(a->rank_Mhat == s->rank_Mhat);
    ok(a->unique == (s->rank_Mhat == s->n));
    ok(memcmp(a->indeterminate, s->indeterminate, (size_t)s->n * sizeof(bool)) == 0);
    near(a->residual_constraints, 0.0, 1e-13);
    near(a->residual_motion, 0.0, 1e-13);
}

// Every formulation gives the answer, or says that it does not apply.
static void check(const System *s)
{
    const KalMotionProblem problem = problem_of(s);
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer answer;
        const KalStatus status = kal_motion_solve(lab.solver[f], &problem, &answer);
        if (!lab_applies((KalFormulation)f, s->n, s->rank_M, s->rank_Mhat)) {
            ok(status == KAL_ERR_FORMULATION);
        } else if (ok(status == KAL_OK)) {
            check_answer(s, &answer);
        }
    }
}

// A force along the massless free direction that the coordinates named span is refused.
static void check_refused(const System *s, const int *named, int count)
{
    const KalMotionProblem problem = problem_of(s);
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer answer;
        ok(kal_motion_solve(lab.solver[f], &problem, &answer)
           == KAL_ERR_NO_ACCELERATION);
        const KalMotionFault fault = kal_motion_fault(lab.solver[f]);
        ok(!fault.constraints && fault.count == count && fault.size > 0.0);
        for (int i = 0; i < count && i < fault.count; i++) {
            ok(fault.indices[i] == named[i]);
            has_text(kal_context_message(lab.ctx), s->coordinates[named[i]]);
        }
    }
}

// System 6.  T = m (r'² + r²θ'²)/2, V = −m g r cosθ, and the force f along x = r sinθ:
// M = diag(m, m r²), Q = (m rθ'² + m g cosθ + f sinθ, −2m r r'θ' − m g r sinθ + f r cosθ),
// r = L: A = (1, 0), b = 0.  So λ = −Q₁ and θ'' = Q₂/(m L²).
static void pendulum_in_polar_coordinates(void)
{
    const double g = 9.81;
    for (int k = 0; k < 60; k++) {
        const double theta = -3.0 + 0.1 * k;
        const double omega = 2.5 * sin(k);
        const double m = 0.25 + 0.5 * (k % 7);
        const double L = 0.1 + 0.3 * (k % 5);
        const double f = 4.0 * cos(k);
        const double lambda =
            -m * L * omega * omega - m * g * cos(theta) - f * sin(theta);
        const double torque = L * (f * cos(theta) - m * g * sin(theta));
        const System s = {
            .n = 2,
            .m = 1,
            .M = {m,       0.0, 0.0, m * L * L},
            .Q = {-lambda,    torque},
            .A = {1.0,       0.0},
            .qdd = {0.0,torque / (m * L * L)},
            .ideal = {lambda,     0.0},
            .lambda = {lambda      },
            .rank_M = 2,
            .rank_A = 1,
            .rank_Mhat = 2,
        };
        check(&s);
    }
}

// The same in Cartesian coordinates: x x'' + y y'' = −(x'² + y'²), and with the tension
// N = m v²/L + m g cosθ + f sinθ the rod's force is −N (x, y)/L = λ (x, y).
static void pendulum_in_cartesian_coordinates(void)
{
    const double g = 9.81;
    const double m = 1.5;
    const double f = 0.75;
    for (int k = 0; k < 60; k++) {
        const double theta = -3.0 + 0.1 * k;
        const double L = 0.25 + 0.25 * (k % 4);
        const double v = 3.0 * sin(2.0 * k);
        const double x = L * sin(theta);
        const double y = -L * cos(theta);
        const double N = m * v * v / L + m * g * cos(theta) + f * sin(theta);
        const System s = {
            .n = 2,
            .m = 1,
            .M = {m,       0.0, 0.0, m},
            .Q = {f,    -m * g},
            .A = {x,       y},
            .b = {-v * v},
            .qdd = {(f - N * x / L) / m,       (-m * g - N * y / L) / m},
            .ideal = {-N * x / L,       -N * y / L},
            .lambda = {-N / L         },
            .rank_M = 2,
            .rank_A = 1,
            .rank_Mhat = 2,
        };
        check(&s);
    }
}

// System 9.  M = diag(m, m, I), Q = 0.  The blade at −b e₁' does not slip sideways:
// −x' sinθ + y' cosθ − bθ' = 0, so A = (−sinθ, cosθ, −b) and its right-hand side is
// θ'(x' cosθ + y' sinθ) = ω u.  A M⁻¹Aᵀ = (m b² + I)/(m I) gives
// λ = +(m I/(m b² + I)) ω u: S1 prints the sign of the opposite row.  Reduced:
// u' = bω², ω' = −(m b/(m b² + I)) u ω.
static void chaplygin_sleigh(void)
{
    for (int k = 0; k < 80; k++) {
        const double sign = k % 2 ? -1.0 : 1.0; // of the row
        const double theta = 0.3 * k;
        const double u = 2.0 * cos(3.0 * k);
        const double omega = 1.5 * sin(k);
        const double m = 1.0 + 0.5 * (k % 3);
        const double I = 0.1 + 0.2 * (k % 4);
        const double b = 0.05 * (k % 6); // 0: the blade below the center of mass
        const double sine = sin(theta);
        const double cosine = cos(theta);
        const double force = m * I / (m * b * b + I) * omega * u;
        const System s = {
            .n = 3,
            .m = 1,
            .M = {m,            0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, I},
            .A = {-sign * sine,         sign * cosine, -sign * b},
            .b = {sign * omega * u          },
            .qdd = {-force * sine / m,         force * cosine / m, -force * b / I},
            .ideal = {-force * sine,           force * cosine, -force * b},
            .lambda = {sign * force},
            .rank_M = 3,
            .rank_A = 1,
            .rank_Mhat = 3,
        };
        check(&s);
        // The reduced form, with x' = u cosθ − bω sinθ and y' = u sinθ + bω cosθ.
        const double xd = u * cosine - b * omega * sine;
        const double yd = u * sine + b * omega * cosine;
        const double ud =
            s.qdd[0] * cosine + s.qdd[1] * sine + omega * (yd * cosine - xd * sine);
        near(ud, b * omega * omega, 1e-14);
        near(s.qdd[2], -m * b / (m * b * b + I) * u * omega, 1e-13);
    }
}

// System 11.  No impressed force; r = εx + ℓ differentiated twice, with r r'' + r'² =
// x x'' + y y'' + v² and v² − r'² = (L/(m r))²; and constant angular momentum:
// A = [x − rε  y; y  −x], b = (−L²/(m² r²), 0).  Then the force is −K r̂ with
// K = L²/(m ℓ r²), and Aᵀλ = −K r̂ has the solution λ = −(K/ℓ) (1, ε y/r).
static void inverse_kepler_problem(void)
{
    const double eccentricity[] = {0.0, 0.3, 0.9, 1.0, 1.6};
    for (int k = 0; k < 100; k++) {
        const double e = eccentricity[k % 5];
        const double theta = 0.9 + 4.4 * (k / 100.0); // 1 − e cosθ > 0 throughout
        const double ell = 0.5 + k % 3;
        const double m = 0.5 + k % 2;
        const double L = 0.25 + k % 7;
        const double r = ell / (1.0 - e * cos(theta));
        const double x = r * cos(theta);
        const double y = r * sin(theta);
        if (1.0 - e * cos(theta) < 0.05) {
            continue;
        }
        const double K = L * L / (m * ell * r * r);
        const System s = {
            .n = 2,
            .m = 2,
            .M = {m,  0.0,                    0.0, m},
            .A = {x - r * e, y,                       y, -x},
            .b = {-L * L / (m * m * r * r), 0.0},
            .qdd = {-K * x / r / m,  -K * y / r / m},
            .ideal = {-K * x / r,  -K * y / r           },
            .lambda = {-K / ell,  -K * e * y / (r * ell)              },
            .rank_M = 2,
            .rank_A = 2,
            .rank_Mhat = 2,
        };
        check(&s);
    }
}

// System 12.  y = x tanα: A = (−tanα, 1), b = 0, Q = −m g (0, 1).  The normal force is
// m g cosα, so friction does the work of C = −μ m g cosα sgn(y') (cosα, sinα), which is
// tangential and therefore the non-ideal force itself.  The ideal force is
// m g (−sinα cosα, cos²α) = λ (−tanα, 1) with λ = m g cos²α.
static void incline_with_friction(void)
{
    const double g = 9.81;
    for (int k = 0; k < 60; k++) {
        const double alpha = 0.05 + 0.024 * k; // up to 84°
        const double mu = 0.1 * (k % 8);
        const double m = 0.5 + k % 4;
        const double sense = k % 3 - 1.0; // sgn y': down, at rest, up
        const double sine = sin(alpha);
        const double cosine = cos(alpha);
        const double friction = -mu * m * g * cosine * sense;
        const double along = -g * (sine + mu * cosine * sense);
        const System s = {
            .n = 2,
            .m = 1,
            .M = {m,                0.0, 0.0, m},
            .Q = {0.0,             -m * g},
            .A = {-tan(alpha),                1.0},
            .C = {friction * cosine,friction * sine},
            .has_C = true,
            .qdd = {along * cosine,      along * sine},
            .ideal = {-m * g * sine * cosine,                m * g * cosine * cosine},
            .nonideal = {friction * cosine,    friction * sine},
            .lambda = {m * g * cosine * cosine  },
            .rank_M = 2,
            .rank_A = 1,
            .rank_Mhat = 2,
        };
        check(&s);
    }
}

// System 13, a constraint nonlinear in velocity: a particle kept at constant speed,
// x'² + y'² + z'² = v², so A = (x', y', z'), b = 0.  Only the part of the force across
// the velocity accelerates it: with t = (x', y', z')/v, m q'' = Q − (tᵀQ) t, and
// λ v t = −(tᵀQ) t.  Written three times (once, doubled, reversed) the least multipliers
// share the force in proportion (1, 2, −1)/6.  A drag C = −κ t changes nothing: the
// speed is already constant.  C = κ p across t acts fully.
static void particle_of_constant_speed(void)
{
    for (int k = 0; k < 60; k++) {
        const double m = 0.5 + 0.25 * (k % 5);
        const double t[] = {cos(k) * cos(2.0 * k), sin(k) * cos(2.0 * k), sin(2.0 * k)};
        const double p[] = {-sin(k), cos(k), 0.0};
        const double v = 1.5;
        const double kappa = 0.25 * (k % 4);
        const double drag = 0.75 * (k % 3);
        const double Q[] = {1.0, -2.0, 3.0};
        const double along = t[0] * Q[0] + t[1] * Q[1] + t[2] * Q[2];
        const bool repeated = k % 2 == 1;
        const double lambda = -along / v;
        System s = {
            .n = 3,
            .m = repeated ? 3 : 1,
            .has_C = true,
            .lambda = {lambda, 0.0, 0.0},
            .rank_M = 3,
            .rank_A = 1,
            .rank_Mhat = 3,
        };
        for (int i = 0; i < 3; i++) {
            s.M[4 * i] = m;
            s.Q[i] = Q[i];
            s.A[i] = v * t[i];
            s.A[3 + i] = 2.0 * v * t[i];
            s.A[6 + i] = -v * t[i];
            s.C[i] = kappa * p[i] - drag * t[i];
            s.ideal[i] = -along * t[i];
            s.nonideal[i] = kappa * p[i];
            s.qdd[i] = (Q[i] - along * t[i] + kappa * p[i]) / m;
        }
        if (repeated) {
            s.lambda[0] = lambda / 6.0;
            s.lambda[1] = lambda / 3.0;
            s.lambda[2] = -lambda / 6.0;
        }
        check(&s);
    }
}

static const double M13[] = {4.0, 1.0, 0.5, 1.0, 3.0, -1.0, 0.5, -1.0, 2.0};
static const double A13[] = {1.0, 2.0, -1.0, 0.5, -1.0, 3.0};

static double dot3(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

// System 13, the M-inverse.  With Q = 0 and b a unit vector the acceleration is a column
// of A_M⁺; A has independent rows here, so every b is allowed.
static void m_inverse_has_its_four_properties(void)
{
    static const double zero[3];
    for (int f = 0; f < FORMULATIONS; f++) {
        double P[2][3]; // columns of A_M⁺
        double MP[2][3];
        for (int k = 0; k < 2; k++) {
            const double b[] = {k == 0, k == 1};
            const KalMotionProblem problem = {3, 2,    M13,  zero, A13,
                                              b, NULL, NULL, NULL, NULL};
            KalMotionAnswer a;
            ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK);
            memcpy(P[k], a.qdd, sizeof P[k]);
            for (int i = 0; i < 3; i++) {
                MP[k][i] = dot3(M13 + 3 * i, P[k]);
            }
        }
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 2; k++) { // A A_M⁺ = I: 13a, 13b and 13c
                near(dot3(A13 + 3 * i, P[k]), i == k, 1e-14);
            }
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < i; j++) { // M A_M⁺A is symmetric: 13d
                const double ij = MP[0][i] * A13[j] + MP[1][i] * A13[3 + j];
                const double ji = MP[0][j] * A13[i] + MP[1][j] * A13[3 + i];
                near(ij, ji, 1e-13);
            }
        }
    }
}

// System 13, the two parts of what constraints do.  With independent rows, and again with
// a scaled copy and a sum added: neither q'' nor the forces change, and the two parts of
// the acceleration are orthogonal through M.
static void parts_are_orthogonal_and_repetition_changes_nothing(void)
{
    const double Q[] = {1.0, -2.0, 0.5};
    const double C[] = {0.25, 1.0, -3.0};
    const double A[] = {1.0, 2.0, -1.0, 0.5, -1.0, 3.0, -4.0, -8.0, 4.0, 1.5, 1.0, 2.0};
    const double b[] = {3.0, -1.0, -12.0, 2.0};
    const int sets[] = {0, 0, 0, 0};
    KalMotionProblem problem = {3, 2, M13, Q, A, b, C, NULL, NULL, NULL};
    KalMotionAnswer a;
    double first[9];
    ok(kal_motion_solve(lab.solver[KAL_FORMULATION_NULLSPACE], &problem, &a) == KAL_OK);
    memcpy(first, a.qdd, 3 * sizeof first[0]);
    memcpy(first + 3, a.force_ideal, 3 * sizeof first[0]);
    memcpy(first + 6, a.force_nonideal, 3 * sizeof first[0]);
    for (int f = 0; f < FORMULATIONS; f++) {
        for (int m = 2; m <= 4; m++) {
            problem.m = m;
            ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK);
            ok(a.rank_A == 2 && a.unique);
            ok(m < 4 || memcmp(a.dependent_set, sets, sizeof sets) == 0);
            near(lab_error(a.qdd, first, 3), 0.0, TOLERANCE);
            near(lab_error(a.force_ideal, first + 3, 3), 0.0, TOLERANCE);
            near(lab_error(a.force_nonideal, first + 6, 3), 0.0, TOLERANCE);
            // M⁻¹ of the non-ideal force is a motion that the constraints allow: the
            // ideal force has no power in it.  Both from solves without constraints.
            const KalMotionProblem free_motion = {3,    0,    M13,  first + 6, NULL,
                                                  NULL, NULL, NULL, NULL,      NULL};
            KalMotionAnswer free_answer;
            ok(kal_motion_solve(lab.solver[f], &free_motion, &free_answer) == KAL_OK);
            near(dot3(first + 3, free_answer.qdd), 0.0, 1e-13);
            near(dot3(A, free_answer.qdd), 0.0, 1e-14);
        }
    }
}

// System 14.  The wheel's center falls by y = Rθ sinα.  With T = (m R² + I)θ'²/2 and
// V = −m g y taken as independent: M = diag(m R² + I, 0), Q = (0, m g),
// A = (−R sinα, 1), b = 0.  The second equation is 0 = m g + λ.
static System wheel(int k)
{
    const double g = 9.81;
    const double m = 0.5 + k % 4;
    const double R = 0.1 + 0.2 * (k % 5);
    const double I = 0.05 * (k % 3); // 0: all mass at the center
    const double drop = R * sin(0.02 + 0.025 * k);
    const double angular = m * g * drop / (m * R * R + I);
    return (System){
        .n = 2,
        .m = 1,
        .M = {m * R * R + I, 0.0, 0.0, 0.0},
        .Q = {0.0,          m * g},
        .A = {-drop,             1.0},
        .coordinates = {"theta","y"},
        .qdd = {angular,         drop * angular},
        .ideal = {m * g * drop,             -m * g},
        .lambda = {-m * g           },
        .rank_M = 1,
        .rank_A = 1,
        .rank_Mhat = 2,
    };
}

static void wheel_on_an_incline(void)
{
    for (int k = 0; k < 60; k++) {
        const System s = wheel(k);
        check(&s);
    }
}

// System 15.  The same with a coordinate x that has neither mass nor constraint: its
// acceleration is anybody's guess, and zero is the shortest.  A force on it is refused.
static void wheel_and_a_massless_particle(void)
{
    for (int k = 0; k < 60; k++) {
        System s = wheel(k);
        s.n = 3;
        s.M[2] = s.M[3] = 0.0; // the rows are one longer now; all other masses are zero
        s.A[2] = 0.0;
        s.coordinates[2] = "x";
        s.indeterminate[2] = true;
        check(&s);
        s.Q[2] = 0.125;
        check_refused(&s, (int[]){2}, 1);
    }
}

// System 16.  Two masses and two springs from two sub-systems.  T = m₁x₁'²/2 +
// m₂(q₁' + q₂')²/2, V = (k₁x₁² + k₂q₂²)/2 with the springs' rest lengths taken out, joined
// by q₁ = x₁ + d: M as below, Q = (−k₁x₁, 0, −k₂q₂), A = (1, −1, 0), b = 0.
static System two_masses(double m1, double m2, const double spring[2],
                         const double stretch[2])
{
    return (System){
        .n = 3,
        .m = 1,
        .M = {m1,                       0.0, 0.0,                   0.0, m2, m2, 0.0, m2, m2},
        .Q = {-spring[0] * stretch[0],                      0.0,                       -spring[1] * stretch[1]                                        },
        .A = {1.0,                      -1.0,                         0.0                       },
        .coordinates = {"x1", "q1","q2"},
        .rank_M = (m1 > 0.0) + (m2 > 0.0),
        .rank_A = 1,
        .rank_Mhat = 1 + (m1 > 0.0) + (m2 > 0.0),
    };
}

// S4 5.39: m₁x₁'' = −k₁x₁ + k₂q₂, and the whole spring force k₂q₂ = λ holds m₂.
static void two_masses_both_present(void)
{
    for (int k = 0; k < 60; k++) {
        const double m1 = 0.5 + k % 3;
        const double m2 = 0.25 + k % 5;
        const double spring[] = {10.0 + k, 40.0 - 0.5 * k};
        const double stretch[] = {0.3 * cos(k), 0.2 * sin(k)};
        const double f1 = spring[0] * stretch[0];
        const double f2 = spring[1] * stretch[1];
        const double a = (f2 - f1) / m1;
        System s = two_masses(m1, m2, spring, stretch);
        memcpy(s.qdd, (double[]){a, a, -a - f2 / m2}, 3 * sizeof s.qdd[0]);
        memcpy(s.ideal, (double[]){f2, -f2, 0.0}, 3 * sizeof s.ideal[0]);
        s.lambda[0] = f2;
        check(&s);
    }
}

// m₁ = 0: x₁ and q₁ move together and q₂ backwards without any mass, w = (1, 1, −1).
// Where the springs balance there is an acceleration, though not a unique one: only
// q₁'' + q₂'' = −k₂q₂/m₂ is fixed, and (1, 1, 2)/3 of it is the shortest.  Otherwise there
// is none.
static void two_masses_without_the_first(void)
{
    for (int k = 1; k < 40; k++) {
        const double m2 = 0.5 + k % 3;
        const double spring[] = {8.0, 2.0};
        const double stretch[] = {0.125 * k, 0.5 * k}; // k₁x₁ = k₂q₂ exactly
        const double whole = -spring[1] * stretch[1] / m2;
        System s = two_masses(0.0, m2, spring, stretch);
        memset(s.indeterminate, 1, 3 * sizeof s.indeterminate[0]);
        memcpy(s.qdd, (double[]){whole / 3.0, whole / 3.0, 2.0 * whole / 3.0},
               3 * sizeof s.qdd[0]);
        s.lambda[0] = spring[1] * stretch[1];
        s.ideal[0] = s.lambda[0];
        s.ideal[1] = -s.lambda[0];
        check(&s);
        s.Q[0] += 0.25;
        check_refused(&s, (int[]){0, 1, 2}, 3);
    }
}

// S4 5.47: with k₁x₁ = k₂q₂ as a second constraint, springs in series move m₂:
// q₁'' + q₂'' = −(k₁k₂/(k₁ + k₂))(x₁ + q₂)/m₂ (5.48 lacks the minus sign), shared as k₂ to
// k₁.  λ₁ is the force of the springs in series, λ₂ = (k₁x₁ − k₂q₂)/(k₁ + k₂).
static void two_masses_without_the_first_held_by_the_springs(void)
{
    for (int k = 1; k < 60; k++) {
        const double m2 = 0.5 + k % 3;
        const double spring[] = {10.0 + k, 40.0 - 0.5 * k};
        const double stretch[] = {0.3 * cos(k), 0.2 * sin(k)};
        const double sum = spring[0] + spring[1];
        const double series = spring[0] * spring[1] / sum * (stretch[0] + stretch[1]);
        const double a = -series * spring[1] / sum / m2;
        const double c = -series * spring[0] / sum / m2;
        System s = two_masses(0.0, m2, spring, stretch);
        s.m = 2;
        s.rank_A = 2;
        s.rank_Mhat = 3;
        memcpy(s.A + 3, (double[]){spring[0], 0.0, -spring[1]}, 3 * sizeof s.A[0]);
        memcpy(s.qdd, (double[]){a, a, c}, 3 * sizeof s.qdd[0]);
        s.lambda[0] = series;
        s.lambda[1] = (spring[0] * stretch[0] - spring[1] * stretch[1]) / sum;
        s.ideal[0] = spring[0] * stretch[0];
        s.ideal[1] = -series;
        s.ideal[2] = -spring[1] * s.lambda[1];
        check(&s);
    }
}

// m₂ = 0: q₂ alone has neither mass nor constraint.  With the spring at rest q₁ and x₁
// move on, q₂'' is free; with a stretched spring there is no acceleration.
static void two_masses_without_the_second(void)
{
    for (int k = 1; k < 40; k++) {
        const double m1 = 0.5 + k % 3;
        const double spring[] = {8.0 + k, 2.0};
        const double stretch[] = {0.125 * k, 0.0};
        const double a = -spring[0] * stretch[0] / m1;
        System s = two_masses(m1, 0.0, spring, stretch);
        s.indeterminate[2] = true;
        memcpy(s.qdd, (double[]){a, a, 0.0}, 3 * sizeof s.qdd[0]);
        check(&s);
        s.Q[2] = -0.25;
        check_refused(&s, (int[]){2}, 1);
    }
}

// S4 5.56: with k₂q₂ = 0 as a second constraint the first mass swings alone, whatever the
// spring's force, which the constraint then balances: λ₂ = q₂.
static void two_masses_without_the_second_held_by_the_spring(void)
{
    for (int k = 1; k < 60; k++) {
        const double m1 = 0.5 + k % 3;
        const double spring[] = {10.0 + k, 40.0 - 0.5 * k};
        const double stretch[] = {0.3 * cos(k), k % 2 ? 0.0 : 0.2 * sin(k)};
        const double a = -spring[0] * stretch[0] / m1;
        System s = two_masses(m1, 0.0, spring, stretch);
        s.m = 2;
        s.rank_A = 2;
        s.rank_Mhat = 3;
        s.A[5] = spring[1];
        memcpy(s.qdd, (double[]){a, a, 0.0}, 3 * sizeof s.qdd[0]);
        s.lambda[1] = stretch[1];
        s.ideal[2] = spring[1] * stretch[1];
        check(&s);
    }
}

// Three bodies of masses m that move as one, forces m c: each multiplier has all its digits,
// however small its body is beside the others.
static void multipliers_of_small_bodies_beside_large_ones(void)
{
    static const double c[] = {1.0, 3.0, 2.0};
    for (int e = 0; e <= 140; e += 10) {
        const double m[] = {pow(10.0, e), pow(10.0, -e), 1.0};
        const double M[] = {m[0], 0.0, 0.0, 0.0, m[1], 0.0, 0.0, 0.0, m[2]};
        const double Q[] = {m[0] * c[0], m[1] * c[1], m[2] * c[2]};
        const double A[] = {0.0, 1.0, -1.0, 1.0, 0.0, -1.0};
        const double b[] = {0.0, 0.0};
        const KalMotionProblem problem = {3, 2, M, Q, A, b, NULL, NULL, NULL, NULL};
        const double sum = m[0] + m[1] + m[2];
        const double a = (Q[0] + Q[1] + Q[2]) / sum;
        const double first = m[0] * (m[1] * (c[1] - c[0]) + m[2] * (c[2] - c[0])) / sum;
        const double second =
            m[1] * (m[0] * (c[0] - c[1]) + m[2] * (c[2] - c[1])) / sum;
        KalMotionAnswer got;
        if (ok(kal_motion_solve(lab.solver[KAL_FORMULATION_DEFAULT], &problem, &got)
               == KAL_OK)) {
            near(got.qdd[1] / a, 1.0, 1e-14);
            near(got.multipliers[0] / second, 1.0, 1e-9);
            near(got.multipliers[1] / first, 1.0, 1e-9);
        }
    }
}

static void open_workspaces(void)
{
    lab_open(&lab, MOST, MOST);
}

static void close_workspaces(void)
{
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(open_workspaces), TAP_CASE(pendulum_in_polar_coordinates),
        TAP_CASE(pendulum_in_cartesian_coordinates), TAP_CASE(chaplygin_sleigh),
        TAP_CASE(inverse_kepler_problem), TAP_CASE(incline_with_friction),
        TAP_CASE(particle_of_constant_speed),
        TAP_CASE(m_inverse_has_its_four_properties),
        TAP_CASE(parts_are_orthogonal_and_repetition_changes_nothing),
        TAP_CASE(wheel_on_an_incline), TAP_CASE(wheel_and_a_massless_particle),
        TAP_CASE(two_masses_both_present), TAP_CASE(two_masses_without_the_first),
        TAP_CASE(two_masses_without_the_first_held_by_the_springs),
        TAP_CASE(two_masses_without_the_second),
        TAP_CASE(two_masses_without_the_second_held_by_the_spring),
        TAP_CASE(multipliers_of_small_bodies_beside_large_ones),
        TAP_CASE(close_workspaces))
