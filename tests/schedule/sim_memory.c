/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a run: one arena, used from its beginning in every run, so that addresses repeat. What is freed is
 * poisoned and not used again within the run: a write to it is found when the run ends, a second free at once.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim_private.h"

#define ARENA_SIZE (64u * 1024u * 1024u)
#define POISON 0xdb
#define GLOBALS_MAX 16u

enum block_state { BLOCK_LIVE = 0x4c495645, BLOCK_FREED = 0x46524545 };

/* Stands before each block, so that blocks stay aligned. */
struct header {
    _Alignas(64) size_t size; /* a multiple of 64 */
    enum block_state state;
};

struct global {
    void *address;
    void *original;
    size_t size;
};

static char *arena;
static size_t arena_used;
static unsigned live_blocks;
static unsigned freed_blocks;
static struct global globals[GLOBALS_MAX];
static unsigned global_count;

void sim__memory_reset(void)
{
    if (arena == NULL) {
        arena = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena == MAP_FAILED)
            abort();
    }
    arena_used = 0;
    live_blocks = 0;
    freed_blocks = 0;
}

void *sim_alloc(size_t size)
{
    struct header *header = (struct header *)(void *)(arena + arena_used);
    size_t rounded = (size + 63u) & ~(size_t)63u;

    if (sim__world.current != NULL && sim__world.failures_left > 0 && sim__choose(2, 2, true) == 1) {
        sim__world.failures_left--;
        sim_note("an allocation of %zu bytes fails", size);
        return NULL;
    }
    if (rounded < size || rounded > ARENA_SIZE - sizeof *header - arena_used)
        return NULL;
    arena_used += sizeof *header + rounded;
    header->size = rounded;
    header->state = BLOCK_LIVE;
    live_blocks++;
    return memset(header + 1, 0, rounded);
}

void sim_free(void *memory)
{
    struct header *header = (struct header *)memory - 1;

    if (memory == NULL)
        return;
    if ((char *)memory < arena || (char *)memory >= arena + arena_used)
        sim_fail("free of memory that was not allocated");
    if (header->state == BLOCK_FREED)
        sim_fail("memory was freed twice");
    if (header->state != BLOCK_LIVE)
        sim_fail("free of memory that was not allocated, or its head was overwritten");
    header->state = BLOCK_FREED;
    memset(memory, POISON, header->size);
    live_blocks--;
    freed_blocks++;
}

static bool is_poisoned(const unsigned char *memory, size_t size)
{
    return size == 0 || (memory[0] == POISON && memcmp(memory, memory + 1, size - 1) == 0);
}

void sim__memory_check(bool leaks_allowed)
{
    size_t offset = 0;

    while (freed_blocks > 0 && offset < arena_used) {
        struct header *header = (struct header *)(void *)(arena + offset);

        if (header->state != BLOCK_FREED && header->state != BLOCK_LIVE)
            sim_fail("memory was written beyond its end");
        if (header->state == BLOCK_FREED && !is_poisoned((unsigned char *)(header + 1), header->size))
            sim_fail("memory was written after it was freed");
        offset += sizeof *header + header->size;
    }
    if (live_blocks > 0 && !leaks_allowed)
        sim_fail("%u allocations were not freed", live_blocks);
}

void sim_restore_each_run(void *address, size_t size)
{
    struct global *global = &globals[global_count];

    if (global_count == GLOBALS_MAX)
        abort();
    *global = (struct global){address, malloc(size), size};
    if (global->original == NULL)
        abort();
    memcpy(global->original, address, size);
    global_count++;
}

void sim__globals_restore(void)
{
    for (unsigned i = 0; i < global_count; i++)
        memcpy(globals[i].address, globals[i].original, globals[i].size);
}
