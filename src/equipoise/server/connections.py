"""Connections that ask for nothing: a place among those that are open is held by who has sent a request."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS_S = 10.0
"""Seconds from the first byte of a request, or from the connection, until its headers are complete."""


class PunctualProtocol(H11Protocol):
    """Closes a connection whose headers do not come in time, whether they come slowly or not at all.

    Between two requests uvicorn's own limit for idle connections holds.
    """

    headers_s = HEADERS_S
    late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.expect()

    def handle_events(self) -> None:
        super().handle_events()
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self.expect()
        else:
            self.stop_expecting()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_expecting()
        super().connection_lost(exc)

    def expect(self) -> None:
        """The clock runs from the first call on: a byte now and then does not set it back."""
        if self.late is None:
            self.late = self.loop.call_later(self.headers_s, self.transport.close)

    def stop_expecting(self) -> None:
        if self.late is not None:
            self.late.cancel()
            self.late = None
