/* SPDX-License-Identifier: Apache-2.0 */
/* What the demo says before it measures anything: its set-up. */
#ifndef DEMO_INTRODUCTION_H
#define DEMO_INTRODUCTION_H

#include <stdbool.h>

void introduce_demo(void);
void introduce_run(bool bulkheads);

#endif
