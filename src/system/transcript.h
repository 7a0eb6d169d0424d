// SPDX-License-Identifier: MIT

/// @file
/// Formulas of a system in a graph of their own, to build on while runs go.
///
/// A system never changes, so who wants to make a program of its equations and of more than
/// they say (system/road.h, system/return.h) copies them.  Roots are M (lower triangle), Q, A, b,
/// φ, ψ and C, as KalEquations lists them, T and V, and the outputs of the model; they may be
/// copied several times, for the state as variables of the program or for one that formulas
/// give.

#ifndef SYSTEM_TRANSCRIPT_H
#define SYSTEM_TRANSCRIPT_H

#include "system/system.h"

typedef struct KalTranscript {
    const KalSystem *system;
    KalContext *ctx;
    KalGraph *g;
    KalExpr *block;    ///< formulas: all lists below
    KalExpr *symbols;  ///< variables of a program (t, q, q', weights), then parameters
    KalExpr *weights;  ///< n_weights, among the symbols
    KalExpr *settings; ///< n_settings, behind the parameters
    KalExpr *roots;  ///< copies of the roots that were wanted last; zero is KAL_NO_EXPR
    KalExpr *images; ///< of steps
    size_t block_size;
    size_t n_weights;
    size_t n_settings;
    bool *wanted; ///< roots to be copied next
    bool *needed; ///< steps
    bool *varies; ///< steps that are made of more than parameters
    size_t n_flags;
    KalProgramSwitch *switches; ///< switches among the copies
    size_t n_switches;
    size_t most_switches;
    size_t M; ///< where entries of M, and so on, begin among the roots
    size_t Q;
    size_t A;
    size_t b;
    size_t phi;
    size_t psi;
    size_t C;
    size_t energy;  ///< T and V
    size_t outputs; ///< of the model
    size_t n_roots;
    bool plain; ///< programs get no machine code for one state
} KalTranscript;

enum {
    KAL_TRANSCRIPT_COPIES = 7 ///< at most
};

/// The order of the roots, to be made while the graph of the equations can still be walked
/// through.  The caller clears it.
KAL_CHECKED KalStatus kal_transcript_order(const KalEquations *equations,
                                           KalOrder *out_order);

/// What formulas may be made of besides what the system knows, and how many of them.
typedef struct KalTranscriptRoom {
    size_t n_weights;  ///< variables
    size_t n_settings; ///< parameters
    uint32_t most_nodes;
} KalTranscriptRoom;

/// An empty transcript.  The caller clears it, whatever the answer.
KAL_CHECKED KalStatus kal_transcript_init(KalTranscript *transcript, KalContext *ctx,
                                          const KalSystem *system,
                                          KalTranscriptRoom room);

void kal_transcript_clear(KalTranscript *transcript);

/// Want `count` roots from `first` on.
void kal_transcript_want(KalTranscript *transcript, size_t first, size_t count);

/// Copy the roots that are wanted, after which none is.  `values` has a formula for every
/// variable of KalLayout, or KAL_NO_EXPR where it stays a symbol; NULL: all stay symbols.
KAL_CHECKED KalStatus kal_transcript_copy(KalTranscript *transcript,
                                          const KalExpr *values);

/// Copied M as the lower triangle of n × n formulas, and a copied row of A as n.
void kal_transcript_mass(const KalTranscript *transcript, KalExpr *out_M);
void kal_transcript_row(const KalTranscript *transcript, size_t row, KalExpr *out_row);

/// The sizes of the terms of a copied root that no variable is in, together; 0 where it has none
/// or where they stand within something else than sums and products.
KalExpr kal_transcript_constants(const KalTranscript *transcript, size_t root);

/// A program of formulas in the transcript's graph, for lanes too if so wanted.  The caller
/// owns it.
KAL_CHECKED KalStatus kal_transcript_compile(KalTranscript *transcript,
                                             const KalExpr *outputs, size_t count,
                                             bool lanes, KalProgram **out_program);

#endif
