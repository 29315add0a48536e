"""What tells contents of files apart: their length, which is known without reading them, and SHA-256."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digest_of(content: bytes) -> str:
    return written(len(content), hashlib.sha256(content).hexdigest())


def digest_of_file(path: Path) -> str:
    """The digest of what a file of this machine has in it."""
    with path.open("rb") as stream:
        sha = hashlib.file_digest(stream, "sha256")
        return written(stream.tell(), sha.hexdigest())


def written(n_bytes: int, sha: str) -> str:
    """How a digest is written."""
    return f"{n_bytes}-{sha}"


def may_be_of(digest: str, n_bytes: int) -> bool:
    """Whether a content of so many bytes may have a digest."""
    return digest.startswith(f"{n_bytes}-")
