/* SPDX-License-Identifier: Apache-2.0 */
#include "openmetrics_reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iconv.h>

struct cursor {
    struct om_text *om;
    const char *at;
    const char *end; /* of the line */
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct om_text *om, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int used = snprintf(om->error, sizeof(om->error), "line %zu: ", om->line);
    vsnprintf(om->error + used, sizeof(om->error) - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_name_letter(char letter, bool first, bool colon)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
           (colon && letter == ':') || (!first && letter >= '0' && letter <= '9');
}

static bool read_name(struct cursor *cursor, char *name, size_t capacity, bool colon)
{
    size_t length = 0;
    while (cursor->at < cursor->end && is_name_letter(*cursor->at, length == 0, colon)) {
        if (length + 1 >= capacity)
            return wrong(cursor->om, "a name is too long");
        name[length++] = *cursor->at++;
    }
    name[length] = '\0';
    return length > 0 || wrong(cursor->om, "a name was expected at \"%.10s\"", cursor->at);
}

static bool read_letter(struct cursor *cursor, char letter)
{
    if (cursor->at >= cursor->end || *cursor->at != letter)
        return wrong(cursor->om, "'%c' was expected", letter);
    cursor->at++;
    return true;
}

/* Text in which a backslash stands only before a backslash, an n, or (quoted) a quote. */
static bool read_escaped(struct cursor *cursor, char *text, size_t capacity, bool quoted)
{
    size_t length = 0;
    while (cursor->at < cursor->end && !(quoted && *cursor->at == '"')) {
        char letter = *cursor->at++;
        if (letter == '\\') {
            if (cursor->at >= cursor->end)
                return wrong(cursor->om, "a backslash ends the line");
            letter = *cursor->at++;
            if (letter == 'n')
                letter = '\n';
            else if (letter != '\\' && !(quoted && letter == '"'))
                return wrong(cursor->om, "a backslash before '%c'", letter);
        }
        if (length + 1 >= capacity)
            return wrong(cursor->om, "a text is too long");
        text[length++] = letter;
    }
    text[length] = '\0';
    return true;
}

static bool read_labels(struct cursor *cursor, struct om_sample *sample)
{
    if (cursor->at >= cursor->end || *cursor->at != '{')
        return true;
    cursor->at++;
    if (cursor->at < cursor->end && *cursor->at == '}') {
        cursor->at++;
        return true;
    }
    for (;;) {
        if (sample->label_count == OM_LABELS)
            return wrong(cursor->om, "too many labels");
        struct om_label *label = &sample->labels[sample->label_count];
        if (!read_name(cursor, label->name, sizeof(label->name), false) || !read_letter(cursor, '=') ||
            !read_letter(cursor, '"') || !read_escaped(cursor, label->value, sizeof(label->value), true) ||
            !read_letter(cursor, '"'))
            return false;
        if (om_label(sample, label->name))
            return wrong(cursor->om, "the label %s comes twice", label->name);
        sample->label_count++;
        if (cursor->at < cursor->end && *cursor->at == ',')
            cursor->at++;
        else
            return read_letter(cursor, '}');
    }
}

static bool read_value(struct cursor *cursor, double *value)
{
    char digits[64];
    const size_t length = (size_t)(cursor->end - cursor->at);
    if (length == 0 || length >= sizeof(digits))
        return wrong(cursor->om, "a value was expected");
    memcpy(digits, cursor->at, length);
    digits[length] = '\0';
    const bool special = strcmp(digits, "+Inf") == 0 || strcmp(digits, "-Inf") == 0 || strcmp(digits, "NaN") == 0;
    if (!special && strspn(digits, "0123456789+-.eE") != length)
        return wrong(cursor->om, "\"%s\" is no number", digits);
    char *rest;
    *value = strtod(digits, &rest);
    return *rest == '\0' || wrong(cursor->om, "\"%s\" is no number", digits);
}

static struct om_family *find_family(struct om_text *om, const char *name)
{
    for (size_t i = 0; i < om->family_count; i++)
        if (strcmp(om->families[i].name, name) == 0)
            return &om->families[i];
    return NULL;
}

/* Metadata belongs to the newest family, or opens one that has not been before. */
static struct om_family *enter_family(struct om_text *om, const char *name)
{
    struct om_family *known = find_family(om, name);
    struct om_family *newest = om->family_count ? &om->families[om->family_count - 1] : NULL;
    if (known) {
        if (known == newest && !known->has_samples)
            return known;
        wrong(om, "the family %s is spread over the text", name);
        return NULL;
    }
    if (om->family_count == sizeof(om->families) / sizeof(om->families[0])) {
        wrong(om, "too many families");
        return NULL;
    }
    struct om_family *family = &om->families[om->family_count++];
    memset(family, 0, sizeof(*family));
    const size_t length = strnlen(name, sizeof(family->name) - 1);
    memcpy(family->name, name, length);
    family->name[length] = '\0';
    return family;
}

static bool set_type(struct om_text *om, struct om_family *family, const char *type)
{
    static const char *const types[] = {"counter",  "gauge", "histogram", "gaugehistogram",
                                        "stateset", "info",  "summary",   "unknown"};
    if (family->has_type)
        return wrong(om, "a second TYPE of %s", family->name);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(types[i], type) == 0) {
            snprintf(family->type, sizeof(family->type), "%s", types[i]);
            family->has_type = 1;
            return true;
        }
    }
    return wrong(om, "\"%s\" is no type", type);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static bool set_unit(struct om_text *om, struct om_family *family, const char *unit)
{
    char end[40];
    snprintf(end, sizeof(end), "_%.32s", unit);
    if (family->has_unit)
        return wrong(om, "a second UNIT of %s", family->name);
    if (*unit && !ends_with(family->name, end))
        return wrong(om, "%s does not end with its unit %s", family->name, unit);
    snprintf(family->unit, sizeof(family->unit), "%.31s", unit);
    family->has_unit = 1;
    return true;
}

