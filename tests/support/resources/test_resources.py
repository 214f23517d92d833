"""Word lists and query sets by name: found, fetched through every fault of a network, added, checked."""

import hashlib
import io
import json
import os
import re
import shutil
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairtrec.commands.resources.command import command
from fairtrec.support import network
from fairtrec.support.errors import ResourceError
from fairtrec.support.files import atomic
from fairtrec.support.resources import fetch, passports
from fairtrec.support.resources import passports as resources
from fairtrec_made import REPOSITORY

SHARED = Path(os.environ.get("FAIRTREC_SHARED", REPOSITORY.parent / "shared"))
BODY = b"".join(b"%d\ta query\n" % number for number in range(20_000))  # several blocks long
SHA256 = hashlib.sha256(BODY).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Serves BODY, or what the next of the server's faults does instead."""

    def do_GET(self):
        self.server.asked.append(self.path)
        fault = self.server.faults.pop(0) if self.server.faults else serve
        fault(self)

    def answer(self, status, body=b"", length=None, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def serve(handler):
    handler.answer(200, BODY)


def cut(handler):
    handler.answer(200, BODY[:100_000], length=len(BODY))


def drop(handler):
    pass  # the connection closes without an answer


def send_wrong_bytes(handler):
    handler.answer(200, BODY.replace(b"7", b"8"))


def send_too_much(handler):
    handler.answer(200, BODY + BODY)


def send_endlessly(handler):
    handler.send_response(200)
    handler.end_headers()  # no Content-Length
    while True:
        handler.wfile.write(BODY)


def redirect_to_ftp(handler):
    handler.answer(302, Location="ftp://127.0.0.1/list.tsv")


def stall(handler):
    handler.server.release.wait(2)


def stall_midway(handler):
    handler.answer(200, BODY[:100_000], length=len(BODY))
    handler.server.release.wait(2)


def status(code):
    return lambda handler: handler.answer(code)


@pytest.fixture
def server():
    class Server(ThreadingHTTPServer):
        def handle_error(self, request, client_address):
            pass  # a client that hangs up is what some tests are about

    with Server(("127.0.0.1", 0), Handler) as server:
        server.faults, server.asked, server.release = [], [], threading.Event()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.release.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty FAIRTREC_HOME, and no other setting."""
    for name in ("OFFLINE", "AUTOFETCH", "MIRROR", "TIMEOUT"):
        monkeypatch.delenv(f"FAIRTREC_{name}", raising=False)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(fetch, "PAUSES", (0.001, 0.002))
    return tmp_path / "home"


@pytest.fixture
def shelf(tmp_path, monkeypatch, home, server):
    """Write a passport ``far`` for what the server has, and ``near`` for a bundled file."""
    root = tmp_path / "resources"
    monkeypatch.setattr(resources, "root", lambda: root)
    host, port = server.server_address
    (root / "wordlists").mkdir(parents=True)
    (root / "wordlists" / "near.csv").write_text("she,f\nhe,m\n")
    sha256 = hashlib.sha256(b"she,f\nhe,m\n").hexdigest()

    def write(name, **keys):
        common = {"title": f"The list {name}", "source": "s", "license": "l", "citation": "c", "language": "en"}
        kind = keys.get("kind", "queryset")
        lines = [
            f"{key} = {value if key == 'count' else json.dumps(value)}"
            for key, value in ({"kind": kind, "format": "tsv"} | common | keys).items()
        ]
        (root / f"{kind}s").mkdir(exist_ok=True)
        (root / f"{kind}s" / f"{name}.toml").write_text("\n".join(lines))

    write("near", kind="wordlist", file="near.csv", sha256=sha256, count="{f = 1, m = 1}")
    far = {"url": f"http://{host}:{port}/far.tsv?raw=1", "sha256": SHA256, "count": 20_000, "bytes": len(BODY)}
    write("far", aliases=["distant"], **far)
    write.far = far
    return write


def left(home):
    """The files in FAIRTREC_HOME."""
    return sorted(path.name for path in home.rglob("*") if path.is_file())


# --- fetched ---------------------------------------------------------------------------------------------------------


def test_is_fetched_once(shelf, server, home):
    assert not resources.passport("far").is_here
    assert resources.get("far") == home / "querysets" / "far.tsv"
    assert resources.get("far").read_bytes() == BODY
    assert resources.get("far") == home / "querysets" / "far.tsv"
    assert left(home) == ["far.tsv"]
    assert len(server.asked) == 1


def test_an_alias_is_the_same_resource(shelf, home):
    assert resources.get("distant") == home / "querysets" / "far.tsv"


def test_a_damaged_file_is_fetched_again(shelf, home):
    resources.get("far").write_bytes(b"damaged")
    assert resources.get("far").read_bytes() == BODY


def test_what_was_cut_is_fetched_anew(shelf, server, home):
    server.faults = [cut, cut]
    assert resources.get("far").read_bytes() == BODY
    assert len(server.asked) == 3
    assert left(home) == ["far.tsv"]


def test_a_cut_is_named(shelf, server, home):
    server.faults = [cut] * 3
    said = rf"cut after 100000 of {len(BODY)} bytes \(tried 3 times\); try again later, or run: .* add far FILE"
    with pytest.raises(ResourceError, match=said):
        resources.get("far")
    assert left(home) == []


def test_wrong_bytes_are_removed(shelf, server, home):
    server.faults = [send_wrong_bytes]
    with pytest.raises(ResourceError, match=f"far: wrong bytes: .* expected is {SHA256[:12]}"):
        resources.get("far")
    assert left(home) == []
    assert len(server.asked) == 1


@pytest.mark.parametrize("code", [403, 404, 410])
def test_what_is_gone_is_not_tried_again(shelf, server, home, code):
    server.faults = [status(code)]
    with pytest.raises(ResourceError, match=f"HTTP {code}; try again later, or run: fairtrec resources add far"):
        resources.get("far")
    assert len(server.asked) == 1
    assert left(home) == []


@pytest.mark.parametrize("fault", [status(503), status(429), drop])
def test_what_may_pass_is_tried_again(shelf, server, fault):
    server.faults = [fault, fault]
    assert resources.get("far").read_bytes() == BODY


def test_there_are_three_tries(shelf, server):
    server.faults = [status(503)] * 5
    with pytest.raises(ResourceError, match=r"HTTP 503 \(tried 3 times\)"):
        resources.get("far")
    assert len(server.asked) == 3


@pytest.mark.parametrize("fault", [stall, stall_midway])
def test_a_slow_server_is_given_up(shelf, server, monkeypatch, fault):
    monkeypatch.setenv("FAIRTREC_TIMEOUT", "0.05")
    server.faults = [fault] + [stall] * 2
    with pytest.raises(ResourceError, match="timed out"):
        resources.get("far")


def test_nobody_listens(shelf, server):
    server.socket.close()
    with pytest.raises(ResourceError, match=r"refused|reset"):
        resources.get("far")


@pytest.mark.parametrize("fault", [send_too_much, send_endlessly])
def test_no_more_than_the_known_size_is_read(shelf, server, home, fault):
    server.faults = [fault]
    with pytest.raises(ResourceError, match=f"larger than the {len(BODY)} bytes expected"):
        resources.get("far")
    assert left(home) == []


def test_an_unknown_size_has_a_limit(shelf, home, monkeypatch):
    monkeypatch.setattr(fetch, "LIMIT", 1000)
    shelf("far", **{key: value for key, value in shelf.far.items() if key != "bytes"})
    with pytest.raises(ResourceError, match="larger than the 1000 bytes"):
        resources.get("far")


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/a.tsv", "data:,1", "/etc/hostname"])
def test_other_addresses_are_refused(shelf, home, address):
    shelf("far", **shelf.far | {"url": address})
    with pytest.raises(ResourceError, match="only http:, https: and file: addresses"):
        resources.get("far")


def test_a_redirection_to_another_scheme_is_refused(shelf, server):
    server.faults = [redirect_to_ftp] * 3
    with pytest.raises(ResourceError, match="unknown url type: ftp"):
        resources.get("far")


@pytest.mark.parametrize("address", ["http://127.0.0.1:port", "http://[", "http://127.0.0.1/\u00e4", "http://a..b"])
def test_an_impossible_mirror_is_one_line(shelf, monkeypatch, address):
    monkeypatch.setenv("FAIRTREC_MIRROR", address)
    with pytest.raises(ResourceError, match="far: cannot fetch http") as caught:
        resources.get("far")
    assert "\n" not in str(caught.value)


def test_a_file_address(shelf, server, tmp_path):
    (tmp_path / "copy.tsv").write_bytes(BODY)
    shelf("far", **shelf.far | {"url": (tmp_path / "copy.tsv").as_uri()})
    assert resources.get("far").read_bytes() == BODY
    assert server.asked == []


def test_a_file_address_without_a_file(shelf, tmp_path):
    shelf("far", **shelf.far | {"url": (tmp_path / "none.tsv").as_uri()})
    with pytest.raises(ResourceError, match="No such file"):
        resources.get("far")


def test_a_mirror_stands_for_every_host(shelf, server, monkeypatch, tmp_path):
    host, port = server.server_address
    shelf("far", **shelf.far | {"url": "https://host.invalid/lists/far.tsv"})
    monkeypatch.setenv("FAIRTREC_MIRROR", f"http://{host}:{port}/mirror/")
    assert resources.get("far").read_bytes() == BODY
    resources.get("far").unlink()
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "far.tsv").write_bytes(BODY)
    monkeypatch.setenv("FAIRTREC_MIRROR", tmp_path.as_uri())
    assert resources.get("far").read_bytes() == BODY
    assert len(server.asked) == 1


@pytest.mark.parametrize("seconds", ["soon", "0", "nan", "inf", "1e12"])
def test_an_impossible_timeout(shelf, monkeypatch, seconds):
    monkeypatch.setenv("FAIRTREC_TIMEOUT", seconds)
    with pytest.raises(ResourceError, match=f"FAIRTREC_TIMEOUT={seconds} is not"):
        resources.get("far")


def test_offline_forbids(shelf, server, monkeypatch):
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    with pytest.raises(ResourceError, match=r"FAIRTREC_OFFLINE.* run: fairtrec resources add far FILE"):
        resources.get("far")
    assert server.asked == []


def test_a_resource_without_an_address_can_only_be_added(shelf):
    shelf("far", sha256=SHA256, count=20_000)
    with pytest.raises(ResourceError, match="far is not on this machine; run: fairtrec resources add far FILE"):
        resources.get("far")


# --- at the same time ------------------------------------------------------------------------------------------------


def test_several_at_a_time_get_the_whole_file(shelf, server, home):
    server.faults = [lambda handler: (handler.server.release.wait(0.1), serve(handler))]
    found = []
    threads = [threading.Thread(target=lambda: found.append(resources.get("far").read_bytes())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [BODY] * 4
    assert left(home) == ["far.tsv"]


# --- the disk --------------------------------------------------------------------------------------------------------


def test_a_home_that_cannot_be_written(shelf, home, tmp_path):
    home.write_text("a file, not a folder")
    (tmp_path / "copy.tsv").write_bytes(BODY)
    for fails in (lambda: resources.get("far"), lambda: resources.add("far", tmp_path / "copy.tsv")):
        with pytest.raises(ResourceError, match=r"cannot write .*; run: export FAIRTREC_HOME=FOLDER"):
            fails()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk(shelf, home, monkeypatch):
    monkeypatch.setattr(atomic, "unnamed", lambda folder: os.open("/dev/full", os.O_RDWR))
    with pytest.raises(ResourceError, match="No space left on device; run: export FAIRTREC_HOME"):
        resources.get("far")


@pytest.mark.parametrize(
    ("platform", "variables", "home"),
    [
        ("linux", {}, "user/.cache/fairtrec"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "user/.cache/fairtrec"),
        ("linux", {"XDG_CACHE_HOME": "/fast"}, "/fast/fairtrec"),
        ("darwin", {}, "user/Library/Caches/fairtrec"),
        ("win32", {}, "user/AppData/Local/fairtrec/Cache"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/fairtrec/Cache"),
    ],
)
def test_the_default_home_is_the_cache_of_the_platform(shelf, monkeypatch, tmp_path, platform, variables, home):
    for name in ("FAIRTREC_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "user"))
    monkeypatch.setattr(sys, "platform", platform)
    assert resources.passport("far").place == tmp_path / home / "querysets" / "far.tsv"


# --- added -----------------------------------------------------------------------------------------------------------


def test_the_published_file_is_taken(shelf, home, tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    (tmp_path / "mine").write_bytes(BODY)
    assert resources.add("distant", tmp_path / "mine").read_bytes() == BODY
    assert left(home) == ["far.tsv"]
    assert resources.require("far") == home / "querysets" / "far.tsv"


def test_another_file_is_not_taken(shelf, home, tmp_path):
    (tmp_path / "mine").write_bytes(BODY[:-1])
    found = hashlib.sha256(BODY[:-1]).hexdigest()
    with pytest.raises(ResourceError, match=f"{found[:12]}.*{SHA256[:12]}.*; see: fairtrec resources show far"):
        resources.add("far", tmp_path / "mine")
    assert not home.exists()


def test_a_file_that_cannot_be_read(shelf, tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ResourceError, match="cannot read"):
            resources.add("far", path)


def test_nothing_replaces_a_bundled_list(shelf, tmp_path):
    with pytest.raises(ResourceError, match="near is bundled"):
        resources.add("near", tmp_path / "mine")


# --- sets of strangers -----------------------------------------------------------------------------------------------

SET, SLICES = b"1\n", b"1\tx\n"
OWN = {
    "title": "t", "kind": "queryset", "file": "set.tsv", "format": "one qid per line", "language": "en", "source": "s",
    "license": "l", "citation": "c", "sha256": hashlib.sha256(SET).hexdigest(), "count": 1, "note": "n", "keep": "k",
    "url": "https://host.invalid/a", "bytes": 2, "slices": "parts.tsv", "slices_sha256": hashlib.sha256(SLICES).hexdigest(),
}  # fmt: skip
STRANGE = {
    "left out": None, "text": '"x"', "empty": '""', "number": "7", "below 0": "-1", "too large": "9" * 30, "fraction": "0.5",
    "nan": "nan", "flag": "true", "list": "[]", "of lists": "[[1], [{}]]", "table": "{}", "of tables": "{a = {b = 1}}",
    "date": "1979-05-27",
}  # fmt: skip
NAMED = "must be the name of a file next to the passport, with letters, digits and _.-; write it again: fairtrec make queryset -o"


@pytest.fixture
def add_set(home, tmp_path, fairtrec_command):
    """Write a set and its passport, some of whose fields are other TOML (None: left out), to a folder, and add it."""

    def add(name="mine", **changed):
        folder = tmp_path / "of a stranger"
        folder.mkdir(exist_ok=True)
        (folder / "set.tsv").write_bytes(SET)
        (folder / "parts.tsv").write_bytes(SLICES)
        fields = {key: json.dumps(value) for key, value in OWN.items()} | changed
        lines = (f"{json.dumps(key)} = {value}\n" for key, value in fields.items() if value is not None)
        (folder / f"{name}.toml").write_text("".join(lines))
        return fairtrec_command("resources", "add", folder / f"{name}.toml")

    return add


@pytest.mark.parametrize("field", [*OWN, "aliases", "unheard of"])
def test_a_field_of_another_type_is_refused_with_its_name(add_set, fairtrec_command, field):
    taken = []
    for kind, value in STRANGE.items():
        done = add_set(**{field: value})
        if done.code:
            assert done.code == 3, (kind, done.err)
            assert re.match(rf".*/mine\.toml: .*{field}|.*/x: this is not the file that ", done.err), (kind, done.err)
        else:
            taken.append(kind)
        listed = fairtrec_command("resources", "list")
        assert (listed.code, listed.err) == (0, "")
    texts = {"title", "format", "language", "source", "license", "citation", "note", "keep", "url"}
    may_lack = {"note", "keep", "url", "bytes", "aliases", "unheard of"}
    expected = ["left out"] * (field in may_lack) + ["text", "empty"] * (field in texts)
    assert taken == expected + ["number"] * (field in {"count", "bytes"})


def test_a_set_is_kept_under_its_own_name_and_touches_no_other(add_set, fairtrec_command, tmp_path):
    places = [add_set(name).out for name in ("one", "two", "set_tsv", "one-slices")]
    assert len({*places}) == 4
    other = b"2\n"
    (tmp_path / "of a stranger" / "other.tsv").write_bytes(other)
    sha256 = json.dumps(hashlib.sha256(other).hexdigest())
    assert add_set("last", file='"other.tsv"', slices=None, slices_sha256=None, sha256=sha256).code == 0
    verified = fairtrec_command("resources", "verify")
    states = dict(line.split() for line in verified.out.splitlines())
    assert [states[name] for name in ("one", "two", "set_tsv", "one-slices", "last")] == ["ok"] * 5


@pytest.mark.parametrize("file", ["../x.tsv", "/etc/hostname", ".hidden", "a/b.tsv", "a\x1b[2J", "a" * 300, "", "."])
def test_a_set_names_no_file_elsewhere(add_set, home, file):
    for field in ("file", "slices"):
        done = add_set(**{field: json.dumps(file)})
        assert (done.code, f"mine.toml: {field} {NAMED}" in done.err) == (3, True)
    assert not home.exists()


def test_a_set_whose_file_has_no_end_is_refused(add_set, tmp_path):
    add_set()
    (tmp_path / "of a stranger" / "endless").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "of a stranger" / "pipe")
    for field, name in (("file", "endless"), ("slices", "pipe")):
        done = add_set(**{field: f'"{name}"'})
        assert (done.code, f"{name}: this is not the file that" in done.err) == (3, True)


def test_a_bad_passport_is_passed_over_with_a_note(add_set, home, fairtrec_command):
    add_set("good")
    for name, text in {"odd": "title = 1\n", "odder": "\0"}.items():
        (home / "own" / name).mkdir(parents=True)
        (home / "own" / name / f"{name}.toml").write_text(text)
    for name in ("list", "verify"):
        done = fairtrec_command("resources", name)
        assert (done.code, "good" in done.out, "gender-en" in done.out) == (0, True, True)
        passed = [line.partition(";")[0] for line in done.err.splitlines()]
        assert passed == [
            f"# passed over: {home}/own/odd/odd.toml: kind is missing",
            f"# passed over: {home}/own/odder/odder.toml: not TOML (Invalid statement (at line 1, column 1))",
        ]
    good, odd = (fairtrec_command("resources", "path", name) for name in ("good", "odd"))
    assert (good.code, good.err) == (0, "")
    assert (odd.code, "odd.toml: kind is missing" in odd.err) == (3, True)


def test_what_a_passport_says_steers_no_terminal(add_set, fairtrec_command):
    add_set(title='"\\u001b[2Jred"')
    for arguments in (["list"], ["show", "mine"]):
        done = fairtrec_command("resources", *arguments)
        assert (done.code, "\x1b" in done.out, r"\x1b[2Jred" in done.out) == (0, False, True)


# --- asked for by an evaluation --------------------------------------------------------------------------------------


def test_bundled_lists_are_always_there(shelf, monkeypatch):
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    assert resources.require("near") == resources.get("near") == resources.passport("near").place


def test_nothing_is_fetched_unasked(shelf, server):
    with pytest.raises(ResourceError, match="far is not on this machine; run: fairtrec resources fetch far, or: "):
        resources.require("far")
    assert server.asked == []


@pytest.mark.parametrize("allow", ["terminal", "variable"])
def test_a_terminal_or_a_variable_allows_it(shelf, server, monkeypatch, allow):
    if allow == "terminal":
        at_a_terminal(monkeypatch, "y\n")
    else:
        monkeypatch.setenv("FAIRTREC_AUTOFETCH", "1")
    with monkeypatch.context() as context:
        context.setenv("FAIRTREC_OFFLINE", "1")
        with pytest.raises(ResourceError, match=r"FAIRTREC_OFFLINE|not on this machine"):
            resources.require("far")
        assert server.asked == []
    assert resources.require("far").read_bytes() == BODY


def at_a_terminal(monkeypatch, typed):
    """Put somebody at a terminal who types this when asked."""
    network._asked.cache_clear()
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("answer", ["n\n", "\n", "", "yesterday\n"])
def test_a_terminal_that_does_not_say_yes_is_asked_once(shelf, server, monkeypatch, answer):
    asked = at_a_terminal(monkeypatch, answer)
    for _ in range(2):
        with pytest.raises(ResourceError, match="far is not on this machine; run: fairtrec resources fetch far, or: "):
            resources.require("far")
    assert asked.getvalue() == "The list far (far) is not on this machine. Fetch it? [y/N] "
    assert server.asked == []


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_without_one_of_its_streams_there_is_no_terminal(shelf, monkeypatch, stream):
    at_a_terminal(monkeypatch, "y\n")
    monkeypatch.setattr(sys, stream, None)
    with pytest.raises(ResourceError, match="not on this machine"):
        resources.require("far")


def test_a_damaged_file_is_never_used(shelf):
    resources.get("far").write_bytes(b"damaged")
    with pytest.raises(ResourceError, match=r"far\.tsv is damaged.*run: fairtrec resources fetch far"):
        resources.require("far")
    (resources.root() / "wordlists" / "near.csv").write_text("she,m\n")
    for use in (resources.require, resources.get):
        with pytest.raises(ResourceError, match=r"near\.csv is damaged.*run: pip install --force-reinstall fairtrec"):
            use("near")


def test_an_unknown_name(shelf):
    for use in (resources.passport, resources.get, resources.require):
        with pytest.raises(ResourceError, match=r"'fra'; did you mean far\? fairtrec resources list shows all"):
            use("fra")
    with pytest.raises(ResourceError, match=r"'xyzzy'; fairtrec resources list shows all"):
        resources.passport("xyzzy")


def test_verify(shelf, home):
    states = lambda: {passport.name: state for passport, state in resources.verify()}  # noqa: E731
    assert states() == {"far": "missing", "near": "ok"}
    resources.get("far").write_bytes(b"damaged")
    assert states() == {"far": "damaged", "near": "ok"}


# --- the command -----------------------------------------------------------------------------------------------------


def run(*arguments):
    result = CliRunner().invoke(command, arguments)
    if result.exception is not None and not isinstance(result.exception, ResourceError):
        raise result.exception
    return result


def test_list(shelf):
    assert run("list").output.splitlines() == [
        "name          kind      size           where     title",
        "far, distant  queryset  20000 queries  not here  The list far",
        "near          wordlist  2 terms        bundled   The list near",
    ]


def test_show(shelf, home, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")  # that of a path is not cut
    assert "where     not here\n" in run("show", "distant").output
    resources.get("far")
    lines = dict(line.split(maxsplit=1) for line in run("show", "far").output.splitlines())
    assert lines["aliases"] == "distant"
    assert lines["sha256"] == SHA256
    assert lines["path"] == str(home / "querysets" / "far.tsv")
    assert "note" not in lines


def test_fetch_add_and_path_print_the_path(shelf, home, tmp_path):
    (tmp_path / "mine").write_bytes(BODY)
    there = f"{home / 'querysets' / 'far.tsv'}\n"
    assert isinstance(run("path", "far").exception, ResourceError)
    assert run("fetch", "far").output == there
    assert run("add", "far", str(tmp_path / "mine")).output == there
    assert run("path", "far").output == there


def test_verify_exits_4_on_damage_only(shelf):
    assert run("verify").output == "far   missing\nnear  ok\n"
    assert run("verify").exit_code == 0
    resources.get("far").write_bytes(b"damaged")
    result = run("verify")
    assert result.output == "far   damaged\nnear  ok\n"
    assert result.exception.exit_code == 4
    assert str(result.exception).startswith("damaged: far, run: fairtrec resources fetch far")


# --- the passports of this repository --------------------------------------------------------------------------------


def test_the_folder_is_found_in_a_wheel_and_in_a_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "fairtrec" / "support" / "resources" / "passports.py"))
    with pytest.raises(ResourceError, match="pip install"):
        resources.root()
    (tmp_path / "resources").mkdir()
    assert resources.root() == tmp_path / "resources"
    (tmp_path / "fairtrec" / "_resources").mkdir(parents=True)
    assert resources.root() == tmp_path / "fairtrec" / "_resources"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "not TOML (Invalid value (at end of document))"),
        ("title = 'only'", "kind is missing"),
        ("unknown = 1", "unknown is not a field of such a file"),
        ("a" + ".a" * 300_000 + " = 1", "a key has more than 32 parts"),
    ],
    ids=["no TOML", "no kind", "unknown", "endless key"],
)
def test_a_broken_passport_is_one_line(shelf, text, said):
    (resources.root() / "wordlists" / "odd.toml").write_text(text)
    with pytest.raises(ResourceError) as caught:
        resources.passports()
    assert f"odd.toml: {said}; run: pip install" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_name_is_used_once():
    names = Counter(name for passport in resources.passports() for name in (passport.name, *passport.aliases))
    assert set(names.values()) == {1}
    assert names.keys() >= {"cpjku-gender", "rekabsaz2020-gender", "msmarco-fair", "qs2", "trec-dl-fair", "qs1"}


@pytest.mark.parametrize("name", [path.stem for path in sorted((REPOSITORY / "resources").glob("*/*.toml"))])
def test_passport(name):
    passport = resources.passport(name)
    folder = "querysets" if passport.kind == "queryset" else "wordlists"
    assert (REPOSITORY / "resources" / folder / f"{name}.toml").exists()
    for key in ("title", "source", "license", "citation", "language", "format"):
        assert getattr(passport, key).strip(), key
    assert len(passport.sha256) == 64
    assert isinstance(passport.count, int) == (passport.kind != "wordlist")
    assert passport.size > 0
    if passport.file is None:
        assert passport.url.startswith("https://")
        assert passport.bytes > 0
    else:
        assert fetch.digest(passport.place) == passport.sha256
        assert counted(passport) == passport.count


def counted(passport):
    """Count what a file holds, with less than a reader: terms per group, or queries."""
    lines = passport.place.read_text("utf-8").splitlines()
    lines = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if passport.keep is not None:
        lines = [line for line in lines if line.endswith(f",{passport.keep}")]
    if passport.kind == "queryset":
        return len({line.split()[0] for line in lines})
    if passport.kind == "pairs":
        return len(lines)
    return Counter(line.replace("\t", ",").rpartition(",")[2].strip() for line in lines)


@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason=f"{SHARED}/data is not there; set FAIRTREC_SHARED")
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("cpjku-gender", "cpjku/resources/wordlist_gender_representative.txt"),
        ("rekabsaz2020-gender", "genderbias-ir/wordlist_genderspecific.txt"),
        ("msmarco-fair", "cpjku/dataset/msmarco_passage.dev.fair.tsv"),
        ("trec-dl-fair", "cpjku/dataset/trecdeep19_passage.fair.tsv"),
        ("qs1", "genderbias-ir/queries_gender_annotated.csv"),
    ],
)
def test_the_published_files_are_accepted(home, name, path):
    passport = resources.passport(name)
    assert resources.add(name, SHARED / "data" / path) == passport.place
    assert passport.place.stat().st_size == passport.bytes
    assert counted(passport) == passport.count


def test_a_published_file_comes_through_a_mirror(home, tmp_path, monkeypatch):
    """The whole way of a real passport, but for its host."""
    source = SHARED / "data" / "genderbias-ir" / "wordlist_genderspecific.txt"
    if not source.exists():
        pytest.skip(f"{source} is not there; set FAIRTREC_SHARED")
    below = tmp_path / resources.passport("rekabsaz2020-gender").url.split("/", 3)[3]
    below.parent.mkdir(parents=True)
    shutil.copyfile(source, below)
    monkeypatch.setenv("FAIRTREC_MIRROR", tmp_path.as_uri())
    assert resources.get("rekabsaz2020-gender").read_bytes() == source.read_bytes()


def test_a_failed_download_does_not_name_the_command_that_failed(monkeypatch, tmp_path, fairtrec_command):
    def refused(*_):
        raise ResourceError("cannot fetch https://x.org/f: no route (tried 3 times)")

    monkeypatch.setattr(passports, "fetch", refused)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path))
    monkeypatch.delenv("FAIRTREC_OFFLINE", raising=False)
    done = fairtrec_command("resources", "fetch", "cpjku-gender")
    assert done.code == 4
    assert "resources fetch" not in done.err
    assert done.err.endswith("try again later, or run: fairtrec resources add cpjku-gender FILE\n")


def test_lists_are_listed_with_their_other_names(fairtrec_command):
    line = next(row for row in fairtrec_command("resources", "list").out.splitlines() if "msmarco-fair" in row)
    assert line.startswith("msmarco-fair, qs2  ")
    assert "`qs2`" in (REPOSITORY / "docs" / "word-lists.md").read_text("utf-8")
