"""Runs the steps of a list, two at a time, each within its limit, and prints a table of their results.

Usage: gate.py STEPS [SCOPE] [NAME...]    The steps of the scope quick, gate or everything, the named ones, and those that they depend on.

After a failure, steps that do not depend on the failed one still run. UNDERSTUDY_CI_PATIENCE=3 makes every limit three times
as long. A line "NOT CHECKED: ..." in a step's output is repeated below the table.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PLACES = 2
# Each scope has the steps of those before it.
SCOPES = ["quick", "gate", "everything"]
LOGS = Path(".build/gate")
LINES_OF_A_FAILURE = 150
GRACE = 10


def members(session):
    """Returns the processes of a session. A build tool may give each child its own process group."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, _, _, number = entry.read_text().rpartition(")")[2].split()[:4]
            if int(number) == session and state != "Z":
                found.append(int(entry.parent.name))
    return found


class Step:
    def __init__(self, line, patience):
        self.name, scope, limit, beside, after, self.command = line.split(maxsplit=5)
        self.scope = SCOPES.index(scope)
        self.limit = float(limit) * 60 * patience
        self.places = {"beside": 1, "alone": PLACES}[beside]
        self.after = [] if after == "-" else after.split(",")
        self.result = None
        self.process = None
        self.began = self.took = 0
        # The processor time of the step's processes that have ended and were waited for, in seconds.
        self.processor = 0

    @property
    def log(self):
        return LOGS / f"{self.name}.log"

    def begin(self):
        print(f"--- {self.name} begins, {self.limit:.0f} s at most")
        self.began = time.monotonic()
        with self.log.open("wb") as log:
            # Its own session, so that its child processes can be ended with it.
            self.process = subprocess.Popen(["bash", "-c", self.command], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, start_new_session=True)

    def poll(self):
        """Returns true once the step has ended or exceeded its limit."""
        self.took = time.monotonic() - self.began
        status = self.wait(os.WNOHANG)
        if status is None and self.took < self.limit:
            return False
        self.end()
        if status is None:
            self.result = f"FAILED: ended after its limit of {self.limit:.0f} s"
        else:
            self.result = "passed" if status == 0 else f"FAILED: exit code {status}"
        return True

    def wait(self, options):
        """Returns the exit status of the step's process; None while it runs."""
        if self.process.returncode is None:
            ended, status, usage = os.wait4(self.process.pid, options)
            if ended:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.processor = usage.ru_utime + usage.ru_stime
        return self.process.returncode

    def end(self):
        """Ends the step's process and the processes that it left behind."""
        for number in [signal.SIGTERM, signal.SIGKILL]:
            end = time.monotonic() + GRACE
            for member in members(self.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(member, number)
            while members(self.process.pid) and time.monotonic() < end:
                time.sleep(0.05)
        self.wait(0)

    def output(self):
        if not self.process:
            return []
        return [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]

    def report(self):
        lines = self.output()
        print(f"\n=== {self.name}: {self.result}, {self.took:.0f} s")
        if self.result == "passed":
            print("\n".join(lines[-1:]))
            return
        print(f"$ {self.command}")
        print("\n".join(lines[-LINES_OF_A_FAILURE:]))
        print(f"=== {self.name}: {self.result}; all of its output is in {self.log}")


def read(path):
    text = os.environ.get("UNDERSTUDY_CI_PATIENCE", "1")
    try:
        patience = float(text)
    except ValueError:
        sys.exit(f"UNDERSTUDY_CI_PATIENCE: expected a number, found {text}")
    lines = [line for line in Path(path).read_text().splitlines() if line.strip() and not line.startswith("#")]
    steps = {step.name: step for step in (Step(line, patience) for line in lines)}
    if len(steps) < len(lines):
        sys.exit(f"{path}: two steps have one name")
    for step in steps.values():
        if unknown := set(step.after) - set(steps):
            sys.exit(f"{path}: {step.name} comes after {', '.join(unknown)}, which is not a step")
    return steps


def choose(steps, names):
    """Returns the steps of a scope, or those with the given names, and the steps that they depend on."""
    if names and names[0] in SCOPES:
        names = [step.name for step in steps.values() if step.scope <= SCOPES.index(names[0])] + names[1:]
    chosen = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in steps:
            sys.exit(f"there is no step {name}; the steps are: {' '.join(steps)}")
        chosen.add(name)
        pending += [other for other in steps[name].after if other not in chosen]
    return [step for step in steps.values() if step.name in chosen]


def run(steps):
    waiting, running = list(steps), []
    results = {}
    try:
        while waiting or running:
            for step in [step for step in running if step.poll()]:
                running.remove(step)
                results[step.name] = step.result
                step.report()
            for step in list(waiting):
                if any(results.get(name, "passed") != "passed" for name in step.after):
                    step.result = results[step.name] = "NOT RUN: it comes after a step that failed"
                    waiting.remove(step)
                    continue
                if any(name not in results for name in step.after):
                    continue
                if sum(other.places for other in running) + step.places > PLACES:
                    # Waits for the next step in order; otherwise a step that must run alone might never start.
                    break
                waiting.remove(step)
                running.append(step)
                step.begin()
            time.sleep(0.05)
    finally:
        for step in running:
            step.end()


def print_table(steps, chosen, took):
    print(f"\n{'step':18} {'took':>7} {'CPU':>7} {'limit':>7}  result")
    for step in chosen:
        result = step.result or "NOT DONE: the gate was ended"
        print(f"{step.name:18} {step.took:5.0f} s {step.processor:5.0f} s {step.limit:5.0f} s  {result}")
    print(f"{'all':18} {took:5.0f} s {sum(step.processor for step in chosen):5.0f} s")
    for step in chosen:
        if closing := [line for line in step.output() if "Test run with" in line]:
            print(f"{step.name}: {closing[-1]}")
    left_out = [f"the step {name}" for name, step in steps.items() if step not in chosen]
    left_out += [f"{step.name}: {line}" for step in chosen for line in step.output() if line.startswith("NOT CHECKED: ")]
    print("left out: " + ("nothing" if not left_out else "\n  ".join(["", *left_out])))


def main():
    sys.stdout.reconfigure(line_buffering=True)
    if len(sys.argv) < 3:
        sys.exit(next(line for line in __doc__.splitlines() if line.startswith("Usage: ")))
    steps = read(sys.argv[1])
    chosen = choose(steps, sys.argv[2:])
    LOGS.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    try:
        run(chosen)
    finally:
        print_table(steps, chosen, time.monotonic() - began)
    failed = [step.name for step in chosen if step.result.startswith("FAILED")]
    if failed:
        sys.exit(f"FAILED: {', '.join(failed)}")
    print("All passed" if len(chosen) == len(steps) else f"Passed: {len(chosen)} of {len(steps)} steps")


signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
main()
