// SPDX-License-Identifier: MIT

/// @file
/// Traces that rounding leaves in A and M where 0 is meant (theory (3.11)).
///
/// States hold such traces, as the parts of 1e-29 of a quaternion that does not turn, and A
/// and M are made of states.  Each is far below what any verdict looks at, but many of them
/// together may outweigh an entry that is meant when units are chosen.

#ifndef SYSTEM_DUST_H
#define SYSTEM_DUST_H

#include "derive/equations.h"

/// Set the traces in each row of A to 0, among the values of its entries.
void kal_clear_traces_in_rows(const KalSparse *A, double *values);

/// Set rows and columns of the symmetric n × n matrix M to 0 of which the mass is a trace
/// beside all that they are coupled to.  A mass that nothing is coupled to stays.
void kal_clear_traces_of_mass(int n, double *M);

/// The same of M by the entries of its lower triangle; `scratch` has room for 2 n numbers.
void kal_clear_traces_of_masses(const KalSparse *M, double *values, double *scratch);

#endif
