#!/usr/bin/env python3
"""The server of the studio, as its page and as an attacker would use it.

test_studio.py PROGRAM ROOT
"""

import base64
import contextlib
import http.client
import io
import json
import math
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

from model_lab import EXAMPLES, HANG, PROGRAM, ROOT, case, main, near, run

PENDULUM = (EXAMPLES / "pendulum.kal").read_text()
ENDLESS = "coord x\nkinetic x'^2\npotential -cos(x)\ninit x = 1\nsimulate 0 .. 1e9 every 1e4\n"


# A sanitizer reserves all addresses, and keeps what was freed for a while.
SANITIZED = b"__asan_init" in Path(PROGRAM).read_bytes()


class Studio:
    """A studio that runs, and a client for it."""

    def __init__(self, path, *options, browser=("--no-browser",), env=None):
        self.process = subprocess.Popen(
            [PROGRAM, "studio", str(path), *browser, *options], env=env,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", line)
        assert found, (line, self.process.stderr.read())
        self.port, self.token = int(found.group(1)), found.group(2)
        self.origin = f"http://127.0.0.1:{self.port}"

    def ask(self, method, path, body=None, **headers):
        """Status and text of the answer; a header that is None is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG)
        wanted = {"Host": f"127.0.0.1:{self.port}"}
        if body is not None:
            wanted |= {"Origin": self.origin, "Content-Type": "application/json",
                       "Content-Length": str(len(body))}
        wanted |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in wanted.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read().decode()
        self.headers = dict(answer.getheaders())
        connection.close()
        return answer.status, text

    def get(self, path, **headers):
        return self.ask("GET", f"/{self.token}/{path}", **headers)

    def post(self, path, value, **headers):
        return self.ask("POST", f"/{self.token}/{path}", json.dumps(value).encode(), **headers)

    def evaluate(self, text, tasks=("run",), **more):
        body = {"client": "t", "name": "m.kal", "text": text, "tasks": list(tasks), **more}
        status, answer = self.post("evaluate", body)
        assert status == 200, (status, answer)
        return [json.loads(line) for line in answer.splitlines() if line]

    def children(self):
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return path.read_text().split()

    def memory(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))

    def scratch(self):
        """The folders of files that are being made."""
        return list(Path("/tmp").glob(f"kalaba-studio.{self.process.pid}.*"))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=HANG)
        return self.process.returncode, out, err


@contextlib.contextmanager
def studio(*options):
    """A studio of a folder with a model; it must end in order."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.kal").write_text(PENDULUM)
        one = Studio(folder, *options)
        one.folder = Path(folder)
        try:
            yield one
        finally:
            status, out, err = one.end()
        assert (status, err) == (0, ""), (status, out, err)


def wait_for(condition):
    """Until something holds; a machine that is busy may take its time."""
    end = time.monotonic() + HANG
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def column(run_data, index):
    """The numbers of a column of a report."""
    values = run_data["columns"][index]["values"]
    if not isinstance(values, str):
        return [values] * run_data["rows"]
    return list(struct.unpack(f"<{run_data['rows']}d", base64.b64decode(values)))


@case
def models_are_listed_read_and_run():
    with studio() as s:
        status, text = s.get("files")
        assert status == 200 and json.loads(text)["files"] == ["a.kal"], text
        status, text = s.get("file?name=a.kal")
        assert status == 200 and json.loads(text)["text"] == PENDULUM, text
        things = s.evaluate(PENDULUM, ["run", "equations"])
        assert [next(iter(thing)) for thing in things] == \
            ["remarks", "system", "run", "equations"], things
        assert things[2]["partial"] is False and things[2]["run"]["complete"] is True
        status, text = s.get("examples")
        names = {example["name"] for example in json.loads(text)}
        assert names == {path.stem for path in EXAMPLES.glob("*.kal")}, names


@case
def the_numbers_are_those_of_the_commands():
    with studio() as s:
        things = s.evaluate(PENDULUM, ["modes", "equilibria"])
        for thing, command in zip(things, ("modes", "equilibria")):
            status, out, err = run(command, EXAMPLES / "pendulum.kal", "--json", "-q")
            assert status == 0, err
            assert thing[command] == json.loads(out), (thing, out)


@case
def every_answer_forbids_what_the_page_does_not_need():
    with studio() as s:
        for path in ("", "files", "file?name=a.kal", "nothing"):
            s.get(path)
            for name, value in (("X-Content-Type-Options", "nosniff"),
                                ("Referrer-Policy", "no-referrer"),
                                ("Cross-Origin-Resource-Policy", "same-origin"),
                                ("Cache-Control", "no-store")):
                assert s.headers.get(name) == value, (path, name, s.headers)
            assert "frame-ancestors 'none'" in s.headers["Content-Security-Policy"]
        status, page = s.get("")
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
        assert status == 200 and "default-src 'none'" in policy and "unsafe" not in policy
        assert "<!--" not in policy, "a gap of the page is not filled"


