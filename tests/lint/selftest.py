#!/usr/bin/env python3
"""Each lint check passes on a small good tree and fails on that tree with one fault:
selftest.py [PRETTIER], which formats the scripts of web pages.

Speaks TAP: first every check on the good tree, then one case a fault.
"""

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "script" / "tools"
PRETTIER = sys.argv[1:]

LICENSE = "// SPDX-License-Identifier: MIT\n\n"


def header(guard, body):
    return (f"{LICENSE}/// @file\n/// A header.\n\n#ifndef {guard}\n#define {guard}\n"
            f"\n{body}\n#endif\n")


THING = header("KALABA_THING_H", """#ifdef __cplusplus
extern "C" {
#endif

#define KAL_API     __attribute__((visibility("default")))
#define KAL_CHECKED __attribute__((warn_unused_result))

/// A thing.
typedef struct KalThing KalThing;

/// Weigh a thing.
KAL_API KAL_CHECKED int kal_thing_weigh(const KalThing *thing);

#ifdef __cplusplus
}
#endif
""")

SOURCE = LICENSE + """#include "low/stone.h"

#include <kalaba/thing.h>

#include <stddef.h>

// The weight, theory (1.1).
int kal_thing_weigh(const KalThing *thing)
{
    return thing == NULL ? 0 : kal_stone_weigh(1);
}
"""

STONE = header("LOW_STONE_H", """/// Weigh a stone.
int kal_stone_weigh(int size);
""")

STONE_C = LICENSE + """#include "low/stone.h"

int kal_stone_weigh(int size)
{
    switch (size) {
    case 0: return 0;
    default: return 2 * size;
    }
}
"""

SWITCH = """
typedef enum Grain {
    COARSE,
    FINE,
} Grain;

int kal_grain_size(Grain grain);

int kal_grain_size(Grain grain)
{
    switch (grain) {
    case COARSE: return 2;
    default: return 1;
    }
}
"""

TABLE = """# Modules

| module | may use | external | what it is |
|---|---|---|---|
| `low` | | | stones |
| `thing` | `low` | `stones/*.h` | things |
| `report` | | | pages |
| `cli` | public headers only | | the tool |
"""

TOOL = """#!/bin/bash
echo '  weigh    weigh a thing (--json for scripts)'
"""

GOOD = {
    "meson.build": "project('k', default_options: ['werror=true'])\n# '-Wvla' '-Wswitch-enum'\n",
    "README.md": "# Things\n\nSee [the modules](docs/architecture.md#modules); `--json`.\n",
    "docs/architecture.md": TABLE,
    "docs/theory/1-weight.md": "# Weight\n\n    w = 2 s        (1.1)\n",
    "include/kalaba/meson.build": "files('kalaba.h', 'thing.h')\n",
    "include/kalaba/kalaba.h": header("KALABA_KALABA_H", "#include <kalaba/thing.h>\n"),
    "include/kalaba/thing.h": THING,
    "src/low/stone.h": STONE,
    "src/low/stone.c": STONE_C,
    "src/low/stone_impl.h": header("LOW_STONE_IMPL_H", "/// Grain.\nint kal_grain(void);\n"),
    "src/thing/thing.c": SOURCE,
    "src/cli/main.c": LICENSE + "#include <kalaba/kalaba.h>\n\nint main(void)\n{\n"
                                "    return 0;\n}\n",
    "examples/weigh.c": LICENSE + "#include <kalaba/kalaba.h>\n",
    "script/run": "#!/bin/bash\necho \"$1\"\n",
    "script/help": TOOL,
    "src/report/meson.build": "files('main.js')\n",
    "web/package.json":
        '{"devDependencies": {"a": "1.2.3"}, "prettier": {"singleQuote": true}}\n',
    "build-web/.gitignore": "*\n",
    "web/package-lock.json": '{"packages": {"": {}, "a": {"version": "1.2.3"}}}\n',
    "web/src/main.js": "document.body.textContent = 'x';\n",
}


