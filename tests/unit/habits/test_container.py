"""The Dockerfile: what can be said of it without building it, and the locked files of requirements."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
STEPS = [
    tuple(line.split(maxsplit=1))
    for line in re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", TEXT, flags=re.M)).splitlines()
    if line.strip()
]
"""Instruction and the rest of each, continued lines joined."""
PINNED = re.compile(r"^([a-z0-9-]+)(?:\[[a-z,]+\])?==(\S+)", re.M)


def steps(name: str) -> list[str]:
    return [rest for instruction, rest in STEPS if instruction == name]


def lint(text: str) -> list[str]:
    """The rules that hadolint finds broken."""
    found = subprocess.run(
        [Path(sys.executable).parent / "hadolint", "--format", "json", "--no-fail", "-"],
        input=text, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return [one["code"] for one in json.loads(found.stdout)]


def test_hadolint_finds_nothing() -> None:
    """And it would: an image of no version, an install without one."""
    assert lint(TEXT) == []
    assert {"DL3007", "DL3013"} <= set(lint("FROM python:latest\nRUN pip install --no-cache-dir numpy\n"))


def test_images_have_a_version() -> None:
    """No image that means another one tomorrow; both stages have the same."""
    images = {rest.split()[0] for rest in steps("FROM")}
    assert len(images) == 1 and re.fullmatch(r"python:3\.\d+-slim-\w+", images.pop())


def test_nothing_runs_as_root_or_through_a_shell() -> None:
    """The last user has a number, so that an orchestrator can see that it is not root."""
    assert steps("USER")[-1].isdigit() and int(steps("USER")[-1]) > 0
    assert all(json.loads(rest) for name in ("ENTRYPOINT", "CMD") for rest in steps(name))
    assert not steps("ADD") and "curl" not in TEXT and "sudo" not in TEXT


def test_what_is_installed_is_locked() -> None:
    """Libraries come from the lock with their hashes, the package itself without any."""
    installs = [rest for rest in steps("RUN") if "pip install" in rest]
    assert len(installs) == 2
    assert "--require-hashes -r requirements/image.txt" in installs[0]
    assert "--no-deps ." in installs[1]


def test_what_is_copied_is_there_and_let_in() -> None:
    """Each source exists, and `.dockerignore`, which keeps everything else out, lets it through."""
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = [line[1:] for line in ignored if line.startswith("!")]
    assert "*" in ignored
    copied = [word for rest in steps("COPY") if "--from" not in rest for word in rest.split()[:-1]]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert sorted(copied) == sorted(let_in)
    assert not any(fnmatch(name, "*.venv*") for name in let_in)


def test_every_file_of_the_package_is_copied() -> None:
    """What `pyproject.toml` puts into the wheel is in the image's build."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = wheel["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"src", *wheel["force-include"], *(name.split("/")[0] for name in wheel["shared-data"])}
    copied = {word for rest in steps("COPY") for word in rest.split()[:-1]}
    assert needed <= copied


def versions(name: str) -> dict[str, set[str]]:
    """Locked versions of each library; several where they differ by Python."""
    found: dict[str, set[str]] = {}
    for library, version in PINNED.findall((ROOT / "requirements" / name).read_text(encoding="utf-8")):
        found.setdefault(library, set()).add(version)
    return found


def test_the_image_has_what_the_checkout_has() -> None:
    """`tools/lock` makes both: a library has the same version in both, and the image has no Spark."""
    image, checkout = versions("image.txt"), versions("lock.txt")
    assert image and all(checkout[name] == found for name, found in image.items())
    assert "fastapi" in image and "pyspark" not in image and "pytest" not in image


def test_everything_locked_has_hashes() -> None:
    """pip then refuses anything else by itself."""
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        blocks = re.split(r"^(?=[a-z0-9])", path.read_text(encoding="utf-8"), flags=re.M)
        assert [block.split()[0] for block in blocks if "==" in block and "--hash=sha256:" not in block] == []


def test_the_wheel_is_built_by_one_version_of_the_backend() -> None:
    """Offline in tests, isolated elsewhere: the same one, or the bytes would differ."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (backend,) = project["build-system"]["requires"]
    assert backend in project["project"]["optional-dependencies"]["dev"]
