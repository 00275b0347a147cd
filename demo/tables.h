/* SPDX-License-Identifier: Apache-2.0 */
/* The results of both runs, as tables that can be pasted into Markdown. */
#ifndef DEMO_TABLES_H
#define DEMO_TABLES_H

#include "story.h"

void tables_print(struct story *shared, struct story *bulkheads);

#endif
