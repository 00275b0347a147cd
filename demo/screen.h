/* SPDX-License-Identifier: Apache-2.0 */
/* What standard output can show: colours, other letters than ASCII, and how wide a line may be. */
#ifndef DEMO_SCREEN_H
#define DEMO_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#define SCREEN_COLUMNS 78

enum paint { PAINT_NONE, PAINT_BOLD, PAINT_DIM, PAINT_RED, PAINT_GREEN, PAINT_YELLOW, PAINT_BLUE };

/* Part of a bar: so many cells of one letter, which is a block of that colour where there are colours. */
struct stripe {
    uint32_t cells;
    char letter;
    enum paint paint;
};

/* Looks at the terminal, the locale and NO_COLOR. Call once, first. */
void screen_open(void);

/* Whether lines of SCREEN_COLUMNS fit. */
bool screen_is_wide(void);

void screen_print(enum paint paint, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the stripes, and empty cells up to `cells`. */
void screen_bar(const struct stripe *stripes, unsigned count, uint32_t cells);

/* A line across the screen with a text in it. */
void screen_headline(enum paint paint, const char *text);

#endif
