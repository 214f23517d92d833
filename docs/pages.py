"""A hook of MkDocs: the README and its companions are pages of the site, too, under links that hold there."""

import re
import tomllib
from pathlib import Path
from typing import Any

from formulas import set_formula
from mkdocs.structure.files import File, Files
from navigation import expand_navigation

ROOT = Path(__file__).parent.parent
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
SCHEMA = "results.schema.json"  # at the address that it gives itself
_FORMULA = re.compile(r"^<!-- formula -->\n```text\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
SOURCE = "https://github.com/fairtrec/fairtrec/blob/main/"


def on_config(config: Any) -> Any:
    """Replace folders in the navigation with their pages."""
    config.nav = expand_navigation(config.nav)
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that stand at the root of the repository, and the schema of results files."""
    for name, page in PAGES.items():
        text = re.sub(r"\]\(docs/", "](", _without_checkout((ROOT / name).read_text("utf-8")))
        files.append(File.generated(config, page, content=_linked(text)))
    schema = (ROOT / "fairtrec" / SCHEMA).read_text("utf-8")
    files.append(File.generated(config, SCHEMA, content=schema))
    return files


def _without_checkout(text: str) -> str:
    """Tell who has no checkout how to begin, as the page of PyPI does, whose build knows the words."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    first, *_ = project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]
    return re.sub(first["pattern"], first["replacement"], text)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Mend the links of a page to files beside docs/, and set formulas."""
    return _FORMULA.sub(lambda found: set_formula(found[1]), _linked(markdown.replace("](../", "](")))


def on_page_content(html: str, **_: Any) -> str:
    """Show a bar in the code of a table as it is; in Markdown it has a backslash before it."""
    return re.sub(r"<code>[^<]*</code>", lambda code: code[0].replace("\\|", "|"), html)


def _linked(text: str) -> str:
    """Turn links to files of the repository into links to pages, or to the source where there is no page."""

    def place(link: re.Match[str]) -> str:
        name, anchor = link[1], link[2] or ""
        if name in PAGES:
            return f"]({PAGES[name]}{anchor})"
        return f"]({SOURCE}{name}{anchor})" if not name.startswith("docs/") and (ROOT / name).exists() else link[0]

    return re.sub(r"\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)", place, text)
