// SPDX-License-Identifier: MIT

// Identifiers: characters are replaced one by one, then words that are taken get an ending.

#include "export/names.h"

#include "base/utf8.h"
#include "print/print.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Words of C and C++, so that headers can be used in both; macros of <math.h>, <float.h> and
// <stddef.h>, and of headers that may stand before ours; functions of the C library that formulas
// call; names that exported functions have for themselves.
static const char TAKEN[] =
    " acos alignas alignof along and and_eq answer asin asm assert atan atan2 "
    "auto bitand bitor bool both break BUFSIZ c case catch ceil change_limited char "
    "char16_t "
    "char32_t char8_t choose class co_await co_return co_yield compl complex "
    "concept const const_cast consteval constexpr constinit continue cos cosh "
    "decltype default delete do double dynamic_cast either else enum EOF erf "
    "errno EXIT_FAILURE EXIT_SUCCESS exp explicit export extern fabs false far "
    "float floor for four_waves friend goto greater HUGE_VAL HUGE_VALF HUGE_VALL "
    "hypot I if imaginary INFINITY inline int is_at_most is_equal is_less "
    "is_unequal isfinite isnan isunordered larger lesser limited linux log logarithm "
    "long main MATH_ERREXCEPT math_errhandling MATH_ERRNO modulo mutable "
    "namespace NAN near negation new nextafter noexcept not not_eq NULL nullptr "
    "offsetof "
    "operator or or_eq out params pow power power_of private protected "
    "ptrdiff_t public quotient RAND_MAX real register reinterpret_cast "
    "requires restrict return short sign_of signed sin sinh size_t sizeof smaller sqrt "
    "state static static_assert static_cast stderr stdin stdout struct switch "
    "table_level table_value TABLES tan tanh template this thread_local throw true try "
    "typedef typeid typename typeof typeof_unqual union unix unsigned using "
    "virtual void volatile wave waves wchar_t where while work xor xor_eq ";

// Names that files and targets of build systems cannot have, in any mix of capitals: NAME.h would
// stand before a header of C or POSIX, NAME.c is our other file or a device of Windows, `m` is the
// library that we link with, and the rest are targets that CMake and Meson have for themselves.
static const char NOT_FILES[] =
    " aio alloca ar argp argz arpa assert byteswap cet complex cpio cpuid crypt "
    "ctype dirent dlfcn elf endian envz err errno error execinfo fcntl features "
    "fenv float fmtmsg fnmatch fts ftw getopt glob grp iconv ifaddrs inttypes "
    "iso646 langinfo libgen libintl limits link locale malloc math mcheck memory "
    "mm_malloc mntent monetary mqueue ndbm net netdb nl_types obstack omp paths "
    "poll printf pthread pty pwd quadmath regex regexp resolv sched search "
    "semaphore setjmp shadow signal spawn stdalign stdarg stdatomic stdbit stdbool "
    "stdckdint stddef stdfix stdint stdio stdio_ext stdlib stdnoreturn string "
    "strings stropts syscall sysexits syslimits syslog tar termio termios tgmath "
    "threads time trace uchar ucontext ulimit unistd unwind utime utmp utmpx values "
    "varargs wait wchar wctype wordexp windows io direct process conio main con prn "
    "aux nul com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2 lpt3 "
    "lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 m all all_build benchmark build clean coverage "
    "depend dist distcheck edit_cache help install list_install_components package "
    "package_source phony preinstall rebuild_cache reconfigure run_tests test "
    "uninstall zero_check ";

// How families of macros of <math.h> and <float.h> begin.
static const char *const BEGINNINGS[] = {"M_",   "FP_",   "DBL_",
                                         "FLT_", "LDBL_", "DECIMAL_"};

enum {
    N_BEGINNINGS = sizeof BEGINNINGS / sizeof BEGINNINGS[0],
    LETTER_SIZE = 24
};

