"""``fairtrec make counterfactual``: the lines of a collection written again, whole or not at all, from any number of processes."""

import bz2
import gzip
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

import fairtrec
from fairtrec.cli import command
from fairtrec.counting.local import tasks
from fairtrec.formats import datasets
from fairtrec.lab.make.counterfactual import substitution
from fairtrec.support.errors import FairtrecError, InputError, ResourceError, UsageError
from fairtrec_made import EXAMPLE, REPOSITORY

PAIRS = [("she", "he"), ("her", "his"), ("her", "him"), ("hers", "his"), ("Mary", "James"), ("woman", "man")]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names():
    """The files here, hidden ones too."""
    return sorted(file.name for file in Path().iterdir())


def swap(content, output="o.tsv", source="c.tsv", **options):
    """What is written of a source of this content."""
    Path(source).write_bytes(content if isinstance(content, bytes) else content.encode())
    fairtrec.make_counterfactual(source, PAIRS, output, **{"jobs": 1, **options})
    return Path(output).read_bytes().decode()


def test_lines_are_written_as_they_stand_but_for_the_words():
    text = "she\tshe saw Mary\r\n\nd2\tit\twas his\n\t \nhe\t\nman\tman"
    assert swap(text) == "she\the saw James\r\n\nd2\tit\twas hers\n\t \nhe\t\nman\twoman\n"
    assert swap("\ufeffd1\tshe\n") == "d1\the\n"


def test_summary():
    Path("c.tsv").write_text("d1\tshe and he\nd2\tit\nd3\twoman\n")
    done = fairtrec.make_counterfactual("c.tsv", PAIRS, "o.tsv", jobs=1)
    assert (done.documents, done.bytes, done.changed, done.words) == (3, 10 + 2 + 5, 2, 3)
    assert (done.rejected, done.missing, done.pairs, done.jobs) == (0, 0, "given", 1)


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ('{"id": "she", "text": "she"}', '{"id": "she", "text": "he"}'),
        ('{ "title":"Mary é \\u00e9" ,"x":"she", "_id" :7,\t"text": "b\\n\\"she\\""}', '{ "title":"James é é" ,"x":"she", "_id" :7,\t"text": "b\\n\\"he\\""}'),
        ('{"id": "1", "contents": "\\u00e9", "y": {"text": "she"}, "z": [1e400, -0.0, null]}', None),
        ('{"id": "1", "contents": "she \\ud83d\\ude00 \\ud800", "text": "man"}', '{"id": "1", "contents": "he 😀 \ufffd", "text": "woman"}'),
        ('{"docno": "1", "text": ""}', None),
        ('{"docno": "1", "title": null, "text": "www.she.org"}\r', None),
    ],
)  # fmt: skip
def test_json_lines_keep_all_else(line, new):
    assert swap(f"{line}\n\n", "o.jsonl", "c.jsonl") == (line if new is None else new) + "\n"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "is not JSON"),
        ('{"id": "1", "text": "she"} x', "is not JSON"),
        ('{"id": "1" "text": "she"}', "is not JSON"),
        ('{"id": "1", 7: "she"}', "is not JSON"),
        ('{"id": "1", "text": "she", "text": "man"}', "the key 'text' appears twice in one object; remove one"),
        ("{}", "has no docno"),
        ('{"id": "1"}', "has no text"),
        ('{"id": "1", "text": "a", "title": 3}', "title of this line is not text"),
        ('{"id": " ", "text": "a"}', "an empty docno"),
        ('{"id": "1", "text": ' + "[" * 100_000, "is not JSON"),
    ],
)
def test_json_lines_that_hold_no_document(line, what):
    with pytest.raises(InputError, match=what) as fault:
        swap('{"id": "0", "text": "x"}\n' + line + "\n", "o.jsonl", "c.jsonl")
    assert (fault.value.line, fault.value.path) == (2, "c.jsonl")
    assert not Path("o.jsonl").exists()


def test_a_form_becomes_another():
    assert swap("d1\tshe\u2028é\n", "o.jsonl") == '{"id": "d1", "contents": "he\u2028é"}\n'
    assert swap('{"id": "d1", "title": "Mary", "text": "a\\n\\r she\\tb"}', "p.tsv") == "d1\tJames a  he\tb\n"
    with pytest.raises(InputError, match="a docno with a tab"):
        swap('{"id": "d\\t1", "text": "she"}', "q.tsv")


COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}
DECOMPRESS = {
    "gz": gzip.decompress,
    "bz2": bz2.decompress,
    "zst": lambda data: pa.CompressedInputStream(pa.BufferReader(data), "zstd").read(),
}


@pytest.mark.parametrize("end", COMPRESS)
def test_compressed_files(end, monkeypatch):
    """What is compressed in pieces is read as one file."""
    monkeypatch.setattr(tasks, "SIZE", 100)
    lines = "".join(f"d{i}\tshe saw James {i}\n" for i in range(60))
    Path(f"c.tsv.{end}").write_bytes(COMPRESS[end](lines.encode()))
    fairtrec.make_counterfactual(f"c.tsv.{end}", PAIRS, f"o.tsv.{end}", jobs=1)
    new = DECOMPRESS[end](Path(f"o.tsv.{end}").read_bytes()).decode()
    assert new == lines.replace("she", "he").replace("James", "Mary")
    fairtrec.make_counterfactual(f"o.tsv.{end}", PAIRS, "p.tsv", jobs=1)
    assert Path("p.tsv").read_text() == lines
    Path("bad").write_bytes(COMPRESS[end](lines.encode())[:-9])
    with pytest.raises(InputError, match=r"damaged|make or fetch the file again"):
        fairtrec.make_counterfactual("bad", PAIRS, "q.tsv", jobs=1)


def test_the_same_bytes_from_any_number_of_processes(here, monkeypatch):
    """Two sources, the first without a last line end, in many pieces, in their order."""
    rows = [f"d{i}\tshe met Mary {'x' * (i % 999)} with her book é{i}" for i in range(9_000)]
    Path("a.tsv").write_text("\n".join(rows[:5_000]))
    Path("b.jsonl").write_text(
        "".join(json.dumps(dict(zip(("id", "text"), row.split("\t"), strict=True))) + "\n" for row in rows[5_000:])
    )
    monkeypatch.setattr(tasks, "SMALLEST", 1 << 16)
    assert Path("a.tsv").stat().st_size > 4 * 4 * tasks.SMALLEST
    seen = []
    for jobs in (1, 3):
        fairtrec.make_counterfactual(["a.tsv", "b.jsonl"], PAIRS, f"{jobs}.tsv", jobs=jobs, watcher=seen.append)
    whole = Path("1.tsv").read_bytes()
    assert whole == Path("3.tsv").read_bytes()
    swapped = [row.replace("she met Mary", "he met James").replace("her book", "his book") for row in rows]
    assert whole.decode() == "\n".join(swapped) + "\n"
    assert seen[-1].documents == 9_000
    assert seen[-1].done == seen[-1].total == Path("a.tsv").stat().st_size + Path("b.jsonl").stat().st_size


@pytest.mark.parametrize("end", COMPRESS)
def test_a_piece_that_is_compressed_is_the_same_whoever_makes_it(end, monkeypatch):
    monkeypatch.setattr(tasks, "SMALLEST", 1 << 14)
    monkeypatch.setattr(tasks, "SIZE", 1 << 16)
    Path("c.tsv").write_text("".join(f"{i}\tshe met {'x' * (i % 300)} him\n" for i in range(4000)))
    for jobs in (1, 2):
        fairtrec.make_counterfactual("c.tsv", PAIRS, f"{jobs}.tsv.{end}", jobs=jobs)
    assert Path(f"1.tsv.{end}").read_bytes() == Path(f"2.tsv.{end}").read_bytes()


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_only_what_runs_rank(form):
    """Down to a depth; what a run ranks and no source has is counted."""
    if form == "tsv":
        lines = [f"d{i}\tshe {i}\r\n" for i in range(9)]
        lines[-1] = lines[-1].strip()
    else:
        lines = [json.dumps({"id": f"d{i}", "text": f"she {i}"}) + "\n" for i in range(9)]
    Path("c").write_text("".join(lines), newline="")
    Path("a.run").write_text("q Q0 d8 1 9 t\nq Q0 d2 2 8 t\nq Q0 d5 3 7 t\nq Q0 x 4 6 t\n")
    options = {"jobs": 1}
    done = fairtrec.make_counterfactual("c", PAIRS, f"o.{form}", runs="a.run", depth=2, **options)
    wanted = "".join(lines[i].replace("she", "he") for i in (2, 8))
    assert Path(f"o.{form}").read_bytes().decode() == (wanted if wanted.endswith("\n") else wanted + "\n")
    assert (done.documents, done.missing) == (2, 0)
    done = fairtrec.make_counterfactual("c", PAIRS, f"o.{form}", runs=["a.run", {"q": {"d1": 1.0}}], **options)
    assert (done.documents, done.missing) == (4, 1)
    other = {"tsv": "jsonl", "jsonl": "tsv"}[form]
    done = fairtrec.make_counterfactual("c", PAIRS, f"o.{other}", runs="a.run", **options)
    assert (done.documents, len(Path(f"o.{other}").read_text().splitlines())) == (3, 3)


