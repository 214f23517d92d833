"""The site has each page of docs/, and each page is linked from the README; `make site` holds the links."""

import re

import pytest

from fairtrec_made import REPOSITORY

PAGES = sorted(path.name for path in (REPOSITORY / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_in_a_section_of_the_site_and_in_the_readme(page):
    assert re.search(rf"^ +- (\w+: )?{re.escape(page)}$", (REPOSITORY / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    readme = (REPOSITORY / "README.md").read_text("utf-8") + (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    assert f"docs/{page}" in readme
