// SPDX-License-Identifier: MIT

/// @file
/// What a page of the studio asks for, as it stands in the body of a request.
///
///     {"client": "k3x9", "tasks": ["run", "equations"], "name": "a.kal", "text": "…",
///      "set": {"m": 2}, "start": "x = 1", "near": "y = 2", "at": "theta = 0",
///      "drag": {"columns": [1, 2], "to": [0.3, -0.5]}, "seen": "…",
///      "question": "{\"method\": \"textDocument/hover\", …}"}
///
/// All members but `text` may be missing; unknown ones are an error.

#ifndef STUDIO_REQUEST_H
#define STUDIO_REQUEST_H

#include "base/arena.h"

#include <kalaba/model.h>

/// What can be done with a text: name, word.  They are done in this order.
#define KAL_TASK_LIST(X)               \
    X(KAL_TASK_RUN, "run")             \
    X(KAL_TASK_EQUATIONS, "equations") \
    X(KAL_TASK_REPORT, "report")       \
    X(KAL_TASK_LATEX, "latex")         \
    X(KAL_TASK_HDF5, "hdf5")           \
    X(KAL_TASK_C, "c")                 \
    X(KAL_TASK_FMU, "fmu")             \
    X(KAL_TASK_QUESTION, "question")   \
    X(KAL_TASK_FORMAT, "format")       \
    X(KAL_TASK_MODES, "modes")         \
    X(KAL_TASK_EQUILIBRIA, "equilibria")

/// One of them.
typedef enum KalTask {
#define KAL_TASK_ENUM(name, word) name,
    KAL_TASK_LIST(KAL_TASK_ENUM)
#undef KAL_TASK_ENUM
} KalTask;

/// A bit for each task.
#define KAL_TASK_BIT(task) (1u << (unsigned)(task))

/// Those that make a file.
#define KAL_TASKS_WITH_FILES                                \
    (KAL_TASK_BIT(KAL_TASK_HDF5) | KAL_TASK_BIT(KAL_TASK_C) \
     | KAL_TASK_BIT(KAL_TASK_FMU))

enum {
    KAL_REQUEST_SETTINGS = 200 ///< parameters that may be set
};

/// A point of the picture that is drawn somewhere by hand.
typedef struct KalDrag {
    int n;             ///< 2 or 3; 0: nothing is dragged
    double columns[3]; ///< of the report, that hold where the point is
    double to[3];
} KalDrag;

/// A request that was read.  Texts are never NULL unless said so.
typedef struct KalStudioRequest {
    KalArena *arena; ///< holds all that follows
    unsigned tasks;  ///< bits
    const char *client;
    const char *name; ///< of the model; or NULL
    const char *text;
    const char *start;    ///< start values that are held; NULL: those of the model
    const char *near;     ///< or such that may move to satisfy the constraints; or NULL
    const char *at;       ///< state of an analysis; or NULL
    const char *seen;     ///< version of a file that is to be saved over; or NULL
    const char *question; ///< message of the Language Server Protocol; or NULL
    KalOverride set[KAL_REQUEST_SETTINGS];
    size_t n_set;
    KalDrag drag;
} KalStudioRequest;

/// Read a request.  The caller clears it in any case.  KAL_ERR_SYNTAX, KAL_ERR_LIMIT,
/// KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_studio_request_init(KalStudioRequest *request,
                                              KalContext *ctx, const char *text,
                                              size_t length);

/// Give its memory back.
void kal_studio_request_clear(KalStudioRequest *request);

#endif
