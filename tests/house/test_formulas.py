"""Each measure's formula is set as MathML that is well formed, and keeps each of its words."""

import doctest
import re
import sys
from xml.etree import ElementTree as ET

import pytest

from fairtrec.measures import BUILT_IN
from fairtrec_made import REPOSITORY
from fairtrec_made.rows import walk

sys.path.append(str(REPOSITORY / "docs"))
import formulas

PAGES = {name: (REPOSITORY / "docs" / "measures" / f"{name}.md").read_text("utf-8") for name in BUILT_IN}
FORMULA = re.compile(r"^<!-- formula -->\n```text\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
CALLED = {"∑": "sum", "∏": "product", "ω": "omega", "γ": "gamma", "ε": "eps", "τ": "tau", "α": "alpha"}


@walk([*BUILT_IN])
def test_a_formula_keeps_each_of_its_words(name):
    found = FORMULA.findall(PAGES[name])
    assert found
    for text in found:
        block = ET.fromstring(formulas.set_formula(text).replace("&nbsp;", " "))
        assert len(block) == len(formulas.join_lines(text))
        spoken = " ".join(CALLED.get(part, part) for part in block.itertext())
        words = {*re.findall(r"[A-Za-z]+", spoken)}
        wanted = {*re.findall(r"[A-Za-z]+", text)} - {"over", "of", "ranks"}  # said by the place under a sum
        assert wanted <= words


@pytest.mark.parametrize(
    ("line", "set_as"),
    [
        ("a / (b + 1)", "<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>"),
        ("s^2", "<msup><mi>s</mi><mn>2</mn></msup>"),
        ("w_i", "<msub><mi>w</mi><mi>i</mi></msub>"),
        ("sum over ranks i = 1..k of  i", "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>k</mi></munderover>"),
    ],
)  # fmt: skip
def test_signs_are_set_as_signs(line, set_as):
    assert set_as in formulas.set_line(line)


def test_the_examples_of_the_module_hold():
    assert doctest.testmod(formulas).attempted > 1
    assert not doctest.testmod(formulas).failed
