"""What a release rests on: the files that speak of a version, and the workflows, whose lines a rehearsal makes."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location

import pytest
import yaml

from fairtrec_made import REPOSITORY

DATED = ("CHANGELOG.md", "CITATION.cff", "conda/recipe.yaml")
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
    (tmp_path / "conda").mkdir()
    for name in DATED:
        shutil.copy(REPOSITORY / name, tmp_path / name)
    return tmp_path


def test_citation_and_changelog_are_of_the_tag(release):
    tag = subprocess.run(
        ["git", "describe", "--exact-match", "--tags", "--match", "v*"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    ).stdout.strip()  # fmt: skip
    version, _ = release.read_heading((REPOSITORY / "CHANGELOG.md").read_text("utf-8"))
    assert f"\nversion: {version}\n" in (REPOSITORY / "CITATION.cff").read_text("utf-8")
    if tag:
        assert release.read_notes(REPOSITORY, tag.removeprefix("v"))


def test_a_release_is_refused_until_the_files_speak_of_it(release, root):
    with pytest.raises(release.ReleaseError, match=r"CITATION.cff is of \S+, not 3\.4\.5"):
        release.read_notes(root, "3.4.5")
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    release.prepare(root, "3.4.5")
    notes = release.read_notes(root, "3.4.5")
    assert notes.splitlines()[-1] in changelog
    assert re.search(r"^date-released: 20\d\d-\d\d-\d\d$", (root / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert yaml.safe_load((root / "conda/recipe.yaml").read_text("utf-8"))["context"] == {"version": "3.4.5"}
    dated = (root / "CHANGELOG.md").read_text("utf-8")
    (root / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## 3.5.0, not yet released\n\n- new\n\n{dated.partition('## ')[2]}", "utf-8"
    )
    with pytest.raises(release.ReleaseError, match=r"the first heading of CHANGELOG.md is 3\.5\.0, not yet released"):
        release.read_notes(root, "3.4.5")


@pytest.mark.parametrize(
    ("variables", "version"),
    [({}, r"\d+\.\d+\.\d+\.dev0"), ({"GITHUB_REF_TYPE": "branch", "GITHUB_RUN_NUMBER": "17"}, r"\d+\.\d+\.\d+\.dev17")],
)
def test_what_is_built_of_no_tag_is_a_version_before_the_next(release, variables, version):
    """TestPyPI takes it: it has no part behind a plus."""
    assert re.fullmatch(version, release.choose_version(REPOSITORY, variables))
    assert release.choose_notes(REPOSITORY, variables) in (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    assert release.choose_notes(REPOSITORY, variables).strip()


def test_what_is_built_of_a_tag_has_its_version_or_is_refused(release, root):
    tag = {"GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "v3.4.5"}
    with pytest.raises(release.ReleaseError, match=r"CITATION.cff is of \S+, not 3\.4\.5"):
        release.choose_version(root, tag)
    release.prepare(root, "3.4.5")
    assert release.choose_version(root, tag) == "3.4.5"
    assert release.choose_notes(root, tag) == release.read_notes(root, "3.4.5")


def test_the_version_is_printed_without_a_carriage_return():
    command = [sys.executable, REPOSITORY / ".ci" / "release.py", "version"]
    alone = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    printed = subprocess.run(command, env=alone, capture_output=True, check=True).stdout
    assert re.fullmatch(rb"[\d.]+dev0\n", printed)


@pytest.fixture
def wheels(release, monkeypatch):
    """What cibuildwheel and uv answer: identifiers by runner, and the platforms for which a dependency has no wheel."""
    printed = {"linux": "cp311-manylinux_x86_64", "macos": "cp311-macosx_arm64", "windows": "cp311-win_amd64"}
    missing = []

    def answer(*words, **_):
        words = [*map(str, words)]
        if "cibuildwheel" in words:
            return printed[words[words.index("--platform") + 1]] + "\n"
        if words[words.index("--python-platform") + 1] in missing:
            raise release.ReleaseError("scipy has no usable wheels")
        return ""

    monkeypatch.setattr(release, "run", answer)
    return printed, missing


def test_each_platform_that_gets_a_wheel_is_listed(release, wheels):
    listed = release.list_platforms(REPOSITORY)
    assert listed == ["cp311-manylinux_x86_64", "cp311-manylinux_x86_64", "cp311-macosx_arm64", "cp311-win_amd64"]


def test_a_platform_for_which_a_dependency_has_no_wheel_is_refused(release, wheels):
    printed, missing = wheels
    printed["windows"] = "cp311-win32\ncp311-win_amd64"
    missing.append("i686-pc-windows-msvc")
    with pytest.raises(
        release.ReleaseError, match="windows-latest builds cp311-win32, for which a dependency has no wheel"
    ):
        release.list_platforms(REPOSITORY)


@pytest.mark.parametrize(
    ("identifiers", "fault"), [("", "builds nothing on windows-latest"), ("cp311-win_riscv", "is not known")]
)
def test_a_platform_that_is_not_known_is_refused(release, wheels, identifiers, fault):
    wheels[0]["windows"] = identifiers
    with pytest.raises(release.ReleaseError, match=fault):
        release.list_platforms(REPOSITORY)


def test_wheels_are_built_on_the_systems_that_the_rehearsal_asks_about(release):
    assert [*release.RUNNERS] == WORKFLOWS["release.yml"]["jobs"]["wheels"]["strategy"]["matrix"]["os"]
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["cibuildwheel"]
    assert settings["windows"]["archs"] == ["AMD64"]
    assert settings["macos"]["archs"] == ["arm64"]
    assert settings["skip"] == "*-musllinux_*"


def list_lines(job):
    return [step["run"] for step in WORKFLOWS["release.yml"]["jobs"][job]["steps"] if "run" in step]


def test_a_rehearsal_makes_what_the_workflow_makes(release, monkeypatch, capfd):
    """In a clone at a tag, with the variables of GitHub for it; all other lines need Docker, an account or a system."""
    made = []

    def make(words, *, cwd, env, check):
        made.append((words[2], cwd.name, env["GITHUB_REF_TYPE"], env["GITHUB_REF_NAME"]))
        return subprocess.CompletedProcess(words, int(words[2] == "installed"))

    pythons = {"3.11": "/of/python3.11", "3.13": "/of/python3.13"}
    monkeypatch.setattr(release, "find_pythons", lambda: iter(pythons.items()))
    monkeypatch.setattr(release, "tag_clone", lambda place, _: place / "clone")
    monkeypatch.setattr(release.subprocess, "run", make)
    assert release.rehearse() == 2
    printed = capfd.readouterr().out
    assert "missing: installed (/of/python3.11), installed (/of/python3.13)\n" in printed
    assert "Nothing else is missing." not in printed
    assert [target for target, *_ in made] == ["release", "installed", "installed", "workflows", "site"]
    version, _ = release.read_heading((REPOSITORY / "CHANGELOG.md").read_text("utf-8"))
    assert {tuple(rest) for _, *rest in made} == {("clone", "tag", f"v{version}")}
    assert list_lines("source") == ["make release"]
    assert list_lines("installed") == ["make installed"]
    left = {"wheels", "image", "publish", "rehearse", "announce", "images"}
    assert WORKFLOWS["release.yml"]["jobs"].keys() - {"source", "installed"} == left


def test_a_rehearsal_ends_where_nothing_is_built(release, monkeypatch, capfd):
    monkeypatch.setattr(release, "find_pythons", lambda: iter([("3.13", "/of/python")]))
    monkeypatch.setattr(release, "tag_clone", lambda place, _: place / "clone")
    monkeypatch.setattr(release.subprocess, "run", lambda words, **_: subprocess.CompletedProcess(words, 2))
    assert release.rehearse() == 1
    assert "missing: release (/of/python)\n" in capfd.readouterr().out


def test_a_clone_is_tagged_and_nothing_from_outside_changes_what_is_built(release, tmp_path, monkeypatch):
    monkeypatch.setattr(release, "ROOT", tmp_path / "root")
    shutil.copytree(REPOSITORY / "conda", tmp_path / "root" / "conda")
    for name in DATED:
        shutil.copy(REPOSITORY / name, tmp_path / "root" / name)
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"]):
        release.run("git", *words, cwd=tmp_path / "root")
    clone = release.tag_clone(tmp_path, "3.4.5")
    assert release.run("git", "describe", "--exact-match", "--match", "v*", "--tags", cwd=clone) == "v3.4.5\n"
    assert release.read_notes(clone, "3.4.5")
    assert release.clear({"SETUPTOOLS_SCM_PRETEND_VERSION": "1", "PYTHONPATH": "a", "MAKEFLAGS": "n", "HOME": "b"}) == {
        "HOME": "b"
    }


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({}, "dist/ has , not "),
        ({"fairtrec-1.2.tar.gz": 1, "fairtrec-1.2.dev0-py3-none-any.whl": 1}, "dist/ has fairtrec-1.2.dev0-py3"),
        ({"fairtrec-1.2.tar.gz": 1, "fairtrec-1.2-py3-none-any.whl": 1_500_000}, "the wheel has 1500000 bytes"),
    ],
)
def test_files_of_another_version_or_size_are_refused(release, tmp_path, files, fault):
    (tmp_path / "dist").mkdir()
    for name, size in files.items():
        (tmp_path / "dist" / name).write_bytes(bytes(size))
    with pytest.raises(release.ReleaseError, match=fault):
        release.check_contents(tmp_path, "1.2")


def test_jobs_take_the_files_that_others_left():
    jobs = WORKFLOWS["release.yml"]["jobs"].values()
    steps = [step for job in jobs for step in job["steps"] if "-artifact@" in step.get("uses", "")]
    left = {step["with"]["name"]: step["with"] for step in steps if "upload" in step["uses"]}
    assert {name: each["path"] for name, each in left.items()} == {
        "dist-source": "dist/", "sbom": "sbom/", "notes": "notes.txt", "dist-${{ matrix.os }}": "dist/",
    }  # fmt: skip
    assert all(each["if-no-files-found"] == "error" for each in left.values())
    for step in steps:
        assert "upload" in step["uses"] or step["with"].get("name", "dist-source") in left
    (line,) = list_lines("announce")
    assert {*re.findall(r"\ball/([\w*-]+)/", line)} == {"notes", "dist-*", "sbom"}


def test_wheels_are_built_before_the_day_of_a_tag():
    """On pull requests that touch the build, and by hand with an upload to TestPyPI."""
    workflow = WORKFLOWS["release.yml"]
    events, jobs = workflow[True], workflow["jobs"]  # YAML reads the word on as true
    assert {"push", "pull_request", "workflow_dispatch"} == {*events}
    assert {"pyproject.toml", "hatch_build.py", "lock/**", "fairtrec/support/compiled/**"} <= {
        *events["pull_request"]["paths"]
    }
    assert not [name for name in ("source", "installed", "wheels", "image") if "if" in jobs[name]]
    conditions = {name: job["if"].partition("== ")[2] for name, job in jobs.items() if "if" in job}
    assert conditions == {"publish": "'push'", "rehearse": "'workflow_dispatch'"}
    assert {name: jobs[name]["environment"] for name in conditions} == {"publish": "pypi", "rehearse": "testpypi"}
    assert [name for name, job in jobs.items() if "publish" in job.get("needs", [])] == ["announce", "images"]
    allowed = {name: job["permissions"] for name, job in jobs.items() if "permissions" in job}
    assert {name: {*each} for name, each in allowed.items()} == {
        "publish": {"id-token"}, "rehearse": {"id-token"}, "announce": {"contents"}, "images": {"contents", "packages"},
    }  # fmt: skip


def test_the_site_asks_for_no_permission_that_it_lacks():
    """configure-pages would need pages: read, and sets nothing that MkDocs uses."""
    steps = [step.get("uses", "") for job in WORKFLOWS["site.yml"]["jobs"].values() for step in job["steps"]]
    assert not [step for step in steps if "configure-pages" in step]
    assert WORKFLOWS["site.yml"]["jobs"]["publish"]["permissions"] == {"id-token": "write", "pages": "write"}


def test_the_notes_of_the_first_release_fit_ten_lines():
    _, _, notes = (REPOSITORY / "CHANGELOG.md").read_text("utf-8").partition("## 0.1.0")
    _, *lines = filter(None, notes.partition("\n## ")[0].splitlines())
    assert len(lines) == 10
    assert max(map(len, lines)) <= 120


def test_notes_are_of_one_version_alone(release, root):
    (root / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 0.2.0 (2027-01-02)\n\n### All else\n\n- b\n\n## 0.1.0 (2026-01-02)\n\n- a\n"
    )
    (root / "CITATION.cff").write_text("version: 0.2.0\ndate-released: 2027-01-02\n")
    assert release.read_notes(root, "0.2.0") == "### All else\n\n- b\n"


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
    (setup,) = (step for step in jobs["run"]["steps"] if "setup-python" in step.get("uses", ""))  # of .ci/run
    rest = jobs["check"]["strategy"]["matrix"]["python"]
    assert [setup["with"]["python-version"], *rest] == ["3.11", "3.12", "3.13", "3.14"]
    systems = {*jobs["check"]["strategy"]["matrix"]["os"], *jobs["installed"]["strategy"]["matrix"]["os"]}
    assert {"ubuntu-latest", "macos-latest", "windows-latest", "ubuntu-24.04-arm"} <= systems


@pytest.mark.long
def test_the_tests_pass_in_a_workflow_where_errors_become_annotations():
    file = "tests/evaluation/test_common_queries.py"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", file]
    workflow = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "no/such/folder/summary.md"}
    done = subprocess.run(
        command, cwd=REPOSITORY, env=os.environ | workflow, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_weekly_workflows_name_targets_of_make():
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    targets = WORKFLOWS["weekly.yml"]["jobs"]["make"]["strategy"]["matrix"]["target"]
    assert {"oldest", "suites", "coverage", "slow", "fuzz", "mutants", "release-check"} <= {*targets}
    assert not [target for target in targets if not re.search(rf"^{target}: ", makefile, re.MULTILINE)]
