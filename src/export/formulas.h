// SPDX-License-Identifier: MIT

/// @file
/// Programs as C.
///
/// A program (prog/listing.h) becomes one function that writes its results to an array.
/// Values that are used once stand where they are used, as long as the line stays short; all
/// others have a name.  Groups are those of the program, so that compiled code rounds as the
/// library does, unless the compiler is allowed to contract sums and products.
///
/// What depends on parameters alone is written apart, into an array of the work memory.
///
/// Sines and cosines that wait for no others are computed first, four at a time.
///
/// A program may have a verdict, as that of derive/eliminate.h: quotients of pivots, then the
/// excess of residuals.  Where the program chooses nothing, its reciprocals are plain quotients,
/// and maxima and minima that only the verdict needs do not look for NaN.  Instead a sum of those
/// reciprocals and of the quotients of pivots, times zero, is added to the excess, which is NaN
/// then where one is infinite or none.  Of terms of the excess, residuals and roots are in such a
/// sum already.

#ifndef EXPORT_FORMULAS_H
#define EXPORT_FORMULAS_H

#include "model/model.h"
#include "prog/listing.h"
#include "show/page.h"

/// What a text needs of the functions that export/operators.h names.
typedef struct KalUsedOperators {
    bool op[KAL_OP_COUNT];
    bool levels;  ///< of tables: on which piece, and how far along
    bool waves;   ///< sines and cosines of four at once
    bool larger;  ///< maxima of a verdict
    bool smaller; ///< and minima
} KalUsedOperators;

/// A program to be written.
typedef struct KalCProgram {
    const KalProgram *program;
    const char *name; ///< of the function, and of the array that is prepared
    const char *const *parameters; ///< texts that stand for them, when these are known
    const char *const *variables;  ///< texts that stand for them
    const char *const
        *locals; ///< names that variables have in the function; NULL for those
                 ///< that are written as they are
    const size_t
        *chosen; ///< n_chosen outputs that are written, as out[0], out[1], …; NULL: all
    size_t n_chosen; ///< entries of `chosen`
    size_t verdict;  ///< first of the results that say whether to trust the others
    size_t
        n_verdict; ///< how many such results; the last is NaN where some number is none
    bool single;
    const KalModelTable *tables; ///< of the model: number k is TABLES[k] in C
    size_t n_tables;
} KalCProgram;

/// How many numbers of the work memory hold what is prepared.
KAL_CHECKED KalStatus kal_c_program_prepared(KalContext *ctx, const KalCProgram *p,
                                             size_t *out_count);

/// Write statements that prepare, indented by four.
KAL_CHECKED KalStatus kal_c_program_write_prepare(const KalCProgram *p, KalPage *page,
                                                  KalUsedOperators *used);

/// Write statements that compute `out[…]` from result *next on, indented by four: all, or so many
/// results that about `most` values are computed, 0 for all of them.  What results before have
/// computed is not known: it is computed anew.  *next becomes the result that is left to begin
/// with; *out_more says whether there is one.
KAL_CHECKED KalStatus kal_c_program_write_part(const KalCProgram *p, size_t most,
                                               KalPage *page, KalUsedOperators *used,
                                               size_t *next, bool *out_more);

/// Write all of them.
KAL_CHECKED KalStatus kal_c_program_write_body(const KalCProgram *p, KalPage *page,
                                               KalUsedOperators *used);

/// A number as C has it; room for KAL_NUMBER_SIZE + 4 characters.
void kal_c_number(double value, bool single, char *out_text);

#endif
