// SPDX-License-Identifier: MIT

// Names of the model language in LaTeX and MathML.  A name is a path of words with indices, and
// primes at its end: `link[2].a_max'`.  The last word is the letter that shows; the rest
// of it and the owners become subscripts.

#include "base/utf8.h"
#include "print/print_impl.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

typedef struct Span {
    const char *text;
    size_t length;
} Span;

// Capitals that look like Latin letters have no command.
typedef struct Letter {
    uint32_t code;
    const char *math;
} Letter;

static const Letter LETTERS[] = {
    {0xB5,   "\\mu"      },
    {0x391,  "A"         },
    {0x392,  "B"         },
    {0x393,  "\\Gamma"   },
    {0x394,  "\\Delta"   },
    {0x395,  "E"         },
    {0x396,  "Z"         },
    {0x397,  "H"         },
    {0x398,  "\\Theta"   },
    {0x399,  "I"         },
    {0x39A,  "K"         },
    {0x39B,  "\\Lambda"  },
    {0x39C,  "M"         },
    {0x39D,  "N"         },
    {0x39E,  "\\Xi"      },
    {0x39F,  "O"         },
    {0x3A0,  "\\Pi"      },
    {0x3A1,  "P"         },
    {0x3A3,  "\\Sigma"   },
    {0x3A4,  "T"         },
    {0x3A5,  "\\Upsilon" },
    {0x3A6,  "\\Phi"     },
    {0x3A7,  "X"         },
    {0x3A8,  "\\Psi"     },
    {0x3A9,  "\\Omega"   },
    {0x3B1,  "\\alpha"   },
    {0x3B2,  "\\beta"    },
    {0x3B3,  "\\gamma"   },
    {0x3B4,  "\\delta"   },
    {0x3B5,  "\\epsilon" },
    {0x3B6,  "\\zeta"    },
    {0x3B7,  "\\eta"     },
    {0x3B8,  "\\theta"   },
    {0x3B9,  "\\iota"    },
    {0x3BA,  "\\kappa"   },
    {0x3BB,  "\\lambda"  },
    {0x3BC,  "\\mu"      },
    {0x3BD,  "\\nu"      },
    {0x3BE,  "\\xi"      },
    {0x3BF,  "o"         },
    {0x3C0,  "\\pi"      },
    {0x3C1,  "\\rho"     },
    {0x3C2,  "\\varsigma"},
    {0x3C3,  "\\sigma"   },
    {0x3C4,  "\\tau"     },
    {0x3C5,  "\\upsilon" },
    {0x3C6,  "\\phi"     },
    {0x3C7,  "\\chi"     },
    {0x3C8,  "\\psi"     },
    {0x3C9,  "\\omega"   },
    {0x2126, "\\Omega"   },
};

enum {
    LETTER_COUNT = sizeof LETTERS / sizeof LETTERS[0]
};

const char *kal_latex_letter(uint32_t code)
{
    for (int i = 0; i < LETTER_COUNT; i++) {
        if (LETTERS[i].code == code) {
            return LETTERS[i].math;
        }
    }
    return NULL;
}

bool kal_latex_has_letter(uint32_t code)
{
    const bool sign = code == 0xD7 || code == 0xF7; // × and ÷
    return code >= 0xC0 && code <= 0x17F && !sign;
}

static bool is_mathml(const KalPrinter *p)
{
    return p->options->format == KAL_FORMAT_MATHML;
}

// A letter or word of MathML, in which nothing is markup.
static void print_element(KalPrinter *p, const char *tag, Span s)
{
    assert(p && tag && (s.text || s.length == 0));
    kal_print_string(p, "<");
    kal_print_string(p, tag);
    kal_print_string(p, ">");
    for (size_t i = 0; i < s.length; i++) {
        switch (s.text[i]) {
        case '<': kal_print_string(p, "&lt;"); break;
        case '>': kal_print_string(p, "&gt;"); break;
        case '&': kal_print_string(p, "&amp;"); break;
        default: kal_print_write(p, s.text + i, 1); break;
        }
    }
    kal_print_string(p, "</");
    kal_print_string(p, tag);
    kal_print_string(p, ">");
}

static void print_letter(KalPrinter *p, const Letter *letter)
{
    if (is_mathml(p)) {
        char text[4];
        const size_t length = kal_utf8_print(letter->code, text);
        print_element(p, "mi", (Span){text, length});
    } else {
        kal_print_string(p, letter->math);
    }
}

// The Greek letter that a span is, its character or its word; NULL for others.
static const Letter *find_greek(Span s)
{
    assert(s.text);
    uint32_t code = 0;
    const bool character = kal_utf8_parse(s.text, s.length, &code) == s.length;
    for (int i = 0; i < LETTER_COUNT; i++) {
        const char *math = LETTERS[i].math;
        const bool word = math[0] == '\\' && strlen(math + 1) == s.length
                          && memcmp(math + 1, s.text, s.length) == 0;
        if (word || (character && LETTERS[i].code == code)) {
            return &LETTERS[i];
        }
    }
    return NULL;
}

