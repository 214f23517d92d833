"""``fairtrec make ranker``: train rankers against an adversary, and rank with them."""

import math
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, write_stderr
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Objective

EACH = 30  # seconds, after which a line says how far it has come
FROM_1, FROM_0 = click.IntRange(1), click.IntRange(0)
RATE = click.FloatRange(0, min_open=True)
RANKING = ("docs", "query_texts", "depth")  # options that only --rank has
BOTH = {
    "triples",
    "rank",
    "model",
    "output",
    "batch_size",
    "max_length",
    "device",
    "force",
}  # all others are of training
READ = 230  # tokens, in training


def _strengths(_: Any, __: Any, text: str) -> list[float]:
    try:
        strengths = [float(each) for each in text.split(",")]
    except ValueError:
        strengths = [-1.0]
    if any(each < 0 or not math.isfinite(each) for each in strengths):
        raise click.BadParameter(f"{text} is not a list of numbers of 0 or more; write it like 0,0.1,0.3")
    return list(dict.fromkeys(strengths))


@click.command(name="ranker", cls=Titled, epilog=options.EXITS)
@click.argument("triples", required=False)
@click.option(
    "--model",
    required=True,
    metavar="FOLDER|NAME",
    help="The encoder to begin with; with --rank a cross-encoder or a folder of several. Or a name of the hub.",
)
@click.option("--terms", metavar="NAME|FILE", help="Group terms: a word list by name, or a file.")
@click.option(
    "--lambda",
    "strengths",
    default="0.1",
    metavar="LIST",
    callback=_strengths,
    help="How strongly the adversary's gradient is reversed, a model for each.",
)
@click.option(
    "-o",
    "--output",
    type=options.PATH,
    metavar="FOLDER|FILE",
    help="The folder of models. With --rank: the run, or for several models a folder of runs.  "
    "[default: standard output]",
)
@click.option(
    "--base-steps", type=FROM_0, metavar="N", help="Train only the ranker for N steps.  [default: two epochs]"
)
@click.option("--warmup", type=FROM_0, metavar="N", help="Train only the adversary for N steps.  [default: two epochs]")
@click.option(
    "--steps", type=FROM_0, metavar="N", help="Train both for N steps, for each lambda.  [default: two epochs]"
)
@click.option("--batch-size", type=FROM_1, default=64, metavar="N", help="Triples in a step; with --rank pairs.")
@click.option("--learning-rate", type=RATE, default=3e-5, help="The learning rate of the ranker.")
@click.option("--adversary-learning-rate", type=RATE, default=1e-3, help="The learning rate of the adversary.")
@options.word(
    "--objective",
    of=Objective,
    help="What the ranker learns by: hinge, as in the paper, or cross-entropy (ce), as in its program.",
)
@click.option("--checkpoints", type=FROM_1, default=20, metavar="N", help="Models for each lambda.")
@click.option("--layers", type=FROM_1, metavar="N", help="Keep the first N layers of the encoder.  [default: all]")
@click.option("--freeze-embeddings", is_flag=True, help="Leave the vectors of words as they are.")
@click.option(
    "--max-length",
    type=FROM_1,
    metavar="N",
    help=f"Read N tokens.  [default: {READ}; with --rank what the model reads]",
)
@click.option("--tau", type=FROM_0, default=1, help="A text with at most N group terms is neutral.")
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1),
    default=0.1,
    metavar="SHARE",
    help="Keep this share of the queries for judging the adversaries.",
)
@click.option("--seed", type=FROM_0, default=0, help="The same seed gives the same models.")
@click.option("--device", default="cpu", metavar="NAME", help="Where it runs: cpu or cuda.")
@click.option(
    "--resume", is_flag=True, help="Continue where the same command was interrupted, from its last checkpoint."
)
@click.option(
    "--force", is_flag=True, help="Replace the models in FOLDER; with --rank write into a folder that is not empty."
)
@click.option("--rank", metavar="RUN", help="Train nothing; rank the documents of RUN by the scores of --model.")
@click.option("--docs", metavar="FILE|ID", help="The texts for --rank: TSV or JSON lines, or an ir_datasets id.")
@click.option("--query-texts", metavar="FILE", help="The queries for --rank: lines of qid<TAB>text, or JSON lines.")
@click.option("-M", "--depth", type=FROM_1, metavar="N", help="With --rank: cut rankings after rank N.")
def command(triples: str | None, rank: str | None, **given: Any) -> None:
    """Train a ranker on TRIPLES, and from it one for each lambda, against an adversary; or rank a run with one.

    TRIPLES has lines of query<TAB>relevant text<TAB>text that is not relevant.

    \b
    fairtrec make ranker triples.tsv --model ./encoder --terms gender-en --lambda 0,0.1,0.3 -o models/
    fairtrec make ranker --rank bm25.run --model models/ --docs collection.tsv --query-texts queries.tsv -o runs/
    """
    if rank is not None:
        if triples is not None:
            raise UsageError(f"--rank trains nothing; leave out {triples}, or --rank")
        parameters = [str(each.name) for each in click.get_current_context().command.params]
        options.refuse_typed("is for training, and --rank trains nothing", *(
            name for name in parameters if name not in BOTH and name not in RANKING))  # fmt: skip
        for name in RANKING[:2]:
            if given[name] is None:
                raise UsageError(f"--rank needs texts; add --{name.replace('_', '-')} FILE")
        _rank(rank, **{name: given[name] for name in (*RANKING, *BOTH) if name in given})
        return
    if triples is None:
        raise UsageError("nothing to train on; pass TRIPLES, or rank a run with --rank RUN")
    options.refuse_typed("is for ranking; add --rank RUN", *RANKING)
    for name in ("terms", "output"):
        if given[name] is None:
            raise UsageError(f"training needs --{name}; add it")
    _train(triples, **{name: value for name, value in given.items() if name not in RANKING})


