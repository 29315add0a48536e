"""Drives a machine: journal first, then the cluster, then the operator's eyes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from equipoise.execution import instructions as ask
from equipoise.execution.carrier import Carrier
from equipoise.execution.instructions import End, Instruction
from equipoise.execution.machine import Machine
from equipoise.execution.port import AuthenticationFailed, NotAuthorised, PortError

READS = (ask.Survey, ask.Observe, ask.CheckHealth, ask.ReadConfigs, ask.LookIntoDirs)
PATIENCE_S = 60.0
"""How long reads are tried again before the cluster counts as lost."""


class Log(Protocol):
    """Where entries are written before they are acted upon."""

    def append(self, entry: Mapping[str, Any]) -> None: ...


class Face(Protocol):
    """What the operator sees, and says."""

    def confirm(self, question: ask.Confirm) -> bool:
        """Whether the operator wants the run to begin."""

    def say(self, text: str) -> None: ...

    def show(self, machine: Machine, now: float) -> None:
        """Show how far the run is."""

    def wish(self, machine: Machine) -> str | None:
        """How the operator wants the run to stop, None where he does not."""


def drive(machine: Machine, carrier: Carrier, log: Log, face: Face) -> End:
    """Carry a machine's instructions out until it ends."""
    instruction = machine.next()
    while not isinstance(instruction, End):
        if (stop := face.wish(machine)) is not None:
            machine.request(stop)
        try:
            answer = carry_out(instruction, machine, carrier, log, face)
        except PortError as error:
            instruction = machine.failed(error)
        else:
            instruction = machine.next(answer)
    face.show(machine, carrier.clock())
    return instruction


def carry_out(instruction: Instruction, machine: Machine, carrier: Carrier, log: Log, face: Face) -> Any:
    """The answer to one instruction."""
    match instruction:
        case ask.Record(entry):
            log.append(entry)
            return None
        case ask.Confirm():
            return face.confirm(instruction)
        case ask.Say(text):
            face.say(text)
            return None
        case ask.Wait(seconds):
            wait(seconds, machine, carrier, face)
            return None
        case _:
            reads = isinstance(instruction, READS)
            answer = patiently(instruction, carrier) if reads else carrier.perform(instruction)
            face.show(machine, carrier.clock())
            return answer


def patiently(instruction: Instruction, carrier: Carrier) -> Any:
    """The answer to a read, tried again while the cluster does not answer."""
    deadline = carrier.clock() + PATIENCE_S
    while True:
        try:
            return carrier.perform(instruction)
        except (AuthenticationFailed, NotAuthorised):
            raise
        except PortError:
            if carrier.clock() >= deadline:
                raise
            carrier.sleep(1.0)


def wait(seconds: float, machine: Machine, carrier: Carrier, face: Face) -> None:
    """Let time pass, unless the operator wants to stop."""
    left = seconds
    while left > 0:
        carrier.sleep(min(carrier.slice_s, left))
        left -= carrier.slice_s
        if (stop := face.wish(machine)) is not None:
            machine.request(stop)
            return
