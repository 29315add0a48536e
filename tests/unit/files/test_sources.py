"""Files, folders, gzip and standard input become a cluster; what cannot be read is one line."""

import gzip
import io
import json
import pickle
import sys
import tracemalloc

import pytest

from equipoise.errors import UnusableInput
from equipoise.files import sources
from equipoise.files.proposals import read_proposal
from equipoise.files.sources import parse_file, read_sources

LISTS = '{"version":1,"partitions":[{"topic":"pay","partition":0,"replicas":[1,2]}]}'
CUT_OFF = gzip.compress(LISTS.encode(), mtime=0)[:-12]
BAD = '{"version":1,"partitions":[{"topic":"pay","partition":1,"replicas":[]}]}'


def test_a_folder_is_one_cluster(tmp_path):
    """Every file in it counts, gzipped or not; hidden files, notes, wishes and folders do not."""
    folder = tmp_path / "orders"
    (folder / "metrics").mkdir(parents=True)
    (folder / "lists.json.gz").write_bytes(gzip.compress(LISTS.encode(), mtime=0))
    (folder / "racks").write_text("1,a\n2,b\n")
    for name in (".hidden", "README.md", "equipoise.toml", "metrics/samples.csv"):
        (folder / name).write_text("not a source")
    cluster = read_sources([folder])
    assert (cluster.name, cluster.n_partitions, cluster.brokers.racks) == ("orders", 1, ("a", "b"))
    assert cluster.files == ("lists.json.gz", "racks")


def test_standard_input(monkeypatch):
    """``-`` reads what is piped in."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LISTS.encode())))
    cluster = read_sources(["-"])
    assert (cluster.name, cluster.n_partitions) == ("cluster", 1)


def test_the_name_comes_from_the_first_source(tmp_path):
    """A file's name without endings, unless another is given."""
    (tmp_path / "orders.json").write_text(LISTS)
    assert read_sources([tmp_path / "orders.json"]).name == "orders"
    assert read_sources([tmp_path / "orders.json"], name="x").name == "x"