@case
def the_token_is_needed():
    with studio() as s:
        wrong = s.token[:-1] + ("0" if s.token[-1] != "0" else "1")
        for path in ("/", "/files", f"/{wrong}/", f"/{wrong}/files", f"/{s.token}",
                     f"/{s.token.upper()}x/files", "/../files", f"/x/../{s.token}/files"):
            status, text = s.ask("GET", path)
            assert status == 403 and s.token not in text, (path, status, text)
        status, _ = s.ask("POST", f"/{wrong}/save", b'{"name": "b.kal", "text": "x"}')
        assert status == 403 and not (s.folder / "b.kal").exists()


@case
def a_name_led_to_this_machine_is_refused():
    """DNS rebinding: the browser believes that evil.test is here, and says so."""
    with studio() as s:
        for host in ("evil.test", f"evil.test:{s.port}", f"127.0.0.1:{s.port}.evil.test",
                     "127.0.0.1", f"127.0.0.1:{s.port + 1}", f"[::1]:{s.port}", "", None):
            status, text = s.get("files", Host=host)
            assert status in (400, 403) and "a.kal" not in text, (host, status, text)
        assert s.get("files", Host=f"localhost:{s.port}")[0] == 200


@case
def other_sites_are_refused():
    """Cross-site requests: forms and scripts of other pages, with and without a token."""
    with studio() as s:
        save = {"name": "b.kal", "text": "x"}
        for origin in ("http://evil.test", "null", f"http://127.0.0.1:{s.port + 1}",
                       f"https://127.0.0.1:{s.port}", "", None):
            status, _ = s.post("save", save, Origin=origin)
            assert status == 403, (origin, status)
        for kind in ("text/plain", "application/x-www-form-urlencoded",
                     "multipart/form-data; boundary=x", "application/jsonp",
                     "text/plain; application/json", None):
            status, _ = s.post("save", save, Content_Type=kind)
            assert status == 415, (kind, status)
        assert s.post("save", save, Sec_Fetch_Site="cross-site")[0] == 403
        assert s.get("files", Sec_Fetch_Site="same-site")[0] == 403
        assert s.get("files", Origin="http://evil.test")[0] == 403
        assert s.ask("OPTIONS", f"/{s.token}/save", Origin=s.origin)[0] == 405
        assert "Access-Control-Allow-Origin" not in s.headers
        assert not (s.folder / "b.kal").exists()
        assert s.post("save", save)[0] == 200


@case
def files_elsewhere_are_out_of_reach():
    with studio() as s:
        outside = s.folder.parent / f"{s.folder.name}-outside"
        outside.mkdir()
        secret = outside / "secret.kal"
        secret.write_text("coord secret\n")
        (s.folder / "link.kal").symlink_to(secret)
        (s.folder / "way").symlink_to(outside)
        (s.folder / ".hidden.kal").write_text("coord secret\n")
        try:
            up = f"..%2F{outside.name}%2Fsecret.kal"
            for name in (up, up.replace("%2F", "/"), "%2e%2e/" + outside.name + "/secret.kal",
                         "..%252F" + outside.name + "%252Fsecret.kal", "link.kal",
                         "way/secret.kal", ".hidden.kal", str(secret), "/etc/passwd",
                         "a.kal%00.txt", "..\\secret.kal", "sub/../../x.kal", "."):
                status, text = s.get(f"file?name={name}")
                assert status == 404 and "secret\n" not in text, (name, status, text)
            for path in (f"../{outside.name}/secret.kal", "link.kal", "way/secret.kal",
                         "way/new.kal", str(outside / "new.kal"), "new.sh", ".bashrc",
                         "../new.kal", "a.kal\0", "sub/new.kal"):
                status, _ = s.post("save", {"name": path, "text": "x"})
                assert status in (400, 404), (path, status)
            for use in (f"../{outside.name}/secret.kal", "link.kal", "way/secret.kal",
                        str(secret)):
                things = s.evaluate(f'use "{use}"\nkinetic secret\'^2\n')
                assert "error" in things[-1], (use, things)
            listed = json.loads(s.get("files")[1])["files"]
            assert listed == ["a.kal"], listed
            assert secret.read_text() == "coord secret\n"
            assert sorted(os.listdir(outside)) == ["secret.kal"]
        finally:
            secret.unlink()
            outside.rmdir()


