"""Puts a server under hostile load, and reports whether its memory and its number of descriptors stay flat.

Usage: python3 soak.py SERVER [SECONDS]         mixed load and hostile peers under `mayhem`; 600 s by default
       python3 soak.py SERVER --idle [NUMBER]   a number of idle connections at once; 10000 by default

SERVER is a release build of `understudy`. Everything stays on loopback. Linux only: it reads /proc.
"""

import asyncio
import os
import random
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LOADERS = 24
HOSTILE = 8
SAMPLE_SECONDS = 5
# The limit of growth after the first third, in which buffers and tables reach their sizes. Journals are full before. Histories
# and responses stored under keys, at most 12 MiB per sandbox, still grow, and the allocator has slack.
MAXIMUM_GROWTH = 1.10
MAXIMUM_GROWTH_BYTES = 16 << 20


class Server:
    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name) / "port"
        self.process = subprocess.Popen(
            [binary, "--port", "0", "--port-file", file, "--seed", "1"], stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not (file.exists() and file.read_text().strip()):
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit("soak: the server did not come up")
            time.sleep(0.01)
        self.port = int(file.read_text())
        self.place = Path(f"/proc/{self.process.pid}")

    def memory(self):
        return int((self.place / "statm").read_text().split()[1]) * resource.getpagesize()

    def descriptors(self):
        return len(os.listdir(self.place / "fd"))

    def ask(self, line, body=b"", timeout=30):
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(message(line, body, "Connection: close"))
            reply = b""
            while part := connection.recv(1 << 16):
                reply += part
        return int(reply.split(b" ", 2)[1])

    def settles(self, descriptors, seconds=30):
        """Returns true as soon as the given number of descriptors is open, and false if it is not within the time limit."""
        end = time.monotonic() + seconds
        while self.descriptors() != descriptors and time.monotonic() < end:
            time.sleep(0.05)
        return self.descriptors() == descriptors

    def stop(self):
        self.process.terminate()
        self.process.wait()


def message(line, body=b"", *fields):
    head = [f"{line} HTTP/1.1", "Host: localhost", *fields]
    if body:
        head.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


def some_request(draw):
    box = draw.choice(["", "/@one", "/@two", "/@three", "/@four"])
    kind = draw.randrange(8)
    if kind == 0:
        key = f"Idempotency-Key: {draw.getrandbits(40)}"
        return message(f"POST {box}/book", b'{"name": "Ljerka"}', key)
    if kind == 1:
        body = b'{"meterPointDescription": "%d"}' % draw.randrange(1000)
        return message(f"PATCH {box}/devices/WWM-0001-12", body, f"Idempotency-Key: {draw.getrandbits(40)}")
    if kind == 2:
        return message(f"GET {box}/_mock/journal?limit=20")
    if kind == 3:
        return message(f"GET {box}/_mock/report")
    return message(f"GET {box}" + draw.choice(["/devices", "/users", "/rooms.json", "/activities", "/users/1"]))


async def load(port, end, draw, counts):
    while time.monotonic() < end:
        writer = None
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for _ in range(draw.randrange(1, 40)):
                writer.write(some_request(draw))
                await writer.drain()
                async with asyncio.timeout(1):
                    head = await reader.readuntil(b"\r\n\r\n")
                    lower = head.lower()
                    length = lower.partition(b"content-length: ")[2].partition(b"\r\n")[0]
                    await reader.readexactly(int(length or 0))
                counts["answers"] += 1
                if b"connection: close" in lower or b"chunked" in lower:
                    break
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError):
            counts["faults met"] += 1
        finally:
            if writer:
                writer.transport.abort()


HOSTILITIES = [
    b"", b"GET", b"GET /users HTTP/1.1\r\nHost", b"\x16\x03\x01\x00", b"bad\r\n\r\n", message("GET /users") * 300,
    message("POST /book", b"", "Content-Length: 99") + b"{", message("POST /book", b"", "Transfer-Encoding: chunked") + b"5\r\n{",
    message("GET /" + "a" * 9000), message("POST /book", b"", "Content-Length: 99999999"),
    message("GET /_mock/journal/stream"), message("GET /users/1", b"", "Expect: tea"),
]


async def hurt(port, end, draw, counts):
    while time.monotonic() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            peer = writer.get_extra_info("socket")
            writer.write(draw.choice(HOSTILITIES))
            ending = draw.randrange(3)
            if ending == 0:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif ending == 1:
                writer.write_eof()
                async with asyncio.timeout(0.5):
                    await reader.read(1 << 20)
            else:
                await asyncio.sleep(draw.random() * 0.2)
            counts["hostile peers"] += 1
        except (OSError, TimeoutError):
            counts["hostile peers"] += 1
        finally:
            writer.transport.abort()


