/* SPDX-License-Identifier: Apache-2.0 */
#include "watchdog.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *volatile step_name;

void die(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    va_start(arguments, format);
    fputs("FAILED: ", stderr);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, " (in step: %s)\n", step_name ? step_name : "none");
    va_end(arguments);
    fflush(stderr);
    _exit(EXIT_FAILURE);
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(EXIT_FAILURE);
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
    say("FAILED: the watchdog: a step did not end: ");
    say(step_name);
    say("\n");
    _exit(EXIT_FAILURE);
}

void step(const char *name)
{
    if (!step_name) {
        const struct sigaction action = {.sa_handler = on_alarm};
        MUST(sigaction(SIGALRM, &action, NULL) == 0);
    }
    step_name = name;
    alarm(WATCHDOG_SECONDS);
}

void sleep_us(unsigned microseconds)
{
    const struct timespec moment = {.tv_sec = microseconds / 1000000u,
                                    .tv_nsec = (long)(microseconds % 1000000u) * 1000};
    nanosleep(&moment, NULL);
}
