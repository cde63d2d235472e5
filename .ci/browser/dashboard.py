"""Tests the dashboard in a real browser: dashboard.py PATH-OF-UNDERSTUDY

Each check is a function. The first failure ends the run and prints the expectation.
"""
import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from accessibility import check_contrast, check_focus, check_names
from browser import Browser

TOKEN = "a secret of this run, naïve and 秘密"


class Server:
    """A server process on a free port."""

    def __init__(self, binary, *options, port=0):
        self.binary, self.options = binary, options
        self.start(port)

    def start(self, port):
        file = tempfile.mktemp()
        self.process = subprocess.Popen([self.binary, "--port", str(port), "--port-file", file, *self.options],
                                        stdout=subprocess.DEVNULL)
        for _ in range(400):
            if os.path.exists(file) and open(file).read().strip():
                break
            if self.process.poll() is not None:
                raise SystemExit("the server ended before it listened")
            time.sleep(0.05)
        self.port = int(open(file).read())
        os.unlink(file)
        self.url = f"http://127.0.0.1:{self.port}"

    def stop(self):
        self.process.terminate()
        self.process.wait(20)

    def ask(self, method, path, body=None, **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {name.replace("_", "-"): value for name, value in fields.items()})
            response = connection.getresponse()
            data = response.read()
            return response.status, data
        finally:
            connection.close()

    def burst(self, count, path="/users/1"):
        """Sends many pipelined requests on one connection."""
        with socket.create_connection(("127.0.0.1", self.port)) as link:
            request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: burst\r\n\r\n".encode()
            left = count
            while left:
                part = min(left, 100)
                link.sendall(request * part)
                data = b""
                while data.count(b"HTTP/1.1 200") < part or not data.endswith(b"}"):
                    data += link.recv(1 << 20)
                left -= part


def require(condition, sentence):
    if not condition:
        raise AssertionError(sentence)


def within(module, expression):
    """Returns a script that evaluates an expression with the exports of one of the page's modules."""
    names = f"{{ {', '.join(EXPORTS[module])} }}"
    return f"import('{module}').then(({names}) => ({expression}))"


def inside(page, module, expression):
    return page.evaluate(within(module, expression))


EXPORTS = {"detail": ["shownCommand"], "journal": ["journal"], "scenario": ["readScenario"], "server": ["showLink"]}


def rows(page):
    return page.evaluate("[...document.querySelectorAll('#rows tr')].map(row => row.innerText)")


def choose(page, name, value):
    page.evaluate(f"(node => {{ node.value = {json.dumps(value)}; node.dispatchEvent(new Event('input', {{ bubbles: true }})); "
                  f"node.dispatchEvent(new Event('change', {{ bubbles: true }})); }})(document.getElementById({json.dumps(name)}))")


def live(page, seconds=10.0):
    page.until("document.querySelector('#link')?.className === 'live'", "it says that it is live", seconds)


def loads(page, server):
    page.open(server.url + "/_mock/")
    live(page)
    page.until("document.querySelector('#scene-title').textContent === 'Scenario calm'", "the scenario is shown")
    page.until("document.querySelectorAll('[data-api=devices] li').length === 4", "the devices are shown")
    page.until("[...document.querySelectorAll('[data-api=booking] img')].filter(image => image.naturalWidth).length === 8",
               "the pictures are shown", 30)


def shows_requests_at_once(page, server):
    for _ in range(5):
        path = f"/devices?run={time.monotonic_ns()}"
        server.ask("GET", path)
        took = page.until(f"document.querySelector('#rows tr')?.innerText.includes({json.dumps(path)})",
                          f"{path} is the first row", 1.0)
    print(f"    the last one after {took * 1000:.0f} ms")


def follows_the_state(page, server):
    server.ask("PATCH", "/devices/WWM-0001-12", {"installationDate": "2023-07-05T15:13:34Z"})
    page.until("document.querySelector('[data-api=devices]').innerText.includes('5 Jul')", "the device is shown as installed", 3)
    server.ask("GET", "/living-room/tv/on")
    page.until("document.querySelector('[data-api=house] .lit')?.innerText === 'TV on'", "the television is shown as on", 3)
    server.ask("POST", "/book", {"name": "Ljerka"})
    page.until("document.querySelector('[data-api=booking]').innerText.includes('42 spots')", "the spots are counted down", 3)
    server.ask("POST", "/activities/7834", {"is_archived": True})
    page.until("document.querySelector('[data-api=activities] .archived') !== null", "the call is shown as archived", 3)


