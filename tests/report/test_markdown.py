"""What names hold stays text in Markdown, which GitHub shows as a comment."""

import pytest
from markdown_it import MarkdownIt

NAMES = ["a`<img src=x>`.run", "``<b>", "<b>`", "`", "a```b`<i>", "a|b<u>", "[x](javascript:1)", "<!-- a"]
COMMANDS = ["eval QRELS RUN -m nDCG@2", "compare QRELS RUN b.run -m nDCG@2", "check QRELS RUN --require nDCG@2>0.9"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", NAMES)
def test_no_name_of_a_file_is_html(tmp_path, monkeypatch, fairtrec_command, name, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    qrels = f"{name}.txt"
    (tmp_path / qrels).write_text("q1 0 d1 1\n")
    (tmp_path / name).write_text("q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n")
    (tmp_path / "b.run").write_text("q1 Q0 d1 1 2 t\n")
    words = [{"QRELS": qrels, "RUN": name}.get(word, word) for word in command.split()]
    ended = fairtrec_command(*words, "-f", "md")
    assert ended.code in (0, 1), ended.err
    tokens = [*MarkdownIt("commonmark").enable("table").parse(ended.out)]
    inside = [each for token in tokens for each in token.children or ()]
    assert not [token for token in (*tokens, *inside) if token.type in ("html_block", "html_inline", "link_open")]
    code = [token.content for token in inside if token.type == "code_inline"]
    assert [each for each in code if each.startswith("fairtrec:") and f"{qrels}@" in each]
