"""The commands, put together."""

from typing import Annotated

import typer

from trivium import __version__

from .audit import audit
from .demo import demo
from .doctor import doctor
from .eval import evaluate
from .export import export
from .keys import keys
from .label import label
from .plain_help import PlainCommand, PlainGroup
from .sft import sft
from .show import show
from .tasks import tasks
from .train import train

app = typer.Typer(
    name="trivium",
    cls=PlainGroup,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, command in (
    ("demo", demo),
    ("train", train),
    ("sft", sft),
    ("eval", evaluate),
    ("tasks", tasks),
    ("label", label),
    ("show", show),
    ("export", export),
    ("audit", audit),
    ("keys", keys),
    ("doctor", doctor),
):
    app.command(name, cls=PlainCommand)(command)


@app.callback(invoke_without_command=True)
def trivium(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    """Train LLM agents with reinforcement learning inside the harness in which they will work.

    Begin with: trivium demo
    """
    if version:
        typer.echo(__version__)
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """The console script `trivium`."""
    app()
