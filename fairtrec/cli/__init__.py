"""The command line: it finds commands, ours and those of other packages, and imports one only when it is called."""

import atexit
import errno
import gc
import io
import os
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

gc.set_threshold(100_000)  # objects that are made before some are looked through; imports alone make half as many

import click  # noqa: E402

from fairtrec.cli.commands import WIDEST, RegisteredGroup, write_stderr  # noqa: E402
from fairtrec.support import command_rows, compiled  # noqa: E402
from fairtrec.support.errors import (  # noqa: E402
    FairtrecError,
    InputError,
    ResourceError,
    UsageError,
    missing_library,
    short,
    type_options,
)
from fairtrec.support.files import admission  # noqa: E402
from fairtrec.support.guarded_imports import SAFE_PATH, guard_large_libraries  # noqa: E402
from fairtrec.support.version import __version__  # noqa: E402

BUILT = ", plain"  # with --version
if compiled.extension is not None:
    BUILT = ", compiled"
    compiled.extension.keep_memory()
GROUPS = ("Evaluate", "Explain", "Change", "Prepare", "Look up")  # in the order of the help, rare commands last
HINTS = {  # by option, or command, that is not here: what does that
    "-D": "-v prints every note and choice",
    "-J": "eval --only judged keeps only judged documents in rankings",
    "-N": "it is not needed: any number of queries and documents is read",
    "-R": "it is not needed: the format of qrels is recognized; preference judgments are not offered",
    "-T": "it is not needed: the format of runs is recognized",
    "-Z": "z-scores are not offered; fairtrec compare tests differences between runs",
    "--baseline": "fairtrec compare tests runs against a baseline",
    "--correlate": "fairtrec correlate prints correlations of measures",
    "--cutoffs": "fairtrec plot cutoffs -f table prints means over cutoffs",
    "convert": "most files are read as they are; docs/convert.md shows the others",
    "--reliability": "fairtrec reliability estimates how reliable the order of runs is",
    "rbo": "fairtrec correlate --rankings prints the rank-biased overlap of runs",
}
RUNNERS = ("GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "TEAMCITY_VERSION", "CI")  # which name a job of CI

OUTSIDE = {  # what is wrong with the machine or a name, not with fairtrec: the way out
    errno.EMFILE: "allow more open files with ulimit -n, or use -j 1",
    errno.ENFILE: "close some files, or use -j 1",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ENOENT: "was it moved or removed meanwhile?",
    errno.ENOTDIR: "check the name",
    errno.ELOOP: "check where the link leads",
    errno.EACCES: "change its permissions, or name another",
    errno.EPERM: "change its permissions, or name another",
    errno.EROFS: "choose another place",
    errno.EIO: "check the disk",
    errno.EINTR: "run the command again",
    errno.ENOMEM: "free some memory, or use -j 1",
    errno.EAGAIN: "allow more processes with ulimit -u, or use -j 1",
}
NO_MEMORY = (
    "this machine has too little memory; "
    "add a cutoff to each measure (like DP@100), cut with -M N, or pass fewer runs\n"
)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # a disk, a quota, the longest file that is allowed


def _is_file(name: str) -> bool:
    return name == "none" or "." in name or os.path.exists(name)  # noqa: PTH110 - pathlib is not loaded


class _Root(RegisteredGroup):
    """The whole command line, in groups of the help."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name in HINTS and not ctx.resilient_parsing and not command_rows.registry.has_command(cmd_name):
            raise UsageError(f"there is no command {cmd_name}; {HINTS[cmd_name]}")
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read arguments; without any, print the first screen and end with code 2, as click does."""
        if not args and not ctx.resilient_parsing:
            click.echo(self.format_first_screen(ctx), err=True, nl=False)
            ctx.exit(2)
        has_command = any(map(command_rows.registry.has_command, args))
        if not ctx.resilient_parsing and not has_command and self._begins_as_eval(ctx, args):
            line = short(" ".join(args))
            raise click.UsageError(f"a command stands before options; did you mean: fairtrec eval {line}", ctx)
        return super().parse_args(ctx, args)

    def _begins_as_eval(self, ctx: click.Context, args: list[str]) -> bool:
        """Tell whether an option comes first that stands behind a command, and then a file."""
        own = [option for each in self.get_params(ctx) for option in each.opts]
        return args[:1] != [] and args[0].startswith("-") and args[0] not in own and any(map(_is_file, args))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. Raises UsageError for a file in its place, with the command that was probably meant."""
        name = args[0]
        if _is_file(name) and not ctx.resilient_parsing and not command_rows.registry.has_command(name):
            line = short(" ".join(args))
            raise click.UsageError(f"there is no command {short(name)}; did you mean: fairtrec eval {line}", ctx)
        return super().resolve_command(ctx, args)

    def format_first_screen(self, ctx: click.Context) -> str:
        """Write the text, and the commands that most people need."""
        formatter = ctx.make_formatter()
        self.format_help_text(ctx, formatter)
        rows = sorted((row for row in find_rows() if row.is_first), key=lambda row: row.group != GROUPS[-1])
        with formatter.section("Commands"):
            formatter.write_dl([(row.name, row.text) for row in rows])
        formatter.write_paragraph()
        formatter.write("fairtrec --help: all commands\n")
        return formatter.getvalue().lstrip("\n")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        found = find_rows()
        width = max(len(row.name) for row in found)
        for title in dict.fromkeys([*GROUPS, *(row.group for row in found)]):
            if several := [(f"{row.name:<{width}}", row.text) for row in found if row.group == title]:
                with formatter.section(title):
                    formatter.write_dl(several)


def find_rows() -> list[command_rows.CommandRow]:
    """Give what commands say of themselves, in the order of the help; those of ``fairtrec make`` are its own."""
    return command.list_rows()


command = _Root(
    "command",
    help="""Measure how fairly rankings represent groups: trec_eval for fairness. Start with: fairtrec demo

    \b
    fairtrec eval qrels.txt bm25.run --terms gender-en --docs collection.tsv
    """,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST, "show_default": True},
)


def _print_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the version and end; with -v, what else decides the digits of a number."""
    verbose = context.params.pop("versions", False)
    if asked:
        click.echo(f"fairtrec {__version__}{BUILT}")
        if verbose:
            from fairtrec.cli.installation import describe_installation

            click.echo(describe_installation(), nl=False)
        context.exit()
    if verbose and not context.resilient_parsing:
        raise click.UsageError("put -v after the command, or use it with --version", context)


click.option("--version", is_flag=True, expose_value=False, callback=_print_version, help="Show the version and exit.")(
    command
)
click.option(
    "-v", "versions", is_flag=True, is_eager=True, help="With --version: show those of Python, numpy, BLAS and scipy."
)(command)


def run() -> None:
    """Be the program ``fairtrec``: run ``main``, and end without taking the loaded modules apart, which takes 5 ms."""
    code = perform()
    if not isinstance(code, int) or threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()  # noqa: SLF001 - nothing else runs them
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)  # the interpreter says what became of the output
    os._exit(code)


