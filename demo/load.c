/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS 64
#define STATUS_LENGTH 12u /* "HTTP/1.1 200" */

struct request {
    struct sample sample;
    int socket;
    size_t received; /* bytes of the status that are here */
    char status[STATUS_LENGTH + 1u];
    TAILQ_ENTRY(request) link;
};

TAILQ_HEAD(request_list, request);

struct stream {
    bh_ns interval;
    bh_ns next;
    struct request_list open; /* the earliest sent first, so the earliest to give up */
};

struct load {
    pthread_t thread;
    atomic_bool stopping;
    int poll;
    struct sockaddr_in server;
    struct samples *samples;
    uint32_t key;
    bh_ns latest;
    struct stream streams[TRAFFIC_KINDS];
};

static void end_request(struct load *load, struct request *request, enum outcome outcome)
{
    request->sample.ended = bh_now();
    request->sample.outcome = outcome;
    samples_add(load->samples, &request->sample);
    TAILQ_REMOVE(&load->streams[request->sample.kind].open, request, link);
    if (request->socket >= 0)
        close(request->socket);
    free(request);
}

/* A connection that waits for no late packets: thousands of those would use up the local ports. */
static int open_connection(struct load *load, struct request *request)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    struct epoll_event event = {.events = EPOLLOUT, .data.ptr = request};

    request->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (request->socket < 0)
        return -errno;
    setsockopt(request->socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (connect(request->socket, (struct sockaddr *)&load->server, sizeof load->server) != 0 && errno != EINPROGRESS)
        return -errno;
    return epoll_ctl(load->poll, EPOLL_CTL_ADD, request->socket, &event) != 0 ? -errno : 0;
}

static void begin_request(struct load *load, enum traffic kind, bh_ns due)
{
    struct request *request = calloc(1, sizeof *request);

    if (request == NULL)
        abort();
    request->sample.kind = kind;
    request->sample.sent = due;
    TAILQ_INSERT_TAIL(&load->streams[kind].open, request, link);
    if (open_connection(load, request) != 0)
        end_request(load, request, OUTCOME_FAILED);
}

static void write_request(struct load *load, struct request *request)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = request};
    char head[128], key[24] = "";

    if (request->sample.kind == TRAFFIC_LOOKUP)
        snprintf(key, sizeof key, "item-%u", load->key = (load->key + 7919u) % DEMO_CACHE_ENTRIES);
    int length = snprintf(head, sizeof head, "GET %s%s HTTP/1.1\r\nHost: api\r\nConnection: close\r\n\r\n",
                          traffic_kinds[request->sample.kind].path, key);
    if (send(request->socket, head, (size_t)length, MSG_NOSIGNAL) != length ||
        epoll_ctl(load->poll, EPOLL_CTL_MOD, request->socket, &event) != 0)
        end_request(load, request, OUTCOME_FAILED);
}

static enum outcome outcome_of(const struct request *request)
{
    if (strcmp(request->status, "HTTP/1.1 200") == 0)
        return OUTCOME_OK;
    return strcmp(request->status, "HTTP/1.1 503") == 0 ? OUTCOME_REFUSED : OUTCOME_FAILED;
}

/* The server ends the connection after its reply. */
static void read_reply(struct load *load, struct request *request)
{
    char bytes[4096];
    ssize_t count = recv(request->socket, bytes, sizeof bytes, 0);

    if (count < 0 && errno == EAGAIN)
        return;
    if (count <= 0) {
        end_request(load, request, count == 0 ? outcome_of(request) : OUTCOME_FAILED);
        return;
    }
    size_t wanted = STATUS_LENGTH - request->received;
    size_t kept = (size_t)count < wanted ? (size_t)count : wanted;
    memcpy(request->status + request->received, bytes, kept);
    request->received += kept;
}

static void send_what_is_due(struct load *load, bh_ns now)
{
    for (int kind = 0; kind < TRAFFIC_KINDS && !atomic_load(&load->stopping); kind++) {
        struct stream *stream = &load->streams[kind];
        for (; stream->next <= now; stream->next += stream->interval) {
            load->latest = now - stream->next > load->latest ? now - stream->next : load->latest;
            begin_request(load, (enum traffic)kind, stream->next);
        }
    }
}

static void give_up(struct load *load, bh_ns now)
{
    for (int kind = 0; kind < TRAFFIC_KINDS; kind++) {
        struct request *oldest;
        while ((oldest = TAILQ_FIRST(&load->streams[kind].open)) != NULL &&
               oldest->sample.sent + bh_seconds(DEMO_CLIENT_SECONDS) <= now)
            end_request(load, oldest, OUTCOME_GAVE_UP);
    }
}

static bool is_open(const struct load *load)
{
    for (int kind = 0; kind < TRAFFIC_KINDS; kind++)
        if (!TAILQ_EMPTY(&load->streams[kind].open))
            return true;
    return !atomic_load(&load->stopping);
}

/* Until the next request is due; giving up may be a little late. */
static void wait_for_events(struct load *load)
{
    bh_ns next = load->streams[0].next;
    for (int kind = 1; kind < TRAFFIC_KINDS; kind++)
        next = load->streams[kind].next < next ? load->streams[kind].next : next;
    bh_ns wait = atomic_load(&load->stopping) ? bh_ms(10) : bh_remaining(next);
    const struct timespec timeout = {.tv_nsec = (long)(wait < bh_ms(100) ? wait : bh_ms(100))};
    struct pollfd poll = {.fd = load->poll, .events = POLLIN};
    ppoll(&poll, 1, &timeout, NULL);
}

static void handle_events(struct load *load)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(load->poll, events, EVENTS, 0);

    for (int i = 0; i < count; i++) {
        struct request *request = events[i].data.ptr;
        if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
            read_reply(load, request);
        else
            write_request(load, request);
    }
}

static void *generate(void *load_pointer)
{
    struct load *load = load_pointer;

    while (is_open(load)) {
        bh_ns now = bh_now();
        send_what_is_due(load, now);
        give_up(load, now);
        wait_for_events(load);
        handle_events(load);
    }
    return NULL;
}

int load_start(uint16_t port, struct samples *samples, struct load **ret_load)
{
    struct load *load = calloc(1, sizeof *load);
    if (load == NULL)
        return -ENOMEM;
    load->samples = samples;
    load->server =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bh_ns now = bh_now();
    for (int kind = 0; kind < TRAFFIC_KINDS; kind++) {
        load->streams[kind].interval = bh_seconds(1) / traffic_kinds[kind].per_second;
        load->streams[kind].next = now;
        TAILQ_INIT(&load->streams[kind].open);
    }
    load->poll = epoll_create1(EPOLL_CLOEXEC);
    int error = load->poll < 0 ? errno : pthread_create(&load->thread, NULL, generate, load);
    if (error != 0) {
        if (load->poll >= 0)
            close(load->poll);
        free(load);
        return -error;
    }
    *ret_load = load;
    return 0;
}

void load_finish(struct load *load, bh_ns *ret_latest)
{
    atomic_store(&load->stopping, true);
    pthread_join(load->thread, NULL);
    *ret_latest = load->latest;
    close(load->poll);
    free(load);
}
