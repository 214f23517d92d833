"""The site has each page of docs/, and docs/contents.md, one link from the README, has a link to each other page."""

import re
import runpy

import pytest
import yaml

from fairtrec_made import REPOSITORY
from fairtrec_made.rows import walk

PAGES = sorted(path.name for path in (REPOSITORY / "docs").glob("*.md"))
FOLDERS = sorted({path.parent.name for path in (REPOSITORY / "docs").glob("*/*.md")})

IN_FOLDERS = {f"{path.parent.name}/{path.name}" for path in (REPOSITORY / "docs").glob("*/*.md")}
AT_ROOT = {"index.md", "contributing.md", "changelog.md"}  # which docs/pages.py adds
NAVIGATION = runpy.run_path(str(REPOSITORY / "docs" / "navigation.py"))["expand_navigation"](
    yaml.safe_load((REPOSITORY / "mkdocs.yml").read_text("utf-8"))["nav"]
)


def list_pages(nav):
    """List the pages and addresses of a navigation."""
    if isinstance(nav, str):
        return [nav]
    return [page for each in (nav.values() if isinstance(nav, dict) else nav) for page in list_pages(each)]


@walk(PAGES)
def test_a_page_is_in_a_section_of_the_site(page):
    assert page in list_pages(NAVIGATION)


def test_each_page_of_the_site_is_in_one_section():
    listed = list_pages(NAVIGATION)
    assert len(listed) == len({*listed})
    assert {name for name in listed if ":" not in name} == {*PAGES, *IN_FOLDERS, *AT_ROOT}


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_page_of_a_folder_links_to_each_page_in_it(folder):
    index = (REPOSITORY / "docs" / f"{folder}.md").read_text("utf-8")
    linked = {*re.findall(rf"\]\({folder}/([\w.-]+\.md)\)", index)}
    assert linked == {path.name for path in (REPOSITORY / "docs" / folder).glob("*.md")}


@walk(PAGES)
def test_a_page_is_at_most_two_links_from_the_readme(page):
    contents = (REPOSITORY / "docs" / "contents.md").read_text("utf-8")
    assert "](docs/contents.md)" in (REPOSITORY / "README.md").read_text("utf-8")
    assert page == "contents.md" or f"]({page})" in contents


def test_the_readme_is_short():
    assert len((REPOSITORY / "README.md").read_text("utf-8").split()) <= 550
