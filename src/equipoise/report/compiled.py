"""Compiled templates, kept beside compiled modules: to compile one takes longer than a small plan."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from jinja2.bccache import Bucket, FileSystemBytecodeCache


class Compiled(FileSystemBytecodeCache):
    """Of the templates in one folder; where nothing can be kept, each process compiles anew."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), f"%s.{sys.implementation.cache_tag}.template")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what fits Python, Jinja and the template; anything else that is there counts as nothing."""
        try:
            super().load_bytecode(bucket)
        except Exception:  # damaged files end in errors of many kinds
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it where Python may keep its own."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)
