#!/usr/bin/env python3
"""The language server, as an editor uses it: test_lsp.py PROGRAM ROOT"""

import json
import random
import subprocess
import tempfile
from pathlib import Path

from model_lab import EXAMPLES, HANG, PROGRAM, case, examples, main, run

TEXT = "param m = 1 [kg], L = 2 [m]\ncoord θ [rad]\nkinetic 1/2*m*L^2*θ'^2\noutput E = m*q\n"


class Editor:
    """An editor with the server."""

    def __init__(self, *options):
        self.process = subprocess.Popen([PROGRAM, "lsp", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.count = 0
        assert "capabilities" in self.ask("initialize", {})["result"]
        self.tell("initialized", {})

    def write(self, value):
        self.write_bytes(json.dumps(value, ensure_ascii=False).encode())

    def write_bytes(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        head = self.process.stdout.readline()
        assert head.startswith(b"Content-Length: "), head
        assert self.process.stdout.readline() == b"\r\n"
        return json.loads(self.process.stdout.read(int(head.split()[1])))

    def tell(self, method, params):
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, params):
        self.count += 1
        self.write({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        answer = self.read()
        assert answer["id"] == self.count, answer
        return answer

    def open(self, text, uri="file:///nowhere/m.kal"):
        """Open a text; what is remarked on it."""
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "kalaba",
                                                            "version": 1, "text": text}})
        note = self.read()
        assert note["method"] == "textDocument/publishDiagnostics", note
        assert note["params"]["uri"] == uri
        return note["params"]["diagnostics"]

    def shut(self, uri):
        """Close a text, of which no remark stays."""
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        params = self.read()["params"]
        assert (params["uri"], params["diagnostics"]) == (uri, []), params

    def about(self, what, line, character, uri="file:///nowhere/m.kal"):
        place = {"textDocument": {"uri": uri},
                 "position": {"line": line, "character": character}}
        return self.ask(f"textDocument/{what}", place)["result"]

    def close(self):
        assert self.ask("shutdown", None)["result"] is None
        self.tell("exit", None)
        out, err = self.process.communicate(timeout=HANG)
        assert (self.process.returncode, out, err) == (0, b"", b""), (out, err)


@case
def remarks_have_places_of_editors():
    editor = Editor()
    remarks = editor.open(TEXT)
    errors = [remark for remark in remarks if remark["severity"] == 1]
    assert len(errors) == 1 and "q" in errors[0]["message"], remarks
    assert errors[0]["range"] == {"start": {"line": 3, "character": 13},
                                  "end": {"line": 3, "character": 14}}, errors
    # behind a character of two UTF-16 units in a comment of the same line
    wide = editor.open('model "\U0001d703" ; coord x ; kinetic y\n')
    assert wide[0]["range"]["start"] == {"line": 0, "character": 31}, wide
    editor.tell("textDocument/didChange",
                {"textDocument": {"uri": "file:///nowhere/m.kal", "version": 2},
                 "contentChanges": [{"text": TEXT.replace("m*q", "m")}]})
    assert [r for r in editor.read()["params"]["diagnostics"] if r["severity"] == 1] == []
    editor.close()


@case
def names_are_known():
    editor = Editor()
    editor.open(TEXT)
    hover = editor.about("hover", 2, 15)
    assert hover["contents"] == "param L [m], line 1", hover
    assert editor.about("hover", 2, 18)["contents"] == "coord θ [rad], line 2"
    assert editor.about("hover", 2, 9) is None, "a number is no name"
    assert editor.about("hover", 1, 2)["contents"] == "coordinates: coord x [m], y [m]"
    goal = editor.about("definition", 2, 12)
    assert goal == {"uri": "file:///nowhere/m.kal",
                    "range": {"start": {"line": 0, "character": 6},
                              "end": {"line": 0, "character": 7}}}, goal
    assert editor.about("definition", 1, 2) is None, "a word of the language is declared nowhere"
    editor.close()


def completed(editor, text):
    """What may stand at the end of a text, by name."""
    editor.open(text)
    line = text.count("\n")
    items = editor.about("completion", line, len(text) - text.rfind("\n") - 1)
    return {item["label"]: item for item in items}


@case
def what_may_stand_there_is_completed():
    editor = Editor()
    names, statements, units = {"θ", "E", "atan2"}, {"coord", "contact"}, {"kg", "rpm"}
    for text, there, not_there in (
            ("", statements, names | units),
            ("co", statements, names | units),
            ("output z = ", names, statements | units),
            ("output z = 2*[", names, statements | units),
            ("output z = (1 +\n ", names | statements, units),
            ("param z = 1 [k", units, names | statements),
            ("param z = 1 [kg*", units, names | statements),
            ("param z = 1 [kg], w = ", names, statements | units),
            ("coord z [", units, names | statements),
            ("coord z; out", statements, names | units),
            ("for i in 1..3 { out", statements, names | units),
            ("let P = [L,\nco", names | statements, units),
            ("# a comment on k", set(), names | statements | units),
            ('model "a title of k', set(), names | statements | units),
            ("coord z # [k", set(), names | statements | units)):
        found = set(completed(editor, TEXT + text))
        assert there <= found and not not_there & found, (text, found)
    items = completed(editor, TEXT + "output z = ")
    assert items["m"] == {"label": "m", "kind": 6, "detail": "param [kg]"}, items["m"]
    assert items["atan2"]["kind"] == 3 and items["atan2"]["detail"] == "function"
    word = completed(editor, TEXT)["coord"]
    assert word["documentation"] == "coordinates: coord x [m], y [m]", word
    assert "Body" not in items
    items = completed(editor, "use planar\ncoord x\npart a = ")
    assert items["Body"] == {"label": "Body", "kind": 7, "detail": "planar"}, items["Body"]
    assert "planar" not in items
    assert editor.about("hover", 0, 5)["contents"] == "use planar, line 1"
    editor.open("use planar\npart a = Body()\n")
    assert editor.about("hover", 1, 10)["contents"] == "component Body, of planar"
    assert editor.about("definition", 1, 10) is None, "it is not in this text"
    editor.close()


@case
def texts_are_formatted():
    editor = Editor()
    editor.open("coord   x\nkinetic (1)/2*x'^2\n")
    edits = editor.about("formatting", 0, 0)
    assert edits[0]["newText"] == "coord x\nkinetic 1/2*x'^2\n", edits
    editor.open("coord (")
    assert editor.about("formatting", 0, 0) is None
    editor.close()


@case
def files_that_are_used_are_read():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "part one.kal").write_text("coord x\n")
        uri = f"file://{folder}/m%20m.kal"
        editor = Editor()
        assert editor.open('use "part one.kal"\nkinetic x\'^2\n', uri) == []
        remarks = editor.open('use "../part.kal"\nkinetic x\'^2\n', uri)
        assert remarks and remarks[0]["severity"] == 1, remarks
        editor.close()


