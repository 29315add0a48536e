"""``equipoise serve``: what it refuses before it listens."""

from __future__ import annotations

import socket

import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.errors import UnusableInput


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--host", "0.0.0.0"], "others reach 0.0.0.0 and would need no token"),
        (["--host", "::"], "would need no token"),
        (["--host", "no such name", "--token", "t"], "cannot be listened on"),
        (["--port", "70000"], "70000 is not a port"),
        (["--token", ""], "printable ASCII"),
        (["--token", "a\nb"], "printable ASCII"),
        (["--jobs", "0"], "too small"),
        (["--time-limit", "nan"], "no such time"),
        (["--memory", "much"], "not a size"),
    ],
)
@pytest.mark.slow
def test_what_cannot_be_served_is_refused(words: list[str], problem: str) -> None:
    """With a sentence, exit 2."""
    result = CliRunner().invoke(app(), ["serve", *words])
    assert isinstance(result.exception, UnusableInput)
    assert problem in str(result.exception)


def test_a_port_that_is_taken_is_told() -> None:
    """With what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = CliRunner().invoke(app(), ["serve", "--port", str(taken.getsockname()[1])])
    assert "Give another with --port" in str(result.exception)
