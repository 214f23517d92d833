"""A new option takes a row of the table and the place where it acts.

A choice changes values, in every command that evaluates; a view option changes what is shown of them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fairtrec_made import one_process
from fairtrec_made.command_trials import gather_trials

REPOSITORY = Path(__file__).parents[2]
ROW = """\
    min_tokens: Annotated[int | None, Choice(
        ("--min-tokens",), INPUTS, "Documents with fewer tokens hold no group term.", metavar="N",
        after="missing", part="documents", key="min-tokens", trials=(9,),
    )] = None  # fmt: skip
"""
ACT = """\
        if self.choices.min_tokens is not None:
            self.document_counts = self.counted.keep_terms(self.counted.tokens >= self.choices.min_tokens)
"""
RUN_ROW = """\
    min_score: Annotated[int | None, Choice(
        ("--min-score",), RANKING, "Leave out documents with a lower score.", metavar="N", after="only",
        key="min-score", drops=True, trials=(9,),
    )] = None  # fmt: skip
"""
RUN_ACT = """\
    if (least := choices.min_score) is not None:
        system = system.keep_where(lambda run: run.scores >= least)
"""
RANKS_ROW = """\
    drop_first: Annotated[int | None, Choice(
        ("--drop-first",), RANKING, "Leave out the first N documents of rankings.", metavar="N", after="only",
        key="drop-first", drops=True, trials=(1,), excludes={
            "any of some tied documents can be among the first {drop_first}; leave out --bounds ties, or --drop-first":
                lambda it: it.bounds == "ties",
        },
    )] = None  # fmt: skip
"""
RANKS_ACT = """\
    if (many := choices.drop_first) is not None:
        system = system.keep_where(lambda run: run.find_ranks(np.arange(len(run.docnos))) > many)
"""
KEYWORD, LAST_ROW = "    groups: str | Sequence[str] | None\n", 'trials=("known",),\n    )] = "even"  # fmt: skip\n'
OPTIONS, DOCUMENTS = "evaluation/inputs/options.py", "evaluation/inputs/documents.py"
OF_COUNTS = {  # `eval --min-tokens N`: by file, behind what stands what
    OPTIONS: [(KEYWORD, "    min_tokens: int | None\n"), (LAST_ROW, ROW)],
    DOCUMENTS: [("        self.document_counts, self.missing = self.counted, self.choices.missing\n", ACT)],
}
OF_RUNS = {  # `eval --min-score N`
    OPTIONS: [(KEYWORD, "    min_score: int | None\n"), (LAST_ROW, RUN_ROW)],
    DOCUMENTS: [('    words = choices.only.split(",") if choices.only else []\n', RUN_ACT)],
}
OF_RANKS = {  # `eval --drop-first N`, which `rerank` does not heed
    OPTIONS: [("    only: Kept | None\n", "    drop_first: int | None\n"), (LAST_ROW, RANKS_ROW)],
    DOCUMENTS: [('    words = choices.only.split(",") if choices.only else []\n', RANKS_ACT)],
}  # fmt: skip
VIEW_ROW = """\
    latex_size: Annotated[str | None, Choice(
        ("--latex-size",), OUTPUT, "The size of letters in the table (latex).", metavar="NAME", only=("eval", "python"),
        refused=NOT_OF_SPREAD, conflicts={"--latex-size is for LaTeX; add -f latex": lambda it: it.form != "latex"},
        trials=("small",),
    )] = None  # fmt: skip
"""
TABLE_ROW = """\
    unmarked: Annotated[bool, Choice(
        ("--unmarked",), OUTPUT, "Do not mark the best values of tables.", only=("eval", "python"),
        refused=NOT_OF_SPREAD, trials=(True,),
    )] = False  # fmt: skip
"""
FEWER_ROW = """\
    first_runs: Annotated[int | None, Choice(
        ("--first-runs",), OUTPUT, "Show only the first N runs in tables.", metavar="N", only=("eval", "python"),
        refused=NOT_OF_SPREAD, trials=(1,),
    )] = None  # fmt: skip
