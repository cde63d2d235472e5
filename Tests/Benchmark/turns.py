#!/usr/bin/env python3
"""Measures the longest turn of Understudy's event loop under heavy loads, each on its own server.

Usage: python3 Tests/Benchmark/turns.py [--binary PATH] [--limit 5] [--first] [--rounds 1] [CASE …]

A turn is the loop's work between two polls; no other request is answered meanwhile. The server measures its turns by the
clock, so on a busy machine an interrupted turn counts as a long one. As root, `--first` gives the loop's thread real-time
priority; Linux takes 50 ms of each second from such a thread that never rests.
"CPU" is the processor time of the loop's thread over the whole case, in all its turns: where it is less than the longest
turn, that turn was interrupted by other processes. "Waited" is the time for which the thread was ready and no processor ran it:
where it is almost nothing, the longest turn is the loop's own, unless it waited for a lock or for memory. Of several rounds, the one
with the shortest longest turn is shown.
"Before" is the longest turn while the case was prepared. "Health" is the slowest response to a client that requested
`/_mock/health` all the time. The exit code is 1 if a turn was longer than `--limit` milliseconds.
"""

import argparse
import json
import multiprocessing
import os
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from servers import ROOT, built, until

CASES = {}


def case(title, *arguments):
    def add(body):
        CASES[body.__name__.replace("_", "-")] = (title, arguments, body)
        return body
    return add


class Client:
    """A persistent connection."""

    def __init__(self, port):
        self.port = port
        self.reconnect()

    def reconnect(self):
        self.connection = socket.create_connection(("127.0.0.1", self.port), timeout=120)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def send(self, method, path, body=None, fields=()):
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(content)}", *fields]
        if content and not any(field.lower().startswith("content-type") for field in fields):
            lines.append("Content-Type: application/json")
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode() + content)

    def receive(self):
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1])
        length = next((int(line[15:]) for line in lines if line.lower().startswith("content-length:")), 0)
        pieces, count = [self.buffer], len(self.buffer)
        while count < length:
            piece = self.connection.recv(1 << 20)
            if not piece:
                raise ConnectionError("the server ended the connection")
            pieces.append(piece)
            count += len(piece)
        content = b"".join(pieces)
        self.buffer = content[length:]
        return status, content[:length]

    def fill(self):
        piece = self.connection.recv(1 << 16)
        if not piece:
            raise ConnectionError("the server ended the connection")
        self.buffer += piece

    def ask(self, method, path, body=None, fields=(), expect=None):
        self.send(method, path, body, fields)
        status, content = self.receive()
        if not (status < 400 if expect is None else status == expect):
            sys.exit(f"turns: {method} {path[:80]}: {status} {content[:300]}")
        return content

    def repeat(self, count, method, path, body=None, fields=()):
        """Sends one request many times, several of them pipelined."""
        for done in range(0, count, 50):
            for _ in range(min(50, count - done)):
                self.send(method, path, body, fields)
            for _ in range(min(50, count - done)):
                self.receive()


class Server(Client):
    def __init__(self, binary, arguments, is_first):
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name, "port")
        places = [argument.format(folder=self.folder.name) for argument in arguments]
        if "--data" in places:
            large_data(self.folder.name)
        self.process = subprocess.Popen(
            [binary, "--port", "0", "--port-file", str(file), *places], stdout=subprocess.DEVNULL)
        until(lambda: file.exists() and file.read_text().strip(), seconds=120)
        super().__init__(int(file.read_text()))
        self.loop = self.busiest_thread()
        if is_first:
            # The threads that it starts do not inherit the priority.
            os.sched_setscheduler(
                int(self.loop.name), os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))

    def busiest_thread(self):
        """Returns the folder of the thread that serves requests: Dispatch has one that waits in a poll, too."""
        def times():
            return {task: processor_time(task) for task in Path(f"/proc/{self.process.pid}/task").iterdir()}

        before = times()
        self.repeat(500, "GET", "/_mock/health")
        return max((time - before.get(task, 0), task) for task, time in times().items())[1]

    def loop_times(self):
        """Returns the processor time of the loop's thread so far, and the time that it waited for a processor."""
        return processor_time(self.loop), waiting_time(self.loop)

    def longest_turn(self):
        page = self.ask("GET", "/_mock/metrics").decode()
        line = next(line for line in page.split("\n") if line.startswith("understudy_longest_turn_seconds "))
        return float(line.split()[1]) * 1000

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def processor_time(task):
    """Returns the processor time of a thread in milliseconds."""
    return int(Path(task, "schedstat").read_text().split()[0]) / 1e6


