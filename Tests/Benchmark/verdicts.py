#!/usr/bin/env python3
"""Prints the report card's verdicts about a naive client, and about the client library, under each built-in scenario.

Usage: python3 Tests/Benchmark/verdicts.py [--binary PATH] [--seed 1] [--library] [SCENARIO …]

The naive client does what many a first draft does: it tries each request up to four times, half a second apart, knows no
keys and no entity tags, gives up silently, and takes any status below 400 for a success. Its run lasts some 30 seconds;
all scenarios run side by side, each in a sandbox of its own.
With `--library`, the proof of the client library runs afterwards (`swift test`, which may build), and its verdicts stand
in the same table.
"""

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from servers import ROOT, built, until

DEVICES = ["WWM-0001-12", "CWM-0012-62", "HEA-8127-29", "HEA-5513-39"]
ROOMS = ["Ljerka", "Mostafa", "Helmold", "Painter", "Septima"]
ATTEMPTS, PAUSE, TIMEOUT = 4, 0.5, 5
# A check of the run and not of the client.
SKIPPED = {"faults-delivered"}


def ask(port, method, path, body=None):
    """Sends one request on a connection of its own. Returns its status and content."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    try:
        fields = {"Content-Type": "application/json"} if body is not None else {}
        fields["User-Agent"] = "naive/1"
        connection.request(method, path, None if body is None else json.dumps(body), fields)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def naively(port, method, path, body=None):
    for _ in range(ATTEMPTS):
        try:
            if ask(port, method, path, body)[0] < 400:
                return
        except (OSError, OverflowError, http.client.HTTPException):  # The size of a chunk may be no size.
            pass
        time.sleep(PAUSE)


def live(port, prefix):
    """A day: everything is looked at, and some of it is changed, again and again."""
    end = time.monotonic() + 30
    turn = 0
    while time.monotonic() < end:
        naively(port, "GET", prefix + "/devices")
        naively(port, "PATCH", f"{prefix}/devices/{DEVICES[turn % 4]}",
                {"installationDate": f"2026-0{turn % 9 + 1}-11T08:00:00Z"})
        naively(port, "GET", prefix + "/activities")
        naively(port, "GET", prefix + "/api/location/2165352/")
        naively(port, "POST", prefix + "/book", {"name": ROOMS[turn % 5]})
        naively(port, "GET", prefix + "/rooms.json")
        turn += 1
        time.sleep(1)


def judged(port, scenario, seed):
    """Runs the naive client under a scenario, and returns the ids of the failed checks and of those with a warning."""
    name = f"naive-{scenario}"
    control = {"name": name, "scenario": scenario, "seed": seed}
    status, content = ask(port, "POST", "/_mock/sandboxes", control)
    if status != 201:
        sys.exit(f"verdicts: {scenario}: {status} {content.decode()}")
    live(port, f"/@{name}")
    card = json.loads(ask(port, "GET", f"/@{name}/_mock/report?final=true")[1])
    ask(port, "DELETE", f"/_mock/sandboxes/{name}")
    checks = [check for check in card["checks"] if check["id"] not in SKIPPED]
    return [[check["id"] for check in checks if check["verdict"] == verdict] for verdict in ("fail", "warn")]


def of_library():
    """Returns the table of the library's proof: for each scenario the number of failed checks, and the warnings."""
    environment = dict(os.environ, UNDERSTUDY_PROOF_SEEDS="1")
    command = ["swift", "test", "--filter", "ProofTests/everyScenario"]
    text = subprocess.run(command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True).stdout
    rows = re.findall(r"^([\w-]+) +((?:\d+ +){8}\d+)(?:  (.*))?$", text, re.MULTILINE)
    if not rows:
        sys.exit(f"verdicts: the proof printed no table:\n{text[-2_000:]}")
    return {name: (numbers.split()[-1], warnings or "–") for name, numbers, warnings in rows}


def main():
    parser = argparse.ArgumentParser(description="The report card's verdicts about a naive client.")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO")
    parser.add_argument("--binary")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--library", action="store_true")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary) if options.binary else built()
    listed = subprocess.run([binary, "scenarios"], capture_output=True, text=True, check=True).stdout
    scenarios = options.scenarios or [line.split()[0] for line in listed.splitlines() if line[:1].strip()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "port")
        server = subprocess.Popen(
            [binary, "--port", "0", "--port-file", str(file), "--log", "off"], stdout=subprocess.DEVNULL)
        try:
            until(lambda: file.exists() and file.read_text().strip(), seconds=120)
            port = int(file.read_text())
            with ThreadPoolExecutor(len(scenarios)) as pool:
                found = list(pool.map(lambda name: judged(port, name, options.seed), scenarios))
        finally:
            server.terminate()
            server.wait()
    library = of_library() if options.library else {}
    print("| scenario | naive client: fails | warnings |" + (" library: fails | warnings |" if library else ""))
    print("|---|---|---|" + ("---|---|" if library else ""))
    for scenario, (fails, warnings) in zip(scenarios, found, strict=True):
        cells = [scenario, ", ".join(fails) or "–", ", ".join(warnings) or "–"]
        if library:
            cells += library.get(scenario, ("?", "?"))
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