@case
def examples_have_no_errors():
    editor = Editor()
    for path in examples():
        remarks = editor.open(path.read_text(), f"file://{path.resolve()}")
        assert not [r for r in remarks if r["severity"] == 1], (path, remarks)
    editor.close()


@case
def what_is_unknown_is_refused_and_the_rest_goes_on():
    editor = Editor()
    assert editor.ask("textDocument/rename", {})["error"]["code"] == -32601
    assert editor.ask("textDocument/hover", {"textDocument": {"uri": "x"}})["error"]
    editor.tell("$/setTrace", {"value": "off"})
    editor.write({"jsonrpc": "2.0", "id": "a-b", "method": "nothing"})
    assert editor.read()["id"] == "a-b"
    editor.open(TEXT)
    for line, character in ((99, 0), (0, 9999), (-1, -1), (1e300, 0)):
        editor.about("hover", line, character)
    editor.shut("file:///nowhere/m.kal")
    editor.close()


@case
def long_texts_are_told():
    """Not kept, they are not asked about either; and what is NUL hides nothing."""
    editor = Editor()
    editor.open(TEXT)
    [remark] = editor.open("# " + "x" * (5 << 20))
    assert remark["severity"] == 1 and "too long" in remark["message"], remark
    place = {"textDocument": {"uri": "file:///nowhere/m.kal"},
             "position": {"line": 0, "character": 1}}
    for what in ("hover", "completion", "definition", "formatting"):
        assert "not open" in editor.ask(f"textDocument/{what}", place)["error"]["message"]
    assert any(r["severity"] == 1 for r in editor.open("coord x\nkinetic x'^2\0 + q\n"))
    assert [r for r in editor.open("\ufeffcoord x\r\nkinetic x'^2\r\n") if r["severity"] == 1] == []
    [remark] = [r for r in editor.open("coord x\r\nkinetic q\r\n") if r["severity"] == 1]
    assert remark["range"]["start"] == {"line": 1, "character": 8}, remark
    editor.close()


@case
def an_open_text_is_kept_while_others_come_and_go():
    editor = Editor()
    editor.open(TEXT)
    for i in range(70):
        editor.open("coord y\n", f"file:///nowhere/{i}.kal")
        editor.shut(f"file:///nowhere/{i}.kal")
    assert editor.about("hover", 2, 15)["contents"] == "param L [m], line 1"
    editor.close()