static bool is_letter(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

// Names of temporary values: v1, w2; and what C keeps for itself.
static bool is_taken(const char *name)
{
    assert(name[0] != '\0' && name[0] != ' ');
    const size_t length = strlen(name);
    for (const char *at = strstr(TAKEN, name); at; at = strstr(at + 1, name)) {
        if (at[-1] == ' ' && at[length] == ' ') { // spaces stand at both ends
            return true;
        }
    }
    for (int i = 0; i < N_BEGINNINGS; i++) {
        if (strncmp(name, BEGINNINGS[i], strlen(BEGINNINGS[i])) == 0) {
            return true;
        }
    }
    return (name[0] == 'v' || name[0] == 'w') && name[1] != '\0'
           && strspn(name + 1, "0123456789") == length - 1;
}

// One character in letters of C: as it is, the name of a Greek letter, or its number; what is
// no letter becomes an underscore, or nothing at the end of a name.
static void print_letter(uint32_t code, bool last, char out_text[LETTER_SIZE])
{
    const char *math = code < 0x80 ? NULL : kal_latex_letter(code);
    if (is_letter(code) || is_digit(code) || code == '_') {
        out_text[0] = (char)code;
        out_text[1] = '\0';
    } else if (math) {
        (void)snprintf(out_text, LETTER_SIZE, "%s", math[0] == '\\' ? math + 1 : math);
    } else if (code < 0x80) {
        (void)snprintf(out_text, LETTER_SIZE, "%s", last ? "" : "_");
    } else {
        (void)snprintf(out_text, LETTER_SIZE, "u%x", (unsigned)code);
    }
}

// Underscores that follow each other become one: C++ keeps two of them for itself.
static void append(char *text, size_t *length, const char *letters)
{
    for (const char *c = letters; *c != '\0'; c++) {
        const bool again = *c == '_' && *length > 0 && text[*length - 1] == '_';
        if (!again
            && (is_letter((unsigned char)*c) || is_digit((unsigned char)*c)
                || *c == '_')) {
            text[(*length)++] = *c;
        }
    }
}

static char *spell(KalArena *arena, const char *name, const char *ending)
{
    const size_t size = strlen(name);
    char *text =
        kal_arena_alloc(arena, (size + 1) * LETTER_SIZE + strlen(ending) + 4, 1);
    size_t length = 0;
    if (!text) {
        return NULL;
    }
    for (size_t at = 0; at < size;) {
        uint32_t code = 0;
        char letters[LETTER_SIZE];
        at += kal_utf8_parse_any(name + at, size - at, &code);
        print_letter(code, at == size, letters);
        if (length == 0 && !is_letter(code) && code < 0x80) {
            append(text, &length, "m_"); // a leading digit or underscore
        }
        append(text, &length, letters);
    }
    append(text, &length, length == 0 ? "m" : "");
    append(text, &length, ending);
    return text;
}

static bool same_but_for_capitals(const char *name, const char *small, size_t length)
{
    size_t i = 0;
    while (i < length
           && (name[i] | (is_letter((unsigned char)name[i]) ? 0x20 : 0)) == small[i]) {
        i++;
    }
    return i == length && name[i] == '\0';
}

// Whether files of that name would be taken for others, also where capitals do not count.
static bool is_no_file(const char *name)
{
    for (const char *at = NOT_FILES + 1; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        if (same_but_for_capitals(name, at, length)) {
            return true;
        }
        at += length + 1;
    }
    return false;
}

const char *kal_c_model_name(KalArena *arena, const char *name)
{
    assert(arena && name);
    char *text = spell(arena, name, "");
    if (text && (is_taken(text) || is_no_file(text))) {
        text[strlen(text)] = '_';
    }
    return text;
}

static bool stands_before(const char *text, const char *const *names, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = strcmp(text, names[i]) == 0;
    }
    return found;
}

// A name that is taken gets a number that none before it has.
static const char *make_own(KalArena *arena, char *text, const char *const *before,
                            size_t count)
{
    const size_t length = strlen(text);
    char *own = kal_arena_alloc(arena, length + LETTER_SIZE, 1);
    if (!own) {
        return NULL;
    }
    (void)snprintf(own, length + LETTER_SIZE, "%s_", text);
    for (unsigned number = 2; stands_before(own, before, count); number++) {
        (void)snprintf(own, length + LETTER_SIZE, "%s_%u", text, number);
    }
    return own;
}

bool kal_c_identifiers(KalArena *arena, const char *const *names, size_t count,
                       const char *ending, const char **out_names, size_t n_before)
{
    for (size_t i = 0; i < count; i++) {
        const size_t n = n_before + i;
        char *text = spell(arena, names[i], ending);
        out_names[n] = text;
        if (text && (is_taken(text) || stands_before(text, out_names, n))) {
            out_names[n] = make_own(arena, text, out_names, n);
        }
        if (!out_names[n]) {
            return false;
        }
    }
    return true;
}
