#!/usr/bin/env python3
"""The installed library as its users find it:
test_installed.py BUILD EXAMPLE VERSION CC…

Installs the build into a temporary folder, then compiles and runs the example with what
pkg-config says, once against the shared and once against the static library.  Manual pages
and completions are looked at too, and whether Debian's packages take what is installed.
"""

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

# Seconds after which a program counts as hanging: a guard, not a measure of speed.
HANG = 900

BUILD, EXAMPLE, VERSION, *COMPILER = sys.argv[1:]
HEADERS = {
    "analysis.h",
    "context.h",
    "examine.h",
    "export.h",
    "figure.h",
    "files.h",
    "format.h",
    "kalaba.h",
    "leeway.h",
    "lsp.h",
    "model.h",
    "motion.h",
    "problem.h",
    "record.h",
    "reduce.h",
    "report.h",
    "run.h",
    "show.h",
    "status.h",
    "studio.h",
    "sweep.h",
    "system.h",
    "table.h",
    "text.h",
    "verify.h",
    "version.h",
}
ROOT = Path(EXAMPLE).resolve().parent.parent
# A zsh at a terminal of its own: type $2, Tab and a word that ends the line, and print it.
ZSH = """zmodload zsh/zpty; zpty z zsh -f -i
zpty -w z "fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D; PS1=; kalaba() { print \\<\\$* }"
zpty -w z "print rea''dy"; zpty -r -m z out '*ready*'
zpty -w z "$2"$'\\t end'
zpty -r -m z out '*<*end*'; print -r -- "${out##*<}" """
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror"]


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG,
                          check=False, env={**os.environ, **environment})
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


