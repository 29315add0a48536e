"""An S3-compatible store on loopback (moto), and the jars that Spark needs for one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen
from xml.etree import ElementTree

from tests.maven import brought, cache_folder
from tests.pipeline.standalone import free_port, wait_for

ROOT = Path(__file__).parents[2]

SDK = "2.35.4"
"""Of Amazon's library, what Hadoop 3.5.0 was made with."""
ARTIFACTS = (
    "org.apache.hadoop:hadoop-aws:3.5.0!",  # which names all of the library, some 600 MB
    *(f"software.amazon.awssdk:{part}:{SDK}"
      for part in ("s3", "s3-transfer-manager", "sts", "apache-client", "url-connection-client")),
    "software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1",
)  # fmt: skip
BUCKET = "fleets"
REGION = "us-east-1"
AS = f"AWS4-HMAC-SHA256 Credential=a/20260101/{REGION}/s3/aws4_request, SignedHeaders=host, Signature=x"
"""Whoever asks; the store believes it."""
LISTED = "{http://s3.amazonaws.com/doc/2006-03-01/}"


@dataclass(frozen=True)
class Store:
    """One bucket of it."""

    endpoint: str

    @property
    def conf(self) -> list[str]:
        """Options of a command that reads and writes there."""
        jars = brought(cache_folder("s3") / SDK, ARTIFACTS)
        told = {
            "spark.jars": ",".join(map(str, sorted(jars.glob("*.jar")))),
            "spark.hadoop.fs.s3a.endpoint": self.endpoint,
            "spark.hadoop.fs.s3a.endpoint.region": REGION,
            "spark.hadoop.fs.s3a.path.style.access": "true",
            "spark.hadoop.fs.s3a.access.key": "a",
            "spark.hadoop.fs.s3a.secret.key": "b",
            "spark.hadoop.fs.s3a.multipart.size": "5M",
        }
        return [word for key, value in told.items() for word in ("--conf", f"{key}={value}")]

    def ask(self, method: str, what: str = "", data: bytes | None = None) -> bytes:
        """One request of the bucket."""
        heads = {"Authorization": AS, "Content-Type": "application/octet-stream"}
        request = Request(f"{self.endpoint}/{BUCKET}{what}", data, heads, method=method)
        with urlopen(request, timeout=120) as answer:
            body: bytes = answer.read()
        return body

    def put(self, folder: Path, prefix: str) -> None:
        """Copy a folder of this machine there."""
        for path in folder.rglob("*"):
            if path.is_file():
                name = f"{prefix}/{path.relative_to(folder).as_posix()}"
                self.ask("PUT", f"/{quote(name)}", path.read_bytes())

    def names(self, prefix: str) -> list[str]:
        """Of all objects below a prefix."""
        found, after = list[str](), ""
        while True:
            asked = urlencode({"list-type": 2, "prefix": f"{prefix}/", "start-after": after})
            page = ElementTree.fromstring(self.ask("GET", f"?{asked}"))
            found += [each.text or "" for each in page.iter(f"{LISTED}Key")]
            if page.findtext(f"{LISTED}IsTruncated") != "true":
                return found
            after = found[-1]

    def get(self, prefix: str, folder: Path) -> Path:
        """Copy what is there to this machine; marks of empty folders are no files."""
        for name in self.names(prefix):
            if not name.endswith("/"):
                path = folder / name.removeprefix(f"{prefix}/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(self.ask("GET", f"/{quote(name)}"))
        return folder


@contextmanager
def s3(scratch: Path) -> Iterator[Store]:
    """Start one with an empty bucket; it ends, with all that it holds, with the block."""
    subprocess.run(["tools/setup", ".venv-store", "requirements/store.txt"], cwd=ROOT, check=True)
    port = free_port()
    command = [ROOT / ".venv-store/bin/moto_server", "-H", "127.0.0.1", "-p", str(port)]
    with (scratch / "s3.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        wait_for(port)
        store = Store(f"http://127.0.0.1:{port}")
        store.ask("PUT")
        yield store
    finally:
        process.terminate()
        process.wait(timeout=30)
