"""``fairtrec completion``: a script that lets a shell complete what is typed."""

import click
from click import shell_completion

from fairtrec.cli.commands import EXITS, Titled
from fairtrec.cli.completion import VARIABLE


@click.command(name="completion", cls=Titled, epilog=EXITS)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
def command(shell: str) -> None:
    """Print a script that lets the shell complete commands, options, files, names of lists, measures and rerankers.

    \b
    fairtrec completion bash > ~/.local/share/bash-completion/completions/fairtrec
    fairtrec completion zsh > ~/.zfunc/_fairtrec     # a folder of $fpath
    fairtrec completion fish > ~/.config/fish/completions/fairtrec.fish
    """
    kind = shell_completion.get_completion_class(shell)
    assert kind is not None
    click.echo(kind(click.Group(), {}, "fairtrec", VARIABLE).source(), nl=False)