@case
def heads_are_read_as_those_of_http():
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}'
    end = b'Content-Length: 36\r\n\r\n{"jsonrpc": "2.0", "method": "exit"}'
    for head in (b"content-length: %d", b"CONTENT-LENGTH:%d  ", b"Content-Length: \t%d\t",
                 b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d"):
        done = subprocess.run([PROGRAM, "lsp"], input=head % len(body) + b"\r\n\r\n" + body + end,
                              capture_output=True, timeout=HANG, check=False)
        assert (done.returncode, done.stderr) == (0, b""), (head, done)
        assert b'"result": null' in done.stdout, (head, done)


@case
def other_languages_are_told():
    for words in (b"hello\r\n\r\n", b"Content-Length: x\r\n\r\n", b"",
                  b"Content-Length: 99999999999\r\n\r\n", b"Content-Length: 2\r\n\r\n{]",
                  b"Content-Length: 5\r\n\r\n[1, 2"):
        done = subprocess.run([PROGRAM, "lsp"], input=words, capture_output=True, timeout=HANG,
                              check=False)
        assert done.returncode == 1 and done.stderr.startswith(b"kalaba: "), (words, done)


@case
def a_message_that_is_no_json_is_answered_and_the_rest_goes_on():
    editor = Editor()
    editor.open(TEXT)
    for body in (b"{]", b"", b'{"id": 7, "method": "shutdown"', b"\xff", b"[" * 1000, b"1e999",
                 b'{"id": 7, "method": "\\ud800"}', b'{"id": 7, "id": "%s"}' % (b"x" * 999)):
        editor.write_bytes(body)
        answer = editor.read()
        assert (answer["id"], answer["error"]["code"]) == (None, -32700), (body, answer)
        assert answer["error"]["message"].startswith("message:1:"), (body, answer)
        assert "result" not in answer, (body, answer)
    assert editor.about("hover", 2, 15)["contents"] == "param L [m], line 1"
    editor.close()


# Formulas within formulas, of which each has all before it; and many of all.
SLOW = """param N = 5000
coord x[N]
let s[1] = sin(x[1])
for i in 2..N { let s[i] = sin(s[i-1] + x[i]) }
for i in 1..N { kinetic 1/2*(s[i]')^2 }
"""
LARGE = """param N = 100000
coord x[N]
for i in 1..N { kinetic 1/2*x[i]'^2 }
for i in 2..N { constraint c[i]: x[i] = x[i-1]*cos(x[i]) }
"""


def is_told(editor, text, words):
    [remark] = [r for r in editor.open(text) if r["severity"] == 1]
    assert words in remark["message"], remark
    start = {"line": 0, "character": 0}
    assert remark["range"] == {"start": start, "end": start}, remark


@case
def work_on_a_text_has_limits():
    """What takes more is told, and the rest goes on: the text itself is still known."""
    editor = Editor("--seconds", "1")
    is_told(editor, SLOW, "took too long")
    assert editor.about("hover", 1, 6)["contents"].startswith("coord x")
    editor.shut("file:///nowhere/m.kal")
    editor.close()


@case
def memory_for_a_text_has_limits():
    if b"__asan_init" in Path(PROGRAM).read_bytes():
        return "the sanitizer reserves more than any limit"
    editor = Editor("--memory", "64")
    is_told(editor, LARGE, "memory")
    assert [r for r in editor.open("coord x\nkinetic x'^2\n") if r["severity"] == 1] == []
    editor.close()
    return None


@case
def limits_are_whole_numbers():
    for option, value in (("--seconds", "0"), ("--seconds", "x"), ("--memory", "1.5")):
        status, _, err = run("lsp", option, value)
        assert status == 2 and option in err, (option, value, err)


@case
def broken_texts_do_no_harm():
    """Examples with random bytes changed, opened one after the other."""
    source = random.Random(20)
    editor = Editor()
    texts = [path.read_text() for path in sorted(EXAMPLES.glob("p*.kal"))]
    for _ in range(60):
        text = list(source.choice(texts))
        for _ in range(source.randrange(1, 8)):
            text[source.randrange(len(text))] = source.choice("(){}[]='#\"\n;:,.~^*/+-xθ1 ")
        editor.open("".join(text))
        editor.about("hover", source.randrange(20), source.randrange(60))
        editor.about("completion", source.randrange(20), source.randrange(60))
        editor.about("formatting", 0, 0)
    editor.close()


@case
def the_help_is_there():
    status, out, _ = run("help", "lsp")
    assert status == 0 and "Language Server Protocol" in out, out


if __name__ == "__main__":
    main()
