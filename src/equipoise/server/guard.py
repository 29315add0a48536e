"""Who may ask, and what every answer says to a browser: hosts, origins, the token, security headers."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from equipoise.server.failures import Failure

LOCAL = ("localhost", "127.0.0.1", "::1")
OPEN = ("/", "/health")
"""What can be had without the token: the page, which holds nothing, and that the service is up."""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
"""Of every answer, unless it says otherwise itself."""

Counted = Callable[[str, int], None]
"""Hears method and status of each answer."""


def is_local(host: str) -> bool:
    """True for names and addresses that only this machine reaches."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass
class Guard:
    """In front of everything: refuses who may not ask, and adds the headers.

    A service on loopback answers to names of loopback alone, else a page of a stranger could reach it under
    a name that leads there (DNS rebinding). A browser's request from another origin is refused.
    """

    app: ASGIApp
    host: str
    token: str | None
    counted: Counted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.counted(scope["method"], message["status"])
                with_headers(message)
            await send(message)

        refused = self.refusal(scope)
        await (refused or self.app)(scope, receive, answered)

    def refusal(self, scope: Scope) -> Callable[[Scope, Receive, Send], Awaitable[None]] | None:
        """The answer to who may not ask; None for everyone else."""
        headers = Headers(scope=scope)
        host = host_of(f"//{headers.get('host', '')}")
        if is_local(self.host) and host not in (*LOCAL, self.host):
            return told(Failure("forbidden", "this service answers on loopback alone, not under that name"))
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            return told(Failure("forbidden", "requests from other sites are refused"))
        if self.token is not None and scope["path"] not in OPEN and not self.knows(headers):
            return JSONResponse(
                {"error": {"kind": "forbidden", "problem": "the token is missing or wrong"}},
                401,
                {"WWW-Authenticate": "Bearer"},
            )
        return None

    def knows(self, headers: Headers) -> bool:
        """Whether the token is given; the comparison takes the same time wherever a wrong one differs."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        matches = hmac.compare_digest(given.strip().encode(), (self.token or "").encode())
        return scheme.lower() == "bearer" and matches


def host_of(address: str) -> str | None:
    """The host of an address; None where it has none."""
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def with_headers(message: MutableMapping[str, Any]) -> None:
    """Add what every answer says."""
    headers = MutableHeaders(scope=message)
    for name, value in HEADERS.items():
        headers.setdefault(name, value)


def told(failure: Failure) -> JSONResponse:
    """A failure as an answer."""
    retry = {"Retry-After": "5"} if failure.kind == "busy" else None
    return JSONResponse(failure.to_json(), failure.status, retry)
