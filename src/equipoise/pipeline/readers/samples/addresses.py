"""Who a broker is that samples name by an address, or by the name of a pod."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from equipoise.errors import UnusableInput

FILE = "addresses.csv"
"""In the folder ``metrics``: a header ``address,broker``, and a line for each address."""
POD = re.compile(r"(?!ip-[0-9]+-)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?-([0-9]{1,9})")
"""The name of a pod of a stateful set or of a node pool, which ends with the id of its broker."""
IN_KUBERNETES = ".svc"


def resolved(
    address: str, mapped: Mapping[str, int], told: Mapping[str, set[int]]
) -> int | None:
    """The broker at an address, None where nobody knows.

    ``mapped`` comes first, by the whole address or by its host; then what metrics tell of the brokers' own
    addresses (``told``, by address and by host), where one broker alone has that host: exporters listen on
    other ports than brokers; then the number of a pod.
    """
    host = host_of(address)
    for name in (address, host):
        if name in mapped:
            return mapped[name]
        if len(told.get(name, ())) == 1:
            return next(iter(told[name]))
    label, _, rest = host.partition(".")
    found = POD.fullmatch(label)
    return int(found[1]) if found and (IN_KUBERNETES in f".{rest}" or host == address == label) else None


def host_of(address: str) -> str:
    """``b1`` of ``b1:9092``."""
    return re.sub(r":[0-9]+$", "", address)


def by_address(infos: Iterable[tuple[str, str]]) -> dict[str, set[int]]:
    """(broker, address) to the brokers of each address and of each host."""
    found: dict[str, set[int]] = defaultdict(set)
    for broker, address in infos:
        if broker.isdecimal():
            found[address].add(int(broker))
            found[host_of(address)].add(int(broker))
    return found


def mapping_of(content: bytes) -> dict[str, int]:
    """Brokers by address, of what is in a file; raises :class:`UnusableInput` where it is no such list."""
    try:
        lines = list(csv.reader(content.decode("utf-8-sig").splitlines()))
    except (UnicodeDecodeError, csv.Error) as error:
        raise UnusableInput(f"cannot be read ({error})") from None
    if not lines or [name.strip().lower() for name in lines[0]] != ["address", "broker"]:
        raise UnusableInput("does not begin with the header address,broker")
    found: dict[str, int] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line:
            continue
        if len(line) != 2 or not re.fullmatch(r"[0-9]{1,9}", line[1].strip()):
            raise UnusableInput(f"line {number} is not an address and a broker id")
        found[line[0].strip()] = int(line[1])
    return found
