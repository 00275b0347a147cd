/* SPDX-License-Identifier: Apache-2.0 */
#include "endpoints.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "http.h"

struct answer {
    const char *status;
    size_t length;
    char body[HTTP_BODY_MAX];
};

struct endpoint_worker {
    CURL *reporting;
    struct answer answer;
};

/* libcurl hands over what the reporting service sends. */
static size_t keep_body(char *data, size_t size, size_t count, void *answer_pointer)
{
    struct answer *answer = answer_pointer;

    size *= count;
    if (size > sizeof answer->body - answer->length)
        return 0;
    memcpy(answer->body + answer->length, data, size);
    answer->length += size;
    return size;
}

struct endpoint_worker *endpoint_worker_new(const struct endpoints *endpoints)
{
    struct endpoint_worker *worker = calloc(1, sizeof *worker);
    CURL *curl = curl_easy_init();

    if (worker == NULL || curl == NULL) {
        free(worker);
        return NULL;
    }
    curl_easy_setopt(curl, CURLOPT_URL, endpoints->report_url);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, DEMO_CALL_TIMEOUT_MS);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &worker->answer);
    worker->reporting = curl;
    return worker;
}

static void fetch_report(struct endpoint_worker *worker)
{
    CURLcode code = curl_easy_perform(worker->reporting);
    if (code != CURLE_OK) {
        worker->answer.status = "502 Bad Gateway";
        worker->answer.length = 0;
    }
}

static void look_up(struct cache *cache, const char *head, struct answer *answer)
{
    char key[32];

    if (sscanf(head, "GET /cache/%31[a-z0-9-]", key) == 1)
        answer->length = cache_get(cache, key, answer->body, sizeof answer->body);
    if (answer->length == 0)
        answer->status = "404 Not Found";
}

/* Light work on the processor: a checksum of 64 KiB. */
static void work_a_little(struct answer *answer)
{
    uint32_t sum = 2166136261u;
    for (uint32_t i = 0; i < 65536u; i++)
        sum = (sum ^ (i & 0xffu)) * 16777619u;
    answer->length = (size_t)snprintf(answer->body, sizeof answer->body, "checksum %08x\n", sum);
}

static void use_resource(const struct endpoints *endpoints, struct endpoint_worker *worker, enum traffic kind,
                         const char *head)
{
    if (kind == TRAFFIC_REPORT)
        fetch_report(worker);
    else if (kind == TRAFFIC_LOOKUP)
        look_up(endpoints->cache, head, &worker->answer);
    else
        work_a_little(&worker->answer);
}

enum traffic endpoint_of(const char *head)
{
    unsigned kind = 0;

    if (strncmp(head, "GET ", 4) != 0)
        return TRAFFIC_KINDS;
    while (kind < TRAFFIC_KINDS && strncmp(head + 4, traffic_kinds[kind].path, strlen(traffic_kinds[kind].path)) != 0)
        kind++;
    return (enum traffic)kind;
}

void endpoint_serve(const struct endpoints *endpoints, struct endpoint_worker *worker, enum traffic kind,
                    const char *head, int client)
{
    struct answer *answer = &worker->answer;
    bh_permit permit = {0};

    answer->status = "200 OK";
    answer->length = 0;
    int error = budgets_admit(&endpoints->budgets, kind, &permit);
    if (error == 0) {
        use_resource(endpoints, worker, kind, head);
        bh_permit_cleanup(&permit);
    } else {
        answer->status = "503 Service Unavailable";
        budgets_explain(&endpoints->budgets, kind, error, answer->body, sizeof answer->body);
        answer->length = strlen(answer->body);
    }
    http_reply(client, answer->status, answer->body, answer->length);
}
