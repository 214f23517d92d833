"""Query sets by votes: the figures of published annotations, how well annotators agree, and what is refused."""

import csv
import json
import tomllib

import numpy as np
import pandas as pd
import pytest

import fairtrec
from fairtrec.lab.make.queryset.annotated_queries import find_similar_names
from fairtrec.support.errors import InputError, ResourceError, UsageError
from fairtrec.support.resources import passports as resources
from fairtrec_made import texts

VOTES = "1\tx\tn\n1\ty\tn\n2\tx\tf\n2\ty\tn\n3\tx\tn\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    (tmp_path / "votes.tsv").write_text(VOTES)
    (tmp_path / "texts.tsv").write_text("1\twho is she\n2\twho\n3\twhat is it\n")
    (tmp_path / "table.tsv").write_bytes(
        b"\xef\xbb\xbfQID\tQuery\tKind\r\n1\ta b \tWork , Health\t \r\n2\tc\tWork\r\n3\td\t\r\n"
    )
    return tmp_path


def test_words_find_few_of_what_people_find(shared, tmp_path):
    """3,750 queries of Rekabsaz and Schedl, annotated f, m, n; the 163 + 163 words of 2021 against the annotation."""
    rows = []
    with (shared / "data" / "genderbias-ir" / "queries_gender_annotated.csv").open() as file:
        for line in file:
            qid, _, rest = line.rstrip("\n").partition(",")
            text, _, label = rest.rpartition(",")  # of which some have commas
            rows.append((qid, text, label.strip()))
    votes = {"annotated": {qid: label for qid, _, label in rows}}
    texts = {qid: text for qid, text, _ in rows}
    terms = shared / "data" / "cpjku" / "resources" / "wordlist_gender_representative.txt"
    found = {
        label: fairtrec.make_queryset(votes, keep=label, query_texts=texts, terms=terms) for label in ("f", "m", "n")
    }
    assert {label: (len(each.words), each.chosen) for label, each in found.items()} == {
        "f": (51, 742),
        "m": (253, 1202),
        "n": (25, 1765),
    }
    assert len(rows) == 3750
    assert len(found["n"].kept) == 1740
    listed = {(term.lower(), group) for term, group in csv.reader(terms.read_text().splitlines())}
    wrong = {  # whose words are all of the other group
        label: sum(all((word, other) in listed for word in words) for words in found[label].words.values())
        for label, other in (("f", "m"), ("m", "f"))
    }
    assert wrong == {"f": 14, "m": 14}


def test_domains_of_the_published_query_sets(shared):
    folder = shared / "data" / "cpjku" / "dataset"
    few = fairtrec.make_queryset(
        query_texts=folder / "trecdeep19_passage.fair.FULL_ANNOTATION.tsv", domain="Categories"
    )
    assert few.domain_counts == {"Education": 15, "Career": 11, "Health": 9, "Social Inequality": 4, "Politics": 2}
    assert sum(len(names) > 1 for names in few.domains.values()) == 11
    assert few.like == []
    many = fairtrec.make_queryset(
        query_texts=folder / "msmarco_passage.dev.fair.FULL_ANNOTATION.tsv", domain="Categories"
    )
    assert len(many.kept) == 215
    assert many.domain_counts == {
        "Social Inequality": 74,
        "Career": 63,
        "Health": 49,
        "Education": 34,
        "Politics": 22,
        "Violence and Exploitation": 11,
        "Social Inequaltiy": 3,
        "Violence and exploitation": 2,
        "career": 1,
    }
    assert many.like == [
        ("career", "Career"),
        ("Violence and exploitation", "Violence and Exploitation"),
        ("Social Inequaltiy", "Social Inequality"),
    ]
    assert "career 1: like Career 63?" in str(many)


def test_names_that_are_not_alike_are_not_told():
    assert (
        find_similar_names({"Work": 1, "War": 1, "Art": 2, "f": 1, "m": 1, "Education": 1, "Education level": 1}) == []
    )
    assert find_similar_names({"Health": 2, "Wealth": 1}) == [("Wealth", "Health")]


