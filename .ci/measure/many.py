#!/usr/bin/env python3
"""Runs many instances at once by xargs -P and make -j, runs many tests on one by pytest-xdist, and measures an instance's cost.

Usage: .ci/measure/many.py PROGRAM

Each instance has its own free port, port file and state directory. The memory that docker/kubernetes.yaml requests must be
enough for an instance with a full journal.
"""

import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

RUNS = 64
AT_ONCE = 16
TESTS = 200
ROOT = Path(__file__).parents[2]
# More entries than a journal can hold.
REQUESTS = 40_000
BATCH = 200
PATIENCE = 60.0
PROGRAM = os.path.abspath(sys.argv[1])


def sharded(directory):
    """Runs many shards at once, and merges their cards."""
    script = (
        '"$1" run --seed "$2" --state "$3/state-$2" --report "$3/card-$2.json" -- '
        "sh -c 'for i in 1 2 3 4 5; do curl -sf $UNDERSTUDY_URL/devices >/dev/null || exit 1; done' >/dev/null"
    )
    seeds = "\n".join(str(seed) for seed in range(1, RUNS + 1))
    began = time.monotonic()
    subprocess.run(
        ["xargs", "-P", str(AT_ONCE), "-I", "{}", "sh", "-c", script, "sh", PROGRAM, "{}", directory],
        input=seeds, text=True, check=True, timeout=600)
    took = time.monotonic() - began
    cards = sorted(str(card) for card in Path(directory).glob("card-*.json"))
    assert len(cards) == RUNS, f"{len(cards)} cards of {RUNS} runs"
    merged = subprocess.run([PROGRAM, "report", "--merge", *cards], check=True, capture_output=True, text=True).stdout
    assert merged.startswith(f"Report card: {RUNS} cards, {RUNS} files, {RUNS * 5} exchanges\n"), merged
    print(f"{RUNS} runs, {AT_ONCE} at once, each with a state of its own: {took:.1f} s; one card of {RUNS * 5} exchanges")


def made(directory):
    """Runs one make target per instance: it starts a server with a port file, sends requests, and ends the server."""
    Path(directory, "Makefile").write_text(textwrap.dedent("""\
        SHARDS := $(addprefix shard-,$(shell seq $(COUNT)))
        all: $(SHARDS)
        $(SHARDS):
        \t@mkdir $@
        \t@$(PROGRAM) --port 0 --port-file $@/port --seed $(@:shard-%=%) >$@/log & server=$$!; \\
        \ttrap 'kill $$server' EXIT; \\
        \tuntil [ -s $@/port ]; do sleep 0.05; done; \\
        \tcurl -sf -o /dev/null -d '{"name": "Mina"}' http://127.0.0.1:$$(cat $@/port)/book && \\
        \tcurl -sf http://127.0.0.1:$$(cat $@/port)/@booking/rooms >$@/rooms
        """))
    began = time.monotonic()
    subprocess.run(
        ["make", "-s", "-C", directory, "-j", str(AT_ONCE), f"COUNT={RUNS}", f"PROGRAM={PROGRAM}"], check=True, timeout=600)
    files = [json.loads(path.read_text())["rooms"] for path in Path(directory).glob("shard-*/rooms")]
    spots = {tuple(room["spots"] for room in rooms) for rooms in files}
    assert len(files) == RUNS and len(spots) == 1, f"{len(files)} shards, with {len(spots)} states after one booking each"
    print(f"make -j {AT_ONCE}: {RUNS} servers of {RUNS} targets: {time.monotonic() - began:.1f} s; each had one booking")


def xdist(directory):
    """Runs the recipe for pytest with many tests in many processes, all on the server of one understudy run."""
    page = (ROOT / "Sources/Understudy/Understudy.docc/Recipes.md").read_text()
    recipe = page.partition("```python\n")[2].partition("```")[0]
    Path(directory, "test_many.py").write_text(recipe + textwrap.dedent(f"""\


        @pytest.mark.parametrize("number", range({TESTS}))
        def test_each_has_its_own_rooms(backend, number):
            origin = backend["urls"]["booking"]
            for _ in range(number % 3 + 1):
                request = urllib.request.Request(origin + "/book", b'{{"name": "Ljerka"}}')
                urllib.request.urlopen(request).close()
            with urllib.request.urlopen(origin + "/rooms") as response:
                spots = {{room["name"]: room["spots"] for room in json.load(response)["rooms"]}}
            assert spots["Ljerka"] == 43 - (number % 3 + 1)
        """))
    began = time.monotonic()
    done = subprocess.run(
        [PROGRAM, "run", "--", sys.executable, "-m", "pytest", "-q", "-n", str(AT_ONCE), "test_many.py"],
        cwd=directory, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0 and f"{TESTS + 1} passed" in done.stdout, done.stdout + done.stderr
    print(f"pytest -n {AT_ONCE}: {TESTS + 1} tests, a sandbox each, on one server: {time.monotonic() - began:.1f} s")


def start(directory, number):
    """Returns a server, its port, and the milliseconds from its start to its first response."""
    place = Path(directory, f"server-{number}")
    place.mkdir()
    began = time.monotonic()
    server = subprocess.Popen(
        [PROGRAM, "--port", "0", "--port-file", place / "port", "--state", place / "state"], stdout=subprocess.DEVNULL)
    while not (place / "port").exists():
        assert server.poll() is None, "a server ended at once"
        assert time.monotonic() - began < PATIENCE, "a server wrote no port file"
        time.sleep(0.0005)
    port = int((place / "port").read_text())
    ask(port, 1)
    return server, port, (time.monotonic() - began) * 1000


def ask(port, count):
    """Sends a number of requests on one connection, in batches, and reads all responses."""
    request = b"GET /devices/WWM-0001-12 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: many\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        while count > 0:
            batch = min(BATCH, count)
            connection.sendall(request * batch)
            answered, rest = 0, b""
            while answered < batch:
                piece = connection.recv(1 << 16)
                assert piece, "the server closed the connection"
                rest += piece
                answered += rest.count(b"HTTP/1.1 200")
                rest = rest[-11:]
            count -= batch


def resident(server):
    """Returns the resident memory in MiB."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def servers(directory):
    """Starts servers side by side, and measures their cost."""
    started = [start(directory, number) for number in range(AT_ONCE)]
    try:
        ports = {port for _, port, _ in started}
        assert len(ports) == AT_ONCE, f"{AT_ONCE} servers have {len(ports)} ports"
        rest = max(resident(server) for server, _, _ in started)
        first = statistics.median(milliseconds for _, _, milliseconds in started)
        ask(started[0][1], REQUESTS)
        used = resident(started[0][0])
    finally:
        for server, _, _ in started:
            server.send_signal(signal.SIGTERM)
    assert all(server.wait(PATIENCE) == 0 for server, _, _ in started), "a server did not end with 0"
    requested = int(re.search(r"requests: \{cpu: \d+m, memory: (\d+)Mi\}", Path("docker/kubernetes.yaml").read_text())[1])
    print(f"{AT_ONCE} servers at once: {rest:.0f} MiB each at rest, {first:.0f} ms to the first response; {used:.0f} MiB after "
          f"{REQUESTS} requests; {requested} MiB are requested")
    assert used <= requested, "docker/kubernetes.yaml requests less memory than an instance takes"


with tempfile.TemporaryDirectory() as directory:
    sharded(directory)
    made(directory)
    xdist(directory)
    servers(directory)
