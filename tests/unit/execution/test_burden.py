"""What exporters show of burdened brokers holds a throttle between two bounds down, while it lasts."""

from __future__ import annotations

import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from stories import MB, Watcher, story, with_options

from equipoise.cli.gauge import EVERY_S, OLD_S, Gauge, checked
from equipoise.cli.limits import Limits
from equipoise.errors import UnusableInput
from equipoise.execution.governing import CALM_S, Bounds, Governor
from equipoise.execution.instructions import Health
from equipoise.execution.orders import Orders
from equipoise.formats.burden import burden_in

BOUNDS = Bounds(1 * MB, 11 * MB)
DEFAULT = """# HELP kafka_network_RequestChannel_Value Attribute exposed for management
kafka_network_RequestChannel_Value{{name="RequestQueueSize",}} {queue}
kafka_server_KafkaRequestHandlerPool_OneMinuteRate{{name="RequestHandlerAvgIdlePercent",}} {idle}
kafka_server_KafkaRequestHandlerPool_Count{{name="RequestHandlerAvgIdlePercent",}} 3.0E12
kafka_network_RequestMetrics_99thPercentile{{name="TotalTimeMs",request="Produce",}} {produce}
kafka_network_RequestMetrics_999thPercentile{{name="TotalTimeMs",request="Produce",}} 90000
kafka_network_RequestMetrics_99thPercentile{{name="TotalTimeMs",request="FetchConsumer",}} {fetch}
kafka_network_RequestMetrics_99thPercentile{{name="TotalTimeMs",request="Fetch",}} 90000
"""
RULES = """kafka_network_requestchannel_requestqueuesize{{instance="b1:9404"}} {queue}
kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent{{instance="b1:9404"}} {idle}
kafka_network_requestmetrics_totaltimems{{request="Produce",quantile="0.99",instance="b1:9404"}} {produce}
kafka_network_requestmetrics_totaltimems{{request="Produce",quantile="0.999",instance="b1:9404"}} 90000
kafka_network_requestmetrics_totaltimems{{request="FetchConsumer",quantile="0.99",instance="b1:9404"}} {fetch}
kafka_network_requestmetrics_totaltimems_count{{request="Produce",instance="b1:9404"}} 90000
"""
WELL = {"queue": "3.0", "idle": "0.9", "produce": "20.5", "fetch": "501.0"}


@pytest.mark.parametrize(("text", "where"), [(DEFAULT, ""), (RULES, " of b1:9404")], ids=["default", "rules"])
@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("queue", "400", "the request queue{} is 400 (at most 250 is well)"),
        ("idle", "0.12", "the idle share of request handlers{} is 0.12 (at least 0.3 is well)"),
        ("produce", "2500", "the 99th percentile of Produce in ms{} is 2500 (at most 1000 is well)"),
        ("fetch", "1800", "the 99th percentile of FetchConsumer in ms{} is 1800 (at most 1000 is well)"),
    ],
)
def test_each_figure_is_known_in_both_ways_of_exporters(
    text: str, where: str, name: str, value: str, said: str
) -> None:
    """And nothing else that looks like it: counts, other percentiles, what followers fetch."""
    assert burden_in(text.format(**WELL)) == ""
    assert burden_in(text.format(**(WELL | {name: value}))) == said.format(where)
    assert burden_in(text.format(**(WELL | {name: "NaN"}))) == ""


@pytest.mark.parametrize("text", ["", "up 1\n", "<html>", "kafka_network_requestchannel_requestqueuesize x"])
def test_what_tells_none_of_them_is_no_good_news(text: str) -> None:
    assert burden_in(text) is None


def test_of_many_brokers_the_worst_one_is_named() -> None:
    lines = [f'kafka_network_requestchannel_requestqueuesize{{instance="b{n}"}} {100 * n}' for n in (1, 4, 3)]
    assert burden_in("\n".join(lines)) == "the request queue of b4 is 400 (at most 250 is well)"


def test_a_burden_halves_the_rate_each_half_minute_that_it_lasts() -> None:
    """Percentiles are those of minutes: what is over is seen a while longer, and one trouble is not to go all
    the way down. It rises again once it has been calm for half a minute."""
    governor, rate, rates = Governor(), 8 * MB, dict[int, int]()
    for now in range(200):
        burden = "the queue is long" if 10 <= now < 80 else ""
        rate, _ = governor.advise(now, Health({}), rate, BOUNDS, burden)
        rates[now] = rate
    assert [rates[at] / MB for at in (9, 10, 10 + int(CALM_S) - 1, 40, 70, 79, 108, 110)] == [
        8, 4, 4, 2, 1, 1, 1, 2,
    ]  # fmt: skip


def test_a_run_is_slowed_aloud_and_what_cannot_be_read_is_said_once() -> None:
    told = story({"pay-0": ([0, 1], [3, 1])}, size=300 * MB)
    told.face = Watcher()

    def helm() -> Orders:
        now = told.model.now
        return Orders(burden="a long queue" if 20 <= now < 40 else "", blind="no figures" if now > 30 else "")

    end = told.run(with_options(throttle=8 * MB, bounds=BOUNDS), helm=helm)
    assert (end.outcome, told.throttles()) == ("finished", {})
    assert told.face.heard[0] == "the throttle is 4,000,000 bytes a second from now on: a long queue"
    assert told.face.heard.count("no figures") == 1


def test_a_file_is_read_now_and_then(tmp_path: Path) -> None:
    """One that is not there, is old or tells nothing is named; when it comes back it counts again."""
    clock, path = [0.0], tmp_path / "kafka.prom"
    gauge = Gauge(str(path), lambda: clock[0])
    assert gauge() == ("", f"--health {path}: cannot be read (No such file or directory)")
    path.write_text(RULES.format(**(WELL | {"queue": "400"})))
    clock[0] = EVERY_S - 1
    assert gauge()[1]
    clock[0] = EVERY_S
    assert gauge() == ("the request queue of b1:9404 is 400 (at most 250 is well)", "")
    path.write_text("up 1\n")
    clock[0] = 2 * EVERY_S
    assert gauge() == ("", f"--health {path}: tells neither the queue nor the latency of requests")
    os.utime(path, (1, 1))
    clock[0] = 3 * EVERY_S
    assert gauge() == ("", f"--health {path}: cannot be read (nobody has written it for {OLD_S:.0f} seconds)")
    assert Gauge(str(tmp_path))()[1].endswith("(it is no file)")


@pytest.mark.slow
def test_an_exporter_is_asked_over_http() -> None:
    class Exporter(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.path == "/metrics"
            self.send_response(200 if known else 404)
            self.end_headers()
            self.wfile.write(RULES.format(**(WELL | {"produce": "3000"})).encode() if known else b"")

        def log_message(self, *given: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Exporter) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        try:
            assert Gauge(f"{address}/metrics")()[0].startswith("the 99th percentile of Produce in ms of b1")
            assert "404" in Gauge(f"{address}/other")()[1]
        finally:
            server.shutdown()
    assert "cannot be read" in Gauge(f"{address}/metrics")()[1]


@pytest.mark.parametrize("source", ["", "ftp://host/metrics", "http://", "http://name:secret@host/metrics"])
def test_sources_that_are_none(source: str) -> None:
    """And no password is printed."""
    with pytest.raises(UnusableInput, match="--health") as found:
        checked(source)
    assert "secret" not in str(found.value)


def test_a_source_that_nothing_follows_is_refused() -> None:
    with pytest.raises(UnusableInput, match="--health: nothing follows it"):
        Limits(health="kafka.prom").of_run(None)  # type: ignore[arg-type]