def main() -> None:
    """Run the command line, and raise SystemExit with its exit code."""
    sys.exit(perform())


def perform() -> int:
    """Run the command line, and give its exit code; every error of the user's making is one line, never a traceback.

    To give a number takes no memory, and to raise an exception does.
    """
    _set_streams()
    os.environ[SAFE_PATH] = "1"  # whatever library starts a Python: files of this folder are data
    guard_large_libraries()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads gain nothing here, wait busily, and add up otherwise
    if not sys.stderr.isatty():
        os.environ.setdefault("TQDM_DISABLE", "1")  # the bars of libraries, which nobody watches
    code, errors = None, sys.stderr  # which a part of a report may redirect, and have no memory to give back
    try:
        with _ended_by_signals(), _quiet_without_memory(), type_options(), admission.remember_inputs():
            try:
                code = _invoke()
            except MemoryError:
                code = _out_of_memory(errors)
    except MemoryError:  # as what was changed above is changed back
        code = _out_of_memory(errors) if code is None else code
    gc.freeze()  # what is left, the interpreter need not go through before it ends
    return code


def _invoke() -> int:
    """Run the command that is typed, or complete it; say why it ended, if it did not end well."""
    try:
        if instruction := os.environ.get("_FAIRTREC_COMPLETE"):
            from fairtrec.cli.completion import complete

            return complete(command, instruction)
        with command.make_context("fairtrec", sys.argv[1:]) as context:
            code: int = command.invoke(context) or 0
        sys.stdout.flush()
    except BaseException as end:  # noqa: BLE001 - a traceback is of no use to most
        return _exit_code(end)
    return code


def _set_streams() -> None:
    """Open streams that the caller closed, and have them write the same bytes everywhere, whoever reads them."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):  # PYTHONUNBUFFERED, which loses what a full disk
        sys.stdout = os.fdopen(sys.stdout.fileno(), "w", closefd=False)  # does not take, and says nothing
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")  # the same bytes everywhere
        if sys.stdout.isatty():
            from fairtrec.report.output import Terminal

            # sys.__stdout__ keeps its stream: the size of the window is asked of it.
            sys.stdout = Terminal(sys.stdout.buffer if sys.stdout is sys.__stdout__ else sys.stdout.detach())
    if any(os.environ.get(name) for name in RUNNERS):
        from fairtrec.report.output import Runner

        for name in filter(_is_log, ("stdout", "stderr")):
            setattr(sys, name, Runner(getattr(sys, name).detach()))


def _is_log(name: str) -> bool:
    """Tell whether what is written to a stream stands in the log of a runner: not in a file, nor on a terminal."""
    stream = getattr(sys, name)
    try:
        return not (stream.isatty() or stat.S_ISREG(os.fstat(stream.fileno()).st_mode))
    except (OSError, ValueError, AttributeError):  # what stands for a stream in tests
        return False


class _Ended(KeyboardInterrupt):
    """Somebody has asked this process to end, by a signal of this number: all is left as Ctrl-C leaves it."""

    def __init__(self, number: int) -> None:
        self.number = number


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end this process as Ctrl-C does, where they would end it; then write what is left."""

    def end(number: int, _: object) -> None:
        raise _Ended(number)

    numbers = [signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)]
    here = threading.current_thread() is threading.main_thread()
    usual = [number for number in numbers if here and signal.getsignal(number) == signal.SIG_DFL]
    for number in usual:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # which has been told, if it can be; the interpreter flushes once more at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _quiet_without_memory() -> Iterator[None]:
    """Say nothing of what is closed without memory, of which Python would print a traceback."""

    def pass_over(fault: "sys.UnraisableHookArgs") -> None:
        if not issubclass(fault.exc_type, MemoryError):
            usual(fault)

    usual, sys.unraisablehook = sys.unraisablehook, pass_over
    try:
        yield
    finally:
        sys.unraisablehook = usual