static bool read_metadata(struct cursor *cursor)
{
    struct om_text *om = cursor->om;
    char keyword[8];
    char name[128];
    char text[OM_TEXT];
    cursor->at += 2;
    if (!read_name(cursor, keyword, sizeof(keyword), false) || !read_letter(cursor, ' ') ||
        !read_name(cursor, name, sizeof(name), true) || !read_letter(cursor, ' '))
        return false;
    struct om_family *family = enter_family(om, name);
    if (!family || !read_escaped(cursor, text, sizeof(text), false))
        return false;
    if (strcmp(keyword, "TYPE") == 0)
        return set_type(om, family, text);
    if (strcmp(keyword, "UNIT") == 0)
        return set_unit(om, family, text);
    if (strcmp(keyword, "HELP") == 0) {
        if (family->has_help)
            return wrong(om, "a second HELP of %s", name);
        family->has_help = 1;
        return true;
    }
    return wrong(om, "a comment that is no metadata: %s", keyword);
}

/* Is this a sample that the family's type has? The suffix that remains after the family's name decides. */
static bool suffix_fits(const struct om_family *family, const char *suffix)
{
    if (strcmp(family->type, "counter") == 0)
        return strcmp(suffix, "_total") == 0 || strcmp(suffix, "_created") == 0;
    if (strcmp(family->type, "histogram") == 0)
        return strcmp(suffix, "_bucket") == 0 || strcmp(suffix, "_count") == 0 || strcmp(suffix, "_sum") == 0 ||
               strcmp(suffix, "_created") == 0;
    if (strcmp(family->type, "info") == 0)
        return strcmp(suffix, "_info") == 0;
    return *suffix == '\0';
}

static bool place_sample(struct om_text *om, struct om_sample *sample)
{
    if (om->family_count == 0)
        return wrong(om, "the sample %s belongs to no family", sample->name);
    struct om_family *family = &om->families[om->family_count - 1];
    const size_t length = strlen(family->name);
    if (strncmp(sample->name, family->name, length) != 0 || !suffix_fits(family, sample->name + length))
        return wrong(om, "the sample %s does not belong to %s, a %s", sample->name, family->name, family->type);
    snprintf(sample->family, sizeof(sample->family), "%s", family->name);
    family->has_samples = 1;
    const bool counts = strcmp(family->type, "counter") == 0 || strcmp(family->type, "histogram") == 0;
    if (counts && !(sample->value >= 0))
        return wrong(om, "%s counts %g", sample->name, sample->value);
    return true;
}

static bool same_labels(const struct om_sample *one, const struct om_sample *other)
{
    if (one->label_count != other->label_count)
        return false;
    for (size_t i = 0; i < one->label_count; i++) {
        const char *value = om_label(other, one->labels[i].name);
        if (!value || strcmp(value, one->labels[i].value) != 0)
            return false;
    }
    return true;
}

static bool read_sample(struct cursor *cursor)
{
    struct om_text *om = cursor->om;
    struct om_sample sample;
    memset(&sample, 0, sizeof(sample));
    if (!read_name(cursor, sample.name, sizeof(sample.name), true) || !read_labels(cursor, &sample) ||
        !read_letter(cursor, ' ') || !read_value(cursor, &sample.value) || !place_sample(om, &sample))
        return false;
    for (size_t i = 0; i < om->sample_count; i++)
        if (strcmp(om->samples[i].name, sample.name) == 0 && same_labels(&om->samples[i], &sample))
            return wrong(om, "the sample %s comes twice", sample.name);
    if (om->sample_count == om->sample_capacity) {
        om->sample_capacity = om->sample_capacity ? om->sample_capacity * 2 : 64;
        om->samples = realloc(om->samples, om->sample_capacity * sizeof(*om->samples));
        if (!om->samples)
            abort();
    }
    om->samples[om->sample_count++] = sample;
    return true;
}

