#!/usr/bin/env python3
"""The tool as its users meet it: test_solve.py PROGRAM

Each case runs the program and looks at its output, messages and exit status.
"""

import json
import os
import pty
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

# Seconds after which a program counts as hanging: a guard, not a measure of speed.
HANG = 900

PROGRAM = os.path.abspath(sys.argv[1])

# The bead of the README: mass 1 on a straight wire of slope 3/4, g = 10.
BEAD = {"M": [[1, 0], [0, 1]], "Q": [0, -10], "A": [[3, -4]], "b": [0],
        "coordinates": ["x", "y"], "constraints": ["wire"]}

# q[2] has neither mass nor constraint.
LOOSE = {"M": [[1, 0], [0, 0]], "Q": [1, 0]}

CASES = []


class Skip(Exception):
    """This machine cannot show what the case is about."""


def case(function):
    CASES.append(function)
    return function


def run(*arguments, text="", **options):
    """Status, standard output and standard error of one run."""
    if isinstance(text, dict):
        text = json.dumps(text)
    if isinstance(text, str):
        text = text.encode()
    done = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True,
                          timeout=HANG, check=False, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def refuse(text, message, *arguments):
    """Solving the text must fail in an orderly way, for people and for scripts."""
    status, out, err = run("solve", *arguments, text=text)
    assert (status, out) == (1, ""), (status, out, err)
    assert message in err and err.startswith("kalaba: ") and err.count("\n") == 1, err
    assert all(c >= " " or c == "\n" for c in err), err

    status, out, err = run("solve", "--json", *arguments, text=text)
    assert status == 1 and err == "", (status, err)
    error = json.loads(out)["error"]
    assert message in error["message"], error
    return error["names"]


def near(got, want):
    assert len(got) == len(want), (got, want)
    for one, other in zip(got, want):
        assert abs(one - other) <= 1e-12, (got, want)


@case
def no_arguments_show_a_short_help():
    status, out, err = run()
    assert (status, out) == (2, "")
    assert "Usage: kalaba COMMAND" in err and "solve" in err


@case
def help_names_every_command():
    for arguments in (["help"], ["--help"], ["-h"]):
        status, out, err = run(*arguments)
        assert (status, err) == (0, "")
        assert "solve" in out and "help" in out and "--version" in out


@case
def help_of_a_command_has_options_and_examples():
    expected = run("help", "solve")
    assert expected[0] == 0 and expected[2] == ""
    for word in ("--json", "--formulation WORD", "-q", "Examples:", "echo", "nullspace"):
        assert word in expected[1], word
    assert run("solve", "--help") == expected
    assert run("solve", "-h", "no such file") == expected
    assert run("help", "help")[0] == 0


@case
def examples_of_the_help_work():
    out = run("help", "solve")[1]
    line = next(line for line in out.splitlines() if "echo" in line)
    command = line.replace("kalaba", f"'{PROGRAM}'")
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert done.returncode == 0 and b"unique" in done.stdout, done


@case
def version_is_one_line():
    status, out, err = run("--version")
    assert (status, err) == (0, "")
    name, number = out.split()
    assert name == "kalaba" and len(number.split(".")) == 3


@case
def wrong_usage_has_status_2_and_a_hint():
    for arguments, hint in (
        (["sovle"], "unknown command 'sovle'; did you mean 'solve'?"),
        (["frobnicate"], "unknown command 'frobnicate'; see 'kalaba help'"),
        (["swing.kal"], "no command is given: 'kalaba run swing.kal' moves a model"),
        (["help", "slove"], "did you mean 'solve'?"),
        (["--versoin"], "unknown option '--versoin'; did you mean '--version'?"),
        (["--json"], "options come after a command"),
        (["solve", "--jason"], "unknown option '--jason'; did you mean '--json'?"),
        (["solve", "-x"], "unknown option '-x'; see 'kalaba help solve'"),
        (["solve", "--json=1"], "option '--json' takes no value"),
        (["solve", "--formulation"], "option '--formulation' lacks its value, WORD"),
        (["solve", "--formulation", "lagrnge"], "did you mean 'lagrange'?"),
        (["solve", "--formulation=xyz"], "unknown formulation 'xyz'; see"),
        (["solve", "a", "b"], "'b' is one argument too many"),
        (["solve", "--", "-x", "-y"], "'-y' is one argument too many"),
        (["\x1b[31mred\n"], "unknown command '\\x1b[31mred\\x0a'"),
    ):
        status, out, err = run(*arguments)
        assert (status, out) == (2, ""), (arguments, status, out)
        assert err.startswith("kalaba: ") and hint in err and err.count("\n") == 1, err


