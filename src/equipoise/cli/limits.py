"""The options of a run that `apply` and `rollback` share: declared once, as the fields of a class."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.voice import LOG
from equipoise.errors import UnusableInput

if TYPE_CHECKING:
    from equipoise.cli.carrying import Opened
    from equipoise.cli.faces import Face
    from equipoise.cli.helm import Helm
    from equipoise.cli.outlets import Outlets
    from equipoise.execution.governing import Bounds
    from equipoise.execution.hours import Hours
    from equipoise.execution.moves import Options
    from equipoise.scheduling import Schedule

YEAR_S = 365 * 24 * 3600
WAYS_OUT = ("wait", "skip", "retarget")
LOGS = ("text", "json")
ALWAYS = "always"
"""For hours of the day: a run that is taken up forgets those that it had."""
TOLD = "Told elsewhere"


def seconds(option: str, value: float, *, least: float) -> None:
    """Raise `UnusableInput` for a time that is too short, longer than a year, or no number."""
    if not least <= value <= YEAR_S:
        advice = f"Give {least:g} to {YEAR_S:,} seconds"
        raise UnusableInput(f"{value:g} is no such time", source=option, advice=advice)


@dataclass(frozen=True)
class Limits:
    """How a run is to go, in the operator's words."""

    throttle: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Bytes a second of every broker, each way (20MB), or auto:5MB-50MB, where it follows the "
            "cluster's health; by default the plan's.",
        ),
    ] = None
    max_inflight: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Partitions in flight at most, or auto:10-100, where that follows the cluster's health; by "
            "default the plan's.",
        ),
    ] = None
    per_broker: Annotated[
        str | None, typer.Option(metavar="N", help="Partitions that one broker sends or receives at a time.")
    ] = None
    if_stuck: Annotated[
        str,
        typer.Option(
            metavar="|".join(WAYS_OUT), help="A move whose target died: wait, skip it, or another broker."
        ),
    ] = "wait"
    stuck_after: Annotated[
        float, typer.Option(metavar="SECONDS", help="Without progress for so long: stuck.")
    ] = 120.0
    despite_under_replicated: Annotated[
        bool,
        typer.Option(
            "--despite-under-replicated", help="Go on although partitions are under-replicated or offline."
        ),
    ] = False

    keep_rates: Annotated[
        bool,
        typer.Option(
            "--keep-rates", help="Replication rates that stand on brokers are put back at the end."
        ),
    ] = False
    adopt: Annotated[
        bool,
        typer.Option(
            "--adopt",
            help="Take for its own what stands of this plan and its journal does not know: moves, throttles.",
        ),
    ] = False

    between: Annotated[
        str | None,
        typer.Option(
            metavar="HH:MM-HH:MM", help="Moves begin in these hours alone, by the local clock; or always."
        ),
    ] = None
    at_most: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="TIME", help="After so long (2h) what is in flight is finished, no move begins."
        ),
    ] = None

    health: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            help="What exporters of JMX show: queues and latency of requests hold `auto` down, too.",
        ),
    ] = None

    on_event: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="Run for each event, with its JSON on standard input.",
            rich_help_panel=TOLD,
        ),
    ] = None
    metrics_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="How far it is, for Prometheus, written anew at each look.",
            rich_help_panel=TOLD,
        ),
    ] = None
    log: Annotated[
        str,
        typer.Option(
            metavar="|".join(LOGS), help="Standard output in words, or in JSON: an object a line.",
            rich_help_panel=TOLD,
        ),
    ] = "text"  # fmt: skip

    def hours(self, kept: Hours | None = None) -> Hours:
        """When moves may begin, by what was given, else as in ``kept``; raises `UnusableInput` for times that
        are none."""
        from equipoise.cli.helm import local_now
        from equipoise.execution.hours import Hours, Window
        from equipoise.units import parse_duration

        found = kept or Hours()
        try:
            if self.at_most is not None:
                until = local_now() + timedelta(seconds=parse_duration(self.at_most))
                found = replace(found, until=until)
        except ValueError as error:
            raise UnusableInput(str(error), source="--for") from None
        try:
            if self.between is not None:
                window = None if self.between == ALWAYS else Window.of(self.between)
                found = replace(found, window=window)
        except ValueError:
            why, advice = f"'{self.between}' is no such time", f"Give 22:00-06:00, or {ALWAYS}"
            raise UnusableInput(why, source="--between", advice=advice) from None
        return found

    def helm(self, folder: Path, options: Options) -> Helm:
        """What steers a run of a plan directory with these options."""
        from equipoise.cli.gauge import Gauge
        from equipoise.cli.helm import Helm

        if options.health is None:
            return Helm(folder, options.hours)
        return Helm(folder, options.hours, gauge=Gauge(options.health))

    def refuse_outlets(self) -> None:
        """Raise `UnusableInput` for a command that is none, and for a file that cannot be."""
        from equipoise.cli.metrics import checked
        from equipoise.cli.on_event import split

        if self.on_event is not None:
            split(self.on_event)
        if self.metrics_file is not None:
            checked(self.metrics_file)

    def refuse_health(self) -> None:
        """Raise `UnusableInput` for a source that is none."""
        from equipoise.cli.gauge import checked

        if self.health is not None:
            checked(self.health)

    def followed(self, kept: str | None) -> str | None:
        """Where figures of brokers are read, a file by its whole path; ``kept``: where nothing was given.
        Raises `UnusableInput` for what is no source."""
        from equipoise.cli.gauge import checked

        source = kept if self.health is None else self.health
        if source is None:
            return None
        return checked(source) if "://" in source else str(Path(checked(source)).absolute())

    def refuse_unfollowed(self, *bounds: Bounds | None) -> None:
        """Raise `UnusableInput` where the figures of brokers could hold nothing down."""
        if self.health is not None and not any(bounds):
            advice = "Give --throttle auto:5MB-50MB, or --max-inflight auto:10-100"
            raise UnusableInput("nothing follows it", source="--health", advice=advice)

    def outlets(self, of: Opened, options: Options, face: Face) -> Outlets:
        """Where a run is told of beside the terminal."""
        from equipoise.cli.metrics import MetricsFile
        from equipoise.cli.on_event import Hook
        from equipoise.cli.outlets import Outlets
        from equipoise.execution.moves import partitions_of

        hook = None if self.on_event is None else Hook(self.on_event)
        at = options.metrics_file
        file = None if at is None else MetricsFile(Path(at), str(of.folder))
        return Outlets(str(of.folder), partitions_of(of.schedule), face, hook, file)

    def bounds(self) -> Bounds | None:
        """Those of a throttle that goes up and down by itself; raises `UnusableInput` for what is none."""
        from equipoise.planning.request.values import rate

        return ends("--throttle", self.throttle, rate, "auto:5MB-50MB")

    def inflight_bounds(self) -> Bounds | None:
        """The same of the number of partitions in flight."""
        from equipoise.planning.request.values import positive

        return ends("--max-inflight", self.max_inflight, positive, "auto:10-100")

    def of_schedule(self) -> dict[str, Any]:
        """What the schedule has to know of it; nothing that was not given."""
        from equipoise.planning.request.values import positive, rate

        given: dict[str, Any] = {}
        if bounds := self.bounds():
            given["throttle"] = float(bounds.low)
        elif self.throttle is not None:
            given["throttle"] = float(rate("--throttle", self.throttle))
        if some := self.inflight_bounds():
            given["max_inflight"] = some.low
        elif self.max_inflight is not None:
            given["max_inflight"] = positive("--max-inflight", self.max_inflight)
        return given

    def refuse_unusable(self) -> None:
        """Raise `UnusableInput` for what no run can have."""
        from equipoise.planning.request.values import positive

        seconds("--stuck-after", self.stuck_after, least=0)
        self.hours()
        self.refuse_outlets()
        self.refuse_health()
        self.of_schedule()
        if self.per_broker is not None:
            positive("--per-broker", self.per_broker)
        if self.if_stuck not in WAYS_OUT:
            raise UnusableInput(
                f"'{self.if_stuck}' is no way out",
                source="--if-stuck",
                advice=f"Choose {', '.join(WAYS_OUT[:-1])} or {WAYS_OUT[-1]}",
            )

    def of_run(
        self,
        waves: Schedule,
        bounds: Bounds | None = None,
        hours: Hours | None = None,
        inflight_bounds: Bounds | None = None,
        health: str | None = None,
        metrics_file: str | None = None,
    ) -> Options:
        """The same for the run of a schedule that was made with them: its throttle between ``bounds``, its
        moves within ``hours``, so many of them in flight, figures of brokers from ``health`` and a picture in
        ``metrics_file`` where no other was given."""
        from equipoise.execution.hours import Hours
        from equipoise.execution.moves import Options

        self.refuse_unusable()
        self.refuse_unfollowed(bounds, inflight_bounds)
        return Options(
            throttle=None if waves.throttle_bytes_per_s is None else int(waves.throttle_bytes_per_s),
            bounds=bounds,
            hours=hours or Hours(),
            max_inflight=waves.max_inflight,
            inflight_bounds=inflight_bounds,
            health=self.followed(health) if bounds or inflight_bounds else None,
            metrics_file=metrics_file if self.metrics_file is None else str(self.metrics_file.absolute()),
            tells_events=self.on_event is not None,
            per_broker=None if self.per_broker is None else int(self.per_broker),
            if_stuck=self.if_stuck,
            stuck_after_s=self.stuck_after,
            despite_sick=self.despite_under_replicated,
            keep_rates=self.keep_rates,
            adopt=self.adopt,
        )


