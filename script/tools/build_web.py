#!/usr/bin/env python3
"""Make the pages of reports and of the studio: build_web.py WEB FOLDER REPORT STUDIO SWEEP

Installs the packages of WEB/package-lock.json in FOLDER, bundles the scripts and styles
of WEB/src/ with esbuild, puts them into report.html, studio.html and sweep.html and writes
these as arrays in C.  A page allows no script and no style but its own, which it knows by their
hashes; that of the studio may also ask its server, and its editor makes styles, known by a
word that the server chooses anew each time.
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
REPORT_PARTS = ["uplot"]
STUDIO_PARTS = ["uplot", *("@codemirror/" + name for name in (
    "autocomplete", "commands", "language", "lint", "search", "state", "view")),
    "@lezer/common", "@lezer/highlight", "@lezer/lr", "@marijn/find-cluster-break", "crelt",
    "style-mod", "w3c-keyname"]
STUDIO_MORE = (" 'nonce-<!--kalaba:nonce-->'; connect-src 'self'; img-src data: blob:")


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


def with_licenses(folder, script, packages):
    """The script behind the licenses of the code of others in it."""
    texts = []
    for name in packages:
        text = (folder / "node_modules" / name / "LICENSE").read_text().strip()
        texts.append(f"{name} is a part of this script.\n\n{text}\n")
    return "/* " + "\n".join(texts).replace("*/", "* /") + f"*/\n{script}"


def hash_of(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def page_of(web, name, parts, more):
    script, style = parts
    policy = (f"default-src 'none'; script-src {hash_of(script)}; "
              f"style-src {hash_of(style)}{more}; font-src data:; base-uri 'none'; "
              "form-action 'none'")
    page = (web / "src" / name).read_text()
    for gap, text in (
        ("policy", f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        ("style", f"<style>{style}</style>"),
        ("script", f"<script>{script}</script>"),
    ):
        mark = f"<!--build:{gap}-->"
        if page.count(mark) != 1:
            sys.exit(f"{name}: expected {mark} once")
        page = page.replace(mark, text)
    return page


def array_of(data):
    for at in range(0, len(data), LINE):
        yield "    " + " ".join(f"{byte}," for byte in data[at : at + LINE])


def write_page(output, header, function, page):
    lines = ["// Made by build_web.py.", "", f'#include "{header}"', "",
             "static const unsigned char PAGE[] = {", *array_of(page.encode() + b"\0"), "};",
             "", f"const char *{function}(size_t *out_length)", "{",
             "    *out_length = sizeof PAGE - 1;", "    return (const char *)PAGE;", "}", ""]
    output.write_text("\n".join(lines))


def main():
    web, folder, report, studio, sweep = (
        Path(argument).resolve() for argument in sys.argv[1:6])
    install(web, folder)
    script = with_licenses(folder, bundle(web, folder, "main.js"), REPORT_PARTS)
    style = font_rule() + bundle(web, folder, "report.css")
    write_page(report, "report/report_impl.h", "kal_report_template",
               page_of(web, "report.html", (script, style), ""))
    script = with_licenses(folder, bundle(web, folder, "studio.js"), STUDIO_PARTS)
    style = font_rule() + bundle(web, folder, "studio.css")
    write_page(studio, "studio/studio_impl.h", "kal_studio_page",
               page_of(web, "studio.html", (script, style), STUDIO_MORE))
    style = bundle(web, folder, "sweep.css")
    write_page(sweep, "report/report_impl.h", "kal_report_sweep_template",
               page_of(web, "sweep.html", (bundle(web, folder, "sweep.js"), style), ""))


main()
