"""``equipoise serve``: the page and the HTTP API, on this machine."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from equipoise.cli import output
from equipoise.cli.extras import required
from equipoise.cli.limits import seconds
from equipoise.errors import UnusableInput

HELP = "Serve the web page and the HTTP API; nothing is carried out from there."
WHO, MOST = "Who may ask", "Limits"
TOKEN = "EQUIPOISE_TOKEN"


def register(app: typer.Typer) -> None:
    app.command("serve", help=HELP)(serve)


def option(panel: str, metavar: str, about: str, **more: Any) -> Any:
    return typer.Option(metavar=metavar, help=about, rich_help_panel=panel, **more)


def serve(
    host: Annotated[str, option(WHO, "HOST", "Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, option(WHO, "N", "Port to listen on; 0 takes a free one.")] = 8080,
    token: Annotated[
        str | None,
        option(WHO, "TOKEN", "Asked of everyone; needed where others reach HOST.", envvar=TOKEN),
    ] = None,
    time_limit: Annotated[float, option(MOST, "S", "Seconds a job may take.")] = 120.0,
    memory: Annotated[str, option(MOST, "SIZE", "Memory of the process of a job.")] = "4GiB",
    max_body: Annotated[str, option(MOST, "SIZE", "Of what is sent with a request.")] = "64MiB",
    jobs: Annotated[str, option(MOST, "N", "Jobs that run at a time; others wait.")] = "2",
) -> None:
    required("serve", "fastapi", "FastAPI", "server")
    from equipoise.planning.request.values import positive, rate
    from equipoise.server.guard import is_local
    from equipoise.server.limits import Limits
    from equipoise.server.running import run

    seconds("--time-limit", time_limit, least=1)
    if not 0 <= port <= 65535:
        raise UnusableInput(f"{port} is not a port", source="--port", advice="Give 0 to 65535")
    if token is not None and not (token.isascii() and token.isprintable() and token.strip() == token != ""):
        raise UnusableInput("has to be printable ASCII", source="--token")
    if token is None and not is_local(host):
        advice = "Give --token, or listen on loopback alone"
        raise UnusableInput(f"others reach {host} and would need no token", source="--host", advice=advice)
    os.environ.pop(TOKEN, None)  # processes that do the work need not know it
    body = rate("--max-body", max_body)
    limits = Limits(
        body_bytes=body,
        waiting_bytes=4 * body,
        job_s=time_limit,
        memory_bytes=rate("--memory", memory),
        jobs=positive("--jobs", jobs),
    )
    run(host, port, token, limits, said=output.say)
