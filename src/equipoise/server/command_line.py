"""The command that does on a terminal what was asked of the service, to be copied."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.wording import printable


def command(verb: str, sources: Sequence[str], options: Mapping[str, Any], *more: str) -> str:
    """``equipoise plan topics.txt --drain 4``, quoted for a shell."""
    words = ["equipoise", verb, *sources]
    for name, value in options.items():
        words += [f"--{name}"] if value is True else [f"--{name}", written(value)]
    return shlex.join([printable(word) for word in (*words, *more)])


def written(value: Any) -> str:
    """A value of an option as it is typed: parts after commas, pairs with a colon."""
    if isinstance(value, Mapping):
        return ",".join(f"{name}:{part}" for name, part in value.items())
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
