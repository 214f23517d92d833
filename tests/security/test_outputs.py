"""Nothing is written outside named outputs: names of runs, links, and what a file of a stranger calls an output."""

import os
import shlex
import subprocess
import sys

import pytest

from fairtrec_made.command_trials import gather_trials
from fairtrec_made.law import files_of, hold

NAMES = [
    "../escaped",
    "..",
    "/tmp/escaped",
    "a/../../escaped",
    ".git/hooks/post-checkout",
    "~/escaped",
    "a\\..\\escaped",
    "",
]
FOLDERS = gather_trials("FOLDER_OUTPUTS", [
    "eval qrels.txt {0} fair.run -m RR --spread -o out/",
    "validate {0} fair.run --fix out/",
])  # fmt: skip


@pytest.mark.parametrize("command", FOLDERS)
@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_run_leads_out_of_no_folder(copied, fairtrec_command, command, name):
    words = [word.format(f"{name}=bm25.run") for word in shlex.split(command)]
    hold(fairtrec_command, words, copied.parent, outputs=("example/out/",))


TO_A_FILE = gather_trials("FILE_OUTPUTS", [
    "eval qrels.txt bm25.run -m RR -o",
    "compare qrels.txt bm25.run fair.run -m RR -f json -o",
    "check qrels.txt bm25.run --require RR>0 --junit",
    "counts make collection.tsv --terms gender-en --force -o",
    "validate bm25.run --fix",
])  # fmt: skip


@pytest.mark.parametrize("command", TO_A_FILE)
@pytest.mark.parametrize("suffix", [".tsv", ".arrow"])
def test_a_link_in_the_place_of_an_output_is_not_followed(copied, fairtrec_command, command, suffix):
    victims = [copied.parent / "victim", copied.parent / "to come"]
    victims[0].write_text("mine\n")
    for number, victim in enumerate(victims):
        (copied / f"out{number}{suffix}").symlink_to(victim)
        hold(fairtrec_command, [*command.split(), f"out{number}{suffix}"], copied.parent, outputs=("example/out",))
    assert victims[0].read_text() == "mine\n"
    assert not victims[1].exists()


# --- a pyproject.toml that nobody named ---

TABLE = "[tool.fairtrec.check]\nrequire = 'RR >= 0'\n{} = '{}'\n"
LINE = ["check", "../qrels.txt", "../bm25.run"]


@pytest.fixture
def checkout(copied, monkeypatch):
    """A folder of a stranger, in which links lead to hidden places, to the folder above and back to it."""
    folder = copied / "checkout"
    (folder / ".git" / "hooks").mkdir(parents=True)
    (folder / "sub").mkdir()
    (copied / "beyond").mkdir()
    for name, target in {
        "git": ".git",
        "up": "..",
        "out": "sub/../../beyond",
        "two": "out",
        "config": ".git/config",
    }.items():
        (folder / name).symlink_to(target)
    monkeypatch.chdir(folder)
    return folder


def refuse_output(command, folder, key, place, codes=(2, 3)):
    """Hold that a file of options that nobody named writes nothing to a place."""
    (folder / "pyproject.toml").write_text(TABLE.format(key, place))
    before = files_of(folder.parent)
    done = hold(command, LINE, folder.parent, codes=codes)
    assert done.out == ""
    assert files_of(folder.parent) == before


@pytest.mark.parametrize("place", ["git/hooks/pre-commit", "config", "up/escaped", "two/escaped", "out/../escaped"])
@pytest.mark.parametrize("key", ["junit", "output"])
def test_links_of_a_checkout_lead_no_output_away(checkout, fairtrec_command, key, place):
    refuse_output(fairtrec_command, checkout, key, place)


@pytest.mark.parametrize(
    "place", ["sub/../../escaped", "sub/./.hidden", "sub/../.git/config", ".", "sub", "new/file", "~/escaped"]
)
@pytest.mark.parametrize("key", ["junit", "output"])
def test_no_spelling_of_a_place_leads_an_output_away(checkout, fairtrec_command, key, place):
    refuse_output(fairtrec_command, checkout, key, place)