"""
FEWER = {  # `eval --first-runs N`: by file, before what stands what
    OPTIONS: [("    latex_label: Annotated", FEWER_ROW)],
    "report/results/tables.py": [
        ("    marks: ClassVar", "    first_runs: int | None = None\n"),
        (
            "        return result if self.sort is None else sort_runs(",
            "        result = replace(result, scores=result.scores[: self.first_runs])\n",
        ),
    ],
}
TABLED = {  # `eval --unmarked`: by file, before what stands what
    OPTIONS: [("    latex_label: Annotated", TABLE_ROW)],
    "report/results/tables.py": [
        ("    marks: ClassVar", "    unmarked: bool = False\n"),
        (
            "            several[marked] = replace(",
            "            best, worst = ((), ()) if self.unmarked else (best, worst)\n",
        ),
    ],
}
VIEWED = {  # `eval --latex-size NAME`: by file, what is replaced by what
    "evaluation/inputs/options.py": [("    latex_label: Annotated", f"{VIEW_ROW}    latex_label: Annotated")],
    "report/markup.py": [
        ("latex_label: str | None = None) -> str:", "latex_label: str | None = None, latex_size: str = '') -> str:"),
        (r'r"\centering", rf"\caption', r'r"\centering", *[rf"\{latex_size}"] * bool(latex_size), rf"\caption'),
    ],
}


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """Copy the package, and add the options to the copy."""
    folder = tmp_path_factory.mktemp("grown")
    shutil.copytree(REPOSITORY / "fairtrec", folder / "fairtrec", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "resources", folder / "resources")
    for name, several in (*OF_COUNTS.items(), *OF_RUNS.items(), *OF_RANKS.items()):
        text = (folder / "fairtrec" / name).read_text()
        for behind, lines in several:
            assert text.count(behind) == 1, f"{name}: {behind}"
            text = text.replace(behind, behind + lines)
        (folder / "fairtrec" / name).write_text(text)
    placed = [
        (name, [(old, new + old) for old, new in several]) for each in (TABLED, FEWER) for name, several in each.items()
    ]
    for name, several in (*placed, *VIEWED.items()):
        text = (folder / "fairtrec" / name).read_text()
        for old, new in several:
            assert text.count(old) == 1, f"{name}: {old}"
            text = text.replace(old, new)
        (folder / "fairtrec" / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def printed(grown):
    """What every command line that is looked at here prints, all of them called in one process."""
    chosen = [*GIVEN, "--min-tokens", "40", "-f", "json"]
    example = grown / "resources" / "example"
    ranked = (example / "neural.run").read_text().splitlines(keepends=True)
    (example / "fewer.run").write_text("".join(line for line in ranked if float(line.split()[4]) >= 9))
    docnos = dict.fromkeys(line.split()[2] for line in ranked)
    (example / "counts.tsv").write_text("docno\ttokens\tf\tm\n" + "".join(f"{docno}\t50\t1\t0\n" for docno in docnos))
    typed = {"_FAIRTREC_COMPLETE": "bash_complete", "COMP_WORDS": "fairtrec\neval\n--min", "COMP_CWORD": "2"}
    lines = {
        **{name: [*arguments, *chosen] for name, (arguments, _) in WAYS.items()},
        "plain": [*WAYS["eval"][0], *GIVEN, "-f", "json"],
        **{f"{name}, varied": [*arguments, *GIVEN, "-f", "json"] for name, (arguments, _) in VARYING.items()},
        **{
            f"{name}, fewer": [*arguments, *GIVEN, "--min-score", "9", "-f", "json"]
            for name, (arguments, _) in WAYS.items()
        },
        "fewer": [*(each.replace("neural", "fewer") for each in WAYS["eval"][0]), *GIVEN, "-f", "json"],
        "first": [*WAYS["eval"][0], *GIVEN, "--drop-first", "1", "-f", "json"],
        "help": ["eval", "--help"],
        "refused": [*WAYS["eval"][0], *GIVEN, "--min-tokens", "0"],
        "of logs": ["eval", "none", "neural.run", "-m", "RaB(mag=tf_paper)@10", *chosen],
        "of no logs": ["eval", "none", "neural.run", "-m", "RaB(mag=tf_paper)@10", *GIVEN, "-f", "json"],
        "of all": [
            "eval",
            "none",
            "neural.run",
            "-m",
            "NFaiRR@10",
            "--counts",
            "counts.tsv",
            "--background",
            "collection",
            "--min-tokens",
            "40",
        ],
        "offered": ([], typed),
        "seen": [*WAYS["eval"][0], *GIVEN, "-f", "latex", "--latex-size", "small"],
        "unseen": [*WAYS["eval"][0], *GIVEN, "-f", "md", "--latex-size", "small"],
        **{
            name: ["eval", "none", "neural.run", "bm25.run", "-m", "NFaiRR@10", *GIVEN, "-f", "latex", *more]
            for name, more in {"marked": [], "unmarked": ["--unmarked"]}.items()
        },
        **{
            f"{form} {many}": [
                "eval",
                "none",
                "neural.run",
                "bm25.run",
                "-q",
                "-m",
                "NFaiRR@10",
                *GIVEN,
                "-f",
                form,
                *more,
            ]
            for form in ("md", "table")
            for many, more in {"of both": [], "of one": ["--first-runs", "1"]}.items()
        },
        "spread": [*WAYS["eval"][0], *GIVEN, "--spread", "--latex-size", "small"],
    }
    return one_process.printed(lines, example, grown)


@pytest.mark.parametrize(("what", "added", "most"), [("counts", OF_COUNTS, 7), ("documents of runs", OF_RUNS, 7)])  # fmt: skip
def test_it_takes_two_files_and_few_lines(what, added, most):
    lines = [line for several in added.values() for _, text in several for line in text.splitlines()]
    assert len(added) <= 2
    assert len(lines) <= most
    page = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
    (row,) = re.findall(rf"^\| a choice of `eval` about {what} .*$", page, re.MULTILINE)
    assert all(f"`fairtrec/{name}`" in row for name in added)
    assert f" {len(lines)}: " in row


GIVEN = ("--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run")
WAYS = gather_trials(  # what each command begins with
    "BEGINNINGS",
    {
        "eval": (
            ["eval", "none", "neural.run", "-m", "NFaiRR@10"],
            lambda it: it["runs"][0]["means"]["NFaiRR@10"]["value"],
        ),
    },
)
VARYING = gather_trials("NEW_OPTION")


@pytest.mark.long
def test_every_command_takes_it_and_begins_with_one_value(printed):
    found = {}
    for name, (_, taken) in WAYS.items():
        code, out, err = printed[name]
        assert code == 0, err
        found[name] = taken(json.loads(out))
        assert " | min-tokens:40 | " in json.loads(out)["signature"], name
    _, plain, _ = printed["plain"]
    assert "min-tokens" not in plain.replace('"min_tokens": null', "")
    assert WAYS["eval"][1](json.loads(plain)) != found["eval"]
    assert found == pytest.approx(dict.fromkeys(WAYS, found["eval"]), abs=1e-12)


@pytest.mark.long
def test_all_that_is_counted_changes_or_is_refused(printed):
    changed, plain = (json.loads(printed[name][1])["runs"][0]["means"] for name in ("of logs", "of no logs"))
    assert changed != plain
    what = "an option changes the counts of single documents, and those of the whole collection are not known"
    assert printed["of all"] == [2, "", f"{what}; leave it out, or take a run: --background RUN\n"]


@pytest.mark.parametrize("name", WAYS)
def test_every_command_drops_documents_of_runs_as_a_file_without_them_does(printed, name):
    (code, out, err), (_, fewer, _) = printed[f"{name}, fewer"], printed["fewer"]
    assert code == 0, err
    value = WAYS["eval"][1](json.loads(fewer))
    assert value != WAYS["eval"][1](json.loads(printed["plain"][1]))
    assert WAYS[name][1](json.loads(out)) == pytest.approx(value, abs=1e-12)


def test_a_choice_of_rankings_as_they_are_is_no_option_of_rerank(printed):
    """The commands that rerank run without it, as the tests above try them; ``eval`` has it."""
    code, out, err = printed["first"]
    assert code == 0, err
    assert " | drop-first:1 | " in json.loads(out)["signature"]
    assert WAYS["eval"][1](json.loads(out)) != WAYS["eval"][1](json.loads(printed["plain"][1]))


@pytest.mark.parametrize("name", VARYING)
def test_a_command_varies_it_as_eval_has_it(printed, name):
    code, out, err = printed[f"{name}, varied"]
    assert code == 0, err
    value = WAYS["eval"][1](json.loads(printed["eval"][1]))
    assert VARYING[name][1](json.loads(out)) == pytest.approx(value, abs=1e-12)


def test_help_and_completion_have_it_and_bad_values_are_refused(printed):
    help_text = printed["help"][1]
    inputs = help_text[help_text.index("Inputs:") : help_text.index("Measures:")]
    assert "--min-tokens N" in inputs
    assert printed["offered"][1].split() == ["plain,--min-tokens", "plain,--min-score"]
    assert printed["refused"] == [2, "", "--min-tokens is 0; it must be 1 or more\n"]


def test_a_view_option_takes_two_files_and_seven_lines():
    lines = len(VIEW_ROW.splitlines()) + len(VIEWED["report/markup.py"])
    page = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
    (row,) = re.findall(r"^\| a view option of `eval` about one format .*$", page, re.MULTILINE)
    assert all(f"`fairtrec/{name}`" in row for name in VIEWED)
    assert f" {lines}: " in row


@pytest.mark.parametrize("added", [TABLED, FEWER])
def test_a_view_option_of_tables_takes_two_files_and_six_lines(added):
    lines = [line for several in added.values() for _, text in several for line in text.splitlines()]
    page = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
    (row,) = re.findall(r"^\| a view option of `eval` about tables .*$", page, re.MULTILINE)
    assert all(f"`fairtrec/{name}`" in row for name in added)
    assert len(lines) == 6
    assert " 6: " in row


def test_a_view_option_of_tables_acts_on_them(printed):
    (marked, text, _), (code, bare, err) = printed["marked"], printed["unmarked"]
    assert (marked, code) == (0, 0), err
    assert text.count(r"\textbf{") == 1
    assert bare.count(r"\textbf{") == 0


@pytest.mark.parametrize("form", ["md", "table"])
def test_a_view_option_of_runs_acts_on_queries_and_means(printed, form):
    (both, text, _), (code, one, err) = printed[f"{form} of both"], printed[f"{form} of one"]
    assert (both, code) == (0, 0), err
    assert "bm25" in text
    assert "bm25" not in one
    assert len(re.findall(r"\b101\b", text)) == 2 * len(re.findall(r"\b101\b", one)) > 0


def test_a_view_option_shows_itself_and_is_refused_where_it_cannot(printed):
    code, text, err = printed["seen"]
    assert (code, r"\centering" + "\n" + r"\small" in text) == (0, True), err
    assert printed["unseen"] == [2, "", "--latex-size is for LaTeX; add -f latex\n"]
    assert printed["spread"][2] == "--spread prints best, median and worst of values alone; leave out --latex-size\n"
    help_text = printed["help"][1]
    assert "--latex-size NAME" in help_text[help_text.index("Output:") :]


def test_python_takes_a_view_option_and_asks_what_a_choice_excludes(grown):
    code = (
        "import fairtrec; fairtrec.evaluate('P@1', {'q': ['d']}, qrels={'q': {'d': 1}}).write('a.tex', latex_size='small');"
        "print(open('a.tex').read());"
        "fairtrec.evaluate('P@1', {'q': ['d']}, qrels={'q': {'d': 1}}, bounds='ties', drop_first=3)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=grown, env={**os.environ, "PYTHONPATH": str(grown)},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert "\n\\small\n" in done.stdout, done.stderr
    said = "any of some tied documents can be among the first 3; leave out bounds=ties, or drop_first="
    assert done.stderr.rstrip().endswith(said)


@pytest.mark.long
def test_the_law_asks_about_it(grown):
    law = REPOSITORY / "tests" / "evaluation" / "test_one_value.py"
    asked = "min_tokens or every_choice"
    path = os.pathsep.join(map(str, (grown, REPOSITORY / "tests" / "made", REPOSITORY)))
    alone = ["-p", "no:cacheprovider", "--noconftest", "-q", "-c", os.devnull]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *alone, "-k", asked, law],
        cwd=grown, env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
