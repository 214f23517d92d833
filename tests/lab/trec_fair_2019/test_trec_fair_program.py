"""Our values beside those of wptrec, the program of TREC Fair Ranking 2022, by its own scripts on pages of the same form.

``WPTREC`` names a checkout of wptrec, which is not part of the repository and needs xarray. What its scripts import to
draw and to show progress is left out. Its discounts have 32 bits; with 64 all values are ours to nine places.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

import fairtrec

sys.path.insert(0, os.path.dirname(__file__))  # noqa: PTH120
from test_trec_fair_page import make

ATTRIBUTES = {  # of wptrec: ours
    "sub-geo": "sub_geo",
    "src-geo": "src_geo",
    "gender": "gender",
    "occ": "occ",
    "alpha": "alpha",
    "age": "age",
    "pop": "pop",
    "langs": "langs",
}
FIELDS = {
    "occ": "occupations",
    "alpha": "first_letter_category",
    "age": "creation_date_category",
    "pop": "relative_pageviews_category",
    "langs": "num_sitelinks_category",
}
CROSSINGS = [["sub-geo", "gender"], ["src-geo", "gender"], ["sub-geo", "src-geo", "gender", "occ"], [*ATTRIBUTES]]
THEIRS = r"""
import json, runpy, sys, types
import numpy as np

class Progress(list):
    pandas = staticmethod(lambda **_: None)
    n = 0
    def __init__(self, each=(), **_): super().__init__(each)
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def update(self, n): pass

for name, held in {"tqdm": {}, "tqdm.auto": {"tqdm": Progress}, "natural": {}, "natural.size": {"binarysize": str},
                   "natural.number": {"number": str}, "matplotlib": {}, "matplotlib.pyplot": {}, "seaborn": {}}.items():
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(held)
wptrec, double = sys.argv[1], sys.argv[2] == "64"
sys.path.insert(0, wptrec)
import wptrec.metrics as metrics
from wptrec.metrics import awrf, common, eel

def exact(ranks):
    ranks = np.arange(1, ranks + 1) if isinstance(ranks, int) else np.asarray(ranks)
    return 1 / np.log2(np.maximum(ranks.astype(np.float64), 2))

if double:
    for module in (metrics, awrf, common, eel):
        module.discount = exact
for script in ("PageAlignments", "Task1Alignment", "Task2Alignment"):
    made = runpy.run_path(f"{wptrec}/{script}.py")
import pandas as pd, xarray as xr
from MetricInputs import dimensions, qrels

relevant = qrels.set_index("topic_id")
found = {}
crossings = [[each.name] for each in dimensions] + json.loads(sys.argv[3])
runs = [pd.read_csv("runs/task1-x", sep="\t"), pd.read_csv("runs/task2-x", sep="\t")]
for task, run in enumerate(runs, 1):
    every = xr.open_dataarray(f"data/metric-tables/task{task}-eval-int-targets.nc")
    for names in crossings:
        of = [each for each in dimensions if each.name in names]
        if len(of) == 1:
            table = pd.read_parquet(f"data/metric-tables/task{task}-eval-{names[0]}-target.parquet")
            target = xr.DataArray(table, dims=["topic_id", names[0]])
        else:
            target = every.sum([each.name for each in dimensions if each.name not in names])
        metric = (metrics.AWRFMetric if task == 1 else metrics.EELMetric)(relevant, of, target)
        for topic, rows in run.groupby("id"):
            if task == 1:
                values = metric(rows["page_id"], topic)
            else:
                sequence = rows.rename(columns={"id": "topic_id"})
                object.__setattr__(sequence, "name", topic)
                values = metric(sequence)
            for name, value in values.items():
                found[f"{'*'.join(names)} {name} {topic}"] = float(value)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def track(tmp_path_factory):
    """Make pages, judgments and runs as the track hands them out, and the labels made of them."""
    if not os.environ.get("WPTREC"):
        pytest.skip("needs wptrec, the track's program of 2022; the variable WPTREC names a checkout of it")
    pytest.importorskip("xarray", reason="wptrec needs xarray, which is not here")
    folder = tmp_path_factory.mktemp("track")
    make(folder)
    (folder / "data").mkdir()
    shutil.copy(folder / "articles.json.gz", folder / "data" / "trec_2022_articles_discrete_assessed.json.gz")
    shutil.copy(folder / "reldocs.jsonl", folder / "data" / "trec_2022_eval_reldocs.jsonl")
    shutil.copy(folder / "world-pop.csv", folder / "data" / "world-pop.csv")
    given = {"qrels": folder / "reldocs.jsonl", "world": folder / "world-pop.csv"}
    fairtrec.make_labels(folder / "articles.json.gz", folder / "labels", **given)
    return folder


@pytest.fixture(scope="module")
def ours(track):
    """Give our values by wptrec's names."""
    found = {}
    sources = {name: f"{track}/labels/{name}.tsv" for name in ("sub_geo", "src_geo", "gender")}
    sources |= {name: f"{track}/articles.json.gz:{field}" for name, field in FIELDS.items()}
    given = {"labels": fairtrec.attributes(**sources), "missing": "group"}
    given["membership"] = {"occ": "share", "gender": "any"}
    crossings = [*([name] for name in ATTRIBUTES), *CROSSINGS]
    for run, judged, documents, names in (
        ("task1-x", "reldocs.jsonl", "qrels", {"AWRF": "AWRF(base=e,{})@500", "Score": "AWRFxnDCG(base=e,{})@500"}),
        ("task2-x", "labels/graded.qrels", "ideal",
         {f"EE-{of}": f"EE{of}(discount=log2_clipped,documents=relevant,{{}})@20" for of in "LDR"}),
    ):  # fmt: skip
        world = dict.fromkeys(("sub_geo", "src_geo"), f"0.5*{documents}+0.5*{track}/labels/world.tsv")
        target = {**world, "gender": f"0.5*{documents}+0.5*{track}/labels/world-gender.tsv", "": documents}
        for crossing in crossings:
            by = f"by={'*'.join(ATTRIBUTES[name] for name in crossing)}"
            measures = [measure.format(by) for measure in names.values()]
            scores = fairtrec.evaluate(
                measures, track / "runs" / run, qrels=track / judged, target=target, **given
            ).scores[0]
            for name, values in zip(names, scores.values, strict=True):
                for qid, value in zip(scores.qids, values.tolist(), strict=True):
                    found[f"{'*'.join(crossing)} {name} {qid}"] = value
    return found


def theirs(track, bits):
    words = [sys.executable, "-W", "ignore", "-c", THEIRS, os.environ["WPTREC"], bits, json.dumps(CROSSINGS)]
    done = subprocess.run(words, cwd=track, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    return {name: value for name, value in found.items() if " nDCG " not in name}


def test_wptrec_has_our_values_of_each_attribute_and_crossed(track, ours):
    found = theirs(track, "32")
    assert len(ours) == (8 + len(CROSSINGS)) * 5 * 3
    assert found == pytest.approx(ours, rel=5e-7, abs=5e-8)
    assert sum(f"{found[name]:.4f}" != f"{value:.4f}" for name, value in ours.items()) <= 2  # on the edge of rounding


def test_wptrec_with_discounts_of_64_bits_has_them_to_nine_places(track, ours):
    assert theirs(track, "64") == pytest.approx(ours, rel=0, abs=1e-9)
