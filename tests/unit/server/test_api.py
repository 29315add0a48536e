"""The HTTP API: what the command line does, asked over HTTP."""

from __future__ import annotations

import asyncio
import base64
import gzip
import io
import json
import re
import time
import zipfile
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient
from tests.unit.server.conftest import ADDRESS, ASSIGNMENT, LISTS, ORDERS, awaited, call
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.planning.request.options import READERS
from equipoise.server.guard import Guard

ONE_MOVE = [{"topic": "x.y.z.t", "partition": 1, "replicas": [8, 1]}]
RACKED = ",".join(f"{broker}:{'ab'[broker % 2]}" for broker in range(19))
GENERATE = f"""$ kafka-reassign-partitions --zookeeper $ZK --generate \\
    --topics-to-move-json-file topics-to-move.json \\
    --broker-list {",".join(map(str, range(19)))}

Current partition replica assignment

{json.dumps(ASSIGNMENT)}

Proposed partition reassignment configuration

{{"version":1,"partitions":[{{"topic":"x.y.z.t","partition":1,"replicas":[15,18]}}]}}
"""


def printed(*words: str) -> dict[str, object]:
    """What a verb prints as JSON."""
    result = CliRunner().invoke(app(), list(words))
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


@pytest.fixture
def orders(tmp_path: Path) -> str:
    file = tmp_path / "orders.txt"
    file.write_bytes(ORDERS)
    return str(file)


@pytest.mark.parametrize(
    "body",
    [
        {"brokers": RACKED, "partitions": ASSIGNMENT},
        {"brokers": RACKED, "partitions": json.dumps(ASSIGNMENT)},
        {"brokers": RACKED, **ASSIGNMENT},
    ],
)
@pytest.mark.slow
def test_submit_answers_with_the_one_move(client: TestClient, body: dict[str, object]) -> None:
    """As Kafka Partitions Assignment Optimizer takes it, and as ``curl --data`` sends it: a form."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = client.post("/submit", content=json.dumps(body), headers=form)
    assert answer.status_code == 200
    assert answer.json() == {"version": 1, "partitions": ONE_MOVE}


@pytest.mark.slow
def test_submit_takes_what_kafka_prints(client: TestClient) -> None:
    """The brokers that were asked for are read from the command; without racks any broker does."""
    moved = client.post("/submit", content=GENERATE).json()["partitions"]
    assert [(move["partition"], move["replicas"][0]) for move in moved] == [(1, 8)]
    assert client.post(f"/submit?brokers={RACKED}", content=GENERATE).json()["partitions"] == ONE_MOVE


def test_submit_with_nothing_to_do(client: TestClient) -> None:
    """An empty list, as there."""
    body = {"brokers": f"{RACKED},19:b", "partitions": ASSIGNMENT}
    assert client.post("/submit", json=body).json() == {"version": 1, "partitions": []}


def test_plan_is_what_the_command_prints(client: TestClient, orders: str) -> None:
    """The same ``plan.json``, whether options stand in the call or in the query."""
    wanted = printed("plan", orders, "--drain", "4", "--json")
    called = client.post("/api/plan", content=call(options={"drain": "4"}))
    assert called.json() == wanted
    asked = client.post("/api/plan?drain=4", content=ORDERS)
    assert asked.json()["moves"] == wanted["moves"]


def test_parts_of_a_plan(client: TestClient, tmp_path: Path) -> None:
    """The plan folder as a zip that ``check`` proves, the report in it, the command that does the same."""
    asked = call(options={"drain": [4], "stay-in-rack": False}, throttle="1MB")
    answer = client.post("/api/plan", content=asked)
    place = answer.headers["location"]
    assert client.get(place).json()["parts"] == [
        "command", "plan.zip", "reassignment.json", "report.html", "result",
    ]  # fmt: skip
    command = client.get(f"{place}/command").text
    assert command == "equipoise plan orders.txt --drain 4 --out orders-plan --throttle 1MB"
    with zipfile.ZipFile(io.BytesIO(client.get(f"{place}/plan.zip").content)) as archive:
        archive.extractall(tmp_path)
    verdict = printed("check", str(tmp_path / "orders-plan"), "--json")
    assert verdict["verdict"] == "pass" and verdict["data_moves"] == answer.json()["summary"]["data_moves"]
    report = client.get(f"{place}/report.html")
    assert report.text == (tmp_path / "orders-plan" / "report.html").read_text()
    assert "sandbox" in report.headers["content-security-policy"]
    assert json.loads((tmp_path / "orders-plan" / "reassignment.json").read_text()) == client.get(
        f"{place}/reassignment.json"
    ).json()


@pytest.mark.slow
def test_check_frontier_and_show_are_what_the_commands_print(
    client: TestClient, orders: str, tmp_path: Path
) -> None:
    """The same JSON."""
    theirs = {"version": 1, "partitions": [{"topic": "orders", "partition": 0, "replicas": [1, 1, 2]}]}
    file = tmp_path / "theirs.json"
    file.write_text(json.dumps(theirs))
    wanted = printed("check", str(file), "--current", orders, "--json")
    assert wanted["verdict"] == "fail"
    assert client.post("/api/check", content=call(reassignment=theirs)).json() == wanted
    as_text = {"name": "theirs.json", "text": json.dumps(theirs)}
    answer = client.post("/api/check", content=call(reassignment=as_text, options={}))
    assert answer.json() == wanted
    command = client.get(f"{answer.headers['location']}/command").text
    assert command == "equipoise check reassignment.json orders.txt"
    drained = client.post("/api/frontier", content=call(options={"drain": "4"}, budgets=[50, 100]))
    assert drained.json() == printed("frontier", orders, "--drain", "4", "--budgets", "50,100", "--json")
    assert client.post("/api/frontier?drain=4&budgets=50,100", content=ORDERS).json()["points"] == (
        drained.json()["points"]
    )
    shown = printed("show", orders, "--json")
    assert client.post("/api/show", content=call()).json() == shown


@pytest.mark.slow
def test_compare_has_a_row_for_each_strategy(client: TestClient) -> None:
    """One that is named stands beside ours."""
    answer = client.post("/api/compare", content=call(options={"drain": "4", "strategy": "greedy"}))
    assert [row["strategy"] for row in answer.json()["rows"]] == ["flow", "greedy"]


def test_sources_as_gzip_and_zip(client: TestClient) -> None:
    """In base64 in a call, or as the body; of an archive the uppermost files count, but no notes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("main/topics.txt", ORDERS)
        archive.writestr("main/racks.csv", "id,rack\n" + "".join(f"{k},z{k}\n" for k in range(1, 6)))
        archive.writestr("main/README.md", "nothing")
        archive.writestr("main/.hidden", "nothing")
        archive.writestr("main/metrics/a.csv", "nothing")
        archive.writestr("__MACOSX/topics.txt", "nothing")
    for content in (packed.getvalue(), gzip.compress(ORDERS)):
        source = {"name": "main.zip", "base64": base64.b64encode(content).decode()}
        called = client.post("/api/show", json={"sources": [source]}).json()
        assert called["counts"]["partitions"] == 6
        assert client.post("/api/show", content=content).json()["counts"] == called["counts"]
    zipped = client.post("/api/show", content=packed.getvalue()).json()
    assert zipped["cluster"] == "main" and zipped["counts"]["racks"] == 5
    assert zipped["files"] == ["racks.csv", "topics.txt"]


