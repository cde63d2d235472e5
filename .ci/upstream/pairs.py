"""Compares what real clients get from real backends with and without the server between them, and judges them under faults.

Usage: pairs.py SERVER [--all] [NAME...]    SERVER is the program understudy.

Each pair is a backend and a script of its client. The script runs four times: against the backend alone, through a calm server,
and under `run` in two scenarios. In calm its output must be the same to the letter, but for ports; a stream that is held never
ends, because its client asks for the next part when it has one. Under faults the run must end with a card. Without --all only the
quick pairs run, which need nothing but Python packages. A pair whose programs are not installed is named and left out.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from running import PROGRAM, WAIT, Failures, Running, free_port, in_front

HERE = Path(__file__).resolve().parent
PYTHON = sys.executable
SCENARIOS = ["lost-ack", "overload"]


@dataclass
class Pair:
    name: str
    # The command of the backend; its last argument is the port. {port} stands for the port elsewhere.
    backend: str
    # A script of Bash; $URL is the server, and the directory is empty at first.
    client: str
    needs: tuple = ()
    is_quick: bool = False


CURL = "curl -s --max-time 30"
STATUS = f"{CURL} -o /dev/null -w '%{{http_code}} %{{redirect_url}}\\n'"
PAIRS = [
    Pair("http.server and curl", f"exec {PYTHON} -m http.server --bind 127.0.0.1", f"""
        {CURL} $URL/ | head -3; {STATUS} $URL/none; {STATUS} $URL/dir; {STATUS} -I $URL/""", is_quick=True),
    Pair("Flask and curl", f"exec {PYTHON} {HERE}/shop_flask.py", f"""
        {CURL} -d '{{"item": "a lamp"}}' -H 'Content-Type: application/json' $URL/orders; {CURL} $URL/orders; {STATUS} $URL/old""",
        is_quick=True),
    Pair("FastAPI and httpx", f"exec {PYTHON} -m uvicorn --app-dir {HERE} --log-level error shop_fastapi:app --port", f"""
        {PYTHON} -c 'import httpx, os
