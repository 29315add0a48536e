"""Values of options as people write them: lists, numbers, sizes, patterns; names of options have dashes."""

from __future__ import annotations

import re
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.patterns import compiled
from equipoise.planning.problem.params import Effort
from equipoise.units import parse_size
from equipoise.wording import quoted

MOST = 2**31 - 1
"""The largest id or count, as in Kafka's protocol."""


def items(option: str, value: Any) -> list[str]:
    """The parts of a comma list; a list from a file is taken as it is."""
    parts = value if isinstance(value, list | tuple) else str(value).split(",")
    found = [str(part).strip() for part in parts if str(part).strip()]
    if not found:
        raise UnusableInput(
            "nothing is given", source=option, advice="Give at least one value, or leave it out"
        )
    return found


def text(option: str, value: Any) -> str:
    return str(value)


def regex(option: str, value: Any) -> str:
    compiled(str(value), option)
    return str(value)


def flag(option: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UnusableInput(f"{quoted(value)} is not true or false", source=option)
    return value


def count(option: str, value: Any) -> int:
    written = "" if isinstance(value, bool) else str(value).strip()
    if not re.fullmatch(r"[0-9]+", written):
        raise UnusableInput(f"{quoted(value)} is not a whole number", source=option, advice="Give 0 or more")
    digits = written.lstrip("0") or "0"
    if len(digits) > len(str(MOST)) or int(digits) > MOST:
        raise UnusableInput(f"{quoted(value)} is too large", source=option, advice=f"Give at most {MOST:,}")
    return int(digits)


def positive(option: str, value: Any) -> int:
    number = count(option, value)
    if number < 1:
        raise UnusableInput(f"{quoted(value)} is too small", source=option, advice="Give 1 or more")
    return number


def size(option: str, value: Any) -> int:
    """Bytes, or bytes a second, as `parse_size` reads them."""
    try:
        number = round(parse_size(str(value)))
    except ValueError:
        number = -1
    if not 0 <= number < 2**63:
        raise UnusableInput(
            f"{quoted(value)} is not a size", source=option, advice="Write 1048576, 20MB or 1.5GiB"
        )
    return number


def rate(option: str, value: Any) -> int:
    number = size(option, value)
    if number < 1:
        raise UnusableInput(
            f"{quoted(value)} is too small", source=option, advice="Give at least one byte a second"
        )
    return number


def price(option: str, value: Any) -> float:
    """What a gigabyte costs, in any currency."""
    match = re.fullmatch(r"[0-9]{1,6}(?:\.[0-9]{1,6})?", str(value).strip())
    if match is None or isinstance(value, bool):
        raise UnusableInput(
            f"{quoted(value)} is not a price", source=option, advice="Write what a GB costs: 0.02"
        )
    return float(match[0])


def consumption(option: str, value: Any) -> float:
    """How many times what comes in is read."""
    match = re.fullmatch(r"[0-9]{1,4}(?:\.[0-9]{1,3})?", str(value).strip())
    if match is None or isinstance(value, bool):
        raise UnusableInput(
            f"{quoted(value)} is no multiple of what comes in", source=option,
            advice="Write how many times a record is read: 2, or 0.5",
        )  # fmt: skip
    return float(match[0])


def rack_rule(option: str, value: Any) -> str:
    if value not in ("spread", "strict"):
        raise UnusableInput(
            f"there is no rack rule {quoted(value)}", source=option, advice="Choose spread or strict"
        )
    return str(value)


def effort(option: str, value: Any) -> str:
    if value not in tuple(Effort):
        raise UnusableInput(
            f"there is no effort {quoted(value)}", source=option, advice=f"Choose {', '.join(Effort)}"
        )
    return str(value)
