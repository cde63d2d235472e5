#!/usr/bin/env python3
"""Mutation testing: makes many small, harmful changes to the sources, and checks that a test fails for each.

    python3 Tests/Mutation/mutate.py --check            every row still applies to the sources; compiles nothing
    python3 Tests/Mutation/mutate.py                    builds once, runs every mutant, prints survivors and a table
    python3 Tests/Mutation/mutate.py http1 loop         only rows whose "area/id" contains one of the words
    python3 Tests/Mutation/mutate.py --sample 20 --seed 7
    python3 Tests/Mutation/mutate.py --generate 300 --seed 7    mutants made by rule from the sources, and not those of the table

All mutants are compiled into one copy of the package, each behind a run-time switch: UNDERSTUDY_MUTANT=N turns mutant N
on, in the test process and in every process that it starts. Without a mutant each suite runs first, and tells which switches
it reaches; a mutant then runs the suites that reach its switch. README.md beside this file describes the table.
Exits with 1 if a mutant survives that its row does not mark as a survivor, with 2 if a row does not apply.
"""

import argparse
import bisect
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from generated import generate
from table import TableError, composed, read_table

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
VARIABLE = "UNDERSTUDY_MUTANT"
REACHED = "UNDERSTUDY_MUTANTS_REACHED"
MARK = "UNDERSTUDY_MUTATION_RUN"
# The seconds of a suite without a mutant.
LIMIT_WITHOUT_A_MUTANT = 1200
# An error of the compiler is looked for in so many lines that end with its own.
LINES_BEFORE_AN_ERROR = 20
LINES_OF_A_FAILURE = 100
# Of the suites that reach a mutant, the shortest run first, so many seconds of them in one run: most mutants need no others.
SECONDS_OF_SHORT_SUITES = 20
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

/// A file with a byte for each mutant, which becomes 1 when its switch is reached; nil if no file is named for them.
nonisolated(unsafe) private let reached: UnsafeMutablePointer<UInt8>? = {
  guard let path = unsafe getenv("UNDERSTUDY_MUTANTS_REACHED") else { return nil }
  let file = unsafe open(path, O_RDWR)
  defer { close(file) }
  guard let bytes = unsafe mmap(nil, MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), unsafe bytes != MAP_FAILED else {
    fatalError("the file of reached mutants cannot be mapped")
  }
  return unsafe bytes.assumingMemoryBound(to: UInt8.self)
}()

@inline(never)
func mutantIs(_ number: Int) -> Bool {
  if let reached = unsafe reached { unsafe reached[number] = 1 }
  return activeMutant == number
}
"""


def size_of_reached(mutants):
    return max(mutant.number for mutant in mutants) + 1


def write_if_changed(path, text):
    """Leaves an unchanged file's time stamp as it is, so that the next build compiles only changed files."""
    data = text if isinstance(text, bytes) else text.encode()
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def sample(mutants, number, random):
    """Draws mutants: one of each area, and the rest of them all."""
    drawn = random.sample(mutants, len(mutants))
    firsts = list({mutant.area: mutant for mutant in reversed(drawn)}.values())
    return sorted(drawn, key=lambda mutant: mutant not in firsts)[:number]


