"""The page on TREC Fair Ranking: its commands, on pages of the official form.

The wanted values are those of wptrec, the track's own program, on the very pages that are made here.
"""

import csv
import gzip
import json
import math
import random
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from fairtrec_made import REPOSITORY, pages

PAGE = (REPOSITORY / "docs" / "trec-fair.md").read_text("utf-8")
WORLD = {"Southern Asia": 17, "Eastern Asia": 16, "Northern America": 4, "Western Africa": 3, "Oceania": 1}
REGIONS = [*[*WORLD][:4], "Australia and New Zealand", "Melanesia", "Micronesia", "Polynesia"]
GENDERS = ["male", "male", "female", "transgender female", "cisgender male", "non-binary"]
CATEGORIES = {
    "first_letter_category": ["a-d", "e-k", "l-r", "s-"],
    "creation_date_category": ["2001-2006", "2007-2011", "2012-2016", "2017-2022"],
    "relative_pageviews_category": ["Low", "Medium-Low", "Medium-High", "High"],
    "num_sitelinks_category": ["English only", "2-4 languages", "5+ languages"],
}


def metadata(draw, number, page):
    """One page; the first ones name each region, and nobody has two genders, which wptrec cannot cross."""
    regions, sources = draw.sample(REGIONS, draw.choice([1, 1, 2])), draw.sample([*REGIONS, "UNK"], 3)
    if number < len(REGIONS):
        regions, sources = [REGIONS[number]], [REGIONS[number], "UNK"]
    return {
        "page_id": page,
        "qual_cat": draw.choice(["Stub", "Start", "C", "B", "GA", "FA"]),
        "page_subcont_regions": regions if draw.random() < 0.7 or number < 8 else [],
        "source_subcont_regions": {name: draw.randint(1, 9) for name in sources},
        "gender": [draw.choice(GENDERS)] if draw.random() < 0.6 else [],
        "occupations": draw.sample(["politician", "athlete", "artist"], draw.choice([0, 1, 2])),
        **{name: draw.choice(groups) for name, groups in CATEGORIES.items()},
    }


def make(folder):
    draw = random.Random(11)
    every = sorted(draw.sample(range(1000), 120))
    with gzip.open(folder / "articles.json.gz", "wt") as file:
        for number, page in enumerate(every):
            file.write(json.dumps(metadata(draw, number, page)) + "\n")
    with (folder / "world-pop.csv").open("w", newline="") as file:
        rows = csv.DictWriter(file, ["Rank", "Name", "Population"])
        rows.writeheader()
        rows.writerows({"Rank": 1, "Name": name, "Population": many} for name, many in WORLD.items())
    relevant = {query: draw.sample(every, 30) for query in (1, 2, 3)}
    lines = [json.dumps({"id": query, "rel_docs": found}) + "\n" for query, found in relevant.items()]
    (folder / "reldocs.jsonl").write_text("".join(lines))
    (folder / "runs").mkdir()
    one = [f"{query}\t{page}\n" for query in relevant for page in draw.sample(every, 40)]
    (folder / "runs" / "task1-x").write_text("id\tpage_id\n" + "".join(one))
    two = [f"{q}\t{s}\t{page}\n" for q in relevant for s in (1, 2, 3) for page in draw.sample(every, 20)]
    (folder / "runs" / "task2-x").write_text("id\tseq_no\tpage_id\n" + "".join(two))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("track")
    make(made)
    (line,) = (line for block in pages.blocks(PAGE) for line in block.lines if "make labels" in line)
    subprocess.run([sys.executable, "-m", *shlex.split(line)], cwd=made, check=True, capture_output=True)
    return made


def performed(fairtrec_command, *, fairweb):
    """Give the means that the commands of the page print, by their line and measure."""
    found = {}
    for block in pages.blocks(PAGE):
        for line in block.lines if ("fairweb" in str(block.lines)) == fairweb else ():
            words = shlex.split(line)
            if words[0] == "awk":
                done = subprocess.run(words[:-2], capture_output=True, check=True, text=True)
                Path(words[-1]).write_text(done.stdout)
                continue
            if words[1] in ("make", "trec-fair-2019"):  # the latter is of another track
                continue
            done = fairtrec_command(*words[1:], "--places", "6")
            assert done.code == 0, done.err
            rows = [row.split("\t") for row in done.out.splitlines()]
            labels = words[words.index("--labels") + 1]
            found |= {
                f"{labels} {name.strip()}": float(value) for name, qid, value in rows if qid == "all" and "@" in name
            }
    return found