JUNIT = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="pytest tests"><testsuite name="pytest" tests="1"/></testsuites>\n'
FOREIGN = {
    "another program's": JUNIT,
    "named nearly like ours": JUNIT.replace("pytest tests", "fairtrec checks"),
    "with a text behind": "{}and so on\n",
    "with a text before": "My notes:\n{}",
}


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("key", ["junit", "output"])
def test_what_only_looks_like_a_report_of_check_is_not_replaced(checkout, fairtrec_command, key, kind):
    (checkout / "pyproject.toml").write_text(TABLE.format(key, "report"))
    assert fairtrec_command(*LINE).code == 0
    ours = (checkout / "report").read_text()
    (checkout / "report").write_text(FOREIGN[kind].format(ours))
    refuse_output(fairtrec_command, checkout, key, "report")


@pytest.mark.parametrize("key", ["junit", "output"])
def test_no_link_and_no_second_name_makes_a_file_replaceable(checkout, fairtrec_command, key):
    (checkout / "link").symlink_to("sub/mine")
    (checkout / "sub" / "mine").write_text("mine\n")
    os.link(checkout / "sub" / "mine", checkout / "other")
    for place in ("link", "other"):
        refuse_output(fairtrec_command, checkout, key, place)
    assert (checkout / "sub" / "mine").read_text() == "mine\n"


# --- inputs ---

GIVEN = "eval qrels.txt bm25.run -m AWRF@10"
BY_LABELS = f"{GIVEN} --labels labels.tsv"
READ = {  # what is read: the words, and the file that is also named as the output
    "run": (f"{BY_LABELS}", "bm25.run"),
    "qrels": (f"{BY_LABELS}", "qrels.txt"),
    "named run": ("eval qrels.txt x=fair.run -m RR", "fair.run"),
    "run of a pattern": ("eval qrels.txt f*.run -m RR", "fair.run"),
    "run of a folder": ("eval qrels.txt runs -m RR", "runs/fair.run"),
    "list": ("eval qrels.txt @list -m RR", "list"),
    "run of a list": ("eval qrels.txt @list -m RR", "fair.run"),
    "labels": (BY_LABELS, "labels.tsv"),
    "named labels": (f"{GIVEN} --labels g=labels.tsv", "labels.tsv"),
    "field of labels": (f"{GIVEN} --labels labels.csv:group", "labels.csv"),
    "crossed labels": (f"{GIVEN} --labels labels.tsv*labels.csv", "labels.csv"),
    "texts": (f"{GIVEN} --terms gender-en --docs collection.tsv", "collection.tsv"),
    "terms": (f"{GIVEN} --terms ./terms --docs collection.tsv", "terms"),
    "target": (f"{BY_LABELS} --target shares", "shares"),
    "part of a target": (f"{BY_LABELS} --target 0.5*shares+0.5*even", "shares"),
    "background": (f"{BY_LABELS} --target background --background background.run", "background.run"),
    "queries": (f"{BY_LABELS} --queries queries.tsv", "queries.tsv"),
    "slices": (f"{BY_LABELS} --slice slices", "slices"),
    "clusters": (f"{BY_LABELS} --confidence 0.95 --cluster slices", "slices"),
    "gold": (f"{BY_LABELS} --gold gold", "gold"),
    "frequencies": (f"{GIVEN} -m Impact@10 --labels labels.tsv --pool frequencies", "frequencies"),
    "discount": (f"{BY_LABELS} -m AWRF(discount=given)@10 --discount weights", "weights"),
    "stances": ("eval qrels.txt bm25.run -m PositionBias@10 --stances stances.tsv", "stances.tsv"),
    "counterfactual run": ("eval qrels.txt bm25.run -m CRBO@10 --counterfactual runs/bm25.run", "runs/bm25.run"),
    "counterfactual run of a folder": ("eval qrels.txt bm25.run -m CRBO@10 --counterfactual runs", "runs/bm25.run"),
    "texts of queries": ("eval qrels.txt bm25.run -m RR -f html --query-texts words", "words"),
    "baseline": ("compare qrels.txt fair.run -m RR --baseline bm25.run", "bm25.run"),
    "values": ("compare --values a.json b.json", "a.json"),
    "options": ("check qrels.txt bm25.run --config my.toml", "my.toml"),
    "results": ("results diff a.json b.json", "a.json"),
}  # fmt: skip
READ = gather_trials("READ_AND_WRITTEN", READ)


