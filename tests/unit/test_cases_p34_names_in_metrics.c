/* SPDX-License-Identifier: Apache-2.0 */
/* Case P34: a name cannot break out of the metrics text. */
#include "openmetrics_reader.h"
#include "support.h"

#include <stdlib.h>

#define EVIL "a\"b\\c\nevil 1"

static void scrape(bh_limiter *const *limiters, size_t count, struct om_text *om)
{
    const long long length = bh_openmetrics(limiters, count, NULL, 0);
    ck_assert_int_gt(length, 0);
    char *text = malloc((size_t)length + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(bh_openmetrics(limiters, count, text, (size_t)length + 1), length);
    ck_assert_uint_eq(strlen(text), (size_t)length);
    ck_assert_msg(om_read(om, text, (size_t)length) == 0, "%s", om->error);
    free(text);
}

/* Scrapes a limiter of that name; returns the number of samples, after checking each. */
static size_t scrape_named(const char *name)
{
    bh_limiter *limiter = limiter_make_with(&BH_OPTIONS(.name = name, .limit = 3));
    struct om_text om;
    scrape(&limiter, 1, &om);
    for (size_t i = 0; i < om.sample_count; i++) {
        ck_assert_str_eq(om_label(&om.samples[i], "limiter"), name);
        ck_assert_int_eq(strncmp(om.samples[i].name, "bulkhead_", 9), 0);
    }
    const struct om_sample *limit = om_find(&om, "bulkhead_limit", name, NULL, NULL);
    ck_assert_ptr_nonnull(limit);
    ck_assert(limit->value == 3.0);
    const size_t count = om.sample_count;
    om_done(&om);
    limiter_done(limiter);
    return count;
}

START_TEST(evil_name_reads_back)
{
    const size_t plain = scrape_named("plain");
    ck_assert_uint_gt(plain, 0);
    ck_assert_uint_eq(scrape_named(EVIL), plain);
}
END_TEST

START_TEST(other_difficult_names_read_back)
{
    static const char *const names[] = {
        "\"",     "\\", "\n", "\\n", "\\\\", "\\\"", "\"} 1\nevil{x=\"", "# EOF\n",
        "\r\n",   "\t", "{}", ",",   "=",    " ",    "\x01\x7f",         "\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\xa2",
        "%s%n%d",
    };
    const size_t plain = scrape_named("plain");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        ck_assert_uint_eq(scrape_named(names[i]), plain);
}
END_TEST

START_TEST(longest_names_read_back)
{
    char name[BH_NAME_MAX + 1] = {0};
    const size_t plain = scrape_named("plain");
    static const char letters[] = {'x', '"', '\\', '\n'};
    for (size_t i = 0; i < sizeof(letters); i++) {
        memset(name, letters[i], BH_NAME_MAX);
        ck_assert_uint_eq(scrape_named(name), plain);
    }
}
END_TEST

START_TEST(every_byte_is_refused_or_reads_back)
{
    const size_t plain = scrape_named("plain");
    for (unsigned byte = 1; byte < 256; byte++) {
        const char name[] = {'<', (char)byte, '>', '\0'};
        if (byte < 0x80 && byte != '/') {
            ck_assert_uint_eq(scrape_named(name), plain);
            continue;
        }
        bh_limiter *limiter;
        POISON(limiter);
        ck_assert_int_eq(bh_limiter_new(&BH_OPTIONS(.name = name, .limit = 1), &limiter), -EINVAL);
        CHECK_UNTOUCHED(limiter);
    }
}
END_TEST

START_TEST(evil_and_plain_in_one_text)
{
    bh_limiter *limiters[3] = {limiter_make_with(&BH_OPTIONS(.name = "plain", .limit = 1)),
                               limiter_make_with(&BH_OPTIONS(.name = EVIL, .limit = 2)),
                               limiter_make_with(&BH_OPTIONS(.name = "evil", .limit = 4))};
    struct om_text om;
    scrape(limiters, 3, &om);
    ck_assert(om_find(&om, "bulkhead_limit", "plain", NULL, NULL)->value == 1.0);
    ck_assert(om_find(&om, "bulkhead_limit", EVIL, NULL, NULL)->value == 2.0);
    ck_assert(om_find(&om, "bulkhead_limit", "evil", NULL, NULL)->value == 4.0);
    om_done(&om);
    for (unsigned i = 0; i < 3; i++)
        limiter_done(limiters[i]);
}
END_TEST

SUITE_MAIN("P34 names in metrics", evil_name_reads_back, other_difficult_names_read_back, longest_names_read_back,
           every_byte_is_refused_or_reads_back, evil_and_plain_in_one_text)
