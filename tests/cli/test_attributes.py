"""Attributes on the command line: names of labels, choices for each, and what is refused in one line."""

import json
import shlex

import pytest

from fairtrec_made.command_trials import gather_trials

pytestmark = pytest.mark.usefixtures("copied")
BOTH = ("--labels", "gender=labels.tsv", "--labels", "pages=pages.tsv")
PAGES = "p001\tlong\np002\tshort\np003\tshort\np004\tlong\np005\tmid\n"


@pytest.fixture
def fairtrec(copied, fairtrec_command):
    (copied / "pages.tsv").write_text(PAGES)
    (copied / "a=b.tsv").write_text(PAGES)
    return lambda command, *more: fairtrec_command(command, "none", "bm25.run", *more)


def test_measures_of_each_attribute_and_crossed(fairtrec):
    done = fairtrec("eval", *BOTH, "-m", "AWRF@10 AWRF(by=gender*pages)@10", "-f", "tsv")
    assert done.code == 0, done.err
    assert (
        "AWRF(by='gender')@10\tAWRF(by='pages')@10\tAWRF(by='pages')@10.defined\tAWRF(by='gender*pages')@10" in done.out
    )
    assert "pages: long 2, mid 1, short 2; target 0.333 each" in done.err


def test_what_is_chosen_for_each_by_its_name(fairtrec):
    asked = ("-m", "AWRF@10 GFR(divergence=nmd,by=pages)@10")
    given = ("--target", "gender=f=0.4,m=0.6", "--target", "even", "--groups", "pages=short,mid,long")
    done = fairtrec("eval", *BOTH, "-m", "AWRF@10", *given, "-f", "tsv")
    assert done.code == 0, done.err
    assert "target:gender=f=0.4,m=0.6;even" in done.err
    assert "pages, in this order: short 2, mid 1, long 2; target 0.333 each" in done.err
    assert fairtrec("eval", *BOTH, *asked).err.startswith("GFR(by='pages',divergence='nmd')@10 needs")


def test_two_columns_of_one_table_are_crossed(fairtrec_command, tmp_path):
    (tmp_path / "people.csv").write_text("docno,sex,race\na,f,b\nb,m,w\nc,f,w\n")
    (tmp_path / "p.run").write_text("q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 c 3 1 t\n")
    people = tmp_path / "people.csv"
    done = fairtrec_command(
        "eval", "none", tmp_path / "p.run", "--labels", f"{people}:sex*{people}:race", "-m", "AWRF@3"
    )
    assert (done.code, "# groups: f*b 1, f*w 1, m*b 0, m*w 1; target 0.25 each" in done.err) == (0, True), done.err
    done = fairtrec_command(
        "eval", "none", tmp_path / "p.run", "--labels", f"{people}:sex*{people}:sex", "-m", "AWRF@3"
    )
    assert (done.code, "labels are crossed with themselves" in done.err) == (2, True)


REFUSED = {
    "two fields without names": (
        ("--labels", "people.csv:sex", "--labels", "people.csv:race"),
        "several labels need names: --labels sex=people.csv:sex --labels race=people.csv:race",
    ),
    "a group of another attribute": (
        (*BOTH, "-m", "Skew(group=short)@2"),
        "Skew: there is no group 'short'; the groups of gender are f, m; by=NAME chooses another attribute",
    ),
    "two without names": (
        ("--labels", "gender=labels.tsv", "--labels", "b.tsv"),
        "several labels need names: --labels gender=labels.tsv --labels b=b.tsv",
    ),
    "one name twice": (
        ("--labels", "g=labels.tsv", "--labels", "g=pages.tsv"),
        "--labels has g twice (labels.tsv, pages.tsv); pass each attribute once",
    ),
    "two targets": (
        ("--labels", "labels.tsv", "--target", "even", "--target", "collection"),
        "--target is given twice (even, collection); pass it once",
    ),
    "two targets of one": (
        (*BOTH, "--target", "gender=even", "--target", "gender=collection"),
        "--target is given twice (gender=even, gender=collection); pass it once, or once for each attribute as NAME=VALUE",
    ),
    "groups of which": (
        (*BOTH, "--groups", "f,m"),
        "--groups names groups, and there are several attributes; like --groups gender=F,M",
    ),
    "a rule that there is not": (
        (*BOTH, "--membership", "gender=most"),
        "--membership 'most' is not known; choose one of share, majority, any",
    ),
    "one to sort by": (
        (*BOTH, "--sort", "AWRF@3"),
        "AWRF@3 can mean AWRF(by='gender')@3, AWRF(by='pages')@3; choose one",
    ),
    "a file that is read": ((*BOTH, "-o", "pages.tsv"), "the output pages.tsv is also read; choose another with -o"),
}


@pytest.mark.parametrize(("given", "line"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_go_together_is_one_line(given, line, fairtrec):
    done = fairtrec("eval", "-m", "AWRF@3", *given)
    assert (done.code, done.err) == (2, f"{line}\n")


def test_the_same_twice_is_once_and_a_file_of_the_whole_name_comes_first(fairtrec):
    once = fairtrec("eval", "--labels", "labels.tsv", "-m", "AWRF@3", "--target", "even")
    again = ("--labels", "labels.tsv", "--labels", "labels.tsv", "--target", "even", "--target", "even")
    assert fairtrec("eval", *again, "-m", "AWRF@3").out == once.out
    done = fairtrec("eval", "--labels", "a=b.tsv", "-m", "AWRF@3", "-v")
    assert "labels:a=b.tsv@" in done.err


@pytest.mark.parametrize(("command", "line"), gather_trials("ONE_ATTRIBUTE"))
def test_commands_of_one_measure_take_one_attribute(command, line, fairtrec, fairtrec_command):
    name, *more = shlex.split(command)
    done = fairtrec_command(name, "qrels.txt", "bm25.run", *more, *BOTH)
    assert done.code == 2, done.out
    assert line in done.err


def test_a_configuration_names_attributes_beside_it(fairtrec, copied):
    asked = ("--require", "AWRF(by=gender)@10 >= 0", "--require", "AWRF(by=gender*pages)@10 >= 0", "-f", "json")
    written = 'labels = ["gender=labels.tsv", "pages=pages.tsv:3,9"]\ntarget = ["gender=f=0.4,m=0.6", "even"]\n'
    (copied / "pages.tsv").write_text("p001\t1\np002\t2\np003\t5\np004\t7\np005\t12\n")
    (copied / "fairtrec.toml").write_text(f"[tool.fairtrec.check]\n{written}")
    given = ("--labels", "gender=labels.tsv", "--labels", "pages=pages.tsv:3,9")
    typed = fairtrec("check", *given, "--target", "gender=f=0.4,m=0.6", "--target", "even", *asked)
    assert typed.code == 0, typed.err
    folder = copied / "elsewhere"
    folder.mkdir()
    for name in ("fairtrec.toml", "labels.tsv", "pages.tsv"):
        (copied / name).rename(folder / name)
    found = fairtrec("check", "--config", "elsewhere/fairtrec.toml", *asked)
    assert verdicts(found) == verdicts(typed), found.err


def verdicts(done):
    return [(each["requirement"], each["value"]) for each in json.loads(done.out)["verdicts"]]
