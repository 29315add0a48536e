"""Connections that begin a request and do not go on are closed, so that they keep nobody out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
import uvicorn
from tests.unit.server.conftest import awaited
from uvicorn.server import ServerState

from equipoise.server.connections import PunctualProtocol

WHOLE = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: "
LIMIT_S = 0.1
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[bytes]]


class Hasty(PunctualProtocol):
    headers_s = LIMIT_S


async def slow(scope: Any, receive: Any, send: Any) -> None:
    """An answer that takes longer than headers may."""
    await asyncio.sleep(3 * LIMIT_S)
    headers = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


def said(talk: Talk) -> bytes:
    """What a client hears until its connection is closed."""

    async def whole() -> bytes:
        config = uvicorn.Config(slow, lifespan="off", log_config=None, server_header=False)
        state = ServerState()
        server = await asyncio.get_running_loop().create_server(
            lambda: Hasty(config, state, {}), "127.0.0.1", 0
        )
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        async with server, asyncio.timeout(30):
            heard = await talk(reader, writer)
            writer.close()
        assert not state.connections
        return heard

    return awaited(whole())


@pytest.mark.parametrize("sent", [b"", b"G", HALF], ids=["nothing", "a byte", "half of the headers"])
def test_who_sends_no_whole_request_is_closed(sent: bytes) -> None:
    """Without an answer, and another byte every now and then does not help."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(sent)
        heard = asyncio.ensure_future(reader.read())
        while sent and not heard.done():
            writer.write(b"x")
            await asyncio.wait({heard}, timeout=LIMIT_S / 4)
        with suppress(ConnectionResetError):  # a byte was on its way when it was closed
            return await heard
        return b""

    assert said(talk) == b""


@pytest.mark.slow
def test_an_answer_may_take_longer_than_headers() -> None:
    """Once the request is there; and the next one on the same connection has its own time, and no more."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(WHOLE)
        first = await reader.readuntil(b"ok")
        writer.write(HALF)
        return first + await reader.read()

    heard = said(talk)
    assert heard.startswith(b"HTTP/1.1 200 OK") and heard.endswith(b"ok")


@pytest.mark.slow
def test_half_a_request_behind_a_whole_one_is_closed_after_its_answer() -> None:
    """Sent in one piece, the half one is read when the first has its answer."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(WHOLE + HALF)
        return await reader.read()

    assert said(talk).endswith(b"ok")
