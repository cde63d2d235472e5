"""Stands in front of backends that others wrote: compares what clients get with and without the server, and judges a client.

Usage: backends.py SERVER    SERVER is the program understudy.

The backends are http.server, Flask and FastAPI, each with its own server. In calm a client gets through the server what it gets
from the backend alone. Behind lost responses a client that repeats its orders fails, and one that sends keys passes. A backend
that is killed gives 502 until it is back.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import requests
from running import PROGRAM, WAIT, Failures, Running, in_front, neutral
from urllib3.util.retry import Retry

HERE = Path(__file__).resolve().parent
SEMANTICS = HERE.parents[1] / "Sources/Understudy/Understudy.docc/Resources/shop.json"

FLASK = [sys.executable, str(HERE / "shop_flask.py")]
FAST = [sys.executable, "-m", "uvicorn", "--app-dir", str(HERE), "--log-level", "error", "shop_fastapi:app", "--port"]
FILES = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1"]


def seen(base, backend, method, path, **more):
    """Returns what a client sees: the status, the backend's fields, and the content, without the origins in them."""

    more = {name: value() if callable(value) else value for name, value in more.items()}
    response = requests.request(method, base + path, timeout=WAIT, allow_redirects=False, **more)
    content = response.content.decode("latin-1").replace(base, "(origin)").replace(backend.url, "(origin)")
    return response.status_code, neutral(response.raw.headers.items(), base, backend.url), content


def compare(failures, name, command, directory, calls):
    """Makes the same calls at two new backends, one of them behind the server."""
    with Running(command, directory) as alone, Running(command, directory) as behind:
        with in_front(behind, directory) as front:
            for method, path, more in calls:
                expected = seen(alone.url, alone, method, path, **more)
                found = seen(front.url, behind, method, path, **more)
                failures.expect(found == expected, f"{name}: {method} {path}\n  alone  {expected}\n  behind {found}"[:2_000])
    print(f"{name}: {len(calls)} calls compared")


def ordering(url, careful):
    """Orders ten things, with the retries of urllib3."""
    with requests.Session() as session:
        session.headers["Understudy-Client"] = "shop-app"
        retry = Retry(
            total=4, backoff_factor=0.2, backoff_jitter=0.2, allowed_methods=None, status_forcelist=[429, 502, 503, 504],
            respect_retry_after_header=True)
        session.mount("http://", requests.adapters.HTTPAdapter(max_retries=retry))
        for number in range(10):
            fields = {"Idempotency-Key": f"order-{os.getpid()}-{number}"} if careful else {}
            session.post(f"{url}/orders", json={"item": number}, headers=fields, timeout=5)


def judged(failures, name, command, directory, scenario):
    """Judges a careless and a careful client, and counts what they ordered."""
    for careful in [False, True]:
        with Running(command, directory) as backend:
            environment = dict(os.environ, BACKENDS_CLIENT="careful" if careful else "careless")
            done = subprocess.run(
                [PROGRAM, "run", "--upstream", backend.url, "--semantics", SEMANTICS, "--scenario", scenario, "--seed", "7",
                 "--report", "card.json", "--", sys.executable, __file__, PROGRAM],
                check=False, cwd=directory, env=environment, capture_output=True, text=True, timeout=WAIT * 2)
            report = json.loads((Path(directory) / "card.json").read_text())
            orders = len(requests.get(f"{backend.url}/orders", timeout=WAIT).json())
        failed = [check["id"] for card in report["runs"][0]["cards"] for check in card["checks"] if check["verdict"] == "fail"]
        print(f"{name}: {'careful' if careful else 'careless'}: exit {done.returncode}, {orders} orders of 10, failed: {failed}")
        failures.expect(done.returncode == (0 if careful else 3), f"{name}: {done.stdout[-1_500:]}{done.stderr[-500:]}")
        failures.expect((orders == 10) == careful, f"{name}: {orders} orders")
        failures.expect(careful or "no-duplicate-effect" in failed, f"{name}: {failed}")


def killed(failures, directory):
    """Kills the backend while it is asked, and starts it again."""
    with Running(FAST, directory) as backend, in_front(backend, directory) as front:
        with requests.get(f"{front.url}/ticks", stream=True, timeout=WAIT) as stream:
            parts = stream.iter_content(64)
            next(parts)
            backend.process.kill()
            backend.process.wait(WAIT)
            try:
                for _ in parts:
                    pass
                ends_well = True
            except requests.exceptions.RequestException:
                ends_well = False
        failures.expect(not ends_well, "a stream whose backend was killed ended as if it were whole")
        down = requests.get(f"{front.url}/orders", timeout=WAIT)
        failures.expect(down.status_code == 502, f"without the backend: {down.status_code}")
        with Running(FAST, directory, backend.port):
            back = requests.get(f"{front.url}/orders", timeout=WAIT)
            failures.expect(back.status_code == 200, f"with the backend again: {back.status_code}")
    print("kill -9: cut, 502, and 200 when it was back")


FILE_CALLS = [
    ("GET", "/", {}), ("HEAD", "/large", {}), ("GET", "/large", {}), ("GET", "/none", {}), ("GET", "/directory", {}),
    ("GET", "/text%20file.txt?x=1&y", {}), ("POST", "/", {"data": "x"}),
    ("GET", "/text%20file.txt", {"headers": {"If-Modified-Since": "Fri, 31 Dec 2100 00:00:00 GMT"}}),
]
SHOP_CALLS = [
    ("GET", "/orders", {}), ("POST", "/orders", {"json": {"item": "a lamp"}}), ("GET", "/orders/1", {}), ("GET", "/orders/9", {}),
    ("PUT", "/orders/1", {"json": {"item": "ä \u2028"}}), ("PATCH", "/orders/1", {"json": {}}), ("DELETE", "/orders/1", {}),
    ("DELETE", "/orders/1", {}), ("HEAD", "/orders", {}), ("OPTIONS", "/orders", {}), ("POST", "/orders", {"data": b"\xff\x00"}),
    ("GET", "/old", {}), ("GET", "/two-cookies", {}), ("GET", "/ticks?count=5", {}), ("POST", "/echo?a=1&a=2&b", {"data": b"x" * 100_000}),
    ("POST", "/upload", {"files": {"photo": ("a.bin", bytes(range(256)) * 4_000)}}), ("GET", "/nothing", {}), ("GET", "/broken", {}),
    ("GET", "/%C3%A4%2Fb?q=%26", {}), ("GET", "/large", {}), ("POST", "/echo", {"data": lambda: iter([b"in ", b"two chunks"])}),
]


def main():
    if mode := os.environ.get("BACKENDS_CLIENT"):
        return ordering(os.environ["UNDERSTUDY_URL"], careful=mode == "careful")
    failures = Failures()
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "text file.txt").write_text("some text\n" * 100)
        (Path(directory) / "large").write_bytes(os.urandom(3_000_000))
        (Path(directory) / "directory").mkdir()
        compare(failures, "http.server", FILES, directory, FILE_CALLS)
        compare(failures, "Flask", FLASK, directory, SHOP_CALLS)
        compare(failures, "FastAPI", FAST, directory, SHOP_CALLS)
        for scenario in ["lost-ack", "mayhem"]:
            judged(failures, f"Flask, {scenario}", FLASK, directory, scenario)
        judged(failures, "FastAPI, lost-ack", FAST, directory, "lost-ack")
        killed(failures, directory)
    if failures:
        sys.exit(f"{len(failures)} failed")


main()
