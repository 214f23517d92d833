"""What users get: the wheel, the checkout and the editable install; the Makefile; the commands of the README."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import warnings
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import fairtrec
from fairtrec_made import EXAMPLE, REPOSITORY, pages

EVAL = ["-m", "fairtrec", "eval", "qrels.txt", "bm25.run", "--terms", "gender-en", "--docs", "collection.tsv"]
BESIDE = {  # the names that the README gives to files of its readers: what stands for them here
    "qrels.txt": "qrels.txt",
    "bm25.run": "bm25.run",
    "bert.run": "neural.run",
    "neural.run": "neural.run",
    "fair.run": "fair.run",
    "my.run": "neural.run",
    "new.run": "fair.run",
    "main.run": "neural.run",
    "background.run": "background.run",
    "collection.tsv": "collection.tsv",
    "docs.tsv": "collection.tsv",
    "my.qids": "queries.tsv",
    "queries.tsv": "queries.tsv",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """Make a folder away from the checkout, with the example's files under many names."""
    folder = tmp_path_factory.mktemp("desk")
    for name, original in BESIDE.items():
        shutil.copy(EXAMPLE / original, folder / name)
    (folder / "resources").symlink_to(REPOSITORY / "resources")
    (folder / "submissions").mkdir()
    for name in ("bm25.run", "neural.run"):
        shutil.copy(EXAMPLE / name, folder / "submissions")
    for name in ("counts.tsv", "counts.arrow"):
        fairtrec.make_counts(folder / "collection.tsv", "gender-en", folder / name, jobs=1)
    return folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build("wheel", REPOSITORY, tmp_path_factory.mktemp("wheel"))


def build(target, source, folder):
    """Build a wheel or an sdist into a folder; the checkout, in which other tests ask for the version, stays as it was."""
    for name in ("hatchling", "hatch_vcs", "hatch_fancy_pypi_readme"):
        pytest.importorskip(name, reason=f"{name}, which builds the wheel, is not installed; make setup")
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    written = source / "fairtrec" / "support" / "version.txt"
    before = written.read_text("utf-8") if written.exists() else None
    alone = os.environ | {"NO_COLOR": "1", "FAIRTREC_PLAIN": "1"}  # nothing is compiled, nor the old library unlinked
    try:
        subprocess.run(command, cwd=source, check=True, capture_output=True, env=alone)
    finally:
        if before is not None:
            written.write_text(before, "utf-8")
        else:
            written.unlink(missing_ok=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def run(desk, *arguments, path=None):
    """Run Python in a folder that is not the checkout."""
    environment = os.environ | {"FAIRTREC_HOME": str(desk / "home"), "FAIRTREC_OFFLINE": "1", "COLUMNS": "120"}
    environment.pop("PYTHONPATH", None)
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=desk, env=environment, check=True, capture_output=True, text=True).stdout


def origin(desk, path):
    """Where Python finds fairtrec."""
    return Path(run(desk, "-c", "import fairtrec; print(fairtrec.__file__)", path=path).strip()).parent


@pytest.fixture(scope="module", params=["planned", pytest.param("built", marks=pytest.mark.slow)])
def holds(request):
    """The names of a wheel's files and its metadata, as hatchling plans them, or as they are in a wheel."""
    if request.param == "built":
        with zipfile.ZipFile(request.getfixturevalue("wheel")) as archive:
            (about,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
            return archive.namelist(), archive.read(about).decode()
    builder = pytest.importorskip("hatchling.builders.wheel", reason="hatchling is not installed; make setup")
    planned = builder.WheelBuilder(str(REPOSITORY))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the tools say of each other
        about = planned.config.core_metadata_constructor(planned.metadata)
    return [file.distribution_path for file in planned.recurse_included_files()], about


def test_wheel_has_what_it_needs_and_no_more(holds):
    names, about = holds
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"fairtrec"}
    assert {"fairtrec/py.typed", "fairtrec/results.schema.json"} <= set(names)
    assert "\nLicense-File: LICENSE\n" in about
    assert "fairtrec/_resources/wordlists/gender-en.csv" in names
    assert "fairtrec/_resources/example/collection.tsv" in names
    assert {
        f"fairtrec/report/page/{part}" for part in ("page.html", "scatter.html", "queries.html", "page.css", "page.js")
    } <= set(names)
    assert not [name for name in names if "test_" in name or "__pycache__" in name or name.endswith((".pyc", ".c"))]
    tracked = {f"fairtrec/_{path.relative_to(REPOSITORY)}" for path in (REPOSITORY / "resources").rglob("*.*")}
    assert tracked <= set(names)


