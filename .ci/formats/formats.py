#!/usr/bin/env python3
"""Checks the program's JSON Schemas with jsonschema, and the journal as an HTTP Archive with haralyzer.

Usage: .ci/formats/formats.py PROGRAM

The schemas are those that the program prints and serves. Scenarios, data, a journal and reports must be valid, and files with
one mistake each must be invalid.
"""

import copy
import http.client
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from haralyzer import HarParser
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[2]
PROGRAM = os.path.abspath(sys.argv[1])
DATA = ["devices", "activities", "house", "users", "booking"]
NAMES = ["scenario", "journal", "report", *DATA]
SCENARIOS = sorted((ROOT / "Seeds/scenarios").glob("*.json"))
# Each round sends requests of every kind.
ROUNDS = 20


def printed(*words):
    return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True).stdout


def validators():
    schemas = {name: json.loads(printed("schema", name)) for name in NAMES}
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    return {name: Draft202012Validator(schema) for name, schema in schemas.items()}


def expect_valid(validator, value, what):
    for error in validator.iter_errors(value):
        sys.exit(f"{what}: {error.json_path}: {error.message[:500]}")


def ask(url, method="GET", body=None, **fields):
    """Returns the body of a response, or None if a fault destroyed it."""
    request = urllib.request.Request(url, method=method, data=body and body.encode(), headers=fields)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read()
    except urllib.error.HTTPError as refusal:
        return refusal.read() if refusal.code < 500 else None
    except (OSError, http.client.HTTPException):
        return None


def traffic(url):
    """Sends requests of every kind, with faults of every kind."""
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    for number in range(ROUNDS):
        ask(f"{url}/devices?page={number}", traceparent=trace, Authorization="Bearer secret")
        ask(f"{url}/devices/WWM-0001-12", "PATCH", '{"installationDate": "2026-11-22T10:00:00Z"}')
        ask(f"{url}/users", "POST", "name=A&email=b", **{"Content-Type": "application/x-www-form-urlencoded"})
        ask(f"{url}/book", "POST", '{"name": "Ljerka"}', **{"Idempotency-Key": f"key-{number}", "Fault-Key": "mine"})
    for preference in ["code=503", "fault=reset; phase=after", "fault=empty", "fault=drift", 'fault=truncate; at="1/2"', "fualt=x"]:
        ask(f"{url}/rooms.json", Prefer=preference)
    ask(f"{url}/_mock/state", "PATCH", '{"house": {"temperature": 31}}')
    ask(f"{url}/_mock/network", "PATCH", '{"state": "offline"}')
    ask(f"{url}/devices")
    ask(f"{url}/_mock/network", "PATCH", '{"state": "online"}')


def mistakes(value, changes):
    """Yields copies of a value, each with one member changed or removed."""
    for path, mistake in changes:
        changed = copy.deepcopy(value)
        place = changed
        for step in path[:-1]:
            place = place[step]
        if mistake is None:
            del place[path[-1]]
        else:
            place[path[-1]] = mistake
        yield path, changed


def expect_refused(validator, value, changes):
    expect_valid(validator, value, "the sound file")
    for path, changed in mistakes(value, changes):
        if validator.is_valid(changed):
            sys.exit(f"the schema lets a mistake at {path} pass")
    return len(changes)


def scenarios(valid, url):
    for path in SCENARIOS:
        expect_valid(valid["scenario"], json.loads(path.read_text()), path.name)
    for name in DATA:
        expect_valid(valid[name], json.loads((ROOT / f"Seeds/{name}.json").read_text()), name)
    for name in NAMES:
        served = ask(f"{url}/_mock/schemas/{name}.json")
        assert served == printed("schema", name).encode(), f"the served schema {name} differs from the printed one"
    sound = {
        "$schema": f"{url}/_mock/schemas/scenario.json", "name": "mine",
        "rules": [{
            "match": {"api": "devices", "method": ["PATCH"]}, "when": {"chance": "1/10"}, "phase": "after",
            "effect": {"fault": "reset"},
        }],
    }
    first = ("rules", 0)
    return expect_refused(valid["scenario"], sound, [
        (("rules",), None), (("rulez",), []), ((*first, "effect"), None), ((*first, "effect", "fault"), "rest"),
        ((*first, "phase"), "later"), ((*first, "when", "chance"), "10 %"), ((*first, "match", "api"), "device"),
        ((*first, "when", "chance"), "0/0"), ((*first, "when", "requests"), "0...2"), ((*first, "match", "path"), "0"),
        ((*first, "match", "path"), "/a/b**"),
        ((*first, "effect"), {"latency": "3 seconds"}),
        ((*first, "name"), "{"), ((*first, "name"), "a\u0007"), ((*first, "match", "header"), {}),
        ((*first, "match", "header"), {"X Y": "*"}), ((*first, "effect"), {"latency": {"percentiles": {"101": "1s"}}}),
    ])


