/* SPDX-License-Identifier: Apache-2.0 */
#include "http.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int bind_to_loopback(int listener, int accept_queue, uint16_t *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, accept_queue) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return -errno;
    *ret_port = ntohs(address.sin_port);
    return 0;
}

int http_listen(int accept_queue, uint16_t *ret_port)
{
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0)
        return -errno;
    int error = bind_to_loopback(listener, accept_queue, ret_port);
    if (error != 0) {
        close(listener);
        return error;
    }
    return listener;
}

int http_read_head(int socket, char head[HTTP_HEAD_MAX])
{
    size_t length = 0;

    while (length < HTTP_HEAD_MAX - 1u) {
        ssize_t count = recv(socket, head + length, HTTP_HEAD_MAX - 1u - length, 0);
        if (count == 0)
            return -ECONNRESET;
        if (count < 0)
            return -errno;
        length += (size_t)count;
        head[length] = '\0';
        if (strstr(head, "\r\n\r\n") != NULL)
            return 0;
    }
    return -EMSGSIZE;
}

int http_reply(int socket, const char *status, const char *body, size_t length)
{
    char reply[256u + HTTP_BODY_MAX];
    int head =
        snprintf(reply, 256, "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n", status, length);

    if (head < 0 || head >= 256 || length > HTTP_BODY_MAX)
        return -EMSGSIZE;
    memcpy(reply + head, body, length);
    size_t size = (size_t)head + length;
    for (size_t sent = 0; sent < size;) {
        ssize_t count = send(socket, reply + sent, size - sent, MSG_NOSIGNAL);
        if (count < 0)
            return -errno;
        sent += (size_t)count;
    }
    return 0;
}
