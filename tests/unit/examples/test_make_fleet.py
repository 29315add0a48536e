"""The example fleet is what its script makes, and each cluster has the story that it tells."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below the folder, decompressed: two builds of zlib may compress differently."""
    return {
        str(path.relative_to(folder)): gzip.decompress(data) if path.suffix == ".gz" else data
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for data in [path.read_bytes()]
    }


@pytest.fixture(scope="module")
def fleet() -> dict[str, bytes]:
    return contents(EXAMPLES / "fleet")


def described_lists(text: str) -> list[list[int]]:
    return [
        [int(i) for i in line.split("Replicas: ")[1].split("\t")[0].split(",")]
        for line in text.splitlines()
        if "\tReplicas: " in line
    ]


@pytest.mark.slow
def test_the_script_makes_the_shipped_fleet(tmp_path: Path, fleet: dict[str, bytes]) -> None:
    """Running the script again gives every shipped file, byte for byte."""
    subprocess.run([sys.executable, EXAMPLES / "make_fleet.py", tmp_path], check=True)
    assert contents(tmp_path) == fleet


def test_the_script_makes_the_cluster_beside_the_fleet(tmp_path: Path) -> None:
    """120 partitions on 135 brokers: replicas level, and 20 brokers lead two where one is the most."""
    code = (
        "import sys; from pathlib import Path; import make_fleet as m; "
        "m.write(Path(sys.argv[1]), m.few_partitions())"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True, cwd=EXAMPLES)
    assert contents(tmp_path) == contents(EXAMPLES / "few-partitions")
    [topic] = json.loads((tmp_path / "metadata.json").read_text())["topics"]
    lists = [[replica["id"] for replica in row["replicas"]] for row in topic["partitions"]]
    assert len(lists) == 120
    assert sorted(set(Counter(chain.from_iterable(lists)).values())) == [2, 3]
    led = Counter(ids[0] for ids in lists)
    assert sum(count - 1 for count in led.values()) == 20


@pytest.mark.slow
def test_growth_has_the_published_counts(fleet: dict[str, bytes]) -> None:
    """87,859 partitions of three different brokers each, with exactly the published replicas per broker."""
    lists = described_lists(fleet["growth/topics.txt.gz"].decode())
    published = json.loads((EXAMPLES / "data" / "wix_replicas_per_broker.json").read_text())["before"]
    assert len(lists) == 87_859
    assert all(len(set(ids)) == 3 for ids in lists)
    assert Counter(chain.from_iterable(lists)) == {int(broker): count for broker, count in published.items()}


def test_skewed_leaders_is_level_but_for_eleven_leaders(fleet: dict[str, bytes]) -> None:
    """Replicas are level on 122 brokers; leaders are eleven above the two that a broker may lead."""
    [topic] = json.loads(fleet["skewed-leaders/metadata.json"])["topics"]
    lists = [[replica["id"] for replica in row["replicas"]] for row in topic["partitions"]]
    assert len(lists) == 180
    assert all(len(set(ids)) == 3 for ids in lists)
    assert set(Counter(chain.from_iterable(lists)).values()) == {4, 5}
    assert sum(max(0, led - 2) for led in Counter(ids[0] for ids in lists).values()) == 11


def test_racks_holds_one_replica_in_each_zone(fleet: dict[str, bytes]) -> None:
    """Every partition has a replica in each of the three zones; brokers 9 to 11 are known and empty."""
    lists = described_lists(fleet["racks/topics.txt"].decode())
    assert all(sorted(i % 3 for i in ids) == [0, 1, 2] for ids in lists)
    assert max(chain.from_iterable(lists)) == 8
    assert b"(id: 11 rack: zone-c)" in fleet["racks/racks.txt"]
