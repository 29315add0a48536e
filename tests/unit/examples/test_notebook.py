"""examples/notebook.ipynb: each cell gives what stands below it; UPDATE_GOLDEN=1 writes that anew."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[3] / "examples" / "notebook.ipynb"


def outputs_of(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """What Jupyter keeps of a cell: the text that it prints, and its last expression."""
    tree, value = ast.parse(source), None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, NOTEBOOK.name, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)
    text = printed.getvalue()
    made: list[dict[str, Any]] = []
    if text:
        made.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
    if value is not None:
        shown = {"text/plain": [repr(value)]}
        result = {"data": shown, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        made.append(result)
    return made


@pytest.mark.slow
def test_the_notebook_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells run one after the other, in its folder, and give the outputs that it holds."""
    monkeypatch.chdir(NOTEBOOK.parent)
    told = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "notebook"}
    code = [cell for cell in told["cells"] if cell["cell_type"] == "code"]
    found = [outputs_of("".join(cell["source"]), names, at) for at, cell in enumerate(code, 1)]
    if os.environ.get("UPDATE_GOLDEN"):
        for at, (cell, outputs) in enumerate(zip(code, found, strict=True), 1):
            cell["outputs"], cell["execution_count"] = outputs, at
        NOTEBOOK.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == [cell["outputs"] for cell in code]
    assert all(found)
