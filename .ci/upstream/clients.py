"""Compares what clients of well-known libraries get from a backend with what they get through the server.

Usage: clients.py SERVER    SERVER is the program understudy.

The clients are curl, requests, httpx, node's fetch, and HttpURLConnection and HttpClient of the JDK; the backends are one on
http.server, which echoes what it received, and understudy itself. Each client makes the same calls at two new backends, one of
them behind a calm server. A client in another language reads a table whose lines are NAME, METHOD, TARGET, FIELDS, the SIZE of the
content or -1, and "chunked" or nothing, separated by tabs, and the fields by U+001F. It prints NAME, STATUS, FIELDS and the content
as hexadecimal digits; "impossible" as STATUS is a call for which it has no method.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx
import requests
from running import PROGRAM, WAIT, Failures, Running, in_front, neutral

HERE = Path(__file__).resolve().parent
PATTERN = bytes(number * 31 % 251 for number in range(1 << 20))


def content(size, mode):
    """Returns the content of a call for a library of Python."""
    if size < 0:
        return None
    return iter([PATTERN[:size]]) if mode else PATTERN[:size]


def with_requests(url, _, calls):
    with requests.Session() as session:
        for name, method, path, fields, size, mode in calls:
            response = session.request(
                method, url + path, headers=dict(fields), data=content(size, mode), allow_redirects=False, timeout=WAIT)
            yield name, str(response.status_code), list(response.raw.headers.items()), response.content


def with_httpx(url, _, calls):
    with httpx.Client(timeout=WAIT) as client:
        for name, method, path, fields, size, mode in calls:
            response = client.request(method, url + path, headers=fields, content=content(size, mode))
            yield name, str(response.status_code), response.headers.multi_items(), response.content


def with_curl(url, _, calls):
    with tempfile.TemporaryDirectory() as directory:
        head, body, sent = (Path(directory) / name for name in ("head", "body", "sent"))
        for name, method, path, fields, size, mode in calls:
            command = ["curl", "-s", "-D", head, "-o", body, url + path]
            command += ["-I"] if method == "HEAD" else ["-X", method]
            for field, value in fields:
                command += ["-H", f"{field}: {value}"]
            if size >= 0:
                command += ["-T", "-"] if mode else ["--data-binary", f"@{sent}"]
            sent.write_bytes(PATTERN[: max(size, 0)])
            body.write_bytes(b"")
            with sent.open("rb") as given:
                subprocess.run(command, check=True, stdin=given, timeout=WAIT)
            # Before it may be 100, and after it trailer fields.
            blocks = [block for block in head.read_bytes().decode("latin-1").split("\r\n\r\n") if block.startswith("HTTP/")]
            status, *lines = blocks[-1].split("\r\n")
            received = [tuple(part.strip() for part in line.split(":", 1)) for line in lines]
            yield name, status.split()[1], received, b"" if method == "HEAD" else body.read_bytes()


def by_table(*command):
    """Returns a client that is a program of another language; None if that is not installed."""
    if shutil.which(command[0]) is None:
        return None

    def run(url, table, _):
        output = subprocess.run([*command, url, table], check=True, stdout=subprocess.PIPE, text=True, timeout=WAIT * 2).stdout
        for line in output.splitlines():
            name, status, fields, digits = line.split("\t")
            yield name, status, [tuple(field.split(": ", 1)) for field in fields.split("\x1f") if field], bytes.fromhex(digits)

    return run


CLIENTS = {
    "curl": with_curl, "requests": with_requests, "httpx": with_httpx, "fetch": by_table("node", HERE / "fetch.mjs"),
    "HttpURLConnection": by_table("java", HERE / "Clients.java", "HttpURLConnection"),
    "HttpClient": by_table("java", HERE / "Clients.java", "java.net.http"),
}

JSON = ("Content-Type", "application/json")
ECHO_CALLS = [
    ("GET", "GET", "/document", [], -1, ""),
    ("HEAD", "HEAD", "/document", [], -1, ""),
    ("304", "GET", "/document", [("If-None-Match", '"v1"')], -1, ""),
    ("PATCH", "PATCH", "/document", [("If-Match", '"v1"'), JSON], 20, ""),
    ("PATCH 412", "PATCH", "/document", [("If-Match", '"v1"'), JSON], 20, ""),
    ("PUT", "PUT", "/document", [("If-Match", '"v2"'), JSON], 20, ""),
    ("chunked", "POST", "/echo", [("Content-Type", "text/plain")], 100_000, "chunked"),
    ("1 MiB up", "POST", "/echo?a=1&b=%20", [("Content-Type", "application/octet-stream")], 1 << 20, ""),
    ("empty POST", "POST", "/echo", [], 0, ""),
    ("bare POST", "POST", "/echo", [], -1, ""),
    ("GET with fields", "GET", "/echo?x", [("X-One", "1"), ("Cookie", "a=1; b=2"), ("Authorization", "Bearer t"), ("Prefer", "return=minimal")], -1, ""),
    ("DELETE", "DELETE", "/echo", [], -1, ""),
    ("OPTIONS", "OPTIONS", "/echo", [("Origin", "http://a.example"), ("Access-Control-Request-Method", "PUT")], -1, ""),
    ("gzip", "GET", "/zipped", [("Accept-Encoding", "gzip")], -1, ""),
    ("HEAD gzip", "HEAD", "/zipped", [("Accept-Encoding", "gzip")], -1, ""),
    ("1 MiB down", "GET", "/large", [], -1, ""),
    ("HEAD 1 MiB", "HEAD", "/large", [], -1, ""),
    # HttpURLConnection takes a trailer field for one of the head, and the server drops it.
    ("chunks down", "GET", "/chunks", [], -1, ""),
    ("until close", "GET", "/until-close", [], -1, ""),
    ("204", "GET", "/nothing", [], -1, ""),
    ("cookies", "GET", "/cookies", [], -1, ""),
    ("redirect", "GET", "/old", [], -1, ""),
    ("422", "POST", "/refused", [JSON], 2, ""),
    ("401", "GET", "/login", [], -1, ""),
    ("404", "GET", "/none", [], -1, ""),
    ("escapes", "GET", "/%C3%A4%2Fb;c=1/../d?q=%26&r=a+b", [], -1, ""),
]
DEVICE = "/devices/CWM-0012-62"
UNDERSTUDY_CALLS = [
    ("GET", "GET", DEVICE, [], -1, ""),
    ("HEAD", "HEAD", DEVICE, [], -1, ""),
    ("304", "GET", DEVICE, [("If-None-Match", "TAG")], -1, ""),
    ("PATCH", "PATCH", DEVICE, [("If-Match", "TAG"), JSON], 20, ""),
    # The list of devices has the time at which the server started.
    ("list", "GET", "/users", [], -1, ""),
    ("users", "GET", "/users?_limit=3", [], -1, ""),
    ("POST", "POST", "/users", [JSON], 20, ""),
    ("chunked", "POST", "/users", [JSON], 2_000, "chunked"),
    ("rooms", "GET", "/rooms", [], -1, ""),
    ("405", "DELETE", "/devices", [], -1, ""),
    ("404", "GET", "/none", [], -1, ""),
    ("preflight", "OPTIONS", "/devices", [("Origin", "http://a.example"), ("Access-Control-Request-Method", "PATCH")], -1, ""),
    ("range", "GET", "/users", [("Range", "bytes=0-9")], -1, ""),
    ("openapi", "GET", "/openapi.yaml", [], -1, ""),
]


def seen(client, url, table, calls, *origins):
    """Returns what a client sees of each call. Only a response to HEAD has a length that says more than its content."""
    methods = {call[0]: call[1] for call in calls}
    return [
        (name, status, neutral([field for field in fields if field[0].lower() != "x-sum"], *origins),
         [value for field, value in fields if field.lower() == "content-length" and methods[name] == "HEAD"], received)
        for name, status, fields, received in client(url, table, calls)]


def compare(failures, label, command, calls):
    for name, client in CLIENTS.items():
        if client is None:
            print(f"NOT CHECKED: {label}, {name}, whose language is not installed")
            continue
        with Running(command) as alone, Running(command) as behind, in_front(behind) as front, tempfile.TemporaryDirectory() as directory:
            # Both backends get the same requests.
            tag = [requests.get(url + DEVICE, timeout=WAIT).headers.get("ETag", "") for url in (alone.url, behind.url)][0]
            filled = [(*call[:3], [(field, value.replace("TAG", tag)) for field, value in call[3]], *call[4:]) for call in calls]
            table = Path(directory) / "calls.tsv"
            table.write_text("".join(
                "\t".join([*call[:3], "\x1f".join(f"{field}: {value}" for field, value in call[3]), str(call[4]), call[5]]) + "\n"
                for call in filled))
            expected = seen(client, alone.url, table, filled, alone.url)
            found = seen(client, front.url, table, filled, front.url, behind.url)
        failures.expect([call[0] for call in found] == [call[0] for call in calls], f"{label}, {name}: {len(found)} of {len(calls)} calls")
        for before, after in zip(expected, found, strict=True):
            failures.expect(before == after, f"{label}, {name}: {before[0]}\n  alone  {before}\n  behind {after}"[:2_000])
        possible = sum(call[1] != "impossible" for call in found)
        print(f"{label}, {name}: {possible} of {len(calls)} calls compared")


def main():
    failures = Failures()
    compare(failures, "http.server", [sys.executable, str(HERE / "echo_backend.py")], ECHO_CALLS)
    compare(failures, "understudy", [PROGRAM, "serve", "--port"], UNDERSTUDY_CALLS)
    if failures:
        sys.exit(f"{len(failures)} failed")


main()
