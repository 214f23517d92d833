"""The pages of each command, and the navigation of the site: both follow from the names of files."""

import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LISTED = ("eval", "measures", "results", "completion")  # pages of the core, which stand in hand-written lists
GUIDES, BACKGROUND = "guides/", "background/"  # in mkdocs.yml: pages of the commands of a group, and their backgrounds


def list_commands() -> dict[str, list[str]]:
    """List the commands of each group as docs/commands.md does, which is made from the code."""
    text = (HERE / "commands.md").read_text("utf-8")
    groups = re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", text, re.MULTILINE)
    return {title: re.findall(r"\]\(commands/([\w-]+)\.md\)", rows) for title, rows in groups}


def find_guide(name: str) -> list[str]:
    """Find the pages about one command: NAME.md, and behind it its backgrounds, NAME-*.md."""
    if name in LISTED or not (HERE / f"{name}.md").exists():
        return []
    return [f"{name}.md", *sorted(path.name for path in HERE.glob(f"{name}-*.md"))]


def expand_navigation(nav: Any) -> Any:
    """Replace folders in the navigation: guides/GROUP, background/, and a folder of pages with a page of its name."""
    if isinstance(nav, list):
        several = [expand_navigation(each) for each in nav]
        return [each for found in several for each in (found if isinstance(found, tuple) else (found,))]
    if isinstance(nav, dict):
        return {title: expand_navigation(each) for title, each in nav.items()}
    groups = list_commands()
    if nav.startswith(GUIDES):
        return tuple(page for name in groups[nav.removeprefix(GUIDES)] for page in find_guide(name)[:1])
    if nav == BACKGROUND:
        return tuple(page for names in groups.values() for name in names for page in find_guide(name)[1:])
    if not nav.endswith("/"):
        return nav
    index = f"{nav[:-1]}.md"
    text = (HERE / index).read_text("utf-8")
    return [index, *dict.fromkeys(re.findall(rf"\]\(({re.escape(nav)}[\w.-]+\.md)\)", text))]
