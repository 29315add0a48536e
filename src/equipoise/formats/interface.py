"""The door to the formats: which one a text is in, and its reading."""

from __future__ import annotations

import re
from types import ModuleType

from equipoise.formats import (
    broker_api_versions,
    brokers_file,
    cluster_endpoints,
    cluster_id,
    configs,
    cruise_control,
    kcat,
    log_dirs,
    reassignment,
    reassignment_list,
    snapshot_facts,
    topics_describe,
)
from equipoise.formats.faults import Faults, FormatError, shown
from equipoise.formats.fragment import Fragment
from equipoise.formats.json_rows import load_json
from equipoise.formats.text import readable

__all__ = ["FORMATS", "FormatError", "parse", "recognise"]

FORMATS: tuple[ModuleType, ...] = (
    snapshot_facts,
    topics_describe,
    cruise_control.state,
    cruise_control.partition_load,
    cruise_control.load,
    cruise_control.capacity,
    log_dirs,
    kcat,
    reassignment,
    reassignment_list,
    broker_api_versions,
    cluster_endpoints,
    configs,
    cluster_id,
    brokers_file,
)
"""Each has ``NAME``, ``recognises(head)`` and ``parse(text, faults)``; the first that recognises reads."""

HEAD_BYTES = 1 << 20
"""So much of a text decides what it is."""


def recognise(text: bytes | str) -> str | None:
    """Name of the format of a text, None where it is of no known format."""
    found = format_of(text.encode() if isinstance(text, str) else text)
    return found.NAME if found else None


def format_of(text: bytes) -> ModuleType | None:
    head = text[:HEAD_BYTES]
    return next((known for known in FORMATS if known.recognises(head)), None)


def parse(text: bytes | str, source: str, *, lenient: bool = False) -> Fragment:
    """Read a text of any known format.

    Strict: the first fault raises :class:`FormatError` with ``source``, place and value. Lenient:
    never raises; what cannot be used, at worst everything, is in ``quarantined`` with its reason.
    """
    faults = Faults(source, lenient=lenient)
    try:
        clean = readable(text.encode() if isinstance(text, str) else text, faults)
        found = format_of(clean)
        if found is None:
            raise unknown(clean, faults)
        fragment: Fragment = found.parse(clean, faults)
        return fragment
    except FormatError as error:
        if not lenient:
            raise
        faults.set_aside_whole(error)
        return Fragment(source, "", quarantined=tuple(faults.set_aside))


def unknown(text: bytes, faults: Faults) -> FormatError:
    """The error for a text of no known format; JSON is told by its keys."""
    advice = "Known are " + ", ".join(known.NAME for known in FORMATS)
    if not re.match(rb"\s*[\[{]", text):
        first = text.strip().split(b"\n", 1)[0].decode()
        return faults.fatal(f"the format is not known: {shown(first)}", place="line 1", advice=advice)
    document = load_json(text, faults)
    if not isinstance(document, dict):
        return faults.fatal("a JSON list of no known kind", advice=advice)
    keys = ", ".join(f'"{key}"' for key in document) or "no keys"
    if "topics" in document:
        advice = "A list of topics says nothing of replicas; give the state of the cluster"
    return faults.fatal(f"JSON of no known kind, with {keys}", advice=advice)
