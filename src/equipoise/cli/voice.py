"""How much a command says; `plain_help` gives each verb the options for it."""

from __future__ import annotations

from contextvars import ContextVar
from enum import IntEnum


class Voice(IntEnum):
    """More or less than usual."""

    QUIET = -1
    USUAL = 0
    VERBOSE = 1


VOICE: ContextVar[Voice] = ContextVar("voice", default=Voice.USUAL)
LOG: ContextVar[str] = ContextVar("log", default="text")
"""What a run says on standard output: "text", or "json", one object a line."""


def is_quiet() -> bool:
    return VOICE.get() is Voice.QUIET


def is_json() -> bool:
    return LOG.get() == "json"


def is_verbose() -> bool:
    return VOICE.get() is Voice.VERBOSE
