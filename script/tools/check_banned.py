#!/usr/bin/env python3
"""What may not be written: calls, types and words that the house does without."""

import re
import sys

from lint import Check, code_of, line_of

CODE = ("src", "include", "tests", "fuzz", "bench", "examples")
ANY_TEXT = (".c", ".h", ".def", ".py", ".sh", ".build", ".md", ".txt", "")


def calls(words):
    return re.compile(r"(?<![\w.>])(" + "|".join(words.split()) + r")\s*\(")


# (pattern, where, but not there, why)
RULES = [
    (calls("malloc calloc realloc free aligned_alloc posix_memalign strdup strndup"),
     ("src",), ("src/base/context.c", "src/cli/"),
     "goes around the allocation gate (base/context.h)"),
    (calls("printf fprintf vprintf vfprintf puts fputs putchar putc fputc fwrite perror "
           "exit _Exit _exit quick_exit abort atexit setjmp longjmp signal raise getenv"),
     ("src",), ("src/cli/", "src/studio/worker.c"), "the library neither prints, exits nor looks around"),
    (calls("strcpy strcat sprintf vsprintf gets scanf sscanf fscanf strtok"), ("src",), (),
     "may overrun or keeps hidden state"),
    (calls("atoi atol atoll atof strtod strtof strtold setlocale"), ("src",),
     ("src/base/number.c",), "depends on the locale or hides errors (base/number.h)"),
    (calls("system popen tmpnam mktemp tempnam alloca"), ("src",), (), "is not safe"),
    (calls("rand srand random srandom drand48 rand_r"), CODE, (),
     "is not reproducible; use a generator with an explicit seed"),
    (re.compile(r"\bkal_fail\(\s*[^;]*?,\s*KAL_ERR_NOMEM\b"), ("src",),
     ("src/base/context.c",), "kal_no_memory() says that (base/context.h)"),
    (re.compile(r"\bfloat\b(?!\.h>)|\blong\s+double\b"), ("src", "include"), (),
     "double is the one floating-point type"),
    (re.compile(r"<(?:lapacke|cblas)\w*\.h>"), ("src", "include", "tests", "examples"), (),
     "the library has its own kernels"),
    (re.compile(r"\bregister\b|\bgoto\s+(?!done\b)\w+"), ("src",), (),
     "goto leads to done only; register says nothing"),
]

LEFT_OVER = re.compile(r"\b(T" r"ODO|FIX" r"ME|X" r"XX|HA" r"CK)\b")


def check_rules(check):
    files = check.files(".c", ".h", ".def", under=CODE)
    for path in files:
        code = code_of(path.read_text())
        name = path.relative_to(check.root).as_posix()
        for pattern, where, exempt, why in RULES:
            if not name.startswith(tuple(folder + "/" for folder in where)):
                continue
            if exempt and name.startswith(exempt):
                continue
            for match in pattern.finditer(code):
                word = match.group().rstrip("( \t\n")
                check.find(path, line_of(code, match.start()), f"{word}: {why}")
    return len(files)


def check_left_over(check):
    """Unfinished work is an issue, not a remark in the tree."""
    files = check.files(*ANY_TEXT)
    for path in files:
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue # a fuzz corpus holds anything
        for match in LEFT_OVER.finditer(text):
            check.find(path, line_of(text, match.start()), f"{match.group()} left over")
    return len(files)


def main():
    check = Check(sys.argv)
    build = check.root / "meson.build"
    # Arrays of variable length are the compiler's to find.
    if "'-Wvla'" not in build.read_text() or "'werror=true'" not in build.read_text():
        check.find(build, 1, "must ask for -Wvla and werror=true")
    check.finish(check_rules(check) + check_left_over(check), "files")


if __name__ == "__main__":
    main()
