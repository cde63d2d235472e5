"""Tests the dashboard in front of a backend, in a real browser: backend-dashboard.py PATH-OF-UNDERSTUDY [DIRECTORY-FOR-SCREENS]

It opens the dashboard at the traffic's origin, as people do, and expects the page of the control port. With a directory it also
writes screens of both widths and both color schemes.
"""
import contextlib
import http.client
import json
import os
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from accessibility import check_contrast, check_focus
from browser import Browser
from dashboard import Server, choose, is_quiet, live, require

RULES = [
    {"match": "POST /rpc", "where": {"/method": "charge"}, "name": "charge", "effect": "add", "key": "/params/requestId"},
    {"match": "POST /rpc", "where": {"/method": "list*"}, "effect": "read"},
    {"match": "POST /graphql", "where": {"/query": "query *"}, "effect": "read"},
]
SCENARIO = {"name": "shop", "rules": [
    {"match": {"path": "/orders/*"}, "effect": {"fault": "truncate", "at": "1/2"}},
    {"match": {"path": "/prices"}, "effect": {"fault": "drift"}},
    {"match": {"operation": "charge"}, "phase": "after", "when": {"requests": "1...1"}, "effect": {"fault": "reset"}}]}


def serve_backend():
    """Serves JSON at every path, on a free port, and returns the URL."""
    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            text = '{"items": [{"price": 12.5, "name": "Teapot"}]}' if self.path == "/prices" else '{"id": 7, "state": "accepted", "note": "as ordered"}'
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Set-Cookie", "session=hush; Path=/")
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def send_requests(server):
    """Sends requests of three clients, some of which meet faults."""
    for name in ["android/3.3", "ios/9.0", "curl/8.5"]:
        server.ask("GET", "/prices", User_Agent=name)
    # The first charge loses its response, and the order is cut.
    with contextlib.suppress(ConnectionError, http.client.HTTPException):
        server.ask("POST", "/rpc", {"method": "charge", "params": {"requestId": "r-1"}}, User_Agent="android/3.3", Authorization="Bearer hush")
    server.ask("POST", "/rpc", {"method": "charge", "params": {"requestId": "r-2"}}, User_Agent="android/3.3")
    server.ask("POST", "/rpc", {"method": "listOrders"}, User_Agent="ios/9.0")
    with contextlib.suppress(ConnectionError, http.client.HTTPException):
        server.ask("GET", "/orders/7", User_Agent="ios/9.0")


def shows_the_backend(page, server, backend):
    page.open(server.url + "/_mock/")
    live(page)
    require(not page.evaluate(f"location.href.startsWith({json.dumps(server.url)})"), "the page is at the control port")
    send_requests(server)
    page.until("document.querySelectorAll('#rows tr').length === 7", "the requests are shown", 5)
    page.until("document.querySelector('#asked').innerText.includes('7')", "the answers are counted", 5)
    page.evaluate("document.querySelector('#semantics').open = true")
    text = page.evaluate("document.querySelector('#backend').innerText")
    for part in [backend, "reachable", "POST /rpc", "/method: charge", "2 requests", "1 request", "no request yet"]:
        require(part in text, f"«{part}» about the backend, found {text}")
    require(page.evaluate("document.querySelector('#alert').hidden"), "no alert")
    visible = page.evaluate("[...document.querySelectorAll('.of-apis')].filter(node => node.checkVisibility()).length")
    require(visible == 0, f"nothing of the five APIs, found {visible}")
    for place in ["#rows", "#rules"]:
        require("charge" in page.evaluate(f"document.querySelector('{place}').innerText"), f"the operation's name is in {place}")


def shows_the_verdict_first(page):
    page.until("document.querySelector('#tally a') !== null", "the verdict is shown", 5)
    for width, height in [(1280, 800), (390, 844)]:
        page.size(width, height)
        place = page.evaluate("(box => [box.top, box.bottom])(document.querySelector('#tally').getBoundingClientRect())")
        require(0 <= place[0] and place[1] <= height, f"the counts in the first screen at {width}, found {place}")
        require(page.evaluate("document.documentElement.scrollWidth") <= width, f"no scrolling sideways at {width}")
    page.size(1360, 900)
    page.evaluate("document.querySelector('#tally a').click()")
    page.until("(target => target && target.getBoundingClientRect().top < innerHeight)(document.querySelector('.checks li:target'))",
               "a count leads to its check", 3)
    page.evaluate("history.back(); scrollTo(0, 0)")


