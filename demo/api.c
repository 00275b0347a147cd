/* SPDX-License-Identifier: Apache-2.0 */
#include "api.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "cache.h"
#include "child.h"
#include "endpoints.h"
#include "http.h"

struct api {
    int listener;
    struct endpoints endpoints;
    _Atomic uint32_t busy[TRAFFIC_KINDS];
};

static void serve_connection(struct api *api, struct endpoint_worker *worker, int client)
{
    const struct timeval patience = {.tv_sec = 1};
    char head[HTTP_HEAD_MAX];

    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (http_read_head(client, head) != 0)
        return;
    enum traffic kind = endpoint_of(head);
    if (kind == TRAFFIC_KINDS) {
        http_reply(client, "404 Not Found", "", 0);
        return;
    }
    atomic_fetch_add(&api->busy[kind], 1);
    endpoint_serve(&api->endpoints, worker, kind, head, client);
    atomic_fetch_sub(&api->busy[kind], 1);
}

static void *work(void *api_pointer)
{
    struct api *api = api_pointer;
    struct endpoint_worker *worker = endpoint_worker_new(&api->endpoints);

    if (worker == NULL) {
        fprintf(stderr, "bulkhead-demo: no memory for a worker\n");
        _exit(1);
    }
    for (;;) {
        int client = accept4(api->listener, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0)
            continue; /* the client was gone before it was taken */
        serve_connection(api, worker, client);
        close(client);
    }
    return NULL;
}

static int start_workers(struct api *api)
{
    for (unsigned i = 0; i < DEMO_WORKERS; i++) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, work, api);
        if (error != 0)
            return -error;
        pthread_detach(thread);
    }
    return 0;
}

static int open_api(struct api *api, const char *report_port, bool bulkheads, uint16_t *ret_port)
{
    int error = budgets_open(&api->endpoints.budgets, bulkheads);
    if (error != 0)
        return error;
    api->endpoints.cache = cache_new(DEMO_CACHE_ENTRIES);
    if (api->endpoints.cache == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return -ENOMEM;
    snprintf(api->endpoints.report_url, sizeof api->endpoints.report_url, "http://127.0.0.1:%s/report", report_port);
    api->listener = http_listen(DEMO_ACCEPT_QUEUE, ret_port);
    return api->listener < 0 ? api->listener : start_workers(api);
}

static void answer_commands(struct api *api)
{
    char command;

    while ((command = channel_next_command()) != '\0') {
        struct api_look look = {0};
        if (command == API_DRAIN)
            budgets_drain(&api->endpoints.budgets, &look.books);
        else
            budgets_look(&api->endpoints.budgets, &look.books);
        for (int kind = 0; kind < TRAFFIC_KINDS; kind++)
            look.busy[kind] = atomic_load(&api->busy[kind]);
        channel_answer(&look, sizeof look);
    }
}

int api_main(const char *report_port, bool bulkheads)
{
    static struct api api;
    uint16_t port;
    int error = open_api(&api, report_port, bulkheads, &port);

    if (error != 0) {
        fprintf(stderr, "bulkhead-demo: the API cannot start: %s\n", strerror(-error));
        return 1;
    }
    channel_answer(&port, sizeof port);
    answer_commands(&api);
    _exit(0); /* the workers are in the middle of whatever they do */
}
