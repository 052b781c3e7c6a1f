"""The command line: thin around `trivium.run`. Importing it loads no torch, so that `--help` answers at once.

app.py                    the commands, put together; each has a file of its name
work.py                   train, sft and demo: run, then tell        measure.py, best_of.py    eval
dry_run.py                train --dry-run                            run_view.py, episode_view.py    show
probes.py, check.py       doctor                                     options.py, folders.py    what commands share
progress.py, step_line.py how long work is drawn                     tables.py, sparks.py    arms and curves
guard.py                  errors and Ctrl-C: one sentence and an exit code
"""

from .app import main

__all__ = ["main"]