url = os.environ["URL"]
print(httpx.post(url + "/orders", json={{"item": 1}}).text, httpx.get(url + "/orders").text, httpx.get(url + "/ticks?count=3").text)'""",
        is_quick=True),
    Pair("Django and a form", f"exec {PYTHON} {HERE}/form_django.py", f"""
        {STATUS} -c jar $URL/form/; token=$(awk '/csrftoken/ {{print $7}}' jar)
        {STATUS} -b jar -d csrfmiddlewaretoken=$token -H "Origin: $URL" $URL/form/
        {STATUS} -b jar -d csrfmiddlewaretoken=$token -H 'Origin: http://elsewhere' $URL/form/
        {CURL} $URL/done/; {CURL} $URL/lines/""", ("python:django",), is_quick=True),
    Pair("aiohttp, streams and WebSocket", f"exec {PYTHON} {HERE}/streams_aiohttp.py", f"{PYTHON} {HERE}/streams_client.py $URL",
         ("python:aiohttp",), is_quick=True),
    Pair("WsgiDAV and curl", f"mkdir -p dav; exec {PYTHON} -m wsgidav.server.server_cli -q --auth anonymous -r dav -H 127.0.0.1 -p", f"""
        {STATUS} -T /etc/hostname $URL/a; {STATUS} -X MKCOL $URL/d; {STATUS} -X MOVE -H "Destination: $URL/d/b" $URL/a
        {STATUS} -X COPY -H "Destination: $URL/c" $URL/d/b; {STATUS} -X PROPFIND -H 'Depth: 1' $URL/; {STATUS} $URL/a""",
        ("python:wsgidav",), is_quick=True),
    Pair("Radicale and curl", f"exec {PYTHON} -m radicale --auth-type none --storage-filesystem-folder store --server-hosts 127.0.0.1:{{port}}",
        f"""{STATUS} -X MKCALENDAR -u me:x $URL/me/home/
        printf 'BEGIN:VCALENDAR\\r\\nVERSION:2.0\\r\\nPRODID:x\\r\\nBEGIN:VEVENT\\r\\nUID:1\\r\\nDTSTAMP:20260101T000000Z\\r\\nDTSTART:20260101T000000Z\\r\\nSUMMARY:s\\r\\nEND:VEVENT\\r\\nEND:VCALENDAR\\r\\n' >e.ics
        {STATUS} -u me:x -T e.ics $URL/me/home/e.ics; {STATUS} -u me:x -X MOVE -H "Destination: $URL/me/home/f.ics" $URL/me/home/e.ics
        {STATUS} -u me:x -X PROPFIND -H 'Depth: 1' $URL/me/home/; {CURL} -u me:x $URL/me/home/f.ics""", ("python:radicale",), is_quick=True),
    Pair("moto and boto3", f"exec {PYTHON} -m moto.server -p", f"""{PYTHON} -c 'import boto3, os
s3 = boto3.client("s3", endpoint_url=os.environ["URL"], region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
s3.create_bucket(Bucket="bucket")
s3.put_object(Bucket="bucket", Key="k", Body=b"x" * 9_000_000)
print(len(s3.get_object(Bucket="bucket", Key="k")["Body"].read()), [o["Key"] for o in s3.list_objects_v2(Bucket="bucket")["Contents"]])
db = boto3.client("dynamodb", endpoint_url=os.environ["URL"], region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
print(db.list_tables()["TableNames"])'""", ("python:moto", "python:boto3")),
    Pair("pypiserver and pip", f"mkdir -p dist; printf x >dist/a-1.tar.gz; exec {PYTHON} -m pypiserver run -i 127.0.0.1 -P . -a . dist -p", f"""
        {CURL} $URL/simple/; {CURL} $URL/simple/a/ | head -20; {STATUS} -F ':action=file_upload' -F 'content=@/etc/hostname;filename=b-1.tar.gz' $URL/""",
        ("python:pypiserver",)),
    Pair("etcd and curl", "exec etcd --log-level error --data-dir etcd --listen-peer-urls http://127.0.0.1:0 --listen-client-urls http://127.0.0.1:{port} --advertise-client-urls http://127.0.0.1:{port}",
        f"""(timeout 3 {CURL} -N -d '{{"create_request": {{"key": "YQ=="}}}}' $URL/v3/watch | grep -o '"value":"[^"]*"' >watch || true) &
        sleep 1; {CURL} -d '{{"key": "YQ==", "value": "Yg=="}}' $URL/v3/kv/put | grep -o '"revision":"[0-9]*"'; wait; cat watch
        {CURL} -d '{{"key": "YQ=="}}' $URL/v3/kv/range | grep -o '"value":"[^"]*"'""", ("etcd",)),
    Pair("Mercurial", "hg init repo; exec hg -R repo serve --config web.push_ssl=false --config web.allow-push='*' -a 127.0.0.1 -p", """
        hg clone -q $URL work; cd work; echo a >a; hg -q add a; hg -q commit -u me -d '0 0' -m one; hg push -q; hg id -r default $URL""", ("hg",)),
    Pair("rclone over WebDAV", "mkdir -p store; exec rclone serve webdav store --addr 127.0.0.1:{port}", """
        touch none; export RCLONE_CONFIG=$PWD/none; mkdir in; head -c 3000000 /dev/zero >in/a; echo b >in/b; remote=":webdav,url='$URL':"
        rclone copy in "$remote/d"; rclone moveto "$remote/d/b" "$remote/d/c"; rclone lsf -R "$remote"; rclone check in "$remote/d" 2>&1 | grep -c differences""", ("rclone",)),
    Pair("restic through rclone", "mkdir -p store; exec rclone serve restic store --addr 127.0.0.1:{port}", """
        export RESTIC_PASSWORD=x RESTIC_REPOSITORY=rest:$URL/ HOME=$PWD; mkdir in; echo a >in/a
        restic -q init; restic -q backup in; restic snapshots --json | grep -o '"paths"' ; restic check 2>&1 | tail -1""", ("rclone", "restic")),
    Pair("docker-registry and skopeo", """printf 'version: 0.1\\nstorage: {filesystem: {rootdirectory: store}}\\nhttp: {addr: "127.0.0.1:{port}"}\\nlog: {level: error}\\n' >registry.yml; exec docker-registry serve registry.yml""",
        f"""mkdir -p image/blobs/sha256; cd image
        add() {{ sum=$(sha256sum "$1" | cut -d' ' -f1); size=$(stat -c %s "$1"); mv "$1" blobs/sha256/$sum; }}
        head -c 2000000 /dev/zero >layer; add layer; layer="{{\\"mediaType\\":\\"application/vnd.oci.image.layer.v1.tar\\",\\"digest\\":\\"sha256:$sum\\",\\"size\\":$size}}"
        printf '{{"architecture":"amd64","os":"linux","rootfs":{{"type":"layers","diff_ids":["sha256:%s"]}}}}' $sum >config; add config
        printf '{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%s}},"layers":[%s]}}' $sum $size "$layer" >manifest; add manifest
        printf '{{"schemaVersion":2,"manifests":[{{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%s}}]}}' $sum $size >index.json; echo '{{"imageLayoutVersion":"1.0.0"}}' >oci-layout
        skopeo --insecure-policy copy -q --dest-tls-verify=false oci:. docker://${{URL#http://}}/a:1; {CURL} $URL/v2/a/tags/list; {CURL} $URL/v2/a/manifests/1 -H 'Accept: application/vnd.oci.image.manifest.v1+json' | sha256sum""",
        ("docker-registry", "skopeo")),
    Pair("Fossil", "fossil init -A me repo.fossil >/dev/null; fossil user password me pw -R repo.fossil; exec fossil server repo.fossil --localhost --port", """
        export HOME=$PWD USER=me; remote=http://me:pw@${URL#http://}/; fossil clone $remote work.fossil -A me --once | grep -o 'Clone done'
        mkdir work; cd work; fossil open ../work.fossil >/dev/null; echo a >a; fossil add a; fossil commit -m one --no-warnings | grep -c New_Version
        fossil sync $remote --once | grep -o 'Sync done'; fossil clone $remote again.fossil -A me --once | grep -o 'Clone done'
        fossil timeline -R again.fossil -n 1 | grep -o 'one (user: me'""", ("fossil",)),
    Pair("Transmission", "mkdir -p config; exec transmission-daemon -f -g config -w $PWD -a 127.0.0.1 -r 127.0.0.1 -T --no-portmap --no-dht --no-lpd -M -P 0 -p", """
        remote="transmission-remote $URL/transmission"; $remote -a 'magnet:?xt=urn:btih:0123456789012345678901234567890123456789'
        $remote -l; $remote -t 1 -r; $remote -l""", ("transmission-daemon", "transmission-remote")),
    Pair("Pushgateway and prometheus_client", "exec prometheus-pushgateway --log.level=error --web.listen-address=127.0.0.1:{port}", f"""
        {PYTHON} -c 'import os
from prometheus_client import CollectorRegistry, Gauge, delete_from_gateway, push_to_gateway, pushadd_to_gateway
url, registry = os.environ["URL"], CollectorRegistry()
Gauge("jobs", "x", registry=registry).set(3)
push_to_gateway(url, job="a", registry=registry)
pushadd_to_gateway(url, job="b/c", registry=registry)
delete_from_gateway(url, job="a")'; {CURL} $URL/metrics | grep ^jobs""", ("prometheus-pushgateway", "python:prometheus_client")),
    Pair("Node and fetch", f"exec node {HERE}/stream_node.mjs", f"node {HERE}/fetch_stream.mjs $URL", ("node",)),
]


