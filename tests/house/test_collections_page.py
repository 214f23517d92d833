"""The page on collections: each of its commands, on documents of the class that the dataset itself has."""

import shlex
from typing import get_args

import pytest

from fairtrec.formats import datasets
from fairtrec_made import REPOSITORY, pages

LINES = [
    line for block in pages.blocks((REPOSITORY / "docs" / "collections.md").read_text("utf-8")) for line in block.lines
]
CATEGORIES = ["Mountains of Austria", "Mountains of Italy"]


def cell(kind, number):
    """Something of this type, as the dataset says it, that is not the same for all documents."""
    name = str(kind)
    if "Dict" in name:
        return {"Northern Europe": number, "UNK": 1}
    if "ArgsMePremise" in name:
        (premise,) = get_args(kind)
        stance = [*premise.__annotations__["stance"]][number % 2]
        return [premise(**{**dict.fromkeys(premise._fields), "stance": stance})]
    if "List" in name or "Tuple" in name:
        return [f"g{number % 2}"] if "str" in name else []
    if "int" in name or "float" in name:
        return 2009 + 4 * number if number % 2 else number
    return f"g{number % 2}"


class Stub:
    """A dataset of which nothing is on this machine but its classes."""

    def __init__(self, name):
        import ir_datasets

        self.real = ir_datasets.load(name)

    def has_docs(self):
        return self.real.has_docs()

    def docs_cls(self):
        return self.real.docs_cls()

    def docs_iter(self):
        kinds = self.docs_cls().__annotations__
        for number in range(1, 5):
            fields = {name: cell(kind, number) for name, kind in kinds.items()}
            fields |= {"categories": CATEGORIES[number % 2 :][:1]} if "categories" in fields else {}
            yield self.docs_cls()(**{**fields, "doc_id": f"d{number}"})

    def qrels_iter(self):
        kind = self.real.qrels_cls()
        for number in range(1, 5):
            fields = {"query_id": "1", "doc_id": f"d{number}", "relevance": 1, "subtopic_id": str(number % 2)}
            yield kind(**{name: fields.get(name, "0") for name in kind._fields})


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.run").write_text("".join(f"1 Q0 d{number} {number} {9 - number} me\n" for number in range(1, 5)))
    (tmp_path / "MSMGenderBias.csv").write_text("doc_id,gender_bias\nd1,M\nd2,F\nd3,N\n")
    (tmp_path / "language.tsv").write_text("d1\tde\nd2\ten\nd3\ten\n")
    monkeypatch.setattr(datasets, "_dataset", lambda name, _: Stub(name.removeprefix("irds:")))


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("line", LINES)
def test_the_command_of_each_collection_runs(line, fairtrec_command):
    done = fairtrec_command(*shlex.split(line)[1:])
    assert done.code == 0, done.err
    values = [row.split("\t") for row in done.out.splitlines() if "@" in row or "DTR" in row]
    assert values, done.out
    assert all(0 <= float(value) <= 1 or name.startswith("DTR") for name, _, value in values)
    assert "groups are known for 0" not in done.err
