"""Families of plans that are to be carried out, and of calls to the service."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from random import Random

from tools.fuzz import nasty
from tools.fuzz.case import NOBODY, SERVED, Case, sound
from tools.fuzz.texts import STATES
from tools.fuzz.values import OF_RUNS, OF_WATCHES, VALUES, has, value_of


def carrying(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A plan folder to be carried out, where nobody listens; its journal or orders may be damaged."""
    files = {f"plan/{name}": content for name, content in plan.items()}
    name = draw.choice(("", "journal.jsonl", "journal.jsonl", "steering.json"))
    if name == "journal.jsonl":
        lines = journal(plan)
        at = draw.randrange(len(lines))
        lines[at] = (nasty.other_value if draw.random() < 0.7 else nasty.changed_text)(lines[at], draw)
        files[f"plan/{name}"] = b"\n".join([*lines[: draw.randint(1, len(lines))], b""])
    elif name:
        files[f"plan/{name}"] = nasty.changed_text(b'{"paused": true, "throttle": 1000000}\n', draw)
    verb = draw.choice(
        (
            "apply",
            "apply",
            "status",
            "pause",
            "continue",
            "throttle",
            "cancel",
            "rollback",
            "snapshot",
            "watch",
        )
    )
    words = [verb, *["plan"] * (verb not in ("snapshot", "watch"))]
    if verb == "throttle":
        return Case("carrying", (*words, draw.choice(("1MB", "0", "-5", *nasty.NUMBERS))), files)
    if verb in ("pause", "continue"):
        return Case("carrying", tuple(words), files)
    words += [
        "--bootstrap-server",
        draw.choice((NOBODY, NOBODY, NOBODY, "", "x", "h:99999", "[::1", ",", "é:1")),
    ]
    if draw.random() < 0.2:
        words += ["--command-config", "client.properties"]
        files["client.properties"] = nasty.changed_text(
            b"security.protocol=PLAINTEXT\nsasl.mechanism=PLAIN\n", draw
        )
    if verb in ("apply", "rollback", "watch"):
        for option in draw.sample(sorted(OF_RUNS), draw.choice((0, 1, 2))):
            words += [option, value_of(OF_RUNS, option, draw)]
        words += ["--dry-run"] * (verb == "apply" and draw.random() < 0.3)
    if verb == "watch":
        words += ["--rounds", "1"]
        for option in draw.sample(sorted(OF_WATCHES), draw.choice((0, 1))):
            words += [option, value_of(OF_WATCHES, option, draw)]
    if verb == "snapshot":
        words += ["--out", value_of(VALUES, "--out", draw)]
    return Case("carrying", tuple(words), files)


def journal(plan: Mapping[str, bytes]) -> list[bytes]:
    """What a run of the plan may have written, up to its end."""
    digest = "sha256:" + hashlib.sha256(plan["SHA256SUMS"]).hexdigest()
    place, rates = ["orders-1"], {"1": {"leader.replication.throttled.rate": None}}
    entries: list[dict[str, object]] = [
        {"type": "begin", "plan": digest, "operation": "apply", "throttle": 1000, "bounds": [1000, 2000],
         "max_inflight": 3},
        {"type": "steer", "hold": "paused", "throttle": 2000, "bounds": None},
        {"type": "rates", "rate": "1000", "brokers": rates},
        {"type": "pairs", "topics": {"orders": {"leader.replication.throttled.replicas": ["1:2"]}}},
        {"type": "submit", "partitions": {"orders-1": [2, 4]}, "leaders": {"orders-1": 2},
         "topic_ids": {"orders": "x"}},
        {"type": "done", "partitions": place},
        {"type": "skip", "partitions": place, "why": "x"},
        {"type": "cancel", "partitions": {"orders-2": [3, 1]}},
        {"type": "restored", "partitions": ["orders-2"]},
        {"type": "unpaired", "topics": {"orders": {"leader.replication.throttled.replicas": ["1:2"]}}},
        {"type": "cleared", "topics": ["orders"], "brokers": [1]},
        {"type": "end", "outcome": "incomplete"},
    ]  # fmt: skip
    return [json.dumps(entry).encode() for entry in entries]


def calls(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """The body of a call to the service, with options that may be of any kind; or one that was damaged."""
    verb = draw.choices(("plan", "check", "show", "frontier", "submit"), (6, 3, 1, 1, 2))[0]
    sources = [{"name": name, "text": content.decode()} for name, content in sound(draw).items()]
    names = draw.sample(sorted(VALUES), draw.choice((0, 1, 1, 2)))
    options = {
        name.removeprefix("--"): draw.choice(nasty.SCALARS if draw.random() < 0.2 else VALUES[name])
        for name in names
        if has("check", name)
    }
    call: dict[str, object] = {"sources": sources, "options": options}
    if verb == "check":
        call |= {"reassignment": json.loads(STATES["state.json"]), "optimum": draw.random() < 0.5}
    if verb == "submit":
        call = {"brokers": draw.choice(VALUES["--brokers"]), "partitions": json.loads(STATES["state.json"])}
    body = json.dumps(call).encode(errors="replace")
    if draw.random() < 0.4:
        body = nasty.other_value(body, draw) if draw.random() < 0.7 else nasty.changed_text(body, draw)
    return Case("calls", (SERVED, verb), {"body": body})