async def soak(server, seconds):
    draw = random.Random(1)
    counts = {"answers": 0, "faults met": 0, "hostile peers": 0}
    begin = time.monotonic()
    end = begin + seconds
    tasks = [load(server.port, end, random.Random(draw.random()), counts) for _ in range(LOADERS)]
    tasks += [hurt(server.port, end, random.Random(draw.random()), counts) for _ in range(HOSTILE)]
    samples = []

    async def sample():
        while time.monotonic() < end:
            await asyncio.sleep(min(SAMPLE_SECONDS, max(0.1, end - time.monotonic())))
            samples.append((time.monotonic() - begin, server.memory(), server.descriptors()))
            at, memory, descriptors = samples[-1]
            print(f"{at:6.0f} s {memory / 2**20:8.1f} MiB {descriptors:5d} descriptors", flush=True)

    await asyncio.gather(sample(), *tasks)
    return samples, counts


def fill_journal(server, box):
    """Fills a sandbox's journal to its maximum number of entries and bytes before the faults begin."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        large = message(f"GET {box}/users/1", b"", "X-Filling: " + "x" * 30_000)
        small = message(f"GET {box}/users/1")
        for request, number, step in [(small, 10_000, 100), (large, 300, 10)]:
            for _ in range(number // step):
                connection.sendall(request * step)
                heads = b""
                while heads.count(b"HTTP/1.1 200") < step or not heads.endswith(b"}"):
                    heads += connection.recv(1 << 20)


def run_soak(server, seconds):
    for name in ["one", "two", "three", "four"]:
        server.ask("POST /_mock/sandboxes", b'{"name": "%s"}' % name.encode())
    for box in ["", "/@one", "/@two", "/@three", "/@four"]:
        fill_journal(server, box)
        server.ask(f"PUT {box}/_mock/scenario", b'"mayhem"')
    before = server.descriptors()
    samples, counts = asyncio.run(soak(server, seconds))
    is_flat = server.settles(before)
    later = [memory for at, memory, _ in samples if at >= seconds / 3]
    print(", ".join(f"{number} {name}" for name, number in counts.items()))
    print(f"memory {later[0] / 2**20:.1f} MiB after the first third, {later[-1] / 2**20:.1f} MiB at the end; "
          f"descriptors {before} before, {server.descriptors()} after")
    if server.ask("GET /_mock/health") != 200:
        return "the server does not answer any more"
    if not is_flat:
        return "descriptors were left behind"
    if max(later) > later[0] * MAXIMUM_GROWTH + MAXIMUM_GROWTH_BYTES:
        return "memory grew"
    return None


def run_idle(server, number):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    before = (server.memory(), server.descriptors())
    connections = []
    for _ in range(number):
        connections.append(socket.create_connection(("127.0.0.1", server.port), timeout=30))
    for connection in connections:
        connection.sendall(message("GET /users/1"))
    for connection in connections:
        if not connection.recv(1 << 12).startswith(b"HTTP/1.1 200"):
            return "a connection was not served"
    if not server.settles(before[1] + number):
        return "not all connections are held"
    # Idle connections release their buffers twice a second.
    time.sleep(1.5)
    held = (server.memory(), server.descriptors())
    answered = server.ask("GET /users/1")
    for connection in connections:
        connection.close()
    is_left_clean = server.settles(before[1])
    print(f"{number} idle connections: {before[0] / 2**20:.1f} MiB before, {held[0] / 2**20:.1f} MiB with them, "
          f"{(held[0] - before[0]) / number:.0f} bytes each; descriptors {before[1]}, {held[1]}, "
          f"{server.descriptors()} after")
    if answered != 200:
        return "no other client is served meanwhile"
    return None if is_left_clean else "descriptors were left behind"


def main():
    arguments = sys.argv[1:]
    is_idle = "--idle" in arguments
    arguments = [word for word in arguments if word != "--idle"]
    if not arguments:
        sys.exit(__doc__)
    server = Server(arguments[0])
    try:
        if is_idle:
            failure = run_idle(server, int(arguments[1]) if len(arguments) > 1 else 10_000)
        else:
            failure = run_soak(server, float(arguments[1]) if len(arguments) > 1 else 600)
    finally:
        server.stop()
    if failure:
        sys.exit("soak: " + failure)


if __name__ == "__main__":
    main()
