"""A name -> a word list or a query set, checked against its sha256.

Each resource has a passport, ``resources/{wordlists,querysets}/NAME.toml``. The file itself is bundled beside the
passport, or is fetched once to FAIRTREC_HOME, or is added there from a copy that the user has. Query sets of the user's
own lie there, too, each beside its passport.

FAIRTREC_HOME          where such files are kept (the platform's cache folder).
FAIRTREC_OFFLINE=1     never fetch.
FAIRTREC_AUTOFETCH=1   fetch what an evaluation needs, also where no terminal is attached.
FAIRTREC_MIRROR        fetch from another server, FAIRTREC_TIMEOUT: wait longer or shorter; see fetch.py.
"""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Literal

from fairtrec.errors import FilePath, ResourceError
from fairtrec.files import opening
from fairtrec.files.atomic import replaced
from fairtrec.resources.fetch import digest, fetch, intact

Kind = Literal["wordlist", "pairs", "queryset"]
State = Literal["ok", "missing", "damaged"]

RESERVED = ("common",)  # what --queries takes besides names
REINSTALL = "run: pip install --force-reinstall fairtrec"


@dataclass(frozen=True, kw_only=True)
class Passport:
    """What is known about a resource; the fields are the keys of its TOML file."""

    name: str
    kind: Kind
    title: str
    source: str
    licence: str
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
    def is_intact(self) -> bool:
        """Is the file the one that is described here?"""
        return intact(self.place, self.sha256)

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
    def place(self) -> Path:
        """Where the file belongs."""
        return _own() / (self.file or "")

    @property
    def is_intact(self) -> bool:
        """Is the file the one that is described here, and are its slices?"""
        sliced = self.slices is None or intact(_own() / self.slices, self.slices_sha256 or "")
        return sliced and super().is_intact

    @property
    def remedy(self) -> str:
        """The command that brings the files to this machine."""
        return f"run: fairtrec resources add {self.name}.toml, where that file and the set are"


def root() -> Path:
    """Find the folder of the passports: in the package if it was installed, beside it in a checkout."""
    package = Path(__file__).parent.parent
    for folder in (package / "_resources", package.parent / "resources"):
        if folder.is_dir():
            return folder
    raise ResourceError(f"{package} came without its resources; {REINSTALL}")


def passports() -> list[Passport]:
    """Read every passport, those of sets of the user's own as well, sorted by name."""
    return sorted([*_bundled(), *_owned()], key=lambda passport: passport.name)


def passport(name: str) -> Passport:
    """Find a passport by the name of its resource, or one of its other names."""
    known: dict[str, Passport] = {}
    for read in (_bundled, _owned):
        known |= {other: each for each in read() for other in (each.name, *each.aliases)}
        if name in known:
            return known[name]
    from difflib import get_close_matches

    nearest = "".join(f"did you mean {match}? " for match in get_close_matches(name, known, n=1))
    raise ResourceError(f"no resource is called {name!r}; {nearest}fairtrec resources list shows all")


def get(name: str) -> Path:
    """Return the file, fetched unless it is here and intact."""
    wanted = passport(name)
    if wanted.is_intact:
        return wanted.place
    if wanted.url is None or wanted.file is not None:
        raise _unusable(wanted)
    add = f"run: fairtrec resources add {wanted.name} FILE"
    if _is_set("FAIRTREC_OFFLINE"):
        raise ResourceError(f"{wanted.name} is not fetched, because FAIRTREC_OFFLINE is set; unset it, or {add}")
    try:
        fetch(wanted.url, wanted.place, wanted.sha256, wanted.bytes)
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
        raise ResourceError(f"{os.fspath(file)} is a stream, which cannot be read twice; name a file")
    try:
        found = digest(Path(file))
    except OSError as error:
        raise ResourceError(f"cannot read {os.fspath(file)}: {error.strerror}; name a file that can be read") from error
    if found != wanted.sha256:
        why = f"its sha256 begins with {found[:12]}, that of {wanted.name} with {wanted.sha256[:12]}"
        raise ResourceError(f"{os.fspath(file)} is another file: {why}; see: fairtrec resources show {wanted.name}")
    return _kept(wanted, {wanted.place: file})


def add_own(file: FilePath) -> Path:
    """Keep a query set of the user's own: copies of the passport ``file``, and of what it names, which lies beside it.

    Raises ResourceError where the passport is none, is called as a resource of ours, or does not describe these files.
    """
    path = Path(file)
    wanted = _read(path, OwnPassport)
    names = [each for each in (wanted.file, wanted.slices) if each is not None]
    if wanted.kind != "queryset" or wanted.file is None or any(Path(name).name != name for name in names):
        raise ResourceError(f"{path} is no passport of a query set beside it; `fairtrec queries -o` writes such")
    if not re.fullmatch(r"\w[\w.-]*", wanted.name) or wanted.name in RESERVED:
        raise ResourceError(f"a set cannot be called {wanted.name!r}; rename {path}, with letters, digits and _.-")
    if any(wanted.name in (each.name, *each.aliases) for each in _bundled()):
        raise ResourceError(f"{wanted.name} is the name of another set, which all have; rename {path}")
    for name, sha256 in ((wanted.file, wanted.sha256), (wanted.slices, wanted.slices_sha256)):
        if name is not None and not intact(path.parent / name, sha256 or ""):
            raise ResourceError(f"{path.parent / name} is not the file that {path} describes; make both again")
    return _kept(wanted, {_own() / name: path.parent / name for name in (*names, path.name)})


def _kept(wanted: Passport, copies: Mapping[Path, FilePath]) -> Path:
    """Copy files to their places."""
    from shutil import copyfile

    try:
        for place, file in copies.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            with replaced(place, synced=True) as part:
                copyfile(file, part)
    except OSError as error:
        raise _unwritable(wanted.place, error) from error
    return wanted.place


def require(name: str) -> Path:
    """Return the file for an evaluation: fetched if need be, and only where somebody can see or has allowed it."""
    wanted = passport(name)
    watched = sys.stderr is not None and sys.stderr.isatty()
    allowed = (watched or _is_set("FAIRTREC_AUTOFETCH")) and not _is_set("FAIRTREC_OFFLINE")
    if allowed and not wanted.is_here:
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
    return [_read(path) for path in folder.glob("*/*.toml")]


def _owned() -> list[Passport]:
    return [_read(path, OwnPassport) for path in _own().glob("*.toml")]


def _own() -> Path:
    return _home() / "querysets"


def _read(path: Path, of: type[Passport] = Passport) -> Passport:
    import tomllib

    try:
        fields = tomllib.loads(path.read_text("utf-8"))
        return of(**fields | {"name": path.stem, "aliases": tuple(fields.get("aliases", ()))})
    except (OSError, ValueError, TypeError) as error:
        remedy = REINSTALL if of is Passport else "write it again: fairtrec queries -o NAME.tsv"
        raise ResourceError(f"{path} is no passport: {error}; {remedy}") from error


def _home() -> Path:
    if home := os.environ.get("FAIRTREC_HOME"):
        try:
            return Path(home).expanduser()
        except RuntimeError:
            raise ResourceError(f"FAIRTREC_HOME is {home}, and there is no such user; name a folder") from None
    from platformdirs import user_cache_path

    return user_cache_path("fairtrec")


def _is_set(name: str) -> bool:
    return os.environ.get(name, "") not in {"", "0"}