def filters(page, server):
    server.ask("GET", "/devices/unknown")
    server.ask("GET", "/users/3")
    page.evaluate("document.querySelector('#words').focus()")
    page.call("Input.insertText", text="get unknown")
    page.until("document.querySelectorAll('#rows tr').length === 1", "one row is left", 2)
    require("/devices/unknown" in rows(page)[0], f"the row of /devices/unknown, found {rows(page)}")
    require(page.evaluate("document.querySelector('#count').textContent").startswith("1 of "), "the count says 1 of all")
    choose(page, "words", "")
    choose(page, "kind", "refused")
    found = rows(page)
    require(found and all("404" in row for row in found), f"only refused requests, found {found}")
    choose(page, "kind", "")
    choose(page, "api", "users")
    require(all("/users" in row for row in rows(page)), "only requests of the users' API")
    choose(page, "api", "")


def opens_an_entry(page, server):
    server.ask("PATCH", "/devices/CWM-0012-62", {"installationDate": "2021-01-02T03:04:05Z"}, Prefer="delay=60ms",
               User_Agent="opener/1")
    page.until("document.querySelector('#rows tr')?.innerText.includes('CWM-0012-62')", "the PATCH is the first row", 2)
    page.evaluate("document.querySelector('#rows tr button').focus()")
    page.key("Enter", text="\r")
    page.until("document.querySelector('#detail').open", "Enter opens the entry", 2)
    page.until("document.querySelector('#detail').innerText.includes('outcome\\nsent')", "its outcome is shown", 2)
    text = page.evaluate("document.querySelector('#detail').innerText")
    for part in ["PATCH /devices/CWM-0012-62", "Request", "opener/1", "2021-01-02T03:04:05Z", "Planned", "60ms", "Response",
                 "Understudy-Fault", "yes, the state changed"]:
        require(part in text, f"«{part}» in the entry, found {text}")
    page.key("Escape")
    page.until("!document.querySelector('#detail').open", "Escape closes it", 2)
    require(page.evaluate("document.activeElement.closest('#rows') !== null"), "the focus is back on its row")


def leads_from_the_card_to_entries(page, server):
    for _ in range(5):
        server.ask("GET", "/users/1")
    page.until("document.querySelector('#checks .ids a') !== null", "a check of the card cites requests", 5)
    cited = page.evaluate("document.querySelector('#checks .ids a').getAttribute('href')")
    page.evaluate("document.querySelector('#checks .ids a').click()")
    page.until("document.querySelector('#detail').open", "the link opens the entry", 2)
    shown = page.evaluate("document.querySelector('#detail-id').innerText")
    require(shown.startswith(f"Request {cited.removeprefix('#request-')}, "), f"the entry of {cited}, found {shown}")
    page.evaluate("history.back()")
    page.until("!document.querySelector('#detail').open", "the browser's way back closes it", 2)


def draws_delays(page, server):
    for _ in range(5):
        server.ask("GET", "/users/2", Prefer="delay=30ms")
    page.until("document.querySelectorAll('#histogram .p').length > 0 && document.querySelectorAll('#histogram .m').length > 0",
               "planned and measured delays are drawn", 5)
    require("0" in page.evaluate("document.querySelector('#figures').innerText").split("early")[1], "none was early")


def switches_off(page, server):
    require(server.ask("GET", "/users/1")[0] == 200, "a client is served before")
    page.evaluate("document.querySelector('#offline').focus()")
    page.key(" ", "Space", text=" ")
    page.until("document.querySelector('#offline').getAttribute('aria-checked') === 'true'", "the switch says so", 3)
    try:
        status = server.ask("GET", "/users/1")[0]
    except (ConnectionError, http.client.HTTPException):
        status = None
    require(status is None, f"a client is refused while offline, found {status}")
    require(page.evaluate("!document.querySelector('#alert').hidden"), "the page says that the sandbox is offline")
    page.evaluate("document.querySelector('#offline').click()")
    page.until("document.querySelector('#offline').getAttribute('aria-checked') === 'false'", "it is on again", 3)
    require(server.ask("GET", "/users/1")[0] == 200, "a client is served afterwards")


def arms_scenarios(page, server):
    choose(page, "scenario", "basement")
    page.evaluate("document.querySelector('#seed').value = 7; document.querySelector('#arm').requestSubmit()")
    page.until("document.querySelector('#scene-title').textContent === 'Scenario basement'", "basement is armed", 3)
    armed = json.loads(server.ask("GET", "/_mock/scenario")[1])
    require((armed["name"], armed["seed"]) == ("basement", 7), f"basement with seed 7, found {armed['name']}, {armed['seed']}")
    page.until("document.querySelectorAll('#strip .track').length === 7", "a strip for each rule of basement", 3)
    place = "Number.parseFloat(document.querySelector('#strip .axis .now').style.left)"
    before = page.evaluate(place)
    server.ask("PATCH", "/_mock/clock", {"advance": "20s"})
    inside(page, "scenario", "readScenario()")
    require(page.evaluate(place) > before, "now moves on with the sandbox's clock")
    server.ask("PUT", "/_mock/scenario", "calm")
    page.until("document.querySelector('#scene-title').textContent === 'Scenario calm'",
               "what another client arms is shown", 3)


