// SPDX-License-Identifier: MIT

// Open MPI, loaded when a sweep is asked to use its ranks (base/foreign.h).

#include "sweep/mpi_library.h"

#include "base/foreign.h"

#include <assert.h>
#include <stddef.h>

#define SYMBOL(name)                         \
    {                                        \
#name, offsetof(KalMpiLibrary, name) \
    }

static const KalForeignSymbol functions[] = {
    {"MPI_Init_thread",     offsetof(KalMpiLibrary, init_thread)},
    {"MPI_Finalize",        offsetof(KalMpiLibrary, finalize)   },
    {"MPI_Comm_rank",       offsetof(KalMpiLibrary, comm_rank)  },
    {"MPI_Comm_size",       offsetof(KalMpiLibrary, comm_size)  },
    {"MPI_Send",            offsetof(KalMpiLibrary, send)       },
    {"MPI_Isend",           offsetof(KalMpiLibrary, isend)      },
    {"MPI_Test",            offsetof(KalMpiLibrary, test)       },
    {"MPI_Recv",            offsetof(KalMpiLibrary, receive)    },
    {"MPI_Iprobe",          offsetof(KalMpiLibrary, probe)      },
    {"MPI_Get_count",       offsetof(KalMpiLibrary, get_count)  },
    {"ompi_mpi_comm_world", offsetof(KalMpiLibrary, world)      },
    {"ompi_mpi_byte",       offsetof(KalMpiLibrary, byte)       },
};

KalStatus kal_mpi_library_open(KalContext *ctx, KalMpiLibrary *out_lib)
{
    static const char *const names[] = {"libmpi.so.40", "libmpi.so", NULL};
    assert(ctx && out_lib);
    const KalForeign library = {
        .purpose = "sweeps of several ranks",
        .title = "Open MPI",
        .package = "libopenmpi3",
        .probe = "MPI_Init_thread",
        .names = names,
        .loading = (size_t)64 << 20,
        .room = (size_t)64 << 20,
    };
    KalMpiLibrary lib;
    void *handle = NULL;
    KAL_TRY(kal_foreign_open(ctx, &library, &handle));
    KAL_TRY(kal_foreign_bind(ctx, &library, handle, functions,
                             sizeof functions / sizeof functions[0], &lib));
    *out_lib = lib;
    return KAL_OK;
}
