// SPDX-License-Identifier: MIT

// Tables to files and back: 100,000 rows of 20 columns as a simulation records them.  For
// each format the size of the file and the time to write and to read it, fsync included,
// best of some runs.  The folder is the first argument, or /tmp.

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    ROWS = 100000,
    COLUMNS = 20,
    REPEATS = 5
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(const KalContext *ctx, KalStatus status)
{
    if (status != KAL_OK) {
        printf("failed: %s\n", kal_context_message(ctx));
        exit(1);
    }
}

static KalTable *make_table(KalContext *ctx)
{
    KalTable *table = NULL;
    check(ctx, kal_table_create(ctx, 0, &table));
    for (int j = 0; j < COLUMNS; j++) {
        char name[16];
        snprintf(name, sizeof name, "x[%d]", j);
        check(ctx, kal_table_add_column(table, (KalQuantity){name, "m", "position"}));
    }
    const double start = now();
    for (int i = 0; i < ROWS; i++) {
        double row[COLUMNS];
        for (int j = 0; j < COLUMNS; j++) {
            row[j] = j == 0 ? 0.01 * i : sin(0.01 * i * j);
        }
        check(ctx, kal_table_add_row(table, row));
    }
    printf("%d rows of %d columns, %.1f MB, made in %.0f ms\n", ROWS, COLUMNS,
           8e-6 * ROWS * COLUMNS, 1e3 * (now() - start));
    return table;
}

static double time_write(KalContext *ctx, const KalTable *table, const char *path)
{
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        const double start = now();
        check(ctx, kal_table_write(table, path, NULL));
        best = fmin(best, now() - start);
    }
    return best;
}

static double time_read(KalContext *ctx, const char *path)
{
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        KalTable *table = NULL;
        const double start = now();
        check(ctx, kal_table_read(ctx, path, 0, &table));
        best = fmin(best, now() - start);
        kal_table_destroy(table);
    }
    return best;
}

static void measure(KalContext *ctx, const KalTable *table, const char *folder,
                    const char *ending, int reads)
{
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/kalaba-bench-%ld.%s", folder, (long)getpid(),
             ending);
    const double write_time = time_write(ctx, table, path);
    stat(path, &status);
    const double size = 1e-6 * (double)status.st_size;
    printf("%-5s %6.1f MB  write %7.1f ms %6.0f MB/s", ending, size, 1e3 * write_time,
           size / write_time);
    if (reads) {
        const double read_time = time_read(ctx, path);
        printf("  read %7.1f ms %6.0f MB/s", 1e3 * read_time, size / read_time);
    }
    printf("\n");
    unlink(path);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "/tmp";
    KalContext *ctx = NULL;
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        return 1;
    }
    KalTable *table = make_table(ctx);
    measure(ctx, table, folder, "csv", 1);
    measure(ctx, table, folder, "h5", 1);
    measure(ctx, table, folder, "mat", 0);
    measure(ctx, table, folder, "json", 0);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    return 0;
}