def shows_its_sandbox(page, server):
    server.ask("POST", "/_mock/sandboxes", {"name": "ci-42", "data": {"house": {"temperature": 31}}})
    page.open(server.url + "/@ci-42/_mock/")
    live(page)
    page.until("document.querySelector('[data-api=house] li')?.textContent === '31 °C'", "the sandbox's own state", 3)
    page.until("document.querySelector('#sandbox').value === 'ci-42'", "its name is picked", 3)
    server.ask("GET", "/@ci-42/users/9")
    server.ask("GET", "/users/8")
    page.until("document.querySelector('#rows').innerText.includes('users/9')", "its request is shown", 2)
    require("users/8" not in page.evaluate("document.querySelector('#rows').innerText"), "another's request is not")
    choose(page, "sandbox", "default")
    page.until("location.pathname === '/_mock/'", "selecting another sandbox opens its page", 5)
    live(page)


def lets_no_markup_in(page, server):
    hostile = "<img src=x onerror=alert(1)><script>document.title='taken'</script>"
    server.ask("GET", "/users?q=%3Cb%3E&<svg/onload=alert(1)>", User_Agent=hostile)
    server.ask("PATCH", "/_mock/state", {"booking": {"rooms": [{"name": hostile, "spots": 1}]}})
    rule = {"name": "<i>x</i>", "about": hostile, "rules": [{"name": hostile, "effect": {"latency": "1ms"}}]}
    server.ask("PUT", "/_mock/scenario", rule)
    server.ask("POST", "/users", {"name": hostile}, User_Agent=hostile)
    page.until("document.querySelector('#scene-title').textContent === 'Scenario <i>x</i>'", "the text is shown as text", 3)
    page.until("document.querySelector('#rows tr')?.innerText.includes('POST')", "the POST is the first row", 3)
    page.evaluate("document.querySelector('#rows tr button').click()")
    page.until(f"document.querySelector('#detail').innerText.includes({json.dumps(hostile)})", "the field is shown as text", 3)
    page.until(f"document.querySelector('[data-api=booking]').innerText.includes({json.dumps(hostile)})", "the room is shown as text", 3)
    made = page.evaluate("document.querySelectorAll('main i:not([class]):not([style]), [onerror], [onload], main script, dialog script, dialog img').length")
    require(made == 0, f"no element made of a client's text, found {made}")
    require("taken" not in page.evaluate("document.title"), "no script of a client ran")
    page.evaluate("document.querySelector('#detail').close()")
    server.ask("POST", "/_mock/reset")
    server.ask("PUT", "/_mock/scenario", "calm")


def fits_a_phone(page, server):
    server.ask("GET", "/users/1?" + "long" * 60, Prefer="delay=20ms")
    page.size(390, 844)
    page.until("document.querySelector('#rows tr')?.innerText.includes('longlong')", "the request is shown", 3)
    wide = page.evaluate("""[...document.querySelectorAll('main *, header *')]
      .filter(node => node.checkVisibility() && node.getBoundingClientRect().right > 391).map(node => node.tagName + '#' + node.id)""")
    require(not wide, f"nothing wider than a phone, found {wide}")
    require(page.evaluate("document.documentElement.scrollWidth") <= 390, "no scrolling sideways")
    small = page.evaluate("""[...document.querySelectorAll('header button, main form button, select, input')]
      .filter(node => node.checkVisibility() && node.getBoundingClientRect().height < 36).map(node => node.id)""")
    require(not small, f"controls that a finger meets, found smaller {small}")
    page.size(1360, 900)


