#!/usr/bin/env python3
"""Figures from outside: test_plot.py PROGRAM ROOT

What `plot` draws is where the numbers say it is; files are what they are called; a
terminal gets what it can show.
"""

import math
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zlib
from pathlib import Path

from model_lab import EXAMPLES, HANG, PROGRAM, case, main

SVG = "{http://www.w3.org/2000/svg}"
TEXT = "rgb(0%,0%,0%)"
BLUE = "rgb(0%,44.705882%,69.803922%)"
VERMILION = "rgb(83.529412%,36.862745%,0%)"
GRID = "rgb(88.627451%,88.627451%,88.627451%)"


def plot(*arguments, **environment):
    given = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80", **environment}
    done = subprocess.run([PROGRAM, "plot", *map(str, arguments)], capture_output=True,
                          text=True, timeout=HANG, check=False, env=given)
    return done.returncode, done.stdout, done.stderr


class Folder:
    """A folder that goes away, with a table t, x, y in it: a circle of radius 3 around
    (1, 2), and a line."""

    ROWS = 101

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = Path(self.temporary.name)
        self.rows = []
        for i in range(self.ROWS):
            t = 10 * i / (self.ROWS - 1)
            turn = 2 * math.pi * t / 10
            self.rows.append((t, 1 + 3 * math.cos(turn), 2 + 3 * math.sin(turn), 5 * t))
        self.write("out.csv", "t,x,y,speed'", self.rows, "# units: s,m,m,m/s\n")
        return self

    def write(self, name, head, rows, before=""):
        lines = [",".join(repr(value) for value in row) for row in rows]
        self.file(name).write_text(before + head + "\n" + "\n".join(lines) + "\n")

    def file(self, name):
        return self.path / name

    def draw(self, *arguments, name="fig.svg"):
        """The elements of an SVG."""
        status, out, err = plot(self.file("out.csv"), "-o", self.file(name), *arguments)
        assert (status, out, err) == (0, "", ""), (status, out, err)
        return xml.parse(self.file(name)).getroot()

    def __exit__(self, *error):
        self.temporary.cleanup()


def points_of(path):
    """Stretches of points of a path of lines."""
    stretches = []
    for command, x, y in re.findall(r"([ML]) (\S+) (\S+)", path.get("d")):
        if command == "M":
            stretches.append([])
        stretches[-1].append((float(x), float(y)))
    return stretches


def strokes(svg, color):
    return [path for path in svg.iter(SVG + "path")
            if f"stroke:{color}" in path.get("style", "")]


def frames(svg):
    """Corners (left, top, right, bottom) of the panels."""
    found = []
    for path in strokes(svg, TEXT):
        stretches = points_of(path)
        if len(stretches) == 1 and len(stretches[0]) == 6:
            xs, ys = zip(*stretches[0])
            found.append((min(xs), min(ys), max(xs), max(ys)))
    return found


def curves(svg, color=BLUE):
    """Paths within the panels; the sample beside a name is right of them."""
    right = frames(svg)[0][2]
    return [path for path in strokes(svg, color)
            if points_of(path)[0][0][0] <= right + 0.01]


def close(got, want, tolerance):
    assert abs(got - want) <= tolerance, (got, want, tolerance)


def distance(point, stretch):
    least = math.inf
    for a, b in zip(stretch, stretch[1:]):
        dx, dy = b[0] - a[0], b[1] - a[1]
        square = dx * dx + dy * dy
        part = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / square if square else 0
        part = min(max(part, 0), 1)
        least = min(least, math.hypot(point[0] - a[0] - part * dx,
                                      point[1] - a[1] - part * dy))
    return least


@case
def curves_go_through_the_numbers():
    with Folder() as folder:
        svg = folder.draw("--y", "x", "--y", "speed'")
        panels = frames(svg)
        drawn = curves(svg)
        assert len(panels) == 2 and len(drawn) == 2, (panels, drawn)
        for (left, top, right, bottom), path, k in zip(panels, drawn, (1, 3)):
            values = [row[k] for row in folder.rows]
            low, high = min(values), max(values)
            margin = 0.05 * (high - low)
            [stretch] = points_of(path)
            for row in folder.rows:
                x = left + (right - left) * row[0] / 10
                y = bottom - (bottom - top) * (row[k] - low + margin) / (
                    high - low + 2 * margin)
                assert distance((x, y), stretch) < 0.1, (x, y)


@case
def equal_axes_make_a_circle():
    with Folder() as folder:
        svg = folder.draw("--x", "x", "--y", "y", "--equal", "--size", "150x60")
        [path] = curves(svg)
        [stretch] = points_of(path)
        xs, ys = zip(*stretch)
        close(max(xs) - min(xs), max(ys) - min(ys), 0.3)


