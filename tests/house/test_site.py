"""The site has each page of docs/, and docs/contents.md, one link from the README, has a link to each other page."""

import re

import pytest

from fairtrec_made import REPOSITORY

PAGES = sorted(path.name for path in (REPOSITORY / "docs").glob("*.md"))
FOLDERS = sorted({path.parent.name for path in (REPOSITORY / "docs").glob("*/*.md")})


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_in_a_section_of_the_site(page):
    navigation = (REPOSITORY / "mkdocs.yml").read_text("utf-8")
    folder = page.replace(".md", "/")  # which stands for the page and those in the folder
    name = folder if folder[:-1] in FOLDERS else page
    assert re.search(rf"^ +- ([\w ]+: )?{re.escape(name)}$", navigation, re.MULTILINE)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_page_of_a_folder_links_to_each_page_in_it(folder):
    index = (REPOSITORY / "docs" / f"{folder}.md").read_text("utf-8")
    linked = {*re.findall(rf"\]\({folder}/([\w.-]+\.md)\)", index)}
    assert linked == {path.name for path in (REPOSITORY / "docs" / folder).glob("*.md")}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_at_most_two_links_from_the_readme(page):
    contents = (REPOSITORY / "docs" / "contents.md").read_text("utf-8")
    assert "](docs/contents.md)" in (REPOSITORY / "README.md").read_text("utf-8")
    assert page == "contents.md" or f"]({page})" in contents


def test_the_readme_is_short():
    assert len((REPOSITORY / "README.md").read_text("utf-8").split()) <= 550
