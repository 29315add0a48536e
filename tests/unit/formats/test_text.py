"""Text before any format looks at it: chunks keep line numbers, JSON is found between other lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.formats import FormatError, parse, text
from equipoise.wording import cut


@given(st.lists(st.text("ab\r", max_size=9), max_size=40), st.booleans())
@pytest.mark.slow
def test_chunks_are_the_text(lines, ends_with_newline):
    """Chunks follow each other without a gap, end with whole lines, and know their first line's number."""
    whole = "\n".join(lines).encode() + (b"\n" if ends_with_newline else b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "CHUNK_BYTES", 16)
        found = list(text.chunks(whole))
    assert b"".join(chunk for _, chunk in found) == whole
    assert all(chunk.endswith(b"\n") for _, chunk in found[:-1])
    before = 1
    for number, chunk in found:
        assert number == before
        before += chunk.count(b"\n")


def test_line_numbers_hold_across_chunks(monkeypatch):
    """A fault in a late chunk has the number that an editor shows, and both lines of a repeat do."""
    monkeypatch.setattr(text, "CHUNK_BYTES", 100)
    line = "\tTopic: pay\tPartition: {}\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    whole = "".join(line.format(number) for number in range(50))
    assert parse(whole, "x").lists.place.tolist() == list(range(1, 51))
    with pytest.raises(FormatError, match=r"^x, line 51: pay-7 .* before at line 8\."):
        parse(whole + line.format(7), "x")


@pytest.mark.parametrize(
    ("whole", "found"),
    [
        ('{"a":1}', '{"a":1}'),
        ('Querying\n  {"a":{\n}}\ndone {x\n', '{"a":{\n}}'),
        ('{"a":{},"b', '{"a":{},"b'),
        ("{", "{"),
        ("no object", None),
    ],
)
def test_an_object_between_other_lines(whole, found):
    """From the line that begins with a brace to the last that has one; to the end where it is cut off."""
    span = text.json_span(whole.encode())
    assert (whole[span[0] : span[1]] if span else None) == found


def test_values_in_messages_fit_on_a_line():
    """Control characters and long values do not reach a terminal."""
    assert cut("a\tb\nc") == "a b c"
    assert cut("\x1b[31mred") == "\N{REPLACEMENT CHARACTER}[31mred"
    assert cut("x" * 200) == "x" * 77 + "..."
