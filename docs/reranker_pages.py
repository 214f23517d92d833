# of rerank: rerankers.md rerankers
"""The pages of the rerankers, docs/rerankers/NAME.md, and their index, docs/rerankers.md."""

from measure_pages import MADE, _body, _cell, _clickable, _code, _explanation, _parameters

from fairtrec.lab.rerank import catalogue
from fairtrec.measures.catalogue import docstrings
from fairtrec.rerankers import BUILT_IN


def write_pages() -> dict[str, str]:
    """Write the index and the page of each reranker."""
    about = (
        "Which rerankers are there? Give one to [`fairtrec rerank --by`](rerank.md). `fairtrec measures NAME` prints "
        "the page of one."
    )
    rows = [
        f"| {_cell(docstrings.read_question(catalogue.find(name)))} | [{name}](rerankers/{name}.md) |"
        for name in BUILT_IN
    ]
    index = f"# Rerankers\n\n{MADE}{about}\n\n| Question | Reranker |\n|---|---|\n" + "\n".join(rows) + "\n"
    return {"rerankers.md": index} | {f"rerankers/{name}.md": write_reranker(name) for name in BUILT_IN}


def write_reranker(name: str) -> str:
    """Write the page of a reranker."""
    kind = catalogue.find(name)
    body = _explanation(kind, catalogue.PARTS)
    rows = [(each, catalogue.part(kind, each)) for each in catalogue.PARTS]
    facts = "\n".join(f"| {title} | {_cell(_code(_clickable(text)))} |" for title, text in rows if text)
    paragraphs = (part.removeprefix("<!-- formula -->\n") for part in _body(body))
    parts = [
        f"# {name}\n\n{MADE}**{docstrings.read_question(kind)}**\n",
        *paragraphs,
        f"| {name} | |\n|---|---|\n{facts}\n",
    ]
    return "\n".join(filter(None, [*parts, _parameters(kind)]))
