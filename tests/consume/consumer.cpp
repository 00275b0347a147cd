/* SPDX-License-Identifier: Apache-2.0 */
/* The same from C++. */
#include <bulkhead/bulkhead.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>

static int second_request_is_refused()
{
    const bulkhead::limiter limiter({"consumer", 1});
    const bulkhead::permit first = limiter.acquire_or_throw();
    return limiter.try_acquire().error() == -EAGAIN ? 0 : -EPROTO;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 2 || std::strcmp(arguments[1], bh_version()) != 0) {
        std::fprintf(stderr, "the header says %s, the library %s\n", BH_VERSION, bh_version());
        return 1;
    }
    const int answer = second_request_is_refused();
    std::printf("bulkhead %s from C++: %s\n", bh_version(), bh_strerror(answer));
    return answer != 0;
}
