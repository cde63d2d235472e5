"""Drives a headless Chromium by its DevTools protocol."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.request

import websocket


class Navigated(AssertionError):
    """The page was left for another one while a command ran in it."""


class Browser:
    """A Chromium process with a temporary profile."""

    def __init__(self, *options):
        self.profile = tempfile.mkdtemp()
        self.opened = set()
        binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not binary:
            raise SystemExit("there is no chromium; install it: apt-get install chromium")
        self.process = subprocess.Popen(
            [binary, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update", "--no-first-run",
             "--disable-features=Translate,OptimizationHints,MediaRouter", "--remote-debugging-port=0",
             f"--user-data-dir={self.profile}", *options, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        for line in self.process.stderr:
            found = re.search(r"listening on ws://([^/]+)/", line)
            if found:
                self.address = found.group(1)
                break
        else:
            raise SystemExit("chromium ended before it listened")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def page(self):
        tab = self._json("new?about:blank", "PUT")
        self.opened.add(tab["id"])
        return Page(tab["webSocketDebuggerUrl"])

    def close_pages(self):
        """Closes every tab, including those that pages opened, except the one that keeps the browser alive."""
        tabs = [tab for tab in self._json("list") if tab["type"] == "page"]
        for tab in tabs:
            if tab["url"] != "about:blank" or tab["id"] in self.opened:
                self._json(f"close/{tab['id']}")
        self.opened.clear()

    def _json(self, command, method="GET"):
        request = urllib.request.Request(f"http://{self.address}/json/{command}", method=method)
        with urllib.request.urlopen(request, timeout=20) as response:
            text = response.read()
        return json.loads(text) if text[:1] in b"[{" else None

    def close(self):
        os.killpg(self.process.pid, 15)
        self.process.wait(20)
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """A tab: it sends commands and records events."""

    def __init__(self, url):
        self.socket = websocket.create_connection(url, timeout=60, suppress_origin=True)
        self.lock = threading.Condition()
        self.responses = {}
        self.events = []
        self.last = 0
        threading.Thread(target=self._listen, daemon=True).start()
        for domain in ["Page", "Runtime", "Network", "Log", "Accessibility", "DOM", "CSS"]:
            self.call(f"{domain}.enable")

    def _listen(self):
        while True:
            try:
                message = json.loads(self.socket.recv())
            except (websocket.WebSocketException, OSError, ValueError):
                return
            with self.lock:
                if "id" in message:
                    self.responses[message["id"]] = message
                else:
                    self.events.append(message)
                self.lock.notify_all()

    def call(self, method, **parameters):
        with self.lock:
            self.last += 1
            number = self.last
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        with self.lock:
            if not self.lock.wait_for(lambda: number in self.responses, timeout=60):
                raise AssertionError(f"{method} was not answered within a minute")
            response = self.responses.pop(number)
        if "error" in response:
            left = "navigated or closed" in response["error"]["message"]
            raise (Navigated if left else AssertionError)(f"{method}: {response['error']}")
        return response["result"]

    def evaluate(self, script):
        response = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in response:
            raise AssertionError(f"{script}: {response['exceptionDetails']}")
        return response["result"].get("value")

    def until(self, script, what, seconds=10.0):
        """Waits until a script evaluates to true, and returns the seconds that it took. The script may be that of the next page."""
        began = time.monotonic()
        while True:
            try:
                value = self.evaluate(script)
            except Navigated as error:
                value = str(error)
            took = time.monotonic() - began
            if value is True:
                return took
            if took > seconds:
                raise AssertionError(f"{what}: not within {seconds} s; {script} is {value!r}")
            time.sleep(0.02)

    def happened(self, method):
        with self.lock:
            return [event["params"] for event in self.events if event["method"] == method]

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'", f"{url} loads")

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=width < 600)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def key(self, name, code=None, text=None, modifiers=0):
        fields = {"key": name, "code": code or name, "modifiers": modifiers,
                  "windowsVirtualKeyCode": {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}.get(name, 0)}
        if text:
            fields["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown", **fields)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in fields.items() if k != "text"})

    def screenshot(self, path, full=True):
        import base64
        response = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        with open(path, "wb") as file:
            file.write(base64.b64decode(response["data"]))