@case
def names_are_read_in_one_way_only():
    """Encodings of the way out, and of names that are not quite those of files."""
    with studio() as s:
        outside = s.folder.parent / f"{s.folder.name}-outside"
        outside.mkdir()
        (outside / "secret.kal").write_text("coord secret\n")
        try:
            for up in ("%c0%ae%c0%ae", "%e0%80%ae%e0%80%ae", "%uff0e%uff0e", "....", "a.kal/..",
                       "%EF%BC%8E%EF%BC%8E", "%252e%252e", "..%00"):
                for slash in ("/", "%2f", "%5c", "%c0%af", "%252f"):
                    status, text = s.get(f"file?name={up}{slash}{outside.name}{slash}secret.kal")
                    assert status == 404 and "coord secret" not in text, (up, slash, text)
            for name in ("./a.kal", "a.kal/", "a.kal%2f", "A.KAL", "a.kal%20", "a.kal%0d%0aX:y",
                         "a.kal%00", "file:///etc/passwd", "", "%09a.kal"):
                assert s.get(f"file?name={name}")[0] == 404, name
            message = json.loads(s.get("file?name=../a.kal")[1])["message"]
            assert message.startswith("this is not the name of a model"), message
        finally:
            (outside / "secret.kal").unlink()
            outside.rmdir()


# A folder is itself, then a link to the outside, and again.
FLIP = """import os, sys
way, aside, outside = sys.argv[1:]
while True:
    os.rename(way, aside)
    os.symlink(outside, way)
    os.unlink(way)
    os.rename(aside, way)
"""


@case
def a_folder_that_becomes_a_link_leads_nowhere():
    """While requests come, a folder of models is a link to the outside now and then."""
    with studio() as s:
        outside = s.folder.parent / f"{s.folder.name}-outside"
        way, aside = s.folder / "way", s.folder / "aside"
        for folder, text in ((outside, "coord outside\n"), (way, "coord inside\n")):
            folder.mkdir()
            (folder / "m.kal").write_text(text)
        (outside / "theirs.kal").write_text("")
        flips = subprocess.Popen([sys.executable, "-c", FLIP, way, aside, outside])
        try:
            for _ in range(300):
                assert "outside" not in s.get("file?name=way/m.kal")[1].replace("-outside", "")
                s.post("save", {"name": "way/new.kal", "text": "x"})
                assert "way/theirs.kal" not in s.get("files")[1]
        finally:
            flips.kill()
            flips.wait()
            there = sorted(os.listdir(outside))
            shutil.rmtree(outside)
        assert there == ["m.kal", "theirs.kal"], there


@case
def no_header_says_twice_who_asks():
    """Nor does any other header than its path open the studio to a request."""
    with studio() as s:
        save = b'{"name": "b.kal", "text": "x"}'
        own = f"127.0.0.1:{s.port}"

        def status_of(path, *headers, method="GET", body=b""):
            with socket.create_connection(("127.0.0.1", s.port), timeout=HANG) as line:
                text = "".join(f"{each}\r\n" for each in
                               (f"{method} {path} HTTP/1.1", *headers, "Connection: close"))
                line.sendall(text.encode() + b"\r\n" + body)
                return int(line.makefile("rb").readline().split()[1])

        files = f"/{s.token}/files"
        assert status_of(files, f"Host: {own}") == 200
        for headers in ((f"Host: {own}", "Host: evil.test"), ("Host: evil.test", f"Host: {own}"),
                        (f"Host: {own}", f"host: {own}"), (f"Host: x@{own}",),
                        (f"Host: 127.1:{s.port}",), (f"Host: 0.0.0.0:{s.port}",),
                        (f"Host: localhost.:{s.port}",), (f"Host: [::ffff:127.0.0.1]:{s.port}",),
                        (f"Host: {own}", "Origin: http://evil.test", f"Origin: http://{own}")):
            assert status_of(files, *headers) in (400, 403), headers
        assert status_of(f"http://evil.test{files}", f"Host: {own}") == 403
        for path in ("/files", "/"):
            assert status_of(path, f"Host: {own}", f"Referer: http://{own}/{s.token}/",
                             f"Cookie: token={s.token}", f"Authorization: Bearer {s.token}",
                             f"X-Original-URL: {files}") == 403, path
        kind, length = "Content-Type: application/json", f"Content-Length: {len(save)}"
        for origins in ((f"Origin: http://{own}", "Origin: http://evil.test"),
                        ("Origin: http://evil.test", f"Origin: http://{own}")):
            assert status_of(f"/{s.token}/save", f"Host: {own}", *origins, kind, length,
                             method="POST", body=save) == 403, origins
        assert os.listdir(s.folder) == ["a.kal"]


@case
def what_is_no_regular_file_is_not_read():
    with studio() as s:
        os.mkfifo(s.folder / "pipe.kal")
        (s.folder / "big.kal").write_bytes(b"#" * (20 << 20))
        (s.folder / "dir.kal").mkdir()
        for name in ("pipe.kal", "big.kal", "dir.kal"):
            assert s.get(f"file?name={name}")[0] == 404, name
        assert s.get("file?name=a.kal")[0] == 200


