/* SPDX-License-Identifier: Apache-2.0 */
#include "screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct {
    bool colours;
    bool unicode;
    int columns;
} screen = {.columns = SCREEN_COLUMNS};

static const char *const paint_codes[] = {
    [PAINT_NONE] = "",    [PAINT_BOLD] = "1",    [PAINT_DIM] = "2",   [PAINT_RED] = "31",
    [PAINT_GREEN] = "32", [PAINT_YELLOW] = "33", [PAINT_BLUE] = "34",
};

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

void screen_open(void)
{
    const char *terminal = getenv("TERM");
    struct winsize size;

    setvbuf(stdout, NULL, _IOLBF, 0);
    setlocale(LC_CTYPE, "");
    if (!isatty(STDOUT_FILENO))
        return;
    screen.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    screen.colours = !is_set("NO_COLOR") && is_set("TERM") && strcmp(terminal, "dumb") != 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        screen.columns = size.ws_col < SCREEN_COLUMNS ? size.ws_col : SCREEN_COLUMNS;
}

bool screen_is_wide(void)
{
    return screen.columns == SCREEN_COLUMNS;
}

static void begin(enum paint paint)
{
    if (screen.colours && paint != PAINT_NONE)
        printf("\033[%sm", paint_codes[paint]);
}

static void end(enum paint paint)
{
    if (screen.colours && paint != PAINT_NONE)
        fputs("\033[0m", stdout);
}

void screen_print(enum paint paint, const char *format, ...)
{
    va_list arguments;

    begin(paint);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    end(paint);
}

static void repeat(const char *cell, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fputs(cell, stdout);
}

void screen_bar(const struct stripe *stripes, unsigned count, uint32_t cells)
{
    for (unsigned i = 0; i < count; i++) {
        const char letter[2] = {stripes[i].letter, '\0'};
        uint32_t shown = stripes[i].cells < cells ? stripes[i].cells : cells;
        begin(stripes[i].paint);
        repeat(screen.colours && screen.unicode ? "\u2588" : letter, shown);
        end(stripes[i].paint);
        cells -= shown;
    }
    begin(PAINT_DIM);
    repeat(screen.unicode ? "\u00b7" : ".", cells);
    end(PAINT_DIM);
}

void screen_headline(enum paint paint, const char *text)
{
    const char *dash = screen.unicode ? "\u2500" : "-";
    int rest = screen.columns - (int)strlen(text) - 5;

    begin(paint);
    repeat(dash, 3);
    printf(" %s ", text);
    repeat(dash, rest > 0 ? (uint32_t)rest : 0);
    end(paint);
    putchar('\n');
}
