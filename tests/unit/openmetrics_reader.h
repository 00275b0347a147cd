/* SPDX-License-Identifier: Apache-2.0 */
/* A strict reader of OpenMetrics 1.0 text, written from the specification and sharing nothing with the writer. */
#ifndef BH_TESTS_UNIT_OPENMETRICS_READER_H
#define BH_TESTS_UNIT_OPENMETRICS_READER_H

#include <stddef.h>

#define OM_LABELS 8u
#define OM_TEXT 512u

struct om_label {
    char name[64];
    char value[OM_TEXT];
};

struct om_sample {
    char name[128];
    char family[128];
    struct om_label labels[OM_LABELS];
    size_t label_count;
    double value;
};

struct om_family {
    char name[128];
    char type[32];
    char unit[32];
    int has_type, has_unit, has_help, has_samples;
};

struct om_text {
    struct om_family families[64];
    size_t family_count;
    struct om_sample *samples;
    size_t sample_count, sample_capacity;
    char error[256];
    size_t line;
};

/* Reads the whole text. Returns 0, or -1 with the reason in om->error. Free with om_done() either way. */
int om_read(struct om_text *om, const char *text, size_t length);
void om_done(struct om_text *om);

/* The value of the label, or NULL. */
const char *om_label(const struct om_sample *sample, const char *name);
/* The only sample of that name whose labels include limiter=`limiter` and, unless NULL, `label`=`value`; or NULL. */
const struct om_sample *om_find(const struct om_text *om, const char *name, const char *limiter, const char *label,
                                const char *value);

#endif
