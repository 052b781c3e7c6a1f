"""The command line: thin around `trivium.run`. Importing it loads no torch, so that `--help` answers at once.

    app.py                        the commands, put together; each has a file of its name
    work.py                       train, sft, demo, tasks, label: run, then tell
    dry_run.py                    train --dry-run
    measure.py, best_of.py        eval
    run_view.py, episode_view.py, page_file.py  show
    export.py                     export
    audit_view.py                 audit
    probes.py, check.py           doctor
    options.py, folders.py, overrides.py, kept_recipe.py   what several commands share
    grid.py, tables.py, sparks.py          figures at any width, and curves
    console.py, quiet.py          where words go, and whose are hushed
    guard.py                      errors and Ctrl-C

Always true: what a user can fix is one sentence and exit code 2; results go to standard output, all else to standard
error.
"""

from .app import main

__all__ = ["main"]