def filters_by_client(page):
    choose(page, "client", "android/3.3")
    page.until("document.querySelectorAll('#rows tr').length === 3", "the client's requests", 3)
    choose(page, "client", "")
    choose(page, "words", "android/3.3 charge")
    page.until("document.querySelectorAll('#rows tr').length === 2", "a text finds the client and its operation", 3)
    choose(page, "words", "")
    paths = "(document.querySelector('#fault-path').dispatchEvent(new Event('focus')), [...document.querySelectorAll('#paths option')].map(o => o.value))"
    require("/orders/7" in page.evaluate(paths), "paths seen so far are suggested")


def shows_the_damage(page):
    for path, mark in [("/orders/7", "cut here, after"), ("/prices", None)]:
        page.evaluate(f"[...document.querySelectorAll('#rows tr button')].find(b => b.innerText.includes('{path}')).click()")
        first = page.evaluate("document.querySelector('#parts').firstElementChild.innerText")
        require(first.startswith("The body as it was sent"), f"the body first, found {first}")
        text = page.evaluate("document.querySelector('#parts').innerText")
        require(mark is None or mark in text, f"«{mark}», found {text}")
        marks = page.evaluate("document.querySelectorAll('#parts mark').length")
        require(marks > 0 or "is missing" in text, f"the damage is marked, found {text}")
        page.evaluate("document.querySelector('#detail').close()")


def masks_and_saves(page):
    page.evaluate("""(() => { window.saved = []; const make = URL.createObjectURL;
      URL.createObjectURL = blob => { saved.push(blob); return make.call(URL, blob); }; })()""")
    for button, count in [("har", "JSON.parse(text).log.entries.length"), ("jsonl", "text.trim().split('\\n').map(JSON.parse).length")]:
        page.evaluate(f"document.querySelector('#{button}').click()")
        page.until("saved.length > 0", f"{button} is saved", 5)
        found = page.evaluate(f"saved.pop().text().then(text => [{count}, text.includes('hush')])")
        require(found == [7, False], f"7 entries without credentials in {button}, found {found}")


def sends_again(page):
    """Expects that the traffic's port gets a request again, as its client sent it, and that the page says why it cannot be sent."""
    choose(page, "words", "android/3.3 reset")
    page.evaluate("document.querySelector('#rows tr button').click()")
    require(page.evaluate("document.querySelector('#again').disabled"), "no request without its credentials")
    require("--journal-secrets" in page.evaluate("document.querySelector('#copied').textContent"), "the page says how to have them")
    page.evaluate("document.querySelector('#detail').close()")
    choose(page, "words", "android/3.3 /prices")
    page.evaluate("document.querySelector('#rows tr button').click(); document.querySelector('#again').click()")
    page.until("document.querySelectorAll('#rows tr').length === 2", "the request came again, of the same client", 5)
    page.evaluate("document.querySelector('#detail').close()")
    choose(page, "words", "")


def write_screens(page, directory, name):
    for width, height in [(1280, 900), (390, 844)]:
        page.size(width, height)
        for scheme in ["light", "dark"]:
            page.scheme(scheme)
            page.evaluate("document.getAnimations().forEach(animation => animation.finish())")
            page.evaluate("new Promise(resolve => setTimeout(resolve, 300))")
            page.screenshot(os.path.join(directory, f"{name}-{width}-{scheme}.png"), full=name.endswith("whole"))
    page.scheme("light")
    page.size(1360, 900)


def main():
    backend = serve_backend()
    with tempfile.TemporaryDirectory() as directory:
        names = {"rules.json": RULES, "scenario.json": SCENARIO}
        for name, value in names.items():
            with open(os.path.join(directory, name), "w") as file:
                json.dump(value, file)
        server = Server(sys.argv[1], "--upstream", backend, "--semantics", os.path.join(directory, "rules.json"),
                        "--scenario", os.path.join(directory, "scenario.json"), "--journal-bodies")
        browser = Browser()
        failed = False
        try:
            page = browser.page()
            page.size(1360, 900)
            shows_the_backend(page, server, backend)
            if sys.argv[2:]:
                write_screens(page, sys.argv[2], "backend")
                write_screens(page, sys.argv[2], "backend-whole")
            shows_the_verdict_first(page)
            filters_by_client(page)
            shows_the_damage(page)
            masks_and_saves(page)
            sends_again(page)
            page.open(page.evaluate("location.href"))
            live(page)
            page.until("document.querySelectorAll('#rows tr').length === 8", "the requests are shown again", 5)
            check_focus(page, server)
            check_contrast(page, server)
            is_quiet(page, server)
            print("  the dashboard in front of a backend")
        except AssertionError as error:
            failed = True
            print(f"FAILED: {error}", file=sys.stderr)
        finally:
            browser.close()
            server.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
