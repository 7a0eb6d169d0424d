// SPDX-License-Identifier: MIT

// Who may ask, and for what.

#include "context.h"
#include "studio/guard.h"
#include "tap.h"

#include <string.h>

static void tokens_differ(void)
{
    KalContext *ctx = new_context();
    char one[KAL_TOKEN_SIZE];
    char other[KAL_TOKEN_SIZE];
    ok(kal_token_make(ctx, one) == KAL_OK && kal_token_make(ctx, other) == KAL_OK);
    ok(strlen(one) == 32 && strspn(one, "0123456789abcdef") == 32);
    ok(strcmp(one, other) != 0);
    kal_context_destroy(ctx);
}

static void paths_need_the_token(void)
{
    static const char token[] = "0123456789abcdef0123456789abcdef";
    static const char *const wrong[] = {
        "",
        "/",
        "/files",
        "/0123456789abcdef0123456789abcdef",
        "/0123456789abcdef0123456789abcdee/",
        "/1123456789abcdef0123456789abcdef/files",
        "/0123456789ABCDEF0123456789ABCDEF/files",
        "0123456789abcdef0123456789abcdef/files",
        "//0123456789abcdef0123456789abcdef/files",
        "/0123456789abcdef0123456789abcdef0/files",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ok(!kal_guard_path(token, wrong[i]));
    }
    same_text(kal_guard_path(token, "/0123456789abcdef0123456789abcdef/"), "");
    same_text(kal_guard_path(token, "/0123456789abcdef0123456789abcdef/files"),
              "files");
}

static void hosts_are_this_machine(void)
{
    static const char *const wrong[] = {"",
                                        "127.0.0.1",
                                        "127.0.0.1:8018",
                                        "localhost",
                                        "evil.test",
                                        "evil.test:8017",
                                        "127.0.0.1:8017.evil",
                                        "127.0.0.1.evil.test:8017",
                                        "[::1]:8017",
                                        "localhost.:8017",
                                        " 127.0.0.1:8017",
                                        "0.0.0.0:8017",
                                        "127.1:8017",
                                        "user@localhost:8017"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ok(!kal_guard_host(wrong[i], 8017));
    }
    ok(!kal_guard_host(NULL, 8017));
    ok(kal_guard_host("127.0.0.1:8017", 8017)
       && kal_guard_host("localhost:8017", 8017));
}

static void origins_are_ours(void)
{
    static const char *const wrong[] = {"",
                                        "null",
                                        "http://evil.test",
                                        "https://127.0.0.1:8017",
                                        "http://127.0.0.1",
                                        "http://127.0.0.1:8018",
                                        "http://127.0.0.1:8017.evil.test",
                                        "http://127.0.0.1:8017/"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ok(!kal_guard_origin(wrong[i], 8017));
    }
    ok(kal_guard_origin("http://127.0.0.1:8017", 8017));
    ok(kal_guard_origin("http://localhost:8017", 8017));
}

static void names_stay_in_the_folder(void)
{
    static const char *const wrong[] = {"",
                                        ".kal",
                                        "a",
                                        "a.kal/",
                                        "/a.kal",
                                        "../a.kal",
                                        "b/../a.kal",
                                        "b//a.kal",
                                        "./a.kal",
                                        ".b/a.kal",
                                        "b/.a.kal",
                                        "a\\b.kal",
                                        "\xff.kal",
                                        "\xc0\xae.kal",
                                        "a\xe2\x80\xaegnp.kal",
                                        "a\xe2\x80\x8b.kal",
                                        "a\x7f.kal",
                                        "a\xc2\x9b.kal",
                                        "C:a.kal",
                                        "a\n.kal",
                                        "a.KAL",
                                        "a.kal.sh",
                                        "..\\..\\a.kal",
                                        "b/.kal"};
    char longest[KAL_GUARD_NAME + 2];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (!ok(!kal_guard_name(wrong[i]))) {
            printf("# %s\n", wrong[i]);
        }
    }
    ok(kal_guard_file("a.csv") && kal_guard_file("b/a") && !kal_guard_file("b/")
       && !kal_guard_file("../a.csv") && !kal_guard_file(""));
    ok(kal_guard_name("a.kal") && kal_guard_name("b/c/a.b.kal")
       && kal_guard_name("ü b.kal"));
    memset(longest, 'a', sizeof longest - 1);
    memcpy(longest + sizeof longest - 5, ".kal", 5);
    ok(!kal_guard_name(longest) && kal_guard_name(longest + 1));
}

TAP_RUN(TAP_CASE(tokens_differ), TAP_CASE(paths_need_the_token),
        TAP_CASE(hosts_are_this_machine), TAP_CASE(origins_are_ours),
        TAP_CASE(names_stay_in_the_folder))
