/* SPDX-License-Identifier: Apache-2.0 */
/* As much of an HTTP server as the demo's two services need, on loopback only. */
#ifndef DEMO_HTTP_H
#define DEMO_HTTP_H

#include <stddef.h>
#include <stdint.h>

#define HTTP_HEAD_MAX 1024u /* bytes of a request; nobody here sends a body */
#define HTTP_BODY_MAX 4096u

/* Listens on 127.0.0.1 at a port that the kernel picks. Returns the socket or a negative errno. */
int http_listen(int accept_queue, uint16_t *ret_port);

/* Reads one request from a blocking socket into `head`, with a NUL. Returns 0 or a negative errno. */
int http_read_head(int socket, char head[HTTP_HEAD_MAX]);

/* Writes a whole reply; the connection stays open. `status` as in "200 OK". Returns 0 or a negative errno. */
int http_reply(int socket, const char *status, const char *body, size_t length);

#endif
