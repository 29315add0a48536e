"""The page, and what a browser may do for it: its own scripts, known by their digests, and this service."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache

from equipoise.report import serve_page, serve_scripts


@cache
def page() -> str:
    """The page: the same for everyone, nothing of any cluster is in it."""
    return serve_page()


@cache
def policy() -> str:
    """Its content security policy: no script but those of the page, no address but this service."""
    inline = re.findall(r"<script>(.*?)</script>", page(), re.S)
    digests = " ".join(f"'sha256-{digest(script)}'" for script in (*inline, *serve_scripts()))
    return (
        f"default-src 'none'; script-src {digests}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def digest(script: str) -> str:
    """As a policy writes it."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
