"""Training against an adversary, and ranking with what was trained: with torch, on texts and an encoder made here."""

import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation.inputs import loading
from fairtrec.formats import tsv
from fairtrec.lab.make.ranker.model import Ranker, adversary, reverse_gradient
from fairtrec.lab.make.ranker.rerank import rerank
from fairtrec.lab.make.ranker.train import BOTH, Batches, label_triples, split_triples, train
from fairtrec.support.errors import InputError, ResourceError, UsageError
from fairtrec_made import REPOSITORY
from fairtrec_made.adversarial import encoder, world
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.pages import section

torch = pytest.importorskip("torch", reason="needs torch; make adv")
transformers = pytest.importorskip("transformers", reason="needs transformers; make adv")
pytestmark = [
    pytest.mark.adv,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the libraries, among themselves
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
SMALL = {
    "base_steps": 6, "warmup": 4, "steps": 6, "batch_size": 16, "learning_rate": 1e-3, "checkpoints": 3, "tau": 0,
    "held_out": 0.2, "max_length": 32,
}  # fmt: skip
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "FAIRTREC_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """The same bytes are promised for one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A world of few trades, and an encoder with dropout."""
    folder = tmp_path_factory.mktemp("small")
    words = world(folder, trades=30, unseen=6, triples=4)
    encoder(folder / "encoder", words, hidden=32, dropout=0.1)
    return folder


def trained(small, output, strengths=(0, 0.5), **options):
    """Train on the small world; give what was told of each model."""
    given = small / "triples.tsv", str(small / "encoder"), "gender-en", output, strengths
    return list(train(*given, **SMALL | options))


@pytest.fixture(scope="module")
def trained_once(small, tmp_path_factory):
    output = tmp_path_factory.mktemp("trained") / "models"
    return output, trained(small, output)


def bytes_of(folder):
    """All that stands in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ------------------------------------------------------------------------------------------------ the gradient


@pytest.mark.parametrize("strength", [0, 0.1, 0.7, 1, 3])
def test_the_gradient_is_reversed_exactly(strength):
    torch.manual_seed(1)
    z = torch.randn(50, 16, dtype=torch.float64, requires_grad=True)
    opponent = adversary(16, "cpu", 0).double()
    labels = torch.randint(2, (50,))

    def gradients(of):
        """Of the mean loss, for z and for the adversary itself."""
        loss = torch.nn.functional.cross_entropy(opponent(of), labels)
        return torch.autograd.grad(loss, [z, *opponent.parameters()])

    assert torch.equal(reverse_gradient(z, strength), z)
    plain, reverse = gradients(z), gradients(reverse_gradient(z, strength))
    assert torch.allclose(reverse[0], -strength * plain[0], rtol=1e-6, atol=0)
    assert all(torch.equal(one, other) for one, other in zip(reverse[1:], plain[1:], strict=True))
    eps, row = 1e-6, torch.zeros_like(z)  # the plain one by finite differences
    row[3, 5] = eps
    with torch.no_grad():
        up, down = (torch.nn.functional.cross_entropy(opponent(z + each), labels) for each in (row, -row))
    assert math.isclose((up - down).item() / (2 * eps), plain[0][3, 5].item(), rel_tol=1e-5)


def test_the_gradient_that_reaches_the_encoder_is_that_of_the_adversary_times_minus_lambda(small):
    ranker = Ranker(str(small / "encoder"))
    ranker.net.eval()
    opponent = adversary(ranker.width, "cpu", 0)
    labels = torch.tensor([0, 1, 1])
    words = [
        word for word, _ in sorted(ranker.net.bert.named_parameters()) if "pooler.dense" in word or "query" in word
    ]
    weights = [dict(ranker.net.bert.named_parameters())[word] for word in words]
    found = []
    for strength in (None, 0.3):
        z, _ = ranker(["what"] * 3, ["she works", "he works", "somebody"])
        seen = z if strength is None else reverse_gradient(z, strength)
        found.append(torch.autograd.grad(torch.nn.functional.cross_entropy(opponent(seen), labels), weights))
    for plain, reverse in zip(*found, strict=True):
        assert plain.abs().max() > 0
        assert torch.allclose(reverse, -0.3 * plain, rtol=1e-4, atol=1e-6)


# --------------------------------------------------------------------------------------------------- training


def hinge(good, bad):
    return torch.clamp(1 - good + bad, min=0).mean()


def two_outputs(good, bad):
    """The published program's loss: log-softmax of two outputs, of which one is here always 0."""
    relevant, not_relevant = (torch.log_softmax(torch.stack([score * 0, score]), dim=0) for score in (good, bad))
    return -(relevant[1] + not_relevant[0]).mean()


@pytest.mark.parametrize(("objective", "written_out"), [("hinge", hinge), ("ce", two_outputs)])
def test_lambda_0_is_training_without_an_adversary(small, tmp_path, objective, written_out):
    """Bit for bit, against a loop that knows of no adversary; the other loss is another formula of the same."""
    trained(small, tmp_path / "models", (0,), objective=objective)
    from safetensors.torch import load_file

    base, after = (load_file(tmp_path / "models" / name / "model.safetensors") for name in ("base", "lambda-0"))
    rows = tsv.triples(small / "triples.tsv")
    triples = label_triples(rows, loading.terms("gender-en"), 0)
    _, even, _ = split_triples(triples, SMALL["held_out"], 0)
    batches = Batches(even, SMALL["batch_size"], 0, BOTH)
    net = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path / "models" / "base")
    tokenizer = transformers.AutoTokenizer.from_pretrained(small / "encoder")
    optimizer = torch.optim.Adam(net.parameters(), lr=SMALL["learning_rate"], eps=1e-5)
    net.train()
    for step in range(SMALL["steps"]):
        torch.manual_seed(batches.seed(step))
        chosen = [rows[row] for row in batches[step]]
        queries, texts = [row[0] for row in chosen] * 2, [row[side] for side in (1, 2) for row in chosen]
        tokens = tokenizer(queries, texts, padding=True, truncation=True, max_length=32, return_tensors="pt")
        scores = net(**tokens).logits[:, 0]
        optimizer.zero_grad()
        written_out(scores[: len(chosen)], scores[len(chosen) :]).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    same = torch.equal if objective == "hinge" else lambda one, other: torch.allclose(one, other, atol=1e-5)
    assert all(same(value, after[name]) for name, value in net.state_dict().items() if name in after)
    assert any(not torch.equal(base[name], after[name]) for name in base)