def _train(triples: str, *, output: Path, max_length: int | None, **given: Any) -> None:
    """Train, say how far it has come, and how well adversaries guess."""
    import time

    from fairtrec.lab.make.ranker.train import train

    last = time.monotonic()

    def watcher(what: str, step: int, steps: int, loss: float) -> None:
        nonlocal last
        if time.monotonic() - last >= EACH:
            last = time.monotonic()
            write_stderr(f"# {what}: {step:,} of {steps:,} steps, loss {loss:.2f}")

    for found in train(triples, watcher=watcher, output=str(output), max_length=max_length or READ, **given):
        accuracies = [("adversary", found.adversary), ("fresh probe", found.probe)]
        seen = ", ".join(f"{name} {'undefined' if value is None else f'{value:.2f}'}" for name, value in accuracies)
        loss = "" if found.loss is None else f", loss {found.loss:.2f}"
        write_stderr(f"# {found.name}: {found.steps} steps{loss}; balanced accuracy on held-out pairs: {seen}")
    write_stderr("# a low accuracy never means that the groups are gone: an adversary was misled, others may not be")


def _rank(
    run: str,
    *,
    model: str,
    output: Path | None,
    device: str,
    batch_size: int,
    max_length: int | None,
    force: bool,
    **given: Any,
) -> None:
    """Write the run in the order of a model, or a folder of runs for several models."""
    from fairtrec.formats.run_writer import scored_lines
    from fairtrec.lab.make.ranker.model import Ranker, libraries
    from fairtrec.lab.make.ranker.rerank import list_models, rerank
    from fairtrec.report.output import emit
    from fairtrec.support.files.atomic import make_folder, refuse_full_folder

    libraries()
    models = list_models(model)
    several = len(models) > 1
    if several and (output is None or output.is_file()):
        raise UsageError(f"{model} holds {len(models)} models; choose a folder for their runs with -o")
    if several and output is not None:
        refuse_full_folder(output, force=force)
    elif force:
        raise UsageError("--force is for a folder of runs, of several models; leave it out")
    printing.refuse_output(None if several else output, run, given["docs"], given["query_texts"])
    rankers = (Ranker(name, device, longest=max_length) for name in models)
    for ranked in rerank(run, rankers, size=batch_size, **given):
        place = output / f"{ranked.tag}.run" if several and output is not None else output
        with make_folder(place.parent, parents=True) if several and place is not None else nullcontext():
            emit(b"".join(scored_lines(ranked)).decode("utf-8", "surrogateescape"), place)
