/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    char key[24];
    char value[104];
};

struct cache {
    pthread_rwlock_t lock;
    uint32_t buckets;
    struct entry **heads;
};

static uint32_t hash(const char *key)
{
    uint32_t sum = 2166136261u; /* FNV-1a */
    for (; *key != '\0'; key++)
        sum = (sum ^ (uint8_t)*key) * 16777619u;
    return sum;
}

static void put(struct cache *cache, struct entry *entry, uint32_t number)
{
    snprintf(entry->key, sizeof entry->key, "item-%u", number);
    snprintf(entry->value, sizeof entry->value, "item-%u: %u in stock, %u on order\n", number, number * 7919u % 1000u,
             number * 104729u % 100u);
    struct entry **head = &cache->heads[hash(entry->key) % cache->buckets];
    entry->next = *head;
    *head = entry;
}

struct cache *cache_new(uint32_t entries)
{
    struct cache *cache = calloc(1, sizeof *cache);
    struct entry *all = calloc(entries, sizeof *all);
    struct entry **heads = calloc(entries, sizeof(struct entry *));

    if (cache == NULL || all == NULL || heads == NULL || pthread_rwlock_init(&cache->lock, NULL)) {
        free(cache);
        free(all);
        free(heads);
        return NULL;
    }
    cache->buckets = entries;
    cache->heads = heads;
    for (uint32_t i = 0; i < entries; i++)
        put(cache, &all[i], i);
    return cache;
}

size_t cache_get(struct cache *cache, const char *key, char *value, size_t capacity)
{
    size_t length = 0;

    pthread_rwlock_rdlock(&cache->lock);
    const struct entry *entry = cache->heads[hash(key) % cache->buckets];
    while (entry != NULL && strcmp(entry->key, key) != 0)
        entry = entry->next;
    if (entry != NULL && strlen(entry->value) < capacity) {
        length = strlen(entry->value);
        memcpy(value, entry->value, length + 1u);
    }
    pthread_rwlock_unlock(&cache->lock);
    return length;
}