@case
def solves_for_people():
    status, out, err = run("solve", text=BEAD)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("2 coordinates, 1 constraint of rank 1, 1 degree of free")
    assert lines[0].endswith("the acceleration is unique.")
    assert lines[2].split("  ")[0] == "coordinate"
    assert lines[3].split() == ["x", "-4.8", "0", "-4.8"]
    assert lines[4].split() == ["y", "-3.6", "-10", "6.4"]
    assert lines[7].split() == ["wire", "-1.6"]
    assert "\x1b" not in out and not any(line.endswith(" ") for line in lines)


@case
def solves_for_scripts():
    status, out, err = run("solve", "--json", text=BEAD)
    assert (status, err) == (0, "") and out.count("\n") == 1
    answer = json.loads(out)
    assert list(answer) == [
        "model", "t", "coordinates", "q", "qd", "M", "Q", "A", "b", "C", "constraints",
        "qdd", "force", "multipliers", "unique_reaction", "rank", "unique",
        "indeterminate", "dependent_sets", "consistent", "residual", "residual_motion"]
    for key, value in BEAD.items():
        assert answer[key] == value, key
    assert [answer[key] for key in ("model", "t", "q", "qd")] == [None] * 4
    assert answer["C"] == [0, 0]
    near(answer["qdd"], [-4.8, -3.6])
    near(answer["force"]["ideal"], [-4.8, 6.4])
    near(answer["force"]["nonideal"], [0, 0])
    near(answer["force"]["total"], [-4.8, 6.4])
    near([answer["multipliers"]["wire"]], [-1.6])
    assert answer["unique_reaction"] == {"wire": True}
    assert answer["rank"] == {"M": 2, "A": 1, "Mhat": 2}
    assert answer["unique"] is True and answer["consistent"] is True
    assert answer["indeterminate"] == [] and answer["dependent_sets"] == []
    assert answer["residual"] < 1e-14 and answer["residual_motion"] < 1e-14


@case
def every_formulation_gives_the_same_answer():
    for word in ("default", "pseudoinverse", "semidefinite", "auxiliary", "lagrange",
                 "nullspace"):
        status, out, _ = run("solve", "--json", "--formulation", word, text=BEAD)
        assert status == 0, word
        near(json.loads(out)["qdd"], [-4.8, -3.6])
        status, out, _ = run("solve", "--json", text=dict(BEAD, formulation=word))
        assert status == 0, word
        near(json.loads(out)["qdd"], [-4.8, -3.6])


@case
def option_wins_over_the_file():
    given = dict(LOOSE, formulation="pseudoinverse")
    assert run("solve", text=given)[0] == 1
    assert run("solve", "--formulation=default", text=given)[0] == 0


@case
def reads_files_and_standard_input():
    expected = run("solve", text=BEAD)
    assert run("solve", "-", text=BEAD) == expected
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "-x.json")
        path.write_text(json.dumps(BEAD))
        assert run("solve", str(path)) == expected
        assert run("solve", "--", "-x.json", cwd=folder) == expected


@case
def what_the_file_carries_comes_back():
    given = dict(BEAD, model="a \"title\" with θ", t=2.5, q=[1, 0.1], qd=[1e-300, 0],
                 C=[0, 1])
    answer = json.loads(run("solve", "--json", text=given)[1])
    for key, value in given.items():
        assert answer[key] == value, key
    total = answer["force"]["total"]
    near(total, [a + b for a, b in zip(answer["force"]["ideal"],
                                       answer["force"]["nonideal"])])
    assert "non-ideal force" in run("solve", text=given)[1]