def _out_of_memory(errors: TextIO) -> int:
    """Say so without a letter that takes memory."""
    with suppress(OSError, MemoryError):
        sys.stdout.flush()
    try:
        errors.write(NO_MEMORY)
    except MemoryError:
        os.write(2, NO_MEMORY.encode())
    except OSError:
        pass
    return 3


def _say(message: str) -> None:
    """Say it below what was printed, if standard error takes it: the exit code says the rest."""
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):
        write_stderr(message)


def _exit_code(end: BaseException) -> int:  # noqa: PLR0911 - one for each way to end
    """Say why a command has ended, where that is to be said."""
    match end:
        case click.exceptions.Exit():  # of --help
            return end.exit_code
        case click.ClickException():
            return _refuse(end)
        case FairtrecError():
            _tell(end)
            return end.exit_code
        case _Ended():
            return 128 + end.number
        case ImportError() if needed := missing_library(end):
            _tell(ResourceError(needed))
            return ResourceError.exit_code
        case click.Abort() | KeyboardInterrupt() | EOFError():
            with suppress(OSError):
                click.echo(err=True, nl=not isinstance(end, click.Abort))  # below what the terminal shows of the key
            return 130
        case BrokenPipeError():
            return 141
        case Exception():
            return _fault(end)
    raise end


def _refuse(error: click.ClickException) -> int:
    """Print what is wrong with the command line, and the way out for options of other programs and commands."""
    if isinstance(error, click.NoSuchOption) and error.option_name in HINTS:
        _say(f"there is no option {error.option_name} here; {HINTS[error.option_name]}")
        return error.exit_code
    if not isinstance(error, click.exceptions.NoArgsIsHelpError):
        vars(error)["message"] = short(error.message)  # which holds what the user typed
    with suppress(OSError):
        error.show()
    return error.exit_code


def _tell(error: FairtrecError) -> None:
    """Print an error as one line, and in a workflow of GitHub as an annotation of the file that is to blame."""
    _say(str(error))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from fairtrec.report.output import write_annotation, write_commands

        message = error.message if isinstance(error, InputError) else str(error)
        path, line = (error.path, error.line) if isinstance(error, InputError) else (None, None)
        place = None if path is None else os.fspath(path)
        said = write_annotation("error", short(message), file=place, line=line, title="fairtrec")
        with suppress(OSError):
            write_commands(f"{said}\n", sys.stderr)


def _refuse_outside(number: int, path: str) -> int:
    """Print what is wrong with the machine or a name, and the way out; return the exit code."""
    where = f"{short(path)}: " if path else ""
    _say(f"{where}{os.strerror(number)}; {OUTSIDE[number]}")
    return 3


def _fault(fault: Exception) -> int:
    if isinstance(fault, MemoryError):
        raise fault
    if isinstance(fault, OSError) and fault.errno == errno.EMFILE and not os.environ.get("FAIRTREC_DEBUG"):
        return _refuse_outside(fault.errno, str(fault.filename or ""))  # before an import, which opens a file
    from fairtrec.cli.faults import find_plugin, list_failures

    failures = list_failures(fault)
    if any(failure.errno in FULL for failure in failures):
        _say("the disk of the output is full; free some space, or write elsewhere with -o")
        return 2
    if os.environ.get("FAIRTREC_DEBUG"):
        raise fault
    if isinstance(fault, OSError) and failures and failures[0].errno in OUTSIDE:
        return _refuse_outside(failures[0].errno, failures[0].path)
    what = short(f"{type(fault).__name__}: {fault}")
    if plugin := find_plugin(fault):
        _say(f"{plugin} has a fault ({what}); report it to its authors, FAIRTREC_DEBUG=1 shows where")
        return 5
    foreign = isinstance(fault, ImportError) and not (fault.name or "").startswith("fairtrec")
    if foreign or isinstance(fault, SystemError):  # which C code raises that was given no memory
        _say(f"a library cannot be loaded ({what}); is there enough memory (ulimit -v)? If so, install fairtrec again")
        return 3
    _say(f"fairtrec has a fault ({what}); please report it, FAIRTREC_DEBUG=1 shows where")
    return 5
