"""A results file names what it was made from; nothing is read or fetched for a replay that it has no sha256 of."""

import json

import pytest

ASKED = {
    "qrels": "vaswani",
    "docs": "vaswani",
    "labels": "irds:vaswani:title",
    "queries": "msmarco-fair",
    "terms": "cpjku-gender",
    "target": "0.5*shares.tsv+0.5*even",
    "counts": "counts.tsv",
    "gold": "gold.tsv",
}
BY_TEXTS = "docs", "terms", "counts"  # which leave no place to labels


@pytest.fixture
def recorded(copied, fairtrec_command):
    (copied / "counts.tsv").write_text("docno\ttokens\tf\tm\np001\t9\t1\t0\n")
    (copied / "shares.tsv").write_text("101\tf\t0.25\n101\tm\t0.75\n")
    given = "eval qrels.txt bm25.run -m nDCG@10 -m AWRF@10 --labels labels.tsv --missing neutral -q -f json -o a.json"
    assert fairtrec_command(*given.split()).code == 0
    return copied / "a.json"


@pytest.mark.parametrize(("option", "value"), ASKED.items())
def test_what_has_no_sha256_is_not_taken(recorded, fairtrec_command, option, value):
    if option in BY_TEXTS:
        texts = ["--docs", "collection.tsv", "--terms", "gender-en", "--missing", "neutral"]
        asked = ["eval", "qrels.txt", "bm25.run", "-m", "AWRF@10", *texts, "-q", "-f", "json", "-o", "a.json"]
        assert fairtrec_command(*asked).code == 0
    document = json.loads(recorded.read_text())
    document["options"] |= {"docs": None} if option == "counts" else {}
    document["options"][option] = value
    for part in [each for each in document["inputs"] if each.split()[0] == option]:
        document["inputs"][f"{option} of another"] = document["inputs"].pop(part)
    recorded.write_text(json.dumps(document))
    ended = fairtrec_command("results", "replay", "a.json")
    assert (ended.code, len(ended.complaints)) == (3, 1)
    assert ended.complaints[0].endswith(
        "of which this file has no sha256, so it cannot be replayed; evaluate the runs again"
    )


def test_the_file_of_a_mixed_target_is_that_of_the_root(recorded, fairtrec_command, tmp_path, monkeypatch):
    (recorded.parent / "shares.tsv").write_text("".join(f"{qid}\tf\t0.25\n{qid}\tm\t0.75\n" for qid in range(101, 113)))
    given = "eval qrels.txt bm25.run -m AWRF@10 --labels labels.tsv --missing neutral --target 0.5*shares.tsv+0.5*even -q -f json -o a.json"
    assert fairtrec_command(*given.split()).code == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "shares.tsv").write_text("101\tf\t0.9\n101\tm\t0.1\n")
    ended = fairtrec_command("results", "replay", recorded, "--root", recorded.parent)
    assert (ended.code, ended.complaints) == (0, [])
