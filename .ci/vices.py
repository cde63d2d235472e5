"""Has clients of one API do each known wrong, and one do none, and compares what the report card says of them.

Usage: vices.py SERVER LIST ITEM BODY WRONG    SERVER is the program understudy; LIST and ITEM are paths, BODY is a body
that ITEM's PATCH takes and WRONG one that it refuses.
"""
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

RESET_AFTER = {"when": {"first": 1}, "match": {"changes": True}, "phase": "after", "effect": {"fault": "reset"}}
BUSY = {"effect": {"status": 503}}
BUSY_FOR_A_WHILE = {"effect": {"status": 503, "retryAfter": "5s"}}
SILENT = {"effect": {"fault": "hang"}}
OVERLOAD = {"when": {"until": "1s"}, "effect": {"status": 503}}


def ask(method, path, body=None, timeout=10.0):
    """The status and the body, or (None, "") where no whole response came."""
    place = urllib.parse.urlsplit(os.environ["UNDERSTUDY_URL"])
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=timeout)
    try:
        headers = {"Content-Type": "application/json", "Understudy-Client": "round"}
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    except (OSError, http.client.HTTPException):
        return None, ""
    finally:
        connection.close()


def repeated(method, path, body, waits):
    ask(method, path, body)
    for wait in waits:
        time.sleep(wait)
        ask(method, path, body)


def reads_back(listing, item, body, _):
    """Does no wrong: it looks after what it does not know, and repeats the write that was not done."""
    status, _ = ask("PATCH", item, body)
    if status is None:
        time.sleep(0.3)
        ask("GET", listing)
    ask("PATCH", item, body)


def stampedes(listing, item, body, _):
    """Sends many requests in an overload, and all of them again at once when it is over."""
    for _ in range(2):
        crowd = [threading.Thread(target=ask, args=("GET", f"{listing}?n={n}")) for n in range(30)]
        for one in crowd:
            one.start()
        for one in crowd:
            one.join()
        time.sleep(1.2)


def waits_alike(listing, item, body, _):
    for n in range(6):
        repeated("GET", f"{listing}?n={n}", None, [0.3])


# The clients by name: what goes wrong, what the client does, and the check that is to speak of it (none for a good client).
CLIENTS = {
    "reads back": (RESET_AFTER, reads_back, None),
    "forgets a lost write": (
        RESET_AFTER, lambda listing, item, body, wrong: ask("PATCH", item, body), "lost-reply-followed-up"),
    "insists": (
        BUSY, lambda listing, item, body, wrong: repeated("GET", listing, None, [0.1 * 1.3 ** n for n in range(11)]),
        "retry-amplification"),
    "retries like a clock": (
        BUSY, lambda listing, item, body, wrong: repeated("PATCH", item, body, [0.3] * 5), "backoff-grows"),
    "is deaf to Retry-After": (
        BUSY_FOR_A_WHILE, lambda listing, item, body, wrong: repeated("PATCH", item, body, [0.3, 0.7, 1.5]),
        "retry-after-honoured"),
    "repeats what was refused": (
        None, lambda listing, item, body, wrong: repeated("PATCH", item, wrong, [0.2, 0.5, 1.1]), "no-retry-of-4xx"),
    "never asks whether it changed": (
        None, lambda listing, item, body, wrong: repeated("GET", listing, None, [0.2] * 8), "conditional-requests"),
    "has no patience": (
        SILENT, lambda listing, item, body, wrong: ask("GET", listing, timeout=0.2), "timeouts-sane"),
    "rushes in after an overload": (OVERLOAD, stampedes, "no-stampede"),
    "waits as long each time": (BUSY, waits_alike, "backoff-jitter"),
}

def complaints(server, name, paths):
    """The ids of the checks that complain of a client."""
    rule = CLIENTS[name][0]
    with tempfile.TemporaryDirectory() as scratch:
        scenario, report = os.path.join(scratch, "scenario.json"), os.path.join(scratch, "report.json")
        with open(scenario, "w", encoding="utf-8") as file:
            json.dump({"name": "round", "rules": [rule] if rule else []}, file)
        subprocess.run(
            [server, "run", "--scenario", scenario, "--report", report, "--", sys.executable, __file__, "--as", name]
            + paths, check=False, capture_output=True, timeout=60)
        with open(report, encoding="utf-8") as file:
            cards = json.load(file)["cards"]
    return [check["id"] for card in cards for check in card["checks"] if check["verdict"] in ("fail", "warn")]


if sys.argv[1] == "--as":
    CLIENTS[sys.argv[2]][1](*sys.argv[3:])
    sys.exit()
for client, (_, _, vice) in CLIENTS.items():
    found = complaints(sys.argv[1], client, sys.argv[2:])
    if found != [] if vice is None else vice not in found:
        sys.exit(f"a client that {client}: expected {vice or 'no complaint'}, found {found}")
    print(f"{client}: {vice or 'no complaint'}")