def test_the_coefficient_is_the_one_that_fits(here):
    two = {"x": {"1": "n", "2": "f", "3": "n"}, "y": {"1": "n", "2": "n", "4": "f", "3": "n"}}
    name, value = fairtrec.make_queryset(two).kappa
    assert (name, value) == ("Cohen's kappa", pytest.approx(0, abs=1e-12))  # 2 of 3 alike, as by chance: 1/3 0 + 2/3 1
    three = {**two, "y": {"1": "n", "2": "n", "3": "f"}, "z": {"1": "n", "2": "f", "3": "f"}}
    name, value = fairtrec.make_queryset(three).kappa
    chance = (5 / 9) ** 2 + (4 / 9) ** 2
    assert (name, value) == ("Fleiss' kappa", pytest.approx((5 / 9 - chance) / (1 - chance), rel=1e-12))
    name, value = fairtrec.make_queryset({**three, "z": {"1": "n"}}).kappa
    assert name == "Krippendorff's alpha"  # 5 n and 2 f in pairs: n n n; f n; n f
    assert value == pytest.approx(1 - 6 * (2 + 2) / (49 - 25 - 4), rel=1e-12)
    assert np.isnan(fairtrec.make_queryset({"x": {"1": "n"}}).kappa[1])


def test_agreement_is_over_queries_of_two_votes_or_more(here):
    made = fairtrec.make_queryset("votes.tsv")
    assert made.agreement == pytest.approx(1 / 2)  # queries 1 and 2; 3 has one vote
    assert texts(made.notes) == ["1 query with one vote: not used for the agreement"]


def test_votes_that_are_all_alike_have_no_coefficient(here):
    made = fairtrec.make_queryset({"x": {"1": "n", "2": "n"}, "y": {"1": "n", "2": "n"}})
    assert made.agreement == 1
    assert "1.0000; Cohen's kappa undefined: all votes are alike" in str(made)
    assert "undefined: no query has two votes" in str(fairtrec.make_queryset({"x": {"1": "n"}}))


def test_a_majority_is_more_than_half_and_all_is_all(here):
    by = {"1": "nnf", "2": "nf", "3": "nnn", "4": "nfm"}
    votes = {str(at): {qid: labels[at] for qid, labels in by.items() if at < len(labels)} for at in range(3)}
    majority, every = (fairtrec.make_queryset(votes, keep="n", votes=rule) for rule in ("majority", "all"))
    assert (majority.kept, majority.no_majority) == (("1", "3"), ["2", "4"])
    assert (every.kept, every.no_majority) == (("3",), ["1", "2", "4"])
    assert majority.majority == {"f": 0, "m": 0, "n": 2}


def test_two_rounds_are_two_calls(here, fairtrec_command):
    done = fairtrec_command("make", "queryset", "votes.tsv", "--keep", "n", "-o", "first.tsv")
    assert (done.code, (here / "first.tsv").read_text()) == (0, "1\n3\n")
    (here / "second.tsv").write_text("1\tx\tsensitive\n2\tx\tsensitive\n")
    made = fairtrec.make_queryset("second.tsv", keep="sensitive", queries="first.tsv")
    assert made.kept == ("1",)
    assert texts(made.notes) == ["1 query not in first.tsv: left out", "1 query of first.tsv without votes"]


def test_votes_come_in_one_file_or_in_one_for_each_annotator(here):
    (here / "x.csv").write_text("qid,label\n1,n\n2,f\n3,n\n")
    (here / "y.csv").write_text("1,n\n2,n\n")
    frame = pd.read_csv("votes.tsv", sep="\t", names=["qid", "annotator", "label"])
    several = [fairtrec.make_queryset(each, keep="n") for each in ("votes.tsv", ["x.csv", "y.csv"], frame)]
    assert len({(each.kept, each.votes, each.agreement, each.kappa) for each in several}) == 1
    assert several[1].annotators == ("x.csv", "y.csv")
    (here / "more").mkdir()
    (here / "more" / "x.csv").write_text("1,f\n")
    assert fairtrec.make_queryset(["x.csv", "more/x.csv"]).annotators == ("x.csv", "more/x.csv")


def test_a_term_of_several_words_is_found_by_its_tokens(here):
    texts = {"1": "Who is the vice president's wife?", "2": "the wives of vice presidents", "3": "Vice, president"}
    votes = {"x": dict.fromkeys(texts, "n")}
    terms = {"f": ["wife", "vice president"], "m": ["husband"]}
    made = fairtrec.make_queryset(votes, keep="n", query_texts=texts, terms=terms)
    assert made.words == {"1": ("wife",), "3": ("vice president",)}  # of president's the tokenizer leaves president's
    assert made.kept == ("2",)


