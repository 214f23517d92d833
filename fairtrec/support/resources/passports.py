"""A name -> a word list or a query set, checked against its sha256.

Each resource has a passport, ``resources/{wordlists,querysets}/NAME.toml``. The file itself is bundled beside the
passport, or is fetched once to FAIRTREC_HOME, or is added there from a copy that the user has. Query sets of the user's
own lie there, too, each with its passport in a folder of its name, ``own/NAME``.

FAIRTREC_HOME          where such files are kept (the platform's cache folder).
FAIRTREC_MIRROR        fetch from another server, FAIRTREC_TIMEOUT: wait longer or shorter; see fetch.py.

What an evaluation needs is fetched with consent only; see fairtrec/support/network.py.
"""

import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeVar, get_args

from fairtrec.support import network
from fairtrec.support.errors import FilePath, InputError, ResourceError
from fairtrec.support.files import admission, opening
from fairtrec.support.files.atomic import make_folder, replace_file, write_together
from fairtrec.support.files.typed_fields import Fields, read_toml
from fairtrec.support.resources.fetch import digest, fetch, has_digest

Kind = Literal["wordlist", "pairs", "queryset"]
State = Literal["ok", "missing", "damaged"]

RESERVED = ("common", "defined", "judged")  # what --queries takes besides names
REINSTALL = "run: pip install --force-reinstall fairtrec"
WRITE_AGAIN = "write it again: fairtrec make queryset -o NAME.tsv"
TEXTS = ("title", "source", "license", "citation", "language", "format")
OPTIONAL = ("file", "url", "keep", "note", "slices")
DIGEST = re.compile("[0-9a-f]{64}")
NAME = re.compile(r"\w[\w-]{0,99}")  # of a resource; without a dot or a slash, which names of most files have
FILE_NAME = re.compile(r"[^\W_][\w.-]{0,99}")  # of a file that lies beside a passport


@dataclass(frozen=True, kw_only=True)
class Passport:
    """What is known about a resource; the fields are the keys of its TOML file."""

    name: str
    kind: Kind
    title: str
    source: str
    license: str
    citation: str
    language: str
    format: str
    sha256: str
    count: int | Mapping[str, int]  # queries, pairs, or terms per group
    file: str | None = None  # where bundled, its name beside the passport
    url: str | None = None
    bytes: int | None = None
    aliases: tuple[str, ...] = ()
    keep: str | None = None  # which lines of the file belong to the set, where not all do
    note: str | None = None
    slices: str | None = None  # of a query set, beside it: which domains its queries are of
    slices_sha256: str | None = None

    @property
    def size(self) -> int:
        """How many queries, pairs, or terms of all groups together."""
        return self.count if isinstance(self.count, int) else sum(self.count.values())

    @property
    def place(self) -> Path:
        """Where the file belongs, whether it is there or not."""
        from urllib.parse import urlsplit

        folder = "querysets" if self.kind == "queryset" else "wordlists"
        if self.file is not None:
            return root() / folder / self.file
        return _home() / folder / (self.name + PurePosixPath(urlsplit(self.url or "").path).suffix)

    @property
    def is_fetched(self) -> bool:
        """Does the file come from the network?"""
        return self.file is None and self.url is not None

    @property
    def is_intact(self) -> bool:
        """Is the file the one that is described here?"""
        return has_digest(self.place, self.sha256)

    @property
    def is_here(self) -> bool:
        """Is there a file, whatever it holds?"""
        return os.path.isfile(self.place)  # noqa: PTH113 (Path.is_file raises in a folder that is closed to us)

    @property
    def remedy(self) -> str:
        """The commands that bring the file to this machine."""
        if self.file is not None:
            return REINSTALL
        add = f"fairtrec resources add {self.name} FILE"
        return f"run: {add}" if self.url is None else f"run: fairtrec resources fetch {self.name}, or: {add}"


class OwnPassport(Passport):
    """What is known about a query set of the user's own, which lies beside its passport in FAIRTREC_HOME."""

    @property
    def folder(self) -> Path:
        """Where its files are kept, and those of no other set."""
        return _own() / self.name

    @property
    def place(self) -> Path:
        """Where the file belongs."""
        return self.folder / (self.file or "")

    @property
    def is_intact(self) -> bool:
        """Is the file the one that is described here, and are its slices?"""
        sliced = self.slices is None or has_digest(self.folder / self.slices, self.slices_sha256 or "")
        return sliced and super().is_intact

    @property
    def remedy(self) -> str:
        """The command that brings the files to this machine."""
        return f"run: fairtrec resources add {self.name}.toml, in the folder of that file and the set"


AnyPassport = TypeVar("AnyPassport", bound=Passport)


def root() -> Path:
    """Find the folder of the passports: in the package if it was installed, beside it in a checkout."""
    package = Path(__file__).parents[2]
    for folder in (package / "_resources", package.parent / "resources"):
        if folder.is_dir():
            return folder
    raise ResourceError(f"{package} came without its resources; {REINSTALL}")


