# SPDX-License-Identifier: MIT
"""How pip builds the package: meson-python's way, after the library has been built.

The library that pkg-config finds is taken if it is of this version; else the one that this
folder belongs to is built and put into a temporary place.
"""

import contextlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

import mesonpy
from mesonpy import (build_sdist, get_requires_for_build_sdist,  # noqa: F401  for pip
                     get_requires_for_build_wheel)

HERE = Path(__file__).resolve().parent


def _version():
    text = (HERE / "meson.build").read_text(encoding="utf-8")
    return re.search(r"version: '(.+?)'", text)[1]


def _is_installed():
    command = ["pkg-config", f"kalaba = {_version()}"]
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0


def _build(folder):
    """Build the library into a folder; returns where its description for pkg-config is."""
    build, stage = folder / "build", folder / "stage"
    subprocess.run(["meson", "setup", build, HERE.parent, "--buildtype=release",
                    f"--prefix={stage}", "--libdir=lib", "-Dpython=disabled"], check=True)
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


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Called by pip."""
    with _library():
        return mesonpy.build_wheel(wheel_directory, config_settings, metadata_directory)