def test_what_is_wrong_may_be_passed_over():
    Path("c.tsv").write_bytes(b"d1\tshe\nnothing\nd3\t\xff she\nd4\the\n")
    with pytest.raises(InputError, match=r"c.tsv:2: this line has no tab"):
        fairtrec.make_counterfactual("c.tsv", PAIRS, "o.tsv", jobs=1)
    done = fairtrec.make_counterfactual("c.tsv", PAIRS, "o.tsv", jobs=1, keep_going=True)
    assert (done.documents, done.rejected) == (2, 2)
    assert Path("o.tsv").read_text() == "d1\the\nd4\tshe\n"
    listed = [json.loads(line) for line in Path("o.tsv.rejected.jsonl").read_text().splitlines()]
    assert [(each["line"], each["reason"].split(";")[0]) for each in listed] == [
        (2, "this line has no tab after the docno"),
        (3, "bytes that are not UTF-8"),
    ]
    Path("c.tsv").write_text("d1\tshe\n")
    fairtrec.make_counterfactual("c.tsv", PAIRS, "o.tsv", jobs=1, keep_going=True)
    assert not Path("o.tsv.rejected.jsonl").exists()


def test_lines_are_numbered_over_all_pieces(monkeypatch):
    monkeypatch.setattr(tasks, "SMALLEST", 50)
    Path("c.tsv").write_text("".join(f"d{i}\tshe\n" for i in range(50)) + "nothing\n")
    with pytest.raises(InputError, match=r"c.tsv:51: "):
        fairtrec.make_counterfactual("c.tsv", PAIRS, "o.tsv", jobs=1)
    assert names() == ["c.tsv"]


@pytest.mark.parametrize(
    ("output", "options", "fault", "what"),
    [
        ("o.csv", {}, UsageError, r"has no known suffix; use \.tsv or \.jsonl"),
        ("o.gz", {}, UsageError, "has no known suffix"),
        ("none/o.tsv", {}, UsageError, "the folder of none/o.tsv is not there"),
        ("c.tsv", {}, UsageError, "the output c.tsv is also read"),
        ("p.tsv", {}, UsageError, "the output p.tsv is also read"),
        ("folder.tsv", {}, UsageError, "folder.tsv is a folder"),
        ("o.tsv", {"depth": 3}, UsageError, "depth=N cuts runs; add runs=RUN"),
        ("o.tsv", {"speed": 3}, UsageError, "there is no option speed"),
        ("o.tsv", {"pairs": "gender-en"}, ResourceError, "gender-en lists groups, not pairs; use gender-en-pairs"),
        ("o.tsv", {"pairs": "example-fair"}, ResourceError, "example-fair is a queryset, not a list of pairs"),
        ("o.tsv", {"pairs": "gender-en-pair"}, ResourceError, "did you mean gender-en-pairs"),
    ],
)  # fmt: skip
def test_what_is_refused_before_any_work(output, options, fault, what):
    Path("c.tsv").write_text("d1\tshe\n")
    Path("p.tsv").write_text("she\the\n")
    Path("folder.tsv").mkdir()
    given = {"pairs": "p.tsv", "jobs": 1, **options}
    with pytest.raises(fault, match=what):
        fairtrec.make_counterfactual("c.tsv", given.pop("pairs"), output, **given)
    assert names() == ["c.tsv", "folder.tsv", "p.tsv"]


