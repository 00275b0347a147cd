/* SPDX-License-Identifier: Apache-2.0 */
#include "own.h"

#include <stdio.h>
#include <stdlib.h>

void unexpected(const char *what, int result)
{
    fprintf(stderr, "%s: %s\n", what, bh_strerror(result));
    exit(1);
}

bh_limiter *own_limiter(uint32_t limit, uint32_t queue, uint32_t order)
{
    bh_limiter *limiter = NULL;
    int r = bh_limiter_new(&BH_OPTIONS(.name = "bench", .limit = limit, .queue = queue, .order = order), &limiter);
    if (r != 0)
        unexpected("bh_limiter_new", r);
    return limiter;
}

void own_limiter_end(bh_limiter *limiter)
{
    bh_snapshot books = {.size = (uint32_t)sizeof books};
    int r = bh_limiter_snapshot(limiter, &books);
    if (r != 0)
        unexpected("bh_limiter_snapshot", r);
    if (books.permits_out != 0 || books.granted != books.released + books.recovered || books.violations != 0) {
        fprintf(stderr, "the books do not agree after a benchmark\n");
        exit(1);
    }
    r = bh_limiter_free(limiter);
    if (r != 0)
        unexpected("bh_limiter_free", r);
}
