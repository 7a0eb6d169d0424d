#!/usr/bin/env python3
"""No module includes or calls what the table in docs/architecture.md does not allow it, and
the table allows nothing that is not used."""

import fnmatch
import re
import sys

from lint import Check, code_of, includes_of, line_of

TABLE = "docs/architecture.md"
HEADING = ["module", "may use", "external", "what it is"]
PUBLIC_ONLY = "public headers only"

# C17 and POSIX.1-2008: allowed everywhere.
SYSTEM = set("""
assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath
threads time uchar wchar wctype
aio arpa/inet cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen
monetary mqueue ndbm net/if netdb netinet/in netinet/tcp nl_types poll pthread pwd regex
sched search semaphore spawn strings stropts sys/ipc sys/mman sys/msg sys/resource
sys/select sys/sem sys/shm sys/socket sys/stat sys/statvfs sys/time sys/times sys/types
sys/uio sys/un sys/utsname sys/wait syslog tar termios trace ulimit unistd utime utmpx
wordexp
""".split())


class Module:
    def __init__(self, line, uses, external):
        self.line = line
        self.public_only = PUBLIC_ONLY in uses
        self.uses = re.findall(r"`(\w+)`", uses)
        self.external = re.findall(r"`([^`]+)`", external)


def read_table(check):
    """Name → Module, in the table's order."""
    modules = {}
    path = check.root / TABLE
    inside = False
    lines = path.read_text().splitlines() if path.is_file() else []
    for number, text in enumerate(lines, 1):
        cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
        if cells == HEADING:
            inside = True
        elif not text.strip().startswith("|"):
            inside = False
        elif inside and not set(text) <= set("|-: "):
            name = cells[0].strip("`")
            modules[name] = Module(number, cells[1], cells[2])
    if not modules:
        check.find(TABLE, 1, "no table | " + " | ".join(HEADING) + " |")
    return modules


def check_table(check, modules):
    """Rows and folders match, and a module uses only modules above it."""
    above = set()
    for name, module in modules.items():
        if not (check.root / "src" / name).is_dir():
            check.find(TABLE, module.line, f"module {name} has no folder src/{name}")
        for used in module.uses:
            if used not in above:
                check.find(TABLE, module.line, f"{name} uses {used}, which is not above it")
        above.add(name)
    for folder in sorted((check.root / "src").iterdir()):
        if folder.is_dir() and folder.name not in modules:
            check.find(TABLE, 1, f"folder src/{folder.name} is not in the table")


def owner_of(check, modules, header):
    """The module that a public header belongs to: that of its name, or one with a source
    file of it, or the lowest.  The one that includes all belongs to none."""
    stem = header[len("kalaba/"):].removesuffix(".h")
    if stem == "kalaba":
        return None
    if stem in modules:
        return stem
    for name in modules:
        if list((check.root / "src" / name).glob(stem + ".[ch]")):
            return name
    return next(iter(modules))


def fault_of_public(check, modules, name, header):
    """Why module `name` may not include the public header, or None."""
    if not (check.root / "include" / header).is_file():
        return f"there is no public header {header}"
    if modules[name].public_only:
        return None
    owner = owner_of(check, modules, header)
    if owner is None:
        return f"{header} belongs to no module; include the single headers"
    if owner != name and owner not in modules[name].uses:
        return f"{name} may not use {owner}, to which {header} belongs"
    return None


def fault_of_quoted(modules, name, header):
    target, _, rest = header.partition("/")
    if not rest and modules[name].public_only:
        return None # compiled without src/ in reach: its own folder is all there is
    if not rest:
        return f'write "{name}/{header}": internal includes name the module'
    if target == name:
        return None
    if modules[name].public_only:
        return f"{name} includes public headers and its own only"
    if target not in modules:
        return f"there is no module {target}"
    if target not in modules[name].uses:
        return f"{name} may not use {target}"
    if header.endswith("_impl.h"):
        return f"{header} is private to {target}"
    return None


def fault_of_system(modules, name, header):
    if header.removesuffix(".h") in SYSTEM:
        return None
    if any(fnmatch.fnmatch(header, allowed) for allowed in modules[name].external):
        return None
    return f"{name} may not use the external header <{header}>"


