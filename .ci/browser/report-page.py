"""Tests the report page in a real browser, as a file and as a response: report-page.py PATH-OF-UNDERSTUDY [SCREENSHOTS]

Each check is a function. The first failure ends the run and prints the expectation.
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from accessibility import check_contrast
from browser import Browser
from dashboard import Server, require

# A client that books again without a key when a reply is lost, and asks for what does not exist.
CLIENT = """
import os, urllib.request
def ask(path, body=None):
    while True:
        try:
            with urllib.request.urlopen(os.environ["UNDERSTUDY_URL"] + path, body, timeout=20) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            if error.code != 503: return
        except OSError: pass
for _ in range(3): ask("/book", b'{"name":"Ljerka"}')
for _ in range(2): ask("/users/404")
ask("/devices")
raise SystemExit(int(os.environ.get("CODE", 0)))
"""
# The chance makes the scenario one that a sweep runs with each seed.
SCENARIO = {"name": "spoilt", "rules": [
    {"name": "lost", "match": {"api": "booking", "changes": True}, "when": {"nth": 2}, "phase": "after", "effect": {"fault": "reset"}},
    {"name": "slow", "match": {"api": "booking"}, "when": {"chance": "1/1"}, "effect": {"latency": "60ms"}},
    {"name": "busy", "match": {"api": "devices"}, "when": {"first": 1}, "effect": {"status": 503, "retryAfter": "1s"}}]}
HOSTILE = "</script><script>document.title='x'</script><!--<script><img src=x onerror=document.title='x'>"
# In UTF-8: separators that end lines in old JavaScript, marks that turn text around, and half of a surrogate pair.
STRANGE = "\u2028\u2029\u202eturned\u2066".encode() + b"\xed\xa0\x80"
HOSTILE_SCENARIO = {"name": HOSTILE, "rules": [
    {"name": HOSTILE, "match": {"api": "booking"}, "when": {"first": 1}, "phase": "after", "effect": {"fault": "reset"}}]}
HOSTILE_CLIENT = f"""
import contextlib, http.client, json, os
def ask(method, path, body=None):
    link = http.client.HTTPConnection(os.environ["UNDERSTUDY_URL"].split("//")[1])
    with contextlib.suppress(ConnectionError, http.client.HTTPException):
        link.request(method, path, body, {{"User-Agent": {HOSTILE + STRANGE.decode("latin-1")!r}, "Understudy-Client": {HOSTILE!r}}})
        link.getresponse().read()
