"""Makes an OCI image of one small layer in the folder that its argument names."""

import gzip
import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path

folder = Path(sys.argv[1])
(folder / "blobs" / "sha256").mkdir(parents=True)


def stored(content, kind):
    digest = hashlib.sha256(content).hexdigest()
    (folder / "blobs" / "sha256" / digest).write_bytes(content)
    return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}


archive = io.BytesIO()
with tarfile.open(fileobj=archive, mode="w") as tar:
    tar.addfile(tarfile.TarInfo("file"))
layer = stored(gzip.compress(archive.getvalue(), mtime=0), "layer.v1.tar+gzip")
rootfs = {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(archive.getvalue()).hexdigest()}"]}
config = stored(json.dumps({"architecture": "amd64", "os": "linux", "rootfs": rootfs}).encode(), "config.v1+json")
manifest = stored(json.dumps({"schemaVersion": 2, "config": config, "layers": [layer]}).encode(), "manifest.v1+json")
index = {"schemaVersion": 2, "manifests": [manifest | {"annotations": {"org.opencontainers.image.ref.name": "latest"}}]}
(folder / "index.json").write_text(json.dumps(index))
(folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