class Installed:
    """A system of its own under a temporary root."""

    def __init__(self, root):
        self.root = root

    def find(self, name):
        found = sorted(self.root.rglob(name))
        assert found, f"{name} is not installed"
        return found[0]

    def config(self, *options):
        """What pkg-config says, seen from the temporary root."""
        return run("pkg-config", *options, "kalaba",
                   PKG_CONFIG_SYSROOT_DIR=str(self.root),
                   PKG_CONFIG_LIBDIR=str(self.find("kalaba.pc").parent)).split()

    def installs(self):
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet",
            DESTDIR=str(self.root))

    def has_libraries(self):
        self.find("libkalaba.so")
        self.find("libkalaba.a")

    def has_public_headers_only(self):
        assert {path.name for path in self.root.rglob("*.h")} == HEADERS
        assert {path.parent.name for path in self.root.rglob("*.h")} == {"kalaba"}

    def has_the_version_of_the_project(self):
        assert self.config("--modversion") == [VERSION]

    def has_a_manual_page_for_each_command_and_topic(self):
        """As the overview lists them; they are formatted without a complaint."""
        program = self.find("kalaba.1").parents[3] / "bin/kalaba"
        overview = run(program, "help", LD_LIBRARY_PATH=str(self.find("libkalaba.so").parent))
        for heading, section in (("Commands", 1), ("Topics", 7)):
            block = overview.split(f"{heading}:\n")[1].split("\n\n")[0]
            names = [line.split()[0] for line in block.splitlines()]
            assert len(names) > 4, overview
            for name in names:
                page = self.find(f"kalaba-{name}.{section}")
                if shutil.which("man"):
                    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8",
                                           page], capture_output=True, text=True, check=False,
                                          timeout=HANG, env={**os.environ, "MANWIDTH": "80"})
                    assert done.returncode == 0 and not done.stderr, (page, done.stderr)

    def completes_what_is_typed(self):
        """In bash; the file of fish is there, too."""
        self.find("kalaba.fish")
        script = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kalaba; '
                  'echo "${COMPREPLY[@]}"')
        completion = self.root.rglob("completions/kalaba")
        file = str(next(completion))
        (self.root / "swing.kal").touch()
        for words, want in ((["kalaba", "swe"], ["sweep"]),
                            (["kalaba", "run", "--rep"], ["--report"]),
                            (["kalaba", "run", "--method", "b"], ["bdf"]),
                            (["kalaba", "help", "lang"], ["language"]),
                            (["kalaba", "run", "swi"], ["swing.kal"]),
                            (["kalaba", "plot", "swi"], ["swing.kal"]),
                            (["kalaba", "run", "-p", "swi"], [])):
            done = subprocess.run(["bash", "-c", script, file, *words], cwd=self.root,
                                  capture_output=True, text=True, check=False, timeout=HANG)
            assert done.stdout.split() == want, (words, done.stdout, done.stderr)

    def example_runs_with_the_shared_library(self):
        program = self.root / "embed_shared"
        run(*COMPILER, *STRICT, EXAMPLE, *self.config("--cflags", "--libs"), "-lm",
            "-o", program)
        out = run(program, LD_LIBRARY_PATH=str(self.find("libkalaba.so").parent))
        assert "rod tension" in out, out

    def example_runs_with_the_static_library(self):
        """By its file name, since the linker would prefer the shared one."""
        program = self.root / "embed_static"
        run(*COMPILER, *STRICT, EXAMPLE, *self.config("--cflags"),
            self.find("libkalaba.a"), "-lm", "-o", program)
        assert "rod tension" in run(program)

    def completes_in_fish(self):
        """Where there is one: words of commands, options, files."""
        if not shutil.which("fish"):
            return
        (self.root / "swing.kal").touch()
        for words, want in (("swe", "sweep"), ("run --rep", "--report"), ("run --method b", "bdf"),
                            ("help lang", "language"), ("help sw", "sweep"),
                            ("run swi", "swing.kal"), ("plot swi", "swing.kal")):
            script = f"source {self.find('kalaba.fish')}; complete -C 'kalaba {words}'"
            done = subprocess.run(["fish", "-c", script], cwd=self.root, capture_output=True,
                                  text=True, check=False, timeout=HANG)
            found = [line.split("\t")[0] for line in done.stdout.splitlines()]
            assert want in found, (words, done.stdout, done.stderr)

    def completes_in_zsh(self):
        """Where there is one, at a terminal that nobody sees: what Tab writes behind a word."""
        place = self.find("_kalaba").parent
        assert place.name == "site-functions", "zsh looks there, in /usr/local of Debian too"
        if not shutil.which("zsh"):
            return
        (self.root / "swing.kal").touch()
        for words, want in (("swe", "sweep"), ("run --rep", "--report"), ("run --method b", "bdf"),
                            ("help lang", "language"), ("help sw", "sweep"),
                            ("run swi", "swing.kal"), ("plot swi", "swing.kal")):
            done = subprocess.run(["zsh", "-f", "-c", ZSH, "-", place, f"kalaba {words}"],
                                  cwd=self.root, capture_output=True, text=True, check=False,
                                  timeout=HANG)
            assert want in done.stdout, (words, done.stdout, done.stderr)

    def files(self):
        """What is installed, as it stands in a package, whatever the prefix."""
        prefix = self.find("kalaba.pc").parent
        while prefix.name != "lib":
            prefix = prefix.parent
        prefix = prefix.parent
        return [str(Path("usr") / path.relative_to(prefix)) for path in prefix.rglob("*")
                if not path.is_dir()]

    def packages_take_every_file_once(self):
        patterns = [line.split()[0] for path in sorted(ROOT.glob("debian/*.install"))
                    for line in path.read_text().splitlines()]  # a folder may follow
        taken = {file: [pattern for pattern in patterns
                        if fnmatch.fnmatch(file, pattern) or fnmatch.fnmatch(file, pattern + "/*")]
                 for file in self.files()}
        for file, by in taken.items():
            assert len(by) == 1, f"{file} is taken by {by}"
        used = {by[0] for by in taken.values()}
        assert used == set(patterns), f"nothing is installed as {set(patterns) - used}"

    def packages_build_what_is_installed(self):
        """By the target that the rules name, which alone is built."""
        rules = (ROOT / "debian/rules").read_text()
        target = re.search(r"ninja -C \$\(TREE\) -v (\w+)\n", rules).group(1)
        built = run("ninja", "-C", BUILD, "-t", "query", target).split()
        for file in json.loads(run("meson", "introspect", BUILD, "--installed")):
            name = os.path.relpath(file, BUILD) if os.path.isabs(file) else ".. (an alias)"
            made_before = name.startswith(("..", "meson-private"))
            assert made_before or name in built, f"{name} is not made by {target}"

    def packages_name_what_is_loaded_or_called(self):
        if not shutil.which("dpkg"):
            return
        paragraphs = (ROOT / "debian/control").read_text().split("\n\n")
        texts = [path.read_text() for path in (ROOT / "src").rglob("*.[ch]")]
        names = {name for text in texts for name in re.findall(r'"(lib\w+\.so\.\d+)"', text)}
        assert len(names) > 8, names
        [opened] = re.findall(r"openers\[\] = \{([^}]*)\}", "".join(texts))
        programs = set(re.findall(r'"([\w-]+)"', opened))
        assert len(programs) > 1, programs
        for name in names | programs:
            owner = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True,
                                   check=False, timeout=HANG).stdout.split(":")[0]
            packages = ("kalaba",) if name in programs else ("kalaba", "libkalaba0")
            for package in packages if owner else ():
                [text] = [each for each in paragraphs if f"Package: {package}\n" in each]
                assert re.search(rf"[ ,]{owner}[,\n]", text), f"{package} does not name {owner}"


def main():
    cases = [Installed.installs, Installed.has_libraries,
             Installed.has_public_headers_only, Installed.has_the_version_of_the_project,
             Installed.has_a_manual_page_for_each_command_and_topic,
             Installed.completes_what_is_typed, Installed.completes_in_fish,
             Installed.completes_in_zsh,
             Installed.packages_take_every_file_once,
             Installed.packages_build_what_is_installed,
             Installed.packages_name_what_is_loaded_or_called,
             Installed.example_runs_with_the_shared_library,
             Installed.example_runs_with_the_static_library]
    failed = 0
    print(f"1..{len(cases)}")
    with tempfile.TemporaryDirectory() as folder:
        installed = Installed(Path(folder))
        for number, case in enumerate(cases, 1):
            try:
                case(installed)
                print(f"ok {number} - {case.__name__}")
            except Exception: # a case that breaks is a case that fails
                failed += 1
                print(f"not ok {number} - {case.__name__}")
                for line in traceback.format_exc().splitlines():
                    print("#", line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
