"""What a release rests on: the files that speak of a version, the workflows, and the rehearsal's own eyes."""

import re
import shutil
import subprocess
from importlib.util import module_from_spec, spec_from_file_location

import pytest
import yaml

from fairtrec_made import REPOSITORY

WORKFLOWS = {
    path.name: yaml.safe_load(path.read_text("utf-8")) for path in (REPOSITORY / ".github/workflows").glob("*.yml")
}


@pytest.fixture(scope="module")
def release():
    spec = spec_from_file_location("release", REPOSITORY / ".ci" / "release.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path):
    for name in ("CHANGELOG.md", "CITATION.cff"):
        shutil.copy(REPOSITORY / name, tmp_path)
    return tmp_path


def test_citation_and_changelog_are_of_the_tag(release):
    tag = subprocess.run(
        ["git", "describe", "--exact-match", "--tags", "--match", "v*"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    ).stdout.strip()  # fmt: skip
    version, _ = release.heading((REPOSITORY / "CHANGELOG.md").read_text("utf-8"))
    assert f"\nversion: {version}\n" in (REPOSITORY / "CITATION.cff").read_text("utf-8")
    if tag:
        assert release.notes(REPOSITORY, tag.removeprefix("v"))


def test_a_release_is_refused_until_the_files_speak_of_it(release, root):
    with pytest.raises(release.ReleaseError, match=r"CITATION.cff is of \S+, not 3\.4\.5"):
        release.notes(root, "3.4.5")
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    release.prepare(root, "3.4.5")
    notes = release.notes(root, "3.4.5")
    assert notes.splitlines()[-1] in changelog
    assert re.search(r"^date-released: 20\d\d-\d\d-\d\d$", (root / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    dated = (root / "CHANGELOG.md").read_text("utf-8")
    (root / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## 3.5.0, not yet released\n\n- new\n\n{dated.partition('## ')[2]}", "utf-8"
    )
    with pytest.raises(release.ReleaseError, match=r"the first heading of CHANGELOG.md is 3\.5\.0, not yet released"):
        release.notes(root, "3.4.5")


def test_the_notes_of_the_first_release_fit_ten_lines():
    _, _, notes = (REPOSITORY / "CHANGELOG.md").read_text("utf-8").partition("## 0.1.0")
    lines = notes.partition("\n## ")[0].rstrip().splitlines()
    assert 4 < len(lines) <= 10
    assert max(map(len, lines)) <= 120


def test_notes_are_of_one_version_alone(release, root):
    (root / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 0.2.0 (2027-01-02)\n\n### All else\n\n- b\n\n## 0.1.0 (2026-01-02)\n\n- a\n"
    )
    (root / "CITATION.cff").write_text("version: 0.2.0\ndate-released: 2027-01-02\n")
    assert release.notes(root, "0.2.0") == "### All else\n\n- b\n"


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_little_ends_and_names_what_it_uses_by_commit(name):
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 180
        for step in job["steps"]:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step.get("uses", f"a/b@{'0' * 40}"))
            assert "${{" not in step.get("run", "")
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"]["persist-credentials"] is False


def test_ci_is_on_three_systems_and_four_pythons():
    jobs = WORKFLOWS["ci.yml"]["jobs"]
    assert jobs["check"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    systems = {*jobs["check"]["strategy"]["matrix"]["os"], *jobs["installed"]["strategy"]["matrix"]["os"]}
    assert {"ubuntu-latest", "macos-latest", "windows-latest", "ubuntu-24.04-arm"} <= systems


def test_weekly_workflows_name_targets_of_make():
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    targets = WORKFLOWS["weekly.yml"]["jobs"]["make"]["strategy"]["matrix"]["target"]
    assert {"oldest", "spark", "embed", "adv", "release-check"} <= {*targets}
    assert not [target for target in targets if not re.search(rf"^{target}: ", makefile, re.MULTILINE)]
