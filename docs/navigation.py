"""Pages of commands, the navigation of the site, and links to these pages: they follow from the files that there are.

The page of a command says in a comment on which pages a link to it stands, and with which words:

    <!-- see also
    gold.md: To do something with labels, use [NAME](NAME.md).
    -->
"""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LISTED = ("eval", "measures", "results", "completion")  # pages of the core, which stand in hand-written lists
GUIDES, BACKGROUND = "guides/", "background/"  # in mkdocs.yml: pages of the commands of a group, and their backgrounds

_DECLARED = re.compile(r"^<!-- see also\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
SEE_ALSO = "\n<!-- links of the pages of commands, made by `make docs` -->\n\n## See also\n\n"


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
        return tuple(page for name in groups.get(nav.removeprefix(GUIDES), ()) for page in find_guide(name)[:1])
    if nav == BACKGROUND:
        return tuple(page for names in groups.values() for name in names for page in find_guide(name)[1:])
    if not nav.endswith("/"):
        return nav
    index = f"{nav[:-1]}.md"
    text = (HERE / index).read_text("utf-8")
    return [index, *dict.fromkeys(re.findall(rf"\]\(({re.escape(nav)}[\w.-]+\.md)\)", text))]


def write_see_also(made: Collection[str] = ()) -> dict[str, str]:
    """Write at the end of pages the links that pages of commands declare for them; no page that is made takes any."""
    texts = {path.name: path.read_text("utf-8") for path in sorted(HERE.glob("*.md"))}
    links: dict[str, list[str]] = {}
    for name, text in texts.items():
        for block in _DECLARED.findall(text):
            for line in block.splitlines():
                page, _, words = line.partition(": ")
                if page not in texts or page in made or not words:
                    raise ValueError(f"docs/{name}: no page takes the link {line!r}")
                links.setdefault(page, []).append(f"- {words}\n")
    return {
        name: text.partition(SEE_ALSO)[0] + (SEE_ALSO + "".join(links[name]) if name in links else "")
        for name, text in texts.items()
        if name in links or SEE_ALSO in text
    }
