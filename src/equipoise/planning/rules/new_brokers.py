"""The way out that nearly every conflict has: more brokers, where they help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, islice

from equipoise.planning.problem.request import Request
from equipoise.planning.rules.ways import Step, Trial, Way, factor

MOST_NEW = 1000
"""More new brokers than these are no way out that anybody takes."""


def new_brokers(trial: Trial) -> Iterator[Way]:
    """As few new brokers as it takes, in one rack or each in a rack of its own."""
    racks = sorted({rack for rack in trial.cluster.brokers.racks if rack is not None})
    wanted = factor(trial)
    least = max(1, wanted - trial.laid(trial.request).cluster.n_brokers)
    for number in range(least, min(wanted, MOST_NEW) + 1):
        good = [rack for rack in (*racks, None) if trial.allows(grown(trial, number, rack))]
        where = "" if len(good) > len(racks) else words_for(good, number)
        if good:
            some = "a broker" if number == 1 else f"{number} brokers"
            yield Way(Step.ADD, f"add {some}{where} (--add)")
            return


def grown(trial: Trial, number: int, rack: str | None) -> Request:
    """The request with new brokers, in a rack or (None) each in a new one."""
    taken = {*trial.cluster.brokers.ids.tolist(), *(b for b, _ in trial.request.add)}
    taken |= {b for b, _ in (*(trial.request.brokers or ()), *trial.request.racks)}
    taken |= {new for _, new in trial.request.replace}
    ids = list(islice((i for i in count() if i not in taken), number))
    has_racks = trial.cluster.brokers.has_racks
    new = [(b, rack or (f"rack of {b}" if has_racks else None)) for b in ids]
    return replace(trial.request, add=(*trial.request.add, *new))


def words_for(racks: Sequence[str | None], number: int) -> str:
    """Where new brokers may be; None stands for racks of their own."""
    named = " or ".join(rack for rack in racks if rack is not None)
    own = f"in {'a rack of its own' if number == 1 else 'racks of their own'}" if None in racks else ""
    return " " + " or ".join(part for part in (named and f"in rack {named}", own) if part)
