/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenMetrics text of many limiters. */
#ifndef BULKHEAD_SNAPSHOT_HPP
#define BULKHEAD_SNAPSHOT_HPP

#include <cstddef>
#include <string>
#include <vector>

#include <bulkhead/snapshot.h>
#include <bulkhead/limiter.hpp>

namespace bulkhead
{

/* The snapshots of all these limiters as OpenMetrics text (bh_openmetrics()): openmetrics({reports, cache}). Views of no
 * limiter are left out. */
inline std::string openmetrics(const std::vector<limiter_ref> &limiters)
{
    std::vector<bh_limiter *> raw;
    raw.reserve(limiters.size());
    for (const limiter_ref &limiter : limiters) {
        if (limiter)
            raw.push_back(limiter.get());
    }
    std::string text;
    std::size_t length = 0;
    do { /* figures grow between two calls, and the text with them */
        text.resize(length + 64);
        length = static_cast<std::size_t>(bh_openmetrics(raw.data(), raw.size(), &text[0], text.size()));
    } while (length >= text.size());
    text.resize(length);
    return text;
}

} // namespace bulkhead

#endif
