/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic.h"

const struct traffic_kind traffic_kinds[TRAFFIC_KINDS] = {
    [TRAFFIC_REPORT] = {"/report", 150, "reporting", 60},
    [TRAFFIC_LOOKUP] = {"/cache/", 1000, "cache", 30},
    [TRAFFIC_OTHER] = {"/other", 20, "other", 10},
};
