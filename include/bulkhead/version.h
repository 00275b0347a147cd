/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the library, and the mark that makes a function part of its interface. */
#ifndef BULKHEAD_VERSION_H
#define BULKHEAD_VERSION_H

#define BH_VERSION_MAJOR 0
#define BH_VERSION_MINOR 1
#define BH_VERSION_PATCH 0
#define BH_VERSION "0.1.0"

#if defined(__GNUC__)
#define BH_API __attribute__((visibility("default")))
#define BH_MUST_USE __attribute__((warn_unused_result))
#else
#define BH_API
#define BH_MUST_USE
#endif

#ifdef __cplusplus
#define BH_BEGIN_DECLS extern "C" {
#define BH_END_DECLS }
#else
#define BH_BEGIN_DECLS
#define BH_END_DECLS
#endif

BH_BEGIN_DECLS

/* The version of the library that is loaded, "MAJOR.MINOR.PATCH"; a static string.
 * It differs from BH_VERSION when the program was compiled against another one. Any thread; never blocks. */
BH_API const char *bh_version(void);

BH_END_DECLS

#endif
