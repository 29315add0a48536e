"""The HTML: self-contained, escaped, the same every time."""

from __future__ import annotations

import base64
import gzip
import json
import re
from itertools import pairwise

import pytest

from equipoise.report import compare_page, fleet_page, plan_page

OUTSIDE = re.compile(r"""(?:src|href|action|data)\s*=\s*["']?(?!["'#]|data:)|url\(|@import""", re.IGNORECASE)


def carried(html: str) -> dict:
    """The data that a page carries for its scripts."""
    packed = re.search(r'id="page-data">([^<]*)<', html)
    assert packed is not None
    return json.loads(gzip.decompress(base64.b64decode(packed[1])))


def test_same_plan_same_bytes(removal, removal_shuffled):
    """Equal plans give equal pages, whatever the order of the rows they were read from."""
    assert plan_page(removal) == plan_page(removal_shuffled)


def test_nothing_is_fetched(growth):
    """No address of anything outside is in the page, and the policy in its head forbids all requests."""
    html = plan_page(growth)
    markup = re.sub(r"<script\b.*?</script>", "", html, flags=re.DOTALL)
    assert OUTSIDE.findall(markup) == []
    assert "default-src 'none'" in html


def test_everything_is_escaped(growth):
    """Names of clusters, topics, racks, files and reasons cannot become markup."""
    html = plan_page(growth)
    assert "growth &lt;/script&gt;" in html
    assert "a budget &lt;binds&gt;" in html
    assert "&lt;b&gt;hot&lt;/b&gt; has partitions" in html
    assert "<c>" not in html
    assert "<b>hot" not in html


def test_page_carries_every_row(growth):
    """The searchable table has each change with its lists, kind and reason."""
    moves = carried(plan_page(growth))["moves"]
    assert [moves["kinds"][kind] for kind in moves["kind"]] == [
        "moves data", "moves data", "is created", "changes leader", "changes leader",
    ]  # fmt: skip
    assert moves["before"][0] == [1, 4]
    assert moves["after"][0] == [1, 4, 5]
    assert moves["sentences"][moves["why"][2]] == "the partition is created"


@pytest.mark.parametrize(("name", "badge"), [
    ("removal", "proved best"), ("growth", "proved best"), ("nothing_to_do", "no proof"),
])  # fmt: skip
def test_badge(name, badge, request):
    """Proved, nearly so, or not at all: the page says which."""
    assert f">{badge}</span>" in plan_page(request.getfixturevalue(name))


def test_fleet_and_comparison_render_without_any_row():
    """An empty fleet and an empty comparison are pages too."""
    assert "No cluster could be planned" in fleet_page([], [], {})
    assert "0 strategies" in compare_page([], [])


def test_fleet_links_every_report():
    """Each planned cluster links the report in its plan directory; odd names are quoted."""
    side = {"replicas_per_broker": {"1": 1}}
    costs = {"data_moves": 0, "bytes_moved": 0, "leadership_changes": 0}
    row = {"cluster": "a b/ü", "summary": costs, "before": side, "after": side, "certificate": []}
    assert 'href="clusters/a%20b/%C3%BC/report.html"' in fleet_page([row], [], {})


def test_heading_order(growth):
    """Headings descend without a gap, tables have captions, charts a text for those who do not see."""
    html = plan_page(growth)
    levels = [int(level) for level in re.findall(r"<h([1-6])", html)]
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert html.count("<table") == html.count("<caption>")
    assert html.count('class="chart"') == len(re.findall(r'role="img" aria-label="[^"]{20,}"', html))
