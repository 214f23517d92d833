"""A run of 540 x 1,000 documents as a frame, and in other forms, beside TREC's: CPU seconds, in one process."""

from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from benchmarks.evaluation import generate
from benchmarks.timing import FOLDER, least, report
from fairtrec.formats import memory, run

COLUMNS = ["qid", "Q0", "docno", "rank", "score", "tag"]


def frames(path: Path) -> dict[str, object]:
    frame = pd.read_csv(path, sep=" ", names=COLUMNS, dtype=dict.fromkeys(("qid", "docno"), str))
    held = {
        "pandas": frame,
        "pandas, objects": frame.astype({"qid": object, "docno": object}),
        "pyarrow": pa.table(frame),
    }
    for name in ("polars", "duckdb"):
        try:
            module = __import__(name)
        except ImportError:
            print(f"      {name} is not installed, so its frames are not read")
        else:
            held[name] = module.from_pandas(frame) if name == "polars" else module.from_arrow(pa.table(frame))
    by_query = frame.groupby("qid", sort=False)
    return {**held, "a dict": {qid: dict(zip(rows.docno, rows.score, strict=True)) for qid, rows in by_query}}


def others(path: Path) -> dict[str, Path]:
    """The same run in other forms."""
    frame = pd.read_csv(path, sep=" ", names=COLUMNS, dtype=dict.fromkeys(("qid", "docno"), str))
    paths = {form: path.with_suffix(f".{form}") for form in ("msmarco", "jsonl", "parquet")}
    rows = zip(frame.qid, frame.docno, frame["rank"], strict=True)
    paths["msmarco"].write_text("".join(f"{qid}\t{docno}\t{rank}\n" for qid, docno, rank in rows))
    frame[["qid", "docno", "score"]].to_json(paths["jsonl"], orient="records", lines=True)
    parquet.write_table(pa.table(frame[["qid", "docno", "score"]]), paths["parquet"])
    return paths


def main() -> None:
    path = generate(FOLDER, 540, 1_000, 20_000)["run"]
    file = least(partial(run.read, path))
    for form, other in others(path).items():
        ours = least(partial(run.read, other, form="msmarco" if form == "msmarco" else "auto"))
        bound = 6 if form == "jsonl" else 2
        report(
            f"540,000 rows, {form}: CPU, of the same from TREC's form",
            ours.cpu / file.cpu,
            bound,
            f"{ours} of {file}",
        )
    for name, held in frames(path).items():
        ours = least(partial(memory.run, held, "run"))
        report(f"540,000 rows, {name}: CPU, of the same from a file", ours.cpu / file.cpu, 2, f"{ours} of {file}")
