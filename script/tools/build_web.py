#!/usr/bin/env python3
"""Make the page of reports: build_web.py WEB FOLDER OUTPUT

Installs the packages of WEB/package-lock.json in FOLDER, bundles the scripts and styles
of WEB/src/ with esbuild, puts them into report.html and writes that as an array in C.  The
page allows no script and no style but these, which it knows by their hashes.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from math_font import font_rule

LINE = 16 # bytes in a line of the array


def run(command, **more):
    """Run a command; what it says is shown if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n{' '.join(map(str, command))} failed; to build without "
                 "reports, configure with -Dweb=disabled")


def install(web, folder):
    """Install the packages of the lock file, unless that was done."""
    lock = (web / "package-lock.json").read_bytes()
    stamp = folder / "installed.txt"
    wanted = hashlib.sha256(lock).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(web / name, folder / name)
    run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"],
        cwd=folder)
    stamp.write_text(wanted)


def bundle(web, folder, name):
    """One file of src/ with all that it imports."""
    output = folder / "out" / name
    run(["node", folder / "node_modules/esbuild/bin/esbuild", web / "src" / name, "--bundle",
         "--minify", "--charset=utf8", "--format=iife", "--target=es2022",
         f"--outfile={output}"],
        env={**os.environ, "NODE_PATH": str(folder / "node_modules")})
    text = output.read_text().strip()
    for end in ("</script", "</style", "<!--"):
        if end in text.lower():
            sys.exit(f"{name}: the bundle has {end} in it")
    return text


def with_license(folder, script):
    """The script behind the license of the code of others in it."""
    license_text = (folder / "node_modules/uplot/LICENSE").read_text().strip()
    return f"/* uPlot is a part of this script.\n\n{license_text}\n*/\n{script}"


def hash_of(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def page_of(web, script, style):
    policy = (f"default-src 'none'; script-src {hash_of(script)}; "
              f"style-src {hash_of(style)}; font-src data:; base-uri 'none'; form-action 'none'")
    page = (web / "src/report.html").read_text()
    for gap, text in (
        ("policy", f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        ("style", f"<style>{style}</style>"),
        ("script", f"<script>{script}</script>"),
    ):
        mark = f"<!--build:{gap}-->"
        if page.count(mark) != 1:
            sys.exit(f"report.html: expected {mark} once")
        page = page.replace(mark, text)
    return page


def array_of(data):
    for at in range(0, len(data), LINE):
        yield "    " + " ".join(f"{byte}," for byte in data[at : at + LINE])


def main():
    web, folder, output = (Path(argument).resolve() for argument in sys.argv[1:4])
    install(web, folder)
    script = with_license(folder, bundle(web, folder, "main.js"))
    page = page_of(web, script, font_rule() + bundle(web, folder, "report.css"))
    lines = ["// Made by build_web.py.", "", '#include "report/report_impl.h"', "",
             "static const unsigned char PAGE[] = {", *array_of(page.encode() + b"\0"), "};",
             "", "const char *kal_report_template(size_t *out_length)", "{",
             "    *out_length = sizeof PAGE - 1;", "    return (const char *)PAGE;", "}", ""]
    output.write_text("\n".join(lines))


main()