def holds_long_names(page, server):
    """Expects that a long name does not change the layout, and that bidirectional text does not reorder its surroundings."""
    word, name = "o" * 95, "n" * 63
    server.ask("POST", "/_mock/sandboxes", {"name": name})
    turned = "\u202eturned\u2066\u200f\u061c"
    rules = [{"name": word, "effect": {"latency": "1ms"}}, {"name": turned + "rule", "effect": {"latency": "1ms"}}]
    server.ask("PUT", f"/@{name}/_mock/scenario", {"name": turned + "scenario", "about": turned + word, "rules": rules})
    server.ask("PATCH", f"/@{name}/_mock/state", {"house": {"rooms": {word: {word: True, turned: False}}}})
    server.ask("POST", f"/@{name}/users", {"name": turned + word}, User_Agent="turner/1")
    page.open(f"{server.url}/@{name}/_mock/")
    live(page)
    page.until("document.querySelectorAll('#rules li').length === 2 && document.querySelector('#rows tr button')"
               " && document.querySelector('[data-api=house] .lit') !== null", "it is shown", 5)
    page.evaluate("document.querySelector('#rows tr button').click()")
    for text in ["document.body.innerText", "document.querySelector('#detail').innerText"]:
        page.until(text + ".includes('\\\\u202eturned\\\\u2066\\\\u200f\\\\u061c')", "what turns text is shown by its number", 5)
    left = page.evaluate("""[...document.querySelectorAll('body *:not(script)')]
      .filter(node => /[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(
        [...node.childNodes].filter(child => child.nodeType === 3).map(child => child.data).join('') + node.title)).map(node => node.id || node.tagName)""")
    require(not left, f"no text turned around, found in {left}")
    page.evaluate("document.querySelector('#detail').close()")
    for width in [320, 375]:
        page.size(width, 800)
        require(page.evaluate("document.documentElement.scrollWidth") <= width, f"no scrolling sideways at {width} px")
    page.size(1280, 800)
    tops = inside(page, "server", """(() => { showLink('lost');
      const middles = [...document.querySelector('.top').children].map(node => { const { top, bottom } = node.getBoundingClientRect(); return (top + bottom) / 2; });
      showLink('live'); return middles; })()""")
    require(max(tops) - min(tops) < 10, f"one line at the top, found the middles {tops}")
    page.size(1360, 900)
    page.open(server.url + "/_mock/")
    live(page)
    # Not before: a page that is still open would ask for the report of its deleted sandbox.
    server.ask("DELETE", f"/_mock/sandboxes/{name}")


WATCH_TURNS = """
  import('journal').then(({ journal }) => {
    window.mostAtOnce = 0;
    let before = journal.ids.length;
    setInterval(() => {
      mostAtOnce = Math.max(mostAtOnce, journal.ids.length - before);
      before = journal.ids.length;
    }, 0);
  })"""


def redraw(page):
    """Returns the number of elements in the rows of the table, and the median milliseconds for drawing it and the timeline."""
    return page.evaluate("""
      Promise.all([import('table'), import('timeline')]).then(([{ drawTable }, { drawTimeline }]) => [
        document.querySelectorAll('#rows *').length,
        [...Array(41)].map(() => { const began = performance.now(); drawTable(); drawTimeline(); return performance.now() - began; })
          .sort((a, b) => a - b)[20]])""")


def expect_pauses(page, when):
    """Expects that the page has let its reader in between the entries that it took in since WATCH_TURNS."""
    most = page.evaluate("mostAtOnce")
    print(f"    {when} at most {most} at once")
    require(most <= 2_000, f"pauses {when}, found {most} entries at once")
    return most


def stays_smooth(page, server):
    """Expects that the page draws as little with 10,000 entries as with 400, and that it lets its reader in between while they come.

    It counts entries and elements, and only prints milliseconds: those depend on how busy the machine is."""
    server.burst(400)
    page.until(within("journal", "journal.ids.length >= 400"), "400 entries are there", 20)
    few, milliseconds = redraw(page)
    print(f"    {few} elements with 400 entries, drawn in {milliseconds:.1f} ms")
    page.evaluate(WATCH_TURNS)
    server.burst(10_000)
    page.until(within("journal", "journal.ids.length >= 10_000"), "10,000 entries are there", 120)
    page.until("document.querySelector('#count').textContent.startsWith('10,')", "they are counted", 20)
    require(expect_pauses(page, "while 10,000 requests come") > 0, "their number was watched")
    require(page.evaluate("document.querySelectorAll('#rows tr').length") <= 25, "no more rows than one can look through")
    many, milliseconds = redraw(page)
    print(f"    {many} elements with 10,000, drawn in {milliseconds:.1f} ms")
    require(many <= 2 * few, f"elements that do not grow with the entries, found {few} and {many}")
    page.open(server.url + "/_mock/")
    page.evaluate(WATCH_TURNS)
    page.until(within("journal", "journal.ids.length >= 10_000"), "a page opened later has them too", 120)
    expect_pauses(page, "while 10,000 entries are read")


def newest_first(page, server):
    """Expects the newest row of a full journal at once, and the older ones after it."""
    server.burst(10_000)
    marker = f"/devices?newest={time.monotonic_ns()}"
    server.ask("GET", marker)
    page.open(server.url + "/_mock/")
    took = page.until(f"document.querySelector('#rows tr')?.innerText.includes({json.dumps(marker)})",
                      "the newest of 10,000 requests is the first row", 20)
    print(f"    the newest row {took * 1000:.0f} ms after the page, of 10,000")
    page.until(within("journal", "journal.ids.length >= 10_000 && !journal.loading"), "the older ones follow", 60)


