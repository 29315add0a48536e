"""A simple brokers file that people write by hand: ids, racks, weights, capacities; CSV or JSON.

CSV with a header in any order (``id,rack,weight,disk,network_in,network_out,cpu``), or without one the
two columns ``broker,rack``; columns by comma, semicolon or tab, lines from ``#`` on are remarks.
JSON: ``{"0": "a", "1": "b"}``, ``{"0": {"rack": "a", "disk": "2TB"}}``, a list of objects with an
``id``, or the same under ``"brokers"``. Sizes are bytes or ``2TB``, ``1.5GiB``; rates the same a second.

A file with a header, or of objects, lists the whole cluster: a replica elsewhere is an error. Bare
pairs of broker and rack only tell racks.
"""

from __future__ import annotations

import csv
import re
from typing import Any

from equipoise.formats.faults import Faults, shown
from equipoise.formats.fragment import BrokerFacts, Fragment
from equipoise.formats.json_rows import load_json
from equipoise.formats.shapes import is_id
from equipoise.formats.text import lines
from equipoise.units import parse_size

NAME = "brokers file"

COLUMNS = {
    "id": "id broker brokerid nodeid node",
    "rack": "rack rackid zone az availabilityzone brokerrack",
    "weight": "weight",
    "disk_bytes": "disk diskbytes diskcapacity diskcapacitybytes storage storagebytes capacity",
    "bytes_in_per_s": "in networkin networkinbytes networkinbytespers networkinpers bytesin bytesinpers "
    "nwin networkincapacity networkinbytespersecond inboundnetwork",
    "cpu_percent": "cpu cpupercent cpucapacity",
    "bytes_out_per_s": "out networkout networkoutbytes networkoutbytespers networkoutpers bytesout "
    "bytesoutpers nwout networkoutcapacity networkoutbytespersecond outboundnetwork",
}
"""For each fact the headings that mean it, in lower case without anything but letters."""
FACT_OF = {heading: fact for fact, headings in COLUMNS.items() for heading in headings.split()}
UNTOLD = ("", "null", "none", "-", "nan", "unknown")
"""Cells that tell nothing."""
JSON_START = re.compile(
    r"""\s*(?: \{\s*"\d+"\s*:                                     # {"0": ...
         | \{\s*\}                                              # {}
         | (?: \{\s*"brokers"\s*:\s* )? \[ \s* (?: \] | \{      # [{"rack": "a", "id": 0 ...
             [^{}]* "(?:id|broker|broker_?id|node_?id)"\s*: )
    )""",
    re.X | re.I,
)
PAIR = re.compile(r"\s*(\d+)\s*[,;:=\t ]\s*(\S.*?)?\s*")


def recognises(head: bytes) -> bool:
    text = head.decode(errors="replace")
    if re.match(r"\s*[\[{]", text):
        return JSON_START.match(text) is not None
    first = first_line(text)
    return "id" in header_of(first) or PAIR.fullmatch(first) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """Facts by broker; every cell is checked."""
    if re.match(rb"\s*[\[{]", text):
        brokers, all_of_them = from_json(load_json(text, faults), faults)
    else:
        brokers, all_of_them = from_lines(text, faults)
    complete = all_of_them and not faults.set_aside
    return Fragment(
        faults.source, NAME, brokers=brokers, brokers_role="all" if complete else "",
        quarantined=tuple(faults.set_aside),
    )  # fmt: skip


def parse_racks(inline: str, source: str = "--racks") -> dict[int, str]:
    """Racks by broker of ``0:a,1:b``, of lines ``broker,rack`` or of a JSON object."""
    faults = Faults(source)
    if re.fullmatch(r"\s*\d+\s*[:=][^\n{]*", inline):
        inline = "\n".join(inline.split(","))
    if not inline.strip():
        raise faults.fatal("no racks are given", advice="Write 0:a,1:b")
    try:
        facts = parse(inline.encode(), faults).brokers
    except UnicodeEncodeError:
        raise faults.fatal("not text in UTF-8", advice="Write names of racks in UTF-8") from None
    return {broker: fact.rack for broker, fact in facts.items() if fact.rack is not None}


