"""explain -f jsonl: what was asked for stands in the lines."""

import json


def test_what_a_term_does_stands_in_the_lines(example, fairtrec_command):
    given = ("-m", "FaiRR@3", "--terms", "gender-en", "--docs", example / "collection.tsv", "--query", "101")
    plain = fairtrec_command("explain", "none", example / "neural.run", *given, "-f", "jsonl")
    asked = fairtrec_command("explain", "none", example / "neural.run", *given, "-f", "jsonl", "--what-if", "she")
    whole = fairtrec_command("explain", "none", example / "neural.run", *given, "-f", "json", "--what-if", "she")
    assert (plain.code, asked.code) == (0, 0), asked.err
    rows = [json.loads(line) for line in asked.out.splitlines()]
    (query,) = json.loads(whole.out)["runs"][0]["per_query"]
    assert {json.dumps(row.pop("what_if")) for row in rows} == {json.dumps(query["what_if"])}
    assert rows == [json.loads(line) for line in plain.out.splitlines()]
    assert "she" in query["what_if"]
