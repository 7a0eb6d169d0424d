#!/usr/bin/env python3
"""Pictures of motion for docs/gallery.md: make_gallery.py PROGRAM ROOT FOLDER

Runs the examples that the page shows, takes from their reports what the models draw, and draws
it as SVG at several instants, the later the darker.  What lies in space is seen from the side
and a little from above.  The same runs give the same bytes, but for rounding.
"""

import base64
import json
import math
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

# What is shown: the options of its run, and how many instants.
SHOWN = {
    "triple_pendulum": (["--until", "1"], 12),
    "slider_crank": (["--until", "2.2"], 7),
    "four_bar_angle": (["--until", "1"], 10),
    "squeezer": ([], 5),
    "sleigh": (["--until", "4"], 14),
    "kinematic_snake": ([], 9),
    "roller_racer": ([], 9),
    "rolling_disc": (["--until", "6"], 12),
    "spinning_top": (["--until", "0.7"], 8),
    "suspended_body": (["--until", "1.5"], 5),
    "pendulum_chain": (["--until", "1"], 7),
    "net": (["--until", "0.6"], 3),
    "catenary_let_go": ([], 9),
}
WIDTH, HEIGHT, MARGIN = 480, 300, 18
AZIMUTH, ELEVATION = math.radians(-60), math.radians(20)
COLORS = ["#1f66c1", "#d9480f", "#17803d", "#8b3fc7", "#a86b00", "#0b7f8c"]
PATH_POINTS = 400


def run_of(program, model, options):
    """The data of a report."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        subprocess.run([program, "run", model, "--report", page, "-q", *options], check=True,
                       stdout=subprocess.DEVNULL)
        text = page.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(data[1])


def numbers_of(column, rows):
    if isinstance(column["values"], str):
        return struct.unpack(f"<{rows}d", base64.b64decode(column["values"]))
    return [column["values"]] * rows


def flat(point):
    """Where a point is seen."""
    if len(point) == 2:
        return point[0], point[1]
    x, y, z = point
    aside = x * math.cos(AZIMUTH) + y * math.sin(AZIMUTH)
    away = -x * math.sin(AZIMUTH) + y * math.cos(AZIMUTH)
    return aside, z * math.cos(ELEVATION) + away * math.sin(ELEVATION)


class Picture:
    """Shapes of a run at any row, as lists of points and circles."""

    def __init__(self, run):
        self.run = run
        self.columns = [numbers_of(column, run["rows"]) for column in run["columns"]]

    def value(self, index, row):
        return self.columns[index][row]

    def points(self, drawing, row):
        return [tuple(self.value(i, row) for i in point) for point in drawing["points"]]

    def is_there(self, drawing, row):
        """What was released, say, is not drawn."""
        return all(value is not None and math.isfinite(value)
                   for point in self.points(drawing, row) for value in point)

    def corners(self, drawing, row):
        """Of a box, turned about its middle."""
        at = self.points(drawing, row)[0]
        half = [self.value(i, row) / 2 for i in drawing["size"]]
        turn = self.value(drawing["angle"], row) if drawing.get("angle") is not None else 0.0
        signs = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]
        moved = [(sx * half[0] * math.cos(turn) - sy * half[1] * math.sin(turn),
                  sx * half[0] * math.sin(turn) + sy * half[1] * math.cos(turn))
                 for sx, sy in signs]
        return [(at[0] + dx, at[1] + dy, *at[2:]) for dx, dy in moved]

    def shapes(self, row):
        """Kind, color, seen points and radius of each."""
        for number, drawing in enumerate(self.run["drawings"]):
            color = COLORS[number % len(COLORS)]
            kind = drawing["shape"]
            if kind == "path" or not self.is_there(drawing, row):
                continue
            if kind == "box":
                yield "line", color, [flat(p) for p in self.corners(drawing, row)], 0.0
            else:
                points = [flat(p) for p in self.points(drawing, row)]
                radius = abs(self.value(drawing["size"][0], row)) if kind == "circle" else 0.0
                yield ("circle" if kind == "circle" else "line"), color, points, radius

    def paths(self, rows):
        step = max(1, rows // PATH_POINTS)
        for drawing in self.run["drawings"]:
            if drawing["shape"] == "path":
                yield [flat(self.points(drawing, row)[0]) for row in range(0, rows, step)]


class View:
    """From the units of a model to those of the picture."""

    def __init__(self, points):
        xs, ys = zip(*points)
        size = max((max(xs) - min(xs)) / (WIDTH - 2 * MARGIN),
                   (max(ys) - min(ys)) / (HEIGHT - 2 * MARGIN), 1e-9)
        self.scale = 1 / size
        self.x = (max(xs) + min(xs)) / 2
        self.y = (max(ys) + min(ys)) / 2

    def place(self, point):
        return (f"{WIDTH / 2 + (point[0] - self.x) * self.scale:.1f},"
                f"{HEIGHT / 2 - (point[1] - self.y) * self.scale:.1f}")

    def line(self, points, style):
        return f'<polyline points="{" ".join(map(self.place, points))}" {style}/>'

    def circle(self, point, radius, style):
        x, y = self.place(point).split(",")
        return f'<circle cx="{x}" cy="{y}" r="{max(2.0, radius * self.scale):.1f}" {style}/>'


def extent_of(shapes, paths):
    """Points that have to be in view."""
    points = [point for path in paths for point in path]
    for _, _, seen, radius in shapes:
        points += [(x + dx, y + dy) for x, y in seen
                   for dx, dy in ((-radius, -radius), (radius, radius))]
    return points


def draw(run, instants):
    picture = Picture(run)
    rows = run["rows"]
    chosen = [round(i * (rows - 1) / (instants - 1)) for i in range(instants)]
    paths = list(picture.paths(rows))
    frames = [list(picture.shapes(row)) for row in chosen]
    view = View(extent_of([shape for frame in frames for shape in frame], paths))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
             f"<title>{run['title'].replace('&', '&amp;').replace('<', '&lt;')}</title>",
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
    for path in paths:
        parts.append(view.line(path, 'fill="none" stroke="#9aa3b2" stroke-width="1"'))
    for number, frame in enumerate(frames):
        dark = 0.15 + 0.85 * (number / (len(frames) - 1)) ** 2
        for kind, color, points, radius in frame:
            style = (f'fill="none" stroke="{color}" stroke-width="2" stroke-linejoin="round" '
                     f'opacity="{dark:.2f}"')
            parts.append(view.circle(points[0], radius, style) if kind == "circle"
                         else view.line(points, style))
    return "\n".join([*parts, "</svg>", ""])


def main():
    program, root, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (options, instants) in SHOWN.items():
        run = run_of(program, root / f"examples/{name}.kal", options)
        (folder / f"{name}.svg").write_text(draw(run, instants), encoding="utf-8")


main()
