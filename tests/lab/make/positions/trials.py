"""What tests of all commands try of ``fairtrec make positions``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec_made import REPOSITORY

INPUTS = REPOSITORY / "tests" / "cli" / "inputs"
STANCE = [INPUTS / "tiny.run", "--embeddings", INPUTS / "vectors.npy", "--ids", INPUTS / "vectors-ids.txt"]

SITUATIONS = [("make positions a.run", {"--embeddings": "vectors.npy", "--ids": "ids.txt"})]
VALUES = {
    "--embeddings": "vectors.npy",
    "--ids": "ids.txt",
    "--model": "model",
    "--save-embeddings": "new.parquet",
    "--fit": "fit.tsv",
    "--axes": "2",
    "--spurious": "sides.tsv",
    "--toward": "f",
}
UNCHANGED = {"make positions --missing": "all documents have vectors"}
NOTHING_TO_SHOW = {
    "make positions --axes --fit": "the documents that axes are fitted to have not so many",
}
OTHER_FILES = ["vectors"]

ANSWERS = {
    "make_positions": lambda: fairtrec.make_positions(STANCE[0], embeddings=STANCE[2], ids=STANCE[4]),
}
PRINTED = {"make_positions": ["make", "positions", *STANCE]}
ROWS_ONLY = ["make_positions"]
NEEDED_LIBRARY = {"make positions": "scipy"}
MISSING_LIBRARY = {"'fairtrec[embed]'": ["make positions bm25.run --docs collection.tsv --model m -o a.tsv"]}