def shows_more(page, server):
    """Expects that the table grows with the page, that its head stays below the page's header, and that the skip link does, too."""
    server.burst(200)
    page.until("document.querySelectorAll('#rows tr').length === 25", "the newest rows are there", 5)
    scrollers = page.evaluate("[...document.querySelectorAll('main *')].filter(e => /auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1).length")
    require(scrollers == 0, f"no box with a scroll bar of its own, found {scrollers}")
    before = page.evaluate("document.documentElement.scrollHeight")
    page.evaluate("document.querySelector('#more').click()")
    page.until("document.querySelectorAll('#rows tr').length === 125", "more rows follow", 3)
    require(page.evaluate("document.documentElement.scrollHeight") > before + 2000, "the page is longer")
    page.evaluate("document.querySelectorAll('#rows tr')[80].scrollIntoView({ block: 'center' })")
    head, top = page.evaluate("""[document.querySelector('th').getBoundingClientRect().top, document.querySelector('#top').getBoundingClientRect().bottom]""")
    require(abs(head - top) < 2, f"the table's head below the header, found {head} and {top}")
    page.evaluate("scrollTo(0, 0); location.hash = ''; document.querySelector('.skip').click()")
    page.until("document.querySelector('#requests').getBoundingClientRect().top >= document.querySelector('#top').getBoundingClientRect().bottom",
               "the skip link lands below the header", 3)
    page.evaluate("scrollTo(0, 0)")


def searches_bodies(page, server):
    server.ask("POST", "/book", {"name": "Mostafa"})
    choose(page, "words", "mostafa")
    page.until("document.querySelectorAll('#rows tr').length === 1", "a word of a request's body finds it", 3)
    choose(page, "words", "")


def folds_rivals(page, server):
    server.ask("PUT", "/_mock/scenario", {"rules": [{"effect": {"rivals": {"every": "2s", "books": 1}}}]})
    server.ask("GET", "/users/4")
    server.ask("PATCH", "/_mock/clock", {"advance": "20s"})
    server.ask("GET", "/users/5")
    page.until("document.querySelector('#rows').innerText.includes('events of rivals')", "successive events of rivals are one row", 5)
    require("a rival" not in rows(page)[1].split("the last one")[0], f"one row for all of them, found {rows(page)[:4]}")
    page.evaluate("document.querySelector('#rows button[aria-expanded]').click()")
    page.until("document.querySelectorAll('#rows tr.event').length > 5", "it unfolds", 3)
    server.ask("PUT", "/_mock/scenario", "calm")


def fails_by_hand(page, server):
    """Expects that a fault by hand hits the next request alone, that the details show the response, and that its command repeats it."""
    page.evaluate("""(() => { const set = (id, value) => { document.querySelector(id).value = value; };
      document.querySelector('#by-hand').open = true; set('#fault-method', 'GET'); set('#fault-path', '/users/6');
      set('#fault-effect', 'drift'); document.querySelector('#fault').requestSubmit(); })()""")
    page.until("document.querySelector('#faults').innerText.includes('the next one')", "the fault is listed", 3)
    armed = json.loads(server.ask("GET", "/_mock/scenario")[1])
    require(armed["name"] == "calm", f"the scenario stays, found {armed['name']}")
    _, drifted = server.ask("GET", "/users/6")
    _, whole = server.ask("GET", "/users/6")
    require(json.loads(drifted) != json.loads(whole), "the next request is hit, and the one after it is not")
    page.until("document.querySelector('#faults').innerText === ''", "it is used up", 3)
    page.until("document.querySelectorAll('#rows tr')[1].innerText.includes('drift: ')", "the row says what drifted", 3)
    page.evaluate("document.querySelectorAll('#rows tr')[1].querySelector('button').click()")
    text = page.evaluate("document.querySelector('#detail').innerText")
    require("The body as it was sent" in text and json.loads(page.evaluate("[...document.querySelectorAll('#detail pre')].at(-1).textContent")) == json.loads(drifted),
            f"the body that was sent, found {text}")
    require("Prefer: fault=drift" in inside(page, "detail", "shownCommand()"), "the command repeats the fault")
    require("drawn anew" in page.evaluate("document.querySelector('#curl').title"), "the button says what the command does not repeat")
    page.evaluate("document.querySelector('#fail').click()")
    filled = page.evaluate("['api', 'method', 'path'].map(name => document.querySelector(`#fault-${name}`).value)")
    require(filled == ["users", "GET", "/users/6"], f"the form is filled from a request, with its API, found {filled}")


