/* SPDX-License-Identifier: Apache-2.0 */
/* What two limiters are doing: as text for a scraper, and as figures. A service answers GET /metrics with this text and
 * the type application/openmetrics-text; version=1.0.0; charset=utf-8 */
#include <bulkhead/bulkhead.h>

#include <stdio.h>
#include <stdlib.h>

/* The text, to be freed, or NULL. Figures grow digits between two calls, so the length is asked for until it fits. */
static char *metrics_text(bh_limiter *const *limiters, size_t count)
{
    char *text = NULL;
    size_t capacity = 0;
    for (;;) {
        const long long length = bh_openmetrics(limiters, count, text, capacity);
        if (length >= 0 && (size_t)length < capacity)
            return text;
        free(text);
        capacity = length < 0 ? 0 : (size_t)length + 64;
        text = capacity != 0 ? malloc(capacity) : NULL;
        if (text == NULL)
            return NULL;
    }
}

int main(void)
{
    bh_limiter *limiters[2];
    if (bh_limiter_new(&BH_OPTIONS(.name = "reports", .limit = 2, .unit = "calls"), &limiters[0]) != 0 ||
        bh_limiter_new(&BH_OPTIONS(.name = "cache", .limit = 8, .unit = "connections"), &limiters[1]) != 0)
        return 1;

    bh_permit permits[3] = {{0}, {0}, {0}};
    int admitted = 0;
    for (int i = 0; i < 3; i++)
        admitted += bh_try_acquire(limiters[0], &permits[i]) == 0;
    if (bh_release(&permits[0]) != 0)
        return 1;

    char *text = metrics_text(limiters, 2);
    if (text == NULL)
        return 1;
    fputs(text, stdout);
    free(text);

    bh_snapshot now = {.size = sizeof now}; /* the size says which fields this program knows */
    if (bh_limiter_snapshot(limiters[0], &now) != 0)
        return 1;
    printf("# %s: %d admitted, %llu refused; granted %llu = released %llu + recovered %llu + out %llu\n",
           bh_limiter_name(limiters[0]), admitted, (unsigned long long)now.refused_busy,
           (unsigned long long)now.granted, (unsigned long long)now.released, (unsigned long long)now.recovered,
           (unsigned long long)now.permits_out);

    bh_release(&permits[1]);
    return now.granted != now.released + now.recovered + now.permits_out || now.refused_busy != 1 ||
           bh_limiter_free(limiters[0]) != 0 || bh_limiter_free(limiters[1]) != 0;
}