def make_copy(mutants, copy):
    """Writes the package with every mutant compiled in."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PACKAGE, check=True, capture_output=True).stdout.decode().split("\0")
    wanted = set()
    by_file = {}
    for mutant in mutants:
        by_file.setdefault(mutant.file, []).append(mutant)
    for name in filter(None, listed):
        source = PACKAGE / name
        if not source.is_file():
            continue
        wanted.add(name)
        data = source.read_bytes()
        if name in by_file:
            data = composed(data.decode(), by_file[name]).encode()
        elif name == "Package.swift":
            data = data.decode().replace(".treatAllWarnings(as: .error),", "").encode()
        write_if_changed(copy / name, data)
        shutil.copymode(source, copy / name)
    for target in {"/".join(name.split("/")[:2]) for name in by_file}:
        name = f"{target}/MutantSwitch.swift"
        wanted.add(name)
        write_if_changed(copy / name, SWITCH.replace("MUTANTS,", f"{size_of_reached(mutants)},"))
    for folder in ("Sources", "Tests", "Seeds"):
        for path in (copy / folder).rglob("*"):
            if path.is_file() and str(path.relative_to(copy)) not in wanted:
                path.unlink()


def mutants_at(file, number):
    """Returns the numbers of the mutants of a line, or of the nearest line above that has one.

    An error that a mutant causes may be told of a line below it: where a function lacks its return, of the function's end.
    """
    for line in reversed(file.read_text().splitlines()[:number][-LINES_BEFORE_AN_ERROR:]):
        if found := re.findall(r"mutantIs\((\d+)\)", line):
            return list(map(int, found))
    return []


def build(mutants, copy, leaves_out, sanitizers):
    """Builds the copy, on request without the mutants that do not compile."""
    process = subprocess.run(
        ["swift", "build", "--build-tests", *sanitizers], cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False)
    if process.returncode == 0:
        return mutants
    broken = set()
    by_number = {mutant.number: mutant for mutant in mutants}
    for line, file, number in dict.fromkeys(re.findall(r"^((\S+):(\d+):\d+: error: .*)$", process.stdout, re.MULTILINE)):
        print(line)
        for mutant in mutants_at(pathlib.Path(file), int(number)):
            print(f"    in {by_number[mutant].name}", flush=True)
            broken.add(mutant)
    if not broken:
        print(process.stdout[-4000:])
    if not broken or not leaves_out and any(not by_number[number].is_generated for number in broken):
        sys.exit("the mutants do not compile: mend the rows named above")
    mutants = [mutant for mutant in mutants if mutant.number not in broken]
    make_copy(mutants, copy)
    return build(mutants, copy, leaves_out, sanitizers)


def test_program(copy):
    """Returns the start of the command that runs tests of the copy, and the words that only list them."""
    program = copy / ".build/debug/understudyPackageTests.xctest"
    if program.is_dir():
        return ["swift", "test", "--skip-build", "--ignore-lock"], ["swift", "test", "list", "--skip-build", "--ignore-lock"]
    command = [str(program), "--testing-library", "swift-testing"]
    return command, [*command, "--list-tests"]


def suites_of(copy):
    listed = subprocess.run(test_program(copy)[1], cwd=copy, check=True, capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"^(\w+\.\w+)/", listed, re.MULTILINE)))


class Run:
    """One run of suites with one mutant on, or with none."""

    def __init__(self, copy, mutant, suites, limit, reached_bytes=0):
        self.number = mutant.number if mutant else 0
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
            self.run(copy, limit, {}, stops_early=True)
            return
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(reached_bytes))
            file.flush()
            self.run(copy, limit, {REACHED: file.name}, stops_early=False)
            file.seek(0)
            self.reached = [number for number, byte in enumerate(file.read()) if byte]

    def run(self, copy, limit, variables, stops_early):
        command = [*test_program(copy)[0], "--filter", f"^({'|'.join(map(re.escape, self.suites))})/"]
        environment = os.environ | {VARIABLE: str(self.number), MARK: self.mark} | variables
        began = time.monotonic()
        process = subprocess.Popen(
            command, cwd=copy, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        timer = threading.Timer(limit, self.exceed, [process])
        timer.start()
        for raw in process.stdout:
            line = re.sub(r"\x1b\[[0-9;]*m", "", raw.decode(errors="replace"))
            self.output.append(line)
            if re.search(r"^\S+ (Test|Suite) .* skipped(: .*|\.)?$", line):
                self.skipped.append(line.strip())
            failed = re.search(r"Test (.+?)(?: with \d+ (?:argument|test case).*?)? recorded an issue", line)
            if failed:
                self.failures.append(failed[1])
                if stops_early:
                    break
            self.has_begun = self.has_begun or "Test run started" in line
            ended = re.search(r"Test run with (\d+) tests?", line)
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
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        mark = f"{MARK}={self.mark}".encode()
        for entry in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in entry.read_bytes().split(b"\0"):
                    os.kill(int(entry.parent.name), signal.SIGKILL)
            except (OSError, ValueError):
                pass


def baseline(copy, names, jobs, skip):
    """Runs every suite without a mutant, and returns the seconds that each takes and the names of the mutants that it reaches.

    `names` has the names of all mutants of the copy by number.
    """
    suites = [suite for suite in suites_of(copy) if not skip or not re.search(skip, suite)]
    size = max(names) + 1
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = list(pool.map(lambda suite: Run(copy, None, [suite], LIMIT_WITHOUT_A_MUTANT, size), suites))
    for run in runs:
        for line in run.skipped:
            print(f"NOT CHECKED: {line}")
        if run.reason:
            print("".join(run.output))
    failed = [f"{run.suites[0]}: " + (", ".join(dict.fromkeys(run.failures)) or run.reason) for run in runs if run.reason]
    if failed:
        sys.exit("without a mutant these fail already:\n" + "\n".join(failed))
    print(f"Test run with {sum(run.count for run in runs)} tests in {len(runs)} suites passed without a mutant", flush=True)
    return {run.suites[0]: {"seconds": run.seconds, "reached": [names[number] for number in run.reached]} for run in runs}


def reason_for_kill(copy, mutant, suites, options):
    """Runs the suites that reach a mutant, first the short ones, and returns why it is killed; None for a survivor."""
    reaching = {suite: found["seconds"] for suite, found in suites.items() if mutant.name in found["reached"]}
    ordered = sorted(reaching, key=reaching.get)
    sums = list(itertools.accumulate(reaching[suite] for suite in ordered))
    count = bisect.bisect(sums, SECONDS_OF_SHORT_SUITES)
    for group in filter(None, (ordered[:count], ordered[count:])):
        # A suite takes longer beside others.
        run = Run(copy, mutant, group, max(options.limit, 3 * options.jobs * sum(reaching[suite] for suite in group)))
        if run.reason:
            return run.reason
    return None


def judge(copy, mutants, suites, options):
    """Runs the mutants, and returns for each the reason why it is killed; None for a survivor."""
    reasons = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(reason_for_kill, copy, mutant, suites, options): mutant for mutant in mutants}
        try:
            for future in concurrent.futures.as_completed(futures):
                mutant, reason = futures[future], future.result()
                reasons[mutant.name] = reason
                if reason:
                    print(f"killed    {mutant.name}: {reason}", flush=True)
                else:
                    number = sum(1 for found in suites.values() if mutant.name in found["reached"])
                    print(f"SURVIVED  {mutant.name}, which {number} suites reach: {mutant.file}: {mutant.replacement[-1].strip()}", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return reasons


class Built:
    """What was compiled into a copy, which a later call with --skip-build must match, and what its suites reach."""

    def __init__(self, copy):
        self.mutants = copy / "mutants.json"
        self.reached = copy / "reached.json"

    def write(self, built, left_out):
        self.reached.unlink(missing_ok=True)
        self.mutants.write_text(json.dumps({
            "built": {mutant.number: [mutant.name, mutant.switched] for mutant in built}, "left out": [mutant.name for mutant in left_out]}))

    def of(self, mutants):
        """Returns those mutants that are compiled in, and the names of all that are, by number."""
        if not self.mutants.is_file():
            sys.exit("the copy is not built")
        stored = json.loads(self.mutants.read_text())
        built = {int(number): known for number, known in stored["built"].items()}
        chosen = [mutant for mutant in mutants if mutant.name not in stored["left out"]]
        for mutant in chosen:
            if built.get(mutant.number) != [mutant.name, mutant.switched]:
                sys.exit(f"the copy was built with other mutants, without {mutant.name}: build it again")
        return chosen, {number: name for number, (name, _) in built.items()}

    def suites(self):
        if not self.reached.is_file():
            sys.exit("the suites have not run without a mutant since the copy was built: leave --skip-baseline out")
        return json.loads(self.reached.read_text())


def print_summary(rows, reasons):
    print(f"\n{'area':<14} {'rows':>5} {'run':>5} {'killed':>7} {'survived':>9} {'equivalent':>11}  rate")
    areas = sorted({row.area for row in rows})
    for area in [*areas, "total"]:
        chosen = [row for row in rows if area in (row.area, "total")]
        run = [reasons[row.name] for row in chosen if row.name in reasons]
        killed = sum(1 for reason in run if reason)
        rate = f"{100 * killed / len(run):.0f} %" if run else "–"
        equivalent = sum(1 for row in chosen if row.equivalent)
        print(f"{area:<14} {len(chosen):>5} {len(run):>5} {killed:>7} {len(run) - killed:>9} {equivalent:>11}  {rate}")


def main():
    parser = argparse.ArgumentParser(description="Mutation testing; see Tests/Mutation/README.md.")
    parser.add_argument("words", nargs="*", help="only rows whose area/id contains one of these")
    parser.add_argument("--check", action="store_true", help="only see that every row applies to the sources")
    parser.add_argument("--list", action="store_true", help="only print the rows' names")
    parser.add_argument("--sample", type=int, help="run so many mutants, drawn by --seed")
    parser.add_argument("--generate", type=int, help="run so many mutants made by rule from the sources, drawn by --seed")
    parser.add_argument("--seed", type=int, default=None, help="the seed of the sample; drawn and printed without it")
    parser.add_argument("--only-sample", action="store_true", help="compile no mutant that is not run")
    parser.add_argument("--sanitize", action="append", default=[], help="build with this sanitizer")
    parser.add_argument("--may-survive", type=int, default=0, help="so many mutants may survive without a failure")
    parser.add_argument("--jobs", type=int, default=2, help="how many runs there are side by side")
    parser.add_argument("--limit", type=float, default=60, help="the least limit of one run in seconds; beyond it the mutant counts as killed")
    parser.add_argument("--skip", default="", help="leave out the suites that match this expression")
    parser.add_argument("--copy", type=pathlib.Path, default=PACKAGE / ".build/mutation", help="where the copy is made")
    parser.add_argument("--leave-out", action="store_true", help="leave out rows that do not compile, and name them")
    parser.add_argument("--build-only", action="store_true", help="make and build the copy, and run nothing")
    parser.add_argument("--skip-build", action="store_true", help="take the copy as it was built last")
    parser.add_argument("--baseline-only", action="store_true", help="run the suites without a mutant, and no mutant")
    parser.add_argument("--skip-baseline", action="store_true", help="take what each suite reaches as it was last found")
    options = parser.parse_args()
    # Child processes inherit a SIGHUP that nohup has set to be ignored; exec resets a handler.
    signal.signal(signal.SIGHUP, lambda *_: None)
    try:
        rows = read_table(pathlib.Path(__file__).parent, PACKAGE)
    except TableError as error:
        print(error)
        sys.exit(2)
    if options.check:
        print(f"{len(rows)} mutants apply, in {len({row.area for row in rows})} areas")
        return
    if options.generate is not None and options.sample is None:
        options.seed = options.seed if options.seed is not None else random.randrange(1 << 32)
        rows = generate(PACKAGE, options.generate, options.seed)
        print(f"{len(rows)} mutants made by rule, --seed {options.seed}", flush=True)
    chosen = [row for row in rows if not options.words or any(word in row.name for word in options.words)]
    if options.list:
        print("\n".join(f"{row.number:>4} {row.name}" for row in chosen))
        return
    mutants = [row for row in chosen if not row.equivalent]
    if options.sample is not None:
        seed = options.seed if options.seed is not None else random.randrange(1 << 32)
        mutants = [row for row in mutants if not row.survives]
        mutants = sample(mutants, options.sample, random.Random(seed))
        print(f"sample of {len(mutants)}, --seed {seed}", flush=True)
        if options.generate is not None:
            made = generate(PACKAGE, options.generate, seed, mutants if options.only_sample else rows, first=len(rows) + 1)
            print(f"and {len(made)} made by rule", flush=True)
            rows, chosen, mutants = rows + made, chosen + made, mutants + made
    if not mutants:
        sys.exit("no row is chosen")
    copy = options.copy.resolve()
    stored = Built(copy)
    if not options.skip_build:
        compiled = mutants if options.only_sample else rows
        make_copy(compiled, copy)
        built = build(compiled, copy, options.leave_out, [f"--sanitize={name}" for name in options.sanitize])
        stored.write(built, [mutant for mutant in compiled if mutant not in built])
    mutants, names = stored.of(mutants)
    if options.build_only:
        print(f"built with {len(names)} mutants")
        return
    if options.skip_baseline:
        suites = stored.suites()
    else:
        suites = baseline(copy, names, options.jobs, options.skip)
        stored.reached.write_text(json.dumps(suites))
    if options.baseline_only:
        return
    reasons = judge(copy, mutants, suites, options)
    print_summary(chosen, reasons)
    survivors = [row for row in mutants if not reasons[row.name]]
    for row in survivors:
        print(f"survived: {row.name}" + (f" (known: {row.survives})" if row.survives else ""))
    unexpected = [row for row in survivors if not row.survives]
    killed = [row.name for row in mutants if row.survives and reasons[row.name]]
    if killed:
        print("marked as survivors, but killed: " + ", ".join(killed))
    sys.exit(1 if len(unexpected) > options.may_survive else 0)


if __name__ == "__main__":
    main()