@case
def a_part_of_the_time_is_drawn():
    with Folder() as folder:
        svg = folder.draw("--y", "x", "--between", "2..4.5")
        [(left, _, right, _)] = frames(svg)
        [stretch] = points_of(curves(svg)[0])
        close(stretch[0][0], left, 0.02)
        close(stretch[-1][0], right, 0.02)
        # A cosine does not turn between 0 and pi.
        ys = [y for _, y in stretch]
        assert ys == sorted(ys), ys
        svg = folder.draw("--x", "x", "--y", "y", "--equal", "--between", "..5")
        xs, ys = zip(*points_of(curves(svg)[0])[0])
        close(max(xs) - min(xs), 2 * (max(ys) - min(ys)), 0.3)  # half a circle


@case
def logarithmic_axes_make_powers_straight():
    with Folder() as folder:
        folder.write("out.csv", "t,x", [(10 ** (i / 10), 10 ** (i / 5)) for i in range(41)])
        svg = folder.draw("--log", "xy")
        [path] = curves(svg)
        assert len(points_of(path)[0]) == 2, points_of(path)


@case
def a_panel_has_a_curve_for_each_column():
    with Folder() as folder:
        svg = folder.draw("--y", "x, y")
        assert len(frames(svg)) == 1
        assert len(strokes(svg, BLUE)) == 2      # the curve and its sample
        assert len(strokes(svg, VERMILION)) == 2
        assert all("stroke-dasharray" in path.get("style")
                   for path in strokes(svg, VERMILION))


@case
def names_may_hold_stars_and_commas_in_brackets():
    with Folder() as folder:
        folder.write("out.csv", '"t","a[1,2]","a[2,2]"', [(0, 1, 2), (1, 2, 1)])
        svg = folder.draw("--y", "a[1,2]", "--y", "a[?,2]")
        assert len(frames(svg)) == 2
        assert len(strokes(svg, VERMILION)) == 2


@case
def gaps_points_and_constants_are_drawn():
    with Folder() as folder:
        nan, inf = math.nan, math.inf
        rows = [(0, 1, 5, nan), (1, 2, 5, nan), (2, nan, 5, 7), (3, inf, 5, nan),
                (4, 3, 5, nan), (5, 4, 5, -inf)]
        folder.write("out.csv", "t,gap,same,one", rows)
        svg = folder.draw("--y", "gap", "--y", "same", "--y", "one")
        drawn = curves(svg)
        assert [len(points_of(path)) for path in drawn] == [2, 1], drawn
        dots = [path for path in svg.iter(SVG + "path")
                if f"fill:{BLUE}" in path.get("style", "")]
        assert len(dots) == 1, dots


@case
def a_million_rows_make_a_small_file():
    with Folder() as folder:
        with folder.file("out.csv").open("w") as out:
            out.write("t,x\n")
            for i in range(300000):
                out.write(f"{i},{(i * 7919) % 1000}\n")
            out.write("300000,5000\n")
        svg = folder.draw()
        assert folder.file("fig.svg").stat().st_size < 300000
        [(_, top, _, bottom)] = frames(svg)
        [path] = curves(svg)
        highest = min(y for stretch in points_of(path) for _, y in stretch)
        close(highest, top + (bottom - top) * 0.05 / 1.1, 0.1)


@case
def an_svg_follows_the_page():
    with Folder() as folder:
        text = xml.tostring(folder.draw(), encoding="unicode")
        assert "prefers-color-scheme:dark" in text
        assert "width=\"100%\"" not in text
        svg = folder.draw("--theme", "dark")
        assert not strokes(svg, BLUE) and not list(svg.iter(SVG + "style"))
        svg = folder.draw("--theme", "light")
        assert strokes(svg, BLUE) and not list(svg.iter(SVG + "style"))


@case
def a_title_is_data_not_markup():
    with Folder() as folder:
        svg = folder.draw("--title", "</svg><script>x & \x1b[2J")
        assert svg.find(SVG + "title").text == "</svg><script>x & \\u{1b}[2J"
        assert not list(svg.iter(SVG + "script"))


@case
def hostile_names_are_data_too():
    with Folder() as folder:
        folder.write("out.csv", '"t","<b>&\u009b31m\u202e"', [(0, 1), (1, 2)])
        folder.draw()
        status, out, err = plot(folder.file("out.csv"))
        assert (status, err) == (0, "") and "<b>&\\u{9b}31m\\u{202e}" in out, out


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8:at + 16])
        if kind == b"IDAT":
            pixels += data[at + 8:at + 8 + length]
        at += 12 + length
    assert len(set(zlib.decompress(pixels))) > 10  # something is drawn
    return width, height