for _ in range(2): ask("POST", "/book", json.dumps({{"name": "Ljerka", {HOSTILE!r}: {HOSTILE!r}}}))
for _ in range(3): ask("GET", "/users/" + {HOSTILE.replace(" ", "+")!r})
"""


class Files:
    """The reports of runs in a temporary directory."""

    def __init__(self, binary):
        self.binary = binary
        self.folder = tempfile.TemporaryDirectory()
        for name, text in [("spoilt.json", json.dumps(SCENARIO)), ("client.py", CLIENT),
                           ("hostile.json", json.dumps(HOSTILE_SCENARIO)), ("hostile.py", HOSTILE_CLIENT)]:
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def url(self, name):
        return f"file://{self.path(name)}"

    def run(self, report, *options, scenario="spoilt.json", client="client.py", code=0, expected=3):
        command = [self.binary, "run", "--scenario", self.path(scenario), "--report", self.path(report), *options, "--",
                   sys.executable, self.path(client)]
        done = subprocess.run(command, env={**os.environ, "CODE": str(code)}, capture_output=True, text=True, timeout=120,
                              check=False)
        require(done.returncode == expected, f"exit code {expected} of {command}, found {done.returncode}: {done.stderr}")
        return self.url(report)

    def merge(self, report, *names):
        command = [self.binary, "report", "--merge", *map(self.path, names), "--fail-on", "never", "--report", self.path(report)]
        subprocess.run(command, capture_output=True, timeout=60, check=False)
        return self.url(report)


class Viewer:
    """Serves a file under a policy, as CI servers do with artifacts."""

    def __init__(self, path, policy):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                with open(path, "rb") as file:
                    body = file.read()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Content-Security-Policy", policy)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def is_silent(page, url):
    """Expects an empty console and no request but that of the page."""
    messages = [event["exceptionDetails"] for event in page.happened("Runtime.exceptionThrown")]
    messages += [event["entry"]["text"] for event in page.happened("Log.entryAdded")]
    messages += [event["args"] for event in page.happened("Runtime.consoleAPICalled")]
    require(not messages, f"a silent console, found {messages}")
    asked = {event["request"]["url"] for event in page.happened("Network.requestWillBeSent")}
    # The modules of the page's scripts are part of it.
    asked = {address for address in asked if not address.startswith("data:text/javascript")}
    require(asked <= {url}, f"no request but {url}, found {asked}")


def all_text(page, selector):
    return page.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map(node => node.innerText.replace(/\\s+/g, ' '))")


def has_sound_anchors(page):
    require(page.evaluate("new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size === document.querySelectorAll('[id]').length"),
            "each id once")
    broken = page.evaluate("[...document.querySelectorAll('a')].map(a => a.getAttribute('href')).filter(to => to.startsWith('#') && !document.querySelector(to))")
    require(not broken, f"every link leads to an element, found {broken}")


def shows_one_card(page, files):
    url = files.run("one.html")
    page.open(url)
    require(page.evaluate("document.title") == "Report card: default", "the sandbox in the title")
    require(all_text(page, "h1") == ["One check failed"], f"the verdict as the only headline, found {all_text(page, 'h1')}")
    facts = all_text(page, ".facts")
    require(facts == ["Sandbox default · scenario spoilt · seed 1 · 9 exchanges"], f"the run's facts, found {facts}")
    tally = all_text(page, ".tally li")
    folded = "document.querySelector('.checks [data-check=idle]')"
    require(page.evaluate(f"{folded}.open") is False, "what was not exercised does not part the verdicts from their proof")
    page.evaluate(f"{folded}.open = true")
    listed = all_text(page, ".checks > li b") + all_text(page, ".checks details li b")
    require(tally[0] == "1 fail" and sum(int(line.split()[0]) for line in tally) == len(set(listed)),
            f"a tally of all checks, found {tally} and {listed}")
    worst = all_text(page, ".checks > li.fail b, .checks > li.warn b")
    require(worst == all_text(page, ".checks > li b")[:len(worst)] and "no-duplicate-effect" in worst, f"the worst first, found {worst}")
    marks = page.evaluate("[...document.querySelectorAll('.tally path')].map(path => path.getAttribute('d'))")
    require(len(set(marks)) == 4, "a mark of its own shape for each verdict")
    require(page.evaluate("document.querySelectorAll('#cards > pre, #cards > noscript').length") == 0, "the text is replaced")
    has_sound_anchors(page)
    is_silent(page, url)


def opens_entries(page, files):
    page.open(files.url("one.html"))
    require(not all_text(page, ".entry[open]"), "the entries are folded")
    page.evaluate("[...document.querySelectorAll('.checks > li')].find(li => li.innerText.includes('no-duplicate')).querySelector('a').click()")
    opened = all_text(page, ".entry[open]")
    require(len(opened) == 1, f"the link opens one entry, found {len(opened)}")
    for part in ["POST /book", "Python-urllib", '"name": "Ljerka"', "outcome reset", "yes, the state changed"]:
        require(part in opened[0], f"«{part}» in the entry, found {opened[0]}")
    require(not page.evaluate("[...document.querySelectorAll('a')].filter(a => a.href.includes('/_mock/')).length"),
            "a file leads to no dashboard, because its server has gone")
    anchor = page.evaluate("location.hash")
    page.open("about:blank")
    page.open(files.url("one.html") + anchor)
    require(page.evaluate(f"document.querySelector('{anchor}').open"), "the address of an entry opens it")
    require(page.evaluate("scrollY") > 0, "and the page is scrolled to it")


def draws_attempts(page, files):
    page.open(files.url("one.html"))
    requests = all_text(page, "article > h3")
    require(any("POST /book name: Ljerka" in text and "attempts" in text for text in requests), f"the booking's attempts, found {requests}")
    rows = all_text(page, "article li p")
    for part in ["200, then cut off · ", " · applied", "503 · ", "Retry-After 1 s", "404 · ", "latency 60ms; reset after commit (rules \"lost\", \"slow\")"]:
        require(any(part in row for row in rows), f"«{part}» beside an attempt, found {rows}")
    bars = page.evaluate("""[...document.querySelectorAll('.lane')].map(lane => {
      const box = lane.getBoundingClientRect();
      const share = node => { const { left, right } = node.getBoundingClientRect(); return [(left - box.left) / box.width, (right - box.left) / box.width]; };
      return Object.fromEntries([...lane.querySelectorAll('i')].map(node => [node.className, share(node)])); })""")
    for bar in bars:
        require(all(-.01 <= start <= end <= 1.02 for start, end in bar.values()), f"bars within the axis, found {bar}")
    slow = [bar for bar in bars if "planned" in bar]
    require(slow and all(abs(bar["planned"][0] - bar["whole"][0]) < .01 and bar["planned"][1] <= bar["whole"][1] + .01
                         and bar["actual"][1] > bar["actual"][0] for bar in slow), f"delays within their exchange, found {slow}")
    asked = [bar for bar in bars if "asked" in bar]
    require(asked and all(abs(bar["asked"][0] - bar["whole"][1]) < .02 for bar in asked), f"Retry-After after its exchange, found {asked}")
    titles = page.evaluate("[...document.querySelectorAll('.lane .planned')].map(node => node.title)")
    require(set(titles) == {"planned 60 ms"}, f"delays in their titles, found {titles}")


def folds_many_cards(page, files):
    url = files.run("sweep.html", "--sweep", "3...6")
    page.open(url)
    require(all_text(page, "h1") == ["4 of 4 cards with a failure"], f"a headline for all, found {all_text(page, 'h1')}")
    lines = all_text(page, ".run > summary")
    require([line.split(":")[0] for line in lines] == [f"Seed {seed}, sandbox default" for seed in range(3, 7)], f"a line for each seed, found {lines}")
    require(all("no-duplicate-effect" in line for line in lines), f"what failed in each line, found {lines}")
    require(page.evaluate("[...document.querySelectorAll('.run')].map(run => run.open)") == [True, False, False, False], "the first failed card is open")
    has_sound_anchors(page)
    page.open("about:blank")
    page.open(url + "#e3-2")
    require(page.evaluate("[...document.querySelectorAll('.run')].map(run => run.open)") == [True, False, True, False], "an address opens the card of its entry")
    is_silent(page, url)


def shows_merged_cards(page, files):
    files.run("bad.json", code=5, expected=5)
    with open(files.path("bad.json"), encoding="utf-8") as file:
        bad = json.load(file)["runs"][0]
    good = dict(bad["cards"][0], checks=[check for check in bad["cards"][0]["checks"] if check["verdict"] == "pass"])
    # Entries of a file may have any members.
    good["entries"] = [{"id": 1}, {"id": 2, "plan": 5, "request": {"headers": [], "body": '{"id":12345678901234567890}'}, "response": "x", "target": {}},
                       {"id": 3, "event": "reset"}]
    with open(files.path("good.json"), "w", encoding="utf-8") as file:
        json.dump({"runs": [dict(bad, cards=[good], command={"exitCode": 0, "failure": None})]}, file)
    url = files.merge("merged.html", "good.json", "bad.json")
    page.open(url)
    require(all_text(page, "h1") == ["1 of 2 cards with a failure"], f"a headline for all, found {all_text(page, 'h1')}")
    overview = all_text(page, "#cards > div > .checks > li")
    require(any("1 of 2 cards: fail. The first is sandbox default of " in line for line in overview), f"the checks of all cards, found {overview}")
    lines = all_text(page, ".run > summary")
    require("good.json, seed 1, sandbox default: pass" in lines[0] and "the command exited with 5, " in lines[1], f"files and failures, found {lines}")
    require(page.evaluate("[...document.querySelectorAll('.run')].map(run => run.open)") == [False, True], "the failed card is open")
    require(all_text(page, ".command") == ["the command exited with 5."], f"the command's failure, found {all_text(page, '.command')}")
    require(page.evaluate("document.querySelectorAll('.run:first-of-type .entry').length") == 3, "entries that lack members are shown")
    require(page.evaluate("document.querySelector('.run pre').textContent") == '{"id":12345678901234567890}', "a body with all its digits")
    require("Attempts" not in page.evaluate("document.body.innerText"), "no attempts, which files do not contain")
    has_sound_anchors(page)
    is_silent(page, url)


def lets_no_markup_in(page, files):
    url = files.run("hostile.html", scenario="hostile.json", client="hostile.py")
    page.open(url)
    require(page.evaluate("document.title") == "Report card: default", "no script of a client ran")
    page.evaluate("document.querySelectorAll('details').forEach(node => { node.open = true; })")
    for selector in [".facts", ".checks", ".entry", "article"]:
        text = " ".join(all_text(page, selector))
        require("</script><script>document.title='x'</script>" in text, f"the texts as texts in {selector}, found {text}")
    require("\\u202eturned\\u2066" in page.evaluate("document.body.innerText"), "what turns text is shown by its number")
    made = page.evaluate("document.querySelectorAll('img, [onerror], main script, main style, main iframe').length")
    require(made == 0 and page.evaluate("document.scripts.length") == 4, f"no element made of a client's text, found {made}")
    is_silent(page, url)


def is_an_origin_of_its_own(page, files):
    server = Server(files.binary)
    try:
        server.ask("GET", "/users/1", Prefer="delay=5ms")
        for _ in range(4):
            server.ask("GET", "/users/1")
        url = f"{server.url}/_mock/report?format=html"
        page.open(url)
        require(all_text(page, "article") != [], "the served page has attempts")
        is_silent(page, url)
        require(page.evaluate("[...document.querySelectorAll('article a')].map(a => a.getAttribute('href'))[0]") == "/_mock/#request-1",
                "an attempt leads to the dashboard while the server runs")
        require(page.evaluate("self.origin") == "null", "an origin of its own")
        require(page.evaluate("fetch('/_mock/state', { mode: 'no-cors' }).then(() => false, () => true)"), "no request is allowed")
        require(page.evaluate("(() => { try { document.body.innerHTML = '<b>x</b>'; return false; } catch { return true; } })()"),
                "no text may become markup")
        cited = page.evaluate("[...document.querySelectorAll('.checks > li .ids a')].map(a => a.getAttribute('href'))")
        require(cited and all(link.startswith("/_mock/#request-") for link in cited),
                f"what a check cites leads to the dashboard while the server runs, found {cited}")
        page.evaluate("document.querySelector('.checks > li .ids a').click()")
        page.until("location.pathname === '/_mock/' && document.querySelector('#detail')?.open", "the dashboard opens", 5)
        title = f"Request {cited[0].removeprefix('/_mock/#request-')}, "
        page.until(f"document.querySelector('#detail-id').innerText.startsWith('{title}')", f"with {title}which is cited", 5)
    finally:
        server.stop()


def shows_text_without_scripts(page, files):
    """Expects the card as text in viewers that run no scripts: in a sandbox, as Jenkins has it, or by a policy alone."""
    for policy in ["sandbox; default-src 'none'; img-src 'self'; style-src 'self'", "script-src 'self'"]:
        viewer = Viewer(files.path("one.html"), policy)
        page.open(viewer.url)
        shown = page.evaluate("document.querySelector('#cards > pre').innerText")
        require("X   no-duplicate-effect" in shown and "Report card: sandbox default" in shown, f"the card as text, found {shown}")
        viewer.server.shutdown()


def fits_every_width(page, files):
    for name in ["one.html", "sweep.html", "merged.html"]:
        page.open(files.url(name))
        page.evaluate("document.querySelectorAll('details').forEach(node => { node.open = true; })")
        for width in [320, 390, 1100]:
            page.size(width, 900)
            require(page.evaluate("document.documentElement.scrollWidth") <= width, f"no scrolling sideways at {width} px in {name}")


def is_readable(page, files):
    page.open(files.url("one.html"))
    page.evaluate("document.querySelectorAll('details').forEach(node => { node.open = true; })")
    check_contrast(page, None)


def take_screenshots(page, files, folder):
    for name in ["one", "sweep", "merged"]:
        for scheme, width in [("light", 1100), ("dark", 1100), ("light", 390)]:
            page.size(width, 900)
            page.scheme(scheme)
            page.open(files.url(name + ".html"))
            page.screenshot(os.path.join(folder, f"{name}-{scheme}-{width}.png"))


def main():
    files = Files(sys.argv[1])
    browser = Browser()
    failed = False
    try:
        for check in [shows_one_card, opens_entries, draws_attempts, folds_many_cards, shows_merged_cards, lets_no_markup_in,
                      is_an_origin_of_its_own, shows_text_without_scripts, fits_every_width, is_readable]:
            page = browser.page()
            page.size(1100, 900)
            check(page, files)
            print(f"  {check.__name__.replace('_', ' ')}")
        if len(sys.argv) > 2:
            take_screenshots(page, files, sys.argv[2])
    except AssertionError as error:
        failed = True
        print(f"FAILED: {error}", file=sys.stderr)
    finally:
        browser.close()
        files.folder.cleanup()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
