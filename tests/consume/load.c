/* SPDX-License-Identifier: Apache-2.0 */
/* The library loaded by dlopen(): threads load it, use it, unload it and end, over and over.
 *
 * A thread's first use of a limiter leaves a destructor that runs when the thread ends, here after the last
 * dlclose(). The code has to be there still, and so must be the thread-local storage of a library that came late.
 */
#include <bulkhead/bulkhead.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 200
#define THREADS 4

typedef struct functions {
    void *library;
    int (*limiter_new)(const char *, uint32_t, uint32_t, bh_ns, bh_limiter **);
    int (*try_acquire)(bh_limiter *, bh_permit *);
    int (*acquire_for)(bh_limiter *, uint32_t, bh_ns, bh_permit *);
    int (*release)(bh_permit *);
    int (*limiter_free)(bh_limiter *);
} functions;

static const char *path;

/* A function pointer cannot be had from dlsym()'s void pointer by a cast in ISO C; its bytes can. */
static int look_up(void *library, const char *name, void *ret_function)
{
    void *symbol = dlsym(library, name);
    memcpy(ret_function, &symbol, sizeof(symbol));
    return symbol == NULL ? -ENOENT : 0;
}

static int load(functions *ret_functions)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ret_functions->library = library;
    if (library == NULL || look_up(library, "bh_limiter_new_simple", &ret_functions->limiter_new) != 0 ||
        look_up(library, "bh_try_acquire", &ret_functions->try_acquire) != 0 ||
        look_up(library, "bh_acquire_for", &ret_functions->acquire_for) != 0 ||
        look_up(library, "bh_release", &ret_functions->release) != 0 ||
        look_up(library, "bh_limiter_free", &ret_functions->limiter_free) != 0) {
        fprintf(stderr, "%s\n", dlerror());
        return -ENOENT;
    }
    return 0;
}

static int use(const functions *bulkhead)
{
    bh_limiter *limiter = NULL;
    bh_permit held = {0};
    bh_permit refused = {0};
    int answer = bulkhead->limiter_new("loaded", 1, 1, 0, &limiter);
    if (answer != 0)
        return answer;
    answer = bulkhead->try_acquire(limiter, &held);
    if (answer == 0 && bulkhead->acquire_for(limiter, 1, 1000, &refused) != -ETIMEDOUT)
        answer = -EPROTO;
    if (answer == 0)
        answer = bulkhead->release(&held);
    const int freed = bulkhead->limiter_free(limiter);
    return answer != 0 ? answer : freed;
}

static void *load_use_unload(void *ret_answer)
{
    int *answer = ret_answer;
    functions bulkhead;
    *answer = load(&bulkhead);
    if (*answer == 0)
        *answer = use(&bulkhead);
    if (bulkhead.library != NULL && dlclose(bulkhead.library) != 0)
        *answer = -EIO;
    return NULL;
}

static int round_of_threads(void)
{
    pthread_t threads[THREADS];
    int answers[THREADS];
    int first_bad = 0;
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, load_use_unload, &answers[i]) != 0) {
            fprintf(stderr, "no thread\n");
            return -EAGAIN;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (first_bad == 0)
            first_bad = answers[i];
    }
    return first_bad;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 2) {
        fprintf(stderr, "usage: load LIBRARY\n");
        return 2;
    }
    path = arguments[1];
    for (int round = 1; round <= ROUNDS; round++) {
        const int answer = round_of_threads();
        if (answer != 0) {
            fprintf(stderr, "round %d: %s\n", round, strerror(-answer));
            return 1;
        }
    }
    printf("loaded, used and unloaded by %d threads in each of %d rounds\n", THREADS, ROUNDS);
    return 0;
}
