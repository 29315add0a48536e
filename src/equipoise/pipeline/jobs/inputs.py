"""What the tables and the plan of each cluster follow from, by content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from equipoise.files.places import Place
from equipoise.files.policy import Policy
from equipoise.files.wish import WISH
from equipoise.pipeline.jobs.span import Span
from equipoise.pipeline.places.contents import digests
from equipoise.pipeline.places.hadoop import HadoopPlace
from equipoise.pipeline.readers.fleet import ClusterFolder, FoundFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Digests = Mapping[str, str]


@dataclass(frozen=True)
class Inputs:
    """Digests of what one cluster is made from; equal inputs give equal rows."""

    wish: str
    files: Digests
    """Of the files of its state, by name; "" for one that cannot be read."""
    metrics: Digests
    """Of its files of samples."""

    @property
    def is_known(self) -> bool:
        """Whether every file could be read."""
        return all((*self.files.values(), *self.metrics.values()))

    @classmethod
    def of_json(cls, told: Mapping[str, Any]) -> Self:
        return cls(told["wish"], told["files"], told["metrics"])


def inputs_of(
    spark: SparkSession, clusters: Sequence[ClusterFolder], policy: Policy, span: Span
) -> dict[str, Inputs]:
    """The inputs of each cluster; every file is read once for it."""
    files = [file for cluster in clusters for file in (*cluster.files, *cluster.metrics)]
    read = [file.path for file in files if isinstance(file.path, HadoopPlace) and not file.fault]
    known = digests(spark, read) if read else {}
    with ThreadPoolExecutor() as pool:  # while a digest is worked out other threads may run
        found = iter(list(pool.map(lambda file: digest_of(file, known), files)))
    return {cluster.name: inputs(cluster, policy, span, found) for cluster in clusters}


def inputs(cluster: ClusterFolder, policy: Policy, span: Span, found: Iterator[str]) -> Inputs:
    """Those of one cluster; takes as many digests as it has files."""
    files, metrics = (
        {file.name: next(found) for file in files} for files in (cluster.files, cluster.metrics)
    )
    wishes = {option: value for option, (value, _) in policy.of(cluster.folder.name).items()}
    own = digest_of_wish(cluster.folder / WISH)
    told: list[Any] = [wishes, own, span.told if metrics else None, cluster.fault]
    if policy.max_bytes_total is not None:
        told.append(policy.max_bytes_total)
    return Inputs(digest(json.dumps(told, sort_keys=True, default=str).encode()), files, metrics)


def digest_of(file: FoundFile, known: Digests) -> str:
    """The digest of what is in a file, or of why it is none; "" for one that cannot be read now.

    ``known``: those of files of Hadoop's file systems, by address.
    """
    if file.fault:
        return digest(file.fault.encode())
    if not isinstance(file.path, Path):
        return known.get(str(file.path), "")
    try:
        with file.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


def digest_of_wish(place: Place) -> str | None:
    """That of a cluster's own wish, None where it has none."""
    try:
        return digest(place.read_bytes()) if place.exists() else None
    except OSError:
        return ""


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
