/* SPDX-License-Identifier: Apache-2.0 */
/* A permit that gives itself back when it leaves scope (GCC, clang): no path out of the function can forget it. */
#include <bulkhead/bulkhead.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bh_limiter *connections;

/* 1 when a connection can be had, so that early returns can be seen not to keep it. */
static bool is_free(void)
{
    bh_permit permit BH_SCOPED = {0};
    return bh_try_acquire(connections, &permit) == 0;
}

static int send_message(const char *text)
{
    /* Before the first return, and zeroed: cleaning up an empty permit does nothing. */
    bh_permit permit BH_SCOPED = {0};
    int error = bh_acquire(connections, &permit);
    if (error < 0)
        return error;
    if (text == NULL)
        return -EINVAL;
    if (strlen(text) > 20)
        return -EMSGSIZE;

    printf("sent while %s: %s\n", is_free() ? "another could be" : "the only connection was in use", text);

    /* The connection is free from here on; what follows needs none. By hand it is given back only once, too. */
    error = bh_release(&permit);
    printf("written down while %s\n", is_free() ? "the connection is free" : "the connection is in use");
    return error;
}

int main(void)
{
    int error = bh_limiter_new(&BH_OPTIONS(.name = "connections", .limit = 1), &connections);
    if (error < 0) {
        fprintf(stderr, "no limiter: %s\n", bh_strerror(error));
        return 1;
    }
    const int results[] = {send_message(NULL), send_message("a text of more than twenty bytes"), send_message("hello")};
    printf("results: %d %d %d\n", results[0], results[1], results[2]);

    error = bh_limiter_free(connections); /* -EBUSY if any path had kept its permit */
    return error != 0 || results[0] != -EINVAL || results[1] != -EMSGSIZE || results[2] != 0;
}
