"""Page data into one self-contained HTML file: nothing is fetched, and equal data gives equal bytes."""

from __future__ import annotations

import base64
import gzip
import json
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.report import words

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent


@cache
def environment() -> Environment:
    """Templates that escape everything and stop at an unknown name."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from equipoise.report.compiled import Compiled

    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        bytecode_cache=Compiled(Path(cache_from_source(__file__)).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(
        number=words.number,
        size=words.size,
        rate=words.rate,
        duration=words.duration,
        percent=words.percent,
        in_form=words.in_form,
    )
    env.globals.update(plural=words.plural, spread=words.spread)
    return env


@cache
def asset(name: str) -> str:
    """Text of a file in ``assets/``."""
    return (HERE / "assets" / name).read_text(encoding="utf-8")


@cache
def chart_script() -> str:
    """The packed chart script as the page carries it, base64."""
    return base64.b64encode((HERE / "assets" / "charts.min.js.gz").read_bytes()).decode("ascii")


def chart_program() -> str:
    """The chart script as the page unpacks it."""
    return gzip.decompress((HERE / "assets" / "charts.min.js.gz").read_bytes()).decode("utf-8")


def packed(data: Any) -> str:
    """JSON, gzipped without a time stamp, base64: safe inside a script element as it stands."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 6, mtime=0)).decode("ascii")


def page(
    template: str, title: str, data: dict[str, Any], in_browser: tuple[str, ...], *, own: str = ""
) -> str:
    """The page: ``data`` for the template, its keys ``in_browser`` also for the scripts.

    ``own``: the name of the style and the script that this page has beside those of all.
    """
    from markupsafe import Markup

    return (
        environment()
        .get_template(template)
        .render(
            page_title=title,
            css=Markup(asset("page.css") + (asset(f"{own}.css") if own else "")),
            scripts=Markup(asset("draw.js") + (asset(f"{own}.js") if own else "") + asset("page.js")),
            chart_script=chart_script(),
            packed=packed({key: data[key] for key in in_browser}),
            **data,
        )
    )