def explains_what_it_cannot_repeat(page, server):
    """Expects that the command of a request says what Prefer cannot carry."""
    effects = [{"pace": {"bytesPerSecond": 100000, "chunk": 64}}, {"status": 503, "retryAfter": "2s", "retryAfterDate": True, "body": {}}]
    server.ask("PUT", "/_mock/scenario", {"rules": [{"effect": effect} for effect in effects]})
    server.ask("GET", "/users/7")
    server.ask("PUT", "/_mock/scenario", "calm")
    page.until("[...document.querySelectorAll('#rows tr')].some(row => row.innerText.includes('/users/7'))", "the request is shown", 3)
    page.evaluate("[...document.querySelectorAll('#rows tr')].find(row => row.innerText.includes('/users/7')).querySelector('button').click()")
    command, title = inside(page, "detail", "shownCommand()"), page.evaluate("document.querySelector('#curl').title")
    require("Prefer: status=503; retryAfter=2s'" in command, f"the command repeats status and wait, found {command}")
    for words in ["the pace", "the body", "instead of a date"]:
        require(words in title, f"«{words}» in the title, found {title}")
    page.evaluate("document.querySelector('#detail').close()")


def sends_again(page, server):
    """Expects that the page has the request of another client sent again, with its fields and the faults of a rule."""
    server.ask("PUT", "/_mock/scenario", {"rules": [{"effect": {"fault": "truncate"}}]})
    with contextlib.suppress(http.client.HTTPException):
        server.ask("GET", "/users/6?again", User_Agent="sender/1")
    server.ask("PUT", "/_mock/scenario", "calm")
    choose(page, "words", "sender/1 ?again truncate")
    page.until("document.querySelectorAll('#rows tr').length === 1", "the request is shown", 3)
    page.evaluate("document.querySelector('#rows tr button').click(); document.querySelector('#again').click()")
    page.until("document.querySelectorAll('#rows tr').length === 2", "a second one came of the same client, with the same fault", 5)
    require(page.evaluate("document.querySelector('#copied').textContent").startswith("It is sent"), "the page says so")
    page.evaluate("document.querySelector('#detail').close()")
    choose(page, "words", "")


def marks_a_cut(page, server):
    """Expects that the place is marked at which a fault ended a text."""
    for key in range(1, 20):
        server.ask("GET", "/users/6", Prefer="fault=corrupt", Fault_Key=str(key))
    choose(page, "words", "cut at byte")
    page.until("document.querySelector('#rows tr') !== null", "one of them is cut", 3)
    page.evaluate("document.querySelector('#rows tr button').click()")
    mark = page.evaluate("document.querySelector('#parts pre').lastChild.textContent")
    require(mark.startswith(" cut here, at byte"), f"a mark at the end, found {mark}")
    page.evaluate("document.querySelector('#detail').close()")
    choose(page, "words", "")


def refuses_a_fault_in_words(page, server):
    """Expects one sentence in the words of the form, which goes with the next change, and phases only where they exist."""
    for method, path, disabled in [("GET", "/users/6", True), ("HEAD", "", True), ("POST", "/book", False), ("GET", "/*/*/on", False)]:
        choose(page, "fault-api", "")
        choose(page, "fault-method", method)
        choose(page, "fault-path", path)
        require(page.evaluate("document.querySelector('#fault-phase [value=after]').disabled") == disabled, f"the phases of {method} {path}")
    choose(page, "fault-path", "/nothing")
    page.evaluate("document.querySelector('#fault').requestSubmit()")
    page.until("document.querySelector('#fault-error').textContent !== ''", "the refusal is shown", 3)
    text = page.evaluate("document.querySelector('#fault-error').textContent")
    require(text.startswith("Path: expected a path") and text.count("expected a path") == 1, f"one sentence, found {text}")
    require("/match" not in text, f"no pointer, found {text}")
    require(page.evaluate("document.querySelector('#alert').hidden"), "no other alert")
    choose(page, "fault-path", "/users/6")
    require(page.evaluate("document.querySelector('#fault-error').textContent") == "", "the sentence goes with the next change")
    page.size(390, 844)
    room = page.evaluate("""(() => { const select = document.querySelector('#fault-phase'), style = getComputedStyle(select);
      const pen = document.createElement('canvas').getContext('2d'); pen.font = style.font;
      const padding = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
      return select.clientWidth - padding - pen.measureText('before the change').width;
    })()""")
    require(room > 20, f"the phase is whole on a phone, with its arrow; {room} px are left")
    page.size(1360, 900)


def explains(page, server):
    """Expects that a choice that is not armed says so, and that each check tells when it passes and fails."""
    choose(page, "scenario", "overload")
    page.until("document.querySelector('#unarmed').textContent.includes('overload with seed')", "a choice that is not armed says so", 3)
    inside(page, "scenario", "readScenario()")
    require(page.evaluate("document.querySelector('#scenario').value") == "overload", "the choice stays")
    choose(page, "scenario", "calm")
    page.until("document.querySelector('#unarmed').textContent === ''", "it says no more", 3)
    missing = page.evaluate("""[...document.querySelectorAll('#checks li[class]')].filter(item => !item.querySelector('.about dt'))
      .map(item => item.innerText)""")
    require(not missing, f"each check explains itself, found none for {missing}")
    # The figures are those of planned delays.
    server.ask("GET", "/users/1", Prefer="delay=20ms")
    page.until("document.querySelector('#figures dt') !== null", "a delay has its figures", 5)
    for word in ["#arm button[type=submit]", "#seed", "#figures dt"]:
        require(page.evaluate(f"document.querySelector('{word}')?.title.length > 20"), f"{word} has a title")


