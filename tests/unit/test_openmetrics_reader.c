/* SPDX-License-Identifier: Apache-2.0 */
/* The strict reader itself: it accepts what the specification allows and nothing else. */
#include "openmetrics_reader.h"
#include "support.h"

static int read_text(const char *text)
{
    struct om_text om;
    const int result = om_read(&om, text, strlen(text));
    om_done(&om);
    return result;
}

START_TEST(good_texts)
{
    static const char *const texts[] = {
        "# EOF\n",
        "# TYPE a counter\n# HELP a Some \\\\ and \\n.\na_total 1\n# EOF\n",
        "# TYPE a gauge\na{x=\"1\",y=\"\\\"\\\\\\n\"} -1.5\na{x=\"2\"} +Inf\n# EOF\n",
        "# TYPE a_seconds gauge\n# UNIT a_seconds seconds\na_seconds 1e-3\n# EOF\n",
        "# TYPE h histogram\nh_bucket{le=\"1.0\"} 1\nh_bucket{le=\"+Inf\"} 3\nh_count 3\nh_sum 4.5\n# EOF\n",
        "# TYPE a gauge\n# TYPE b gauge\nb 1\n# EOF\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_msg(read_text(texts[i]) == 0, "refused: %s", texts[i]);
}
END_TEST

START_TEST(bad_texts)
{
    static const char *const texts[] = {
        "",
        "# EOF",
        "# EOF\n\n",
        "# EOF\n# EOF\n",
        "# TYPE a counter\na_total 1\n",
        "# TYPE a counter\n\na_total 1\n# EOF\n",
        "# TYPE a counter\na 1\n# EOF\n",
        "# TYPE a counter\na_total -1\n# EOF\n",
        "# TYPE a counter\na_total NaN\n# EOF\n",
        "# TYPE a counter\na_total one\n# EOF\n",
        "# TYPE a counter\na_total 1 \n# EOF\n",
        "# TYPE a counter\na_total  1\n# EOF\n",
        "# TYPE a counter\na_total\t1\n# EOF\n",
        "# TYPE a amount\na 1\n# EOF\n",
        "# TYPE a gauge\n# TYPE a gauge\na 1\n# EOF\n",
        "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# HELP a Late.\n# EOF\n",
        "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\na{x=\"1\"} 1\n# EOF\n",
        "# TYPE a gauge\na 1\na 2\n# EOF\n",
        "# TYPE a gauge\na{x=\"1\",y=\"2\"} 1\na{y=\"2\",x=\"1\"} 2\n# EOF\n",
        "# TYPE a gauge\na{x=\"1\",x=\"2\"} 1\n# EOF\n",
        "# TYPE a gauge\na{x=\"\\t\"} 1\n# EOF\n",
        "# TYPE a gauge\na{x=\"1} 1\n# EOF\n",
        "# TYPE a gauge\na{x=1} 1\n# EOF\n",
        "# TYPE a gauge\na{x=\"1\",} 1\n# EOF\n",
        "# TYPE a gauge\na{x=\"line\nfeed\"} 1\n# EOF\n",
        "# TYPE a gauge\na{1x=\"1\"} 1\n# EOF\n",
        "# TYPE a gauge\nevil 1\n# EOF\n",
        "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n",
        "# TYPE a gauge\n# HELP a A quote \\\" here.\na 1\n# EOF\n",
        "# a comment\n# EOF\n",
        "#comment\n# EOF\n",
        "# TYPE a gauge\na{x=\"\xff\"} 1\n# EOF\n",
        "# TYPE a gauge\na{x=\"\xed\xa0\x80\"} 1\n# EOF\n",
        "# TYPE h histogram\nh_bucket{le=\"1.0\"} 1\nh_count 1\nh_sum 1\n# EOF\n",
        "# TYPE h histogram\nh_bucket{le=\"1.0\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_count 1\nh_sum 1\n# EOF\n",
        "# TYPE h histogram\nh_bucket{le=\"2\"} 1\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 1\nh_count 1\n# EOF\n",
        "# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\nh_count 2\nh_sum 1\n# EOF\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_msg(read_text(texts[i]) == -1, "accepted: %s", texts[i]);
}
END_TEST

SUITE_MAIN("OpenMetrics reader", good_texts, bad_texts)
