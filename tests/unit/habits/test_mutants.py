"""The script that changes code: which changes it makes, which it takes, and when it fails."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tools.mutants import ROOT, runner, sample, told
from tools.mutations import Mutant, mutants

BROKERS = ROOT / "src" / "equipoise" / "cluster" / "brokers.py"
CODE = '''
"""Words."""
LIMIT: int = 3

@cached(size=1)
def f(x: int, y: bool = True) -> str:
    """More words."""
    if x < 3 and not y:
        raise ValueError(f"{x + 1} is too small")
    x += 2
    g(x)
    return f"{x}" or [a is b, a & b]
'''


def test_every_kind_of_change() -> None:
    """Operators, whole numbers, truth, results, statements; no annotation, decorator, docstring or text."""
    assert [(m.where, m.was, m.now) for m in mutants("a.py", CODE)] == [
        ("", "3", "4"),
        ("", "3", "(2)"),
        ("f", "True", "False"),
        ("f", "x < 3 and not y", "(x < 3 or not y)"),
        ("f", "x < 3", "(x <= 3)"),
        ("f", "3", "4"),
        ("f", "3", "(2)"),
        ("f", "not y", "(y)"),
        ("f", 'raise ValueError(f"{x + 1} is too small")', "pass"),
        ("f", "x += 2", "x -= 2"),
        ("f", "x += 2", "pass"),
        ("f", "2", "3"),
        ("f", "2", "(1)"),
        ("f", "g(x)", "pass"),
        ("f", 'return f"{x}" or [a is b, a & b]', "return None"),
        ("f", 'f"{x}" or [a is b, a & b]', "(f'{x}' and [a is b, a & b])"),
        ("f", "a is b", "(a is not b)"),
        ("f", "a & b", "(a | b)"),
    ]


def test_changes_that_read_the_same_are_counted() -> None:
    """Within a function, so that a reason is one for one of them."""
    made = mutants("a.py", "def f(x): return x[0] + x[0]\ndef g(x): return x[0]\n")
    assert [(m.where, m.nth) for m in made if m.now == "1"] == [("f", 1), ("f", 2), ("g", 1)]


@pytest.mark.slow
def test_each_change_is_code_in_its_place() -> None:
    """All changes to a module give code that can be read, and that is different."""
    sound = BROKERS.read_text(encoding="utf-8")
    tree = ast.dump(ast.parse(sound))
    for mutant in mutants("brokers.py", sound):
        changed = mutant.applied(sound)
        assert ast.dump(ast.parse(changed)) != tree, mutant
        assert changed.splitlines()[: mutant.line - 1] == sound.splitlines()[: mutant.line - 1]


def test_the_sample_is_of_its_seed() -> None:
    """The same every time, another for another seed, and what is chosen stays chosen when lines move."""
    made = [("room", m) for m in mutants("a.py", CODE)]
    chosen = sample(made, 5, 1)
    assert chosen == sample(made[::-1], 5, 1)
    assert {m.name for _, m in chosen} != {m.name for _, m in sample(made, 5, 2)}
    moved = [("room", m) for m in mutants("a.py", "\n\n" + CODE)]
    assert [m.name for _, m in sample(moved, 5, 1)] == [m.name for _, m in chosen]
    assert sample(made, 0, 1) == sorted(made, key=lambda pair: (pair[1].start, pair[1].now))


@pytest.fixture
def mutant() -> Mutant:
    return next(m for m in mutants("a.py", CODE) if m.was == "x < 3")


@pytest.mark.parametrize(
    ("noticed", "explained", "gone", "code", "said"),
    [
        (True, False, False, 0, "room                1      1        1         0"),
        (False, False, False, 1, "  + (x <= 3)\n  NOT EXPLAINED"),
        (False, True, False, 0, "  + (x <= 3)\n  it never is 3"),
        (True, True, False, 1, "noticed, yet explained: ('a.py', 'f', 'x < 3', '(x <= 3)', 1)"),
        (True, False, True, 1, "no such change, yet explained: ('a.py', 'f', 'x', 'y', 2)"),
    ],
)
def test_when_it_fails(
    mutant: Mutant, noticed: bool, explained: bool, gone: bool, code: int, said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """For a survivor without a reason, and for a reason without a survivor."""
    why = {mutant.name: "it never is 3"} if explained else {}
    away = [("a.py", "f", "x", "y", 2)] if gone else []
    assert told([("room", mutant)], {"room": [mutant]}, {mutant: noticed}, why, away) == code
    assert said in capsys.readouterr().out


@pytest.mark.slow
def test_a_change_is_tried_in_the_copy(tmp_path: Path) -> None:
    """What the tests notice is found and what they do not is not; afterwards the file is as it was."""
    code = "def middle(a, b):\n    if a == b:\n        return a\n    return (a + b) // 2\n"
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "thing.py").write_text(code)
    test = "from thing import middle\ndef test_it(): assert middle(2, 6) == 4\n"
    (tmp_path / "test_it.py").write_text(test)
    noticed = runner(tmp_path, ["test_it.py"])
    made = {mutant.was: mutant for mutant in mutants("src/thing.py", code)}
    assert noticed(made["a == b"]) and noticed(made["a + b"])
    assert not noticed(made["return a"])
    assert (tmp_path / "src" / "thing.py").read_text() == code
    (tmp_path / "test_it.py").write_text("def test_it(): assert False\n")
    with pytest.raises(SystemExit, match=r"the tests test_it.py fail without any change"):
        runner(tmp_path, ["test_it.py"])
