// SPDX-License-Identifier: MIT

#include "fault.h"
#include "figure/svg.h"
#include "tap.h"

typedef struct Text {
    char text[8192];
    size_t length;
} Text;

static void take(void *user, const char *text, size_t length)
{
    Text *t = (Text *)user;
    if (length < sizeof t->text - t->length) {
        memcpy(t->text + t->length, text, length);
        t->length += length;
        t->text[t->length] = '\0';
    }
}

// What becomes of a text that cairo could have made.
static KalStatus convert(const char *svg, bool follow, const char *title,
                         Text *out_text)
{
    KalContext *ctx = NULL;
    KalBlock block = {.data = NULL};
    *out_text = (Text){.length = 0};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_block_add(ctx, &block, svg, strlen(svg)) == KAL_OK);
    const KalStatus status =
        kal_svg_write(ctx, &block, follow, title, (KalSink){take, out_text});
    kal_block_clear(ctx, &block);
    kal_context_destroy(ctx);
    return status;
}

static void a_title_comes_first_and_is_escaped(void)
{
    Text got;
    ok(convert("<?xml?><svg a=\"b\"><g/></svg>\n", false, "a <b> & \x1b", &got)
       == KAL_OK);
    same_text(got.text, "<?xml?><svg a=\"b\">\n<title>a &lt;b&gt; &amp; "
                        "\\u{1b}</title><g/></svg>\n");
}

static void without_title_and_rules_nothing_changes(void)
{
    Text got;
    ok(convert("<svg><g/></svg>", false, "", &got) == KAL_OK);
    same_text(got.text, "<svg><g/></svg>");
}

// As cairo 1.16 writes colors, and as 1.18 does.
static void colors_of_the_theme_get_rules(void)
{
    Text got;
    ok(convert("<svg><path style=\"stroke:rgb(0%,0%,0%);\"/>"
               "<path stroke=\"rgb(0%, 44.705882%, 69.803922%)\"/></svg>",
               true, "", &got)
       == KAL_OK);
    has_text(got.text, "@media (prefers-color-scheme:dark)");
    has_text(got.text, "[style*=\"stroke:rgb(0%,0%,0%)\"]");
    has_text(got.text, "{stroke:#e8e8e8!important}");
    has_text(got.text, "[stroke=\"rgb(0%, 44.705882%, 69.803922%)\"]"
                       "{stroke:#56b4e9!important}");
}

static void other_colors_have_none(void)
{
    Text got;
    ok(convert("<svg fill=\"rgb(50%,1%,2%)\" x=\"rgb(\" y=\"rgb(a%)\" "
               "z=\"rgb(900%,0%,0%)\">"
               "</svg>",
               true, "", &got)
       == KAL_OK);
    ok(!strstr(got.text, "important"));
}

static void what_is_no_svg_is_refused(void)
{
    static const char *const texts[] = {"", "<svg", "<svg>", "</svg>", "<svg </svg"};
    for (int i = 0; i < 5; i++) {
        Text got;
        ok(convert(texts[i], true, "t", &got) == KAL_ERR_FILE);
        ok(got.length == 0);
    }
}

TAP_RUN(TAP_CASE(a_title_comes_first_and_is_escaped),
        TAP_CASE(without_title_and_rules_nothing_changes),
        TAP_CASE(colors_of_the_theme_get_rules), TAP_CASE(other_colors_have_none),
        TAP_CASE(what_is_no_svg_is_refused))
