"""Strikes the fetch of a page in a real browser by each fault of the scenario grammar: page-faults.py PATH-OF-UNDERSTUDY [BROWSER...]

A browser sends some requests again by itself, and would hide the fault from its page. For each fault, a GET and a POST, before and after
the commit, on a new connection and on one that has served another request, the page must get another result than without a fault: a
rejection, another status or media type, other content, or none in time. A fault that the server could not deliver is printed, and does not
fail. Without names the browsers are chromium and firefox.
"""
import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

from dashboard import Server

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
  // It books a spot, so that the rooms have an older state, too.
  if (isUsed) await (await fetch(`${base}/book?name=Mina`, { cache: 'no-store' })).text();
  const signal = AbortSignal.timeout(PATIENCE);
  try {
    const response = await fetch(base + path, { method, body, cache: 'no-store', signal });
    return [response.status, response.headers.get('Content-Type'), (await response.text()).replaceAll(name, '')];
  } catch (error) {
    return [`${error.name}: ${error.message}`];
  }
}
const cases = CASES;
async function work() {
  for (let next = cases.shift(); next; next = cases.shift()) {
    const told = [next[0], await result(...next).catch(error => ['unused', error.message])];
    await fetch('/told', { method: 'POST', body: JSON.stringify(told) });
  }
}
await Promise.all(Array.from({ length: 6 }, work));
await fetch('/told', { method: 'POST', body: 'null' });
</script>"""


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
            # These have no phase. An outage strikes a first request, too.
            is_outage = "offline" in effect
            if phase == "before" or not is_outage and effect.get("fault") != "stale":
                yield from ((effect, phase, method, used) for used in ((False,) if is_outage else (False, True)))


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
        status, answer = server.ask("POST", "/_mock/sandboxes", {"name": name, "scenario": scenario})
        if status != 201:
            sys.exit(f"{in_words(case)}: {answer.decode()}")
        found[name] = case
    table = [[name, method, TARGETS[method], used] for name, (_, _, method, used) in found.items()]
    page = PAGE.replace("CASES", json.dumps(table)).replace("PORT", str(server.port)).replace("PATIENCE", str(PATIENCE))
    if not visit(browser, page, 120, lambda told: results.update([told])):
        sys.exit(f"{browser}: the page did not come to its end; it told {len(results)} of {len(found)} results")
    if unused := [in_words(found[name]) for name, result in results.items() if result[0] == "unused"]:
        sys.exit(f"{browser}: the first request on a connection fails: {unused}")
    whole = {case[2:]: results[name] for name, case in found.items() if case in calm}
    if failed := [result for result in whole.values() if result[0] != 200]:
        sys.exit(f"{browser}: requests without a fault fail: {failed}")
    unseen = []
    for name, case in found.items():
        if case not in calm and results[name] == whole[case[2:]]:
            entries = json.loads(server.ask("GET", f"/@{name}/_mock/journal?limit=50")[1])["entries"]
            unseen.append((case, [entry for entry in entries if (entry["method"], entry["path"]) == (case[2], TARGETS[case[2]])]))
    return len(found) - len(calm), unseen


def check(program, browser):
    """Returns the number of cases, and those of which a page does not see the fault, in words."""
    wanted, counts, unseen = list(cases(program)), [], []
    with contextlib.ExitStack() as stack:
        server = Server(program)
        stack.callback(server.stop)
        for number in range(ROUNDS):
            count, hidden = strike(server, browser, wanted, number)
            counts.append(count)
            unseen = []
            for case, entries in hidden:
                if entries and all(entry["outcome"] == "not deliverable" for entry in entries):
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
