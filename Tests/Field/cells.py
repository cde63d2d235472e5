"""The cells of a client: each of its requests with each way to fail, as a scenario of one rule."""

from collections import Counter

WAYS = {
    "status=503": ("before", {"status": 503}),
    "status=429;retryAfter=1s": ("before", {"status": 429, "retryAfter": "1s"}),
    "reset": ("before", {"fault": "reset"}),
    "empty": ("before", {"fault": "empty"}),
    "truncate": ("before", {"fault": "truncate"}),
    "status=503@after": ("after", {"status": 503}),
    "reset@after": ("after", {"fault": "reset"}),
    "truncate@after": ("after", {"fault": "truncate"}),
    "empty@after": ("after", {"fault": "empty"}),
}
# A client with a backend of its own reads what its backend says, so it can notice a page that is not the backend's.
PAIR_WAYS = WAYS | {"captive-portal": ("before", {"fault": "captive-portal"})}
READS = {"GET", "HEAD"}
# The methods that the rule of a scenario can name, without that of preflights.
METHODS = READS | {"POST", "PUT", "PATCH", "DELETE"}
# A request with this fault has to have content: that of a write exists only after the change.
OF_CONTENT = {"truncate"}


def rows(journal):
    """Returns the requests of a calm run: API, method, path, and which of the requests with these; of more than three the first, the
    second and the last."""
    streams = [(entry["api"], entry["method"], entry["path"]) for entry in journal if entry["method"] in METHODS and not entry["replayOf"]]
    counts = Counter(streams)
    return [(*stream, n) for stream in dict.fromkeys(streams) for n in sorted({1, 2, 3, counts[stream]}) if n <= counts[stream] and (n != 3 or counts[stream] == 3)]


def scenario(row, way):
    """Returns the scenario of a cell, or nothing if its fault cannot strike."""
    api, method, path, n = row
    phase, effect = PAIR_WAYS[way]
    if method in READS and phase == "after" or method not in READS and phase == "before" and effect.get("fault") in OF_CONTENT:
        return None
    match = {"method": method, "path": path} | ({"api": api} if api else {})
    return {"rules": [{"match": match, "when": {"requests": f"{n}...{n}"}, "phase": phase, "effect": effect}]}


def verdicts(report):
    """Returns the checks of a report that fail, and those that warn. The check of the run itself is not the client's."""
    checks = [check for card in report["cards"] for check in card["checks"] if check["id"] != "faults-delivered"]
    return tuple({check["id"] for check in checks if check["verdict"] == verdict} for verdict in ("fail", "warn"))


def marked(calm, report):
    """Returns the mark of a cell and its checks: those that the calm run has, too, are not its own."""
    failed, warned = (found - before for found, before in zip(verdicts(report), verdicts(calm), strict=True))
    if not any(card["faults"] for card in report["cards"]):
        return "unmet", []
    if failed:
        return "failed", sorted(failed)
    if report["command"]["exitCode"] != 0:
        return "command", sorted(warned)
    return ("warned", sorted(warned)) if warned else ("survived", [])
