"""The body of a request, read within its limits of size and time."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from equipoise.server.failures import Failure
from equipoise.server.limits import Limits


async def body_of(request: Request, limits: Limits) -> bytes:
    """All of it; raises `Failure` where it is too large or comes too slowly."""
    told = request.headers.get("content-length", "")
    if told.isascii() and told.isdigit() and int(told[:20]) > limits.body_bytes:
        raise too_large(limits)
    pieces, size = [], 0
    try:
        async with asyncio.timeout(limits.body_s):
            async for piece in request.stream():
                size += len(piece)
                if size > limits.body_bytes:
                    raise too_large(limits)
                pieces.append(piece)
    except TimeoutError:
        raise Failure("slow", f"the body did not arrive within {limits.body_s:g} seconds") from None
    except ClientDisconnect:
        raise Failure("slow", "the body did not arrive") from None
    return b"".join(pieces)


def too_large(limits: Limits) -> Failure:
    return Failure("too large", f"the body is larger than {limits.body_bytes / 2**20:g} MiB; send it gzipped")
