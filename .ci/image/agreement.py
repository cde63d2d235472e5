"""Checks that the files of docker/ agree on ports, users and paths."""

import json
import re
from pathlib import Path

import yaml

image = Path("docker/Dockerfile").read_text()
compose = yaml.safe_load(Path("docker/compose.yaml").read_text())
job = yaml.safe_load(Path("docker/kubernetes.yaml").read_text())
scrape = yaml.safe_load(Path("docker/prometheus.yaml").read_text())

lines = [line for line in image.splitlines() if line and not line.startswith("#")]
variables = dict(pair.split("=", 1) for line in lines if line.startswith("ENV ") for pair in line[4:].split())
user = re.search(r"(?m)^USER (\d+):(\d+)$", image)
assert user and int(user[1]) > 0, "the image runs as a user that is not root, by number so that Kubernetes can tell"
assert variables["UNDERSTUDY_HOST"] == "0.0.0.0" and variables["UNDERSTUDY_ADMIN_TOKEN"], "a server that other machines reach has a token"
exposed = next(line for line in lines if line.startswith("EXPOSE ")).split()[1:]
for name in ["ENTRYPOINT", "HEALTHCHECK"]:
    line = next(line for line in lines if line.startswith(name))
    assert json.loads(line[line.index("["):])[0] == "/understudy", f"{name} is in exec form: there is no shell"
bases = [line.split()[1] for line in lines if line.startswith("FROM ")]
assert all(base == "scratch" or re.fullmatch(r"[\w./-]+:\d+\.\d+\.\d+-\w+", base) for base in bases), bases
assert bases[-1] == "scratch" and "RUN" not in image[image.rindex("FROM "):], "nothing is run where there is no shell"

version = re.search(r'static let version = "(.*)"', Path("Sources/ControlAPI/Document/Document.swift").read_text())[1]
assert f'org.opencontainers.image.version="{version}"' in image, f"the image's label is not {version}"
assert f"understudy:{version}" in Path("docker/kubernetes.yaml").read_text(), f"the job's image is not {version}"

front = yaml.safe_load(Path("docker/upstream.yaml").read_text())["services"]
serve = compose["services"]["understudy"]
health = ["/understudy", "health"]
assert serve["healthcheck"]["test"] == ["CMD", *health]
assert serve["ports"][0].endswith(":" + variables["PORT"])
assert front["understudy"]["ports"][0] == serve["ports"][0]
command = front["understudy"]["command"]
control_port = command[command.index("--control-port") + 1]
assert exposed == [variables["PORT"], control_port], f"the image exposes {exposed}, and listens on other ports"
assert front["understudy"]["ports"][1].endswith(":" + control_port)
assert all(port.startswith("127.0.0.1:") for port in front["understudy"]["ports"]), "a port is open to others"
for part in ["build", "image", "environment", "healthcheck", "stop_grace_period"]:
    assert front["understudy"][part] == serve[part], f"the two compose files differ in {part}"
for service in front.values():
    assert service["read_only"] and service["cap_drop"] == ["ALL"]
assert "ports" not in front["backend"], "the backend is reached through the server alone"
assert front["understudy"]["command"][1].startswith("http://backend:")
for name, service in compose["services"].items():
    assert service["read_only"] and service["cap_drop"] == ["ALL"], name
    assert all(port.startswith("127.0.0.1:") for port in service["ports"]), f"{name} is open to others"
    assert name == "understudy" or service["profiles"] and ":" in service["image"], name
    for mount in service.get("volumes", []):
        source = mount.split(":")[0]
        assert not source.startswith(".") or Path("docker", source).is_file(), source

target = scrape["scrape_configs"][0]["static_configs"][0]["targets"][0]
assert target == "understudy:" + variables["PORT"], target
secret = scrape["scrape_configs"][0]["authorization"]["credentials_file"].removeprefix("/run/secrets/")
assert secret in compose["secrets"] and secret in compose["services"]["prometheus"]["secrets"]

pod = job["spec"]["template"]["spec"]
sidecar = pod["initContainers"][0]
assert sidecar["restartPolicy"] == "Always" and pod["restartPolicy"] == "Never"
assert sidecar["securityContext"]["runAsUser"] == int(user[1]) and sidecar["securityContext"]["readOnlyRootFilesystem"]
for probe in ["startupProbe", "livenessProbe"]:
    assert sidecar[probe]["exec"]["command"] == health
given = {variable["name"]: variable["value"] for variable in sidecar["env"]}
assert given["UNDERSTUDY_HOST"] == "127.0.0.1" and given["UNDERSTUDY_ADMIN_TOKEN"] == ""

ignored = Path(".dockerignore").read_text().splitlines()
wanted = {source for line in lines if line.startswith("COPY ") and "--from" not in line for source in line.split()[1:-1]}
assert ignored[1] == "*" and wanted == {line[1:] for line in ignored if line.startswith("!")}, wanted
assert all(Path(source).exists() for source in wanted), wanted
print("the files of docker/ agree with each other")