@case
def a_png_has_the_size_that_was_asked_for():
    with Folder() as folder:
        for size, want in ("800x500px", (800, 500)), ("50.8x25.4", (600, 300)), \
                ("2x1in", (600, 300)), ("5.08x2.54cm", (600, 300)):
            status, _, err = plot(folder.file("out.csv"), "-o", folder.file("f.png"),
                                  "--size", size)
            assert status == 0, err
            assert png_size(folder.file("f.png")) == want, size


@case
def a_pdf_is_one():
    with Folder() as folder:
        status, _, err = plot(folder.file("out.csv"), "-o", folder.file("f.PDF"),
                              "--title", "Circle")
        assert status == 0, err
        data = folder.file("f.PDF").read_bytes()
        assert data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF")
        assert b"(Circle)" in data
        assert list(folder.path.glob("*.part")) == []


@case
def tables_of_a_run_are_drawn():
    with Folder() as folder:
        for ending in "csv", "h5":
            table = folder.file(f"run.{ending}")
            run = subprocess.run([PROGRAM, "run", EXAMPLES / "pendulum.kal", "-q", "-o",
                                  table, "--units", "file"], check=False)
            assert run.returncode == 0
            status, out, err = plot(table)
            assert (status, err) == (0, ""), err
            assert "θ [rad]" in out and "θ′ [rad/s]" in out and "t [s]" in out, out


@case
def mistakes_are_explained():
    with Folder() as folder:
        table = folder.file("out.csv")
        figure = folder.file("fig.svg")
        for arguments, code, part in (
                ([], 2, "which table?"),
                ([folder.file("none.csv")], 1, "none.csv: there is no such file"),
                ([folder.file("out.mat")], 1, "ends with .csv, .h5 or .hdf5"),
                ([table, "--y", "z*"], 1, f"{table}: no column is called 'z*'; there are"),
                ([table, "--x", "spee"], 1, "did you mean 'speed''?"),
                ([table, "--y", "x,,y"], 2, "'--y' takes up to"),
                ([table, "-o", folder.file("f.gif")], 1, ".svg, .pdf or .png"),
                ([table, "-o", figure, "--size", "9"], 2, "takes a width and a height"),
                ([table, "-o", figure, "--size", "1x1"], 1, "expected 20 to 2000 mm"),
                ([table, "-o", figure, "--size", "-5x9in"], 2, "takes a width and"),
                ([table, "--log", "w"], 2, "'--log' takes x, y, z or several"),
                ([table, "--kind", "pie"], 2, "takes lines, scatter, bands, histogram or"),
                ([table, "--kind", "lines", "--z", "x"], 2, "'--z' is for maps"),
                ([table, "--kind", "map"], 1, "a map needs two columns"),
                ([table, "--kind", "map", "--y", "x", "--y", "y"], 2, "'--y' once"),
                ([table, "--kind", "bands"], 1, "bands need a column for the x axis"),
                ([table, "--kind", "bands", "--x", "q"], 1, "no column is called 'q'"),
                ([table, "--between", "5"], 2, "'--between' takes two numbers"),
                ([table, "--between", "11.."], 1, "no row has t from 11 to inf"),
                ([table, "--theme", "blue"], 2, "auto, light or dark"),
                ([table, "--equal", "--log", "x"], 1, "cannot be logarithmic"),
                ([table, "-o", folder.file("no/f.svg")], 1, "the folder does not exist"),
        ):
            status, out, err = plot(*arguments)
            assert status == code and part in err and out == "", (arguments, status, err)
        assert not figure.exists()
        folder.write("out.csv", "t,x", [])
        status, _, err = plot(table)
        assert status == 1 and "no rows" in err, err


@case
def what_is_left_out_is_said():
    with Folder() as folder:
        names = ["t"] + [f"c{i}" for i in range(9)]
        folder.write("out.csv", ",".join(names), [range(10), range(10, 20)])
        status, _, err = plot(folder.file("out.csv"))
        assert status == 0 and "showing c0, c1, c2, c3, c4, c5; 3 more columns" in err, err
        assert plot(folder.file("out.csv"), "-q")[2] == ""
        folder.write("out.csv", "t,x", [(0, -1), (1, -2)])
        status, _, err = plot(folder.file("out.csv"), "--log", "y")
        assert status == 0 and "warning: x has no value" in err, err


