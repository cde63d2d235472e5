"""Checks the form of the sources, and the words of code and pages: what a compiler does not see, and a test of behaviour should not.

Usage: words.py, at any place in the package. Prints each finding with its file and line, and exits with 1 if there is one.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
findings = []


def files(folder, kinds):
    return [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix.lstrip(".") in kinds and path.is_file()]


def report(path, text, place, message):
    number = text.count("\n", 0, place) + 1
    findings.append(f"{path.relative_to(ROOT)}:{number}: {message}: {text.splitlines()[number - 1].strip()[:120]}")


sources = [(path, path.read_text()) for path in files("Sources", {"swift"}) if path.name != "EmbeddedFiles.swift"]
tests = [(path, path.read_text()) for path in files("Tests", {"swift"})]
if len(sources) + len(tests) < 500:
    sys.exit("fewer files than the package has")

# Unsafe code stands in the files that call the kernel.
KERNEL = {
    "Descriptor", "Environment", "EpollPoller", "File", "File+Directories", "Locked", "LoopThread",
    "ProcessGroup", "SessionRequest", "Signals",
    "Socket", "SocketAddress", "SystemClock", "SystemError",
}
for path, text in sources:
    found = re.search(r"\bunsafe\b(?!-)|@safe\b", text)
    if found and path.stem not in KERNEL:
        report(path, text, found.start(), "unsafe code outside of the files that call the kernel")

for path, text in [*sources, *tests]:
    if text.count("\n") > 300:
        report(path, text, 0, f"{text.count(chr(10))} lines; at most 300")

# A test removes the files that it makes.
for path, text in tests:
    made = re.findall(r"NSTemporaryDirectory\(\)|\.temporaryDirectory\b|\"/tmp/.*\\\(", text)
    if len(made) > len(re.findall(r"removeItem|unlink", text)):
        report(path, text, text.index(made[0]), "makes a temporary file that is not removed: use TemporaryFiles")

# These targets have no I/O, and import only what their entry in Package.swift names.
PURE = ["Contract", "Faults", "HTTP1", "JSON", "Primitives", "Report", "Services"]
manifest = (ROOT / "Package.swift").read_text()
for target in PURE:
    entry = re.search(rf'\.target\(\s*name: "{target}"(?P<rest>.*?swiftSettings)', manifest, re.DOTALL)
    named = re.search(r"dependencies: \[(.*?)\]", entry["rest"], re.DOTALL) if entry else None
    allowed = set(re.findall(r'"(\w+)"', named[1])) if named else set()
    if not entry:
        findings.append(f"Package.swift: there is no target {target}")
    for path, text in sources:
        if path.parts[len(ROOT.parts) + 1] != target:
            continue
        for found in re.finditer(r"(?m)^\s*(?:package |public )?import (\w+)", text):
            if found[1] not in allowed:
                report(path, text, found.start(), f"{target} has no I/O and does not depend on {found[1]}")

# The page about a request's way names files that exist.
page = ROOT / "Sources/Understudy/Understudy.docc/ARequestsWay.md"
text = page.read_text()
names = list(re.finditer(r"\w+/[\w+]+\.swift", text))
for found in names:
    if not any((ROOT / folder / found[0]).is_file() for folder in ("Sources", "Sources/Understudy")):
        report(page, text, found.start(), f"there is no {found[0]}")
if len(names) <= 20:
    report(page, text, 0, "names no more than 20 files")

# The page about the architecture has each target.
page = ROOT / "Sources/Understudy/Understudy.docc/Architecture.md"
text = page.read_text()
manifest = (ROOT / "Package.swift").read_text()
for name in re.findall(r"\.(?:target|executableTarget|systemLibrary)\(\s*name: \"(\w+)\"", manifest):
    if (ROOT / "Sources" / name).is_dir() and not re.search(rf"(?m)^\|[^|]*`{name}`", text):
        report(page, text, 0, f"has no target {name}")

# Words: those of the field, and no relatives in place of a noun.
WORDS = [
    (r"\bso-manieth\b", "every nth"), (r"\b(nobody|somebody|whoever|anybody)\b", "the client, the peer, the caller"),
    (r"\bmailbox\b", "queue"), (r"\bdoors?\b", "listener"), (r"\bguests?\b", "client, connection"),
    (r"\b(foretells?|foretold|foretelling)\b", "plan, preview"), (r"\bdice\b", "seed, hash"),
    (r"^\s*description: \"?It does\b", "what the response holds"),
    (r"\bhousekeeping", "maintenance"), (r"\bas it should be\b", "no fault, unchanged"),
]
ABOUT_PLACES = {"elevator.json", "hotel-wifi.json", "CaptivePortal.swift", "Scenarios.md"}
KINDS = {"swift", "md", "json", "yaml", "html", "js", "css", "py", "mutants"}
# What clients tell has their words.
TOLD = ROOT / "Tests/Field/results"
pages = [path for folder in ("Sources", "Seeds", "Tests", "docker", ".ci") for path in files(folder, KINDS)
         if path.name != "EmbeddedFiles.swift" and path.parent != TOLD]
for path in [*pages, ROOT / "README.md", ROOT / "openapi.yaml"]:
    if path == Path(__file__).resolve():
        continue
    text = path.read_text(errors="replace")
    for pattern, better in WORDS:
        if path.name not in ABOUT_PLACES:
            for found in re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE):
                report(path, text, found.start(), f"write {better} instead of this word")
    if path.suffix == ".swift":
        for found in re.finditer(r"(?:\A|^ *(?!///).*\n) */// (?:Who|Whoever|What|Whatever|Whether|How)\b", text, re.MULTILINE):
            report(path, text, found.end() - 1, "a comment begins with the noun, and not with a relative")

print("\n".join(findings) or f"{len(sources)} sources, {len(tests)} tests and {len(pages)} files are in order")
sys.exit(1 if findings else 0)