def test_the_same_seed_gives_the_same_bytes(small, trained_once, tmp_path):
    output, told = trained_once
    assert trained(small, tmp_path / "again") == told
    assert bytes_of(tmp_path / "again") == bytes_of(output)
    trained(small, tmp_path / "other", seed=1)
    other, first = bytes_of(tmp_path / "other"), bytes_of(output)
    assert other.keys() == first.keys()
    assert other["base/model.safetensors"] != first["base/model.safetensors"]


def test_models_and_checkpoints_stand_in_folders_of_their_own(small, trained_once):
    output, told = trained_once
    assert [each.name for each in told] == ["base", "lambda-0", "lambda-0.5"]
    names = {"base", *(f"lambda-{of}{step}" for of in ("0", "0.5") for step in ("-step-2", "-step-4", ""))}
    assert {path.name for path in output.iterdir()} == names
    for name in names:
        files = {path.name for path in (output / name).iterdir()}
        assert {"config.json", "model.safetensors", "tokenizer.json", "adversary.safetensors", "fairtrec.json"} <= files
    notes = json.loads((output / "lambda-0.5" / "fairtrec.json").read_text())
    assert notes["seen"] == vars(told[-1])
    digest = hashlib.sha256((small / "triples.tsv").read_bytes()).hexdigest()
    assert notes["settings"]["triples"] == digest[:8]


