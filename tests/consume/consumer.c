/* SPDX-License-Identifier: Apache-2.0 */
/* A program that found the library installed. Its one argument is the version that the package manager spoke of. */
#include <bulkhead/bulkhead.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int second_request_is_refused(bh_limiter *limiter)
{
    bh_permit first = {0};
    bh_permit second = {0};
    int answer = bh_try_acquire(limiter, &first);
    if (answer == 0)
        answer = bh_try_acquire(limiter, &second) == -EAGAIN ? 0 : -EPROTO;
    const int release = bh_release(&first);
    return answer != 0 ? answer : release;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 2 || strcmp(arguments[1], bh_version()) != 0 || strcmp(BH_VERSION, bh_version()) != 0) {
        fprintf(stderr, "the header says %s, the library %s\n", BH_VERSION, bh_version());
        return 1;
    }
    bh_limiter *limiter = NULL;
    int answer = bh_limiter_new(&BH_OPTIONS(.name = "consumer", .limit = 1), &limiter);
    if (answer == 0)
        answer = second_request_is_refused(limiter);
    const int freed = bh_limiter_free(limiter);
    printf("bulkhead %s from C: %s, %s\n", bh_version(), bh_strerror(answer), bh_strerror(freed));
    return answer != 0 || freed != 0;
}
