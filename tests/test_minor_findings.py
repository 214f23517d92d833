"""What was awkward or misleading in a small way, as it is mended: each test is named after the finding."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

import fairtrec
from fairtrec.catalogue import pages, registry
from fairtrec.comparison.leaderboard import Standing
from fairtrec.errors import ResourceError, UsageError
from fairtrec.resources import passports
from fairtrec_made import REPOSITORY

RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}


def test_m01_a_square_of_overlaps_comes_in_parts_of_the_window(copied, monkeypatch):
    from fairtrec.comparison.overlaps import overlaps
    from fairtrec.report.comparison.overlaps import table

    monkeypatch.setenv("COLUMNS", "80")
    names = [f"a_rather_long_name_of_a_run_{number}.run" for number in range(14)]
    for name in names:
        shutil.copy("bm25.run", name)
    drawn = table(overlaps(dict(zip(names, names, strict=True)), depth=3), places=4, per_query=False, terminal=True)
    assert max(map(len, click.unstyle(drawn).splitlines())) <= 80
    assert drawn.count("1.0000") == 14 * 13  # each is there, in one part or another


def test_m02_a_baseline_of_overlaps_has_the_name_of_a_run(copied, fairtrec_command):
    done = fairtrec_command("rbo", "bm25.run", "neural.run", "fair.run", "--baseline", "bm25", "-f", "csv")
    assert done.code == 0
    assert [row.split(",")[:2] for row in done.out.splitlines()[1:]] == [
        ["neural.run", "bm25.run"],
        ["fair.run", "bm25.run"],
    ]
    assert "there is no run or file xy" in fairtrec_command("rbo", "bm25.run", "neural.run", "--baseline", "xy").err


def test_m04_unknown_documents_are_counted_in_runs_and_background_together():
    counts = pd.DataFrame({"docno": ["d1"], "tokens": [4], "f": [1], "m": [1]})
    background = {"q1": {f"d{number}": -1.0 * number for number in range(1, 6)}}
    with pytest.raises(fairtrec.InputError, match="of 4 of 5 documents"):
        fairtrec.evaluate("NFaiRR@10", {"q1": RUN["q1"]}, annotations=counts, background=background)


@pytest.mark.parametrize("kind", ["qrels", "docs"])
def test_m05_what_ir_datasets_cannot_fetch_is_a_short_line_with_the_part_that_is_wanted(kind):
    from fairtrec.formats.datasets import _fetching

    with pytest.raises(ResourceError) as raised, _fetching("some/id", kind):
        raise RuntimeError("All sources failed [ConnectionError(" + "<object at 0x7f> " * 80)
    assert len(str(raised.value)) < 250
    assert str(raised.value).endswith(f"run: ir_datasets export some/id {kind}")


def test_m06_the_page_says_that_ids_of_ir_datasets_are_exempt():
    assert "An id of ir_datasets needs no such leave" in (REPOSITORY / "docs" / "eval.md").read_text("utf-8")


def test_m08_nobody_is_best_at_infinity():
    means = np.array([[np.inf, 0.5, np.inf], [np.inf, 0.4, 1.0]])
    best = Standing(means, ["lower", "higher", "higher"]).best
    assert best.tolist() == [[False, True, False], [False] * 3]


def test_m09_the_default_is_a_few_of_what_the_inputs_allow(fairtrec_command):
    words = " ".join(fairtrec_command("eval", "--help").out.split())
    assert "[default: a few that the inputs allow]" in words
    with pytest.raises(UsageError, match="no measure all; `fairtrec measures`"):
        registry.parse("all")


@pytest.mark.parametrize(
    ("text", "meant"),
    [("ndcg@10", "nDCG@10"), ("nfairr(tau=0)@20", "NFaiRR(tau=0)@20"), ("rr", "RR"), ("p@5", "P@5"), ("map", "AP")],
)
def test_m10_names_are_known_in_any_case(text, meant):
    assert list(map(str, registry.parse(text))) == [meant]


def test_m10_pages_are_found_in_any_case():
    assert pages.page("awrf") == pages.page("AWRF")
    assert pages.page("ALPHA_NDCG") == pages.page("alpha_nDCG")


def test_m10_no_two_names_differ_in_case_alone():
    assert len({name.lower() for name in registry.names()}) == len({*registry.names()})


def test_m11_the_page_says_that_names_of_trec_eval_are_printed_otherwise():
    page = (REPOSITORY / "docs" / "eval.md").read_text("utf-8")
    assert "`AP` for `map`" in page
    assert list(map(str, registry.parse("map ndcg_cut_10"))) == ["AP", "nDCG@10"]


def test_m12_what_ir_measures_lacks_is_said_in_words(monkeypatch):
    said = io.StringIO()
    monkeypatch.setattr("sys.stderr", said)
    registry.parse("all_trec")
    assert said.getvalue().startswith("# all_trec: ir-measures lacks 11pt_avg, G, ")
    assert "[" not in said.getvalue()


def test_m13_results_are_no_baseline_of_eval_and_the_line_names_the_command(copied, fairtrec_command):
    Path("a.json").write_text("{}", "utf-8")
    done = fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "RR", "--baseline", "a.json")
    assert done.code == 2
    assert "`fairtrec check`" in done.err


def test_m14_the_measure_that_runs_are_sorted_by_stands_first(copied, fairtrec_command):
    arguments = ("eval", "qrels.txt", "bm25.run", "neural.run", "-m", "RR nDCG@10 P@5", "--sort", "P@5", "-f", "table")
    head = fairtrec_command(*arguments).out.splitlines()[0] or fairtrec_command(*arguments).out.splitlines()[1]
    assert head.split()[:4] == ["rank", "run", "queries", "P@5"]
    neural = next(line for line in fairtrec_command(*arguments).out.splitlines() if "neural" in line)
    assert "0.8833*" in neural.split()[3]


def test_part_2_12_query_ids_of_any_kind_have_the_values_of_ids_that_are_numbers(capfd):
    measures = "nDCG(dcg=exp-log2)@10 ERR@10"
    grades, ranked = {"d1": 4, "d2": 1, "d3": 2}, {"d2": 2.0, "d1": 1.0}
    values = []
    for names in (["1", "2"], ["q0001", "x-y"], ["dl19-1", "dl19-2"]):
        qrels = {qid: grades if place else {"d2": 1} for place, qid in enumerate(names)}
        found = fairtrec.evaluate(measures, dict.fromkeys(names, ranked), qrels).per_query["run"]
        values.append([[of_measure[qid] for qid in names] for of_measure in found.values()])
    assert values[0] == values[1] == values[2]
    gains = [1.0, 15.0, 3.0]  # 2^grade - 1 of d2, d1, and of d3, which is not ranked
    got = gains[0] + gains[1] / np.log2(3)
    ideal = gains[1] + gains[2] / np.log2(3) + gains[0] / 2
    assert values[0][0] == pytest.approx([1.0, got / ideal], abs=1e-5)
    assert capfd.readouterr() == ("", "")


def test_part_2_12_grades_that_a_program_cannot_take_are_named(capfd):
    with pytest.raises(UsageError, match=r"ERR@10 takes grades up to 4, and there is one of 5; use other judgements"):
        fairtrec.evaluate("ERR@10", RUN, {"q1": {"d1": 5}})
    assert capfd.readouterr() == ("", "")


def test_m15_no_file_of_options_for_one_call(copied, fairtrec_command):
    Path("pyproject.toml").write_text("[tool.fairtrec.check]\nrequire = ['RR > 2']\n")
    given = ("check", "qrels.txt", "bm25.run", "--require", "RR > 0")
    assert fairtrec_command("check", "qrels.txt", "bm25.run").code == 1
    done = fairtrec_command(*given, "--config", os.devnull)
    assert (done.code, "options from" in done.out) == (0, False)
    assert fairtrec_command("check", "qrels.txt", "bm25.run", "--config", os.devnull).code == 2


def test_m20_labels_and_positions_are_taken_from_frames():
    labels = {"d1": {"a": 1.0}, "d2": {"b": 0.5}}
    frame = pd.DataFrame({"docno": ["d1", "d2"], "group": ["a", "b"], "weight": [1.0, 0.5]})
    one, other = (fairtrec.evaluate("KL@1", RUN, labels=each).per_query["run"] for each in (labels, frame))
    assert one == other
    per_query = pd.DataFrame({"qid": ["q1", "q2", "q2"], "docno": ["d1", "d1", "d2"], "group": ["a", "b", "b"]})
    assert len(fairtrec.evaluate("AWRF@2", RUN, labels=per_query).per_query["run"]["AWRF@2"]) == 2
    places = {"d1": [0.0, 1.0], "d2": [0.5, 0.25]}
    axes = pd.DataFrame({"docno": ["d1", "d2"], "x": [0.0, 0.5], "y": [1.0, 0.25]})
    one, other = (fairtrec.evaluate("DUO", RUN, positions=each).per_query["run"] for each in (places, axes))
    assert str(one) == str(other)
    for bad in (pd.concat([axes, axes]), axes[["docno"]]):
        with pytest.raises(fairtrec.InputError, match="the positions frame"):
            fairtrec.evaluate("DUO", RUN, positions=bad)
    with pytest.raises(fairtrec.InputError, match="the labels frame has none of the columns group"):
        fairtrec.evaluate("KL@1", RUN, labels=axes)


def test_m22_qrels_may_be_called_none_as_on_the_command_line():
    labels = {"d1": "a", "d2": "b"}
    assert fairtrec.evaluate("KL@1", RUN, "none", labels=labels).means == fairtrec.evaluate(
        "KL@1", RUN, None, labels=labels
    ).means  # fmt: skip


def test_m23_a_keyword_that_is_nearly_one_is_named():
    with pytest.raises(UsageError, match=r"no option label; did you mean labels\?"):
        fairtrec.evaluate("KL@1", RUN, label={"d1": "a"})
    with pytest.raises(fairtrec.InputError, match="queries= in Python"):
        fairtrec.evaluate("KL@1", RUN, labels={"d1": "a", "d2": "b"}, queries=["q9"])


def test_m25_the_counts_of_the_readme_are_made_before_they_are_used():
    text = (REPOSITORY / "README.md").read_text("utf-8")
    assert 0 < text.find("-o counts.tsv") < text.find("--annotations counts.tsv")


def test_m26_no_page_speaks_of_a_tag():
    pages_with_code = [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")]
    assert not [page.name for page in pages_with_code if "rev: v" in page.read_text("utf-8")]


@pytest.mark.parametrize(
    "arguments", ["validate bad.run", "validate bad.run other.run", "resources verify", "eval q bad.run -f trec"]
)
def test_m03_what_is_wrong_stands_below_what_was_printed_in_a_log_of_both(tmp_path, monkeypatch, arguments):
    (tmp_path / "bad.run").write_text("q1 Q0 d1 1 x t\n")
    (tmp_path / "other.run").write_text("q1 Q0 d1 1 y t\n")
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    place = passports.passport("msmarco-fair").place
    place.parent.mkdir(parents=True)
    place.write_text("no such set\n")
    program = "import sys; sys.argv[0] = 'fairtrec'; from fairtrec.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with (tmp_path / "log").open("wb") as log:
        command = [sys.executable, "-c", program, *arguments.split()]
        ended = subprocess.run(command, cwd=tmp_path, stdout=log, stderr=log, env=environment, check=False)
    assert ended.returncode in (3, 4)
    *printed, last = (tmp_path / "log").read_text("utf-8").splitlines()
    assert not [line for line in printed if line.startswith(("1 of 1", "2 of 2", "damaged: "))]
    assert last.startswith(
        ("1 of 1 run with errors; see above", "2 of 2 runs", "damaged: ", "q: there is no such file")
    )


def test_m07_a_failed_download_does_not_name_the_command_that_failed(monkeypatch, tmp_path, fairtrec_command):
    def refused(*_):
        raise ResourceError("cannot fetch https://x.org/f: no route (tried 3 times)")

    monkeypatch.setattr(passports, "fetch", refused)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path))
    monkeypatch.delenv("FAIRTREC_OFFLINE", raising=False)
    done = fairtrec_command("resources", "get", "cpjku-gender")
    assert done.code == 4
    assert "resources get" not in done.err
    assert done.err.endswith("try again later, or run: fairtrec resources add cpjku-gender FILE\n")


def test_m14_on_the_page_the_measure_that_runs_are_sorted_by_stands_first(copied, fairtrec_command):
    arguments = ("eval", "qrels.txt", "bm25.run", "neural.run", "-m", "RR nDCG@10 P@5", "--sort", "P@5", "-f", "html")
    page = fairtrec_command(*arguments, "-o", "board.html")
    assert page.code == 0, page.err
    board = re.search(r'<table id="board".*?</table>', Path("board.html").read_text("utf-8"), re.DOTALL).group()
    heads = re.findall(r'<th scope="col" data-measure="(\d)"(?: aria-sort="other")?>([^<]+)', board)
    assert [number for number, _ in heads] == ["2", "0", "1"]  # what the script sorts by are their numbers
    assert heads[0][1].startswith("P@5")
    values = [re.findall(r"<td[^>]*>([\d.]+)", row) for row in re.findall("<tr.*?</tr>", board, re.DOTALL)[1:]]
    table = fairtrec_command(*arguments[:-1], "csv").out.splitlines()
    means = {cells[0]: cells[4:] for cells in (line.split(",") for line in table[1:])}
    rr, ndcg, p = means["neural.run"]
    assert [p, rr, ndcg, "12"] in [row[-4:] for row in values]


def test_m16_sequences_are_called_so(tmp_path, fairtrec_command):
    files = {
        "seq.csv": "0.0,1\n0.1,1\n1.0,1\n",
        "truth": '{"qid": 1, "documents": [{"doc_id": "d1", "relevance": 1}, {"doc_id": "d2", "relevance": 0}]}\n',
        "groups.csv": "d1,A\nd2,B\n",
        "a.jsonl": "".join(f'{{"q_num": "{q}", "qid": 1, "ranking": ["d1", "d2"]}}\n' for q in ("0.0", "0.1", "1.0")),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    given = [f"--{name}={tmp_path / file}" for name, file in (("sequences", "seq.csv"), ("truth", "truth"), ("groups", "groups.csv"))]  # fmt: skip
    done = fairtrec_command("trec-fair-2019", tmp_path / "a.jsonl", *given, "-f", "md")
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].split("|")[2].strip() == "sequences"
    assert "queries" not in done.out.splitlines()[0]


def test_m17_two_runs_of_one_file_name_are_both_named(copied, fairtrec_command):
    for folder in ("one", "two"):
        Path(folder).mkdir()
        shutil.copy("bm25.run", f"{folder}/bm25.run")
    shutil.copy("neural.run", "one/other.run")
    done = fairtrec_command("validate", "one/", "two/", "--fix", "out")
    assert done.code == 2
    assert done.err == "one/bm25.run and two/bm25.run would both be written to out/bm25.run; repair them one by one\n"


def test_m18_a_name_with_a_slash_behind_is_that_of_a_folder(copied, fairtrec_command):
    done = fairtrec_command("validate", "bm25.run", "--fix", "out3/")
    assert done.code == 0, done.err
    assert Path("out3/bm25.run").is_file()
    Path("file").write_text("mine")
    done = fairtrec_command("validate", "bm25.run", "--fix", "file/")
    assert (done.code, Path("file").read_text()) == (2, "mine")
    assert fairtrec_command("validate", "bm25.run", "--fix", "plain.run").code == 0
    assert Path("plain.run").is_file()


def test_m27_the_page_of_commands_has_the_short_option_for_help_too():
    page = (REPOSITORY / "docs" / "cli.md").read_text("utf-8")
    assert page.count("-h, --help") == len(re.findall("^Usage: ", page, re.MULTILINE))
    assert not re.search("^  --help", page, re.MULTILINE)


def test_m29_lists_are_listed_with_their_other_names(fairtrec_command):
    line = next(row for row in fairtrec_command("resources", "list").out.splitlines() if "msmarco-fair" in row)
    assert line.startswith("msmarco-fair, qs2  ")
    assert "`qs2`" in (REPOSITORY / "docs" / "resources.md").read_text("utf-8")


def test_m30_published_counts_can_be_told_how_they_were_made(copied, fairtrec_command):
    Path("terms").write_text("she,f\nhe,m\n")
    assert fairtrec_command("annotate", "collection.tsv", "--groups", "terms", "-o", "made.tsv", "-j", "1").code == 0
    rows = [line for line in Path("made.tsv").read_text().splitlines() if not line.startswith("#")]
    Path("found.tsv").write_text("\n".join(rows) + "\n")
    evaluated = ("eval", "none", "bm25.run", "-m", "TExFAIR@10", "-f", "json", "--groups", "terms", "--annotations")
    assert "do not say how they were made" in fairtrec_command(*evaluated, "found.tsv").err
    stated = ("annotations", "convert", "found.tsv")
    assert fairtrec_command(*stated, "t.arrow", "--groups", "terms", "--tokenizer", "strip").code == 0
    one, other = (fairtrec_command(*evaluated, name) for name in ("t.arrow", "made.tsv"))
    assert (one.code, json.loads(one.out)["runs"]) == (0, json.loads(other.out)["runs"])
    signatures = [re.sub(r"counts:\S+", "", json.loads(done.out)["signature"]) for done in (one, other)]
    assert signatures[0] == signatures[1]
    assert "groups:terms@" in signatures[0]
    Path("others").write_text("she,x\nhe,y\n")
    for given, code, what in (
        (["--groups", "terms"], 2, "by --groups and --tokenizer together"),
        (["--tokenizer", "space"], 2, "by --groups and --tokenizer together"),
        (["--case-sensitive"], 2, "by --groups and --tokenizer together"),
        (["--groups", "others", "--tokenizer", "strip"], 3, "found.tsv: its groups are f, m, those of others x, y; "),
    ):
        done = fairtrec_command(*stated, "u.arrow", *given)
        assert (done.code, what in done.err) == (code, True), done.err
    done = fairtrec_command("annotations", "convert", "made.tsv", "u.arrow", "--groups", "terms", "--tokenizer", "word")
    assert (done.code, "this table says how it was made" in done.err) == (3, True)


def test_a_result_that_was_written_is_compared_correlated_and_drawn_as_curves(copied, fairtrec_command):
    arguments = ("eval", "qrels.txt", "bm25.run", "neural.run", "-m", "nDCG@5 nDCG@10", "-f", "json", "-q")
    assert fairtrec_command(*arguments, "-o", "a.json").code == 0
    recorded = fairtrec.read_results("a.json")
    for use in (fairtrec.compare, fairtrec.correlate, fairtrec.curves):
        assert str(use(recorded).signature) == str(use(recorded.result()).signature)
        with pytest.raises(UsageError, match="here is dict, and no result; give what evaluate or read_results gives"):
            use({})
    rows = [(row.run, row.difference) for row in fairtrec.compare(recorded).rows]
    assert rows == [(row.run, row.difference) for row in fairtrec.compare(recorded.result()).rows]


def test_objects_are_no_files_to_validate():
    with pytest.raises(UsageError, match="files are validated, of which lines can be named; write each run to one"):
        fairtrec.validate([pd.DataFrame()])


def test_judgements_that_are_labels_too_are_read_once(copied, monkeypatch):
    from fairtrec.formats import qrels

    read, seen = qrels.read, []
    monkeypatch.setattr(qrels, "read", lambda path: seen.append(path) or read(path))
    Path("topics").write_text("101 1 p001 1\n101 2 p002 1\n")
    fairtrec.evaluate("FAIR@10 nDCG@10", ["bm25.run"], "topics", labels="qrels")
    assert seen == ["topics"]


def test_each_public_name_is_described():
    page = (REPOSITORY / "docs" / "python.md").read_text("utf-8")
    assert not re.search(r"\| *\|\s*$", page.partition("made from the code")[2], re.MULTILINE)


def test_what_is_printed_does_not_depend_on_how_python_orders_sets(example):
    program = "import sys; sys.argv[0] = 'fairtrec'; from fairtrec.cli import main; main()"
    measures = "official ERR_IA@10 all_trec P@5"
    for asked in (measures, measures.replace("ERR_IA@10 ", "")):
        command = ["eval", str(example / "qrels.txt"), str(example / "bm25.run"), "-m", asked]
        said = {
            subprocess.run(
                [sys.executable, "-c", program, *command],
                env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONHASHSEED": str(seed)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            ).stdout
            for seed in range(3)
        }
        assert len(said) == 1