def passports() -> list[Passport]:
    """Read every passport, those of sets of the user's own as well, sorted by name; ``unreadable`` names the others."""
    return sorted([*_bundled(), *_owned()], key=lambda passport: passport.name)


def unreadable() -> list[str]:
    """Say which passports of sets of the user's own cannot be read, and why."""
    found = []
    for path in _own_passports():
        try:
            _read(path, OwnPassport)
        except InputError as fault:
            found.append(str(fault))
    return found


def is_name(text: str) -> bool:
    """Tell whether this is the name of a resource, bundled or added."""
    if not NAME.fullmatch(text):
        return False
    return any(text in (each.name, *each.aliases) for each in _bundled()) or (_own() / text / f"{text}.toml").is_file()


def passport(name: str) -> Passport:
    """Find a passport by the name of its resource, or one of its other names."""
    known = {other: each for each in _bundled() for other in (each.name, *each.aliases)}
    if name in known:
        return known[name]
    own = {path.stem: path for path in _own_passports()}
    if name in own:
        return _read(own[name], OwnPassport)
    from difflib import get_close_matches

    known |= {each.name: each for each in _owned()}
    nearest = "".join(f"did you mean {match}? " for match in get_close_matches(name, known, n=1))
    raise ResourceError(f"no resource is called {name!r}; {nearest}fairtrec resources list shows all")


def get(name: str) -> Path:
    """Return the file, fetched unless it is here and intact."""
    wanted = passport(name)
    if wanted.is_intact:
        return wanted.place
    if not wanted.is_fetched:
        raise _unusable(wanted)
    add = f"run: fairtrec resources add {wanted.name} FILE"
    if network.is_offline():
        raise ResourceError(f"{wanted.name} is not fetched, because FAIRTREC_OFFLINE is set; unset it, or {add}")
    try:
        fetch(wanted.url or "", wanted.place, wanted.sha256, wanted.bytes)
    except ResourceError as error:
        raise ResourceError(f"{wanted.name}: {error}; try again later, or {add}") from error
    except OSError as error:
        raise _unwritable(wanted.place, error) from error
    return wanted.place


def add(name: str, file: FilePath) -> Path:
    """Take a copy of the user's ``file``, if it is the one that the passport describes."""
    wanted = passport(name)
    if isinstance(wanted, OwnPassport):
        raise ResourceError(f"{wanted.name} is a set of your own; {wanted.remedy}")
    if wanted.file is not None:
        raise ResourceError(f"{wanted.name} is bundled, see: fairtrec resources path {wanted.name}")
    if opening.is_stream(file):
        raise ResourceError(f"{os.fspath(file)} is a stream, which cannot be read twice; pass a file")
    try:
        found = digest(Path(file))
    except OSError as error:
        raise ResourceError(f"cannot read {os.fspath(file)}: {error.strerror}; choose another file") from error
    if found != wanted.sha256:
        why = f"its sha256 begins with {found[:12]}, that of {wanted.name} with {wanted.sha256[:12]}"
        raise ResourceError(f"{os.fspath(file)} is another file: {why}; see: fairtrec resources show {wanted.name}")
    return _kept(wanted, {wanted.place: file})


def add_own(file: FilePath) -> Path:
    """Keep a query set of the user's own: copies of the passport ``file``, and of what it names, which lies beside it.

    Raises InputError where the passport is none, or does not describe these files, and ResourceError where it is called
    as a resource of ours.
    """
    path = Path(file)
    if not NAME.fullmatch(path.stem) or path.stem in RESERVED:
        raise ResourceError(f"a set cannot be called {path.stem!r}; rename {path}, with letters, digits, _ and -")
    if any(path.stem in (each.name, *each.aliases) for each in _bundled()):
        raise ResourceError(f"{path.stem} is the name of a bundled set; rename {path}")
    wanted = _read(path, OwnPassport)
    described = {wanted.file: wanted.sha256, wanted.slices: wanted.slices_sha256}
    copies = {name: path.parent / name for name in described if name is not None}
    for name, beside in copies.items():
        if opening.is_stream(beside) or not has_digest(beside, described[name] or ""):
            raise InputError(f"this is not the file that {path} describes; make both again", beside)
    with write_together():
        kept = _kept(wanted, {wanted.folder / name: beside for name, beside in copies.items()})
        _kept(wanted, {wanted.folder / f"{wanted.name}.toml": path})
    return kept


def _kept(wanted: Passport, copies: Mapping[Path, FilePath]) -> Path:
    """Copy files to their places."""
    from shutil import copyfile

    try:
        with write_together():
            for place, file in copies.items():
                with make_folder(place.parent, parents=True), replace_file(place, synced=True) as part:
                    copyfile(file, part)
    except OSError as error:
        raise _unwritable(wanted.place, error) from error
    return wanted.place


