"""What can go wrong while learning, beside the boundary errors of `trivium.episode`."""

from trivium.episode import TriviumError


class NonFiniteError(TriviumError):
    """A loss, gradient or log-prob is NaN or infinite; the optimiser was not stepped and the weights are as before."""
