"""Orders to a run in flight, in a small file beside its journal: what another terminal wants of it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from equipoise.errors import UnusableInput

NAME = "steering.json"


@dataclass(frozen=True)
class Steering:
    """What was asked of the runs of a plan directory, until one of them has ended."""

    paused: bool = False
    throttle: int | None = None
    """Bytes a second of every broker, each way; None: as the run was begun."""


def read_steering(folder: Path) -> Steering:
    """The orders; none where there is no file. Raises :class:`UnusableInput` where that holds none."""
    path = Path(folder) / NAME
    try:
        told = json.loads(path.read_bytes())
        paused, throttle = told["paused"], told["throttle"]
    except FileNotFoundError:
        return Steering()
    except OSError as error:
        raise UnusableInput(f"cannot be read ({error.strerror})", source=str(path)) from None
    except (KeyError, TypeError, ValueError, RecursionError):
        raise UnusableInput("holds no orders", source=str(path), advice="Remove it") from None
    rate = throttle is None or (type(throttle) is int and 1 <= throttle < 2**63)
    if type(paused) is not bool or not rate:
        raise UnusableInput("holds no orders", source=str(path), advice="Remove it")
    return Steering(paused, throttle)


def write_steering(folder: Path, steering: Steering) -> None:
    """Put orders in place of those before, at once; raises :class:`UnusableInput` where that cannot be."""
    path = Path(folder) / NAME
    new = path.with_name(f".{NAME}.{os.getpid()}")
    try:
        new.write_text(json.dumps(asdict(steering)) + "\n", encoding="utf-8")
        new.chmod(0o600)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise UnusableInput(f"cannot be written ({error.strerror})", source=str(path)) from None


def forget_steering(folder: Path) -> None:
    """The run that the orders were for has ended."""
    (Path(folder) / NAME).unlink(missing_ok=True)
