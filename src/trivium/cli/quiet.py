"""Libraries that draw their own progress bars are asked not to."""


def hush() -> None:
    """Silence the bars of transformers: loading the embedded policy takes less time than drawing them."""
    from transformers.utils import logging

    logging.disable_progress_bar()