def test_an_output_that_exists_is_replaced_once_all_is_written():
    Path("c.tsv").write_text("d1\tshe\nd2\n")
    Path("o.tsv").write_text("old")
    with pytest.raises(InputError):
        fairtrec.make_counterfactual("c.tsv", PAIRS, "o.tsv", jobs=1)
    assert Path("o.tsv").read_text() == "old"
    Path("c.tsv").write_text("d1\tshe\n")
    fairtrec.make_counterfactual("c.tsv", PAIRS, "o.tsv", jobs=1)
    assert Path("o.tsv").read_text() == "d1\the\n"


def test_a_dataset_of_ir_datasets(monkeypatch):
    monkeypatch.setattr(datasets, "documents", lambda _: iter([("d1", "she\nit"), ("d2", "Mary")]))
    fairtrec.make_counterfactual("made/up", PAIRS, "o.tsv", jobs=1)
    assert Path("o.tsv").read_text() == "d1\the it\nd2\tJames\n"
    fairtrec.make_counterfactual("made/up", PAIRS, "o.jsonl", jobs=1, runs={"q": {"d2": 1.0}})
    assert Path("o.jsonl").read_text() == '{"id": "d2", "contents": "James"}\n'


def test_a_source_that_changes_meanwhile(monkeypatch):
    Path("c.tsv").write_text("d1\tshe\n")
    with pytest.raises(InputError, match="was changed"):
        fairtrec.make_counterfactual(
            "c.tsv", PAIRS, "o.tsv", jobs=1, watcher=lambda _: Path("c.tsv").write_text("d1\tshe!\n")
        )
    assert names() == ["c.tsv"]


def test_where_no_file_can_be_without_a_name(monkeypatch):
    monkeypatch.setattr("fairtrec.support.files.atomic.unnamed", lambda _: None)
    assert swap("d1\tshe\n") == "d1\the\n"
    assert names() == ["c.tsv", "o.tsv"]


COMMAND = [
    sys.executable,
    "-m",
    "fairtrec",
    "make",
    "counterfactual",
    "c.tsv",
    "--pairs",
    "gender-en-pairs",
    "-o",
    "o.tsv",
]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}


@pytest.mark.long
def test_a_kill_leaves_nothing_half(here):
    """An old file stays; nothing of the new one is there."""
    with Path("c.tsv").open("w") as file:
        file.writelines(f"{i}\tshe saw her mother and {'many others ' * 12}\n" for i in range(250_000))
    Path("o.tsv").write_text("old")
    started = subprocess.Popen([*COMMAND, "-j", "2"], env=ENVIRONMENT, cwd=here)
    held = Path(f"/proc/{started.pid}/fd")
    end = time.monotonic() + 60
    while time.monotonic() < end and not any(_size(each) > 1_000_000 for each in held.iterdir()):
        time.sleep(0.01)
    started.send_signal(signal.SIGKILL)
    assert started.wait() == -signal.SIGKILL
    assert names() == ["c.tsv", "o.tsv"]
    assert Path("o.tsv").read_text() == "old"


def _size(descriptor):
    """The bytes of a file that is open for writing and has no name."""
    try:
        return descriptor.stat().st_size if "(deleted)" in str(descriptor.readlink()) else 0
    except OSError:
        return 0


