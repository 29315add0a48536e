"""Many clients at once for some minutes against a real `equipoise serve`: every answer right, memory bounded.

    python -m tools.soak --clients 32 --seconds 120

Each client has a cluster of its own, with a name that nobody else may ever see, and asks in turn for what
people ask for; every sixth request is broken, too large, or left alone before it is answered. It ends with
figures, and with 1 where an answer was wrong or memory grew from the first half to the second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import httpx

BODY_BYTES = 1 << 20
LISTS = [[k % 10, 10 + (3 * k) % 10] for k in range(40)]
"""Replicas of the cluster of client 0; those of the others are moved along."""
GROWTH = 1.25
"""What the second half may have of the memory of the first, and as much again as a process has."""
PROCESS_BYTES = 128 << 20
VERBS = ("plan", "show", "frontier", "check", "submit")


class Client:
    """One of those who ask: its cluster, and what came of it."""

    def __init__(self, number: int, web: httpx.AsyncClient) -> None:
        self.name = f"secret-of-{number}-{random.Random(number).getrandbits(64):016x}"
        self.web, self.number = web, number
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.seconds: list[float] = []

    def body(self, verb: str) -> dict[str, object]:
        """What is sent for a verb: broker 3 of this client is to go."""
        shift = 20 * self.number
        rows = [{"topic": self.name, "partition": k, "replicas": [broker + shift for broker in held]}
                for k, held in enumerate(LISTS)]  # fmt: skip
        assignment = {"version": 1, "partitions": rows}
        if verb == "submit":
            staying = ",".join(str(k + shift) for k in range(20) if k != 3)
            return {"brokers": staying, "partitions": assignment}
        call = {"sources": [{"name": "now.json", "text": json.dumps(assignment)}]}
        more = {"show": {}, "check": {"reassignment": assignment, "optimum": False}}
        return call | more.get(verb, {"options": {"drain": str(3 + shift)}})

    async def ask(self, until: float) -> None:
        """One request after the other."""
        turn = 0
        while time.monotonic() < until:
            kind = turn % (len(VERBS) + 1)
            await (self.good(VERBS[kind]) if kind < len(VERBS) else self.hostile(turn))
            turn += 1

    async def good(self, verb: str) -> None:
        path, begun = "/submit" if verb == "submit" else f"/api/{verb}", time.monotonic()
        answer = await self.web.post(path, json=self.body(verb))
        self.counts[f"{answer.status_code} of {path}"] += 1
        if answer.status_code == 503:  # too many wait
            await asyncio.sleep(1)
            return
        self.seconds.append(time.monotonic() - begun)
        if answer.status_code != 200 or not self.is_mine(verb, answer):
            self.wrong.append(f"{path}: {answer.status_code} {answer.text[:200]}")

    def is_mine(self, verb: str, answer: httpx.Response) -> bool:
        """Whether an answer is of this client's cluster, and right."""
        found, gone = answer.json(), 3 + 20 * self.number
        if verb in ("plan", "submit"):
            moved = found["partitions"] if verb == "submit" else found["moves"]
            lists = [row["replicas" if verb == "submit" else "after"] for row in moved]
            topics = {row["topic"] for row in moved}
            return topics == {self.name} and not any(gone in held for held in lists)
        if verb == "frontier":
            return found["points"][-1]["percent"] == 100
        return self.name in answer.text if verb == "show" else found["verdict"] == "pass"

    async def hostile(self, turn: int) -> None:
        """Broken, too large, or nobody waits for the answer."""
        kind = (turn // (len(VERBS) + 1) + self.number) % 3
        if kind == 2:
            try:
                await self.web.post("/api/plan", json=self.body("plan"), timeout=0.05)
            except httpx.TimeoutException:
                self.counts["left"] += 1
            return
        content = b'{"sources": [' if kind else bytes(BODY_BYTES + 1)
        answer = await self.web.post("/api/plan", content=content)
        self.counts[str(answer.status_code)] += 1
        if answer.status_code not in (400, 413, 503) or "Traceback" in answer.text:
            self.wrong.append(f"hostile: {answer.status_code} {answer.text[:200]}")


def resident(root: int) -> int:
    """Bytes of memory of a process and of those that it started."""
    parents, sizes = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)], sizes[int(stat.parent.name)] = int(fields[1]), int(fields[21]) * 4096
    family = {root}
    while more := {one for one, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(sizes.get(one, 0) for one in family)


async def soak(address: str, process: int, clients: int, seconds: float) -> int:
    """Ask, watch the memory, and tell; 1 where an answer was wrong or memory grew."""
    many = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=many) as web:
        everyone, samples = [Client(k, web) for k in range(clients)], [resident(process)]
        until = time.monotonic() + seconds

        async def watch() -> None:
            while time.monotonic() < until:
                await asyncio.sleep(2)
                samples.append(resident(process))

        await asyncio.gather(watch(), *(one.ask(until) for one in everyone))
        up = (await web.get("/health")).json()["jobs"]
    counts = sum((one.counts for one in everyone), Counter[str]())
    wrong = [text for one in everyone for text in one.wrong]
    took = sorted(second for one in everyone for second in one.seconds)
    early, late = max(samples[: len(samples) // 2 + 1]), max(samples[len(samples) // 2 :])
    if late > GROWTH * early + PROCESS_BYTES:
        wrong.append(f"memory grew from {early >> 20} to {late >> 20} MiB")
    told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"{clients} clients, {seconds:g} s: {told}; {len(wrong)} wrong; afterwards {up}")
    print(f"an answer took {took[len(took) // 2]:.2f} s at the median, {took[-1]:.2f} s at most")
    first, early_mib, late_mib = (size >> 20 for size in (samples[0], early, late))
    print(f"memory: {first} MiB at first, {early_mib} in the first half, {late_mib} in the second")
    for text in wrong[:5]:
        print(text, file=sys.stderr)
    return int(bool(wrong))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=120)
    given = parser.parse_args()
    serve = ["serve", "--port", "0", "--max-body", str(BODY_BYTES)]
    command = [sys.executable, "-m", "equipoise.cli.main", *serve]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().split()[-1]
            return asyncio.run(soak(address, process.pid, given.clients, given.seconds))
        finally:
            process.terminate()


if __name__ == "__main__":
    sys.exit(main())
