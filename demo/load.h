/* SPDX-License-Identifier: Apache-2.0 */
/* The clients: an open-loop load generator. It sends each request when it is due, on a connection of its own, whatever
 * became of those before; so a slow server meets the same demand as a fast one. */
#ifndef DEMO_LOAD_H
#define DEMO_LOAD_H

#include <stdint.h>

#include "samples.h"

struct load;

/* Starts a thread that sends all kinds of traffic to 127.0.0.1:port and adds what becomes of each request to `samples`.
 * Returns 0 or a negative errno. */
int load_start(uint16_t port, struct samples *samples, struct load **ret_load);

/* Sends no more, and waits until every request has ended: at most as long as a client waits.
 * Stores by how much the latest of all requests was sent late. */
void load_finish(struct load *load, bh_ns *ret_latest);

#endif