def long_function(lines):
    return "int kal_long(void)\n{\n" + "    (void)0;\n" * (lines - 4) + "    return 0;\n}\n"


def edit(name, old, new):
    """The good tree with one text replaced in one file."""
    assert old in GOOD[name], (name, old)
    return {name: GOOD[name].replace(old, new, 1)}


def add(name, text):
    """The good tree with a text at the end of a file, which may be new."""
    return {name: GOOD.get(name, "") + text}


# (check, what is wrong, the change to the tree, what the finding says)
FAULTS = [
    ("format", "two blanks too many", edit("src/low/stone.c", "    case 0", "      case 0"),
     "stone.c:7: not formatted"),
    ("format", "a comment that passes the edge",
     add("src/low/stone.c", "// " + "stone " * 20 + "\n"), "more than 100 columns"),

    ("layers", "a module uses one to its right",
     edit("src/low/stone.c", '"low/stone.h"\n', '"low/stone.h"\n#include "thing/a.h"\n'),
     "src/low/stone.c:4: low may not use thing"),
    ("layers", "a module uses a public header to its right",
     add("src/low/stone.c", "#include <kalaba/thing.h>\n"), "low may not use thing"),
    ("layers", "a module includes everything",
     add("src/thing/thing.c", "#include <kalaba/kalaba.h>\n"), "belongs to no module"),
    ("layers", "a private header of another module",
     add("src/thing/thing.c", '#include "low/stone_impl.h"\n'), "is private to low"),
    ("layers", "an include without its module",
     add("src/low/stone.c", '#include "stone.h"\n'), 'write "low/stone.h"'),
    ("layers", "an external library outside its module",
     add("src/low/stone.c", "#include <stones/big.h>\n"), "external header <stones/big.h>"),
    ("layers", "the tool looks inside",
     add("src/cli/main.c", '#include "low/stone.h"\n'), "public headers and its own only"),
    ("layers", "an example looks inside",
     add("examples/weigh.c", '#include "low/stone.h"\n'), "an example may not include"),
    ("layers", "a public header looks inside",
     add("include/kalaba/thing.h", '#include "low/stone.h"\n'), "a public header includes"),
    ("layers", "a module that the table does not list",
     add("src/high/high.c", LICENSE), "src/high is not in the table"),
    ("layers", "a module without folder",
     add("docs/architecture.md", "| `high` | `low` | | missing |\n"), "has no folder"),
    ("layers", "a row that uses what is below it",
     edit("docs/architecture.md", "| `low` | |", "| `low` | `thing` |"), "not above it"),
    ("layers", "a function that came with a header of another module",
     add("src/low/stone.c", "int kal_x = kal_thing_weigh(0);\n"),
     "low may not use thing, to which kal_thing_weigh belongs"),
    ("layers", "a permission that nobody uses",
     edit("docs/architecture.md", "| `report` | |", "| `report` | `low` |"),
     "report may use low, but does not"),
    ("layers", "no table", edit("docs/architecture.md", "may use", "uses"), "no table"),

    ("symbols", "a public function without body",
     edit("src/thing/thing.c", "kal_thing_weigh", "kal_thing_weight"),
     "kal_thing_weigh is declared KAL_API but not exported"),
    ("symbols", "an export that no public header declares",
     edit("src/low/stone.h", "int kal", '__attribute__((visibility("default"))) int kal'),
     "kal_stone_weigh is exported"),
    ("symbols", "a symbol without prefix",
     add("src/low/stone.c", "int weigh(void);\n\nint weigh(void)\n{\n    return 1;\n}\n"),
     "weigh lacks the prefix"),
    ("symbols", "a variable that can change",
     edit("src/low/stone.c", "    switch", "    static int calls;\n    calls++;\n    switch"),
     "is a variable that can change"),
    ("symbols", "a library that comes with every start",
     {"link": "-Wl,--no-as-needed -lgcc_s"}, "libgcc_s.so.1 is loaded with every start"),

    ("names", "a type of a name that another has",
     {f"src/{module}/other.h": LICENSE + "typedef struct KalOther {\n    int size;\n} KalOther;\n"
      for module in ("low", "thing")}, "KalOther is defined in"),
    ("names", "a struct of a name that another has, under another word",
     {f"src/{module}/other.h": LICENSE + "typedef struct KalOther {\n    int size;\n} Other;\n"
      for module in ("low", "thing")}, "KalOther is defined in"),
    ("names", "a function of a name that another has",
     {"src/low/other.c": LICENSE + "int kal_stone_weigh(int size)\n{\n    return size;\n}\n"},
     "kal_stone_weigh is defined in"),

    ("headers", "a header that needs another first",
     edit("include/kalaba/thing.h", "int kal_thing_weigh", "size_t kal_thing_weigh"),
     "does not compile alone by gcc -std=c99"),
    ("headers", "a header that is not C++",
     edit("include/kalaba/thing.h", "const KalThing *thing", "const KalThing *class"),
     "does not compile alone by g++ -std=c++11"),
    ("headers", "an internal header that needs another first",
     edit("src/low/stone.h", "int kal_stone_weigh", "size_t kal_stone_weigh"),
     "src/low/stone.h:1: does not compile alone"),
    ("headers", "a function without comment",
     edit("include/kalaba/thing.h", "/// Weigh a thing.\n", ""), "no /// comment above: KAL_API"),
    ("headers", "a type without comment",
     edit("include/kalaba/thing.h", "/// A thing.\n", "// A thing.\n"),
     "no /// comment above: typedef struct"),
    ("headers", "a wrong guard",
     edit("src/low/stone.h", "#ifndef LOW_STONE_H\n#define LOW_STONE_H",
          "#ifndef STONE_H\n#define STONE_H"), "no include guard LOW_STONE_H"),
    ("headers", "no license",
     edit("src/low/stone.h", LICENSE, ""), "does not begin with // SPDX"),
    ("headers", "a type without prefix",
     edit("src/low/stone.h", "int kal", "typedef int Stone;\nint kal"), "type Stone lacks"),
    ("headers", "a macro without prefix",
     edit("src/low/stone.h", "int kal", "#define STONES 3\nint kal"), "STONES lacks KAL_"),
    ("headers", "a public function that looks at no argument",
     add("include/kalaba/thing.h", "/// How it went.\ntypedef int KalStatus;\n"
         "/// Turn.\nKAL_API KAL_CHECKED KalStatus kal_thing_turn(KalThing *thing);\n")
     | add("src/thing/thing.c", "\nKalStatus kal_thing_turn(KalThing *thing)\n{\n"
           "    int w = kal_thing_weigh(thing);\n    return w;\n}\n"),
     "kal_thing_turn does not begin with KAL_NEED"),
    ("headers", "a header that is not installed",
     edit("include/kalaba/meson.build", ", 'thing.h'", ""), "is not listed"),

    ("banned", "raw malloc", add("src/low/stone.c", "void *kal_x(void)\n{\n"
                                 "    return malloc(1);\n}\n"), "malloc: goes around"),
    ("banned", "printing library", add("src/low/stone.c", "// \nint kal_y = printf(\"\");\n"),
     "printf: the library neither prints"),
    ("banned", "sprintf", add("src/cli/main.c", "int x = sprintf(a, b);\n"), "sprintf: may"),
    ("banned", "rand", add("examples/weigh.c", "int x = rand();\n"), "rand: is not repro"),
    ("banned", "strtod", add("src/low/stone.c", "x = strtod(s, 0);\n"), "strtod: depends"),
    ("banned", "a way of its own to say that there is no memory",
     add("src/low/stone.c", "x = kal_fail(ctx,\n    KAL_ERR_NOMEM, \"no\");\n"),
     "kal_no_memory() says that"),
    ("banned", "float", add("src/low/stone.c", "static float x;\n"), "float: double is"),
    ("banned", "long double", add("src/low/stone.c", "long  double x;\n"), "double is"),
    ("banned", "LAPACK in the library",
     add("src/low/stone.c", "#include <lapacke.h>\n"), "own kernels"),
    ("banned", "a remark left over", add("README.md", "FIX" "ME later\n"), "left over"),
    ("banned", "arrays of variable length allowed",
     edit("meson.build", "'-Wvla'", ""), "must ask for -Wvla"),

    ("size", "a function of 61 lines", add("src/low/stone.c", long_function(61)),
     "function of 61 lines"),
    ("size", "a file of more than 800 lines", add("src/low/stone.c", "\n" * 800),
     "lines, allowed 800"),
    ("size", "a struct of 41 members",
     add("src/low/stone.h", "typedef struct KalHeap {\n"
         + "".join(f"    int stone_{i};\n" for i in range(41)) + "} KalHeap;\n"),
     "struct KalHeap of 41 members, allowed 40"),

    ("enums", "a default over an enum", add("src/low/stone.c", SWITCH),
     "default: hides constants that COARSE"),
    ("enums", "a default over an enum within another switch",
     edit("src/low/stone.c", "case 0: return 0;",
          "case 0:\n        switch ((KalGrain)size) {\n        case KAL_GRAIN_FINE: return 1;\n"
          "        default: return 0;\n        }"), "default: hides constants that KAL_GRAIN_FINE"),
    ("enums", "a build that does not warn", edit("meson.build", "'-Wswitch-enum'", ""),
     "must ask for -Wswitch-enum"),

    ("docs", "a dead link", edit("README.md", "architecture.md", "architect.md"),
     "docs/architect.md, which does not exist"),
    ("docs", "a dead anchor", edit("README.md", "#modules", "#houses"), "no heading #houses"),
    ("docs", "a formula that is not there",
     edit("src/thing/thing.c", "theory (1.1)", "theory (1.1) and (1.2)"), "no formula (1.2)"),
    ("docs", "a number given twice",
     add("docs/theory/1-weight.md", "    v = 3        (1.1)\n"), "(1.1) is already in"),
    ("docs", "theory that no code cites",
     edit("src/thing/thing.c", "theory", "formula"), "no code cites"),
    ("docs", "an option that no page tells of", edit("README.md", "`--json`", "JSON"),
     "option --json"),
    ("docs", "a comment about a file that is gone",
     edit("src/thing/thing.c", "// The weight", "// See low/gravel.h.  The weight"),
     "no file low/gravel.h"),
    ("docs", "a command without a section",
     add("src/cli/sink.c", 'const KalCommand kal_command_sink = {\n    .name = "sink",\n};\n'),
     "docs/commands.md:1: nothing about the command sink"),
    ("docs", "a list that is gone",
     add("src/lang/words.def", 'KAL_WORD(SINK, "sink", kal_parse_sink)\n'), "no operator found"),

    ("scripts", "an unquoted variable", edit("script/run", '"$1"', "$1"), "SC2086"),
    ("scripts", "broken Python", add("script/tools/x.py", "def f(:\n"), "x.py:1: "),

    ("web", "a text that becomes markup",
     edit("web/src/main.js", "textContent", "innerHTML"), "main.js:1: innerHTML"),
    ("web", "a script that the build does not know",
     add("web/src/more.js", "export const x = 1;\n"), "is not listed in"),
    ("web", "a long script", add("web/src/main.js", "\n" * 400), "allowed 400"),
    *([("web", "a script in another format",
        edit("web/src/main.js", " = ", "="), "not formatted")] if PRETTIER else []),
    ("web", "a package of any version", edit("web/package.json", "1.2.3", "^1.2.3"),
     "expected one version"),
    ("web", "an address in the lock file",
     edit("web/package-lock.json", '{"version"', '{"resolved": "x", "version"'),
     "a has an address"),

    ("tidy", "a function with 7 parameters",
     add("src/low/stone.c", "static int f(int a, int b, int c, int d, int e, int g, int h)\n"
         "{\n    return a + b + c + d + e + g + h;\n}\n\nint kal_z(void);\n\n"
         "int kal_z(void)\n{\n    return f(1, 2, 3, 4, 5, 6, 7);\n}\n"), "readability-function-size"),
    ("tidy", "a null pointer followed",
     add("src/low/stone.c", "int kal_z(void);\n\nint kal_z(void)\n{\n    int *p = 0;\n"
         "    return *p;\n}\n"), "clang-analyzer-core.NullDereference"),
    ("tidy", "a name in another style",
     edit("src/low/stone.c", "    switch (size)", "    const int twoTimes = 2 * size;\n"
          "    switch (twoTimes)"), "readability-identifier-naming"),
]


