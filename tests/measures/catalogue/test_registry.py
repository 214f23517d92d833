"""From what a user types to measures: the notation, the names of trec_eval, and what is said of what cannot be read."""

import contextlib
import io
import subprocess
import sys

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.commands.measures import pages
from fairtrec.measure import Measure
from fairtrec.measures import BUILT_IN
from fairtrec.measures.arab import ARaB, RaB
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.registry import parse
from fairtrec.measures.nfairr import FaiRR, NFaiRR, SetFaiRR
from fairtrec.measures.texfair import TE, TExFAIR
from fairtrec.measures.utility import Utility
from fairtrec.support.errors import UsageError


def theirs(*measures):
    return [Utility(measure) for measure in measures]


@pytest.mark.parametrize(
    ("text", "measures"),
    [
        ("NFaiRR", [NFaiRR()]),
        ("NFaiRR@20", [NFaiRR(cutoff=20)]),
        ("NFaiRR(cutoff=20)", [NFaiRR(cutoff=20)]),
        ("NFaiRR(tau=0)@20 ARaB(mag=tf)", [NFaiRR(tau=0, cutoff=20), ARaB(mag="tf")]),
        ("FaiRR,RaB@5", [FaiRR(), RaB(cutoff=5)]),
        (" FaiRR ,\n\tRaB@5 , ", [FaiRR(), RaB(cutoff=5)]),
        ("NFaiRR@10\t", [NFaiRR()]),
        ("NFaiRR( tau = 0 )@ 20 FaiRR", [NFaiRR(tau=0, cutoff=20), FaiRR()]),
        ("SetFaiRR(of='collection',full_k=True)@3", [SetFaiRR(of="collection", full_k=True, cutoff=3)]),
        ('SetFaiRR(of="collection", full_k=false,)', [SetFaiRR(of="collection")]),
        ("TExFAIR(rbdf=False,scaled=true)", [TExFAIR(rbdf=False, scaled=True)]),
        ("TE(group=f)", [TE(group="f")]),
        ("TE(group='a group, (of) \"two\" words')@3", [TE(group='a group, (of) "two" words', cutoff=3)]),
        (r"TE(group='it\'s a back\\slash')", [TE(group=r"it's a back\slash")]),
        ('TE(group="it\'s")', [TE(group="it's")]),
        ("TE(group='1')", [TE(group="1")]),
        ("", []),
        (" , ,", []),
    ],
)
def test_ours(text, measures):
    assert parse(text) == measures


@pytest.mark.parametrize(
    ("text", "measures"),
    [
        ("nDCG@10", [ir_measures.nDCG @ 10]),
        ("RR P@5", [ir_measures.RR, ir_measures.P @ 5]),
        ("MRR@10", [ir_measures.RR @ 10]),
        ("NDCG", [ir_measures.nDCG]),
        ("AP(rel=2)@100", [ir_measures.AP(rel=2) @ 100]),
        ("P(rel=1,judged_only=True)@3", [ir_measures.P(rel=1, judged_only=True) @ 3]),
        ("nDCG(dcg='exp-log2')@10", [ir_measures.nDCG(dcg="exp-log2") @ 10]),
        ("nDCG(dcg=exp-log2)@10", [ir_measures.nDCG(dcg="exp-log2") @ 10]),
        ("nDCG(gains={0: 1, 2:3})@5", [ir_measures.nDCG(gains={0: 1, 2: 3}) @ 5]),
        ("nDCG(gains={ 1:-1 , })", [ir_measures.nDCG(gains={1: -1})]),
        ("nDCG(gains={})", [ir_measures.nDCG(gains={})]),
        ("IPrec@.1", [ir_measures.IPrec @ 0.1]),
        ("IPrec@1", [ir_measures.IPrec @ 1.0]),
        ("SetF(beta=2)", [ir_measures.SetF(beta=2.0)]),
        ("Compat(p=.9)", [ir_measures.Compat(p=0.9)]),
        # the names of trec_eval
        ("ndcg_cut_10", [ir_measures.nDCG @ 10]),
        ("ndcg_cut.5,10", [ir_measures.nDCG @ 5, ir_measures.nDCG @ 10]),
        ("P.5,10 map", [ir_measures.P @ 5, ir_measures.P @ 10, ir_measures.AP]),
        ("P.5,10, map", [ir_measures.P @ 5, ir_measures.P @ 10, ir_measures.AP]),
        ("P_5,recip_rank", [ir_measures.P @ 5, ir_measures.RR]),
        ("recip_rank,map", [ir_measures.RR, ir_measures.AP]),
        ("recall_100", [ir_measures.R @ 100]),
        ("success", [ir_measures.Success @ 1, ir_measures.Success @ 5, ir_measures.Success @ 10]),
        ("iprec_at_recall_0.10", [ir_measures.IPrec @ 0.1]),
        ("set_F.0.5", [ir_measures.SetF(beta=0.5)]),
        ("num_ret num_rel_ret", [ir_measures.NumRet, ir_measures.NumRet(rel=1)]),
    ],
)
def test_those_of_ir_measures_and_trec_eval(text, measures):
    assert parse(text) == theirs(*measures)