def refused(tmp_path, name, content):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnusableInput) as error:
        read_sources([path])
    assert error.value.exit_code == 2
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(str(path))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, ": there is no such file. Give a file, a folder, or - for standard input"),
        (b"", ": the file is empty. Was the command that wrote it successful?"),
        (bytes(range(256)), ", byte 0: this is binary data, not text: byte 0x00. "
                            "Give the output of a Kafka tool, a JSON or a CSV file"),
        (CUT_OFF, ": broken gzip data (Compressed file ended before the end-of-stream marker was reached). "
                  "Is the file complete?"),
        (LISTS[:60].encode(), ', line 1 column 61: this is not JSON: unexpected end of data after '
                              'opic":"pay","partition":0,"rep. Is the file complete?'),
        (BAD.encode(), ", partitions[0]: pay-1 []: the replica list is empty"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_line(tmp_path, content, sentence):
    """The file, the place in it, the value and what to do."""
    assert refused(tmp_path, "state.json", content) == sentence


def test_gzip_unpacks_to_a_limit(tmp_path, monkeypatch):
    """Up to the limit it is read, beyond it is refused; parts that follow each other count together."""
    text = LISTS.encode()
    monkeypatch.setattr(sources, "MOST_UNPACKED", len(text) + 2)
    (tmp_path / "c.gz").write_bytes(gzip.compress(text, mtime=0) + gzip.compress(b"\n" * 2))
    assert read_sources([tmp_path / "c.gz"]).n_partitions == 1
    (tmp_path / "c.gz").write_bytes(gzip.compress(text, mtime=0) + gzip.compress(b"\n" * 3))
    with pytest.raises(
        UnusableInput, match=r"c\.gz: unpacks to more than 0 MB\. If that is right, unpack it"
    ):
        read_sources([tmp_path / "c.gz"])


@pytest.mark.slow
def test_gzip_of_a_thousandth_of_its_size_costs_no_memory(monkeypatch):
    """What is too much is counted, not kept: 160 MB of blanks in 160 kB take a few MB to be refused."""
    monkeypatch.setattr(sources, "MOST_UNPACKED", 150_000_000)
    blanks = gzip.compress(b" " * 16_000_000, mtime=0) * 10
    tracemalloc.start()
    with pytest.raises(UnusableInput, match="unpacks to more than 150 MB"):
        sources.unpacked(blanks, "blanks.gz")
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_folders_that_are_no_sources(tmp_path):
    """An empty folder, and a plan directory given for a cluster."""
    with pytest.raises(UnusableInput, match="the folder holds no files"):
        read_sources([tmp_path])
    for name in ("plan.json", "rollback.json"):
        (tmp_path / name).write_text(LISTS)
    with pytest.raises(UnusableInput, match="this is a plan directory"):
        read_sources([tmp_path])
    with pytest.raises(UnusableInput, match="no source is given"):
        read_sources([])


def test_leniently_the_rest_is_kept(tmp_path):
    """A broken file and a broken entry are set aside with file, place and reason."""
    (tmp_path / "a.json").write_text(LISTS)
    (tmp_path / "b.json").write_text(BAD)
    (tmp_path / "c.gz").write_bytes(b"\x1f\x8bjunk")
    aside = []
    assert read_sources([tmp_path], set_aside=aside).n_partitions == 1
    assert [(entry.source.rpartition("/")[2], entry.place) for entry in aside] == [
        ("b.json", "partitions[0]"),
        ("c.gz", ""),
    ]


def test_fragments_travel(tmp_path):
    """A fragment survives pickling: one task reads a file, another merges."""
    fragment = pickle.loads(pickle.dumps(parse_file(LISTS.encode(), "a")))
    assert fragment.lists.replicas.tolist() == [[1, 2]]


def read_sources_of(tmp_path, text):
    (tmp_path / "state.json").write_text(text)
    return read_sources([tmp_path / "state.json"])


def test_proposals_of_others_are_read(tmp_path):
    """What ``--generate`` proposes, and what Cruise Control does: its topic and number in both spellings."""
    (tmp_path / "generated.txt").write_text(
        f"Current partition replica assignment\n{LISTS}\n\nProposed partition reassignment configuration\n"
        '{"version":1,"partitions":[{"topic":"pay","partition":0,"replicas":[2,1]}]}\n'
    )
    (tmp_path / "proposals.json").write_text(
        '{"proposals":[{"topicPartition":"pay-0","oldReplicas":[1,2],"newReplicas":[2,1]}]}'
    )
    (tmp_path / "rebalance.json").write_text(
        '{"summary":{},"proposals":[{"topicPartition":{"topic":"pay","partition":0,"hash":1},"oldLeader":1,'
        '"oldReplicas":[1,2],"newReplicas":[2,1]}]}'
    )
    for name in ("generated.txt", "proposals.json", "rebalance.json"):
        proposal = read_proposal(tmp_path / name)
        assert proposal.topics == ("pay",) and proposal.replica_ids.tolist() == [[2, 1]], name


def test_a_proposal_that_changes_nothing_is_no_proposal(tmp_path):
    """Without ``verbose=true`` Cruise Control tells no lists."""
    (tmp_path / "proposals.json").write_text('{"proposals":[],"newReplicas":[]}')
    with pytest.raises(UnusableInput, match=r"no proposal is in it\. Ask with verbose=true"):
        read_proposal(tmp_path / "proposals.json")


@pytest.mark.parametrize("broker", [2147483648, -2, "x", 1.5])
def test_a_proposal_names_brokers_by_their_ids(tmp_path, broker):
    """What is none is told with its place."""
    listed = json.dumps({"proposals": [{"topicPartition": "pay-0", "newReplicas": [1, broker]}]})
    (tmp_path / "proposals.json").write_text(listed)
    with pytest.raises(UnusableInput, match=rf"proposals\[0\]: .*{broker} is not a broker id"):
        read_proposal(tmp_path / "proposals.json")