def test_the_source_distribution_has_every_file_of_the_repository():
    if not (REPOSITORY / ".git").exists():
        pytest.skip("needs a checkout with git")
    builder = pytest.importorskip("hatchling.builders.sdist", reason="hatchling is not installed; make setup")
    planned = {file.distribution_path for file in builder.SdistBuilder(str(REPOSITORY)).recurse_included_files()}
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, check=True, capture_output=True, text=True)
    tracked = {name for name in listed.stdout.split("\0") if name and (REPOSITORY / name).exists()}
    assert len(tracked) > 500
    assert tracked <= planned
    assert {"action.yml", "mkdocs.yml", "Dockerfile", "SECURITY.md", ".github/workflows/ci.yml"} <= planned
    assert not [name for name in planned if name.startswith((".venv", "dist/", ".site")) or "__pycache__" in name]


def test_the_version_of_the_metadata_is_one_that_uploaders_know(holds):
    """A new hatchling writes a newer one by default, which twine 6 refused."""
    assert holds[1].startswith("Metadata-Version: 2.4\n")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    targets = project["tool"]["hatch"]["build"]["targets"]
    assert {name: each["core-metadata-version"] for name, each in targets.items()} == {"wheel": "2.4", "sdist": "2.4"}
    assert "hatchling>=1.27,<2" in project["build-system"]["requires"]
    assert "hatchling>=1.27,<2" in project["dependency-groups"]["dev"]


# ------------------------------------------------------------------------------------- what is built, and how


