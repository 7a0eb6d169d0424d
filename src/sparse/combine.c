// SPDX-License-Identifier: MIT

// Which combination of other rows a row is, or nearly is: walks that visit only the rows that
// take part, the last in the order of elimination first.

#include "sparse/ldl_impl.h"

#include <assert.h>
#include <math.h>

// Squares of terms of a combination below this add up to little.
static const double LITTLE = 1e-8;

// A queue from which the last place comes first: a heap.
typedef struct Queue {
    int *places;
    int n;
} Queue;

static void swap(int *x, int *y)
{
    const int kept = *x;
    *x = *y;
    *y = kept;
}

static void push(Queue *queue, int place)
{
    assert(queue->n >= 0);
    int at = queue->n++;
    queue->places[at] = place;
    while (at > 0 && queue->places[at] > queue->places[(at - 1) / 2]) {
        swap(&queue->places[at], &queue->places[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static int pop(Queue *queue)
{
    assert(queue->n > 0);
    const int place = queue->places[0];
    queue->places[0] = queue->places[--queue->n];
    for (int at = 0, child = 1; child < queue->n; child = 2 * at + 1) {
        const int right = child + 1;
        child += right < queue->n && queue->places[right] > queue->places[child];
        if (queue->places[child] <= queue->places[at]) {
            break;
        }
        swap(&queue->places[child], &queue->places[at]);
        at = child;
    }
    return place;
}

// Add `factor` times the part of row k of L that is in ties.
static void add_row(KalLdl *ldl, int k, double factor, Queue *queue)
{
    for (int p = ldl->row_start[k + 1]; p-- > ldl->row_start[k];) {
        const int i = ldl->row_column[p];
        if (i < ldl->masses) {
            break; // masses are eliminated first
        }
        ldl->work[i] += factor * ldl->value[kal_ldl_position(ldl, k, i)];
        if (!ldl->waits[i]) {
            ldl->waits[i] = true;
            push(queue, i);
        }
    }
}

// Take the last place from the queue, and the factor that waits there.
static int take(KalLdl *ldl, Queue *queue, double *out_factor)
{
    const int i = pop(queue);
    *out_factor = ldl->work[i];
    ldl->work[i] = 0.0;
    ldl->waits[i] = false;
    assert(ldl->order[i] >= ldl->masses && ldl->order[i] < ldl->n);
    return i;
}

// With L and D of the ties that count, and l the row of L of the tie in question, L D Lᵀ x =
// L D l: so Lᵀ x = l, from the last unknown to the first.
int kal_ldl_combine(KalLdl *ldl, int tie, double least, int *out_ties,
                    double *out_factors)
{
    assert(tie >= ldl->masses && tie < ldl->n);
    Queue queue = {ldl->queue, 0};
    int count = 0;
    add_row(ldl, ldl->place[tie], 1.0, &queue);
    while (queue.n > 0) {
        double x = 0.0;
        const int i = take(ldl, &queue, &x);
        const int other = ldl->order[i];
        if (x * x * ldl->from[i] > least * least * ldl->from[ldl->place[tie]]) {
            out_ties[count++] = other;
            out_factors[other] = x;
            add_row(ldl, i, -x, &queue);
        }
    }
    return count;
}

// Factors are exact for a matrix that differs by ε √(from from') in each entry, and the pivot
// is (−x, 1) times it from both sides.
double kal_ldl_doubt(KalLdl *ldl, int tie)
{
    Queue queue = {ldl->queue, 0};
    const double from = ldl->from[ldl->place[tie]];
    double size = sqrt(from);
    add_row(ldl, ldl->place[tie], 1.0, &queue);
    while (queue.n > 0) {
        double x = 0.0;
        const int i = take(ldl, &queue, &x);
        if (x * x * ldl->from[i] > LITTLE * from) {
            size += fabs(x) * sqrt(ldl->from[i]);
            add_row(ldl, i, -x, &queue);
        }
    }
    return size * size;
}
