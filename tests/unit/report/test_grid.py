"""Tables keep whole words on a terminal of any width."""

from __future__ import annotations

from rich.console import Console

from equipoise.report.grid import Grid


def lines(grid: Grid, width: int) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(grid)
    return [line.rstrip() for line in capture.get().splitlines()]


def strategies(**more: object) -> Grid:
    """Two strategies, measured."""
    grid = Grid("strategy", "data moves", "falls behind at", gap=2, **more)  # type: ignore[arg-type]
    grid.add_row("flow", "1", "–")
    grid.add_row("greedy-racks", "12", "elections 9 above 0")
    return grid


def test_side_by_side_where_there_is_room():
    assert lines(strategies(), 80) == [
        "strategy      data moves      falls behind at",
        "flow                   1                    –",
        "greedy-racks          12  elections 9 above 0",
    ]


def test_headings_are_folded_at_blanks_where_there_is_less():
    assert lines(strategies(), 41) == [
        "               data",
        "strategy      moves      falls behind at",
        "flow              1                    –",
        "greedy-racks     12  elections 9 above 0",
    ]


def test_the_least_important_columns_are_left_out_and_named():
    grid = strategies(importance=[0, 2, 1], elsewhere="See --json")
    assert lines(grid, 36) == [
        "strategy          falls behind at",
        "flow                            –",
        "greedy-racks  elections 9 above 0",
        "No room for: data moves. See --json",
    ]


def test_rows_stand_one_under_another_where_no_column_is_more_important():
    assert lines(strategies(), 36) == [
        "flow",
        "  data moves      1",
        "  falls behind at –",
        "greedy-racks",
        "  data moves      12",
        "  falls behind at elections 9 above",
        "0",
    ]


def test_names_of_others_are_neither_markup_nor_codes():
    """A rack called ``[red]a`` is shown so; an escape sequence colours nothing."""
    grid = Grid("rack", "replicas")
    grid.add_row("[red]a", "1")
    grid.add_row("\x1b[31mb\nc", "2")
    assert lines(grid, 80) == ["rack       replicas", "[red]a            1", "�[31mb�c          2"]
