/* SPDX-License-Identifier: Apache-2.0 */
#include <bulkhead/version.h>

const char *bh_version(void)
{
    return BH_VERSION;
}
