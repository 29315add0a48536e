"""What the tables and the plan of each cluster follow from, by content."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from equipoise.files.policy import Policy
from equipoise.pipeline.jobs.span import Span
from equipoise.pipeline.places.digests import digest_of, may_be_of
from equipoise.pipeline.readers.fleet import ClusterFolder, FoundFile

Digests = Mapping[str, str]


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


def inputs_of(clusters: Sequence[ClusterFolder], policy: Policy, span: Span) -> dict[str, Inputs]:
    """The inputs of each cluster, as far as they are known before its files are read."""
    return {cluster.name: inputs(cluster, policy, span) for cluster in clusters}


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
    """Whether nothing of a cluster has changed but, maybe, what is in the files of its state.

    ``now``: with the digests of its files of samples.
    """
    return (
        (now.wish, now.files.keys(), now.metrics) == (before.wish, before.files.keys(), before.metrics)
        and all(now.metrics.values())
        and all(may_be_as(file, before.files, now.files) for file in cluster.files)
    )


def may_be_as(file: FoundFile, before: Digests, now: Digests) -> bool:
    """Whether a file may be what it was: by its length, and one that cannot be read by the reason."""
    told = before.get(file.name, "")
    return now[file.name] == told if file.fault else may_be_of(told, file.n_bytes)


def with_before(files: Sequence[FoundFile], before: Digests) -> tuple[FoundFile, ...]:
    """The files, each with the digest that it had where its length allows that it has it still."""
    return tuple(
        replace(file, before=told)
        if not file.fault and may_be_of(told := before.get(file.name, ""), file.n_bytes)
        else file
        for file in files
    )


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
