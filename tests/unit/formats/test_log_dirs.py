"""``kafka-log-dirs --describe``: sizes by broker and directory."""

import subprocess
import sys

import pytest

from equipoise.formats import FormatError, json_rows, parse, recognise

TEXT = """Querying brokers for log directories information
Received log directory information from brokers 1,2
{"version":1,"brokers":[
 {"broker":1,"logDirs":[
   {"logDir":"/data/d1","error":null,"partitions":[
     {"partition":"pay-by-card-0","size":1048576,"offsetLag":0,"isFuture":false},
     {"partition":"log-12","size":5,"offsetLag":0,"isFuture":false}]},
   {"logDir":"/data/d2","error":null,"partitions":[
     {"partition":"log-12","size":3,"offsetLag":2,"isFuture":true}]}]},
 {"logDirs":[{"partitions":[],"error":"org.apache.kafka.common.errors.KafkaStorageException","logDir":"/data/d1"}],
  "broker":2}]}
"""


@pytest.fixture(params=["objects", "arrow"], autouse=True)
def reader(request, monkeypatch):
    """Small and large text go through different readers: every test here runs on both."""
    monkeypatch.setattr(json_rows, "ARROW_FROM_BYTES", 0 if request.param == "arrow" else 1 << 40)


def test_sizes_by_broker_and_directory():
    """Topics may hold dashes; a copy inside a broker is marked; a broken directory is noted."""
    assert recognise(TEXT) == "kafka-log-dirs --describe"
    fragment = parse(TEXT, "dirs.txt")
    table = fragment.log_dirs
    assert [table.label(k) for k in range(len(table))] == ["pay-by-card-0", "log-12", "log-12"]
    assert table.broker.tolist() == [1, 1, 1]
    assert [table.dirs[k] for k in table.dir_idx] == ["/data/d1", "/data/d1", "/data/d2"]
    assert table.size_bytes.tolist() == [1048576.0, 5.0, 3.0]
    assert table.is_future.tolist() == [False, False, True]
    assert fragment.notes == (
        "log dir /data/d1 of broker 2 has an error: org.apache.kafka.common.errors.KafkaStorageException",
    )
    assert sorted(fragment.brokers) == [1, 2]


def test_every_directory_is_told_of():
    """Those without replicas too; one that failed or is cordoned takes none; a snapshot adds the volumes."""
    told = TEXT.replace('"logDir":"/data/d2",', '"logDir":"/data/d2","totalBytes":900,"isCordoned":true,')
    each = parse(told, "dirs.txt").log_dirs.each
    assert [(one.broker, one.path, one.usable) for one in each] == [
        (1, "/data/d1", True), (1, "/data/d2", False), (2, "/data/d1", False),
    ]  # fmt: skip
    assert [one.total_bytes for one in each if one.total_bytes == one.total_bytes] == [900]


@pytest.mark.parametrize("label", ["pay", "-3", "pay-x", "pay-", "pay-\u0663", "pay-99999999999"])
def test_a_label_that_is_no_partition(label):
    """The entry is named; leniently it alone is set aside."""
    text = TEXT.replace("pay-by-card-0", label)
    with pytest.raises(FormatError) as error:
        parse(text, "dirs.txt")
    assert str(error.value) == (
        f'dirs.txt, brokers[0].logDirs[0].partitions[0]: "{label}" is not a topic, a dash and a '
        "partition number"
    )
    fragment = parse(text, "dirs.txt", lenient=True)
    assert len(fragment.log_dirs) == 2
    assert [aside.text for aside in fragment.quarantined] == [label]


@pytest.mark.parametrize("label", ["pay--9", "--3", "1-2-3", "pay-007", "pay-123456789", "\u00fc-7"])
def test_a_label_with_more_dashes_or_zeros(label):
    """The last dash counts, whatever stands before it."""
    table = parse(TEXT.replace("pay-by-card-0", label), "dirs.txt").log_dirs
    topic, _, number = label.rpartition("-")
    assert table.label(0) == f"{topic}-{int(number)}"
    assert [table.label(k) for k in (1, 2)] == ["log-12", "log-12"]


@pytest.mark.slow
def test_labels_do_without_pandas():
    """Arrow loads it for a mask made of numbers, or where a number stands beside a column."""
    script = (
        "import sys; from equipoise.formats import json_rows, parse; json_rows.ARROW_FROM_BYTES = 0; "
        f"parse({TEXT!r}, 'dirs.txt'); assert 'pyarrow' in sys.modules and 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_size_that_is_none():
    """A size has to be a number."""
    with pytest.raises(FormatError) as error:
        parse(TEXT.replace("1048576", '"big"'), "dirs.txt")
    assert (
        str(error.value) == 'dirs.txt, brokers[0].logDirs[0].partitions[0].size: "big" is not a whole number'
    )
