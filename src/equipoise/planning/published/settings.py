"""What the published texts leave to their operator, and how it is written: ``seed=3,shift=2``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.wording import quoted

OPTION = "--strategy-settings"

STRIPED, ROUND_ROBIN = "striped", "round-robin"
REPLICAS, LEADERS, FOLLOWERS = STEPS = ("replicas", "leaders", "followers")

Pairs = Sequence[tuple[str, str]]
"""Names and values as they were written."""


@dataclass(frozen=True)
class Settings:
    """Each default is the text's own."""

    seed: int = 0
    """For the tools that draw lots (``generate``, new leaders in ``mixed-integer``)."""
    placer: str | None = None
    """``generate``: "striped" (Kafka since 4.1) or "round-robin" (up to 4.0); None: the newer one, unless a
    number of the older one is given."""
    disable_rack_aware: bool = False
    """``generate``: as if no broker had a rack."""
    start_index: int | None = None
    """``generate`` by round robin: position of the first leader in the broker list; None draws it."""
    shift: int | None = None
    """``generate`` by round robin: the first follower's shift; None draws it."""
    placement: str | None = None
    """``bin-packing``, ``mixed-integer``: "count" or "storage"; None follows the request's balance."""
    balance_factors: tuple[float, float] = (0.9, 1.0)
    """``mixed-integer``: sides of the band, as factors of the mean."""
    batch_weight: float = 0.0
    """``mixed-integer``: the weight that moves in one batch at most; 0: all in one batch."""
    check_first: bool = True
    """``appier``: look for a perfect start before each flow, and leave it alone."""
    steps: tuple[str, ...] = STEPS
    """``appier``: which of its three flows run, in their order."""
    residue: bool = True
    """``pinterest``: the network has residue nodes."""
    costs: bool = True
    """``pinterest``: of the largest flows a cheapest is taken."""
    prune: bool = True
    """``pinterest``: components of the flow that bring nobody nearer are left out."""
    unbalanced_ratio: float = 2.0
    """``wix``: a broker is unbalanced below the median divided by this."""
    time_limit_s: float = 60.0
    """Integer programs give up after so long."""
    max_variables: int = 2_000_000
    """Integer programs and matchings larger than this are refused rather than begun."""


def whole_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise ValueError(text)
    return int(text)


def positive(text: str) -> float:
    if not (isfinite(number := float(text)) and number > 0):
        raise ValueError(text)
    return number


def factors(text: str) -> tuple[float, float]:
    low, high = (positive(part) for part in text.split(":"))
    if low > high:
        raise ValueError(text)
    return low, high


def one_of(**meanings: Any) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text not in meanings:
            raise ValueError(text)
        return meanings[text]

    return read


def steps(text: str) -> tuple[str, ...]:
    named = text.split("+")
    if not named or not set(named) <= set(STEPS) or len(set(named)) < len(named):
        raise ValueError(text)
    return tuple(step for step in STEPS if step in named)


@dataclass(frozen=True)
class Known:
    """A setting that can be written."""

    strategies: tuple[str, ...]
    form: str
    read: Callable[[str], Any]
    """Raises ``ValueError`` for what is not of that form."""


KNOWN = {
    "seed": Known(("generate", "mixed-integer"), "a whole number", whole_number),
    "start-index": Known(("generate",), "a whole number", whole_number),
    "shift": Known(("generate",), "a whole number", whole_number),
    "placer": Known(
        ("generate",),
        f"{STRIPED} or {ROUND_ROBIN}",
        one_of(**{STRIPED: STRIPED, ROUND_ROBIN: ROUND_ROBIN}),
    ),
    "disable-rack-aware": Known(("generate",), "yes or no", one_of(yes=True, no=False)),
    "placement": Known(
        ("bin-packing", "mixed-integer"), "count or storage", one_of(count="count", storage="storage")
    ),
    "balance-factors": Known(("mixed-integer",), "LOW:HIGH around 1, as 0.9:1.0", factors),
    "batch-weight": Known(("mixed-integer",), "a number above 0", positive),
    "check-first": Known(("appier",), "yes or no", one_of(yes=True, no=False)),
    "steps": Known(("appier",), f"some of {', '.join(STEPS)}, as {LEADERS}+{FOLLOWERS}", steps),
    **dict.fromkeys(
        ("residue", "costs", "prune"), Known(("pinterest",), "yes or no", one_of(yes=True, no=False))
    ),
    "unbalanced-ratio": Known(("wix",), "a number above 0", positive),
}


def read_pairs(parts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """``KEY=VALUE`` parts as pairs; raises `UnusableInput` naming the key, the value and what is allowed."""
    pairs: dict[str, str] = {}
    for part in parts:
        name, _, value = (text.strip() for text in part.partition("="))
        if name not in KNOWN:
            advice = f"Settings are {', '.join(KNOWN)}"
            raise UnusableInput(f"there is no setting {quoted(name)}", source=OPTION, advice=advice)
        if name in pairs:
            raise UnusableInput(f"'{name}' is given twice", source=OPTION, advice="Give it once")
        read_value(name, value)
        pairs[name] = value
    return tuple(pairs.items())


def settings_for(strategy: str, pairs: Pairs, start: Settings | None = None) -> Settings:
    """``start`` with what is written; raises `UnusableInput` for a setting that the strategy has not."""
    for name, _ in pairs:
        if strategy not in KNOWN[name].strategies:
            own = [key for key, known in KNOWN.items() if strategy in known.strategies]
            others = " and ".join(KNOWN[name].strategies)
            raise UnusableInput(
                f"the strategy '{strategy}' has no setting '{name}'",
                source=OPTION,
                advice=f"Its settings are {', '.join(own)}" if own else f"It is one of {others}",
            )
    return settings_of(pairs, start)


def settings_of(pairs: Pairs, start: Settings | None = None) -> Settings:
    """``start`` with what is written, whatever strategy it is for."""
    read = {name.replace("-", "_"): read_value(name, value) for name, value in pairs}
    return replace(start or Settings(), **read)


def read_value(name: str, text: str) -> Any:
    """A value as its algorithm takes it; raises `UnusableInput` for what has not the form."""
    known = KNOWN[name]
    try:
        return known.read(text)
    except ValueError:
        raise UnusableInput(
            f"{quoted(f'{name}={text}')} makes no sense", source=OPTION, advice=f"Give {known.form}"
        ) from None
