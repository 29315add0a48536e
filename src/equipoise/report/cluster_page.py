"""A cluster as it is, as the data of its page: what to know first, then loads, brokers, topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.report import words
from equipoise.report.brokers import rack_spans
from equipoise.report.cluster_table import UNWELL

NAMED = 10
"""Partitions that a line names."""


def cluster_page_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """The page data of what :func:`equipoise.report.cluster_data.cluster_data` says."""
    known = [load for load in data["loads"] if load["most"] is not None]
    return {
        **data,
        "cards": cards(data),
        "load_rows": [load_row(load) for load in known],
        "unwell": list(unwell(data)),
        "broker_loads": [load for load in known if load["load"] != "failover"],
        "not_known": [*(entry["then"] for entry in data["missing"]), *data["notes"]],
        "charts": {"loads": loads_chart(data["brokers"], known)} if known else {},
    }


def cards(data: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Title, figure and what it counts, of what should be nothing."""
    health, broken = data["health"], data["racks_broken"]
    down = ", ".join(str(one["broker"]) for one in health["not_alive"])
    isr = "no source tells the Isr"
    if health["isr_told"]:
        isr = f"of {words.plural(health['isr_told'], 'partition')} with an Isr"
    against = "racks are not known" if broken is None else "partitions with too many in a rack"
    return [
        ("Brokers not alive", words.number(len(health["not_alive"])), down or "none that any source tells"),
        ("Under-replicated", counted(health["under_replicated"]), isr),
        ("Without a leader", counted(health["without_leader"]), "partitions nobody can write to"),
        ("Against the rack rule", counted(broken), against),
    ]


def counted(found: Mapping[str, Any] | None) -> str:
    """How many partitions; "–" where no source tells."""
    return words.number(None if found is None else found["partitions"])


def load_row(load: Mapping[str, Any]) -> dict[str, Any]:
    """How level a load is: cells as they are read, and as they are sorted."""
    cells = [(words.in_form(load[key], load["unit"]), load[key]) for key in ("least", "share", "most")]
    skew = ("–", "") if load["skew"] is None else (f"{load['skew']:.2f}", load["skew"])
    return {"title": load["title"], "cells": [*cells, (str(load["most_on"]), load["most_on"]), skew]}


def unwell(data: Mapping[str, Any]) -> list[str]:
    """A sentence for each way in which partitions are unwell or break the rack rule."""
    found = [(data["health"][key], what) for key, what in UNWELL]
    found.append((data["racks_broken"], "with more replicas in a rack than the rule allows"))
    return [
        f"{words.plural(these['partitions'], 'partition')} {what}: {', '.join(these['first'][:NAMED])}"
        + (" …" if these["partitions"] > NAMED else "")
        for these, what in found
        if these and these["partitions"]
    ]


def loads_chart(brokers: Sequence[Mapping[str, Any]], loads: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every load that is known on each broker, one at a time, with its equal share."""
    racks = rack_spans([broker["rack"] or "" for broker in brokers])
    return {
        "id": "loads",
        "kind": "loads",
        "title": "On each broker",
        "caption": "One bar for each broker, the equal share as a line.",
        "ids": [broker["id"] for broker in brokers],
        "down": [broker["down"] for broker in brokers],
        "racks": [span for span in racks if span["name"]],
        "loads": [
            {
                "title": load["title"],
                "unit": load["unit"],
                "share": load["share"],
                "values": [broker[load["load"]] for broker in brokers],
                "caption": load_caption(load),
            }
            for load in loads
        ],
    }


def load_caption(load: Mapping[str, Any]) -> str:
    """Least, most and share of a load in a sentence."""
    least, most, share = (words.in_form(load[key], load["unit"]) for key in ("least", "most", "share"))
    told = f"{load['title']}: {least} to {most}; the equal share would be {share}."
    return told + (
        f" Not known of {words.plural(load['unknown'], 'partition')}." if load["unknown"] else ""
    )
