"""Drives a machine: journal first, then the cluster, then the operator's eyes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from equipoise.errors import EquipoiseError
from equipoise.execution import instructions as ask
from equipoise.execution.carrier import Carrier
from equipoise.execution.instructions import End, Instruction
from equipoise.execution.machine import Machine
from equipoise.execution.orders import Orders
from equipoise.execution.port import AuthenticationFailed, NotAuthorised, PortError
from equipoise.execution.run import JournalLost

READS = (
    ask.Survey,
    ask.Observe,
    ask.FindHeld,
    ask.FindLists,
    ask.CheckHealth,
    ask.ReadConfigs,
    ask.LookIntoDirs,
)
FAULTS = (OSError, ValueError, EquipoiseError)
"""What standard output and input do when they are closed, full or gone."""
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


class Calm:
    """A face whose faults are nobody's: what a closed terminal or a full disk does not take is dropped."""

    def __init__(self, face: Face) -> None:
        self.face = face
        self.confirm = face.confirm  # before anything is begun a fault may end it all

    def say(self, text: str) -> None:
        with suppress(*FAULTS):
            self.face.say(text)

    def show(self, machine: Machine, now: float) -> None:
        with suppress(*FAULTS):
            self.face.show(machine, now)

    def wish(self, machine: Machine) -> str | None:
        try:
            return self.face.wish(machine)
        except FAULTS:  # somebody wanted to stop, and cannot be asked how
            return "finish"


Helm = Callable[[], Orders]
"""Asked before each look for what the run is to do from then on."""
Witness = Callable[[Instruction, Machine, float], None]
"""Told of each instruction that was carried out, and when."""


def nobody(instruction: Instruction, machine: Machine, now: float) -> None:
    """A witness that tells no one."""


def drive(
    machine: Machine,
    carrier: Carrier,
    log: Log,
    face: Face,
    helm: Helm = Orders,
    witness: Witness = nobody,
) -> End:
    """Carry a machine's instructions out until it ends.

    A fault of whatever kind is raised again once the throttles are off what does not need them.
    """
    calm = Calm(face)
    try:
        return carry_through(machine, machine.next(), carrier, log, calm, helm, witness)
    except PortError:
        raise  # nothing was begun
    except Exception:
        if machine.run.phase != "checking":
            with suppress(Exception):  # the first one is the one to tell
                carry_through(machine, machine.depart(), carrier, log, calm, witness=witness)
        raise


def carry_through(
    machine: Machine,
    first: Instruction,
    carrier: Carrier,
    log: Log,
    face: Face,
    helm: Helm = Orders,
    witness: Witness = nobody,
) -> End:
    """Carry instructions out from the first to the end."""
    instruction = first
    while not isinstance(instruction, End):
        if (stop := face.wish(machine)) is not None:
            machine.request(stop)
        if isinstance(instruction, ask.Observe):
            machine.steer(helm())
        try:
            answer = carry_out(instruction, machine, carrier, log, face)
        except PortError as error:
            instruction = machine.failed(error)
        else:
            with suppress(*FAULTS):
                witness(instruction, machine, carrier.clock())
            instruction = machine.next(answer)
    face.show(machine, carrier.clock())
    with suppress(*FAULTS):
        witness(instruction, machine, carrier.clock())
    return instruction


def carry_out(instruction: Instruction, machine: Machine, carrier: Carrier, log: Log, face: Face) -> Any:
    """The answer to one instruction."""
    match instruction:
        case ask.Record(entry):
            try:
                log.append(entry)
            except OSError as error:
                raise JournalLost(f"the journal cannot be written ({error.strerror or error})") from None
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
