"""`python -m trivium.cli`: the same as `trivium`."""

from .app import main

main()
