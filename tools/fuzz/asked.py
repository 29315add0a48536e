"""Families of what is asked: any options, those of loads, those that undo each other, those of a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random

from tools.fuzz import nasty
from tools.fuzz.case import Case, sound
from tools.fuzz.texts import BESIDE, STATES
from tools.fuzz.values import CONTRADICTIONS, FLAGS, LOADS, OF_FLEETS, VALUES, has, value_of


def options(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """Any options on a sound cluster."""
    verb = draw.choices(("plan", "check", "frontier", "compare"), (12, 4, 2, 0.15))[0]
    files = sound(draw) | {"racks.csv": b"1,a\n2,b\n3,c\n", "state.txt": b"x"}
    words = [verb]
    other = draw.choice(("[2, 3]", "[1, 1]", "[9]", "[]"))
    files["theirs.json"] = STATES["state.json"].replace("[1, 2]", other).encode()
    if verb == "check":
        words += ["theirs.json", "--current", "c", *["--no-optimum"] * (draw.random() < 0.7)]
    else:
        words += ["c", *["--time-limit", draw.choice(("3", "3", "nan", "1e30"))] * (verb == "compare")]
    for option in draw.sample(sorted(VALUES), draw.choice((1, 1, 1, 2, 2, 4))):
        words += [option, value_of(VALUES, option, draw)] * has(verb, option)
    words += [flag for flag in FLAGS if draw.random() < 0.08 and has(verb, flag)]
    return Case("options", tuple(words), files)


def loads(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """Options of loads and log dirs, on a cluster of which most is told."""
    verb = draw.choices(("plan", "frontier", "check"), (8, 1, 1))[0]
    state = draw.choice(("state.txt", "kcat.json", "cluster_state.json"))
    files = {f"c/{name}": text.encode() for name, text in BESIDE.items() if draw.random() < 0.7}
    files[f"c/{state}"] = STATES[state].encode()
    if draw.random() < 0.25:
        name = draw.choice(sorted(files))
        files[name] = nasty.changed_text(files[name], draw)
    files["theirs.json"] = STATES["state.json"].encode()
    words = ["check", "theirs.json", "--current", "c"] if verb == "check" else [verb, "c"]
    for option in draw.sample(sorted(LOADS), draw.choice((1, 2, 3))):
        words += [option, draw.choice(LOADS[option])]
    words += draw.choice(([], ["--drain", "3"], ["--leaders-only"], ["--replace", "3=4"], ["--out", "o"]))
    return Case("loads", tuple(words[:-2] if words[-1] == "o" and verb != "plan" else words), files)


def contradictions(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """Options that cannot all be meant."""
    words = draw.choice(CONTRADICTIONS).split()
    state = draw.choice(("state.txt", "state.json"))
    files = {f"c/{state}": STATES[state].encode(), "theirs.json": STATES[state].encode()}
    return Case("contradictions", ("plan", "c", *words), files, contradicts=True)


def wishes(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A fleet of one cluster, with what is wished for it in a file."""
    option = draw.choice(sorted(VALUES)).removeprefix("--")
    value = draw.choice((*VALUES["--" + option], *nasty.NUMBERS[:9]))
    text = draw.choice(
        (
            f"{option} = {json.dumps(value)}",
            f"{option} = {value}",
            f'["c*"]\n{option} = {json.dumps(value)}',
            f"{option} = [{json.dumps(value)}]",
        )
    ).encode(errors="replace")
    if draw.random() < 0.3:
        text = nasty.changed_text(text, draw)
    where = draw.choice(("f/equipoise.toml", "f/c/equipoise.toml"))
    files = {"f/c/state.json": STATES["state.json"].encode(), where: text}
    words = [
        word
        for option in OF_FLEETS
        if draw.random() < 0.1
        for word in (option, value_of(OF_FLEETS, option, draw))
    ]
    return Case("wishes", ("run", "f", "--check", *words), files)
