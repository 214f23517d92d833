"""The same work done to many things, in this process or in several; what comes of it stands in the order of the things.

Processes are forked from one that has imported what they need and does nothing itself, because a fork of a process
whose libraries have threads may wait for one of them for ever. Each sets up once what all things share. What makes
processes is imported where it is used, so that the work of one process starts sooner.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from itertools import chain, islice
from typing import Any, Protocol, TypeVar

from fairtrec.support import compiled
from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files.compression import ENDINGS
from fairtrec.support.guarded_imports import SAFE_PATH, guard_large_libraries
from fairtrec.support.jobs.shared_work import Sent, write_work

PACKED = 8  # bytes that one byte of a compressed file may be
LIGHT = 1 << 20  # bytes of texts that are read sooner than another process starts
LONGEST_FOLDER = 64  # bytes of the name of the folder for temporary files; a socket has 107, and 32 behind that
CHUNK, EACH = 16, 8  # things that are sent together at most, and chunks of each process at least
GUARDED = f"{__name__}.guarded"
Thing = TypeVar("Thing")
Outcome = TypeVar("Outcome")
Thing_contra = TypeVar("Thing_contra", contravariant=True)
Outcome_co = TypeVar("Outcome_co", covariant=True)


class Work(Protocol[Thing_contra, Outcome_co]):
    """What is done to each thing."""

    def begin(self) -> Callable[[Thing_contra], Outcome_co]:
        """Set up what all things share; called once in each process."""


class Turn:
    """Some things that wait for their turn, and what is to come of them: None if no other process can do them."""

    def __init__(self, things: Sequence[Any], future: Any) -> None:
        self.things, self.future = things, future

    def take(self, call: Callable[[], Callable[[Any], Any]]) -> None:
        """Do the things in this process, unless another has begun; what they raise is told in their turn."""
        if self.future.cancel():
            vars(self.future)["set_exception"] = _ignore_fault
            self.future = type(self.future)()
            try:
                self.future.set_result([_outcome(call(), thing) for thing in self.things])
            except Exception as fault:  # noqa: BLE001 - as in another process
                self.future.set_exception(fault)


def _ignore_fault(_: BaseException | None) -> None:
    """Take no notice of a pool that breaks: before Python 3.13 it tells cancelled futures too, and fails by that."""


def cores() -> int:
    """Tell how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_jobs(jobs: int | None, sources: Sequence[FilePath]) -> int:
    """Choose how many processes read texts if nobody said so: one for small files, or else as many as cores.

    >>> choose_jobs(3, [])
    3
    """
    if jobs is not None:
        return jobs
    size = 0
    for each in sources:
        try:
            size += os.stat(each).st_size * (PACKED if os.fspath(each).endswith(ENDINGS) else 1)  # noqa: PTH116 - or an id
        except (OSError, ValueError):
            return cores()
    return 1 if size < LIGHT else cores()


def context(preload: Sequence[str]) -> Any:
    """Choose how processes are started: from one that has imported the modules ``preload``, where there is such."""
    import multiprocessing
    from tempfile import gettempdir

    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    if len(os.fsencode(gettempdir())) > LONGEST_FOLDER:  # in which no socket can be, by which a fork is asked for
        method = "spawn"
    chosen: Any = multiprocessing.get_context(method)
    if method == "forkserver":
        chosen.set_forkserver_preload([GUARDED, *preload])
    return chosen


def prestart(preload: Sequence[str]) -> None:
    """Let the process that others are forked from import its modules while this one has other things to do."""
    if context(preload).get_start_method() == "forkserver":
        from multiprocessing.forkserver import ensure_running

        with _uninterrupted():
            ensure_running()


@contextmanager
def _exclude_current_folder() -> Iterator[None]:
    """Start processes that find modules only where they are installed: files of the current folder are data."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SAFE_PATH, None)
        else:
            os.environ[SAFE_PATH] = before


@contextmanager
def defer_signals() -> Iterator[None]:
    """Put what asks this process to end off until what stands here is done, whichever of its threads takes it."""
    import signal
    import threading

    is_main = threading.current_thread() is threading.main_thread()
    usual = {each: signal.getsignal(each) for each in _ends() if is_main and callable(signal.getsignal(each))}
    noted: list[int] = []
    for each in usual:
        signal.signal(each, lambda number, _: noted.append(number))
    try:
        yield
    finally:
        for each, handler in usual.items():
            signal.signal(each, handler)
        if noted:
            signal.raise_signal(noted[0])


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put what ends this process off; for ever in those that are started meanwhile, since the first one ends them.

    It is noted, too: a thread of a library may take what is blocked in this one. What starts here imports nothing from
    the current folder.
    """
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        with _exclude_current_folder():
            yield
        return
    from multiprocessing import resource_tracker

    with _exclude_current_folder(), defer_signals():
        resource_tracker.ensure_running()  # which would let Ctrl-C through once it is started
        before = signal.pthread_sigmask(signal.SIG_BLOCK, set(_ends()))
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ends() -> tuple[int, ...]:
    """List what asks a process to end: Ctrl-C, `docker stop` and a scheduler, a terminal that is closed."""
    import signal

    return signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)