// A letter within an upright word: what LaTeX would obey is escaped, and of letters that
// are not in every font a question mark is left.
static void print_upright_letter(KalPrinter *p, uint32_t code, Span s)
{
    const char *math = kal_latex_letter(code);
    if (code < 0x80) {
        kal_print_string(p, code == '_' ? "\\" : "");
        kal_print_write(p, s.text, s.length);
    } else if (math) {
        kal_print_string(p, math);
        kal_print_string(p, "{}");
    } else if (kal_latex_has_letter(code)) {
        kal_print_string(p, "\\text{");
        kal_print_write(p, s.text, s.length);
        kal_print_string(p, "}");
    } else {
        kal_print_string(p, "?");
    }
}

// LaTeX sets a word of several letters as their product; \mathrm makes it one word.
static void print_upright(KalPrinter *p, Span s)
{
    size_t taken;
    if (is_mathml(p)) {
        print_element(p, "mi", s);
        return;
    }
    kal_print_string(p, "\\mathrm{");
    for (size_t i = 0; i < s.length; i += taken) {
        uint32_t code = 0;
        taken = kal_utf8_parse_any(s.text + i, s.length - i, &code);
        print_upright_letter(p, code, (Span){s.text + i, taken});
    }
    kal_print_string(p, "}");
}

static bool is_number(Span s)
{
    for (size_t i = 0; i < s.length; i++) {
        if (!isdigit((unsigned char)s.text[i])) {
            return false;
        }
    }
    return true;
}

// A word of several letters is upright, for in italics it would be a product of them.
static void print_word(KalPrinter *p, Span s)
{
    assert(s.length > 0);
    const Letter *greek = find_greek(s);
    if (greek) {
        print_letter(p, greek);
    } else if (is_mathml(p)) {
        print_element(p, is_number(s) ? "mn" : "mi", s);
    } else if (s.length == 1 || is_number(s)) {
        kal_print_write(p, s.text, s.length);
    } else {
        print_upright(p, s);
    }
}

// Where the letter of a word ends and its own subscript begins: at an underscore, or at
// the digits at the end of a Latin or Greek letter.
static size_t letter_length(Span s)
{
    assert(s.length > 0);
    const char *under = memchr(s.text, '_', s.length);
    if (under && under > s.text && under < s.text + s.length - 1) {
        return (size_t)(under - s.text);
    }
    size_t end = s.length;
    while (end > 1 && isdigit((unsigned char)s.text[end - 1])) {
        end--;
    }
    return end;
}

typedef struct Subscripts {
    KalPrinter *p; // NULL: they are only counted
    int n;
} Subscripts;

// Without a printer subscripts are only counted: whoever prints must know first whether
// there are any.
static void add_subscript(Subscripts *subs, Span s)
{
    assert(subs->n >= 0);
    if (s.length == 0) {
        return;
    }
    if (subs->p) {
        const bool mathml = is_mathml(subs->p);
        const char *comma = mathml ? "<mo>,</mo>" : ",";
        kal_print_string(subs->p, subs->n == 0 ? (mathml ? "<mrow>" : "_{") : comma);
        print_word(subs->p, s);
    }
    subs->n++;
}

// The indices that follow a word: `[2]`, `[i,j]`.
static void add_indices(Subscripts *subs, const char *text, const char *end)
{
    assert(text <= end);
    while (text < end) {
        const size_t length = strcspn(text, "[],");
        const size_t within = text + length > end ? (size_t)(end - text) : length;
        add_subscript(subs, (Span){text, within});
        text += within + 1;
    }
}

static const char *word_end(const char *text, const char *end)
{
    assert(text <= end);
    while (text < end && *text != '[' && *text != '.') {
        text++;
    }
    return text;
}

// Owners in reading order: each word, then its indices.
static void add_owners(Subscripts *subs, const char *text, const char *end)
{
    while (text < end) {
        const char *stop = word_end(text, end);
        add_subscript(subs, (Span){text, (size_t)(stop - text)});
        const char *dot = stop;
        while (dot < end && *dot != '.') {
            dot++;
        }
        add_indices(subs, stop, dot);
        text = dot + 1;
    }
}

static const char *last_dot(const char *text, const char *end)
{
    for (const char *c = end; c > text; c--) {
        if (c[-1] == '.') {
            return c - 1;
        }
    }
    return NULL;
}

