"""Strikes the fetch of a page in a real browser by each fault of the scenario grammar: page-faults.py PATH-OF-UNDERSTUDY [BROWSER...]

A browser sends some requests again by itself, and would hide the fault from its page. For each fault, a GET and a POST, before and after
the commit, on a new connection and on one that has served another request, the page must get another result than without a fault: a
rejection, another status or media type, other content, or none in time. Without names the browsers are chromium and firefox.
"""
import contextlib
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests/Field/programs"))
from browsers import visit  # noqa: E402

TARGETS = {"GET": "/rooms.json", "POST": "/book"}
# The page gives up after this time, and so do hung and stalled responses that end in another way.
PATIENCE, ENDED = 2_000, "300ms"
# On a busy machine a browser may repeat a request so late that the server takes the repetition for the page's own. A fault that a
# browser hides, it hides in each round.
ROUNDS = 3
PAGE = """<!DOCTYPE html><title>faults</title><script type="module">
async function result(name, method, path, isUsed) {
  const base = `http://${name}.localhost:PORT`;
  const body = method === 'POST' ? '{"name":"Ljerka"}' : undefined;
  const signal = AbortSignal.timeout(PATIENCE);
  try {
    // It books a spot, so that the rooms have an older state, too.
    if (isUsed) await (await fetch(`${base}/book?name=Mina`, { cache: 'no-store', signal })).text();
    const response = await fetch(base + path, { method, body, cache: 'no-store', signal });
    return [response.status, response.headers.get('Content-Type'), (await response.text()).replaceAll(name, '')];
  } catch (error) {
    return [`${error.name}: ${error.message}`];
  }
}
const cases = CASES;
async function work() {
  for (let next = cases.shift(); next; next = cases.shift()) {
    const told = [next[0], await result(...next)];
    await fetch('/told', { method: 'POST', body: JSON.stringify(told) });
  }
}
await Promise.all(Array.from({ length: 6 }, work));
await fetch('/told', { method: 'POST', body: 'null' });
</script>"""


class Server:
    """A running understudy."""

    def __init__(self, program):
        folder = Path(tempfile.mkdtemp())
        self.program = program
        self.process = subprocess.Popen(
            [program, "--port", "0", "--port-file", folder / "port"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        # It prints a line when it is ready, and has written the file before.
        if not self.process.stdout.readline():
            sys.exit("the server does not start")
        self.port = int((folder / "port").read_text())
        (folder / "port").unlink()
        folder.rmdir()

    def call(self, method, path, body=None, may_be_refused=False):
        """Returns the response's JSON; None if it is refused, and may be."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            if error.code == 400 and may_be_refused:
                return None
            sys.exit(f"{method} {path} {json.dumps(body)}: {error.read().decode()}")

    def close(self):
        self.process.terminate()
        self.process.wait(20)


def effects(program):
    """Returns each effect by which a response fails, as the scenario's schema lists them."""
    schema = json.loads(subprocess.run([program, "schema", "scenario"], check=True, stdout=subprocess.PIPE).stdout)["$defs"]
    faults = []
    for reference in schema["Effect"]["anyOf"]:
        properties = schema[reference["$ref"].rpartition("/")[2]]["properties"]
        if "fault" not in properties:
            continue
        names = properties["fault"].get("enum") or [properties["fault"]["const"]]
        faults += [{"fault": name} for name in names]
        for end in properties.get("then", {}).get("enum", []):
            faults += [{"fault": name, "for": ENDED, "then": end} for name in names]
    return [*faults, {"status": 503}, {"status": 429, "retryAfter": "1s"}, {"offline": True}, {"offline": "silence"}]


def rule(effect, phase, method):
    """Returns the rule that strikes the page's request, and no other; an outage strikes all."""
    if "offline" in effect:
        return {"effect": effect}
    return {"match": {"path": TARGETS[method], "method": method}, "when": {"first": 1}, "phase": phase, "effect": effect}


def cases(program):
    """Returns the cases: effect, phase, method, and whether the connection is used before."""
    for effect in effects(program):
        for method, phase in [("GET", "before"), ("POST", "before"), ("POST", "after")]:
            if phase == "before" or "offline" not in effect:
                yield from ((effect, phase, method, used) for used in (False, True))


def in_words(case):
    effect, phase, method, used = case
    return f"{method}, {json.dumps(effect)}, {phase} the commit, on a {'used' if used else 'new'} connection"


def strike(server, browser, wanted, number):
    """Performs cases in a page. Returns their number, and those whose fault it did not see, each with the requests of its sandbox."""
    calm = [(None, "before", method, used) for method in TARGETS for used in (False, True)]
    found, results = {}, {}
    for case in [*calm, *wanted]:
        effect, phase, method, _ = case
        name = f"case-{number}-{len(found)}"
        scenario = {"name": name, "rules": [rule(effect, phase, method)] if effect else []}
        # Some faults have no phase.
        if server.call("POST", "/_mock/sandboxes", {"name": name, "scenario": scenario}, may_be_refused=phase == "after"):
            found[name] = case
    table = [[name, method, TARGETS[method], used] for name, (_, _, method, used) in found.items()]
    page = PAGE.replace("CASES", json.dumps(table)).replace("PORT", str(server.port)).replace("PATIENCE", str(PATIENCE))
    if not visit(browser, page, 120, lambda told: results.update([told])):
        sys.exit(f"{browser}: the page did not come to its end; it told {len(results)} of {len(found)} results")
    whole = {case[2:]: results[name] for name, case in found.items() if case in calm}
    if failed := [result for result in whole.values() if result[0] != 200]:
        sys.exit(f"{browser}: requests without a fault fail: {failed}")
    unseen = []
    for name, case in found.items():
        if case not in calm and results[name] == whole[case[2:]]:
            entries = server.call("GET", f"/@{name}/_mock/journal?limit=50")["entries"]
            unseen.append((case, [entry for entry in entries if (entry["method"], entry["path"]) == (case[2], TARGETS[case[2]])]))
    return len(found) - len(calm), unseen


def check(program, browser):
    """Returns the number of cases, and those of which a page does not see the fault, in words."""
    wanted, counts, unseen = list(cases(program)), [], []
    with contextlib.closing(Server(program)) as server:
        for number in range(ROUNDS):
            count, hidden = strike(server, browser, wanted, number)
            counts.append(count)
            unseen = []
            for case, entries in hidden:
                if all(entry["outcome"] == "not deliverable" for entry in entries):
                    print(f"{browser}: not deliverable: {in_words(case)}")
                else:
                    unseen.append((case, entries))
            wanted = [case for case, _ in unseen]
            if not wanted:
                break
    return counts[0], [f"{in_words(case)}: {', '.join(map(request, entries))}" for case, entries in unseen]


def request(entry):
    return f"#{entry['id']} {entry['method']} n={entry['n']} {entry['outcome']} at {entry['at']}"


def main():
    program, *browsers = sys.argv[1:]
    failed = False
    for browser in browsers or ["chromium", "firefox"]:
        began = time.monotonic()
        count, unseen = check(program, browser)
        print("\n".join(f"{browser}: UNSEEN: {line}" for line in unseen) + "\n" * bool(unseen), end="")
        print(f"{browser}: {count} cases in {time.monotonic() - began:.1f} s, of which the page does not see {len(unseen)}", flush=True)
        failed |= bool(unseen)
    sys.exit(failed)


main()