def test_domains_are_written_as_slices_and_all_three_files_are_described(here):
    made = fairtrec.make_queryset("votes.tsv", keep="n", query_texts="table.tsv", domain="Kind")
    assert made.save("my.tsv", title='A "set"\x7f') == ["my.tsv", "my.slices.tsv", "my.toml"]
    assert (here / "my.tsv").read_text() == "1\ta b\n3\td\n"
    assert (here / "my.slices.tsv").read_text() == "1\tWork\n1\tHealth\n"
    assert texts(made.notes)[-1] == "1 query without a domain"
    passport = tomllib.loads((here / "my.toml").read_text("utf-8"))
    assert (passport["title"], passport["count"], passport["license"]) == ('A "set"\\x7f', 2, "not stated")
    assert "agreement 0.5000, Cohen's kappa 0.0000; kept by majority of the votes for n" in passport["note"]
    assert [part.partition(" (sha256 ")[0] for part in passport["source"].split(", ")] == ["votes.tsv", "table.tsv"]
    assert len(made.save("my.tsv")) == 3


def test_a_set_that_is_added_is_a_name(here, fairtrec_command):
    fairtrec.make_queryset("votes.tsv", keep="n", query_texts="table.tsv", domain="Kind").save("my.tsv")
    assert fairtrec_command("resources", "add", "my.toml").code == 0
    (here / "a.run").write_text("1 Q0 d 1 1 a\n2 Q0 d 1 1 a\n3 Q0 e 1 1 a\n")
    (here / "my.tsv").rename("other.tsv")
    qrels = {qid: {"d": 1} for qid in "123"}
    assert fairtrec.evaluate("P@1", "a.run", qrels=qrels, queries="my").scores[0].qids == ("1", "3")
    shown = fairtrec_command("resources", "show", "my").out
    assert "where          added" in shown
    assert "my queryset 2 queries added my" in " ".join(fairtrec_command("resources", "list").out.split())
    assert ("my", "ok") in [(each.name, state) for each, state in resources.verify()]
    (here / "home" / "own" / "my" / "my.slices.tsv").write_text("1\tother\n")
    done = fairtrec_command("resources", "verify")
    assert done.code == 4
    assert "damaged: my, run: fairtrec resources add my.toml" in done.err
    with pytest.raises(ResourceError, match="is damaged"):
        resources.require("my")
    with pytest.raises(ResourceError, match=r"my is a set of your own; run: fairtrec resources add my\.toml"):
        resources.add("my", "other.tsv")