@case
def not_unique_is_an_answer_with_a_warning():
    status, out, err = run("solve", text=LOOSE)
    assert status == 0 and "not unique" in out and "Indeterminate coordinates: q[2]" in out
    assert err.startswith("kalaba: warning: the acceleration is not unique") and "q[2]" in err
    status, out, err = run("solve", "--json", text=LOOSE)
    assert status == 0 and json.loads(out)["indeterminate"] == ["q[2]"] and err != ""
    status, out, err = run("solve", "-q", text=LOOSE)
    assert status == 0 and err == ""


@case
def dependent_constraints_are_shown():
    given = {"M": [[1, 0], [0, 1]], "Q": [1, 1], "A": [[1, 0], [0, 1], [2, 0]],
             "b": [1, 1, 2], "constraints": ["a", "b", "c"]}
    answer = json.loads(run("solve", "--json", text=given)[1])
    assert answer["dependent_sets"] == [["a", "c"]]
    assert answer["unique_reaction"] == {"a": False, "b": True, "c": False}
    out = run("solve", text=given)[1]
    assert "not unique: depends on c" in out and "set 1: a, c" in out


@case
def contradictions_name_the_constraints():
    given = {"M": [[1, 0], [0, 1]], "Q": [0, 0], "A": [[1, 0], [0, 1], [1, 0]],
             "b": [1, 0, 2], "constraints": ["left", "free", "right\x1b[0m"]}
    assert refuse(given, "left") == ["left", "right\x1b[0m"]


@case
def forces_without_mass_name_the_coordinates():
    assert refuse(dict(LOOSE, Q=[1, 1]), "q[2]") == ["q[2]"]


@case
def impossible_masses_are_refused():
    refuse({"M": [[1, 2], [0, 1]], "Q": [0, 0]}, "")
    refuse({"M": [[-1]], "Q": [0]}, "")


@case
def malformed_text_is_refused_with_its_place():
    for text, message in (
        ("", "stdin:1:1: the text ends here"),
        ("{\n  \"M\": [[1, 0]\n}", "stdin:3:1: '}' found; expected ',' or ']'"),
        ("{\"M\": [[1]], \"Q\": [1],}", "stdin:1:23: '}' found; expected a key"),
        ("{\"M\": [[1]], \"Q\": [NaN]}", "stdin:1:20: 'NaN' found"),
        ("{\"M\": [[1]], \"Q\": [1e999]}", "stdin:1:20: the number 1e999 is too large"),
        ("{\"M\": [[1]], \"Q\": [1], \"q\": \"\\ud800\"}", "half of a surrogate pair"),
        ("{\"M\": [[1],[1]], \"Q\": [1, 2]}", "stdin:1:8: M, row 1 has length 1; expec"),
        ("{\"M\": [[1]], \"q\": [1]}", "Q is missing"),
        ("{\"M\": [[1]], \"Q\": [1], \"coords\": []}", "unknown key \"coords\""),
        ("[]", "stdin:1:1: the document is an array; expected an object"),
    ):
        assert refuse(text, message) == []


@case
def hostile_text_is_refused():
    refuse(b"\x00" * 100000, "stdin:1:1: '\\u{0}' found")
    refuse(b"\xff\xfe{\x00}\x00", "byte 0xff is not UTF-8")
    refuse(b"\xef\xbb\xbf{}", "\\u{feff}")
    refuse("[" * 1000000, "the document is an array")
    refuse("{\"M\":" + "[" * 1000000, "M, row 1, entry 1 is an array")
    refuse("{\"M\": [[" + "0," * 5000, "M, row 1 has too many numbers")
    refuse("{\"M\": [" + "[]," * 5000, "M has too many rows")
    refuse("{\"" + "k" * 1000000 + "\": 1}", "unknown key \"kkkk")
    refuse("{\"Q\": [" + "9" * 1000000 + "]}", "the number 9999")
    refuse("{\"Q\": [0." + "0" * 1000000 + "1e1000009]}", "M is missing")
    refuse("{\"\x1b[2J\": 1}".encode(), "'\\u{1b}' found")
    refuse(b"{\"\xc2\x9b2J\": 1}", "unknown key \"\\u{9b}2J\"")