@case
def tables_of_the_folder_are_read():
    with studio() as s:
        (s.folder / "data.csv").write_text("a,b\n0,1\n1,3\n2,4\n")
        things = s.evaluate('table f = "data.csv", x = a, y = b, outside = hold\ncoord x\n'
                            "kinetic 1/2*x'^2\noutput o = f(1)\nsimulate 0 .. 1 every 1\n")
        data = things[-1]["run"]
        index = [c["name"] for c in data["columns"]].index("o")
        assert column(data, index) == [3.0, 3.0], column(data, index)
        assert s.get("file?name=data.csv")[0] == 404, "only models are shown"


@case
def saving_is_whole_and_asks_before_it_overwrites():
    with studio() as s:
        tag = json.loads(s.get("file?name=a.kal")[1])["tag"]
        status, text = s.post("save", {"name": "a.kal", "text": "one\n", "seen": tag})
        assert status == 200, text
        status, text = s.post("save", {"name": "a.kal", "text": "two\n", "seen": tag})
        assert status == 409 and "has changed on the disk" in text, text
        assert (s.folder / "a.kal").read_text() == "one\n"
        assert s.post("save", {"name": "a.kal", "text": "ü\n"})[0] == 200
        assert (s.folder / "a.kal").read_text() == "ü\n"
        assert os.listdir(s.folder) == ["a.kal"]


@case
def requests_that_make_no_sense_are_refused():
    with studio() as s:
        for body in (b"", b"{", b"[]", b'{"tasks": ["dance"]}', b'{"text": 1}', b"\xff\xfe",
                     b'{"x": 1}', b"[" * 100000):
            status, _ = s.ask("POST", f"/{s.token}/evaluate", body)
            assert status == 400, (body[:20], status)
        assert s.post("evaluate", {"name": "../a.kal", "text": ""})[0] == 400
        for body in ({}, {"name": "a.kal"}, {"text": ""}, {"name": "a.kal", "text": None},
                     {"name": None, "text": "x"}, {"name": "a.kal", "text": "x\0y"}):
            status, text = s.post("save", body)
            assert status == 400, (body, status, text)
        assert s.post("evaluate", {"tasks": ["run"]})[0] == 400
        assert os.listdir(s.folder) == ["a.kal"] and (s.folder / "a.kal").read_text() == PENDULUM
        assert s.ask("PUT", f"/{s.token}/save", b"{}")[0] == 405
        assert s.ask("DELETE", f"/{s.token}/save")[0] == 405


@case
def long_bodies_and_headers_are_refused():
    with studio() as s:
        before = s.memory()
        status, _ = s.ask("POST", f"/{s.token}/evaluate", b" " * (9 << 20))
        assert status == 413, status
        with socket.create_connection(("127.0.0.1", s.port), timeout=HANG) as line:
            with contextlib.suppress(OSError):
                line.sendall(f"GET /{s.token}/files HTTP/1.1\r\nHost: ".encode())
                for _ in range(64):
                    line.sendall(b"x" * (1 << 16))
            with contextlib.suppress(OSError):
                assert b"200" not in line.recv(100)
        assert s.get("files")[0] == 200
        assert s.memory() < before + (64 << 10), (before, s.memory())


@case
def slow_clients_do_not_stop_others():
    """More half requests than there are places: they are closed, and others served."""
    with studio() as s:
        lines = []
        for _ in range(70):
            line = socket.create_connection(("127.0.0.1", s.port), timeout=HANG)
            with contextlib.suppress(OSError):
                line.sendall(b"POST /")
            lines.append(line)

        def served():
            with contextlib.suppress(OSError, http.client.HTTPException):
                return s.get("files")[0] == 200
            return False

        wait_for(served)
        for line in lines:
            line.close()


@case
def clients_that_send_a_byte_now_and_then_are_closed():
    """They are never silent, and hold all places; a body without end does so, too."""
    with studio() as s:
        lines = [socket.create_connection(("127.0.0.1", s.port), timeout=HANG) for _ in range(80)]
        over = threading.Event()

        def drip():
            while not over.wait(0.3):
                for line in lines:
                    with contextlib.suppress(OSError):
                        line.sendall(b"X")

        def served():
            with contextlib.suppress(OSError, http.client.HTTPException):
                return s.get("files")[0] == 200
            return False

        for line in lines:
            with contextlib.suppress(OSError):
                line.sendall(b"GET /")
        endless = (f"POST /{s.token}/evaluate HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n"
                   f"Origin: {s.origin}\r\nContent-Type: application/json\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n10000\r\n")
        with contextlib.suppress(OSError):
            lines[0].sendall(endless.encode())
        thread = threading.Thread(target=drip)
        thread.start()
        try:
            wait_for(served)
        finally:
            over.set()
            thread.join()
            for line in lines:
                line.close()


@case
def computing_has_limits():
    with studio("--seconds", "1") as s:
        things = s.evaluate(ENDLESS)
        assert things[-1]["error"]["task"] == "limit", things[-1]
        assert "took too long" in things[-1]["error"]["message"]
        # A machine that is busy may need more than one second for anything at all.
        wait_for(lambda: "run" in s.evaluate(PENDULUM)[-1])