def journal(valid, url):
    found = json.loads(ask(f"{url}/_mock/journal"))
    expect_valid(valid["journal"], found, "the journal")
    definition = {"$ref": "#/$defs/JournalEntry", "$defs": valid["journal"].schema["$defs"]}
    lines = ask(f"{url}/_mock/journal?format=jsonl").splitlines()
    for line in lines:
        expect_valid(Draft202012Validator(definition), json.loads(line), "a line of the journal")
    known = set(definition["$defs"]["JournalEntry"]["properties"])
    unknown = {member for entry in found["entries"] for member in entry} - known
    assert not unknown, f"the schema of the journal does not name {unknown}"
    refused = expect_refused(valid["journal"], {"entries": found["entries"][:1]}, [
        (("entries",), None), (("entries", 0, "id"), 0), (("entries", 0, "seq"), None), (("entries", 0, "at"), "today"),
    ])
    return len(lines), refused


def reports(valid, url, directory):
    expect_valid(valid["report"], json.loads(ask(f"{url}/_mock/report?format=json")), "the card")
    client = ["--", "sh", str(ROOT / "Tests/CommandTests/naive-client.sh")]
    for name, options in [("one", ["--seed", "7"]), ("sweep", ["--sweep", "1...3"])]:
        subprocess.run(
            [PROGRAM, "run", "--scenario", "lost-ack", "--fail-on", "never", *options, "--report", f"{name}.json", *client],
            cwd=directory, capture_output=True, timeout=300, check=False)
    subprocess.run(
        [PROGRAM, "report", "--merge", "one.json", "sweep.json", "--report", "merged.json"], cwd=directory, capture_output=True,
        timeout=300, check=False)
    files = {name: json.loads(Path(directory, f"{name}.json").read_text()) for name in ["one", "sweep", "merged"]}
    for name, content in files.items():
        expect_valid(valid["report"], content, f"the file {name}.json of run or report")
    assert files["one"]["runs"][0]["cards"][0]["entries"], "the file holds the entries that the checks cite"
    run = ("runs", 0)
    card = (*run, "cards", 0)
    return expect_refused(valid["report"], files["one"], [
        ((*run, "cards"), None), ((*run, "startedAt"), "today"), ((*card, "verdict"), "good"), ((*card, "checks", 0, "evidence"), ["one"]),
        ((*card, "delays"), None),
    ])


def archive(url):
    """Compares the archive as haralyzer reads it with the journal."""
    entries = [entry for entry in json.loads(ask(f"{url}/_mock/journal"))["entries"] if "event" not in entry]
    har = HarParser.from_string(ask(f"{url}/_mock/journal?format=har").decode())
    assert har.version == "1.2" and har.creator["name"] == "Understudy", f"{har.version} by {har.creator}"
    (page,) = har.pages
    read = sorted(page.entries, key=lambda entry: entry["_id"])
    entries.sort(key=lambda entry: entry["id"])
    assert [entry["_id"] for entry in read] == [entry["id"] for entry in entries]
    for seen, entry in zip(read, entries, strict=True):
        assert seen.request.method == entry["method"]
        assert seen.request.url.endswith(entry["target"])
        assert seen.response.status == (entry["response"]["status"] if entry["response"] else 0)
        assert seen.request.headers == [
            {"name": name, "value": value} for name, value in entry["request"]["headers"].items()
        ]
        assert seen.startTime.isoformat(timespec="microseconds").removesuffix("+00:00") == entry["at"].removesuffix("Z")
        assert seen.time >= 0 and set(seen.timings) == {"send", "wait", "receive"}
        assert (seen.request.text or "") == entry["request"]["body"]
    assert page.filter_entries(request_type="PATCH", status_code="200"), "haralyzer finds no PATCH that succeeded"
    assert "secret" not in json.dumps(har.har_data), "a secret stands in the archive"
    return len(read)


def main():
    valid = validators()
    with tempfile.TemporaryDirectory() as directory:
        port = Path(directory, "port")
        server = subprocess.Popen(
            [PROGRAM, "--port", "0", "--port-file", port, "--scenario", "mayhem", "--seed", "7"], stdout=subprocess.PIPE)
        try:
            server.stdout.readline()
            url = f"http://127.0.0.1:{port.read_text().strip()}"
            traffic(url)
            wrong = scenarios(valid, url)
            entries, wrong_entries = journal(valid, url)
            wrong += wrong_entries + reports(valid, url, directory)
            print(
                f"jsonschema finds {len(SCENARIOS)} scenarios, {len(DATA)} data files, a journal of {entries} entries and 4 reports"
                f" valid, and {wrong} files with a mistake not")
            print(f"haralyzer reads {archive(url)} entries of the journal as HAR, and each is the journal's")
        finally:
            server.terminate()
            server.wait(timeout=60)


main()