def waiting_time(task):
    """Returns the time that a thread was ready to run and did not run, in milliseconds."""
    return int(Path(task, "schedstat").read_text().split()[1]) / 1e6


def watch(port, pipe):
    """Requests the health until it is stopped, and reports the slowest response in milliseconds."""
    client, slowest = Client(port), 0
    pipe.send("ready")
    while not pipe.poll():
        began = time.monotonic()
        client.ask("GET", "/_mock/health")
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.0005)
    pipe.send(slowest * 1000)


def measure(binary, key, is_first):
    title, arguments, body = CASES[key]
    server = Server(binary, arguments, is_first)
    try:
        steps = body(server)
        next(steps)
        server.longest_turn()
        prepared = server.longest_turn()
        pipe, other = multiprocessing.Pipe()
        watcher = multiprocessing.Process(target=watch, args=(server.port, other), daemon=True)
        watcher.start()
        pipe.recv()
        times = server.loop_times()
        next(steps, None)
        used, waited = (after - before for before, after in zip(times, server.loop_times(), strict=True))
        time.sleep(0.1)
        pipe.send("stop")
        slowest = pipe.recv()
        watcher.join()
        # The server closes a connection that was idle for long.
        server.reconnect()
        server.longest_turn()
        longest = server.longest_turn()
    finally:
        server.stop()
    row = (f"| {key} | {title} | {prepared:.1f} | {longest:.1f} | {used:.1f} | {waited:.1f} | {slowest:.1f} |")
    return longest, row


def least(binary, key, options):
    """Measures a case several times, prints the best round, and returns its longest turn."""
    longest, row = min(measure(binary, key, options.first) for _ in range(options.rounds))
    print(row, flush=True)
    return longest


def large_data(folder):
    """Writes 31 MB of data files."""
    text = "x" * 1_000
    devices = [{"id": f"D-{i}", "type": "heating", "meterPointDescription": text, "installationDate": None}
               for i in range(14_000)]
    Path(folder, "devices.json").write_text(json.dumps(devices))
    user = json.loads(Path(ROOT, "Seeds/users.json").read_text())[0]
    users = [dict(user, id=i, name=text) for i in range(1, 11_001)]
    Path(folder, "users.json").write_text(json.dumps(users))


def armed(server, rules, fields=()):
    server.ask("PUT", "/_mock/scenario", {"name": "armed", "rules": rules}, fields)


def idle_rules(count, **match):
    return [{"name": f"idle {i}", "match": match, "when": {"chance": "1/2"}, "effect": {"latency": "1us"}}
            for i in range(count)]


@case("nothing but health")
def nothing(server):
    yield
    time.sleep(1)


@case("100 rules of rivals, advanced by an hour, five times")
def rivals(server):
    rules = [{"name": f"r{i}", "effect": {"rivals": {"every": "10ms", "books": 100}}} for i in range(100)]
    server.ask("PATCH", "/_mock/state", {"booking": {"rooms": [{"name": "A", "spots": 100_000}]}})
    armed(server, rules)
    yield
    for _ in range(5):
        server.ask("PATCH", "/_mock/clock", {"advance": "1h"})
        server.ask("GET", "/rooms.json")
        time.sleep(0.6)


@case("1,000 sandboxes with rivals that are due all the time")
def rush(server):
    rivals = {"rules": [{"effect": {"rivals": {"every": "10ms", "books": 100}}}]}
    for i in range(1_000):
        server.ask("POST", "/_mock/sandboxes", {"name": f"rush-{i}", "scenario": rivals})
    yield
    time.sleep(3)


