# SPDX-License-Identifier: MIT
"""How pip builds the package: meson-python's way, after the library has been built.

The library that pkg-config finds is taken if it is of this version; else the one that this
folder belongs to is built and put into a temporary place.

pip hides the packages that are installed from a build, and fetches what the build asks for.
Where meson-python and NumPy are installed, as Debian's packages for example, they are used and
nothing is asked for, so that `pip install ./python` needs no network.  The page of reports is made
with packages that npm fetches: those that `build/` has are taken, and where there are none and no
network, the library is built without the page, and `run.report()` says so.
"""

import contextlib
import hashlib
import importlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGES = Path("build", "src", "report", "web")  # packages of npm, after script/run
NEEDED = {"mesonpy": "meson-python", "numpy": "numpy"}


def _installed():
    """The folder of the packages that a build needs, where pip hides them; None if one is missing."""
    seen = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = f"import {', '.join(NEEDED)}; print(mesonpy.__file__)"
    found = subprocess.run([sys.executable, "-c", command], check=False, capture_output=True,
                           text=True, env=seen)
    return Path(found.stdout.strip()).parent.parent if found.returncode == 0 else None


def _mesonpy():
    """The module mesonpy; where pip hid it, it and meson see again what is installed."""
    if importlib.util.find_spec("mesonpy") is None:
        sys.path.append(str(_installed()))
        os.environ.pop("PYTHONPATH", None)
    return importlib.import_module("mesonpy")


def _version():
    text = (HERE / "meson.build").read_text(encoding="utf-8")
    return re.search(r"version: '(.+?)'", text)[1]


def _is_installed():
    command = ["pkg-config", f"kalaba = {_version()}"]
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0


def _lend_pages(build, root=HERE.parent):
    """Let a build use the packages for pages that the one in `build/` has, if they are the same."""
    wanted = hashlib.sha256((root / "web" / "package-lock.json").read_bytes()).hexdigest()
    there, here = root / PAGES, build / "src" / "report" / "web"
    stamp = there / "installed.txt"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        here.mkdir(parents=True, exist_ok=True)
        (here / "node_modules").symlink_to(there / "node_modules")
        (here / "installed.txt").write_text(wanted, encoding="utf-8")


def _build(folder):
    """Build the library into a folder; returns where its description for pkg-config is."""
    build, stage = folder / "build", folder / "stage"
    subprocess.run(["meson", "setup", build, HERE.parent, "--buildtype=release",
                    f"--prefix={stage}", "--libdir=lib", "-Dpython=disabled"], check=True)
    _lend_pages(build)
    if subprocess.run(["ninja", "-C", build, "src/report/report_page.c"], check=False).returncode:
        print("the page of reports cannot be made here: the package is built without it")
        subprocess.run(["meson", "configure", build, "-Dweb=disabled"], check=True)
    subprocess.run(["ninja", "-C", build, "src/libkalaba.a"], check=True)
    subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--tags", "devel"],
                   check=True)
    return stage / "lib" / "pkgconfig"


@contextlib.contextmanager
def _library():
    if _is_installed():
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("PKG_CONFIG_PATH")
        place = str(_build(Path(folder)))
        os.environ["PKG_CONFIG_PATH"] = f"{place}:{before}" if before else place
        try:
            yield
        finally:
            os.environ["PKG_CONFIG_PATH"] = before or ""


def get_requires_for_build_wheel(config_settings=None):
    """Called by pip: what it shall fetch for the build."""
    return [] if _installed() else list(NEEDED.values())


def get_requires_for_build_sdist(config_settings=None):
    """Called by pip."""
    return get_requires_for_build_wheel(config_settings)


def build_sdist(sdist_directory, config_settings=None):
    """Called by pip."""
    return _mesonpy().build_sdist(sdist_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Called by pip."""
    mesonpy = _mesonpy()
    with _library():
        return mesonpy.build_wheel(wheel_directory, config_settings, metadata_directory)