def test_a_name_of_trec_eval_that_stands_for_many_prints_nothing_on_standard_output(capsys):
    measures = parse("official")
    assert {"AP", "RR", "P@5", "NumRet", "Bpref"} <= set(map(str, measures))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == ""  # it is whole
    assert "gm_map" in set(map(str, measures))


def test_the_relevance_level_is_that_of_measures_that_have_one_and_do_not_say():
    measures = parse("RR AP(rel=1) P@5 nDCG@10 NumRet NumRelRet map FaiRR Judged@5", relevance_level=2)
    assert list(map(str, measures)) == [
        "RR(rel=2)", "AP", "P(rel=2)@5", "nDCG@10", "NumRet", "NumRet(rel=2)", "AP(rel=2)", "FaiRR@10", "Judged@5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "why"),
    [
        # names
        ("NFaiR@10", "there is no measure NFaiR; did you mean NFaiRR?"),
        ("nfair", "did you mean NFaiRR?"),
        ("ndgc@10", "did you mean nDCG?"),
        ("NFaiRR_10", "there is no measure NFaiRR_10; did you mean NFaiRR@10?"),
        ("nfairr.5", "did you mean NFaiRR@5?"),
        ("NFaiRR_cut_20", "did you mean NFaiRR@20?"),
        ("NFaiRR_cut.20", "did you mean NFaiRR@20?"),
        ("nDCG_10", "did you mean nDCG@10?"),
        ("TREC19Utility_10", "did you mean TREC19Utility? `"),
        ("gender@10", "there is no measure gender; `fairtrec measures` lists them all"),
        ("fairness@10", "there is no measure fairness; `fairtrec measures` lists them all"),
        ("parity", "there is no measure parity; `fairtrec measures` lists them all"),
        ("zzzzqqq", "there is no measure zzzzqqq; `fairtrec measures` lists them all"),
        ("gm_maps", "there is no measure gm_maps"),
        ("P_5x", "there is no measure P_5x"),
        ("ndcg_cut_5.5", "a cutoff is a whole number"),
        ("P_5.", "a cutoff is a whole number"),
        ("P@5,10", "there is no measure 10"),
        # the notation
        ("(tau=1)", "a measure starts with its name"),
        ("@10", "a measure starts with its name"),
        ("NFaiRR(tau)", "parameters are written"),
        ("NFaiRR(1)", "parameters are written"),
        ("NFaiRR(tau=0", "the parameters do not end with )"),
        ("NFaiRR(tau=0 cutoff=3)", "the parameters do not end with )"),
        ("NFaiRR(", "parameters are written"),
        ("NFaiRR(tau=)", "a value is a number"),
        ("NFaiRR@", "a value is a number"),
        ("NFaiRR@10x", "a value is a number"),
        ("NFaiRR@10@20", "unexpected text after it"),
        ("NFaiRR(tau=0)x", "unexpected text after it"),
        ("NFaiRR(tau=0)(tau=0)", "unexpected text after it"),
        ("TE(group='f)", "a value is a number"),
        ("NFaiRR@1e999", "a number is too large"),
        ("NFaiRR(tau=" + "9" * 5000 + ")", "a number is too large"),
        ("NFaiRR(tau=0,tau=1)", "the parameter tau is given twice"),
        ("NFaiRR(cutoff=5)@10", "the parameter cutoff is given twice"),
        ("nDCG(cutoff=5)@10", "the parameter cutoff is given twice"),
        ("nDCG(gains={0:1,0:2})", "the key 0 is given twice"),
        *((f"nDCG(gains={broken})", "a mapping is written") for broken in ("{1}", "{1:2:3}", "{1:2 3:4}", "{{1:2}:3}", "{1:{2:3}}", "{1,2}")),
        ("nDCG(gains={1:2", "a mapping is written"),
        ("nDCG(gains={", "a value is a number"),
        # parameters and values
        ("NFaiRR(taw=0)", "NFaiRR has no parameter taw; did you mean tau? it has: cutoff, tau"),
        ("NFaiRR(x=0)", "has no parameter x; it has: cutoff, tau"),
        ("NFaiRR(tau=x)", "the parameter tau is 'x'; it must be of type int"),
        ("NFaiRR(tau=0.5)", "the parameter tau is 0.5; it must be of type int"),
        ("NFaiRR(tau=True)", "the parameter tau is True; it must be of type int"),
        ("NFaiRR(tau=None)", "the parameter tau is None; it must be of type int"),
        ("NFaiRR(tau={1:2})", "it must be of type int"),
        ("NFaiRR(tau=-1)", "tau is -1"),
        ("NFaiRR@0", "the cutoff is 0; ranks count from 1"),
        ("NFaiRR@2.5", "the parameter cutoff is 2.5; it must be of type int"),
        ("NFaiRR@x", "it must be of type int"),
        ("TExFAIR(rbdf=1)", "the parameter rbdf is 1; it must be of type bool"),
        ("TE(group=1)", "the parameter group is 1; it must be of type str"),
        ("ARaB(mag=tff)", "cannot be 'tff'; did you mean tf? it is one of: tc, tf, tf_paper, bool"),
        ("ARaB(mag=7)", "cannot be 7; it is one of"),
        ("ARaB(mag={1:2})", "it is one of"),
        ("nDCG(cutof=5)", "nDCG has no parameter cutof; did you mean cutoff? nDCG has the parameters"),
        ("Bpref@3", "Bpref has no parameter cutoff; Bpref has the parameters: rel"),
        ("NumQ(x=1)", "NumQ has the parameters: none"),
        ("SDCG@5", "SDCG@5 needs max_rel; "),
        ("nDCG@x", "cutoff cannot be 'x'"),
        ("nDCG@True", "cutoff cannot be True"),
        ("nDCG@0", "the cutoff is 0; ranks count from 1"),
        ("P_0", "the cutoff is 0"),
        ("P(rel=x)@5", "rel cannot be 'x'"),
        ("P(rel=0)@5", "rel cannot be 0"),
        ("Bpref(rel=-99)", "rel cannot be -99"),
        ("P(rel=99999999999)@5", "rel cannot be 99999999999"),
        ("P(judged_only=1)@5", "judged_only cannot be 1"),
        ("IPrec@1.5", "recall cannot be 1.5"),
        ("IPrec@0.101", "recall cannot be 0.101"),  # trec_eval would answer for 0.10
        ("nDCG(dcg=ln)", "dcg cannot be 'ln'"),
        ("nDCG(gains={0:a})", "gains cannot be {0: 'a'}"),
        ("nDCG(gains={a:1,1:2})", "gains cannot be"),
        ("nDCG(gains={1:99999999999})", "gains cannot be"),
        ("nDCG(gains=1)", "gains cannot be 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_wrong_usage(text, why):
    with pytest.raises(UsageError) as caught:
        parse(text)
    message = str(caught.value)
    assert why in message
    assert "\n" not in message
    with pytest.raises(UsageError):
        parse(f"RR {text}")


def test_every_name_that_is_listed_is_found():
    listed = registry.names()
    assert {*BUILT_IN, "nDCG", "RR", "AP"} <= {*listed}
    assert len(listed) == len({*listed})
    for name in BUILT_IN:
        assert registry.find(name).__name__ == name
    assert registry.find("nDCG") is None
    assert registry.find("NFaiRRR") is None


PIECES = [
    *("NFaiRR", "TE", "ARaB", "nDCG", "P", "RR", "IPrec", "Bpref", "SetF", "NumRet", "BPM", "α_DCG", "ndcg_cut_", "P.", "P_"),
    *("official", "(", ")", "=", ",", " ", "@", "{", "}", ":", "'", '"', "\\", ".", "_", "-", "+", "e", "\n", "\0", "\x1f"),
    *("tau", "mag", "tf", "group", "cutoff", "rel", "gains", "beta", "recall", "judged_only", "max_rel", "tau=0", "(rel=2)"),
    *("0", "1", "5", "10", "-1", "0.5", ".5", "1e5", "1e999", "9" * 20, "9" * 400, "True", "False", "None", "{0:1}", "@10", "٣", "²"),
]  # fmt: skip
typed = st.one_of(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=30))


@given(typed, st.sampled_from([None, 1, 3]))
def test_whatever_is_typed_is_a_measure_or_wrong_usage(text, level):
    measures, said = [], ""
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            measures = parse(text, level)
        except UsageError as error:
            said = str(error)
    assert "\n" not in said
    for measure in measures:
        assert isinstance(measure, Measure)
        assert parse(str(measure)) == [measure]
        hash(measure)


def test_no_measure_is_imported_before_it_is_asked_for():

    code = "import fairtrec.measures.catalogue.registry as r, sys; r.parse('RaB'); print('ir_measures' in sys.modules, 'fairtrec.measures.nfairr' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [("ndcg@10", "nDCG@10"), ("nfairr(tau=0)@20", "NFaiRR(tau=0)@20"), ("rr", "RR"), ("p@5", "P@5"), ("map", "AP")],
)
def test_names_are_known_in_any_case(text, meant):
    assert list(map(str, registry.parse(text))) == [meant]


def test_pages_are_found_in_any_case():
    assert pages.page("awrf") == pages.page("AWRF")
    assert pages.page("ALPHA_NDCG") == pages.page("alpha_nDCG")


def test_no_two_names_differ_in_case_alone():
    assert len({name.lower() for name in registry.names()}) == len({*registry.names()})