@case("the plan of 1,000 requests under 1,000 rules, five times")
def plan(server):
    armed(server, idle_rules(1_000, api="devices"))
    yield
    for _ in range(5):
        server.ask("GET", "/_mock/plan?method=GET&path=/devices&count=1000")


@case("1,000 streams of a journal of 10,000 entries, none of them read")
def streams(server):
    server.repeat(10_000, "GET", "/users/1")
    yield
    readers = [Client(server.port) for _ in range(1_000)]
    for reader in readers:
        reader.send("GET", "/_mock/journal/stream?after=0")
    time.sleep(3)
    server.repeat(500, "GET", "/users/1")
    for reader in readers:
        reader.connection.close()


@case("a journal of 10,000 entries read ten times, while it is written")
def journal(server):
    server.repeat(12_000, "GET", "/users/1", fields=["X-Padding: " + "x" * 300])
    yield
    reader = Client(server.port)
    for _ in range(10):
        reader.send("GET", "/_mock/journal")
        server.repeat(100, "GET", "/users/1")
        reader.receive()


@case("report and journal of 12,000 writes, refusals and retries, while they come")
def report(server):
    server.ask("PATCH", "/_mock/state", {"booking": {"rooms": [{"name": "A", "spots": 100_000}]}})
    for i in range(12_000):
        fields = [] if i % 3 else ["Prefer: code=503"]
        if i % 4 == 0:
            fields.append(f"Idempotency-Key: k{i // 8}")
        server.send("POST", "/book", {"name": "A"}, fields)
        server.receive()
    yield
    reader = Client(server.port)
    for target in ["report", "report?format=html", "report?format=junit", "journal?format=har"] * 2:
        reader.send("GET", "/_mock/" + target)
        for _ in range(50):
            server.ask("POST", "/book", {"name": "A"})
        reader.receive()


def members(count):
    return b"{" + b",".join(b'"%d":%d' % (i, i % 10) for i in range(count)) + b"}"


@case("75,000 members in a merge patch of a user, of a device and of the state")
def patches(server):
    yield
    content = members(75_000)
    for _ in range(3):
        server.ask("PATCH", "/users/1", content)
        server.ask("POST", "/users", content)
        server.ask("PATCH", "/devices/WWM-0001-12", content, expect=400)
        server.ask("PATCH", "/_mock/state", b'{"house":' + content + b"}", expect=400)
        server.ask("PATCH", "/_mock/state", b'{"devices":' + content + b"}", expect=400)


@case("11,000 users of 1.4 KB under 100 filters, and all of them", "--data", "{folder}")
def filters(server):
    yield
    query = "&".join(f"name_like=n{i}" for i in range(100))
    for _ in range(3):
        server.ask("GET", "/users?" + query)
        server.ask("GET", "/users")


@case("9,999 sandboxes, listed ten times; the metrics, too")
def sandboxes(server):
    for i in range(0, 9_999, 33):
        for n in range(33):
            server.send("POST", "/_mock/sandboxes", {"name": f"s-{i + n}"})
        for _ in range(33):
            server.receive()
    yield
    for _ in range(10):
        server.ask("GET", "/_mock/sandboxes")
        server.ask("GET", "/_mock/metrics")


@case("31 MB of data: read, patched, reset, kept and restored", "--data", "{folder}")
def data(server):
    yield
    for i in range(3):
        server.ask("GET", "/devices")
        server.ask("GET", "/users")
        server.ask("PATCH", "/devices/D-7", {"meterPointDescription": f"{i}"})
        server.ask("GET", "/devices")
        server.ask("PATCH", "/_mock/state", {"house": {"temperature": 30 + i}})
        server.ask("PUT", f"/_mock/snapshots/s{i}")
        server.ask("PATCH", "/_mock/state", {"devices": []})
        server.ask("GET", "/_mock/state")
        server.ask("POST", f"/_mock/snapshots/s{i}/restore")
        server.ask("POST", "/_mock/reset")


@case("31 MB of data: ten sandboxes with data of their own made and deleted", "--data", "{folder}")
def copies(server):
    yield
    for i in range(10):
        server.ask("POST", "/_mock/sandboxes", {"name": f"c{i}", "data": {"users": [], "house": {"temperature": 3}}})
    for i in range(10):
        server.ask("PATCH", f"/@c{i}/_mock/state", {"devices": []})
        server.ask("DELETE", f"/_mock/sandboxes/c{i}")