static bool is_utf8(const char *text, size_t length)
{
    iconv_t converter = iconv_open("UTF-32LE", "UTF-8");
    char *from = (char *)text;
    size_t left = length;
    bool valid = true;
    while (valid && left > 0) {
        char wide[4096];
        char *to = wide;
        size_t room = sizeof(wide);
        const size_t before = left;
        valid = iconv(converter, &from, &left, &to, &room) != (size_t)-1 || left < before;
    }
    iconv_close(converter);
    return valid;
}

/* One histogram's buckets: bounds rise, counts do not fall, the last bound is +Inf and has the count. */
static bool check_histogram(struct om_text *om, const struct om_sample *count)
{
    char bucket_name[160];
    const char *limiter = om_label(count, "limiter");
    double bound = -INFINITY;
    double counted = 0;
    snprintf(bucket_name, sizeof(bucket_name), "%s_bucket", count->family);
    for (size_t i = 0; i < om->sample_count; i++) {
        const struct om_sample *bucket = &om->samples[i];
        const char *of = om_label(bucket, "limiter");
        if (strcmp(bucket->name, bucket_name) != 0 || (limiter && (!of || strcmp(of, limiter) != 0)))
            continue;
        const char *edge = om_label(bucket, "le");
        if (!edge)
            return wrong(om, "a bucket of %s has no le", count->family);
        const double next = strtod(edge, NULL);
        if (!(next > bound) || bucket->value < counted)
            return wrong(om, "the buckets of %s are out of order at %s", count->family, edge);
        bound = next;
        counted = bucket->value;
    }
    if (!isinf(bound) || bound < 0)
        return wrong(om, "%s has no +Inf bucket", count->family);
    return counted == count->value || wrong(om, "%s: the last bucket is not the count", count->family);
}

static bool check_histograms(struct om_text *om)
{
    for (size_t i = 0; i < om->sample_count; i++) {
        const struct om_family *family = find_family(om, om->samples[i].family);
        const bool is_count = ends_with(om->samples[i].name, "_count");
        if (family && strcmp(family->type, "histogram") == 0 && is_count && !check_histogram(om, &om->samples[i]))
            return false;
    }
    return true;
}

static bool read_line(struct cursor *cursor)
{
    if (cursor->at == cursor->end)
        return wrong(cursor->om, "an empty line");
    if (*cursor->at == '#') {
        if (cursor->end - cursor->at < 2 || cursor->at[1] != ' ')
            return wrong(cursor->om, "a comment that is no metadata");
        return read_metadata(cursor);
    }
    return read_sample(cursor);
}

static bool read_lines(struct om_text *om, const char *text, size_t length)
{
    const char *const end = text + length;
    for (const char *line = text; line < end;) {
        om->line++;
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        if (!line_end)
            return wrong(om, "the last line has no end");
        if (line_end - line == 5 && memcmp(line, "# EOF", 5) == 0)
            return line_end + 1 == end || wrong(om, "text after # EOF");
        struct cursor cursor = {.om = om, .at = line, .end = line_end};
        if (!read_line(&cursor))
            return false;
        line = line_end + 1;
    }
    return wrong(om, "no # EOF");
}

int om_read(struct om_text *om, const char *text, size_t length)
{
    memset(om, 0, sizeof(*om));
    if (memchr(text, '\0', length) || !is_utf8(text, length)) {
        wrong(om, "the text is not UTF-8");
        return -1;
    }
    return read_lines(om, text, length) && check_histograms(om) ? 0 : -1;
}

void om_done(struct om_text *om)
{
    free(om->samples);
    om->samples = NULL;
}

const char *om_label(const struct om_sample *sample, const char *name)
{
    for (size_t i = 0; i < sample->label_count; i++)
        if (strcmp(sample->labels[i].name, name) == 0)
            return sample->labels[i].value;
    return NULL;
}

static bool has_label(const struct om_sample *sample, const char *name, const char *value)
{
    const char *found = om_label(sample, name);
    return found && strcmp(found, value) == 0;
}

const struct om_sample *om_find(const struct om_text *om, const char *name, const char *limiter, const char *label,
                                const char *value)
{
    const struct om_sample *found = NULL;
    for (size_t i = 0; i < om->sample_count; i++) {
        const struct om_sample *sample = &om->samples[i];
        if (strcmp(sample->name, name) != 0 || !has_label(sample, "limiter", limiter) ||
            (label && !has_label(sample, label, value)))
            continue;
        if (found)
            return NULL;
        found = sample;
    }
    return found;
}
