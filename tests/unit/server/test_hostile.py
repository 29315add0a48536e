"""Whatever is sent, the answer is a sentence: too large, too slow, broken, or from who may not ask."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from tests.unit.server.conftest import ADDRESS, ORDERS, awaited, call

from equipoise.server.app import make_app
from equipoise.server.bodies import Bodies
from equipoise.server.failures import Failure
from equipoise.server.guard import HEADERS
from equipoise.server.limits import Limits

VERBS = ("/submit", "/api/plan", "/api/check", "/api/compare", "/api/frontier", "/api/show")
BROKEN = {
    "nothing": b"",
    "no text": b"\xff\xfe\x00\x01" * 50,
    "half a call": b'{"sources": [{"name": ',
    "a list": b"[1, 2, 3]",
    "a number": b"7",
    "deep": b"[" * 100_000,
    "deep objects": b'{"sources":' * 50_000,
    "no sources": b'{"sources": []}',
    "sources of another kind": b'{"sources": "topics.txt"}',
    "a file of the machine": b'{"sources": [{"name": "/etc/passwd"}]}',
    "text that is a number": b'{"sources": [{"name": "a", "text": 5}]}',
    "not base64": b'{"sources": [{"name": "a", "base64": "!!"}]}',
    "both": b'{"sources": [{"name": "a", "base64": "", "text": ""}]}',
    "a stranger": b'{"sources": [{"name": "a", "text": "x"}], "exec": "rm"}',
    "no such option": call(options={"bootstrap-server": "h:1"}).encode(),
    "an option of another kind": call(options={"drain": {"a": [1]}}).encode(),
    "a huge number": call(options={"max-moves": 10**40}).encode(),
    "half a surrogate": b'{"sources": [{"name": "\\ud800", "text": "\\udfff"}]}',
    "NUL": b'{"sources": [{"name": "a", "text": "Topic: \\u0000"}]}',
    "an empty zip": b"PK\x05\x06" + bytes(18),
    "half a zip": b"PK\x03\x04" + bytes(40),
    "half a gzip": b"\x1f\x8b\x08" + bytes(9),
    "an assignment of nothing": b'{"partitions": {"version": 1, "partitions": 7}}',
    "brokers that are none": b'{"brokers": "a-b", "partitions": []}',
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.slow
def test_a_broken_body_gets_a_sentence(client: TestClient, body: bytes) -> None:
    """From every route: 400 or 422, what is wrong, and no word of how the service is made."""
    for path in VERBS:
        answer = client.post(path, content=body)
        assert answer.status_code in (400, 422), (path, answer.text)
        error = answer.json()["error"]
        assert error["problem"] and error["kind"] in ("unusable", "impossible")
        assert "Traceback" not in answer.text and "site-packages" not in answer.text


def test_an_impossible_request_says_what_would_do(client: TestClient) -> None:
    """Reasons and ways out, as on the command line."""
    answer = client.post("/api/plan?replication-factor=9", content=ORDERS)
    assert answer.status_code == 422
    assert answer.json()["error"]["reasons"]


def test_an_option_twice_is_refused(client: TestClient) -> None:
    """One of the two would be lost."""
    answer = client.post("/api/plan?drain=4&drain=5", content=ORDERS)
    assert answer.status_code == 400 and answer.json()["error"]["source"] == "drain"


@pytest.mark.parametrize("options", [7, "drain", [1], True])
def test_options_that_are_no_object_are_refused_beside_a_query_too(
    client: TestClient, options: object
) -> None:
    """The query cannot be laid over them."""
    answer = client.post("/api/show?drain=4", content=call(options=options))
    assert answer.status_code == 400 and answer.json()["error"]["place"] == "options"


def test_files_of_the_machine_are_not_read(client: TestClient) -> None:
    """Where the command line takes the name of a file, the service takes a value."""
    answer = client.post("/api/plan?racks=/etc/passwd", content=ORDERS)
    assert answer.status_code == 400 and "root" not in answer.text


@pytest.mark.slow
def test_a_planted_secret_never_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands in the environment, in a file that calls name, and in what somebody else sent."""
    secret = "planted-9f31c7"
    file = tmp_path / "secret.txt"
    file.write_text(f"Topic: {secret}\n")
    monkeypatch.setenv("EQUIPOISE_TOKEN", secret)
    monkeypatch.chdir(tmp_path)
    named = [
        json.dumps({"sources": [{"name": name, "text": text}], "options": {"topics": "@" + name}}).encode()
        for name in (str(file), "secret.txt", "/proc/self/environ")
        for text in (name, "@" + name, f"file://{name}", "$EQUIPOISE_TOKEN", "{{EQUIPOISE_TOKEN}}")
    ]
    others = ORDERS.replace(b"orders", secret.encode())
    with TestClient(make_app(Limits(jobs=1)), base_url=ADDRESS) as client:
        assert secret in client.post("/api/plan?drain=5", content=others).text
        bodies = [*BROKEN.values(), *named]
        answers = [client.post(path, content=body) for path in VERBS for body in bodies]
        answers += [client.get(path) for path in ("/", "/health", "/metrics", "/openapi.json", "/api/jobs/x")]
    assert not any(secret in answer.text or secret in str(answer.headers) for answer in answers)


