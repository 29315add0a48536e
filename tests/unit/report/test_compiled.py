"""Compiled templates: kept where that is possible, never needed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from equipoise.report.compiled import Compiled


def rendered(folder: Path, text: str = "{{ 6 * 7 }}") -> str:
    """A page by an environment that has compiled nothing yet."""
    return Environment(loader=DictLoader({"page": text}), bytecode_cache=Compiled(folder)).from_string(
        "{% include 'page' %}"
    ).render()  # fmt: skip


def refuse(*_: object, **__: object) -> object:
    raise AssertionError("compiled once more")


def test_a_template_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next environment takes what the first has kept; a template that changed is compiled anew."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert rendered(tmp_path) == "42"
    assert len(list(tmp_path.iterdir())) == 1
    env = Environment(loader=DictLoader({"page": "{{ 6 * 7 }}"}), bytecode_cache=Compiled(tmp_path))
    monkeypatch.setattr(env, "compile", refuse)
    assert env.get_template("page").render() == "42"
    assert rendered(tmp_path, "{{ 6 * 8 }}") == "48"


def test_a_page_needs_no_kept_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing may be kept, nothing can be, or what is there is damaged, the page is the same."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(tmp_path) == "42" and not list(tmp_path.iterdir())
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert rendered(tmp_path / "missing") == "42"
    assert rendered(tmp_path) == "42"
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    for damaged in (b"", b"x", whole[:20], whole[:-7]):
        kept.write_bytes(damaged)
        assert rendered(tmp_path) == "42"