def write_tree(root, change):
    for name, text in {**GOOD, **change}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)
    for name in (".clang-format", ".clang-tidy"):
        (root / name).write_text((ROOT / name).read_text())


def build(root):
    """Compile the tree's library as Meson would, both ways."""
    sources = sorted(str(path) for path in (root / "src").glob("*/*.c")
                     if path.parent.name != "cli")
    flags = ["-std=c17", "-fPIC", "-fvisibility=hidden", f"-I{root}/include", f"-I{root}/src"]
    out = root / "build"
    out.mkdir()
    objects = []
    for number, source in enumerate(sources):
        objects.append(str(out / f"{number}.o"))
        subprocess.run(["gcc", *flags, "-c", source, "-o", objects[-1]], check=True)
    link = (root / "link").read_text().split() if (root / "link").exists() else []
    subprocess.run(["gcc", "-shared", *objects, *link, "-o", out / "libk.so"], check=True)
    subprocess.run(["ar", "rcs", out / "libk.a", *objects], check=True)
    return [out / "libk.so", out / "libk.a"]


def compile_database(root):
    out = root / "build"
    out.mkdir()
    command = ["cc", "-std=c17", "-I../include", "-I../src", "-c"]
    entries = [{"directory": str(out), "file": str(path),
                "command": shlex.join([*command, str(path)])}
               for path in sorted((root / "src").glob("*/*.c"))]
    (out / "compile_commands.json").write_text(json.dumps(entries))
    return [out]


