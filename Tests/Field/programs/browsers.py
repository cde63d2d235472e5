"""Opens a page in a headless Chromium or Firefox, and hands on what the page tells."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PROGRAMS = {"chromium": ["chromium", "chromium-browser", "google-chrome"], "firefox": ["firefox-esr", "firefox"]}
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


def visit(browser, page, seconds, hear):
    """Opens a page, and calls `hear` with each JSON value that its script sends to /told, until that is null.

    Returns false if it did not come to its end in time. The browser and its profile are gone afterwards, also if SIGTERM ends this
    program meanwhile.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            found = page.encode() if self.path == "/" else b""
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(found)))
            self.end_headers()
            self.wfile.write(found)

        def do_POST(self):
            told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if told is not None:
                hear(told)
            self.send_response(204)
            self.end_headers()
            if told is None:
                ended.set()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with running(browser, f"http://127.0.0.1:{server.server_port}/"):
        ended.wait(seconds)
    server.shutdown()
    return ended.is_set()


@contextlib.contextmanager
def running(browser, url):
    """Runs a browser with a folder of its own, for its profile and what else it writes."""
    program = next(filter(None, map(shutil.which, PROGRAMS[browser])), None)
    if not program:
        sys.exit(f"there is no {browser}; install it: apt-get install {PROGRAMS[browser][0]}")
    # The browser makes a socket there, whose path may have some hundred characters: those of TMPDIR may be too many.
    profile = tempfile.mkdtemp(dir="/tmp")
    process = None
    try:
        if browser == "firefox":
            preferences = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in FIREFOX_PREFERENCES.items())
            Path(profile, "user.js").write_text("".join(preferences))
        process = subprocess.Popen(
            [program, *(option.replace("PROFILE", profile) for option in OPTIONS[browser]), url],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env=os.environ | {"HOME": profile, "TMPDIR": profile})
        yield
    finally:
        # A second signal must not keep the profile.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if process:
            end(process)
        remove(profile)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def end(process):
    """Ends a browser and the processes that it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)


def remove(folder):
    """Removes a folder, into which a process that is ending may still write."""
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.1)
    raise RuntimeError(f"{folder} cannot be removed")
