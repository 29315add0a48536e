"""Families of what is given: damaged files, plan folders that were tampered with, hard names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from random import Random

from tools.fuzz import nasty
from tools.fuzz.case import Case, sound
from tools.fuzz.texts import PROPOSED, STATES


def formats(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A cluster of which one file was damaged."""
    files = sound(draw)
    name = draw.choice(sorted(files))
    files[name] = nasty.changed_text(files[name], draw)
    return Case("formats", ("plan", "c", *["--drain", "3"] * (draw.random() < 0.3)), files)


def proposals(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A reassignment that was damaged, to be judged."""
    text = draw.choice(PROPOSED).encode()
    files = {"c/state.json": STATES["state.json"].encode(), "theirs.json": nasty.changed_text(text, draw)}
    return Case("proposals", ("check", "theirs.json", "--current", "c", "--no-optimum"), files)


def folders(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A plan folder that was tampered with, its digests mended or not."""
    files = {f"plan/{name}": content for name, content in plan.items()}
    names = ["plan/plan.json"] * 6 + [name for name in files if not name.endswith("report.html")]
    name = draw.choice(names)
    change = nasty.other_value if name.endswith(".json") and draw.random() < 0.8 else nasty.changed_text
    files[name] = change(files[name], draw)
    if draw.random() < 0.9 and not name.endswith("SHA256SUMS"):
        digest = hashlib.sha256(files[name]).hexdigest()
        lines = files["plan/SHA256SUMS"].decode().splitlines()
        own = name.removeprefix("plan/")
        mended = [f"{digest}  {own}" if line.endswith(f"  {own}") else line for line in lines]
        files["plan/SHA256SUMS"] = ("\n".join(mended) + "\n").encode()
    return Case("plan folders", ("check", "plan", *["--no-optimum"] * (draw.random() < 0.6)), files)


def names(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """Files, racks and topics with names that are hard to print or to open."""
    odd = draw.choice([text for text in nasty.TEXTS if text and "/" not in text and text not in ("..",)])[
        :200
    ]
    files = {f"c{odd}/state.txt": STATES["state.txt"].encode()}
    rack = odd.replace('"', "").encode(errors="surrogateescape")
    if draw.random() < 0.6:
        files[f"c{odd}/brokers.csv"] = b'id,rack\n1,"' + rack + b'"\n2,b\n3,c\n'
    if draw.random() < 0.3:
        files[f"c{odd}/more.json"] = STATES["state.json"].replace('"b"', json.dumps("b" + odd)).encode()
    out = ("--out", f"o{odd}") if draw.random() < 0.5 else ()
    return Case(
        "names", ("plan", f"c{odd}", *draw.choice(((), ("--drain", "3"), ("-v",), ("--json",))), *out), files
    )


def looks(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A cluster as it is, or what a plan folder says of one thing in it."""
    as_json = ["--json"] * (draw.random() < 0.2)
    if draw.random() < 0.5:
        files = sound(draw)
        name = draw.choice(sorted(files))
        if draw.random() < 0.7:
            files[name] = nasty.changed_text(files[name], draw)
        return Case("looks", ("show", "c", *as_json), files)
    asked = draw.choice(
        ("orders-0", "3", "4", "orders", "orders-99", "b-0", "-1", *nasty.NUMBERS, *nasty.TEXTS)
    )
    files = {f"plan/{name}": content for name, content in plan.items()}
    return Case("looks", ("explain", "plan", *as_json, "--", asked), files)
