"""The version says which commit runs, wherever fairtrec was unpacked, cloned or installed."""

import subprocess

import pytest

from fairtrec import version

HEAD = "4f2c9a1b7d" * 4
OTHER = "aa00bb11cc" * 4


@pytest.fixture
def checkout(tmp_path):
    """Make a folder like a checkout; give what writes a file in it, and the version of what is there."""

    class Checkout:
        @staticmethod
        def write(name, text):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)

        @property
        def version(self):
            (tmp_path / "fairtrec").mkdir(exist_ok=True)
            return version._found(str(tmp_path / "fairtrec"))

    return Checkout()


@pytest.mark.parametrize(
    "files",
    [
        {".git/HEAD": HEAD},
        {".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": f"{HEAD}\n"},
        {
            ".git/HEAD": "ref: refs/heads/a.b\n",
            ".git/packed-refs": f"# pack\n{OTHER} refs/heads/aXb\n{HEAD} refs/heads/a.b\n",
        },
        {
            ".git": "gitdir: of/worktrees/here\n",
            "of/worktrees/here/HEAD": "ref: refs/heads/x",
            "of/worktrees/here/commondir": "../..",
            "of/refs/heads/x": HEAD,
        },
    ],
    ids=["detached", "branch", "packed", "worktree"],
)
@pytest.mark.parametrize(
    ("built", "shown"),
    [
        (None, f"0.dev0+g{HEAD[:9]}"),
        (f"0.1.0.dev912+g{HEAD[:7]}", f"0.1.0.dev912+g{HEAD[:7]}"),
        (f"0.1.0.dev912+g{HEAD[:9]}.d20260102", f"0.1.0.dev912+g{HEAD[:9]}"),
        (f"0.1.0.dev912+g{OTHER[:8]}", f"0.1.0.dev0+g{HEAD[:8]}"),
        ("0.1.0", f"0.1.0+g{HEAD[:9]}"),
    ],
    ids=["never", "here", "here before a commit", "at another commit", "at a release"],
)
def test_a_checkout_names_the_commit_that_is_checked_out(checkout, files, built, shown):
    for name, text in files.items():
        checkout.write(name, text)
    if built is not None:
        checkout.write("fairtrec/version.txt", built)
    assert checkout.version == shown


@pytest.mark.parametrize("head", ["ref: refs/heads/.invalid", "ref: refs/heads/gone", "", "\xff", None])
@pytest.mark.parametrize(("built", "shown"), [(None, "0.dev0"), ("0.3.0", "0.3.0")])
def test_where_git_does_not_tell_it_is_what_was_built(checkout, head, built, shown):
    if head is not None:
        checkout.write(".git/HEAD", head)
    if built is not None:
        checkout.write("fairtrec/version.txt", f"{built}\n")
    assert checkout.version == shown


def test_a_wheel_that_lies_in_somebody_elses_checkout_keeps_its_version(checkout):
    checkout.write(".git/HEAD", HEAD)
    checkout.write("fairtrec/_resources/passport.toml", "")
    checkout.write("fairtrec/version.txt", "0.3.0")
    assert checkout.version == "0.3.0"


def test_git_says_the_same(request):
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=request.config.rootpath, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("this is no checkout, or there is no git")
    public, _, commit = version.__version__.partition("+g")
    assert public
    assert len(commit) >= 7
    assert done.stdout.startswith(commit)