def pauses_and_steps(page, server):
    page.evaluate("document.querySelector('#pause').click()")
    before = rows(page)
    server.ask("GET", "/users/5?while=paused")
    page.until("document.querySelector('#count').textContent.includes('paused, 1 new')", "it tells what is new", 3)
    require(rows(page) == before, "a paused table stays as it is")
    page.evaluate("document.querySelector('#pause').click()")
    page.until("document.querySelector('#rows tr').innerText.includes('while=paused')", "it follows again", 3)
    server.ask("PATCH", "/devices/WWM-0001-12", {"meterPointDescription": "Ba'th"}, User_Agent="stepper/1")
    page.until("document.querySelector('#rows tr').innerText.includes('PATCH')", "the PATCH is the first row", 3)
    page.evaluate("document.querySelector('#rows tr button').click()")
    require(page.evaluate("/^#request-\\d+$/.test(location.hash)"), "an open request has a link")
    command = inside(page, "detail", "shownCommand()")
    for part in ["-X PATCH", "/devices/WWM-0001-12'", "stepper/1", "--data-raw", "Ba'\\''th"]:
        require(part in command, f"«{part}» in the command, found {command}")
    page.evaluate("document.querySelector('#older').click()")
    require("while=paused" in page.evaluate("document.querySelector('#detail-title').textContent"), "the older one is shown")
    page.evaluate("document.querySelector('#newer').click()")
    require("PATCH" in page.evaluate("document.querySelector('#detail-title').textContent"), "and the newer one again")
    link = page.evaluate("location.href")
    page.evaluate("document.querySelector('#detail').close()")
    page.open("about:blank")
    page.open(link)
    page.until("document.querySelector('#detail').open && document.querySelector('#detail-title').textContent.includes('PATCH')",
               "the link opens its request", 10)
    page.evaluate("document.querySelector('#detail').close()")


def asks_before_it_starts_over(page, server):
    page.evaluate("document.querySelector('#reset').click()")
    require(page.evaluate("document.querySelector('#over').open"), "it asks")
    page.key("Escape")
    page.until("!document.querySelector('#over').open", "Escape leaves it", 2)
    require(inside(page, "journal", "journal.ids.length > 0"), "nothing was reset")
    page.evaluate("document.querySelector('#reset').click(); document.querySelector('#over button[value=reset]').click()")
    page.until("document.querySelector('#count').textContent.endsWith('0 requests and 1 event')", "the journal begins anew", 5)


def reconnects(page, server):
    port = server.port
    server.stop()
    page.until("document.querySelector('#link').textContent.includes('Disconnected')", "it says that it is disconnected", 5)
    server.start(port)
    live(page, 15)
    server.ask("GET", "/users/7")
    page.until("document.querySelector('#rows tr')?.innerText.includes('/users/7')", "new requests are shown", 3)
    require(len(rows(page)) == 1, "what the server has forgotten, the page has too")


def forgets_with_the_server(page, server):
    """Expects that the page drops its rows when another server with the same ids and sequence numbers takes the port."""
    def restart(ask=lambda: None):
        # The page reconnects after half a second or more, so the requests sent meanwhile are in the journal by then.
        server.stop()
        page.until("document.querySelector('#link').className === 'lost'", "it says that it is disconnected", 5)
        server.start(server.port)
        ask()
        live(page, 15)

    def ask_all(*paths):
        for path in paths:
            server.ask("GET", path)

    def shows(count, *paths):
        page.until(f"""document.querySelector('#count').textContent === '{count}'
          && [...document.querySelectorAll('#rows tr button')].map(button => button.textContent.replace('GET ', '')).join()
            === '{','.join(reversed(paths))}'""", f"it says {count} and lists {paths}", 3)

    old = [f"/users/{number}" for number in range(1, 8)]
    page.open(server.url + "/_mock/")
    live(page)
    restart()
    ask_all(*old)
    shows("7 requests", *old)
    page.evaluate("document.querySelector('#rows tr:nth-child(5) button').click()")
    restart()
    shows("No requests yet")
    new = ["/devices", "/devices/CWM-0012-62", "/living-room/tv"]
    ask_all(*new)
    shows("3 requests", *new)
    opened = page.evaluate("document.querySelector('#detail-title').textContent")
    require(opened == "GET /users/3", f"what is open to be read stays, found {opened}")
    page.evaluate("document.querySelector('#detail').close()")
    restart(lambda: ask_all(*old[:3]))
    shows("3 requests", *old[:3])
    # Six requests are pending at once, so the old server's last sequence number is now an outdated one of some entry.
    with ThreadPoolExecutor(6) as pool:
        restart(lambda: list(pool.map(lambda _: server.ask("GET", "/devices", Prefer="delay=500ms"), range(6))))
    shows("6 requests", *["/devices"] * 6)