@pytest.fixture
def inputs(copied, fairtrec_command):
    """A file of each kind that eval reads, each of which is read."""
    qids = [str(qid) for qid in range(101, 113)]
    texts = {
        "list": "fair.run\nbm25.run\n",
        "terms": "she,f\nhe,m\n",
        "shares": "f\t0.25\nm\t0.75\n",
        "slices": "".join(f"{qid}\t{'ab'[int(qid) % 2]}\n" for qid in qids),
        "gold": "p001\tf\np002\tm\n",
        "frequencies": "".join(f"{qid}\t{qid}\n" for qid in qids),
        "weights": "".join(f"{rank}\t{1 / rank}\n" for rank in range(1, 11)),
        "terms.tsv": "she,f\nhe,m\n",
        "counts.tsv": "docno\ttokens\tf\tm\np001\t9\t1\t0\n",
        "other.tsv": "docno\ttokens\tf\tm\np002\t9\t1\t0\n",
        "words": (copied / "queries.tsv").read_text(),
        "my.toml": "[tool.fairtrec.check]\nrequire = 'RR >= 0'\n",
    }
    for name, text in texts.items():
        (copied / name).write_text(text)
    (copied / "runs").mkdir()
    for name in ("bm25.run", "fair.run"):
        (copied / "runs" / name).write_bytes((copied / name).read_bytes())
    rows = [line.split("\t") for line in (copied / "labels.tsv").read_text().splitlines()]
    head = [] if rows[0][0] == "docno" else [["docno", "group"]]
    (copied / "labels.csv").write_text("".join(",".join(row) + "\n" for row in [*head, *rows]))
    for name in ("a", "b"):
        asked = ["eval", "qrels.txt", "bm25.run", "-m", "RR", "-q", "-f", "json", "-o", f"{name}.json"]
        assert fairtrec_command(*asked).code == 0
    return copied


def refuse_to_write_over(command, folder, words, place, output):
    before = (folder / place).read_bytes()
    done = hold(
        command,
        [output if word == "OUT" else word for word in shlex.split(words + " -o OUT" * ("OUT" not in words))],
        folder,
        codes=(2,),
    )
    assert (done.out, "is also read; choose another" in done.err) == ("", True), done.err
    assert (folder / place).read_bytes() == before


@pytest.mark.parametrize("kind", READ)
def test_no_kind_of_input_is_written_over(inputs, fairtrec_command, kind):
    words, place = READ[kind]
    refuse_to_write_over(fairtrec_command, inputs, words, place, place)


@pytest.mark.parametrize("kind", READ)
def test_no_other_name_of_an_input_is_written_to(inputs, fairtrec_command, kind):
    words, place = READ[kind]
    link, hard = (f"{name}{(inputs / place).suffix}" for name in ("link", "hard"))
    (inputs / link).symlink_to(place)
    os.link(inputs / place, inputs / hard)
    (inputs / "dots").mkdir()
    for other in (link, hard, f"dots/../{place}", str(inputs / place)):
        refuse_to_write_over(fairtrec_command, inputs, words, place, other)


@pytest.mark.long
def test_standard_input_that_is_a_file_is_not_written_over(copied):
    before = (copied / "fair.run").read_bytes()
    for line in (["eval", "qrels.txt", "-", "-o"], ["check", "qrels.txt", "-", "--require", "nDCG@10 > 0", "--junit"]):
        with (copied / "fair.run").open("rb") as file:
            command = [sys.executable, "-P", "-m", "fairtrec", *line, "fair.run"]
            done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False, cwd=copied)
        assert (done.returncode, (copied / "fair.run").read_bytes()) == (2, before), done.stderr
        assert "the output fair.run is also read" in done.stderr


@pytest.mark.parametrize("form", ["trec", "tsv", "csv", "json", "html", "md"])
def test_a_report_among_runs_that_is_only_looked_at_is_replaced(form, copied, fairtrec_command):
    (copied / "runs").mkdir()
    (copied / "fair.run").rename(copied / "runs" / "fair.run")
    for _ in range(2):
        done = fairtrec_command("eval", "qrels.txt", "runs", "-m", "nDCG@10", "-o", f"runs/report.{form}")
        assert done.code == 0, done.err
    done = fairtrec_command("eval", "qrels.txt", "runs", "-m", "nDCG@10")
    assert f"left out of runs, as no line is of a run: report.{form}" in done.err
