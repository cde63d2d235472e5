#!/usr/bin/env python3
"""Mutation testing: makes small, harmful changes to the sources, and checks that a test fails for each.

    python3 Tests/Mutation/mutate.py                         every defect of the past
    python3 Tests/Mutation/mutate.py key torn                the defects whose id contains one of the words
    python3 Tests/Mutation/mutate.py --rule 300 --seed 7     mutants made by rule from the sources; the seed draws them
    python3 Tests/Mutation/mutate.py --rule 50 Upstream/     of the files whose path contains the word
    python3 Tests/Mutation/mutate.py --only check            checks that every defect still applies; compiles nothing

All mutants are compiled into one build, each behind a run-time switch: UNDERSTUDY_MUTANT=N turns mutant N on, in the test process and
in every process that it starts. The suites run first without a mutant, ten in a process, and report which switches they reach; each
mutant then runs the suites that reach it. README.md has the rules and the rows.

Exits with 1 if more mutants survive than may, with 2 if a row cannot be applied.
"""

import argparse
import bisect
import collections
import concurrent.futures
import contextlib
import dataclasses
import itertools
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

from defects import Mutant, RowError, read_defects
from rules import generate

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
# The sources with the mutants, what is built with them, and what the suites reach.
FOLDER = PACKAGE / ".build/mutation"
SOURCES = FOLDER / "Sources"
BUILT = FOLDER / "built.json"
REACHED = FOLDER / "reached.json"

VARIABLE = "UNDERSTUDY_MUTANT"
REACHED_VARIABLE = "UNDERSTUDY_MUTANTS_REACHED"
MARK = "UNDERSTUDY_MUTATION_RUN"
SUITES_OF_A_PROCESS = 10
# Most mutants are killed by the quickest of the suites that reach them: these run first, together.
QUICK_SECONDS = 20
LEAST_LIMIT = 60
LIMIT_WITHOUT_A_MUTANT = 1200
# A loop that goes on allocating must not take the machine's memory.
MAXIMUM_MEMORY = 8 << 30
LINES_BEFORE_AN_ERROR = 20
LINES_OF_A_FAILURE = 100
# No test ends its own process by one of these signals.
ENDED_FROM_OUTSIDE = {-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP, -signal.SIGKILL}
SWITCH = """#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

private let activeMutant = unsafe getenv("UNDERSTUDY_MUTANT").flatMap { Int(unsafe String(cString: $0)) } ?? 0

private let fileOfReached = unsafe getenv("UNDERSTUDY_MUTANTS_REACHED").map { unsafe String(cString: $0) }

/// The mapped file, with a byte for each mutant, which becomes 1 when its switch is reached; nil before the first one.
nonisolated(unsafe) private var reached: UnsafeMutablePointer<UInt8>?

/// Returns the mapped file; nil while the process has no descriptor left: the next switch tries again.
private func mapReached(_ path: String) -> UnsafeMutablePointer<UInt8>? {
  let file = unsafe open(path, O_RDWR)
  if file < 0, errno == EMFILE { return nil }
  defer { close(file) }
  guard let bytes = unsafe mmap(nil, MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), unsafe bytes != MAP_FAILED else {
    fatalError("the file of reached mutants cannot be mapped")
  }
  return unsafe bytes.assumingMemoryBound(to: UInt8.self)
}

@inline(never)
func mutantIs(_ number: Int) -> Bool {
  if let fileOfReached {
    if unsafe reached == nil { unsafe reached = unsafe mapReached(fileOfReached) }
    unsafe reached?[number] = 1
  }
  return activeMutant == number
}
"""


def choose(options):
    """Returns the requested mutants, numbered from 1."""
    defects = read_defects(pathlib.Path(__file__).parent / "defects.mutants", PACKAGE)
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    chosen = defects
    if options.defects is not None:
        chosen = random.Random(seed).sample(defects, min(options.defects, len(defects)))
    elif options.rule is not None:
        chosen = []
    elif options.words:
        chosen = [row for row in defects if any(word in row.id for word in options.words)]
    if options.rule is not None:
        words = options.words if options.defects is None else []
        chosen = chosen + generate(PACKAGE, options.rule, seed, avoiding=chosen, words=words)
        print(f"{len(chosen)} mutants, --seed {seed}", flush=True)
    for number, mutant in enumerate(chosen, 1):
        mutant.number = number
    return chosen or sys.exit("no mutant is chosen")


