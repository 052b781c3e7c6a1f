"""Turns off the progress bars of other libraries."""


def hush() -> None:
    """Silence the bars of transformers: loading the embedded policy takes less time than drawing them."""
    from transformers.utils import logging

    logging.disable_progress_bar()
