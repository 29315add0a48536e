"""Pages of the docs' site that are cut out of others, and links that lead to them; see mkdocs.yml.

The README is the first page; the page of tasks is one page for each thing that people come to do as well,
and the page of goals one for each goal. So nothing is written twice, and what tests hold of the originals
holds of the site.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
FENCED = re.compile(r"(^```.*?^```$)", re.M | re.S)
WHOLE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Files of the repository that are pages as they are."""
ALIASES = {"README.md": "index.md", "docs/decisions/README.md": "decisions/index.md"}
"""Files that are pages under another name."""


class Made(NamedTuple):
    """A page of the site that is no file of docs."""

    path: str
    """In the site's folder of sources."""
    title: str
    text: str
    origin: str
    """The file of the repository that it is cut out of, from where its links are meant."""


def pages() -> Iterator[Made]:
    """Every page that is made, in the order of the navigation."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    yield Made("index.md", "Equipoise", readme, "README.md")
    yield from of_headings((ROOT / "docs" / "tasks.md").read_text(encoding="utf-8"))
    yield from of_goals((ROOT / "docs" / "goals.md").read_text(encoding="utf-8"))
    for name in WHOLE:
        text = (ROOT / name).read_text(encoding="utf-8")
        yield Made(name, text.partition("\n")[0].removeprefix("# "), text, name)


def of_headings(text: str) -> Iterator[Made]:
    """A page for each second heading."""
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        yield Made(f"tasks/{slug(title)}.md", title, f"# {title}\n{body}", "docs/tasks.md")


def of_goals(text: str) -> Iterator[Made]:
    """A page for each goal: its row in the table, and what is told of when it binds."""
    table = text.partition("\n| goal |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([\w-]+)` \|\s*([^|]*?)\s*\| (.*) \|$", table, re.M)
    for name, place, value in rows:
        (told,) = re.findall(rf"^- \*\*`{name}`\*\*: (.*?)(?=^- \*\*`|^\n|^$)", text, re.M | re.S)
        order = f"In the default order it is number {place}." if place else "It is not in the default order."
        body = re.sub(r"^  ", "", told, flags=re.M).strip()
        first = body[:1].upper() + body[1:]
        yield Made(
            f"goals/{name}.md",
            name,
            f"# `{name}`\n\nValue: {value}. It is made as small as possible.\n\n{order} "
            f"[All goals](goals.md) tells of bands, lists and budgets.\n\n{first}\n",
            "docs/goals.md",
        )


def slug(title: str) -> str:
    """A title as part of an address, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def linked(text: str, origin: str, path: str, made: dict[str, str]) -> str:
    """The page with its links as the site needs them.

    Links of ``origin`` lead to files of the repository. Those that are pages are made relative to ``path``;
    of others, such as sources, the text alone stays.
    """

    def replaced(link: re.Match[str]) -> str:
        target, _, heading = link[2].partition("#")
        if re.match(r"[a-z]+:", link[2]) or not target:
            return link[0]
        page = page_of(posixpath.normpath(posixpath.join(posixpath.dirname(origin), target)), made)
        if page is None:
            return link[1]
        there = posixpath.relpath(page, posixpath.dirname(path) or ".")
        return f"[{link[1]}]({there}{'#' + heading if heading else ''})"

    parts = FENCED.split(text)
    return "".join(part if at % 2 else LINK.sub(replaced, part) for at, part in enumerate(parts))


def page_of(file: str, made: dict[str, str]) -> str | None:
    """Where a file of the repository is in the site; None where it is not."""
    if file in ALIASES:
        return ALIASES[file]
    if file in made:
        return file
    return file.removeprefix("docs/") if file.startswith("docs/") and (ROOT / file).is_file() else None


def on_config(config: Any) -> Any:
    """Folders in the navigation become the pages in them."""
    config["nav"] = [filled(entry) for entry in config["nav"]]
    return config


def filled(entry: Any) -> Any:
    """An entry of the navigation; ``{title: "folder/"}`` and ``"folder/"`` in a list stand for pages."""
    if not isinstance(entry, dict):
        return entry
    ((title, target),) = entry.items()
    if isinstance(target, list):
        parts = (within(one) if is_folder(one) else [filled(one)] for one in target)
        return {title: [page for part in parts for page in part]}
    return {title: within(target)} if is_folder(target) else entry


def is_folder(target: Any) -> bool:
    return isinstance(target, str) and target.endswith("/")


def within(folder: str) -> list[Any]:
    """The pages of a folder."""
    if folder == "decisions/":
        names = sorted(path.name for path in (ROOT / "docs" / folder).glob("0*.md"))
        return [{"All decisions": "decisions/index.md"}, *(f"decisions/{name}" for name in names)]
    return [{page.title: page.path} for page in pages() if page.path.startswith(folder)]


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    for page in pages():
        files.append(File.generated(config, page.path, content=page.text))
    decisions = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "decisions/index.md", content=decisions))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links as the site needs them."""
    made = {one.path: one.origin for one in pages()}
    path = page.file.src_uri
    return linked(markdown, made.get(path, f"docs/{path}"), path, made)
