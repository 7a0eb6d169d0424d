// SPDX-License-Identifier: MIT

/// @file
/// Traces that rounding leaves in A and M where 0 is meant (theory (3.11)).
///
/// States hold such traces, as the parts of 1e-29 of a quaternion that does not turn, and A
/// and M are made of states.  Each is far below what any verdict looks at, but many of them
/// together may outweigh an entry that is meant when units are chosen.
///
/// An entry that is as small as that in any state is meant: a coefficient of 1e-12 that stands
/// in the model beside one of 1e18 is not rounding.  So what is cleared is a trace beside its
/// own usual size, too, its size in states without zeros and coincidences.

#ifndef SYSTEM_DUST_H
#define SYSTEM_DUST_H

#include "base/workspace.h"
#include "derive/equations.h"

/// An entry of A that is no larger than this part of the largest in its row may be a trace.
#define KAL_TRACE 0x1p-48

struct KalInstant;

/// Sizes of entries in states in general; infinite where these have no value.
typedef struct KalUsual {
    double *masses;  ///< n: the diagonal of M
    double *entries; ///< of A, as KalEquations.A counts them
} KalUsual;

/// Memory for them.
void kal_usual_lay_out(KalUsual *usual, KalCarver *carver,
                       const KalEquations *equations);

/// Find the usual sizes for the parameters of an instant.  Overwrites its positions,
/// velocities and results.
void kal_usual_find(struct KalInstant *instant);

/// Set the traces in each row of A to 0, among the values of its entries.
void kal_clear_traces_in_rows(const KalSparse *A, const KalUsual *usual,
                              double *values);

/// Set rows and columns of the symmetric n × n matrix M to 0 of which the mass is a trace
/// beside all that they are coupled to.  A mass that nothing is coupled to stays.
void kal_clear_traces_of_mass(int n, const KalUsual *usual, double *M);

/// The same of M by the entries of its lower triangle; `scratch` has room for 2 n numbers.
void kal_clear_traces_of_masses(const KalSparse *M, const KalUsual *usual,
                                double *values, double *scratch);

#endif