@case
def memory_has_limits():
    if SANITIZED:
        return "the sanitizer reserves more than any limit"
    with studio("--memory", "256") as s:
        hungry = "param N = 20000\ncoord x[N]\nfor i in 1..N { kinetic 1/2*x[i]'^2 }\n" \
            "for i in 2..N { constraint c[i]: x[i] = x[i-1]*cos(x[i]) }\n" \
            "simulate 0 .. 100 every 0.0001\n"
        things = s.evaluate(hungry)
        assert "error" in things[-1], things[-1]
        assert s.evaluate(PENDULUM)[-1]["run"]["complete"] is True
    return None


@case
def a_new_change_ends_the_one_before():
    with studio() as s:
        answers = []
        first = threading.Thread(target=lambda: answers.append(s.evaluate(ENDLESS)))
        first.start()
        wait_for(s.children)
        things = s.evaluate(PENDULUM)
        assert things[-1]["run"]["complete"] is True
        first.join(HANG)
        assert answers[0][-1] == {"error": {"task": "limit", "message": "cancelled",
                                            "names": []}}, answers[0][-1]
        wait_for(lambda: not s.children())


@case
def a_server_that_is_killed_leaves_nobody_computing():
    """Not even what has nothing to write, and would not hear that nobody reads."""
    doubled = "".join(f"fn f{i}(x) = f{i - 1}(f{i - 1}(x))\n" for i in range(1, 40))
    text = f"fn f0(x) = sin(x)\n{doubled}coord x\nkinetic x'^2\noutput o = f39(x)\n"
    with tempfile.TemporaryDirectory() as folder:
        one = Studio(folder, "--seconds", "86400")

        def ask():
            with contextlib.suppress(OSError, http.client.HTTPException):
                one.evaluate(text)

        asking = threading.Thread(target=ask)
        asking.start()
        wait_for(one.children)
        [child] = one.children()
        one.process.kill()
        one.process.communicate(timeout=HANG)
        asking.join(HANG)

        def is_gone():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                state = Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0]
                return state == "Z"  # until somebody asks how it ended
            return True

        wait_for(is_gone)


