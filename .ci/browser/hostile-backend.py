"""Attacks the control API from pages of the backend itself, in a real browser: hostile-backend.py PATH-OF-UNDERSTUDY

The server stands in front of a hostile backend, so the pages of that have the traffic's origin. They try to read journals, to
make sandboxes, to switch the network and to arm a scenario: at their own origin, and at the port of the control API. Fails if
one of them succeeds.
"""
import json
import re
import sys
import tempfile
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from browser import Browser
from dashboard import Server, require

# JSON of the backend is relabelled as text/html, so that a script in it could run as a page of the traffic's origin.
SCENARIO = {"name": "hostile", "rules": [{"match": {"path": "/data"}, "effect": {"fault": "wrong-type"}}]}
# The time in seconds for what a page has begun to go on after it reported that it is done.
PATIENCE = 0.7


class Backend:
    """Serves the page of one attack at /attack, and records what its scripts report."""

    def __init__(self):
        self.script, self.trophies, self.done = "", [], threading.Event()
        backend = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                kind, body = "text/html; charset=utf-8", ""
                if self.path.startswith("/ran"):
                    backend.trophies.append(urllib.parse.unquote(self.path))
                elif self.path == "/done":
                    backend.done.set()
                elif self.path.startswith("/attack"):
                    body = f"<!doctype html><title>hostile</title><body><script>{backend.script}</script>"
                elif self.path == "/worker.js":
                    kind, body = "text/javascript", WORKER
                elif self.path == "/data":
                    kind, body = "application/json", json.dumps({"text": f"<script>{STEAL};fetch('/ran/relabelled')</script>"})
                data = body.encode()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Service-Worker-Allowed", "/")
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_PUT = do_GET

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


STEAL = "fetch('/_mock/journal').then(r => r.ok && fetch('/ran/read'))"

# A worker that would show its own page in place of the dashboard, and read with the rights of that.
WORKER = """
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', event => event.waitUntil(clients.claim()));
self.addEventListener('fetch', event => {
  if (event.request.url.includes('/_mock/')) event.respondWith(new Response('<title>taken</title>', { headers: { 'Content-Type': 'text/html' } }));
});
"""

# What a script can send, to an address that is a prefix of the control API's paths.
CALLS = """
const told = (name, promise) => promise.then(r => (typeof r === 'string' ? r.includes('entries') || r.includes('sandboxes') : r.ok && r.type !== 'opaque')
  && fetch('/ran/' + name)).catch(() => {});
const get = path => fetch(target + path);
const attempts = [
  told('read', get('/_mock/journal')), told('report', get('/_mock/report')), told('list', get('/_mock/sandboxes')),
  told('label', get('/@default/_mock/journal')), told('dots', get('/x/../_mock/journal')), told('encoded', get('/%5Fmock/journal').then(r => r.text())),
  told('hidden', fetch(target + '/_mock/journal', { referrerPolicy: 'no-referrer' })),
  told('credentials', fetch(target + '/_mock/journal', { credentials: 'include', referrerPolicy: 'no-referrer' })),
  told('head', fetch(target + '/_mock/journal', { method: 'HEAD', referrerPolicy: 'no-referrer' })),
  told('make', fetch(target + '/_mock/sandboxes', { method: 'POST', body: '{"name":"made"}' })),
  told('blind', fetch(target + '/_mock/sandboxes', { method: 'POST', mode: 'no-cors', body: '{"name":"blind"}', referrerPolicy: 'no-referrer' })),
  told('arm', fetch(target + '/_mock/scenario', { method: 'PUT', body: '"mayhem"' })),
  told('switch', fetch(target + '/_mock/network', { method: 'PATCH', body: '{"state":"offline"}' })),
  told('sync', new Promise((resolve, reject) => { const call = new XMLHttpRequest(); call.open('GET', target + '/_mock/journal', false);
    call.send(); call.status === 200 ? resolve({ ok: true }) : reject(); })),
  new Promise(resolve => { const events = new EventSource(target + '/_mock/journal/stream');
    events.onopen = () => { fetch('/ran/stream'); resolve(); }; events.onerror = resolve; }),
];
navigator.sendBeacon(target + '/_mock/sandboxes', '{"name":"beacon"}');
for (const [tag, path] of [['script', 'journal'], ['img', 'pictures/pula'], ['iframe', ''], ['iframe', 'report?format=html'], ['object', '']]) {
  const node = document.createElement(tag);
  node[tag === 'object' ? 'data' : 'src'] = target + '/_mock/' + path;
  document.body.append(node);
}
const frame = document.querySelector('iframe');
frame.onload = () => { try { if (frame.contentDocument.querySelector('#sandbox')) fetch('/ran/frame'); } catch { } };
Promise.allSettled(attempts).then(() => setTimeout(() => fetch('/done'), 300));
"""