def first_line(text: str) -> str:
    """The first line that is neither blank nor a remark."""
    every = (line for line in text.split("\n") if line.strip())
    return next((line.rstrip("\r") for line in every if not line.lstrip().startswith("#")), "")


def delimiter_of(line: str) -> str:
    return max(",;\t", key=line.count)


def header_of(line: str) -> list[str]:
    """Facts that the cells of a header name, "" for columns that are passed over."""
    return [FACT_OF.get(plain(cell), "") for cell in cells_of(line, delimiter_of(line))]


def cells_of(line: str, delimiter: str) -> list[str]:
    """The cells of a CSV line, none where it is no such line."""
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []


def plain(heading: str) -> str:
    return re.sub(r"[^a-z]", "", heading.lower())


def from_lines(text: bytes, faults: Faults) -> tuple[dict[int, BrokerFacts], bool]:
    """Brokers of a CSV, and whether it lists all of them."""
    first = first_line(text.decode())
    header, delimiter = header_of(first), delimiter_of(first)
    has_header = "id" in header
    brokers: dict[int, BrokerFacts] = {}
    for number, line in lines(text):
        if line.lstrip().startswith("#") or (has_header and line == first):
            continue
        at: dict[str, Any] = {"line": number, "text": line}
        try:
            values = by_heading(cells_of(line, delimiter), header) if has_header else by_place(line)
        except ValueError as error:
            faults.report(str(error), **at)
        else:
            add(brokers, values, faults, at)
    return brokers, has_header


def by_heading(cells: list[str], header: list[str]) -> dict[str, Any]:
    """The cells by the facts that their headings name."""
    if len(cells) > len(header):
        raise ValueError(f"{len(cells)} cells under {len(header)} headings")
    return {fact: cell for fact, cell in zip(header, cells, strict=False) if fact}


def by_place(line: str) -> dict[str, Any]:
    """The broker and the rack of a line without a header above it."""
    pair = PAIR.fullmatch(line)
    if pair is None:
        raise ValueError(f"{shown(line)} is not broker,rack")
    return {"id": pair[1], "rack": pair[2] or ""}


def from_json(document: Any, faults: Faults) -> tuple[dict[int, BrokerFacts], bool]:
    """Brokers of a JSON document, and whether it lists all of them."""
    brokers: dict[int, BrokerFacts] = {}
    if isinstance(document, dict) and isinstance(document.get("brokers"), list):
        document = document["brokers"]
    if isinstance(document, list):
        entries = [(f"brokers[{k}]", None, entry) for k, entry in enumerate(document)]
    else:
        entries = [(f'"{key}"', key, entry) for key, entry in document.items()]
    for place, key, entry in entries:
        facts = entry if isinstance(entry, dict) else {"rack": entry}
        values = {FACT_OF.get(plain(name), ""): value for name, value in facts.items()}
        values.pop("", None)
        if key is not None:
            values["id"] = key
        add(brokers, values, faults, {"place": place, "text": str(entry)})
    return brokers, not all(isinstance(entry, str | None) for _, _, entry in entries)


def add(brokers: dict[int, BrokerFacts], values: dict[str, Any], faults: Faults, at: dict[str, Any]) -> None:
    """Add one broker, or report what is wrong with it ``at`` its place."""
    broker = str(values.pop("id", "")).strip()
    if not is_id(broker):
        faults.report(f"{shown(broker)} is not a broker id", **at)
    elif int(broker) in brokers:
        faults.report(f"broker {broker} is given twice", advice="Keep one of the two", **at)
    else:
        try:
            facts = {fact: told(fact, value) for fact, value in values.items()}
        except ValueError as error:
            faults.report(f"broker {broker}: {error}", **at)
        else:
            brokers[int(broker)] = BrokerFacts(**facts)


def told(fact: str, value: Any) -> Any:
    """A cell as what it means, None where it tells nothing; raises ``ValueError``."""
    text = "" if value is None else str(value).strip()
    if text.lower() in UNTOLD:
        return None
    if fact == "rack":
        return text
    number = float(text.rstrip("%")) if fact in ("weight", "cpu_percent") else parse_size(text)
    if not 0 < number < float("inf"):
        raise ValueError(f"{fact} {text} is not a positive number")
    return number
