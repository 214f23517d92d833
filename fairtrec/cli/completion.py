"""``fairtrec completion``: the script by which a shell completes what is typed."""

import click

from fairtrec.cli import options
from fairtrec.cli.commands import Titled


@click.command(name="completion", cls=Titled, epilog=options.EXITS)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
def command(shell: str) -> None:
    """Print a script that lets the shell complete commands, options, files, names of lists, measures and rerankers.

    \b
    fairtrec completion bash > ~/.local/share/bash-completion/completions/fairtrec
    fairtrec completion zsh > ~/.zfunc/_fairtrec     # a folder of $fpath
    fairtrec completion fish > ~/.config/fish/completions/fairtrec.fish
    """
    from fairtrec.cli.completing import script

    click.echo(script(shell), nl=False)
