/* SPDX-License-Identifier: Apache-2.0 */
/* The demo's other processes: this program again, in another role, with a channel to the parent.
 *
 * The parent sends a command of one byte and gets one answer. A child whose channel closes ends at once,
 * so no child outlives the parent, however the parent ends. */
#ifndef DEMO_CHILD_H
#define DEMO_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_CHANNEL 3 /* the descriptor of a child's end */

struct child {
    pid_t pid;
    int channel;
    uint16_t port; /* where it listens */
};

/* Starts `arguments` (the role first, NULL last) and waits until it says where it listens.
 * Returns 0 or a negative errno; -ECONNRESET when it ended before. */
int child_start(struct child *child, const char *const *arguments);

/* Sends a command and waits for its answer of `size` bytes. Returns 0 or a negative errno. */
int child_ask(const struct child *child, char command, void *answer, size_t size);

/* Ends the child, and waits for it. */
void child_stop(struct child *child);

/* The child's side: the next command, or 0 when the parent is gone; and the answer to it. */
char channel_next_command(void);
void channel_answer(const void *answer, size_t size);

#endif
