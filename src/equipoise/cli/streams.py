"""Standard output and error as they may be: closed, full, gone, or of an alphabet without our signs."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TextIO, cast

from equipoise.errors import EquipoiseError

SPELLED = {
    "→": "->", "−": "-", "–": "-", "…": "...", "·": "|", "✓": "+", "✗": "x", "⌈": "ceil(", "⌉": ")", "“": '"',
    "”": '"', "’": "'", "×": "x", "≤": "<=", "≥": ">=", "±": "+-",
}  # fmt: skip
"""Signs that we print, in ASCII."""


class Unwritable(EquipoiseError):
    """Standard output that takes nothing: exit 2, in one line."""


class Gone(EquipoiseError):
    """Nobody reads standard output any more: an end without a word, with the code that shells give for it."""

    exit_code = 141


def spelled(error: UnicodeError) -> tuple[str, int]:
    """What an alphabet lacks, in ASCII; see `codecs.register_error`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(SPELLED.get(sign, "?") for sign in lacking), error.end


def to_nowhere(stream: TextIO) -> None:
    """Lose what is left to write, which would fail again at the very end and change the exit code."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class Guarded:
    """Standard output whose faults are errors of ours, with a sentence."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: Any) -> int:
        try:
            return self.stream.write(text)
        except OSError as error:
            self.fail(error)

    def flush(self) -> None:
        try:
            self.stream.flush()
        except OSError as error:
            self.fail(error)

    def fail(self, error: OSError) -> NoReturn:
        to_nowhere(self.stream)
        if error.errno == errno.EPIPE:
            raise Gone from None
        raise Unwritable(f"standard output: cannot be written ({os.strerror(error.errno or 0)})") from None

    @property
    def buffer(self) -> Guarded:
        return Guarded(cast("TextIO", self.stream.buffer))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class Quiet(Guarded):
    """Standard error, of which nothing depends: what it does not take is lost."""

    def fail(self, error: OSError) -> NoReturn:
        raise Unwritable from error

    def write(self, text: Any) -> int:
        with suppress(Unwritable):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(Unwritable):
            super().flush()


class Closed(io.RawIOBase):
    """What a process gets for a stream that its parent closed."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> NoReturn:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def usable(stream: TextIO | None) -> TextIO:
    """The stream, with a way to write every character; one that takes nothing where there is none."""
    if stream is None:
        return io.TextIOWrapper(io.BufferedWriter(Closed(), 1), encoding="utf-8", write_through=True)
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="equipoise.spelled")
    return stream


def occupy() -> None:
    """Have something stand where standard streams were closed, so that no other file takes their place."""
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


@contextmanager
def guarded() -> Iterator[None]:
    """While it lasts, whatever standard output and error do ends in a sentence or in nothing."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        occupy()
    codecs.register_error("equipoise.spelled", spelled)
    before = sys.stdout, sys.stderr
    sys.stdout = cast("TextIO", Guarded(usable(sys.stdout)))
    sys.stderr = cast("TextIO", Quiet(usable(sys.stderr)))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        if sys.stderr is not None:  # until here a disk may have got room again
            try:
                sys.stderr.flush()
            except (OSError, ValueError):
                to_nowhere(sys.stderr)
