"""What the tables and the plan of each cluster follow from, by content."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from equipoise.files.policy import Policy
from equipoise.pipeline.jobs.span import Span
from equipoise.pipeline.places.contents import digests
from equipoise.pipeline.places.digests import digest_of, digest_of_file, may_be_of
from equipoise.pipeline.places.hadoop import HadoopPlace
from equipoise.pipeline.readers.fleet import ClusterFolder, FoundFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Digests = Mapping[str, str]
NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Inputs:
    """Digests of what one cluster is made from; equal inputs give equal rows."""

    wish: str
    files: Digests
    """Of the files of its state, by name; "" for one that is not read yet, or cannot be."""
    metrics: Digests
    """Of its files of samples."""

    @property
    def is_known(self) -> bool:
        """Whether every file was read."""
        return all((*self.files.values(), *self.metrics.values()))

    @classmethod
    def of_json(cls, told: Mapping[str, Any]) -> Self:
        return cls(told["wish"], told["files"], told["metrics"])


def inputs_of(
    spark: SparkSession,
    clusters: Sequence[ClusterFolder],
    policy: Policy,
    span: Span,
    before: Mapping[str, Inputs] = NOTHING,
    planned: Collection[str] = (),
) -> dict[str, Inputs]:
    """The inputs of each cluster, as far as they tell whether they are those of ``before``.

    Only for that a file is read here: one that was there before with as many bytes, and of a state that may
    have stayed the same, of a cluster whose plan may stay, as it was ``planned``. The digests of the others
    are "" until they have been read for what they tell.
    """
    now = {cluster.name: inputs(cluster, policy, span) for cluster in clusters}
    told_before = [cluster for cluster in clusters if cluster.name in before]
    may_stay = {
        cluster.name
        for cluster in told_before
        if cluster.name in planned and may_be_kept(cluster, now[cluster.name], before[cluster.name])
    }
    if policy.max_bytes_total is not None and not may_stay == now.keys() == before.keys():
        may_stay = set()  # what one cluster gets depends on all the others
    asked = [
        ((cluster.name, file.name), file)
        for cluster in told_before
        for file in worth_reading(cluster, before[cluster.name], state=cluster.name in may_stay)
        if not file.fault
    ]
    elsewhere = [file.path for _, file in asked if isinstance(file.path, HadoopPlace)]
    known = digests(spark, elsewhere) if elsewhere else {}
    with ThreadPoolExecutor() as pool:  # while a digest is worked out other threads may run
        found = pool.map(lambda one: digest_of_found(one[1], known), asked)
        return completed(now, {key: digest for (key, _), digest in zip(asked, found, strict=True)})


def inputs(cluster: ClusterFolder, policy: Policy, span: Span) -> Inputs:
    """Those of one cluster, without what is in its files."""
    wishes = {option: value for option, (value, _) in policy.of(cluster.folder.name).items()}
    file = cluster.wish
    own = "" if file.fault else None if file.content is None else digest_of(file.content)
    told: list[Any] = [wishes, own, span.told if cluster.metrics else None, cluster.fault]
    if policy.max_bytes_total is not None:
        told.append(policy.max_bytes_total)
    files, metrics = (
        {file.name: digest_of(file.fault.encode()) if file.fault else "" for file in files}
        for files in (cluster.files, cluster.metrics)
    )
    return Inputs(digest_of(json.dumps(told, sort_keys=True, default=str).encode()), files, metrics)


def may_be_kept(cluster: ClusterFolder, now: Inputs, before: Inputs) -> bool:
    """Whether nothing of a cluster need have changed, by the names and lengths of its files."""
    if (now.wish, now.files.keys(), now.metrics.keys()) != (
        before.wish, before.files.keys(), before.metrics.keys()
    ):  # fmt: skip
        return False
    both = ((cluster.files, before.files), (cluster.metrics, before.metrics))
    return all(may_be_as(file, told) for files, told in both for file in files)


def worth_reading(cluster: ClusterFolder, before: Inputs, *, state: bool) -> list[FoundFile]:
    """Files of a cluster whose digest decides whether they have to be read for what they tell.

    Those of its state all together, where ``state`` says that they may decide.
    """
    metrics = [file for file in cluster.metrics if may_be_as(file, before.metrics)]
    return [*(cluster.files if state else ()), *metrics]


def may_be_as(file: FoundFile, before: Digests) -> bool:
    """Whether its length allows that a file is what it was."""
    return bool(file.fault) or may_be_of(before.get(file.name, ""), file.n_bytes)


def completed(now: Mapping[str, Inputs], read: Mapping[tuple[str, str], str]) -> dict[str, Inputs]:
    """The inputs with the digests of more files, by cluster and name."""
    return {
        name: replace(
            told,
            files={file: read.get((name, file), digest) for file, digest in told.files.items()},
            metrics={file: read.get((name, file), digest) for file, digest in told.metrics.items()},
        )
        for name, told in now.items()
    }


def digest_of_found(file: FoundFile, known: Digests) -> str:
    """The digest of what is in a file; "" for one that cannot be read now.

    ``known``: those of files of Hadoop's file systems, by address.
    """
    if not isinstance(file.path, Path):
        return known.get(str(file.path), "")
    try:
        return digest_of_file(file.path)
    except OSError:
        return ""
