"""Brokers: what is known of each, racks that are declared or not, and positions of ids."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.cluster import Brokers
from equipoise.cluster.brokers import frozen

IDS = st.lists(st.integers(0, 50), unique=True, max_size=8)


def test_what_is_known_goes_by_id_in_any_order() -> None:
    """Ids are sorted and taken once; a capacity that nobody gave is NaN, a weight 1."""
    known = Brokers.of(
        [7, 3, 7, 5],
        {7: "b", 3: "a"},
        disk_bytes={3: 10.0},
        bytes_in_per_s={5: 20.0},
        bytes_out_per_s={7: 30.0},
        weight={5: 2.5},
    )
    assert known.ids.tolist() == [3, 5, 7] and len(known) == 3
    assert known.racks == ("a", None, "b")
    assert np.array_equal(known.disk_bytes, [10, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(known.bytes_in_per_s, [np.nan, 20, np.nan], equal_nan=True)
    assert np.array_equal(known.bytes_out_per_s, [np.nan, np.nan, 30], equal_nan=True)
    assert known.weight.tolist() == [1, 2.5, 1]


def test_without_weights_all_weigh_the_same() -> None:
    """The constructor needs no weights."""
    unknown = np.full(2, np.nan)
    assert Brokers(np.array([1, 2]), (None, None), unknown, unknown, unknown).weight.tolist() == [1, 1]


def test_without_racks_all_are_in_one() -> None:
    """Where no broker declares a rack, racks are no rule: there is one, without a name."""
    plain = Brokers.of([1, 2, 3])
    assert not plain.has_racks
    assert plain.rack_names == ("",)
    assert plain.rack_idx.tolist() == [0, 0, 0] and plain.rack_idx.dtype == np.int32


def test_a_broker_without_a_rack_beside_racked_ones_stands_alone() -> None:
    """Nothing is known of what it shares with others, so each such broker is a rack of its own."""
    mixed = Brokers.of([1, 2, 3, 4, 5], {2: "z", 4: "a", 5: "z"})
    assert mixed.has_racks
    assert mixed.rack_names == ("a", "z", "broker 1 (no rack)", "broker 3 (no rack)")
    assert mixed.rack_idx.tolist() == [2, 1, 3, 0, 1] and mixed.rack_idx.dtype == np.int32


def test_a_rack_may_have_an_empty_name() -> None:
    """A rack that is declared counts, whatever it is called."""
    odd = Brokers.of([1, 2], {1: ""})
    assert odd.has_racks
    assert odd.rack_names == ("", "broker 2 (no rack)")
    assert odd.rack_idx.tolist() == [0, 1]


@given(IDS, st.lists(st.integers(-1, 60), max_size=8))
def test_positions_are_those_of_a_plain_search(ids: list[int], wanted: list[int]) -> None:
    """Each id's place among the ascending ids, -1 for one that is not there and for -1 itself."""
    found = Brokers.of(ids).index_of(wanted)
    ascending = sorted(ids)
    assert found.tolist() == [ascending.index(i) if i in ascending else -1 for i in wanted]
    assert found.dtype == np.int32


def test_positions_keep_the_shape_of_what_was_asked() -> None:
    """Tables of ids give tables of positions, without any broker too."""
    assert Brokers.of([4, 9]).index_of([[9, -1], [4, 5]]).tolist() == [[1, -1], [0, -1]]
    assert Brokers.of([]).index_of([[9, -1]]).tolist() == [[-1, -1]]


def test_columns_cannot_be_written_and_callers_arrays_still_can() -> None:
    """What is frozen is a view of its own: the array it was made from stays as it was."""
    mine = np.array([1.0, 2.0])
    view = frozen(mine, np.float64)
    assert np.shares_memory(view, mine)
    mine[0] = 5
    for column in (view, frozen([1, 2], np.int32), frozen(view, np.float64), Brokers.of([1, 2]).ids):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 3
    built = Brokers(np.array([1, 2]), (None, None), mine, mine.tolist(), np.array([3, 4]), mine)  # type: ignore[arg-type]
    for column in (built.disk_bytes, built.bytes_in_per_s, built.bytes_out_per_s, built.weight):
        assert column.dtype == np.float64 and not column.flags.writeable
    assert frozen(mine, np.int32).dtype == np.int32
    assert frozen(np.asfortranarray(np.ones((3, 2))), np.float64).flags.c_contiguous
