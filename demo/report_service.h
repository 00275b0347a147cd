/* SPDX-License-Identifier: Apache-2.0 */
/* The reporting service that endpoint A depends on: a process with an HTTP server that can be told to stall. */
#ifndef DEMO_REPORT_SERVICE_H
#define DEMO_REPORT_SERVICE_H

#define REPORT_SERVICE_ROLE "report-service"

/* Commands of the parent; each is answered with the number of calls that wait for a reply, a uint32_t. */
#define REPORT_SERVICE_STALL 's'   /* take calls and reply to none */
#define REPORT_SERVICE_RELEASE 'r' /* work on: the calls that wait first, then as before */

/* The process's main function. Returns the exit status. */
int report_service_main(void);

#endif
