"""The command line: thin around `trivium.run`. Importing it loads no torch, so that `--help` answers at once.

app.py         the commands, put together          guard.py      errors and Ctrl-C as one sentence and an exit code
demo.py, train.py, sft.py, eval.py, show.py, doctor.py           one command a file
dry_run.py, best_of.py, episode_view.py, run_view.py, probes.py  what a command shows
options.py     options that commands share         progress.py   how long work is drawn: live, or as lines
folders.py     recipes and run folders             tables.py     arms with intervals; sparks.py: curves
"""

from .app import main

__all__ = ["main"]