def run(check, change):
    """Status and output of a check on the good tree with a change."""
    with tempfile.TemporaryDirectory(prefix="kalaba lint ") as folder:
        root = Path(folder)
        write_tree(root, change)
        extra = {"symbols": build, "tidy": compile_database, "web": lambda root: PRETTIER,
                 "docs": lambda root: [root / "script/help"]}.get(check, lambda root: [])(root)
        done = subprocess.run([sys.executable, "-B", TOOLS / f"check_{check}.py", root, *extra],
                              capture_output=True, text=True, check=False,
                              cwd=root / "build-web")
        return done.returncode, done.stdout + done.stderr


def main():
    checks = sorted(path.stem.removeprefix("check_") for path in TOOLS.glob("check_*.py"))
    cases = [(check, "nothing is wrong", {}, "no findings", 0) for check in checks]
    cases += [(*fault, 1) for fault in FAULTS]
    missing = set(checks) - {fault[0] for fault in FAULTS}
    print(f"1..{len(cases) + 1}")
    failures = 0
    for number, (check, what, change, says, wanted) in enumerate(cases, 1):
        status, output = run(check, change)
        good = status == wanted and says in output
        failures += not good
        if not good:
            print(f"# status {status}, wanted {wanted} with: {says}")
            print("".join(f"# {line}\n" for line in output.splitlines()), end="")
        print(f"{'ok' if good else 'not ok'} {number} - {check}: {what}")
    if missing:
        print(f"# not tried: {sorted(missing)}")
    print(f"{'not ok' if missing else 'ok'} {len(cases) + 1} - every check is tried here")
    return failures > 0 or bool(missing)


if __name__ == "__main__":
    sys.exit(main())