def check_file(check, modules, name, path):
    for line, kind, header in includes_of(path.read_text()):
        if kind == '"':
            fault = fault_of_quoted(modules, name, header)
        elif header.startswith("kalaba/"):
            fault = fault_of_public(check, modules, name, header)
        else:
            fault = fault_of_system(modules, name, header)
        if fault:
            check.find(path, line, fault)


CPLUSPLUS = re.compile(r"^#ifdef __cplusplus\n.*?^#endif", re.MULTILINE | re.DOTALL)


def declared_in(path):
    """The functions that a header declares: names before parentheses, outside of braces."""
    depth, outside = 0, []
    for letter in CPLUSPLUS.sub("", code_of(path.read_text())):
        depth += (letter == "{") - (letter == "}")
        outside.append(letter if depth == 0 else " ")
    return re.findall(r"\b(kal_\w+)\s*\(", "".join(outside))


def owners_of_functions(check, modules):
    """Function → the module whose headers declare it."""
    owners = {}
    for name in modules:
        for path in check.files(".h", under=(f"src/{name}",)):
            owners.update(dict.fromkeys(declared_in(path), name))
    for path in check.files(".h", under=("include/kalaba",)):
        owner = owner_of(check, modules, "kalaba/" + path.name)
        owners.update(dict.fromkeys(declared_in(path), owner))
    return owners


def check_calls(check, modules, name, path, owners):
    """The modules whose functions a file calls; each has to be allowed."""
    called = set()
    code = code_of(path.read_text())
    for match in re.finditer(r"\bkal_\w+", code):
        owner = owners.get(match.group(), name)
        if owner not in (name, *modules[name].uses):
            check.find(path, line_of(code, match.start()),
                       f"{name} may not use {owner}, to which {match.group()} belongs")
        called.add(owner)
    return called


def included_by(check, modules, path):
    """The modules whose headers a file includes."""
    return {owner_of(check, modules, header) if header.startswith("kalaba/")
            else header.partition("/")[0]
            for _, kind, header in includes_of(path.read_text())
            if kind == '"' or header.startswith("kalaba/")}


def check_uses(check, modules, name, owners):
    """A module calls what its row allows, and its row allows what it includes or calls."""
    used = set()
    for path in check.files(".c", ".h", ".def", under=(f"src/{name}",)):
        used |= included_by(check, modules, path)
        used |= check_calls(check, modules, name, path, owners)
    for other in modules[name].uses:
        if other not in used:
            check.find(TABLE, modules[name].line, f"{name} may use {other}, but does not")


def check_public_file(check, modules, path):
    """A public header keeps to what its module may use, and to public headers."""
    owner = owner_of(check, modules, "kalaba/" + path.name)
    for line, kind, header in includes_of(path.read_text()):
        fault = None
        if kind == '"':
            fault = "a public header includes <kalaba/…> and the C library only"
        elif not header.startswith("kalaba/"):
            if header.removesuffix(".h") not in SYSTEM:
                fault = f"a public header may not need <{header}>"
        elif owner:
            fault = fault_of_public(check, modules, owner, header)
        if fault:
            check.find(path, line, fault)


def check_examples(check):
    """Examples are users: they see the public headers and the C library."""
    for path in check.files(".c", ".h", under=("examples",)):
        for line, kind, header in includes_of(path.read_text()):
            if kind == '"' or not (header.startswith("kalaba/")
                                   or header.removesuffix(".h") in SYSTEM):
                check.find(path, line, f"an example may not include {header}")


def main():
    check = Check(sys.argv)
    modules = read_table(check)
    check_table(check, modules)
    owners = owners_of_functions(check, modules)
    files = 0
    for name in modules:
        for path in check.files(".c", ".h", ".def", under=(f"src/{name}",)):
            check_file(check, modules, name, path)
            files += 1
        if not modules[name].public_only:
            check_uses(check, modules, name, owners)
    for path in check.files(".h", under=("include/kalaba",)):
        check_public_file(check, modules, path)
        files += 1
    check_examples(check)
    check.finish(files, "files")


if __name__ == "__main__":
    main()
