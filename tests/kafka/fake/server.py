"""The brokers' sockets: one port a broker on loopback, one thread a connection."""

from __future__ import annotations

import contextlib
import selectors
import socket
import struct
import sys
import threading
from collections.abc import Callable
from typing import Any

from fake.answering import BY_KEY
from fake.model import REQUEST_TIMED_OUT, Model

Hook = Callable[[str, Any, int], "int | str | None"]
"""Called with the request's name, the request and the broker before it is carried out.

An error code refuses the request as a whole, "drop" hangs up before it is carried out, "forget"
carries it out and hangs up instead of answering, "late" carries it out and answers that it timed
out; None lets it be.
"""


class FakeKafka:
    """Serves a model; use it as a context. ``requests`` lists what was asked: name, broker."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.hook: Hook = lambda name, request, broker: None
        self.requests: list[tuple[str, int]] = []
        self.listeners: dict[int, socket.socket] = {}
        self.ports: dict[int, int] = {}
        self.connections: dict[socket.socket, int] = {}
        self.selector = selectors.DefaultSelector()
        self.stopping = threading.Event()
        for broker in model.racks:
            self.listen(broker)
        self.accepting = threading.Thread(target=self.accept, name="fake kafka", daemon=True)

    def __enter__(self) -> FakeKafka:
        self.accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.accepting.join()
        for connection in list(self.connections):
            hang_up(connection)
        for listener in self.listeners.values():
            listener.close()
        self.selector.close()

    @property
    def bootstrap(self) -> str:
        """``host:port`` of up to three living brokers."""
        alive = [i for i in sorted(self.listeners) if i not in self.model.frozen]
        return ",".join(f"127.0.0.1:{self.ports[i]}" for i in alive[:3])

    # -- stories ------------------------------------------------------------------------------

    def kill(self, broker: int, *, noticed: bool = True) -> None:
        """The broker hangs up on everyone; the others know (``noticed``) or still list it as serving."""
        with self.model.lock:
            self.model.lose(broker)
            if noticed:
                self.model.fenced.add(broker)
            if self.model.controller == broker:
                self.model.controller = min(i for i in self.model.racks if i not in self.model.dead)
        listener = self.listeners.pop(broker)
        self.selector.unregister(listener)
        hang_up(listener)
        for connection, of in list(self.connections.items()):
            if of == broker:
                hang_up(connection)

    def revive(self, broker: int) -> None:
        """The broker serves again on its old port."""
        with self.model.lock:
            self.model.regain(broker)
        self.listen(broker)

    # -- sockets ------------------------------------------------------------------------------

    def listen(self, broker: int) -> None:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.ports.get(broker, 0)))
        listener.listen(64)
        self.ports[broker] = listener.getsockname()[1]
        self.listeners[broker] = listener
        self.selector.register(listener, selectors.EVENT_READ, broker)

    def accept(self) -> None:
        while not self.stopping.is_set():
            for key, _ in self.selector.select(timeout=0.05):
                with contextlib.suppress(OSError):
                    connection, _ = key.fileobj.accept()  # type: ignore[union-attr]
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self.connections[connection] = key.data
                    threading.Thread(target=self.serve, args=(connection, key.data), daemon=True).start()

    def serve(self, connection: socket.socket, broker: int) -> None:
        with contextlib.suppress(OSError, ConnectionError), connection:
            while True:
                size = struct.unpack(">i", read(connection, 4))[0]
                frame = read(connection, size)
                while broker in self.model.frozen and not self.stopping.wait(0.05):
                    pass
                reply = self.reply(frame, broker)
                if reply is None:
                    break
                connection.sendall(reply)
        self.connections.pop(connection, None)

    def reply(self, frame: bytes, broker: int) -> bytes | None:
        """The framed answer to a request; None to hang up."""
        key, version, correlation = struct.unpack(">hhi", frame[:8])
        kind, answer = BY_KEY[key]
        request = kind.decode(frame, version=version, header=True)
        name = kind.__name__.removesuffix("Request")
        with self.model.lock:
            self.requests.append((name, broker))
            wish = self.hook(name, request, broker)
            if wish == "drop":
                return None
            self.model.tick()
            if isinstance(wish, int):
                response = refusal(kind, wish)
            else:
                response = answer(self.model, request, broker, self.ports)
            if wish == "forget":
                return None
            if wish == "late":
                response = refusal(kind, REQUEST_TIMED_OUT)
            response.API_VERSION = version
            response.with_header(correlation_id=correlation)
            reply: bytes = response.encode(header=True, framed=True)
            return reply


def refusal(asked: Any, code: int) -> Any:
    """An answer to a kind of request with an error for the whole and nothing else."""
    kind = getattr(sys.modules[asked.__module__], asked.__name__.replace("Request", "Response"))
    rows = {"responses", "topics", "results", "replica_election_results", "brokers"}
    empty = {field: [] for field in rows & set(kind.__slots__ if hasattr(kind, "__slots__") else ())}
    return kind(error_code=code, **empty)


def read(connection: socket.socket, n: int) -> bytes:
    data = bytearray()
    while len(data) < n:
        part = connection.recv(min(n - len(data), 1 << 20))
        if not part:
            raise ConnectionError("the client hung up")
        data += part
    return bytes(data)


def hang_up(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
