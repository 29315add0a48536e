"""Foreign text in, columns out; Kafka's JSON out. One file for each format, pure functions on text."""

from equipoise.formats.fragment import Fragment, SetAside
from equipoise.formats.interface import FormatError, parse, recognise

__all__ = ["FormatError", "Fragment", "SetAside", "parse", "recognise"]