@case
def hostile_names_do_no_harm():
    names = ["a\x1b[31m\nq", "b" * 100000, "\u202egnol"]
    given = {"M": [[1, 0, 0], [0, 0, 0], [0, 0, 1]], "Q": [0, 0, 0],
             "coordinates": names, "model": "\x07" * 10000}
    status, out, err = run("solve", text=given)
    assert status == 0
    assert "a\\u{1b}[31m\\u{a}q" in out and "\u202e" not in out and len(out) < 5000
    assert len(err) < 1000 and err.count("\n") == 1
    assert json.loads(run("solve", "--json", "-q", text=given)[1])["coordinates"] == names


@case
def many_coordinates_are_cut_short_for_people_only():
    n = 63
    given = {"M": [[float(i == j) for j in range(n)] for i in range(n)], "Q": [1] * n}
    out = run("solve", text=given)[1]
    assert "… 23 more (use --json for all)" in out and "q[41]" not in out
    assert len(json.loads(run("solve", "--json", text=given)[1])["qdd"]) == n


@case
def files_that_cannot_be_read_are_told():
    with tempfile.TemporaryDirectory() as folder:
        missing = str(Path(folder, "missing.json"))
        refuse("", f"cannot read {missing}: there is no such file", missing)
        refuse("", f"cannot read {folder}: it is a folder", folder)
        refuse("", "no regular file", "/dev/zero")
        with open(Path(folder, "large.json"), "wb") as large:
            large.truncate((256 << 20) + 1)
        refuse("", "more than 256 MiB", str(Path(folder, "large.json")))
        refuse("", "the name is too long", "x" * 5000)
        secret = Path(folder, "secret.json")
        secret.write_text("{}")
        secret.chmod(0)
        if os.getuid() != 0:
            refuse("", "no permission", str(secret))
        strange = str(Path(folder, "new\nline\x1b[1m"))
        assert "\\x0a" in run("solve", strange)[2]


@case
def names_of_files_stand_before_the_place():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "p.json").write_text("{\"M\": 1}")
        status, out, err = run("solve", "p.json", cwd=folder)
        assert (status, out) == (1, "")
        assert err.startswith("kalaba: p.json:1:7: M is a number; expected"), err


@case
def closed_or_full_output_is_told():
    for redirection in (">/dev/full", ">&-"):
        for arguments in ("solve --json", "help", "--version"):
            script = f"exec '{PROGRAM}' {arguments} {redirection}"
            done = subprocess.run(["sh", "-c", script], input=json.dumps(BEAD).encode(),
                                  capture_output=True, timeout=HANG, check=False)
            assert done.returncode == 1, (script, done)
            assert done.stderr.startswith(b"kalaba: cannot write the result: "), done


@case
def closed_input_is_told():
    done = subprocess.run(["sh", "-c", f"exec '{PROGRAM}' solve <&-"],
                          capture_output=True, timeout=HANG, check=False)
    assert done.returncode == 1 and done.stderr.startswith(b"kalaba: cannot read stdin: ")


def run_in_terminal(environment):
    """Standard output of a run that writes to a terminal."""
    try:
        master, slave = pty.openpty()
    except OSError as error:
        raise Skip(f"no terminal to be had: {error}") from error
    with subprocess.Popen([PROGRAM, "solve"], stdin=subprocess.PIPE, stdout=slave,
                          stderr=subprocess.DEVNULL, env=environment) as child:
        os.close(slave)
        child.stdin.write(json.dumps(LOOSE).encode())
        child.stdin.close()
        out = b""
        try:
            while piece := os.read(master, 65536):
                out += piece
        except OSError:
            pass # Linux answers so when the other side is gone
    os.close(master)
    return out


@case
def color_is_for_terminals():
    plain = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    assert b"\x1b[1m" in run_in_terminal(plain)
    assert b"\x1b" not in run_in_terminal(dict(plain, NO_COLOR="1"))
    assert "\x1b" not in run("solve", text=LOOSE, env=plain)[1]


def main():
    print(f"1..{len(CASES)}")
    failures = 0
    for number, function in enumerate(CASES, 1):
        reason = ""
        try:
            function()
            verdict = "ok"
        except Skip as skip:
            verdict, reason = "ok", f" # SKIP {skip}"
        except Exception: # any surprise is a failure of its case alone
            for line in traceback.format_exc().splitlines():
                print("#", line)
            verdict = "not ok"
            failures += 1
        print(f"{verdict} {number} - {function.__name__}{reason}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
