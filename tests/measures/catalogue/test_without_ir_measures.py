"""Where ir-measures is not installed, as on Linux on ARM, all that is computed here works, and the rest is one line."""

import re
import sys
import tomllib

import ir_measures
import pytest

import fairtrec
from fairtrec.measures.catalogue import registry, relevance
from fairtrec.measures.utility import COMPUTED, SUMS
from fairtrec.support.errors import UsageError
from fairtrec_made import REPOSITORY

TEXTS = [
    "nDCG@10 nDCG NDCG@5 RR RR@10 MRR(rel=2)@3 AP AP(rel=2)@100 P@5 P(rel=2)@5 R@5 Recall@3 Success(rel=2)@1",
    "nDCG(judged_only=True)@10 nDCG(dcg='log2')@10 P(judged_only=True)@5 RR(judged_only=True)@10",
    "Bpref BPref(rel=2) IPrec@0.1 IPrec(rel=2,judged_only=True)@1 Rprec RPrec(rel=2) SetP SetP(relative=True) SetRelP",
    "SetR SetAP SetF SetF(beta=0.5) SetF(beta=2) infAP Judged@5 Accuracy@5 Accuracy(rel=2) NumQ NumRel NumRet NumRelRet",
    "map map_cut.5 map_cut_10 P.5,10 recall_100 ndcg ndcg_cut ndcg_cut.10 recip_rank success success.1 set_F set_F.2 num_q",
    "iprec_at_recall iprec_at_recall.0.1,0.2 set_P set_recall set_map set_relative_P num_ret num_rel num_rel_ret Rprec bpref",
    "RBP(p=0.5)@10 RBP alpha_nDCG@5 alpha_DCG(rel=2)@5 ERR_IA@5 nERR_IA@5 NRBP nNRBP(alpha=0.3) P_IA@5 AP_IA StRecall@5",
    "ERR@10 ERR@1 nDCG(dcg='exp-log2')@10 nDCG(dcg='exp-log2')@3",
    "gm_map gm_bpref 11pt_avg relative_P.5,10 num_nonrel_judged_ret",
]
REFUSED = ["nDCG(x=1)", "IPrec@2", "IPrec@0.123", "P@0", "AP(rel=0)", "SetF(beta=a)", "P(rel=true)@5", "R", "P_x"]


@pytest.fixture
def absent(monkeypatch):
    """Hide both packages, as if they were not installed."""

    def hide():
        for name in [*sys.modules]:
            if name.split(".")[0] in {"ir_measures", "pytrec_eval"}:
                monkeypatch.setitem(sys.modules, name, None)

    return hide


@pytest.mark.parametrize("text", TEXTS)
def test_names_and_values_are_the_same_without_it(example, absent, text):
    def found():
        measures = registry.parse(text)
        result = fairtrec.evaluate(measures, example / "neural.run", qrels=example / "qrels.txt")
        told = [(str(each), each.trec, each.total, each.cutoff, each.better) for each in measures]
        return told, result.scores[0].values.tobytes(), "ir-measures" in result.signature

    there = found()
    absent()
    assert found() == there
    assert not there[2]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused_with_it_is_refused_without_it(absent, text):
    with pytest.raises(UsageError) as there:
        registry.parse(text)
    absent()
    with pytest.raises(UsageError) as here:
        registry.parse(text)
    assert str(here.value).startswith(str(there.value))


@pytest.mark.parametrize("text", ["BPM(T=1,max_rel=2)@5", "Compat(p=0.8)"])
def test_what_it_alone_computes_is_one_line(absent, fairtrec_command, example, text):
    absent()
    ended = fairtrec_command("eval", example / "qrels.txt", example / "bm25.run", "-m", text)
    assert (ended.code, len(ended.complaints)) == (4, 1)
    assert "this needs ir-measures, which is not installed; leave it out, or run: pip install ir-measures" in ended.err


def test_the_pages_of_measures_need_it_not(absent, fairtrec_command):
    absent()
    listed = fairtrec_command("measures")
    assert (listed.code, "ir-measures (which is not installed)" in listed.out) == (0, True)
    page = fairtrec_command("measures", "nDCG")
    assert (page.code, page.out.startswith("nDCG (computed here, as by ir-measures)")) == (0, True)
    unknown = fairtrec_command("measures", "Nix")
    assert (unknown.code, "but for those of ir-measures, which is not installed here" in unknown.err) == (2, True)


def test_the_names_of_what_it_has_are_known_here():
    theirs = ir_measures.measures.registry
    names = {name for name, each in theirs.items() if each.NAME not in registry.BUILT_IN}
    assert {*relevance.OURS} | relevance.ELSEWHERE == names
    assert {each.NAME for each in relevance.OURS.values()} == {theirs[name].NAME for name in COMPUTED}
    assert {each.NAME for each in theirs.values() if type(each.aggregator()).__name__ == "SumAgg"} == SUMS
    for name, ours in relevance.OURS.items():
        assert str(ours) == str(theirs[name])
        assert ours.AT_PARAM == theirs[name].AT_PARAM
        assert {*ours.SUPPORTED_PARAMS} == {*theirs[name].SUPPORTED_PARAMS}
        for parameter, info in ours.SUPPORTED_PARAMS.items():
            yours = theirs[name].SUPPORTED_PARAMS[parameter]
            assert (info.dtype, info.required) == (yours.dtype, yours.required)
            assert info.default == yours.default or info.default is None


@pytest.mark.parametrize(
    ("machine", "platform", "required"),
    [
        ("x86_64", "linux", True), ("aarch64", "linux", False), ("ppc64le", "linux", False), ("armv7l", "linux", False),
        ("arm64", "darwin", True), ("x86_64", "darwin", True), ("AMD64", "win32", True), ("ARM64", "win32", False),
    ],
)  # fmt: skip
def test_it_is_required_where_there_is_a_wheel(machine, platform, required):
    requirements = pytest.importorskip("packaging.requirements")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    (theirs,) = [each for each in project["dependencies"] if each.startswith("ir-measures")]
    marker = requirements.Requirement(theirs).marker
    found = {"platform_machine": machine, "sys_platform": platform, "implementation_name": "cpython"}
    assert marker.evaluate(found) is required
    (datasets,) = [each for each in project["dependencies"] if re.match("ir[_-]datasets", each)]
    assert ";" not in datasets
