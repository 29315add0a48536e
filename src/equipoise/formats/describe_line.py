"""One line of ``kafka-topics --describe`` by its keys, whatever keys it has."""

from __future__ import annotations

import re

from equipoise.formats.faults import shown
from equipoise.formats.shapes import is_id

KEY = re.compile(r"(?:^|(?<=\s))(Adding Replicas|Removing Replicas|[A-Z][A-Za-z]*):")
"""A key anywhere in a line; values hold no blank before a colon."""
ID_KEYS = ("Replicas", "Adding Replicas", "Removing Replicas", "Isr")
ID_LIST = re.compile(r"[0-9]{1,12}(,\s?[0-9]{1,12})*")


def fields_of(line: str) -> dict[str, str]:
    """Values by key; ``Configs`` reaches to the end of the line, since its values may hold anything."""
    head, marker, configs = line.partition("Configs:")
    keys = list(KEY.finditer(head))
    ends = [key.start() for key in keys[1:]] + [len(head)]
    fields = {key[1]: head[key.end() : end].strip() for key, end in zip(keys, ends, strict=False)}
    if marker:
        fields["Configs"] = re.sub(r"\s+MarkedForDeletion: ?\w+\s*$", "", configs).strip()
    return fields


def fault_of(fields: dict[str, str]) -> str | None:
    """What is wrong with the fields of a partition line."""
    lacking = next((key for key in ("Leader", "Replicas", "Isr") if key not in fields), None)
    if lacking:
        return f"no {lacking} for {fields['Topic']}-{fields['Partition']}"
    if not is_id(fields["Partition"]):
        return f"Partition {shown(fields['Partition'])} is not a number from 0 on"
    if fields["Leader"] not in ("none", "-1") and not is_id(fields["Leader"]):
        return f"Leader {shown(fields['Leader'])} is not a broker id"
    broken = next((key for key in ID_KEYS if id_list(fields.get(key, "")) is None), None)
    return f"{broken} {shown(fields[broken])} is not a list of broker ids" if broken else None


def id_list(text: str) -> list[int] | None:
    """Ids in a comma separated list; None where it is no such list."""
    if not text:
        return []
    if not ID_LIST.fullmatch(text):
        return None
    ids = text.split(",")
    return [int(broker) for broker in ids] if all(map(is_id, ids)) else None
