"""The options of `plan` as people write them: what each means, and the one line for what means nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import UnusableInput
from equipoise.planning.goals import ALL_GOALS
from equipoise.planning.problem.request import Request
from equipoise.planning.request.options import READERS, request_of
from equipoise.planning.request.values import rate

MEANT: list[tuple[str, Any, Any]] = [
    ("brokers", "0-2,21:b", ((0, None), (1, None), (2, None), (21, "b"))),
    ("brokers", "5, 3 ,5", ((3, None), (5, None))),
    ("brokers", "1-3:a,2:b", ((1, "a"), (2, "b"), (3, "a"))),
    ("brokers", [4, "6-7"], ((4, None), (6, None), (7, None))),
    ("add", "20:rack:with-colon,21", ((20, "rack:with-colon"), (21, None))),
    ("drain", "19", (19,)),
    ("drain", "7,3-4", (3, 4, 7)),
    ("replace", "4=22,3:21", ((3, 21), (4, 22))),
    ("racks", "0:a,1:b", ((0, "a"), (1, "b"))),
    ("racks", {1: "b", "0": "a"}, ((0, "a"), (1, "b"))),
    ("replication-factor", "3", 3),
    ("topics", "orders.*|bills", "orders.*|bills"),
    ("exclude-topics", "__.*", "__.*"),
    ("create", "new.topic:3:2,a-b_c:1:1", (("a-b_c", 1, 1), ("new.topic", 3, 2))),
    ("goals", "moves, racks,moves", ("moves", "racks")),
    ("goals", ",".join(ALL_GOALS), ALL_GOALS),
    ("balance", "count", ("count",)),
    ("balance", "disk,network-in,network-out", ("disk", "network-in", "network-out")),
    ("balance", "count:10,leaders,disk:5:12.5%", ("count:10:10", "leaders", "disk:5:12.5")),
    ("balance", ["disk:3", "count"], ("disk:3:3", "count")),
    ("balance", "all", ("all",)),
    ("max-fill", "85%", ("disk:85",)),
    ("max-fill", "disk:85.5,network-in:70%", ("disk:85.5", "network-in:70")),
    ("tolerance", "5", (5.0, 5.0)),
    ("tolerance", "2.5%", (2.5, 2.5)),
    ("tolerance", "10:5", (10.0, 5.0)),
    ("tolerance", 7, (7.0, 7.0)),
    ("consumption", "2.5", 2.5),
    ("rack-rule", "strict", "strict"),
    ("effort", "quick", "quick"),
    ("stay-in-rack", True, True),
    ("no-leaders-on", "7", (7,)),
    ("cordon", "5-6", (5, 6)),
    ("assume-alive", "7", (7,)),
    ("max-moves", "0", 0),
    ("max-bytes", "1.5GiB", 1_610_612_736),
    ("max-bytes", 1_048_576, 1_048_576),
    ("max-changes-per-partition", "1", 1),
    ("log-dirs", "level", "level"),
    ("log-dirs", "level:2.5", "level:2.5"),
    ("drain-dir", "7:/data2, 3:/a:b,7:/data2", ((3, "/a:b"), (7, "/data2"))),
    ("cross-zone-price", "0.02", 0.02),
    ("cross-zone-price", 1, 1.0),
    ("rack-capacity", "b=1TB, a=5", (("a", 5), ("b", 10**12))),
    ("consumers-in", "b=0.5,a=.5,log:c=1", (("", "a", 0.5), ("", "b", 0.5), ("log", "c", 1.0))),
    ("partial", True, True),
    ("leaders-only", True, True),
    ("required-only", True, True),
    ("strategy", "wix", "wix"),
    ("strategy-settings", "seed=3,shift=2", (("seed", "3"), ("shift", "2"))),
    ("strategy-settings", {"seed": 3}, (("seed", "3"),)),
]

NO_MEANING: list[tuple[str, Any, str]] = [
    ("brokers", "3-1", "--brokers: '3-1' is not a broker. Write ids or ranges"),
    ("brokers", "a", "--brokers: 'a' is not a broker"),
    ("brokers", "-1", "--brokers: '-1' is not a broker"),
    ("brokers", "99999999999", "--brokers: '99999999999' is not a broker"),
    ("brokers", "0-4000000000", "--brokers: '0-4000000000' is not a broker"),
    ("brokers", " , ", "--brokers: nothing is given"),
    ("add", "1:", "--add: '1:' is not a broker"),
    ("drain", "3:a", "--drain: '3:a' names a rack. Give broker ids alone"),
    ("cordon", "x", "--cordon: 'x' is not a broker"),
    ("no-leaders-on", "1.5", "--no-leaders-on: '1.5' is not a broker"),
    ("replace", "3", "--replace: '3' is not a replacement. Write OLD=NEW: 3=21"),
    ("replace", "3=3", "--replace: '3=3' is not a replacement"),
    ("replace", "3=21,3=22", "--replace: broker 3 is replaced twice"),
    ("replace", "3=21,4=21", "--replace: broker 21 is a replacement twice"),
    ("replace", "3=21,21=5", "--replace: broker 21 is replaced and a replacement"),
    ("racks", {"0": None}, "--racks: '0:' is not a broker"),
    ("racks", "0", "--racks: broker 0 has no rack. Write 0:a,1:b"),
    ("replication-factor", "0", "--replication-factor: '0' is too small. Give 1 or more"),
    ("replication-factor", "two", "--replication-factor: 'two' is not a whole number"),
    ("replication-factor", "99999999999", "--replication-factor: '99999999999' is too large"),
    ("topics", "orders(", "--topics: 'orders(' is not a regular expression"),
    ("exclude-topics", "*", "--exclude-topics: '*' is not a regular expression"),
    ("create", "orders:3", "--create: 'orders:3' is not a topic to create. Write TOPIC:PARTITIONS:RF"),
    ("create", "a b:3:1", "--create: 'a b:3:1' is not a topic to create"),
    ("create", "orders:9999999999:1", "--create: 'orders:9999999999:1' is not a topic to create"),
    ("create", "orders:3:1,orders:5:1", "--create: topic orders is named twice"),
    ("goals", "moves,speed", "--goals: there is no goal 'speed'. Goals are racks, replicas"),
    ("balance", "ram", "--balance: 'ram' cannot be balanced. Choose from count, leaders, disk"),
    ("balance", "all,disk", "--balance: all cannot be mixed with others"),
    ("balance", "disk:5,disk:10", "--balance: disk is named twice"),
    ("balance", "disk:x", "--balance: 'x' is not a tolerance. Write percent"),
    ("balance", "disk:", "--balance: '' is not a tolerance"),
    ("max-fill", "101", "--max-fill: '101' is not how full a broker may be. Write 85%"),
    ("max-fill", "memory:80", "--max-fill: 'memory:80' is not how full a broker may be"),
    ("max-fill", "80,disk:70", "--max-fill: disk is named twice"),
    ("balance", "disk:1:2:3", "--balance: '1:2:3' is not a tolerance"),
    ("tolerance", "-5", "--tolerance: '-5' is not a tolerance. Write percent"),
    ("tolerance", "101", "--tolerance: '101' is not a tolerance"),
    ("tolerance", "0:1e9", "--tolerance: '0:1e9' is not a tolerance"),
    ("log-dirs", "even", "--log-dirs: 'even' is nothing to do with log dirs. Write level, or level:10"),
    ("log-dirs", "level:101", "--log-dirs: 'level:101' is nothing to do with log dirs"),
    ("drain-dir", "7", "--drain-dir: '7' is not a log dir. Write BROKER:PATH: 7:/data2"),
    ("drain-dir", "7:data2", "--drain-dir: '7:data2' is not a log dir"),
    ("consumption", "-2", "--consumption: '-2' is no multiple of what comes in. Write how many times"),
    ("cross-zone-price", "2 ct", "--cross-zone-price: '2 ct' is not a price. Write what a GB costs"),
    ("cross-zone-price", "-1", "--cross-zone-price: '-1' is not a price"),
    ("rack-capacity", "a:5", "--rack-capacity: 'a:5' is not a rack's capacity. Write RACK=SIZE: a=10TB"),
    ("consumers-in", "a=0.5", "--consumers-in: the parts add up to 0.5. Give parts that add up to 1"),
    ("consumers-in", "a:0.5", "--consumers-in: 'a:0.5' is not a part of consumers"),
    ("effort", "hard", "--effort: there is no effort 'hard'. Choose quick, normal, thorough"),
    ("rack-rule", "loose", "--rack-rule: there is no rack rule 'loose'. Choose spread or strict"),
    ("stay-in-rack", "yes", "--stay-in-rack: 'yes' is not true or false"),
    ("max-moves", "-1", "--max-moves: '-1' is not a whole number. Give 0 or more"),
    ("max-moves", True, "--max-moves: 'True' is not a whole number"),
    ("max-bytes", "1 XB", "--max-bytes: '1 XB' is not a size. Write 1048576, 20MB or 1.5GiB"),
    ("max-bytes", "1e30", "--max-bytes: '1e30' is not a size"),
    ("max-changes-per-partition", "1.5", "--max-changes-per-partition: '1.5' is not a whole number"),
    ("leaders-only", 1, "--leaders-only: '1' is not true or false"),
    ("strategy-settings", "seed", "--strategy-settings: "),
    ("", 0, "'': there is no such option. Options are brokers, add"),
    ("speed", "fast", "speed: there is no such option. Options are brokers, add"),
]


@pytest.mark.parametrize(("name", "written", "meant"), MEANT)
def test_what_an_option_means(name: str, written: Any, meant: Any) -> None:
    """One field of the request, and no other, is what was written."""
    assert request_of({name: written}) == Request(**{name.replace("-", "_"): meant})


@pytest.mark.parametrize(("name", "written", "line"), NO_MEANING)
def test_what_means_nothing_is_told_in_one_line(name: str, written: Any, line: str) -> None:
    """The line names the option, the value and what it should look like."""
    with pytest.raises(UnusableInput) as refusal:
        request_of({name: written})
    assert str(refusal.value).startswith(line)
    assert "\n" not in str(refusal.value)


def test_every_option_is_tried_here() -> None:
    """No reader without a value that it reads."""
    assert {name for name, _, _ in MEANT} == set(READERS)


def test_what_is_not_given_keeps_its_default() -> None:
    """Absent and None are the same."""
    assert request_of({}) == request_of(dict.fromkeys(READERS)) == Request()


def test_leaders_only_is_not_required_only() -> None:
    """One moves nothing, the other moves what it must."""
    with pytest.raises(UnusableInput, match="--leaders-only: cannot be combined with --required-only"):
        request_of({"leaders-only": True, "required-only": True})


def test_leaders_only_moves_nothing_between_log_dirs() -> None:
    """A replica is copied there, too."""
    with pytest.raises(UnusableInput, match="--leaders-only: cannot be combined with log dirs"):
        request_of({"leaders-only": True, "drain-dir": "7:/data2"})


def test_a_rate_is_at_least_a_byte_a_second() -> None:
    """A throttle of nothing would never end."""
    assert rate("--throttle", "20MB/s") == 20_000_000
    with pytest.raises(UnusableInput, match=r"--throttle: '0\.2' is too small"):
        rate("--throttle", "0.2")


@given(st.sampled_from(sorted(set(READERS) - {"topics", "exclude-topics", "strategy"})), st.text(max_size=12))
def test_any_text_is_read_or_refused(name: str, written: str) -> None:
    """Whatever is written gives a request or one line about the option, never another error."""
    try:
        request_of({name: written})
    except UnusableInput as refusal:
        assert refusal.source == f"--{name}"
