"""The bodies of requests, read within limits of size and time: of each, and of all that come at once."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from equipoise.server.failures import Failure
from equipoise.server.limits import Limits


class Bodies:
    """All bodies that are being read."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.coming = 0
        """Bytes that are there of bodies which are not complete."""

    async def read(self, request: Request) -> bytes:
        """All of a body; raises `Failure` where it is too large, comes too slowly, or others fill memory."""
        limits, pieces, size = self.limits, [], 0
        told = request.headers.get("content-length", "")
        if told.isascii() and told.isdigit() and int(told[:20]) > limits.body_bytes:
            raise too_large(limits)
        try:
            async with asyncio.timeout(limits.body_s):
                async for piece in request.stream():
                    pieces.append(piece)
                    size += len(piece)
                    self.coming += len(piece)
                    if size > limits.body_bytes:
                        raise too_large(limits)
                    if self.coming > limits.waiting_bytes:
                        raise Failure("busy", "too much is sent at once; ask again in a while")
        except TimeoutError:
            problem = f"the body did not arrive within {limits.body_s:g} seconds"
            raise Failure("slow", problem) from None
        except ClientDisconnect:
            raise Failure("slow", "the body did not arrive") from None
        finally:
            self.coming -= size
        return b"".join(pieces)


def too_large(limits: Limits) -> Failure:
    return Failure("too large", f"the body is larger than {limits.body_bytes / 2**20:g} MiB; send it gzipped")
