"""The service under uvicorn: a socket of its own, an end in good order."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from equipoise.errors import UnusableInput
from equipoise.server.app import make_app
from equipoise.server.connections import PunctualProtocol
from equipoise.server.guard import is_local
from equipoise.server.limits import Limits

CONNECTIONS = 200
"""At a time; more are told to come back."""


class Server(uvicorn.Server):
    """Says where it is once it can be asked."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.ready()


def run(host: str, port: int, token: str | None, limits: Limits, *, said: Callable[[str], None]) -> None:
    """Serve until Ctrl-C; ``said`` hears where.

    Raises `UnusableInput` where the address cannot be had.
    """
    ours = bound(host, port)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{ours.getsockname()[1]}/"

    def ready() -> None:
        said(f"Equipoise listens on {address}" + ("" if is_local(host) else ", for who knows the token"))
        said("Ctrl-C ends it")

    config = uvicorn.Config(
        make_app(limits, host=host, token=token), log_level="warning", access_log=False,
        server_header=False, limit_concurrency=CONNECTIONS, timeout_keep_alive=15,
        timeout_graceful_shutdown=3, proxy_headers=False, http=PunctualProtocol,
    )  # fmt: skip
    with ours:
        Server(config, ready).run(sockets=[ours])


def bound(host: str, port: int) -> socket.socket:
    """A socket at this address; raises `UnusableInput` where there is none to be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError as error:
        advice = "Give another with --port or --host"
        problem = f"cannot be listened on ({error.strerror})"
        raise UnusableInput(problem, source=f"{host}:{port}", advice=advice) from None
    return made
