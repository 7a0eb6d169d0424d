// SPDX-License-Identifier: MIT

// What coordinates and forces weigh in the present state, whether M is dense or sparse.

#include "analysis/analysis_impl.h"

#include <math.h>
#include <string.h>

// Entry i of the diagonal of M.
static double mass_of(const KalAnalysis *a, int i)
{
    const int n = a->system->n;
    const KalSparse *M = &a->system->equations->M;
    if (a->instant->M) {
        return a->instant->M[i * n + i];
    }
    const int64_t last = M->start[i + 1] - 1; // columns rise up to the diagonal
    return last >= M->start[i] && M->column[last] == i ? a->instant->large.M[last]
                                                       : 0.0;
}

// Heavy coordinates and angles are states rather than light ones and lengths; of equals
// the first.
void kal_analysis_fill_weights(KalAnalysis *a)
{
    const KalModel *model = a->system->model;
    const int n = a->system->n;
    double heaviest = 0.0;
    double lightest = INFINITY;
    for (int i = 0; i < n; i++) {
        heaviest = fmax(heaviest, mass_of(a, i));
    }
    for (int i = 0; i < n; i++) {
        const bool heavy = mass_of(a, i) > 1e-12 * heaviest;
        lightest = heavy ? fmin(lightest, mass_of(a, i)) : lightest;
    }
    for (int i = 0; i < n; i++) {
        const char *unit = model->coordinates[i].unit;
        const bool heavy = mass_of(a, i) > 1e-12 * heaviest;
        const bool angle =
            unit && (strcmp(unit, "rad") == 0 || strcmp(unit, "deg") == 0);
        const double mass = heaviest == 0.0 ? 1.0 : heavy ? mass_of(a, i) : lightest;
        a->chart.masses[i] = mass;
        a->chart.weights[i] = (angle ? 0.1 : 1.0) / sqrt(mass) * (1.0 + 1e-7 * i / n);
    }
}

double kal_analysis_force_size(const KalAnalysis *a)
{
    const int n = a->system->n;
    double length = 0.0;
    for (int i = 0; i < n; i++) {
        const double size = fabs(a->instant->Q[i]) + fabs(a->instant->C[i]);
        const double mass = mass_of(a, i);
        length = mass > 0.0 ? hypot(length, size / sqrt(mass)) : length;
    }
    return length;
}