ALL = "by='sub_geo*src_geo*gender*occ*alpha*age*pop*langs'"
RELEVANT = "discount='log2_clipped',documents='relevant'"
WANTED = {  # AWRF, score, EE-L by wptrec
    "labels/gender.tsv AWRF(base='e')@500": 0.981184733,
    "labels/gender.tsv AWRFxnDCG(base='e')@500": 0.318428334,
    f"labels/gender.tsv EEL({RELEVANT})@20": 12.583610656,
    "articles.json.gz:occupations AWRF(base='e')@500": 0.991168059,
    "sub_geo=labels/sub_geo.tsv AWRF(by='sub_geo*gender',base='e')@500": 0.859122331,
    f"sub_geo=labels/sub_geo.tsv AWRFxnDCG({ALL},base='e')@500": 0.154627556,
    f"sub_geo=labels/sub_geo.tsv EEL({ALL},{RELEVANT})@20": 0.429476548,
}


def test_the_commands_give_the_values_of_the_track(folder, monkeypatch, fairtrec_command):
    monkeypatch.chdir(folder)
    found = performed(fairtrec_command, fairweb=False)
    assert found == pytest.approx(WANTED, abs=2e-6)


def test_the_lines_for_fairweb_make_what_its_command_takes(folder, monkeypatch, fairtrec_command):
    monkeypatch.chdir(folder)
    Path("fairweb.rel").write_text("1 d1 L2\n1 d2 L1\n1 d3 L0\n2 d1 L1\n")
    Path("fairweb.run").write_text("1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n2 Q0 d1 1 2 t\n")
    Path("hindex.gmemb").write_text("1 d1 0 0 1\n1 d2 0.5 0.5 0\n")  # of the first topic alone
    Path("hindex.golddistr").write_text(".333333\n" * 3)
    Path("gender.gmemb").write_text("1 d1 1 0 0\n2 d1 0 1 0\n")  # three groups, as in the task
    Path("gender.golddistr").write_text(".5\n.25\n.25\n")
    ((name, value),) = performed(fairtrec_command, fairweb=True).items()
    assert Path("fairweb.qrels").read_text() == "1 0 d1 2\n1 0 d2 1\n1 0 d3 0\n2 0 d1 1\n"
    assert (
        Path("hindex.tsv").read_text()
        == "1\td1\t1\t0\n1\td1\t2\t0\n1\td1\t3\t1\n1\td2\t1\t0.5\n1\td2\t2\t0.5\n1\td2\t3\t0\n"
    )
    lines = "1 d1 g1 1,1 d1 g2 0,1 d1 g3 0,2 d1 g1 0,2 d1 g2 1,2 d1 g3 0"
    assert Path("gender-fairweb.tsv").read_text().splitlines() == lines.replace(" ", "\t").split(",")
    assert name.startswith("hindex=hindex.tsv GFR(decay=")
    # stop at rank 1 of topic 1: 3/4, at rank 2: 1/4 1/4; relevance .99 and .99^2; topic 2: 1/4 at rank 1, .99
    jsd = lambda p, q: (_kl(p, q) + _kl(q, p)) / 2  # noqa: E731
    first = [0.75, 0.0625]
    relevance = first[0] * 0.99 + first[1] * 0.99**2
    # NMD against even thirds: cumulated shares 0 0 1 and 1/4 1/2 1 against 1/3 2/3 1, over two
    hindex = first[0] * (1 - 0.5) + first[1] * (1 - (1 / 12 + 1 / 6) / 2)
    gold, third = [0.5, 0.25, 0.25], 1 / 3  # d2 is of even membership
    gender = first[0] * (1 - jsd([1, 0, 0], gold)) + first[1] * (1 - jsd([2 * third, third / 2, third / 2], gold))
    second = (0.25 * 0.99 + 0.25 * (1 - jsd([0, 1, 0], gold))) / 2
    assert value == pytest.approx(((relevance + hindex + gender) / 3 + second) / 2, abs=1e-6)


def _kl(p, q):
    """Divergence of p from the middle of both, in bits."""
    return sum(a * math.log2(a / ((a + b) / 2)) for a, b in zip(p, q, strict=True) if a)