def write_if_changed(path, text):
    """Leaves an unchanged file's time stamp as it is, so that the next build compiles only changed files."""
    data = text if isinstance(text, bytes) else text.encode()
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def write_sources(mutants):
    """Writes the sources with every mutant compiled in."""
    wanted = set()
    for source in filter(pathlib.Path.is_file, (PACKAGE / "Sources").rglob("*")):
        file = source.relative_to(PACKAGE)
        data = source.read_bytes()
        if own := [mutant for mutant in mutants if mutant.file == str(file)]:
            text = data.decode()
            for mutant in own:
                text = text.replace(mutant.find, mutant.switched)
            data = text.encode()
        wanted.add(FOLDER / file)
        write_if_changed(FOLDER / file, data)
    for target in {mutant.file.split("/")[1] for mutant in mutants}:
        path = SOURCES / target / "MutantSwitch.swift"
        wanted.add(path)
        write_if_changed(path, SWITCH.replace("MUTANTS,", f"{len(mutants) + 1},"))
    for path in SOURCES.rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()


def mutants_at(file, number):
    """Returns the numbers of the mutants of a line, or of the nearest line above that has one.

    An error that a mutant causes may be reported below its line: that a return is missing, at the end of the function.
    """
    for line in reversed(file.read_text().splitlines()[:number][-LINES_BEFORE_AN_ERROR:]):
        if found := re.findall(r"mutantIs\((\d+)\)", line):
            return list(map(int, found))
    return []


def build(mutants, scratch, builder):
    """Builds the package with the mutants, and returns those that compile. A defect must."""
    write_sources(mutants)
    process = subprocess.run(
        [*builder.split(), "--build-tests", "--scratch-path", scratch], cwd=PACKAGE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False, env=os.environ | {"UNDERSTUDY_SOURCES": str(SOURCES.relative_to(PACKAGE))})
    if process.returncode == 0:
        return mutants
    broken = set()
    for line, file, number in dict.fromkeys(re.findall(r"^((\S+):(\d+):\d+: error: .*)$", process.stdout, re.MULTILINE)):
        print(line, flush=True)
        broken.update(mutants_at(pathlib.Path(file), int(number)))
    if not broken:
        sys.exit(process.stdout[-4000:])
    for mutant in mutants:
        if mutant.number in broken:
            print(f"does not compile: {mutant.id}")
    if any(mutant.sentence for mutant in mutants if mutant.number in broken):
        sys.exit("a defect does not compile: mend its row")
    return build([mutant for mutant in mutants if mutant.number not in broken], scratch, builder)


def program(scratch):
    return pathlib.Path(scratch) / "debug/understudyPackageTests.xctest"


def libraries(scratch):
    """Returns the libraries whose tests are run in processes of their own."""
    return ["swift-testing"] if (PACKAGE / program(scratch)).is_dir() else ["swift-testing", "xctest"]


def test_command(scratch, library, suites=None):
    """Returns the command that runs suites of a library, or the one that lists its tests."""
    choice = ["--filter", f"^({'|'.join(map(re.escape, suites))})/"] if suites else ["--list-tests"]
    if (PACKAGE / program(scratch)).is_dir():
        options = ["--skip-build", "--ignore-lock", "--scratch-path", scratch]
        return ["swift", "test", *options, *choice] if suites else ["swift", "test", "list", *options]
    command = [str(PACKAGE / program(scratch))]
    if library == "xctest":
        return [*command, *([",".join(suites)] if suites else choice)]
    return [*command, "--testing-library", library, *choice]


def suites_of(scratch, library):
    listed = subprocess.run(
        test_command(scratch, library), cwd=PACKAGE, check=True, capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"^(\w+\.\w+)/", listed, re.MULTILINE)))