FORM = """
const form = document.createElement('form');
Object.assign(form, { method: 'post', enctype: 'text/plain', action: target + '/_mock/sandboxes', target: '_blank' });
const input = document.createElement('input');
[input.name, input.value] = ['{"ttl":"5m","name":"form', '"}'];
form.append(input);
document.body.append(form);
form.submit();
setTimeout(() => fetch('/done'), 600);
"""

# A page that opens the dashboard of the traffic's origin, and looks into it.
OPENER = """
const opened = open(target + '/_mock/');
setTimeout(() => {
  try { if (opened.document.querySelector('#sandbox')) fetch('/ran/opened?' + opened.location); } catch { }
  fetch('/done');
}, 1500);
"""

SCRIPTED = """
const workers = ['/_mock/worker.js', '/_mock/', '/_mock/journal'].map(path =>
  navigator.serviceWorker.register(path, { scope: '/_mock/' }).then(() => fetch('/ran/worker'), () => {}));
Promise.allSettled(workers).then(() => fetch('/done'));
"""

RELABELLED = "location.href = '/data'; setTimeout(() => fetch('/done'), 1200);"

INSTALLS = """
navigator.serviceWorker.register('/worker.js', { scope: '/' }).then(() => navigator.serviceWorker.ready).then(() => fetch('/done'));
"""


def control_url(server):
    """Returns the origin of the control API, which the refusal of a page names."""
    status, data = server.ask("GET", "/_mock/", Origin="http://127.0.0.1")
    require(status == 403, f"a page is refused, found {status}")
    return re.search(r"http://[^/]+:\d+", json.loads(data)["detail"]).group(0)


def main():
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(SCENARIO, file)
        file.flush()
        backend = Backend()
        server = Server(sys.argv[1], "--upstream", backend.url, "--scenario", file.name)
        browser = Browser("--disable-popup-blocking")
        failures, count = [], 0
        try:
            control = control_url(server)

            def attack(what, script, target):
                nonlocal count
                del backend.trophies[:]
                backend.done.clear()
                backend.script = f"const target = {json.dumps(target)};{script}"
                page = browser.page()
                page.call("Page.navigate", url=server.url + "/attack")
                # The page of the relabelled data has left, and cannot report.
                if not backend.done.wait(4 if script == RELABELLED else 15):
                    require(script == RELABELLED, f"{what}: nothing happened within 15 s")
                time.sleep(PATIENCE)
                made = [sandbox["name"] for sandbox in json.loads(server.ask("GET", "/_mock/sandboxes")[1])["sandboxes"]]
                browser.close_pages()
                count += 1
                if made != ["default"] or backend.trophies:
                    failures.append(f"{what} at {target}: sandboxes {made}, trophies {backend.trophies}")

            for target in [server.url, control, control.replace("127.0.0.1", "localhost")]:
                for what, script in [("calls and elements", CALLS), ("a form", FORM), ("an opener", OPENER)]:
                    attack(what, script, target)
            attack("workers under /_mock", SCRIPTED, server.url)
            attack("relabelled data", RELABELLED, server.url)
            attack("a worker of the whole origin", INSTALLS, server.url)
            # The worker stays, and must not get between a person and the dashboard.
            page = browser.page()
            page.open(control + "/_mock/")
            page.until("document.querySelector('#link')?.className === 'live'", "the dashboard is shown at its own port", 10)
            require(page.evaluate("document.title") == "Understudy", "the dashboard is no page of the worker")
            armed = json.loads(server.ask("GET", "/_mock/scenario")[1])["name"]
            network = json.loads(server.ask("GET", "/_mock/network")[1])["state"]
            if (armed, network) != (SCENARIO["name"], "online"):
                failures.append(f"the scenario is {armed}, and the network {network}")
        finally:
            browser.close()
            server.stop()
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    print(f"  {count} attacks from pages of the backend, {len(failures)} came through")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
