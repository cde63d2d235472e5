"""Runs a client of one API for each known mistake, and one without mistakes, and compares their report cards.

Usage: mistakes.py SERVER LIST ITEM BODY WRONG

SERVER is the program understudy, LIST and ITEM are paths, BODY is valid for a PATCH of ITEM, and WRONG is not.
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
    """Returns the status and the body, or (None, "") if no complete response came."""
    server = urllib.parse.urlsplit(os.environ["UNDERSTUDY_URL"])
    connection = http.client.HTTPConnection(server.hostname, server.port, timeout=timeout)
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
    """Makes no mistake: reads after a write of unknown outcome, and repeats the write if it was not applied."""
    status, _ = ask("PATCH", item, body)
    if status is None:
        time.sleep(0.3)
        ask("GET", listing)
    ask("PATCH", item, body)


def stampedes(listing, item, body, _):
    """Sends many requests during an overload, and repeats all of them at once when it is over."""
    for _ in range(2):
        crowd = [threading.Thread(target=ask, args=("GET", f"{listing}?n={n}")) for n in range(30)]
        for one in crowd:
            one.start()
        for one in crowd:
            one.join()
        time.sleep(1.2)


def waits_alike(listing, item, body, _):
    """Waits equally long before each retry, often enough that late timers of a busy machine hide nothing."""
    for n in range(14):
        repeated("GET", f"{listing}?n={n}", None, [0.3])


# The clients by name: the fault, the function, and the check that must report it (none for the correct client).
CLIENTS = {
    "reads after a lost response": (RESET_AFTER, reads_back, None),
    "ignores a lost response": (
        RESET_AFTER, lambda listing, item, body, wrong: ask("PATCH", item, body), "lost-reply-followed-up"),
    "retries eleven times": (
        BUSY, lambda listing, item, body, wrong: repeated("GET", listing, None, [0.1 * 1.3 ** n for n in range(11)]),
        "retry-amplification"),
    "retries a write at fixed intervals": (
        BUSY, lambda listing, item, body, wrong: repeated("PATCH", item, body, [0.3] * 5), "backoff-grows"),
    "ignores Retry-After": (
        BUSY_FOR_A_WHILE, lambda listing, item, body, wrong: repeated("PATCH", item, body, [0.3, 0.7, 1.5]),
        "retry-after-honoured"),
    "repeats a refused write": (
        None, lambda listing, item, body, wrong: repeated("PATCH", item, wrong, [0.2, 0.5, 1.1]), "no-retry-of-4xx"),
    "sends no If-None-Match": (
        None, lambda listing, item, body, wrong: repeated("GET", listing, None, [0.2] * 8), "conditional-requests"),
    "times out after 0.2 s": (
        SILENT, lambda listing, item, body, wrong: ask("GET", listing, timeout=0.2), "timeouts-sane"),
    "repeats all reads at once": (OVERLOAD, stampedes, "no-stampede"),
    "retries a read at fixed intervals": (BUSY, waits_alike, "backoff-jitter"),
}


def complaints(server, name, paths):
    """Returns the ids of the checks that report a client."""
    rule = CLIENTS[name][0]
    with tempfile.TemporaryDirectory() as scratch:
        scenario, report = os.path.join(scratch, "scenario.json"), os.path.join(scratch, "report.json")
        with open(scenario, "w", encoding="utf-8") as file:
            json.dump({"name": "round", "rules": [rule] if rule else []}, file)
        subprocess.run(
            [server, "run", "--scenario", scenario, "--report", report, "--", sys.executable, __file__, "--as", name]
            + paths, check=False, capture_output=True, timeout=60)
        with open(report, encoding="utf-8") as file:
            cards = json.load(file)["runs"][0]["cards"]
    return [check["id"] for card in cards for check in card["checks"] if check["verdict"] in ("fail", "warn")]


if sys.argv[1] == "--as":
    CLIENTS[sys.argv[2]][1](*sys.argv[3:])
    sys.exit()
for client, (_, _, mistake) in CLIENTS.items():
    found = complaints(sys.argv[1], client, sys.argv[2:])
    if found != [] if mistake is None else mistake not in found:
        sys.exit(f"a client that {client}: expected {mistake or 'no complaint'}, found {found}")
    print(f"{client}: {mistake or 'no complaint'}")
