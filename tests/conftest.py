"""What tests of many files share."""

import gc
import io
import os
import shutil
import signal
import sys
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from fairtrec_made import REPOSITORY, THOROUGH, ended

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
NAMES = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"

# How long an example takes depends on what else the machine does; how many there are is said here, for all laws.
for profile, draws in (("test", 8), ("check", 25), ("slow", 300)):
    settings.register_profile(profile, deadline=None, max_examples=draws)
os.environ.pop("COLUMNS", None)  # of the window in which the tests were started, by which tables would be cut
for name in [name for name in os.environ if name.startswith("GITHUB_")]:
    del os.environ[name]  # of a workflow, in which errors become annotations as well


def pytest_configure(config):
    """Keep the tests of named files that take long, unless -m says which tests there are; draw more with these."""
    is_chosen = any(each.startswith("-m") for each in config.invocation_params.args)
    if config.args_source is config.ArgsSource.ARGS and not is_chosen:
        config.option.markexpr = config.option.markexpr.replace("not long and ", "")
    settings.load_profile("slow" if THOROUGH else "test" if "not long" in config.option.markexpr else "check")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for examples in the package alone: tests hold none."""
    found = yield
    return [each for each in found if not isinstance(each, DoctestModule)]


def pytest_collection_finish():
    """Leave alone what thousands of tests consist of, whenever garbage is looked for."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def packages_are_looked_through_once():
    """What is installed where Python looks for packages does not change while it looks there."""
    entry_points = metadata.entry_points
    looked_through = cache(lambda _: entry_points())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metadata, "entry_points", lambda **asked: looked_through(tuple(sys.path)).select(**asked))
        yield


@pytest.fixture(scope="session")
def shared():
    """The data beside the repository, which is not part of it."""
    folder = Path(os.environ.get("FAIRTREC_SHARED", REPOSITORY.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"needs the data in {folder}, which is not here; FAIRTREC_SHARED names another folder")
    return folder


@pytest.fixture(scope="session")
def ten(shared):
    """The ten runs of the paper on TREC DL_FAIR, their qrels, and what else they are evaluated with."""
    data = shared / "data"
    runs = sorted((data / "cpjku" / "runs" / "trecdl2019_passage").glob("*.run"))
    given = {
        "counts": data / "dl19-dl20-counts" / "gender.strip.tsv",
        "missing": "neutral",
        "background": next(run for run in runs if run.stem == "BM25"),
        "queries": data / "cpjku" / "dataset" / "trecdeep19_passage.fair.tsv",
    }
    return runs, data / "qrels" / "qrels.dl19-passage.txt", given


@pytest.fixture(scope="session")
def example():
    """The bundled example collection."""
    return REPOSITORY / "resources" / "example"


@pytest.fixture(scope="session")
def chromium():
    """A browser with a new and empty profile, which is ended with the tests."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: make browser, or pip install playwright"
    )
    program = os.environ.get("FAIRTREC_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("needs Chromium, which is not here: apt-get install chromium, or name one in FAIRTREC_CHROMIUM")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def copied(example, tmp_path, monkeypatch):
    """Work in a copy of the example's folder, as readers of the pages do, with nothing fetched."""
    folder = shutil.copytree(example, tmp_path / "example")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    monkeypatch.setenv("COLUMNS", "120")
    return folder


@pytest.fixture
def few_files(tmp_path, monkeypatch):
    """Work in a folder of files of a few lines, in no workflow of GitHub."""
    from fairtrec_made.few import FILES

    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def at_the_example(example, monkeypatch):
    """Work in the example's folder, with nothing bound to measures of ir_measures and no session of theirs kept."""
    from fairtrec.ir_measures import bound_measures, provider

    monkeypatch.chdir(example)
    monkeypatch.setattr(bound_measures, "_bound", {})
    monkeypatch.setattr(provider, "_kept", {})


@pytest.fixture
def interruptible():
    """Let signals end what a test starts, also in the background or under nohup, where some of them are ignored."""
    handlers = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGTERM: signal.SIG_DFL,
    }
    before = {each: signal.signal(each, handler) for each, handler in handlers.items()}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def complaints(self):
        """The lines on standard error that are not remarks."""
        return [line for line in self.err.splitlines() if not line.startswith("#")]


@pytest.fixture(scope="session")
def fairtrec_command():
    """Run ``fairtrec`` with these arguments in this process."""

    def run(*arguments, stdin=b""):
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COLUMNS", os.environ.get("COLUMNS", "120"))
            patch.setattr(sys, "argv", ["fairtrec", *map(str, arguments)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = ended()
        return Outcome(code, out.getvalue(), err.getvalue())

    return run
