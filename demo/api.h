/* SPDX-License-Identifier: Apache-2.0 */
/* The API process: 100 worker threads, each of which takes a connection, serves its request, and takes the next. */
#ifndef DEMO_API_H
#define DEMO_API_H

#include <stdbool.h>
#include <stdint.h>

#include "budgets.h"

#define API_ROLE "api"

/* Commands of the parent; both are answered with a struct api_look. */
#define API_LOOK 'l'
#define API_DRAIN 'd' /* waits until all permits are back; after that no request is served */

struct api_look {
    uint32_t busy[TRAFFIC_KINDS]; /* workers that serve a request of each kind */
    struct budgets_books books;
};

/* The process's main function. Returns the exit status. */
int api_main(const char *report_port, bool bulkheads);

#endif
