"""Sizes as people write them."""

import pytest

from equipoise.units import parse_duration, parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("1048576", 1048576), ("20MB", 20e6), ("1.5GiB", 1.5 * 2**30), ("2 TB", 2e12), ("10k", 1e4),
     ("7B", 7), ("50MB/s", 50e6), ("3 KiB/s", 3072), ("1e9", 1e9)],
)  # fmt: skip
def test_sizes(text, size):
    """Decimal units are powers of 1000, binary ones of 1024; rates may say so."""
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-1", "1,5GB", "12 XB", "1iB", "1e999", "ten"])
def test_what_is_no_size(text):
    """Anything else is refused with the value."""
    with pytest.raises(ValueError, match="is"):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("10m", 600), ("1.5 min", 90), ("2h", 7200), ("1d", 86400)]
)
def test_times(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "0s", "-1m", "m", "1e9h", "10 years"])
def test_what_is_no_time(text):
    with pytest.raises(ValueError, match="is not a time"):
        parse_duration(text)
