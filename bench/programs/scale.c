/* SPDX-License-Identifier: Apache-2.0 */
#include "scale.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "clock.h"
#include "duo.h"

#define WINDOW_NS 1000000u
#define BATCH 512u

typedef struct scale_run {
    scale_subject subject;
    uint64_t first_pairs;
    _Alignas(128) uint64_t second_pairs;
    _Alignas(128) atomic_bool over;
} scale_run;

/* Only this thread reads the clock, once for a batch of pairs. */
static void make_pairs_and_end_the_window(void *argument)
{
    scale_run *run = argument;
    uint64_t end = now_ns() + WINDOW_NS;
    uint64_t pairs = 0;
    do {
        run->subject.pairs(run->subject.subject, BATCH);
        pairs += BATCH;
    } while (now_ns() < end);
    atomic_store(&run->over, true);
    run->first_pairs = pairs;
}

static void make_pairs(void *argument)
{
    scale_run *run = argument;
    uint64_t pairs = 0;
    while (!atomic_load_explicit(&run->over, memory_order_relaxed)) {
        run->subject.pairs(run->subject.subject, BATCH);
        pairs += BATCH;
    }
    run->second_pairs = pairs;
    atomic_store(&run->over, false); /* for the next window */
}

double scale_rate(scale_subject subject)
{
    static scale_run run;
    run.subject = subject;
    uint64_t elapsed = duo_run_undisturbed(make_pairs_and_end_the_window, make_pairs, &run);
    return elapsed ? (double)(run.first_pairs + run.second_pairs) * 1e3 / (double)elapsed : 0;
}
