"""How the weight of recall falls over a run."""


def beta2(epoch: int, epochs: int, *, start: float = 16.0, end: float = 4.0) -> float:
    """beta squared of an epoch (counted from 0): linear from `start` to `end`, constant within one.

    Context-1: recall weighs 16 times precision, then 4. A run of one epoch takes `end`, on which training should end.
    A function of the epoch alone, so that a resumed run goes on with the same value.
    """
    if not 0 <= epoch < epochs:
        raise ValueError(f"epoch is {epoch} of {epochs}; it counts from 0 to {epochs - 1}")
    return end if epochs == 1 else start + (end - start) * epoch / (epochs - 1)