class Run:
    """One run of suites with one mutant on, or with none."""

    def __init__(self, scratch, library, suites, limit, mutant=None, reached_bytes=0):
        self.number = mutant.number if mutant else 0
        self.library = library
        self.suites = suites
        self.mark = f"{os.getpid()}-{self.number}-{suites[0]}"
        self.failures = []
        self.count = 0
        self.reason = None
        self.seconds = 0.0
        self.is_over_limit = False
        self.has_begun = False
        self.output = collections.deque(maxlen=LINES_OF_A_FAILURE)
        self.skipped = []
        # The numbers of the mutants whose switches were reached, if there are bytes for them.
        self.reached = []
        if mutant:
            self.run(scratch, limit, {}, stops_early=True)
            return
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(reached_bytes))
            file.flush()
            self.run(scratch, limit, {REACHED_VARIABLE: file.name}, stops_early=False)
            file.seek(0)
            self.reached = [number for number, byte in enumerate(file.read()) if byte]

    def run(self, scratch, limit, variables, stops_early):
        command = test_command(scratch, self.library, self.suites)
        environment = os.environ | {VARIABLE: str(self.number), MARK: self.mark} | variables
        began = time.monotonic()
        process = subprocess.Popen(
            command, cwd=PACKAGE, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        timer = threading.Timer(limit, self.exceed, [process])
        timer.start()
        for raw in process.stdout:
            line = re.sub(r"\x1b\[[0-9;]*m", "", raw.decode(errors="replace"))
            self.output.append(line)
            if re.search(r"^\S+ (Test|Suite) .* skipped(: .*|\.)?$", line):
                self.skipped.append(line.strip())
            failed = re.search(
                r"Test (.+?)(?: with \d+ (?:argument|test case).*?)? recorded an issue|^\S+:\d+: error: (\w+\.\w+) : ", line)
            if failed:
                self.failures.append(failed[1] or failed[2])
                if stops_early:
                    break
            self.has_begun = self.has_begun or re.search(r"Test run started|^Test Suite .* started", line) is not None
            ended = re.search(r"(?:Test run with|Executed) (\d+) tests?", line)
            if ended:
                self.count = int(ended[1])
        timer.cancel()
        if self.failures and stops_early:
            self.end(process)
        code = process.wait()
        self.end(process)
        self.seconds = time.monotonic() - began
        if self.failures:
            self.reason = self.failures[0]
        elif self.is_over_limit:
            self.reason = f"did not end within {limit:.0f} s"
        elif code in ENDED_FROM_OUTSIDE or code >= 0 and not self.has_begun:
            sys.exit(f"the run of mutant {self.number} ended with {code} by no fault of its own; its suites were {self.suites}")
        elif code != 0:
            self.reason = f"ended with {code}"
        elif self.count == 0:
            sys.exit(f"no test is in {self.suites}")

    def exceed(self, process):
        self.is_over_limit = True
        self.end(process)

    def end(self, process):
        """Ends the run's processes, including those that have left its process group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        mark = f"{MARK}={self.mark}".encode()
        for entry in pathlib.Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError, ValueError):
                if mark in entry.read_bytes().split(b"\0"):
                    os.kill(int(entry.parent.name), signal.SIGKILL)


def find_reached(scratch, jobs, skip, size):
    """Runs every suite without a mutant, and returns groups of suites: the seconds of each, and the numbers that it reaches."""
    groups = []
    for library in libraries(scratch):
        suites = [suite for suite in suites_of(scratch, library) if not skip or not re.search(skip, suite)]
        groups += [(library, suites[index:index + SUITES_OF_A_PROCESS]) for index in range(0, len(suites), SUITES_OF_A_PROCESS)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = list(pool.map(lambda group: Run(scratch, *group, LIMIT_WITHOUT_A_MUTANT, reached_bytes=size), groups))
    for run in runs:
        for line in run.skipped:
            print(f"NOT CHECKED: {line}")
        if run.reason:
            print("".join(run.output))
    if failed := [", ".join(dict.fromkeys(run.failures)) or f"{run.suites}: {run.reason}" for run in runs if run.reason]:
        sys.exit("without a mutant these fail already:\n" + "\n".join(failed))
    count = sum(len(run.suites) for run in runs)
    print(f"Test run with {sum(run.count for run in runs)} tests in {count} suites passed without a mutant", flush=True)
    return [{"library": run.library, "suites": run.suites, "seconds": run.seconds, "reached": run.reached} for run in runs]


def reason_for_kill(mutant, groups, scratch, options):
    """Runs the suites that reach a mutant, first the quick ones, and returns why it is killed; None for a survivor."""
    reaching = sorted((group for group in groups if mutant.number in group["reached"]), key=lambda group: group["seconds"])
    sums = list(itertools.accumulate(group["seconds"] for group in reaching))
    count = bisect.bisect(sums, QUICK_SECONDS)
    parts = [reaching[:count]] if options.quick and not mutant.sentence and count > 0 else [reaching[:count], reaching[count:]]
    for part in filter(None, parts):
        # A suite takes longer beside others.
        limit = max(LEAST_LIMIT, 3 * options.jobs * sum(group["seconds"] for group in part))
        for library in libraries(scratch):
            suites = [suite for group in part if group["library"] == library for suite in group["suites"]]
            if suites and (reason := Run(scratch, library, suites, limit, mutant).reason):
                return reason
    return None


def judge(mutants, groups, scratch, options):
    """Runs the mutants, and returns the survivors."""
    survivors = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(reason_for_kill, mutant, groups, scratch, options): mutant for mutant in mutants}
        try:
            for future in concurrent.futures.as_completed(futures):
                mutant, reason = futures[future], future.result()
                if reason:
                    print(f"killed    {mutant.id}: {reason}", flush=True)
                else:
                    survivors.append(mutant)
                    what = mutant.sentence or mutant.replacement.split("\n")[-1].strip()
                    print(f"SURVIVED  {mutant.id}: {mutant.file}: {what}", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return survivors


def print_rates(mutants, survivors):
    """Prints how many mutants were killed, of the defects and of each area."""
    rows = {}
    for mutant in mutants:
        area = "defects of the past" if mutant.sentence else "/".join(mutant.file.split("/")[1:3 if mutant.file.count("/") > 2 else 2])
        for name in (area, "all"):
            rows.setdefault(name, []).append(mutant not in survivors)
    print(f"\n{'area':<32} {'run':>5} {'killed':>7}  rate")
    for name, kills in sorted(rows.items(), key=lambda row: (row[0] == "all", row[0])):
        print(f"{name:<32} {len(kills):>5} {sum(kills):>7}  {100 * sum(kills) / len(kills):.0f} %")


def main():
    parser = argparse.ArgumentParser(description="Mutation testing; see Tests/Mutation/README.md.")
    parser.add_argument("words", nargs="*", help="only the defects whose id, or the mutants by rule whose file, contains one of these")
    parser.add_argument("--defects", type=int, help="draw so many defects")
    parser.add_argument("--rule", type=int, help="draw so many mutants that are made by rule; without --defects, only these")
    parser.add_argument("--seed", type=int, help="the seed of the draw; chosen and printed without it")
    parser.add_argument("--may-survive", type=int, default=0, help="so many mutants may survive without a failure")
    parser.add_argument("--quick", action="store_true", help="run mutants made by rule only in the quickest suites that reach them")
    parser.add_argument("--jobs", type=int, default=2, help="how many runs there are side by side")
    parser.add_argument("--skip", default="", help="leave out the suites that match this expression")
    parser.add_argument("--scratch-path", default=".build/mutation/build", help="where the package is built")
    parser.add_argument("--builder", default="swift build", help="the command that builds, to which the options of swift build are added")
    parser.add_argument("--only", choices=["check", "build", "reach", "judge"], help="one part: the later ones take what the earlier made")
    options = parser.parse_args()
    # Child processes inherit a SIGHUP that nohup has set to be ignored; exec resets a handler.
    signal.signal(signal.SIGHUP, lambda *_: None)
    try:
        if options.only == "check":
            print(f"{len(choose(options))} defects apply")
            return
        if options.only in (None, "build"):
            built = build(choose(options), options.scratch_path, options.builder)
            BUILT.write_text(json.dumps({"scratch": options.scratch_path, "mutants": list(map(dataclasses.asdict, built))}))
            print(f"built with {len(built)} mutants")
    except RowError as error:
        print(error)
        sys.exit(2)
    if options.only == "build":
        return
    stored = json.loads(BUILT.read_text()) if BUILT.is_file() else sys.exit("nothing is built: run --only build before")
    scratch, mutants = stored["scratch"], [Mutant(**mutant) for mutant in stored["mutants"]]
    if options.only in (None, "reach"):
        size = max(mutant.number for mutant in mutants) + 1
        REACHED.write_text(json.dumps(find_reached(scratch, options.jobs, options.skip, size)))
    if options.only == "reach":
        return
    if sys.platform == "linux":
        # Only memory that can be written counts: some programs reserve addresses that they never use. Stacks of threads count,
        # and on a busy machine the tests have a thousand of 8 MiB, so only runs with a mutant have the limit.
        resource.setrlimit(resource.RLIMIT_DATA, (MAXIMUM_MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    survivors = judge(mutants, json.loads(REACHED.read_text()), scratch, options)
    print_rates(mutants, survivors)
    if len(survivors) > options.may_survive:
        sys.exit(f"{len(survivors)} mutants survive, and {options.may_survive} may")


if __name__ == "__main__":
    main()
