#!/usr/bin/env python3
"""Runs the workflow of the article on continuous integration that needs no release, step by step in a shell, as the host's runner does.

Usage: .ci/release/workflow.py PROGRAM

A copy of PROGRAM takes the place of what "swift build" makes, and a careful client, then a careless one, that of the reader's tests.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "Sources/Understudy/Understudy.docc/ContinuousIntegration.md"
PROGRAM = Path(sys.argv[1]).resolve()
SWIFT = """#!/bin/sh
# The arguments as the action gives them: build -c release --product understudy --package-path SOURCES --scratch-path BUILD
[ "$*" = "build -c release --product understudy --package-path $7 --scratch-path $9" ] && [ -f "$7/Package.swift" ] || exit 1
mkdir -p "$9/release" && cp "$UNDERSTUDY_BUILT" "$9/release/understudy"
"""


class Runner:
    """A job on a machine: its files, and the outputs of its steps."""

    def __init__(self, scratch):
        self.scratch, self.workspace = scratch, scratch / "workspace"
        for directory in [self.workspace, scratch / "temp", scratch / "bin"]:
            directory.mkdir()
        (scratch / "bin/swift").write_text(SWIFT)
        (scratch / "bin/swift").chmod(0o755)
        self.path = [str(scratch / "bin"), *os.environ["PATH"].split(":")]
        self.summary = scratch / "summary"
        self.keys = []

    def value(self, text, context):
        """Evaluates the expressions in a text."""
        return re.sub(r"\${{ (.*?) }}", lambda match: str(self.evaluate(match[1], context)), str(text))

    @staticmethod
    def evaluate(expression, context):
        def member(match):
            value = context
            for name in match[0].split("."):
                value = value.get(name, {})
            return repr(value or "")

        python = re.sub(r"\b(?:inputs|steps|runner|github)(?:\.[\w-]+)+", member, expression)
        names = {"format": lambda text, *values: text.format(*values)}
        # The expressions are those of the action in this repository.
        return eval(python.replace("||", " or ").replace("&&", " and "), names)

    def shell(self, step, context):
        """Runs a step, and returns its exit code and its outputs."""
        files = {name: self.scratch / name.lower() for name in ["GITHUB_OUTPUT", "GITHUB_PATH"]}
        for file in files.values():
            file.write_text("")
        environment = {
            "PATH": ":".join(self.path), "HOME": str(self.scratch), "GITHUB_STEP_SUMMARY": str(self.summary),
            "UNDERSTUDY_BUILT": str(PROGRAM), **{name: str(file) for name, file in files.items()},
            "GITHUB_ACTION_PATH": context["github"]["action_path"],
            **{name: self.value(text, context) for name, text in step.get("env", {}).items()},
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self.value(step["run"], context)], cwd=self.workspace,
            env=environment, capture_output=True, text=True, timeout=300, check=False)
        self.path = files["GITHUB_PATH"].read_text().split() + self.path
        outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        return done, outputs

    def checkout(self, options):
        """Copies this repository; the reader's own is empty."""
        if "repository" not in options:
            return
        assert options["repository"] == "OWNER/understudy", options
        target = self.workspace / options["path"]
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes((ROOT / name).read_bytes())

    def composite(self, directory, options):
        """Runs the steps of an action up to the first that fails, and returns the last one's end."""
        action = yaml.safe_load((directory / "action.yml").read_text())
        unknown = set(options) - set(action["inputs"])
        assert not unknown, f"the action has no input {unknown}"
        context = {
            "inputs": {name: str(options.get(name, about["default"])) for name, about in action["inputs"].items()},
            "runner": {"temp": str(self.scratch / "temp"), "os": "Linux", "arch": "X64"},
            "github": {"action_path": str(directory), "server_url": "https://example.com"}, "steps": {},
        }
        for step in action["runs"]["steps"]:
            if "if" in step and not self.evaluate(step["if"], context):
                continue
            if step.get("uses", "").startswith("actions/cache@"):
                self.keys.append(self.value(step["with"]["key"], context))
                continue
            done, outputs = self.shell(step, context)
            if "id" in step:
                context["steps"][step["id"]] = {"outputs": outputs}
            if done.returncode:
                break
        self.outputs = {name: self.value(about["value"], context) for name, about in action["outputs"].items()}
        return done

    def job(self, steps, command, inputs):
        """Runs the steps of a job with a command in place of the reader's, and with further inputs of the action."""
        for step in steps:
            options = dict(step.get("with", {}))
            if step["uses"].startswith("actions/checkout@"):
                self.checkout(options)
                continue
            assert step["uses"].startswith("./"), step
            options |= {"run": options["run"].replace("npm test", command)} | inputs
            done = self.composite(self.workspace / step["uses"], options)
        return done


def workflow():
    """Returns the steps of the article's workflow that uses the action of a checkout."""
    blocks = re.findall(r"(?ms)^```yaml\n(.*?)^```$", PAGE.read_text())
    local = [block for block in blocks if "uses: ./" in block]
    assert len(local) == 1, f"{len(local)} workflows of the article use the action of a checkout"
    (job,) = yaml.safe_load(local[0])["jobs"].values()
    return job["steps"]


def main():
    clients = ROOT / "Tests/CommandTests"
    trials = [(client, code, inputs) for client, code in [("careful-client.sh", 0), ("naive-client.sh", 3)]
              for inputs in [{}, {"explore": "true"}]]
    for client, code, inputs in trials:
        with tempfile.TemporaryDirectory() as scratch:
            runner = Runner(Path(scratch))
            done = runner.job(workflow(), f"sh {clients / client}", inputs)
            assert done.returncode == code, f"{client}, {inputs}: {done.returncode}\n{done.stdout}{done.stderr}"
            summary = runner.summary.read_text()
            assert bool(re.search("\n {6,}repeat: ", summary)) == (code == 3), summary
            assert ("every request, every way" in summary and "POST /book #1" in summary) == bool(inputs), summary
            assert re.fullmatch(r"understudy-Linux-X64-[0-9a-f]{64}", runner.keys[0]), runner.keys
            version = subprocess.run(
                ["understudy", "--version"], env={"PATH": ":".join(runner.path)}, check=True, capture_output=True, text=True)
            assert version.stdout.startswith("understudy ") and Path(runner.outputs["program"]).is_file()
    print("the article's workflow without a release passes a careful client and fails a careless one, with the line that repeats it")


main()