def require(name: str) -> Path:
    """Return the file for an evaluation: fetched if need be, with consent."""
    wanted = passport(name)
    if not wanted.is_here:
        admission.refuse_dataset(name)
    if not wanted.is_here and wanted.is_fetched and network.may_fetch(f"{wanted.title} ({wanted.name})"):
        return get(wanted.name)
    if not wanted.is_intact:
        raise _unusable(wanted)
    return wanted.place


def verify() -> list[tuple[Passport, State]]:
    """Check every file that is here against its passport."""
    return [(each, "missing" if not each.is_here else "ok" if each.is_intact else "damaged") for each in passports()]


def _unusable(passport: Passport) -> ResourceError:
    if passport.is_here:
        return ResourceError(f"{passport.place} is damaged: not the file that was published; {passport.remedy}")
    return ResourceError(f"{passport.name} is not on this machine; {passport.remedy}")


def _unwritable(place: Path, error: OSError) -> ResourceError:
    way_out = "run: export FAIRTREC_HOME=FOLDER, with a folder that can be written and has room"
    return ResourceError(f"cannot write {place}: {error.strerror or error}; {way_out}")


def _bundled() -> list[Passport]:
    return _in(root())


@cache  # they stay as they were installed
def _in(folder: Path) -> list[Passport]:
    return [_read(path, Passport) for path in folder.glob("*/*.toml")]


def _owned() -> list[Passport]:
    """Read the passports of the user's own sets that can be read."""
    found: list[Passport] = []
    for path in _own_passports():
        with suppress(InputError):
            found.append(_read(path, OwnPassport))
    return found


def _own_passports() -> list[Path]:
    return sorted(path for path in _own().glob("*/*.toml") if path.stem == path.parent.name)


def _own() -> Path:
    return _home() / "own"


def _read(path: Path, of: type[AnyPassport]) -> AnyPassport:
    """Read a passport. Raises InputError for a field of another type; ResourceError if the passport is one of ours."""
    is_own = of is OwnPassport
    try:
        with admission.admit_only(None):  # a folder of passports is trusted, and no passport changes a value
            fields = read_toml(path, WRITE_AGAIN if is_own else REINSTALL)
        return _passport(fields, path.stem, of)
    except InputError as fault:
        if is_own:
            raise
        raise ResourceError(str(fault)) from None


def _passport(fields: Fields, name: str, of: type[AnyPassport]) -> AnyPassport:
    """Take a passport from its fields."""
    fields.refuse_others(Passport.__dataclass_fields__.keys() - {"name"})
    kind = fields.take_word("kind", ["queryset"] if of is OwnPassport else get_args(Kind))
    texts = {each: fields.get(each, str) for each in TEXTS}
    more = {each: fields.take_optional(each, str) for each in OPTIONAL}
    digests = {"sha256": fields.get("sha256", str), "slices_sha256": fields.take_optional("slices_sha256", str)}
    _refuse_passport(fields, more, digests, is_own=of is OwnPassport)
    if kind == "wordlist":
        groups = fields.object("count")
        count: int | dict[str, int] = {group: groups.count(group) for group in groups}
    else:
        count = fields.count("count")
    size = fields.count("bytes") if "bytes" in fields else None
    aliases = tuple(fields.take_list("aliases", str)) if "aliases" in fields else ()
    given: Any = {**texts, **more, **digests, "kind": kind}
    return of(name=name, count=count, bytes=size, aliases=aliases, **given)


def _refuse_passport(
    fields: Fields, more: Mapping[str, str | None], digests: Mapping[str, str | None], *, is_own: bool
) -> None:
    """Raise InputError for digests and names of files that are none, and for what does not belong together."""
    for each, sha256 in digests.items():
        if sha256 is not None and not DIGEST.fullmatch(sha256):
            fields.refuse("must be 64 hexadecimal digits", each)
    if is_own and more["file"] is None:
        fields.refuse("is missing", "file")
    if is_own and "aliases" in fields:
        fields.refuse("are for bundled sets; leave them out", "aliases")
    for each in ("file", "slices"):
        if more[each] is not None and not FILE_NAME.fullmatch(more[each] or ""):
            fields.refuse("must be the name of a file next to the passport, with letters, digits and _.-", each)
    if (more["slices"] is None) != (digests["slices_sha256"] is None):
        fields.refuse("and slices_sha256 belong together", "slices")


def _home() -> Path:
    """Give the folder of downloaded lists: FAIRTREC_HOME, or one in the cache of this platform."""
    if home := os.environ.get("FAIRTREC_HOME"):
        try:
            return Path(home).expanduser()
        except RuntimeError:
            raise ResourceError(f"FAIRTREC_HOME is {home}, and there is no such user; set it to a folder") from None
    user = Path(os.path.expanduser("~"))  # noqa: PTH111 - pathlib's raises where there is no home
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or user / "AppData" / "Local") / "fairtrec" / "Cache"
    if sys.platform == "darwin":
        return user / "Library" / "Caches" / "fairtrec"
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (cache if cache.is_absolute() else user / ".cache") / "fairtrec"
