"""What ir_datasets has: texts, judgments, and the fields that are labels."""

from typing import NamedTuple

import pytest

from fairtrec.commands.validate import validate
from fairtrec.formats import datasets
from fairtrec.support.errors import InputError, ResourceError
from fairtrec.support.files.arguments import source


@pytest.mark.parametrize("kind", ["qrels", "docs"])
def test_what_ir_datasets_cannot_fetch_is_a_short_line_with_the_part_that_is_wanted(kind):
    from fairtrec.formats.datasets import _fetching

    with pytest.raises(ResourceError) as raised, _fetching("msmarco-passage/dev", kind):
        raise RuntimeError("All sources failed [ConnectionError(" + "<object at 0x7f> " * 80)
    assert len(str(raised.value)) < 250
    assert str(raised.value).endswith(f"run: ir_datasets export msmarco-passage/dev {kind}")


def labels_of(name: str):
    return datasets.labels(source(name))


class Doc(NamedTuple):
    doc_id: str
    text: str
    region: list[str] | None


class Dataset:
    """A dataset of ir_datasets, with a field for groups."""

    def has_docs(self):
        return True

    def docs_cls(self):
        return Doc

    def docs_iter(self):
        return iter([Doc("d1", "she", ["north"]), Doc("d2", "he", ["south"]), Doc("d3", "it", None)])


@pytest.mark.usefixtures("few_files")
def test_labels_of_a_field_of_a_dataset(monkeypatch):
    monkeypatch.setattr("ir_datasets.load", lambda _: Dataset())
    found = labels_of("mine:region")
    assert labels_of("irds:mine:region").groups == found.groups
    assert found.groups == ("north", "south")
    crossed = labels_of("mine:region, region")
    assert len(crossed.groups) == 4
    with pytest.raises(InputError, match="its documents have no field colour; they have doc_id, text, region"):
        labels_of("mine:colour")
    with pytest.raises(InputError, match="if this is an ir_datasets id, add a field, like id:gender"):
        labels_of("mine")


@pytest.mark.usefixtures("few_files")
def test_docnos_of_a_dataset_are_looked_up(monkeypatch):
    monkeypatch.setattr(datasets, "texts", lambda _, wanted: iter([(0, "she")][: len(wanted)]))
    monkeypatch.setattr(datasets, "_dataset", lambda *_: Dataset())
    found, _ = validate.list_documents("mine", ["run"])
    assert found.names.tolist() == [b"d1"]


def test_offline_no_other_machine_is_looked_for_while_a_dataset_is_read_and_no_library_is_changed(monkeypatch):
    import socket

    import requests

    sent = requests.Session.send

    def fetch():
        assert requests.Session.send is sent
        requests.get("http://localhost:9/", timeout=5)

    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    with (
        pytest.raises(ResourceError, match=r"\(FAIRTREC_OFFLINE is set\)"),
        datasets._fetching("msmarco-passage/dev", "docs"),
    ):
        fetch()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("localhost", 9), timeout=5)  # which nobody forbids outside of it
    monkeypatch.setenv("FAIRTREC_OFFLINE", "0")
    monkeypatch.setenv("FAIRTREC_AUTOFETCH", "1")
    with pytest.raises(ResourceError, match=r"\(111\)"), datasets._fetching("msmarco-passage/dev", "docs"):
        socket.create_connection(("localhost", 9), timeout=5)