def test_what_is_no_set_of_ones_own_is_not_added(here, fairtrec_command):
    made = fairtrec.make_queryset("votes.tsv", keep="n")

    def refused(name, change=None):
        made.save(f"{name}.tsv")
        if change is not None:
            text = (here / f"{name}.toml").read_text()
            assert change[0] in text
            (here / f"{name}.toml").write_text(text.replace(*change))
        done = fairtrec_command("resources", "add", f"{name}.toml")
        assert len(done.complaints) == 1
        return done.code, done.err.partition(";")[0]

    assert refused("qs2") == (4, "qs2 is the name of a bundled set")
    assert refused("common") == (4, "a set cannot be called 'common'")
    assert refused("a b") == (4, "a set cannot be called 'a b'")
    assert refused("my", ("my.tsv", "../my.tsv"))[1].startswith("my.toml: file must be the name of a file next to")
    assert refused("my", ("queryset", "wordlist")) == (3, "my.toml: kind must be one of queryset")
    assert refused("my", ("count", "counts")) == (3, "my.toml: counts is not a field of such a file")
    assert refused("my", ('sha256 = "', 'sha256 = "0')) == (3, "my.toml: sha256 must be 64 hexadecimal digits")
    (here / "my.tsv").write_text("9\n")
    done = fairtrec_command("resources", "add", "my.toml")
    assert (done.code, done.err.partition(";")[0]) == (3, "my.toml: sha256 must be 64 hexadecimal digits")
    assert not (here / "home").exists()
    done = fairtrec_command("resources", "add", "qs1")
    assert (done.code, done.err) == (
        2,
        "no file; write it after qs1, or pass the passport of your own set, NAME.toml\n",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\tx\n1\tx\tn\n", "bad:2: 3 columns instead of the 2 of the first line; correct it"),
        ("1\n", "bad:1: 1 column instead of two or three"),
        ("1\tx\tn\n1\tx\tf\n", "bad:2: x votes twice on query 1; keep one vote"),
        ("1\tx\t\n", "bad:1: this vote on query 1 has no label"),
        ("1\t\tn\n", "bad:1: this vote on query 1 has no annotator"),
        ("a b\tx\tn\n", "bad:1: the query id 'a b' is empty, or has a blank"),
        ("qid,label\n", "the file has no votes; write lines"),
    ],
)
def test_a_bad_line_of_votes_is_named(here, text, said):
    (here / "bad").write_text(text)
    with pytest.raises(InputError) as fault:
        fairtrec.make_queryset("bad")
    assert str(fault.value).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("qid\tquery\n1\ta\n", "bad:1: there is no column Kind; there are qid, query"),
        ("1\ta\n", "bad:1: there is no column Kind; the first line has to name them"),
        ("qid\tquery\tKind\n1\ta\tx\n1\tb\tx\n", "bad:3: query 1 appears twice"),
        ("qid\tquery\tKind\n1 2\ta\tx\n", "bad:2: the query id '1 2' is empty, or has a blank"),
        ("qid\tquery\tKind\n1\ta\tall\n", "bad:2: 'all' means all queries"),
        ("qid\tquery\tKind\n1\t\tx\n", "bad: query 1 has no text here"),
    ],
)
def test_a_bad_table_is_named(here, text, said):
    (here / "bad").write_text(text)
    with pytest.raises(InputError) as fault:
        fairtrec.make_queryset(query_texts="bad", domain="Kind")
    assert str(fault.value).startswith(said)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("", 2, "no queries to choose from; pass votes, or --domain COLUMN of --query-texts FILE"),
        ("--keep n --domain Kind --query-texts table.tsv", 2, "--keep LABEL chooses by votes, and there are none"),
        ("--votes all --domain Kind --query-texts table.tsv", 2, "--votes all chooses by votes, and there are none"),
        ("votes.tsv --keep q", 2, "nobody gave the label 'q', which is to be kept; there are f, n"),
        ("votes.tsv --keep n --domain Kind", 2, "--domain COLUMN names a column of --query-texts FILE; pass that file"),
        ("votes.tsv --keep n --terms gender-en", 2, "--terms LIST needs the texts of queries"),
        ("votes.tsv --query-texts texts.tsv", 2, "--query-texts FILE is for queries that are kept; add --keep LABEL"),
        ("votes.tsv -o my.tsv", 2, "a set has the queries of one label; add --keep LABEL"),
        ("votes.tsv --keep n -o my.txt", 2, "my.txt: a query set is a TSV with a passport next to it"),
        ("votes.tsv --keep n -o votes.tsv", 2, "the output votes.tsv is also read"),
        ("votes.tsv --keep n --title T", 2, "--title is for a set that is written, with -o FILE; leave it out"),
        ("votes.tsv --keep n -o nowhere/my.tsv", 2, "the folder of nowhere/my.tsv is not there"),
        ("votes.tsv --keep f -o my.tsv", 3, "no query is left, so there is no set to write"),
        ("votes.tsv --keep n --queries none.txt", 3, "none of these queries is in none.txt; check the ids"),
        ("votes.tsv --keep n --queries none", 4, "there is no file none, and no resource is called 'none'"),
        ("nowhere.tsv", 3, "nowhere.tsv: "),
    ],
)
def test_what_does_not_fit_together_is_refused(here, fairtrec_command, words, code, said):
    (here / "none.txt").write_text("7\n")
    there = sorted(here.iterdir())
    done = fairtrec_command("make", "queryset", *words.split())
    assert (done.code, done.out, len(done.complaints)) == (code, "", 1), done.err
    assert said in done.err
    assert sorted(here.iterdir()) == there


def test_a_rule_that_nobody_knows_is_refused(here):
    with pytest.raises(UsageError, match="there is no rule 'most'; choose from majority, all"):
        fairtrec.make_queryset("votes.tsv", votes="most")


def test_an_existing_set_is_replaced(here, fairtrec_command):
    words = ["make", "queryset", "votes.tsv", "--keep", "n", "-o", "my.tsv"]
    assert fairtrec_command(*words).out.endswith("written     my.tsv (2 queries), my.toml\n")
    done = fairtrec_command(*words, "-f", "json")
    assert json.loads(done.out)["kept"] == ["1", "3"]
    assert "# written: my.tsv (2 queries), my.toml" in done.err


def test_a_set_of_ones_own_is_a_name_too(copied, tmp_path, fairtrec_command):
    made = fairtrec.make_queryset({"x": {"101": "n", "102": "n"}}, keep="n")
    made.save("mine.tsv")
    assert fairtrec_command("resources", "add", "mine.toml").code == 0
    (copied / "mine").write_text("103\n")
    assert fairtrec.evaluate("RR", "bm25.run", qrels="qrels.txt", queries="mine").scores[0].qids == ("101", "102")