@case
def a_client_that_goes_ends_its_work():
    with studio() as s:
        body = json.dumps({"client": "x", "name": "m.kal", "text": ENDLESS,
                           "tasks": ["run"]}).encode()
        line = socket.create_connection(("127.0.0.1", s.port), timeout=HANG)
        line.sendall(f"POST /{s.token}/evaluate HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n"
                     f"Origin: {s.origin}\r\nContent-Type: application/json\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        wait_for(s.children)
        line.close()
        wait_for(lambda: not s.children())


@case
def pages_of_one_user_do_not_wait_for_each_other():
    with studio() as s:
        threads = [threading.Thread(target=lambda i=i: s.evaluate(ENDLESS, client=f"c{i}"))
                   for i in range(3)]
        for thread in threads:
            thread.daemon = True
            thread.start()
        wait_for(lambda: len(s.children()) == 3)
        assert s.evaluate(PENDULUM)[-1]["run"]["complete"] is True
        for i in range(3): # ends them
            s.evaluate("coord x\n", client=f"c{i}")
        for thread in threads:
            thread.join(HANG)


@case
def too_much_at_a_time_is_refused():
    with studio() as s:
        threads = [threading.Thread(target=lambda i=i: s.evaluate(ENDLESS, client=f"c{i}"))
                   for i in range(8)]
        for thread in threads:
            thread.daemon = True
            thread.start()
        wait_for(lambda: len(s.children()) == 8)
        status, text = s.post("evaluate", {"client": "z", "text": PENDULUM})
        assert status == 503, (status, text)
        for i in range(8):
            s.evaluate("coord x\n", client=f"c{i}")
        for thread in threads:
            thread.join(HANG)


@case
def two_hundred_changes_leave_nothing_behind():
    with studio() as s:
        lengths = [0.5 + 0.01 * i for i in range(200)]
        for _ in range(30):  # what is kept is kept by now
            s.evaluate(PENDULUM, set={"L": 1})
        before = s.memory()
        for length in lengths:
            things = s.evaluate(PENDULUM, set={"L": length})
            values = {p["name"]: p["value"] for p in things[1]["system"]["parameters"]}
            assert values["L"] == length, "an answer to another question"
        wait_for(lambda: not s.children())
        wait_for(lambda: len(os.listdir(f"/proc/{s.process.pid}/fd")) < 20)
        grown = s.memory() - before  # an answer has 100 KiB; 72 were seen, over 440 changes
        assert SANITIZED or grown < 256, f"{grown} KiB more after 200 changes"


@case
def long_runs_come_in_parts():
    with studio() as s:
        long = PENDULUM.replace("simulate", "# simulate") + "\nsimulate 0 .. 4000 every 0.05\n"
        things = s.evaluate(long)
        runs = [thing for thing in things if "run" in thing]
        assert [thing["partial"] for thing in runs] == [True] * (len(runs) - 1) + [False]
        assert all(not thing["run"]["complete"] for thing in runs[:-1])
        assert runs[-1]["run"]["complete"]


def zipped(data):
    return zipfile.ZipFile(io.BytesIO(data))


@case
def files_are_those_of_the_commands():
    """Numbers, sources and FMUs, with what sliders say, and no file stays behind."""
    with studio() as s, tempfile.TemporaryDirectory() as folder:
        things = s.evaluate(PENDULUM, ["hdf5", "c", "fmu"], set={"L": 2}, name="sub/pen.kal")
        files = {thing["file"]["name"]: base64.b64decode(thing["file"]["bytes"])
                 for thing in things if "file" in thing}
        assert set(files) == {"pen.h5", "pen.zip", "pen.fmu"}, things
        Path(folder, "mine.h5").write_bytes(files["pen.h5"])
        model = Path(folder, "pen.kal")
        model.write_text(PENDULUM)
        assert run("run", model, "-q", "-p", "L=2", "-o", Path(folder, "theirs.h5"))[0] == 0
        for name in ("mine", "theirs"):
            done = subprocess.run(["h5dump", "-y", "-d", "/columns/theta", Path(folder, f"{name}.h5")],
                                  capture_output=True, text=True, check=True)
            Path(folder, name).write_text(done.stdout.split("\n", 1)[1])
        assert Path(folder, "mine").read_text() == Path(folder, "theirs").read_text()
        assert run("export", model, "--c", Path(folder, "c"), "-p", "L=2")[0] == 0
        with zipped(files["pen.zip"]) as archive:
            names = sorted(archive.namelist())
            assert names == sorted(f"pen/{one.name}" for one in Path(folder, "c").iterdir()), names
            for one in Path(folder, "c").iterdir():
                assert archive.read(f"pen/{one.name}") == one.read_bytes(), one
        with zipped(files["pen.fmu"]) as archive:
            assert "modelDescription.xml" in archive.namelist()
        things = s.evaluate(PENDULUM.replace("kinetic", "kinetc"), ["fmu"])
        assert things[-1]["error"]["task"] == "load", things
        wait_for(lambda: not s.scratch())


@case
def files_of_work_that_is_ended_are_removed():
    with studio() as s:
        connection = http.client.HTTPConnection("127.0.0.1", s.port, timeout=HANG)
        body = json.dumps({"client": "t", "text": ENDLESS, "tasks": ["hdf5"]})
        connection.request("POST", f"/{s.token}/evaluate", body,
                           {"Origin": s.origin, "Content-Type": "application/json"})
        wait_for(lambda: s.children())
        assert len(s.scratch()) == 1
        connection.close()
        wait_for(lambda: not s.scratch())
        wait_for(lambda: not s.children())


def inquire(s, text, what, line, character):
    """What the editor of the page asks, as editors ask `kalaba lsp`."""
    question = {"method": f"textDocument/{what}", "id": 0,
                "params": {"textDocument": {"uri": "studio:"},
                           "position": {"line": line, "character": character}}}
    [thing] = s.evaluate(text, ["question"], question=json.dumps(question))
    return thing["answer"]


@case
def questions_of_the_editor_are_answered():
    """While a statement is half written, with units, places and the parts of libraries."""
    with studio() as s:
        text = "use planar\nparam θ = 1 [rad], L = 2 # [m]\nlet P = [L,\npart b = Bo"
        offered = {item["label"]: item for item in inquire(s, text, "completion", 3, 11)}
        assert offered["θ"] == {"label": "θ", "kind": 6, "detail": "param [rad]"}, offered["θ"]
        assert offered["L"]["detail"] == "param" and offered["P"]["detail"] == "let"
        assert offered["Body"] == {"label": "Body", "kind": 7, "detail": "planar"}
        assert offered["reaction"]["detail"] == "function"
        assert "constraint" not in offered and "kN" not in offered
        begun = {item["label"] for item in inquire(s, text, "completion", 0, 1)}
        assert "constraint" in begun and "θ" not in begun
        units = {item["label"] for item in inquire(s, text, "completion", 1, 15)}
        assert "kN" in units and "θ" not in units, units
        assert inquire(s, text, "hover", 1, 6)["contents"] == "param θ [rad], line 2"
        assert inquire(s, text, "definition", 2, 9)["range"]["start"] == {"line": 1,
                                                                        "character": 19}
        assert inquire(s, text, "definition", 0, 99) is not None  # planar, where it is used
        assert inquire(s, "# nothing", "hover", 0, 4) is None


@case
def questions_that_make_no_sense_are_told():
    with studio() as s:
        for question in (None, "", "{}", "[1, 2", '{"method": "textDocument/rename"}',
                         '{"method": "textDocument/hover"}', "x" * 100000):
            [thing] = s.evaluate("coord x", ["question"], question=question)
            assert thing["error"]["task"] == "question", thing
        for line, character in ((-1, -1), (1e300, 1e300), (0.5, 0.5)):
            assert inquire(s, "coord x", "completion", line, character)


def drag(s, text, drawing, point, to):
    """Where a point of a drawing is at the start when it is dragged somewhere."""
    shown = s.evaluate(text)[-1]["run"]
    columns = shown["drawings"][drawing]["points"][point]
    things = s.evaluate(text, drag={"columns": columns, "to": to})
    assert "run" in things[-1], things[-1]
    data = things[-1]["run"]
    assert data["incidents"] == [], data["incidents"]
    q = {c["name"]: column(data, i)[0] for i, c in enumerate(data["columns"])}
    return [column(data, index)[0] for index in columns], q


@case
def a_point_that_can_be_reached_is_reached():
    with studio() as s:
        for angle in (0.2, 1.5, 2.9, -2.0):
            to = [math.sin(angle), -math.cos(angle)]
            got, q = drag(s, PENDULUM, 0, 1, to)
            near(got, to, 1e-5)
            near(math.sin(q["theta"]), math.sin(angle), 1e-5)
        crank = (EXAMPLES / "slider_crank.kal").read_text()
        got, q = drag(s, crank, 0, 1, [0.2 * math.cos(2.0), 0.2 * math.sin(2.0)])
        near(got, [0.2 * math.cos(2.0), 0.2 * math.sin(2.0)], 1e-5)
        near([0.2 * math.cos(q["theta"]) - 0.5 * math.cos(q["phi"]) - q["x"],
              0.2 * math.sin(q["theta"]) - 0.5 * math.sin(q["phi"])], [0.0, 0.0], 1e-9, 1.0)


@case
def a_start_without_a_motion_is_told():
    """Nothing determines the acceleration of z: the start is told, then why it stays there."""
    text = ("coord x, y, z\nstate s: s' = x'\nkinetic x'^2 + y'^2\nconstraint c: x + y = 1\n"
            "init x = 0.25, x' = 2, z = 3, s = 4\nsimulate 1 .. 2 every 0.1\n"
            "output o = x''\nplot y', y''\ndraw line [0, 0] -> [2*x, s + z]\n")
    with studio() as s:
        answer = s.evaluate(text)
        run_data, error = answer[-2]["run"], answer[-1]["error"]
        assert error["task"] == "run" and error["names"] == ["z"], error
        assert error["message"] == run_data["failure"], (error, run_data["failure"])
        assert (run_data["rows"], run_data["complete"]) == (1, False)
        value = {c["name"]: column(run_data, i)[0] for i, c in enumerate(run_data["columns"])}
        for name, want in (("t", 1.0), ("x", 0.25), ("y", 0.75), ("z", 3.0), ("x'", 2.0),
                           ("y'", -2.0), ("s", 4.0)):
            near([value[name]], [want], 1e-12)
        assert value["o"] is None and value["energy()"] is None, value
        formulas = [value[c["name"]] for c in run_data["columns"] if c["kind"] == "formula"]
        assert sorted(f for f in formulas if f is not None) == [0.0, 0.5, 7.0], formulas
        # Without a start there is nothing to show, and as a report neither.
        assert "run" not in s.evaluate(text.replace("init ", "constraint d: x + y = 2\ninit "))[-2]
        assert [list(a) for a in s.evaluate(text, ["report"])][-1] == ["error"]


@case
def a_point_that_cannot_be_reached_comes_near():
    """The end of a pendulum stays on its circle, where that is nearest to the pointer."""
    with studio() as s:
        got, _ = drag(s, PENDULUM, 0, 1, [3.0, -4.0])
        near(got, [0.6, -0.8], 1e-4)
        got, _ = drag(s, PENDULUM, 0, 1, [-0.3, -0.4])
        near(got, [-0.6, -0.8], 1e-4)


@case
def a_port_that_is_taken_is_told():
    with studio() as s:
        status, out, err = run("studio", s.folder, "--no-browser", "--port", s.port)
        assert (status, out) == (1, "") and f"cannot listen at port {s.port}" in err, err
        assert "--port" in err


@case
def wrong_options_are_told():
    for options, word in ((["--port", "0"], "--port"), (["--port", "65536"], "--port"),
                          (["--seconds", "x"], "--seconds"), (["--memory", "-1"], "--memory")):
        status, out, err = run("studio", ".", "--no-browser", *options)
        assert (status, out) == (2, "") and f"option '{word}' takes" in err, err
    status, _, err = run("studio", "/nowhere/at/all", "--no-browser")
    assert status == 1 and "there is no /nowhere/at/all; a new model is begun in" in err, err
    status, _, err = run("studio", EXAMPLES / "embed.c", "--no-browser")
    assert status == 1 and "neither a folder nor a model" in err, err


@case
def editors_know_all_words():
    """The words that begin statements and the functions are in every list of colors."""
    statements = re.findall(r'WORD\((?:[A-Z]+, )?"(\w+)"',
                            (ROOT / "src/lang/words.def").read_text())
    operators = re.findall(r'KAL_OP\(\w+, \d, CALL, \w+, "(\w+)"',
                           (ROOT / "src/expr/ops.def").read_text())
    others = re.findall(r'\{"(\w+)", +\w*call_\w+ *\}', (ROOT / "src/model/call.c").read_text())
    assert len(statements) >= 28 and len(operators) >= 21 and len(others) >= 14
    words = statements + operators + others
    for name in ("editors/vim/syntax/kalaba.vim", "web/src/language.js",
                 "editors/vscode/syntaxes/kalaba.tmLanguage.json",
                 "editors/tree-sitter/grammar.js", "editors/tree-sitter/queries/highlights.scm"):
        colors = (ROOT / name).read_text()
        # A syntax tree shows what is called: no list of functions is needed.
        wanted = statements if "tree-sitter" in name else words
        missing = [word for word in wanted if not re.search(rf"\b{word}\b", colors)]
        assert not missing, (name, missing)
    for path in (ROOT / "editors/vscode").rglob("*.json"):
        json.loads(path.read_text())


@case
def a_model_is_shown_first():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "b.kal")
        path.write_text(PENDULUM)
        one = Studio(path)
        listed = json.loads(one.get("files")[1])
        assert (listed["first"], listed["files"]) == ("b.kal", ["b.kal"]), listed
        assert one.end()[0] == 0


