"""Generates clients from openapi.yaml, and calls every operation of the five APIs with each of them.

Usage: clients.py PROGRAM [DIRECTORY]

The generators are openapi-python-client, and openapi-generator for Python (it needs Java; without Java that is said, and the other
one is still checked). A call passes if the server answers with a declared status and the client decodes the body. Streams do not
end, so they are not called.
"""

import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import typing
import urllib.request
from pathlib import Path

import yaml

os.chdir(Path(__file__).resolve().parents[2])
DOCUMENT = yaml.safe_load(Path("openapi.yaml").read_text())


def resolved(part):
    """Returns the part itself, or the component that it references."""
    while "$ref" in part:
        target = DOCUMENT
        for name in part["$ref"].split("/")[1:]:
            target = target[name]
        part = target
    return part


def example(part):
    """Returns the first example of a parameter or a body."""
    return resolved(next(iter(part["examples"].values())))["value"]


def operations():
    """Yields the operations of the five APIs: id, tag, parameters with values, all parameters, the body, stream or not, statuses."""
    for methods in DOCUMENT["paths"].values():
        for operation in methods.values():
            if operation["tags"] == ["control"]:
                continue
            parameters = [resolved(parameter) for parameter in operation.get("parameters", [])]
            wanted = {each["name"]: example(each) for each in parameters if each.get("required")}
            if operation["operationId"] == "searchPlaces":
                wanted["query"] = "hong"
            body = next(iter(operation["requestBody"]["content"].values())) if "requestBody" in operation else None
            success = resolved(operation["responses"].get("200", {}))
            yield (
                operation["operationId"],
                operation["tags"][0],
                wanted,
                {re.sub(r"\W", "_", each["name"]).strip("_").lower() for each in parameters},
                None if body is None else example(body),
                "text/event-stream" in success.get("content", {}),
                {int(status) for status in operation["responses"] if status.isdigit()},
            )


def snake(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class PythonClient:
    """The clients of openapi-python-client."""

    name = "openapi-python-client"

    def __init__(self, directory, url):
        target = directory / "python-client"
        tool = Path(sys.executable).parent / "openapi-python-client"
        command = [tool, "generate", "--path", "openapi.yaml", "--output-path", target, "--overwrite"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        lost = re.findall(r"Unable to process schema (\S+)", done.stdout + done.stderr)
        if done.returncode or lost:
            sys.exit(f"{self.name} did not read openapi.yaml: {lost or done.stderr}")
        sys.path.insert(0, str(target))
        self.client = importlib.import_module("understudy_client").Client(base_url=url)

    def call(self, operation, tag, wanted, _known, body):
        module = importlib.import_module(f"understudy_client.api.{tag}.{snake(operation)}")
        arguments = {snake(name): value for name, value in wanted.items()}
        if body is not None:
            types = typing.get_type_hints(module.sync_detailed)["body"]
            models = [each for each in (typing.get_args(types) or (types,)) if hasattr(each, "from_dict")]
            arguments["body"] = models[0].from_dict(body)
        function = module.sync_detailed
        response = function(client=self.client, **arguments)
        return int(response.status_code), response.parsed


class GeneratorClient:
    """The Python clients of openapi-generator."""

    name = "openapi-generator (python)"

    def __init__(self, directory, url):
        target = directory / "generator-client"
        tool = Path(sys.executable).parent / "openapi-generator-cli"
        command = [tool, "generate", "-g", "python", "-i", "openapi.yaml", "-o", target]
        done = subprocess.run(
            command + ["--additional-properties=packageName=generated_client"],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{self.name} did not read openapi.yaml: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        sys.path.insert(0, str(target))
        self.package = importlib.import_module("generated_client")
        self.client = self.package.ApiClient(self.package.Configuration(host=url))

    def call(self, operation, tag, wanted, known, body):
        api = getattr(self.package, tag.capitalize() + "Api")(self.client)
        function = getattr(api, snake(operation) + "_with_http_info")
        arguments = {snake(name): value for name, value in wanted.items()}
        if body is not None:
            for name, parameter in inspect.signature(function).parameters.items():
                if name not in known | {"self"} and not name.startswith("_"):
                    kinds = [parameter.annotation, *typing.get_args(parameter.annotation)]
                    model = next((kind for kind in kinds if hasattr(kind, "from_dict")), None)
                    arguments[name] = model.from_dict(body) if model else body
                    break
        try:
            response = function(**arguments)
        except self.package.exceptions.ApiException as error:
            return error.status, error.data
        return response.status_code, response.data


def check(kind, directory, url):
    client = kind(directory, url)
    called, failed = 0, []
    for operation, tag, wanted, known, body, is_stream, statuses in operations():
        if is_stream:
            continue
        try:
            status, _ = client.call(operation, tag, wanted, known, body)
        except Exception as error:  # noqa: BLE001  Generated code can fail in every way.
            failed.append(f"{operation}: {type(error).__name__}: {str(error)[:300]}")
            continue
        called += 1
        if status not in statuses or (status >= 400 and min(statuses) < 400):
            failed.append(f"{operation}: status {status}")
    print(f"{kind.name}: {called} operations called, {len(failed)} failed")
    for line in failed:
        print("  " + line)
    return not failed


def main():
    program = Path(sys.argv[1]).resolve()
    given = sys.argv[2] if len(sys.argv) > 2 else None
    directory = Path(given or tempfile.mkdtemp(prefix="clients-"))
    port_file = directory / "port"
    directory.mkdir(parents=True, exist_ok=True)
    port_file.unlink(missing_ok=True)
    server = subprocess.Popen([program, "--port", "0", "--port-file", port_file], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().split()[-1]
        urllib.request.urlopen(url + "/_mock/health").close()
        kinds = [PythonClient]
        if shutil.which("java"):
            kinds.append(GeneratorClient)
        else:
            print(f"NOT CHECKED: {GeneratorClient.name}: there is no java")
        passed = [check(kind, directory, url) for kind in kinds]
    finally:
        server.terminate()
        server.wait()
        if given is None:
            shutil.rmtree(directory, ignore_errors=True)
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
