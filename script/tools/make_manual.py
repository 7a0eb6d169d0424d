#!/usr/bin/env python3
"""Manual pages and completions from the help of the program: make_manual.py PROGRAM FOLDER LIST

Everything is read from `kalaba help` and `kalaba help NAME`, so that there is one source.
FOLDER gets share/man/man1 (commands), share/man/man7 (topics) and the completions of bash, zsh
and fish in the places where these look for them; LIST gets the names of all.  The same help gives
the same bytes.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

# Options whose value is one of a few words, as messages of the program list them.
WORDS = {
    "--format": ["text", "latex", "markdown"],
    "--method": ["auto", "dop853", "bdf"],
    "--drift": ["project", "none"],
    "--units": ["none", "comment", "file"],
    "--design": ["random", "latin", "sobol"],
    "--form": ["full", "reduced"],
}


class Help:
    """The help of a command: what is behind each heading."""

    def __init__(self, name, text):
        self.name = name
        usage, purpose, *rest = text.split("\n\n")
        self.synopsis = usage.removeprefix("Usage: ").strip()
        self.purpose = purpose.split(": ", 1)[1].rstrip(".")
        self.options = []
        self.parts = []
        for part in rest:
            if part.startswith("Options:\n"):
                self.options = options_of(part)
            else:
                self.parts.append(part.rstrip("\n"))

    @property
    def files(self):
        """What the operand is."""
        if "MODEL" in self.synopsis:
            return "model"
        return "any" if re.search("FILE|TABLE", self.synopsis) else ""


def options_of(text):
    """Words, value and meaning of each line."""
    found = []
    for line in text.splitlines()[1:]:
        match = re.match(r"  (-\S+?)(?:, (--\S+))?(?: ([A-Z]\S*))?(?:  +(.*))?$", line)
        if not match:
            sys.exit(f"make_manual.py: no option: {line}")
        words = [word for word in match.groups()[:2] if word]
        found.append((words, match[3], match[4] or ""))
    return found


def ask(program, *arguments):
    done = subprocess.run([program, "help", *arguments], stdout=subprocess.PIPE, text=True,
                          encoding="utf-8", check=True)
    return done.stdout


def listed(overview, heading):
    """Names and purposes below a heading of the overview."""
    block = overview.split(f"{heading}:\n", 1)[1].split("\n\n", 1)[0]
    return [tuple(line.split(maxsplit=1)) for line in block.splitlines()]


# Manual pages, in the macros of man(7).

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"^([.])", r"\\&\1", text, flags=re.MULTILINE)


def head(name, section, purpose, version):
    title = roff(name.upper())
    return [f'.TH {title} {section} "" "Kalaba {version}" "Kalaba"',
            ".SH NAME", f"{roff(name)} \\- {roff(purpose)}"]


def prose(text):
    """Paragraphs as they are filled, indented lines as they stand."""
    lines = []
    for line in text.splitlines():
        plain = line.startswith("  ")
        if plain and lines[-1:] != [".nf"] and not (lines and lines[0] == ".nf"):
            lines.append(".nf")
        lines.append(roff(line))
    if ".nf" in lines:
        lines.append(".fi")
    return lines


def sections(parts):
    """Headings of their own for examples and statuses."""
    lines = [".SH DESCRIPTION"]
    for part in parts:
        for begin, heading in (("Examples:\n", "EXAMPLES"), ("Exit status: ", "EXIT STATUS")):
            if part.startswith(begin):
                lines.append(f".SH {heading}")
                part = part.removeprefix(begin)
                break
        else:
            lines.append(".PP")
        lines += prose(part)
    return lines


def command_page(command, version):
    lines = head(f"kalaba-{command.name}", 1, command.purpose, version)
    lines += [".SH SYNOPSIS", f".B {roff(command.synopsis)}"]
    lines += sections(command.parts)
    lines.append(".SH OPTIONS")
    for words, value, meaning in command.options:
        lines += [".TP", f".B {roff(', '.join(words))}{' ' + roff(value) if value else ''}",
                  roff(meaning)]
    return "\n".join([*lines, ".SH SEE ALSO", ".BR kalaba (1)", ""])


def topic_page(name, text, version):
    first, rest = text.split("\n\n", 1)
    lines = head(f"kalaba-{name}", 7, first.split(": ", 1)[1].rstrip("."), version)
    lines.append(".SH DESCRIPTION")
    for part in rest.rstrip("\n").split("\n\n"):
        lines += [".PP", *prose(part)]
    return "\n".join([*lines, ".SH SEE ALSO", ".BR kalaba (1)", ""])


def main_page(commands, topics, version):
    lines = head("kalaba", 1, "constrained mechanical motion", version)
    lines += [".SH SYNOPSIS", ".B kalaba", ".I COMMAND", "[arguments]", ".SH DESCRIPTION",
              "A mechanical system is written as text: coordinates, energies, forces, "
              "constraints.  Kalaba",
              "derives its equations and answers them with the Udwadia\\(enKalaba equation: "
              "motion, forces",
              "of constraint, equilibria, stability, and what is unique, redundant or conserved.",
              ".SH COMMANDS"]
    for command in commands:
        lines += [".TP", f".BR kalaba\\-{command.name} (1)", roff(command.purpose)]
    lines.append(".SH TOPICS")
    for name, purpose in topics:
        lines += [".TP", f".BR kalaba\\-{name} (7)", roff(purpose)]
    lines += [".SH EXIT STATUS", "0 done, 1 the model or its numbers are at fault, 2 wrong usage, "
              "130 interrupted.", ".SH ENVIRONMENT", ".TP", ".B KALABA_JIT=0",
              "formulas are interpreted, not compiled", ".TP", ".B NO_COLOR",
              "no colors in the terminal", ""]
    return "\n".join(lines)


# Completions.

def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def bash(commands, topics):
    names = " ".join([command.name for command in commands])
    lines = ["# Completion of kalaba for bash.", "_kalaba()", "{",
             "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}",
             "    local command=${COMP_WORDS[1]} options='' files=''",
             "    COMPREPLY=()",
             "    if ((COMP_CWORD == 1)); then",
             f"        mapfile -t COMPREPLY < <(compgen -W '{names} --help --version' -- \"$word\")",
             "        return", "    fi", "    case $command in"]
    for command in commands:
        words = " ".join(word for words, _, _ in command.options for word in words)
        if command.name == "help":
            words += " " + names + " " + " ".join(name for name, _ in topics)
        lines.append(f"        {command.name}) options='{words}' files={command.files or 'none'} ;;")
    lines += ["    esac", "    case $before in"]
    for option, words in WORDS.items():
        lines.append(f"        {option}) mapfile -t COMPREPLY < <(compgen -W '{' '.join(words)}'"
                     " -- \"$word\"); return ;;")
    taking = sorted({word for command in commands for words, value, _ in command.options
                     for word in words if value and value != "FILE" and word not in WORDS})
    filed = sorted({word for command in commands for words, value, _ in command.options
                    for word in words if value == "FILE"})
    lines += [f"        {'|'.join(filed)}) compopt -o filenames 2>/dev/null",
              "            mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;",
              f"        {'|'.join(taking)}) return ;;", "    esac",
              "    if [[ $word == -* ]]; then",
              "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")",
              "    elif [[ $command == help ]]; then",
              "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")",
              "    elif [[ $files == model ]]; then",
              "        compopt -o filenames 2>/dev/null",
              "        mapfile -t COMPREPLY < <(compgen -f -X '!*.kal' -- \"$word\"; "
              "compgen -d -- \"$word\")",
              "    elif [[ $files == any ]]; then",
              "        compopt -o filenames 2>/dev/null",
              "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")",
              "    fi", "}", "complete -F _kalaba kalaba", ""]
    return "\n".join(lines)


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_option(words, value, meaning):
    action = ""
    if value == "FILE":
        action = ":file:_files"
    elif words[-1] in WORDS:
        action = f":word:({' '.join(WORDS[words[-1]])})"
    elif value:
        action = f":{value.lower()}:"
    return [quoted(f"*{word}[{zsh_text(meaning)}]{action}") for word in words]


def zsh(commands, topics):
    lines = ["#compdef kalaba", "local -a commands topics", "commands=("]
    lines += [f"    {quoted(command.name + ':' + zsh_text(command.purpose))}" for command in commands]
    lines += [")", "topics=("]
    lines += [f"    {quoted(name + ':' + zsh_text(purpose))}" for name, purpose in topics]
    lines += [")", "if ((CURRENT == 2)); then", "    _describe command commands", "    return", "fi",
              "case $words[2] in"]
    files = {"model": "'*:model:_files -g \"*.kal\"'", "any": "'*:file:_files'"}
    for command in commands:
        lines.append(f"    {command.name})")
        if command.name == "help":
            lines.append("        _describe command commands; _describe topic topics ;;")
            continue
        options = [word for option in command.options for word in zsh_option(*option)]
        options += [files[command.files]] if command.files else []
        lines.append("        shift words; ((CURRENT--))")
        lines.append("        _arguments " + " \\\n            ".join(options) + " ;;")
    return "\n".join([*lines, "esac", ""])


def fish(commands, topics):
    first = "-n __fish_use_subcommand"
    lines = ["# Completion of kalaba for fish.", "complete -c kalaba -f"]
    for command in commands:
        within = f"-n '__fish_seen_subcommand_from {command.name}'"
        lines.append(f"complete -c kalaba {first} -a {command.name} -d {quoted(command.purpose)}")
        for words, value, meaning in command.options:
            flags = " ".join(f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}"
                             for word in words)
            chosen = WORDS.get(words[-1])
            more = f" -x -a {quoted(' '.join(chosen))}" if chosen else \
                " -r -F" if value == "FILE" else " -x" if value else ""
            lines.append(f"complete -c kalaba {within} {flags}{more} -d {quoted(meaning)}")
        if command.files:
            kind = "'(__fish_complete_suffix .kal)'" if command.files == "model" else None
            lines.append(f"complete -c kalaba {within} -a {kind}" if kind
                         else f"complete -c kalaba {within} -F")
    for name, purpose in [(command.name, command.purpose) for command in commands] + topics:
        lines.append("complete -c kalaba -n '__fish_seen_subcommand_from help' "
                     f"-a {name} -d {quoted(purpose)}")
    return "\n".join([*lines, ""])


def check_words(commands):
    """The words of options are those that the help tells."""
    told = {word: meaning for command in commands for words, _, meaning in command.options
            for word in words}
    for option, words in WORDS.items():
        for word in words:
            if not re.search(rf"\b{word}\b", told.get(option, "")):
                sys.exit(f"make_manual.py: the help of {option} does not tell of {word}")


def main():
    program, folder, made = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.split()[1]
    overview = ask(program)
    commands = [Help(name, ask(program, name)) for name, _ in listed(overview, "Commands")]
    topics = listed(overview, "Topics")
    check_words(commands)
    files = {"man/man1/kalaba.1": main_page(commands, topics, version),
             "bash-completion/completions/kalaba": bash(commands, topics),
             "zsh/site-functions/_kalaba": zsh(commands, topics),
             "fish/vendor_completions.d/kalaba.fish": fish(commands, topics)}
    for command in commands:
        files[f"man/man1/kalaba-{command.name}.1"] = command_page(command, version)
    for name, _ in topics:
        files[f"man/man7/kalaba-{name}.7"] = topic_page(name, ask(program, name), version)
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in files.items():
        path = folder / "share" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made.write_text("\n".join(sorted(files)) + "\n", encoding="utf-8")


main()
