/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions of a run: written down, repeated, and varied.
 *
 * A decision is the number of the option taken; 0 is the default, which goes on as before. In text, a number stands for
 * so many defaults and a letter for an option (a: 1, b: 2, ...): "37b5a". Defaults at the end are left out, for a
 * replay continues with defaults.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim_private.h"

#define DECISIONS_MAX 131072u
#define TEXT_MAX (4u * DECISIONS_MAX)

struct decision {
    uint8_t chosen;
    uint8_t allowed; /* options that the depth-first search may take here, a prefix of all */
    uint8_t total;
    uint8_t fiber; /* whose step it was */
};

static struct decision decisions[DECISIONS_MAX];
static unsigned position; /* of the next decision in this run */
static unsigned fixed;    /* decisions that are repeated */
static enum sim_search search_mode;
static uint64_t random_state;
static unsigned random_stay; /* this run's chance of a default is 1 - 1/random_stay */

static uint64_t random_number(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void sim__choice_search(enum sim_search search, uint64_t seed)
{
    search_mode = search;
    random_state = seed;
    if (search != SIM_REPLAY)
        fixed = 0;
}

void sim__choice_begin(void)
{
    static const unsigned stay[] = {2, 4, 8, 32};

    position = 0;
    if (search_mode == SIM_RANDOM)
        random_stay = stay[random_number() % 4u];
}

/* At the end of a run that did not fail. */
void sim__choice_end(void)
{
    if (search_mode == SIM_DEPTH_FIRST && position < fixed)
        sim_fail("the test is not deterministic: the run ended %u decisions early", fixed - position);
}

/* Depth-first: moves on to the next sequence; false when there is none. */
bool sim__choice_next(void)
{
    for (fixed = position; fixed > 0; fixed--) {
        struct decision *last = &decisions[fixed - 1];

        if (last->chosen + 1 < last->allowed) {
            last->chosen++;
            return true;
        }
    }
    return false;
}

static unsigned repeat(struct decision *decision, unsigned total, unsigned allowed)
{
    if (search_mode == SIM_REPLAY) {
        if (decision->chosen >= total)
            sim_fail("this replay does not fit the test: decision %u has %u options", position, total);
        return decision->chosen;
    }
    if (decision->total != total || decision->allowed != allowed || decision->fiber != (uint8_t)sim_self())
        sim_fail("the test is not deterministic: decision %u had %u options and has %u", position, decision->total,
                 total);
    return decision->chosen;
}

static unsigned draw(unsigned total, bool default_stays)
{
    uint64_t number = random_number();

    if (!default_stays)
        return (unsigned)((number >> 8) % total);
    if (number % random_stay != 0)
        return 0;
    return 1u + (unsigned)((number >> 8) % (total - 1u));
}

/* Decides between options 0 to total - 1; `default_stays` says that option 0 changes nothing. */
unsigned sim__choose(unsigned total, unsigned allowed, bool default_stays)
{
    struct decision *decision = &decisions[position];
    unsigned chosen = 0;

    if (position == DECISIONS_MAX)
        sim_fail("more than %u decisions in one run", DECISIONS_MAX);
    if (position < fixed)
        chosen = repeat(decision, total, allowed);
    else if (search_mode == SIM_RANDOM)
        chosen = draw(total, default_stays);
    *decision = (struct decision){(uint8_t)chosen, (uint8_t)allowed, (uint8_t)total, (uint8_t)sim_self()};
    position++;
    return chosen;
}

/* Reads the decisions to be repeated; false when the text is none. */
bool sim__choice_parse(const char *text)
{
    fixed = 0;
    while (*text != '\0') {
        unsigned long defaults = 0;

        if (isdigit((unsigned char)*text))
            defaults = strtoul(text, (char **)&text, 10);
        if (defaults >= DECISIONS_MAX - 1u - fixed)
            return false;
        while (defaults-- > 0)
            decisions[fixed++].chosen = 0;
        if (*text >= 'a' && *text <= 'z')
            decisions[fixed++].chosen = (uint8_t)(*text++ - 'a' + 1);
        else if (*text != '\0' && !isdigit((unsigned char)*text))
            return false;
    }
    return true;
}

const char *sim__choice_text(void)
{
    static char text[TEXT_MAX];
    unsigned defaults = 0;
    size_t length = 0;

    for (unsigned i = 0; i < position && length < TEXT_MAX - 16u; i++) {
        if (decisions[i].chosen == 0) {
            defaults++;
            continue;
        }
        if (defaults > 0)
            length += (size_t)sprintf(text + length, "%u", defaults);
        text[length++] = (char)('a' + decisions[i].chosen - 1);
        defaults = 0;
    }
    text[length] = '\0';
    return text;
}