@case("31 MB of data files that change while they are watched", "--data", "{folder}", "--watch")
def watched(server):
    server.ask("POST", "/_mock/sandboxes", {"name": "one"})
    yield
    file = Path(server.folder.name, "devices.json")
    for _ in range(3):
        file.write_text(json.dumps(json.loads(file.read_text())[:-1]))
        time.sleep(2)


@case("2,000 sandboxes that restart with changed data files, three times", "--data", "{folder}", "--watch")
def restarted(server):
    for i in range(2_000):
        server.ask("POST", "/_mock/sandboxes", {"name": f"w-{i}"})
    yield
    file = Path(server.folder.name, "devices.json")
    for _ in range(3):
        file.write_text(json.dumps(json.loads(file.read_text())[:-1]))
        time.sleep(3)


@case("30 streams of 1,000 rooms at 30 authorities, while rooms are booked")
def rooms(server):
    names = [f"room {i}" for i in range(1_000)]
    server.ask("PATCH", "/_mock/state", {"booking": {"rooms": [{"name": name, "spots": 9} for name in names]}})
    readers = [Client(server.port) for _ in range(30)]
    yield
    for i, reader in enumerate(readers):
        reader.send("GET", "/@booking/rooms/stream", fields=[f"X-Forwarded-Host: host-{i}"])
    for name in names[:200]:
        server.ask("POST", "/book", {"name": name})


@case("300 sandboxes of 100 requests each that expire together")
def expiry(server):
    for i in range(300):
        server.ask("POST", "/_mock/sandboxes", {"name": f"e-{i}", "ttl": "4s"})
    for i in range(300):
        server.repeat(100, "POST", f"/@e-{i}/book", {"name": "Ljerka"}, ["Prefer: code=503"])
    yield
    time.sleep(6)


@case("a scenario of 1,000 rules armed ten times, and 300 sandboxes made with it")
def arming(server):
    rules = [{"name": f"rule {i}" + "x" * 80, "match": {"api": "devices", "path": f"/devices/{i}"},
              "when": {"chance": "1/2", "from": f"{i}s", "every": "3h"}, "effect": {"status": 503}}
             for i in range(1_000)]
    yield
    for _ in range(10):
        armed(server, rules)
        server.ask("GET", "/_mock/scenario")
        server.ask("PATCH", "/_mock/scenario", {"seed": 7})
        server.ask("GET", "/devices/WWM-0001-12")
    for i in range(300):
        server.ask("POST", "/_mock/sandboxes", {"name": f"a-{i}", "scenario": {"rules": rules[:100]}})


@case("5,000 responses that are due at the same time, after 100 ms")
def delays(server):
    clients = [Client(server.port) for _ in range(5_000)]
    server.ask("POST", "/_mock/sandboxes", {"name": "slow"})
    yield
    for client in clients:
        client.send("GET", "/users/1", fields=["Understudy-Sandbox: slow", "Prefer: delay=100ms"])
    for client in clients:
        client.receive()


@case("5,000 responses that the network switch held, released together")
def held(server):
    clients = [Client(server.port) for _ in range(5_000)]
    sandbox = ["Understudy-Sandbox: held"]
    server.ask("POST", "/_mock/sandboxes", {"name": "held"})
    server.ask("PATCH", "/_mock/network", {"state": "held"}, fields=sandbox)
    for client in clients:
        client.send("GET", "/users/1", fields=sandbox)
    # The last of these entries has the highest id; the switch has an entry, too.
    while json.loads(server.ask("GET", f"/_mock/journal?before={1 << 60}&limit=1", fields=sandbox))[
            "entries"][0]["id"] <= len(clients):
        time.sleep(0.01)
    yield
    server.ask("PATCH", "/_mock/network", {"state": "online"}, fields=sandbox)
    for client in clients:
        client.receive()


@case("5,000 requests that time out together, after 20 s")
def timeouts(server):
    clients = [Client(server.port) for _ in range(5_000)]
    yield
    for client in clients:
        client.connection.sendall(b"GET /users/1 HT")
    for client in clients:
        client.fill()


