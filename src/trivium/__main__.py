"""`python -m trivium` is `trivium`."""

from trivium.cli import main

main()
