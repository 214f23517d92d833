"""The files that other programs and people look for: they agree with each other, and lead somewhere."""

import json
import re
import tomllib

import pytest
import yaml

from fairtrec_made import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
CITATION = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text("utf-8"))


def test_zenodo_has_what_the_citation_has():
    zenodo = json.loads((REPOSITORY / ".zenodo.json").read_text("utf-8"))
    assert zenodo["title"] == CITATION["title"]
    assert zenodo["license"] == CITATION["license"] == PROJECT["project"]["license"]
    assert zenodo["keywords"] == CITATION["keywords"]
    assert [each["name"] for each in zenodo["creators"]] == [each["name"] for each in CITATION["authors"]]
    assert zenodo["upload_type"] == CITATION["type"]
    assert [each["identifier"] for each in zenodo["related_identifiers"]] == [CITATION["repository-code"]]


def test_the_conda_recipe_asks_for_what_pyproject_asks_for():
    recipe = yaml.safe_load((REPOSITORY / "conda" / "recipe.yaml").read_text("utf-8"))
    project = PROJECT["project"]
    needed = {each.partition(";")[0].strip().replace(">=", " >=") for each in project["dependencies"]}
    assert {*recipe["requirements"]["run"]} == needed | {f"python {project['requires-python']}"}
    build = {re.sub("([<>])", r" \1", each, count=1) for each in PROJECT["build-system"]["requires"]}
    assert build <= {each for each in recipe["requirements"]["host"] if isinstance(each, str)}
    assert recipe["context"]["version"] == CITATION["version"]
    assert recipe["about"]["license"] == project["license"]
    assert (REPOSITORY / recipe["about"]["license_file"]).is_file()


@pytest.mark.parametrize(
    "name", ["CODE_OF_CONDUCT.md", "SECURITY.md", "RELEASING.md", ".github/PULL_REQUEST_TEMPLATE.md"]
)
def test_a_page_for_people_is_short_and_its_links_lead_somewhere(name):
    text = (REPOSITORY / name).read_text("utf-8")
    assert 5 < len(text.splitlines()) < 150
    links = re.findall(r"\]\((?!https:)([^)#]+)", text)
    assert not [link for link in links if not (REPOSITORY / link).exists()]


def test_the_release_page_names_what_the_workflow_and_the_rehearsal_have():
    page = (REPOSITORY / "RELEASING.md").read_text("utf-8")
    workflow = yaml.safe_load((REPOSITORY / ".github/workflows/release.yml").read_text("utf-8"))
    environments = [job["environment"] for job in workflow["jobs"].values() if "environment" in job]
    assert not [
        name for name in (*environments, "UPLOAD_URL", "github-pages", "Nothing else is missing.") if name not in page
    ]
    table = page.partition("## 6.")[2]
    assert not [job for job in workflow["jobs"] if job != "rehearse" and job not in table]
    commands = re.findall(r"(?:`| {4})make ([a-z-]+)", page)
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    assert {"release-check", "lock"} <= {*commands}
    assert not [name for name in commands if f"\n{name}: " not in makefile]