// What is meant by `reaction(rod)` and its likes, with its argument as a subscript.
static bool print_call(KalPrinter *p, const char *name)
{
    assert(name);

    static const struct {
        const char *word;
        const char *latex;
        const char *mathml;
    } calls[] = {
        {"reaction(", "\\lambda", "<mi>λ</mi>"                      },
        {"cforce(",   "Q^{c}",    "<msup><mi>Q</mi><mi>c</mi></msup>"},
        {"drive(",    "\\lambda", "<mi>λ</mi>"                      },
        {"control(",  "u",        "<mi>u</mi>"                       },
    };

    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const size_t head = strlen(calls[i].word);
        if (length > head && strncmp(name, calls[i].word, head) == 0) {
            kal_print_string(p, is_mathml(p) ? "<msub>" : "");
            kal_print_string(p, is_mathml(p) ? calls[i].mathml : calls[i].latex);
            kal_print_string(p, is_mathml(p) ? "" : "_{");
            print_upright(p, (Span){name + head, length - head - 1});
            kal_print_string(p, is_mathml(p) ? "</msub>" : "}");
            return true;
        }
    }
    return false;
}

// A name cut into its pieces.  One that is literal is a single word.
typedef struct Name {
    const char *begin;
    const char *end;  // before the primes
    const char *dot;  // before the last word; NULL without owners
    const char *word; // the last one
    const char *stop; // its end
    size_t letter;    // bytes of it that show
    int primes;
    bool literal;
} Name;

// `a.b.theta2[3]'`: primes are cut from the end, then the word after the last dot,
// which is the letter; what is before it and behind it becomes subscripts.
static Name cut(const char *text, bool literal)
{
    assert(text);
    Name name = {.begin = text, .end = text + strlen(text), .literal = literal};
    while (name.end > text && name.end[-1] == '\'' && name.primes < 3) {
        name.end--;
        name.primes++;
    }
    if (literal) {
        name.word = text;
        name.stop = name.end;
        name.letter = (size_t)(name.end - text);
        return name;
    }
    name.dot = last_dot(text, name.end);
    name.word = name.dot ? name.dot + 1 : text;
    name.stop = word_end(name.word, name.end);
    const Span whole = {name.word, (size_t)(name.stop - name.word)};
    name.letter = whole.length == 0 ? 0 : letter_length(whole);
    return name;
}

// Print the subscripts, or count them without a printer.
static int add_subscripts(KalPrinter *p, const Name *name)
{
    Subscripts subs = {p, 0};
    const size_t length = (size_t)(name->stop - name->word);
    const size_t skip = name->letter < length && name->word[name->letter] == '_';
    add_subscript(
        &subs, (Span){name->word + name->letter + skip, length - name->letter - skip});
    add_indices(&subs, name->stop, name->end);
    if (name->dot) {
        add_owners(&subs, name->begin, name->dot);
    }
    return subs.n;
}

// Whether a name is a word, which needs room on both sides to be told from products.
static bool is_word(Span s)
{
    uint32_t code = 0;
    return !find_greek(s) && s.length > kal_utf8_parse_any(s.text, s.length, &code);
}

static void print_letters(KalPrinter *p, const Name *name)
{
    const Span letter = {name->word, name->letter};
    if (name->literal) {
        print_upright(p, letter);
    } else {
        print_word(p, letter);
    }
}

// The letter with its dots.
static void print_base(KalPrinter *p, const Name *name)
{
    assert(name->primes >= 0 && name->primes <= 3);
    static const char *const latex[] = {"", "\\dot{", "\\ddot{", "\\dddot{"};
    static const char *const mathml[] = {"", "˙", "¨", "⃛"};
    const Span letter = {name->word, name->letter};
    const bool dots = name->primes > 0;
    if (!is_mathml(p)) {
        kal_print_string(p, latex[name->primes]);
        if (name->letter > 0) {
            print_letters(p, name);
        }
        kal_print_string(p, dots ? "}" : "");
        kal_print_string(p, name->literal ? "\\," : ""); // from a word that follows
        return;
    }
    const char *room = name->letter > 0 && (name->literal || is_word(letter))
                           ? "<mspace width=\"0.14em\"/>"
                           : "";
    kal_print_string(p, *room ? "<mrow>" : "");
    kal_print_string(p, room);
    kal_print_string(p, dots ? "<mover accent=\"true\">" : "");
    print_letters(p, name);
    if (dots) {
        kal_print_string(p, "<mo stretchy=\"false\">");
        kal_print_string(p, mathml[name->primes]);
        kal_print_string(p, "</mo></mover>");
    }
    kal_print_string(p, room);
    kal_print_string(p, *room ? "</mrow>" : "");
}

// Subscripts are counted before they are printed, for MathML says in front of a letter
// whether any follow.
void kal_math_name(KalPrinter *p, const char *name, bool literal)
{
    assert(p && name);
    if (!literal && print_call(p, name)) {
        return;
    }
    const Name pieces = cut(name, literal);
    const bool subscripts = add_subscripts(NULL, &pieces) > 0;
    const bool mathml = is_mathml(p);
    kal_print_string(p, mathml && subscripts ? "<msub>" : "");
    print_base(p, &pieces);
    (void)add_subscripts(p, &pieces);
    if (subscripts) {
        kal_print_string(p, mathml ? "</mrow></msub>" : "}");
    }
}
