"""Every message of an error says what to do, behind a semicolon."""

import ast
import re
from functools import cache

import pytest

from fairtrec.support.errors import ONLY_TYPED, spell_keywords
from fairtrec_made import REPOSITORY
from fairtrec_made.sources import list_nodes

ERRORS = {"InputError", "UsageError", "ResourceError"}
FILES = sorted((REPOSITORY / "fairtrec").rglob("*.py"))
UNKNOWN = "\0"  # what stands there only when it runs


def text_of(node, names):
    """Put a message together, as far as it stands in the source."""
    match node:
        case ast.Constant():
            return str(node.value)
        case ast.JoinedStr():
            return "".join(text_of(part, names) for part in node.values)
        case ast.FormattedValue():
            return text_of(node.value, names)
        case ast.BinOp():
            return text_of(node.left, names) + text_of(node.right, names)
        case ast.Name():
            return names.get(node.id, UNKNOWN)
        case _:
            return UNKNOWN


@cache
def find_messages(source):
    """List the line and the text of each message."""
    found = []
    for function in list_nodes(source):
        if not isinstance(function, ast.FunctionDef):
            continue
        inside = list(ast.walk(function))
        names = {
            each.targets[0].id: text_of(each.value, {})
            for each in inside
            if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name)
        }
        calls = [each for each in inside if isinstance(each, ast.Call) and getattr(each.func, "id", "") in ERRORS]
        found += [(call.lineno, text_of(call.args[0], names)) for call in calls if call.args]
    return found


def without_way_out(source):
    """Give the line and the text of each message that ends without a way out; what ends in another may have its own."""
    for line, text in find_messages(source):
        if not set(";?") & {*text} and not text.rstrip(".)").endswith(UNKNOWN):
            yield line, text


@pytest.mark.parametrize("wrong", ['f"the {name} is wrong"', '"this is wrong"', 'what + " is wrong"'])
def test_a_message_without_a_way_out_is_seen(wrong):
    source = f"def read():\n    raise InputError({wrong}, path)\n"
    assert [line for line, _ in without_way_out(source)] == [2]
    assert not list(without_way_out(source.replace(" is wrong", "; correct it")))


@pytest.mark.long
def test_every_message_has_a_way_out():
    found = [
        f"{path.relative_to(REPOSITORY)}:{line}: {text}"
        for path in FILES
        if path.name != "fetch.py"  # its caller adds how to fetch by hand
        for line, text in without_way_out(path.read_text("utf-8"))
    ]
    assert not found


def test_no_message_has_an_option_in_python():
    """But in a line to type."""
    found = []
    for path in FILES:
        for line, text in find_messages(path.read_text("utf-8")):
            said = re.sub(r"`[^`]*`|\b(?:fairtrec|pip) [^;`]*", "", spell_keywords(text))
            if any(name not in ONLY_TYPED for name in re.findall(r"(?<![\w-])--([a-z-]+)", said)):
                found.append(f"{path.relative_to(REPOSITORY)}:{line}: {said}")
    assert found == []
