/* SPDX-License-Identifier: Apache-2.0 */
#include "report_service.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child.h"
#include "http.h"
#include "traffic.h"

struct caller {
    int socket;
    bool waits; /* for its report, and is in the list */
    bh_ns due;
    size_t length;
    char head[HTTP_HEAD_MAX];
    TAILQ_ENTRY(caller) link;
};

struct service {
    int listener;
    int poll;
    bool stalled;
    uint32_t waiting_count;
    TAILQ_HEAD(, caller) waiting; /* the earliest due first: every report takes the same time */
    size_t report_length;
    char report[HTTP_BODY_MAX];
};

static void write_report(struct service *service)
{
    for (unsigned region = 1; region <= 40; region++)
        service->report_length += (size_t)snprintf(
            service->report + service->report_length, HTTP_BODY_MAX - service->report_length,
            "region %2u  orders %6u  returns %4u\n", region, region * 7919u % 100000u, region * 104729u % 1000u);
}

static void stop_waiting(struct service *service, struct caller *caller)
{
    TAILQ_REMOVE(&service->waiting, caller, link);
    caller->waits = false;
    service->waiting_count--;
}

static void hang_up(struct service *service, struct caller *caller)
{
    if (caller->waits)
        stop_waiting(service, caller);
    close(caller->socket);
    free(caller);
}

static void take_call(struct service *service)
{
    struct caller *caller = calloc(1, sizeof *caller);
    if (caller == NULL)
        return;
    caller->socket = accept4(service->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = caller};
    if (caller->socket < 0) {
        free(caller);
    } else if (epoll_ctl(service->poll, EPOLL_CTL_ADD, caller->socket, &event) != 0) {
        hang_up(service, caller);
    }
}

static void hear(struct service *service, struct caller *caller)
{
    ssize_t count = recv(caller->socket, caller->head + caller->length, sizeof caller->head - 1u - caller->length, 0);
    if (count <= 0) {
        hang_up(service, caller);
        return;
    }
    caller->length += (size_t)count;
    caller->head[caller->length] = '\0';
    if (strstr(caller->head, "\r\n\r\n") != NULL && !caller->waits) {
        caller->length = 0;
        caller->waits = true;
        caller->due = bh_deadline_after(bh_ms(DEMO_REPORT_MS));
        TAILQ_INSERT_TAIL(&service->waiting, caller, link);
        service->waiting_count++;
    }
}

static void send_due_reports(struct service *service)
{
    struct caller *caller;

    while (!service->stalled && (caller = TAILQ_FIRST(&service->waiting)) != NULL && bh_remaining(caller->due) == 0) {
        stop_waiting(service, caller);
        if (http_reply(caller->socket, "200 OK", service->report, service->report_length) != 0)
            hang_up(service, caller);
    }
}

static int ms_until_next_report(const struct service *service)
{
    const struct caller *first = TAILQ_FIRST(&service->waiting);

    if (service->stalled || first == NULL)
        return -1;
    return (int)((bh_remaining(first->due) + 999999u) / 1000000u);
}

/* What waited through the stall is worked on from now: each report takes its time as ever. */
static void go_on(struct service *service)
{
    struct caller *caller;

    service->stalled = false;
    TAILQ_FOREACH(caller, &service->waiting, link)
    caller->due = bh_deadline_after(bh_ms(DEMO_REPORT_MS));
}

static bool obey(struct service *service)
{
    char command = channel_next_command();

    if (command == '\0')
        return false;
    if (command == REPORT_SERVICE_STALL)
        service->stalled = true;
    else
        go_on(service);
    channel_answer(&service->waiting_count, sizeof service->waiting_count);
    return true;
}

static bool handle(struct service *service, const struct epoll_event *event)
{
    if (event->data.ptr == &service->poll)
        return obey(service);
    if (event->data.ptr == &service->listener)
        take_call(service);
    else
        hear(service, event->data.ptr);
    return true;
}

static int open_service(struct service *service, uint16_t *ret_port)
{
    struct epoll_event call = {.events = EPOLLIN, .data.ptr = &service->listener};
    struct epoll_event command = {.events = EPOLLIN, .data.ptr = &service->poll};

    TAILQ_INIT(&service->waiting);
    write_report(service);
    service->listener = http_listen(DEMO_ACCEPT_QUEUE, ret_port);
    if (service->listener < 0)
        return service->listener;
    service->poll = epoll_create1(EPOLL_CLOEXEC);
    if (service->poll < 0 || epoll_ctl(service->poll, EPOLL_CTL_ADD, service->listener, &call) != 0 ||
        epoll_ctl(service->poll, EPOLL_CTL_ADD, CHILD_CHANNEL, &command) != 0)
        return -errno;
    return 0;
}

int report_service_main(void)
{
    static struct service service;
    uint16_t port;
    int error = open_service(&service, &port);

    if (error != 0) {
        fprintf(stderr, "bulkhead-demo: the reporting service cannot start: %s\n", strerror(-error));
        return 1;
    }
    channel_answer(&port, sizeof port);
    for (;;) {
        struct epoll_event event;
        int count = epoll_wait(service.poll, &event, 1, ms_until_next_report(&service));
        if (count == 1 && !handle(&service, &event))
            return 0;
        send_due_reports(&service);
    }
}