def opener(folder, name):
    """A program that notes what it is asked to open, and a copy of it."""
    path = Path(folder, name)
    path.write_text(f"#!/bin/sh\n/bin/cp \"$1\" '{folder}/page'\n"
                    f"/bin/ls -ld \"$1\" > '{folder}/{name}.part'\n"
                    f"/bin/mv '{folder}/{name}.part' '{folder}/{name}.seen'\n")
    path.chmod(0o755)


@case
def the_browser_is_led_to_the_address():
    for name in ("xdg-open", "sensible-browser"):
        with tempfile.TemporaryDirectory() as folder:
            opener(folder, name)
            one = Studio(EXAMPLES, browser=(), env={**os.environ, "PATH": folder})
            seen = Path(folder, f"{name}.seen")
            wait_for(seen.exists)
            address = f"http://127.0.0.1:{one.port}/{one.token}/"
            assert f'url={address}"' in Path(folder, "page").read_text()
            assert one.get("")[0] == 200
            words = seen.read_text().split() # of `ls`: the rights come first, the name last
            assert words[0].startswith("-rw-------") and Path(words[-1]).exists(), words
            assert one.token not in words[-1], "others see arguments"
            assert one.end()[0::2] == (0, "")
            assert not Path(words[-1]).exists() and not Path(words[-1]).parent.exists()