@case("5,000 writes at once whose state goes to the disk", "--state", "{folder}/state")
def commits(server):
    clients = [Client(server.port) for _ in range(5_000)]
    server.ask("PATCH", "/_mock/state", {"booking": {"rooms": [{"name": "A", "spots": 100_000}]}})
    yield
    for client in clients:
        client.send("POST", "/book", {"name": "A"})
    for client in clients:
        client.receive()


@case("5,000 connections that an outage resets together")
def outage(server):
    clients = [Client(server.port) for _ in range(5_000)]
    server.ask("POST", "/_mock/sandboxes", {"name": "lost"})
    for client in clients:
        client.ask("GET", "/users/1", fields=["Understudy-Sandbox: lost"])
    yield
    server.ask("PATCH", "/_mock/network", {"state": "offline"}, fields=["Understudy-Sandbox: lost"])


@case("fields of 30 KB under 1,000 rules that look into them")
def globs(server):
    fields = idle_rules(1_000, header={"X-Build": "*a*aab*"})
    armed(server, fields)
    server.ask("POST", "/_mock/sandboxes", {"name": "paths", "scenario": {"rules": idle_rules(1_000, path="/**/*aab*")}})
    yield
    for i in range(5):
        server.ask("GET", "/devices", fields=["X-Build: " + "a" * 30_000])
        server.ask("GET", f"/@paths/devices/{i}" + "a" * 7_000, expect=404)


@case("replies of 1 MB with drift, corrupt, stale and wrong-type")
def damage(server):
    yield
    content = members(75_000)
    for fault in ["drift", "corrupt", "wrong-type", "captive-portal", "truncate", "bad-chunk", "garbage"]:
        client = Client(server.port)
        client.send("POST", "/users", content, [f"Prefer: fault={fault}"])
        client.send("POST", "/users", content, [f'Prefer: fault={fault}; phase="after"'])
        time.sleep(0.5)
        client.connection.close()


@case("Prefer, query, path and Idempotency-Key of the greatest length")
def fields(server):
    yield
    for _ in range(20):
        server.ask("GET", "/devices", fields=["Prefer: " + "delay=1ms, " * 2_700])
        server.ask("GET", "/users?" + "a&" * 3_900)
        server.ask("GET", "/devices/" + "a/" * 3_900, expect=404)
        server.ask("GET", "/devices/" + "%41" * 2_500, expect=404)


@case("the eight pictures, and ten that are new, while 6 long jobs wait", "--data", "{folder}")
def pictures(server):
    rooms = [{"name": f"Room {i}", "spots": 1} for i in range(10)]
    names = [room["name"] for room in json.loads(server.ask("GET", "/rooms.json"))["rooms"]]
    server.ask("POST", "/_mock/sandboxes", {"name": "new", "data": {"booking": {"rooms": rooms}}})
    yield
    query = "&".join(f"name_like=n{i}" for i in range(100))
    with ThreadPoolExecutor(30) as pool:
        jobs = [("GET", "/users?" + query)] * 6 + [("GET", f"/image/{name}") for name in names]
        jobs += [("GET", f"/@new/image/Room%20{i}") for i in range(10)]
        list(pool.map(lambda job: Client(server.port).ask(*job), jobs))


def main():
    parser = argparse.ArgumentParser(description="The longest turns of the event loop.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--binary")
    parser.add_argument("--limit", type=float, default=5)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    if unknown := [name for name in options.cases if name not in CASES]:
        parser.error(f"there is no case {unknown[0]}; expected some of {', '.join(CASES)}")
    binary = os.path.abspath(options.binary) if options.binary else built()
    print("| case | load | longest turn before, ms | longest turn, ms | CPU, ms | waited, ms | slowest health, ms |")
    print("|---|---|---|---|---|---|---|")
    longest = {key: least(binary, key, options) for key in options.cases or CASES}
    over = [key for key, turn in longest.items() if turn > options.limit]
    if over:
        sys.exit(f"turns: longer than {options.limit:g} ms: {', '.join(over)}")


if __name__ == "__main__":
    main()
