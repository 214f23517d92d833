"""What a shell is offered where TAB is pressed, and the scripts by which it asks."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from fairtrec import cli, commands
from fairtrec.cli import completion
from fairtrec.cli.commands import load_command
from fairtrec.measures.catalogue import registry
from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import gather_trials

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def offered(monkeypatch, capsys):
    """Ask as the scripts of bash do, by click's protocol; the last word is the one that is typed."""

    def ask(*words, shell="bash"):
        monkeypatch.setenv("_FAIRTREC_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", "\n".join(["fairtrec", *words]))
        monkeypatch.setenv("COMP_CWORD", words[-1] if shell == "fish" else str(len(words)))
        monkeypatch.setattr(sys, "argv", ["fairtrec"])
        with pytest.raises(SystemExit) as end:
            cli.main()
        printed = capsys.readouterr()
        assert (end.value.code, printed.err) == (0, "")
        return printed.out.split("\n")[:-1] if printed.out.strip() else []

    return ask


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("ev", ["plain,eval"]),
        ("eval --sc", ["plain,--score-dtype"]),
        ("eval qr", ["file,qr"]),
        ("eval no", ["file,no", "plain,none"]),
        ("eval q.txt ru", ["file,ru"]),
        ("eval q.txt a.run b", ["file,b"]),
        ("eval q.txt --terms gender-en", ["file,gender-en", "plain,gender-en", "plain,gender-en-core"]),
        ("eval q.txt --terms = gender-en-c", ["file,gender-en-c", "plain,gender-en-core"]),
        ("eval --terms = gender-en q.t", ["file,q.t"]),
        ("eval q.txt --docs c", ["file,c"]),
        ("eval q.txt --background co", ["file,co", "plain,collection"]),
        ("eval q.txt --queries ex", ["file,ex", "plain,example-fair"]),
        ("eval q.txt --target re", ["plain,relevance"]),
        ("eval q.txt --order r", ["plain,rank"]),
        ("eval q.txt -m nfai", ["plain,NFaiRR"]),
        ("eval q.txt -m ndcg", ["plain,nDCG"]),
        ("eval q.txt -m 'nDCG@10 nfai", ["plain,nDCG@10 NFaiRR"]),
        ("eval q.txt --sort texf", ["plain,TExFAIR"]),
        ("eval q.txt -M ", []),
        ("eval q.txt --title ", []),
        ("eval q.txt -o out", ["file,out"]),
        ("measures arab", ["plain,ARaB"]),
        ("resources sh", ["plain,show"]),
        ("resources show example", ["plain,example-fair"]),
        ("results diff a", ["file,a"]),
        ("demo --copy x", ["dir,x"]),
        ("completion ", ["plain,bash", "plain,zsh", "plain,fish"]),
        *gather_trials("OFFERED"),
    ],
)
def test_offers(offered, typed, found):
    quoted = re.match(r"(.* )('.*)$", typed)
    words = [*quoted[1].split(), quoted[2]] if quoted else typed.split(" ")
    assert offered(*words) == found


def test_commands_are_offered_without_an_import_of_any(offered, monkeypatch):
    monkeypatch.setattr("fairtrec.cli.commands.load_command", pytest.fail)
    assert offered("")[0] == "plain,eval"
    assert len(offered("")) == len([name for name in commands.list_names() if " " not in name])


def test_measures_are_offered_without_an_import_of_the_command(offered, monkeypatch):
    monkeypatch.setattr("fairtrec.cli.commands.load_command", pytest.fail)
    assert offered("eval", "q.txt", "-m", "nfai") == ["plain,NFaiRR"]
    assert offered("eval", "q.txt", "-m", "all") == ["plain,all_fair"]


@pytest.mark.parametrize("name", sorted(row.name for row in commands.list_rows() if row.measures))
def test_all_measures_of_fairness_are_offered_where_there_may_be_several(offered, name):
    several = commands.load_row(name).measures == "MEASURES"
    assert offered(*name.split(), "q.txt", "-m", "all") == (["plain,all_fair"] if several else [])


@pytest.mark.parametrize("name", commands.list_names())
def test_what_is_offered_behind_m_is_what_the_command_says(name):
    options = {option: each for each in load_command(name).params for option in each.opts}
    found = {options[option].metavar for option in completion.MEASURE_OPTIONS if option in options}
    row = commands.load_row(name)
    assert found == {row.measures} if row.measures else found <= {"MEASURE", "MEASURES"}


def test_the_file_of_names_has_all_names():
    others = [
        (kind, commands.load(row, place).names())
        for row in commands.list_rows()
        for kind, place in row.catalogue.items()
    ]
    for kind, every in (("MEASURES", [*registry.names(), "all_fair"]), *others):
        assert {*every} <= {*completion._catalogued({kind})}  # an older ir-measures has fewer


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_shells_that_replace_the_whole_word_are_given_it(offered, shell):
    found = "\n".join(offered("eval", "q.txt", "--terms=gender-en-c", shell=shell))
    assert "--terms=gender-en-core" in found
    assert "English words" in found, "what the list is"


def test_nothing_is_said_amid_what_is_typed_where_lists_are_gone(offered, monkeypatch):
    from fairtrec.support.errors import ResourceError
    from fairtrec.support.resources import passports

    def gone():
        raise ResourceError("no lists")

    monkeypatch.setattr(passports, "root", gone)
    assert offered("eval", "q.txt", "--terms", "gen") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts(fairtrec_command, shell):
    done = fairtrec_command("completion", shell)
    assert done.code == 0
    assert f"_FAIRTREC_COMPLETE={shell}_complete" in done.out
    assert {"bash": 'compgen -f -- "$2"', "zsh": "compset -P '*='", "fish": "__fish_complete_path"}[shell] in done.out
    program = shutil.which(shell)
    if program is not None:
        checked = subprocess.run([program, "-n"], input=done.out, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_names_and_files(tmp_path):
    """Its function is called as bash calls it; compopt, which bash has only then, does nothing."""
    (tmp_path / "gender mine.tsv").write_text("she,f\n")
    (tmp_path / "fairtrec").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fairtrec "$@"\n')
    (tmp_path / "fairtrec").chmod(0o755)
    script = """
        eval "$(fairtrec completion bash)"
        compopt() { :; }
        COMP_WORDS=(fairtrec eval qrels.txt --terms gender); COMP_CWORD=4
        _fairtrec_completion fairtrec gender --terms
        printf '%s\\n' "${COMPREPLY[@]}"
        complete -p fairtrec
    """
    paths = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=tmp_path, env=os.environ | paths, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[:3] == ["gender mine.tsv", "gender-en", "gender-en-core"]
    assert "-F _fairtrec_completion fairtrec" in done.stdout


def test_the_page_says_how_it_is_installed(tmp_path):
    """Its commands are run in a home of their own."""
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", (REPOSITORY / "docs/completion.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    fairtrec = f'fairtrec() {{ "{sys.executable}" -m fairtrec "$@"; }}\n'
    environment = os.environ | {"HOME": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    subprocess.run(["sh", "-e", "-c", fairtrec + "".join(blocks)], env=environment, check=True, capture_output=True)
    assert (tmp_path / ".local/share/bash-completion/completions/fairtrec").read_text().count("COMPREPLY") > 1
    assert (tmp_path / ".zfunc/_fairtrec").read_text().startswith("#compdef fairtrec\n")
    assert (tmp_path / ".config/fish/completions/fairtrec.fish").is_file()