def test_a_disk_that_is_full(here):
    Path("c.tsv").write_text("d1\tshe and many others\n" * 9999)

    def narrow():
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    done = subprocess.run(
        [*COMMAND, "-j", "1"], env=ENVIRONMENT, cwd=here, preexec_fn=narrow, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "cannot write o.tsv: File too large; choose another place with -o" in done.stderr
    assert names() == ["c.tsv"]


def test_the_command(here):
    Path("c.tsv").write_text("d1\tshe saw the duchess\nnothing\nd2\tMary\n")
    Path("a.run").write_text("q Q0 d1 1 1 t\nq Q0 d9 2 0 t\n")
    given = ["make", "counterfactual", "c.tsv", "--pairs", "gender-en-pairs", "-o", "o.tsv", "-j", "1"]
    done = CliRunner().invoke(command, [*given, "--runs", "a.run", "-M", "5", "--terms", "gender-en", "--keep-going"])
    assert done.exception is None
    assert done.stdout == ""
    first, second, third, fourth = done.stderr.splitlines()
    assert (
        first
        == "# 9 of its 360 terms have no counterpart and stay: duchess, countess, actress, actresses, ballerina, ..."
    )
    assert second.startswith("# 1 documents, 0.0 MB in ")
    assert "; 1 changed, 1 words; pairs: gender-en-pairs@" in second
    assert third == "# 1 of the ranked documents are not there"
    assert fourth == "# 1 lines passed over, see o.tsv.rejected.jsonl"
    assert Path("o.tsv").read_text() == "d1\the saw the duchess\n"
    done = CliRunner().invoke(command, given)
    assert isinstance(done.exception, FairtrecError)


def test_the_example_and_its_counterpart(here):
    """Of a ranker that looks for women, the counterfactual run is another; of one that does not, the same."""
    fairtrec.make_counterfactual(EXAMPLE / "collection.tsv", "gender-en-pairs", "cf.tsv", jobs=1)
    before, after = (
        [line.split("\t") for line in path.read_text().splitlines()]
        for path in (EXAMPLE / "collection.tsv", Path("cf.tsv"))
    )
    assert [docno for docno, _ in before] == [docno for docno, _ in after]
    assert sum(one != other for (_, one), (_, other) in zip(before, after, strict=True)) > 10

    def ranked(rows, score):
        return {"q": {docno: float(score(text)) for docno, text in rows}}

    for score, same in (
        (len, False),
        (lambda text: text.lower().split().count("she"), False),
        (lambda text: text.count("the "), True),
    ):
        value = fairtrec.evaluate("CRBO", ranked(before, score), counterfactual=ranked(after, score)).means["run"][
            "CRBO@10"
        ]
        assert (value == 1) is same


def test_names_of_outputs():
    assert substitution.find_output_kind(Path("a.b.jsonl.zst")) == ("jsonl", "zst")
    assert substitution.find_output_kind(Path("x/a.tsv")) == ("tsv", "")


def test_the_commands_of_the_page(here, monkeypatch):
    """Each of docs/counterfactual.md does what it says, with the example in the place of the reader's files."""
    page = (REPOSITORY / "docs" / "counterfactual.md").read_text("utf-8")
    (block,) = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    for name in ("collection.tsv", "bm25.run"):
        shutil.copy(EXAMPLE / name, name)
    Path("cf").mkdir()
    shutil.copy(EXAMPLE / "neural.run", "cf/bm25.run")
    Path("mine.csv").write_text("she,he\nRose,Mark\n")
    lines = [line.split("#")[0] for line in block.replace("\\\n", " ").splitlines()]
    codes = [
        CliRunner().invoke(command, shlex.split(line)[1:], standalone_mode=False) for line in lines if line.strip()
    ]
    assert [(code.exception, code.return_value or 0) for code in codes] == [(None, 0)] * 5 + [(None, 1)]
    assert len(Path("candidates.cf.tsv").read_text().splitlines()) < len(
        Path("collection.tsv").read_text().splitlines()
    )


def test_what_the_page_says_of_words():
    """Its table: text, what it becomes."""
    page = (REPOSITORY / "docs" / "counterfactual-computed.md").read_text("utf-8")
    rows = re.findall(r"^\| `(.*?)` \| `(.*?)` \|", page, re.MULTILINE)
    assert len(rows) > 5
    Path("c.tsv").write_text("".join(f"{i}\t{text}\n" for i, (text, _) in enumerate(rows)))
    fairtrec.make_counterfactual("c.tsv", "gender-en-pairs", "o.tsv", jobs=1)
    assert Path("o.tsv").read_text() == "".join(f"{i}\t{new}\n" for i, (_, new) in enumerate(rows))


def test_pairs_are_refused_with_the_line_of_the_key(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").write_text("d1\tshe\n", "utf-8")
    (tmp_path / "pairs.json").write_text('[["she", "he"],\n {"a": 1, "a": 2}]', "utf-8")
    ended = fairtrec_command("make", "counterfactual", "docs", "--pairs", "pairs.json", "-o", "o.tsv")
    assert ended.complaints == ["pairs.json:2: the key 'a' appears twice in one object; remove one of the two"]
