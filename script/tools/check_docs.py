#!/usr/bin/env python3
"""Documentation: check_docs.py ROOT [TOOL]

Relative links lead somewhere; a formula that code cites as "theory (2.7)" is numbered
so in docs/theory/, once; every option in the tool's help is in README.md or docs/; what
stands in a list of the house is told of on each page that lists its kind; a file that a
comment names as module/file.h is there.
"""

import re
import subprocess
import sys

from lint import Check, line_of

CODE = ("src", "include", "tests", "fuzz", "bench", "examples")
LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)>\s]+)>?[^)\n]*\)")
NUMBER = r"\(\d+\.\d+[a-z]?\)"
CITATION = re.compile(rf"\btheory\s+{NUMBER}(?:(?:,|\s|and|to|–|//+)*{NUMBER})*")
# An indented line, or one with a gap before the number, as prose never has.
FORMULA = re.compile(rf"^(?: {{4,}}.*\S +|.*\S {{2,}})({NUMBER}) *$", re.MULTILINE)
NAMED = re.compile(r"(?<![\w/.])(\w+)/(\w+\.(?:c|h|def))\b")
OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")

# What stands in a list, where, as what, and the pages that have to tell of it.
REFERENCE, TOPICS, DICTIONARY = "docs/language/reference.md", "src/cli/topics.c", "fuzz/model.dict"
LISTS = (
    ("operator", "src/expr/ops.def", r'KAL_OP\(\w+, \d, CALL, \w+, "(\w+)"',
     (REFERENCE, TOPICS, DICTIONARY, "docs/theory/expressions.md", "python/kalaba/formula.py")),
    ("statement", "src/lang/words.def", r'WORD\((?:[A-Z]+, )?"(\w+)"',
     (REFERENCE, TOPICS, DICTIONARY, "docs/language/grammar.md")),
    ("command", "src/cli/*.c", r'const KalCommand \w+ = \{\s*\.name = "(\w+)"',
     ("docs/commands.md",)),
    ("method", "include/kalaba/model.h", r'X\(KAL_METHOD_\w+, "(\w+)"',
     (REFERENCE, "docs/running.md")),
    ("statistic", "include/kalaba/run.h",
     r'X\((?:long|int|bool|double), \w+, (?!INTERNAL)[A-Z]+, "(\w+)"', ("docs/commands.md",)),
    ("table format", "src/table/format.c", r'^ +\{"(\.\w+)"',
     ("docs/formats.md", "docs/running.md", TOPICS)),
)


def without_code(text):
    """Markdown with fenced blocks and code spans blank."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    text = re.sub(r"^```.*?^```", blank, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", blank, text)


def anchors_of(path):
    """The anchors that the headings of a file make."""
    found = set()
    for heading in re.findall(r"^#+\s+(.*)$", path.read_text(), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        found.add(plain.replace(" ", "-"))
    return found


def check_links(check):
    files = check.files(".md")
    for path in files:
        text = without_code(path.read_text())
        for match in LINK.finditer(text):
            target, _, anchor = match.group(1).partition("#")
            line = line_of(text, match.start())
            if re.match(r"\w+:", target):
                continue
            goal = (path.parent / target) if target else path
            if not goal.exists():
                check.find(path, line, f"link to {target}, which does not exist")
            elif anchor and goal.suffix == ".md" and anchor not in anchors_of(goal):
                check.find(path, line, f"no heading #{anchor} in {goal.name}")
    return len(files)


def formulas(check):
    """The numbers that docs/theory/ gives to formulas."""
    known = {}
    for path in check.files(".md", under=("docs/theory",)):
        text = path.read_text()
        for match in FORMULA.finditer(text):
            number, line = match.group(1), line_of(text, match.start(1))
            if number in known:
                check.find(path, line, f"formula {number} is already in {known[number]}")
            known[number] = f"{path.name}:{line}"
    return known


def check_citations(check):
    known = formulas(check)
    cited = 0
    for path in check.files(".c", ".h", ".def", ".json", under=CODE):
        text = path.read_text(errors="replace")
        for match in CITATION.finditer(text):
            for number in re.findall(NUMBER, match.group()):
                cited += 1
                if number not in known:
                    check.find(path, line_of(text, match.start()),
                               f"no formula {number} in docs/theory/")
    if known and not cited:
        check.find("docs/theory", 1, 'no code cites a formula as "theory (x.y)"')


def check_named_files(check):
    """Comments name files that there are."""
    modules = {path.name for path in (check.root / "src").glob("*") if path.is_dir()}
    for path in check.files(".c", ".h", ".def", under=CODE):
        for number, line in enumerate(path.read_text(errors="replace").split("\n"), 1):
            for folder, name in NAMED.findall(line.partition("//")[2]):
                if folder in modules and not (check.root / "src" / folder / name).exists():
                    check.find(path, number, f"no file {folder}/{name}")


def check_options(check, tool):
    """Every option that the tool tells of is told of in the documentation."""
    helps = [subprocess.run([tool, "help"], capture_output=True, text=True, check=True).stdout]
    for command in re.findall(r"^  +(\w+) +\S", helps[0], re.MULTILINE):
        run = subprocess.run([tool, "help", command], capture_output=True, text=True,
                             check=False)
        if run.returncode == 0:
            helps.append(run.stdout)
    options = sorted(set(OPTION.findall("\n".join(helps))) - {"-h", "--help"})
    pages = [check.root / "README.md"] + check.files(".md", under=("docs",))
    told = set()
    for path in pages:
        told.update(OPTION.findall(path.read_text()) if path.is_file() else ())
    for option in options:
        if option not in told:
            check.find("README.md", 1, f"option {option} of the help is in no page")


def check_lists(check):
    """What is in a list of the house is on all pages of its kind."""
    found = {kind: [word for path in sorted(check.root.glob(pattern))
                    for word in re.findall(entry, path.read_text(), re.MULTILINE)]
             for kind, pattern, entry, _ in LISTS}
    for kind, pattern, _, pages in LISTS:
        words = found[kind]
        if not words and any(found.values()):
            check.find(pattern, 1, f"no {kind} found in this list")
        for page in pages if words else ():
            path = check.root / page
            text = path.read_text() if path.is_file() else ""
            for word in words:
                if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                    check.find(page, 1, f"nothing about the {kind} {word}")


def main():
    check = Check(sys.argv)
    files = check_links(check)
    check_citations(check)
    check_lists(check)
    check_named_files(check)
    if check.arguments:
        check_options(check, check.arguments[0])
    check.finish(files, "pages")


if __name__ == "__main__":
    main()
