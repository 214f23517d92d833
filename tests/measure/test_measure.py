"""What authors and callers see of a measure: all they import, measures by name, ``@``, and the example to follow."""

import doctest
import importlib
import re
import subprocess
import sys
from dataclasses import dataclass
from textwrap import dedent

import ir_measures
import numpy as np
import pytest

import fairtrec
import fairtrec.measures
from fairtrec.measure import Measure, UsageError
from fairtrec.measures.catalogue import registry
from fairtrec.measures.utility import Utility
from fairtrec.testing import MeasureContract
from fairtrec_made import REPOSITORY
from fairtrec_made.few import value

CONTRIBUTING = REPOSITORY / "CONTRIBUTING.md"


def test_a_measure_is_imported_by_its_name_and_cut_off_with_an_at():
    from fairtrec.measures import DP, InputBias, NFaiRR

    assert NFaiRR(tau=0) @ 20 == NFaiRR(tau=0, cutoff=20) == registry.parse("NFaiRR(tau=0)@20")[0]
    assert str(DP() @ 3) == "DP@3"
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"a": "she", "b": "she and he"}}
    result = fairtrec.evaluate(["nDCG@1", NFaiRR(tau=0) @ 1], run, qrels=qrels, background=run, **given)
    assert result.means["run"] == {"nDCG@1": 0.0, "NFaiRR(tau=0)@1": 0.0}
    with pytest.raises(UsageError, match="InputBias has no cutoff; leave out @ 3"):
        InputBias() @ 3
    for bad in (2.5, "10", None, True):
        with pytest.raises(UsageError, match=re.escape(f"NFaiRR: the cutoff is {bad!r}; it must be of type int")):
            NFaiRR() @ bad
    with pytest.raises(UsageError, match="ranks count from 1"):
        NFaiRR() @ 0
    with pytest.raises(UsageError, match="nDCG has no cutoff"):
        Utility(ir_measures.nDCG) @ 3


def test_dir_lists_the_measures_and_nothing_is_imported_before_it_is_used():
    assert {"NFaiRR", "TREC19Utility"} <= {*dir(fairtrec.measures)}
    assert dir(fairtrec.measures) == sorted(fairtrec.measures.BUILT_IN)
    for name in dir(fairtrec.measures):
        assert issubclass(getattr(fairtrec.measures, name), Measure)
    with pytest.raises(ImportError, match="NFaiR"):
        from fairtrec.measures import NFaiR  # noqa: F401
    code = "import sys, fairtrec.measures as m; dir(m); print('numpy' in sys.modules); m.ARaB; print('fairtrec.measures.duo' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_bounds_stand_beside_better_and_follow_the_parameters():
    from fairtrec.measures import AWRF, DP, DUO, KL, FaiRR, MeanBias, NFaiRR, RaB, SignedDUO, TExFAIR

    assert KL.bounds == (0.0, None)
    assert (Measure().bounds, NFaiRR().bounds, RaB().bounds) == ((None, None),) * 3
    assert RaB(mag="bool").bounds == SignedDUO().bounds == (-1.0, 1.0)
    assert FaiRR(cutoff=1).bounds == (-1.0, 1.0)
    assert FaiRR().bounds[1] == pytest.approx(4.543559338088346)
    assert AWRF(base="e").bounds == pytest.approx((0.3068528194400547, 1))
    assert (TExFAIR().bounds, TExFAIR(scaled=True).bounds) == ((0.0, 2.0), (0.0, 1.0))
    assert (DP().bounds, DP(protected="f").bounds) == ((0.0, 1.0), (0.0, None))
    assert (DUO().bounds, DUO(normalizer="sampled").bounds) == ((0.0, 1.0), (None, None))
    assert MeanBias(gain="dcg").bounds[0] == pytest.approx(-4.543559338088346)


def test_all_that_authors_import_is_in_one_place():
    everything = importlib.import_module("fairtrec.measure")
    wanted = {"Measure", "Better", "Floats", "Ints", "take", "Candidates", "Form", "SumOverRanks", "First"}
    wanted |= {"Precisions", "GroupTotals", "GroupPrefixes", "GroupExposure", "RatioOfSums", "UsageError"}
    assert wanted <= {*everything.__all__}
    for name in everything.__all__:
        assert hasattr(everything, name)


def test_the_measure_of_contributing_works_as_it_stands(monkeypatch, tmp_path):
    blocks = re.findall(r"^ *```python\n(.*?)^ *```$", CONTRIBUTING.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    measure, test = map(dedent, blocks[:2])
    assert re.findall(r"^from (fairtrec\S*)", measure, re.MULTILINE) == ["fairtrec.measure"]
    (tmp_path / "spoken.py").write_text(measure)
    (tmp_path / "test_spoken.py").write_text(test)
    monkeypatch.setattr(fairtrec.measures, "__path__", [*fairtrec.measures.__path__, str(tmp_path)])
    monkeypatch.setitem(fairtrec.measures.BUILT_IN, "Spoken", "spoken")
    monkeypatch.delitem(sys.modules, "fairtrec.measures.spoken", raising=False)
    (spoken,) = registry.parse("Spoken@2")
    run, given = {"q": {"a": 2.0, "b": 1.0}}, {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"a": "she", "b": "it"}}
    assert fairtrec.evaluate([spoken], run, **given).means == {"run": {"Spoken@2": 1.0}}
    module = sys.modules["fairtrec.measures.spoken"]
    assert len([each for each in doctest.DocTestFinder().find(module) if each.examples]) == 1
    assert doctest.testmod(module).failed == 0
    names = {}
    exec(test, names)
    laws = [name for name in dir(MeasureContract) if name.startswith("test_")]
    assert len(laws) > 8
    for law in laws:
        getattr(names["TestSpoken"](), law)()
    names["test_documents_that_speak_of_a_group_are_counted"]()
    names["test_ties_labels_and_gold_follow"]()
    monkeypatch.delitem(sys.modules, "fairtrec.measures.spoken")


def test_a_measure_that_says_nothing_more_has_the_ways_of_all():
    @dataclass(frozen=True)
    class Mine(Measure):
        group: str = ""

    assert [each.group for each in Mine().expand_groups(("f", "m"))] == ["f", "m"]
    assert Mine().expand_groups(()) == (Mine(),)
    assert Mine("f").expand_groups(("f", "m")) == (Mine("f"),)
    with pytest.raises(UsageError, match="Mine: there is no group 'x'; the groups are f, m"):
        Mine("x").check(("f", "m"))


@pytest.mark.usefixtures("few_files")
def test_a_measure_that_cannot_be_computed():
    with pytest.raises(TypeError, match="Measure does not define how it is computed; add a formula, or a __call__"):
        Measure()()

    @dataclass(frozen=True)
    class Faulty(Measure):
        def __call__(self, lengths):
            return np.zeros(len(lengths) + 1)

    with pytest.raises(UsageError, match=r"Faulty gave values of the shape \(3,\) for 2 queries; report this bug"):
        value(Faulty())
