"""Which first lines name the columns of a table, and word lists that have such a line."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.formats import tsv
from fairtrec.support.errors import InputError
from fairtrec.support.files.table_header import IDS, KNOWN, WORDS, find_header
from fairtrec_made import EXAMPLE

HEADERS = [
    "qid\tdocno\tscore", "query-id\tcorpus-id\tscore", "QID,Doc-ID,Rank", "qid docno rank score", "qid", "_id\ttitle",
    "topic iter docno rel", "topic q0 docid rank score runid", "docno\ta text of any words, with commas", "userID,itemID",
    "docno,group", "DOCNO\tGROUP", "Document,Group", "doc;gender;share", '"document id";"group"', "term,group",
    "Term\tGroup", "word group", '"token","class"', "group,term", "qid\ttext", "query\ttext", "topic-id\tslice",
    "docno,x,y", "id,anything",
]  # fmt: skip
ENTRIES = [
    "query", "term,u", "item\tu", "term", "she,f", "q1\td7", "q1 Q0 d7 1 2.5 bm25", "d7\tf\t0.5", "her majesty,f",
    "1\twhat is x", "group,f", "label\tm", "document this word,f", "query of a user\twhat is x", "weight,share", "f=0.5",
    "1,2,3", "", ",", "\t", "term" + " term" * 2000 + ",group", "item u", "a word group",
]  # fmt: skip


@pytest.mark.parametrize("line", HEADERS)
def test_headers(line):
    assert find_header(line)
    assert find_header(f"{line}\r")


@pytest.mark.parametrize("line", ENTRIES)
def test_entries(line):
    assert find_header(line) is None


@given(st.lists(st.sampled_from(sorted(KNOWN)), min_size=2, max_size=5, unique=True), st.sampled_from("\t;, "))
def test_names_in_any_case_spelled_in_any_way(names, separator):
    header = find_header(separator.join(names))
    assert bool(header) == (names[0] in IDS or not (IDS | WORDS).isdisjoint(names))
    if header:
        assert header.names == tuple(names)
        assert header.separator == (None if separator == " " else separator)
        upper = find_header(separator.join(f'"{name.upper().replace("_", "-")}"' for name in names))
        assert upper.is_quoted
        assert [name.strip("_") for name in upper.names] == [name.strip("_") for name in names]


# -- word lists -------------------------------------------------------------------------------------------------------

LIST = [("she", "f"), ("her majesty", "f"), ("he", "m"), ("him, there", "m"), ("they", "x y")]


def write(rows, separator, *, turned=False, quoted=False):
    """Write a word list, line by line."""
    rows = [row[::-1] for row in rows] if turned else rows
    if not quoted:
        return "".join(separator.join(row) + "\n" for row in rows)
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return stream.getvalue()


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "terms.txt"
        path.write_bytes(text.encode())
        return {group: [*words] for group, words in tsv.terms(path).terms.items()}

    return read


@pytest.mark.parametrize(
    "names", ["term group", "Word Group", "TOKEN Gender", "phrase class", "keyword LABEL", "item group"]
)
@pytest.mark.parametrize("separator", ["\t", ",", ";"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("quoted", [False, True])
def test_a_header_changes_nothing(read, names, separator, turned, quoted):
    wanted = {"f": ["she", "her majesty"], "m": ["he", "him, there"], "x y": ["they"]}
    assert read(write(LIST, ",")) == read(write(LIST, "\t")) == wanted
    text = write([tuple(names.split()), *LIST], separator, turned=turned, quoted=quoted)
    assert read(text) == wanted
    assert read(f"\N{ZERO WIDTH NO-BREAK SPACE}# a comment\n\n{text}".replace("\n", "\r\n")) == wanted


def test_white_space_separates_names_and_entries(read):
    assert read("term group\nshe f\nher majesty f\nhe m\n") == {"f": ["she", "her majesty"], "m": ["he"]}
    assert read("group term\nf she\nf her majesty\nm he\n") == {"f": ["she", "her majesty"], "m": ["he"]}


def test_a_word_alone_is_an_entry(read):
    assert read("term,u\nshe,f\n") == {"u": ["term"], "f": ["she"]}
    assert read("she,f\nterm,group\n") == {"f": ["she"], "group": ["term"]}  # not the first line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("docno,group\na,f\nb,m\n", "terms.txt:1: the columns are docno, group; name them term group"),
        ("did,m\nshe,f\n", "or write these names above the first entry"),
        ("term,gender,weight\nshe,f,1\n", "the columns are term, gender, weight; call one group"),
        ("term group\nshe\n", "terms.txt:2: 1 column instead of the 2 of the first line"),
        ("term;group\nshe,f\n", "terms.txt:2: 1 column instead of the 2 of the first line"),
        ("term,group\nshe,f\nher,\n", "terms.txt:3: this line has no group"),
        ("group,term\nf,\n", "terms.txt:2: this line has no term"),
        ("term,group\n", "fewer than two groups"),
        ('"term","group"\n"she,"f"\n', "terms.txt:2: this line cannot be split into columns"),
        ('"term","group"\n"she"\n', "terms.txt:2: 1 column instead of the 2"),
        ("", "fewer than two groups"),
    ],
)
def test_lists_that_are_refused(read, text, message):
    with pytest.raises(InputError) as refused:
        read(text)
    assert message in str(refused.value)


def test_the_line_that_the_refusal_says_settles_it(read):
    assert read("term,group\ndid,m\nshe,f\n") == {"m": ["did"], "f": ["she"]}


def test_every_way_in_reads_the_header(tmp_path, fairtrec_command):
    """In the example the third group changed NFaiRR@10 of bm25 from .5721 to .2792."""
    lines = (EXAMPLE.parent / "wordlists" / "gender-en.csv").read_text("utf-8").splitlines()
    entries = [line for line in lines if not line.startswith("#")]
    (tmp_path / "terms.csv").write_text("\n".join(["# a list", "term,group", *entries]), "utf-8")
    given = {"docs": EXAMPLE / "collection.tsv", "background": EXAMPLE / "background.run"}

    def means(**more):
        result = fairtrec.evaluate("NFaiRR@10 TExFAIR@10 AWRF@10", EXAMPLE / "bm25.run", **given, **more)
        return [round(float(mean), 4) for mean in result.scores[0].means]

    wanted = [0.5721, 0.7925, 0.9766]
    assert means(terms="gender-en") == means(terms=tmp_path / "terms.csv") == wanted
    made = fairtrec_command(
        "counts",
        "make",
        str(given["docs"]),
        "--terms",
        str(tmp_path / "terms.csv"),
        "-o",
        str(tmp_path / "counts.arrow"),
    )
    assert made.code == 0, made.stderr
    del given["docs"]
    assert means(counts=tmp_path / "counts.arrow") == wanted