def map_ordered(
    work: Work[Thing, Outcome],
    things: Iterable[Thing],
    jobs: int,
    preload: Sequence[str] = (),
    ahead: int | None = None,
    advice: str = "use -j 1, add a cutoff to each measure, or cut with -M N",
    called: Callable[[Thing], str] = str,
    *,
    shared: bool = False,
) -> Generator[Outcome | InputError, None, None]:
    """Give what comes of each thing, in order; an InputError in the place of what comes of a broken one.

    Things are taken as they are wanted: two at first, and ``ahead`` of what has come of them, or all at once. Where
    work is ``shared``, this process is one of the jobs, and does what no other has begun while it waits. One thing
    alone is done in this process, and so is work that cannot be sent to another, such as a measure defined at a prompt.
    Raises InputError, with that advice and what the processes were at, as it is ``called``, if one is killed;
    UsageError for a program that none can read.
    """
    program = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    if jobs > 1 and os.path.basename(program) == "<stdin>":  # noqa: PTH119 - python - < it, which is gone
        what = "this program was read from standard input, which other processes cannot read again"
        raise UsageError(f"{what}; write it into a file, or pass jobs=1")
    left = iter(things)
    first = deque(islice(left, 2)) if jobs > 1 else deque[Thing]()
    are_several = len(first) > 1
    things = chain((first.popleft() for _ in range(len(first))), left)  # none is held longer than it is wanted
    with write_work(work) if are_several else nullcontext() as sent:
        if sent is None:
            call = work.begin()
            for thing in things:
                yield _outcome(call, thing)
            return
        yield from _by_processes(work, sent, things, jobs, preload, ahead, advice, called, shared=shared)


def _by_processes(
    work: Work[Thing, Outcome],
    sent: Sent,
    things: Iterable[Thing],
    jobs: int,
    preload: Sequence[str],
    ahead: int | None,
    advice: str,
    called: Callable[[Thing], str],
    *,
    shared: bool,
) -> Iterator[Outcome | InputError]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    call_here = cache(work.begin)
    going: deque[Turn] = deque()
    waiting: deque[Turn] = deque()  # those that this process may do

    def first() -> list[Outcome | InputError]:
        turn = going[0]
        while waiting and not turn.future.done():
            waiting.popleft().take(call_here)
        done = turn.future.result()
        going.popleft()
        return [_outcome(call_here(), thing) for thing in turn.things] if done is None else done

    try:
        with _uninterrupted():
            several = ProcessPoolExecutor(jobs - shared, context(preload), _begin, (sent,))
        with several as pool:
            try:
                for chunks in [_deal(list(things), jobs)] if ahead is None else ([[thing]] for thing in things):
                    with _uninterrupted():  # once for all of them
                        added = [Turn(chunk, pool.submit(_done, chunk)) for chunk in chunks]
                    going.extend(added)
                    waiting.extend(added if shared else [])
                    if len(going) - 1 == ahead:
                        yield from first()
                while going:
                    yield from first()
            except BaseException:  # nobody waits for the rest
                for process in list(pool._processes.values()):  # noqa: SLF001 - there is no other way before Python 3.14
                    process.kill()  # to all else they are deaf
                raise
    except (BrokenProcessPool, EOFError, ConnectionError):  # the first process is told so in several ways
        what = "a process was killed before it was done, as happens when memory runs out"
        broken = [turn for turn in going if not turn.future.done() or turn.future.exception() is not None]
        lost = [thing for turn in broken for thing in turn.things]
        names = list(dict.fromkeys(map(called, lost[:jobs])))
        where = f" (at {' or '.join(names)})" if names else ""
        raise InputError(f"{what}{where}; {advice}") from None


def _deal(things: Sequence[Thing], jobs: int) -> list[Sequence[Thing]]:
    """Deal things to chunks of up to ``CHUNK``, and each process eight of these or more.

    >>> _deal("abcde", 2), len(_deal(range(600), 8))
    (['a', 'b', 'c', 'd', 'e'], 67)
    """
    many = max(1, min(CHUNK, len(things) // (EACH * jobs)))
    return [things[start : start + many] for start in range(0, len(things), many)]


def _outcome(call: Callable[[Thing], Outcome], thing: Thing) -> Outcome | InputError:
    try:
        return call(thing)
    except InputError as fault:
        return fault


_received = Sent("", [])


def _begin(sent: Sent) -> None:
    """Keep what the first process has sent; it alone is interrupted, and this one ends with it."""
    global _received  # noqa: PLW0603 - a process has nowhere else
    import signal
    import threading

    for each in _ends():
        signal.signal(each, signal.SIG_IGN)
    guard_large_libraries()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if compiled.extension is not None:
        compiled.extension.keep_memory()
    _received = sent


def _end_with_parent() -> None:
    """Wait until the first process is no more, however it ended: nobody wants what this one makes."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        with suppress(OSError):  # it has done so itself, unless it was killed
            os.remove(_received.path)  # noqa: PTH107
        os._exit(1)


@cache
def _call() -> Callable[[Any], Any] | None:
    """Set the work up in this process; None if a part of it is not known here."""
    try:
        work: Work[Any, Any] = _received.load()
    except (AttributeError, ImportError):
        return None
    return work.begin()


def _done(things: Sequence[Any]) -> list[Any] | None:
    """Do the work to some things; None if it cannot be done in this process."""
    call = _call()
    return None if call is None else [_outcome(call, thing) for thing in things]
