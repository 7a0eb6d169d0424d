// SPDX-License-Identifier: MIT

#include "show/html.h"
#include "tap.h"

static char written[1000];
static size_t length;

static void keep(void *user, const char *text, size_t n)
{
    (void)user;
    ok(length + n < sizeof written);
    memcpy(written + length, text, n);
    length += n;
    written[length] = '\0';
}

static const char *html(const char *text, size_t n)
{
    length = 0;
    written[0] = '\0';
    kal_html_write((KalSink){keep, NULL}, text, n);
    return written;
}

static void is_html(const char *text, const char *want)
{
    same_text(html(text, strlen(text)), want);
}

static void plain_text_stays(void)
{
    is_html("", "");
    is_html("q'' = θ, 猫", "q&#39;&#39; = θ, 猫");
    is_html("a\n\tb", "a\n\tb");
}

static void markup_is_shown(void)
{
    is_html("<script>alert(\"1\")</script> & 'x'",
            "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;");
    is_html("&lt;", "&amp;lt;");
}

static void what_is_no_text_is_marked(void)
{
    is_html("\x1b[31m", "\uFFFD[31m");
    is_html("a\xff\xfe"
            "b",
            "a\uFFFD\uFFFDb");
    same_text(html("a\0b", 3), "a\uFFFDb");
    is_html("\xc2\x85", "\uFFFD");
}

TAP_RUN(TAP_CASE(plain_text_stays), TAP_CASE(markup_is_shown),
        TAP_CASE(what_is_no_text_is_marked))