@pytest.fixture(scope="module")
def hook():
    """The module that builds, as hatchling imports it."""
    for name in ("hatchling", "setuptools"):
        pytest.importorskip(name, reason=f"{name}, which builds the wheel, is not installed; make setup")
    spec = spec_from_file_location("hatch_build", REPOSITORY / "hatch_build.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_maintainers_read_stays_out_of_a_wheel(hook):
    """Comments, and docstrings of what is private or within a function; what users see of a traceback is as it was."""
    before = """# a file
'''Of the module.'''


class Seen:  # a class
    '''Of the class.'''

    def __len__(self):
        '''Of what is no name of ours.'''
        return 1

    def _hidden(self):
        '''Of what is private,
        in two lines.'''
        text = "# no comment"

        def within():
            '''Of what is within.'''
            return text  # noqa: X100

        return within


class _Hidden:
    '''It has no body but this.'''
"""
    after = hook.bare(before)
    assert re.findall(r"'''(.*)'''", after) == [
        "Of the module.", "Of the class.", "Of what is no name of ours.", "It has no body but this.",
    ]  # fmt: skip
    assert re.findall(r"#.*", after) == ['# no comment"']
    assert without_docstrings(after) == without_docstrings(before)


def without_docstrings(source):
    """What a file does, and at which lines and columns."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body[:] = node.body[1:]
    return ast.dump(tree, include_attributes=True)


@pytest.mark.slow
def test_the_code_of_a_wheel_is_that_of_the_repository(unpacked):
    files = sorted((unpacked / "fairtrec").rglob("*.py"))
    assert len(files) > 300
    for file in files:
        source = (REPOSITORY / file.relative_to(unpacked)).read_text("utf-8")
        assert without_docstrings(file.read_text("utf-8")) == without_docstrings(source), file


def test_without_a_compiler_nothing_is_compiled_and_nothing_fails(hook, tmp_path, monkeypatch):
    told = []
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CC", "LDSHARED"):
        monkeypatch.delenv(name, raising=False)
    build = hook.CustomBuildHook(str(REPOSITORY), {}, None, None, str(tmp_path), "wheel", app=Told(told))
    assert build._built(str(tmp_path)) is None
    (warning,) = told
    assert warning.startswith("built without the compiled part, which is slower: ")
    assert not list(tmp_path.rglob("*.so"))


class Told:
    """What hatchling says to a user."""

    def __init__(self, told):
        self.display_warning = told.append


@pytest.mark.slow
def test_pip_installs_without_a_compiler_what_says_that_it_is_plain(hook, tmp_path):
    source, site = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "hatch_build.py"):
        shutil.copy(REPOSITORY / name, source)
    for name in ("fairtrec", "resources"):
        shutil.copytree(REPOSITORY / name, source / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    environment = {
        name: value for name, value in os.environ.items() if name not in {"CC", "LDSHARED", "FAIRTREC_PLAIN"}
    }
    environment |= {"PATH": str(nothing), "SETUPTOOLS_SCM_PRETEND_VERSION": "1.2.3"}
    pip = ["-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "--no-index", "--target", str(site)]
    subprocess.run([sys.executable, *pip, str(source)], cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert run(tmp_path, "-m", "fairtrec", "--version", path=site) == "fairtrec 1.2.3, plain\n"
    printed = [run(EXAMPLE, *EVAL, path=path) for path in (site, REPOSITORY)]
    assert pages.unversioned(printed[0]) == pages.unversioned(printed[1])


# --------------------------------------------------------------------------------------------- where it is unpacked


@pytest.mark.slow
def test_wheel_finds_its_lists_from_another_folder(unpacked, desk):
    assert origin(desk, unpacked) == unpacked / "fairtrec"
    place = Path(run(desk, "-m", "fairtrec", "resources", "path", "gender-en", path=unpacked).strip())
    assert place == unpacked / "fairtrec" / "_resources" / "wordlists" / "gender-en.csv"
    assert place.read_bytes() == (REPOSITORY / "resources/wordlists/gender-en.csv").read_bytes()


@pytest.mark.slow
def test_wheel_shows_the_example_of_the_readme(unpacked, desk):
    shown = (REPOSITORY / "README.md").read_text("utf-8").partition("<!-- demo -->\n```\n")[2].partition("```\n")[0]
    printed = run(desk, "-m", "fairtrec", "demo", path=unpacked)
    assert pages.unversioned(printed) == pages.unversioned(shown)


def test_the_page_of_pypi_is_for_who_has_no_checkout(holds):
    about, _, page = holds[1].partition("\n\n")
    assert "pip install fairtrec\n    fairtrec demo" in page
    assert not re.search(r"(?<!counts )\bmake\b|\.venv|this folder", page)
    links = re.findall(r"\]\(([^)]*)\)", page)
    assert len(links) > 8
    assert not [link for link in links if not link.startswith("https://")]
    there = {link.partition("/blob/main/")[2].partition("#")[0] for link in links} - {""}
    assert not [name for name in there if not (REPOSITORY / name).is_file()]
    assert {"Changelog", "Issues", "Source", "Documentation"} == set(
        re.findall(r"^Project-URL: (\w+)", about, re.MULTILINE)
    )
    assert "Description-Content-Type: text/markdown" in about
    assert "\nAuthor: The fairtrec developers\n" in about
    python = re.findall(r"^Classifier: Programming Language :: Python :: (3\.\d+)$", about, re.MULTILINE)
    workflow = (REPOSITORY / ".github/workflows/ci.yml").read_text("utf-8")
    assert python == ["3.11", "3.12", "3.13", "3.14"]
    assert all(f'"{version}"' in workflow for version in python)


def drop_count(version):
    """Write 0 for the number of commits, as files and signatures do: a shallow clone does not know it."""
    return re.sub(r"\.dev\d+\+g", ".dev0+g", version)


@pytest.mark.slow
def test_a_version_is_the_same_in_a_wheel_and_in_an_sdist_without_git(wheel, unpacked, desk, tmp_path):
    printed = run(desk, "-m", "fairtrec", "--version", path=unpacked).split()[1].rstrip(",")
    name, version, *_ = wheel.name.split("-")  # behind that stands for which machines it is
    assert (name, drop_count(version)) == ("fairtrec", printed)
    (tmp_path / "sdist").mkdir()
    with tarfile.open(build("sdist", REPOSITORY, tmp_path / "sdist")) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.glob("fairtrec-*")
    assert source.name == f"fairtrec-{version}"
    assert run(desk, "-m", "fairtrec", "--version", path=source).split()[1].rstrip(",") == printed
    (tmp_path / "again").mkdir()
    assert build("wheel", source, tmp_path / "again").name == wheel.name


def test_checkout_finds_its_lists_from_another_folder(desk):
    assert origin(desk, REPOSITORY) == REPOSITORY / "fairtrec"
    place = run(desk, "-m", "fairtrec", "resources", "path", "gender-en", path=REPOSITORY).strip()
    assert Path(place) == REPOSITORY / "resources" / "wordlists" / "gender-en.csv"


def test_installed_finds_its_lists_from_another_folder(desk):
    """As it is installed here, editable or not."""
    place = Path(run(desk, "-m", "fairtrec", "resources", "path", "gender-en").strip())
    assert place.read_bytes() == (REPOSITORY / "resources/wordlists/gender-en.csv").read_bytes()


@pytest.mark.slow
def test_all_three_evaluate_alike(unpacked, desk):
    printed = [run(desk, *EVAL, path=path) for path in (unpacked, REPOSITORY, None)]
    assert "TExFAIR@10" in printed[0]
    assert len(set(printed)) == 1


def test_metadata_names_what_the_code_imports(holds):
    """Each library that is imported anywhere is a dependency, and each dependency is imported."""
    required = re.findall(r"^Requires-Dist: ([\w-]+)", holds[1], re.MULTILINE)
    text = "\n".join(path.read_text("utf-8") for path in (REPOSITORY / "fairtrec").rglob("*.py"))
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)", text, re.MULTILINE))
    optional = {
        "requests",
        "py4j",
        "pytrec_eval",
    }  # an extra; what comes with ir_datasets, pyspark, ir-measures
    optional |= {"pandas"}  # whoever asks for a frame has it
    assert {name.replace("-", "_") for name in required} <= imported
    assert imported - sys.stdlib_module_names - {"fairtrec"} - optional <= {name.replace("-", "_") for name in required}


# ------------------------------------------------------------------------------------------------ Makefile


def test_make_help_lists_every_target():
    text = (REPOSITORY / "Makefile").read_text("utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    parts = {"lint", "types", "layers", "stale"}  # of check
    shown = subprocess.run(["make", "help"], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    explained = set(re.findall(r"make ([\w-]+)\s+\S", shown))
    assert explained == set(phony.split()) - parts
    targets = set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))
    assert targets == set(phony.split())


# -------------------------------------------------------------------------------------------------- README


def test_commands_are_found_in_a_readme():
    text = "```sh\nfairtrec eval a \\\n  b\n$ fairtrec measures\nmake demo\n```\n    fairtrec x\n```\nfairtrec y\n```\n"
    assert pages.shell_commands(text) == ["fairtrec eval a    b", "fairtrec measures"]


def test_the_readme_shows_what_the_demo_prints(fairtrec_command, monkeypatch):
    make = ["make", "--no-print-directory", "-n", "-o", ".venv/run", "demo"]
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    recipe = subprocess.run(make, cwd=REPOSITORY, env=alone, check=True, capture_output=True, text=True)
    words = shlex.split(recipe.stdout[recipe.stdout.index(".venv/bin/fairtrec") :].replace("\\\n", " "))
    monkeypatch.setenv("COLUMNS", "120")
    printed = fairtrec_command(*words[1:]).out
    shown = (REPOSITORY / "README.md").read_text("utf-8").partition("<!-- demo -->\n```\n")[2].partition("```\n")[0]
    assert pages.unversioned(printed) == pages.unversioned(shown)


def test_the_oldest_versions_are_tried_by_make_oldest():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    least = dict(each.split(">=") for each in project["dependencies"])
    assert (least["numpy"], least["click"]) == ("2.0.2", "8.2.1")  # below them tests failed
    assert all(">=" in each for each in project["dependencies"])
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    assert "oldest: .venv-oldest/dev" in makefile
    assert 'replace(">=", "==")' in makefile