@pytest.mark.parametrize("written", range(7))
def test_a_resumed_training_equals_an_uninterrupted_one(small, trained_once, tmp_path, monkeypatch, written):
    """Whichever folder was being written when it was interrupted."""
    output, told = trained_once
    saved, save = [], Ranker.save

    def interrupted(self, folder, *more):
        if len(saved) == written:
            raise KeyboardInterrupt
        saved.append(folder)
        save(self, folder, *more)

    with monkeypatch.context() as patch:
        patch.setattr(Ranker, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            trained(small, tmp_path / "models")
    assert trained(small, tmp_path / "models", resume=True) == told
    assert bytes_of(tmp_path / "models") == bytes_of(output)


@pytest.mark.parametrize("interrupted", [3, 6, 7, 12, 20])
def test_a_training_goes_on_from_the_last_checkpoint(small, trained_once, tmp_path, interrupted):
    """Steps are counted over all phases: 6 of the base in 3 checkpoints, 4 and 4 of adversaries, 6 and 4 of each lambda."""
    output, told = trained_once
    steps = []

    def watcher(what, step, many, loss):
        assert 0 < step <= many
        assert loss >= 0
        steps.append(what)
        if len(steps) == interrupted:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(small, tmp_path / "models", watcher=watcher)
    with pytest.raises(UsageError, match="was made with other options"):
        trained(small, tmp_path / "models", resume=True, seed=7)
    before = len(steps)
    assert trained(small, tmp_path / "models", resume=True, watcher=watcher) == told
    assert bytes_of(tmp_path / "models") == bytes_of(output)
    assert len([what for what in steps[before:] if what == "base"]) == 6 - min(6, (interrupted - 1) // 2 * 2)


def test_with_force_old_models_stay_until_there_are_new_ones(small, trained_once, tmp_path):
    shutil.copytree(trained_once[0], tmp_path / "models")

    def watcher(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(small, tmp_path / "models", (0.25,), force=True, watcher=watcher)
    assert bytes_of(tmp_path / "models") == bytes_of(trained_once[0])


def test_resuming_takes_the_same_options_and_may_add_lambdas(small, trained_once, tmp_path):
    shutil.copytree(trained_once[0], tmp_path / "models")
    with pytest.raises(UsageError, match="was made with other options or triples"):
        trained(small, tmp_path / "models", resume=True, seed=7)
    before = bytes_of(tmp_path / "models")
    more = trained(small, tmp_path / "models", (0, 0.5, 0.25), resume=True)
    assert [each.name for each in more] == ["base", "lambda-0", "lambda-0.5", "lambda-0.25"]
    after = bytes_of(tmp_path / "models")
    assert {name: after[name] for name in before} == before


def test_what_is_there_is_replaced_only_by_force(small, trained_once, tmp_path):
    shutil.copytree(trained_once[0], tmp_path / "models")
    (tmp_path / "models" / "mine.txt").write_text("kept")
    with pytest.raises(UsageError, match="exists; choose another, or add force=True or resume="):
        trained(small, tmp_path / "models")
    trained(small, tmp_path / "models", (0.25,), force=True)
    names = {path.name for path in (tmp_path / "models").iterdir()}
    assert names == {"mine.txt", "base", "lambda-0.25", "lambda-0.25-step-2", "lambda-0.25-step-4"}


def test_frozen_words_and_layers(small, tmp_path):
    trained(small, tmp_path / "models", (0,), freeze_embeddings=True, layers=1)
    from safetensors.torch import load_file

    before = load_file(small / "encoder" / "model.safetensors")
    after = load_file(tmp_path / "models" / "lambda-0" / "model.safetensors")
    words = "embeddings.word_embeddings.weight"
    assert torch.equal(before[words], after[f"bert.{words}"])
    assert not torch.equal(before["pooler.dense.weight"], after["bert.pooler.dense.weight"])
    assert {name.split(".")[3] for name in after if "layer." in name} == {"0"}
    with pytest.raises(UsageError, match="has 2 layers"):
        trained(small, tmp_path / "more", layers=3)


def test_a_loss_that_is_no_number_ends_the_training_and_keeps_what_was_saved(small, tmp_path, fairtrec_command):
    given = SMALL | {"warmup": 0, "adversary_learning_rate": 1e37}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
    arguments = ["--model", small / "encoder", "--terms", "gender-en", "-o", tmp_path / "models", *options]
    done = fairtrec_command("make", "ranker", small / "triples.tsv", *arguments)
    assert done.code == 3
    (complaint,) = done.complaints
    assert re.fullmatch(
        r"the loss is (nan|inf) at step \d, lambda 0.1; lower --learning-rate or --lambda; .*", complaint
    )
    kept = {path.name for path in (tmp_path / "models").iterdir()}
    assert {"base"} <= kept <= {"base", "lambda-0.1-step-2", "lambda-0.1-step-4"}  # and no part of a model
    assert all(Ranker(str(tmp_path / "models" / name)).width == 32 for name in kept)


# --------------------------------------------------------------------------------------------------- models


def accuracy_of(folder, pairs, labels):
    """Balanced accuracy of the adversary in a folder, with nothing of ours: transformers, and the layers by hand."""
    from safetensors.torch import load_file
    from sklearn.metrics import balanced_accuracy_score

    net = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    weights = load_file(folder / "adversary.safetensors")
    with torch.no_grad():
        tokens = tokenizer(*map(list, zip(*pairs, strict=True)), padding=True, truncation=True, return_tensors="pt")
        z = net.bert(**tokens).pooler_output
        inner = torch.tanh(z @ weights["0.weight"].T + weights["0.bias"])
        guesses = (inner @ weights["2.weight"].T + weights["2.bias"]).argmax(dim=1)
    return balanced_accuracy_score(labels, guesses.numpy())


def test_the_accuracy_that_is_told_is_that_of_another_program(small, trained_once):
    output, told = trained_once
    triples = label_triples(tsv.triples(small / "triples.tsv"), loading.terms("gender-en"), 0)
    _, _, held = split_triples(triples, SMALL["held_out"], 0)
    queries, texts, labels = triples.pairs(held)
    pairs = list(zip(queries, texts, strict=True))
    for each in told:
        assert accuracy_of(output / each.name, pairs, labels) == pytest.approx(each.adversary)


@pytest.fixture(scope="module")
def ranked(small, trained_once):
    """The run that a model makes of the first stage, and the pairs that it scored, in its order."""
    folder = trained_once[0] / "lambda-0.5"
    docs = small / "docs.tsv"
    lines = docs.read_text().splitlines()
    lines[0] += " of the town" * 40  # longer than the model reads
    (small / "long.tsv").write_text("\n".join(lines))
    (run,) = rerank(small / "bm25.run", [Ranker(str(folder))], small / "long.tsv", small / "queries.tsv", depth=10)
    texts, queries = (
        dict(line.split("\t") for line in path.read_text().splitlines())
        for path in (small / "long.tsv", small / "queries.tsv")
    )
    docnos = [docno.decode() for docno in run.docnos]
    return folder, run, [(queries[docno[:3]], texts[docno]) for docno in docnos]


def test_cross_encoder_loads_the_folder_and_gives_the_scores_of_rerank(ranked):
    from sentence_transformers import CrossEncoder

    folder, run, pairs = ranked
    scores = CrossEncoder(str(folder), device="cpu").predict(pairs, show_progress_bar=False)
    assert np.ptp(run.scores) > 1e-3  # so that equal to 1e-5 says something; the spread itself is the machine's
    assert np.abs(scores - run.scores).max() <= 1e-5


def test_rerank_takes_a_folder_that_cross_encoder_wrote(small, ranked, tmp_path):
    from sentence_transformers import CrossEncoder

    folder, run, _ = ranked
    theirs = CrossEncoder(str(folder), device="cpu")
    theirs.save_pretrained(str(tmp_path / "theirs"))
    (again,) = rerank(
        small / "bm25.run", [Ranker(str(tmp_path / "theirs"))], small / "long.tsv", small / "queries.tsv", 10
    )
    assert again.docnos.tolist() == run.docnos.tolist()
    assert np.abs(again.scores - run.scores).max() <= 1e-5


def test_a_run_is_the_first_documents_of_each_query_in_a_new_order(small, ranked):
    _, run, _ = ranked
    first = [line.split() for line in (small / "bm25.run").read_text().splitlines()]
    kept = {(qid, docno) for qid, _, docno, rank, *_ in first if int(rank) <= 10}
    number = np.repeat(run.qids, np.diff(run.starts))
    assert {(qid, docno.decode()) for qid, docno in zip(number, run.docnos, strict=True)} == kept
    assert all((np.diff(run.scores[a:b]) <= 0).all() for a, b in zip(run.starts, run.starts[1:], strict=False))


def test_equal_scores_stand_by_falling_docno(small, trained_once, tmp_path, fairtrec_command):
    from safetensors.torch import load_file, save_file

    shutil.copytree(trained_once[0] / "base", tmp_path / "flat")
    weights = load_file(tmp_path / "flat" / "model.safetensors")
    weights["classifier.weight"].zero_()
    save_file(weights, tmp_path / "flat" / "model.safetensors", {"format": "pt"})
    given = ["--docs", small / "docs.tsv", "--query-texts", small / "queries.tsv"]
    done = fairtrec_command("make", "ranker", "--rank", small / "bm25.run", "--model", tmp_path / "flat", *given)
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines()]
    assert rows == sorted(sorted(rows, key=lambda row: row[2], reverse=True), key=lambda row: row[0])
    assert len({row[4] for row in rows}) == 1
    assert {row[5] for row in rows} == {"flat"}
    assert [int(row[3]) for row in rows] == list(range(1, 25)) * 6


def test_a_folder_of_models_gives_a_folder_of_runs(small, trained_once, tmp_path, fairtrec_command):
    given = ["--docs", small / "docs.tsv", "--query-texts", small / "queries.tsv", "-M", "5"]
    arguments = ["make", "ranker", "--rank", small / "bm25.run", "--model", trained_once[0], *given]
    assert fairtrec_command(*arguments, "-o", tmp_path / "runs").code == 0
    runs = {path.name for path in (tmp_path / "runs").iterdir()}
    assert runs == {f"{path.name}.run" for path in trained_once[0].iterdir()}
    one = ["make", "ranker", "--rank", small / "bm25.run", "--model", trained_once[0] / "lambda-0", *given]
    assert fairtrec_command(*one).out == (tmp_path / "runs" / "lambda-0.run").read_text()
    assert fairtrec_command(*one, "-o", tmp_path / "one.run").code == 0
    assert (tmp_path / "one.run").read_text() == (tmp_path / "runs" / "lambda-0.run").read_text()
    assert fairtrec_command(*arguments).complaints == [
        f"{trained_once[0]} holds 7 models; choose a folder for their runs with -o"
    ]


# ------------------------------------------------------------------------------------------------- bad input


def test_what_is_no_model(small, trained_once, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    shutil.copytree(
        trained_once[0] / "base", tmp_path / "bare", ignore=lambda *_: ["model.safetensors", "adversary.safetensors"]
    )
    for name in ("empty", "bare"):
        with pytest.raises(InputError, match=r"has no config\.json or no model\.safetensors; pass another"):
            Ranker(str(tmp_path / name))
    shutil.copytree(trained_once[0] / "base", tmp_path / "cut")
    whole = (tmp_path / "cut" / "model.safetensors").read_bytes()
    (tmp_path / "cut" / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="this model cannot be loaded"):
        Ranker(str(tmp_path / "cut"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    with pytest.raises(ResourceError, match="there is no folder nobody/nothing, and from the hub it cannot be had"):
        Ranker("nobody/nothing")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is one")
def test_cuda_that_is_not_there_is_a_resource_that_is_missing(small):
    with pytest.raises(ResourceError, match=r"there is no \w+ on this machine") as fault:
        Ranker(str(small / "encoder"), "cuda")
    assert fault.value.exit_code == 4


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_runs_the_same_code(small, tmp_path):
    trained(small, tmp_path / "models", device="cuda")
    given = small / "bm25.run", [Ranker(str(tmp_path / "models" / "base"), each) for each in ("cpu", "cuda")]
    here, there = rerank(*given, small / "docs.tsv", small / "queries.tsv")
    assert np.abs(np.sort(here.scores) - np.sort(there.scores)).max() <= 1e-4


@pytest.mark.parametrize(("file", "what"), [("docs.tsv", "document q00d"), ("queries.tsv", "query q00")])
def test_a_text_that_is_missing(small, trained_once, tmp_path, file, what):
    for name in ("docs.tsv", "queries.tsv"):
        shutil.copy(small / name, tmp_path)
    lines = (tmp_path / file).read_text().splitlines()
    (tmp_path / file).write_text("\n".join(line for line in lines if not line.startswith("q00")))
    with pytest.raises(InputError, match=rf"bm25.run: {what}\d* has no text among those that are given"):
        next(
            rerank(
                small / "bm25.run", [Ranker(str(small / "encoder"))], tmp_path / "docs.tsv", tmp_path / "queries.tsv"
            )
        )


def test_scores_that_are_no_numbers_are_refused(small):
    ranker = Ranker(str(small / "encoder"))
    with torch.no_grad():
        ranker.net.classifier.bias.fill_(math.nan)
    with pytest.raises(InputError, match="scores that are not numbers"):
        next(rerank(small / "bm25.run", [ranker], small / "docs.tsv", small / "queries.tsv"))


# ------------------------------------------------------------------------------------------- what loads torch


COUNTS = ["--counts", "tests/cli/inputs/counts.tsv", "--missing", "neutral"]
EVAL = ["eval", "none", "tests/cli/inputs/tiny.run", *COUNTS, "-m", "TExFAIR@10"]


@pytest.mark.parametrize(
    "program",
    [
        "import fairtrec",
        "from fairtrec.cli import command; command(['--help'], standalone_mode=False)",
        "from fairtrec.cli import command; command(['make', 'ranker', '--help'], standalone_mode=False)",
        f"from fairtrec.cli import command; command({EVAL}, standalone_mode=False)",
        "import fairtrec.lab.make.ranker.train, fairtrec.lab.make.ranker.rerank",
    ],
)
def test_torch_is_imported_by_nothing_else(program):
    code = f"import sys\ntry:\n    {program}\nexcept SystemExit:\n    pass\nprint('|', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    heavy = {"torch", "transformers", "safetensors", "sentence_transformers", "sklearn"}
    assert not heavy & {name.partition(".")[0] for name in done.stdout.rpartition("|")[2].split()}


# -------------------------------------------------------------------------------------------------- the effect

STEPS = [
    "--base-steps=300", "--warmup=60", "--steps=250", "--batch-size=32", "--learning-rate=5e-4", "--held-out=0.15",
    "--adversary-learning-rate=0.01", "--freeze-embeddings", "--tau=0",
]  # fmt: skip


def test_the_adversary_is_misled_and_rankings_get_fairer(tmp_path):
    """On queries of trades that no triple names; mean of three seeds, lambda .1 against 0 after equal steps."""
    running = []
    for seed in range(3):
        folder = tmp_path / str(seed)
        encoder(folder / "encoder", world(folder, seed), seed)
        command = ["make", "ranker", "triples.tsv", "--model", "encoder", "--terms", "gender-en", *STEPS]
        command += ["--lambda=0,0.1", f"--seed={seed}", "-o", "models", "--checkpoints=2"]
        program = [sys.executable, "-m", "fairtrec", *command]
        running.append(subprocess.Popen(program, cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True))
    told = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], told
    found = [[figures(tmp_path / str(seed), name) for name in ("lambda-0", "lambda-0.1")] for seed in range(3)]
    without, against = np.mean(found, axis=0)
    shown = f"{np.array(found).round(3)}\n{''.join(told)}"
    assert without[0] >= 0.9, shown
    assert against[0] <= 0.65, shown
    assert against[1] >= without[1] + 0.10, shown
    assert against[2] >= without[2] - 0.05, shown


def figures(folder, name):
    """The adversary's balanced accuracy on the pairs that are ranked, NFaiRR@10 and nDCG@10."""
    (run,) = rerank(
        folder / "bm25.run", [Ranker(str(folder / "models" / name))], folder / "docs.tsv", folder / "queries.tsv"
    )
    texts, queries = (
        dict(line.split("\t") for line in (folder / of).read_text().splitlines()) for of in ("docs.tsv", "queries.tsv")
    )
    pairs = [(queries[docno[:3]], text) for docno, text in texts.items()]
    labels = [int(bool({"she", "he"} & set(text.split()))) for text in texts.values()]
    means = fairtrec.evaluate(
        "NFaiRR(tau=0)@10 nDCG@10", {name: run}, qrels=folder / "qrels.txt", terms="gender-en", docs=folder / "docs.tsv",
        background=folder / "bm25.run",
    ).means[name]  # fmt: skip
    return accuracy_of(folder / "models" / name, pairs, labels), *means.values()


# --------------------------------------------------------------------------------------------------- the page


def read_page(name):
    return (REPOSITORY / "docs" / name).read_text("utf-8")


PAGE = read_page("ranker.md")
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_story_of_the_page(tmp_path):
    """Train, rerank, eval, compare, as they stand there; and what other commands do with the runs, on their pages."""
    encoder(tmp_path / "encoder", world(tmp_path))
    behind = gather_trials("RANKER_STORIES")
    story = BLOCK.findall(PAGE)
    story += [BLOCK.search(section(read_page(page), title))[1] for page, title, _, _ in behind.values()]
    said = []
    for block in story:
        script = f'set -e\nfairtrec() {{ "{sys.executable}" -m fairtrec "$@"; }}\n{block}'
        program = ["sh", "-c", script]
        done = subprocess.run(program, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said.append(done)
    commands = re.findall(r"^fairtrec (make ranker --rank|make ranker|\w+)", "\n".join(story), re.MULTILINE)
    assert commands == ["make ranker", "make ranker --rank", "eval", "compare", *behind]
    trained, evaluated, *others = said
    assert re.findall(r"^# ([\w.-]+): (?:300|250) steps", trained.stderr, re.MULTILINE) == [
        "base",
        "lambda-0",
        "lambda-0.1",
    ]
    assert "a low accuracy never means that the groups are gone" in trained.stderr
    names = ["base", "lambda-0", "lambda-0-step-125", "lambda-0.1", "lambda-0.1-step-125"]
    assert all(f"runs/{name}.run" in evaluated.stdout for name in names)
    for done, (_, _, pattern, found) in zip(others, behind.values(), strict=True):
        assert re.findall(pattern, done.stdout, re.MULTILINE) == found