@case
def a_terminal_plot_has_its_shape():
    with Folder() as folder:
        table = folder.file("out.csv")
        status, out, _ = plot(table, "--y", "x", COLUMNS="60")
        lines = out.splitlines()
        assert status == 0 and all(len(line) <= 60 for line in lines)
        assert lines[0].strip() == "x [m]" and lines[-1].strip() == "t [s]", lines
        assert re.search("[\u2801-\u28ff]", out) and "\x1b" not in out
        # One cosine: at its lowest in the middle.
        low = re.search("[┤│]([^\u2801-\u28ff]*)", lines[-4]).group(1)
        assert 20 < len(low) < 40, lines
        status, out, _ = plot(table, LC_ALL="C")
        assert status == 0 and out.isascii() and "* x" in out and "+ y" in out, out


def on_terminal(*arguments, **environment):
    """What a terminal of 70 columns is given."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update({"LC_ALL": "C.UTF-8", **environment})
        subprocess.run(["stty", "cols", "70", "rows", "30"], check=False)
        os.execv(PROGRAM, [PROGRAM, "plot", *map(str, arguments)])
    out = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, out
    return out.decode()


@case
def a_terminal_has_color_unless_it_is_not_wanted():
    with Folder() as folder:
        table = folder.file("out.csv")
        out = on_terminal(table, "--y", "x,y", NO_COLOR="")
        assert "\x1b[36m" in out and "\x1b[31m" in out
        plain = re.sub("\x1b\\[[0-9]*m", "", out).replace("\r", "")
        assert "\x1b" not in plain
        assert max(map(len, plain.splitlines())) == 70
        assert len(plain.splitlines()) <= 29
        assert "\x1b" not in on_terminal(table, "--y", "x,y", NO_COLOR="1")


@case
def a_file_and_a_terminal_can_be_had_together():
    with Folder() as folder:
        status, out, err = plot(folder.file("out.csv"), "-o", folder.file("f.svg"),
                                "--terminal")
        assert status == 0 and "t [s]" in out and folder.file("f.svg").exists(), err


@case
def marks_are_where_the_numbers_say():
    with Folder() as folder:
        folder.write("rest.csv", "x,y,stability", [(8, 2, 1), (1, 2, 0), (1, 9, -1)])
        svg = folder.draw("--x", "x", "--y", "y", "--marks", folder.file("rest.csv"))
        [(left, top, right, bottom)] = frames(svg)
        wide, high = 1.1 * 10, 1.1 * 10  # x from -2 to 8, y from -1 to 9, and margins
        def place(x, y):
            return (left + (right - left) * (x + 2 + 0.05 * 10) / wide,
                    bottom - (bottom - top) * (y + 1 + 0.05 * 10) / high)
        rings = [points_of(path)[0] for path in strokes(svg, TEXT)
                 if len(points_of(path)[0]) > 20]
        assert len(rings) == 2
        for ring, mark in zip(rings, ((1, 2), (1, 9))):
            xs, ys = zip(*ring)
            want = place(*mark)
            close((min(xs) + max(xs)) / 2, want[0], 0.05)
            close((min(ys) + max(ys)) / 2, want[1], 0.05)
        filled = [path for path in svg.iter(SVG + "path")
                  if f"fill:{TEXT}" in path.get("style", "") and " C " in path.get("d")]
        assert len(filled) == 2, len(filled)


@case
def marks_need_their_columns_and_a_file():
    with Folder() as folder:
        folder.write("rest.csv", "x,stability", [(8, 1)])
        status, _, err = plot(folder.file("out.csv"), "--x", "x", "--y", "y", "--marks",
                              folder.file("rest.csv"), "-o", folder.file("f.svg"))
        assert status == 1 and "marks are a table" in err and not folder.file("f.svg").exists()
        status, _, err = plot(folder.file("out.csv"), "--marks", folder.file("rest.csv"))
        assert status == 2 and "'-o'" in err


@case
def a_family_is_several_curves():
    with Folder() as folder:
        rows = [(t, (run - 2) * t, run) for run in (1, 2, 3) for t in (0, 1, 2)]
        folder.write("out.csv", "t,x,run", rows)
        [path] = curves(folder.draw("--y", "x"))
        assert [len(stretch) for stretch in points_of(path)] == [2, 2, 2]

@case
def many_short_runs_make_a_small_file():
    with Folder() as folder:
        folder.write("out.csv", "t,x,run", [(i % 100, i % 37, i) for i in range(60000)])
        folder.draw("--y", "x")
        # 3700 places, each drawn once
        assert folder.file("fig.svg").stat().st_size < 2e6


# ---- tables of sweeps


def grid(folder, many=7):
    """A sweep of a grid a = 1 .. 4, b = 0 .. many - 1 with final(x) = 10 a + b."""
    rows = [(a * many + b + 1, a + 1, b, 10 * (a + 1) + b, 3)
            for a in range(4) for b in range(many)]
    folder.write("out.csv", "run,a,b,final(x),max(y)", rows, "# units: ,m,s,kg,\n")
    return rows


@case
def a_grid_of_two_inputs_is_a_map():
    with Folder() as folder:
        grid(folder)
        status, _, err = plot(folder.file("out.csv"), "-o", folder.file("fig.svg"))
        assert status == 0 and "showing a map over a and b" in err, err
        svg = xml.parse(folder.file("fig.svg")).getroot()
        assert len(list(svg.iter(SVG + "image"))) == 2  # the map and its colors
        status, out, err = plot(folder.file("out.csv"), "-q")
        assert (status, err) == (0, "") and "final(x) [kg]: 10 ·░▒▓█ 46" in out, out
        rows = [line.split("│")[-1].split("┤")[-1] for line in out.splitlines()[2:-3]]
        # a = 1 has 10 … 16, a = 2 has 20 … 26, a = 4 has 40 … 46 of 10 … 46
        assert [rows[0][k] for k in (0, 25, -1)] == ["·", "▒", "█"], rows
        assert [rows[-1][k] for k in (0, 25, -1)] == ["·", "░", "█"], rows


@case
def one_input_has_a_curve_and_bands_around_it():
    with Folder() as folder:
        rows = [(i + 1, i // 5, i, (i // 5) + i % 5) for i in range(30)]
        folder.write("out.csv", "run,a,k,final(x)", rows)
        svg = folder.draw("-q")
        [(left, top, right, bottom)] = frames(svg)
        [median] = curves(svg)
        [stretch] = points_of(median)
        # Medians a + 2; the axis holds the quantiles of 5 and 95 %, 0.2 … 8.8, and a margin.
        low, high = 0.2 - 0.05 * 8.6, 8.8 + 0.05 * 8.6
        for a in range(6):
            x = left + (right - left) * a / 5
            y = bottom - (bottom - top) * (a + 2 - low) / (high - low)
            assert distance((x, y), stretch) < 0.1, (a, stretch)
        areas = [path for path in svg.iter(SVG + "path")
                 if f"fill:{BLUE}" in path.get("style", "")]
        assert len(areas) == 2, areas
        folder.write("out.csv", "run,a,final(x)", [(i, i, i * i) for i in range(9)])
        assert len(curves(folder.draw("-q"))) == 1


@case
def random_inputs_make_a_histogram():
    with Folder() as folder:
        rows = [(i + 1, math.sqrt(i), i ** (1 / 3), i % 10) for i in range(1000)]
        folder.write("out.csv", "run,a,k,final(x)", rows)
        status, out, err = plot(folder.file("out.csv"))
        assert status == 0 and "showing a histogram" in err and "runs" in out, (out, err)
        svg = folder.draw("--kind", "histogram", "--y", "final(x)")
        [(_, top, _, bottom)] = frames(svg)
        [stairs] = curves(svg)
        highest = min(y for stretch in points_of(stairs) for _, y in stretch)
        close(highest, bottom - (bottom - top) * 100 / 105, 0.1)


@case
def dots_are_where_the_numbers_say():
    with Folder() as folder:
        rows = grid(folder)
        svg = folder.draw("--kind", "scatter", "--x", "b", "--y", "final(x)")
        [(left, top, right, bottom)] = frames(svg)
        [path] = curves(svg)
        spots = {(round(x, 1), round(y, 1)) for [(x, y), _] in points_of(path)}
        assert len(spots) == len(rows)
        for _, _, b, x, _ in rows:
            place = (left + (right - left) * (b / 6 + 0.05) / 1.1,
                     bottom - (bottom - top) * ((x - 10) / 36 + 0.05) / 1.1)
            assert min(math.dist(place, spot) for spot in spots) < 0.2, place


@case
def many_rows_of_a_sweep_make_a_small_file():
    with Folder() as folder:
        with folder.file("out.csv").open("w") as out:
            out.write("run,a,b,final(x)\n")
            for i in range(200000):
                out.write(f"{i + 1},{i * 7919 % 200003},{i * 104729 % 200003},{i % 997}\n")
        for kind in ("map", "bands", "histogram", "scatter"):
            folder.draw("-q", "--kind", kind, "--x", "a",
                        "--y", "b" if kind == "map" else "final(x)")
            assert folder.file("fig.svg").stat().st_size < 6e6, kind


if __name__ == "__main__":
    sys.exit(main())