@case
def no_browser_is_started_unasked():
    with tempfile.TemporaryDirectory() as folder:
        opener(folder, "xdg-open")
        one = Studio(EXAMPLES, env={**os.environ, "PATH": folder})
        assert one.get("")[0] == 200 and not one.children()
        assert one.end()[0::2] == (0, "")
        assert [path.name for path in Path(folder).iterdir()] == ["xdg-open"]


@case
def without_a_browser_the_address_is_told():
    with tempfile.TemporaryDirectory() as folder:
        one = Studio(EXAMPLES, browser=(), env={**os.environ, "PATH": folder})
        assert one.get("")[0] == 200
        status, _, err = one.end()
        assert status == 0 and err.startswith("kalaba: warning: no browser is opened"), err
        assert f"the address is http://127.0.0.1:{one.port}/{one.token}/\n" in err, err


@case
def killed_while_it_saves_no_file_is_half_written():
    texts = {f"# {'x' * 200000} {i}\n" for i in range(2)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.kal")
        path.write_text(min(texts))
        for round_number in range(5):
            one = Studio(folder)
            saved = []

            def save(one=one, saved=saved):
                with contextlib.suppress(OSError, http.client.HTTPException):
                    for i in range(1000000):
                        text = sorted(texts)[i % 2]
                        saved.append(one.post("save", {"name": "a.kal", "text": text}))

            thread = threading.Thread(target=save)
            thread.start()
            wait_for(lambda saved=saved, n=round_number: len(saved) > 3 * n)
            time.sleep(0.003 * round_number) # another moment of the next one
            one.process.kill()
            one.process.communicate(timeout=HANG)
            thread.join(HANG)
            assert path.read_text() in texts, "a file is half written"


if __name__ == "__main__":
    main()