def asks_for_the_token(page, server):
    def give(token):
        page.evaluate("document.querySelector('#token').value = ''; document.querySelector('#token').focus()")
        page.call("Input.insertText", text=token)
        page.key("Enter", text="\r")

    def is_refused(token, reason):
        give(token)
        page.until(f"document.querySelector('#refusal').textContent.includes({json.dumps(reason)})", f"«{reason}» is shown", 5)
        require(page.evaluate("document.querySelector('#ask').open"), "the dialog stays open")
        require(page.evaluate("document.activeElement.id === 'token'"), "one can type at once")
        require(page.evaluate("sessionStorage.length") == 0, "a token that does not work is not kept")

    page.open(server.url + "/_mock/")
    page.until("document.querySelector('#ask').open", "it asks for the token")
    require(page.evaluate("document.querySelector('#refusal').textContent") == "", "nothing was refused yet")
    is_refused("not it", "refused this token")
    is_refused("  ", "is blank")
    is_refused("日本語", "refused this token")
    is_refused("a\u0001b", "control character")
    give(TOKEN)
    live(page)
    require(not page.evaluate("document.querySelector('#ask').open"), "it asks no more")
    page.until("document.querySelectorAll('[data-api=booking] img').length === 8", "the state is shown", 5)
    page.open(server.url + "/_mock/")
    live(page)
    page.evaluate("sessionStorage.setItem('token', '日本語')")
    page.open(server.url + "/_mock/")
    page.until("document.querySelector('#refusal')?.textContent.includes('refuses the token')", "it says that the server refuses the kept token", 5)
    give(TOKEN)
    live(page)


def is_quiet(page, server, allowed=("status of 400",)):
    """Expects an empty console and no request to another origin. Console messages with one of the `allowed` words are ignored: by
    default those about a status of 400, which the browser logs when a fault by hand is refused.
    """
    messages = [event["exceptionDetails"]["exception"].get("description", "?") for event in page.happened("Runtime.exceptionThrown")]
    messages += [str(event["args"]) for event in page.happened("Runtime.consoleAPICalled")]
    messages += [event["entry"]["text"] + " " + event["entry"].get("url", "") for event in page.happened("Log.entryAdded")]
    messages = [line for line in messages if not any(word in line for word in allowed)]
    require(not messages, f"a silent console, found {messages}")
    urls = [event["request"]["url"] for event in page.happened("Network.requestWillBeSent")]
    origins = {url.split("/")[2] for url in urls if not url.startswith(("data:", "blob:", "about:"))}
    require(all(origin.startswith("127.0.0.1:") for origin in origins), f"only our own origin is asked, found {origins}")
    require(not any("/_mock/" not in url for url in urls if url.startswith("http")), f"nothing but the control API is asked, found {urls}")


def main():
    server = Server(sys.argv[1])
    guarded = Server(sys.argv[1], "--admin-token", TOKEN)
    browser = Browser()
    failed = False
    try:
        page = browser.page()
        page.size(1360, 900)
        checks = [loads, shows_requests_at_once, follows_the_state, filters, opens_an_entry, leads_from_the_card_to_entries,
                  draws_delays, arms_scenarios, switches_off, lets_no_markup_in, shows_its_sandbox, check_names, check_focus,
                  check_contrast, fails_by_hand, refuses_a_fault_in_words, explains_what_it_cannot_repeat, sends_again, marks_a_cut, explains,
                  searches_bodies, folds_rivals, shows_more, fits_a_phone, holds_long_names, stays_smooth, newest_first,
                  pauses_and_steps, asks_before_it_starts_over, is_quiet, reconnects]
        for check in checks:
            check(page, server)
            print(f"  {check.__name__.replace('_', ' ')}")
        # The browser logs the requests that failed while the server was down.
        is_quiet(page, server, allowed=["net::ERR_", "status of 400"])
        forgets_with_the_server(page, server)
        print("  forgets with the server")
        other = browser.page()
        asks_for_the_token(other, guarded)
        is_quiet(other, guarded, allowed=["401"])
        print("  asks for the token")
    except AssertionError as error:
        failed = True
        print(f"FAILED: {error}", file=sys.stderr)
    finally:
        browser.close()
        server.stop()
        guarded.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
