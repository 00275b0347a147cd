/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the run with bulkheads showed what it is there to show. */
#ifndef DEMO_VERDICT_H
#define DEMO_VERDICT_H

#include "story.h"

/* Says it in a sentence or two. Returns the program's exit status: 0 when B was isolated and the books are right. */
int verdict_print(struct story *shared, struct story *bulkheads);

#endif