def is_installed(need):
    if need.startswith("python:"):
        return subprocess.run([PYTHON, "-c", f"import {need[7:]}"], check=False, capture_output=True).returncode == 0
    return shutil.which(need) is not None


class Backend(Running):
    def __init__(self, pair, directory):
        port = free_port()
        command = pair.backend.replace("{port}", str(port)) if "{port}" in pair.backend else f"{pair.backend} {port}"
        super().__init__(["bash", "-c", command], directory, port)


def output(pair, url, directory):
    """Runs a client; returns its output without ports."""
    environment = dict(os.environ, URL=url)
    done = subprocess.run(
        ["bash", "-c", pair.client], check=False, cwd=directory, env=environment, capture_output=True, text=True, timeout=WAIT * 2)
    return re.sub(r"(localhost|127\.0\.0\.1):\d+", "(server)", done.stdout + done.stderr[-2_000:])


def judged(pair, backend, scenario, directory):
    """Runs a client under faults; returns the exit code, and the ids of the failed checks, or a sentence if there is no card."""
    done = subprocess.run(
        [PROGRAM, "run", "--upstream", backend.url, "--scenario", scenario, "--timeout", "120s", "--report", "card.json", "--", "bash",
         "-c", "URL=$UNDERSTUDY_URL; export URL; " + pair.client],
        check=False, cwd=directory, capture_output=True, text=True, timeout=WAIT * 3)
    card = Path(directory) / "card.json"
    if not card.exists():
        return done.returncode, f"no card: {done.stderr[-500:]}"
    checks = [check for card in json.loads(card.read_text())["runs"][0]["cards"] for check in card["checks"]]
    return done.returncode, [check["id"] for check in checks if check["verdict"] == "fail"]


def check(failures, pair):
    seen = {}
    for way in ["direct", "calm", *SCENARIOS]:
        with tempfile.TemporaryDirectory() as store, tempfile.TemporaryDirectory() as work, Backend(pair, store) as backend:
            if way == "direct":
                seen[way] = output(pair, backend.url.replace("127.0.0.1", "localhost"), work)
            elif way == "calm":
                with in_front(backend, work) as front:
                    seen[way] = output(pair, front.url.replace("127.0.0.1", "localhost"), work)
            else:
                code, found = judged(pair, backend, scenario=way, directory=work)
                failures.expect(isinstance(found, list), f"{pair.name}, {way}: exit {code}, {found}")
                print(f"{pair.name}, {way}: exit {code}, failed: {found}")
    failures.expect(seen["direct"].strip(), f"{pair.name}: the client printed nothing")
    failures.expect(seen["direct"] == seen["calm"], f"{pair.name}\n  direct {seen['direct']}\n  calm   {seen['calm']}")
    print(f"{pair.name}: {len(seen['direct'].splitlines())} lines compared", flush=True)


def main():
    names = [word for word in sys.argv[2:] if word != "--all"]
    failures, left_out = Failures(), []
    for pair in PAIRS:
        if names and pair.name not in names or not names and "--all" not in sys.argv and not pair.is_quick:
            continue
        if missing := [need for need in pair.needs if not is_installed(need)]:
            left_out.append(f"{pair.name} ({', '.join(missing)})")
            continue
        check(failures, pair)
    if left_out:
        print(f"left out, because programs are missing: {'; '.join(left_out)}")
    if failures:
        sys.exit(f"{len(failures)} failed")


main()
