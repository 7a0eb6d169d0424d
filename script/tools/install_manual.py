#!/usr/bin/env python3
"""Put manual pages and completions in place: install_manual.py FOLDER DATADIR

Meson runs it when it installs.  FOLDER is what make_manual.py made.
"""

import os
import shutil
import sys
from pathlib import Path

source = Path(sys.argv[1]) / "share"
target = Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"]) / sys.argv[2]
for path in sorted(source.rglob("*")):
    if path.is_file():
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        place.chmod(0o644)
