"""``fairtrec rerank``: write runs in another order, and tell what that does to measures."""

from fairtrec.report.writers import USUAL, FormatSpec, FormatTable
from fairtrec.support.command_rows import CommandRow

EFFECTS = FormatTable("fairtrec.lab.rerank.report", {form: each for form, each in USUAL.items() if form != "jsonl"})
RERANKINGS = FormatTable("fairtrec.lab.rerank.run_report", {**USUAL, "run": FormatSpec("trec", exact=True)})

ROW = CommandRow(
    "rerank",
    "Change",
    "Reorder runs to be fairer, and show what that changes.",
    "provisional",
    question="How do I make a run fairer, and what does it cost?",
    measures="MEASURES",
    brief="by measures candidates terms docs counts labels target form output",
    sections={"": ("by terms output", "Reranking", "seed")},
    answers={"Effect": EFFECTS, "Reranking": RERANKINGS},
    public={
        "rerank": "rerank:rerank",
        "rerankers": "",
        "reranker.Chance": "inputs:Chance",
        "reranker.Order": "inputs:Order",
        "reranker.Reranker": "inputs:Reranker",
        "testing.RerankerContract": "contract:RerankerContract",
    },
    catalogue={"RERANKER": "catalogue:"},
)
