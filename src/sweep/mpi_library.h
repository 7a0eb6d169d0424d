// SPDX-License-Identifier: MIT

/// @file
/// Open MPI, loaded when mpirun has started several ranks and not with the program.
///
/// Its headers are not needed: handles are pointers in Open MPI, and the few functions and the
/// one struct that are used are declared here as its mpi.h has them (versions 4 and 5).

#ifndef SWEEP_MPI_LIBRARY_H
#define SWEEP_MPI_LIBRARY_H

#include "base/context.h"

enum {
    KAL_MPI_ANY = -1,       ///< MPI_ANY_SOURCE, MPI_ANY_TAG
    KAL_MPI_SERIALIZED = 2, ///< MPI_THREAD_SERIALIZED
};

/// MPI_Status.
typedef struct KalMpiStatus {
    int source;
    int tag;
    int error;
    int cancelled;
    size_t count;
} KalMpiStatus;

/// An open library: functions, MPI_Init_thread and so on, and handles.
typedef struct KalMpiLibrary {
    int (*init_thread)(int *argc, char ***argv, int required, int *provided);
    int (*finalize)(void);
    int (*comm_rank)(void *comm, int *rank);
    int (*comm_size)(void *comm, int *size);
    int (*send)(const void *data, int count, void *type, int to, int tag, void *comm);
    int (*isend)(const void *data, int count, void *type, int to, int tag, void *comm,
                 void **request);
    int (*test)(void **request, int *flag, KalMpiStatus *status);
    int (*receive)(void *data, int count, void *type, int from, int tag, void *comm,
                   KalMpiStatus *status);
    int (*probe)(int from, int tag, void *comm, int *flag, KalMpiStatus *status);
    int (*get_count)(const KalMpiStatus *status, void *type, int *count);
    void *world; ///< MPI_COMM_WORLD
    void *byte;  ///< MPI_BYTE
} KalMpiLibrary;

/// Open the library.  KAL_ERR_FILE with what to install when it is not there.
KAL_CHECKED KalStatus kal_mpi_library_open(KalContext *ctx, KalMpiLibrary *out_lib);

#endif
