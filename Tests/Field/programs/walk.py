"""The requests that each program of Python sends: it lists the rooms, books a spot in two of them, and looks after each booking."""

import os
import sys
import time

PAUSE = 1.2
JSON = {"Content-Type": "application/json"}
STEPS = [
    ("list", "GET", "/rooms.json", None, {}),
    ("write", "POST", "/book", '{"name":"Ljerka"}', JSON),
    ("look", "GET", "/rooms.json", None, {}),
    ("write with key", "POST", "/book", '{"name":"Mina"}', JSON | {"Idempotency-Key": "a-booking"}),
    ("look again", "GET", "/rooms.json", None, {}),
]


def tell(step, result, text):
    print(step, result, " ".join(text.split()), sep="\t", flush=True)


def walk(send):
    """Sends each request with `send(method, url, content, fields)`, which returns the response's content, and raises an error for each
    failure that its library tells. A program that met an error tells it, waits longer than any Retry-After of the ways, goes on, and ends
    with 1."""
    failed = False
    for step, method, path, content, fields in STEPS:
        try:
            received = send(method, os.environ["UNDERSTUDY_URL"] + path, content, fields)
        except Exception as error:
            failed = True
            tell(step, "error", f"{type(error).__name__}: {error}")
            time.sleep(PAUSE)
        else:
            tell(step, "ok", f"{len(received)} bytes")
    sys.exit(failed)
