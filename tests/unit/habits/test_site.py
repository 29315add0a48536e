"""The docs' site as far as it is known without making it: pages cut out of others, links, what it loads."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from tools.pages import LINK, ROOT, filled, linked, pages

from equipoise.planning.goals import ALL_GOALS

SETTINGS = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
DOCS = ROOT / "docs"
MADE = {page.path: page for page in pages()}
ORIGINS = {page.path: page.origin for page in pages()}
IN_DOCS = {str(path.relative_to(DOCS)): path for path in sorted(DOCS.rglob("*.md"))}


def texts() -> dict[str, str]:
    """Every page of the site with the links that it has there."""
    found = {path: linked(page.text, page.origin, path, ORIGINS) for path, page in MADE.items()}
    for name, path in IN_DOCS.items():
        at = "decisions/index.md" if name == "decisions/README.md" else name
        found[at] = linked(path.read_text(encoding="utf-8"), f"docs/{name}", at, ORIGINS)
    return found


def test_each_goal_and_each_thing_to_do_has_a_page() -> None:
    """Those of the planner and of the page of tasks, each with what is told of it."""
    tasks = re.findall(r"^## (.*)$", (DOCS / "tasks.md").read_text(encoding="utf-8"), re.M)
    assert [page.title for page in MADE.values() if page.path.startswith("tasks/")] == tasks
    goals = {page.title: page.text for page in MADE.values() if page.path.startswith("goals/")}
    assert list(goals) == list(ALL_GOALS)
    assert all(len(text) > 150 and "**`" not in text for text in goals.values())


def test_every_link_of_the_site_leads_to_a_page() -> None:
    """Whatever folder a page has come to; a source that is no page is left without a link."""
    there = texts()
    for path, text in there.items():
        for _, target in LINK.findall(re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)):
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target.partition("#")[0]))
            outside = re.match(r"[a-z]+:|#", target)
            assert outside or file in there or (DOCS / file).is_file(), f"{path}: {target}"


def test_code_stays_as_it_is() -> None:
    """Brackets and parentheses of Python are no link."""
    code = "```python\nGOALS[goal](plan)\n```"
    page = linked(f"{code}\n[all](docs/goals.md)", "README.md", "tasks/x.md", {})
    assert page == f"{code}\n[all](../goals.md)"


def test_every_page_is_in_the_navigation() -> None:
    """By its name or by its folder."""
    told = SETTINGS.partition("\nnav:")[2]
    named = set(re.findall(r"([\w./-]+\.md)", told))
    folders = tuple(re.findall(r"([\w-]+/)$", told, re.M))
    assert [path for path in texts() if path not in named and not path.startswith(folders)] == []


def test_folders_of_the_navigation_become_pages() -> None:
    """Beside single pages as well."""
    goals = filled({"Goals": [{"All goals": "goals.md"}, "goals/"]})["Goals"]
    assert goals[:2] == [{"All goals": "goals.md"}, {"racks": "goals/racks.md"}]
    assert len(goals) == 1 + len(ALL_GOALS)
    assert filled({"Start": "start.md"}) == {"Start": "start.md"}


def test_nothing_is_loaded_from_elsewhere() -> None:
    """No fonts, no scripts, no diagrams that a script of another host would draw, no pictures of others."""
    assert "  font: false" in SETTINGS
    assert "http" not in SETTINGS and "mermaid" not in SETTINGS
    for path, text in texts().items():
        assert not re.search(r"```mermaid|!\[[^\]]*\]\(https?:|<(?:img|script|iframe)\b", text), path


def test_the_site_has_an_environment_of_its_own() -> None:
    """The usual lock has nothing of it, so that neither holds the other back."""
    assert "mkdocs-material==" in (ROOT / "requirements" / "docs.txt").read_text(encoding="utf-8")
    assert "mkdocs" not in (ROOT / "requirements" / "lock.txt").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "tools/setup .venv-docs requirements/docs.txt" in makefile and "mkdocs build --strict" in makefile


def test_pages_made_are_no_files() -> None:
    """A file of the same name would be hidden by the page that is made."""
    assert [path for path in MADE if Path(DOCS / path).exists()] == []