@pytest.mark.slow
def test_a_job_is_asked_for_and_ended(client: TestClient) -> None:
    """``Prefer: respond-async`` gives its address at once; ended, nothing of it is left."""
    later = {"Prefer": "respond-async"}
    started = client.post("/api/show", content=call(), headers=later)
    assert started.status_code == 202
    place = started.headers["location"]
    assert place == f"/api/jobs/{started.json()['job']}"
    state = ""
    while state != "done":
        state = client.get(place).json()["state"]
        assert state in ("waiting", "running", "done")
    assert client.get(f"{place}/result").json()["cluster"] == "orders"
    assert client.get(f"{place}/no-such-part").status_code == 404
    assert client.delete(place).status_code == 204
    assert client.get(place).status_code == 404
    running = client.post("/api/compare", content=call(), headers=later).headers["location"]
    assert client.delete(running).status_code == 204
    assert client.post("/api/show", content=call()).status_code == 200  # its place is free again


@pytest.mark.slow
def test_many_clients_at_once_get_their_own_answers(client: TestClient, service: Guard) -> None:
    """32 of them, each with a cluster of its own."""

    async def ask(k: int, web: httpx.AsyncClient) -> bool:
        lists = [[(broker + k) % 1000 for broker in held] for held in LISTS]
        rows = [{"topic": f"t{k}", "partition": at, "replicas": held} for at, held in enumerate(lists)]
        brokers = ",".join(str((broker + k) % 1000) for broker in range(19))
        body = {"brokers": brokers, "partitions": {"version": 1, "partitions": rows}}
        (move,) = (await web.post("/submit", json=body)).json()["partitions"]
        return bool(move["topic"] == f"t{k}" and move["partition"] == 1 and move["replicas"][0] == 8 + k)

    async def everyone() -> list[bool]:
        transport = httpx.ASGITransport(app=service)
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS, timeout=120) as web:
            return await asyncio.gather(*(ask(k, web) for k in range(32)))

    assert awaited(everyone()) == [True] * 32


def test_health_and_metrics(client: TestClient) -> None:
    """What it has to do, and what it did, as Prometheus reads it."""
    client.post("/api/show", content=call())
    assert client.get("/health").json()["jobs"] == {"running": 0, "waiting": 0}
    lines = client.get("/metrics").text.splitlines()
    figures = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert float(figures['equipoise_jobs_total{verb="show",outcome="done"}']) >= 1
    assert float(figures['equipoise_requests_total{method="POST",status="200"}']) >= 1
    assert figures['equipoise_jobs{state="running"}'] == "0"
    named = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert {name.partition("{")[0] for name in figures} <= named


@pytest.mark.slow
def test_the_description_has_examples_that_work(client: TestClient) -> None:
    """Every path that takes a body shows one, and it is answered."""
    described = client.get("/openapi.json").json()
    for path, methods in described["paths"].items():
        for kind in methods.get("post", {}).get("requestBody", {}).get("content", {}).items():
            media, about = kind
            if media == "text/plain" and path in ("/api/check", "/submit"):
                continue
            example = about["example"]
            body = example if isinstance(example, str) else json.dumps(example)
            answer = client.post(path, content=body)
            assert answer.status_code == 200, (path, media, answer.text)
    names = json.dumps(described).split('"#/components/schemas/')[1:]
    assert {name.partition('"')[0] for name in names} <= set(described["components"]["schemas"])


def test_the_page_has_a_field_for_every_option(client: TestClient) -> None:
    """Brokers to drain and racks are in its table; few options are for the command line alone."""
    fields = set(re.findall(r'data-option="([a-z-]+)"', client.get("/").text))
    elsewhere = {"brokers", "strategy", "strategy-settings", "max-changes-per-partition"}
    assert fields == set(READERS) - {"drain", "racks"} - elsewhere


def test_results_go_after_their_time(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody fetched is dropped; who asks for it is told so."""
    place = client.post("/api/show", content=call()).headers["location"]
    later = time.monotonic() + 601
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert client.get(f"{place}/result").status_code == 404
