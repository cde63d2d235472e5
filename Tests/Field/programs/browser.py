"""fetch in a page of a browser, of another origin than the backend. The argument is "chromium" or "firefox"."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from walk import STEPS, tell

PAGE = """<!DOCTYPE html><title>field</title><script type="module">
for (const [step, method, path, body, headers] of STEPS) {
  let told;
  try {
    const response = await fetch("BASE" + path, { method, body, headers, cache: 'no-store' });
    if (!response.ok) throw new Error(`status ${response.status}`);
    told = [step, 'ok', `${(await response.arrayBuffer()).byteLength} bytes`];
  } catch (error) {
    told = [step, 'error', `${error.name}: ${error.message}`];
    await new Promise((resolve) => setTimeout(resolve, 1200));
  }
  await fetch('/told', { method: 'POST', body: JSON.stringify(told) });
}
await fetch('/told', { method: 'POST', body: 'null' });
</script>"""
OPTIONS = {
    "chromium": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                 "--disable-component-update", "--no-first-run", "--user-data-dir=PROFILE"],
    "firefox": ["--headless", "--no-remote", "--profile", "PROFILE"],
}
# All names are loopback's, so that no traffic of Firefox's own leaves the machine; the others end most of it.
FIREFOX_PREFERENCES = {
    "network.dns.forceResolve": "127.0.0.1", "network.proxy.type": 0, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "services.settings.server": "data:,none", "app.normandy.enabled": False,
    "app.update.disabledForTesting": True, "browser.safebrowsing.update.enabled": False, "browser.region.update.enabled": False,
    "browser.newtabpage.enabled": False, "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.server": "",
    "dom.push.connection.enabled": False, "extensions.update.enabled": False, "media.gmp-manager.updateEnabled": False,
    "security.OCSP.enabled": 0, "browser.startup.homepage_override.mstone": "ignore",
}
ended = threading.Event()
failures = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        found = self.path == "/"
        page = PAGE.replace("STEPS", json.dumps(STEPS)).replace("BASE", os.environ["UNDERSTUDY_URL"]).encode() if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def do_POST(self):
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if told:
            tell(*told)
            if told[1] == "error":
                failures.append(told)
        self.send_response(204)
        self.end_headers()
        if not told:
            ended.set()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
profile = tempfile.mkdtemp()
if sys.argv[1] == "firefox":
    preferences = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in FIREFOX_PREFERENCES.items())
    Path(profile, "user.js").write_text("".join(preferences))
command = [sys.argv[1], *(option.replace("PROFILE", profile) for option in OPTIONS[sys.argv[1]]), f"http://127.0.0.1:{server.server_port}/"]
browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"HOME": profile})
ended.wait(24)
browser.terminate()
browser.wait(10)
shutil.rmtree(profile, ignore_errors=True)
sys.exit(bool(failures) if ended.is_set() else "the page did not come to its end")
