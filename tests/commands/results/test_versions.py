"""Baselines outlive versions of programs, and not a change of values."""

import json

import pytest

from fairtrec.commands.results import difference
from fairtrec.evaluation.answers import Signature
from fairtrec.measures.nfairr import NFaiRR
from fairtrec.measures.utility import CHANGES

WORDS = ["--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"]
WHY = "the divisor runs to the length of the ranking"


@pytest.fixture
def baseline(copied, fairtrec_command):
    """A results file of one run; gives a way to write another signature into it."""
    made = fairtrec_command(
        "eval", "qrels.txt", "bm25.run", *WORDS, "-m", "NFaiRR@10 Compat(p=0.8)", "-q", "-f", "json", "-o", "main.json"
    )
    assert made.code == 0

    def signed(**changed):
        written = json.loads((copied / "main.json").read_text())
        signature = {**Signature.read(written["signature"]), **changed}
        (copied / "main.json").write_text(json.dumps(written | {"signature": str(Signature(signature))}))

    return signed


def check(fairtrec_command, *more):
    asked = ["--require", "NFaiRR@10 >= baseline - 0.5", "--require", "Compat(p=0.8) >= 0"]
    return fairtrec_command("check", "qrels.txt", "fair.run", *WORDS, *asked, "--baseline", "main.json", *more)


@pytest.mark.parametrize(
    ("program", "version"), [("fairtrec", "0.1.0.dev1"), ("ir-measures", "0.3.7"), ("plug-ins", "spoken/1.0")]
)
def test_another_version_of_a_program_is_said_and_the_values_are_compared(
    baseline, fairtrec_command, copied, program, version
):
    (copied / "same.json").write_text((copied / "main.json").read_text())
    baseline(**{program: version})
    ended = check(fairtrec_command)
    assert (ended.code, f"versions differ: {program}" in ended.out + ended.err) == (0, True)
    assert f"{version} in main.json" in ended.out + ended.err
    ended = fairtrec_command("results", "diff", "same.json", "main.json")
    assert (ended.code, ended.out) == (0, "")
    assert f"{version} in main.json" in ended.err
    ended = fairtrec_command("results", "replay", "main.json")
    assert (ended.code, f"# versions differ: {program} {version} then" in ended.err) == (0, True)
    assert (
        json.loads(fairtrec_command("results", "diff", "same.json", "main.json", "-f", "json").out)["versions"][
            program
        ][1]
        == version
    )


def test_changed_values_are_refused_with_what_changed_until_they_are_accepted(
    baseline, fairtrec_command, copied, monkeypatch
):
    monkeypatch.setattr(NFaiRR, "changes", (WHY,))
    ended = check(fairtrec_command)
    assert (ended.code, len(ended.complaints)) == (3, 1)
    assert f"main.json: NFaiRR is of value version 2 here, 1 there: {WHY}; evaluate it again" in ended.err
    ended = check(fairtrec_command, "--accept")
    assert (ended.code, f"accepted: NFaiRR: {WHY}" in ended.out + ended.err) == (0, True)
    ended = fairtrec_command("results", "replay", "main.json")
    assert (ended.code, WHY in ended.err, len(ended.complaints)) == (3, True, 1)
    ended = fairtrec_command("results", "replay", "main.json", "--accept")
    assert (ended.code, f"value version, NFaiRR: 1 | 2: {WHY}" in ended.out) == (1, True)
    baseline(values="NFaiRR/2")
    assert check(fairtrec_command).code == 0
    assert fairtrec_command("results", "replay", "main.json").code == 0


def test_a_value_version_stands_in_the_signature_where_it_is_not_1(copied, fairtrec_command, monkeypatch):
    asked = ["eval", "qrels.txt", "bm25.run", *WORDS, "-m", "NFaiRR(tau=0)@10 RR", "-f", "json"]
    assert "values" not in Signature.read(json.loads(fairtrec_command(*asked).out)["signature"])
    monkeypatch.setattr(NFaiRR, "changes", (WHY, "again"))
    assert Signature.read(json.loads(fairtrec_command(*asked).out)["signature"])["values"] == "NFaiRR/3"


def test_a_measure_of_relevance_has_value_versions_too(baseline, fairtrec_command, monkeypatch):
    monkeypatch.setitem(CHANGES, "Compat", ("ties",))
    assert check(fairtrec_command).code == 0  # it is compared with no value of the baseline
    ended = check(fairtrec_command, "--require", "Compat(p=0.8) >= baseline - 1")
    assert (ended.code, "Compat is of value version 2 here, 1 there: ties" in ended.err) == (3, True)


def test_the_page_of_a_measure_says_what_changed(fairtrec_command, monkeypatch):
    assert "Value versions" not in fairtrec_command("measures", "NFaiRR").out
    monkeypatch.setattr(NFaiRR, "changes", (WHY,))
    assert f"Value versions\n  2: {WHY}\n" in fairtrec_command("measures", "NFaiRR").out


def test_a_later_version_than_here_is_refused_too(baseline, fairtrec_command):
    baseline(values="NFaiRR/4")
    ended = check(fairtrec_command)
    assert ended.code == 3
    assert "NFaiRR is of value version 1 here, 4 there: a later fairtrec knows what changed" in ended.err


@pytest.mark.parametrize("strange", ["", "NFaiRR", "NFaiRR/x", "NFaiRR/" + "9" * 5000, "/2", ",,"])
def test_what_is_no_version_is_none(strange):
    assert difference.find_changed_versions(["RR@5", "NFaiRR@5"], {}, {"values": strange}) == ()


def test_a_baseline_knows_its_inputs_by_what_they_hold(baseline, fairtrec_command, copied):
    for old, new in (("qrels.txt", "judged.qrels"), ("collection.tsv", "texts.tsv"), ("background.run", "first.run")):
        (copied / old).rename(copied / new)
    words = ["--terms", "gender-en", "--docs", "texts.tsv", "--background", "first.run"]
    asked = [
        "check",
        "judged.qrels",
        "fair.run",
        *words,
        "--baseline",
        "main.json",
        "--require",
        "NFaiRR@10 >= baseline - 1",
    ]
    assert fairtrec_command(*asked).code == 0
    with (copied / "first.run").open("a") as file:
        file.write("101 Q0 strange 9999 -1e9 x\n")
    ended = fairtrec_command(*asked, "--missing", "neutral")
    assert ended.code == 3
    assert "background: first.run@" in ended.err


def test_replay_says_where_there_is_nothing_to_accept(copied, fairtrec_command):
    fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "RR", "-f", "json", "-o", "one.json")
    assert "nothing to accept" not in fairtrec_command("results", "replay", "one.json").err
    assert (
        "# nothing to accept: the values of no measure"
        in fairtrec_command("results", "replay", "one.json", "--accept").err
    )