def ends(option: str, text: str | None, parsed: Callable[[str, str], float], example: str) -> Bounds | None:
    """The two bounds of an option that is given as ``auto:LOW-HIGH``, None where it is not; raises
    `UnusableInput` for what is none."""
    from equipoise.execution.governing import Bounds

    if text is None or not text.startswith("auto"):
        return None
    low, dash, high = text.removeprefix("auto:").partition("-")
    if dash and (found := (int(parsed(option, low)), int(parsed(option, high))))[0] <= found[1]:
        return Bounds(*found)
    why = f"'{text}' has no two bounds, the lower one first"
    raise UnusableInput(why, source=option, advice=f"Give {example}")


def with_limits(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb an option for each field of :class:`Limits`; it receives them as ``limits``."""

    @wraps(verb)
    def run(**given: Any) -> None:
        limits = Limits(**{field.name: given.pop(field.name) for field in fields(Limits)})
        if limits.log not in LOGS:
            advice = f"Choose {' or '.join(LOGS)}"
            raise UnusableInput(f"'{limits.log}' is no such log", source="--log", advice=advice)
        before = LOG.set(limits.log)
        try:
            verb(limits=limits, **given)
        finally:
            LOG.reset(before)

    own = [p for p in inspect.signature(verb, eval_str=True).parameters.values() if p.name != "limits"]
    shared = inspect.signature(Limits, eval_str=True).parameters.values()
    both = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*own, *shared)]
    run.__signature__ = inspect.Signature(both)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in both}
    return run