def test_a_body_that_is_too_large_is_not_read(client: TestClient) -> None:
    """Whether its length is told or not."""
    large = b"x" * ((1 << 20) + 1)
    assert client.post("/api/plan", content=large).status_code == 413
    assert client.post("/api/plan", content=iter([large])).status_code == 413


def test_an_archive_that_unpacks_to_too_much_is_refused(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is counted while it is unpacked, before any of it is read."""
    from equipoise.files import contents

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("topics.txt", b" " * 3_000_000)
    monkeypatch.setattr(contents, "MOST_UNPACKED", 2_000_000)
    with pytest.raises(contents.UnusableInput, match="unpacks to more than 2 MB"):
        list(contents.unzipped("a.zip", packed.getvalue()))
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for k in range(1_001):
            archive.writestr(f"{k}.txt", "")
    answer = client.post("/api/show", content=many.getvalue())
    assert answer.status_code == 400 and "1,001 files" in answer.text


def request_with(receive: Any) -> Request:
    """A request whose body comes from ``receive``."""
    scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}
    return Request(scope, receive)


def test_a_body_that_comes_too_slowly_is_given_up() -> None:
    """One piece, and then nothing."""
    sent = iter([{"type": "http.request", "body": b"{", "more_body": True}])

    async def receive() -> dict[str, object]:
        try:
            return next(sent)
        except StopIteration:
            await asyncio.sleep(60)
            raise

    with pytest.raises(Failure, match="slow"):
        awaited(Bodies(Limits(body_s=0.05)).read(request_with(receive)))


def test_a_client_that_leaves_in_between_is_no_fault() -> None:
    """Before all of the body is there."""

    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    with pytest.raises(Failure, match="slow"):
        awaited(Bodies(Limits()).read(request_with(receive)))


def test_many_large_bodies_at_once_do_not_fill_the_memory() -> None:
    """Of four that come at once one is told to come back, and afterwards nothing counts any more."""
    pieces = [{"type": "http.request", "body": bytes(40), "more_body": True} for _ in range(2)]
    bodies = Bodies(Limits(body_bytes=100, waiting_bytes=250))

    async def everyone() -> list[object]:
        return await asyncio.gather(*(bodies.read(one()) for _ in range(4)), return_exceptions=True)

    def one() -> Request:
        sent = iter([*pieces, {"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> dict[str, object]:
            await asyncio.sleep(0)
            return next(sent)

        return request_with(receive)

    ends = awaited(everyone())
    assert sum(isinstance(end, bytes) and len(end) == 80 for end in ends) == 3
    assert [end.kind for end in ends if isinstance(end, Failure)] == ["busy"]
    assert bodies.coming == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "kind", "status"),
    [
        (Limits(jobs=1, job_s=0.2), "time", 504),
        (Limits(jobs=1, memory_bytes=1 << 20), "memory", 503),
    ],
    ids=["time", "memory"],
)
def test_a_job_beyond_its_limits_is_ended(limits: Limits, kind: str, status: int) -> None:
    """And the next one has a process of its own."""
    with TestClient(make_app(limits), base_url=ADDRESS) as client:
        for _ in range(2):
            answer = client.post("/api/compare", content=call())
            assert (answer.status_code, answer.json()["error"]["kind"]) == (status, kind)


@pytest.mark.slow
def test_too_many_jobs_are_told_to_come_back() -> None:
    """Those that wait are not lost."""
    later = {"Prefer": "respond-async"}
    with TestClient(make_app(Limits(jobs=1, waiting=1)), base_url=ADDRESS) as client:
        answers = [client.post("/api/compare", content=call(), headers=later) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [202, 202, 503, 503]
        assert answers[-1].headers["retry-after"] == "5"
        for answer in answers[:2]:
            assert client.delete(answer.headers["location"]).status_code == 204


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:8080"}, 403),
        ({"Host": "localhost:8080"}, 200),
        ({"Host": "[::1]:8080"}, 200),
        ({"Host": ""}, 403),
        ({"Host": "["}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ADDRESS}, 200),
    ],
)
def test_pages_of_strangers_reach_nothing(client: TestClient, headers: dict[str, str], status: int) -> None:
    """Under a name of theirs that leads to loopback, or from their own address."""
    answer = client.post("/api/show", content=call(), headers=headers)
    assert answer.status_code == status


def test_the_token_is_asked_of_everyone(client: TestClient) -> None:
    """Everything but the page and ``/health`` needs it; and it never comes out."""
    secret = "s3cret-t0ken"
    app = make_app(Limits(jobs=1), token=secret)
    given = {"Authorization": f"Bearer {secret}"}
    asked = TestClient(app, base_url=ADDRESS)  # its jobs are not started: nothing here needs one
    for path in ("/metrics", "/openapi.json", "/api/jobs/x"):
        assert asked.get(path).status_code == 401
        assert asked.get(path, headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert asked.get(path, headers={"Authorization": secret}).status_code == 401
        assert asked.get(path, headers={"Authorization": b"Bearer \xfc"}).status_code == 401
    assert asked.get("/metrics", headers=given).status_code == 200
    answers = [asked.get(path, headers=given) for path in ("/", "/health", "/metrics", "/openapi.json", "/x")]
    assert not any(secret in answer.text or secret in str(answer.headers) for answer in answers)
    assert asked.get("/").status_code == asked.get("/health").status_code == 200


def test_every_answer_has_the_security_headers(client: TestClient) -> None:
    """Errors too; the page lets its own scripts run and no other, and asks nobody else for anything."""
    for answer in (client.get("/"), client.get("/x"), client.post("/api/plan"), client.get("/health")):
        assert {name.lower() for name in HEADERS} <= set(answer.headers)
    policy = client.get("/").headers["content-security-policy"]
    (scripts,) = (part for part in policy.split("; ") if part.startswith("script-src"))
    assert "unsafe" not in scripts and scripts.count("'sha256-") == 2
    assert "http" not in policy


def test_unknown_addresses_and_methods(client: TestClient) -> None:
    """Answered like everything else."""
    assert client.get("/nothing").json()["error"]["kind"] == "unknown"
    assert client.get("/api/plan").status_code == 405
    assert client.get("/docs").status_code == 404
    assert client.get("/api/jobs/../../etc/passwd").status_code == 404
    assert json.loads(client.get("/api/jobs/x/y").text)["error"]["problem"]
